//! The policy in force: read from its file, replaced when the file changes, kept when the change is wrong.
//!
//! The file's time and size are looked at once a second. A bad edit is refused and logged with its place; the last good
//! policy stays. Not here: what a policy means (core).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use lakegate_core::policy::{Overlay, Policy};
use tokio::sync::watch;

use crate::error::{Error, ErrorKind, Result};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The policy in force.
#[derive(Clone)]
pub struct PolicyStore {
    file: Arc<PathBuf>,
    overlay: Arc<Overlay>,
    current: watch::Sender<Arc<Policy>>,
    /// The file as it was when it was last read, good or bad.
    seen: Arc<Mutex<Option<Stamp>>>,
}

/// What tells one state of a file from another, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

/// What a look at the file led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reload {
    /// The file has not changed.
    Unchanged,
    /// A new policy is in force.
    Replaced,
    /// The file is wrong, a line each; the policy stays.
    Refused(Vec<String>),
}

impl PolicyStore {
    /// Reads the policy file.
    ///
    /// # Errors
    /// Everything that is wrong in it, as `FILE:LINE:COL: ..`, a line each.
    pub fn load(file: &Path, overlay: Overlay) -> Result<Self> {
        let stamp = stamp(file);
        let policy = read(file, &overlay)
            .map_err(|lines| Error::new(ErrorKind::Config, lines.join("\n")).with_field("policy"))?;
        let store = Self::of(policy, file, overlay);
        *store.seen() = stamp;
        Ok(store)
    }

    /// A policy that has no file to change.
    #[must_use]
    pub fn fixed(policy: Policy) -> Self {
        Self::of(policy, Path::new(""), Overlay::default())
    }

    fn of(policy: Policy, file: &Path, overlay: Overlay) -> Self {
        for warning in &policy.warnings {
            tracing::warn!(%warning, "policy");
        }
        Self {
            file: Arc::new(file.to_owned()),
            overlay: Arc::new(overlay),
            current: watch::Sender::new(Arc::new(policy)),
            seen: Arc::default(),
        }
    }

    /// The policy in force.
    #[must_use]
    pub fn current(&self) -> Arc<Policy> {
        Arc::clone(&self.current.borrow())
    }

    /// Tells when another policy takes over.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Policy>> {
        self.current.subscribe()
    }

    /// Looks at the file for ever; `refused` is called for each bad edit.
    pub async fn keep_looking(self, refused: impl Fn() + Send) {
        let mut ticks = tokio::time::interval(LOOK);
        loop {
            ticks.tick().await;
            match self.look() {
                Reload::Unchanged => {}
                Reload::Replaced => tracing::info!(version = %self.current().version, "policy replaced"),
                Reload::Refused(lines) => {
                    refused();
                    for line in lines {
                        tracing::error!("policy refused: {line}");
                    }
                }
            }
        }
    }

    /// Looks at the file once, and takes over what it says if it is right.
    pub fn look(&self) -> Reload {
        let stamp = stamp(&self.file);
        {
            let mut seen = self.seen();
            // A file that is gone for a moment, as editors do it, is looked at again when it is back.
            if stamp.is_none() || *seen == stamp {
                return Reload::Unchanged;
            }
            *seen = stamp;
        }
        match read(&self.file, &self.overlay) {
            Err(lines) => Reload::Refused(lines),
            Ok(policy) if policy.version == self.current().version => Reload::Unchanged,
            Ok(policy) => {
                for warning in &policy.warnings {
                    tracing::warn!(%warning, "policy");
                }
                self.current.send_replace(Arc::new(policy));
                Reload::Replaced
            }
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Option<Stamp>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(file).ok()?;
    Some(Stamp {
        modified: metadata.modified().ok(),
        bytes: metadata.len(),
    })
}

fn read(file: &Path, overlay: &Overlay) -> std::result::Result<Policy, Vec<String>> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| vec![format!("{name}:1:1: cannot be read: {error}")])?;
    Policy::from_yaml(&name, &text, overlay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(reason: &str) -> String {
        format!("engines: {{ a: {{ kind: trino }} }}\nrules:\n- {{ name: default, route: a, reason: {reason} }}\n")
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lakegate-policy-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder.join("policy.yaml")
    }

    #[test]
    fn a_good_edit_takes_over_and_a_bad_one_is_refused_with_its_place() {
        let file = scratch("edit");
        std::fs::write(&file, policy("one")).unwrap();
        let store = PolicyStore::load(&file, Overlay::default()).unwrap();
        let first = store.current().version.clone();
        assert_eq!(store.look(), Reload::Unchanged);

        std::fs::write(&file, policy("another")).unwrap();
        assert_eq!(store.look(), Reload::Replaced);
        let second = store.current().version.clone();
        assert_ne!(first, second);

        std::fs::write(&file, format!("{}  colour: red\n", policy("bad"))).unwrap();
        let Reload::Refused(lines) = store.look() else {
            panic!("not refused");
        };
        assert!(
            lines
                .iter()
                .all(|line| line.starts_with(&format!("{}:", file.display()))),
            "{lines:?}"
        );
        assert_eq!(store.current().version, second);
        assert_eq!(store.look(), Reload::Unchanged, "refused once, not each second");

        std::fs::remove_file(&file).unwrap();
        assert_eq!(store.look(), Reload::Unchanged);
        assert_eq!(store.current().version, second);
    }

    #[test]
    fn a_policy_that_is_wrong_from_the_start_is_an_error() {
        let file = scratch("start");
        std::fs::write(&file, "rules: nonsense\n").unwrap();
        let error = PolicyStore::load(&file, Overlay::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("policy.yaml:"), "{error}");
    }
}
