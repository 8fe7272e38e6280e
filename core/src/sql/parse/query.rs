//! Queries: SELECT by SELECT, with the common table expressions in scope.
//!
//! A query's answer ([`Facts`]) is made of its parts' answers. A common table expression is analysed once and its answer
//! copied at each use, so a chain of them costs no recursion; what is copied is counted, since copies of copies double.
//! Recursion follows nesting in parentheses, which `guard` bounds. UNION chains are flattened in a loop.

use std::collections::BTreeSet;

use sqlparser::ast::{
    Delete, Distinct, Expr, FromTable, FunctionArguments, GroupByExpr, LimitClause, Merge, MergeAction,
    MergeInsertKind, MergeUpdateKind, NamedWindowExpr, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, Statement, TableWithJoins, Update, UpdateTableFromKind, Value, Values,
    WildcardAdditionalOptions,
};

use super::excerpt::Source;
use super::scope::{Scope, Session, column, table_name};
use super::shape;
use super::walk::{Node, walk, window_spec};
use super::{Columns, Declined, MAX_TABLES, ParseInput, Parsed, ParsedTable, syntax};
use crate::predicate::{Column, Predicate, Translated};
use crate::reflection::AggregateShape;
use crate::sql::functions;
use crate::sql::lexer::Token;

/// Tables made or copied on the way, those of unused common table expressions included.
const MAX_WORK: usize = 4 * MAX_TABLES;

/// Literals and column names copied with them. Past this, copies go without filter and with all columns.
const MAX_COPIED: usize = 200_000;

/// A LIMIT above this reads about as much as no LIMIT.
const SMALL_LIMIT: u64 = 1_000_000;

/// What one query says.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The tables read.
    pub(super) tables: Vec<ParsedTable>,
    /// Names that may be columns of an enclosing query.
    pub(super) free: BTreeSet<Column>,
    /// The number of columns, if the text tells.
    pub(super) width: Option<u64>,
    /// A key, a LIMIT or its nature bounds the number of rows.
    pub(super) bounded: bool,
    /// Rows come straight from one scan: nothing on the way must see them all.
    pub(super) streams: bool,
    /// Every scan is ended early by a LIMIT.
    pub(super) limited: bool,
    /// It is one aggregation over one table.
    shape: Option<AggregateShape>,
}

struct CommonTable {
    name: String,
    facts: Facts,
}

/// The state of a walk over one statement.
pub(super) struct Analysis<'a> {
    pub(super) source: Source<'a>,
    /// A window whose input nothing bounds has been seen.
    pub(super) large_window: bool,
    known_functions: bool,
    session: Session,
    calls_unknown: bool,
    common_tables: Vec<CommonTable>,
    /// Qualifiers of the enclosing queries.
    outer: Vec<String>,
    work: usize,
    copied: usize,
}

impl<'a> Analysis<'a> {
    /// Nothing seen yet.
    pub(super) fn new(text: &'a str, tokens: &'a [Token], input: &ParseInput<'_>) -> Self {
        Self {
            source: Source::new(text, tokens),
            large_window: false,
            known_functions: input.rules.known_functions,
            session: Session {
                now: input.now,
                inverts: input.rules.known_functions,
            },
            calls_unknown: false,
            common_tables: Vec::new(),
            outer: Vec::new(),
            work: 0,
            copied: 0,
        }
    }

    /// A query's answer.
    pub(super) fn of_query(mut self, query: &Query) -> Result<Parsed, Declined> {
        let facts = self.query(query)?;
        self.finish(facts)
    }

    /// The answer to UPDATE, DELETE or MERGE.
    pub(super) fn of_statement(mut self, statement: &Statement) -> Result<Parsed, Declined> {
        let tables = self.statement(statement)?;
        // The one column is the number of rows.
        self.finish(Facts {
            tables,
            width: Some(1),
            ..Facts::default()
        })
    }

