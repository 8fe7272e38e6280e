//! From the file's tree to a checked policy.
//!
//! Every key is looked at; one that is not known is refused with the nearest right one. All problems are reported at
//! once, each with its path. Not here: what the checked parts mean ([`super`]).

mod values;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use super::condition::{Condition, NAMED, Operator, QUEUE_WAIT_SUFFIX, SUFFIXES, Signal, SignalType, Test};
use super::few::Few;
#[cfg(feature = "yaml")]
use super::lint;
use super::node::Node;
use super::problem::{At, Path, Problem, nearest};
use super::{Cluster, Engine, Failure, OnUnknown, Policy, Principal, Route, Rule};
use crate::engine::EngineKind;
use crate::headers;
use crate::protocol::Protocol;
use crate::sql::scan::StatementKind;

/// The rule that a policy has without saying so.
///
/// An orchestrator that tags its statements `batch` has decided already: with an engine of that name, and no word of
/// the policy's own about that tag, such a statement goes there first of all and no estimate is spent on it. A rule
/// that tests the tag, or `implied_rules: false`, turns this off.
pub const BATCH_TAG_RULE: &str = "batch_tag";

/// The word for both the tag and the engine of [`BATCH_TAG_RULE`].
const BATCH: &str = "batch";

/// The deadline for facts if the policy has none, in milliseconds: far above a warm answer, far below what a person
/// notices.
const DEFAULT_DEADLINE_MS: u64 = 200;

/// How deep conditions may nest: evaluation recurses over them.
const MAX_CONDITION_DEPTH: usize = 16;

pub(super) const TOP_KEYS: [&str; 7] = [
    "engines",
    "rules",
    "principals",
    "unknown",
    "failure",
    "budgets",
    "implied_rules",
];
pub(super) const ENGINE_KEYS: [&str; 6] = [
    "kind",
    "endpoint",
    "clusters",
    "max_queue_wait_ms",
    "max_bytes_per_query",
    "supports_reflections",
];
pub(super) const RULE_KEYS: [&str; 8] = [
    "name",
    "when",
    "route",
    "reason",
    "notify_client",
    "fallback",
    "strict",
    "unknown",
];
pub(super) const BUDGET_KEYS: [&str; 4] = ["max_queries", "max_bytes", "max_wall_ms", "max_concurrent"];

impl Problem {
    /// A problem of the file as a whole.
    #[must_use]
    pub fn of_file(message: String) -> Self {
        Self {
            path: Path::default(),
            at: At::Value,
            message,
        }
    }
}

/// Checks the tree.
pub(super) fn check(node: Node) -> Result<Policy, Vec<Problem>> {
    let mut checker = Checker::default();
    let top = Path::default();
    checker.known_keys(&node, &top, &TOP_KEYS);
    let engines = checker.engines(&node, &top);
    let names: Vec<&str> = engines.keys().map(String::as_str).collect();
    let mut rules = checker.rules(&node, &top, &names);
    let principals = checker.principals(&node, &top, &names);
    let unknown = checker.unknown_section(&node, &top, &names);
    let failure = checker.failure(&node, &top);
    checker.budgets(&node, &top);
    let implied = checker.flag(node.get("implied_rules"), &top.key("implied_rules"), true);
    if implied && engines.contains_key(BATCH) && !rules.iter().any(|rule| tests_tag(&rule.when, BATCH)) {
        rules.insert(0, batch_tag_rule());
    }
    checker.warn_of_missing_clusters(&engines, &rules);
    if !checker.errors.is_empty() {
        return Err(checker.errors);
    }
    #[cfg(feature = "yaml")]
    {
        let implied = rules.iter().filter(|rule| rule.implied).count();
        let found = lint::lint(&engines, &rules, |index| index.checked_sub(implied));
        checker.warnings.extend(found);
    }
    Ok(Policy {
        version: version_of(&node),
        light_below: smallest_scan_bound(&rules),
        engines,
        rules,
        principals,
        unknown,
        failure,
        source: node,
        warnings: checker.warnings,
    })
}

