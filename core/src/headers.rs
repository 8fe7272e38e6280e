//! Every header name that Lakegate reads or writes, in one place.
//!
//! Names are lower case, as Envoy hands them over. Not here: what the values mean.

/// Every header of ours starts with this; clients' headers of that name are removed.
pub const PREFIX: &str = "x-lakegate-";

/// The Envoy cluster that the route's `cluster_header` reads; removed before the upstream sees it.
pub const CLUSTER: &str = "x-lakegate-cluster";
/// The engine's name in the policy, or `none` for a rejection.
pub const ENGINE: &str = "x-lakegate-engine";
/// The name of the rule that decided.
pub const RULE: &str = "x-lakegate-rule";
/// Why, in words for people.
pub const REASON: &str = "x-lakegate-reason";
/// An id that finds the decision in the log.
pub const DECISION_ID: &str = "x-lakegate-decision-id";
/// The version of the policy that decided.
pub const POLICY_VERSION: &str = "x-lakegate-policy-version";
/// Bytes that survive pruning, an integer or `unknown`.
pub const ESTIMATED_BYTES: &str = "x-lakegate-estimated-bytes";
/// Where the estimate came from: `iceberg`, `cache` or `none`.
pub const ESTIMATE_SOURCE: &str = "x-lakegate-estimate-source";
/// Text for the person who sent the statement.
pub const NOTICE: &str = "x-lakegate-notice";

/// The headers of a verdict that the upstream and the client get to see.
pub const VERDICT: [&str; 8] = [
    ENGINE,
    RULE,
    REASON,
    DECISION_ID,
    POLICY_VERSION,
    ESTIMATED_BYTES,
    ESTIMATE_SOURCE,
    NOTICE,
];

/// Tells Trino (458 and newer) under which path the client sees it.
pub const FORWARDED_PREFIX: &str = "x-forwarded-prefix";
/// The first path segment of every follow-up: `/_at/<cluster>/..`.
pub const FOLLOW_UP_PREFIX: &str = "/_at/";

/// The longest header value that we write, in bytes; the rest is cut off.
pub const MAX_VALUE_BYTES: usize = 256;

/// A header value out of any text: printable ASCII only, cut at [`MAX_VALUE_BYTES`].
#[must_use]
pub fn value(text: &str) -> String {
    text.chars()
        .map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' })
        .take(MAX_VALUE_BYTES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printable_ascii_and_bounded() {
        assert_eq!(value("large scan"), "large scan");
        assert_eq!(value("a\r\nx-evil: 1"), "a??x-evil: 1");
        assert_eq!(value("größe"), "gr??e");
        assert_eq!(value(&"x".repeat(1000)).len(), MAX_VALUE_BYTES);
    }

    #[test]
    fn every_header_of_ours_has_the_prefix_that_is_stripped_from_clients() {
        for name in VERDICT.iter().chain([&CLUSTER]) {
            assert!(name.starts_with(PREFIX), "{name}");
        }
    }
}
