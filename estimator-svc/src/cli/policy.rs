//! `lakegate policy check` and `schema`, and reading a policy for the other commands.

use std::path::Path;

use lakegate_core::policy::schema::schema as policy_schema;
use lakegate_core::policy::{Overlay, Policy, Route, located};

/// Reads and checks a policy; every problem on a line of its own.
pub(crate) fn load(file: &Path, overlay: &Overlay) -> Result<Policy, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Policy::from_yaml(&file.display().to_string(), &text, overlay).map_err(|problems| problems.join("\n"))
}

/// Reads `ENGINE.PROTOCOL=URL` options. An engine's name may hold dots, a protocol's never does.
pub(crate) fn overlay(clusters: &[String]) -> Result<Overlay, String> {
    let read = |option: &String| {
        let (name, url) = option.split_once('=')?;
        let (engine, protocol) = name.rsplit_once('.')?;
        Some((engine.to_owned(), protocol.to_owned(), url.to_owned()))
    };
    let clusters = clusters
        .iter()
        .map(|option| {
            read(option).ok_or_else(|| {
                format!("--cluster {option}: write ENGINE.PROTOCOL=URL, like batch.trino=http://127.0.0.1:8080")
            })
        })
        .collect::<Result<_, String>>()?;
    Ok(Overlay { clusters })
}

/// Checks a policy and says what it holds.
pub(crate) fn check(file: &Path) -> Result<(), String> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let policy = Policy::from_yaml(&name, &text, &Overlay::default()).map_err(|problems| problems.join("\n"))?;
    for warning in &policy.warnings {
        eprintln!("{}", located(&name, &text, warning).replacen(": ", ": warning: ", 1));
    }
    let mut out = format!(
        "{name}: ok, {} engines, {} rules, version {}\n",
        policy.engines.len(),
        policy.rules.len(),
        policy.version
    );
    for rule in policy.rules.iter().filter(|rule| rule.implied) {
        let Route::Engine(engine) = &rule.route else {
            continue;
        };
        out.push_str(&format!(
            "implied rule `{}`: client tag `{engine}` goes to engine `{engine}` (turn off with `implied_rules: false`)\n",
            rule.name
        ));
    }
    super::print(&out)
}

/// Prints the JSON Schema of policy files.
pub(crate) fn schema() -> Result<(), String> {
    let text = serde_json::to_string_pretty(&policy_schema()).map_err(|error| error.to_string())?;
    super::print(&(text + "\n"))
}
