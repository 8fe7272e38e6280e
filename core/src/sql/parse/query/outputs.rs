//! Which columns of a SELECT are columns of tables, and may be asked for less.
//!
//! A condition on an output may filter the tables only if a row of theirs that fails it comes out in rows that fail it
//! and changes no others. So it is for the rows of FROM and WHERE, and for DISTINCT. A group or a window's partition is
//! a value of its keys: dropping rows by a key drops whole groups, dropping them by another column changes what is left.
//! With a window function only columns that partition every window count. Values that differ at each call let nothing
//! through: an engine may refuse to move a condition past them.

use std::collections::BTreeSet;
use std::rc::Rc;

use sqlparser::ast::{
    Distinct, Expr, Function, GroupByExpr, Ident, NamedWindowExpr, OrderByExpr, Select, SelectItem,
    SelectItemQualifiedWildcardKind, Value, WildcardAdditionalOptions, WindowSpec, WindowType,
};

use super::super::scope::keys::{Key, plain};
use super::super::scope::outputs::{Origin, Output, Outputs};
use super::super::scope::{Scope, table_name};
use super::super::shape::Calls;
use super::super::walk::{Node, walk};
use super::parts::{groups, is_known, is_plain, later, projections};
use super::{Analysis, MAX_COPIED};

/// Functions whose value differs from call to call, sorted.
const VOLATILE: [&str; 9] = [
    "gen_random_uuid",
    "monotonically_increasing_id",
    "rand",
    "randn",
    "random",
    "secure_random",
    "shuffle",
    "spark_partition_id",
    "uuid",
];

/// Columns that a condition on the output may filter by.
enum Passing {
    All,
    Only(BTreeSet<Key>),
}

impl Passing {
    fn lets(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::Only(keys) => keys.contains(key),
        }
    }

    fn only(&mut self, keys: BTreeSet<Key>) {
        *self = Self::Only(match std::mem::replace(self, Self::All) {
            Self::All => keys,
            Self::Only(before) => before.intersection(&keys).cloned().collect(),
        });
    }
}

impl Analysis<'_> {
    /// The columns of a SELECT; its tables are counted from `first`.
    pub(super) fn outputs(
        &mut self,
        select: &Select,
        order_by: &[OrderByExpr],
        calls: Calls,
        scope: &Scope<'_>,
        first: usize,
    ) -> Rc<Outputs> {
        let Some(passing) = passing(select, order_by, calls, scope) else {
            return Rc::default();
        };
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => items.push(one(None, expr, scope, &passing)),
                SelectItem::ExprWithAlias { expr, alias } => items.push(one(Some(alias), expr, scope, &passing)),
                SelectItem::ExprWithAliases { aliases, .. } => {
                    items.extend(aliases.iter().map(|alias| Output::One {
                        name: Some(alias.value.to_lowercase()),
                        origins: Vec::new(),
                    }));
                }
                SelectItem::Wildcard(options) if keeps_names(options) && !scope.shares_names => {
                    items.extend(scope.merged.iter().map(|name| Output::One {
                        name: Some(name.clone()),
                        origins: Vec::new(),
                    }));
                    for (index, relation) in scope.relations.iter().enumerate() {
                        all_of(index, scope, &passing, &mut items);
                        self.copied = self.copied.saturating_add(relation.outputs.size());
                        if self.copied > MAX_COPIED {
                            return Rc::default();
                        }
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
                    if keeps_names(options) =>
                {
                    let qualifier = table_name(name).ok();
                    match qualifier.and_then(|qualifier| scope.relation_named(&qualifier.parts)) {
                        Some(index) => all_of(index, scope, &passing, &mut items),
                        None => items.push(Output::Unknown),
                    }
                }
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => items.push(Output::Unknown),
            }
            self.copied = self.copied.saturating_add(items.last().map_or(1, Output::size));
            if self.copied > MAX_COPIED {
                return Rc::default();
            }
        }
        let mut null_supplied = BTreeSet::new();
        for relation in &scope.relations {
            let outputs = &relation.outputs;
            let below = if relation.null_supplied {
                outputs.tables()
            } else {
                outputs.null_supplied.clone()
            };
            null_supplied.extend(below.into_iter().map(|table| relation.first_table + table));
        }
        Rc::new(Outputs { items, null_supplied }.shifted(first))
    }
}

/// What may be filtered by; `None` if nothing.
fn passing(select: &Select, order_by: &[OrderByExpr], calls: Calls, scope: &Scope<'_>) -> Option<Passing> {
    let grouped = groups(&select.group_by);
    let cuts = select.top.is_some() || matches!(select.distinct, Some(Distinct::On(_)));
    let one_group = (calls.aggregates || select.having.is_some()) && !grouped;
    let strange = select.exclude.is_some() || select.value_table_mode.is_some() || !select.lateral_views.is_empty();
    if cuts || one_group || strange || is_volatile(select, order_by) {
        return None;
    }
    let mut passing = Passing::All;
    if grouped {
        passing.only(group_keys(select, scope)?);
    }
    if calls.windows {
        if !scope.session.known_engine {
            return None;
        }
        for expr in projections(select).chain(later(select, order_by)) {
            let mut windows = Vec::new();
            walk(expr, &mut |node| {
                if let Node::Call(Function { over: Some(window), .. }) = node {
                    windows.push(window);
                }
            });
            for window in windows {
                let keys = specification(window, select)?.partition_by.iter();
                passing.only(keys.filter_map(|key| scope.key_of(key)).collect());
            }
        }
    }
    Some(passing)
}

