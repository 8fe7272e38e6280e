//! Table functions and their arguments; the clauses of JSON functions.

use super::{accepted, alike, all, eq, read, read_as};
use crate::sql::lexer::LexicalRules;

#[test]
fn a_table_as_an_argument_is_read_whole() {
    for arguments in [
        "TABLE(t)",
        "input => TABLE(t)",
        "input => TABLE(t) PARTITION BY a",
        "input => TABLE(t) AS x (a, b) PARTITION BY (a, b) PRUNE WHEN EMPTY ORDER BY (b DESC NULLS LAST, a)",
        "input => TABLE(t) x KEEP WHEN EMPTY, 1, 'x'",
        "input => TABLE(t), columns => DESCRIPTOR(a, b bigint, c decimal(3, 1))",
        "input => TABLE(TABLE t), other => CAST(NULL AS DESCRIPTOR)",
        "input => TABLE(SELECT * FROM t) ORDER BY a",
    ] {
        read_as(
            &format!("SELECT * FROM TABLE(f({arguments})) AS o WHERE o.a = 1"),
            &[("t", all(), "*")],
        );
        read_as(
            &format!("SELECT * FROM u CROSS JOIN TABLE(c.s.f({arguments})) WHERE u.a = 1"),
            &[("u", eq("a", 1), "*"), ("t", all(), "*")],
        );
    }
}

#[test]
fn tables_that_are_parted_together_are_both_read() {
    read_as(
        "SELECT * FROM TABLE(f(one => TABLE(c.s.t) PARTITION BY a, two => TABLE(SELECT b FROM u WHERE d = 1) PARTITION BY b, \
         three => DESCRIPTOR(x) COPARTITION (t, u), (v, w)))",
        &[("c.s.t", all(), "*"), ("u", eq("d", 1), "b d")],
    );
    read_as(
        "SELECT * FROM TABLE(f(TABLE(t) PARTITION BY a, TABLE(u) PARTITION BY a COPARTITION (t, u)))",
        &[("t", all(), "*"), ("u", all(), "*")],
    );
}

#[test]
fn a_query_in_what_would_be_left_out_is_not_lost() {
    for sql in [
        "SELECT * FROM TABLE(f(TABLE(t) PARTITION BY (SELECT max(a) FROM u)))",
        "SELECT * FROM TABLE(f(TABLE(t) COPARTITION ((SELECT a FROM u))))",
        "SELECT * FROM JSON_TABLE(d, 'lax $' COLUMNS (a int PATH (SELECT p FROM u)))",
        "SELECT * FROM JSON_TABLE(d, 'lax $' COLUMNS (a int) PLAN (SELECT p FROM u))",
        "SELECT json_value(d, 'lax $' RETURNING varchar((SELECT p FROM u))) FROM t",
    ] {
        assert!(read(sql, &LexicalRules::TRINO).is_err(), "{sql}");
    }
}

#[test]
fn a_descriptor_with_a_query_stays_a_call() {
    read_as(
        "SELECT * FROM TABLE(f(TABLE(t), DESCRIPTOR((SELECT a FROM u))))",
        &[("t", all(), "*"), ("u", all(), "a")],
    );
}

#[test]
fn a_method_of_a_type_is_no_function_of_that_name() {
    read_as(
        "SELECT varchar::upper(b) FROM t WHERE timestamp::date(a) = DATE '2026-01-01'",
        &[("t", all(), "a b")],
    );
}

#[test]
fn what_json_functions_are_passed_is_read() {
    read_as(
        "SELECT json_value(d, 'lax $.a' PASSING p AS x, q FORMAT JSON AS y RETURNING decimal(3, 1) DEFAULT r ON EMPTY NULL ON ERROR), \
         json_query(d FORMAT JSON ENCODING UTF8, 'lax $' RETURNING varchar FORMAT JSON WITH CONDITIONAL ARRAY WRAPPER \
         KEEP QUOTES ON SCALAR STRING EMPTY ARRAY ON EMPTY ERROR ON ERROR) \
         FROM t WHERE json_exists(e, 'strict $' UNKNOWN ON ERROR) AND a = 1",
        &[("t", eq("a", 1), "a d e p q r")],
    );
    read_as(
        "SELECT json_object(KEY k VALUE v, 'b' : w, x VALUE y FORMAT JSON ABSENT ON NULL WITHOUT UNIQUE KEYS RETURNING varchar(9)), \
         json_array(m, (SELECT max(n) FROM u) NULL ON NULL RETURNING varchar) FROM t",
        &[("u", all(), "n"), ("t", all(), "k m n v w x y")],
    );
    read_as(
        "SELECT json_object(), json_array(), json_object(key : value) FROM t",
        &[("t", all(), "key value")],
    );
    alike(
        "SELECT * FROM t WHERE json_value(d, 'lax $' RETURNING bigint) = 5 LIMIT 3",
        "SELECT * FROM t WHERE json_value(d, 'lax $') = 5 LIMIT 3",
    );
}

#[test]
fn a_json_table_unfolds_what_it_is_given() {
    let sql = "SELECT j.n FROM t, JSON_TABLE(t.d FORMAT JSON, 'lax $' AS root PASSING t.p AS p, 3 AS q COLUMNS (\
               o FOR ORDINALITY, n bigint PATH 'lax $.n' DEFAULT t.e ON EMPTY DEFAULT -1 ON ERROR, \
               r varchar(5) FORMAT JSON PATH 'lax $.r' WITHOUT WRAPPER OMIT QUOTES EMPTY OBJECT ON EMPTY, \
               NESTED PATH 'lax $[*]' AS inner_path COLUMNS (m int DEFAULT (SELECT max(x) FROM u WHERE y = 1) ON EMPTY)) \
               PLAN (root OUTER inner_path) ERROR ON ERROR) AS j WHERE t.a = 1 AND j.n = 2";
    read_as(sql, &[("t", eq("a", 1), "a d e p x y"), ("u", eq("y", 1), "x y")]);
    let sql = "SELECT * FROM t LEFT JOIN JSON_TABLE(d, 'lax $' COLUMNS (a int)) ON TRUE";
    assert_eq!(accepted(sql).output_columns, None);
    assert!(!accepted("SELECT * FROM t, JSON_TABLE(d, 'lax $' COLUMNS (a int)) LIMIT 5").limit_bounds_scan);
}
