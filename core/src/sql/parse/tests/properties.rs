//! The promise itself, on random statements over tiny tables.
//!
//! For one table: no row that SQL's three-valued WHERE keeps is rejected by the filter, and if the filter calls itself
//! exact, it keeps no other. For joins: the query gives the same rows when each table is first reduced by its filter.

use std::collections::BTreeSet;

use super::random::Random;
use super::{symbol, tables};
use crate::predicate::{Column, Literal, Predicate};
use crate::sql::parse::ParsedTable;

/// A value of a column: NULL, a number, or NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    Null,
    Number(i8),
    NaN,
}

type Row = [Cell; 2];

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A condition with its text and its meaning.
#[derive(Debug)]
enum Condition {
    Compare(Side, &'static str, Side),
    Between(usize, i8, i8, bool),
    In(usize, Vec<Option<i8>>, bool),
    /// `(c, d) IN ((1, 2), ..)`, or `=` for a single pair.
    Tuples(usize, usize, Vec<(i8, i8)>, bool),
    IsNull(usize, bool),
    Distinct(usize, i8, bool),
    /// A function: its value is fixed, but only the test knows.
    Opaque(Option<bool>),
    Truth(Box<Condition>, &'static str),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

#[derive(Clone, Copy, Debug)]
enum Side {
    /// A column by its number: 0 and 1 are the first table's, 2 and 3 the second's.
    Own(usize),
    Value(Option<i8>),
    /// `c + 1`
    Plus(usize),
}

fn random_side(random: &mut Random, columns: usize) -> Side {
    match random.below(8) {
        0 => Side::Plus(random.below(columns)),
        1..4 => Side::Own(random.below(columns)),
        _ => Side::Value(random_value(random)),
    }
}

fn random_value(random: &mut Random) -> Option<i8> {
    if random.once_in(12) {
        None
    } else {
        i8::try_from(random.below(5)).ok()
    }
}

fn number(random: &mut Random) -> i8 {
    i8::try_from(random.below(5)).unwrap_or(0)
}

fn random_condition(random: &mut Random, depth: usize, columns: usize) -> Condition {
    let leaf = depth == 0 || random.once_in(3);
    if leaf {
        let column = random.below(columns);
        return match random.below(10) {
            0 => Condition::Between(column, number(random), number(random), random.once_in(2)),
            1 => {
                let items = (0..=random.below(3)).map(|_| random_value(random)).collect();
                Condition::In(column, items, random.once_in(2))
            }
            9 => {
                let pairs = (0..=random.below(2))
                    .map(|_| (number(random), number(random)))
                    .collect();
                Condition::Tuples(column, random.below(columns), pairs, random.once_in(2))
            }
            2 => Condition::IsNull(column, random.once_in(2)),
            3 => Condition::Distinct(column, number(random), random.once_in(2)),
            4 => Condition::Opaque(random.of(&[Some(true), Some(false), None]).copied().flatten()),
            _ => {
                let op = random.of(&["=", "<>", "<", "<=", ">", ">="]).copied().unwrap_or("=");
                Condition::Compare(random_side(random, columns), op, random_side(random, columns))
            }
        };
    }
    match random.below(7) {
        0 | 1 => Condition::Not(Box::new(random_condition(random, depth - 1, columns))),
        2 => {
            let test = random
                .of(&["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"])
                .copied()
                .unwrap_or("IS TRUE");
            Condition::Truth(Box::new(random_condition(random, depth - 1, columns)), test)
        }
        chain => {
            let parts = (0..2 + random.below(2))
                .map(|_| random_condition(random, depth - 1, columns))
                .collect();
            if chain < 5 {
                Condition::And(parts)
            } else {
                Condition::Or(parts)
            }
        }
    }
}

fn column_text(column: usize, qualified: bool) -> String {
    if qualified {
        let name = NAMES.get(column % 2).copied().unwrap_or("a");
        let table = ["x", "y", "z"].get(column / 2).copied().unwrap_or("x");
        format!("{table}.{name}")
    } else {
        NAMES.get(column).copied().unwrap_or("a").to_owned()
    }
}

fn value_text(value: Option<i8>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| value.to_string())
}

impl Side {
    fn text(self, qualified: bool) -> String {
        match self {
            Self::Own(column) => column_text(column, qualified),
            Self::Value(value) => value_text(value),
            Self::Plus(column) => format!("{} + 1", column_text(column, qualified)),
        }
    }

    fn value(self, row: &[Cell]) -> Cell {
        match self {
            Self::Own(column) => row.get(column).copied().unwrap_or(Cell::Null),
            Self::Value(value) => value.map_or(Cell::Null, Cell::Number),
            Self::Plus(column) => match row.get(column) {
                Some(Cell::Number(value)) => Cell::Number(value + 1),
                Some(other) => *other,
                None => Cell::Null,
            },
        }
    }
}

/// Trino's comparison: NULL is unknown, NaN differs from all and is neither less nor greater.
fn compare(left: Cell, op: &str, right: Cell) -> Option<bool> {
    match (left, right) {
        (Cell::Null, _) | (_, Cell::Null) => None,
        (Cell::NaN, _) | (_, Cell::NaN) => Some(op == "<>"),
        (Cell::Number(left), Cell::Number(right)) => Some(match op {
            "=" => left == right,
            "<>" => left != right,
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            _ => left >= right,
        }),
    }
}

impl Condition {
    fn text(&self, qualified: bool) -> String {
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        let column = |column: &usize| column_text(*column, qualified);
        let join = |parts: &[Self], joint: &str| {
            let parts: Vec<String> = parts.iter().map(|part| part.text(qualified)).collect();
            format!("({})", parts.join(joint))
        };
        match self {
            Self::Compare(left, op, right) => format!("{} {op} {}", left.text(qualified), right.text(qualified)),
            Self::Between(value, low, high, negated) => {
                format!("{} {}BETWEEN {low} AND {high}", column(value), not(negated))
            }
            Self::In(value, items, negated) => {
                let items: Vec<String> = items.iter().map(|item| value_text(*item)).collect();
                format!("{} {}IN ({})", column(value), not(negated), items.join(", "))
            }
            Self::Tuples(left, right, pairs, negated) => {
                let pair = format!("({}, {})", column(left), column(right));
                let items: Vec<String> = pairs.iter().map(|(left, right)| format!("({left}, {right})")).collect();
                match (items.as_slice(), negated) {
                    ([item], true) => format!("{pair} <> {item}"),
                    ([item], false) => format!("{pair} = {item}"),
                    _ => format!("{pair} {}IN ({})", not(negated), items.join(", ")),
                }
            }
            Self::IsNull(value, negated) => format!("{} IS {}NULL", column(value), not(negated)),
            Self::Distinct(value, other, negated) => {
                format!("{} IS {}DISTINCT FROM {other}", column(value), not(negated))
            }
            Self::Opaque(_) => format!("f({}) = 1", column_text(0, qualified)),
            Self::Truth(inner, test) => format!("({}) {test}", inner.text(qualified)),
            Self::Not(inner) => format!("NOT ({})", inner.text(qualified)),
            Self::And(parts) => join(parts, " AND "),
            Self::Or(parts) => join(parts, " OR "),
        }
    }

    /// SQL's answer: true, false or unknown.
    fn holds(&self, row: &[Cell]) -> Option<bool> {
        let cell = |column: &usize| row.get(*column).copied().unwrap_or(Cell::Null);
        let and = |left: Option<bool>, right: Option<bool>| match (left, right) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        match self {
            Self::Compare(left, op, right) => compare(left.value(row), op, right.value(row)),
            Self::Between(value, low, high, negated) => {
                let low = compare(cell(value), ">=", Cell::Number(*low));
                let high = compare(cell(value), "<=", Cell::Number(*high));
                and(low, high).map(|inside| inside != *negated)
            }
            Self::In(value, items, negated) => {
                let equal = |item: &Option<i8>| compare(cell(value), "=", item.map_or(Cell::Null, Cell::Number));
                let outcomes: Vec<Option<bool>> = items.iter().map(equal).collect();
                let found = if outcomes.contains(&Some(true)) {
                    Some(true)
                } else if outcomes.contains(&None) {
                    None
                } else {
                    Some(false)
                };
                found.map(|found| found != *negated)
            }
            Self::Tuples(left, right, pairs, negated) => {
                let none_of = pairs.iter().map(|(first, second)| {
                    let first = compare(cell(left), "=", Cell::Number(*first));
                    let second = compare(cell(right), "=", Cell::Number(*second));
                    and(first, second).map(|equal| !equal)
                });
                none_of.fold(Some(true), and).map(|none| none == *negated)
            }
            Self::IsNull(value, negated) => Some((cell(value) == Cell::Null) != *negated),
            Self::Distinct(value, other, negated) => Some((cell(value) != Cell::Number(*other)) != *negated),
            Self::Opaque(value) => *value,
            Self::Truth(inner, test) => {
                let inner = inner.holds(row);
                Some(match *test {
                    "IS TRUE" => inner == Some(true),
                    "IS NOT TRUE" => inner != Some(true),
                    "IS FALSE" => inner == Some(false),
                    _ => inner != Some(false),
                })
            }
            Self::Not(inner) => inner.holds(row).map(|holds| !holds),
            Self::And(parts) => parts.iter().map(|part| part.holds(row)).fold(Some(true), and),
            Self::Or(parts) => {
                let none_of = parts
                    .iter()
                    .map(|part| part.holds(row).map(|holds| !holds))
                    .fold(Some(true), and);
                none_of.map(|none| !none)
            }
        }
    }
}

/// The filter as whoever reads files would apply it to a row of a table with these columns, rules 1 and 3 included.
fn keeps(predicate: &Predicate, row: &[Cell], nan_columns: &BTreeSet<Column>, names: &[&str]) -> bool {
    let index = |column: &Column| names.iter().position(|name| column.0 == [*name]);
    if let Predicate::Compare(column, ..) | Predicate::In { column, .. } | Predicate::IsNull { column, .. } = predicate
        && index(column).is_none()
    {
        return true;
    }
    let cell = |column: &Column| {
        index(column)
            .and_then(|index| row.get(index))
            .copied()
            .unwrap_or(Cell::Null)
    };
    let literal = |literal: &Literal| match literal {
        Literal::Integer(value) => i8::try_from(*value).map_or(Cell::Null, Cell::Number),
        Literal::Double(value) => (0..100)
            .find(|cell| f64::from(*cell) == *value)
            .map_or(Cell::Null, Cell::Number),
        _ => Cell::Null,
    };
    match predicate {
        Predicate::AlwaysTrue => true,
        Predicate::AlwaysFalse => false,
        Predicate::And(parts) => parts.iter().all(|part| keeps(part, row, nan_columns, names)),
        Predicate::Or(parts) => parts.iter().any(|part| keeps(part, row, nan_columns, names)),
        Predicate::Compare(column, comparison, value) => {
            let op = symbol(*comparison);
            let orders = !matches!(op, "=" | "<>");
            (orders && nan_columns.contains(column)) && cell(column) == Cell::NaN
                || compare(cell(column), op, literal(value)) == Some(true)
        }
        Predicate::In {
            column,
            literals,
            negated,
        } => {
            let found = literals
                .iter()
                .any(|value| compare(cell(column), "=", literal(value)) == Some(true));
            cell(column) != Cell::Null && found != *negated
        }
        Predicate::StartsWith { .. } => true,
        Predicate::IsNull { column, negated } => (cell(column) == Cell::Null) != *negated,
    }
}

fn random_cell(random: &mut Random, nan: bool) -> Cell {
    match random.below(8) {
        0 => Cell::Null,
        1 if nan => Cell::NaN,
        _ => Cell::Number(number(random)),
    }
}

fn random_rows(random: &mut Random, count: usize, nan: bool) -> Vec<Row> {
    (0..count)
        .map(|_| [random_cell(random, nan), random_cell(random, nan)])
        .collect()
}

#[test]
fn no_row_that_where_keeps_is_lost_and_an_exact_filter_keeps_no_other() {
    let mut random = Random::new(1);
    let mut pruning = 0;
    for _ in 0..6_000 {
        let condition = random_condition(&mut random, 4, 2);
        let nan = random.once_in(2);
        let rows = random_rows(&mut random, 24, nan);
        let text = condition.text(false);
        let parsed = tables(&format!("SELECT * FROM t WHERE {text}"));
        let [table] = parsed.as_slice() else {
            assert!(parsed.is_empty(), "{text}");
            continue;
        };
        for row in &rows {
            let kept_by_sql = condition.holds(row) == Some(true);
            let kept_by_filter = keeps(&table.filter.predicate, row, &table.nan_columns, &["a", "b"]);
            assert!(
                !kept_by_sql || kept_by_filter,
                "lost {row:?}: {text}\n{:?}",
                table.filter
            );
            let inexact_for_nan = nan && !table.nan_columns.is_empty();
            if table.filter.exact && !inexact_for_nan {
                assert_eq!(kept_by_sql, kept_by_filter, "{row:?}: {text}\n{:?}", table.filter);
            }
            pruning += usize::from(!kept_by_filter);
        }
    }
    // The promise is empty if nothing is ever pruned.
    assert!(pruning > 30_000, "{pruning}");
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Inner,
    Left,
    Right,
    Full,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Inner => "",
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
            Self::Full => "FULL",
        }
    }
}

