//! Tables of literals against column types.

use std::sync::Arc;

use iceberg::spec::NestedField;

use super::*;

fn schema() -> Schema {
    let field = |id, name: &str, kind| Arc::new(NestedField::optional(id, name, Type::Primitive(kind)));
    let decimal = PrimitiveType::Decimal { precision: 9, scale: 2 };
    let point = StructType::new(vec![field(20, "X", PrimitiveType::Int)]);
    Schema::builder()
        .with_fields([
            field(1, "i", PrimitiveType::Int),
            field(2, "l", PrimitiveType::Long),
            field(3, "dec", decimal),
            field(4, "s", PrimitiveType::String),
            field(5, "d", PrimitiveType::Date),
            field(6, "ts", PrimitiveType::Timestamp),
            field(7, "tz", PrimitiveType::Timestamptz),
            field(8, "f", PrimitiveType::Float),
            field(9, "dbl", PrimitiveType::Double),
            field(10, "b", PrimitiveType::Boolean),
            field(11, "u", PrimitiveType::Uuid),
            Arc::new(NestedField::required(12, "req", Type::Primitive(PrimitiveType::Int))),
            Arc::new(NestedField::optional(13, "p", Type::Struct(point))),
            field(14, "Twice", PrimitiveType::Int),
            field(15, "twice", PrimitiveType::Int),
        ])
        .build()
        .unwrap()
}

fn column(name: &str) -> Column {
    Column(name.split('.').map(str::to_owned).collect())
}

fn bound(name: &str, comparison: Comparison, literal: Literal) -> Bound {
    bind(
        Filter::plain(&Predicate::Compare(column(name), comparison, literal)),
        &schema(),
    )
}

fn date(text: &str) -> Value {
    Value::Date(i32::try_from(parse_date(text).unwrap()).unwrap())
}

fn at(text: &str) -> Value {
    Value::Micros(i64::try_from(parse_timestamp(text).unwrap().0 / 1000).unwrap())
}

use Comparison::{Eq, Gt, GtEq, Lt, LtEq, NotEq};

#[test]
fn literals_of_the_columns_type_are_carried_over_exactly() {
    let cases = [
        ("i", Lt, Literal::Integer(5), 1, Test::Lt(Value::Int(5))),
        ("L", GtEq, Literal::Integer(-5), 2, Test::GtEq(Value::Int(-5))),
        (
            "dec",
            Eq,
            Literal::Decimal("12.5".into()),
            3,
            Test::Eq(Value::Decimal(1250)),
        ),
        ("dec", Lt, Literal::Integer(7), 3, Test::Lt(Value::Decimal(700))),
        (
            "s",
            NotEq,
            Literal::String("x".into()),
            4,
            Test::NotEq(Value::Str("x".into())),
        ),
        (
            "d",
            Eq,
            Literal::Date("2026-08-01".into()),
            5,
            Test::Eq(date("2026-08-01")),
        ),
        (
            "d",
            GtEq,
            Literal::String("2025-08-01".into()),
            5,
            Test::GtEq(date("2025-08-01")),
        ),
        (
            "ts",
            Lt,
            Literal::Timestamp("2026-08-01 10:00:00".into()),
            6,
            Test::Lt(at("2026-08-01 10:00:00")),
        ),
        (
            "ts",
            Lt,
            Literal::Date("2026-08-01".into()),
            6,
            Test::Lt(at("2026-08-01")),
        ),
        (
            "tz",
            Lt,
            Literal::Timestamp("2026-08-01 10:00:00 UTC".into()),
            7,
            Test::Lt(at("2026-08-01 10:00:00")),
        ),
        ("dbl", Gt, Literal::Integer(3), 9, Test::Gt(Value::Float(Real(3.0)))),
        ("dbl", Gt, Literal::Double(1.5), 9, Test::Gt(Value::Float(Real(1.5)))),
        ("b", Eq, Literal::Boolean(true), 10, Test::Eq(Value::Bool(true))),
        ("p.x", Eq, Literal::Integer(1), 20, Test::Eq(Value::Int(1))),
    ];
    for (name, comparison, literal, id, test) in cases {
        let what = format!("{name} {comparison:?} {literal:?}");
        assert_eq!(
            bound(name, comparison, literal),
            Bound::exactly(Expr::Leaf(id, test)),
            "{what}"
        );
    }
}

