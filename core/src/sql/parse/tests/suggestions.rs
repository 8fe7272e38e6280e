//! What is told of a condition that prunes nothing.

use super::{UnusedReason, tables};

/// Reason and suggestion of the first table's first unused condition.
fn told(from: &str, condition: &str) -> Option<(UnusedReason, Option<String>)> {
    let first = tables(&format!("SELECT 1 FROM {from} WHERE {condition}"))
        .into_iter()
        .next()?;
    let unused = first.unused_conditions.into_iter().next()?;
    Some((unused.reason, unused.suggestion))
}

fn check(conditions: &[(&str, UnusedReason)], suggestion: Option<&str>) {
    for (condition, reason) in conditions {
        let wanted = Some((*reason, suggestion.map(str::to_owned)));
        assert_eq!(told("t", condition), wanted, "{condition}");
    }
}

#[test]
fn what_stands_around_one_column_is_told_to_become_a_range() {
    check(
        &[
            ("date_format(d, '%m') = '08'", UnusedReason::Function),
            ("month(d) IN (7, 8)", UnusedReason::Function),
            ("EXTRACT(MONTH FROM d) = 8", UnusedReason::Function),
            ("year(d) IN (2024, 2026)", UnusedReason::Function),
            ("lower(d) LIKE 'x%'", UnusedReason::Pattern),
            ("CAST(date(d) AS varchar) = '2026-12-14'", UnusedReason::Cast),
            ("CAST(d AS varchar) LIKE '2026-12%'", UnusedReason::Pattern),
            ("CAST(d AS bigint) = 5", UnusedReason::Cast),
            ("d + 1 BETWEEN 2 AND 3", UnusedReason::Expression),
            ("d - INTERVAL '1' DAY >= DATE '2026-08-01'", UnusedReason::Expression),
            ("(d * 2) = 6", UnusedReason::Expression),
            ("d || 'x' = 'ax'", UnusedReason::Expression),
        ],
        Some("compare d itself with a range of values"),
    );
    check(
        &[
            ("d = f()", UnusedReason::Function),
            ("f(d) = g(e)", UnusedReason::Function),
            ("f(d, e) = 1", UnusedReason::Function),
            ("f(d) = (SELECT 1)", UnusedReason::Function),
            ("d + e = 1", UnusedReason::Expression),
            ("f(d)", UnusedReason::Function),
        ],
        None,
    );
}

#[test]
fn a_pattern_is_told_to_start_with_text() {
    check(
        &[
            ("d LIKE '%x'", UnusedReason::Pattern),
            ("d LIKE '_x%'", UnusedReason::Pattern),
            ("d ILIKE 'x%'", UnusedReason::Pattern),
            ("d NOT LIKE 'x%'", UnusedReason::Pattern),
        ],
        Some("let the pattern start with text, as in d LIKE 'text%', or compare another column with a range as well"),
    );
    check(&[("d LIKE e", UnusedReason::Pattern)], None);
    check(
        &[("starts_with(d, 'x')", UnusedReason::Function)],
        Some("write d LIKE with the text and % after it"),
    );
}

#[test]
fn a_disjunction_is_told_to_restrict_one_column_or_to_be_taken_apart() {
    let apart = "compare the same column with constants in each branch of the OR, or write a UNION of its branches";
    check(
        &[
            ("d = 1 OR e = 2", UnusedReason::Disjunction),
            ("NOT (d = 1 AND e = 2)", UnusedReason::Disjunction),
            ("d = 1 OR f(e)", UnusedReason::Disjunction),
        ],
        Some(apart),
    );
    check(
        &[(
            "CAST(d AS date) = DATE '2026-08-01' OR CAST(d AS date) = DATE '2026-08-03'",
            UnusedReason::Disjunction,
        )],
        Some("compare d itself with a range of values in each branch of the OR"),
    );
    assert_eq!(
        told("t, u", "t.d = 1 OR u.e = 2"),
        Some((UnusedReason::Disjunction, Some(apart.to_owned())))
    );
}

#[test]
fn a_subquery_a_row_and_a_bare_name_have_their_remedies() {
    check(
        &[
            ("d = (SELECT max(e) FROM u)", UnusedReason::Subquery),
            ("((SELECT max(e) FROM u)) <= d", UnusedReason::Subquery),
        ],
        Some("run the subquery first and compare d with its value"),
    );
    check(&[("d IN (SELECT e FROM u)", UnusedReason::Subquery)], None);
    check(
        &[
            ("(d, e) IN ((1, 2), (3, 4))", UnusedReason::Expression),
            ("(d, e) = (1, 2)", UnusedReason::Expression),
        ],
        Some("compare each column with a list of its own as well"),
    );
    assert_eq!(
        told("t LEFT JOIN u USING (d)", "d = 1"),
        Some((
            UnusedReason::AmbiguousColumn,
            Some("write the table's name before the column; join with ON where USING merges it".to_owned())
        ))
    );
    check(&[("d = e", UnusedReason::ColumnComparison)], None);
}

#[test]
fn a_condition_on_a_querys_column_is_told_of_at_the_table_below() {
    assert_eq!(
        told("(SELECT k, d AS day FROM t) x", "month(x.day) = 8"),
        Some((
            UnusedReason::Function,
            Some("compare x.day itself with a range of values".to_owned())
        ))
    );
    assert_eq!(told("(SELECT count(*) AS n FROM t) x", "n > 5"), None);
}
