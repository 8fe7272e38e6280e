//! Conditions on a query's columns: which tables below it they filter.

use super::{UnusedReason, check_all, tables, trino, unused, written, written_for_dremio};
use crate::sql::parse::Declined;

#[test]
fn a_condition_on_a_derived_table_filters_the_table_below() {
    check_all(&[
        (
            "SELECT k FROM (SELECT * FROM t) x WHERE x.d = DATE '2026-08-01'",
            "t: d = 2026-08-01",
        ),
        ("SELECT k FROM (SELECT * FROM t) WHERE d > 5", "t: d > 5"),
        (
            "SELECT k FROM (SELECT k, d FROM t WHERE k = 2) x WHERE d = 1",
            "t: (k = 2 and d = 1)",
        ),
        ("SELECT k FROM (SELECT d AS day FROM t) x WHERE day = 1", "t: d = 1"),
        // `d` is another column's name outside than inside.
        (
            "SELECT k FROM (SELECT k AS d, d AS k FROM t) x WHERE d = 1 AND k = 2",
            "t: (k = 1 and d = 2)",
        ),
        ("SELECT 1 FROM (SELECT k, d FROM t) AS x (a, b) WHERE b = 1", "t: d = 1"),
        ("SELECT 1 FROM (SELECT \"D\" FROM t) x WHERE d = 1", "t: D = 1"),
        (
            "SELECT 1 FROM (SELECT * FROM (SELECT d AS e FROM (SELECT * FROM t) a) b) c WHERE e IN (1, 2)",
            "t: d in 1 2",
        ),
        (
            "SELECT 1 FROM (SELECT x.*, 1 AS one FROM t x) y WHERE d IS NULL",
            "t: d is null",
        ),
        ("SELECT 1 FROM (SELECT r.f FROM t) x WHERE f = 1", "t: r.f = 1"),
        ("SELECT 1 FROM (SELECT r AS s FROM t) x WHERE x.s.f = 1", "t: r.f = 1"),
        ("SELECT 1 FROM (TABLE t) x WHERE d = 1", "t: d = 1"),
        ("SELECT 1 FROM ((SELECT d FROM t)) x WHERE d = 1", "t: d = 1"),
        ("SELECT 1 FROM (SELECT d FROM t ORDER BY d) x WHERE d = 1", "t: d = 1"),
        (
            "SELECT 1 FROM (SELECT * FROM t) x WHERE d LIKE 'a%' OR d = 'b'",
            "t: (d like a% or d = 'b')",
        ),
        ("SELECT 1 FROM (SELECT * FROM t) x WHERE 1 = 0", "t: none"),
        (
            "DELETE FROM u USING (SELECT * FROM t) x WHERE x.d = 1",
            "u: all; t: d = 1",
        ),
    ]);
}

#[test]
fn what_is_no_column_of_the_table_filters_nothing() {
    check_all(&[
        ("SELECT 1 FROM (SELECT d + 1 AS d FROM t) x WHERE d = 1", "t: all"),
        (
            "SELECT 1 FROM (SELECT coalesce(d, 0) AS d FROM t) x WHERE d = 1",
            "t: all",
        ),
        ("SELECT 1 FROM (SELECT k FROM t) x WHERE d = 1", "t: all"),
        ("SELECT 1 FROM (SELECT d AS a, k AS a FROM t) x WHERE a = 1", "t: all"),
        ("SELECT 1 FROM (SELECT *, 1 AS d FROM t) x WHERE d = 1", "t: all"),
        (
            "SELECT 1 FROM (SELECT current_date AS d FROM t) x WHERE d = DATE '2026-08-01'",
            "t: all",
        ),
        ("SELECT 1 FROM (SELECT * FROM t) AS x (a, b) WHERE b = 1", "t: all"),
        ("SELECT 1 FROM (SELECT * FROM t AS y (a, b)) x WHERE b = 1", "t: all !"),
        (
            "SELECT 1 FROM (SELECT d, k + 1 AS k FROM t) x WHERE d = 1 OR k = 2",
            "t: all !",
        ),
        (
            "SELECT 1 FROM (SELECT d, k + 1 AS k FROM t) x WHERE d = 1 AND k = 2",
            "t: d = 1",
        ),
    ]);
    let sql = "SELECT 1 FROM (SELECT d AS day, k + 1 AS k FROM t) x WHERE month(day) = 8 AND (day = 1 OR k = 2)";
    assert_eq!(
        unused(sql),
        [
            ("month(day) = 8".to_owned(), UnusedReason::Function),
            ("day = 1 OR k = 2".to_owned(), UnusedReason::Disjunction)
        ]
    );
}

