//! The service put together: what it holds, what runs beside the requests, and how it starts and ends.
//!
//! Not here: the HTTP surface ([`crate::api`]).

use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::serve::ListenerExt;
use lakegate_core::protocol::Protocol;
use lakegate_core::sql::scan::TableName;
use lakegate_core::wire::{FactsRequest, StateResponse, VERSION};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::api;
use crate::catalog::Catalogs;
use crate::config::Config;
use crate::engines::Engines;
use crate::error::{Error, ErrorKind, Result};
use crate::estimate::{Answer, Estimator, Question};
use crate::explain::{Explanation, explain_answer};
use crate::metrics::{Gauges, Metrics};
use crate::planner::Planner;
use crate::policy_store::PolicyStore;
use crate::tables::{Defaults, Resolved, Tables};
use crate::unknown::Cause;

/// A person who asks for an explanation or an estimate waits longer than a statement may.
pub const PATIENT_DEADLINE: Duration = Duration::from_secs(30);

/// Pause between tries to load a table that is to be warm.
const WARM_PAUSE: Duration = Duration::from_secs(1);

/// How long open requests may take when the service ends.
const DRAIN: Duration = Duration::from_secs(5);

/// The service.
pub struct Service {
    config: Config,
    catalogs: Catalogs,
    tables: Tables,
    planner: Planner,
    estimator: Estimator,
    policies: PolicyStore,
    engines: Engines,
    metrics: Metrics,
    /// Tables that are to be warm and are not yet, with the cause.
    cold: Mutex<BTreeMap<String, String>>,
}

/// Something that is not ready.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NotReady {
    /// `catalog` or `table`.
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// Why.
    pub cause: String,
}

