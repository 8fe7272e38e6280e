//! FROM clauses: which relations there are, and what each join does to conditions.
//!
//! A join condition may filter a side only if the join drops that side's rows when they find no match:
//!
//! | join | left | right |
//! |---|---|---|
//! | inner, cross, semi | yes | yes |
//! | left, left anti | no | yes |
//! | right, right anti | yes | no |
//! | full, and whatever is not known | no | no |
//!
//! Seen from above, an outer join supplies NULLs for the side that it does not preserve. Relations of that side are
//! marked, after the join's own condition has been applied, and conditions further out must then reject NULL.

use std::rc::Rc;

use sqlparser::ast::{
    Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableFactor, TableWithJoins,
};

use super::query::{Analysis, Facts};
use super::scope::equalities::From;
use super::scope::{Relation, Scope, table_name};
use super::walk::{Node, arguments};
use super::{Declined, syntax};

/// What a join does to its sides.
struct Effect<'e> {
    condition: Option<&'e Expr>,
    filters_left: bool,
    filters_right: bool,
    nulls_left: bool,
    nulls_right: bool,
}

impl Analysis<'_> {
    /// Adds the relations of one item of FROM.
    pub(super) fn join_item<'e>(&mut self, item: &'e TableWithJoins, scope: &mut Scope<'e>) -> Result<(), Declined> {
        let left = scope.relations.len();
        self.factor(&item.relation, scope)?;
        for join in &item.joins {
            let middle = scope.relations.len();
            self.factor(&join.relation, scope)?;
            let end = scope.relations.len();
            let effect = effect(join, scope);
            if let Some(condition) = effect.condition {
                scope.deferred.push(condition);
                let from = if effect.filters_left { left } else { middle };
                let to = if effect.filters_right { end } else { middle };
                scope.restrict(condition, from..to, &self.source, &mut self.copied);
                match (effect.nulls_left, effect.nulls_right) {
                    (false, false) => scope.equate(condition, &From::Inner),
                    (false, true) => scope.equate(condition, &From::Outer(left..middle, middle..end)),
                    (true, false) => scope.equate(condition, &From::Outer(middle..end, left..middle)),
                    (true, true) => {}
                }
            }
            for (index, relation) in scope.relations.iter_mut().enumerate().skip(left) {
                relation.null_supplied |= if index < middle {
                    effect.nulls_left
                } else {
                    effect.nulls_right
                };
            }
        }
        Ok(())
    }

    pub(super) fn factor<'e>(&mut self, factor: &'e TableFactor, scope: &mut Scope<'e>) -> Result<(), Declined> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                version: None,
                with_ordinality: false,
                json_path: None,
                sample,
                ..
            } => {
                self.named(name, alias.as_ref(), scope)?;
                if sample.is_some() {
                    sampled(scope);
                }
                Ok(())
            }
            TableFactor::Table { version: Some(_), .. } => Err(syntax("time travel is not analysed")),
            TableFactor::Table {
                alias,
                args: Some(called),
                ..
            } => self.function(&called.args, alias.as_ref(), scope),
            TableFactor::Table { .. } => Err(syntax("a form of table that is not analysed")),
            TableFactor::Function { args, alias, .. } => self.function(args, alias.as_ref(), scope),
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                let mut facts = self.nested(subquery, scope)?;
                let free = std::mem::take(&mut facts.free);
                push_query(scope, alias.as_ref().map(|alias| &alias.name), alias.as_ref(), facts);
                if sample.is_some() {
                    sampled(scope);
                }
                for name in free {
                    if *lateral {
                        scope.note(&name);
                    }
                    scope.free.insert(name);
                }
                Ok(())
            }
            TableFactor::TableFunction { expr, alias } => {
                scope.deferred.push(expr);
                push_opaque(scope, alias.as_ref());
                Ok(())
            }
            TableFactor::UNNEST { array_exprs, alias, .. } => {
                scope.deferred.extend(array_exprs);
                push_opaque(scope, alias.as_ref());
                if let Some(relation) = scope.relations.last_mut() {
                    relation.bounded = true;
                    relation.limited = true;
                    relation.width = alias.as_ref().and_then(|alias| width_of(&alias.columns));
                }
                Ok(())
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                let first = scope.relations.len();
                self.join_item(table_with_joins, scope)?;
                if let Some(alias) = alias {
                    scope.hide(first..scope.relations.len());
                    push_opaque(scope, Some(alias));
                }
                Ok(())
            }
            TableFactor::MatchRecognize {
                table,
                partition_by,
                order_by,
                measures,
                symbols,
                alias,
                ..
            } => {
                self.large_window = true;
                scope.deferred.extend(partition_by);
                scope.deferred.extend(order_by.iter().map(|key| &key.expr));
                scope.deferred.extend(measures.iter().map(|measure| &measure.expr));
                scope.deferred.extend(symbols.iter().map(|symbol| &symbol.definition));
                self.covered(table, alias.as_ref(), scope)
            }
            TableFactor::Pivot {
                table,
                aggregate_functions,
                alias,
                ..
            } => {
                scope.deferred.extend(aggregate_functions.iter().map(|call| &call.expr));
                self.covered(table, alias.as_ref(), scope)
            }
            TableFactor::Unpivot { table, alias, .. } => self.covered(table, alias.as_ref(), scope),
            TableFactor::JsonTable { json_expr, alias, .. } | TableFactor::OpenJsonTable { json_expr, alias, .. } => {
                scope.deferred.push(json_expr);
                push_opaque(scope, alias.as_ref());
                Ok(())
            }
            TableFactor::UnpivotExpr { .. } | TableFactor::XmlTable { .. } | TableFactor::SemanticView { .. } => {
                Err(syntax("a form of table that is not analysed"))
            }
        }
    }

    /// A table or a common table expression.
    fn named(&mut self, name: &ObjectName, alias: Option<&TableAlias>, scope: &mut Scope<'_>) -> Result<(), Declined> {
        let name = table_name(name)?;
        let renamed = alias.is_some_and(|alias| !alias.columns.is_empty());
        let renaming = alias;
        let alias = alias.map(|alias| &alias.name);
        if let [single] = name.parts.as_slice()
            && let Some(facts) = self.common_table(single)?
        {
            let own_name = Ident::new(single);
            push_query(scope, Some(alias.unwrap_or(&own_name)), renaming, facts);
            return Ok(());
        }
        self.count_tables(1)?;
        scope.push_base(name, alias, renamed);
        Ok(())
    }

    fn function<'e>(
        &mut self,
        args: &'e [sqlparser::ast::FunctionArg],
        alias: Option<&TableAlias>,
        scope: &mut Scope<'e>,
    ) -> Result<(), Declined> {
        let mut nodes = Vec::new();
        arguments(args, &mut |node| nodes.push(node));
        self.visit_in_from(nodes, scope)?;
        push_opaque(scope, alias);
        Ok(())
    }

    /// Whatever arguments name is looked up among the relations so far.
    fn visit_in_from<'e>(&mut self, nodes: Vec<Node<'e>>, scope: &mut Scope<'e>) -> Result<(), Declined> {
        let tables = self.visit(nodes, scope)?;
        scope.tables.extend(tables);
        Ok(())
    }

    /// A table whose rows something turns into others.
    fn covered<'e>(
        &mut self,
        table: &'e TableFactor,
        alias: Option<&TableAlias>,
        scope: &mut Scope<'e>,
    ) -> Result<(), Declined> {
        let first = scope.relations.len();
        self.factor(table, scope)?;
        scope.hide(first..scope.relations.len());
        push_opaque(scope, alias);
        Ok(())
    }
}

