//! The project's commands: `cargo xtask demo | test | bench | fuzz | wasm`.
//!
//! Each installs what it needs on a fresh machine, once, into the cache folder (`LAKEGATE_CACHE`, else
//! `~/.cache/lakegate`). Standard library only, so that this compiles in a second.

mod fuzz;
mod imports;
mod run;
mod setup;
mod test;

use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: cargo xtask COMMAND

  demo [--once]     a whole Lakegate plays the Monday minute; --once ends after it
  test [FILTER..]   format, lints, unit tests, and end to end on a real Envoy
  bench [OPTIONS]   end to end against bare Envoy; `cargo xtask bench --help` has the options
  fuzz [TARGET..] [--seconds N]   run fuzz targets, each for N seconds
  wasm              build the filter's module, check what it imports, print its path
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match command {
        "demo" => demo(rest),
        "test" => test::run(rest),
        "bench" => bench(rest),
        "fuzz" => fuzz::run(rest),
        "wasm" => setup::wasm_module().map(|path| println!("{}", path.display())),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown command `{other}`\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn demo(arguments: &[String]) -> Result<(), String> {
    let tools = setup::tools(setup::Needs::Demo)?;
    run::step(
        "building service, engines and demo",
        &mut run::cargo(&["build", "--workspace"]),
    )?;
    run::replace_with(tools.command(&run::program("debug", "demo")?).args(arguments))
}

fn bench(arguments: &[String]) -> Result<(), String> {
    if !needs_proxy(arguments) {
        run::step(
            "building bench, optimised",
            &mut run::cargo(&["build", "--release", "--package", "lakegate-bench"]),
        )?;
        return run::replace_with(Command::new(run::program("release", "lakegate-bench")?).args(arguments));
    }
    let tools = setup::tools(setup::Needs::Demo)?;
    run::step(
        "building service and bench, optimised",
        &mut run::cargo(&[
            "build",
            "--release",
            "--package",
            "lakegate",
            "--package",
            "lakegate-bench",
        ]),
    )?;
    stated_warehouse(&tools)?;
    run::replace_with(
        tools
            .command(&run::program("release", "lakegate-bench")?)
            .args(arguments),
    )
}

/// False for help, and for what is measured without Envoy and service.
fn needs_proxy(arguments: &[String]) -> bool {
    let mut suites = arguments.iter().skip_while(|argument| *argument != "--only").skip(1);
    let asks_for_help = arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h");
    !asks_for_help && suites.next().is_none_or(|suites| suites.contains("envoy"))
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
