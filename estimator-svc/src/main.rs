//! The `lakegate` command: the service and the tools around it.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
