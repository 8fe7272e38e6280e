//! Conditions on their way to the tables that they filter.
//!
//! A condition that must be true filters the relations of its FROM clause. A base table takes the translated predicate as
//! it is. Through a query in FROM the predicate goes to each table below whose columns it names, in that table's terms
//! ([`Outputs`] says which): a row of the table that fails it yields only output rows that fail the condition. Leaves on
//! what is not the table's are "true" there, as everywhere. A table that an outer join below supplies NULL for takes
//! only what no leaf of which accepts NULL, for the same reason as in one's own FROM clause: the row that would appear
//! without a partner fails too.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sqlparser::ast::Expr;

use super::super::condition::{self, Asked, Outcome};
use super::super::excerpt::Source;
use super::super::query::MAX_COPIED;
use super::super::suggest::suggestion;
use super::super::walk::{Node, walk};
use super::super::{UnusedCondition, UnusedReason};
use super::convert::converted;
use super::outputs::Origin;
use super::{Resolved, Scope, column};
use crate::predicate::{Column, Predicate};

/// A longer list helps nobody.
const MAX_UNUSED: usize = 16;

/// Names looked up times relations looked through. Past this, seconds; the remaining conditions prune nothing.
const MAX_EFFORT: usize = 5_000_000;

/// A condition with its text, which is quoted once however many tables it concerns.
struct Quoted<'q, 'e> {
    asked: Asked<'e>,
    source: &'q Source<'q>,
    text: Option<String>,
    /// It filters a table already: what comes now are copies.
    used: bool,
}

impl Quoted<'_, '_> {
    fn unused(&mut self, reason: UnusedReason) -> UnusedCondition {
        let text = self.text.get_or_insert_with(|| self.source.excerpt(self.asked.0));
        UnusedCondition {
            text: text.clone(),
            reason,
            suggestion: suggestion(self.asked.0, reason),
        }
    }
}

