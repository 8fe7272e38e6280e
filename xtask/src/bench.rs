//! `cargo xtask bench`: builds what is measured, optimised, and starts `lakegate-bench`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{run, setup};

/// Builds and measures.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let asks_for_help = arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h");
    let needs = |suite| !asks_for_help && wants(arguments, suite);
    let mut packages = vec!["build", "--release", "--package", "lakegate-bench"];
    if needs("envoy") {
        packages.extend(["--package", "lakegate"]);
    }
    run::step("building what is measured, optimised", &mut run::cargo(&packages))?;
    let program = run::program("release", "lakegate-bench")?;
    let core = if needs("core") { Some(Core::build()?) } else { None };
    let mut command = if needs("envoy") {
        let tools = setup::tools(setup::Needs::Demo)?;
        stated_warehouse(&tools)?;
        tools.command(&program)
    } else {
        Command::new(program)
    };
    if let Some(core) = core {
        core.set(&mut command);
    }
    run::replace_with(command.args(arguments))
}

/// Whether a suite is to run: all do unless some are named.
fn wants(arguments: &[String], suite: &str) -> bool {
    let mut named = arguments.iter().skip_while(|argument| *argument != "--only").skip(1);
    named.next().is_none_or(|suites| suites.contains(suite))
}

/// What the core suite needs besides the bench itself.
struct Core {
    /// The work compiled for V8; none without Node.
    work: Option<PathBuf>,
    /// The filter's module as it ships, in bytes.
    module: u64,
}

impl Core {
    fn build() -> Result<Self, String> {
        let work = if run::output(Command::new("node").arg("--version")).is_some() {
            Some(setup::build_for_wasm("lakegate-bench-work")?)
        } else {
            eprintln!("xtask: SKIPPED: the core's work in V8. It runs in Node, and there is no `node` on the path.");
            None
        };
        let module = size(&setup::wasm_module()?)?;
        Ok(Self { work, module })
    }

    fn set(&self, command: &mut Command) {
        command.env("LAKEGATE_BENCH_WASM_BYTES", self.module.to_string());
        match &self.work {
            Some(work) => command.env("LAKEGATE_BENCH_WASM", work),
            None => command.env_remove("LAKEGATE_BENCH_WASM"),
        };
    }
}

fn size(path: &Path) -> Result<u64, String> {
    let metadata = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(metadata.len())
}

/// The tables that the bench's service reads. Only the stand-in engine can make them, and it takes minutes to build;
/// so it is built for that only if they are not there.
fn stated_warehouse(tools: &setup::Tools) -> Result<(), String> {
    let folder = tools.cache().join("warehouse-stated");
    if folder.join("complete").exists() {
        return Ok(());
    }
    run::step(
        "building the stand-in engine",
        &mut run::cargo(&["build", "--package", "lakegate-stand-in"]),
    )?;
    run::step(
        "making the warehouse",
        tools
            .command(&run::program("debug", "lakegate-stand-in")?)
            .args(["warehouse", "--kind", "stated", "--dir"])
            .arg(folder)
            .stdout(Stdio::null()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_runs_unless_some_are_named() {
        let given = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(wants(&given("--quick"), "core") && wants(&given("--quick"), "envoy"));
        assert!(wants(&given("--only core --json a"), "core") && !wants(&given("--only core"), "envoy"));
        assert!(wants(&given("--only core,envoy"), "envoy"));
    }
}