    fn finish(self, facts: Facts) -> Result<Parsed, Declined> {
        if facts.tables.len() > MAX_TABLES {
            return Err(Declined::TooManyTables);
        }
        Ok(Parsed {
            limit_bounds_scan: facts.limited && !facts.tables.is_empty(),
            tables: facts.tables,
            output_columns: facts.width,
            has_window_over_large_partition: self.large_window,
            aggregate: facts.shape,
            has_udf: match (self.calls_unknown, self.known_functions) {
                (false, _) => Some(false),
                (true, true) => Some(true),
                (true, false) => None,
            },
        })
    }

    /// Counts tables made or copied.
    pub(super) fn count_tables(&mut self, more: usize) -> Result<(), Declined> {
        self.work = self.work.saturating_add(more);
        if self.work > MAX_WORK {
            Err(Declined::TooManyTables)
        } else {
            Ok(())
        }
    }

    /// A copy of the common table expression with this name, the innermost one.
    pub(super) fn common_table(&mut self, name: &str) -> Result<Option<Facts>, Declined> {
        let Some(index) = self.common_tables.iter().rposition(|table| table.name == name) else {
            return Ok(None);
        };
        let more = self
            .common_tables
            .get(index)
            .map_or(0, |table| table.facts.tables.len());
        self.count_tables(more)?;
        let Some(table) = self.common_tables.get(index) else {
            return Ok(None);
        };
        self.copied = self.copied.saturating_add(table.facts.tables.iter().map(weight).sum());
        if self.copied <= MAX_COPIED {
            return Ok(Some(table.facts.clone()));
        }
        let bare = |table: &ParsedTable| ParsedTable {
            name: table.name.clone(),
            filter: Translated::whole_table(),
            nan_columns: BTreeSet::new(),
            columns: Columns::All,
            unused_conditions: Vec::new(),
        };
        Ok(Some(Facts {
            tables: table.facts.tables.iter().map(bare).collect(),
            free: BTreeSet::new(),
            shape: None,
            ..table.facts
        }))
    }

    fn query(&mut self, query: &Query) -> Result<Facts, Declined> {
        if !query.pipe_operators.is_empty() {
            return Err(syntax("pipes are not analysed"));
        }
        let in_scope = self.common_tables.len();
        let mut free = BTreeSet::new();
        if let Some(with) = &query.with {
            for table in &with.cte_tables {
                let name = table.alias.name.value.to_lowercase();
                if with.recursive {
                    // Inside itself the name stands for rows that are there already.
                    self.common_tables.push(CommonTable {
                        name: name.clone(),
                        facts: Facts::default(),
                    });
                }
                let mut facts = self.query(&table.query)?;
                if with.recursive {
                    self.common_tables.pop();
                    facts.bounded = false;
                    facts.streams = false;
                }
                free.append(&mut facts.free);
                self.common_tables.push(CommonTable { name, facts });
            }
        }
        let order_by: &[OrderByExpr] = match query.order_by.as_ref().map(|order| &order.kind) {
            Some(OrderByKind::Expressions(keys)) => keys,
            Some(OrderByKind::All(_)) | None => &[],
        };
        let mut facts = self.body(&query.body, order_by)?;
        self.common_tables.truncate(in_scope);
        facts.free.append(&mut free);
        facts.streams &= query.order_by.is_none();
        if has_small_limit(query) {
            facts.bounded = true;
            facts.limited |= facts.streams;
        }
        if query.with.is_some() {
            facts.shape = None;
        }
        Ok(facts)
    }

    fn body(&mut self, body: &SetExpr, order_by: &[OrderByExpr]) -> Result<Facts, Declined> {
        let mut branches = Vec::new();
        let mut stack = vec![body];
        while let Some(branch) = stack.pop() {
            match branch {
                SetExpr::SetOperation { left, right, .. } => {
                    stack.push(right);
                    stack.push(left);
                }
                other => branches.push(other),
            }
        }
        if let [single] = branches.as_slice() {
            return self.branch(single, order_by);
        }
        let mut all = Facts {
            bounded: true,
            limited: true,
            ..Facts::default()
        };
        for (index, branch) in branches.into_iter().enumerate() {
            let facts = self.branch(branch, &[])?;
            if index == 0 {
                all.width = facts.width;
            }
            all.bounded &= facts.bounded;
            all.limited &= facts.limited || facts.tables.is_empty();
            all.tables.extend(facts.tables);
            all.free.extend(facts.free);
        }
        // ORDER BY of a set operation names its columns; a subquery in it is all that could read a table.
        let mut scope = Scope::default();
        let nodes = nodes_of(order_by.iter().map(|key| &key.expr));
        let tables = self.visit(nodes, &mut scope)?;
        all.limited &= tables.is_empty();
        all.tables.extend(tables);
        Ok(all)
    }

