//! Client protocols: which requests submit SQL, and what they say about themselves.
//!
//! One module a protocol; rules know engines by name and nothing of a wire format. Not here: headers of our own
//! ([`crate::headers`]).

pub mod trino;

use crate::engine::EngineKind;

/// A client protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Trino's `/v1/statement`.
    Trino,
    /// Dremio's REST API.
    Dremio,
    /// PrestoDB's `/v1/statement`.
    Presto,
}

impl Protocol {
    /// Every protocol with its word in the policy.
    pub const ALL: [(&'static str, Protocol); 3] = [
        ("trino", Protocol::Trino),
        ("dremio", Protocol::Dremio),
        ("presto", Protocol::Presto),
    ];

    /// The word in the policy.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trino => "trino",
            Self::Dremio => "dremio",
            Self::Presto => "presto",
        }
    }

    /// The protocol with that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, protocol)| *protocol)
    }

    /// The protocol that an engine of that kind speaks by itself.
    #[must_use]
    pub fn spoken_by(kind: EngineKind) -> Option<Self> {
        match kind {
            EngineKind::Trino => Some(Self::Trino),
            EngineKind::Dremio => Some(Self::Dremio),
            EngineKind::Presto => Some(Self::Presto),
            EngineKind::Spark => None,
        }
    }
}
