//! Conditions on dates and times: constants that are computed, and functions of a column that are turned around.

use serde_json::{Value, json};

use super::random::Random;
use super::{Declined, ParseInput, ParseTime, Parsed, check, check_all, parse, symbol, tables};
use crate::predicate::{Literal, Predicate};
use crate::sql::lexer::LexicalRules;

/// 2026-08-01 12:00:00 UTC
const NOON: i64 = (20_666 * 24 + 12) * 3_600 * 1_000_000;

fn at(text: &str, zone_minutes: Option<i16>) -> Result<Parsed, Declined> {
    let rules = LexicalRules::TRINO;
    parse(&ParseInput {
        text,
        rules: &rules,
        prepared: &[],
        now: Some(ParseTime {
            unix_micros: NOON,
            zone_minutes,
        }),
    })
}

fn filter_at(condition: &str, zone_minutes: Option<i16>) -> Option<(Value, bool)> {
    let parsed = at(&format!("SELECT d FROM t WHERE {condition}"), zone_minutes).ok()?;
    let filter = &parsed.tables.first()?.filter;
    Some((filter.predicate.to_rest_json(), filter.exact))
}

fn day(kind: &str, value: &str) -> Value {
    json!({"type": kind, "term": "d", "value": value})
}

fn between(low: Value, high: Value) -> Value {
    json!({"type": "and", "left": low, "right": high})
}

#[test]
fn what_the_text_alone_decides_is_computed() {
    for (condition, kind, value) in [
        ("d >= DATE '2026-08-01' - INTERVAL '7' DAY", "gt-eq", "2026-07-25"),
        ("d >= DATE '2026-03-31' - INTERVAL '1' MONTH", "gt-eq", "2026-02-28"),
        ("d < DATE '2024-02-29' + INTERVAL '1' YEAR", "lt", "2025-02-28"),
        ("d < INTERVAL '2' WEEK + DATE '2026-08-01'", "lt", "2026-08-15"),
        ("d = CAST('2026-08-01' AS date)", "eq", "2026-08-01"),
        ("d = date('2026-08-01')", "eq", "2026-08-01"),
        ("d >= date_add('day', -7, DATE '2026-08-01')", "gt-eq", "2026-07-25"),
        ("d >= date_trunc('quarter', DATE '2026-08-15')", "gt-eq", "2026-07-01"),
        ("d >= date_trunc('week', DATE '2026-08-15')", "gt-eq", "2026-08-10"),
        (
            "d < TIMESTAMP '2026-08-01 10:00:00.5' + INTERVAL '90' MINUTE",
            "lt",
            "2026-08-01 11:30:00.500000",
        ),
    ] {
        check(
            &format!("SELECT d FROM t WHERE {condition}"),
            &[("t", day(kind, value), true)],
        );
    }
    let number = json!({"type": "eq", "term": "d", "value": 7});
    check("SELECT d FROM t WHERE d = 1 + 2 * 3", &[("t", number, true)]);
}

#[test]
fn the_current_date_is_the_sessions_and_without_its_zone_a_span() {
    let exact = |value| Some((day("gt-eq", value), true));
    assert_eq!(filter_at("d >= CURRENT_DATE - 30", Some(0)), exact("2026-07-02"));
    assert_eq!(
        filter_at("d >= current_date - INTERVAL '1' MONTH", Some(0)),
        exact("2026-07-01")
    );
    // Noon in UTC is two in the morning of the next day at UTC+14.
    assert_eq!(filter_at("d >= current_date", Some(14 * 60)), exact("2026-08-02"));
    assert_eq!(
        filter_at("d >= date_trunc('month', current_date)", Some(0)),
        exact("2026-08-01")
    );
    assert_eq!(
        filter_at("d >= CURRENT_DATE", None),
        Some((day("gt-eq", "2026-07-31"), false))
    );
    assert_eq!(
        filter_at("CURRENT_DATE >= d", None),
        Some((day("lt-eq", "2026-08-02"), false))
    );
    assert_eq!(
        filter_at("d = CURRENT_DATE", None),
        Some((between(day("gt-eq", "2026-07-31"), day("lt-eq", "2026-08-02")), false))
    );
    assert_eq!(filter_at("d <> CURRENT_DATE", None), Some((json!(true), false)));
    assert_eq!(
        filter_at("d < now() - INTERVAL '1' DAY", Some(0)),
        Some((day("lt", "2026-07-31 12:05:00.000000"), false))
    );
    assert_eq!(
        filter_at("d > localtimestamp", Some(0)),
        Some((day("gt", "2026-08-01 11:55:00.000000"), false))
    );
}

#[test]
fn without_a_clock_or_beyond_the_calendar_nothing_is_computed() {
    for condition in [
        "d >= CURRENT_DATE",
        "d >= \"current_date\"",
        "d >= DATE '9999-12-31' + INTERVAL '1' DAY",
        "d >= DATE '2026-02-30' + INTERVAL '1' DAY",
        "d >= DATE '2026-08-01' + INTERVAL '1' HOUR",
        "d >= DATE '2026-08-01' + INTERVAL '1-2' YEAR TO MONTH",
        "d = 2147483647 + 1",
        "d = 7 / 2",
    ] {
        check(
            &format!("SELECT d FROM t WHERE {condition}"),
            &[("t", json!(true), false)],
        );
    }
}

