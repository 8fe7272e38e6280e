//! From a condition to a predicate over one relation.
//!
//! [`translate`] asks: which rows of this relation may take part if the condition is true, or, under NOT, false? The
//! answer is implied by the question in three-valued logic:
//!
//! - A leaf is translated for the truth value asked for. `a = 1` is true only for 1, false only for other values that
//!   are not NULL, so neither form accepts NULL, and a comparison with NULL accepts nothing.
//! - "AND is true" and "OR is false" need all parts, "AND is false" and "OR is true" need one.
//! - What is not understood, or is about other relations, is "any row" in either polarity. That is why NOT needs no
//!   rule of its own here: it turns the question around, and is never applied to an answer.
//!
//! Recursion follows the nesting of AND inside OR inside AND; chains are flattened in a loop. Not here: conditions whose
//! constants must be computed or whose functions can be inverted.

use std::cell::Cell;
use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, InTarget, UnaryOperator,
    Value,
};

use super::UnusedReason;
use super::fold::{Folded, fold};
use super::invert::inverted;
use super::literal::{Constant, constant};
use super::scope::{Resolved, Scope, column};
use super::walk::{Node, walk};
use crate::predicate::{Column, Comparison, Literal, Predicate};

/// Deeper conditions come from chains of postfix operators (`a IS TRUE IS TRUE ..`) alone.
const MAX_DEPTH: usize = 150;

/// What a condition says about one relation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// Implied by the condition.
    pub(super) predicate: Predicate,
    /// Equivalent to it.
    pub(super) exact: bool,
    /// It is, or may be, about this relation.
    pub(super) touches: bool,
    /// Why it is not exact.
    pub(super) reason: Option<UnusedReason>,
    /// Columns in order comparisons that a NOT has turned around.
    pub(super) nan_columns: BTreeSet<Column>,
}

impl Outcome {
    fn exactly(predicate: Predicate) -> Self {
        Self {
            predicate,
            exact: true,
            touches: true,
            reason: None,
            nan_columns: BTreeSet::new(),
        }
    }

    /// Any row may take part, although the condition speaks of this relation.
    pub(super) fn unused(reason: UnusedReason) -> Self {
        Self {
            exact: false,
            reason: Some(reason),
            ..Self::exactly(Predicate::AlwaysTrue)
        }
    }

    fn elsewhere() -> Self {
        Self {
            exact: false,
            touches: false,
            ..Self::exactly(Predicate::AlwaysTrue)
        }
    }
}

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
    };
    let mut outcome = translator.condition(asked, 0);
    outcome.exact &= !translator.uncertain.get();
    outcome
}

