//! What a statement's tables, conditions and shape are, from its syntax tree.
//!
//! sqlparser builds the tree; everything else here reads it. The scanner ([`crate::sql::scan`]) always answers, this
//! does not: whatever is too long, too deep or not understood is *declined*, and what only this module knows is then
//! unknown. A statement goes through these steps, one file each:
//!
//! 1. `unwrap` takes off `EXPLAIN`, `PREPARE`, `EXECUTE`, `CREATE TABLE .. AS`, `INSERT INTO`, down to the query.
//! 2. `guard` bounds nesting and chains on the tokens, before anything recurses.
//! 3. `rewrite` puts what sqlparser does not read into words that it does, for which the same bounds hold.
//! 4. `tokens` hands our own lexer's tokens to sqlparser, so that both agree on where a string, a name or a comment
//!    ends; `dialect` chooses the grammar.
//! 5. `query` walks the tree; `scope` and `relations` hold what a FROM clause brings and what its joins mean, with
//!    `scope/outputs` for the columns of queries in FROM and `scope/equalities` for what joins hold equal;
//!    `condition` turns conditions into predicates, `literal` constants, `fold` computes them (`calendar`), `invert`
//!    turns functions of a column around; `walk` finds columns and subqueries in any
//!    expression; `shape` answers the questions about aggregation, LIMIT and windows; `excerpt` quotes the source;
//!    `suggest` names what would prune.
//!
//! # Why a predicate may be believed
//!
//! For every table, `filter` is *implied by* what the statement says: a row that the filter rejects cannot take part in
//! the result. Each step keeps that:
//!
//! - NOT is pushed to the leaves first (De Morgan holds in three-valued logic), and a leaf is translated for the truth
//!   value that is asked of it. What cannot be translated becomes "true", so `NOT (a = 1 AND f(b))` prunes nothing.
//! - A filter belongs to one relation. Leaves on other relations are "true" there; under OR that makes all of it true.
//! - A join condition filters only the sides whose unmatched rows the join drops. A condition above an outer join
//!   filters the null-supplying side only if no leaf of it accepts NULL.
//! - A name without qualifier may be any relation's in scope, so each of them gets its conditions: in a valid statement
//!   at most one table has the column, and the others ignore it by rule 1. Columns that USING merges in an outer join, and all columns
//!   under NATURAL and semi joins, may be several tables' and prune nothing. Inside a subquery such a name may still be
//!   a column of an enclosing query.
//!
//! # What the side that knows the schema must do
//!
//! 1. A leaf whose column the table does not have is *true*: it belongs to another table or is no column at all. This
//!    is sound because no NOT stands above a leaf. The filter is then no longer exact.
//! 2. A leaf whose literal does not have the column's type, or a type with an exact conversion to it, is *true*.
//! 3. If a column of [`ParsedTable::nan_columns`] is a floating point number, its order comparisons are *true*: NaN
//!    satisfies `NOT (x <= 5)` and no comparison. Engines that sort NaN above all numbers (Spark, Dremio) need the same
//!    for every order comparison of such a column.
//! 4. `NotEq` and `NOT IN` do not accept NULL here; a reader that lets NULL through is an upper bound.
//! 5. [`Columns::Named`] may name columns of other tables; what the table does not have is to be ignored.
//! 6. A name may be a view. The filter then holds for the view's rows and not for the tables behind it.

mod calendar;
mod condition;
mod dialect;
mod excerpt;
mod fold;
mod guard;
mod invert;
mod literal;
mod query;
mod relations;
mod rewrite;
mod scope;
mod shape;
mod suggest;
mod tokens;
mod unwrap;
mod walk;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use sqlparser::parser::{Parser, ParserError};

use self::dialect::EngineDialect;
use self::query::Analysis;
use crate::predicate::{Column, Translated};
use crate::reflection::AggregateShape;
use crate::sql::lexer::LexicalRules;
use crate::sql::scan::TableName;

/// Longer texts are not parsed: a syntax tree takes up to 250 bytes of memory for each byte of text.
pub const MAX_BYTES: usize = 64 * 1024;

/// More tables than this in one statement, those of common table expressions counted at each use, are declined: a chain
/// of expressions that each use the one before twice would otherwise double with every link.
pub const MAX_TABLES: usize = 1000;

/// The stack that carries everything that the bounds let through, even without optimisation. An optimised build needs
/// 1.5 MiB.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;

/// What sqlparser allows itself; it overflows a 2 MiB stack somewhere above twice this.
const RECURSION_LIMIT: usize = 50;

/// An error message longer than this quotes the statement.
const MAX_MESSAGE_CHARS: usize = 200;

/// A statement as it came.
#[derive(Clone, Copy, Debug)]
pub struct ParseInput<'a> {
    /// The text as sent.
    pub text: &'a str,
    /// The engine's lexical rules.
    pub rules: &'a LexicalRules,
    /// The session's prepared statements: name and text.
    pub prepared: &'a [(&'a str, &'a str)],
    /// What the clock says. Without it conditions on the current date prune nothing.
    pub now: Option<ParseTime>,
}

/// A point in time, and what is known of the session's zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseTime {
    /// Microseconds since 1970-01-01 in UTC.
    pub unix_micros: i64,
    /// The session's zone, if it has a fixed distance from UTC that is known. Otherwise the current date may be off by
    /// one either way, which is allowed for.
    pub zone_minutes: Option<i16>,
}

/// The columns of a table that a statement may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// All, or nobody can tell.
    All,
    /// No more than these.
    Named(BTreeSet<Column>),
}