#[test]
fn literals_outside_of_the_columns_range_decide_by_themselves() {
    let huge = || Literal::Integer(3_000_000_000);
    for (comparison, literal, want) in [
        (Lt, huge(), Expr::True),
        (LtEq, huge(), Expr::True),
        (NotEq, huge(), Expr::True),
        (Gt, huge(), Expr::False),
        (Eq, huge(), Expr::False),
        (Gt, Literal::Integer(-3_000_000_000), Expr::True),
        (Lt, Literal::Integer(-3_000_000_000), Expr::False),
        (Lt, Literal::Double(3e9), Expr::True),
    ] {
        assert_eq!(bound("i", comparison, literal).expr, want, "{comparison:?}");
    }
    assert_eq!(
        bound("l", Lt, Literal::Integer(i128::from(i64::MAX) + 1)).expr,
        Expr::True
    );
}

#[test]
fn literals_between_two_values_of_the_column_move_to_the_next_one() {
    let half = || Literal::Decimal("12.5".into());
    for (name, comparison, literal, want) in [
        ("i", Lt, half(), Expr::Leaf(1, Test::LtEq(Value::Int(12)))),
        ("i", GtEq, half(), Expr::Leaf(1, Test::Gt(Value::Int(12)))),
        (
            "i",
            Gt,
            Literal::Decimal("-12.5".into()),
            Expr::Leaf(1, Test::Gt(Value::Int(-13))),
        ),
        ("i", Eq, half(), Expr::True),
        ("i", NotEq, half(), Expr::True),
        (
            "dec",
            LtEq,
            Literal::Decimal("1.005".into()),
            Expr::Leaf(3, Test::LtEq(Value::Decimal(100))),
        ),
        (
            "d",
            GtEq,
            Literal::Timestamp("2026-08-01 10:00:00".into()),
            Expr::Leaf(5, Test::Gt(date("2026-08-01"))),
        ),
        (
            "ts",
            Lt,
            Literal::Timestamp("2026-08-01 00:00:00.0000005".into()),
            Expr::Leaf(6, Test::LtEq(at("2026-08-01"))),
        ),
    ] {
        assert_eq!(bound(name, comparison, literal).expr, want, "{name} {comparison:?}");
    }
}

#[test]
fn doubtful_literals_prune_nothing() {
    let cases = [
        ("missing", Literal::Integer(1)),
        ("twice", Literal::Integer(1)),
        ("p", Literal::Integer(1)),
        ("s.x", Literal::Integer(1)),
        ("i", Literal::String("5".into())),
        ("i", Literal::Date("2026-08-01".into())),
        ("i", Literal::Double(f64::NAN)),
        ("s", Literal::Integer(5)),
        ("d", Literal::String("1 August".into())),
        ("d", Literal::String("2026-08-01 00:00:00".into())),
        ("d", Literal::Timestamp("2026-08-01 00:00:00+02:00".into())),
        ("d", Literal::Integer(20_666)),
        ("ts", Literal::Timestamp("2026-08-01 00:00:00 UTC".into())),
        ("tz", Literal::Timestamp("2026-08-01 00:00:00 Europe/Berlin".into())),
        ("dec", Literal::Double(1.5)),
        ("dec", Literal::Integer(i128::MAX)),
        ("dbl", Literal::Double(f64::INFINITY)),
        ("b", Literal::String("true".into())),
        ("u", Literal::String("00000000-0000-0000-0000-000000000000".into())),
    ];
    for (name, literal) in cases {
        for comparison in [Eq, Lt, GtEq, NotEq] {
            let what = format!("{name} {comparison:?} {literal:?}");
            assert_eq!(bound(name, comparison, literal.clone()), Bound::dropped(), "{what}");
        }
    }
}

#[test]
fn a_time_without_zone_may_be_hours_off_from_a_column_with_one() {
    let literal = || Literal::Timestamp("2026-08-02 00:00:00".into());
    let lower = Expr::Leaf(7, Test::GtEq(at("2026-08-01 06:00:00")));
    let upper = Expr::Leaf(7, Test::LtEq(at("2026-08-02 18:00:00")));
    assert_eq!(bound("tz", Gt, literal()), Bound::weaker(lower.clone()));
    assert_eq!(bound("tz", Lt, literal()), Bound::weaker(upper.clone()));
    assert_eq!(bound("tz", Eq, literal()), Bound::weaker(Expr::And(vec![lower, upper])));
    assert_eq!(bound("tz", NotEq, literal()), Bound::dropped());
}