impl Service {
    /// Puts the service together. Nothing is contacted yet.
    ///
    /// # Errors
    /// The policy is wrong.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        let policies = PolicyStore::load(&config.policy, config.overlay.clone())?;
        Ok(Self::with_policies(config, policies))
    }

    /// The same with a policy that comes from elsewhere than the configuration's file.
    #[must_use]
    pub fn with_policies(config: Config, policies: PolicyStore) -> Arc<Self> {
        let metrics = Metrics::default();
        let catalogs = Catalogs::new(&config.catalogs);
        let tables = Tables::new(catalogs.clone(), config.table_refresh);
        let planner = Planner::new(config.manifest_cache_bytes);
        let estimator = Estimator::new(
            tables.clone(),
            planner.clone(),
            config.reflections.clone(),
            config.default_catalog.as_deref(),
            config.default_schema.as_deref(),
        );
        let cold = config
            .warm
            .iter()
            .map(|name| (name.clone(), "not loaded yet".into()))
            .collect();
        Arc::new(Self {
            engines: Engines::new(config.engines.clone(), metrics.clone()),
            catalogs,
            tables,
            planner,
            estimator,
            policies,
            metrics,
            cold: Mutex::new(cold),
            config,
        })
    }

    /// Everything that runs beside the requests; it ends when the set is dropped.
    #[must_use]
    pub fn background(self: &Arc<Self>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        tasks.spawn(self.catalogs.clone().keep_trying());
        tasks.spawn(self.tables.clone().keep_fresh(self.planner.clone()));
        tasks.spawn(self.engines.clone().keep_polling(self.policies.clone()));
        let metrics = self.metrics.clone();
        tasks.spawn(self.policies.clone().keep_looking(move || metrics.policy_refused()));
        for name in &self.config.warm {
            tasks.spawn(Arc::clone(self).warm(name.clone()));
        }
        tasks
    }

    /// The policies.
    #[must_use]
    pub fn policies(&self) -> &PolicyStore {
        &self.policies
    }

    /// The metrics.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The planner, for figures.
    #[must_use]
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// A question with all that bears on it.
    ///
    /// # Errors
    /// The request is of a newer version, or names no protocol that we know.
    pub fn question(&self, request: FactsRequest, deadline: Option<Duration>) -> Result<Question> {
        if request.v > VERSION {
            let message = format!("`v` is {}; the newest that is understood is {VERSION}", request.v);
            return Err(Error::new(ErrorKind::Request, message).with_field("v"));
        }
        let protocol = Protocol::parse(&request.protocol).ok_or_else(|| {
            let known = Protocol::ALL.map(|(name, _)| name).join(", ");
            let message = format!("`protocol` is `{}`; known are {known}", brief_name(&request.protocol));
            Error::new(ErrorKind::Request, message).with_field("protocol")
        })?;
        let policy = self.policies.current();
        Ok(Question {
            eager: !request.policy_version.is_empty() && request.policy_version != policy.version,
            request: Arc::new(request),
            protocol,
            engines: Arc::new(self.engines.states()),
            deadline: deadline.or(self.config.deadline).unwrap_or_else(|| {
                // A little less than the filter waits, so that it hears the cause instead of nothing.
                Duration::from_millis(policy.failure.deadline_ms) * 9 / 10
            }),
            policy,
        })
    }

    /// Finds out what the policy needs.
    pub async fn answer(&self, question: &Question) -> Answer {
        let answer = self.estimator.answer(question).await;
        if let Some(estimate) = &answer.estimate {
            let unknown = estimate.total().err();
            self.metrics
                .estimate(unknown.as_ref().map(|unknown| unknown.cause.label()));
            if let Some(unknown) = unknown {
                tracing::info!(%unknown, "estimate is unknown");
            }
        }
        answer
    }

    /// Decides on a statement without sending it anywhere.
    pub async fn explain(&self, question: &Question) -> Explanation {
        explain_answer(question, self.answer(question).await)
    }

    /// What changes by the second.
    #[must_use]
    pub fn state(&self) -> StateResponse {
        StateResponse {
            v: VERSION,
            policy_version: self.policies.current().version.clone(),
            engines: self.engines.states(),
            snapshots: self.tables.snapshots(),
        }
    }

    /// What is not ready.
    #[must_use]
    pub fn not_ready(&self) -> Vec<NotReady> {
        let named = |what: &'static str| move |(name, cause): (String, String)| NotReady { what, name, cause };
        let cold = self.cold().clone();
        self.catalogs
            .not_ready()
            .into_iter()
            .map(named("catalog"))
            .chain(cold.into_iter().map(named("table")))
            .collect()
    }

    /// Figures that are looked up when they are asked for.
    #[must_use]
    pub fn gauges(&self) -> Gauges {
        Gauges {
            tables: self.tables.figures(),
            plans_made: self.planner.plans_made(),
            policy_version: self.policies.current().version.clone(),
            catalogs_down: u64::try_from(self.catalogs.not_ready().len()).unwrap_or(u64::MAX),
        }
    }

    fn cold(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.cold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads and plans a table until it works. One that is not there is given up: nobody is helped by waiting.
    async fn warm(self: Arc<Self>, name: String) {
        loop {
            match self.warm_once(&name).await {
                Ok(()) => break,
                Err(cause @ (Cause::NoSuchTable | Cause::UnknownCatalog(_))) => {
                    tracing::warn!(table = %name, %cause, "table to be warm is not there");
                    break;
                }
                Err(cause) => {
                    self.cold().insert(name.clone(), cause.to_string());
                }
            }
            tokio::time::sleep(WARM_PAUSE).await;
        }
        self.cold().remove(&name);
    }

    async fn warm_once(&self, name: &str) -> std::result::Result<(), Cause> {
        let name = TableName {
            parts: name.split('.').map(str::to_owned).collect(),
        };
        match self.tables.resolve(&name, Defaults::default())? {
            Resolved::EngineMetadata => Ok(()),
            Resolved::Table(name) => self.planner.warm(&*self.tables.get(&name).await?).await,
        }
    }
}

/// The start of a name from outside, for messages.
fn brief_name(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Serves until `shutdown` ends; `bound` is told the address.
///
/// # Errors
/// The configuration or policy is wrong, or the address cannot be used.
pub async fn serve(
    config: Config,
    bound: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let listen = config.listen;
    let service = Service::new(config)?;
    let io_error = |what: &'static str| {
        move |error: std::io::Error| Error::new(ErrorKind::Io, format!("{what} {listen}")).with_source(error)
    };
    let listener = TcpListener::bind(listen).await.map_err(io_error("cannot listen on"))?;
    let address = listener.local_addr().map_err(io_error("no address of"))?;
    let _background = service.background();
    bound(address);
    tracing::info!(%address, policy = %service.policies.current().version, "serving");
    // Answers are small: without this each would wait for the acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
    });
    let (draining, drained) = tokio::sync::oneshot::channel();
    let server = axum::serve(listener, api::app(service)).with_graceful_shutdown(async move {
        shutdown.await;
        let _ = draining.send(());
    });
    // A connection that stays open must not keep the service from ending.
    let late = async {
        let _ = drained.await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = server.into_future() => ended.map_err(io_error("serving on")),
        () = late => Ok(()),
    }
}

#[cfg(test)]
mod tests;
