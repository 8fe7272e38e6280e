//! Engines as a policy names them, and the state that the service reports of each.
//!
//! Not here: how the state is gathered (the service's pollers) or what a rule makes of it ([`crate::decision`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What kind of engine it is. Decides its default client protocol and lexical rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineKind {
    /// Trino.
    Trino,
    /// Dremio.
    Dremio,
    /// Spark (Thrift server, Kyuubi, Connect).
    Spark,
    /// PrestoDB.
    Presto,
}

impl EngineKind {
    /// Every kind with its word in the policy.
    pub const ALL: [(&'static str, EngineKind); 4] = [
        ("trino", EngineKind::Trino),
        ("dremio", EngineKind::Dremio),
        ("spark", EngineKind::Spark),
        ("presto", EngineKind::Presto),
    ];

    /// The word in the policy.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("trino", |(name, _)| name)
    }

    /// The kind with that word, if any.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind)
    }
}

/// What is known of one engine. Every field is `None` when unknown; unknown is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineState {
    /// How long a statement submitted now would wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_wait_ms: Option<u64>,
    /// Statements running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u64>,
    /// Statements waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// Whether the last probe was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy: Option<bool>,
}

/// The states of all engines, by their name in the policy. An engine that is not listed is unknown in every field.
pub type EngineStates = BTreeMap<String, EngineState>;
