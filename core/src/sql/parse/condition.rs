//! From a condition to a predicate over one relation.
//!
//! [`translate`] asks: which rows of this relation may take part if the condition is true, or, under NOT, false? The
//! answer is implied by the question in three-valued logic:
//!
//! - A leaf is translated for the truth value asked for. `a = 1` is true only for 1, false only for other values that
//!   are not NULL, so neither form accepts NULL, and a comparison with NULL accepts nothing.
//! - "AND is true" and "OR is false" need all parts, "AND is false" and "OR is true" need one.
//! - OR is one set of values for each column where the planner is known to hand it to a scan so, and nothing where it
//!   spans several tables ([`outcome`], [`place`]).
//! - What is not understood, or is about other relations, is "any row" in either polarity. That is why NOT needs no
//!   rule of its own here: it turns the question around, and is never applied to an answer.
//!
//! Recursion follows the nesting of AND inside OR inside AND; chains are flattened in a loop. Not here: how constants are
//! computed and functions turned around, and which tables a relation's columns come from.

mod compare;
mod operand;
mod outcome;
mod pattern;
mod place;

use std::cell::Cell;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator};

use self::compare::{comparison, tuples};
pub(super) use self::operand::is_context_value;
use self::operand::{Operand, reason};
use self::outcome::{Branches, all_of, any_of, constant_outcome};
pub(super) use self::outcome::{Outcome, accepts_null};
use self::pattern::starts_with;
use super::UnusedReason;
use super::literal::{Constant, constant};
use super::scope::Scope;
use crate::predicate::{Column, Comparison, Literal, Predicate};

/// Deeper conditions come from chains of postfix operators (`a IS TRUE IS TRUE ..`) alone.
const MAX_DEPTH: usize = 150;
/// A condition and whether it must be false rather than true.
pub(super) type Asked<'e> = (&'e Expr, bool);

/// The parts that must all hold for the condition to be true.
pub(super) fn conjuncts(condition: &Expr) -> Vec<Asked<'_>> {
    flatten((condition, false), true)
}

/// Takes apart a chain: into parts that must all hold, or of which one must.
fn flatten(asked: Asked<'_>, all: bool) -> Vec<Asked<'_>> {
    let mut parts = Vec::new();
    let mut stack = vec![asked];
    while let Some((expr, negated)) = stack.pop() {
        match expr {
            Expr::Nested(inner) => stack.push((inner, negated)),
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr: inner,
            } => stack.push((inner, !negated)),
            Expr::BinaryOp { left, op, right } if chains(op, negated) == Some(all) => {
                stack.push((right, negated));
                stack.push((left, negated));
            }
            _ => parts.push((expr, negated)),
        }
    }
    parts
}

/// Whether the operator, asked this way, needs all its parts or one of them.
fn chains(op: &BinaryOperator, negated: bool) -> Option<bool> {
    match op {
        BinaryOperator::And => Some(!negated),
        BinaryOperator::Or => Some(negated),
        _ => None,
    }
}

/// What the condition says about the relation with this index.
pub(super) fn translate(asked: Asked<'_>, scope: &Scope<'_>, relation: usize) -> Outcome {
    let translator = Translator {
        scope,
        relation,
        uncertain: Cell::new(false),
        branches: Cell::new(0),
    };
    let mut outcome = translator.condition(asked, 0);
    outcome.exact &= !translator.uncertain.get();
    outcome
}

struct Translator<'s, 'e> {
    scope: &'s Scope<'e>,
    relation: usize,
    /// A name without qualifier has been taken for this relation's.
    uncertain: Cell<bool>,
    /// Disjunctions around the condition at hand.
    branches: Cell<usize>,
}

/// Leaves a disjunction when dropped.
struct InBranches<'c>(&'c Cell<usize>);