#[test]
fn a_literal_that_may_be_rounded_becomes_a_range() {
    let tenth = || Literal::Decimal("0.1".into());
    let Expr::And(parts) = bound("f", Eq, tenth()).expr else {
        panic!("no range");
    };
    let [
        Expr::Leaf(8, Test::GtEq(Value::Float(low))),
        Expr::Leaf(8, Test::LtEq(Value::Float(high))),
    ] = &parts[..]
    else {
        panic!("{parts:?}");
    };
    for stored in [f64::from(0.1f32), 0.1] {
        assert!(low.0 <= stored && stored <= high.0);
    }
}

#[test]
fn lists_drop_what_cannot_match_and_give_up_on_doubt() {
    let list = |literals: Vec<Literal>, negated| {
        let predicate = Predicate::In {
            column: column("i"),
            literals,
            negated,
        };
        bind(Filter::plain(&predicate), &schema())
    };
    let int = Literal::Integer;
    let values = |values: &[i64]| values.iter().copied().map(Value::Int).collect::<Vec<_>>();
    assert_eq!(
        list(vec![int(1), int(3_000_000_000), int(2)], false),
        Bound::exactly(Expr::Leaf(1, Test::In(values(&[1, 2]))))
    );
    assert_eq!(list(vec![int(1), Literal::String("2".into())], false), Bound::dropped());
    assert_eq!(list(vec![int(3_000_000_000)], false), Bound::exactly(Expr::False));
    assert_eq!(
        list(vec![int(1), int(2)], true),
        Bound::exactly(Expr::Leaf(1, Test::NotIn(values(&[1, 2]))))
    );
    // NOT IN with one doubtful member still excludes the others.
    assert_eq!(
        list(vec![int(1), Literal::String("2".into())], true),
        Bound::weaker(Expr::Leaf(1, Test::NotEq(Value::Int(1))))
    );
}

#[test]
fn a_required_column_is_never_null_and_a_struct_is_not_asked() {
    let is_null = |name: &str, negated| {
        let predicate = Predicate::IsNull {
            column: column(name),
            negated,
        };
        bind(Filter::plain(&predicate), &schema())
    };
    assert_eq!(is_null("req", false), Bound::exactly(Expr::False));
    assert_eq!(is_null("req", true), Bound::exactly(Expr::True));
    assert_eq!(is_null("i", false), Bound::exactly(Expr::Leaf(1, Test::IsNull)));
    assert_eq!(is_null("p", false), Bound::dropped());
    assert_eq!(is_null("nobody", false), Bound::dropped());
}

#[test]
fn a_dropped_leaf_frees_its_or_and_leaves_its_and() {
    let known = Predicate::Compare(column("i"), Eq, Literal::Integer(1));
    let stranger = Predicate::Compare(column("outer_column"), Eq, Literal::Integer(1));
    let both = Predicate::And(vec![known.clone(), stranger.clone()]);
    let either = Predicate::Or(vec![known, stranger]);
    assert_eq!(
        bind(Filter::plain(&both), &schema()),
        Bound::weaker(Expr::Leaf(1, Test::Eq(Value::Int(1))))
    );
    assert_eq!(bind(Filter::plain(&either), &schema()), Bound::dropped());
}

/// Trino 476 reads every file for `NOT (x <= 5)` on a double, with a NaN count of 0 too; Spark and Dremio sort NaN above
/// all numbers.
#[test]
fn where_nan_may_satisfy_a_comparison_files_with_nan_stay() {
    let bound = |comparison, nan_columns: &BTreeSet<Column>, nan_is_largest| {
        let predicate = Predicate::Compare(column("dbl"), comparison, Literal::Integer(5));
        let filter = Filter {
            predicate: &predicate,
            nan_columns,
            nan_is_largest,
        };
        bind(filter, &schema())
    };
    let or_nan = |bound: &Bound| match &bound.expr {
        Expr::Or(parts) => parts.contains(&Expr::Leaf(9, Test::IsNan)),
        _ => false,
    };
    let negated = BTreeSet::from([column("dbl")]);
    for comparison in [Lt, LtEq, Gt, GtEq] {
        assert_eq!(bound(comparison, &negated, false), Bound::dropped(), "{comparison:?}");
        let plain = bound(comparison, &NO_COLUMNS, false);
        assert!(plain != Bound::dropped() && !or_nan(&plain), "{comparison:?}");
    }
    assert!(or_nan(&bound(Gt, &NO_COLUMNS, true)));
    assert!(!or_nan(&bound(Lt, &NO_COLUMNS, true)));
    assert!(!or_nan(&bound(Eq, &negated, true)));
}