#[test]
fn each_use_of_a_common_table_expression_has_its_own_filter() {
    check_all(&[
        (
            "WITH c AS (SELECT k, d AS day FROM t) SELECT * FROM c WHERE day >= DATE '2026-08-01'",
            "t: d >= 2026-08-01",
        ),
        (
            "WITH c (a, b) AS (SELECT k, d FROM t) SELECT * FROM c WHERE b = 1",
            "t: d = 1",
        ),
        (
            "WITH c AS (SELECT * FROM t) SELECT * FROM c a, c b WHERE a.d = 1 AND b.d = 2",
            "t: d = 1; t: d = 2",
        ),
        (
            "WITH c AS (SELECT * FROM t WHERE k = 3) SELECT * FROM c WHERE d = 1 UNION ALL SELECT * FROM c",
            "t: (k = 3 and d = 1); t: k = 3",
        ),
        (
            "WITH c AS (SELECT * FROM t), e AS (SELECT d AS x FROM c WHERE d > 1) \
             SELECT * FROM e WHERE x < 9 AND x IN (SELECT d FROM c WHERE d = 4)",
            "t: (d > 1 and d < 9) !; t: d = 4",
        ),
        (
            "WITH c AS (SELECT * FROM t) SELECT * FROM c AS x (a) WHERE a = 1",
            "t: all",
        ),
        // Only what refers to itself is recursive.
        (
            "WITH RECURSIVE c AS (SELECT * FROM t) SELECT * FROM c WHERE d = 1",
            "t: d = 1",
        ),
        (
            "WITH RECURSIVE c (d) AS (SELECT d FROM t UNION ALL SELECT d + 1 FROM c) SELECT * FROM c WHERE d = 5",
            "t: all",
        ),
    ]);
}

#[test]
fn a_limit_a_sample_or_a_random_value_stops_a_condition() {
    for inner in [
        "SELECT * FROM t LIMIT 10",
        "SELECT * FROM t ORDER BY d LIMIT 10",
        "SELECT * FROM t OFFSET 5",
        "SELECT * FROM t FETCH FIRST 5 ROWS ONLY",
        "SELECT * FROM (SELECT * FROM t LIMIT 10) y",
        "SELECT * FROM t TABLESAMPLE BERNOULLI (10)",
        "SELECT d FROM t TABLESAMPLE SYSTEM (10)",
        "SELECT d, random() AS r FROM t",
        "SELECT d FROM t WHERE rand() < 0.5",
        "SELECT d, f(k) AS f FROM t",
        "SELECT max(d) AS d FROM t",
        "(SELECT d FROM t LIMIT 1) UNION ALL (SELECT 1)",
    ] {
        let sql = format!("SELECT 1 FROM ({inner}) x WHERE d = 1");
        let filters = written(&sql);
        assert!(
            filters.iter().all(|filter| filter.starts_with("t: all")),
            "{sql}: {filters:?}"
        );
    }
    check_all(&[
        (
            "SELECT 1 FROM (SELECT * FROM t) x TABLESAMPLE BERNOULLI (10) WHERE d = 1",
            "t: all",
        ),
        // A sample of a table is filtered in its own FROM clause as before.
        ("SELECT 1 FROM t TABLESAMPLE BERNOULLI (10) WHERE d = 1", "t: d = 1"),
    ]);
}

#[test]
fn a_condition_on_a_key_drops_whole_groups() {
    check_all(&[
        (
            "SELECT * FROM (SELECT d, count(*) AS n FROM t GROUP BY d) x WHERE d = 1 AND n > 5",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d AS e, max(k) FROM t GROUP BY 1) x WHERE e = 1",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d FROM t GROUP BY d, k HAVING max(j) > 1) x WHERE d = 1",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d, date_trunc('month', m) AS m FROM t GROUP BY d, date_trunc('month', m)) x \
             WHERE d = 1 AND m = DATE '2026-08-01'",
            "t: d = 1",
        ),
        ("SELECT * FROM (SELECT DISTINCT d, k FROM t) x WHERE d = 1", "t: d = 1"),
        (
            "SELECT * FROM (SELECT k, max(d) AS d FROM t GROUP BY k) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, count(*) FROM t GROUP BY ROLLUP (d)) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, k, count(*) FROM t GROUP BY d, CUBE (k)) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, count(*) FROM t GROUP BY GROUPING SETS ((d), ())) x WHERE d IS NULL",
            "t: all",
        ),
    ]);
}