impl Drop for InBranches<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Translator<'_, '_> {
    fn condition(&self, asked: Asked<'_>, depth: usize) -> Outcome {
        if depth > MAX_DEPTH {
            return Outcome::unused(UnusedReason::Other);
        }
        let (expr, negated) = strip(asked);
        match expr {
            Expr::BinaryOp { left, op, right } => match (chains(op, negated), comparison(op)) {
                (Some(all), _) => self.chain((expr, negated), all, depth),
                (None, Some(Comparison::Eq)) if tuples(left, right).is_some() => {
                    self.tuples(expr, vec![tuples(left, right).unwrap_or_default()], negated)
                }
                (None, Some(Comparison::NotEq)) if tuples(left, right).is_some() => {
                    self.tuples(expr, vec![tuples(left, right).unwrap_or_default()], !negated)
                }
                (None, Some(op)) => self.compare(left, op, right, negated),
                (None, None) if *op == BinaryOperator::Spaceship => self.distinct(left, right, !negated),
                (None, None) => self.unused(expr, UnusedReason::Expression),
            },
            Expr::Between {
                expr: value,
                negated: not,
                low,
                high,
            } => {
                let negated = negated != *not;
                let _branches = negated.then(|| self.enter_branches());
                let bounds = [
                    self.compare(value, Comparison::GtEq, low, negated),
                    self.compare(value, Comparison::LtEq, high, negated),
                ];
                self.combine(bounds.into(), !negated)
            }
            Expr::In {
                expr: value,
                target: InTarget::List(items),
                negated: not,
                ..
            } => match items.iter().map(|item| tuples(value, item)).collect::<Option<Vec<_>>>() {
                Some(items) if !items.is_empty() => self.tuples(expr, items, negated != *not),
                _ => self.in_list(expr, value, items, negated != *not),
            },
            Expr::In { .. } | Expr::Exists { .. } => self.unused(expr, UnusedReason::Subquery),
            Expr::IsNull(value) | Expr::IsUnknown(value) => self.is_null(expr, value, negated),
            Expr::IsNotNull(value) | Expr::IsNotUnknown(value) => self.is_null(expr, value, !negated),
            Expr::IsTrue(inner) => self.truth(expr, inner, true, negated, depth),
            Expr::IsNotTrue(inner) => self.truth(expr, inner, true, !negated, depth),
            Expr::IsFalse(inner) => self.truth(expr, inner, false, negated, depth),
            Expr::IsNotFalse(inner) => self.truth(expr, inner, false, !negated, depth),
            Expr::IsDistinctFrom(left, right) => self.distinct(left, right, negated),
            Expr::IsNotDistinctFrom(left, right) => self.distinct(left, right, !negated),
            Expr::Value(_) => match constant(expr) {
                Some(Constant::Literal(Literal::Boolean(value))) => constant_outcome(value != negated),
                Some(Constant::Null) => Outcome::exactly(Predicate::AlwaysFalse),
                _ => self.unused(expr, UnusedReason::Other),
            },
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => match self.operand(expr) {
                Operand::Own(column) => Outcome::exactly(boolean(column, !negated)),
                Operand::Elsewhere => Outcome::elsewhere(),
                Operand::Unclear => Outcome::unused(UnusedReason::AmbiguousColumn),
                Operand::Constant(_) | Operand::Span(..) | Operand::Other(_) => Outcome::unused(UnusedReason::Other),
            },
            Expr::Like {
                negated: not,
                any: false,
                expr: value,
                pattern,
                escape_char: None,
            } => self.like(expr, value, pattern, negated != *not),
            Expr::Function(call) => match starts_with(call) {
                // Trino has the function, and makes no range of it.
                Some((value, prefix)) if !self.scope.session.known_engine => {
                    self.prefixed(expr, value, prefix, negated)
                }
                _ => self.unused(expr, UnusedReason::Function),
            },
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => {
                self.unused(expr, UnusedReason::Pattern)
            }
            other => self.unused(expr, reason(other)),
        }
    }

    fn chain(&self, asked: Asked<'_>, all: bool, depth: usize) -> Outcome {
        let outermost = self.branches.get() == 0;
        if !all && outermost && self.scope.session.known_engine && !self.in_one_place(asked.0) {
            return self.unused(asked.0, UnusedReason::Disjunction);
        }
        let _branches = (!all).then(|| self.enter_branches());
        let parts = flatten(asked, all);
        self.combine(
            parts.into_iter().map(|part| self.condition(part, depth + 1)).collect(),
            all,
        )
    }

