//! Comparisons: of a column, a function of one, or a tuple with constants.

use std::collections::BTreeSet;

use sqlparser::ast::{BinaryOperator, Expr};

use super::super::fold::fold;
use super::super::invert::inverted;
use super::super::literal::Constant;
use super::operand::{Operand, reason};
use super::outcome::{Outcome, combine, constant_outcome};
use super::{Translator, UnusedReason};
use crate::predicate::{Column, Comparison, Literal, Predicate};

impl Translator<'_, '_> {
    pub(super) fn compare(&self, left: &Expr, op: Comparison, right: &Expr, negated: bool) -> Outcome {
        let op = if negated { op.negated() } else { op };
        let inverted = self.inverted(left, op, right);
        if let Some(outcome) = inverted.or_else(|| self.inverted(right, op.mirrored(), left)) {
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

    /// All of these are equal, or, negated, one of them is not.
    pub(super) fn tuple(&self, pairs: Vec<(&Expr, &Expr)>, negated: bool) -> Outcome {
        let parts = pairs
            .into_iter()
            .map(|(left, right)| self.compare(left, Comparison::Eq, right, negated));
        combine(parts.collect(), !negated)
    }

    pub(super) fn in_list(&self, whole: &Expr, value: &Expr, items: &[Expr], negated: bool) -> Outcome {
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

    /// `function(column) op constant`, where the engine makes it a range of the column.
    fn inverted(&self, function: &Expr, op: Comparison, value: &Expr) -> Option<Outcome> {
        if !self.scope.session.known_engine {
            return None;
        }
        let function = inverted(function)?;
        let value = fold(value, self.scope.session.now)?;
        match self.operand(function.of) {
            Operand::Own(column) => {
                let (predicate, exact) = function.range(&column, op, value)?;
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
