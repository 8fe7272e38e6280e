//! Whether a condition is about one place: one table, or the same tables throughout.
//!
//! A disjunction over several tables stays above their join. Trino takes it apart into conditions on each only while
//! that makes it no longer, which is not to be foretold; the same goes for columns of a query that come from several
//! tables, or from a computation, and for subqueries.

use std::collections::BTreeSet;

use sqlparser::ast::{Expr, Ident};

use super::super::scope::{Resolved, column};
use super::super::walk::{Node, walk};
use super::Translator;
use super::operand::is_context_value;
use crate::predicate::Column;

/// What the names of a condition have been found to be.
#[derive(Default)]
struct Places {
    /// The tables that each column so far comes from.
    tables: Option<BTreeSet<usize>>,
    /// Names that could be of any relation.
    bare: BTreeSet<Column>,
    several: bool,
}

impl Places {
    fn add(&mut self, tables: BTreeSet<usize>) {
        self.several |= tables.is_empty() || self.tables.as_ref().is_some_and(|before| *before != tables);
        self.tables = Some(tables);
    }
}

impl Translator<'_, '_> {
    /// Every name in it is of this relation, and of one table, or of the same tables, below it.
    pub(super) fn in_one_place(&self, expr: &Expr) -> bool {
        let mut places = Places::default();
        walk(expr, &mut |node| match node {
            _ if places.several => {}
            Node::Column([name]) if is_context_value(name) => {}
            Node::Column(parts) => self.add_place(parts, &mut places),
            Node::Query(_) | Node::Table(_) | Node::AllColumns => places.several = true,
            Node::Call(_) => {}
        });
        // A bare name and another name may be of two relations.
        !places.several && (places.bare.is_empty() || (places.bare.len() == 1 && places.tables.is_none()))
    }

    fn add_place(&self, parts: &[Ident], places: &mut Places) {
        let name = column(parts);
        match self.scope.resolve(&name) {
            Resolved::Of(relation, column) if relation == self.relation => {
                let origins = self.scope.origins(relation, &column).into_iter();
                places.add(origins.map(|origin| origin.table).collect());
            }
            Resolved::Of(..) | Resolved::Foreign => places.several = true,
            Resolved::Unclear => {
                places.bare.insert(name);
            }
        }
    }
}
