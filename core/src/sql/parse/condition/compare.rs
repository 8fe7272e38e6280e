//! Comparisons: of a column, a function of one, or a tuple with constants.

use std::collections::BTreeSet;

use sqlparser::ast::{BinaryOperator, Expr};

use super::super::fold::{Folded, fold};
use super::super::invert::inverted;
use super::super::literal::{Constant, constant};
use super::operand::{Operand, reason};
use super::outcome::{Outcome, constant_outcome};
use super::{Translator, UnusedReason};
use crate::predicate::{Column, Comparison, Literal, Predicate};

impl Translator<'_, '_> {
    pub(super) fn compare(&self, left: &Expr, op: Comparison, right: &Expr, negated: bool) -> Outcome {
        let op = if negated { op.negated() } else { op };
        let inverted = self.inverted(left, op, right);
        if let Some(outcome) = inverted.or_else(|| self.inverted(right, op.mirrored(), left)) {
            return outcome;
        }
        if op == Comparison::Eq
            && let Some(outcome) = self.cast_text(left, right).or_else(|| self.cast_text(right, left))
        {
            return outcome;
        }
        match (self.operand(left), self.operand(right)) {
            (Operand::Own(column), Operand::Constant(value)) => compared(column, op, value, negated),
            (Operand::Constant(value), Operand::Own(column)) => compared(column, op.mirrored(), value, negated),
            (Operand::Constant(left), Operand::Constant(right)) => constants(&left, op, &right),
            (Operand::Own(column), Operand::Span(low, high)) => spanned(column, op, low, high),
            (Operand::Span(low, high), Operand::Own(column)) => spanned(column, op.mirrored(), low, high),
            (Operand::Constant(_) | Operand::Span(..), Operand::Constant(_) | Operand::Span(..)) => {
                Outcome::unused(UnusedReason::Other)
            }
            (Operand::Elsewhere, Operand::Constant(_) | Operand::Span(..))
            | (Operand::Constant(_) | Operand::Span(..), Operand::Elsewhere) => Outcome::elsewhere(),
            (Operand::Elsewhere, Operand::Elsewhere) => Outcome::elsewhere(),
            (Operand::Unclear, _) | (_, Operand::Unclear) => Outcome::unused(UnusedReason::AmbiguousColumn),
            (Operand::Other(reason), _) | (_, Operand::Other(reason)) => {
                if self.may_be_about(left) || self.may_be_about(right) {
                    Outcome::unused(reason)
                } else {
                    Outcome::elsewhere()
                }
            }
            (Operand::Own(_), Operand::Own(_) | Operand::Elsewhere) | (Operand::Elsewhere, Operand::Own(_)) => {
                Outcome::unused(UnusedReason::ColumnComparison)
            }
        }
    }

    /// Tuples of one of which all members are equal, or, negated, that there is none. Trino compares rows as rows and
    /// prunes nothing by them.
    pub(super) fn tuples(&self, whole: &Expr, tuples: Vec<Vec<(&Expr, &Expr)>>, negated: bool) -> Outcome {
        if self.scope.session.known_engine {
            return self.unused(whole, UnusedReason::Expression);
        }
        let tuples = tuples.into_iter().map(|pairs| {
            let pairs = pairs.into_iter();
            let parts = pairs.map(|(left, right)| self.compare(left, Comparison::Eq, right, negated));
            self.combine(parts.collect(), !negated)
        });
        self.combine(tuples.collect(), negated)
    }