    fn branch(&mut self, branch: &SetExpr, order_by: &[OrderByExpr]) -> Result<Facts, Declined> {
        match branch {
            SetExpr::Select(select) => self.select(select, order_by),
            SetExpr::Query(query) => {
                let mut facts = self.query(query)?;
                let mut scope = Scope::default();
                let tables = self.visit(nodes_of(order_by.iter().map(|key| &key.expr)), &mut scope)?;
                facts.limited &= tables.is_empty();
                facts.tables.extend(tables);
                Ok(facts)
            }
            SetExpr::Values(values) => self.values(values),
            SetExpr::Table(table) => {
                let parts = [&table.schema_name, &table.table_name];
                let parts = parts
                    .into_iter()
                    .flatten()
                    .map(|part| part.value.to_lowercase())
                    .collect();
                let name = crate::sql::scan::TableName { parts };
                if name.parts.is_empty() {
                    return Err(syntax("TABLE without a name"));
                }
                if let [single] = name.parts.as_slice()
                    && let Some(facts) = self.common_table(single)?
                {
                    return Ok(facts);
                }
                self.count_tables(1)?;
                let mut scope = Scope::default();
                scope.push_base(name, None, true);
                let mut tables = scope.finish();
                for table in &mut tables {
                    table.filter.exact = true;
                }
                Ok(Facts {
                    tables,
                    streams: true,
                    ..Facts::default()
                })
            }
            SetExpr::SetOperation { .. } => Err(syntax("a set operation in a place that is not analysed")),
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => Ok(Facts {
                tables: self.statement(statement)?,
                width: Some(1),
                ..Facts::default()
            }),
        }
    }

    fn values(&mut self, values: &Values) -> Result<Facts, Declined> {
        let mut scope = Scope::default();
        let rows = || values.rows.iter().map(|row| &row.content);
        let tables = self.visit(nodes_of(rows().flatten()), &mut scope)?;
        Ok(Facts {
            width: rows().next().and_then(|row| u64::try_from(row.len()).ok()),
            bounded: true,
            limited: tables.is_empty(),
            tables,
            free: scope.free,
            ..Facts::default()
        })
    }

    fn select(&mut self, select: &Select, order_by: &[OrderByExpr]) -> Result<Facts, Declined> {
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
            let mut relation =
                super::scope::Relation::opaque(view.lateral_view_name.0.first().and_then(|part| part.as_ident()));
            relation.bounded = true;
            scope.relations.push(relation);
        }
        if let Some(condition) = &select.selection {
            let relations = scope.relations.len();
            scope.restrict(condition, 0..relations, &self.source);
        }
        let input_bounded = select.from.is_empty() || shape::is_bounded(&scope, select.selection.as_ref());

        // In the order of the text, so that tables come out in it too.
        let projected = self.visit(nodes_of(projections(select)), &mut scope)?;
        let deferred = std::mem::take(&mut scope.deferred);
        let in_joins = self.visit(nodes_of(deferred.into_iter()), &mut scope)?;
        let conditions = nodes_of(select.prewhere.iter().chain(&select.selection));
        let filtered = self.visit(conditions, &mut scope)?;
        let rest = self.visit(nodes_of(later(select, order_by).into_iter()), &mut scope)?;
        let width = self.width(select, &mut scope);

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

