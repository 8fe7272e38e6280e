//! Aggregation, LIMIT, windows, columns of the result, functions.

use super::trino;
use crate::sql::parse::Parsed;

fn parsed(sql: &str) -> Option<Parsed> {
    let parsed = trino(sql);
    assert!(parsed.is_ok(), "{parsed:?}: {sql}");
    parsed.ok()
}

fn bounds(sql: &str) -> bool {
    parsed(sql).is_some_and(|parsed| parsed.limit_bounds_scan)
}

fn large_window(sql: &str) -> bool {
    parsed(sql).is_some_and(|parsed| parsed.has_window_over_large_partition)
}

fn width(sql: &str) -> Option<u64> {
    parsed(sql).and_then(|parsed| parsed.output_columns)
}

#[test]
fn a_limit_bounds_a_plain_scan() {
    for sql in [
        "SELECT * FROM t LIMIT 10",
        "SELECT a FROM t WHERE b = 1 OFFSET 5 LIMIT 10",
        "SELECT * FROM t FETCH FIRST 10 ROWS ONLY",
        "SELECT * FROM t FETCH FIRST ROW ONLY",
        "SELECT * FROM (SELECT * FROM t WHERE a = 1) LIMIT 10",
        "WITH c AS (SELECT * FROM t) SELECT * FROM c LIMIT 10",
        "SELECT count(*) FROM (SELECT * FROM t LIMIT 10)",
        "(SELECT * FROM t LIMIT 10) UNION ALL (SELECT * FROM u LIMIT 10)",
        "CREATE TABLE n AS SELECT * FROM t LIMIT 10",
        "TABLE t LIMIT 10",
    ] {
        assert!(bounds(sql), "{sql}");
    }
}

#[test]
fn a_limit_does_not_bound_what_must_see_all_rows() {
    for sql in [
        "SELECT * FROM t",
        "SELECT count(*) FROM t LIMIT 10",
        "SELECT a FROM t GROUP BY a LIMIT 10",
        "SELECT max(a) FROM t LIMIT 10",
        "SELECT DISTINCT a FROM t LIMIT 10",
        "SELECT * FROM t ORDER BY a LIMIT 10",
        "SELECT rank() OVER (ORDER BY a) FROM t LIMIT 10",
        "SELECT * FROM t JOIN u ON t.a = u.a LIMIT 10",
        "SELECT * FROM t, u LIMIT 10",
        "SELECT * FROM t UNION ALL SELECT * FROM u LIMIT 10",
        "SELECT * FROM (SELECT a FROM t GROUP BY a) LIMIT 10",
        "SELECT * FROM t WHERE a IN (SELECT a FROM u) LIMIT 10",
        "SELECT my_aggregate(a) FROM t LIMIT 10",
        "SELECT * FROM t LIMIT ALL",
        "SELECT * FROM t LIMIT ?",
        "SELECT * FROM t LIMIT 100000000",
        "SELECT * FROM t OFFSET 100000000 LIMIT 1",
        "SELECT * FROM t FETCH FIRST 5 ROWS WITH TIES",
        "SELECT * FROM (SELECT * FROM t LIMIT 10) x, u",
        "SELECT 1 LIMIT 1",
    ] {
        assert!(!bounds(sql), "{sql}");
    }
}

#[test]
fn a_window_is_light_when_a_key_or_a_limit_bounds_its_input() {
    for sql in [
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE user_id = 7",
        "SELECT rank() OVER w FROM events WHERE day > 3 AND user_id IN (7, 8) WINDOW w AS (ORDER BY ts)",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE \"userId\" = 'x'",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE o_orderkey = ?",
        "SELECT rank() OVER (ORDER BY ts) FROM (SELECT * FROM events WHERE user_id = 7)",
        "SELECT rank() OVER (ORDER BY ts) FROM (SELECT * FROM events LIMIT 100)",
        "WITH e AS (SELECT * FROM events WHERE user_id = 7) SELECT rank() OVER (ORDER BY ts) FROM e",
        "SELECT rank() OVER (ORDER BY e.ts) FROM events e JOIN users u ON e.user_id = u.user_id WHERE u.user_id = 7",
        "SELECT sum(x) OVER () FROM (VALUES (1), (2)) AS v (x)",
        "SELECT rank() OVER (ORDER BY s) FROM (SELECT sum(x) AS s FROM t)",
        "SELECT 1 FROM events",
    ] {
        assert!(!large_window(sql), "{sql}");
    }
}

