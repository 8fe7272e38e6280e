//! `lakegate-bench`: what Lakegate costs. `cargo xtask bench` builds what it needs and starts it.
//!
//! `envoy` compares a whole Lakegate with a bare Envoy; `core` times the core's own work. Reading order for `envoy`:
//!
//! 1. [`cases`]: what is sent, and what must be true of the answers. [`stage`]: the processes and who stands where.
//! 2. [`pairs`]: slices of load that alternate between the two. [`load`]: one slice. [`figures`]: what slices come to.
//! 3. [`stub`]: the engine behind both. [`bare`], [`ours`], [`envoy`]: the two proxies.
//! 4. [`http`], [`process`], [`machine`]: sockets, children, cores and CPU time.
//! 5. [`report`]: the table and the JSON object. [`core_work`]: the other suite; [`v8`]: the same work in V8.
#![forbid(unsafe_code)]

mod bare;
mod cases;
mod core_work;
mod envoy;
mod figures;
mod http;
mod load;
mod machine;
mod options;
mod ours;
mod pairs;
mod process;
mod report;
mod stage;
mod stub;
mod v8;

use std::process::ExitCode;

use options::{Options, Suite, USAGE};
use report::Report;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprint!("bench: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut report = Report::default();
    for suite in &options.suites {
        match suite {
            Suite::Core => core_work::run(options, &mut report)?,
            Suite::Envoy => stage::run(options, &mut report)?,
        }
    }
    print!("{}", report.table());
    match &options.json {
        Some(path) => std::fs::write(path, report.json()).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

/// Progress, on standard error.
fn say(text: &str) {
    eprintln!("bench: {text}");
}
