//! The decision: policy, signals and engine state in, verdict out.
//!
//! [`decide`] walks the rules in file order and takes the first that matches. Conditions are three-valued, and a
//! fourth state, *not asked yet*, makes the walk lazy: a rule whose outcome hangs on such a signal stops it with
//! [`Outcome::Needs`], and the caller asks and comes back. A rule that is decided without the signal never asks for it.
//!
//! Filter, service and command line all call this one function. Not here: how signals are found out.

use std::fmt;

use crate::assessment::{Confidence, Label, Transport};
use crate::bytes::ByteSize;
use crate::engine::EngineStates;
use crate::policy::condition::{Condition, Operator, Signal, Test};
use crate::policy::{OnUnknown, Policy, Route, Rule};
use crate::protocol::Protocol;
use crate::signals::{Fact, Signals};

/// What [`decide`] answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A verdict.
    Decided(Verdict),
    /// The rule under evaluation hangs on these signals; none of them has been asked for.
    Needs(Vec<Signal>),
}

/// Where a statement goes and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The rule that decided, by name.
    pub rule: String,
    /// What kind of reason it is: metrics count it, the log keeps it.
    pub reason: Reason,
    /// The reason in words for people: one line, no statement text.
    pub reason_text: String,
    /// Where to.
    pub target: Target,
    /// What the sender is to be told, if the rule says so.
    pub notice: Option<String>,
    /// How heavy the statement is.
    pub label: Label,
    /// Whether anything unknown had a part in it.
    pub confidence: Confidence,
    /// How the result is best fetched.
    pub transport: Transport,
}

/// Where a statement goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this engine, through this Envoy cluster.
    Engine {
        /// The engine's name in the policy.
        engine: String,
        /// The Envoy cluster.
        cluster: String,
    },
    /// Nowhere.
    Reject,
}

impl Target {
    /// The engine's name, or `none`.
    #[must_use]
    pub fn engine(&self) -> &str {
        match self {
            Self::Engine { engine, .. } => engine,
            Self::Reject => "none",
        }
    }
}

/// The kinds of reasons. Headers, metrics and log all print from this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The rule's condition held.
    Rule,
    /// The rule's condition held because an unknown signal counts that way.
    RuleOnUnknown,
    /// The rule's engine has no cluster for the client's protocol; its fallback has.
    Fallback,
    /// The rule says reject.
    Rejected,
    /// Neither the rule's engine nor a fallback speaks the client's protocol.
    NoCluster,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 5] = [
        Self::Rule,
        Self::RuleOnUnknown,
        Self::Fallback,
        Self::Rejected,
        Self::NoCluster,
    ];

    /// One word, for metric names and logs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::RuleOnUnknown => "rule_on_unknown",
            Self::Fallback => "fallback",
            Self::Rejected => "rejected",
            Self::NoCluster => "no_cluster",
        }
    }
}

/// How one rule came out, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleTrace {
    /// The rule's name.
    pub rule: String,
    /// How it came out.
    pub outcome: RuleOutcome,
    /// Each signal it names, with the test and the value found.
    pub conditions: Vec<ConditionTrace>,
}

/// How a rule came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    /// It matched and decided.
    Matched,
    /// Its condition does not hold.
    NotMatched,
    /// Its condition is unknown, and unknown counts as holding here.
    MatchedOnUnknown,
    /// Its condition is unknown, and unknown counts as not holding here.
    SkippedOnUnknown,
    /// It hangs on something that was not asked for.
    Undecided,
    /// An earlier rule decided.
    NotReached,
}

impl RuleOutcome {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::NotMatched => "not matched",
            Self::MatchedOnUnknown => "matched on unknown",
            Self::SkippedOnUnknown => "skipped on unknown",
            Self::Undecided => "undecided",
            Self::NotReached => "not reached",
        }
    }
}

