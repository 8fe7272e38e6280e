//! One table, one WHERE: what becomes of each condition.

use serde_json::{Value, json};

use super::{UnusedReason, check, check_all, tables, unused, written_for_dremio};

fn compare(kind: &str, value: Value) -> Value {
    json!({"type": kind, "term": "a", "value": value})
}

fn is_null(kind: &str) -> Value {
    json!({"type": kind, "term": "a"})
}

fn and(left: Value, right: Value) -> Value {
    json!({"type": "and", "left": left, "right": right})
}

fn or(left: Value, right: Value) -> Value {
    json!({"type": "or", "left": left, "right": right})
}

fn check_where(condition: &str, filter: Value, exact: bool) {
    check(&format!("SELECT a FROM t WHERE {condition}"), &[("t", filter, exact)]);
}

#[test]
fn a_comparison_is_itself_and_its_negation_the_opposite() {
    let cases = [
        ("a = 1", "eq"),
        ("1 = a", "eq"),
        ("a <> 1", "not-eq"),
        ("a != 1", "not-eq"),
        ("a < 1", "lt"),
        ("1 > a", "lt"),
        ("a <= 1", "lt-eq"),
        ("1 >= a", "lt-eq"),
        ("a > 1", "gt"),
        ("a >= 1", "gt-eq"),
        ("NOT a = 1", "not-eq"),
        ("NOT a <> 1", "eq"),
        ("NOT a < 1", "gt-eq"),
        ("NOT (a >= 1)", "lt"),
        ("NOT NOT a = 1", "eq"),
        ("NOT (NOT (NOT (a = 1)))", "not-eq"),
        ("(((a))) = (1)", "eq"),
        ("t.a = 1", "eq"),
        ("T.A = 1", "eq"),
    ];
    for (condition, kind) in cases {
        check_where(condition, compare(kind, json!(1)), true);
    }
}

#[test]
fn literals_keep_what_was_written() {
    let cases = [
        ("-5", json!(-5)),
        ("+5", json!(5)),
        ("-(5)", json!(-5)),
        ("1_000", json!(1000)),
        ("12.50", json!("12.50")),
        ("-.5", json!("-0.5")),
        ("5.", json!("5")),
        ("1e3", json!(1000.0)),
        ("'it''s'", json!("it's")),
        ("'a -- b'", json!("a -- b")),
        ("TRUE", json!(true)),
        ("DATE '2026-08-01'", json!("2026-08-01")),
        (
            "TIMESTAMP '2026-08-01 10:00:00.5 UTC'",
            json!("2026-08-01 10:00:00.5 UTC"),
        ),
        (
            "170141183460469231731687303715884105727",
            json!("170141183460469231731687303715884105727"),
        ),
        (
            "999999999999999999999999999999999999999999",
            json!("999999999999999999999999999999999999999999"),
        ),
    ];
    for (literal, value) in cases {
        check_where(&format!("a = {literal}"), compare("eq", value), true);
    }
}

#[test]
fn a_comparison_with_null_keeps_no_row_negated_or_not() {
    for condition in [
        "a = NULL",
        "NULL < a",
        "NOT a = NULL",
        "a IN (NULL)",
        "a NOT IN (1, NULL)",
        "NULL",
        "NOT NULL",
    ] {
        check_where(condition, json!(false), true);
    }
    check_where(
        "a IN (1, NULL)",
        json!({"type": "in", "term": "a", "values": [1]}),
        true,
    );
    check_where("a BETWEEN 1 AND NULL", json!(false), true);
    check_where("a NOT BETWEEN 1 AND NULL", compare("lt", json!(1)), true);
}

#[test]
fn ranges_lists_and_null_tests_are_exact() {
    let (ge, le) = (compare("gt-eq", json!(1)), compare("lt-eq", json!(5)));
    let (lt, gt) = (compare("lt", json!(1)), compare("gt", json!(5)));
    let list = |kind: &str| json!({"type": kind, "term": "a", "values": [1, 2]});
    check_where("a BETWEEN 1 AND 5", and(ge.clone(), le.clone()), true);
    check_where("a NOT BETWEEN 1 AND 5", or(lt.clone(), gt.clone()), true);
    check_where("NOT a BETWEEN 1 AND 5", or(lt, gt), true);
    check_where("NOT (a NOT BETWEEN 1 AND 5)", and(ge, le), true);
    check_where("a IN (1, 2)", list("in"), true);
    check_where("a NOT IN (1, 2)", list("not-in"), true);
    check_where("NOT a IN (1, 2)", list("not-in"), true);
    check_where("a IS NULL", is_null("is-null"), true);
    check_where("NOT a IS NULL", is_null("not-null"), true);
    check_where("a IS NOT NULL", is_null("not-null"), true);
    check_where("a IS NOT DISTINCT FROM 1", compare("eq", json!(1)), true);
    check_where(
        "a IS DISTINCT FROM 1",
        or(compare("not-eq", json!(1)), is_null("is-null")),
        true,
    );
    check_where("a IS DISTINCT FROM NULL", is_null("not-null"), true);
}

