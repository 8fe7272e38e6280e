//! Tests of the parser-depth analysis: one file for each question.

mod below;
mod columns;
mod equalities;
mod hostile;
mod joins;
mod predicates;
mod properties;
mod random;
mod rewriting;
mod shapes;
mod suggestions;
mod time;
mod unwrapping;

use serde_json::Value;

use super::{Declined, ParseInput, ParseTime, Parsed, ParsedTable, UnusedReason, parse};
use crate::predicate::{Comparison, Literal, Predicate};
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

/// The filters of a statement's tables, written `name: filter`; `!` marks what is not exact.
fn written(text: &str) -> Vec<String> {
    let rows = tables(text).into_iter();
    rows.map(|table| {
        let mark = if table.filter.exact { "" } else { " !" };
        format!("{}: {}{mark}", table.name, predicate(&table.filter.predicate))
    })
    .collect()
}

/// The same by the rules of an engine of which only the grammar is known.
fn written_for_dremio(text: &str) -> String {
    let rules = LexicalRules::DREMIO;
    let input = ParseInput {
        text,
        rules: &rules,
        prepared: &[],
        now: None,
    };
    let tables = parse(&input).map(|parsed| parsed.tables).unwrap_or_default();
    let filters = tables.iter().map(|table| predicate(&table.filter.predicate));
    filters.collect::<Vec<_>>().join("; ")
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Double(value) => format!("{value:?}"),
        Literal::Decimal(text) | Literal::Date(text) | Literal::Timestamp(text) => text.clone(),
        Literal::String(text) => format!("'{text}'"),
    }
}

fn predicate(filter: &Predicate) -> String {
    let all = |parts: &[Predicate], joint: &str| {
        let parts: Vec<String> = parts.iter().map(predicate).collect();
        format!("({})", parts.join(joint))
    };
    let not = |negated: &bool| if *negated { "not " } else { "" };
    match filter {
        Predicate::AlwaysTrue => "all".to_owned(),
        Predicate::AlwaysFalse => "none".to_owned(),
        Predicate::And(parts) => all(parts, " and "),
        Predicate::Or(parts) => all(parts, " or "),
        Predicate::Compare(column, op, value) => format!("{column} {} {}", symbol(*op), literal(value)),
        Predicate::In {
            column,
            literals,
            negated,
        } => {
            let values: Vec<String> = literals.iter().map(literal).collect();
            format!("{column} {}in {}", not(negated), values.join(" "))
        }
        Predicate::IsNull { column, negated } => format!("{column} is {}null", not(negated)),
        Predicate::StartsWith {
            column,
            prefix,
            negated,
        } => format!("{column} {}like {prefix}%", not(negated)),
    }
}

/// Each statement with its tables' filters, separated by `; `.
fn check_all(cases: &[(&str, &str)]) {
    for (sql, expected) in cases {
        assert_eq!(written(sql).join("; "), *expected, "{sql}");
    }
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
