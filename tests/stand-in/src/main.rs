//! The command `lakegate-stand-in`.

#![forbid(unsafe_code)]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use lakegate_stand_in::error::{Error, Result};
use lakegate_stand_in::serve::{self, ProcessForwarded};
use lakegate_stand_in::warehouse;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// A Trino-protocol engine over an Iceberg warehouse on local disk, for demo and tests.
#[derive(Debug, Parser)]
#[command(name = "lakegate-stand-in", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the warehouse, unless it is there already.
    Warehouse {
        /// The folder to make it in.
        #[arg(long)]
        dir: PathBuf,
        /// Real data at 1:100,000, or metadata that state the full sizes.
        #[arg(long, value_enum, default_value = "demo")]
        kind: warehouse::Kind,
    },
    /// Run the engine.
    Serve(Serve),
}

#[derive(Debug, Args)]
struct Serve {
    /// The engine's name: its node id.
    #[arg(long)]
    name: String,
    /// Where to listen; port 0 takes any that is free.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The SQLite file with the warehouse's catalog.
    #[arg(long)]
    catalog_db: PathBuf,
    /// Rows of a result page at most.
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u32).range(1..))]
    page_rows: u32,
    /// Queries that run at a time; the others wait.
    #[arg(long, default_value = "16", value_parser = clap::value_parser!(u32).range(1..))]
    hard_concurrency: u32,
    /// Queries that may wait; more fail with QUERY_QUEUE_FULL.
    #[arg(long, default_value = "1000")]
    max_queued: u32,
    /// Every query takes at least this long, so that tests can make queries wait.
    #[arg(long, default_value = "0")]
    min_run_ms: u64,
    /// A query that its client does not ask for in this time is ended.
    #[arg(long, default_value = "300000")]
    client_timeout_ms: u64,
    /// Megabytes that queries may use together for sorts, joins and aggregates.
    #[arg(long, default_value = "1024")]
    memory_mb: u32,
    /// The catalog for clients that send none.
    #[arg(long, default_value = warehouse::CATALOG_NAME)]
    default_catalog: String,
    /// The schema for clients that send no catalog.
    #[arg(long)]
    default_schema: Option<String>,
    /// What to do with X-Forwarded-* headers.
    #[arg(long, value_enum, default_value = "accept")]
    process_forwarded: ProcessForwarded,
    /// The Trino version to claim.
    #[arg(long, default_value = "482")]
    claim_version: String,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lakegate-stand-in: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let front = runtime()?;
    match command {
        Command::Warehouse { dir, kind } => {
            let warehouse = front.block_on(warehouse::ensure(&dir, kind))?;
            println!("{}", warehouse.catalog_db.display());
            Ok(())
        }
        Command::Serve(arguments) => {
            // A runtime of their own, so that heavy queries do not keep polls waiting.
            let queries = runtime()?;
            let handle = queries.handle().clone();
            let served = front.block_on(async {
                tokio::select! {
                    served = serve::serve(options(arguments), handle) => served,
                    stopped = stop() => stopped,
                }
            });
            // Queries that run are not waited for.
            queries.shutdown_background();
            front.shutdown_background();
            served
        }
    }
}

fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(format!("cannot start: {error}")))
}

/// Waits until someone wants the program to end.
async fn stop() -> Result<()> {
    let failed = |error| Error::new(format!("cannot listen for signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

fn options(arguments: Serve) -> serve::Options {
    serve::Options {
        name: arguments.name,
        listen: arguments.listen,
        catalog_db: arguments.catalog_db,
        page_rows: arguments.page_rows as usize,
        hard_concurrency: arguments.hard_concurrency as usize,
        max_queued: arguments.max_queued as usize,
        min_run: Duration::from_millis(arguments.min_run_ms),
        client_timeout: Duration::from_millis(arguments.client_timeout_ms),
        memory: (arguments.memory_mb as usize) << 20,
        default_catalog: Some(arguments.default_catalog).filter(|name| !name.is_empty()),
        default_schema: arguments.default_schema,
        process_forwarded: arguments.process_forwarded,
        version: arguments.claim_version,
    }
}
