//! The project's commands: `cargo xtask demo | test | bench | fuzz | wasm`.
//!
//! Each installs what it needs on a fresh machine, once, into the cache folder (`LAKEGATE_CACHE`, else
//! `~/.cache/lakegate`). Standard library only, so that this compiles in a second.

mod bench;
mod exports;
mod fuzz;
mod imports;
mod run;
mod setup;
mod test;
mod wasm;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  demo [--once]     a whole Lakegate plays the Monday minute; --once ends after it
  test [FILTER..]   format, lints, unit tests, and end to end on a real Envoy
  bench [OPTIONS]   the core's work, and end to end against bare Envoy; `cargo xtask bench --help` has the options
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
        "bench" => bench::run(rest),
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