    pub(super) fn in_list(&self, whole: &Expr, value: &Expr, items: &[Expr], negated: bool) -> Outcome {
        if let Some(outcome) = self.special_list(value, items, negated) {
            return outcome;
        }
        let column = match self.operand(value) {
            Operand::Own(column) => column,
            Operand::Elsewhere if !items.iter().any(|item| self.may_be_about(item)) => return Outcome::elsewhere(),
            Operand::Elsewhere => return Outcome::unused(UnusedReason::ColumnComparison),
            Operand::Unclear => return Outcome::unused(UnusedReason::AmbiguousColumn),
            Operand::Constant(_) | Operand::Span(..) => return self.unused(whole, UnusedReason::Expression),
            Operand::Other(reason) => return self.unused(whole, reason),
        };
        let mut literals = Vec::with_capacity(items.len());
        let mut has_null = false;
        let mut other = None;
        for item in items {
            match self.value(item) {
                Operand::Constant(Constant::Literal(literal)) => literals.push(literal),
                Operand::Constant(Constant::Null) => has_null = true,
                _ => other = Some(reason(item)),
            }
        }
        match (negated, other) {
            // With a NULL in the list, NOT IN is never true.
            (true, _) if has_null => Outcome::exactly(Predicate::AlwaysFalse),
            // Each known value is excluded, whatever the others are.
            (true, Some(reason)) if !literals.is_empty() => Outcome {
                exact: false,
                reason: Some(reason),
                ..Outcome::exactly(Predicate::In {
                    column,
                    literals,
                    negated,
                })
            },
            (_, Some(reason)) => Outcome::unused(reason),
            (false, None) if literals.is_empty() => Outcome::exactly(Predicate::AlwaysFalse),
            (_, None) => Outcome::exactly(Predicate::In {
                column,
                literals,
                negated,
            }),
        }
    }

    /// A list that a function or a cast of a column is compared with.
    fn special_list(&self, value: &Expr, items: &[Expr], negated: bool) -> Option<Outcome> {
        if let [item] = items
            && inverted(value).is_some()
        {
            // A list of one is a comparison to the engine too.
            return Some(self.compare(value, Comparison::Eq, item, negated));
        }
        if negated {
            return None;
        }
        if let Some(function) = inverted(value).filter(|_| self.turns_around()) {
            let years = items.iter().map(|item| match fold(item, self.scope.session.now) {
                Some(Folded::Number(year)) => Some(year),
                _ => None,
            });
            let years = years.collect::<Option<BTreeSet<i64>>>()?;
            return self.turned_around(function.of, |column| function.years(column, &years));
        }
        let parts = items.iter().map(|item| self.cast_text(value, item));
        let parts = parts.collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty())?;
        Some(self.combine(parts, false))
    }

    /// `CAST(column AS varchar) = 'text'`. A column that is text already is compared as it is; one that is not prunes
    /// nothing. That the text is a prefix is true of the first, and a prefix binds to no column that is not text.
    fn cast_text(&self, cast: &Expr, value: &Expr) -> Option<Outcome> {
        let of = self.text_within(cast)?;
        let Some(Constant::Literal(Literal::String(text))) = constant(value) else {
            return None;
        };
        match self.operand(of) {
            Operand::Own(column) if is_for_text(&text) => Some(starting(column, text)),
            _ => None,
        }
    }

    /// Functions of columns become ranges. Under OR, Trino first makes one list of several comparisons, and turns no
    /// function of a list around; nor does it for a time with zone whatever the comparisons are. For a time with zone
    /// the connector does it, which sees no condition that has come through a join; and whether the column has a zone is
    /// not known here.
    fn turns_around(&self) -> bool {
        let session = self.scope.session;
        session.known_engine && self.branches.get() == 0 && self.scope.reads_one_table(self.relation)
    }

    fn turned_around(&self, of: &Expr, range: impl FnOnce(&Column) -> Option<(Predicate, bool)>) -> Option<Outcome> {
        match self.operand(of) {
            Operand::Own(column) => {
                let (predicate, exact) = range(&column)?;
                Some(Outcome {
                    exact,
                    reason: (!exact).then_some(UnusedReason::Function),
                    ..Outcome::exactly(predicate)
                })
            }
            Operand::Elsewhere => Some(Outcome::elsewhere()),
            _ => None,
        }
    }

    /// `function(column) op constant`, where the engine makes it a range of the column.
    fn inverted(&self, function: &Expr, op: Comparison, value: &Expr) -> Option<Outcome> {
        let function = inverted(function).filter(|_| self.turns_around())?;
        let value = fold(value, self.scope.session.now)?;
        self.turned_around(function.of, |column| function.range(column, op, value))
    }
}

