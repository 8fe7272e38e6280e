//! Queries: SELECT by SELECT, with the common table expressions in scope.
//!
//! A query's answer ([`Facts`]) is made of its parts' answers. A common table expression is analysed once and its answer
//! copied at each use, so a chain of them costs no recursion; what is copied is counted, since copies of copies double.
//! Recursion follows nesting in parentheses, which `guard` bounds. UNION chains are flattened in a loop.

mod change;
mod outputs;
mod parts;
mod select;

use std::collections::BTreeSet;
use std::rc::Rc;

use sqlparser::ast::{OrderByExpr, OrderByKind, Query, SetExpr, SetOperator, SetQuantifier, Statement, Values};

use self::parts::{has_small_limit, is_known, is_table_argument, nodes_of};
pub(super) use self::parts::{later, projections};
use super::excerpt::Source;
use super::relations::column_names;
use super::scope::outputs::Outputs;
use super::scope::{Scope, Session, column, table_name};
use super::walk::Node;
use super::{Columns, Declined, MAX_TABLES, ParseInput, Parsed, ParsedTable, syntax};
use crate::predicate::{Column, Translated};
use crate::reflection::AggregateShape;
use crate::sql::lexer::Token;

/// Tables made or copied on the way, those of unused common table expressions included.
const MAX_WORK: usize = 4 * MAX_TABLES;

/// Literals and column names copied, with tables, from a query to those around it or to the tables below it. Past this,
/// copies go without filter and with all columns.
pub(super) const MAX_COPIED: usize = 200_000;

/// What one query says.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The tables read.
    pub(super) tables: Vec<ParsedTable>,
    /// Names that may be columns of an enclosing query.
    pub(super) free: BTreeSet<Column>,
    /// The number of columns, if the text tells.
    pub(super) width: Option<u64>,
    /// Its columns are those of its tables, all of them and no others.
    pub(super) star_of_tables: bool,
    /// A key, a LIMIT or its nature bounds the number of rows.
    pub(super) bounded: bool,
    /// Rows come straight from one scan: nothing on the way must see them all.
    pub(super) streams: bool,
    /// Every scan is ended early by a LIMIT.
    pub(super) limited: bool,
    /// It is one aggregation over one table.
    shape: Option<AggregateShape>,
    /// What its columns are.
    pub(super) outputs: Rc<Outputs>,
}

struct CommonTable {
    name: String,
    facts: Facts,
    used: bool,
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
    pub(super) copied: usize,
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
                known_engine: input.rules.known_functions,
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
            star_of_tables: facts.star_of_tables,
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
        let more = self.common_tables.get_mut(index).map_or(0, |table| {
            table.used = true;
            table.facts.tables.len()
        });
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
            outputs: Rc::default(),
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
                        used: false,
                    });
                }
                let mut facts = self.query(&table.query)?;
                if with.recursive {
                    let itself = self.common_tables.pop();
                    facts.bounded = false;
                    facts.streams = false;
                    if itself.is_none_or(|itself| itself.used) {
                        // A row that a condition rejects may lead to one that it does not.
                        facts.outputs = Rc::default();
                    }
                }
                if !table.alias.columns.is_empty() {
                    facts.outputs = Rc::new(facts.outputs.renamed(column_names(&table.alias)));
                }
                free.append(&mut facts.free);
                self.common_tables.push(CommonTable {
                    name,
                    facts,
                    used: false,
                });
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
        if query.limit_clause.is_some() || query.fetch.is_some() {
            // Which rows come out depends on those that go in.
            facts.outputs = Rc::default();
        }
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
        let mut by_position = true;
        while let Some(branch) = stack.pop() {
            match branch {
                SetExpr::SetOperation {
                    left,
                    right,
                    op,
                    set_quantifier,
                } => {
                    by_position &= *op == SetOperator::Union
                        && matches!(
                            set_quantifier,
                            SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None
                        );
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
        let mut outputs = Vec::new();
        for (index, branch) in branches.into_iter().enumerate() {
            let facts = self.branch(branch, &[])?;
            if by_position {
                self.copied = self.copied.saturating_add(facts.outputs.size());
                by_position = self.copied <= MAX_COPIED;
                outputs.push(facts.outputs.shifted(all.tables.len()));
            }
            if index == 0 {
                all.width = facts.width;
            }
            all.bounded &= facts.bounded;
            all.limited &= facts.limited || facts.tables.is_empty();
            all.tables.extend(facts.tables);
            all.free.extend(facts.free);
        }
        if by_position {
            all.outputs = Rc::new(Outputs::united(&outputs, &all.tables));
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
                    outputs: Rc::new(Outputs::of_table()),
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
}

fn weight(table: &ParsedTable) -> usize {
    let columns = match &table.columns {
        Columns::All => 0,
        Columns::Named(names) => names.len(),
    };
    columns + table.filter.predicate.size()
}
