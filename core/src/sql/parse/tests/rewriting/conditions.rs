//! Conditions that sqlparser does not know, and what they may not be taken for.

use serde_json::{Value, json};

use super::{accepted, alike, all, eq, read, read_as};
use crate::sql::lexer::LexicalRules;

fn pair(kind: &str, left: Value, right: Value) -> Value {
    json!({"type": kind, "left": left, "right": right})
}

fn compare(kind: &str, value: i64) -> Value {
    json!({"type": kind, "term": "a", "value": value})
}

#[test]
fn symmetric_bounds_hold_in_both_orders() {
    let either = pair(
        "or",
        pair("and", compare("gt-eq", 9), compare("lt-eq", 1)),
        pair("and", compare("gt-eq", 1), compare("lt-eq", 9)),
    );
    read_as(
        "SELECT b FROM t WHERE a BETWEEN SYMMETRIC 9 AND 1",
        &[("t", either, "a b")],
    );
    alike(
        "SELECT * FROM t WHERE x = 1 AND t.a NOT BETWEEN SYMMETRIC 9 AND 1 OR b = 2",
        "SELECT * FROM t WHERE x = 1 AND NOT (t.a BETWEEN 9 AND 1 OR t.a BETWEEN 1 AND 9) OR b = 2",
    );
    alike(
        "SELECT * FROM t WHERE (a) BETWEEN SYMMETRIC (9) AND (1)",
        "SELECT * FROM t WHERE a BETWEEN 9 AND 1 OR a BETWEEN 1 AND 9",
    );
    alike(
        "SELECT * FROM t WHERE a BETWEEN ASYMMETRIC (1) AND (9)",
        "SELECT * FROM t WHERE a BETWEEN 1 AND 9",
    );
    alike(
        "SELECT CASE WHEN DATE '2026-01-01' BETWEEN SYMMETRIC d AND e + INTERVAL '1' DAY THEN 1 END FROM t",
        "SELECT CASE WHEN DATE '2026-01-01' BETWEEN d AND e THEN 1 END FROM t",
    );
}

#[test]
fn symmetric_bounds_that_are_not_plain_are_declined() {
    for sql in [
        "SELECT * FROM t WHERE a + b BETWEEN SYMMETRIC 9 AND 1",
        "SELECT * FROM t WHERE -a BETWEEN SYMMETRIC 9 AND 1",
        "SELECT * FROM t WHERE a BETWEEN SYMMETRIC 9 AND 1 COLLATE x",
        "SELECT * FROM t WHERE a BETWEEN SYMMETRIC (SELECT min(x) FROM u) AND 1",
        "SELECT * FROM t WHERE a BETWEEN SYMMETRIC (b BETWEEN SYMMETRIC 1 AND 2) AND 1",
        "SELECT * FROM t WHERE a BETWEEN SYMMETRIC (SELECT 5) AND 1",
        "SELECT * FROM t WHERE a BETWEEN SYMMETRIC",
        "BETWEEN SYMMETRIC 1 AND 2",
    ] {
        assert!(read(sql, &LexicalRules::TRINO).is_err(), "{sql}");
    }
}

#[test]
fn a_query_that_must_be_unique_is_read_and_prunes_nothing() {
    read_as(
        "SELECT a FROM t WHERE UNIQUE (SELECT x FROM u WHERE y = 1) AND b = 2",
        &[("t", eq("b", 2), "a b x y"), ("u", eq("y", 1), "x y")],
    );
    read_as(
        "SELECT NOT UNIQUE (TABLE u), unique FROM t",
        &[("u", all(), "*"), ("t", all(), "unique")],
    );
}

/// `NULL MATCH SIMPLE (..)` is true: it must not be taken for a comparison that NULL never passes.
#[test]
fn a_match_is_read_and_prunes_nothing() {
    for words in ["", "UNIQUE", "SIMPLE", "UNIQUE SIMPLE", "PARTIAL", "UNIQUE FULL"] {
        read_as(
            &format!("SELECT a FROM t WHERE ROW(c, d) MATCH {words} (SELECT x, z FROM u WHERE y = 1) AND b = 2"),
            &[("t", eq("b", 2), "a b c d x y z"), ("u", eq("y", 1), "x y z")],
        );
    }
    read_as(
        "SELECT CASE ROW(a) WHEN MATCH (VALUES 1) THEN b WHEN MATCH UNIQUE FULL (TABLE u) THEN c END FROM t",
        &[("u", all(), "*"), ("t", all(), "a b c")],
    );
}

#[test]
fn operators_in_case_are_opaque() {
    for operator in [
        "> 5",
        "IS NULL",
        "NOT IN (1, 2)",
        "BETWEEN 1 AND 3",
        "LIKE 'x%'",
        "IS NOT DISTINCT FROM 3",
    ] {
        let sql = format!("SELECT b FROM t WHERE CASE a WHEN 1 THEN true WHEN {operator} THEN false ELSE c END");
        read_as(&sql, &[("t", all(), "a b c")]);
    }
}

#[test]
fn the_sessions_zone_is_not_known() {
    read_as(
        "SELECT at AT LOCAL FROM t WHERE at AT LOCAL > TIMESTAMP '2026-01-01 00:00:00'",
        &[("t", all(), "at")],
    );
    assert_eq!(accepted("SELECT local FROM t").output_columns, Some(1));
}
