//! What workers tell each other, through Envoy's shared data.
//!
//! Four keys for each service cluster, made once and never more: shared data has no way to remove one. Several plugins
//! in one VM with the same service share them, with different services they do not. Not here: what a value means
//! ([`crate::root`]).

use crate::host;

/// The keys of one service.
pub(crate) struct SharedKeys {
    /// When somebody last set out to poll.
    claim: String,
    /// The service's state with the time of its receipt.
    state: String,
    /// The service's policy.
    policy: String,
    /// The version of the policy that was refused last.
    refused: String,
}

/// A value as it was read, with a number that changes with each write.
pub(crate) struct Stored {
    pub(crate) value: Vec<u8>,
    pub(crate) number: u32,
}

impl SharedKeys {
    /// The keys of the service in that cluster.
    pub(crate) fn of(cluster: &str) -> Self {
        let key = |name: &str| format!("lakegate.{cluster}.{name}");
        let keys = Self {
            claim: key("claim"),
            state: key("state"),
            policy: key("policy"),
            refused: key("refused"),
        };
        // A key's first write ignores the number, so two workers could both win the first claim.
        if host::shared(&keys.claim).1.is_none() {
            host::set_shared(&keys.claim, &0_u64.to_le_bytes(), None);
        }
        keys
    }

    /// Elects by time: true for the one worker that is to poll now. One attempt; a lost race means that another won.
    pub(crate) fn claim_poll(&self, now_ns: u64, period_ns: u64) -> bool {
        let (value, number) = host::shared(&self.claim);
        let last = value.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // Ticks may come a little early; a whole period would skip every other one then.
        if is_recent(last, now_ns, period_ns / 4 * 3) {
            return false;
        }
        host::set_shared(&self.claim, &now_ns.to_le_bytes(), number)
    }

    /// The state that was stored last.
    pub(crate) fn state(&self) -> Option<Stored> {
        read(&self.state)
    }

    /// Stores a state.
    pub(crate) fn store_state(&self, received_ns: u64, json: &[u8]) {
        host::set_shared(&self.state, &encode_state(received_ns, json), None);
    }

    /// The policy that was stored last, as JSON.
    pub(crate) fn policy(&self) -> Option<Stored> {
        read(&self.policy)
    }

    /// Stores a policy.
    pub(crate) fn store_policy(&self, json: &[u8]) {
        host::set_shared(&self.policy, json, None);
    }

    /// Marks a version as refused; true for the worker that is the first to say so.
    pub(crate) fn mark_refused(&self, version: &str) -> bool {
        let (value, number) = host::shared(&self.refused);
        value != version.as_bytes() && host::set_shared(&self.refused, version.as_bytes(), number)
    }
}

/// A state with the time of its receipt in front.
fn encode_state(received_ns: u64, json: &[u8]) -> Vec<u8> {
    [&received_ns.to_le_bytes(), json].concat()
}

/// Time of receipt and JSON; none for bytes that [`encode_state`] did not write.
pub(crate) fn decode_state(value: &[u8]) -> Option<(u64, &[u8])> {
    let (received, json) = value.split_first_chunk()?;
    Some((u64::from_le_bytes(*received), json))
}

/// True if that moment is at most so long ago. The clock may step back, so a moment as far in the future is not recent
/// either.
pub(crate) fn is_recent(then_ns: u64, now_ns: u64, span_ns: u64) -> bool {
    now_ns.abs_diff(then_ns) <= span_ns
}

fn read(key: &str) -> Option<Stored> {
    let (value, number) = host::shared(key);
    Some(Stored { value, number: number? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_keeps_its_time_of_receipt() {
        let value = encode_state(1_700_000_000_000_000_000, b"{}");
        assert_eq!(decode_state(&value), Some((1_700_000_000_000_000_000, &b"{}"[..])));
        assert_eq!(decode_state(b"short"), None);
    }

    #[test]
    fn a_clock_that_steps_back_makes_nothing_recent_for_long() {
        assert!(is_recent(100, 105, 5));
        assert!(!is_recent(100, 106, 5));
        assert!(is_recent(105, 100, 5));
        assert!(!is_recent(106, 100, 5));
    }
}
