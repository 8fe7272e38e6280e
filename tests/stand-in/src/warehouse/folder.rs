//! The folder of a warehouse, and how an interrupted run leaves nothing half-made in it.
//!
//! | file | meaning |
//! |---|---|
//! | `warehouse/` | the tables' metadata and data |
//! | `catalog.db` | the catalog; there only once everything it names is written |
//! | `catalog.db.making` | the catalog of a run that is under way or was interrupted |
//! | `complete` | version and kind of the warehouse; written last |
//! | `lock` | held by the process that makes the warehouse |

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Kind;
use crate::error::{Context, Error, Result};

/// Raised whenever the tables change, so that an older warehouse is made anew.
const VERSION: u32 = 1;

/// The folder of one warehouse.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// Opens the folder and makes it if need be. The path becomes absolute, since Iceberg metadata will hold it.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        fs::create_dir_all(dir).context(|| format!("cannot make folder {}", dir.display()))?;
        let dir = dir
            .canonicalize()
            .context(|| format!("cannot resolve folder {}", dir.display()))?;
        // A URL would need escapes for these, which readers of Iceberg tables disagree about.
        match dir.to_str() {
            Some(text) if !text.contains(['?', '#', '%', ' ']) => Ok(Self { dir }),
            _ => Err(Error::new(format!(
                "folder {} cannot hold a warehouse: its path has a blank, `?`, `#`, `%` or is not UTF-8",
                dir.display()
            ))),
        }
    }

    /// Waits for other makers of this warehouse and keeps them out.
    pub(crate) async fn lock(&self) -> Result<File> {
        let path = self.dir.join("lock");
        // On a thread of its own: the holder may need this one to go on.
        tokio::task::spawn_blocking(move || {
            let failed = || format!("cannot lock file {}", path.display());
            let file = File::create(&path).context(failed)?;
            file.lock().context(failed)?;
            Ok(file)
        })
        .await
        .context(|| "waiting for the warehouse's lock broke off".to_owned())?
    }

    /// The catalog as readers know it.
    pub(crate) fn catalog_db(&self) -> PathBuf {
        self.dir.join("catalog.db")
    }

    /// The catalog while it is being made.
    pub(crate) fn catalog_db_making(&self) -> PathBuf {
        self.dir.join("catalog.db.making")
    }

    /// The folder below which tables live.
    pub(crate) fn warehouse(&self) -> PathBuf {
        self.dir.join("warehouse")
    }

    fn marker(&self) -> PathBuf {
        self.dir.join("complete")
    }

    /// Whether a complete warehouse of this kind and version is here. One of the other kind is an error: making
    /// this one in its place would pull the tables from under whoever uses it.
    pub(crate) fn is_complete(&self, kind: Kind) -> Result<bool> {
        let Ok(found) = fs::read_to_string(self.marker()) else {
            return Ok(false);
        };
        let mut words = found.split_whitespace();
        let (version, found_kind) = (words.next(), words.next());
        if found_kind.is_some_and(|found| found != kind.name()) {
            return Err(Error::new(format!(
                "{} holds a `{}` warehouse, not a `{}` one; use another folder",
                self.dir.display(),
                found_kind.unwrap_or_default(),
                kind.name()
            )));
        }
        Ok(version == Some(VERSION.to_string().as_str()) && self.catalog_db().is_file())
    }

    /// Clears away what an older version or an interrupted run left. Refuses to touch a folder named `warehouse`
    /// that this command did not make.
    pub(crate) fn begin(&self, kind: Kind) -> Result<()> {
        let warehouse = self.warehouse();
        let ours = self.marker().exists() || self.catalog_db_making().exists();
        if warehouse.exists() && !ours {
            return Err(Error::new(format!(
                "{} exists and was not made by this command; use another folder",
                warehouse.display()
            )));
        }
        // The `.making` file comes first: from here on the folder is known as ours whatever happens.
        write_file(&self.catalog_db_making(), "")?;
        for file in [self.catalog_db(), self.marker()] {
            if file.exists() {
                fs::remove_file(&file).context(|| format!("cannot remove file {}", file.display()))?;
            }
        }
        if warehouse.exists() {
            fs::remove_dir_all(&warehouse).context(|| format!("cannot remove folder {}", warehouse.display()))?;
        }
        eprintln!("warehouse: making {} in {}", kind.name(), self.dir.display());
        Ok(())
    }

    /// Makes the tables visible: the catalog gets its name, then the marker says that all is there.
    pub(crate) fn commit(&self, kind: Kind) -> Result<()> {
        let (from, to) = (self.catalog_db_making(), self.catalog_db());
        fs::rename(&from, &to).context(|| format!("cannot rename {}", from.display()))?;
        write_file(&self.marker(), &format!("{VERSION} {}\n", kind.name()))
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).context(|| format!("cannot write file {}", path.display()))
}
