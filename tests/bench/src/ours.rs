//! The whole Lakegate: the service over the warehouse of stated sizes, and Envoys with the filter in front.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::envoy::{Envoy, Ports};
use crate::machine::Cores;
use crate::process::Process;

/// The reference policy; its thresholds are those of the stated sizes.
pub(crate) const POLICY: &str = include_str!("../../fixtures/reference-policy.yaml");

/// The service with its configuration.
#[derive(Debug)]
pub(crate) struct Service {
    url: String,
    policy: PathBuf,
    process: Process,
}

impl Service {
    /// Starts it, with the engine behind both clusters of the policy.
    pub(crate) fn start(engine: &str, cores: &Cores, folder: &Path) -> Result<Self, String> {
        let warehouse = warehouse()?;
        let policy = folder.join("policy.yaml");
        write(&policy, POLICY)?;
        let config = folder.join("lakegate.yaml");
        let text = format!(
            "listen: 127.0.0.1:0\n\
             policy: policy.yaml\n\
             catalogs:\n  lake: {{ type: sql, uri: \"{}\", catalog_name: lake, warehouse: \"file://{}\" }}\n\
             clusters:\n  interactive: {{ trino: \"http://{engine}\" }}\n  batch: {{ trino: \"http://{engine}\" }}\n",
            warehouse.join("catalog.db").display(),
            warehouse.join("warehouse").display(),
        );
        write(&config, &text)?;
        let arguments = ["serve", "--config", &config.to_string_lossy()];
        let log = folder.join("service.log");
        let (process, url) = Process::start_server(&program()?, &arguments, &cores.others, &log)?;
        Ok(Self { url, policy, process })
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// An error text with the end of its log.
    pub(crate) fn failed(&self, what: &str) -> String {
        self.process.failed(what)
    }
}

/// Where Envoy writes its access log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessLog {
    /// As `lakegate envoy-config` has it, to a file that keeps nothing.
    Discarded,
    /// Taken out of the configuration.
    Absent,
}

/// Starts an Envoy with the filter.
pub(crate) fn envoy(
    name: &str,
    engine: &str,
    service: &Service,
    log: AccessLog,
    cores: &Cores,
    folder: &Path,
) -> Result<Envoy, String> {
    let ports = Ports::free()?;
    let output = Command::new(program()?)
        .args(["envoy-config", "--for", "bootstrap", "--policy"])
        .arg(&service.policy)
        .args(["--cluster", &format!("interactive.trino=http://{engine}")])
        .args(["--cluster", &format!("batch.trino=http://{engine}")])
        .args(["--listen", &format!("127.0.0.1:{}", ports.listen)])
        .args(["--admin", &format!("127.0.0.1:{}", ports.admin)])
        .args(["--service", &service.url, "--access-log", "/dev/null", "--wasm"])
        .arg(module()?)
        .output()
        .map_err(|error| format!("lakegate envoy-config: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "lakegate envoy-config: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    let bootstrap = String::from_utf8_lossy(&output.stdout).into_owned();
    let bootstrap = match log {
        AccessLog::Discarded => bootstrap,
        AccessLog::Absent => without(&bootstrap, "access_log:")
            .ok_or("the bootstrap that `lakegate envoy-config` writes has no access_log")?,
    };
    Envoy::start(name, &bootstrap, &ports, &cores.proxy, folder)
}

/// The YAML without one key: its line and the lines below that belong to it.
fn without(yaml: &str, key: &str) -> Option<String> {
    let margin = |line: &str| line.len() - line.trim_start().len();
    let own = margin(yaml.lines().find(|line| line.trim_start().starts_with(key))?);
    let mut inside = false;
    let kept = yaml.lines().filter(|line| {
        let text = line.trim_start();
        let below = own < margin(line) || own == margin(line) && text.starts_with("- ");
        inside = text.starts_with(key) && own == margin(line) || inside && below;
        !inside
    });
    Some(kept.map(|line| format!("{line}\n")).collect())
}

/// The filter's module: `LAKEGATE_WASM`.
pub(crate) fn module() -> Result<PathBuf, String> {
    let path = std::env::var_os("LAKEGATE_WASM").map(PathBuf::from);
    path.filter(|path| path.exists())
        .ok_or_else(|| "LAKEGATE_WASM names no file: run `cargo xtask bench`, which builds the module".into())
}

/// `lakegate`, beside this program: the same build of both.
fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let program = own.with_file_name("lakegate");
    if program.exists() {
        return Ok(program);
    }
    Err(format!(
        "{} is not built: run `cargo xtask bench`, which builds it",
        program.display()
    ))
}

/// The warehouse of stated sizes, made by the stand-in engine.
fn warehouse() -> Result<PathBuf, String> {
    let cache = match (std::env::var_os("LAKEGATE_CACHE"), std::env::var_os("HOME")) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(home)) => Path::new(&home).join(".cache/lakegate"),
        (None, None) => return Err("neither LAKEGATE_CACHE nor HOME is set".into()),
    };
    let folder = cache.join("warehouse-stated");
    if folder.join("complete").exists() {
        return Ok(folder);
    }
    Err(format!(
        "{}: no warehouse there: run `cargo xtask bench`, which makes it",
        folder.display()
    ))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_with_all_that_belongs_to_it() {
        let yaml = "a:\n  x: 1\n  access_log:\n  - name: file\n    path: /dev/null\n  y: 2\nb: 3\n";
        assert_eq!(
            without(yaml, "access_log:").as_deref(),
            Some("a:\n  x: 1\n  y: 2\nb: 3\n")
        );
        assert_eq!(without(yaml, "tracing:"), None);
    }
}