fn smallest_scan_bound(rules: &[Rule]) -> Option<u64> {
    rules.iter().filter_map(|rule| smallest_in(&rule.when)).min()
}

/// Recursion is bounded: conditions that nest deeply have been refused.
fn smallest_in(condition: &Condition) -> Option<u64> {
    match condition {
        Condition::Leaf(Signal::EstimatedBytes, Test::Number(Operator::Eq | Operator::NotEq, _)) => None,
        Condition::Leaf(Signal::EstimatedBytes, Test::Number(_, bound)) => u64::try_from(*bound).ok(),
        Condition::Leaf(..) => None,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().filter_map(smallest_in).min(),
        Condition::Not(part) => smallest_in(part),
    }
}

fn batch_tag_rule() -> Rule {
    Rule {
        name: BATCH_TAG_RULE.into(),
        when: Condition::Leaf(Signal::ClientTag, Test::OneOf(vec![BATCH.into()])),
        route: Route::Engine(BATCH.into()),
        reason: "batch tag".into(),
        notify_client: false,
        fallback: Vec::new(),
        strict: false,
        unknown: None,
        implied: true,
    }
}

fn tests_tag(condition: &Condition, tag: &str) -> bool {
    match condition {
        Condition::Leaf(Signal::ClientTag, Test::OneOf(words) | Test::NoneOf(words)) => {
            words.iter().any(|word| word == tag)
        }
        Condition::Leaf(..) => false,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| tests_tag(part, tag)),
        Condition::Not(part) => tests_tag(part, tag),
    }
}

/// 64 bits of the tree's JSON: the same on every machine, since the hasher's keys are fixed.
fn version_of(node: &Node) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(serde_json::to_string(node).unwrap_or_default().as_bytes());
    format!("{:016x}", hasher.finish())
}

#[derive(Default)]
struct Checker {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Checker {
    fn engines(&mut self, node: &Node, top: &Path) -> BTreeMap<String, Engine> {
        let path = top.key("engines");
        let Some(section) = node.get("engines") else {
            self.error(top, At::Value, "`engines` is missing: name at least one engine");
            return BTreeMap::new();
        };
        let mut engines = BTreeMap::new();
        for (name, engine) in self.entries(section, &path) {
            let path = path.key(name);
            if !is_name(name) {
                self.error(
                    &path,
                    At::Key,
                    format!("`{name}` is no engine name: use letters, digits, `_`, `-` and `.`"),
                );
            }
            if name == "reject" {
                self.error(
                    &path,
                    At::Key,
                    "`reject` is the word for refusing a statement; name the engine otherwise",
                );
            }
            engines.insert(name.clone(), self.engine(name, engine, &path));
        }
        if engines.is_empty() && self.errors.is_empty() {
            self.error(&path, At::Value, "no engine is named: at least one is needed");
        }
        engines
    }

    fn engine(&mut self, name: &str, node: &Node, path: &Path) -> Engine {
        self.known_keys(node, path, &ENGINE_KEYS);
        let kind = match self.text(node.get("kind"), &path.key("kind")) {
            Some(word) => EngineKind::parse(&word).unwrap_or_else(|| {
                let known = EngineKind::ALL.map(|(name, _)| name);
                self.unknown_word(&path.key("kind"), At::Value, "engine kind", &word, &known);
                EngineKind::Trino
            }),
            None => {
                if node.get("kind").is_none() && matches!(node, Node::Map(_)) {
                    self.error(path, At::Value, "`kind` is missing: trino, dremio, spark or presto");
                }
                EngineKind::Trino
            }
        };
        Engine {
            name: name.to_owned(),
            kind,
            endpoint: self.text(node.get("endpoint"), &path.key("endpoint")),
            clusters: self.clusters(name, kind, node.get("clusters"), &path.key("clusters")),
            max_queue_wait_ms: self.limit(
                node.get("max_queue_wait_ms"),
                &path.key("max_queue_wait_ms"),
                SignalType::Millis,
            ),
            max_bytes_per_query: self.limit(
                node.get("max_bytes_per_query"),
                &path.key("max_bytes_per_query"),
                SignalType::Bytes,
            ),
            supports_reflections: self.flag(
                node.get("supports_reflections"),
                &path.key("supports_reflections"),
                false,
            ),
        }
    }

