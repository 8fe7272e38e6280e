//! What stands for a query or a part of it: rows, tables, set operations, groups, joins, select items.

use serde_json::json;

use super::{accepted, alike, all, eq, read, read_as, read_by};
use crate::sql::lexer::LexicalRules;

#[test]
fn rows_need_no_parentheses() {
    alike("VALUES 1, 2", "VALUES (1), (2)");
    alike(
        "SELECT * FROM (VALUES 1, 'a', NULL) t (x)",
        "SELECT * FROM (VALUES (1), ('a'), (NULL)) t (x)",
    );
    alike("VALUES 1, (2), ROW(3)", "VALUES (1), (2), (3)");
    alike("VALUES 1 + 2 * 3, -4", "VALUES (1 + 2 * 3), (-4)");
    assert_eq!(accepted("VALUES (1 + 2) * 3, (a) IS NULL").tables, []);
    alike(
        "SELECT a FROM t WHERE a = 1 UNION ALL VALUES 1, 2 ORDER BY 1 LIMIT 5",
        "SELECT a FROM t WHERE a = 1 UNION ALL VALUES (1), (2) ORDER BY 1 LIMIT 5",
    );
    alike(
        "SELECT * FROM t WHERE a IN (VALUES 1, 2) AND b = 1",
        "SELECT * FROM t WHERE a IN (VALUES (1), (2)) AND b = 1",
    );
    alike(
        "SELECT * FROM t WHERE a > ALL (VALUES 1, 2) AND b = ANY (VALUES (3))",
        "SELECT * FROM t WHERE a > ALL (SELECT x FROM (VALUES (1), (2)) v (x)) AND b = ANY (SELECT x FROM (VALUES (3)) v (x))",
    );
    alike(
        "SELECT f((VALUES 1), 2) FROM t, (VALUES 3) v (x) WHERE (VALUES 4) = t.a AND UNIQUE (VALUES 5)",
        "SELECT f((SELECT 1), 2) FROM t, (SELECT 3) v (x) WHERE (SELECT 4) = t.a AND UNIQUE (SELECT 5)",
    );
    assert_eq!(accepted("SELECT * FROM t WHERE a > (VALUES 1)").has_udf, Some(false));
    alike("INSERT INTO n VALUES 1, 2", "INSERT INTO n VALUES (1), (2)");
    assert!(
        read(
            "VALUES CASE 1 WHEN 2 THEN 3 END, 4 IS DISTINCT FROM 5",
            &LexicalRules::TRINO
        )
        .is_ok()
    );
    let spark = read_by(
        "SELECT * FROM VALUES 1, 2 AS v (x) JOIN t ON t.a = 1",
        &LexicalRules::SPARK,
    );
    assert_eq!(super::reads(&spark), [("t".to_owned(), eq("a", 1), "*".to_owned())]);
    let merge =
        "MERGE INTO t USING s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a) WHEN MATCHED THEN DELETE";
    read_as(merge, &[("t", all(), "*"), ("s", all(), "a")]);
}

#[test]
fn a_row_in_a_row_of_values_may_have_many_columns() {
    assert_eq!(accepted("VALUES 1, 2").output_columns, Some(1));
    assert_eq!(accepted("VALUES ROW(1, 2), (3, 4)").output_columns, Some(2));
    for sql in [
        "VALUES CAST(ROW(1, 2) AS ROW(a int, b int))",
        "VALUES (SELECT r FROM t)",
        "VALUES f(1)",
    ] {
        assert_eq!(accepted(sql).output_columns, None, "{sql}");
    }
    read_as(
        "VALUES (SELECT max(a) FROM t WHERE b = 1), 2",
        &[("t", eq("b", 1), "a b")],
    );
}

#[test]
fn a_table_is_a_query_of_all_of_it() {
    alike("TABLE c.s.t", "SELECT * FROM c.s.t");
    alike("TABLE t ORDER BY a LIMIT 5", "SELECT * FROM t ORDER BY a LIMIT 5");
    alike("(TABLE t) UNION (TABLE u)", "(SELECT * FROM t) UNION (SELECT * FROM u)");
    alike("TABLE t EXCEPT TABLE u", "SELECT * FROM t EXCEPT SELECT * FROM u");
    alike(
        "WITH c AS (TABLE t) TABLE c",
        "WITH c AS (SELECT * FROM t) SELECT * FROM c",
    );
    alike("CREATE TABLE n AS TABLE c.s.t", "SELECT * FROM c.s.t");
    alike(
        "SELECT * FROM t WHERE a IN (TABLE u)",
        "SELECT * FROM t WHERE a IN (SELECT * FROM u)",
    );
}

#[test]
fn columns_that_correspond_by_name_prune_nothing_by_place() {
    for sql in [
        "SELECT a, b FROM t WHERE a = 1 UNION CORRESPONDING SELECT b, a FROM u WHERE a = 2",
        "SELECT a, b FROM t WHERE a = 1 EXCEPT ALL CORRESPONDING BY (a) SELECT b, a FROM u WHERE a = 2",
        "SELECT a, b FROM t WHERE a = 1 INTERSECT DISTINCT CORRESPONDING SELECT b, a FROM u WHERE a = 2",
    ] {
        read_as(sql, &[("t", all(), "a b"), ("u", all(), "a b")]);
        assert_eq!(accepted(sql).output_columns, None, "{sql}");
    }
    alike("SELECT corresponding FROM t", "SELECT corresponding FROM t x");
}