/// What starts like a number or a date is compared with a number or a date, most likely: nothing prunes then, and the
/// condition is to be named with its remedy rather than believed.
pub(super) fn is_for_text(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
}

/// The column is text that starts so; if it is not text, this says nothing.
pub(super) fn starting(column: Column, prefix: String) -> Outcome {
    Outcome {
        exact: false,
        reason: Some(UnusedReason::Cast),
        ..Outcome::exactly(Predicate::StartsWith {
            column,
            prefix,
            negated: false,
        })
    }
}

/// The members of two tuples of one length, side by side.
pub(super) fn tuples<'e>(left: &'e Expr, right: &'e Expr) -> Option<Vec<(&'e Expr, &'e Expr)>> {
    match (left, right) {
        (Expr::Tuple(left), Expr::Tuple(right)) if left.len() == right.len() => Some(left.iter().zip(right).collect()),
        _ => None,
    }
}

fn compared(column: Column, op: Comparison, value: Constant, turned_around: bool) -> Outcome {
    let Constant::Literal(literal) = value else {
        return Outcome::exactly(Predicate::AlwaysFalse);
    };
    let orders = !matches!(op, Comparison::Eq | Comparison::NotEq);
    let could_be_a_float = !matches!(literal, Literal::Boolean(_) | Literal::Date(_) | Literal::Timestamp(_));
    let mut nan_columns = BTreeSet::new();
    if turned_around && orders && could_be_a_float {
        nan_columns.insert(column.clone());
    }
    Outcome {
        nan_columns,
        ..Outcome::exactly(Predicate::Compare(column, op, literal))
    }
}

/// A comparison with a constant that lies somewhere between two.
fn spanned(column: Column, op: Comparison, low: Literal, high: Literal) -> Outcome {
    let predicate = match op {
        Comparison::Lt | Comparison::LtEq => Predicate::Compare(column, op, high),
        Comparison::Gt | Comparison::GtEq => Predicate::Compare(column, op, low),
        Comparison::Eq => Predicate::and([
            Predicate::Compare(column.clone(), Comparison::GtEq, low),
            Predicate::Compare(column, Comparison::LtEq, high),
        ]),
        Comparison::NotEq => Predicate::AlwaysTrue,
    };
    Outcome {
        exact: false,
        reason: Some(UnusedReason::Function),
        ..Outcome::exactly(predicate)
    }
}

/// `1 = 0` and its kind, which tools write to ask for no rows.
fn constants(left: &Constant, op: Comparison, right: &Constant) -> Outcome {
    let (Constant::Literal(left), Constant::Literal(right)) = (left, right) else {
        return Outcome::exactly(Predicate::AlwaysFalse);
    };
    let ordering = match (left, right) {
        (Literal::Integer(left), Literal::Integer(right)) => left.cmp(right),
        (Literal::Boolean(left), Literal::Boolean(right)) => left.cmp(right),
        (Literal::String(left), Literal::String(right)) if left == right => std::cmp::Ordering::Equal,
        _ => return Outcome::unused(UnusedReason::Other),
    };
    constant_outcome(match op {
        Comparison::Eq => ordering.is_eq(),
        Comparison::NotEq => ordering.is_ne(),
        Comparison::Lt => ordering.is_lt(),
        Comparison::LtEq => ordering.is_le(),
        Comparison::Gt => ordering.is_gt(),
        Comparison::GtEq => ordering.is_ge(),
    })
}

/// The comparison that an operator is.
pub(super) fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    match op {
        BinaryOperator::Eq => Some(Comparison::Eq),
        BinaryOperator::NotEq => Some(Comparison::NotEq),
        BinaryOperator::Lt => Some(Comparison::Lt),
        BinaryOperator::LtEq => Some(Comparison::LtEq),
        BinaryOperator::Gt => Some(Comparison::Gt),
        BinaryOperator::GtEq => Some(Comparison::GtEq),
        _ => None,
    }
}
