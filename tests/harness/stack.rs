//! A whole Lakegate: two stand-in engines, the service, Envoy with the filter. Everything stops on drop.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::http::{Request, Response};
use crate::paths;
use crate::process::{Process, eventually, free_port};
use crate::trino::Client;

/// Which tables there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warehouse {
    /// Real data, a hundred-thousandth of the sizes.
    Demo,
    /// Metadata alone that state the full sizes.
    Stated,
}

/// The service that Envoy asks.
#[derive(Clone, Debug)]
pub enum Service {
    /// The real one.
    Real,
    /// None: the filter decides alone.
    Absent,
    /// Whatever answers there.
    At(String),
    /// A cluster that has no endpoint.
    NoEndpoint,
}

/// What to start.
#[derive(Clone, Debug)]
pub struct Options {
    /// The policy's text.
    pub policy: String,
    /// The tables.
    pub warehouse: Warehouse,
    /// The service.
    pub service: Service,
    /// Envoy's worker threads.
    pub workers: u32,
    /// `HOST:PORT` for clients; any free port if `None`.
    pub listen: Option<String>,
    /// Lines added to `lakegate.yaml`.
    pub service_config: String,
    /// Lines to replace in the bootstrap, before it is used.
    pub bootstrap_edits: Vec<(String, String)>,
    /// Wait long for the service: what is tested must not hang on how busy the machine is. Off where the policy's own
    /// deadline is the point.
    pub patient: bool,
}

/// The reference policy.
pub const REFERENCE_POLICY: &str = include_str!("../fixtures/reference-policy.yaml");
/// The reference policy with sizes divided by 100,000.
pub const DEMO_POLICY: &str = include_str!("../../envoy/demo-policy.yaml");
/// The tables of either warehouse.
const TABLES: [&str; 7] = [
    "sales.revenue",
    "staging.orders_delta",
    "support.ticket_events",
    "support.tickets",
    "warehouse.fact_orders",
    "web.events",
    "web.events_summary",
];
/// What the demo's sizes are divided by.
pub const DEMO_SCALE: u64 = 100_000;

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: DEMO_POLICY.to_owned(),
            warehouse: Warehouse::Demo,
            service: Service::Real,
            workers: 2,
            listen: None,
            service_config: String::new(),
            bootstrap_edits: Vec::new(),
            patient: true,
        }
    }
}

/// Everything that runs.
#[derive(Debug)]
pub struct Stack {
    /// Where clients connect: `http://HOST:PORT`.
    pub url: String,
    /// Envoy's admin interface.
    pub admin_url: String,
    /// The service, if there is a real one.
    pub service_url: Option<String>,
    /// The interactive engine.
    pub interactive: String,
    /// The batch engine.
    pub batch: String,
    /// Configuration and logs.
    pub folder: PathBuf,
    /// The service's configuration file.
    pub service_config: PathBuf,
    envoy: Process,
    service: Option<Process>,
    engines: Vec<Process>,
}

/// Makes the warehouse if it is not there yet, and gives its catalog.
#[must_use]
pub fn warehouse(kind: Warehouse) -> PathBuf {
    let word = match kind {
        Warehouse::Demo => "demo",
        Warehouse::Stated => "stated",
    };
    let folder = paths::cache().join(format!("warehouse-{word}"));
    let status = Command::new(paths::program("lakegate-stand-in"))
        .args(["warehouse", "--kind", word, "--dir"])
        .arg(&folder)
        .stdout(std::process::Stdio::null())
        .status()
        .expect("lakegate-stand-in runs");
    assert!(status.success(), "the warehouse could not be made: {status}");
    folder.join("catalog.db")
}

