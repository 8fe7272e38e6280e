//! What stands around a query, and comments.

use serde_json::json;

use super::{check, filters, tables, trino};
use crate::sql::lexer::LexicalRules;
use crate::sql::parse::{Declined, ParseInput, parse};

#[test]
fn a_wrapped_query_is_the_query() {
    let wrapped = [
        "EXPLAIN SELECT * FROM t WHERE a = 1",
        "EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) SELECT * FROM t WHERE a = 1",
        "EXPLAIN ANALYZE VERBOSE SELECT * FROM t WHERE a = 1",
        "EXPLAIN (SELECT * FROM t WHERE a = 1)",
        "EXPLAIN PLAN FOR SELECT * FROM t WHERE a = 1",
        "PREPARE p FROM SELECT * FROM t WHERE a = 1",
        "WITH SESSION x.y = 'z', q = 1 SELECT * FROM t WHERE a = 1",
        "CREATE TABLE n AS SELECT * FROM t WHERE a = 1",
        "CREATE OR REPLACE TABLE IF NOT EXISTS c.s.n (x, y) COMMENT 'as' WITH (format = 'ORC') AS (SELECT * FROM t WHERE a = 1) WITH NO DATA",
        "INSERT INTO n SELECT * FROM t WHERE a = 1",
        "INSERT INTO c.s.n (x, y) (SELECT * FROM t WHERE a = 1)",
        "INSERT INTO n WITH c AS (SELECT * FROM t WHERE a = 1) SELECT * FROM c",
        "EXPLAIN ANALYZE INSERT INTO n SELECT * FROM t WHERE a = 1",
        "EXECUTE IMMEDIATE 'SELECT * FROM t WHERE a = 1'",
        "EXECUTE IMMEDIATE 'SELECT * FROM t WHERE a = ?' USING 1",
        "EXECUTE IMMEDIATE 'INSERT INTO n SELECT * FROM t WHERE a = ?' USING 1;",
        "/* dbt */ -- x\n SELECT * FROM t WHERE a = 1 ; ",
    ];
    for sql in wrapped {
        check(sql, &[("t", json!({"type": "eq", "term": "a", "value": 1}), true)]);
    }
}

#[test]
fn values_that_are_no_plain_literals_stay_unknown() {
    let sql = "EXECUTE IMMEDIATE 'SELECT * FROM t WHERE a = ? AND b = ? AND c = ? AND d = ''?'' AND e = ?' \
               USING -1, f(2, 3), DATE '2026-01-01', 'x''y'";
    let eq = |term: &str, value: serde_json::Value| json!({"type": "eq", "term": term, "value": value});
    let expected = json!({"type": "and",
        "left": {"type": "and", "left": eq("a", json!(-1)), "right": eq("c", json!("2026-01-01"))},
        "right": {"type": "and", "left": eq("d", json!("?")), "right": eq("e", json!("x'y"))}});
    assert_eq!(filters(sql), [("t".to_owned(), expected, false)]);
}

