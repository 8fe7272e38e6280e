//! What names mean inside one SELECT: its relations, their qualifiers, and what is gathered for each of them.
//!
//! Resolution works without a schema, so it answers only what the text alone decides. Names compare without regard to
//! case, quoted or not, as they do for these engines.

mod convert;
pub(super) mod equalities;
pub(super) mod keys;
pub(super) mod outputs;
mod restrict;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use sqlparser::ast::{Expr, Ident, ObjectName};

use self::equalities::Equalities;
use self::outputs::{Origin, Output, Outputs};
use super::{Columns, Declined, ParseTime, ParsedTable, syntax};
use crate::predicate::{Column, Predicate, Translated};
use crate::sql::scan::TableName;

/// Catalog, schema and table, or a path of Dremio's; what is longer is a chain of fields.
const MAX_QUALIFIER: usize = 12;

/// Names without qualifier count for every relation. Thousands of both would fill the memory; all columns are read then.
const MAX_NOTED: usize = 50_000;

/// One relation of a FROM clause.
#[derive(Debug)]
pub(super) struct Relation {
    /// What its columns may be qualified with, lower-cased: an alias, or a suffix of these parts. Empty if nothing.
    pub(super) qualifier: Vec<String>,
    /// The index of its table in [`Scope::tables`], for a base table.
    pub(super) table: Option<usize>,
    /// It is a base table under its own column names.
    pub(super) prunable: bool,
    /// What its columns are.
    pub(super) outputs: Rc<Outputs>,
    /// The index in [`Scope::tables`] of the first of the tables that `outputs` counts.
    pub(super) first_table: usize,
    /// Conditions of this SELECT filter it, and those of an enclosing query do not.
    pub(super) sampled: bool,
    /// An outer join below may supply NULL for all of its columns.
    pub(super) null_supplied: bool,
    /// The number of its columns, if the text tells.
    pub(super) width: Option<u64>,
    /// A key, a LIMIT or its nature bounds the number of its rows.
    pub(super) bounded: bool,
    /// Its rows come straight from one scan.
    pub(super) streams: bool,
    /// Every scan below it ends early.
    pub(super) limited: bool,
}

impl Relation {
    /// A relation that conditions do not reach: a function, VALUES.
    pub(super) fn opaque(alias: Option<&Ident>) -> Self {
        Self {
            qualifier: alias.map(|name| name.value.to_lowercase()).into_iter().collect(),
            table: None,
            prunable: false,
            outputs: Rc::default(),
            first_table: 0,
            sampled: false,
            null_supplied: false,
            width: None,
            bounded: false,
            streams: false,
            limited: false,
        }
    }

    /// Conditions reach a table through it.
    fn is_reached(&self) -> bool {
        self.outputs.items.iter().any(Output::is_known)
    }

    /// True if its columns may be qualified so; the qualifier is in lower case.
    fn answers_to(&self, qualifier: &[String]) -> bool {
        !qualifier.is_empty() && self.qualifier.ends_with(qualifier)
    }
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// A column of the relation with this index.
    Of(usize, Column),
    /// A column of an enclosing query.
    Foreign,
    /// The text does not tell.
    Unclear,
}

/// What of the session bears on constants.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Session {
    pub(super) now: Option<ParseTime>,
    /// The engine's functions are known, and with them what its planner makes of conditions.
    pub(super) known_engine: bool,
}

/// One SELECT's relations and tables.
#[derive(Debug, Default)]
pub(super) struct Scope<'e> {
    /// The relations of the FROM clause, in order.
    pub(super) relations: Vec<Relation>,
    /// The tables below them, in order.
    pub(super) tables: Vec<ParsedTable>,
    /// Expressions inside FROM whose names are looked up when FROM is complete.
    pub(super) deferred: Vec<&'e Expr>,
    /// Names that may belong to an enclosing query.
    pub(super) free: BTreeSet<Column>,
    /// Names that may be columns of an enclosing query's relations, by their first part.
    outer: Vec<String>,
    /// A join without a condition, or a comma.
    pub(super) crosses: bool,
    /// A join that merges columns.
    pub(super) merges_columns: bool,
    /// A name without qualifier may mean a column of one relation although others have it too.
    pub(super) shares_names: bool,
    /// Columns that USING makes one of two.
    pub(super) merged: BTreeSet<String>,
    /// A join that supplies NULL.
    pub(super) supplies_null: bool,
    /// What bears on constants.
    pub(super) session: Session,
    equalities: Equalities,
    /// A condition has a subquery.
    has_subquery: bool,
    noted: usize,
    effort: Cell<usize>,
}

