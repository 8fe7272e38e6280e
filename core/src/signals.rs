//! Everything that a rule may look at.
//!
//! A signal is in one of three states ([`Fact`]): not asked for yet, asked for and unknown, or known. The difference
//! between the first two is what makes evaluation lazy: only an unasked signal is worth a call to the service.
//! Absent, null, -1 and "unknown" all become [`Fact::Unknown`]; none of them is ever zero.
//!
//! Not here: how a signal is computed ([`crate::sql`], the service), nor what a rule does with it.

mod read;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::assessment::Transport;
use crate::policy::condition::Signal;
use crate::sql::scan::{Scan, StatementKind};

/// A value that may be unknown, or not asked for yet.
///
/// On the wire an unasked fact is left out, an unknown one is `{"unknown": cause}`, a known one is its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fact<T> {
    /// Nobody has asked yet.
    #[default]
    Unasked,
    /// Asked, and there is no answer; the cause in words.
    Unknown(String),
    /// The answer.
    Known(T),
}

impl<T> Fact<T> {
    /// True if it is worth asking for.
    #[must_use]
    pub fn is_unasked(&self) -> bool {
        matches!(self, Self::Unasked)
    }

    /// The value if there is one.
    #[must_use]
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            _ => None,
        }
    }

    /// Turns "not asked" into "unknown, because ..": the end of asking.
    pub fn close(&mut self, cause: &str) {
        if self.is_unasked() {
            *self = Self::Unknown(cause.to_owned());
        }
    }

    /// Takes the other fact if this one has not been asked for.
    pub fn or(&mut self, other: Self) {
        if self.is_unasked() {
            *self = other;
        }
    }
}

impl<T: Serialize> Serialize for Fact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unasked => serializer.serialize_none(),
            Self::Unknown(cause) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("unknown", cause)?;
                map.end()
            }
            Self::Known(value) => value.serialize(serializer),
        }
    }
}

/// What has to be asked for, as far as it is not known from headers and the scan.
///
/// These are the facts that the service answers with; [`Facts::from_scan`] fills in what the text alone decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// What the statement does, wrappers taken off. A statement that is not understood has a kind of its own.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub statement_kind: Fact<StatementKind>,
    /// Sizes of the data and delete files that survive pruning, summed over the tables, in bytes.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub estimated_bytes: Fact<u64>,
    /// A materialised aggregate answers the statement.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub reflection_covers_query: Fact<bool>,
    /// A window function sorts an input that no key bounds.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub has_window_over_large_partition: Fact<bool>,
    /// A function that is not built into the engine.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub has_udf: Fact<bool>,
    /// No operator that costs much on few bytes: see [`Facts::from_scan`].
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub no_expensive_ops: Fact<bool>,
    /// Relations that the statement joins; 1 without a join, 0 without a relation.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub join_tables: Fact<u64>,
    /// Columns of the result.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub output_columns: Fact<u64>,
    /// A LIMIT ends the scan early: nothing that must see all rows stands above it.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub limit_bounds_scan: Fact<bool>,
    /// Bytes that the sender's session may still scan after this statement; below 0 it may not. Unknown without a
    /// budget ledger.
    #[serde(skip_serializing_if = "Fact::is_unasked")]
    pub session_bytes_remaining: Fact<i64>,
}

impl Facts {
    /// What the scan alone decides; the rest stays unasked.
    ///
    /// A statement that executes nothing, or reads no table, scans 0 bytes: that is known, not assumed. What the scan
    /// did not understand stays unknown for good: asking the service, which reads the same text, would not help. A
    /// text whose reading is deferred is another matter.
    #[must_use]
    pub fn from_scan(scan: &Scan) -> Self {
        let mut facts = Self::default();
        if scan.deferred {
            // The service reads it all.
            return facts;
        }
        facts.statement_kind = Fact::Known(scan.inner_kind);
        if !scan.is_understood() {
            facts.close("statement not understood");
            return facts;
        }
        let relations = scan.tables.len() + scan.targets.len();
        facts.join_tables = Fact::Known(match scan.joins {
            0 => u64::from(relations > 0),
            joins => u64::from(joins) + 1,
        });
        if let Some(has_udf) = scan.has_udf {
            facts.has_udf = Fact::Known(has_udf || scan.inline_function);
        }
        if scan.windows == 0 && !scan.match_recognize {
            facts.has_window_over_large_partition = Fact::Known(false);
        }
        // What a procedure reads, only it knows.
        let opaque = scan.table_function || scan.inner_kind == StatementKind::Call;
        let reads_nothing = scan.tables.is_empty() && !scan.inner_kind.reads_targets() && !opaque;
        if !scan.executes || reads_nothing {
            facts.estimated_bytes = Fact::Known(0);
        }
        if !scan.has_limit {
            facts.limit_bounds_scan = Fact::Known(false);
        }
        // A reflection stands in for the one table of a plain query.
        let could_be_covered = scan.inner_kind == StatementKind::Query
            && scan.tables.len() == 1
            && scan.joins == 0
            && scan.windows == 0
            && !scan.set_operation
            && !scan.time_travel;
        if !could_be_covered {
            facts.reflection_covers_query = Fact::Known(false);
        }
        facts.close_expensive_ops(scan);
        facts
    }