impl Stack {
    /// Starts everything and waits until each part is ready.
    #[must_use]
    pub fn start(name: &str, options: &Options) -> Self {
        let folder = run_folder(name);
        let catalog = warehouse(options.warehouse);
        let (interactive_process, interactive) = engine("interactive", &catalog, &folder);
        let (batch_process, batch) = engine("batch", &catalog, &folder);

        let policy = folder.join("policy.yaml");
        std::fs::write(&policy, policy_text(&options.policy, options.patient)).expect("policy file");
        let service_config = folder.join("lakegate.yaml");
        std::fs::write(&service_config, service_yaml(&catalog, &interactive, &batch, options)).expect("service config");
        let (service, service_url) = match &options.service {
            Service::Real => {
                let (process, url) = service(&service_config, &folder);
                wait_for_service(&url);
                (Some(process), Some(url))
            }
            _ => (None, None),
        };
        let asked = match &options.service {
            Service::Real => service_url.clone().unwrap_or_default(),
            Service::Absent => "none".into(),
            Service::At(url) => url.clone(),
            Service::NoEndpoint => "http://127.0.0.1:1".into(),
        };
        let listen = options
            .listen
            .clone()
            .unwrap_or_else(|| format!("127.0.0.1:{}", free_port()));
        let admin = format!("127.0.0.1:{}", free_port());
        let mut bootstrap = envoy_config(&policy, &interactive, &batch, &listen, &admin, &asked, &folder);
        if matches!(options.service, Service::NoEndpoint) {
            bootstrap = without_service_endpoint(&bootstrap);
        }
        for (from, to) in &options.bootstrap_edits {
            assert!(bootstrap.contains(from), "no `{from}` in the bootstrap");
            bootstrap = bootstrap.replace(from, to);
        }
        let bootstrap_file = folder.join("envoy.yaml");
        std::fs::write(&bootstrap_file, bootstrap).expect("bootstrap");
        let envoy = envoy(&bootstrap_file, options.workers, &folder);
        let stack = Self {
            url: format!("http://{listen}"),
            admin_url: format!("http://{admin}"),
            service_url,
            interactive,
            batch,
            folder,
            service_config,
            envoy,
            service,
            engines: vec![interactive_process, batch_process],
        };
        stack.wait_until_ready();
        stack
    }