#[test]
fn a_boolean_column_is_a_comparison() {
    let (yes, no) = (compare("eq", json!(true)), compare("eq", json!(false)));
    check_where("a", yes.clone(), true);
    check_where("NOT a", no.clone(), true);
    check_where("a IS TRUE", yes.clone(), true);
    check_where("a IS FALSE", no.clone(), true);
    check_where("a IS NOT TRUE", or(no.clone(), is_null("is-null")), true);
    check_where("NOT (a IS TRUE)", or(no, is_null("is-null")), true);
    check_where("a IS NOT FALSE", or(yes, is_null("is-null")), true);
    check_where("a IS UNKNOWN", is_null("is-null"), true);
    check_where("(a = 1) IS TRUE", compare("eq", json!(1)), true);
    check_where("(a = 1) IS FALSE", compare("not-eq", json!(1)), true);
    check_where("(a = 1) IS NOT TRUE", json!(true), false);
}

#[test]
fn a_pattern_that_starts_with_text_is_a_range() {
    let starts = |prefix: &str| json!({"type": "starts-with", "term": "a", "value": prefix});
    check_where("a LIKE 'abc%'", starts("abc"), true);
    check_where("a LIKE 'abc%%'", starts("abc"), true);
    check_where("NOT a NOT LIKE 'abc%'", starts("abc"), true);
    check_where("a LIKE 'abc'", compare("eq", json!("abc")), true);
    check_where("a NOT LIKE 'abc'", compare("not-eq", json!("abc")), true);
    check_where("a LIKE 'abc%d'", starts("abc"), false);
    check_where("a LIKE 'abc_'", starts("abc"), false);
    // Some engines escape with a backslash: what stands before it is the same to all.
    check_where("a LIKE 'abc\\%'", starts("abc"), false);
}

#[test]
fn the_negation_of_a_prefix_and_a_function_for_it_prune_only_where_the_planner_is_not_known_to_ignore_them() {
    for (condition, elsewhere) in [
        ("a NOT LIKE 'abc%'", "a not like abc%"),
        ("NOT a LIKE 'abc%'", "a not like abc%"),
        ("starts_with(a, 'abc')", "a like abc%"),
        ("NOT starts_with(a, 'abc')", "a not like abc%"),
        ("a LIKE '%'", "a is not null"),
        ("a NOT LIKE '%'", "none"),
        ("a NOT LIKE 'abc%d'", "all"),
        ("a NOT LIKE 'abc\\%'", "all"),
    ] {
        check_where(condition, json!(true), false);
        let sql = format!("SELECT a FROM t WHERE {condition}");
        assert_eq!(written_for_dremio(&sql), elsewhere, "{condition}");
    }
}

#[test]
fn a_disjunction_restricts_a_column_that_every_branch_restricts() {
    check_all(&[
        ("SELECT 1 FROM t WHERE a = 1 OR a > 5", "t: (a = 1 or a > 5)"),
        ("SELECT 1 FROM t WHERE a = 1 OR b = 2", "t: all !"),
        ("SELECT 1 FROM t WHERE NOT (a = 1 AND b = 2)", "t: all !"),
        (
            "SELECT 1 FROM t WHERE (a = 1 AND b = 2) OR (b = 3 AND a = 4) OR (a = 5 AND b = 6 AND c = 7)",
            "t: ((a = 1 or a = 4 or a = 5) and (b = 2 or b = 3 or b = 6)) !",
        ),
        (
            "SELECT 1 FROM t WHERE (a = 1 AND (b = 2 OR c = 3)) OR (a = 4 AND b = 5)",
            "t: (a = 1 or a = 4) !",
        ),
        (
            "SELECT 1 FROM t WHERE (a = 1 AND f(b)) OR (a = 2 AND b LIKE '%x')",
            "t: (a = 1 or a = 2) !",
        ),
        (
            "SELECT 1 FROM t WHERE (a = 1 AND b = 2) OR 1 = 0",
            "t: (a = 1 and b = 2)",
        ),
        ("SELECT 1 FROM t WHERE a = 1 OR b IS NULL OR 1 = 1", "t: all"),
    ]);
    let sql = "SELECT 1 FROM t WHERE (a = 1 AND b = 2) OR (a = 3 AND c = 4)";
    assert_eq!(written_for_dremio(sql), "((a = 1 and b = 2) or (a = 3 and c = 4))");
}