#[test]
fn a_function_that_keeps_order_becomes_a_range_of_its_column() {
    let august = between(day("gt-eq", "2026-08-01"), day("lt", "2026-09-01"));
    let first = between(day("gt-eq", "2026-08-01"), day("lt", "2026-08-02"));
    let outside = json!({"type": "or", "left": day("lt", "2026-08-01"), "right": day("gt-eq", "2026-08-02")});
    for (condition, filter) in [
        ("date_trunc('month', d) = DATE '2026-08-01'", august),
        ("DATE '2026-08-01' = CAST(d AS date)", first.clone()),
        ("date(d) = DATE '2026-08-01'", first.clone()),
        ("NOT CAST(d AS date) = DATE '2026-08-01'", outside),
        ("CAST(d AS date) BETWEEN DATE '2026-08-01' AND DATE '2026-08-01'", first),
        ("CAST(d AS date) <= DATE '2026-08-01'", day("lt", "2026-08-02")),
        ("CAST(d AS date) > DATE '2026-08-01'", day("gt-eq", "2026-08-02")),
        (
            "date_trunc('month', d) >= DATE '2026-08-15'",
            day("gt-eq", "2026-09-01"),
        ),
        ("date_trunc('month', d) < DATE '2026-08-15'", day("lt", "2026-09-01")),
        (
            "date_trunc('hour', d) > TIMESTAMP '2026-08-01 10:00:00'",
            day("gt-eq", "2026-08-01 11:00:00.000000"),
        ),
        ("year(d) >= 2026", day("gt-eq", "2026-01-01")),
        (
            "EXTRACT(YEAR FROM d) = 2026",
            between(day("gt-eq", "2026-01-01"), day("lt", "2027-01-01")),
        ),
    ] {
        check(&format!("SELECT d FROM t WHERE {condition}"), &[("t", filter, true)]);
    }
}

#[test]
fn a_list_of_years_is_a_range_if_it_has_no_gap() {
    let years = |first: &str, after: &str| between(day("gt-eq", first), day("lt", after));
    for (condition, filter) in [
        ("year(d) IN (2026)", years("2026-01-01", "2027-01-01")),
        ("year(d) IN (2025, 2024, 2025)", years("2024-01-01", "2026-01-01")),
        (
            "extract(YEAR FROM d) IN (2024, 2020 + 5)",
            years("2024-01-01", "2026-01-01"),
        ),
        ("year(d) BETWEEN 2024 AND 2025", years("2024-01-01", "2026-01-01")),
        (
            "CAST(d AS date) IN (DATE '2026-08-01')",
            years("2026-08-01", "2026-08-02"),
        ),
        (
            "year(d) NOT IN (2026)",
            json!({"type": "or", "left": day("lt", "2026-01-01"), "right": day("gt-eq", "2027-01-01")}),
        ),
    ] {
        check(&format!("SELECT d FROM t WHERE {condition}"), &[("t", filter, true)]);
    }
    for condition in [
        "year(d) IN (2024, 2026)",
        "year(d) IN (2024, NULL)",
        "year(d) IN (NULL)",
        "year(d) IN (2024, x)",
        "year(d) NOT IN (2024, 2025)",
        "year(d) IN (2024, 2025) OR f(d)",
        "year(d) IN (2024, 2025) OR d = DATE '2026-08-01'",
        "month(d) IN (7, 8)",
        "CAST(d AS date) IN (DATE '2026-08-01', DATE '2026-08-02')",
        "date_trunc('month', d) IN (DATE '2026-08-01', DATE '2026-09-01')",
        "year(d) IN (9999, 10000)",
    ] {
        check(
            &format!("SELECT d FROM t WHERE {condition}"),
            &[("t", json!(true), false)],
        );
    }
}

#[test]
fn beside_or_above_a_join_no_function_is_turned_around() {
    check_all(&[
        (
            "SELECT 1 FROM t JOIN u ON t.k < u.k WHERE year(t.d) = 2026",
            "t: all !; u: all !",
        ),
        (
            "SELECT 1 FROM t, u WHERE CAST(t.d AS date) = DATE '2026-08-01'",
            "t: all !; u: all",
        ),
        (
            "SELECT 1 FROM (SELECT t.d FROM t, u) x WHERE CAST(d AS date) = DATE '2026-08-01'",
            "t: all !; u: all",
        ),
        (
            "SELECT 1 FROM (SELECT d FROM t WHERE year(d) = 2026) x, u",
            "t: (d >= 2026-01-01 and d < 2027-01-01); u: all",
        ),
        (
            "WITH c AS (SELECT * FROM t) SELECT 1 FROM c WHERE year(d) = 2026",
            "t: (d >= 2026-01-01 and d < 2027-01-01)",
        ),
    ]);
}

