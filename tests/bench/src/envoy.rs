//! A running Envoy with one worker on the proxies' core.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::http::{Request, ask};
use crate::process::Process;

/// Ports for one Envoy.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    /// Where clients connect.
    pub(crate) listen: u16,
    /// Its admin interface.
    pub(crate) admin: u16,
}

impl Ports {
    /// Two ports that were free a moment ago.
    pub(crate) fn free() -> Result<Self, String> {
        let bind = || TcpListener::bind("127.0.0.1:0").map_err(|error| format!("a free port: {error}"));
        let port = |listener: &TcpListener| {
            let address = listener.local_addr().map_err(|error| format!("a free port: {error}"))?;
            Ok::<u16, String>(address.port())
        };
        // Held both at once, so that they differ.
        let (listen, admin) = (bind()?, bind()?);
        Ok(Self {
            listen: port(&listen)?,
            admin: port(&admin)?,
        })
    }
}

/// An Envoy.
#[derive(Debug)]
pub(crate) struct Envoy {
    /// `HOST:PORT` for clients.
    pub(crate) address: String,
    admin: String,
    process: Process,
}

impl Envoy {
    /// Starts one with that bootstrap, and waits until it is ready.
    pub(crate) fn start(name: &str, bootstrap: &str, ports: &Ports, core: &str, folder: &Path) -> Result<Self, String> {
        let file = folder.join(format!("{name}.yaml"));
        std::fs::write(&file, bootstrap).map_err(|error| format!("{}: {error}", file.display()))?;
        let file = file.to_string_lossy().into_owned();
        let arguments = [
            "-c",
            &file,
            "--concurrency",
            "1",
            "--disable-hot-restart",
            "--log-level",
            "warn",
        ];
        let process = Process::start(&program()?, &arguments, core, &folder.join(format!("{name}.log")))?;
        let mut envoy = Self {
            address: format!("127.0.0.1:{}", ports.listen),
            admin: format!("127.0.0.1:{}", ports.admin),
            process,
        };
        let admin = envoy.admin.clone();
        envoy.process.wait_for(&format!("the {name} Envoy is ready"), || {
            let answer = ask(&admin, &Request::get("/ready")).ok()?;
            (answer.status == 200).then_some(())
        })?;
        Ok(envoy)
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The counters whose names start so.
    pub(crate) fn counters(&self, prefix: &str) -> Result<BTreeMap<String, u64>, String> {
        let answer = ask(&self.admin, &Request::get(&format!("/stats?filter=^{prefix}")))?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let counter = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        Ok(text.lines().filter_map(counter).collect())
    }

    /// An error text with the end of its log.
    pub(crate) fn failed(&self, what: &str) -> String {
        self.process.failed(what)
    }
}

/// Envoy's version, `1.40.0`.
pub(crate) fn version() -> Result<String, String> {
    let program = program()?;
    let output = Command::new(&program)
        .arg("--version")
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // PATH  version: COMMIT/1.40.0/Clean/RELEASE/BoringSSL
    let build = text.split("version: ").last().unwrap_or_default();
    Ok(build.split('/').nth(1).unwrap_or("unknown").to_owned())
}

fn program() -> Result<PathBuf, String> {
    let path = std::env::var_os("ENVOY_BIN").map(PathBuf::from);
    path.filter(|path| path.exists())
        .ok_or_else(|| "ENVOY_BIN names no file: run `cargo xtask bench`, which installs Envoy".into())
}