/// The rows of `x <kind> JOIN y ON on WHERE condition`, by the definition of a join.
fn joined(kind: Kind, x: &[Row], y: &[Row], on: &Condition, condition: &Condition) -> Vec<Vec<Cell>> {
    let (x, y) = (x.iter().map(|row| row.to_vec()), y.iter().map(|row| row.to_vec()));
    let (x, y) = (x.collect::<Vec<_>>(), y.collect::<Vec<_>>());
    let mut rows = join(kind, (&x, 2), (&y, 2), on, 0);
    rows.retain(|row| condition.holds(row) == Some(true));
    rows
}

/// The join of two sides with their numbers of columns. The condition counts columns from `skipped` further left.
fn join(
    kind: Kind,
    (left_rows, left_width): (&[Vec<Cell>], usize),
    (right_rows, right_width): (&[Vec<Cell>], usize),
    on: &Condition,
    skipped: usize,
) -> Vec<Vec<Cell>> {
    let nulls = |width| vec![Cell::Null; width];
    let mut rows = Vec::new();
    let mut matched = vec![false; right_rows.len()];
    for left in left_rows {
        let mut found = false;
        for (right, matched) in right_rows.iter().zip(&mut matched) {
            let row = [left.as_slice(), right].concat();
            let seen = [nulls(skipped), row.clone()].concat();
            if on.holds(&seen) == Some(true) {
                rows.push(row);
                found = true;
                *matched = true;
            }
        }
        if !found && matches!(kind, Kind::Left | Kind::Full) {
            rows.push([left.clone(), nulls(right_width)].concat());
        }
    }
    for (right, matched) in right_rows.iter().zip(matched) {
        if !matched && matches!(kind, Kind::Right | Kind::Full) {
            rows.push([nulls(left_width), right.clone()].concat());
        }
    }
    rows
}