impl Scope<'_> {
    /// Lets a condition that must be true filter the relations of `range`; `copied` counts what predicates take up.
    pub(in super::super) fn restrict(
        &mut self,
        condition: &Expr,
        range: Range<usize>,
        source: &Source<'_>,
        copied: &mut usize,
    ) {
        // A subquery becomes a join.
        walk(condition, &mut |node| {
            self.has_subquery |= matches!(node, Node::Query(_))
        });
        for asked in condition::conjuncts(condition) {
            let mut quoted = Quoted {
                asked,
                source,
                text: None,
                used: false,
            };
            for index in range.clone() {
                let Some(relation) = self.relations.get(index).filter(|relation| relation.is_reached()) else {
                    continue;
                };
                let (table, null_supplied) = (relation.table, relation.null_supplied);
                let mut outcome = if self.effort.get() < MAX_EFFORT {
                    condition::translate(asked, self, index)
                } else {
                    Outcome::unused(UnusedReason::Other)
                };
                outcome.predicate = self.merged_converted(outcome.predicate);
                if null_supplied && condition::accepts_null(&outcome.predicate) {
                    outcome = Outcome::unused(UnusedReason::OuterJoin);
                }
                match table {
                    Some(table) => self.filter(table, outcome, Some(&mut quoted), copied),
                    None => self.filter_below(index, &outcome, Some(&mut quoted), copied),
                }
            }
        }
    }

    /// A predicate that follows from the conditions, and is none of them.
    pub(super) fn imply(&mut self, index: usize, predicate: Predicate, copied: &mut usize) {
        let outcome = Outcome::exactly(predicate);
        match self.relations.get(index).map(|relation| relation.table) {
            Some(Some(table)) => self.filter(table, outcome, None, copied),
            Some(None) => self.filter_below(index, &outcome, None, copied),
            None => {}
        }
    }

    /// Columns that USING merges may have had different types.
    fn merged_converted(&self, predicate: Predicate) -> Predicate {
        if self.merged.is_empty() {
            return predicate;
        }
        each_leaf(predicate, &|column, leaf| {
            if self.is_everyones(column) {
                converted(leaf, true)
            } else {
                leaf
            }
        })
    }

    /// Adds what a condition says about a table to the table's filter.
    fn filter(&mut self, table: usize, outcome: Outcome, quoted: Option<&mut Quoted<'_, '_>>, copied: &mut usize) {
        let Some(table) = self.tables.get_mut(table) else {
            return;
        };
        let mut outcome = outcome;
        let size = outcome.predicate.size();
        let Some(quoted) = quoted else {
            *copied = copied.saturating_add(size);
            if *copied <= MAX_COPIED {
                table.filter.restrict(outcome.predicate);
            }
            return;
        };
        if std::mem::replace(&mut quoted.used, true) && outcome.predicate != Predicate::AlwaysTrue {
            *copied = copied.saturating_add(size);
            if *copied > MAX_COPIED {
                outcome = Outcome::unused(UnusedReason::Other);
            }
        }
        if outcome.touches
            && outcome.predicate == Predicate::AlwaysTrue
            && table.unused_conditions.len() < MAX_UNUSED
            && let Some(reason) = outcome.reason
        {
            table.unused_conditions.push(quoted.unused(reason));
        }
        table.filter.exact &= outcome.exact || !outcome.touches;
        table.nan_columns.extend(outcome.nan_columns);
        table.filter.restrict(outcome.predicate);
    }

    /// Hands what a condition says about a query's columns to the tables below it.
    fn filter_below(
        &mut self,
        index: usize,
        outcome: &Outcome,
        mut quoted: Option<&mut Quoted<'_, '_>>,
        copied: &mut usize,
    ) {
        match outcome.predicate {
            Predicate::AlwaysTrue => {
                if outcome.touches
                    && outcome.reason.is_some()
                    && let Some(quoted) = quoted
                {
                    for table in self.tables_named(index, quoted.asked.0) {
                        self.filter(table, outcome.clone(), Some(&mut *quoted), copied);
                    }
                }
            }
            // No row comes out of the query, so none is needed.
            Predicate::AlwaysFalse => {
                let Some(relation) = self.relations.get(index) else {
                    return;
                };
                let first = relation.first_table;
                for table in relation.outputs.tables() {
                    self.filter(first + table, outcome.clone(), quoted.as_deref_mut(), copied);
                }
            }
            _ => {
                let below = Below::of(&outcome.predicate, |column| self.origins(index, column));
                for table in below.tables() {
                    let mapped = self.mapped(index, table, outcome, &below);
                    self.filter(table, mapped, quoted.as_deref_mut(), copied);
                }
            }
        }
    }

    /// The answer in the terms of one table.
    fn mapped(&self, index: usize, table: usize, outcome: &Outcome, below: &Below) -> Outcome {
        let predicate = below.predicate(&outcome.predicate, table, self.session.known_engine);
        let may_be_null = self.relations.get(index).is_some_and(|relation| {
            let own = table.checked_sub(relation.first_table);
            own.is_none_or(|own| relation.outputs.null_supplied.contains(&own))
        });
        if may_be_null && condition::accepts_null(&predicate) {
            return Outcome::unused(UnusedReason::OuterJoin);
        }
        let lost = predicate == Predicate::AlwaysTrue;
        Outcome {
            exact: outcome.exact && below.is_exact(table),
            touches: true,
            reason: outcome.reason.or(lost.then_some(UnusedReason::Disjunction)),
            nan_columns: below.columns(&outcome.nan_columns, table),
            predicate,
        }
    }

    /// The tables below a query whose columns a condition names.
    fn tables_named(&self, index: usize, condition: &Expr) -> BTreeSet<usize> {
        let mut tables = BTreeSet::new();
        walk(condition, &mut |node| {
            let Node::Column(parts) = node else {
                return;
            };
            let name = column(parts);
            let origins = match self.resolve(&name) {
                Resolved::Of(relation, column) if relation == index => self.origins(index, &column),
                Resolved::Unclear if self.is_anyones(&name) => self.origins(index, &name),
                _ => Vec::new(),
            };
            tables.extend(origins.into_iter().map(|origin| origin.table));
        });
        tables
    }
}