    fn clusters(&mut self, engine: &str, kind: EngineKind, node: Option<&Node>, path: &Path) -> Few<Protocol, Cluster> {
        let mut clusters = Few::new();
        let Some(node) = node else {
            // An engine speaks its own protocol, in a cluster of its own name.
            if let Some(protocol) = Protocol::spoken_by(kind) {
                let name = engine.to_owned();
                clusters.insert(protocol, Cluster { name, endpoint: None });
            }
            return clusters;
        };
        for (word, cluster) in self.entries(node, path) {
            let path = path.key(word);
            let Some(protocol) = Protocol::parse(word) else {
                let known = Protocol::ALL.map(|(name, _)| name);
                self.unknown_word(&path, At::Key, "client protocol", word, &known);
                continue;
            };
            let (name, endpoint) = match cluster {
                Node::Map(_) => {
                    self.known_keys(cluster, &path, &["name", "endpoint"]);
                    (
                        self.text(cluster.get("name"), &path.key("name")),
                        self.text(cluster.get("endpoint"), &path.key("endpoint")),
                    )
                }
                other => (self.text(Some(other), &path), None),
            };
            let name = name.unwrap_or_else(|| engine.to_owned());
            if !is_name(&name) {
                self.error(
                    &path,
                    At::Value,
                    format!("`{name}` is no cluster name: use letters, digits, `_`, `-` and `.`"),
                );
            }
            clusters.insert(protocol, Cluster { name, endpoint });
        }
        clusters
    }

    fn rules(&mut self, node: &Node, top: &Path, engines: &[&str]) -> Vec<Rule> {
        let path = top.key("rules");
        let Some(section) = node.get("rules") else {
            self.error(top, At::Value, "`rules` is missing: name at least one rule");
            return Vec::new();
        };
        let mut rules: Vec<Rule> = Vec::new();
        let list = self.list(section, &path);
        for (index, node) in list.iter().enumerate() {
            let path = path.index(index);
            let rule = self.rule(node, &path, engines);
            if rules.iter().any(|earlier| earlier.name == rule.name) {
                self.error(
                    &path.key("name"),
                    At::Value,
                    format!("two rules are named `{}`; rename one", rule.name),
                );
            }
            if rules.iter().any(|earlier| earlier.when.is_always()) {
                self.warn(
                    &path,
                    At::Value,
                    format!("rule `{}` is never reached: a rule above it has no `when`", rule.name),
                );
            }
            rules.push(rule);
        }
        if !rules.iter().any(|rule| rule.when.is_always()) && self.errors.is_empty() {
            self.error(
                &path,
                At::Value,
                "no rule is left for statements that no `when` fits: end with `{ name: default, route: <engine> }`",
            );
        }
        rules
    }

    fn rule(&mut self, node: &Node, path: &Path, engines: &[&str]) -> Rule {
        self.known_keys(node, path, &RULE_KEYS);
        let name = self.text(node.get("name"), &path.key("name")).unwrap_or_else(|| {
            if node.get("name").is_none() && matches!(node, Node::Map(_)) {
                self.error(path, At::Value, "`name` is missing: every rule has a name of its own");
            }
            String::new()
        });
        let route = match self.text(node.get("route"), &path.key("route")) {
            Some(word) if word == "reject" => Route::Reject,
            Some(word) => {
                self.engine_name(&word, &path.key("route"), engines, true);
                Route::Engine(word)
            }
            None => {
                if node.get("route").is_none() && matches!(node, Node::Map(_)) {
                    self.error(
                        path,
                        At::Value,
                        format!("`route` is missing: {} or reject", engines.join(", ")),
                    );
                }
                Route::Reject
            }
        };
        let fallback = self.words(node.get("fallback"), &path.key("fallback"));
        for (index, word) in fallback.iter().enumerate() {
            let path = match node.get("fallback") {
                Some(Node::List(_)) => path.key("fallback").index(index),
                _ => path.key("fallback"),
            };
            self.engine_name(word, &path, engines, false);
        }
        let when = match node.get("when") {
            None => Condition::All(Vec::new()),
            Some(when) => self.condition(when, &path.key("when"), engines, 0),
        };
        Rule {
            reason: self
                .text(node.get("reason"), &path.key("reason"))
                .unwrap_or_else(|| name.clone()),
            name,
            when,
            route,
            notify_client: self.flag(node.get("notify_client"), &path.key("notify_client"), false),
            fallback,
            strict: self.flag(node.get("strict"), &path.key("strict"), false),
            unknown: self.on_unknown(node.get("unknown"), &path.key("unknown")),
            implied: false,
        }
    }

