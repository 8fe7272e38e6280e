//! Every part of an expression, without recursion.
//!
//! The match over sqlparser's expressions has no catch-all arm: a part that is not visited could hold a subquery, and
//! its tables would be lost without a sound. A new kind of expression is a compile error here.

use sqlparser::ast::{
    AccessExpr, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, Ident, InTarget, JsonPath, JsonPathElem, ListAggOnOverflow, ObjectName, OrderByExpr, Query,
    Subscript, WindowFrameBound, WindowSpec, WindowType,
};

/// What a walk reports, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'e> {
    /// A name that may be a column.
    Column(&'e [Ident]),
    /// A query inside the expression; it is not entered.
    Query(&'e Query),
    /// A function call; its arguments follow.
    Call(&'e Function),
    /// A table named where an expression stands.
    Table(&'e ObjectName),
    /// `*` or `t.*` as an argument other than that of COUNT.
    AllColumns,
}

enum Item<'e> {
    Expr(&'e Expr),
    Query(&'e Query),
    Table(&'e ObjectName),
}

/// Visits the parts of an expression, itself included.
pub(super) fn walk<'e>(root: &'e Expr, visit: &mut dyn FnMut(Node<'e>)) {
    let mut stack = vec![Item::Expr(root)];
    let mut parts = Vec::new();
    while let Some(item) = stack.pop() {
        match item {
            Item::Query(query) => visit(Node::Query(query)),
            Item::Table(name) => visit(Node::Table(name)),
            Item::Expr(expr) => {
                expand(expr, visit, &mut parts);
                stack.extend(parts.drain(..).rev());
            }
        }
    }
}

/// The expressions of a window specification.
pub(super) fn window_spec(spec: &WindowSpec) -> Vec<&Expr> {
    let mut parts = Vec::new();
    push_window(spec, &mut parts);
    let exprs = parts.into_iter().filter_map(|part| match part {
        Item::Expr(expr) => Some(expr),
        _ => None,
    });
    exprs.collect()
}

/// The expressions of a function's or table function's arguments; queries among them are reported.
pub(super) fn arguments<'e>(args: &'e [FunctionArg], visit: &mut dyn FnMut(Node<'e>)) {
    let mut parts = Vec::new();
    for arg in args {
        push_arg(arg, false, visit, &mut parts);
    }
    for part in parts {
        if let Item::Expr(expr) = part {
            walk(expr, visit);
        }
    }
}

fn expand<'e>(expr: &'e Expr, visit: &mut dyn FnMut(Node<'e>), parts: &mut Vec<Item<'e>>) {
    let mut push = |expr: &'e Expr| parts.push(Item::Expr(expr));
    match expr {
        Expr::Identifier(name) => visit(Node::Column(std::slice::from_ref(name))),
        Expr::CompoundIdentifier(names) => visit(Node::Column(names)),
        Expr::Value(_) | Expr::TypedString(_) | Expr::Wildcard(_) => {}
        Expr::QualifiedWildcard(..) => visit(Node::AllColumns),
        Expr::MatchAgainst { .. } => visit(Node::AllColumns),
        Expr::CompoundFieldAccess { root, access_chain } => {
            push(root);
            for access in access_chain {
                match access {
                    // A field's name is no column; anything else in this place is walked.
                    AccessExpr::Dot(Expr::Identifier(_)) => {}
                    AccessExpr::Dot(field) => push(field),
                    AccessExpr::Subscript(Subscript::Index { index }) => push(index),
                    AccessExpr::Subscript(Subscript::Slice {
                        lower_bound,
                        upper_bound,
                        stride,
                    }) => [lower_bound, upper_bound, stride]
                        .into_iter()
                        .flatten()
                        .for_each(&mut push),
                }
            }
        }
        Expr::JsonAccess { value, path } => {
            push(value);
            push_path(path, &mut push);
        }
        Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsUnknown(inner)
        | Expr::IsNotUnknown(inner)
        | Expr::Nested(inner)
        | Expr::OuterJoin(inner)
        | Expr::Prior(inner) => push(inner),
        Expr::IsJson { expr: inner, .. }
        | Expr::IsNormalized { expr: inner, .. }
        | Expr::UnaryOp { expr: inner, .. }
        | Expr::Cast { expr: inner, .. }
        | Expr::Extract { expr: inner, .. }
        | Expr::Ceil { expr: inner, .. }
        | Expr::Floor { expr: inner, .. }
        | Expr::Collate { expr: inner, .. }
        | Expr::Prefixed { value: inner, .. }
        | Expr::Named { expr: inner, .. } => push(inner),
        Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right)
        | Expr::BinaryOp { left, right, .. }
        | Expr::AnyOp { left, right, .. }
        | Expr::AllOp { left, right, .. }
        | Expr::Position {
            expr: left,
            r#in: right,
        }
        | Expr::AtTimeZone {
            timestamp: left,
            time_zone: right,
        } => {
            push(left);
            push(right);
        }
        Expr::In {
            expr: inner, target, ..
        } => {
            push(inner);
            match target {
                InTarget::List(items) => items.iter().for_each(push),
                InTarget::Subquery(query) => parts.push(Item::Query(query)),
                InTarget::Unnest(array) => push(array),
                InTarget::Table { name, args } => {
                    parts.push(Item::Table(name));
                    for arg in args.iter().flatten() {
                        push_arg(arg, false, visit, parts);
                    }
                }
            }
        }
        Expr::Between {
            expr: inner, low, high, ..
        } => {
            push(inner);
            push(low);
            push(high);
        }
        Expr::Like {
            expr: inner,
            pattern,
            escape_char,
            ..
        }
        | Expr::ILike {
            expr: inner,
            pattern,
            escape_char,
            ..
        }
        | Expr::SimilarTo {
            expr: inner,
            pattern,
            escape_char,
            ..
        } => {
            push(inner);
            push(pattern);
            escape_char.iter().for_each(|escape| push(escape));
        }
        Expr::RLike {
            expr: inner, pattern, ..
        } => {
            push(inner);
            push(pattern);
        }
        Expr::Convert {
            expr: inner, styles, ..
        } => {
            push(inner);
            styles.iter().for_each(push);
        }
        Expr::Substring {
            expr: inner,
            substring_from,
            substring_for,
            ..
        } => {
            push(inner);
            [substring_from, substring_for]
                .into_iter()
                .flatten()
                .for_each(|part| push(part));
        }
        Expr::Trim {
            trim_what,
            expr: inner,
            trim_characters,
            ..
        } => {
            trim_what.iter().for_each(|what| push(what));
            push(inner);
            trim_characters.iter().flatten().for_each(push);
        }
        Expr::Overlay {
            expr: inner,
            overlay_what,
            overlay_from,
            overlay_for,
        } => {
            push(inner);
            push(overlay_what);
            push(overlay_from);
            overlay_for.iter().for_each(|part| push(part));
        }
        Expr::Function(call) => {
            visit(Node::Call(call));
            push_call(call, visit, parts);
        }
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => {
            operand.iter().for_each(|part| push(part));
            for arm in conditions {
                push(&arm.condition);
                push(&arm.result);
            }
            else_result.iter().for_each(|part| push(part));
        }
        Expr::Exists { subquery, .. } | Expr::Subquery(subquery) => parts.push(Item::Query(subquery)),
        Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => sets.iter().flatten().for_each(push),
        Expr::Tuple(items) => items.iter().for_each(push),
        Expr::Struct { values, .. } => values.iter().for_each(push),
        Expr::Dictionary(fields) => fields.iter().for_each(|field| push(&field.value)),
        Expr::Map(map) => {
            for entry in &map.entries {
                push(&entry.key);
                push(&entry.value);
            }
        }
        Expr::Array(array) => array.elem.iter().for_each(push),
        Expr::Interval(interval) => push(&interval.value),
        Expr::Lambda(lambda) => push(&lambda.body),
        Expr::MemberOf(member) => {
            push(&member.value);
            push(&member.array);
        }
    }
}

fn push_path<'e>(path: &'e JsonPath, push: &mut dyn FnMut(&'e Expr)) {
    for element in &path.path {
        match element {
            JsonPathElem::Dot { .. } => {}
            JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } => push(key),
        }
    }
}

fn push_call<'e>(call: &'e Function, visit: &mut dyn FnMut(Node<'e>), parts: &mut Vec<Item<'e>>) {
    let Function {
        name,
        parameters,
        args,
        within_group,
        filter,
        over,
        uses_odbc_syntax: _,
        null_treatment: _,
    } = call;
    let counts = matches!(name.0.as_slice(), [part]
        if part.as_ident().is_some_and(|ident| ident.value.eq_ignore_ascii_case("count")));
    for arguments in [parameters, args] {
        match arguments {
            FunctionArguments::None => {}
            FunctionArguments::Subquery(query) => parts.push(Item::Query(query)),
            FunctionArguments::List(list) => push_list(list, counts, visit, parts),
        }
    }
    push_order(within_group, parts);
    parts.extend(filter.iter().map(|filter| Item::Expr(filter)));
    if let Some(WindowType::WindowSpec(spec)) = over {
        push_window(spec, parts);
    }
}

fn push_list<'e>(
    list: &'e FunctionArgumentList,
    counts: bool,
    visit: &mut dyn FnMut(Node<'e>),
    parts: &mut Vec<Item<'e>>,
) {
    for arg in &list.args {
        push_arg(arg, counts, visit, parts);
    }
    for clause in &list.clauses {
        match clause {
            FunctionArgumentClause::Where(expr) | FunctionArgumentClause::Limit(expr) => parts.push(Item::Expr(expr)),
            FunctionArgumentClause::OrderBy(order) => push_order(order, parts),
            FunctionArgumentClause::Having(bound) => parts.push(Item::Expr(&bound.1)),
            FunctionArgumentClause::OnOverflow(ListAggOnOverflow::Truncate { filler, .. }) => {
                parts.extend(filler.iter().map(|filler| Item::Expr(filler)));
            }
            FunctionArgumentClause::OnOverflow(ListAggOnOverflow::Error)
            | FunctionArgumentClause::IgnoreOrRespectNulls(_)
            | FunctionArgumentClause::Separator(_)
            | FunctionArgumentClause::JsonNullClause(_)
            | FunctionArgumentClause::JsonReturningClause(_) => {}
        }
    }
}

fn push_arg<'e>(arg: &'e FunctionArg, counts: bool, visit: &mut dyn FnMut(Node<'e>), parts: &mut Vec<Item<'e>>) {
    let value = match arg {
        FunctionArg::Named { arg, .. } | FunctionArg::Unnamed(arg) => arg,
        FunctionArg::ExprNamed { name, arg, .. } => {
            parts.push(Item::Expr(name));
            arg
        }
    };
    match value {
        FunctionArgExpr::Expr(expr) => parts.push(Item::Expr(expr)),
        FunctionArgExpr::Wildcard if counts => {}
        FunctionArgExpr::Wildcard | FunctionArgExpr::QualifiedWildcard(_) | FunctionArgExpr::WildcardWithOptions(_) => {
            visit(Node::AllColumns);
        }
    }
}

fn push_order<'e>(order: &'e [OrderByExpr], parts: &mut Vec<Item<'e>>) {
    parts.extend(order.iter().map(|key| Item::Expr(&key.expr)));
}

fn push_window<'e>(spec: &'e WindowSpec, parts: &mut Vec<Item<'e>>) {
    parts.extend(spec.partition_by.iter().map(Item::Expr));
    push_order(&spec.order_by, parts);
    if let Some(frame) = &spec.window_frame {
        for bound in [Some(&frame.start_bound), frame.end_bound.as_ref()]
            .into_iter()
            .flatten()
        {
            if let WindowFrameBound::Preceding(Some(expr)) | WindowFrameBound::Following(Some(expr)) = bound {
                parts.push(Item::Expr(expr));
            }
        }
    }
}
