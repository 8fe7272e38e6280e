//! `lakegate serve`: runs the service until it is told to stop.

use std::path::Path;

use lakegate::config::Config;
use lakegate::service;
use tracing_subscriber::EnvFilter;

/// Serves by this configuration. Prints `listening on URL` once it does.
pub(crate) fn run(file: &Path) -> Result<(), String> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let config = Config::load(file).map_err(|error| error.to_string())?;
    super::runtime()?.block_on(async {
        service::serve(
            config,
            |address| {
                let _ = super::print(&format!("listening on http://{address}\n"));
            },
            told_to_stop(),
        )
        .await
        .map_err(|error| error.to_string())
    })
}

async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