        let mut tables = projected;
        tables.extend(scope.finish());
        tables.extend(in_joins);
        tables.extend(filtered);
        tables.extend(rest);
        Ok(Facts {
            tables,
            free: scope.free,
            width,
            bounded: input_bounded || aggregated_to_one,
            streams,
            limited,
            shape,
        })
    }

    fn scope<'e>(&self) -> Scope<'e> {
        Scope::inside(self.outer.clone(), self.session)
    }

    /// A query inside a SELECT, which may use the SELECT's columns.
    pub(super) fn nested(&mut self, query: &Query, scope: &Scope<'_>) -> Result<Facts, Declined> {
        let visible = self.outer.len();
        let qualifiers = scope.relations.iter().flat_map(|relation| &relation.qualifier);
        self.outer.extend(qualifiers.cloned());
        let facts = self.query(query)?;
        self.outer.truncate(visible);
        Ok(facts)
    }

    /// Looks up what expressions name; gives the tables that their subqueries read.
    pub(super) fn visit(&mut self, nodes: Vec<Node<'_>>, scope: &mut Scope<'_>) -> Result<Vec<ParsedTable>, Declined> {
        let mut tables = Vec::new();
        for node in nodes {
            match node {
                Node::Column(parts) => scope.note(&column(parts)),
                Node::AllColumns => scope.read_all(None),
                Node::Call(call) => {
                    if call.name.0.len() == 1 && is_table_argument(call) {
                        return Err(syntax("a table as a function's argument"));
                    }
                    self.calls_unknown |= !is_known(call);
                }
                Node::Table(name) => {
                    self.count_tables(1)?;
                    let mut inner = Scope::default();
                    inner.push_base(table_name(name)?, None, true);
                    tables.extend(inner.finish());
                }
                Node::Query(query) => {
                    let facts = self.nested(query, scope)?;
                    for name in &facts.free {
                        scope.note(name);
                    }
                    tables.extend(facts.tables);
                }
            }
        }
        Ok(tables)
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

    fn statement(&mut self, statement: &Statement) -> Result<Vec<ParsedTable>, Declined> {
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
            scope.restrict(condition, 0..relations, &self.source);
        }
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
        for relation in &mut scope.relations {
            relation.prunable = false;
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

fn weight(table: &ParsedTable) -> usize {
    let columns = match &table.columns {
        Columns::All => 0,
        Columns::Named(names) => names.len(),
    };
    columns + leaves(&table.filter.predicate)
}

fn leaves(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => 1 + parts.iter().map(leaves).sum::<usize>(),
        Predicate::In { literals, .. } => 1 + literals.len(),
        _ => 1,
    }
}

fn nodes_of<'e>(exprs: impl Iterator<Item = &'e Expr>) -> Vec<Node<'e>> {
    let mut nodes = Vec::new();
    for expr in exprs {
        walk(expr, &mut |node| nodes.push(node));
    }
    nodes
}

/// The expressions of the select list, and what stands before it.
pub(super) fn projections(select: &Select) -> impl Iterator<Item = &Expr> {
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
pub(super) fn later<'e>(select: &'e Select, order_by: &'e [OrderByExpr]) -> Vec<&'e Expr> {
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

fn groups(group_by: &GroupByExpr) -> bool {
    match group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(keys, modifiers) => !keys.is_empty() || !modifiers.is_empty(),
    }
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.opt_ilike.is_none()
        && options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_rename.is_none()
}

/// `TABLE(t)`: sqlparser reads a call, the engine reads the table.
fn is_table_argument(call: &sqlparser::ast::Function) -> bool {
    call.name.0.iter().any(|part| {
        part.as_ident()
            .is_some_and(|name| name.value.eq_ignore_ascii_case("table"))
    }) && !matches!(call.args, FunctionArguments::None)
}

fn is_known(call: &sqlparser::ast::Function) -> bool {
    let [part] = call.name.0.as_slice() else {
        return false;
    };
    part.as_ident().is_some_and(|name| {
        let name = name.value.to_lowercase();
        functions::is_builtin(&name) || functions::is_type_or_syntax(&name)
    })
}

/// A LIMIT or FETCH of a plain number of rows, not many with the rows skipped.
fn has_small_limit(query: &Query) -> bool {
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