/// A query in the place of a table: what is known of its rows, and the tables that it reads.
fn push_query(scope: &mut Scope<'_>, name: Option<&Ident>, alias: Option<&TableAlias>, facts: Facts) {
    let mut relation = Relation::opaque(name);
    relation.first_table = scope.tables.len();
    relation.outputs = match alias {
        Some(alias) if !alias.columns.is_empty() => Rc::new(facts.outputs.renamed(column_names(alias))),
        _ => facts.outputs,
    };
    relation.width = facts.width;
    relation.bounded = facts.bounded;
    relation.streams = facts.streams;
    relation.limited = facts.limited;
    scope.tables.extend(facts.tables);
    scope.relations.push(relation);
}

/// The names that an alias gives to columns.
pub(super) fn column_names(alias: &TableAlias) -> impl Iterator<Item = String> {
    alias.columns.iter().map(|column| column.name.value.to_lowercase())
}

/// The last relation is a sample: which rows it has depends on those that are read.
fn sampled(scope: &mut Scope<'_>) {
    let last = scope.relations.len().saturating_sub(1);
    match scope.relations.get_mut(last) {
        Some(relation) if relation.table.is_some() => relation.sampled = true,
        _ => scope.close(last),
    }
}

fn push_opaque(scope: &mut Scope<'_>, alias: Option<&TableAlias>) {
    scope.relations.push(Relation::opaque(alias.map(|alias| &alias.name)));
}