#[test]
fn under_or_no_function_is_turned_around() {
    let in_2026 = between(day("gt-eq", "2026-01-01"), day("lt", "2027-01-01"));
    check(
        "SELECT d FROM t WHERE year(d) = 2026 AND (f(d) OR g(d))",
        &[("t", in_2026, false)],
    );
    for condition in [
        "CAST(d AS date) = DATE '2026-08-01' OR CAST(d AS date) = DATE '2026-08-03'",
        "year(d) = 2024 OR d = DATE '2026-08-01'",
        "year(d) < 2024 OR year(d) > 2026",
        "year(d) NOT BETWEEN 2024 AND 2026",
        "NOT (year(d) >= 2024 AND year(d) <= 2026)",
        "NOT CAST(d AS date) BETWEEN DATE '2026-08-01' AND DATE '2026-08-03'",
    ] {
        check(
            &format!("SELECT d FROM t WHERE {condition}"),
            &[("t", json!(true), false)],
        );
    }
}

#[test]
fn what_an_engine_may_not_turn_around_prunes_nothing() {
    for condition in [
        "date_trunc('week', d) = DATE '2026-08-03'",
        "date_trunc('quarter', d) = DATE '2026-07-01'",
        "month(d) = 8",
        "CAST(d AS varchar) = '2026-08-01'",
        "year(d) = 2026.5",
        "CAST(d AS date) = '2026-08-01'",
        "CAST(CAST(d AS date) AS varchar) = '2026-08-01'",
    ] {
        check(
            &format!("SELECT d FROM t WHERE {condition}"),
            &[("t", json!(true), false)],
        );
    }
    let rules = LexicalRules::DREMIO;
    let parsed = parse(&ParseInput {
        text: "SELECT d FROM t WHERE date_trunc('month', d) = DATE '2026-08-01'",
        rules: &rules,
        prepared: &[],
        now: None,
    });
    let filter = parsed.ok().and_then(|parsed| parsed.tables.into_iter().next());
    assert_eq!(filter.map(|table| table.filter.predicate), Some(Predicate::AlwaysTrue));
}

/// By the digits: a point's text cut to the unit.
fn cut(text: &str, unit: &str) -> String {
    let rest = "0000-01-01 00:00:00.000000";
    let kept = match unit {
        "year" => 4,
        "month" => 7,
        "day" => 10,
        _ => 13,
    };
    text.chars().take(kept).chain(rest.chars().skip(kept)).collect()
}

fn holds(order: std::cmp::Ordering, op: &str) -> bool {
    match op {
        "=" => order.is_eq(),
        "<>" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn keeps(predicate: &Predicate, point: &str) -> bool {
    match predicate {
        Predicate::And(parts) => parts.iter().all(|part| keeps(part, point)),
        Predicate::Or(parts) => parts.iter().any(|part| keeps(part, point)),
        Predicate::Compare(_, comparison, Literal::Date(text) | Literal::Timestamp(text)) => {
            let op = symbol(*comparison);
            let other = if text.len() == 10 {
                cut(text, "day")
            } else {
                text.clone()
            };
            holds(point.cmp(other.as_str()), op)
        }
        Predicate::AlwaysFalse => false,
        _ => true,
    }
}

#[test]
fn a_range_keeps_each_point_whose_function_satisfies_the_comparison() {
    let mut random = Random::new(3);
    let mut dropped = 0;
    for _ in 0..3_000 {
        let mut point = || {
            format!(
                "20{:02}-{:02}-{:02} {:02}:00:00.000000",
                24 + random.below(3),
                1 + random.below(12),
                [1, 2, 15, 28].get(random.below(4)).copied().unwrap_or(1),
                [0, 1, 23].get(random.below(3)).copied().unwrap_or(0)
            )
        };
        let (value, points) = (point(), (0..30).map(|_| point()).collect::<Vec<_>>());
        let unit = random.of(&["hour", "day", "month", "year"]).copied().unwrap_or("day");
        let value = if random.once_in(2) { cut(&value, unit) } else { value };
        let op = random.of(&["=", "<>", "<", "<=", ">", ">="]).copied().unwrap_or("=");
        let not = if random.once_in(3) { "NOT " } else { "" };
        let sql = format!("SELECT d FROM t WHERE {not}date_trunc('{unit}', d) {op} TIMESTAMP '{value}'");
        let parsed = tables(&sql);
        let Some(table) = parsed.first() else {
            continue;
        };
        for point in points.iter().chain([&value]) {
            let wanted = holds(cut(point, unit).as_str().cmp(value.as_str()), op) == not.is_empty();
            let kept = keeps(&table.filter.predicate, point);
            assert!(kept || !wanted, "lost {point}: {sql} {:?}", table.filter);
            assert!(
                !table.filter.exact || kept == wanted,
                "{point}: {sql} {:?}",
                table.filter
            );
            dropped += usize::from(!kept);
        }
    }
    assert!(dropped > 20_000, "{dropped}");
}
