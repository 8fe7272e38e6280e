//! What all exchanges of one worker share: policy, engine state, estimates, decision ids.
//!
//! A VM has one thread, so this is plain cells; no borrow outlives a function of this module, and none makes a host
//! call while it borrows. Workers do not share this: what they tell each other goes through [`crate::shared`].

use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use lakegate_core::plugin_config::Service;
use lakegate_core::policy::Policy;
use lakegate_core::signals::Facts;
use lakegate_core::wire::{FactsResponse, StateResponse};

use crate::cache::{EstimateCache, Key};
use crate::shared::is_recent;

/// A state counts for this many poll periods: one poll may be lost, an outage may not go unnoticed for long.
const STATE_LIFE_POLLS: u64 = 5;

const NANOS_PER_MILLI: u64 = 1_000_000;

/// One worker's share.
pub(crate) struct Worker {
    /// The service, if there is one.
    pub(crate) service: Option<Service>,
    policy: RefCell<Rc<Policy>>,
    state: RefCell<Received>,
    /// What stands in for a state that is stale: nothing is known.
    nothing: Rc<StateResponse>,
    estimates: RefCell<EstimateCache>,
    salt: u32,
    decisions: Cell<u32>,
}

struct Received {
    at_ns: u64,
    state: Rc<StateResponse>,
}

impl Worker {
    /// A worker that knows nothing yet of the engines.
    pub(crate) fn new(policy: Policy, service: Option<Service>, cache_entries: usize, now_ns: u64) -> Self {
        let nothing = Rc::new(StateResponse::default());
        let mut hasher = DefaultHasher::new();
        now_ns.hash(&mut hasher);
        let [.., a, b, c, d] = hasher.finish().to_le_bytes();
        Self {
            service,
            policy: RefCell::new(Rc::new(policy)),
            state: RefCell::new(Received {
                at_ns: 0,
                state: Rc::clone(&nothing),
            }),
            nothing,
            estimates: RefCell::new(EstimateCache::with_entries(cache_entries)),
            salt: u32::from_le_bytes([a, b, c, d]),
            decisions: Cell::new(0),
        }
    }

    /// The active policy.
    pub(crate) fn policy(&self) -> Rc<Policy> {
        Rc::clone(&self.policy.borrow())
    }

    /// Makes another policy the active one; requests that are under way keep theirs.
    pub(crate) fn set_policy(&self, policy: Policy) {
        self.policy.replace(Rc::new(policy));
    }

    /// The service's state as far as it still counts; otherwise an empty one, in which everything is unknown.
    pub(crate) fn state(&self, now_ns: u64) -> Rc<StateResponse> {
        let received = self.state.borrow();
        if self.is_fresh(received.at_ns, now_ns) {
            Rc::clone(&received.state)
        } else {
            Rc::clone(&self.nothing)
        }
    }

    /// True if there is a state that still counts.
    pub(crate) fn has_state(&self, now_ns: u64) -> bool {
        self.is_fresh(self.state.borrow().at_ns, now_ns)
    }

    fn is_fresh(&self, at_ns: u64, now_ns: u64) -> bool {
        self.service
            .as_ref()
            .is_some_and(|service| is_recent(at_ns, now_ns, poll_ns(service).saturating_mul(STATE_LIFE_POLLS)))
    }

    /// Takes a new state.
    pub(crate) fn set_state(&self, at_ns: u64, state: StateResponse) {
        self.state.replace(Received {
            at_ns,
            state: Rc::new(state),
        });
    }

    /// Takes word that the state of before was current at that later time.
    pub(crate) fn confirm_state(&self, at_ns: u64) {
        self.state.borrow_mut().at_ns = at_ns;
    }

    /// Facts kept under that key that still hold.
    pub(crate) fn kept_facts(&self, key: Key, state: &StateResponse) -> Option<Facts> {
        self.estimates.borrow_mut().get(key, &state.snapshots)
    }

    /// Keeps an answer of that many bytes, if it may be kept.
    pub(crate) fn keep_facts(&self, key: Key, answer: FactsResponse, bytes: usize) {
        self.estimates.borrow_mut().put(key, answer, bytes);
    }

    /// An id for a decision: the time, a number of this VM and a counter, in 32 hex digits. There is no randomness
    /// here; two VMs would have to start in one nanosecond, and decide their n-th statement in one, to share an id.
    pub(crate) fn next_decision_id(&self, now_ns: u64) -> String {
        let decisions = self.decisions.get().wrapping_add(1);
        self.decisions.set(decisions);
        format!("{now_ns:016x}{:08x}{decisions:08x}", self.salt)
    }
}

/// The poll period in nanoseconds.
pub(crate) fn poll_ns(service: &Service) -> u64 {
    service.poll_ms.saturating_mul(NANOS_PER_MILLI)
}
