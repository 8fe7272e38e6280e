//! `cargo xtask test`: everything that must hold before a change lands, in the order in which it fails fastest.

use std::process::Command;

use crate::{run, setup};

/// Runs all checks; with arguments, only the tests whose names contain one of them.
pub(crate) fn run(filters: &[String]) -> Result<(), String> {
    if filters.is_empty() {
        run::step("format", &mut run::cargo(&["fmt", "--all", "--check"]))?;
    }
    let tools = setup::tools(setup::Needs::Tests)?;
    if filters.is_empty() {
        let deny = ["--", "--deny", "warnings"];
        let native = [&["clippy", "--workspace", "--all-targets"], &deny[..]].concat();
        run::step("lints", &mut run::cargo(&native))?;
        let wasm = ["clippy", "--package", "lakegate-filter", "--target", setup::WASM_TARGET];
        run::step(
            "lints of the wasm build",
            &mut run::cargo(&[&wasm[..], &deny[..]].concat()),
        )?;
    }
    corpus_in_wasm(&tools, filters)?;
    // The tests start the programs: built first, with the same features.
    run::step("building programs", &mut run::cargo(&["build", "--workspace"]))?;
    let mut command = run::cargo(&["test", "--workspace", "--"]);
    tools.set(&mut command);
    run::step("tests", command.args(filters))
}

/// The golden corpus once more, compiled for the target that the filter ships on: answer for answer the same.
fn corpus_in_wasm(tools: &setup::Tools, filters: &[String]) -> Result<(), String> {
    if run::output(Command::new("node").arg("--version")).is_none() {
        eprintln!("xtask: SKIPPED: the golden corpus in wasm. It runs in Node, and there is no `node` on the path.");
        return Ok(());
    }
    let runner = setup::wasm_test_runner(tools.cache())?;
    let mut command = run::cargo(&[
        "test",
        "--package",
        "lakegate-core",
        "--features",
        "yaml",
        "--target",
        setup::WASM_TARGET,
        "--test",
        "golden",
        "--",
    ]);
    command
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        // Cargo would hand `--quiet` on, which the runner does not know.
        .env("CARGO_TERM_QUIET", "false");
    // The runner takes one filter at most.
    if let [filter] = filters {
        command.arg(filter);
    }
    run::step("the golden corpus in wasm", &mut command)
}