    fn engine_name(&mut self, word: &str, path: &Path, engines: &[&str], reject_too: bool) {
        if engines.contains(&word) {
            return;
        }
        let mut known = engines.to_vec();
        if reject_too {
            known.push("reject");
        }
        let hint = nearest(word, known.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        self.error(
            path,
            At::Value,
            format!("unknown engine `{word}`; {hint}(engines here: {})", known.join(", ")),
        );
    }

    fn condition(&mut self, node: &Node, path: &Path, engines: &[&str], depth: usize) -> Condition {
        if depth > MAX_CONDITION_DEPTH {
            self.error(
                path,
                At::Value,
                format!("conditions nest deeper than {MAX_CONDITION_DEPTH} levels"),
            );
            return Condition::All(Vec::new());
        }
        let mut parts = Vec::new();
        for (key, value) in self.entries(node, path) {
            let path = path.key(key);
            match key.as_str() {
                "any_of" => parts.push(Condition::Any(self.conditions(value, &path, engines, depth + 1))),
                "all_of" => parts.push(Condition::All(self.conditions(value, &path, engines, depth + 1))),
                "not" => parts.push(Condition::Not(Box::new(self.condition(
                    value,
                    &path,
                    engines,
                    depth + 1,
                )))),
                _ => parts.extend(self.leaf(key, value, &path, engines)),
            }
        }
        if parts.len() == 1 {
            return parts.swap_remove(0);
        }
        Condition::All(parts)
    }

    fn conditions(&mut self, node: &Node, path: &Path, engines: &[&str], depth: usize) -> Vec<Condition> {
        let list = self.list(node, path);
        list.iter()
            .enumerate()
            .map(|(index, node)| self.condition(node, &path.index(index), engines, depth))
            .collect()
    }

    fn leaf(&mut self, key: &str, value: &Node, path: &Path, engines: &[&str]) -> Option<Condition> {
        let Some((signal, operator)) = parse_key(key, engines) else {
            self.unknown_signal(key, path, engines);
            return None;
        };
        let test = match (signal.signal_type(), operator) {
            (SignalType::Flag, Some(Operator::Eq) | None) => match value {
                Node::Bool(value) => Test::Is(*value),
                other => {
                    self.error(
                        path,
                        At::Value,
                        format!("expected true or false, got {}", other.describe()),
                    );
                    return None;
                }
            },
            (SignalType::Text, Some(Operator::Eq) | None) => Test::OneOf(self.signal_words(&signal, value, path)),
            (SignalType::Text, Some(Operator::NotEq)) => Test::NoneOf(self.signal_words(&signal, value, path)),
            (SignalType::Flag | SignalType::Text, Some(_)) => {
                let name = signal.name();
                self.error(
                    path,
                    At::Key,
                    format!(
                        "`{name}` has no order; write `{name}: {}`",
                        if signal.signal_type() == SignalType::Flag {
                            "true"
                        } else {
                            "word"
                        }
                    ),
                );
                return None;
            }
            (signal_type, operator) => match (value, operator) {
                (Node::List(values), None | Some(Operator::Eq)) => Test::NumberIn(
                    values
                        .iter()
                        .enumerate()
                        .filter_map(|(index, value)| self.number(value, &path.index(index), signal_type))
                        .collect(),
                ),
                (value, operator) => {
                    Test::Number(operator.unwrap_or(Operator::Eq), self.number(value, path, signal_type)?)
                }
            },
        };
        Some(Condition::Leaf(signal, test))
    }

    fn signal_words(&mut self, signal: &Signal, value: &Node, path: &Path) -> Vec<String> {
        let words = self.words(Some(value), path);
        if *signal == Signal::StatementKind {
            let kinds = StatementKind::ALL.map(StatementKind::as_str);
            for (index, word) in words.iter().enumerate() {
                if !kinds.contains(&word.as_str()) {
                    let path = match value {
                        Node::List(_) => path.index(index),
                        _ => path.clone(),
                    };
                    self.unknown_word(&path, At::Value, "statement kind", word, &kinds);
                }
            }
        }
        words
    }

    fn unknown_signal(&mut self, key: &str, path: &Path, engines: &[&str]) {
        let mut known: Vec<String> = Vec::new();
        let queue_waits = engines.iter().map(|engine| format!("{engine}{QUEUE_WAIT_SUFFIX}"));
        let names: Vec<(String, SignalType)> = NAMED
            .iter()
            .map(|(name, _, signal_type)| ((*name).to_owned(), *signal_type))
            .chain(queue_waits.map(|name| (name, SignalType::Millis)))
            .collect();
        for (name, signal_type) in &names {
            if matches!(signal_type, SignalType::Text | SignalType::Flag) {
                known.push(name.clone());
            } else {
                known.extend(SUFFIXES.iter().map(|(suffix, _)| format!("{name}{suffix}")));
            }
        }
        known.extend(["any_of", "all_of", "not"].map(str::to_owned));
        let hint = match nearest(key, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                format!(
                    "signals: {}; numbers take _lt, _lte, _gt, _gte, _eq, _ne, _in",
                    names.join(", ")
                )
            }
        };
        self.error(path, At::Key, format!("unknown signal `{key}`; {hint}"));
    }