fn reduced(rows: &[Row], table: &ParsedTable, names: &[&str]) -> Vec<Row> {
    let kept = rows
        .iter()
        .filter(|row| keeps(&table.filter.predicate, row.as_slice(), &table.nan_columns, names));
    kept.copied().collect()
}

fn random_kind(random: &mut Random) -> Kind {
    let kinds = [Kind::Inner, Kind::Left, Kind::Right, Kind::Full];
    random.of(&kinds).copied().unwrap_or(Kind::Inner)
}

#[test]
fn a_join_of_reduced_tables_gives_the_same_rows() {
    let mut random = Random::new(2);
    let mut pruned = 0;
    for _ in 0..4_000 {
        let kind = random_kind(&mut random);
        let on = random_condition(&mut random, 2, 4);
        let condition = random_condition(&mut random, 2, 4);
        // Without qualifiers the tables' columns are told apart by name alone.
        let qualified = random.once_in(2);
        let (x_names, y_names) = if qualified {
            (["a", "b"], ["a", "b"])
        } else {
            (["a", "b"], ["c", "d"])
        };
        let word = kind.word();
        let sql = format!(
            "SELECT * FROM t1 x {word} JOIN t2 y ON {} WHERE {}",
            on.text(qualified),
            condition.text(qualified)
        );
        let parsed = tables(&sql);
        let [left, right] = parsed.as_slice() else {
            assert!(parsed.is_empty(), "{sql}");
            continue;
        };
        let (x, y) = (random_rows(&mut random, 6, false), random_rows(&mut random, 6, false));
        let (reduced_x, reduced_y) = (reduced(&x, left, &x_names), reduced(&y, right, &y_names));
        pruned += x.len() + y.len() - reduced_x.len() - reduced_y.len();
        let whole = joined(kind, &x, &y, &on, &condition);
        let after = joined(kind, &reduced_x, &reduced_y, &on, &condition);
        assert_eq!(
            whole, after,
            "{sql}\n{:?}\n{:?}\n{x:?}\n{y:?}",
            left.filter, right.filter
        );
    }
    assert!(pruned > 5_000, "{pruned}");
}