/// The predicate with each leaf replaced.
fn each_leaf(predicate: Predicate, replace: &dyn Fn(&Column, Predicate) -> Predicate) -> Predicate {
    match predicate {
        Predicate::And(parts) => Predicate::and(parts.into_iter().map(|part| each_leaf(part, replace))),
        Predicate::Or(parts) => Predicate::or(parts.into_iter().map(|part| each_leaf(part, replace))),
        Predicate::AlwaysTrue | Predicate::AlwaysFalse => predicate,
        Predicate::Compare(ref column, ..)
        | Predicate::In { ref column, .. }
        | Predicate::IsNull { ref column, .. }
        | Predicate::StartsWith { ref column, .. } => {
            let column = column.clone();
            replace(&column, predicate)
        }
    }
}

/// Where the columns of a predicate over a query come from.
struct Below(BTreeMap<Column, Vec<Origin>>);

impl Below {
    fn of(predicate: &Predicate, origins: impl Fn(&Column) -> Vec<Origin>) -> Self {
        let mut found = BTreeMap::new();
        let mut stack = vec![predicate];
        while let Some(predicate) = stack.pop() {
            match predicate {
                Predicate::And(parts) | Predicate::Or(parts) => stack.extend(parts),
                Predicate::Compare(column, ..)
                | Predicate::In { column, .. }
                | Predicate::IsNull { column, .. }
                | Predicate::StartsWith { column, .. } => {
                    if !found.contains_key(column) {
                        found.insert(column.clone(), origins(column));
                    }
                }
                Predicate::AlwaysTrue | Predicate::AlwaysFalse => {}
            }
        }
        Self(found)
    }

    fn tables(&self) -> BTreeSet<usize> {
        self.0.values().flatten().map(|origin| origin.table).collect()
    }

    fn of_table<'b>(&'b self, column: &Column, table: usize) -> impl Iterator<Item = &'b Origin> {
        let origins = self.0.get(column).map(Vec::as_slice).unwrap_or_default();
        origins.iter().filter(move |origin| origin.table == table)
    }

    /// Every column is the table's, and nobody else's, as it is.
    fn is_exact(&self, table: usize) -> bool {
        self.0.keys().all(|column| {
            let mut origins = self.of_table(column, table).peekable();
            origins.peek().is_some() && origins.all(|origin| origin.certain && !origin.converted)
        })
    }

    fn columns(&self, columns: &BTreeSet<Column>, table: usize) -> BTreeSet<Column> {
        let origins = columns.iter().flat_map(|column| self.of_table(column, table));
        origins.map(|origin| origin.column.clone()).collect()
    }

    /// What it says of one table. It holds for each column of the table that a column may be.
    fn predicate(&self, predicate: &Predicate, table: usize, known_engine: bool) -> Predicate {
        let leaf = |column: &Column, make: &dyn Fn(Column) -> Predicate| {
            Predicate::and(self.of_table(column, table).map(|origin| {
                let own = make(origin.column.clone());
                if origin.converted {
                    converted(own, known_engine)
                } else {
                    own
                }
            }))
        };
        match predicate {
            Predicate::AlwaysTrue => Predicate::AlwaysTrue,
            Predicate::AlwaysFalse => Predicate::AlwaysFalse,
            Predicate::And(parts) => Predicate::and(parts.iter().map(|part| self.predicate(part, table, known_engine))),
            Predicate::Or(parts) => Predicate::or(parts.iter().map(|part| self.predicate(part, table, known_engine))),
            Predicate::Compare(column, op, literal) => {
                leaf(column, &|column| Predicate::Compare(column, *op, literal.clone()))
            }
            Predicate::In {
                column,
                literals,
                negated,
            } => leaf(column, &|column| Predicate::In {
                column,
                literals: literals.clone(),
                negated: *negated,
            }),
            Predicate::IsNull { column, negated } => leaf(column, &|column| Predicate::IsNull {
                column,
                negated: *negated,
            }),
            Predicate::StartsWith {
                column,
                prefix,
                negated,
            } => leaf(column, &|column| Predicate::StartsWith {
                column,
                prefix: prefix.clone(),
                negated: *negated,
            }),
        }
    }
}
