//! Constants carried over joins.

use super::{check_all, tables, written, written_for_dremio};

#[test]
fn a_constant_filters_both_sides_of_an_inner_equality() {
    check_all(&[
        (
            "SELECT 1 FROM a JOIN b ON a.k = b.k WHERE a.k = 5",
            "a: k = 5 !; b: k = 5.0 !",
        ),
        (
            "SELECT 1 FROM a JOIN b ON a.k = b.k WHERE 'x' = b.k",
            "a: k = 'x' !; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a JOIN b ON a.k = b.k AND a.k = 'x'",
            "a: k = 'x' !; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a, b WHERE a.k = b.m AND a.k = 'x'",
            "a: k = 'x' !; b: m = 'x' !",
        ),
        (
            "SELECT 1 FROM a CROSS JOIN b WHERE (a.k = (b.m)) AND (a.k) = 'x'",
            "a: k = 'x' !; b: m = 'x' !",
        ),
        (
            "SELECT 1 FROM a JOIN b ON a.d = b.d WHERE a.d = DATE '2026-07-31' + INTERVAL '1' DAY",
            "a: d = 2026-08-01 !; b: (d >= 2026-08-01 and d < 2026-08-02) !",
        ),
        // Over several joins, and within one table.
        (
            "SELECT 1 FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.m AND c.m = c.n WHERE a.k = 'x'",
            "a: k = 'x' !; b: k = 'x' !; c: (m = 'x' and n = 'x') !",
        ),
        // One column of one table has one type.
        (
            "SELECT 1 FROM t a JOIN t b ON a.k = b.k WHERE a.k = 20260801",
            "t: k = 20260801 !; t: k = 20260801 !",
        ),
        // Bare names: whoever has the column.
        (
            "SELECT 1 FROM orders, customer WHERE o_ck = c_ck AND c_ck = 'x'",
            "orders: (c_ck = 'x' and o_ck = 'x') !; customer: (c_ck = 'x' and o_ck = 'x') !",
        ),
        (
            "DELETE FROM a USING b WHERE a.k = b.k AND b.k = 'x'",
            "a: k = 'x' !; b: k = 'x' !",
        ),
        // Below a query, on either side.
        (
            "WITH c AS (SELECT d AS k FROM t) SELECT 1 FROM c JOIN u ON c.k = u.k WHERE u.k = 'x'",
            "t: d = 'x' !; u: k = 'x' !",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t) c JOIN u ON c.d = u.k WHERE c.d = 'x'",
            "t: d = 'x' !; u: k = 'x' !",
        ),
    ]);
}

#[test]
fn what_is_no_constant_or_no_equality_is_not_carried() {
    for condition in [
        "a.k = b.k AND a.k > 'x'",
        "a.k = b.k AND a.k IN ('x', 'y')",
        "a.k = b.k AND a.k LIKE 'x%'",
        "a.k = b.k AND (a.k = 'x' OR a.j = 1)",
        "a.k <> b.k AND a.k = 'x'",
        "NOT (a.k = b.k) AND a.k = 'x'",
        "(a.k = b.k OR a.j = 1) AND a.k = 'x'",
        "a.k = b.k + 1 AND a.k = 1",
        "a.k IS NOT DISTINCT FROM b.k AND a.k = 'x'",
        "lower(a.k) = b.k AND a.k = 'x'",
        "a.k = b.k AND a.k = 16777217",
        "a.k = b.k AND a.k = 1.5",
        "a.k = b.k AND a.k = TIMESTAMP '2026-08-01 10:00:00'",
        "a.k = b.k AND a.k = NULL AND FALSE IS NULL",
    ] {
        let filters = written(&format!("SELECT 1 FROM a, b WHERE {condition}"));
        let b = filters.get(1).map(String::as_str);
        assert!(
            matches!(b, Some("b: all !" | "b: none" | "b: none !")),
            "{condition}: {filters:?}"
        );
    }
    // A condition of a join sees its own relations: c has nothing to do with its names.
    check_all(&[(
        "SELECT 1 FROM a JOIN b ON x = y AND y = 'x' JOIN c ON c.i < a.i",
        "a: y = 'x' !; b: y = 'x' !; c: all !",
    )]);
}

