//! Configuration, and the poll of the service.
//!
//! Envoy configures a plugin several times over (a trial VM, the main thread, each worker), so configuring only reads
//! and never calls out. Polling starts with the first tick. One worker a period is elected to ask; what it learns goes
//! to shared data, where every worker finds it at its own next tick. A policy that the service serves is taken only
//! under the version that the state names, and only if Envoy knows its clusters: a bad one leaves the last good one
//! where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use lakegate_core::plugin_config::{PluginConfig, Service};
use lakegate_core::policy::problem::Problem;
use lakegate_core::policy::{Overlay, Policy};
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{ContextType, LogLevel};

use crate::cache::MOST_ENTRIES;
use crate::callout::{self, Answer};
use crate::exchange::Exchange;
use crate::host;
use crate::metrics::{self, Counter};
use crate::shared::{SharedKeys, decode_state};
use crate::worker::{Worker, poll_ns};

/// Polling more often than this would cost more than it tells.
const SHORTEST_POLL_MS: u64 = 50;
/// Polling less often would leave the filter blind for minutes: a state lives for a few polls.
const LONGEST_POLL_MS: u64 = 60_000;

/// The least time that a poll's answer gets, however short the period.
const POLL_DEADLINE: Duration = Duration::from_millis(250);

/// The plugin in one VM.
#[derive(Default)]
pub(crate) struct Root {
    worker: Option<Rc<Worker>>,
    poller: Option<Poller>,
}

impl Root {
    fn configure(&mut self) -> Result<(), String> {
        let json = host::plugin_configuration().ok_or("it is empty")?;
        let config = PluginConfig::from_json(&json)?;
        check(&config)?;
        let policy = Policy::from_node(config.policy, &Overlay::default()).map_err(|problems| join(&problems))?;
        metrics::define(&policy);

        let now_ns = host::now_ns();
        let clusters = clusters(&policy);
        let entries = config.estimate_cache_entries;
        let worker = Rc::new(Worker::new(policy, config.service.clone(), entries, now_ns));
        self.poller = config
            .service
            .map(|service| Poller::new(service, Rc::clone(&worker), clusters));
        self.worker = Some(worker);
        if let Some(poller) = &mut self.poller {
            // A VM that was started anew finds here what the others know.
            poller.catch_up(now_ns);
            host::tick_every(Duration::from_millis(poller.service.poll_ms));
        }
        Ok(())
    }
}

impl Context for Root {
    fn on_http_call_response(&mut self, token: u32, headers: usize, body_bytes: usize, _trailers: usize) {
        if let Some(poller) = &mut self.poller {
            poller.on_answer(token, Answer { headers, body_bytes });
        }
    }
}

impl RootContext for Root {
    fn on_configure(&mut self, _bytes: usize) -> bool {
        let configured = self.configure();
        if let Err(cause) = &configured {
            host::log(LogLevel::Error, &format!("lakegate: configuration refused: {cause}"));
        }
        configured.is_ok()
    }

    fn on_tick(&mut self) {
        if let Some(poller) = &mut self.poller {
            poller.tick(host::now_ns());
        }
    }

    fn create_http_context(&self, _id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Exchange::new(self.worker.clone())))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}

fn check(config: &PluginConfig) -> Result<(), String> {
    let entries = config.estimate_cache_entries;
    if MOST_ENTRIES < entries {
        return Err(format!(
            "estimate_cache_entries: {entries} is too many; the most is {MOST_ENTRIES}"
        ));
    }
    match &config.service {
        Some(service) if !(SHORTEST_POLL_MS..=LONGEST_POLL_MS).contains(&service.poll_ms) => Err(format!(
            "service.poll_ms: expected {SHORTEST_POLL_MS} to {LONGEST_POLL_MS}, got {}",
            service.poll_ms
        )),
        _ => Ok(()),
    }
}

/// The Envoy clusters that a policy sends to.
fn clusters(policy: &Policy) -> BTreeSet<String> {
    let engines = policy.engines.values();
    engines
        .flat_map(|engine| engine.clusters.values().map(|cluster| cluster.name.clone()))
        .collect()
}

fn join(problems: &[Problem]) -> String {
    let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
    problems.join("; ")
}

/// What a call of the root asked for.
#[derive(Clone, Copy)]
enum Poll {
    State,
    Policy,
}

impl Poll {
    fn path(self) -> &'static str {
        match self {
            Self::State => "/v1/state",
            Self::Policy => "/v1/policy",
        }
    }
}

struct Poller {
    service: Service,
    worker: Rc<Worker>,
    keys: SharedKeys,
    /// The clusters of the policy in Envoy's own configuration: those that Envoy has routes for.
    clusters: BTreeSet<String>,
    /// Calls under way, by token. Each of them ends, so there are never many.
    calls: BTreeMap<u32, Poll>,
    /// The number of the stored state that was read last, and its JSON.
    state_number: Option<u32>,
    state_json: Vec<u8>,
    /// The number of the stored policy that was read last.
    policy_number: Option<u32>,
    /// The version that was refused last; asking for it again is no use.
    refused: Option<String>,
    had_state: bool,
}