/// True if a row of NULLs could satisfy the predicate by a leaf that accepts NULL.
///
/// Stricter than evaluating it: `a = 1 AND b IS NULL` counts, because the leaf on `a` may turn out not to bind.
pub(super) fn accepts_null(predicate: &Predicate) -> bool {
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

/// One side of a comparison.
enum Operand {
    /// A column of the relation asked about.
    Own(Column),
    /// A column of another relation, or of another query.
    Elsewhere,
    /// A column that could be anyone's.
    Unclear,
    Constant(Constant),
    /// A constant between these.
    Span(Literal, Literal),
    Other(UnusedReason),
}

struct Translator<'s, 'e> {
    scope: &'s Scope<'e>,
    relation: usize,
    /// A name without qualifier has been taken for this relation's.
    uncertain: Cell<bool>,
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
                    self.tuple(tuples(left, right).unwrap_or_default(), negated)
                }
                (None, Some(Comparison::NotEq)) if tuples(left, right).is_some() => {
                    self.tuple(tuples(left, right).unwrap_or_default(), !negated)
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
                let bounds = [
                    self.compare(value, Comparison::GtEq, low, negated),
                    self.compare(value, Comparison::LtEq, high, negated),
                ];
                combine(bounds.into(), !negated)
            }
            Expr::In {
                expr: value,
                target: InTarget::List(items),
                negated: not,
                ..
            } => match items.iter().map(|item| tuples(value, item)).collect::<Option<Vec<_>>>() {
                Some(items) if !items.is_empty() => {
                    let negated = negated != *not;
                    combine(
                        items.into_iter().map(|item| self.tuple(item, negated)).collect(),
                        negated,
                    )
                }
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
            Expr::Function(call) if starts_with(call).is_some() => match starts_with(call) {
                Some((value, prefix)) => self.prefixed(expr, value, prefix, negated),
                None => self.unused(expr, UnusedReason::Function),
            },
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => {
                self.unused(expr, UnusedReason::Pattern)
            }
            other => self.unused(expr, reason(other)),
        }
    }

    fn chain(&self, asked: Asked<'_>, all: bool, depth: usize) -> Outcome {
        let parts = flatten(asked, all);
        combine(
            parts.into_iter().map(|part| self.condition(part, depth + 1)).collect(),
            all,
        )
    }

    fn compare(&self, left: &Expr, op: Comparison, right: &Expr, negated: bool) -> Outcome {
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
    fn tuple(&self, pairs: Vec<(&Expr, &Expr)>, negated: bool) -> Outcome {
        let parts = pairs
            .into_iter()
            .map(|(left, right)| self.compare(left, Comparison::Eq, right, negated));
        combine(parts.collect(), !negated)
    }

    fn in_list(&self, whole: &Expr, value: &Expr, items: &[Expr], negated: bool) -> Outcome {
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

    fn like(&self, whole: &Expr, value: &Expr, pattern: &Expr, negated: bool) -> Outcome {
        let Some(Constant::Literal(Literal::String(text))) = constant(pattern) else {
            return self.unused(whole, UnusedReason::Pattern);
        };
        let pattern = Pattern::of(&text);
        match (self.operand(value), pattern) {
            (Operand::Own(column), Pattern::Text(text)) => {
                let op = if negated { Comparison::NotEq } else { Comparison::Eq };
                Outcome::exactly(Predicate::Compare(column, op, Literal::String(text.to_owned())))
            }
            (Operand::Own(_), Pattern::Prefix(prefix)) => self.prefixed(whole, value, prefix, negated),
            // What starts otherwise does not match; what does not match may start so.
            (Operand::Own(_), Pattern::Longer(prefix)) if !prefix.is_empty() && !negated => Outcome {
                exact: false,
                reason: Some(UnusedReason::Pattern),
                ..self.prefixed(whole, value, prefix, negated)
            },
            (Operand::Elsewhere, _) => Outcome::elsewhere(),
            _ => self.unused(whole, UnusedReason::Pattern),
        }
    }

    fn prefixed(&self, whole: &Expr, value: &Expr, prefix: &str, negated: bool) -> Outcome {
        match self.operand(value) {
            Operand::Own(column) if prefix.is_empty() && !negated => {
                Outcome::exactly(Predicate::IsNull { column, negated: true })
            }
            Operand::Own(_) if prefix.is_empty() => Outcome::exactly(Predicate::AlwaysFalse),
            Operand::Own(column) => Outcome::exactly(Predicate::StartsWith {
                column,
                prefix: prefix.to_owned(),
                negated,
            }),
            Operand::Elsewhere => Outcome::elsewhere(),
            _ => self.unused(whole, UnusedReason::Pattern),
        }
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

    /// What is no column.
    fn value(&self, expr: &Expr) -> Operand {
        if let Some(value) = constant(expr) {
            return Operand::Constant(value);
        }
        match fold(expr, self.scope.session.now).and_then(Folded::literals) {
            Some((low, high)) if low == high => Operand::Constant(Constant::Literal(low)),
            Some((low, high)) => Operand::Span(low, high),
            None if matches!(expr, Expr::Identifier(_)) => Operand::Other(UnusedReason::Function),
            None => Operand::Other(reason(expr)),
        }
    }

    /// `function(column) op constant`, where the engine makes it a range of the column.
    fn inverted(&self, function: &Expr, op: Comparison, value: &Expr) -> Option<Outcome> {
        if !self.scope.session.inverts {
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

    fn operand(&self, expr: &Expr) -> Operand {
        let mut expr = expr;
        while let Expr::Nested(inner) = expr {
            expr = inner;
        }
        let names = match expr {
            Expr::Identifier(name) if is_context_value(name) => return self.value(expr),
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(names) => names.as_slice(),
            _ => {
                return self.value(expr);
            }
        };
        let name = column(names);
        match self.scope.resolve(&name) {
            Resolved::Of(relation, column) if relation == self.relation => Operand::Own(column),
            Resolved::Of(..) | Resolved::Foreign => Operand::Elsewhere,
            Resolved::Unclear if self.scope.is_anyones(&name) => {
                self.uncertain.set(true);
                Operand::Own(name)
            }
            Resolved::Unclear => Operand::Unclear,
        }
    }

    fn unused(&self, whole: &Expr, reason: UnusedReason) -> Outcome {
        if self.may_be_about(whole) {
            Outcome::unused(reason)
        } else {
            Outcome::elsewhere()
        }
    }

    /// False if every name in it belongs to other relations. What names nothing at all concerns everyone.
    fn may_be_about(&self, expr: &Expr) -> bool {
        let mut names = 0_usize;
        let mut about = false;
        walk(expr, &mut |node| match node {
            Node::Column(parts) => {
                names += 1;
                about |= match self.scope.resolve(&column(parts)) {
                    Resolved::Of(relation, _) => relation == self.relation,
                    Resolved::Foreign => false,
                    Resolved::Unclear => true,
                };
            }
            Node::Query(_) | Node::Table(_) | Node::AllColumns => about = true,
            Node::Call(_) => {}
        });
        about || (names == 0 && constant(expr).is_none())
    }
}

/// A LIKE pattern without ESCAPE.
enum Pattern<'t> {
    /// No wildcard.
    Text(&'t str),
    /// One `%`, at the end.
    Prefix(&'t str),
    /// This, then something that matches less than everything. A backslash counts: some engines escape with it.
    Longer(&'t str),
}

impl<'t> Pattern<'t> {
    fn of(text: &'t str) -> Self {
        match text.find(['%', '_', '\\']) {
            None => Self::Text(text),
            Some(at) => {
                let (prefix, rest) = text.split_at(at);
                if rest.bytes().all(|byte| byte == b'%') {
                    Self::Prefix(prefix)
                } else {
                    Self::Longer(prefix)
                }
            }
        }
    }
}

/// `starts_with(value, 'prefix')`
fn starts_with(call: &Function) -> Option<(&Expr, &str)> {
    let ([name], FunctionArguments::List(list)) = (call.name.0.as_slice(), &call.args) else {
        return None;
    };
    let name = &name.as_ident()?.value;
    let plain = call.over.is_none() && call.filter.is_none() && list.clauses.is_empty();
    if !plain
        || !["starts_with", "startswith"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let [
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(prefix))),
    ] = list.args.as_slice()
    else {
        return None;
    };
    match &prefix.value {
        Value::SingleQuotedString(prefix) => Some((value, prefix)),
        _ => None,
    }
}

/// The members of two tuples of one length, side by side.
fn tuples<'e>(left: &'e Expr, right: &'e Expr) -> Option<Vec<(&'e Expr, &'e Expr)>> {
    match (left, right) {
        (Expr::Tuple(left), Expr::Tuple(right)) if left.len() == right.len() => Some(left.iter().zip(right).collect()),
        _ => None,
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

fn combine(parts: Vec<Outcome>, all: bool) -> Outcome {
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

fn constant_outcome(holds: bool) -> Outcome {
    Outcome::exactly(if holds {
        Predicate::AlwaysTrue
    } else {
        Predicate::AlwaysFalse
    })
}

fn boolean(column: Column, value: bool) -> Predicate {
    Predicate::Compare(column, Comparison::Eq, Literal::Boolean(value))
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

fn comparison(op: &BinaryOperator) -> Option<Comparison> {
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

/// Words that are values of the session although they look like columns.
fn is_context_value(name: &Ident) -> bool {
    const WORDS: [&str; 13] = [
        "current_catalog",
        "current_date",
        "current_path",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_timezone",
        "current_user",
        "localtime",
        "localtimestamp",
        "session_user",
        "user",
    ];
    name.quote_style.is_none() && WORDS.iter().any(|word| name.value.eq_ignore_ascii_case(word))
}

fn reason(expr: &Expr) -> UnusedReason {
    match expr {
        Expr::Function(_)
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Overlay { .. }
        | Expr::AtTimeZone { .. } => UnusedReason::Function,
        Expr::Cast { .. } | Expr::Convert { .. } => UnusedReason::Cast,
        Expr::Subquery(_) | Expr::AnyOp { .. } | Expr::AllOp { .. } => UnusedReason::Subquery,
        Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => UnusedReason::Parameter,
        Expr::Value(_) => UnusedReason::Other,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => UnusedReason::ColumnComparison,
        _ => UnusedReason::Expression,
    }
}
