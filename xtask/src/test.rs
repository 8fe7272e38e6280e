//! `cargo xtask test`: everything that must hold before a change lands, in the order in which it fails fastest.

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
        let wasm = [
            "clippy",
            "--package",
            "lakegate-filter",
            "--target",
            "wasm32-unknown-unknown",
        ];
        run::step(
            "lints of the wasm build",
            &mut run::cargo(&[&wasm[..], &deny[..]].concat()),
        )?;
    }
    // The tests start the programs: built first, with the same features.
    run::step("building programs", &mut run::cargo(&["build", "--workspace"]))?;
    let mut command = run::cargo(&["test", "--workspace", "--"]);
    tools.set(&mut command);
    run::step("tests", command.args(filters))
}