#[test]
fn over_an_outer_join_a_constant_goes_to_the_side_that_is_not_preserved() {
    check_all(&[
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k WHERE a.k = 'x'",
            "a: k = 'x'; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM b RIGHT JOIN a ON a.k = b.k WHERE a.k = 'x'",
            "b: k = 'x' !; a: k = 'x'",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k AND a.k = 'x'",
            "a: all; b: k = 'x' !",
        ),
        // A constant in WHERE rejects what the join has filled with NULL.
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k WHERE b.k = 'x'",
            "a: k = 'x'; b: k = 'x' !",
        ),
        // In the join's condition it rejects nothing.
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k AND b.k = 'x'",
            "a: all; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN (b JOIN c ON b.k = c.k AND b.k = 'x') ON a.k = b.k",
            "a: all; b: k = 'x' !; c: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a FULL JOIN b ON a.k = b.k WHERE a.k = 'x'",
            "a: k = 'x'; b: all",
        ),
        // Where it has crossed, the planner adds "or NULL" to what follows.
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON c.k = b.k WHERE a.k = 'x'",
            "a: k = 'x'; b: k = 'x' !; c: all !",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON c.k = a.k WHERE a.k = 'x'",
            "a: k = 'x'; b: k = 'x' !; c: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k JOIN c ON c.k = b.k WHERE c.k = 'x'",
            "a: k = 'x'; b: k = 'x' !; c: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN b ON TRUE WHERE m = n AND n = 'x'",
            "a: n = 'x' !; b: n = 'x' !",
        ),
    ]);
}

#[test]
fn a_name_that_an_inner_join_merges_is_each_tables() {
    check_all(&[
        (
            "SELECT 1 FROM a JOIN b USING (k) WHERE k = 'x'",
            "a: k = 'x' !; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a JOIN b USING (K) WHERE \"k\" > 5",
            "a: k > 5.0 !; b: k > 5.0 !",
        ),
        (
            "SELECT 1 FROM a JOIN b USING (k) WHERE k = 16777217",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM a JOIN b USING (k, d) JOIN c USING (d) WHERE d <= DATE '2026-08-01'",
            "a: d < 2026-08-02 !; b: d < 2026-08-02 !; c: d < 2026-08-02 !",
        ),
        (
            "SELECT 1 FROM (SELECT m AS k FROM t) x JOIN b USING (k) WHERE k = 'x'",
            "t: m = 'x' !; b: k = 'x' !",
        ),
        (
            "SELECT 1 FROM a LEFT JOIN b USING (k) WHERE k = 'x'",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM a JOIN b USING (k) LEFT JOIN c ON c.i < a.i WHERE k = 'x'",
            "a: all !; b: all !; c: all !",
        ),
        ("SELECT 1 FROM a NATURAL JOIN b WHERE k = 'x'", "a: all !; b: all !"),
    ]);
}

#[test]
fn an_engine_whose_planner_is_not_known_gets_no_more_than_was_said() {
    for sql in [
        "SELECT 1 FROM a JOIN b ON a.k = b.k WHERE a.k = 5",
        "SELECT 1 FROM a JOIN b USING (k) WHERE k = 5",
    ] {
        assert!(written_for_dremio(sql).ends_with("; all"), "{sql}");
    }
}

#[test]
fn many_equalities_and_constants_end() {
    let names: Vec<String> = (0..300).map(|index| format!("t{index}")).collect();
    let mut conditions: Vec<String> = (1..300).map(|index| format!("t{}.k = t{index}.k", index - 1)).collect();
    conditions.extend((0..300).map(|index| format!("t{index}.k = {index}")));
    let sql = format!("SELECT 1 FROM {} WHERE {}", names.join(","), conditions.join(" AND "));
    assert_eq!(tables(&sql).len(), 300);
}