    /// `no_expensive_ops`: no window over an unbounded input, no row pattern recognition, no polymorphic table
    /// function, no user-defined function, no regular expression. Known as soon as its parts are.
    pub fn close_expensive_ops(&mut self, scan: &Scan) {
        if !self.no_expensive_ops.is_unasked() || !scan.complete {
            return;
        }
        if scan.match_recognize || scan.table_function || scan.expensive_functions {
            self.no_expensive_ops = Fact::Known(false);
            return;
        }
        match (&self.has_udf, &self.has_window_over_large_partition) {
            (Fact::Known(true), _) | (_, Fact::Known(true)) => self.no_expensive_ops = Fact::Known(false),
            (Fact::Known(false), Fact::Known(false)) => self.no_expensive_ops = Fact::Known(true),
            (Fact::Unknown(cause), _) | (_, Fact::Unknown(cause)) => {
                self.no_expensive_ops = Fact::Unknown(cause.clone());
            }
            _ => {}
        }
    }

    /// Takes from `other` whatever has not been asked for here.
    pub fn merge(&mut self, other: Self) {
        self.statement_kind.or(other.statement_kind);
        self.estimated_bytes.or(other.estimated_bytes);
        self.reflection_covers_query.or(other.reflection_covers_query);
        self.has_window_over_large_partition
            .or(other.has_window_over_large_partition);
        self.has_udf.or(other.has_udf);
        self.no_expensive_ops.or(other.no_expensive_ops);
        self.join_tables.or(other.join_tables);
        self.output_columns.or(other.output_columns);
        self.limit_bounds_scan.or(other.limit_bounds_scan);
        self.session_bytes_remaining.or(other.session_bytes_remaining);
    }

    /// Ends the asking: what has no answer by now is unknown.
    pub fn close(&mut self, cause: &str) {
        for signal in &Self::SIGNALS {
            self.close_one(signal, cause);
        }
    }

    /// Ends the asking for one signal. One that is no fact, and so is always answered, is let be.
    pub fn close_one(&mut self, signal: &Signal, cause: &str) {
        match signal {
            Signal::StatementKind => self.statement_kind.close(cause),
            Signal::EstimatedBytes => self.estimated_bytes.close(cause),
            Signal::ReflectionCoversQuery => self.reflection_covers_query.close(cause),
            Signal::HasWindowOverLargePartition => self.has_window_over_large_partition.close(cause),
            Signal::HasUdf => self.has_udf.close(cause),
            Signal::NoExpensiveOps => self.no_expensive_ops.close(cause),
            Signal::JoinTables => self.join_tables.close(cause),
            Signal::OutputColumns => self.output_columns.close(cause),
            Signal::LimitBoundsScan => self.limit_bounds_scan.close(cause),
            Signal::SessionBytesRemaining => self.session_bytes_remaining.close(cause),
            Signal::ClientTag
            | Signal::Source
            | Signal::User
            | Signal::SessionProperty
            | Signal::PrincipalClass
            | Signal::QueueWaitMs(_) => {}
        }
    }

    /// The facts that nobody has asked for yet.
    #[must_use]
    pub fn unasked(&self) -> Vec<Signal> {
        Self::SIGNALS
            .into_iter()
            .filter(|signal| match signal {
                Signal::StatementKind => self.statement_kind.is_unasked(),
                Signal::EstimatedBytes => self.estimated_bytes.is_unasked(),
                Signal::ReflectionCoversQuery => self.reflection_covers_query.is_unasked(),
                Signal::HasWindowOverLargePartition => self.has_window_over_large_partition.is_unasked(),
                Signal::HasUdf => self.has_udf.is_unasked(),
                Signal::NoExpensiveOps => self.no_expensive_ops.is_unasked(),
                Signal::JoinTables => self.join_tables.is_unasked(),
                Signal::OutputColumns => self.output_columns.is_unasked(),
                Signal::LimitBoundsScan => self.limit_bounds_scan.is_unasked(),
                Signal::SessionBytesRemaining => self.session_bytes_remaining.is_unasked(),
                Signal::ClientTag
                | Signal::Source
                | Signal::User
                | Signal::SessionProperty
                | Signal::PrincipalClass
                | Signal::QueueWaitMs(_) => false,
            })
            .collect()
    }