    fn unknown_section(&mut self, node: &Node, top: &Path, engines: &[&str]) -> Few<Signal, OnUnknown> {
        let path = top.key("unknown");
        let mut unknown = Few::new();
        let Some(section) = node.get("unknown") else {
            return unknown;
        };
        for (key, value) in self.entries(section, &path) {
            let path = path.key(key);
            match parse_signal(key, engines) {
                Some(signal) => {
                    if let Some(word) = self.on_unknown(Some(value), &path) {
                        unknown.insert(signal, word);
                    }
                }
                None => self.unknown_signal(key, &path, engines),
            }
        }
        unknown
    }

    fn principals(&mut self, node: &Node, top: &Path, engines: &[&str]) -> Vec<Principal> {
        let path = top.key("principals");
        let Some(section) = node.get("principals") else {
            // Without a section of its own, a policy knows senders by their tag.
            return ["agent", "batch", "interactive"]
                .map(|class| Principal {
                    class: class.into(),
                    when: Condition::Leaf(Signal::ClientTag, Test::OneOf(vec![class.into()])),
                })
                .into();
        };
        let list = self.list(section, &path);
        let mut principals = Vec::new();
        for (index, node) in list.iter().enumerate() {
            let path = path.index(index);
            self.known_keys(node, &path, &["class", "when"]);
            let when = match node.get("when") {
                None => Condition::All(Vec::new()),
                Some(when) => self.condition(when, &path.key("when"), engines, 0),
            };
            if !is_local(&when) {
                self.error(
                    &path.key("when"),
                    At::Value,
                    "a principal is recognised by client_tag, source and user only",
                );
            }
            match self.text(node.get("class"), &path.key("class")) {
                Some(class) => principals.push(Principal { class, when }),
                None => self.error(&path, At::Value, "`class` is missing: a word of your own, like `agent`"),
            }
        }
        principals
    }

