//! The policy: which engines there are, and the ordered rules that choose one.
//!
//! [`Policy`] is checked; the only way to it is [`Policy::from_node`] (or, with the `yaml` feature, `from_yaml`), which
//! reports every problem with its place in the file. Not here: evaluation
//! ([`crate::decision`]).

pub mod check;
pub mod condition;
pub mod few;
#[cfg(feature = "yaml")]
mod lint;
#[cfg(feature = "yaml")]
pub mod locate;
pub mod node;
pub mod problem;
#[cfg(feature = "yaml")]
pub mod schema;

use std::collections::BTreeMap;

use crate::engine::EngineKind;
use crate::protocol::Protocol;
use condition::{Condition, Signal};
use few::Few;
use node::Node;
use problem::Problem;

/// A checked policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Names this text of the policy; the same text, the same version.
    pub version: String,
    /// Engines by name.
    pub engines: BTreeMap<String, Engine>,
    /// Rules in order; the last one has no condition.
    pub rules: Vec<Rule>,
    /// Classes of senders, first match wins.
    pub principals: Vec<Principal>,
    /// What a condition on an unknown signal does, where the file says so.
    pub unknown: Few<Signal, OnUnknown>,
    /// What happens when the service does not answer.
    pub failure: Failure,
    /// Statements that scan fewer bytes are light: the smallest bound by which a rule tells scans apart.
    pub light_below: Option<u64>,
    /// The file's tree, deployment overlay included: what the filter and `GET /v1/policy` get.
    pub source: Node,
    /// What is odd but usable. Without the feature `yaml` nobody edits the file, and nobody looks for it.
    pub warnings: Vec<Problem>,
}

/// An engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// Its name in the policy.
    pub name: String,
    /// Its kind.
    pub kind: EngineKind,
    /// Where it is, as a URL; for pollers and for clusters that do not say otherwise.
    pub endpoint: Option<String>,
    /// The Envoy cluster to use for each client protocol.
    pub clusters: Few<Protocol, Cluster>,
    /// Above this wait it counts as saturated, in milliseconds.
    pub max_queue_wait_ms: Option<u64>,
    /// The largest statement it takes, in bytes; `None` is unlimited.
    pub max_bytes_per_query: Option<u64>,
    /// Whether materialised aggregates answer statements there.
    pub supports_reflections: bool,
}

/// An Envoy cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its name in Envoy.
    pub name: String,
    /// Its address as a URL, if it is not the engine's endpoint.
    pub endpoint: Option<String>,
}

/// Where a rule sends a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// To an engine, by name.
    Engine(String),
    /// Nowhere; the sender is told why.
    Reject,
}

/// What an unknown signal does to a condition or a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUnknown {
    /// It holds.
    Match,
    /// It does not hold.
    Skip,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, unique in the policy.
    pub name: String,
    /// When it applies.
    pub when: Condition,
    /// Where it sends.
    pub route: Route,
    /// Why, in words; the name if the file gives none.
    pub reason: String,
    /// Tell the sender.
    pub notify_client: bool,
    /// Engines to take, in order, if the route's engine has no cluster for the client's protocol.
    pub fallback: Vec<String>,
    /// Never fall back.
    pub strict: bool,
    /// What the rule does if its condition stays unknown; by signal if `None`.
    pub unknown: Option<OnUnknown>,
    /// True if the file does not have it: see [`check::BATCH_TAG_RULE`].
    pub implied: bool,
}

/// A class of senders.
#[derive(Clone, Debug, PartialEq)]
pub struct Principal {
    /// The class.
    pub class: String,
    /// Who belongs to it; only signals that need no analysis.
    pub when: Condition,
}

/// What happens when the service does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How long the filter waits for facts, in milliseconds; then what is not known is unknown.
    pub deadline_ms: u64,
}

/// One deployment's addresses, laid over a policy that does not have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Engine, client protocol and the URL of its Envoy cluster.
    pub clusters: Vec<(String, String, String)>,
}

impl Policy {
    /// Checks a policy. All problems at once, in file order.
    ///
    /// # Errors
    /// Everything that makes the policy unusable.
    pub fn from_node(mut node: Node, overlay: &Overlay) -> Result<Self, Vec<Problem>> {
        overlay.apply(&mut node);
        check::check(node)
    }

    /// Reads and checks a policy's JSON, as the filter and `GET /v1/policy` get it.
    ///
    /// # Errors
    /// Everything that makes the policy unusable.
    pub fn from_json(json: &[u8]) -> Result<Self, Vec<Problem>> {
        let node = serde_json::from_slice(json).map_err(|error| vec![Problem::of_file(error.to_string())])?;
        Self::from_node(node, &Overlay::default())
    }

    /// Reads and checks a policy file. Each problem comes as `FILE:LINE:COL: what is wrong and what would be right`.
    ///
    /// # Errors
    /// Everything that makes the policy unusable, a line each.
    #[cfg(feature = "yaml")]
    pub fn from_yaml(file: &str, text: &str, overlay: &Overlay) -> Result<Self, Vec<String>> {
        let node: Node = serde_yaml::from_str(text).map_err(|error| {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            vec![format!("{file}:{line}:{column}: {error}")]
        })?;
        Self::from_node(node, overlay).map_err(|problems| {
            let mut lines: Vec<((usize, usize), String)> = problems
                .iter()
                .map(|problem| {
                    let (line, column) = place(text, problem);
                    ((line, column), format!("{file}:{line}:{column}: {problem}"))
                })
                .collect();
            lines.sort_by_key(|(place, _)| *place);
            lines.into_iter().map(|(_, line)| line).collect()
        })
    }

    /// The policy as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.source).unwrap_or_default()
    }
}

/// A problem with its line and column in the file.
#[cfg(feature = "yaml")]
#[must_use]
pub fn located(file: &str, text: &str, problem: &Problem) -> String {
    let (line, column) = place(text, problem);
    format!("{file}:{line}:{column}: {problem}")
}

/// Line and column of a problem, or of the nearest thing above it that is in the text (an overlay or a missing key is
/// not).
#[cfg(feature = "yaml")]
fn place(text: &str, problem: &Problem) -> (usize, usize) {
    let mut path = problem.path.clone();
    let mut at = problem.at;
    loop {
        if let Some(place) = locate::locate(text, &path, at) {
            return place;
        }
        if path.0.pop().is_none() {
            return (1, 1);
        }
        at = problem::At::Value;
    }
}

impl Overlay {
    fn apply(&self, node: &mut Node) {
        for (engine, protocol, url) in &self.clusters {
            let clusters = node
                .map_mut("engines")
                .and_then(|engines| match engines.get(engine) {
                    Some(_) => engines.map_mut(engine),
                    None => None,
                })
                .and_then(|engine| engine.map_mut("clusters"));
            let Some(clusters) = clusters else {
                continue;
            };
            let name = match clusters.get(protocol) {
                Some(Node::Text(name)) => Node::Text(name.clone()),
                Some(Node::Map(_)) => clusters
                    .get(protocol)
                    .and_then(|cluster| cluster.get("name"))
                    .cloned()
                    .unwrap_or_else(|| Node::Text(engine.clone())),
                _ => Node::Text(engine.clone()),
            };
            let cluster = Node::Map(vec![
                ("name".into(), name),
                ("endpoint".into(), Node::Text(url.clone())),
            ]);
            clusters.set(protocol, cluster);
        }
    }
}
