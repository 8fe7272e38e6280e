//! An engine that speaks Trino's client protocol.
//!
//! In reading order: [`session`] and [`sql`] say what a client wants, [`run`] carries it out with [`engine`],
//! [`query`] keeps its pages, [`results`] writes them as JSON, and [`api`] ties them to HTTP.
//!
//! HTTP and queries have a runtime each, so that a heavy query does not keep polls and health checks waiting.

mod api;
mod engine;
mod failure;
mod forwarded;
mod ids;
mod prepared;
mod query;
mod registry;
mod results;
mod run;
mod session;
mod show;
mod sql;
mod submissions;
mod text;
mod types;
mod values;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::error::{Context, Result};

pub use forwarded::ProcessForwarded;

/// How often abandoned and old queries are looked for.
const TIDY_EVERY: Duration = Duration::from_secs(1);

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine's name: its node id.
    pub name: String,
    /// Where to listen; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// The SQLite file with the catalog.
    pub catalog_db: PathBuf,
    /// Rows of a page at most.
    pub page_rows: usize,
    /// Queries that run at a time; the others wait.
    pub hard_concurrency: usize,
    /// Queries that may wait; more fail.
    pub max_queued: usize,
    /// Every query takes at least this long, so that tests can make queries wait.
    pub min_run: Duration,
    /// A query that its client does not ask for in this time is ended.
    pub client_timeout: Duration,
    /// Bytes that queries may use together for sorts, joins and aggregates.
    pub memory: usize,
    /// The catalog for clients that send none.
    pub default_catalog: Option<String>,
    /// The schema for clients that send no catalog.
    pub default_schema: Option<String>,
    /// What to do with `X-Forwarded-*` headers.
    pub process_forwarded: ProcessForwarded,
    /// The Trino version to claim.
    pub version: String,
}

/// Everything that a request may need.
struct Service {
    options: Options,
    address: SocketAddr,
    started: Instant,
    ids: ids::QueryIds,
    registry: Arc<registry::Registry>,
    submissions: submissions::Submissions,
    engine: engine::Engine,
    slots: Semaphore,
    queries: Handle,
}

/// Serves until the future is dropped. `queries` is the runtime that queries run on.
///
/// Says `listening on http://..` on standard output once it is ready.
pub async fn serve(options: Options, queries: Handle) -> Result<()> {
    let listener = TcpListener::bind(options.listen)
        .await
        .context(|| format!("cannot listen on {}", options.listen))?;
    let address = listener
        .local_addr()
        .context(|| "cannot tell the address listened on".to_owned())?;

    let ids = ids::QueryIds::new();
    let registry = Arc::new(registry::Registry::new(registry::Node {
        name: options.name.clone(),
        uri: format!("http://{address}"),
        version: options.version.clone(),
        coordinator_id: ids.coordinator().to_owned(),
    }));
    // Opened on the runtime of queries: Iceberg reads files on the runtime that a catalog was opened on.
    let (catalog_db, memory) = (options.catalog_db.clone(), options.memory);
    let for_engine = Arc::clone(&registry);
    let engine = queries
        .spawn(async move { engine::Engine::open(&catalog_db, memory, for_engine).await })
        .await
        .context(|| "opening the catalog broke off".to_owned())??;

    let service = Arc::new(Service {
        address,
        started: Instant::now(),
        ids,
        registry,
        submissions: submissions::Submissions::default(),
        engine,
        slots: Semaphore::new(options.hard_concurrency),
        queries,
        options,
    });
    let tidying = Arc::clone(&service);
    let tidy = async move {
        let mut every = tokio::time::interval(TIDY_EVERY);
        loop {
            every.tick().await;
            tidying.registry.tidy(tidying.options.client_timeout);
        }
    };

    // Whoever started us may have closed its end; that is no reason to stop.
    let mut out = std::io::stdout();
    let _told = writeln!(out, "listening on http://{address}").and_then(|()| out.flush());
    tokio::select! {
        served = async { axum::serve(listener, api::router(service)).await } => {
            served.context(|| "serving broke off".to_owned())
        }
        () = tidy => Ok(()),
    }
}

/// Locks a mutex. Nothing here leaves data half-changed when it panics, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