/// The columns that a SELECT groups by, each of which tells groups apart everywhere: no grouping sets.
fn group_keys(select: &Select, scope: &Scope<'_>) -> Option<BTreeSet<Key>> {
    let GroupByExpr::Expressions(exprs, modifiers) = &select.group_by else {
        return None;
    };
    if !modifiers.is_empty() {
        return None;
    }
    let mut keys = BTreeSet::new();
    for expr in exprs {
        let expr = match ordinal(expr) {
            Some(place) => match select.projection.get(place.checked_sub(1)?)? {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr,
                _ => return None,
            },
            None => expr,
        };
        match expr {
            Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) | Expr::Tuple(_) => return None,
            Expr::Function(call) if !is_known(call) || is_grouping(call) => return None,
            _ => keys.extend(scope.key_of(expr)),
        }
    }
    Some(keys)
}

fn ordinal(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn is_grouping(call: &Function) -> bool {
    ["rollup", "cube", "grouping", "sets"]
        .iter()
        .any(|word| is_called(call, |name| name.eq_ignore_ascii_case(word)))
}

fn is_called(call: &Function, wanted: impl Fn(&str) -> bool) -> bool {
    let last = call.name.0.last().and_then(|part| part.as_ident());
    last.is_some_and(|name| wanted(&name.value))
}

fn specification<'s>(window: &'s WindowType, select: &'s Select) -> Option<&'s WindowSpec> {
    let specification = match window {
        WindowType::WindowSpec(specification) => specification,
        WindowType::NamedWindow(name) => {
            let named = |name: &Ident| name.value.to_lowercase();
            let mut found = select
                .named_window
                .iter()
                .filter(|window| named(&window.0) == named(name));
            match (found.next().map(|window| &window.1), found.next()) {
                (Some(NamedWindowExpr::WindowSpec(specification)), None) => specification,
                _ => return None,
            }
        }
    };
    specification.window_name.is_none().then_some(specification)
}

/// A call whose value may differ for the same row, and one that we do not know.
fn is_volatile(select: &Select, order_by: &[OrderByExpr]) -> bool {
    let mut volatile = false;
    for expr in projections(select)
        .chain(later(select, order_by))
        .chain(&select.selection)
    {
        walk(expr, &mut |node| {
            if let Node::Call(call) = node {
                volatile |= !is_known(call)
                    || is_called(call, |name| {
                        VOLATILE.binary_search(&name.to_lowercase().as_str()).is_ok()
                    });
            }
        });
    }
    volatile
}

fn keeps_names(options: &WildcardAdditionalOptions) -> bool {
    is_plain(options) && options.opt_replace.is_none() && options.opt_alias.is_none()
}

fn origins(key: &Key, scope: &Scope<'_>) -> Vec<Origin> {
    let of_relation = |index: usize| {
        let exports = scope.relations.get(index).is_some_and(|relation| !relation.sampled);
        if exports {
            scope.origins(index, &key.1)
        } else {
            Vec::new()
        }
    };
    match key.0 {
        Some(index) => of_relation(index),
        None => {
            let mut all: Vec<Origin> = (0..scope.relations.len()).flat_map(of_relation).collect();
            for origin in &mut all {
                origin.certain = false;
            }
            all
        }
    }
}

fn one(alias: Option<&Ident>, expr: &Expr, scope: &Scope<'_>, passing: &Passing) -> Output {
    let last = || plain(expr).and_then(<[Ident]>::last);
    let key = scope.key_of(expr).filter(|key| passing.lets(key));
    Output::One {
        name: alias.or_else(last).map(|name| name.value.to_lowercase()),
        origins: key.map(|key| origins(&key, scope)).unwrap_or_default(),
    }
}

/// `*` of one relation.
fn all_of(index: usize, scope: &Scope<'_>, passing: &Passing, items: &mut Vec<Output>) {
    let Some(relation) = scope.relations.get(index).filter(|relation| !relation.sampled) else {
        items.push(Output::Unknown);
        return;
    };
    match passing {
        Passing::All => items.extend(
            relation
                .outputs
                .items
                .iter()
                .map(|item| item.shifted(relation.first_table)),
        ),
        Passing::Only(keys) => {
            // The keys are among the columns, nobody knows where.
            for key in keys.iter().filter(|key| key.0 == Some(index)) {
                if let [name] = key.1.0.as_slice() {
                    items.push(Output::One {
                        name: Some(name.to_lowercase()),
                        origins: origins(key, scope),
                    });
                }
            }
            items.push(Output::Unknown);
        }
    }
}