    fn combine(&self, parts: Vec<Outcome>, all: bool) -> Outcome {
        match (all, self.scope.session.known_engine) {
            (true, _) => all_of(parts),
            (false, true) => any_of(parts, Branches::ByColumn),
            (false, false) => any_of(parts, Branches::Whole),
        }
    }

    /// Counts one disjunction more until what comes back is dropped.
    fn enter_branches(&self) -> InBranches<'_> {
        self.branches.set(self.branches.get() + 1);
        InBranches(&self.branches)
    }

    fn is_null(&self, whole: &Expr, value: &Expr, negated: bool) -> Outcome {
        match self.operand(value) {
            Operand::Own(column) => Outcome::exactly(Predicate::IsNull { column, negated }),
            Operand::Elsewhere => Outcome::elsewhere(),
            Operand::Unclear => Outcome::unused(UnusedReason::AmbiguousColumn),
            Operand::Constant(constant) => constant_outcome((constant == Constant::Null) != negated),
            Operand::Span(..) => constant_outcome(negated),
            Operand::Other(reason) => self.unused(whole, reason),
        }
    }

    /// `inner IS TRUE` or `IS FALSE`, or that it is not.
    fn truth(&self, whole: &Expr, inner: &Expr, wanted: bool, negated: bool, depth: usize) -> Outcome {
        if !negated {
            return self.condition((inner, !wanted), depth + 1);
        }
        // "Not true" is false or unknown; unknown has a predicate only for a plain column.
        match self.operand(inner) {
            Operand::Own(column) => Outcome::exactly(Predicate::or([
                boolean(column.clone(), !wanted),
                Predicate::IsNull { column, negated: false },
            ])),
            Operand::Elsewhere => Outcome::elsewhere(),
            Operand::Unclear => Outcome::unused(UnusedReason::AmbiguousColumn),
            Operand::Constant(_) | Operand::Span(..) | Operand::Other(_) => self.unused(whole, UnusedReason::Other),
        }
    }

    /// `left IS DISTINCT FROM right`, or, `same`, that it is not.
    fn distinct(&self, left: &Expr, right: &Expr, same: bool) -> Outcome {
        let (column, value) = match (self.operand(left), self.operand(right)) {
            (Operand::Own(column), Operand::Constant(value)) | (Operand::Constant(value), Operand::Own(column)) => {
                (column, value)
            }
            (Operand::Elsewhere, Operand::Constant(_) | Operand::Elsewhere)
            | (Operand::Constant(_), Operand::Elsewhere) => {
                return Outcome::elsewhere();
            }
            (Operand::Unclear, _) | (_, Operand::Unclear) => return Outcome::unused(UnusedReason::AmbiguousColumn),
            (Operand::Other(reason), _) | (_, Operand::Other(reason)) => return Outcome::unused(reason),
            _ => return Outcome::unused(UnusedReason::ColumnComparison),
        };
        Outcome::exactly(match (value, same) {
            (Constant::Null, _) => Predicate::IsNull { column, negated: !same },
            (Constant::Literal(literal), true) => Predicate::Compare(column, Comparison::Eq, literal),
            (Constant::Literal(literal), false) => Predicate::or([
                Predicate::Compare(column.clone(), Comparison::NotEq, literal),
                Predicate::IsNull { column, negated: false },
            ]),
        })
    }
}

fn strip(asked: Asked<'_>) -> Asked<'_> {
    let (mut expr, mut negated) = asked;
    loop {
        match expr {
            Expr::Nested(inner) => expr = inner,
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr: inner,
            } => {
                expr = inner;
                negated = !negated;
            }
            _ => return (expr, negated),
        }
    }
}

fn boolean(column: Column, value: bool) -> Predicate {
    Predicate::Compare(column, Comparison::Eq, Literal::Boolean(value))
}