#[test]
fn a_condition_on_every_windows_partition_drops_whole_partitions() {
    check_all(&[
        (
            "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY d, k ORDER BY j) AS n FROM t) x \
             WHERE n = 1 AND d = 1 AND j = 2",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d, k, sum(j) OVER (PARTITION BY d), max(j) OVER (PARTITION BY d, k) FROM t) x \
             WHERE d = 1 AND k = 2",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d, sum(j) OVER w FROM t WINDOW w AS (PARTITION BY d)) x WHERE d = 1",
            "t: d = 1",
        ),
        (
            "SELECT * FROM (SELECT d, sum(j) OVER (ORDER BY d) FROM t) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, sum(j) OVER () FROM t) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, sum(j) OVER (PARTITION BY d + 1) FROM t) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d, sum(j) OVER (PARTITION BY d), rank() OVER (ORDER BY k) FROM t) x WHERE d = 1",
            "t: all",
        ),
        (
            "SELECT * FROM (SELECT d FROM t ORDER BY sum(j) OVER (PARTITION BY k)) x WHERE d = 1",
            "t: all",
        ),
    ]);
}

#[test]
fn the_branches_of_a_union_are_filtered_each_by_its_own_column() {
    check_all(&[
        (
            "SELECT 1 FROM (SELECT k, d FROM t UNION ALL SELECT a, b FROM u) x WHERE d = 'x'",
            "t: d = 'x' !; u: b = 'x' !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION SELECT e FROM u WHERE e < 'y') x WHERE d > 'x'",
            "t: d > 'x' !; u: (e < 'y' and e > 'x') !",
        ),
        // Whole numbers as doubles, as far as every numeric type has them.
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d FROM u) x WHERE d IN (1, 2)",
            "t: (d = 1.0 or d = 2.0) !; u: (d = 1.0 or d = 2.0) !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d FROM u) x WHERE d = 16777217",
            "t: all !; u: all !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d FROM u) x WHERE d = 1.5 OR d = 1e0",
            "t: all !; u: all !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d FROM u) x WHERE d <= DATE '2026-08-01'",
            "t: d < 2026-08-02 !; u: d < 2026-08-02 !",
        ),
        // One column of one table is of one type.
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d FROM t) x WHERE d = 16777217",
            "t: d = 16777217; t: d = 16777217",
        ),
        (
            "SELECT 1 FROM (SELECT * FROM t WHERE a = 1 UNION ALL SELECT * FROM t WHERE a = 2) x WHERE d = 7",
            "t: (a = 1 and d = 7); t: (a = 2 and d = 7)",
        ),
        // Which of u's columns stands in d's place is not known.
        (
            "SELECT 1 FROM (SELECT * FROM t UNION ALL SELECT * FROM u) x WHERE d = 'x'",
            "t: d = 'x' !; u: all",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT d + 1 FROM u UNION ALL SELECT 5) x WHERE d = 'x'",
            "t: d = 'x' !; u: all",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t EXCEPT SELECT d FROM u) x WHERE d = 'x'",
            "t: all; u: all",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t INTERSECT SELECT d FROM u) x WHERE d = 'x'",
            "t: all; u: all",
        ),
        (
            "WITH c AS (SELECT d FROM t UNION ALL SELECT e FROM u) SELECT 1 FROM c AS x (f) WHERE f = 'x'",
            "t: d = 'x' !; u: e = 'x' !",
        ),
    ]);
}

#[test]
fn below_a_join_each_table_gets_what_is_its_own() {
    check_all(&[
        (
            "SELECT 1 FROM (SELECT a.d, b.e FROM a JOIN b ON a.k < b.k) x WHERE d = 1 AND e = 2",
            "a: d = 1 !; b: e = 2 !",
        ),
        // Whoever knows the schemas knows whose it is.
        (
            "SELECT 1 FROM (SELECT * FROM a, b) x WHERE d = 1",
            "a: d = 1 !; b: d = 1 !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM a, b) x WHERE d = 1",
            "a: d = 1 !; b: d = 1 !",
        ),
        (
            "SELECT 1 FROM (SELECT * FROM a NATURAL JOIN b) x WHERE k = 1",
            "a: all; b: all",
        ),
        (
            "SELECT 1 FROM (SELECT * FROM a LEFT JOIN b USING (k)) x WHERE k = 1",
            "a: all; b: all",
        ),
        (
            "SELECT 1 FROM (SELECT a.* FROM a, UNNEST(a.l) AS u (e)) x WHERE d = 1",
            "a: d = 1",
        ),
        (
            "SELECT 1 FROM (SELECT * FROM t) x JOIN u ON u.k < x.k AND x.d = 1 WHERE u.e = 2",
            "t: d = 1 !; u: e = 2 !",
        ),
        (
            "SELECT 1 FROM o WHERE EXISTS (SELECT 1 FROM (SELECT * FROM t) x WHERE x.d = 1 AND o.k = 2)",
            "o: all !; t: d = 1",
        ),
        (
            "SELECT 1 FROM o, LATERAL (SELECT o.x AS e, d FROM t WHERE t.k = o.k) l WHERE l.e = 1 AND l.d = 2",
            "o: all; t: d = 2 !",
        ),
    ]);
}

