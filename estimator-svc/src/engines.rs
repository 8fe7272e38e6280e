//! What is known of the engines: one poller an engine, none waiting for another.
//!
//! An engine that does not answer, or answers something else than expected, is *unknown* at once; so is one whose
//! poller has not reported for five polls. Unknown is not zero: a rule that needs an idle engine does not take a silent
//! one for idle. Not here: an engine's own protocol (`trino`), and how long a queue takes to drain.

mod trino;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use lakegate_core::engine::{EngineKind, EngineState, EngineStates};
use lakegate_core::policy::{Engine, Policy};
use lakegate_core::protocol::Protocol;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::config::EngineConfig;
use crate::metrics::Metrics;
use crate::policy_store::PolicyStore;
use trino::TrinoPoller;

/// How often an engine is asked.
const POLL: Duration = Duration::from_secs(1);

/// A report older than this many polls counts as none.
const STALE_AFTER_POLLS: u32 = 5;

/// The engines' states.
#[derive(Clone)]
pub struct Engines {
    reports: Arc<RwLock<BTreeMap<String, Report>>>,
    addresses: Arc<BTreeMap<String, EngineConfig>>,
    metrics: Metrics,
    poll: Duration,
}

#[derive(Clone, Debug)]
struct Report {
    state: EngineState,
    at: Instant,
}

impl Engines {
    /// Nothing is known yet. `addresses` say where to ask in place of the policy's own addresses.
    #[must_use]
    pub fn new(addresses: BTreeMap<String, EngineConfig>, metrics: Metrics) -> Self {
        Self {
            reports: Arc::default(),
            addresses: Arc::new(addresses),
            metrics,
            poll: POLL,
        }
    }

    /// What is known now. An engine without a fresh report is there with nothing known.
    #[must_use]
    pub fn states(&self) -> EngineStates {
        let freshest = self.poll * STALE_AFTER_POLLS;
        self.reports
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|(name, report)| {
                let state = if report.at.elapsed() <= freshest {
                    report.state.clone()
                } else {
                    EngineState::default()
                };
                (name.clone(), state)
            })
            .collect()
    }

    /// Polls the policy's engines, and those of each policy that replaces it. Runs for ever.
    pub async fn keep_polling(self, policies: PolicyStore) {
        let mut changes = policies.changes();
        loop {
            let policy = policies.current();
            let mut pollers = JoinSet::new();
            for engine in policy.engines.values() {
                if let Some(address) = self.address(engine) {
                    pollers.spawn(self.clone().poll(engine.name.clone(), address));
                }
            }
            self.forget_others(&policy);
            if changes.changed().await.is_err() {
                // Nobody is left to change the policy; the pollers go on.
                while pollers.join_next().await.is_some() {}
                return;
            }
        }
    }

    /// Where an engine is asked: as configured, or where its Trino clients are sent.
    fn address(&self, engine: &Engine) -> Option<EngineConfig> {
        if let Some(address) = self.addresses.get(&engine.name) {
            return Some(address.clone());
        }
        let own = (engine.kind == EngineKind::Trino)
            .then_some(engine.endpoint.as_ref())
            .flatten();
        let url = engine
            .clusters
            .get(&Protocol::Trino)
            .and_then(|cluster| cluster.endpoint.as_ref())
            .or(own)?;
        Some(EngineConfig::at(url.trim_end_matches('/')))
    }

    async fn poll(self, name: String, address: EngineConfig) {
        let poller = match TrinoPoller::new(&address) {
            Ok(poller) => poller,
            Err(cause) => {
                tracing::warn!(engine = %name, cause, "engine cannot be polled");
                return;
            }
        };
        let mut failing = false;
        let mut ticks = tokio::time::interval(self.poll);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let state = match poller.ask().await {
                Ok(state) => {
                    failing = false;
                    self.metrics.engine_poll(&name, true);
                    state
                }
                Err(cause) => {
                    if !failing {
                        tracing::warn!(engine = %name, cause, "engine state is unknown");
                    }
                    failing = true;
                    self.metrics.engine_poll(&name, false);
                    EngineState {
                        healthy: Some(false),
                        ..EngineState::default()
                    }
                }
            };
            self.report(&name, state);
        }
    }

    fn report(&self, name: &str, state: EngineState) {
        let report = Report {
            state,
            at: Instant::now(),
        };
        self.reports
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned(), report);
    }

    fn forget_others(&self, policy: &Policy) {
        self.reports
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|name, _| policy.engines.contains_key(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_nobody_renews_becomes_unknown() {
        let engines = Engines::new(BTreeMap::new(), Metrics::default());
        let state = EngineState {
            running: Some(1),
            queued: Some(0),
            queue_wait_ms: Some(0),
            healthy: Some(true),
        };
        engines.report("a", state.clone());
        assert_eq!(engines.states().get("a"), Some(&state));
        let long_ago = Instant::now() - (POLL * STALE_AFTER_POLLS + Duration::from_millis(1));
        engines.reports.write().unwrap().get_mut("a").unwrap().at = long_ago;
        assert_eq!(engines.states().get("a"), Some(&EngineState::default()));
    }
}
