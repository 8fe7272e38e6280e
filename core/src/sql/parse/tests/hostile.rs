//! Inputs made to hurt. Each must be answered, on a small stack and in bounded time, and never with a panic.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::trino;
use crate::sql::parse::{Declined, Parsed, STACK_BYTES};

/// A hundred times what the slowest takes without optimisation.
const PATIENCE: Duration = Duration::from_secs(60);

fn survive(sql: String) -> Option<Result<Parsed, Declined>> {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || sender.send(trino(&sql)).is_ok());
    let answer = receiver.recv_timeout(PATIENCE).ok();
    assert!(worker.is_ok());
    answer
}

fn is_declined(sql: String, why: Declined) {
    let head: String = sql.chars().take(60).collect();
    assert_eq!(survive(sql), Some(Err(why)), "{head}");
}

fn is_answered(sql: String) {
    let head: String = sql.chars().take(60).collect();
    assert!(survive(sql).is_some(), "{head}");
}

fn is_parsed(sql: String) {
    let head: String = sql.chars().take(60).collect();
    let answer = survive(sql);
    assert!(matches!(answer, Some(Ok(_))), "{head}: {answer:?}");
}

#[test]
fn nested_key_words_do_not_backtrack() {
    for depth in [20, 26, 39, 100, 1000] {
        is_answered(format!("SELECT {}1", "CASE(".repeat(depth)));
        is_answered(format!("SELECT {}1", "CASE ".repeat(depth)));
        is_answered(format!("SELECT {}1", "NOT(".repeat(depth)));
        is_answered(format!("SELECT {}x", "NOT ".repeat(depth)));
        is_answered(format!("SELECT {}", "CASE WHEN x THEN ".repeat(depth)));
        is_answered(format!("SELECT {}", "IF(current_time(".repeat(depth)));
        is_answered(format!("SELECT {}c", "case-".repeat(depth)));
        is_answered(format!("SELECT {}x", "INTERVAL ".repeat(depth)));
        is_answered(format!("SELECT {}x", "a IN (SELECT ".repeat(depth)));
        is_answered(format!("SELECT {}x", "- ".repeat(depth)));
        is_answered(format!("SELECT CAST(x AS {}INT", "ARRAY<".repeat(depth)));
        is_answered(format!("SELECT CAST(x AS {}INT", "ROW(a ".repeat(depth)));
        is_answered(format!("SELECT CAST(x AS INT{})", "[]".repeat(depth)));
    }
}

#[test]
fn deep_nesting_is_declined() {
    let nest = |open: &str, middle: &str, close: &str, depth: usize| {
        format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
    };
    for depth in [41, 100, 1000, 8000] {
        is_declined(format!("SELECT {}", nest("(", "1", ")", depth)), Declined::TooDeep);
        is_declined(format!("SELECT {}", nest("f(", "1", ")", depth)), Declined::TooDeep);
        is_declined(
            format!("SELECT * FROM {}", nest("(", "t", ")", depth)),
            Declined::TooDeep,
        );
    }
    for depth in [41, 100, 1000] {
        is_declined(nest("SELECT * FROM (", "SELECT 1", ")", depth), Declined::TooDeep);
        is_declined(
            format!("SELECT {}", nest("CASE WHEN a THEN ", "1", " END", depth)),
            Declined::TooDeep,
        );
        is_declined(
            format!("SELECT {}", nest("CAST(", "1", " AS int)", depth)),
            Declined::TooDeep,
        );
        is_declined(format!("SELECT {}", nest("a[", "1", "]", depth)), Declined::TooDeep);
        is_declined(
            format!(
                "SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}) DEFINE a AS x)",
                nest("(", "a", ")", depth)
            ),
            Declined::TooDeep,
        );
    }
    // Whatever is just inside the bounds either parses or is declined by sqlparser, within the stack.
    for depth in 10..=40 {
        is_answered(nest("SELECT * FROM (", "SELECT 1 FROM t WHERE a = 1", ") x", depth));
        is_answered(format!("SELECT {}", nest("(", "1", ")", depth)));
        is_answered(format!("SELECT 1 WHERE {}", nest("NOT (a = 1 OR ", "b", ")", depth)));
        is_answered(format!(
            "SELECT 1 WHERE {}",
            nest("EXISTS (SELECT 1 FROM t WHERE a = 1 AND ", "b", ")", depth)
        ));
        is_answered(format!("SELECT * FROM {}", nest("(a JOIN ", "b", " ON x = 1)", depth)));
        is_answered(nest("WITH c AS (", "SELECT 1", ") SELECT * FROM c", depth));
    }
}

