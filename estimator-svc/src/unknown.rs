//! Why something is unknown: an answer with words for people and a label for metrics.
//!
//! Whatever cannot be read, decoded or decided in time ends here and never as a small number. Not here: failures of
//! the service itself ([`crate::error`]).

use std::fmt;

use serde::{Serialize, Serializer};

/// Why there is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The text was not understood.
    NotUnderstood,
    /// The name is not complete, and neither client nor configuration gives the rest.
    NoDefault,
    /// The service knows no catalog of that name.
    UnknownCatalog(String),
    /// The catalog does not answer.
    CatalogUnreachable(String),
    /// The catalog has no such table; a view looks the same to it.
    NoSuchTable,
    /// `"t$files"` and its like.
    MetadataTable,
    /// The table is there, and its metadata cannot be read.
    TableUnreadable(String),
    /// The catalog has not confirmed the table's snapshot for too long.
    Stale(String),
    /// A manifest or manifest list cannot be read, or is of a kind that is not read yet.
    ManifestUnreadable(String),
    /// The reader of somebody else's code gave up the hard way.
    Panicked(String),
    /// There was no answer in time.
    Deadline,
    /// The statement reads a snapshot that is not the current one.
    TimeTravel,
    /// A function as a relation: what it reads is its own affair.
    TableFunction,
    /// What the statement runs is a procedure.
    Procedure,
    /// A common table expression refers to itself.
    Recursion,
    /// A common table expression is used several times, and without a syntax tree nobody knows what that adds up to.
    RepeatedCommonTable,
    /// More tables than are planned for one statement.
    TooManyTables,
    /// `*` over something that is not a whole table: how many columns it is, only the engine knows.
    StarOverPart,
    /// Sizes that do not fit 64 bits: the metadata is wrong.
    TooLarge,
}

impl Cause {
    /// A label of a bounded set, for metrics.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NotUnderstood => "not_understood",
            Self::NoDefault => "no_default",
            Self::UnknownCatalog(_) => "unknown_catalog",
            Self::CatalogUnreachable(_) => "catalog_unreachable",
            Self::NoSuchTable => "no_such_table",
            Self::MetadataTable => "metadata_table",
            Self::TableUnreadable(_) => "table_unreadable",
            Self::Stale(_) => "stale",
            Self::ManifestUnreadable(_) => "manifest_unreadable",
            Self::Panicked(_) => "panicked",
            Self::Deadline => "deadline",
            Self::TimeTravel => "time_travel",
            Self::TableFunction => "table_function",
            Self::Procedure => "procedure",
            Self::Recursion => "recursion",
            Self::RepeatedCommonTable => "repeated_common_table",
            Self::TooManyTables => "too_many_tables",
            Self::StarOverPart => "star_over_part",
            Self::TooLarge => "too_large",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnderstood => f.write_str("statement not understood"),
            Self::NoDefault => f.write_str("the name has no catalog or schema, and there is no default"),
            Self::UnknownCatalog(name) => write!(f, "the service knows no catalog `{name}`"),
            Self::CatalogUnreachable(why) => write!(f, "the catalog does not answer: {why}"),
            Self::NoSuchTable => f.write_str("the catalog has no such table (a view looks the same)"),
            Self::MetadataTable => f.write_str("a metadata table has no size of its own"),
            Self::TableUnreadable(why) => write!(f, "its metadata cannot be read: {why}"),
            Self::Stale(why) => write!(f, "its snapshot has not been confirmed for too long: {why}"),
            Self::ManifestUnreadable(why) => write!(f, "its manifests cannot be read: {why}"),
            Self::Panicked(what) => write!(f, "reading its metadata failed: {what}"),
            Self::Deadline => f.write_str("no answer in time"),
            Self::TimeTravel => f.write_str("it is read as of another snapshot than the current one"),
            Self::TableFunction => f.write_str("a table function reads what only it knows"),
            Self::Procedure => f.write_str("a procedure reads what only it knows"),
            Self::Recursion => f.write_str("how often a recursive query reads its tables, only the run tells"),
            Self::RepeatedCommonTable => {
                f.write_str("a common table expression is used several times in a statement that could not be parsed")
            }
            Self::TooManyTables => f.write_str("it names more tables than are planned for one statement"),
            Self::StarOverPart => f.write_str("`*` is not over whole tables"),
            Self::TooLarge => f.write_str("its stated sizes do not fit 64 bits"),
        }
    }
}

/// A cause, and the table it is about if it is about one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The table as the statement names it.
    pub table: Option<String>,
    /// Why.
    pub cause: Cause,
}

impl Unknown {
    /// A cause that concerns one table.
    #[must_use]
    pub fn of_table(table: impl Into<String>, cause: Cause) -> Self {
        Self {
            table: Some(table.into()),
            cause,
        }
    }
}

impl From<Cause> for Unknown {
    fn from(cause: Cause) -> Self {
        Self { table: None, cause }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "{table}: ")?;
        }
        self.cause.fmt(f)
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The first line of an error's text, cut to a length that a header or a log line can hold.
#[must_use]
pub fn brief(error: &dyn fmt::Display) -> String {
    const LONGEST: usize = 240;
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}