#[test]
fn a_condition_on_a_query_over_a_join_of_reduced_tables_gives_the_same_rows() {
    let mut random = Random::new(4);
    let mut pruned = 0;
    for _ in 0..4_000 {
        let kind = random_kind(&mut random);
        let on = random_condition(&mut random, 1, 4);
        let inner = random_condition(&mut random, 1, 4);
        let outer = random_condition(&mut random, 2, 4);
        let sql = format!(
            "WITH q AS (SELECT x.a AS a, x.b AS b, y.a AS c, y.b AS d FROM t1 x {} JOIN t2 y ON {} WHERE {}) \
             SELECT * FROM q WHERE {}",
            kind.word(),
            on.text(true),
            inner.text(true),
            outer.text(false)
        );
        // A query that calls an unknown function lets no condition through; this one is known.
        let sql = sql
            .replace("f(x.a) = 1", "abs(x.a) = 1")
            .replace("f(a) = 1", "abs(a) = 1");
        let parsed = tables(&sql);
        let [left, right] = parsed.as_slice() else {
            assert!(parsed.is_empty(), "{sql}");
            continue;
        };
        let both = Condition::And(vec![inner, outer]);
        let (x, y) = (random_rows(&mut random, 6, false), random_rows(&mut random, 6, false));
        let (reduced_x, reduced_y) = (reduced(&x, left, &["a", "b"]), reduced(&y, right, &["a", "b"]));
        pruned += x.len() + y.len() - reduced_x.len() - reduced_y.len();
        let whole = joined(kind, &x, &y, &on, &both);
        let after = joined(kind, &reduced_x, &reduced_y, &on, &both);
        assert_eq!(
            whole, after,
            "{sql}\n{:?}\n{:?}\n{x:?}\n{y:?}",
            left.filter, right.filter
        );
    }
    assert!(pruned > 8_000, "{pruned}");
}