    /// The signals that are facts.
    const SIGNALS: [Signal; 10] = [
        Signal::StatementKind,
        Signal::EstimatedBytes,
        Signal::ReflectionCoversQuery,
        Signal::HasWindowOverLargePartition,
        Signal::HasUdf,
        Signal::NoExpensiveOps,
        Signal::JoinTables,
        Signal::OutputColumns,
        Signal::LimitBoundsScan,
        Signal::SessionBytesRemaining,
    ];
}

/// What a statement submission says about itself and its sender, plus the facts gathered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Client tags, in the order sent.
    pub client_tags: Vec<String>,
    /// The client program.
    pub source: Option<String>,
    /// The user name sent (a claim).
    pub user: Option<String>,
    /// Session properties, each as `name=value` and once more as `name`. What the statement sets for
    /// itself (`WITH SESSION`) takes the place of what the session says.
    pub session_properties: Vec<String>,
    /// How the result is best fetched, as far as the text tells.
    pub transport: Transport,
    /// The facts.
    pub facts: Facts,
}

/// Session properties as a rule names them: `name=value` for one value of it, `name` for any.
///
/// What the statement sets for itself (`WITH SESSION`) takes the place of what the session says.
fn session_words(session: &[(String, String)], scan: &Scan) -> Vec<String> {
    // `SET SESSION` is for the statements after it.
    let own = if scan.inner_kind == StatementKind::Session {
        &[][..]
    } else {
        &scan.session_properties
    };
    let kept = session
        .iter()
        .filter(|(name, _)| own.iter().all(|(other, _)| other != name));
    kept.chain(own)
        .flat_map(|(name, value)| [format!("{name}={value}"), name.clone()])
        .collect()
}

/// What a submission says of its sender, wherever it is kept.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// Client tags, in the order sent.
    pub client_tags: &'a [String],
    /// The client program.
    pub source: Option<&'a str>,
    /// The user name sent (a claim).
    pub user: Option<&'a str>,
    /// Session properties, name and value.
    pub session_properties: &'a [(String, String)],
}

impl Signals {
    /// What rules may look at of a sender's statement, with the facts gathered so far.
    #[must_use]
    pub fn new(sender: Sender<'_>, scan: &Scan, facts: Facts) -> Self {
        Self {
            client_tags: sender.client_tags.to_vec(),
            source: sender.source.map(str::to_owned),
            user: sender.user.map(str::to_owned),
            session_properties: session_words(sender.session_properties, scan),
            transport: Transport::of(scan),
            facts,
        }
    }

    /// The word for the statement's kind; `unknown` is one of them.
    #[must_use]
    pub fn statement_kind(&self) -> &'static str {
        self.facts
            .statement_kind
            .known()
            .copied()
            .unwrap_or(StatementKind::Unknown)
            .as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    #[test]
    fn after_closing_nothing_is_left_to_ask_for() {
        let mut facts = Facts::default();
        assert_eq!(facts.unasked(), Facts::SIGNALS);
        facts.close_one(&Signal::HasUdf, "not parsed");
        assert!(!facts.unasked().contains(&Signal::HasUdf));
        facts.close("no answer");
        assert_eq!(facts.unasked(), []);
        assert_eq!(facts.has_udf, Fact::Unknown("not parsed".into()));
    }

    #[test]
    fn absent_null_minus_one_and_unknown_are_one_state_and_not_zero() {
        let read = |json: Json| serde_json::from_value::<Facts>(json).ok().map(|f| f.estimated_bytes);
        assert_eq!(read(json!({})), Some(Fact::Unasked));
        for odd in [
            json!(null),
            json!(-1),
            json!("unknown"),
            json!("NaN"),
            json!({"unknown": "x"}),
        ] {
            let fact = read(json!({ "estimated_bytes": odd }));
            assert!(matches!(fact, Some(Fact::Unknown(_))), "{fact:?}");
        }
        assert_eq!(read(json!({"estimated_bytes": 0})), Some(Fact::Known(0)));
    }

    #[test]
    fn facts_survive_the_wire() {
        let facts = Facts {
            estimated_bytes: Fact::Known(7),
            has_udf: Fact::Unknown("not parsed".into()),
            ..Facts::default()
        };
        let text = serde_json::to_string(&facts).unwrap_or_default();
        assert_eq!(text, r#"{"estimated_bytes":7,"has_udf":{"unknown":"not parsed"}}"#);
        assert_eq!(serde_json::from_str::<Facts>(&text).ok(), Some(facts));
    }
}
