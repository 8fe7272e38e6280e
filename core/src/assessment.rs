//! What a verdict says besides where to: how heavy the statement is, how sure that is, how to fetch the result.
//!
//! None of it decides anything; it is for logs, dashboards and clients. What is not known is `unknown` here as well.

use crate::policy::Policy;
use crate::signals::{Fact, Signals};
use crate::sql::scan::{Scan, StatementKind};

/// How heavy a statement is, measured by the policy's own bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A materialised aggregate answers it; or it scans less than [`Policy::light_below`] and nothing in it is
    /// expensive.
    Light,
    /// It scans as much or more, or something in it is expensive.
    Heavy,
    /// What would tell was not known, or not asked for.
    Unknown,
}

impl Label {
    /// The label of a statement.
    #[must_use]
    pub fn of(policy: &Policy, signals: &Signals) -> Self {
        let facts = &signals.facts;
        if facts.reflection_covers_query == Fact::Known(true) {
            return Self::Light;
        }
        let small = match (&facts.estimated_bytes, policy.light_below) {
            (Fact::Known(0), _) => Some(true),
            (Fact::Known(bytes), Some(bound)) => Some(*bytes < bound),
            _ => None,
        };
        match (small, facts.no_expensive_ops.known()) {
            (Some(false), _) | (_, Some(false)) => Self::Heavy,
            (Some(true), Some(true)) => Self::Light,
            _ => Self::Unknown,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Heavy => "heavy",
            Self::Unknown => "unknown",
        }
    }
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Every rule up to the one that decided came out by what is known.
    High,
    /// One of them came out by what an unknown signal counts as.
    Low,
}

impl Confidence {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
        }
    }
}

/// How the result is best fetched, as far as the text tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// In the client protocol's own pages: few rows.
    Inline,
    /// By what the engine has for many rows: Trino's spooled segments, Arrow Flight.
    Bulk,
    /// The text does not bound the rows.
    #[default]
    Unknown,
}

/// Up to this many rows count as few. Trino's pages hold some thousands, so this is a handful of round trips.
const FEW_ROWS: u64 = 10_000;

impl Transport {
    /// The hint for a statement.
    #[must_use]
    pub fn of(scan: &Scan) -> Self {
        if !scan.is_understood() {
            return Self::Unknown;
        }
        // Anything but a query that runs answers with a count, a plan or a listing.
        if scan.inner_kind != StatementKind::Query || !scan.executes {
            return Self::Inline;
        }
        match scan.top_limit {
            Some(rows) if rows <= FEW_ROWS => Self::Inline,
            Some(_) => Self::Bulk,
            None => Self::Unknown,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Bulk => "bulk",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::lexer::LexicalRules;
    use crate::sql::scan::scan;

    #[test]
    fn the_text_bounds_the_rows_or_it_does_not() {
        let cases = [
            ("SELECT * FROM t LIMIT 10", Transport::Inline),
            ("SELECT * FROM t LIMIT 100000", Transport::Bulk),
            ("SELECT * FROM t", Transport::Unknown),
            ("SELECT * FROM (SELECT * FROM t LIMIT 10) a, u", Transport::Unknown),
            ("EXPLAIN SELECT * FROM t", Transport::Inline),
            ("INSERT INTO t SELECT * FROM u", Transport::Inline),
            ("SHOW TABLES", Transport::Inline),
            ("SELECT 'open FROM t LIMIT 1", Transport::Unknown),
            ("EXECUTE q", Transport::Unknown),
        ];
        for (sql, want) in cases {
            assert_eq!(Transport::of(&scan(sql, &LexicalRules::TRINO, &[])), want, "{sql}");
        }
    }
}
