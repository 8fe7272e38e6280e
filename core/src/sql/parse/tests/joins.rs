//! Several relations: which conditions reach which table.

use serde_json::{Value, json};

use super::{UnusedReason, check, tables, trino, unused};
use crate::sql::parse::Declined;

fn eq(term: &str, value: i64) -> Value {
    json!({"type": "eq", "term": term, "value": value})
}

fn all() -> Value {
    json!(true)
}

#[test]
fn a_condition_goes_to_the_table_that_its_qualifier_names() {
    check(
        "SELECT * FROM s.orders o, customers WHERE o.x = 1 AND customers.y = 2 AND o.id = customers.id",
        &[("s.orders", eq("x", 1), false), ("customers", eq("y", 2), false)],
    );
    check(
        "SELECT * FROM a, b WHERE a.x = 1",
        &[("a", eq("x", 1), true), ("b", all(), true)],
    );
}

#[test]
fn a_name_without_qualifier_is_asked_of_every_table_that_could_have_it() {
    check(
        "SELECT * FROM a, b WHERE x = 1",
        &[("a", eq("x", 1), false), ("b", eq("x", 1), false)],
    );
    check(
        "SELECT * FROM a CROSS JOIN UNNEST(a.list) AS u (e) WHERE x = 1",
        &[("a", eq("x", 1), false)],
    );
    check(
        "SELECT * FROM a JOIN b USING (k) WHERE x = 1",
        &[("a", eq("x", 1), false), ("b", eq("x", 1), false)],
    );
    check(
        "SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE x IS NULL",
        &[
            ("a", json!({"type": "is-null", "term": "x"}), false),
            ("b", all(), false),
        ],
    );
    assert!(unused("SELECT * FROM a, b WHERE x = 1").is_empty());
}

#[test]
fn a_name_that_several_tables_may_share_prunes_none_of_them() {
    for sql in [
        "SELECT * FROM a LEFT JOIN b USING (x) WHERE x = 1",
        "SELECT * FROM a FULL JOIN b USING (X) WHERE \"x\" = 1",
        "SELECT * FROM a NATURAL JOIN b WHERE x = 1",
        "SELECT * FROM a LEFT SEMI JOIN b ON a.k = b.k WHERE x = 1",
        "SELECT * FROM a LEFT ANTI JOIN b ON a.k = b.k WHERE x = 1",
    ] {
        check(sql, &[("a", all(), false), ("b", all(), false)]);
        let reasons = unused(sql);
        assert!(
            reasons
                .iter()
                .any(|(_, reason)| *reason == UnusedReason::AmbiguousColumn),
            "{sql}"
        );
    }
}

#[test]
fn a_qualifier_that_fits_two_tables_or_an_aliased_ones_name_is_not_trusted() {
    check(
        "SELECT * FROM s1.t, s2.t WHERE t.x = 1",
        &[("s1.t", all(), false), ("s2.t", all(), false)],
    );
    check(
        "SELECT * FROM t AS a, u WHERE t.x = 1",
        &[("t", all(), false), ("u", all(), false)],
    );
}

#[test]
fn an_or_across_tables_filters_none_of_them() {
    check(
        "SELECT * FROM a, b WHERE a.x = 1 OR b.y = 2",
        &[("a", all(), false), ("b", all(), false)],
    );
}

#[test]
fn an_inner_join_condition_filters_both_sides() {
    for join in ["JOIN", "INNER JOIN"] {
        check(
            &format!("SELECT * FROM a {join} b ON a.id = b.id AND a.x = 1 AND b.y = 2"),
            &[("a", eq("x", 1), false), ("b", eq("y", 2), false)],
        );
    }
}

#[test]
fn an_outer_join_condition_filters_only_the_side_it_does_not_preserve() {
    let on = "ON a.x = 1 AND b.y = 2";
    check(
        &format!("SELECT * FROM a LEFT JOIN b {on}"),
        &[("a", all(), true), ("b", eq("y", 2), true)],
    );
    check(
        &format!("SELECT * FROM a RIGHT OUTER JOIN b {on}"),
        &[("a", eq("x", 1), true), ("b", all(), true)],
    );
    check(
        &format!("SELECT * FROM a FULL JOIN b {on}"),
        &[("a", all(), true), ("b", all(), true)],
    );
}