#[test]
fn groups_may_be_counted_once_or_found_by_the_engine() {
    alike(
        "SELECT sum(b) FROM t GROUP BY DISTINCT a, c",
        "SELECT sum(b) FROM t GROUP BY a, c",
    );
    alike(
        "SELECT sum(b) FROM t GROUP BY ALL ROLLUP (a), CUBE (c)",
        "SELECT sum(b) FROM t GROUP BY ROLLUP (a), CUBE (c)",
    );
    for after in [
        "",
        "ORDER BY 1",
        "QUALIFY rank() OVER (ORDER BY a) = 1",
        "HAVING sum(b) > 1",
    ] {
        let sql = format!("SELECT a, sum(b) FROM t GROUP BY ALL {after}");
        let parsed = read_by(&sql, &LexicalRules::SPARK);
        assert_eq!(
            super::reads(&parsed),
            [("t".to_owned(), all(), "a b".to_owned())],
            "{sql}"
        );
    }
    for sql in [
        "SELECT a, sum(b) FROM t WHERE a = 1 GROUP BY AUTO",
        "SELECT a, sum(b) FROM t WHERE a = 1 GROUP BY ALL AUTO HAVING sum(b) > 1",
        "SELECT a, sum(b) FROM t WHERE a = 1 GROUP BY DISTINCT AUTO LIMIT 5",
    ] {
        read_as(sql, &[("t", eq("a", 1), "a b")]);
        assert!(!accepted(sql).limit_bounds_scan, "{sql}");
    }
}

#[test]
fn the_nearest_row_is_chosen_before_conditions_outside() {
    let sql = "SELECT t.a, q.price FROM t LEFT JOIN NEAREST (FROM quotes q WHERE q.symbol = t.symbol AND q.day = 5 \
               MATCH q.at <= t.at) ON TRUE WHERE t.a = 1 AND q.price = 2";
    let expected = json!({"type": "eq", "term": "day", "value": 5});
    read_as(
        sql,
        &[("t", eq("a", 1), "a at q.price symbol"), ("quotes", expected, "*")],
    );
    assert!(!accepted("SELECT * FROM t CROSS JOIN NEAREST (FROM q MATCH q.at < t.at) LIMIT 5").limit_bounds_scan);
    alike("SELECT * FROM nearest", "SELECT * FROM \"nearest\"");
}

#[test]
fn all_fields_of_a_row_are_any_number_of_columns() {
    for (sql, columns) in [
        ("SELECT (r).* FROM t WHERE a = 1", "a r"),
        ("SELECT (r).* AS (x, y) FROM t WHERE a = 1", "a r"),
        (
            "SELECT CAST(ROW(b, 2) AS ROW(x int, y array(int))).* AS (p, q) FROM t WHERE a = 1",
            "a b",
        ),
        ("SELECT rs[1].* FROM t WHERE a = 1", "a rs"),
        ("SELECT t.* AS (x, y) FROM t WHERE a = 1", "*"),
    ] {
        read_as(sql, &[("t", eq("a", 1), columns)]);
        assert_eq!(accepted(sql).output_columns, None, "{sql}");
    }
    // A name outside is not the one inside: b is t's a.
    let sql = "SELECT * FROM (SELECT t.* AS (b, a) FROM t) WHERE b = 1";
    read_as(sql, &[("t", all(), "*")]);
}

#[test]
fn types_have_parameters() {
    for typed in [
        "ARRAY(INT)",
        "ARRAY(ARRAY(varchar(3)))",
        "MAP(varchar, ROW(x int))",
        "ROW(a bigint, \"b c\" array(decimal(3, 1)))",
        "array<row(a int)>",
        "QDIGEST(bigint)",
    ] {
        let sql = format!("SELECT CAST(a AS {typed}), TRY_CAST(b AS {typed}) FROM t WHERE CAST(c AS {typed}) IS NULL");
        read_as(&sql, &[("t", all(), "a b c")]);
    }
    alike(
        "SELECT * FROM t WHERE a = CAST('5' AS decimal(3, 1))",
        "SELECT * FROM t WHERE a = TRY_CAST('5' AS decimal(3, 1))",
    );
    assert!(read("SELECT CAST(a AS ROW((SELECT 1 FROM u))) FROM t", &LexicalRules::TRINO).is_err());
}

#[test]
fn literals_of_other_types_are_no_constants() {
    for condition in [
        "a = U&'d!0061ta' UESCAPE '!'",
        "a = IPADDRESS '10.0.0.1'",
        "a = IPPREFIX '10.0.0.0/8'",
        "a > NUMBER '5'",
    ] {
        let sql = format!("SELECT a FROM t WHERE {condition}");
        read_as(&sql, &[("t", all(), "a")]);
        let texts: Vec<String> = accepted(&sql)
            .tables
            .iter()
            .flat_map(|table| table.unused_conditions.iter().map(|unused| unused.text.clone()))
            .collect();
        assert_eq!(texts, [condition], "{sql}");
    }
    alike("SELECT number, color FROM t", "SELECT t.number, t.color FROM t");
    // A name behind an escape of its own could be any table's.
    assert!(read("SELECT * FROM U&\"d!0061ta\" UESCAPE '!'", &LexicalRules::TRINO).is_err());
}
