//! One SELECT: its relations, what its clauses say of them, and what comes out.

use sqlparser::ast::{Distinct, OrderByExpr, Select, SelectItem, SelectItemQualifiedWildcardKind};

use super::super::scope::equalities::From;
use super::super::scope::{Relation, Scope, table_name};
use super::super::{Declined, shape, syntax};
use super::parts::{groups, is_plain, later, nodes_of, projections};
use super::{Analysis, Facts};

impl Analysis<'_> {
    pub(super) fn select(&mut self, select: &Select, order_by: &[OrderByExpr]) -> Result<Facts, Declined> {
        if !select.connect_by.is_empty() || select.into.is_some() {
            return Err(syntax("a clause that is not analysed"));
        }
        let mut scope = self.scope();
        for (index, item) in select.from.iter().enumerate() {
            scope.crosses |= index > 0;
            self.join_item(item, &mut scope)?;
        }
        for view in &select.lateral_views {
            scope.deferred.push(&view.lateral_view);
            let mut relation = Relation::opaque(view.lateral_view_name.0.first().and_then(|part| part.as_ident()));
            relation.bounded = true;
            scope.relations.push(relation);
        }
        if let Some(condition) = &select.selection {
            let relations = scope.relations.len();
            scope.restrict(condition, 0..relations, &self.source, &mut self.copied);
            scope.equate(condition, &From::Where);
        }
        scope.carry(&mut self.copied);
        let input_bounded = select.from.is_empty() || shape::is_bounded(&scope, select.selection.as_ref());

        // In the order of the text, so that tables come out in it too.
        let projected = self.visit(nodes_of(projections(select)), &mut scope)?;
        let deferred = std::mem::take(&mut scope.deferred);
        let in_joins = self.visit(nodes_of(deferred.into_iter()), &mut scope)?;
        let conditions = nodes_of(select.prewhere.iter().chain(&select.selection));
        let filtered = self.visit(conditions, &mut scope)?;
        let rest = self.visit(nodes_of(later(select, order_by).into_iter()), &mut scope)?;
        let width = self.width(select, &mut scope);
        let star_of_tables = star_of_tables(select, &scope);

        let shape_input = select.lateral_views.is_empty()
            && projected.is_empty()
            && in_joins.is_empty()
            && filtered.is_empty()
            && rest.is_empty();
        let calls = shape::Calls::of(select, order_by);
        if calls.windows && !input_bounded {
            self.large_window = true;
        }
        let blocks = calls.aggregates
            || calls.windows
            || select
                .distinct
                .as_ref()
                .is_some_and(|distinct| *distinct != Distinct::All)
            || groups(&select.group_by)
            || select.having.is_some()
            || select.qualify.is_some()
            || !select.sort_by.is_empty()
            || !select.cluster_by.is_empty()
            || !select.distribute_by.is_empty();
        let streams = shape_input && !blocks && matches!(scope.relations.as_slice(), [only] if only.streams);
        let limited =
            shape_input && !scope.relations.is_empty() && scope.relations.iter().all(|relation| relation.limited);
        let aggregated_to_one = calls.aggregates && !groups(&select.group_by);
        let shape = if shape_input {
            shape::aggregate(select, order_by, &scope)
        } else {
            None
        };

        let outputs = self.outputs(select, order_by, calls, &scope, projected.len());
        let mut tables = projected;
        tables.extend(scope.finish());
        tables.extend(in_joins);
        tables.extend(filtered);
        tables.extend(rest);
        Ok(Facts {
            tables,
            free: scope.free,
            width,
            star_of_tables,
            bounded: input_bounded || aggregated_to_one,
            streams,
            limited,
            shape,
            outputs,
        })
    }

    fn width(&mut self, select: &Select, scope: &mut Scope<'_>) -> Option<u64> {
        let mut width = Some(0_u64);
        for item in &select.projection {
            let columns = match item {
                SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => Some(1),
                SelectItem::ExprWithAliases { aliases, .. } => u64::try_from(aliases.len()).ok(),
                SelectItem::Wildcard(options) => {
                    scope.read_all(None);
                    let all = scope
                        .relations
                        .iter()
                        .map(|relation| relation.width)
                        .sum::<Option<u64>>();
                    all.filter(|_| is_plain(options) && !scope.merges_columns)
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    let qualifier = table_name(name).ok();
                    let relation = qualifier.and_then(|qualifier| scope.relation_named(&qualifier.parts));
                    scope.read_all(relation);
                    let relation = relation.and_then(|index| scope.relations.get(index));
                    relation
                        .and_then(|relation| relation.width)
                        .filter(|_| is_plain(options))
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _) => None,
            };
            width = width.zip(columns).map(|(left, right)| left.saturating_add(right));
        }
        width.filter(|&columns| columns > 0)
    }
}

/// `SELECT *` and nothing beside it, over base tables whose columns no USING merges.
fn star_of_tables(select: &Select, scope: &Scope<'_>) -> bool {
    let star = matches!(select.projection.as_slice(), [SelectItem::Wildcard(options)] if is_plain(options));
    star && !scope.merges_columns && scope.relations.iter().all(|relation| relation.table.is_some())
}