#[test]
fn a_condition_on_a_union_loses_no_row_of_a_branch() {
    let mut random = Random::new(5);
    let mut pruned = 0;
    for _ in 0..2_000 {
        let condition = random_condition(&mut random, 3, 2);
        let text = condition.text(false).replace("f(a) = 1", "abs(a) = 1");
        let sql = format!("SELECT * FROM (SELECT a, b FROM t1 UNION ALL SELECT b, a FROM t2) q WHERE {text}");
        let parsed = tables(&sql);
        let [first, second] = parsed.as_slice() else {
            assert!(parsed.is_empty(), "{sql}");
            continue;
        };
        for [a, b] in random_rows(&mut random, 24, true) {
            let wanted = condition.holds(&[a, b]) == Some(true);
            let branches = [(first, [a, b]), (second, [b, a])];
            for (table, row) in branches {
                let kept = keeps(&table.filter.predicate, &row, &table.nan_columns, &["a", "b"]);
                assert!(kept || !wanted, "lost {row:?}: {sql}\n{:?}", table.filter);
                pruned += usize::from(!kept);
            }
        }
    }
    assert!(pruned > 15_000, "{pruned}");
}

/// Equalities of columns from `first` to `last` with each other and with constants.
fn random_equalities(random: &mut Random, first: usize, last: usize) -> Condition {
    let parts = (0..1 + random.below(3)).map(|_| {
        let column = |random: &mut Random| Side::Own(first + random.below(last - first));
        let left = column(random);
        let right = if random.once_in(3) {
            Side::Value(Some(number(random)))
        } else {
            column(random)
        };
        Condition::Compare(left, "=", right)
    });
    Condition::And(parts.collect())
}

