//! What one SELECT is as a whole: an aggregation that a reflection could answer, a bounded input for a window.
//!
//! Every doubt decides against: no shape, not bounded.

use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, InTarget, OrderByExpr, Select, SelectItem, TableFactor, Value,
};

use super::condition::conjuncts;
use super::literal::{Constant, constant};
use super::query::{later, projections};
use super::scope::{Resolved, Scope, column};
use super::walk::{Node, walk};
use crate::predicate::{Column, Literal};
use crate::reflection::{AggregateCall, AggregateShape};
use crate::sql::functions;

/// An IN list of more keys bounds nothing worth the name.
const MAX_KEYS: usize = 100;

/// Aggregate functions, sorted. One that is missing here and no built-in function is taken for one.
pub(super) const AGGREGATES: [&str; 58] = [
    "any_value",
    "approx_count_distinct",
    "approx_distinct",
    "approx_most_frequent",
    "approx_percentile",
    "approx_set",
    "arbitrary",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bitwise_and_agg",
    "bitwise_or_agg",
    "bitwise_xor_agg",
    "bool_and",
    "bool_or",
    "checksum",
    "collect_list",
    "collect_set",
    "convex_hull_agg",
    "corr",
    "count",
    "count_if",
    "covar_pop",
    "covar_samp",
    "every",
    "first",
    "geometric_mean",
    "geometry_union_agg",
    "grouping",
    "histogram",
    "kurtosis",
    "last",
    "listagg",
    "make_set_digest",
    "map_agg",
    "map_union",
    "max",
    "max_by",
    "median",
    "merge",
    "merge_set_digest",
    "min",
    "min_by",
    "multimap_agg",
    "ndv",
    "numeric_histogram",
    "qdigest_agg",
    "reduce_agg",
    "regr_intercept",
    "regr_slope",
    "skewness",
    "stddev",
    "sum",
    "tdigest_agg",
    "var_pop",
    "var_samp",
    "variance",
];

/// What a SELECT calls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calls {
    /// A window function.
    pub(super) windows: bool,
    /// An aggregate function, or one that could be.
    pub(super) aggregates: bool,
}

impl Calls {
    /// Outside WHERE and FROM, where neither may stand.
    pub(super) fn of(select: &Select, order_by: &[OrderByExpr]) -> Self {
        let mut calls = Self::default();
        for expr in projections(select).chain(later(select, order_by)) {
            walk(expr, &mut |node| {
                if let Node::Call(call) = node {
                    if call.over.is_some() {
                        calls.windows = true;
                    } else {
                        calls.aggregates |= may_aggregate(call);
                    }
                }
            });
        }
        calls
    }
}

fn simple_name(call: &Function) -> Option<String> {
    match call.name.0.as_slice() {
        [part] => part.as_ident().map(|name| name.value.to_lowercase()),
        _ => None,
    }
}

fn is_aggregate(name: &str) -> bool {
    AGGREGATES.binary_search(&name).is_ok() || name.starts_with("stddev_") || name.starts_with("regr_")
}

fn may_aggregate(call: &Function) -> bool {
    simple_name(call).is_none_or(|name| {
        is_aggregate(&name) || !(functions::is_builtin(&name) || functions::is_type_or_syntax(&name))
    })
}

/// True if few rows come out of FROM and WHERE: each relation is bounded, or a key is fixed.
pub(super) fn is_bounded(scope: &Scope<'_>, condition: Option<&Expr>) -> bool {
    let relations = &scope.relations;
    if !relations.is_empty() && relations.iter().all(|relation| relation.bounded) {
        return true;
    }
    // A key of one table bounds a join only if the join has a condition of its own.
    let joins_by_condition = relations.len() == 1 || !scope.crosses;
    joins_by_condition && condition.is_some_and(|condition| conjuncts(condition).into_iter().any(fixes_a_key))
}

/// `user_id = 7`, `user_id IN (7, 8)`, `user_id = ?`
fn fixes_a_key((condition, negated): (&Expr, bool)) -> bool {
    match condition {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } => !negated && ((is_key(left) && is_fixed(right)) || (is_key(right) && is_fixed(left))),
        Expr::In {
            expr,
            target: InTarget::List(items),
            negated: not,
            ..
        } => negated == *not && is_key(expr) && items.len() <= MAX_KEYS && items.iter().all(is_fixed),
        _ => false,
    }
}