impl Scope<'_> {
    /// Nothing in scope yet but what the enclosing queries' relations are called.
    pub(super) fn inside(outer: Vec<String>, session: Session) -> Self {
        Self {
            session,
            outer,
            ..Self::default()
        }
    }

    /// Adds a base table.
    pub(super) fn push_base(&mut self, name: TableName, alias: Option<&Ident>, renamed: bool) {
        let mut relation = Relation::opaque(alias);
        if alias.is_none() {
            relation.qualifier = name.parts.clone();
        }
        relation.table = Some(self.tables.len());
        relation.first_table = self.tables.len();
        if !renamed {
            relation.prunable = true;
            relation.outputs = Rc::new(Outputs::of_table());
        }
        relation.streams = true;
        self.relations.push(relation);
        self.tables.push(ParsedTable {
            name,
            filter: Translated {
                predicate: Predicate::AlwaysTrue,
                exact: !renamed,
            },
            nan_columns: BTreeSet::new(),
            columns: if renamed {
                Columns::All
            } else {
                Columns::Named(BTreeSet::new())
            },
            unused_conditions: Vec::new(),
        });
    }

    /// Makes relations unreachable: what stands over them has columns of its own.
    pub(super) fn hide(&mut self, hidden: Range<usize>) {
        for index in hidden {
            let Some(relation) = self.relations.get_mut(index) else {
                continue;
            };
            relation.qualifier.clear();
            if let Some(table) = relation.table.and_then(|table| self.tables.get_mut(table)) {
                table.columns = Columns::All;
            }
            self.close(index);
        }
    }

    /// Keeps the conditions to come from a relation.
    pub(super) fn close(&mut self, index: usize) {
        let Some(relation) = self.relations.get_mut(index) else {
            return;
        };
        relation.prunable = false;
        relation.outputs = Rc::default();
        if let Some(table) = relation.table.and_then(|table| self.tables.get_mut(table)) {
            table.filter.exact = false;
        }
    }

    /// What a name stands for.
    pub(super) fn resolve(&self, name: &Column) -> Resolved {
        let parts = &name.0;
        match self.by_qualifier(parts) {
            Some(Some((index, column))) => return Resolved::Of(index, column),
            Some(None) => return Resolved::Unclear,
            None => {}
        }
        let foreign = parts.len() > 1
            && parts.first().is_some_and(|first| {
                let first = first.to_lowercase();
                self.outer.contains(&first)
            });
        match self.relations.as_slice() {
            _ if foreign => Resolved::Foreign,
            [_] => Resolved::Of(0, name.clone()),
            _ => Resolved::Unclear,
        }
    }

    /// True for a relation that no join stands beside or below: whatever it reads, it reads from one table.
    pub(super) fn reads_one_table(&self, relation: usize) -> bool {
        self.relations.len() == 1
            && !self.has_subquery
            && self.relations.get(relation).is_some_and(|relation| {
                relation.table.is_some() || (self.tables.len() == 1 && relation.outputs.tables().len() == 1)
            })
    }

    /// True for a name that USING has made of columns which inner joins hold equal. A condition on it is one on each of
    /// them; past an outer join the engine sees a computed value.
    pub(super) fn is_everyones(&self, name: &Column) -> bool {
        let [single] = name.0.as_slice() else {
            return false;
        };
        self.session.known_engine
            && !self.supplies_null
            && !self.shares_names
            && self.merged.contains(&single.to_lowercase())
            && self.by_qualifier(&name.0).is_none()
    }

    /// True for a name without qualifier that at most one of these relations can have. Whoever knows the schemas may
    /// then ask each of them: a table that lacks the column ignores the condition.
    pub(super) fn is_anyones(&self, name: &Column) -> bool {
        let [single] = name.0.as_slice() else {
            return false;
        };
        let merged = self.merged.contains(&single.to_lowercase());
        !self.shares_names && !merged && self.by_qualifier(&name.0).is_none()
    }

    /// Where a column of a relation comes from, by the indices of [`Scope::tables`].
    pub(super) fn origins(&self, relation: usize, column: &Column) -> Vec<Origin> {
        let Some(relation) = self.relations.get(relation) else {
            return Vec::new();
        };
        self.effort
            .set(self.effort.get().saturating_add(relation.outputs.items.len()));
        let mut origins = relation.outputs.origins(column, self.session.known_engine);
        for origin in &mut origins {
            origin.table += relation.first_table;
        }
        origins
    }

    /// The relation that a name is qualified with: none, one, or too many to tell.
    fn by_qualifier(&self, parts: &[String]) -> Option<Option<(usize, Column)>> {
        self.effort.set(self.effort.get().saturating_add(self.relations.len()));
        let folded: Vec<String> = parts
            .iter()
            .take(MAX_QUALIFIER)
            .map(|part| part.to_lowercase())
            .collect();
        let mut found = None;
        for (index, relation) in self.relations.iter().enumerate() {
            for split in 1..parts.len().min(MAX_QUALIFIER + 1) {
                if relation.answers_to(folded.get(..split).unwrap_or_default()) {
                    if found.is_some() {
                        return Some(None);
                    }
                    found = Some((index, split));
                }
            }
        }
        found.map(|(index, split)| Some((index, Column(parts.get(split..).unwrap_or_default().to_vec()))))
    }

    /// Records that a name is read.
    pub(super) fn note(&mut self, name: &Column) {
        if let Some(Some((index, column))) = self.by_qualifier(&name.0) {
            self.read(index, column);
            return;
        }
        // It could be a column of any relation here, a whole row, or a column of an enclosing query.
        self.noted += self.relations.len();
        if self.noted > MAX_NOTED {
            self.read_all(None);
        } else {
            for index in 0..self.relations.len() {
                self.read(index, name.clone());
            }
        }
        self.free.insert(name.clone());
    }

    fn read(&mut self, index: usize, column: Column) {
        let Some(relation) = self.relations.get(index) else {
            return;
        };
        let whole_row = column.0.len() == 1 && relation.answers_to(&column.0);
        let Some(table) = relation.table.and_then(|table| self.tables.get_mut(table)) else {
            return;
        };
        if whole_row {
            table.columns = Columns::All;
        } else if let Columns::Named(names) = &mut table.columns {
            names.insert(column);
        }
    }

    /// All columns of one relation, or of all relations, are read.
    pub(super) fn read_all(&mut self, only: Option<usize>) {
        for (index, relation) in self.relations.iter().enumerate() {
            if only.is_none_or(|only| only == index)
                && let Some(table) = relation.table.and_then(|table| self.tables.get_mut(table))
            {
                table.columns = Columns::All;
            }
        }
    }

    /// The relation that `t.*` names.
    pub(super) fn relation_named(&self, qualifier: &[String]) -> Option<usize> {
        let mut matching = self
            .relations
            .iter()
            .enumerate()
            .filter(|(_, relation)| relation.answers_to(qualifier));
        let (index, _) = matching.next()?;
        matching.next().is_none().then_some(index)
    }

    /// Hands out the tables with what the conditions said about them.
    pub(super) fn finish(&mut self) -> Vec<ParsedTable> {
        std::mem::take(&mut self.tables)
    }
}

/// A column's name as written, lower-cased unless quoted.
pub(super) fn column(parts: &[Ident]) -> Column {
    let fold = |part: &Ident| match part.quote_style {
        Some(_) => part.value.clone(),
        None => part.value.to_lowercase(),
    };
    Column(parts.iter().map(fold).collect())
}

/// A table's name, unquoted and in lower case.
pub(super) fn table_name(name: &ObjectName) -> Result<TableName, Declined> {
    let parts = name
        .0
        .iter()
        .map(|part| part.as_ident().map(|ident| ident.value.to_lowercase()));
    let parts: Option<Vec<String>> = parts.collect();
    match parts {
        Some(parts) if !parts.is_empty() => Ok(TableName { parts }),
        _ => Err(syntax("a table's name is computed")),
    }
}
