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

/// How the engine's planner hands a disjunction to a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branches {
    /// Whole.
    Whole,
    /// As one set of values for each column: a column is restricted only if every branch restricts it, to what any
    /// branch lets through, whatever the branch says of other columns.
    ByColumn,
}

/// All of these hold.
pub(super) fn all_of(parts: Vec<Outcome>) -> Outcome {
    let (mut combined, predicates) = gather(parts);
    combined.predicate = Predicate::and(predicates);
    // AND with something impossible is impossible, however little is known of the rest.
    combined.exact |= combined.predicate == Predicate::AlwaysFalse;
    if combined.exact {
        combined.reason = None;
    }
    combined
}

/// One of these holds.
pub(super) fn any_of(parts: Vec<Outcome>, branches: Branches) -> Outcome {
    let (mut combined, mut predicates) = gather(parts);
    predicates.retain(|predicate| *predicate != Predicate::AlwaysFalse);
    combined.predicate = match branches {
        Branches::ByColumn if predicates.len() > 1 => {
            let mut columns = BTreeSet::new();
            for predicate in &predicates {
                columns_of(predicate, &mut columns);
            }
            combined.exact &= columns.len() < 2 || predicates.contains(&Predicate::AlwaysTrue);
            by_column(predicates, &columns)
        }
        Branches::ByColumn | Branches::Whole => Predicate::or(predicates),
    };
    combined.exact |= combined.predicate == Predicate::AlwaysFalse;
    combined.reason = match (combined.exact, combined.reason) {
        (true, _) => None,
        (false, Some(UnusedReason::AmbiguousColumn)) => Some(UnusedReason::AmbiguousColumn),
        (false, _) => Some(UnusedReason::Disjunction),
    };
    combined
}

fn gather(parts: Vec<Outcome>) -> (Outcome, Vec<Predicate>) {
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
    (combined, predicates)
}

fn by_column(branches: Vec<Predicate>, columns: &BTreeSet<Column>) -> Predicate {
    if columns.len() < 2 {
        return Predicate::or(branches);
    }
    let of_column = |column| Predicate::or(branches.iter().map(|branch| about(branch, column)));
    Predicate::and(columns.iter().map(of_column))
}

fn columns_of(predicate: &Predicate, columns: &mut BTreeSet<Column>) {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                columns_of(part, columns);
            }
        }
        Predicate::Compare(column, ..)
        | Predicate::In { column, .. }
        | Predicate::IsNull { column, .. }
        | Predicate::StartsWith { column, .. } => {
            if !columns.contains(column) {
                columns.insert(column.clone());
            }
        }
        Predicate::AlwaysTrue | Predicate::AlwaysFalse => {}
    }
}

/// What of a predicate is about one column; the rest is taken for true, so that it is implied.
fn about(predicate: &Predicate, only: &Column) -> Predicate {
    match predicate {
        Predicate::And(parts) => Predicate::and(parts.iter().map(|part| about(part, only))),
        Predicate::Or(parts) => Predicate::or(parts.iter().map(|part| about(part, only))),
        Predicate::Compare(column, ..)
        | Predicate::In { column, .. }
        | Predicate::IsNull { column, .. }
        | Predicate::StartsWith { column, .. }
            if column != only =>
        {
            Predicate::AlwaysTrue
        }
        other => other.clone(),
    }
}

/// The condition is always true, or never.
pub(super) fn constant_outcome(holds: bool) -> Outcome {
    Outcome::exactly(if holds {
        Predicate::AlwaysTrue
    } else {
        Predicate::AlwaysFalse
    })
}