#[test]
fn a_condition_above_an_outer_join_must_reject_null_on_the_side_that_gets_it() {
    let is_null = json!({"type": "is-null", "term": "x"});
    check(
        "SELECT * FROM a LEFT JOIN b ON TRUE WHERE a.x IS NULL",
        &[("a", is_null.clone(), true), ("b", all(), true)],
    );
    check(
        "SELECT * FROM a LEFT JOIN b ON TRUE WHERE b.x IS NULL",
        &[("a", all(), true), ("b", all(), false)],
    );
    check(
        "SELECT * FROM a LEFT JOIN b ON TRUE WHERE b.x = 1",
        &[("a", all(), true), ("b", eq("x", 1), true)],
    );
    check(
        "SELECT * FROM a LEFT JOIN b ON TRUE WHERE b.x = 1 OR b.x IS NULL",
        &[("a", all(), true), ("b", all(), false)],
    );
    check(
        "SELECT * FROM a RIGHT JOIN b ON TRUE WHERE a.x IS NULL",
        &[("a", all(), false), ("b", all(), true)],
    );
    check(
        "SELECT * FROM a FULL JOIN b ON TRUE WHERE b.x = 1",
        &[("a", all(), true), ("b", eq("x", 1), true)],
    );
    // The inner join above works like WHERE.
    check(
        "SELECT * FROM a LEFT JOIN b ON TRUE JOIN c ON b.x IS NULL AND c.x IS NULL",
        &[("a", all(), true), ("b", all(), false), ("c", is_null.clone(), true)],
    );
    check(
        "SELECT * FROM a JOIN b ON b.x IS NULL LEFT JOIN c ON TRUE",
        &[("a", all(), true), ("b", is_null.clone(), true), ("c", all(), true)],
    );
    check(
        "SELECT * FROM a LEFT JOIN (b LEFT JOIN c ON TRUE) ON b.x IS NULL AND c.x IS NULL",
        &[("a", all(), true), ("b", is_null, true), ("c", all(), false)],
    );
}

#[test]
fn an_unused_condition_of_an_outer_join_says_so() {
    let sql = "SELECT * FROM b RIGHT JOIN a ON TRUE WHERE b.x IS NULL";
    assert_eq!(unused(sql), [("b.x IS NULL".to_owned(), UnusedReason::OuterJoin)]);
}

#[test]
fn a_common_table_expression_counts_at_each_use_and_not_without_one() {
    check(
        "WITH c AS (SELECT * FROM t WHERE x = 1), unused AS (SELECT * FROM u) SELECT * FROM c JOIN c AS d ON c.a = d.a",
        &[("t", eq("x", 1), false), ("t", eq("x", 1), false)],
    );
    check("WITH t AS (SELECT * FROM t) SELECT * FROM t", &[("t", all(), true)]);
    check("WITH t AS (SELECT 1) SELECT * FROM s.t", &[("s.t", all(), true)]);
    check(
        "WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT * FROM t, u WHERE u.x = 1) TABLE t",
        &[("u", eq("x", 1), true)],
    );
    check(
        "SELECT * FROM (WITH c AS (SELECT * FROM t) SELECT * FROM c) x, c",
        &[("t", all(), true), ("c", all(), true)],
    );
}

#[test]
fn common_table_expressions_that_double_are_declined_and_not_expanded() {
    let mut sql = "WITH c0 AS (SELECT * FROM t)".to_owned();
    for level in 1..40 {
        sql.push_str(&format!(
            ", c{level} AS (SELECT * FROM c{0} UNION ALL SELECT * FROM c{0})",
            level - 1
        ));
    }
    sql.push_str(" SELECT * FROM c39");
    assert_eq!(trino(&sql), Err(Declined::TooManyTables));
}

#[test]
fn a_long_list_that_is_copied_too_often_is_dropped_rather_than_copied() {
    let list = "1,".repeat(20_000);
    let uses = "SELECT * FROM c UNION ALL ".repeat(200);
    let filters: Vec<bool> = tables(&format!(
        "WITH c AS (SELECT * FROM t WHERE x IN ({list}1)) {uses} SELECT 1"
    ))
    .iter()
    .map(|table| table.filter.exact)
    .collect();
    assert_eq!(filters.len(), 200);
    assert_eq!(filters.iter().filter(|exact| **exact).count(), 9);
}

#[test]
fn an_enclosing_querys_qualifier_is_never_an_inner_column() {
    // x without qualifier may be a's: whoever knows b's schema drops the leaf if b has no x.
    check(
        "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.y = 1 AND x = 5)",
        &[("a", all(), false), ("b", eq("x", 5), true)],
    );
    check(
        "SELECT * FROM a, LATERAL (SELECT 1 FROM b WHERE a.y = 1 AND b.x = 5) l",
        &[("a", all(), true), ("b", eq("x", 5), true)],
    );
}

#[test]
fn subqueries_anywhere_bring_their_tables_in_the_order_of_the_text() {
    let sql = "SELECT (SELECT max(x) FROM a WHERE a.k = 1), f(x -> (SELECT 1 FROM a2)) FROM b JOIN c ON c.i IN (SELECT i FROM d) \
               WHERE b.x > ALL (SELECT 1 FROM e) GROUP BY b.x HAVING count(*) > (SELECT 1 FROM f) \
               ORDER BY (SELECT 1 FROM g)";
    let names: Vec<String> = tables(sql).iter().map(|table| table.name.to_string()).collect();
    assert_eq!(names, ["a", "a2", "b", "c", "d", "e", "f", "g"]);
}

#[test]
fn update_delete_and_merge_read_their_target() {
    check("DELETE FROM t WHERE a = 1 AND f(b)", &[("t", eq("a", 1), false)]);
    check(
        "UPDATE t SET b = (SELECT 1 FROM u) WHERE a = 1",
        &[("t", eq("a", 1), true), ("u", all(), true)],
    );
    check(
        "MERGE INTO w.t USING (SELECT * FROM s WHERE x = 1) d ON t.id = d.id AND t.day = 3 \
         WHEN MATCHED THEN UPDATE SET a = d.a WHEN NOT MATCHED THEN INSERT (id) VALUES (d.id)",
        &[("w.t", all(), false), ("s", eq("x", 1), true)],
    );
}