    /// A Trino client of the front door.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// One of Envoy's counters or gauges; 0 if it does not exist (yet).
    #[must_use]
    pub fn stat(&self, name: &str) -> u64 {
        let answer = Request::new("GET", &format!("{}/stats?filter=^{name}$", self.admin_url)).send();
        answer
            .text()
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok())
            .unwrap_or(0)
    }

    /// Waits until a counter has reached a number: Envoy flushes some of them late.
    pub fn wait_for_stat(&self, name: &str, at_least: u64) {
        eventually(&format!("{name} >= {at_least}"), Duration::from_secs(10), || {
            (self.stat(name) >= at_least).then_some(())
        });
    }

    /// What an engine received, oldest first.
    #[must_use]
    pub fn submissions(&self, engine_url: &str) -> Vec<Value> {
        let answer = Request::new("GET", &format!("{engine_url}/stand-in/submissions")).send();
        answer.json().as_array().cloned().unwrap_or_default()
    }

    /// Asks the service.
    #[must_use]
    pub fn service_get(&self, path: &str) -> Response {
        let base = self.service_url.as_deref().expect("a real service");
        Request::new("GET", &format!("{base}{path}")).send()
    }

    /// Stops the service as if it had crashed.
    pub fn stop_service(&mut self) {
        if let Some(service) = &mut self.service {
            service.stop();
        }
    }

    /// Everything that Envoy has logged.
    #[must_use]
    pub fn envoy_log(&self) -> String {
        self.envoy.log_text()
    }

    /// The access log's lines.
    #[must_use]
    pub fn access_log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.join("access.log")).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The process ids of everything that runs.
    #[must_use]
    pub fn process_ids(&self) -> Vec<u32> {
        self.engines
            .iter()
            .chain(self.service.as_ref())
            .chain([&self.envoy])
            .map(Process::id)
            .collect()
    }

    fn wait_until_ready(&self) {
        eventually("Envoy is ready", Duration::from_secs(60), || {
            let answer = Request::new("GET", &format!("{}/ready", self.admin_url))
                .try_send()
                .ok()?;
            (answer.status == 200).then_some(())
        });
        if self.service_url.is_none() {
            return;
        }
        // Each VM takes the state over on a timer of its own: the workers', and the main thread's.
        let machines = self.stat("server.concurrency") + 1;
        self.wait_for_stat("wasmcustom.lakegate.state.changed", machines);
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let log = self.envoy_log();
        self.envoy.stop();
        if std::thread::panicking() {
            eprintln!("logs are kept in {}", self.folder.display());
            return;
        }
        // A panic in the filter takes a whole worker's statements with it: no test may pass over one.
        for word in ["panicked", "Function: proxy_", "[critical]"] {
            assert!(
                !log.contains(word),
                "`{word}` in Envoy's log, {}",
                self.folder.display()
            );
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// An empty folder for this run. Those that earlier runs of the same name left behind (a signal ended them) are removed.
#[must_use]
pub fn run_folder(name: &str) -> PathBuf {
    let runs = paths::cache().join("runs");
    for entry in std::fs::read_dir(&runs).into_iter().flatten().map_while(Result::ok) {
        let entry_name = entry.file_name().to_string_lossy().into_owned();
        let process = entry_name.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let folder = runs.join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("run folder");
    folder
}

fn engine(name: &str, catalog: &Path, folder: &Path) -> (Process, String) {
    let mut command = Command::new(paths::program("lakegate-stand-in"));
    command
        .args(["serve", "--name", name, "--listen", "127.0.0.1:0", "--catalog-db"])
        .arg(catalog);
    Process::start_server(&mut command, &folder.join(format!("{name}.log")))
}

fn service(config: &Path, folder: &Path) -> (Process, String) {
    let mut command = Command::new(paths::program("lakegate"));
    command.args(["serve", "--config"]).arg(config);
    Process::start_server(&mut command, &folder.join("service.log"))
}

/// The policy as it is used: with a long deadline if it names none and the caller is patient.
#[must_use]
pub fn policy_text(policy: &str, patient: bool) -> String {
    if patient && !policy.contains("\nfailure:") {
        return format!("{policy}\nfailure: {{ deadline_ms: 10000 }}\n");
    }
    policy.to_owned()
}

/// Waits until the service is ready, and both engines have said how busy they are: from then on the first state that
/// Envoy gets is complete, and no first statement is late because its table is being loaded.
fn wait_for_service(service_url: &str) {
    eventually("the service is ready", Duration::from_secs(60), || {
        let ready = Request::new("GET", &format!("{service_url}/readyz")).send();
        (ready.status == 200).then_some(())
    });
    eventually("the service knows the engines' queues", Duration::from_secs(20), || {
        let state = Request::new("GET", &format!("{service_url}/v1/state")).send().json();
        ["interactive", "batch"]
            .iter()
            .all(|engine| state["engines"][engine]["queue_wait_ms"].is_u64())
            .then_some(())
    });
}

fn service_yaml(catalog: &Path, interactive: &str, batch: &str, options: &Options) -> String {
    let warehouse = catalog.with_file_name("warehouse");
    format!(
        "listen: 127.0.0.1:0\n\
         policy: policy.yaml\n\
         catalogs:\n  lake: {{ type: sql, uri: \"{}\", catalog_name: lake, warehouse: \"file://{}\" }}\n\
         clusters:\n  interactive: {{ trino: \"{interactive}\" }}\n  batch: {{ trino: \"{batch}\" }}\n\
         warm: [{}]\n\
         reflections:\n  interactive:\n  - {{ name: revenue_by_segment_and_day, table: sales.revenue, dimensions: [segment, order_date], measures: [revenue_usd] }}\n\
         {}",
        catalog.display(),
        warehouse.display(),
        TABLES.map(|table| format!("lake.{table}")).join(", "),
        options.service_config,
    )
}

fn envoy_config(
    policy: &Path,
    interactive: &str,
    batch: &str,
    listen: &str,
    admin: &str,
    service: &str,
    folder: &Path,
) -> String {
    let output = Command::new(paths::program("lakegate"))
        .args(["envoy-config", "--for", "bootstrap", "--policy"])
        .arg(policy)
        .args(["--cluster", &format!("interactive.trino={interactive}")])
        .args(["--cluster", &format!("batch.trino={batch}")])
        .args(["--listen", listen, "--admin", admin, "--service", service, "--wasm"])
        .arg(paths::wasm())
        .arg("--access-log")
        .arg(folder.join("access.log"))
        .output()
        .expect("lakegate runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The service's cluster with its endpoints taken away.
fn without_service_endpoint(bootstrap: &str) -> String {
    let at = bootstrap
        .find("      cluster_name: \"lakegate_service\"\n      endpoints: ")
        .expect("the service's cluster");
    let (before, after) = bootstrap.split_at(at);
    let mut lines: Vec<&str> = after.lines().collect();
    lines[1] = "      endpoints: []";
    format!("{before}{}\n", lines.join("\n"))
}

fn envoy(bootstrap: &Path, workers: u32, folder: &Path) -> Process {
    let mut command = Command::new(paths::envoy());
    command.arg("-c").arg(bootstrap).args([
        "--concurrency",
        &workers.to_string(),
        "--use-dynamic-base-id",
        "--log-level",
        "info",
    ]);
    Process::start(&mut command, &folder.join("envoy.log"))
}
