//! The parts of a SELECT and of a query, and plain questions about them.

use sqlparser::ast::{
    Distinct, Expr, FunctionArguments, GroupByExpr, LimitClause, NamedWindowExpr, OrderByExpr, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, Value, WildcardAdditionalOptions,
};

use super::super::walk::{Node, walk, window_spec};
use crate::sql::functions;

/// A LIMIT above this reads about as much as no LIMIT.
const SMALL_LIMIT: u64 = 1_000_000;

/// Every name, call and subquery in these expressions.
pub(super) fn nodes_of<'e>(exprs: impl Iterator<Item = &'e Expr>) -> Vec<Node<'e>> {
    let mut nodes = Vec::new();
    for expr in exprs {
        walk(expr, &mut |node| nodes.push(node));
    }
    nodes
}

/// The expressions of the select list, and what stands before it.
pub(in super::super) fn projections(select: &Select) -> impl Iterator<Item = &Expr> {
    let distinct: &[Expr] = match &select.distinct {
        Some(Distinct::On(keys)) => keys,
        _ => &[],
    };
    let items = select.projection.iter().flat_map(|item| {
        let (expr, options) = match item {
            SelectItem::UnnamedExpr(expr)
            | SelectItem::ExprWithAlias { expr, .. }
            | SelectItem::ExprWithAliases { expr, .. }
            | SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expr), _) => (Some(expr), None),
            SelectItem::QualifiedWildcard(_, options) | SelectItem::Wildcard(options) => (None, Some(options)),
        };
        let replaced = options.and_then(|options| options.opt_replace.as_ref());
        expr.into_iter().chain(
            replaced
                .into_iter()
                .flat_map(|replace| replace.items.iter().map(|item| &item.expr)),
        )
    });
    distinct.iter().chain(items)
}

/// The expressions after WHERE.
pub(in super::super) fn later<'e>(select: &'e Select, order_by: &'e [OrderByExpr]) -> Vec<&'e Expr> {
    let mut exprs: Vec<&Expr> = Vec::new();
    if let GroupByExpr::Expressions(keys, _) = &select.group_by {
        exprs.extend(keys);
    }
    exprs.extend(&select.having);
    for window in &select.named_window {
        if let NamedWindowExpr::WindowSpec(spec) = &window.1 {
            exprs.extend(window_spec(spec));
        }
    }
    exprs.extend(&select.qualify);
    exprs.extend(&select.cluster_by);
    exprs.extend(&select.distribute_by);
    exprs.extend(select.sort_by.iter().map(|key| &key.expr));
    exprs.extend(order_by.iter().map(|key| &key.expr));
    exprs
}

pub(super) fn groups(group_by: &GroupByExpr) -> bool {
    match group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(keys, modifiers) => !keys.is_empty() || !modifiers.is_empty(),
    }
}

pub(super) fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.opt_ilike.is_none()
        && options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_rename.is_none()
}

/// `TABLE(t)`: sqlparser reads a call, the engine reads the table.
pub(super) fn is_table_argument(call: &sqlparser::ast::Function) -> bool {
    call.name.0.iter().any(|part| {
        part.as_ident()
            .is_some_and(|name| name.value.eq_ignore_ascii_case("table"))
    }) && !matches!(call.args, FunctionArguments::None)
}

pub(super) fn is_known(call: &sqlparser::ast::Function) -> bool {
    let [part] = call.name.0.as_slice() else {
        return false;
    };
    part.as_ident().is_some_and(|name| {
        let name = name.value.to_lowercase();
        functions::is_builtin(&name) || functions::is_type_or_syntax(&name)
    })
}

/// A LIMIT or FETCH of a plain number of rows, not many with the rows skipped.
pub(super) fn has_small_limit(query: &Query) -> bool {
    let number = |expr: &Expr| match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse::<u64>().ok(),
            _ => None,
        },
        _ => None,
    };
    let fetched = query.fetch.as_ref().map(|fetch| match &fetch.quantity {
        _ if fetch.percent || fetch.with_ties => None,
        Some(quantity) => number(quantity),
        None => Some(1),
    });
    let (limit, offset) = match &query.limit_clause {
        Some(LimitClause::LimitOffset {
            limit,
            offset,
            limit_by,
        }) => {
            let limit = limit.as_ref().filter(|_| limit_by.is_empty()).map(number);
            (limit, offset.as_ref().map_or(Some(0), |offset| number(&offset.value)))
        }
        Some(LimitClause::OffsetCommaLimit { .. }) => return false,
        None => (None, Some(0)),
    };
    let rows = limit.flatten().or(fetched.flatten());
    matches!((rows, offset), (Some(rows), Some(offset)) if rows.saturating_add(offset) <= SMALL_LIMIT)
}