/// One condition of a rule with what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionTrace {
    /// `estimated_bytes < 50 GB`
    pub test: String,
    /// `11.4 TB`, `unknown`, `not asked`
    pub value: String,
    /// `true`, `false`, `unknown`, `not asked`
    pub outcome: &'static str,
}

/// Walks the rules; see the module's documentation.
#[must_use]
pub fn decide(policy: &Policy, protocol: Protocol, signals: &Signals, engines: &EngineStates) -> Outcome {
    let context = Context {
        policy,
        signals,
        engines,
    };
    let mut confidence = Confidence::High;
    for rule in &policy.rules {
        match context.outcome(rule) {
            RuleOutcome::Matched => return Outcome::Decided(context.verdict(rule, protocol, false, confidence)),
            RuleOutcome::MatchedOnUnknown => {
                return Outcome::Decided(context.verdict(rule, protocol, true, Confidence::Low));
            }
            RuleOutcome::Undecided => return Outcome::Needs(context.unasked_signals(&rule.when)),
            RuleOutcome::SkippedOnUnknown => confidence = Confidence::Low,
            RuleOutcome::NotMatched | RuleOutcome::NotReached => {}
        }
    }
    Outcome::Decided(no_rule())
}

/// The same once the asking is over: what is not known by now is unknown, for that cause.
#[must_use]
pub fn decide_closed(
    policy: &Policy,
    protocol: Protocol,
    signals: &mut Signals,
    engines: &EngineStates,
    cause: &str,
) -> Verdict {
    signals.facts.close(cause);
    match decide(policy, protocol, signals, engines) {
        Outcome::Decided(verdict) => verdict,
        // Nothing is left to ask for.
        Outcome::Needs(_) => no_rule(),
    }
}

/// A checked policy has a rule that always matches, so this is for none.
fn no_rule() -> Verdict {
    Verdict {
        rule: "none".into(),
        reason: Reason::NoCluster,
        reason_text: "no rule of the policy fits this statement".into(),
        target: Target::Reject,
        notice: None,
        label: Label::Unknown,
        confidence: Confidence::Low,
        transport: Transport::Unknown,
    }
}

/// Every rule with its outcome and the values it looked at, in file order.
#[must_use]
pub fn trace(policy: &Policy, signals: &Signals, engines: &EngineStates) -> Vec<RuleTrace> {
    let context = Context {
        policy,
        signals,
        engines,
    };
    let mut decided = false;
    policy
        .rules
        .iter()
        .map(|rule| {
            let outcome = if decided {
                RuleOutcome::NotReached
            } else {
                context.outcome(rule)
            };
            decided |= !matches!(outcome, RuleOutcome::NotMatched | RuleOutcome::SkippedOnUnknown);
            let mut conditions = Vec::new();
            context.trace_condition(&rule.when, &mut conditions);
            RuleTrace {
                rule: rule.name.clone(),
                outcome,
                conditions,
            }
        })
        .collect()
}

/// The class that the policy puts this sender in, if any.
#[must_use]
pub fn principal_class<'a>(policy: &'a Policy, signals: &Signals) -> Option<&'a str> {
    let engines = EngineStates::new();
    let context = Context {
        policy,
        signals,
        engines: &engines,
    };
    policy
        .principals
        .iter()
        .find(|principal| context.evaluate(&principal.when) == Truth::True)
        .map(|principal| principal.class.as_str())
}

/// Three-valued logic with a fourth state on top: whatever hangs on an unasked signal is itself not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    True,
    False,
    Unknown,
    Unasked,
}

impl Truth {
    fn of(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Unasked => "not asked",
        }
    }

    /// False wins, then unasked, then unknown.
    fn all(parts: impl Iterator<Item = Truth>) -> Self {
        let mut result = Self::True;
        for part in parts {
            result = match (result, part) {
                (_, Self::False) => return Self::False,
                (Self::Unasked, _) | (_, Self::Unasked) => Self::Unasked,
                (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
                _ => Self::True,
            };
        }
        result
    }

    fn any(parts: impl Iterator<Item = Truth>) -> Self {
        Self::all(parts.map(Self::not)).not()
    }
}

