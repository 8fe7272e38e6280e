//! UPDATE, DELETE and MERGE: what they read on the way.

use sqlparser::ast::{
    Delete, Expr, FromTable, Merge, MergeAction, MergeInsertKind, MergeUpdateKind, Statement, TableWithJoins, Update,
    UpdateTableFromKind,
};

use super::super::scope::equalities::From;
use super::super::{Declined, ParsedTable, syntax};
use super::Analysis;
use super::parts::nodes_of;

impl Analysis<'_> {
    /// The tables that a statement reads.
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<Vec<ParsedTable>, Declined> {
        match statement {
            Statement::Query(query) => Ok(self.query(query)?.tables),
            Statement::Insert(insert) => match &insert.source {
                Some(query) => Ok(self.query(query)?.tables),
                None => Ok(Vec::new()),
            },
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            _ => Err(Declined::NotAQuery),
        }
    }

    fn update(&mut self, update: &Update) -> Result<Vec<ParsedTable>, Declined> {
        let from = match &update.from {
            Some(UpdateTableFromKind::BeforeSet(items) | UpdateTableFromKind::AfterSet(items)) => items.as_slice(),
            None => &[],
        };
        let values = update.assignments.iter().map(|assignment| &assignment.value);
        self.change(
            std::slice::from_ref(&update.table),
            from,
            update.selection.as_ref(),
            values.collect(),
        )
    }

    fn delete(&mut self, delete: &Delete) -> Result<Vec<ParsedTable>, Declined> {
        let (FromTable::WithFromKeyword(targets) | FromTable::WithoutKeyword(targets)) = &delete.from;
        let using = delete.using.as_deref().unwrap_or_default();
        if !delete.tables.is_empty() {
            return Err(syntax("DELETE from several tables"));
        }
        self.change(targets, using, delete.selection.as_ref(), Vec::new())
    }

    /// UPDATE and DELETE read the rows that they change, and rewrite them whole.
    fn change(
        &mut self,
        targets: &[TableWithJoins],
        others: &[TableWithJoins],
        condition: Option<&Expr>,
        values: Vec<&Expr>,
    ) -> Result<Vec<ParsedTable>, Declined> {
        let mut scope = self.scope();
        for item in targets {
            self.join_item(item, &mut scope)?;
        }
        let changed = scope.relations.len();
        for item in others {
            self.join_item(item, &mut scope)?;
        }
        if let Some(condition) = condition {
            let relations = scope.relations.len();
            scope.restrict(condition, 0..relations, &self.source, &mut self.copied);
            scope.equate(condition, &From::Where);
        }
        scope.carry(&mut self.copied);
        for index in 0..changed {
            scope.read_all(Some(index));
        }
        let mut roots = std::mem::take(&mut scope.deferred);
        roots.extend(values);
        roots.extend(condition);
        let inner = self.visit(nodes_of(roots.into_iter()), &mut scope)?;
        let mut tables = scope.finish();
        tables.extend(inner);
        Ok(tables)
    }

    /// MERGE reads all of its target: rows without a match decide too.
    fn merge(&mut self, merge: &Merge) -> Result<Vec<ParsedTable>, Declined> {
        let mut scope = self.scope();
        self.factor(&merge.table, &mut scope)?;
        scope.read_all(None);
        for index in 0..scope.relations.len() {
            scope.close(index);
        }
        self.factor(&merge.source, &mut scope)?;
        let mut roots = std::mem::take(&mut scope.deferred);
        roots.push(&merge.on);
        for clause in &merge.clauses {
            roots.extend(&clause.predicate);
            match &clause.action {
                MergeAction::Insert(insert) => {
                    roots.extend(&insert.insert_predicate);
                    match &insert.kind {
                        MergeInsertKind::Values(values) => {
                            roots.extend(values.rows.iter().flat_map(|row| &row.content))
                        }
                        MergeInsertKind::Row | MergeInsertKind::Wildcard => scope.read_all(None),
                    }
                }
                MergeAction::Update(update) => {
                    roots.extend(update.update_predicate.iter().chain(&update.delete_predicate));
                    match &update.kind {
                        MergeUpdateKind::Set(assignments) => {
                            roots.extend(assignments.iter().map(|assignment| &assignment.value));
                        }
                        MergeUpdateKind::Wildcard => scope.read_all(None),
                    }
                }
                MergeAction::Delete { .. } | MergeAction::DoNothing { .. } => {}
            }
        }
        let inner = self.visit(nodes_of(roots.into_iter()), &mut scope)?;
        let mut tables = scope.finish();
        tables.extend(inner);
        Ok(tables)
    }
}
