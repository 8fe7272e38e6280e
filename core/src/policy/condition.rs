//! What a rule asks of a statement: signal names with a test, combined by `any_of`, `all_of` and `not`.
//!
//! This is the checked form; [`super::check`] makes it from the file. Not here: evaluation ([`crate::decision`]).

/// A signal that a rule may name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    /// `client_tag`: any of the client's tags.
    ClientTag,
    /// `source`: the client program.
    Source,
    /// `user`: the user name sent (a claim).
    User,
    /// `session_property`: a session property as `name=value`, or as `name` whatever its value.
    SessionProperty,
    /// `statement_kind`: `query`, `insert`, `merge`, ..
    StatementKind,
    /// `principal_class`: the first of the policy's principals that fits.
    PrincipalClass,
    /// `estimated_bytes`
    EstimatedBytes,
    /// `session_bytes_remaining`
    SessionBytesRemaining,
    /// `join_tables`
    JoinTables,
    /// `output_columns`
    OutputColumns,
    /// `reflection_covers_query`
    ReflectionCoversQuery,
    /// `has_window_over_large_partition`
    HasWindowOverLargePartition,
    /// `has_udf`
    HasUdf,
    /// `no_expensive_ops`
    NoExpensiveOps,
    /// `limit_bounds_scan`
    LimitBoundsScan,
    /// `<engine>_queue_wait_ms`
    QueueWaitMs(String),
}

/// What a signal's values are, and so which tests and units it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalType {
    /// Text, compared with one or several words.
    Text,
    /// A number of bytes: `50 GB`.
    Bytes,
    /// A plain number.
    Count,
    /// Milliseconds: `500` or `500 ms` or `2 s`.
    Millis,
    /// `true` or `false`.
    Flag,
}

/// The suffix of the engines' queue wait signals.
pub const QUEUE_WAIT_SUFFIX: &str = "_queue_wait_ms";

/// The signals with fixed names.
pub const NAMED: [(&str, Signal, SignalType); 15] = [
    ("client_tag", Signal::ClientTag, SignalType::Text),
    ("source", Signal::Source, SignalType::Text),
    ("user", Signal::User, SignalType::Text),
    ("session_property", Signal::SessionProperty, SignalType::Text),
    ("statement_kind", Signal::StatementKind, SignalType::Text),
    ("principal_class", Signal::PrincipalClass, SignalType::Text),
    ("estimated_bytes", Signal::EstimatedBytes, SignalType::Bytes),
    (
        "session_bytes_remaining",
        Signal::SessionBytesRemaining,
        SignalType::Bytes,
    ),
    ("join_tables", Signal::JoinTables, SignalType::Count),
    ("output_columns", Signal::OutputColumns, SignalType::Count),
    (
        "reflection_covers_query",
        Signal::ReflectionCoversQuery,
        SignalType::Flag,
    ),
    (
        "has_window_over_large_partition",
        Signal::HasWindowOverLargePartition,
        SignalType::Flag,
    ),
    ("has_udf", Signal::HasUdf, SignalType::Flag),
    ("no_expensive_ops", Signal::NoExpensiveOps, SignalType::Flag),
    ("limit_bounds_scan", Signal::LimitBoundsScan, SignalType::Flag),
];

impl Signal {
    /// The name in the policy.
    #[must_use]
    pub fn name(&self) -> String {
        if let Self::QueueWaitMs(engine) = self {
            return format!("{engine}{QUEUE_WAIT_SUFFIX}");
        }
        NAMED
            .iter()
            .find(|(_, signal, _)| signal == self)
            .map_or_else(String::new, |(name, ..)| (*name).to_owned())
    }

    /// What its values are.
    #[must_use]
    pub fn signal_type(&self) -> SignalType {
        NAMED
            .iter()
            .find(|(_, signal, _)| signal == self)
            .map_or(SignalType::Millis, |(.., signal_type)| *signal_type)
    }

    /// Does a condition on this signal hold while the signal is unknown?
    ///
    /// The default leans toward the engine whose mistake is affordable: an unknown cost counts as large, an unknown
    /// shape as expensive. What would only be a pleasant surprise (covered, idle, bounded) is not assumed, and
    /// neither is overload or an exhausted budget: not knowing is no reason to spill or to reject.
    #[must_use]
    pub fn holds_when_unknown(&self, test: &Test) -> bool {
        match self {
            Self::EstimatedBytes | Self::JoinTables | Self::OutputColumns => {
                matches!(test, Test::Number(Operator::Gt | Operator::GtEq | Operator::NotEq, _))
            }
            Self::HasWindowOverLargePartition | Self::HasUdf => *test == Test::Is(true),
            Self::NoExpensiveOps | Self::ReflectionCoversQuery | Self::LimitBoundsScan => *test == Test::Is(false),
            _ => false,
        }
    }
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `_lt`
    Lt,
    /// `_lte`
    LtEq,
    /// `_gt`
    Gt,
    /// `_gte`
    GtEq,
    /// `_eq`, or no suffix
    Eq,
    /// `_ne`
    NotEq,
}

/// Suffixes of signal names, with what they mean for numbers. `_in` and no suffix are equality as well.
pub const SUFFIXES: [(&str, Operator); 6] = [
    ("_lte", Operator::LtEq),
    ("_lt", Operator::Lt),
    ("_gte", Operator::GtEq),
    ("_gt", Operator::Gt),
    ("_eq", Operator::Eq),
    ("_ne", Operator::NotEq),
];

/// The test of one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// A number against a bound (bytes, milliseconds or a count).
    Number(Operator, i64),
    /// A number that is one of several.
    NumberIn(Vec<i64>),
    /// Text that is one of these words.
    OneOf(Vec<String>),
    /// Text that is none of these words.
    NoneOf(Vec<String>),
    /// A flag that has this value.
    Is(bool),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// One signal, one test.
    Leaf(Signal, Test),
    /// All must hold; an empty list holds.
    All(Vec<Condition>),
    /// One must hold.
    Any(Vec<Condition>),
    /// It must not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// True if it asks nothing and so always holds.
    #[must_use]
    pub fn is_always(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }
}