    fn failure(&mut self, node: &Node, top: &Path) -> Failure {
        let path = top.key("failure");
        let mut failure = Failure {
            deadline_ms: DEFAULT_DEADLINE_MS,
        };
        let Some(section) = node.get("failure") else {
            return failure;
        };
        self.known_keys(section, &path, &["deadline_ms"]);
        if let Some(value) = section.get("deadline_ms") {
            let path = path.key("deadline_ms");
            match self.number(value, &path, SignalType::Millis) {
                // Envoy takes a timeout of 0 for "none".
                Some(value) if (1..=60_000).contains(&value) => failure.deadline_ms = value.unsigned_abs(),
                Some(_) => self.error(&path, At::Value, "expected 1 to 60000 milliseconds"),
                None => {}
            }
        }
        failure
    }

    fn budgets(&mut self, node: &Node, top: &Path) {
        let path = top.key("budgets");
        let Some(section) = node.get("budgets") else {
            return;
        };
        for (name, budget) in self.entries(section, &path) {
            let path = path.key(name);
            self.known_keys(budget, &path, &BUDGET_KEYS);
            for (key, value) in self.entries(budget, &path) {
                let signal_type = match key.as_str() {
                    "max_bytes" => SignalType::Bytes,
                    "max_wall_ms" => SignalType::Millis,
                    _ => SignalType::Count,
                };
                self.limit(Some(value), &path.key(key), signal_type);
            }
        }
        self.warn(&path, At::Key, "budgets are read but not enforced by this version");
    }

    fn warn_of_missing_clusters(&mut self, engines: &BTreeMap<String, Engine>, rules: &[Rule]) {
        let in_use: Vec<Protocol> = Protocol::ALL
            .iter()
            .map(|(_, protocol)| *protocol)
            .filter(|protocol| engines.values().any(|engine| engine.clusters.contains_key(protocol)))
            .collect();
        for (name, engine) in engines {
            let routed_to = rules.iter().any(|rule| rule.route == Route::Engine(name.clone()));
            let missing: Vec<&str> = in_use
                .iter()
                .filter(|protocol| !engine.clusters.contains_key(protocol))
                .map(|protocol| protocol.as_str())
                .collect();
            let path = Path::default().key("engines").key(name);
            if routed_to && engine.clusters.is_empty() {
                self.warn(
                    &path,
                    At::Key,
                    format!("engine `{name}` has no cluster for any client protocol; rules that route to it take their fallback"),
                );
            } else if routed_to && !missing.is_empty() {
                self.warn(
                    &path,
                    At::Key,
                    format!(
                        "engine `{name}` has no cluster for {} clients; rules that route them to it take their fallback",
                        missing.join(" and ")
                    ),
                );
            }
        }
    }
}

/// True if the condition can be decided from what the request says about its sender.
fn is_local(condition: &Condition) -> bool {
    match condition {
        Condition::Leaf(signal, _) => matches!(signal, Signal::ClientTag | Signal::Source | Signal::User),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().all(is_local),
        Condition::Not(part) => is_local(part),
    }
}

/// Names go into paths, headers and metrics: nothing that would need quoting there.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= headers::MAX_VALUE_BYTES / 4
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !name.starts_with('.')
}

fn parse_signal(name: &str, engines: &[&str]) -> Option<Signal> {
    if let Some((_, signal, _)) = NAMED.iter().find(|(known, ..)| *known == name) {
        return Some(signal.clone());
    }
    let engine = name.strip_suffix(QUEUE_WAIT_SUFFIX)?;
    engines
        .contains(&engine)
        .then(|| Signal::QueueWaitMs(engine.to_owned()))
}

/// A key of `when`: a signal's name, with or without a suffix. The whole name first: `_lt` may end a signal's name.
fn parse_key(key: &str, engines: &[&str]) -> Option<(Signal, Option<Operator>)> {
    if let Some(signal) = parse_signal(key, engines) {
        return Some((signal, None));
    }
    if let Some(signal) = key.strip_suffix("_in").and_then(|name| parse_signal(name, engines)) {
        return Some((signal, None));
    }
    SUFFIXES.iter().find_map(|(suffix, operator)| {
        let signal = parse_signal(key.strip_suffix(suffix)?, engines)?;
        Some((signal, Some(*operator)))
    })
}