fn is_fixed(value: &Expr) -> bool {
    match constant(value) {
        Some(Constant::Literal(literal)) => {
            !matches!(literal, Literal::Boolean(_) | Literal::Date(_) | Literal::Timestamp(_))
        }
        Some(Constant::Null) => false,
        None => matches!(value, Expr::Value(value) if matches!(value.value, Value::Placeholder(_))),
    }
}

/// A column whose name says that it identifies one thing. Without statistics the name is all there is.
fn is_key(expr: &Expr) -> bool {
    let mut expr = expr;
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    let name = match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.last(),
        _ => None,
    };
    name.is_some_and(|name| {
        let folded = name.value.to_lowercase();
        let whole = ["id", "key", "pk", "uuid", "guid"].contains(&folded.as_str());
        let suffix = ["_id", "_key", "key", "_pk", "uuid", "guid"]
            .iter()
            .any(|suffix| folded.ends_with(suffix));
        // userId, userID
        let camel =
            name.value.ends_with("Id") || (name.value.ends_with("ID") && name.value.contains(char::is_lowercase));
        whole || suffix || camel
    })
}

/// The SELECT as one aggregation over one table, if it is that.
pub(super) fn aggregate(select: &Select, order_by: &[OrderByExpr], scope: &Scope<'_>) -> Option<AggregateShape> {
    let [item] = select.from.as_slice() else {
        return None;
    };
    let ([relation], [table]) = (scope.relations.as_slice(), scope.tables.as_slice()) else {
        return None;
    };
    let is_plain_table = item.joins.is_empty() && matches!(item.relation, TableFactor::Table { sample: None, .. });
    if !is_plain_table || !relation.prunable || select.qualify.is_some() || !select.named_window.is_empty() {
        return None;
    }
    let mut shape = Shape {
        scope,
        aliases: BTreeSet::new(),
        group_columns: Vec::new(),
        aggregates: Vec::new(),
    };
    shape.group(select)?;
    for expr in projections(select) {
        shape.output(expr)?;
    }
    if shape.group_columns.is_empty() && shape.aggregates.is_empty() {
        return None;
    }
    if let Some(condition) = &select.having {
        shape.output(condition)?;
    }
    shape.aliases = aliases(select);
    for key in order_by {
        shape.output(&key.expr)?;
    }
    let filter_columns = shape.filter_columns(select.selection.as_ref())?;
    Some(AggregateShape {
        table: table.name.clone(),
        group_columns: shape.group_columns,
        aggregates: shape.aggregates,
        filter_columns,
    })
}

fn aliases(select: &Select) -> BTreeSet<Column> {
    let named = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(column(std::slice::from_ref(alias))),
        _ => None,
    });
    named.collect()
}

struct Shape<'s, 'e> {
    scope: &'s Scope<'e>,
    aliases: BTreeSet<Column>,
    group_columns: Vec<Column>,
    aggregates: Vec<AggregateCall>,
}

impl Shape<'_, '_> {
    fn own_column(&self, expr: &Expr) -> Option<Column> {
        let written = match expr {
            Expr::Identifier(name) => column(std::slice::from_ref(name)),
            Expr::CompoundIdentifier(names) => column(names),
            _ => return None,
        };
        match self.scope.resolve(&written) {
            Resolved::Of(_, own) => Some(own),
            Resolved::Foreign | Resolved::Unclear => None,
        }
    }

