//! What the columns of a query are, as far as they are columns of tables below it.
//!
//! A condition on a query's output filters a table below if the column is one of the table's, unchanged, and if dropping
//! the table's other rows drops nothing but output rows that the condition drops too. Whoever builds an [`Outputs`]
//! vouches for the second half: past a LIMIT, a sample or an aggregate there is no origin.
//!
//! Names are looked up without a schema. Where a name could be of several tables, each is an origin: in a valid statement
//! one of them has the column, and the others ignore the condition. Engines that rename the second of two columns with
//! one name, rather than refuse to say which is meant, get the first that could have it.

use std::collections::BTreeSet;

use super::super::ParsedTable;
use crate::predicate::Column;

/// A column of a table below a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Origin {
    /// The table's index among those of the query.
    pub(in super::super) table: usize,
    /// Its column.
    pub(in super::super) column: Column,
    /// The value may have changed its type on the way, as in a branch of a set operation.
    pub(in super::super) converted: bool,
    /// No other table could have it.
    pub(in super::super) certain: bool,
}

/// One item of a query's output, or several.
#[derive(Clone, Debug)]
pub(in super::super) enum Output {
    /// One column. Without a name nothing refers to it; without an origin it is computed.
    One { name: Option<String>, origins: Vec<Origin> },
    /// All columns of a table under their own names; of one table for each branch of a set operation.
    AllOf { tables: Vec<usize>, converted: bool },
    /// Any number of columns of any name.
    Unknown,
}

/// The columns of a query, in order.
#[derive(Clone, Debug)]
pub(in super::super) struct Outputs {
    pub(in super::super) items: Vec<Output>,
    /// Tables for whose columns an outer join may supply NULL.
    pub(in super::super) null_supplied: BTreeSet<usize>,
}

impl Default for Outputs {
    fn default() -> Self {
        Self::of(vec![Output::Unknown])
    }
}

impl Outputs {
    fn of(items: Vec<Output>) -> Self {
        Self {
            items,
            null_supplied: BTreeSet::new(),
        }
    }

    /// The columns of a single table.
    pub(in super::super) fn of_table() -> Self {
        Self::of(vec![Output::AllOf {
            tables: vec![0],
            converted: false,
        }])
    }

    /// The tables that a condition may reach.
    pub(in super::super) fn tables(&self) -> BTreeSet<usize> {
        let mut tables = BTreeSet::new();
        for item in &self.items {
            match item {
                Output::One { origins, .. } => tables.extend(origins.iter().map(|origin| origin.table)),
                Output::AllOf { tables: all, .. } => tables.extend(all),
                Output::Unknown => {}
            }
        }
        tables
    }

    /// Where a column comes from.
    pub(in super::super) fn origins(&self, column: &Column, ambiguity_is_an_error: bool) -> Vec<Origin> {
        let Some((first, path)) = column.0.split_first() else {
            return Vec::new();
        };
        let name = first.to_lowercase();
        let is_named = |item: &&Output| matches!(item, Output::One { name: Some(own), .. } if *own == name);
        let all_of = |tables: &[usize], converted: bool, certain: bool| {
            tables
                .iter()
                .map(|table| Origin {
                    table: *table,
                    column: column.clone(),
                    converted,
                    certain,
                })
                .collect::<Vec<_>>()
        };
        if !ambiguity_is_an_error {
            let first = self
                .items
                .iter()
                .find(|item| is_named(item) || !matches!(item, Output::One { .. }));
            return match first {
                Some(Output::One { origins, .. }) => fields(origins, path),
                Some(Output::AllOf { tables, converted }) => all_of(tables, *converted, self.items.len() == 1),
                Some(Output::Unknown) | None => Vec::new(),
            };
        }
        let mut named = self.items.iter().filter(is_named);
        match (named.next(), named.next()) {
            (Some(Output::One { origins, .. }), None) => fields(origins, path),
            (Some(_), _) => Vec::new(),
            (None, _) => {
                let open = self.items.iter().filter(|item| !matches!(item, Output::One { .. }));
                let certain = open.count() == 1;
                let mut found = Vec::new();
                for item in &self.items {
                    if let Output::AllOf { tables, converted } = item {
                        found.extend(all_of(tables, *converted, certain));
                    }
                }
                found
            }
        }
    }

    /// The same columns under other names, as `AS x (a, b)` gives them.
    pub(in super::super) fn renamed(&self, names: impl Iterator<Item = String>) -> Self {
        let mut position_is_known = true;
        let items = names.enumerate().map(|(index, name)| {
            let origins = match self.items.get(index) {
                Some(Output::One { origins, .. }) if position_is_known => origins.clone(),
                _ => {
                    position_is_known = false;
                    Vec::new()
                }
            };
            Output::One {
                name: Some(name),
                origins,
            }
        });
        Self {
            items: items.collect(),
            null_supplied: self.null_supplied.clone(),
        }
    }

