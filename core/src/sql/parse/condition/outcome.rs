//! The answer to what a condition says about one relation, and how answers combine.

use std::collections::BTreeSet;

use super::UnusedReason;
use crate::predicate::{Column, Predicate};

/// What a condition says about one relation.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Outcome {
    /// Implied by the condition.
    pub(in super::super) predicate: Predicate,
    /// Equivalent to it.
    pub(in super::super) exact: bool,
    /// It is, or may be, about this relation.
    pub(in super::super) touches: bool,
    /// Why it is not exact.
    pub(in super::super) reason: Option<UnusedReason>,
    /// Columns in order comparisons that a NOT has turned around.
    pub(in super::super) nan_columns: BTreeSet<Column>,
}

impl Outcome {
    pub(in super::super) fn exactly(predicate: Predicate) -> Self {
        Self {
            predicate,
            exact: true,
            touches: true,
            reason: None,
            nan_columns: BTreeSet::new(),
        }
    }

    /// Any row may take part, although the condition speaks of this relation.
    pub(in super::super) fn unused(reason: UnusedReason) -> Self {
        Self {
            exact: false,
            reason: Some(reason),
            ..Self::exactly(Predicate::AlwaysTrue)
        }
    }

    pub(super) fn elsewhere() -> Self {
        Self {
            exact: false,
            touches: false,
            ..Self::exactly(Predicate::AlwaysTrue)
        }
    }
}

/// True if a row of NULLs could satisfy the predicate by a leaf that accepts NULL.
///
/// Stricter than evaluating it: `a = 1 AND b IS NULL` counts, because the leaf on `a` may turn out not to bind.
pub(in super::super) fn accepts_null(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(accepts_null),
        Predicate::IsNull { negated, .. } => !negated,
        Predicate::AlwaysTrue
        | Predicate::AlwaysFalse
        | Predicate::Compare(..)
        | Predicate::In { .. }
        | Predicate::StartsWith { .. } => false,
    }
}

/// All of these hold, or one of them.
pub(super) fn combine(parts: Vec<Outcome>, all: bool) -> Outcome {
    let mut combined = Outcome {
        touches: false,
        ..Outcome::exactly(Predicate::AlwaysTrue)
    };
    let mut predicates = Vec::with_capacity(parts.len());
    for part in parts {
        combined.exact &= part.exact;
        combined.touches |= part.touches;
        combined.reason = combined.reason.or(part.reason);
        combined.nan_columns.extend(part.nan_columns);
        predicates.push(part.predicate);
    }
    combined.predicate = if all {
        Predicate::and(predicates)
    } else {
        Predicate::or(predicates)
    };
    // AND with something impossible is impossible, however little is known of the rest.
    combined.exact |= combined.predicate == Predicate::AlwaysFalse;
    if combined.exact {
        combined.reason = None;
    } else if !all {
        combined.reason = Some(match combined.reason {
            Some(UnusedReason::AmbiguousColumn) => UnusedReason::AmbiguousColumn,
            _ => UnusedReason::Disjunction,
        });
    }
    combined
}

/// The condition is always true, or never.
pub(super) fn constant_outcome(holds: bool) -> Outcome {
    Outcome::exactly(if holds {
        Predicate::AlwaysTrue
    } else {
        Predicate::AlwaysFalse
    })
}