#[test]
fn a_disjunction_over_several_tables_stays_above_their_join() {
    check_all(&[
        (
            "SELECT 1 FROM a, b WHERE (a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM a, b WHERE (a.x = 1 AND a.y = 2) OR a.x = 3",
            "a: (x = 1 or x = 3) !; b: all",
        ),
        (
            "SELECT 1 FROM a, b WHERE a.x = 1 OR (a.x = 2 AND a.k = b.k)",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM a, b WHERE x = 1 OR x = 2",
            "a: (x = 1 or x = 2) !; b: (x = 1 or x = 2) !",
        ),
        (
            "SELECT 1 FROM a, b WHERE (x = 1 AND y = 2) OR x = 2",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM a WHERE x = 1 OR (x = 2 AND y IN (SELECT 1 FROM b))",
            "a: all !; b: all",
        ),
        (
            "SELECT 1 FROM (SELECT a.x, b.y FROM a, b) q WHERE (x = 1 AND y = 2) OR (x = 3 AND y = 4)",
            "a: all !; b: all !",
        ),
        (
            "SELECT 1 FROM (SELECT a.x, a.z, b.y FROM a, b) q WHERE (x = 1 AND z = 2) OR (x = 3 AND z = 4)",
            "a: ((x = 1 or x = 3) and (z = 2 or z = 4)) !; b: all",
        ),
        (
            "SELECT 1 FROM (SELECT x, count(*) AS n FROM a GROUP BY x) q WHERE (x = 1 AND n = 2) OR x = 3",
            "a: all !",
        ),
        (
            "SELECT 1 FROM (SELECT x, y FROM a UNION ALL SELECT y, x FROM a) q WHERE (x = 1 AND y = 2) OR (x = 3 AND y = 4)",
            "a: ((x = 1.0 or x = 3.0) and (y = 2.0 or y = 4.0)) !; a: ((y = 1.0 or y = 3.0) and (x = 2.0 or x = 4.0)) !",
        ),
    ]);
}

#[test]
fn rows_are_compared_as_rows_where_the_planner_is_known() {
    for (condition, elsewhere) in [
        ("(a, b) = (1, 2)", "(a = 1 and b = 2)"),
        ("(a, b) <> (1, 2)", "(a <> 1 or b <> 2)"),
        ("(a, b) IN ((1, 2), (3, 4))", "((a = 1 and b = 2) or (a = 3 and b = 4))"),
    ] {
        let sql = format!("SELECT 1 FROM t WHERE {condition}");
        check_all(&[(&sql, "t: all !")]);
        assert_eq!(written_for_dremio(&sql), elsewhere, "{condition}");
    }
}

#[test]
fn a_cast_to_text_says_something_of_columns_that_are_text() {
    check_all(&[
        ("SELECT 1 FROM t WHERE CAST(a AS varchar) = 'abc'", "t: a like abc% !"),
        (
            "SELECT 1 FROM t WHERE 'abc' = (CAST((a) AS varchar))",
            "t: a like abc% !",
        ),
        (
            "SELECT 1 FROM t WHERE CAST(a AS varchar) IN ('b', 'c')",
            "t: (a like b% or a like c%) !",
        ),
        ("SELECT 1 FROM t WHERE CAST(a AS varchar) LIKE 'b%'", "t: a like b% !"),
        ("SELECT 1 FROM t WHERE CAST(a AS varchar) LIKE 'b_c'", "t: a like b% !"),
        (
            "SELECT 1 FROM t WHERE CAST(a AS varchar) LIKE 'b%' OR a = 'c'",
            "t: (a like b% or a = 'c') !",
        ),
    ]);
    for condition in [
        "CAST(a AS varchar(3)) = 'abc'",
        "CAST(a AS char(3)) = 'abc'",
        "TRY_CAST(a AS varchar) = 'abc'",
        "CAST(a AS varchar) = ''",
        "CAST(a AS varchar) = '2026-08-01'",
        "CAST(a AS varchar) LIKE '2026%'",
        "CAST(a AS varchar) IN ('b', '-1')",
        "CAST(a AS varchar) <> 'abc'",
        "NOT CAST(a AS varchar) = 'abc'",
        "CAST(a AS varchar) > 'abc'",
        "CAST(a AS varchar) NOT IN ('b', 'c')",
        "CAST(a AS varchar) NOT LIKE 'b%'",
        "CAST(a AS varchar) LIKE '%b'",
        "CAST(a AS varchar) = 5",
        "CAST(a AS varchar) = b",
        "CAST(lower(a) AS varchar) = 'abc'",
        "CAST(a AS bigint) = 5",
        "CAST(a AS timestamp) = TIMESTAMP '2026-08-01 00:00:00'",
    ] {
        check_where(condition, json!(true), false);
    }
    assert_eq!(
        written_for_dremio("SELECT 1 FROM t WHERE CAST(a AS varchar) = 'abc'"),
        "all"
    );
}

