//! The command line: what each command takes, and nothing of what it does.

mod analyze;
mod envoy_config;
mod estimate;
mod explain;
mod policy;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use lakegate_core::sql::parse::STACK_BYTES;

/// Routes SQL by what it will cost, inside Envoy.
#[derive(Debug, Parser)]
#[command(name = "lakegate", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service
    Serve {
        /// The configuration, lakegate.yaml
        #[arg(long)]
        config: PathBuf,
    },
    /// Print what a statement will scan, table by table
    Estimate {
        /// The configuration, which names the catalogs
        #[arg(long)]
        config: PathBuf,
        /// The statement
        #[arg(long)]
        sql: String,
        /// Catalog of names that have none
        #[arg(long)]
        catalog: Option<String>,
        /// Schema of names that have none
        #[arg(long)]
        schema: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print where a statement would go and why; nothing is run
    Explain {
        /// The policy; the configuration's if not given
        #[arg(long)]
        policy: Option<PathBuf>,
        /// The configuration, which names catalogs and engines; without it every scan is unknown
        #[arg(long)]
        config: Option<PathBuf>,
        /// The statement
        #[arg(long)]
        sql: String,
        /// A header that the client would send: NAME=VALUE; may be repeated
        #[arg(long = "header", value_name = "NAME=VALUE")]
        headers: Vec<String>,
        /// Address of an engine's Envoy cluster, as for envoy-config; may be repeated
        #[arg(long = "cluster", value_name = "ENGINE.PROTOCOL=URL")]
        clusters: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Work with policy files
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Read statements and print what each reads, writes and costs in shape, one JSON line each
    Analyze {
        /// Whose lexical rules to read by
        #[arg(long, value_enum, default_value_t = Dialect::Trino)]
        engine: Dialect,
        /// Statements; each ends with a line holding only `;`. `-` reads standard input
        file: PathBuf,
    },
    /// Print the Envoy configuration that a policy needs
    EnvoyConfig {
        /// The policy
        #[arg(long)]
        policy: PathBuf,
        /// What to print it for
        #[arg(long = "for", value_enum)]
        target: EnvoyTarget,
        /// Address of an engine's Envoy cluster: ENGINE.PROTOCOL=URL; may be repeated
        #[arg(long = "cluster", value_name = "ENGINE.PROTOCOL=URL")]
        clusters: Vec<String>,
        /// HOST:PORT for clients
        #[arg(long, default_value = "0.0.0.0:8080")]
        listen: String,
        /// HOST:PORT of Envoy's admin interface
        #[arg(long, default_value = "127.0.0.1:9901")]
        admin: String,
        /// URL of `lakegate serve`; `none` decides without a service
        #[arg(long, default_value = "http://127.0.0.1:8480")]
        service: String,
        /// Where Envoy finds the filter
        #[arg(long, default_value = "/etc/envoy/lakegate.wasm")]
        wasm: String,
        /// Where Envoy's access log goes
        #[arg(long, default_value = "/dev/stdout")]
        access_log: String,
        /// Estimates that each Envoy worker keeps; 0 keeps none
        #[arg(long, default_value_t = 4096)]
        estimate_cache_entries: usize,
    },
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Check a policy: exit 0, or 1 with FILE:LINE:COL and what would be right
    Check {
        /// The policy
        file: PathBuf,
    },
    /// Print the JSON Schema of policy files, for editors
    Schema,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Dialect {
    Trino,
    Presto,
    Dremio,
    Spark,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EnvoyTarget {
    /// A complete bootstrap for `envoy -c`
    Bootstrap,
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    match dispatch(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> Result<(), String> {
    match command {
        Command::Serve { config } => serve::run(&config),
        Command::Estimate {
            config,
            sql,
            catalog,
            schema,
            json,
        } => {
            let request = estimate::Request {
                sql,
                catalog,
                schema,
                json,
            };
            estimate::run(&config, request)
        }
        Command::Explain {
            policy,
            config,
            sql,
            headers,
            clusters,
            json,
        } => explain::run(explain::Request {
            policy,
            config,
            sql,
            headers,
            overlay: policy::overlay(&clusters)?,
            json,
        }),
        Command::Policy(PolicyCommand::Check { file }) => policy::check(&file),
        Command::Policy(PolicyCommand::Schema) => policy::schema(),
        Command::Analyze { engine, file } => analyze::run(engine, &file),
        Command::EnvoyConfig {
            policy: file,
            target: EnvoyTarget::Bootstrap,
            clusters,
            listen,
            admin,
            service,
            wasm,
            access_log,
            estimate_cache_entries,
        } => {
            let policy = policy::load(&file, &policy::overlay(&clusters)?)?;
            let options = envoy_config::Bootstrap {
                listen,
                admin,
                service: (service != "none").then_some(service),
                wasm,
                access_log,
                estimate_cache_entries,
            };
            print(&envoy_config::bootstrap(&policy, &options)?)
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // The parser's, and as much again for what calls it.
        .thread_stack_size(2 * STACK_BYTES)
        .build()
        .map_err(|error| format!("runtime: {error}"))
}

/// Prints to standard output; a closed pipe is the end, not an error.
fn print(text: &str) -> Result<(), String> {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}
