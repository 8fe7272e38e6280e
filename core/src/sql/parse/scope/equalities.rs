//! What a constant says of the columns that a join holds equal to it.
//!
//! `a.k = b.k AND a.k = 5` reads no more of b than `b.k = 5` does, and Trino's planner infers that. Why it is sound:
//! rows of `a` without 5 may be left out, since the condition on `a.k` filters `a` already; among the rows that are left
//! those of `b` without 5 find no partner. So it goes both ways over an equality that an inner join or WHERE requires.
//! Over that of an outer join it goes from the preserved side to the other one, whose rows without a partner drop out.
//! The way back is open to a constant in WHERE: it rejects the rows that the join has filled with NULL, and of the
//! others the equality is true.
//!
//! Only constants are carried: of ranges the planner carries those for which both columns have one type, and types are
//! not known here. The constants go through the same conversion as in set operations, unless it is one column of one
//! table twice. What has crossed to an outer join's other side goes no further, since the planner adds "or NULL" there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sqlparser::ast::{BinaryOperator, Expr};

use super::super::condition;
use super::super::fold::{Folded, fold};
use super::super::literal::{Constant, constant};
use super::Scope;
use super::convert::converted;
use super::keys::Key;
use crate::predicate::{Column, Comparison, Literal, Predicate};

/// Constants carried in one SELECT.
const MAX_CARRIED: usize = 1_000;

/// Whose condition it is.
pub(in super::super) enum From {
    /// WHERE.
    Where,
    /// An inner join's.
    Inner,
    /// An outer join's: the side that it preserves, and the one that it supplies NULL for.
    Outer(Range<usize>, Range<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Over an equality that holds in each row of the result.
    Through,
    /// To the side that an outer join supplies NULL for.
    ToSupplied,
    /// From there.
    FromSupplied,
}

/// `column = constant`
#[derive(Clone, Debug)]
struct Fixed {
    key: Key,
    literal: Literal,
    in_where: bool,
}

/// The equalities of a SELECT.
#[derive(Debug, Default)]
pub(super) struct Equalities {
    between: BTreeMap<Key, BTreeSet<(Key, Way)>>,
    fixed: Vec<Fixed>,
    /// Constants for the supplied side of an outer join, from the join's own condition: they go nowhere else.
    of_join: Vec<(Key, Key, Literal)>,
}

impl Scope<'_> {
    /// Notes what a condition holds equal.
    pub(in super::super) fn equate(&mut self, condition: &Expr, from: &From) {
        if !self.session.known_engine {
            return;
        }
        let mut pairs = Vec::new();
        let mut fixed = Vec::new();
        for (expr, negated) in condition::conjuncts(condition) {
            let Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } = expr
            else {
                continue;
            };
            if negated {
                continue;
            }
            // A join's condition sees its own relations, and whose a bare name is among them is not known outside.
            let key = |expr| {
                let key = self.key_of(expr)?;
                (key.0.is_some() || matches!(from, From::Where)).then_some(key)
            };
            match (key(left), key(right)) {
                (Some(left), Some(right)) => pairs.push((left, right)),
                (Some(key), None) => fixed.extend(self.point(right).map(|literal| (key, literal))),
                (None, Some(key)) => fixed.extend(self.point(left).map(|literal| (key, literal))),
                (None, None) => {}
            }
        }
        let within = |range: &Range<usize>, key: &Key| key.0.is_some_and(|index| range.contains(&index));
        let between = &mut self.equalities.between;
        let mut link = |from: &Key, to: &Key, way| {
            between.entry(from.clone()).or_default().insert((to.clone(), way));
        };
        match from {
            From::Where | From::Inner => {
                for (left, right) in &pairs {
                    link(left, right, Way::Through);
                    link(right, left, Way::Through);
                }
                let in_where = matches!(from, From::Where);
                self.equalities
                    .fixed
                    .extend(fixed.into_iter().map(|(key, literal)| Fixed { key, literal, in_where }));
            }
            From::Outer(preserved, supplied) => {
                for (left, right) in pairs {
                    let (outer, inner) = if within(preserved, &left) {
                        (left, right)
                    } else {
                        (right, left)
                    };
                    if !within(preserved, &outer) || !within(supplied, &inner) {
                        continue;
                    }
                    link(&outer, &inner, Way::ToSupplied);
                    link(&inner, &outer, Way::FromSupplied);
                    for (_, literal) in fixed.iter().filter(|(key, _)| *key == outer) {
                        self.equalities
                            .of_join
                            .push((outer.clone(), inner.clone(), literal.clone()));
                    }
                }
            }
        }
    }

    /// A constant whose value is one point.
    fn point(&self, expr: &Expr) -> Option<Literal> {
        match constant(expr) {
            Some(Constant::Literal(literal)) => Some(literal),
            Some(Constant::Null) => None,
            None => match fold(expr, self.session.now).and_then(Folded::literals) {
                Some((low, high)) if low == high => Some(low),
                _ => None,
            },
        }
    }

    /// Lets the constants filter what they are carried to.
    pub(in super::super) fn carry(&mut self, copied: &mut usize) {
        let Equalities {
            between,
            fixed,
            of_join,
        } = std::mem::take(&mut self.equalities);
        let mut left = MAX_CARRIED;
        for (from, to, literal) in of_join {
            left = left.saturating_sub(1);
            if left > 0 {
                self.carried(&from, &to, literal, copied);
            }
        }
        for Fixed { key, literal, in_where } in fixed {
            let mut seen = BTreeSet::from([key.clone()]);
            let mut next = vec![key.clone()];
            while let Some(at) = next.pop() {
                for (to, way) in between.get(&at).into_iter().flatten() {
                    let open = *way != Way::FromSupplied || in_where;
                    if left == 0 || !open || !seen.insert(to.clone()) {
                        continue;
                    }
                    left -= 1;
                    self.carried(&key, to, literal.clone(), copied);
                    if *way != Way::ToSupplied {
                        next.push(to.clone());
                    }
                }
            }
        }
    }

    fn carried(&mut self, from: &Key, to: &Key, literal: Literal, copied: &mut usize) {
        let predicate = |column: &Column| Predicate::Compare(column.clone(), Comparison::Eq, literal);
        match to {
            (Some(index), column) => {
                let own = predicate(column);
                let predicate = if self.is_one_column(from, to) {
                    own
                } else {
                    converted(own, true)
                };
                if predicate != Predicate::AlwaysTrue {
                    self.imply(*index, predicate, copied);
                }
            }
            // Whose it is may depend on the join: without outer ones it does not matter.
            (None, column) if !self.supplies_null => {
                let predicate = converted(predicate(column), true);
                if predicate != Predicate::AlwaysTrue {
                    for index in 0..self.relations.len() {
                        self.imply(index, predicate.clone(), copied);
                    }
                }
            }
            (None, _) => {}
        }
    }

    /// One column of one table, twice.
    fn is_one_column(&self, left: &Key, right: &Key) -> bool {
        let name = |key: &Key| {
            let relation = self.relations.get(key.0?).filter(|relation| relation.prunable)?;
            Some(&self.tables.get(relation.table?)?.name)
        };
        left.1 == right.1 && name(left).is_some() && name(left) == name(right)
    }
}