#[test]
fn decimals_are_computed_exactly_or_not_at_all() {
    for (expression, value) in [
        ("1.5 * 2", "3.0"),
        ("1.5 + 2", "3.5"),
        ("2 - 0.25", "1.75"),
        ("0.1 * 0.1", "0.01"),
        ("-1.5 * -2.00", "3.000"),
        ("1 - 1.05", "-0.05"),
        ("(1.5 * 2 + 0.25) - 10", "-6.75"),
        ("0.1 + 0.2", "0.3"),
    ] {
        check_where(&format!("a > {expression}"), compare("gt", json!(value)), true);
    }
    let long = "9".repeat(30);
    for expression in [
        format!("{long}.5 * 10.55555"),
        format!("0.{long} * 0.{long}"),
        format!("0.{long} + {long}"),
        "1.5 / 2".to_owned(),
        "1.5 * 1e0".to_owned(),
        "1.5 * b".to_owned(),
        "1.5 % 2".to_owned(),
        "1.5 * 3000000000".to_owned(),
        "DATE '2026-08-01' + 1.5".to_owned(),
    ] {
        check_where(&format!("a > {expression}"), json!(true), false);
    }
    // Elsewhere a number with a point may be a double.
    assert_eq!(written_for_dremio("SELECT 1 FROM t WHERE a > 1.5 * 2"), "all");
    assert_eq!(written_for_dremio("SELECT 1 FROM t WHERE a > 2 * 2"), "a > 4");
}

#[test]
fn constants_decide_or_vanish() {
    check_where("1 = 0", json!(false), true);
    check_where("FALSE", json!(false), true);
    check_where("1 = 1 AND a = 1", compare("eq", json!(1)), true);
    check_where("TRUE", json!(true), true);
    check_where("a = 1 OR 1 = 0", compare("eq", json!(1)), true);
    check_where("f(a) AND FALSE", json!(false), false);
}

#[test]
fn and_prunes_on_what_is_understood_and_or_needs_all_of_it() {
    let a_is_one = compare("eq", json!(1));
    check_where("a = 1 AND f(b) = 2", a_is_one.clone(), false);
    check_where("a = 1 OR f(b) = 2", json!(true), false);
    check_where("NOT (a = 1 AND f(b) = 2)", json!(true), false);
    check_where("NOT (a = 1 OR f(b) = 2)", compare("not-eq", json!(1)), false);
    check_where("NOT (a <> 1 OR NOT f(b))", a_is_one.clone(), false);
    check_where(
        "(a = 1 AND f(b)) OR (a = 2 AND g(b))",
        or(a_is_one.clone(), compare("eq", json!(2))),
        false,
    );
    check_where(
        "a = 1 AND a NOT IN (2, f(b))",
        and(a_is_one, json!({"type": "not-in", "term": "a", "values": [2]})),
        false,
    );
}