#[test]
fn honest_nesting_parses() {
    is_parsed(format!(
        "SELECT * FROM t WHERE {}a = 1{}",
        "(".repeat(30),
        ")".repeat(30)
    ));
    is_parsed(format!(
        "{}SELECT * FROM t{}",
        "SELECT * FROM (".repeat(15),
        ")".repeat(15)
    ));
}

#[test]
fn long_chains_are_declined() {
    for (link, joint) in [
        ("a = 1", " OR "),
        ("a = 1", " AND "),
        ("a", " + "),
        ("a", " || "),
        ("a", "::int::"),
        ("a BETWEEN 1 AND 2", " AND "),
    ] {
        is_declined(
            format!("SELECT 1 FROM t WHERE {}", vec![link; 2000].join(joint)),
            Declined::TooManyOperators,
        );
    }
    is_declined(vec!["SELECT 1"; 3000].join(" UNION ALL "), Declined::TooManyOperators);
    is_declined(
        format!("SELECT 1 FROM t WHERE a {}", "IS NULL ".repeat(6000)),
        Declined::TooManyOperators,
    );
    is_declined(
        format!(
            "SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}) DEFINE a AS x)",
            vec!["a"; 5000].join(" | ")
        ),
        Declined::TooManyOperators,
    );
    // A chain inside a chain is as deep as both.
    let inner = vec!["a"; 600].join(" + ");
    is_declined(format!("SELECT ({inner}) + {inner}"), Declined::TooManyOperators);
}

#[test]
fn chains_at_the_bound_fit_the_stack() {
    for joint in [
        " OR a = 1",
        " AND a = 1",
        " = a",
        " IS NULL",
        " IS TRUE",
        " + 1",
        "[1]",
        " BETWEEN 1 AND 2",
        " AT TIME ZONE 'x'",
    ] {
        for length in [500, 900] {
            is_answered(format!("SELECT 1 FROM t WHERE a = 1 {}", joint.repeat(length)));
            is_answered(format!("SELECT 1 FROM t WHERE a = 1 {} )", joint.repeat(length)));
        }
    }
    is_parsed(format!("SELECT 1 FROM t WHERE {}", vec!["a = 1"; 1000].join(" OR ")));
    is_parsed(vec!["SELECT 1"; 1000].join(" UNION ALL "));
    is_answered(format!("SELECT 1 FROM t WHERE a {}", "IS TRUE ".repeat(4900)));
    is_answered(format!("SELECT 1 FROM t WHERE a {}", "= a ".repeat(4900)));
}

#[test]
fn long_texts_are_declined_before_anything_else() {
    is_declined(
        format!("SELECT {}1", "a BETWEEN 1 AND 2 AND ".repeat(100_000)),
        Declined::TooLong,
    );
    is_declined(format!("SELECT 1{}", ";SELECT 1".repeat(50_000)), Declined::TooLong);
    is_declined("(".repeat(1_000_000), Declined::TooLong);
    let inner = "x".repeat(70_000);
    is_declined(format!("EXECUTE IMMEDIATE '{inner}'"), Declined::TooLong);
}

#[test]
fn wide_lists_are_flat_and_parse() {
    is_parsed(format!("SELECT 1 FROM t WHERE a IN ({}1)", "-1, ".repeat(10_000)));
    is_parsed(format!("SELECT {}1 FROM t", "a + b, ".repeat(3_700)));
    is_parsed(format!("VALUES {}(1)", "(1), ".repeat(8_000)));
    is_parsed(format!(
        "SELECT CASE {} END",
        "WHEN a = 1 AND b = 2 THEN 1 ".repeat(1_500)
    ));
}

