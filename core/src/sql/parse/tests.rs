//! Tests of the parser-depth analysis: one file for each question.

mod columns;
mod hostile;
mod joins;
mod predicates;
mod properties;
mod random;
mod rewriting;
mod shapes;
mod time;
mod unwrapping;

use serde_json::Value;

use super::{Declined, ParseInput, ParseTime, Parsed, ParsedTable, UnusedReason, parse};
use crate::predicate::Comparison;
use crate::sql::lexer::LexicalRules;

fn trino(text: &str) -> Result<Parsed, Declined> {
    let rules = LexicalRules::TRINO;
    parse(&ParseInput {
        text,
        rules: &rules,
        prepared: &[],
        now: None,
    })
}

/// The tables of a statement that must parse.
fn tables(text: &str) -> Vec<ParsedTable> {
    match trino(text) {
        Ok(parsed) => parsed.tables,
        Err(why) => {
            assert!(text.is_empty(), "{why}: {text}");
            Vec::new()
        }
    }
}

/// Name, filter and exactness of each table.
fn filters(text: &str) -> Vec<(String, Value, bool)> {
    let rows = tables(text).into_iter();
    rows.map(|table| {
        (
            table.name.to_string(),
            table.filter.predicate.to_rest_json(),
            table.filter.exact,
        )
    })
    .collect()
}

fn check(text: &str, expected: &[(&str, Value, bool)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, filter, exact)| ((*name).to_owned(), filter.clone(), *exact))
        .collect();
    assert_eq!(filters(text), expected, "{text}");
}

/// The reasons for which conditions of the first table do not prune.
fn unused(text: &str) -> Vec<(String, UnusedReason)> {
    let first = tables(text).into_iter().next();
    let conditions = first.map(|table| table.unused_conditions).unwrap_or_default();
    conditions
        .into_iter()
        .map(|condition| (condition.text, condition.reason))
        .collect()
}

/// The operator as SQL writes it.
fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "=",
        Comparison::NotEq => "<>",
        Comparison::Lt => "<",
        Comparison::LtEq => "<=",
        Comparison::Gt => ">",
        Comparison::GtEq => ">=",
    }
}