fn width_of(columns: &[sqlparser::ast::TableAliasColumnDef]) -> Option<u64> {
    if columns.is_empty() {
        None
    } else {
        u64::try_from(columns.len()).ok()
    }
}

fn effect<'e>(join: &'e Join, scope: &mut Scope<'_>) -> Effect<'e> {
    let (constraint, (filters_left, filters_right), (nulls_left, nulls_right)) = match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::CrossJoin(constraint)
        | JoinOperator::StraightJoin(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint) => (Some(constraint), (true, true), (false, false)),
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
            (Some(constraint), (false, true), (false, true))
        }
        JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
            (Some(constraint), (true, false), (true, false))
        }
        JoinOperator::FullOuter(constraint) => (Some(constraint), (false, false), (true, true)),
        JoinOperator::Anti(constraint) | JoinOperator::LeftAnti(constraint) => {
            (Some(constraint), (false, true), (false, true))
        }
        JoinOperator::RightAnti(constraint) => (Some(constraint), (true, false), (true, false)),
        JoinOperator::AsOf { constraint, .. } => (Some(constraint), (false, false), (true, true)),
        JoinOperator::CrossApply
        | JoinOperator::OuterApply
        | JoinOperator::ArrayJoin
        | JoinOperator::LeftArrayJoin
        | JoinOperator::InnerArrayJoin => (None, (false, false), (true, true)),
    };
    // Behind these, one side's columns are out of sight, or the engine's rules for names are not known.
    scope.shares_names |= !matches!(
        join.join_operator,
        JoinOperator::Join(_)
            | JoinOperator::Inner(_)
            | JoinOperator::CrossJoin(_)
            | JoinOperator::Left(_)
            | JoinOperator::LeftOuter(_)
            | JoinOperator::Right(_)
            | JoinOperator::RightOuter(_)
            | JoinOperator::FullOuter(_)
    );
    scope.supplies_null |= nulls_left || nulls_right;
    let condition = match constraint {
        Some(JoinConstraint::On(condition)) => Some(condition),
        Some(JoinConstraint::Using(names) | JoinConstraint::UsingAlias(names, _)) => {
            scope.merges_columns = true;
            for name in names {
                let parts = name.0.iter().filter_map(|part| part.as_ident());
                let merged: Vec<Ident> = parts.cloned().collect();
                scope.merged.extend(merged.iter().map(|part| part.value.to_lowercase()));
                scope.note(&super::scope::column(&merged));
            }
            None
        }
        Some(JoinConstraint::Natural) => {
            scope.merges_columns = true;
            scope.shares_names = true;
            scope.read_all(None);
            None
        }
        Some(JoinConstraint::None) | None => {
            scope.crosses = true;
            None
        }
    };
    Effect {
        condition,
        filters_left,
        filters_right,
        nulls_left,
        nulls_right,
    }
}