#[test]
fn a_prepared_statement_comes_from_the_session() {
    let rules = LexicalRules::TRINO;
    let prepared = [("Q1", "SELECT * FROM t WHERE a - ? = b AND c > ?")];
    let run = |text| {
        let input = ParseInput {
            text,
            rules: &rules,
            prepared: &prepared,
            now: None,
        };
        parse(&input).map(|parsed| {
            parsed
                .tables
                .iter()
                .map(|table| table.filter.predicate.to_rest_json())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(
        run("EXECUTE q1 USING -2, 3"),
        Ok(vec![json!({"type": "gt", "term": "c", "value": 3})])
    );
    assert!(matches!(run("EXECUTE other"), Err(Declined::Syntax(_))));
}

#[test]
fn a_statement_that_runs_itself_is_declined() {
    let rules = LexicalRules::TRINO;
    let prepared = [("q", "EXECUTE q")];
    let input = ParseInput {
        text: "EXECUTE q",
        rules: &rules,
        prepared: &prepared,
        now: None,
    };
    assert_eq!(parse(&input), Err(Declined::TooDeep));
}

#[test]
fn what_reads_nothing_is_not_a_query() {
    for sql in [
        "SHOW TABLES",
        "SET SESSION a = 1",
        "DROP TABLE t",
        "CREATE TABLE t (a int)",
        "CREATE VIEW v AS SELECT 1",
        "CALL p()",
        "",
        ";",
    ] {
        assert_eq!(trino(sql), Err(Declined::NotAQuery), "{sql}");
    }
}

#[test]
fn comments_end_where_the_engine_ends_them() {
    let names = |sql: &str| {
        tables(sql)
            .iter()
            .map(|table| table.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("SELECT 1 -- c\rFROM secret"), ["secret"]);
    assert_eq!(names("SELECT 1 /* /* */ FROM secret -- */"), ["secret"]);
    assert_eq!(names("SELECT 1 FROM a /*! , secret */"), ["a"]);
    assert_eq!(names("SELECT '-- ' FROM a -- , b"), ["a"]);
}

#[test]
fn functions_defined_before_a_query_are_stepped_over() {
    let wrapped = [
        "WITH FUNCTION twice(x bigint) RETURNS bigint RETURN x * 2 SELECT * FROM t WHERE a = 1",
        "WITH FUNCTION a.b.twice(x bigint) RETURNS bigint RETURN x * 2 SELECT * FROM t WHERE a = 1",
        "WITH FUNCTION one() RETURNS int DETERMINISTIC WITH (handler = 'h') RETURN 1 IS DISTINCT FROM 2, \
         FUNCTION two() RETURNS int RETURN CASE WHEN 1 > 2 THEN 3 END SELECT * FROM t WHERE a = 1",
        "WITH FUNCTION f(n int) RETURNS int BEGIN DECLARE r int DEFAULT 1; top: WHILE n > 0 DO SET r = r * n; \
         IF r > 9 THEN LEAVE top; END IF; CASE n WHEN 1 THEN SET n = 0; ELSE SET n = CASE n WHEN 2 THEN 1 END; END CASE; \
         END WHILE; RETURN r; END WITH c AS (SELECT * FROM t WHERE a = 1) SELECT * FROM c",
        "WITH FUNCTION p(x int) RETURNS int LANGUAGE PYTHON WITH (handler = 'h') AS $$ def h(x): return x; $$ \
         SELECT * FROM t WHERE a = 1",
        "WITH SESSION q = 1 WITH FUNCTION twice(x int) RETURNS int RETURN x * 2 SELECT * FROM t WHERE a = 1",
        "INSERT INTO n WITH FUNCTION twice(x int) RETURNS int RETURN x * 2 SELECT * FROM t WHERE a = 1",
        "WITH function AS (SELECT * FROM t WHERE a = 1) SELECT * FROM function",
        "WITH function (x) AS (SELECT * FROM t WHERE a = 1) SELECT * FROM function",
    ];
    for sql in wrapped {
        check(sql, &[("t", json!({"type": "eq", "term": "a", "value": 1}), true)]);
    }
    // The name means something else than it does everywhere else, and conditions with it do too.
    for sql in [
        "WITH FUNCTION date(x timestamp) RETURNS date RETURN NULL SELECT * FROM t WHERE date(at) = DATE '2026-01-01'",
        "WITH FUNCTION one() RETURNS int RETURN 1; SELECT 1",
        "WITH FUNCTION one() RETURNS int RETURN 1 SELECT 1; SELECT 2",
        "WITH FUNCTION one() RETURNS int BEGIN RETURN 1; END",
    ] {
        assert!(matches!(trino(sql), Err(Declined::Syntax(_))), "{sql}");
    }
}

#[test]
fn two_statements_or_an_open_string_are_declined() {
    for sql in ["SELECT 1; SELECT 2", "SELECT 'a", "SELECT \0", "SELECT * FROM t WHERE"] {
        assert!(matches!(trino(sql), Err(Declined::Syntax(_))), "{sql}");
    }
}

#[test]
fn spark_strings_and_names_are_sparks() {
    let rules = LexicalRules::SPARK;
    let text = "SELECT `a b` FROM `s`.t WHERE `a b` = \"x\" AND c <=> 1 AND d = 'q\\'' ";
    let input = ParseInput {
        text,
        rules: &rules,
        prepared: &[],
        now: None,
    };
    let filter = parse(&input).map(|parsed| parsed.tables.first().map(|table| table.filter.predicate.to_rest_json()));
    let eq = |term: &str, value: serde_json::Value| json!({"type": "eq", "term": term, "value": value});
    assert_eq!(
        filter,
        Ok(Some(
            json!({"type": "and", "left": eq("a b", json!("x")), "right": eq("c", json!(1))})
        ))
    );
}