/// A signal's value.
enum Value<'a> {
    Words(Vec<&'a str>),
    Number(i64),
    Flag(bool),
    Unknown,
    Unasked,
}

impl<'a> Value<'a> {
    fn number(fact: &Fact<u64>) -> Self {
        match fact {
            // Sizes above i64 do not exist; saturating keeps them large.
            Fact::Known(value) => Self::Number(i64::try_from(*value).unwrap_or(i64::MAX)),
            Fact::Unknown(_) => Self::Unknown,
            Fact::Unasked => Self::Unasked,
        }
    }

    fn flag(fact: &Fact<bool>) -> Self {
        match fact {
            Fact::Known(value) => Self::Flag(*value),
            Fact::Unknown(_) => Self::Unknown,
            Fact::Unasked => Self::Unasked,
        }
    }

    fn word(word: Option<&'a str>) -> Self {
        Self::Words(word.into_iter().collect())
    }
}

struct Context<'a> {
    policy: &'a Policy,
    signals: &'a Signals,
    engines: &'a EngineStates,
}

impl Context<'_> {
    fn outcome(&self, rule: &Rule) -> RuleOutcome {
        match self.evaluate(&rule.when) {
            Truth::True => RuleOutcome::Matched,
            Truth::False => RuleOutcome::NotMatched,
            Truth::Unasked => RuleOutcome::Undecided,
            Truth::Unknown => {
                let holds = match rule.unknown {
                    Some(on_unknown) => on_unknown == OnUnknown::Match,
                    None => self.evaluate_biased(&rule.when) == Truth::True,
                };
                if holds {
                    RuleOutcome::MatchedOnUnknown
                } else {
                    RuleOutcome::SkippedOnUnknown
                }
            }
        }
    }

    fn evaluate(&self, condition: &Condition) -> Truth {
        self.walk(condition, &|signal, test| self.leaf(signal, test))
    }

    /// The same with each unknown leaf replaced by what the policy, or else the default, says it counts as.
    fn evaluate_biased(&self, condition: &Condition) -> Truth {
        self.walk(condition, &|signal, test| match self.leaf(signal, test) {
            Truth::Unknown => Truth::of(match self.policy.unknown.get(signal) {
                Some(on_unknown) => *on_unknown == OnUnknown::Match,
                None => signal.holds_when_unknown(test),
            }),
            decided => decided,
        })
    }

    /// Recursion is bounded: the check refuses a policy whose conditions nest deeply.
    fn walk(&self, condition: &Condition, leaf: &dyn Fn(&Signal, &Test) -> Truth) -> Truth {
        match condition {
            Condition::Leaf(signal, test) => leaf(signal, test),
            Condition::All(parts) => Truth::all(parts.iter().map(|part| self.walk(part, leaf))),
            Condition::Any(parts) => Truth::any(parts.iter().map(|part| self.walk(part, leaf))),
            Condition::Not(part) => self.walk(part, leaf).not(),
        }
    }

    fn leaf(&self, signal: &Signal, test: &Test) -> Truth {
        match (self.value(signal), test) {
            (Value::Unasked, _) => Truth::Unasked,
            (Value::Unknown, _) => Truth::Unknown,
            (Value::Number(value), Test::Number(operator, bound)) => Truth::of(match operator {
                Operator::Lt => value < *bound,
                Operator::LtEq => value <= *bound,
                Operator::Gt => value > *bound,
                Operator::GtEq => value >= *bound,
                Operator::Eq => value == *bound,
                Operator::NotEq => value != *bound,
            }),
            (Value::Number(value), Test::NumberIn(values)) => Truth::of(values.contains(&value)),
            (Value::Words(words), Test::OneOf(list)) => {
                Truth::of(words.iter().any(|word| list.iter().any(|entry| entry == word)))
            }
            (Value::Words(words), Test::NoneOf(list)) => {
                Truth::of(!words.iter().any(|word| list.iter().any(|entry| entry == word)))
            }
            (Value::Flag(value), Test::Is(wanted)) => Truth::of(value == *wanted),
            // The check pairs every signal with a test of its type.
            _ => Truth::False,
        }
    }

    fn value(&self, signal: &Signal) -> Value<'_> {
        let facts = &self.signals.facts;
        match signal {
            Signal::ClientTag => Value::Words(self.signals.client_tags.iter().map(String::as_str).collect()),
            Signal::Source => Value::word(self.signals.source.as_deref()),
            Signal::User => Value::word(self.signals.user.as_deref()),
            Signal::SessionProperty => {
                Value::Words(self.signals.session_properties.iter().map(String::as_str).collect())
            }
            Signal::StatementKind => match &facts.statement_kind {
                Fact::Unasked => Value::Unasked,
                Fact::Known(_) | Fact::Unknown(_) => Value::word(Some(self.signals.statement_kind())),
            },
            Signal::PrincipalClass => Value::word(principal_class(self.policy, self.signals)),
            Signal::EstimatedBytes => Value::number(&facts.estimated_bytes),
            Signal::SessionBytesRemaining => match &facts.session_bytes_remaining {
                Fact::Known(value) => Value::Number(*value),
                Fact::Unknown(_) => Value::Unknown,
                Fact::Unasked => Value::Unasked,
            },
            Signal::JoinTables => Value::number(&facts.join_tables),
            Signal::OutputColumns => Value::number(&facts.output_columns),
            Signal::ReflectionCoversQuery => Value::flag(&facts.reflection_covers_query),
            Signal::HasWindowOverLargePartition => Value::flag(&facts.has_window_over_large_partition),
            Signal::HasUdf => Value::flag(&facts.has_udf),
            Signal::NoExpensiveOps => Value::flag(&facts.no_expensive_ops),
            Signal::LimitBoundsScan => Value::flag(&facts.limit_bounds_scan),
            Signal::QueueWaitMs(engine) => self
                .engines
                .get(engine)
                .and_then(|state| state.queue_wait_ms)
                .map_or(Value::Unknown, |wait| {
                    Value::Number(i64::try_from(wait).unwrap_or(i64::MAX))
                }),
        }
    }

    fn leaves<'c>(&self, condition: &'c Condition, found: &mut Vec<(&'c Signal, &'c Test)>) {
        match condition {
            Condition::Leaf(signal, test) => found.push((signal, test)),
            Condition::All(parts) | Condition::Any(parts) => {
                for part in parts {
                    self.leaves(part, found);
                }
            }
            Condition::Not(part) => self.leaves(part, found),
        }
    }

    fn signals_in(&self, condition: &Condition, truth: Truth) -> Vec<Signal> {
        let mut leaves = Vec::new();
        self.leaves(condition, &mut leaves);
        // In order and each once. There are few: a sort would be more of the filter's module than it is worth.
        let mut signals: Vec<Signal> = Vec::new();
        for (signal, test) in leaves {
            if let Err(place) = signals.binary_search(signal)
                && self.leaf(signal, test) == truth
            {
                signals.insert(place, signal.clone());
            }
        }
        signals
    }

    fn unasked_signals(&self, condition: &Condition) -> Vec<Signal> {
        self.signals_in(condition, Truth::Unasked)
    }

    fn verdict(&self, rule: &Rule, protocol: Protocol, on_unknown: bool, confidence: Confidence) -> Verdict {
        let mut reason_text = rule.reason.clone();
        let mut reason = Reason::Rule;
        if on_unknown {
            let names: Vec<String> = self
                .signals_in(&rule.when, Truth::Unknown)
                .iter()
                .map(Signal::name)
                .collect();
            reason_text = format!("{reason_text} ({} unknown)", names.join(", "));
            reason = Reason::RuleOnUnknown;
        }
        let target = match &rule.route {
            Route::Reject => {
                reason = Reason::Rejected;
                Target::Reject
            }
            Route::Engine(wanted) => {
                let fallback = if rule.strict { &[][..] } else { &rule.fallback };
                let chosen = std::iter::once(wanted)
                    .chain(fallback)
                    .find_map(|name| Some((name, self.policy.engines.get(name)?.clusters.get(&protocol)?)));
                match chosen {
                    Some((engine, cluster)) => {
                        if engine != wanted {
                            reason = Reason::Fallback;
                            reason_text = format!("{reason_text}; {wanted} has no cluster for {protocol} clients");
                        }
                        Target::Engine {
                            engine: engine.clone(),
                            cluster: cluster.name.clone(),
                        }
                    }
                    None => {
                        reason = Reason::NoCluster;
                        reason_text = format!("{wanted} has no cluster for {protocol} clients, and no fallback has");
                        Target::Reject
                    }
                }
            }
        };
        let notice = rule.notify_client.then(|| self.notice(&reason_text, &target));
        Verdict {
            rule: rule.name.clone(),
            reason,
            reason_text,
            target,
            notice,
            label: Label::of(self.policy, self.signals),
            confidence,
            transport: self.signals.transport,
        }
    }

    fn notice(&self, reason_text: &str, target: &Target) -> String {
        let scan = match &self.signals.facts.estimated_bytes {
            Fact::Known(bytes) => format!("estimated scan {}", ByteSize(*bytes)),
            _ => "estimated scan unknown".into(),
        };
        match target {
            Target::Engine { engine, .. } => format!("{reason_text}: {scan}; sent to {engine}"),
            Target::Reject => format!("{reason_text}: {scan}"),
        }
    }

    fn trace_condition(&self, condition: &Condition, conditions: &mut Vec<ConditionTrace>) {
        let mut leaves = Vec::new();
        self.leaves(condition, &mut leaves);
        conditions.extend(leaves.into_iter().map(|(signal, test)| ConditionTrace {
            test: describe(signal, test),
            value: self.describe_value(signal),
            outcome: self.leaf(signal, test).word(),
        }));
    }

    fn describe_value(&self, signal: &Signal) -> String {
        match self.value(signal) {
            Value::Unasked => "not asked".into(),
            Value::Unknown => "unknown".into(),
            Value::Flag(value) => value.to_string(),
            Value::Number(value) => number_text(signal, value),
            Value::Words(words) if words.is_empty() => "none".into(),
            Value::Words(words) => words.join(", "),
        }
    }
}

