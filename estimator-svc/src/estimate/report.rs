//! What is told of an estimate: a total, and per table what was sent, what survived and what did not prune.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakegate_core::bytes::ByteSize;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::reads::Read;
use crate::planner::{Planned, Pruned};
use crate::tables::QualifiedName;
use crate::unknown::{Cause, Unknown};

/// The estimate of one statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatementEstimate {
    /// Data and delete files of all tables together; `null` if anything is unknown.
    pub estimated_bytes: Option<u64>,
    /// Why there is no total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
    /// True if each table's number is exact and not an upper bound.
    pub exact: bool,
    /// Every occurrence of a table.
    pub tables: Vec<TableEstimate>,
}

/// The estimate of one occurrence of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableEstimate {
    /// The full name, or as written if it has none.
    pub table: String,
    /// `exact`, `upper bound` or `unknown`.
    pub quality: &'static str,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
    /// The filter evaluated, as Iceberg's REST specification writes it.
    pub filter: Json,
    /// Data files that survive.
    pub files: Option<u64>,
    /// Their sizes.
    pub bytes: Option<u64>,
    /// Delete files that apply.
    pub delete_files: Option<u64>,
    /// Their sizes.
    pub delete_bytes: Option<u64>,
    /// The snapshot, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// What pruned how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Pruned>,
    /// Conditions that do not prune.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused_conditions: Vec<UnusedText>,
}

/// A condition that does not prune.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnusedText {
    /// As written, cut to a bounded length.
    pub condition: String,
    /// Why.
    pub reason: &'static str,
    /// What to write instead, where that would prune.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl StatementEstimate {
    pub(super) fn unknown(unknown: Unknown) -> Self {
        Self {
            estimated_bytes: None,
            unknown: Some(unknown),
            exact: false,
            tables: Vec::new(),
        }
    }

    pub(super) fn sum(tables: Vec<TableEstimate>) -> Self {
        let mut total = Some(0u64);
        let mut unknown = None;
        for table in &tables {
            if let (None, Some(cause)) = (&unknown, &table.unknown) {
                unknown = Some(cause.clone());
            }
            total = total.zip(table.total()).and_then(|(sum, bytes)| sum.checked_add(bytes));
        }
        if total.is_none() && unknown.is_none() {
            unknown = Some(Cause::TooLarge.into());
        }
        Self {
            estimated_bytes: total.filter(|_| unknown.is_none()),
            exact: unknown.is_none() && tables.iter().all(|table| table.quality == EXACT),
            unknown,
            tables,
        }
    }

    /// The total, or why there is none.
    ///
    /// # Errors
    /// Why there is no total.
    pub fn total(&self) -> Result<u64, Unknown> {
        match (self.estimated_bytes, &self.unknown) {
            (Some(bytes), None) => Ok(bytes),
            (_, Some(unknown)) => Err(unknown.clone()),
            (None, None) => Err(Cause::TooLarge.into()),
        }
    }

    /// Snapshots by full name.
    #[must_use]
    pub fn snapshots(&self) -> BTreeMap<String, String> {
        self.tables
            .iter()
            .filter_map(|table| Some((table.table.clone(), table.snapshot.clone()?)))
            .collect()
    }

    /// The estimate for people, a line a fact.
    #[must_use]
    pub fn to_text(&self) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        let _ = match self.total() {
            Ok(bytes) => {
                let bound = if self.exact { "" } else { " at most" };
                writeln!(text, "estimated scan:{bound} {} ({bytes} bytes)", ByteSize(bytes))
            }
            Err(unknown) => writeln!(text, "estimated scan: unknown: {unknown}"),
        };
        for table in &self.tables {
            table.write_text(&mut text);
        }
        text
    }
}

const EXACT: &str = "exact";

impl TableEstimate {
    fn of(read: &Read<'_>, table: String, quality: &'static str) -> Self {
        Self {
            table,
            quality,
            unknown: None,
            filter: read.filter.predicate.to_rest_json(),
            files: None,
            bytes: None,
            delete_files: None,
            delete_bytes: None,
            snapshot: None,
            pruned: None,
            unused_conditions: read
                .unused
                .iter()
                .map(|unused| UnusedText {
                    condition: unused.text.clone(),
                    reason: unused.reason.as_str(),
                    suggestion: unused.suggestion.clone(),
                })
                .collect(),
        }
    }

    pub(super) fn unknown(read: &Read<'_>, unknown: Unknown) -> Self {
        Self {
            unknown: Some(unknown),
            ..Self::of(read, read.name.to_string(), "unknown")
        }
    }

    /// A list that the engine makes up itself: no data file is read.
    pub(super) fn engine_metadata(read: &Read<'_>) -> Self {
        Self {
            filter: json!(true),
            files: Some(0),
            bytes: Some(0),
            delete_files: Some(0),
            delete_bytes: Some(0),
            ..Self::of(read, read.name.to_string(), EXACT)
        }
    }

    pub(super) fn planned(read: &Read<'_>, name: &QualifiedName, snapshot: String, planned: &Arc<Planned>) -> Self {
        let exact = planned.exact && read.filter.exact;
        Self {
            filter: planned.filter.clone(),
            files: Some(planned.files),
            bytes: Some(planned.bytes),
            delete_files: Some(planned.delete_files),
            delete_bytes: Some(planned.delete_bytes),
            snapshot: Some(snapshot),
            pruned: Some(planned.pruned.clone()),
            ..Self::of(read, name.to_string(), if exact { EXACT } else { "upper bound" })
        }
    }

    fn total(&self) -> Option<u64> {
        self.bytes?.checked_add(self.delete_bytes?)
    }

    fn write_text(&self, text: &mut String) {
        use std::fmt::Write;
        let _ = writeln!(text, "{}: {}", self.table, self.quality);
        if let Some(unknown) = &self.unknown {
            let _ = writeln!(text, "  unknown: {}", unknown.cause);
        }
        let _ = writeln!(text, "  filter: {}", self.filter);
        if let (Some(files), Some(bytes)) = (self.files, self.bytes) {
            let _ = writeln!(text, "  data: {files} files, {} ({bytes} bytes)", ByteSize(bytes));
        }
        if let (Some(files @ 1..), Some(bytes)) = (self.delete_files, self.delete_bytes) {
            let _ = writeln!(text, "  deletes: {files} files, {} ({bytes} bytes)", ByteSize(bytes));
        }
        if let Some(pruned) = &self.pruned {
            let _ = writeln!(
                text,
                "  pruned: {} of {} manifests by their summaries, {} of {} files by partition, {} by statistics",
                pruned.manifests_skipped,
                pruned.manifests,
                pruned.by_partition,
                pruned.files_seen,
                pruned.by_statistics
            );
        }
        if let Some(snapshot) = &self.snapshot {
            let _ = writeln!(text, "  snapshot: {snapshot}");
        }
        for unused in &self.unused_conditions {
            let _ = writeln!(text, "  does not prune: {} ({})", unused.condition, unused.reason);
            if let Some(suggestion) = &unused.suggestion {
                let _ = writeln!(text, "    instead: {suggestion}");
            }
        }
    }
}
