//! Statements that sqlparser alone would refuse: what is accepted, and what is then said of it.

mod conditions;
mod functions;
mod mutations;
mod patterns;
mod queries;
mod versions;

use serde_json::{Value, json};

use crate::sql::lexer::LexicalRules;
use crate::sql::parse::{Columns, Declined, ParseInput, Parsed, parse};

const ENGINES: [LexicalRules; 4] = [
    LexicalRules::TRINO,
    LexicalRules::PRESTO,
    LexicalRules::DREMIO,
    LexicalRules::SPARK,
];

fn read(text: &str, rules: &LexicalRules) -> Result<Parsed, Declined> {
    parse(&ParseInput {
        text,
        rules,
        prepared: &[],
        now: None,
    })
}

/// The answer to a statement of Trino's that must be accepted.
#[track_caller]
fn accepted(text: &str) -> Parsed {
    read_by(text, &LexicalRules::TRINO)
}

#[track_caller]
fn read_by(text: &str, rules: &LexicalRules) -> Parsed {
    let parsed = read(text, rules);
    assert!(parsed.is_ok(), "{text}: {:?}", parsed.err());
    parsed.unwrap_or_else(|_| Parsed {
        tables: Vec::new(),
        output_columns: None,
        star_of_tables: false,
        has_window_over_large_partition: false,
        limit_bounds_scan: false,
        aggregate: None,
        has_udf: None,
    })
}

/// Both statements are read alike, but for the words in which conditions are quoted.
#[track_caller]
fn alike(text: &str, plain: &str) {
    let wordless = |text: &str| {
        let mut parsed = accepted(text);
        for table in &mut parsed.tables {
            for condition in &mut table.unused_conditions {
                condition.text.clear();
            }
        }
        parsed
    };
    assert_eq!(wordless(text), wordless(plain), "{text}");
}

/// Name, filter and the columns read; `*` for all.
fn reads(parsed: &Parsed) -> Vec<(String, Value, String)> {
    let rows = parsed.tables.iter().map(|table| {
        let columns = match &table.columns {
            Columns::All => "*".to_owned(),
            Columns::Named(names) => names.iter().map(|name| name.0.join(".")).collect::<Vec<_>>().join(" "),
        };
        (table.name.to_string(), table.filter.predicate.to_rest_json(), columns)
    });
    rows.collect()
}

#[track_caller]
fn read_as(text: &str, expected: &[(&str, Value, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, filter, columns)| ((*name).to_owned(), filter.clone(), (*columns).to_owned()))
        .collect();
    assert_eq!(reads(&accepted(text)), expected, "{text}");
}

fn eq(column: &str, value: i64) -> Value {
    json!({"type": "eq", "term": column, "value": value})
}

fn all() -> Value {
    json!(true)
}
