//! What is counted.
//!
//! An increment costs a request some 5 µs, so a routed statement makes one, and one more for each rare thing that
//! happened to it. Names hold engine names and reason codes, both bounded by the policy; never a user or a table,
//! since Envoy keeps a counter for good.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lakegate_core::decision::Reason;
use lakegate_core::policy::Policy;

use crate::host;

/// Counters that no policy changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// The service answered a request for facts.
    CalloutOk,
    /// It did not, or not in time, or not in words that we know.
    CalloutFailed,
    /// A kept estimate saved a callout.
    CacheHit,
    /// A policy that the service served is not usable here.
    PolicyRefused,
    /// A poll of engine state or policy got no answer that we know.
    PollFailed,
    /// A statement was decided without its text.
    Unanalysed,
    /// A request that submits nothing went through the filter. Follow-ups never do: their routes disable it.
    Passed,
    /// A VM took over a state that differs from the one it had.
    StateChanged,
}

impl Counter {
    const ALL: [Counter; 8] = [
        Self::CalloutOk,
        Self::CalloutFailed,
        Self::CacheHit,
        Self::PolicyRefused,
        Self::PollFailed,
        Self::Unanalysed,
        Self::Passed,
        Self::StateChanged,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::CalloutOk => "lakegate.callout.ok",
            Self::CalloutFailed => "lakegate.callout.failed",
            Self::CacheHit => "lakegate.cache.hit",
            Self::PolicyRefused => "lakegate.policy.refused",
            Self::PollFailed => "lakegate.poll.failed",
            Self::Unanalysed => "lakegate.unanalysed",
            Self::Passed => "lakegate.passed",
            Self::StateChanged => "lakegate.state.changed",
        }
    }
}

/// Defines every counter that decisions of this policy need.
pub(crate) fn define(policy: &Policy) {
    for counter in Counter::ALL {
        id(counter.name());
    }
    for engine in policy.engines.keys() {
        for reason in [Reason::Rule, Reason::RuleOnUnknown, Reason::Fallback] {
            id(&decision_name(engine, reason));
        }
    }
    for reason in [Reason::Rejected, Reason::NoCluster] {
        id(&decision_name("none", reason));
    }
}

/// Counts one.
pub(crate) fn count(counter: Counter) {
    increment(counter.name());
}

/// Counts a decision by engine (`none` for a rejection) and reason.
pub(crate) fn count_decision(engine: &str, reason: Reason) {
    increment(&decision_name(engine, reason));
}

fn decision_name(engine: &str, reason: Reason) -> String {
    format!("lakegate.decision.{engine}.{}", reason.code())
}

fn increment(name: &str) {
    if let Some(id) = id(name) {
        host::increment(id);
    }
}

thread_local! {
    /// Ids by name. One map a VM and not one a root context: Envoy gives a counter that is defined twice two ids.
    static IDS: RefCell<BTreeMap<String, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// The counter's id; defines it at the first use.
fn id(name: &str) -> Option<u32> {
    let known = IDS.with_borrow(|ids| ids.get(name).copied());
    if known.is_some() {
        return known;
    }
    let id = host::define_counter(name)?;
    IDS.with_borrow_mut(|ids| ids.insert(name.to_owned(), id));
    Some(id)
}