#[test]
fn whatever_is_not_understood_prunes_nothing_in_either_polarity() {
    let conditions = [
        ("f(a) = 1", UnusedReason::Function),
        ("date_format(a, '%m') = '08'", UnusedReason::Function),
        ("extract(month FROM a) = 8", UnusedReason::Function),
        ("a = f()", UnusedReason::Function),
        ("CURRENT_USER = 'x'", UnusedReason::Function),
        ("CAST(a AS integer) = 5", UnusedReason::Cast),
        ("a = CAST('2026-08-01' AS varchar)", UnusedReason::Cast),
        ("a + 1 = 2", UnusedReason::Expression),
        ("-a = 2", UnusedReason::Expression),
        ("a = 7 / 2", UnusedReason::Expression),
        ("a = b", UnusedReason::ColumnComparison),
        ("a LIKE '%x'", UnusedReason::Pattern),
        ("a LIKE 'x%' ESCAPE 'x'", UnusedReason::Pattern),
        ("a ILIKE 'x%'", UnusedReason::Pattern),
        ("a LIKE b", UnusedReason::Pattern),
        ("a IN (SELECT x FROM u)", UnusedReason::Subquery),
        ("a = (SELECT max(x) FROM u)", UnusedReason::Subquery),
        ("a > ALL (SELECT x FROM u)", UnusedReason::Subquery),
        ("EXISTS (SELECT 1 FROM u)", UnusedReason::Subquery),
        ("a = ?", UnusedReason::Parameter),
        ("a IN (1, ?)", UnusedReason::Parameter),
        ("a = X'00'", UnusedReason::Other),
        ("a = U&'\\0041'", UnusedReason::Other),
        ("(a, b) < (1, 2)", UnusedReason::Expression),
        ("a = 1 OR f(b)", UnusedReason::Disjunction),
    ];
    for (condition, reason) in conditions {
        for sql in [
            format!("SELECT a FROM t WHERE {condition}"),
            format!("SELECT a FROM t WHERE NOT ({condition})"),
        ] {
            let first = tables(&sql).into_iter().next();
            let filter = first.map(|table| (table.filter.predicate.to_rest_json(), table.filter.exact));
            if condition == "a = 1 OR f(b)" && sql.contains("NOT") || condition == "a IN (1, ?)" && sql.contains("NOT")
            {
                continue;
            }
            assert_eq!(filter, Some((json!(true), false)), "{sql}");
            assert_eq!(unused(&sql), [(condition.to_owned(), reason)], "{sql}");
        }
    }
}

#[test]
fn an_unused_condition_is_quoted_from_the_source_and_cut() {
    let sql = "SELECT a FROM t WHERE a = 1 AND /* why */ CAST(a\n  AS varchar) = DATE '2026-01-01' -- x\n AND (f(b) OR a = 2) \
               AND ((f(b, (SELECT 1)))) BETWEEN 1 AND 2 GROUP BY a";
    let texts: Vec<String> = unused(sql).into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        texts,
        [
            "CAST(a AS varchar) = DATE '2026-01-01'",
            "f(b) OR a = 2",
            "((f(b, (SELECT 1)))) BETWEEN 1 AND 2"
        ]
    );
    let long = format!("SELECT a FROM t WHERE f(a) IN ({}1)", "'äöü', ".repeat(200));
    let lengths: Vec<usize> = unused(&long).iter().map(|(text, _)| text.chars().count()).collect();
    assert_eq!(lengths, [162]);
}

#[test]
fn a_negated_order_comparison_marks_the_column_because_of_nan() {
    let marked = |condition: &str| {
        let table = tables(&format!("SELECT 1 FROM t WHERE {condition}")).into_iter().next();
        table.map(|table| table.nan_columns.len())
    };
    for condition in [
        "NOT (a > 5)",
        "a NOT BETWEEN 1 AND 2",
        "NOT (5.0 <= a)",
        "(a < 1) IS FALSE",
    ] {
        assert_eq!(marked(condition), Some(1), "{condition}");
    }
    for condition in [
        "a > 5",
        "NOT (a = 5)",
        "NOT (a > DATE '2026-01-01')",
        "NOT (NOT (a > 5))",
    ] {
        assert_eq!(marked(condition), Some(0), "{condition}");
    }
}

#[test]
fn names_fold_unless_quoted_and_fields_keep_their_path() {
    let filter = |term: &str| json!({"type": "eq", "term": term, "value": 1});
    check("SELECT 1 FROM S.T WHERE \"Ab\" = 1", &[("s.t", filter("Ab"), true)]);
    check(
        "SELECT 1 FROM s.t WHERE Rec.Field = 1",
        &[("s.t", filter("rec.field"), true)],
    );
    check(
        "SELECT 1 FROM s.t AS x WHERE x.rec.field = 1",
        &[("s.t", filter("rec.field"), true)],
    );
    check("SELECT 1 FROM c.s.t WHERE s.t.a = 1", &[("c.s.t", filter("a"), true)]);
}

#[test]
fn having_and_select_list_conditions_do_not_prune() {
    check(
        "SELECT a = 1, count(*) FROM t GROUP BY a HAVING a = 2 ORDER BY a = 3",
        &[("t", json!(true), true)],
    );
}

#[test]
fn an_alias_that_renames_the_columns_hides_the_tables_own() {
    check("SELECT 1 FROM t AS x (a, b) WHERE a = 1", &[("t", json!(true), false)]);
}