    /// What a copy costs.
    pub(in super::super) fn size(&self) -> usize {
        self.items.iter().map(Output::size).sum()
    }

    /// The tables counted from another start.
    pub(in super::super) fn shifted(&self, by: usize) -> Self {
        let items = self.items.iter().map(|item| item.shifted(by));
        Self {
            items: items.collect(),
            null_supplied: self.null_supplied.iter().map(|table| table + by).collect(),
        }
    }

    /// The columns of a set operation: each is that of every branch in its place, under the first branch's name. A row
    /// of the result is a row of a branch, so a branch needs no rows that the condition rejects; but the values have
    /// become of one type.
    pub(in super::super) fn united(branches: &[Self], tables: &[ParsedTable]) -> Self {
        let Some((first, others)) = branches.split_first() else {
            return Self::default();
        };
        let mut united = first.clone();
        let mut known_in: Vec<usize> = united.items.iter().map(|item| usize::from(item.is_known())).collect();
        for branch in others {
            united.null_supplied.extend(&branch.null_supplied);
            for ((item, count), other) in united.items.iter_mut().zip(&mut known_in).zip(&branch.items) {
                if !item.join(other, tables) {
                    break;
                }
                *count += usize::from(other.is_known());
            }
        }
        for (item, count) in united.items.iter_mut().zip(known_in) {
            item.convert(count == branches.len(), tables);
        }
        united
    }
}

impl Output {
    /// The tables counted from another start.
    pub(in super::super) fn shifted(&self, by: usize) -> Self {
        match self {
            Self::One { name, origins } => Self::One {
                name: name.clone(),
                origins: origins
                    .iter()
                    .map(|origin| Origin {
                        table: origin.table + by,
                        ..origin.clone()
                    })
                    .collect(),
            },
            Self::AllOf { tables, converted } => Self::AllOf {
                tables: tables.iter().map(|table| table + by).collect(),
                converted: *converted,
            },
            Self::Unknown => Self::Unknown,
        }
    }

    /// Some table has it.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::One { origins, .. } => !origins.is_empty(),
            Self::AllOf { .. } => true,
            Self::Unknown => false,
        }
    }

    /// What a copy costs.
    pub(in super::super) fn size(&self) -> usize {
        match self {
            Self::One { origins, .. } => 1 + origins.len(),
            Self::AllOf { tables, .. } => 1 + tables.len(),
            Self::Unknown => 1,
        }
    }

    /// Adds what another branch has in this place; false if the places after it do not correspond.
    fn join(&mut self, other: &Self, tables: &[ParsedTable]) -> bool {
        match (self, other) {
            (Self::One { origins, .. }, Self::One { origins: more, .. }) => {
                origins.extend(more.iter().cloned());
                true
            }
            // `*` of one table twice has the same columns in the same order.
            (
                Self::AllOf { tables: own, converted },
                Self::AllOf {
                    tables: more,
                    converted: also,
                },
            ) => {
                let name = |index: Option<&usize>| Some(&tables.get(*index?)?.name);
                let same = name(own.first()).is_some() && name(own.first()) == name(more.first());
                if same {
                    own.extend(more);
                    *converted |= also;
                }
                same
            }
            _ => false,
        }
    }

    /// Marks the values as converted, unless all branches take them from one column of one table.
    fn convert(&mut self, known_in_all: bool, tables: &[ParsedTable]) {
        match self {
            Self::One { origins, .. } => {
                let one = origins.first().cloned();
                let is_one = |origin: &Origin| {
                    one.as_ref().is_some_and(|one| {
                        let name = |origin: &Origin| tables.get(origin.table).map(|table| &table.name);
                        one.column == origin.column && name(one).is_some() && name(one) == name(origin)
                    })
                };
                let same = known_in_all && origins.iter().all(is_one);
                if !same {
                    for origin in origins {
                        origin.converted = true;
                    }
                }
            }
            Self::AllOf { converted, .. } => *converted |= !known_in_all,
            Self::Unknown => {}
        }
    }
}

/// Fields of columns; a row that has changed its type may have lost its fields' names.
fn fields(origins: &[Origin], path: &[String]) -> Vec<Origin> {
    let kept = origins.iter().filter(|origin| path.is_empty() || !origin.converted);
    kept.map(|origin| {
        let mut column = origin.column.clone();
        column.0.extend_from_slice(path);
        Origin {
            column,
            ..origin.clone()
        }
    })
    .collect()
}