#[test]
fn a_window_is_heavy_over_anything_else() {
    for sql in [
        "SELECT rank() OVER (ORDER BY ts) FROM events",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE user_id > 7",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE user_id = 7 OR day = 1",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE NOT user_id = 7",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE day = DATE '2026-08-01'",
        "SELECT rank() OVER (ORDER BY ts) FROM events WHERE country = 'DE'",
        "SELECT rank() OVER (ORDER BY ts) FROM events, users WHERE users.user_id = 7",
        "SELECT * FROM (SELECT rank() OVER (ORDER BY ts) AS r, user_id FROM events) WHERE user_id = 7",
        "SELECT * FROM events ORDER BY row_number() OVER (ORDER BY ts)",
        "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY ts) FROM events)",
        "SELECT * FROM events MATCH_RECOGNIZE (ORDER BY ts MEASURES a.x AS y PATTERN (a) DEFINE a AS x > 1)",
    ] {
        assert!(large_window(sql), "{sql}");
    }
}

#[test]
fn output_columns_are_counted_as_far_as_the_text_tells() {
    let cases = [
        ("SELECT a, b + 1, count(*) c FROM t GROUP BY a, b", Some(3)),
        ("SELECT * FROM t", None),
        ("SELECT t.*, 1 FROM t", None),
        ("SELECT a FROM t UNION SELECT b FROM u", Some(1)),
        ("WITH f AS (SELECT a, b FROM t) SELECT * FROM f", Some(2)),
        (
            "SELECT x.*, y.* FROM (SELECT a, b FROM t) x, (SELECT c FROM u) y",
            Some(3),
        ),
        (
            "SELECT * FROM (SELECT a, b FROM t) x JOIN (SELECT a, c FROM u) y USING (a)",
            None,
        ),
        ("VALUES (1, 2), (3, 4)", Some(2)),
        ("DELETE FROM t", Some(1)),
        ("TABLE t", None),
    ];
    for (sql, expected) in cases {
        assert_eq!(width(sql), expected, "{sql}");
    }
}

#[test]
fn only_a_bare_star_over_tables_has_the_tables_columns() {
    for (sql, expected) in [
        ("SELECT * FROM t", true),
        ("SELECT * FROM t a JOIN u b ON a.x = b.x ORDER BY 1 LIMIT 5", true),
        ("SELECT *, 1 FROM t", false),
        ("SELECT t.* FROM t, u", false),
        ("SELECT * FROM t JOIN u USING (x)", false),
        ("SELECT * FROM (SELECT * FROM t) x", false),
        ("WITH c AS (SELECT * FROM t) SELECT * FROM c", false),
        ("SELECT * FROM t UNION SELECT * FROM u", false),
        ("SELECT a FROM t", false),
    ] {
        assert_eq!(parsed(sql).map(|parsed| parsed.star_of_tables), Some(expected), "{sql}");
    }
}

fn shape(sql: &str) -> Option<String> {
    let shape = parsed(sql)?.aggregate?;
    let names =
        |columns: &[crate::predicate::Column]| columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let calls = shape.aggregates.iter().map(|call| {
        let column = call.column.as_ref().map_or_else(|| "*".to_owned(), ToString::to_string);
        format!(
            "{}({}{column})",
            call.function,
            if call.distinct { "distinct " } else { "" }
        )
    });
    let calls = calls.collect::<Vec<_>>().join(" ");
    Some(format!(
        "{} | {} | {calls} | {}",
        shape.table,
        names(&shape.group_columns),
        names(&shape.filter_columns)
    ))
}