    fn group(&mut self, select: &Select) -> Option<()> {
        let GroupByExpr::Expressions(keys, modifiers) = &select.group_by else {
            return None;
        };
        let distinct = match &select.distinct {
            None | Some(Distinct::All) => false,
            Some(Distinct::Distinct) => true,
            Some(Distinct::On(_)) => return None,
        };
        if !modifiers.is_empty() || (distinct && !keys.is_empty()) {
            return None;
        }
        // DISTINCT of plain columns groups by them.
        let distinct_keys = select.projection.iter().filter(|_| distinct).map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.own_column(expr),
            _ => None,
        });
        let columns: Option<Vec<Column>> = keys
            .iter()
            .map(|key| self.key(key, select))
            .chain(distinct_keys)
            .collect();
        self.group_columns = columns?;
        Some(())
    }

    /// A column to group by, or the number of one in the select list.
    fn key(&self, key: &Expr, select: &Select) -> Option<Column> {
        let Expr::Value(value) = key else {
            return self.own_column(key);
        };
        let Value::Number(digits, _) = &value.value else {
            return None;
        };
        let index = digits.parse::<usize>().ok()?.checked_sub(1)?;
        match select.projection.get(index)? {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.own_column(expr),
            _ => None,
        }
    }

    /// An output is made of group columns, constants and aggregates of plain columns.
    fn output(&mut self, expr: &Expr) -> Option<()> {
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            match expr {
                Expr::Value(_) | Expr::TypedString(_) => {}
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                    let is_alias = matches!(expr, Expr::Identifier(name)
                        if self.aliases.contains(&column(std::slice::from_ref(name))));
                    let own = self.own_column(expr);
                    if !is_alias && !own.is_some_and(|own| self.group_columns.contains(&own)) {
                        return None;
                    }
                }
                Expr::Nested(inner)
                | Expr::UnaryOp { expr: inner, .. }
                | Expr::Cast { expr: inner, .. }
                | Expr::IsNull(inner)
                | Expr::IsNotNull(inner) => stack.push(inner),
                Expr::BinaryOp { left, right, .. } => stack.extend([left.as_ref(), right.as_ref()]),
                Expr::Between { expr, low, high, .. } => stack.extend([expr.as_ref(), low.as_ref(), high.as_ref()]),
                Expr::Function(call) => {
                    let name = simple_name(call)?;
                    if is_aggregate(&name) {
                        let aggregate = self.aggregate_call(name, call)?;
                        if !self.aggregates.contains(&aggregate) {
                            self.aggregates.push(aggregate);
                        }
                    } else {
                        stack.extend(scalar_arguments(&name, call)?);
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn aggregate_call(&self, function: String, call: &Function) -> Option<AggregateCall> {
        let FunctionArguments::List(list) = &call.args else {
            return None;
        };
        if !is_bare(call) || !list.clauses.is_empty() {
            return None;
        }
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let column = match list.args.as_slice() {
            [] | [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] if function == "count" => None,
            // COUNT(1) counts rows.
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => match constant(expr) {
                Some(Constant::Literal(_)) if function == "count" && !distinct => None,
                Some(_) => return None,
                None => Some(self.own_column(expr)?),
            },
            _ => return None,
        };
        Some(AggregateCall {
            function,
            column,
            distinct,
        })
    }

    fn filter_columns(&self, condition: Option<&Expr>) -> Option<Vec<Column>> {
        let mut columns = Some(BTreeSet::new());
        if let Some(condition) = condition {
            walk(condition, &mut |node| match node {
                Node::Column(parts) => match self.scope.resolve(&column(parts)) {
                    Resolved::Of(_, own) => {
                        if let Some(columns) = &mut columns {
                            columns.insert(own);
                        }
                    }
                    Resolved::Foreign | Resolved::Unclear => columns = None,
                },
                Node::Call(_) => {}
                Node::Query(_) | Node::Table(_) | Node::AllColumns => columns = None,
            });
        }
        columns.map(|columns| columns.into_iter().collect())
    }
}

fn is_bare(call: &Function) -> bool {
    call.over.is_none()
        && call.filter.is_none()
        && call.within_group.is_empty()
        && call.null_treatment.is_none()
        && matches!(call.parameters, FunctionArguments::None)
}

fn scalar_arguments<'e>(name: &str, call: &'e Function) -> Option<Vec<&'e Expr>> {
    if !functions::is_builtin(name) || !is_bare(call) {
        return None;
    }
    let list = match &call.args {
        FunctionArguments::None => return Some(Vec::new()),
        FunctionArguments::Subquery(_) => return None,
        FunctionArguments::List(list) => list,
    };
    let exprs = list.args.iter().map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    exprs.collect()
}