#[test]
fn an_outer_join_above_or_below_lets_through_what_rejects_null() {
    check_all(&[
        (
            "SELECT 1 FROM (SELECT a.d, b.e FROM a LEFT JOIN b ON TRUE) x WHERE d IS NULL AND e = 2",
            "a: d is null; b: e = 2",
        ),
        (
            "SELECT 1 FROM (SELECT a.d, b.e FROM a LEFT JOIN b ON TRUE) x WHERE e IS NULL",
            "a: all; b: all !",
        ),
        (
            "SELECT 1 FROM (SELECT a.d, b.e FROM a FULL JOIN b ON TRUE) x WHERE e = 2 OR e IS NULL",
            "a: all; b: all !",
        ),
        (
            "SELECT 1 FROM u LEFT JOIN (SELECT d FROM t) x ON x.d = 1",
            "u: all; t: d = 1",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t) x LEFT JOIN u ON x.d = 1",
            "t: all; u: all",
        ),
        (
            "SELECT 1 FROM u LEFT JOIN (SELECT d FROM t) x ON TRUE WHERE x.d IS NULL",
            "u: all; t: all !",
        ),
        (
            "SELECT 1 FROM u LEFT JOIN (SELECT d FROM t) x ON TRUE WHERE x.d = 1",
            "u: all; t: d = 1",
        ),
        // Two joins deep.
        (
            "SELECT 1 FROM (SELECT y.e FROM (SELECT b.e FROM a LEFT JOIN b ON TRUE) y) x WHERE x.e IS NULL",
            "a: all; b: all !",
        ),
    ]);
    assert_eq!(
        unused("SELECT 1 FROM (SELECT b.e FROM b RIGHT JOIN a ON TRUE) x WHERE e IS NULL"),
        [("e IS NULL".to_owned(), UnusedReason::OuterJoin)]
    );
}

#[test]
fn other_engines_name_the_second_of_two_columns_anew_and_keep_windows_to_themselves() {
    for (sql, expected) in [
        ("SELECT 1 FROM (SELECT * FROM t) x WHERE d = 1", "d = 1"),
        ("SELECT 1 FROM (SELECT * FROM a, b) x WHERE d = 1", "d = 1; all"),
        ("SELECT 1 FROM (SELECT *, k AS d FROM t) x WHERE d = 1", "d = 1"),
        ("SELECT 1 FROM (SELECT k AS d, t.* FROM t) x WHERE d = 1", "k = 1"),
        (
            "SELECT 1 FROM (SELECT d, sum(j) OVER (PARTITION BY d) FROM t) x WHERE d = 1",
            "all",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t UNION ALL SELECT e FROM u) x WHERE d = '1'",
            "all; all",
        ),
    ] {
        assert_eq!(written_for_dremio(sql), expected, "{sql}");
    }
}

#[test]
fn copies_of_copies_are_bounded() {
    // Each link uses the one before twice.
    let mut sql = "WITH c0 AS (SELECT * FROM t)".to_owned();
    for level in 1..30 {
        sql.push_str(&format!(
            ", c{level} AS (SELECT x.* FROM c{0} x, c{0} y WHERE x.d = {level})",
            level - 1
        ));
    }
    sql.push_str(" SELECT * FROM c29 WHERE d = 1");
    assert_eq!(trino(&sql), Err(Declined::TooManyTables));
    // A long list that many branches would take, and many columns through many queries.
    let list = "1,".repeat(20_000);
    let branches = vec!["SELECT d FROM t"; 400].join(" UNION ALL ");
    let filtered = tables(&format!("SELECT 1 FROM ({branches}) x WHERE d IN ({list}1)"));
    assert_eq!(filtered.len(), 400);
    assert!(filtered.iter().filter(|table| table.filter.exact).count() < 20);
    let columns: Vec<String> = (0..5_000).map(|index| format!("c{index}")).collect();
    let mut sql = format!("WITH q0 AS (SELECT {} FROM t)", columns.join(","));
    for level in 1..900 {
        sql.push_str(&format!(",q{level} AS (SELECT * FROM q{})", level - 1));
    }
    sql.push_str(" SELECT 1 FROM q899 WHERE c7 = 1");
    assert_eq!(written(&sql).join("; "), "t: all !");
}
