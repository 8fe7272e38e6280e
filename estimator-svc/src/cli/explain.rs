//! `lakegate explain`: where a statement would go, with every rule's outcome and every signal. Nothing is run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lakegate::config::Config;
use lakegate::service::{PATIENT_DEADLINE, Service};
use lakegate_core::policy::Overlay;
use lakegate_core::protocol::trino::Submission;

/// What to explain.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) policy: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
    pub(crate) sql: String,
    pub(crate) headers: Vec<String>,
    pub(crate) overlay: Overlay,
    pub(crate) json: bool,
}

/// How long engines get to say how busy they are.
const POLL_PATIENCE: Duration = Duration::from_secs(1);

/// Explains and prints.
pub(crate) fn run(request: Request) -> Result<(), String> {
    let mut config = config(request.policy.as_deref(), request.config.as_deref())?;
    config.overlay.clusters.extend(request.overlay.clusters);
    let headers: Vec<(String, String)> = request
        .headers
        .iter()
        .map(|text| header(text))
        .collect::<Result<_, _>>()?;
    let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    let submission = Submission::from_headers(pairs);
    super::runtime()?.block_on(async {
        let asks_engines = request.config.is_some();
        let service = Service::new(config).map_err(|error| error.to_string())?;
        let _background = asks_engines.then(|| service.background());
        let start = Instant::now();
        while asks_engines && service.state().engines.is_empty() && start.elapsed() < POLL_PATIENCE {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let facts = submission.facts_request(&request.sql, "");
        let question = service
            .question(facts, Some(PATIENT_DEADLINE))
            .map_err(|error| error.to_string())?;
        let explanation = service.explain(&question).await;
        if !request.json {
            return super::print(&explanation.to_text());
        }
        let text = serde_json::to_string_pretty(&explanation).map_err(|error| error.to_string())?;
        super::print(&(text + "\n"))
    })
}

fn config(policy: Option<&Path>, config: Option<&Path>) -> Result<Config, String> {
    let mut checked = match (config, policy) {
        (Some(file), _) => Config::load(file).map_err(|error| error.to_string())?,
        (None, Some(policy)) => {
            // Without catalogs every scan is unknown; the rules can still be seen at work.
            let text = format!("policy: {}\n", serde_json::Value::from(policy.display().to_string()));
            Config::from_yaml("--policy", &text, Path::new("")).map_err(|lines| lines.join("\n"))?
        }
        (None, None) => return Err("give --policy FILE, or --config FILE, which names one".into()),
    };
    if let Some(policy) = policy {
        checked.policy = policy.to_owned();
    }
    Ok(checked)
}

fn header(text: &str) -> Result<(String, String), String> {
    let split = text.find(['=', ':']).map(|at| text.split_at(at));
    match split {
        Some((name, value)) if !name.trim().is_empty() => Ok((
            name.trim().to_ascii_lowercase(),
            value.get(1..).unwrap_or_default().trim().to_owned(),
        )),
        _ => Err(format!(
            "--header {text}: write NAME=VALUE, like X-Trino-Client-Tags=agent"
        )),
    }
}