impl Poller {
    fn new(service: Service, worker: Rc<Worker>, clusters: BTreeSet<String>) -> Self {
        Self {
            keys: SharedKeys::of(&service.cluster),
            service,
            worker,
            clusters,
            calls: BTreeMap::new(),
            state_number: None,
            state_json: Vec::new(),
            policy_number: None,
            refused: None,
            had_state: false,
        }
    }

    fn tick(&mut self, now_ns: u64) {
        self.catch_up(now_ns);
        let has_state = self.worker.has_state(now_ns);
        if self.had_state && !has_state {
            let cluster = &self.service.cluster;
            host::log(
                LogLevel::Warn,
                &format!("lakegate: no news from {cluster}: engine state counts as unknown, estimates are not reused"),
            );
        }
        self.had_state = has_state;
        if self.keys.claim_poll(now_ns, poll_ns(&self.service)) {
            self.ask(Poll::State);
            if self.wanted_policy(now_ns).is_some() {
                self.ask(Poll::Policy);
            }
        }
    }

    /// Reads what has come to shared data since the last time.
    fn catch_up(&mut self, now_ns: u64) {
        self.read_state();
        if let Some(version) = self.wanted_policy(now_ns) {
            self.read_policy(&version);
        }
    }

    fn read_state(&mut self) {
        let Some(stored) = self.keys.state() else {
            return;
        };
        if self.state_number == Some(stored.number) {
            return;
        }
        self.state_number = Some(stored.number);
        let Some((at_ns, json)) = decode_state(&stored.value) else {
            return;
        };
        if self.state_json == json {
            self.worker.confirm_state(at_ns);
            return;
        }
        if let Ok(state) = callout::state(json) {
            self.state_json = json.to_vec();
            self.worker.set_state(at_ns, state);
            metrics::count(Counter::StateChanged);
        }
    }

    /// The version of the policy that the service serves, if it is another one than ours and not one that was refused.
    fn wanted_policy(&self, now_ns: u64) -> Option<String> {
        let state = self.worker.state(now_ns);
        let version = &state.policy_version;
        let settled =
            version.is_empty() || *version == self.worker.policy().version || self.refused.as_ref() == Some(version);
        (!settled).then(|| version.clone())
    }

    fn read_policy(&mut self, version: &str) {
        let Some(stored) = self.keys.policy() else {
            return;
        };
        if self.policy_number == Some(stored.number) {
            return;
        }
        self.policy_number = Some(stored.number);
        let policy = match Policy::from_json(&stored.value) {
            Ok(policy) => policy,
            Err(problems) => return self.refuse(version, &join(&problems)),
        };
        if policy.version != version {
            // Left from before, or served by a replica that is behind; the right one will come.
            return;
        }
        let unknown = clusters(&policy);
        let unknown: Vec<&str> = unknown.difference(&self.clusters).map(String::as_str).collect();
        if !unknown.is_empty() {
            let known: Vec<&str> = self.clusters.iter().map(String::as_str).collect();
            let (unknown, known) = (unknown.join(", "), known.join(", "));
            return self.refuse(
                version,
                &format!("Envoy has no cluster {unknown} (clusters here: {known})"),
            );
        }
        metrics::define(&policy);
        self.worker.set_policy(policy);
        host::log(LogLevel::Info, &format!("lakegate: policy {version} is active"));
    }

    fn refuse(&mut self, version: &str, cause: &str) {
        self.refused = Some(version.to_owned());
        if self.keys.mark_refused(version) {
            metrics::count(Counter::PolicyRefused);
            let active = &self.worker.policy().version;
            host::log(
                LogLevel::Warn,
                &format!("lakegate: policy {version} refused, {active} stays: {cause}"),
            );
        }
    }

    fn ask(&mut self, poll: Poll) {
        match callout::get(&self.service, poll.path(), self.deadline()) {
            Ok(token) => {
                self.calls.insert(token, poll);
            }
            Err(cause) => no_answer(poll, &cause),
        }
    }

    fn on_answer(&mut self, token: u32, answer: Answer) {
        let Some(poll) = self.calls.remove(&token) else {
            return;
        };
        let body = match callout::body(answer, self.deadline()) {
            Ok(body) => body,
            Err(cause) => return no_answer(poll, &cause),
        };
        let now_ns = host::now_ns();
        match poll {
            Poll::State => match callout::state(&body) {
                Ok(_) => self.keys.store_state(now_ns, &body),
                Err(cause) => return no_answer(poll, &cause),
            },
            Poll::Policy => self.keys.store_policy(&body),
        }
        self.catch_up(now_ns);
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(self.service.poll_ms).max(POLL_DEADLINE)
    }
}

/// Once a second while the service is away, so it is counted and, at a level that is off, explained.
fn no_answer(poll: Poll, cause: &str) {
    metrics::count(Counter::PollFailed);
    host::log(LogLevel::Debug, &format!("lakegate: {}: {cause}", poll.path()));
}