fn describe(signal: &Signal, test: &Test) -> String {
    let name = signal.name();
    match test {
        Test::Number(operator, bound) => {
            let operator = match operator {
                Operator::Lt => "<",
                Operator::LtEq => "<=",
                Operator::Gt => ">",
                Operator::GtEq => ">=",
                Operator::Eq => "=",
                Operator::NotEq => "<>",
            };
            format!("{name} {operator} {}", number_text(signal, *bound))
        }
        Test::NumberIn(values) => {
            let values: Vec<String> = values.iter().map(|value| number_text(signal, *value)).collect();
            format!("{name} in ({})", values.join(", "))
        }
        Test::OneOf(words) => format!("{name} in ({})", words.join(", ")),
        Test::NoneOf(words) => format!("{name} not in ({})", words.join(", ")),
        Test::Is(value) => format!("{name} is {value}"),
    }
}

fn number_text(signal: &Signal, value: i64) -> String {
    use crate::policy::condition::SignalType;
    match (signal.signal_type(), u64::try_from(value)) {
        (SignalType::Bytes, Ok(bytes)) => ByteSize(bytes).to_string(),
        (SignalType::Bytes, Err(_)) => format!("-{}", ByteSize(value.unsigned_abs())),
        (SignalType::Millis, _) => format!("{value} ms"),
        _ => value.to_string(),
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