#[test]
fn one_aggregation_over_one_table_has_a_shape() {
    let cases = [
        (
            "SELECT segment, SUM(revenue_usd) FROM sales.revenue WHERE order_date >= CURRENT_DATE - 30 GROUP BY segment",
            "sales.revenue | segment | sum(revenue_usd) | order_date",
        ),
        (
            "SELECT r.a AS x, count(*) n FROM t r GROUP BY 1 HAVING count(*) > 5 ORDER BY n DESC LIMIT 5",
            "t | a | count(*) | ",
        ),
        (
            "SELECT round(sum(a) / count(1), 2), count(DISTINCT b) FROM t",
            "t |  | count(*) count(distinct b) sum(a) | ",
        ),
        ("SELECT DISTINCT a, b FROM t WHERE f(c)", "t | a b |  | c"),
        ("SELECT a FROM t GROUP BY a ORDER BY min(b)", "t | a | min(b) | "),
        ("SELECT current_date, avg(a) FROM t", "t |  | avg(a) | "),
    ];
    for (sql, expected) in cases {
        let mut found: Vec<String> = shape(sql).unwrap_or_default().split(" | ").map(str::to_owned).collect();
        if let Some(calls) = found.get_mut(2) {
            // The order of the aggregates does not matter.
            let mut sorted: Vec<&str> = calls.split(") ").map(|call| call.trim_end_matches(')')).collect();
            sorted.sort_unstable();
            *calls = sorted.join(") ") + if calls.is_empty() { "" } else { ")" };
        }
        assert_eq!(found.join(" | "), expected, "{sql}");
    }
}

#[test]
fn anything_more_has_none() {
    for sql in [
        "SELECT a FROM t",
        "SELECT a, sum(b) FROM t JOIN u ON t.k = u.k GROUP BY a",
        "SELECT date_trunc('month', a), sum(b) FROM t GROUP BY 1",
        "SELECT a, sum(b + c) FROM t GROUP BY a",
        "SELECT a, sum(b) FILTER (WHERE c = 1) FROM t GROUP BY a",
        "SELECT a, sum(b) OVER () FROM t GROUP BY a, b",
        "SELECT a, sum(b) FROM t GROUP BY ROLLUP (a)",
        "SELECT a, sum(b) FROM t GROUP BY GROUPING SETS ((a), ())",
        "SELECT a, sum(b) FROM t WHERE a IN (SELECT 1 FROM u) GROUP BY a",
        "SELECT sum(b) FROM (SELECT * FROM t)",
        "WITH t AS (SELECT * FROM u) SELECT sum(b) FROM t",
        "SELECT sum(a) FROM t UNION ALL SELECT sum(a) FROM t",
        "SELECT a, (SELECT 1 FROM u), sum(b) FROM t GROUP BY a",
        "SELECT my_function(sum(b)) FROM t",
        "SELECT sum(b) FROM t TABLESAMPLE BERNOULLI (10)",
        "SELECT sum(b) FROM t AS x (b)",
    ] {
        assert_eq!(shape(sql), None, "{sql}");
    }
}

#[test]
fn functions_that_the_engine_lacks_are_the_users() {
    let has_udf = |sql: &str| parsed(sql).and_then(|parsed| parsed.has_udf);
    assert_eq!(
        has_udf("SELECT sum(a), CAST(b AS varchar), date_trunc('day', c) FROM t"),
        Some(false)
    );
    assert_eq!(has_udf("SELECT mine(a) FROM t"), Some(true));
    assert_eq!(
        has_udf("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE c.s.f(a))"),
        Some(true)
    );
}

#[test]
fn the_list_of_aggregates_is_sorted() {
    assert!(super::super::shape::AGGREGATES.is_sorted());
}