#[test]
fn many_names_and_many_relations_take_neither_the_memory_nor_the_day() {
    let tables: Vec<String> = (0..900).map(|index| format!("t{index}")).collect();
    let names: Vec<String> = (0..7_000).map(|index| format!("c{index}")).collect();
    is_parsed(format!("SELECT {} FROM {}", names.join(","), tables.join(",")));
    let conditions: Vec<String> = (0..900).map(|index| format!("t{index}.a = {index}")).collect();
    is_parsed(format!(
        "SELECT 1 FROM {} WHERE {}",
        tables.join(","),
        conditions.join(" AND ")
    ));
    is_parsed(format!(
        "SELECT 1 FROM {} WHERE {}",
        tables.join(","),
        conditions.join(" OR ")
    ));
    is_declined(
        format!("SELECT 1 FROM {}t", "t, ".repeat(1_001)),
        Declined::TooManyTables,
    );
    is_answered(format!("SELECT a{} FROM t", ".a".repeat(30_000)));
    let joins: Vec<String> = (0..900)
        .map(|index| format!("JOIN t{index} ON t{index}.a = x.a"))
        .collect();
    is_parsed(format!("SELECT 1 FROM x {}", joins.join(" ")));
    let chain: Vec<String> = (1..1500)
        .map(|index| format!("c{index} AS (SELECT * FROM c{})", index - 1))
        .collect();
    is_parsed(format!(
        "WITH c0 AS (SELECT * FROM t), {} SELECT * FROM c1499",
        chain.join(", ")
    ));
}

#[test]
fn disjunctions_over_many_columns_and_queries_with_many_columns_are_answered() {
    let branches: Vec<String> = (0..450)
        .map(|index| format!("(a{index} = 1 AND b = {index})"))
        .collect();
    is_parsed(format!("SELECT 1 FROM t WHERE {}", branches.join(" OR ")));
    let mut nested = "a = 1".to_owned();
    for level in 0..18 {
        nested = format!("(a{level} = 1 AND ({nested} OR b{level} = 2 OR c = {level}))");
    }
    is_answered(format!("SELECT 1 FROM t WHERE {nested}"));
    let columns: Vec<String> = (0..4_000).map(|index| format!("c{index}")).collect();
    let conditions: Vec<String> = (0..900).map(|index| format!("c{index} = {index}")).collect();
    is_parsed(format!(
        "SELECT 1 FROM (SELECT {} FROM t) x WHERE {}",
        columns.join(","),
        conditions.join(" AND ")
    ));
    is_parsed(format!(
        "SELECT 1 FROM (SELECT {} FROM t) x WHERE {}",
        columns.join(","),
        conditions.join(" OR ")
    ));
    let joins: Vec<String> = (1..700)
        .map(|index| format!("JOIN t{index} ON t{index}.k = t{}.k", index - 1))
        .collect();
    is_parsed(format!("SELECT 1 FROM t0 {} WHERE t0.k = 'x'", joins.join(" ")));
}

#[test]
fn odd_characters_are_answered() {
    for text in [
        "\u{feff}SELECT 1",
        "SELECT \u{a0}1",
        "SELECT '\u{0}'",
        "ＳＥＬＥＣＴ 1",
        "SELECT \u{2028} 1 FROM \"\u{1F600}\"",
        "SELECT /*",
        "'",
        "\"",
        "`",
        "$",
        "$$",
        "?",
        ")",
        "(",
        "EXECUTE",
        "EXECUTE IMMEDIATE",
        "EXPLAIN",
        "EXPLAIN (",
        "PREPARE x FROM",
        "INSERT INTO",
        "INSERT",
        "CREATE TABLE AS",
        "WITH SESSION",
        "WITH",
        "EXECUTE IMMEDIATE '' USING ,,,",
        "EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''SELECT 1'''",
    ] {
        is_answered(text.to_owned());
    }
}

/// What is rewritten is rewritten in time that the length of the text bounds.
#[test]
fn much_to_rewrite_is_answered() {
    let pieces = [
        "VALUES 1, ",
        "VALUES ",
        "TABLE(t), ",
        "JSON_TABLE(a COLUMNS (DEFAULT ",
        "json_object(KEY a VALUE ",
        "DEFAULT 1 ON ",
        "a MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS ",
        "OVER (PATTERN (A) DEFINE ",
        "m OVER w ",
        "a BETWEEN SYMMETRIC 1 AND ",
        "UNIQUE (SELECT ",
        "WHEN > ",
        "CAST(a AS ROW(",
        "a AS ROW(CAST(",
        "x.* AS (",
        "a[b].* ",
        "(a).",
        "t FOR VERSION AS OF 1 + ",
        "a.b AT TIME ZONE ",
        "NEAREST (FROM ",
        "GROUP BY ALL ",
        "FUNCTION f (",
        "DESCRIPTOR(",
        "a @ b ",
    ];
    for head in [
        "SELECT ",
        "SELECT * FROM TABLE(f(",
        "WITH FUNCTION f() RETURNS int RETURN 1 SELECT ",
        "VALUES ",
    ] {
        for piece in pieces {
            is_answered(format!("{head}{}", piece.repeat(60_000 / piece.len())));
        }
    }
}