/// Why a condition does not prune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnusedReason {
    /// A function is applied to the column, or the condition is a function call.
    Function,
    /// A cast is applied to the column or to the value.
    Cast,
    /// Arithmetic or another expression, on either side.
    Expression,
    /// A column is compared with a column.
    ColumnComparison,
    /// A subquery.
    Subquery,
    /// LIKE and its relatives.
    Pattern,
    /// A parameter whose value is not known.
    Parameter,
    /// A name without qualifier where several relations are in scope.
    AmbiguousColumn,
    /// A branch of an OR accepts any row of the table.
    Disjunction,
    /// NULL would satisfy it, and an outer join may supply NULL.
    OuterJoin,
    /// Nothing that metadata can answer.
    Other,
}

impl UnusedReason {
    /// The reason in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "a function stands between the column and the value",
            Self::Cast => "a cast stands between the column and the value",
            Self::Expression => "the column is not compared with a constant",
            Self::ColumnComparison => "two columns are compared",
            Self::Subquery => "the value comes from a subquery",
            Self::Pattern => "a pattern has no range",
            Self::Parameter => "the parameter's value is not known",
            Self::AmbiguousColumn => "the column has no qualifier and could belong to several tables",
            Self::Disjunction => "one side of the OR does not restrict the table",
            Self::OuterJoin => "the outer join supplies the NULL that it accepts",
            Self::Other => "metadata cannot answer it",
        }
    }
}

impl std::fmt::Display for UnusedReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A condition that the statement has and the filter has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedCondition {
    /// The condition as written, comments left out, cut to a bounded length.
    pub text: String,
    /// Why it does not prune.
    pub reason: UnusedReason,
    /// What to write instead, where that would prune.
    pub suggestion: Option<String>,
}

/// One occurrence of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedTable {
    /// The name as written.
    pub name: TableName,
    /// What prunes the table. Exact if each condition that mentions the table is in it as written.
    pub filter: Translated,
    /// Columns in an order comparison that came out of a negation; see the module's rule 3.
    pub nan_columns: BTreeSet<Column>,
    /// The columns that may be read.
    pub columns: Columns,
    /// Conditions on the table that do not prune.
    pub unused_conditions: Vec<UnusedCondition>,
}

/// What the syntax tree says.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tables read, one entry an occurrence, in the order of the text; a common table expression's at each use.
    /// The target of UPDATE, DELETE and MERGE is read too.
    pub tables: Vec<ParsedTable>,
    /// Columns of the result; unknown if `*` of a table is among them.
    pub output_columns: Option<u64>,
    /// The columns of the result are those of the tables, all of them and no others: their schemas tell how many.
    pub star_of_tables: bool,
    /// A window function whose input no equality on a key column bounds.
    pub has_window_over_large_partition: bool,
    /// A small LIMIT ends every scan early: nothing that must see all rows stands between.
    pub limit_bounds_scan: bool,
    /// The statement as one aggregation over one table, if it is that.
    pub aggregate: Option<AggregateShape>,
    /// A function is called that the engine does not bring along; unknown for engines whose functions are not listed.
    pub has_udf: Option<bool>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declined {
    /// More than [`MAX_BYTES`].
    TooLong,
    /// Nested too deeply.
    TooDeep,
    /// A chain of too many operators or set operations.
    TooManyOperators,
    /// More than [`MAX_TABLES`].
    TooManyTables,
    /// The grammar does not cover it; the parser's message.
    Syntax(String),
    /// It reads nothing that could be estimated: a definition, a setting, a listing.
    NotAQuery,
}

impl std::fmt::Display for Declined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLong => f.write_str("statement too long to parse"),
            Self::TooDeep => f.write_str("statement nested too deeply to parse"),
            Self::TooManyOperators => f.write_str("too many operators in one chain"),
            Self::TooManyTables => f.write_str("too many tables"),
            Self::Syntax(message) => write!(f, "not parsed: {message}"),
            Self::NotAQuery => f.write_str("not a query"),
        }
    }
}

/// Parses a statement, or says why not.
///
/// # Errors
/// When the statement is outside the bounds of this module or of the grammar.
///
/// Needs a stack of [`STACK_BYTES`].
pub fn parse(input: &ParseInput<'_>) -> Result<Parsed, Declined> {
    let statement = unwrap::unwrap(input)?;
    let lexemes = rewrite::lexemes(&statement.text, &statement.tokens);
    guard::check(&lexemes)?;
    let (rewritten, notes) = rewrite::rewrite(lexemes, input.rules);
    guard::check(&rewritten)?;
    if notes.not_understood {
        return Err(syntax("BETWEEN SYMMETRIC of more than plain operands"));
    }
    let dialect = EngineDialect::new(input.rules);
    let sql_tokens = tokens::for_sqlparser(&rewritten, input.rules);
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(RECURSION_LIMIT)
        .with_tokens_with_locations(sql_tokens);
    let analysis = Analysis::new(&statement.text, &statement.tokens, input);
    let mut parsed = if statement.is_query {
        let query = parser.parse_query().map_err(declined)?;
        expect_end(&parser)?;
        analysis.of_query(&query)?
    } else {
        let tree = parser.parse_statement().map_err(declined)?;
        expect_end(&parser)?;
        analysis.of_statement(&tree)?
    };
    notes.apply(&mut parsed);
    Ok(parsed)
}

fn expect_end(parser: &Parser<'_>) -> Result<(), Declined> {
    match &parser.peek_token_ref().token {
        sqlparser::tokenizer::Token::EOF => Ok(()),
        other => Err(syntax(&format!("expected the end of the statement, found {other}"))),
    }
}

fn declined(error: ParserError) -> Declined {
    match error {
        ParserError::RecursionLimitExceeded => Declined::TooDeep,
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => syntax(&message),
    }
}

fn syntax(message: &str) -> Declined {
    Declined::Syntax(message.chars().take(MAX_MESSAGE_CHARS).collect())
}