#[test]
fn constants_carried_over_joins_of_three_tables_change_no_row() {
    let mut random = Random::new(6);
    let mut pruned = 0;
    for _ in 0..6_000 {
        let (first, second) = (random_kind(&mut random), random_kind(&mut random));
        let nested = random.once_in(2);
        // x .. y, then z; or y .. z inside, then x.
        let inner = if nested {
            random_equalities(&mut random, 2, 6)
        } else {
            random_equalities(&mut random, 0, 4)
        };
        let outer = random_equalities(&mut random, 0, 6);
        let condition = random_equalities(&mut random, 0, 6);
        let (inner_text, outer_text) = (inner.text(true), outer.text(true));
        let (first_word, second_word) = (first.word(), second.word());
        let from = if nested {
            format!("t1 x {second_word} JOIN (t2 y {first_word} JOIN t3 z ON {inner_text}) ON {outer_text}")
        } else {
            format!("t1 x {first_word} JOIN t2 y ON {inner_text} {second_word} JOIN t3 z ON {outer_text}")
        };
        let sql = format!("SELECT * FROM {from} WHERE {}", condition.text(true));
        let parsed = tables(&sql);
        let rows: Vec<Vec<Row>> = (0..3).map(|_| random_rows(&mut random, 5, false)).collect();
        let kept: Vec<Vec<Row>> = parsed
            .iter()
            .zip(&rows)
            .map(|(table, rows)| reduced(rows, table, &["a", "b"]))
            .collect();
        let answer = |tables: &[Vec<Row>]| {
            let mut wide = tables
                .iter()
                .map(|rows| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
            let (x, y, z) = (wide.next()?, wide.next()?, wide.next()?);
            let mut rows = if nested {
                let right = join(first, (&y, 2), (&z, 2), &inner, 2);
                join(second, (&x, 2), (&right, 4), &outer, 0)
            } else {
                let left = join(first, (&x, 2), (&y, 2), &inner, 0);
                join(second, (&left, 4), (&z, 2), &outer, 0)
            };
            rows.retain(|row| condition.holds(row) == Some(true));
            Some(rows)
        };
        assert_eq!(answer(&rows), answer(&kept), "{sql}\n{parsed:?}\n{rows:?}");
        pruned += rows
            .iter()
            .zip(&kept)
            .map(|(rows, kept)| rows.len() - kept.len())
            .sum::<usize>();
    }
    assert!(pruned > 20_000, "{pruned}");
}
