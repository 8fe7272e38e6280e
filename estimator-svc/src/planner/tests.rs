//! Plans over real metadata, against sums that the test knows.

use iceberg::spec::{DataContentType, Datum, Literal as IcebergLiteral};
use lakegate_core::predicate::{Column, Comparison, Literal};

use super::*;
use crate::testing::{Warehouse, delete_file, stated};

const COLUMNS: [(&str, PrimitiveType); 4] = [
    ("id", PrimitiveType::Long),
    ("day", PrimitiveType::Date),
    ("name", PrimitiveType::String),
    ("at", PrimitiveType::Timestamp),
];

fn compare(name: &str, comparison: Comparison, literal: Literal) -> Predicate {
    Predicate::Compare(Column(vec![name.into()]), comparison, literal)
}

fn date(text: &str) -> Literal {
    Literal::Date(text.into())
}

/// Ten days of 1, 2, 4, .. bytes, a manifest for every five; in each file `id` runs over ten numbers of its own.
async fn ten_days(name: &str) -> (Warehouse, Table) {
    let warehouse = Warehouse::create(name).await;
    warehouse.table("s.t", &COLUMNS, &[("day", Transform::Identity)]).await;
    let mut table = None;
    for half in 0..2 {
        let files = (half * 5..half * 5 + 5)
            .map(|number: i64| {
                let day = 20_666 + i32::try_from(number).unwrap();
                stated(1 << number)
                    .at(IcebergLiteral::date(day))
                    .bound(1, Datum::long(number * 10), Datum::long(number * 10 + 9))
                    .bound(2, Datum::date(day), Datum::date(day))
            })
            .collect();
        table = Some(warehouse.append("s.t", files).await);
    }
    (warehouse, table.unwrap())
}

async fn bytes(table: &Table, predicate: &Predicate) -> u64 {
    let planner = Planner::new(1 << 20);
    planner.plan(table, Filter::plain(predicate)).await.unwrap().bytes
}

#[tokio::test]
async fn partitions_and_statistics_prune_to_the_byte() {
    use Comparison::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let (_warehouse, table) = ten_days("prune").await;
    let id = |comparison, value| compare("id", comparison, Literal::Integer(value));
    let day = |comparison, text| compare("DAY", comparison, date(text));
    let list = |values: &[i128]| Predicate::In {
        column: Column(vec!["id".into()]),
        literals: values.iter().copied().map(Literal::Integer).collect(),
        negated: false,
    };
    for (predicate, want) in [
        (Predicate::AlwaysTrue, 1023),
        (Predicate::AlwaysFalse, 0),
        (day(Eq, "2026-08-01"), 1),
        (day(Lt, "2026-08-03"), 1 + 2),
        (day(GtEq, "2026-08-09"), 256 + 512),
        (day(NotEq, "2026-08-01"), 1022),
        (day(Eq, "2030-01-01"), 0),
        (id(Lt, 10), 1),
        (id(LtEq, 10), 1 + 2),
        (id(Gt, 99), 0),
        (id(GtEq, 99), 512),
        (id(NotEq, 5), 1023),
        (list(&[5, 95]), 1 + 512),
        (list(&[-1, 100]), 0),
        (Predicate::and([id(Lt, 50), day(Gt, "2026-08-04")]), 16),
        (Predicate::or([id(Eq, 5), day(Eq, "2026-08-10")]), 1 + 512),
        (compare("nobody", Eq, Literal::Integer(1)), 1023),
        (
            Predicate::or([id(Eq, 5), compare("nobody", Eq, Literal::Integer(1))]),
            1023,
        ),
    ] {
        assert_eq!(bytes(&table, &predicate).await, want, "{predicate:?}");
    }
}

#[tokio::test]
async fn what_pruned_and_what_was_sent_is_told() {
    let (_warehouse, table) = ten_days("told").await;
    let planner = Planner::new(1 << 20);
    let predicate = Predicate::and([
        compare("day", Comparison::Eq, Literal::String("2026-08-02".into())),
        compare("id", Comparison::Lt, Literal::Integer(50)),
    ]);
    let planned = planner.plan(&table, Filter::plain(&predicate)).await.unwrap();
    assert_eq!((planned.files, planned.bytes, planned.exact), (1, 2, true));
    assert_eq!(
        planned.pruned,
        Pruned {
            manifests: 2,
            manifests_skipped: 1,
            files_seen: 5,
            by_partition: 4,
            by_statistics: 0
        }
    );
    assert_eq!(
        planned.filter,
        serde_json::json!({"type": "and",
            "left": {"type": "eq", "term": "day", "value": "2026-08-02"},
            "right": {"type": "lt", "term": "id", "value": 50}})
    );
    assert_eq!(planned.snapshot_id, table.metadata().current_snapshot_id());
    let weaker = compare("nobody", Comparison::Eq, Literal::Integer(1));
    assert!(!planner.plan(&table, Filter::plain(&weaker)).await.unwrap().exact);
}

#[tokio::test]
async fn the_same_question_is_planned_once() {
    let (_warehouse, table) = ten_days("once").await;
    let planner = Planner::new(1 << 20);
    for name in ["id", "ID"] {
        let predicate = compare(name, Comparison::Lt, Literal::Integer(50));
        planner.plan(&table, Filter::plain(&predicate)).await.unwrap();
    }
    assert_eq!(planner.plans_made(), 1);
}

#[tokio::test]
async fn a_cache_without_room_changes_nothing() {
    let (_warehouse, table) = ten_days("room").await;
    let planner = Planner::new(0);
    let planned = planner
        .plan(&table, Filter::plain(&Predicate::AlwaysTrue))
        .await
        .unwrap();
    assert_eq!(planned.bytes, 1023);
}

#[tokio::test]
async fn a_table_without_a_snapshot_has_no_bytes() {
    let warehouse = Warehouse::create("empty").await;
    let table = warehouse.table("s.t", &COLUMNS, &[]).await;
    let planned = Planner::new(1 << 20)
        .plan(&table, Filter::plain(&Predicate::AlwaysTrue))
        .await
        .unwrap();
    assert_eq!((planned.bytes, planned.snapshot_id, planned.exact), (0, None, true));
}

#[tokio::test]
async fn a_file_without_statistics_survives_every_filter() {
    let warehouse = Warehouse::create("bare").await;
    warehouse.table("s.t", &COLUMNS, &[]).await;
    let table = warehouse.append("s.t", vec![stated(7)]).await;
    let predicate = compare("id", Comparison::Eq, Literal::Integer(1));
    assert_eq!(bytes(&table, &predicate).await, 7);
}

#[tokio::test]
async fn times_prune_partitions_by_day_hour_bucket_and_prefix() {
    let warehouse = Warehouse::create("transforms").await;
    let at = |text: &str| Literal::Timestamp(text.into());
    let cases = [
        (
            "s.day",
            "at",
            Transform::Day,
            IcebergLiteral::date(20_666),
            IcebergLiteral::date(20_667),
        ),
        (
            "s.month",
            "at",
            Transform::Month,
            IcebergLiteral::int(679),
            IcebergLiteral::int(680),
        ),
        (
            "s.hour",
            "at",
            Transform::Hour,
            IcebergLiteral::int(20_666 * 24),
            IcebergLiteral::int(20_667 * 24),
        ),
        (
            "s.prefix",
            "name",
            Transform::Truncate(2),
            IcebergLiteral::string("éa"),
            IcebergLiteral::string("zz"),
        ),
    ];
    for (name, column, transform, first, second) in cases {
        warehouse.table(name, &COLUMNS, &[(column, transform)]).await;
        let table = warehouse
            .append(name, vec![stated(1).at(first), stated(2).at(second)])
            .await;
        let predicate = match transform {
            Transform::Truncate(_) => compare("name", Comparison::Eq, Literal::String("éabc".into())),
            Transform::Month => compare("at", Comparison::Lt, at("2026-09-01 00:00:00")),
            _ => compare("at", Comparison::Lt, at("2026-08-02 00:00:00")),
        };
        assert_eq!(bytes(&table, &predicate).await, 1, "{name}");
    }
    warehouse
        .table("s.bucket", &COLUMNS, &[("id", Transform::Bucket(100))])
        .await;
    // The hash of 34 is 2017239379 by Iceberg's specification.
    let files = vec![
        stated(1).at(IcebergLiteral::int(79)),
        stated(2).at(IcebergLiteral::int(80)),
    ];
    let table = warehouse.append("s.bucket", files).await;
    assert_eq!(
        bytes(&table, &compare("id", Comparison::Eq, Literal::Integer(34))).await,
        1
    );
}

#[tokio::test]
async fn delete_files_that_may_apply_count_once_each() {
    let (warehouse, table) = ten_days("deletes").await;
    let first_day = vec![Some(IcebergLiteral::date(20_666))];
    let deletes = vec![
        delete_file(&table, 10_000, first_day.clone(), DataContentType::EqualityDeletes),
        delete_file(&table, 100_000, first_day, DataContentType::PositionDeletes),
    ];
    let table = warehouse.delete("s.t", deletes).await;
    let planner = Planner::new(1 << 20);
    let all = planner
        .plan(&table, Filter::plain(&Predicate::AlwaysTrue))
        .await
        .unwrap();
    assert_eq!((all.files, all.bytes), (10, 1023));
    assert_eq!((all.delete_files, all.delete_bytes), (2, 110_000));
    assert!(
        !all.exact,
        "a position delete without its file's name may apply to the whole partition"
    );
    let other_day = compare("day", Comparison::Eq, date("2026-08-02"));
    let other = planner.plan(&table, Filter::plain(&other_day)).await.unwrap();
    assert_eq!((other.bytes, other.delete_files), (2, 0));
}

#[tokio::test]
async fn a_manifest_that_cannot_be_read_makes_the_answer_unknown() {
    let (_warehouse, table) = ten_days("broken").await;
    let list = table
        .manifest_list_reader(table.metadata().current_snapshot().unwrap())
        .load()
        .await
        .unwrap();
    let manifest = list.entries().first().unwrap().manifest_path.clone();
    let path = manifest.strip_prefix("file://").unwrap_or(&manifest);
    let whole = std::fs::read(path).unwrap();
    let mut short = whole.clone();
    short.truncate(whole.len() / 2);
    for content in [Vec::new(), b"nonsense".to_vec(), short] {
        std::fs::write(path, &content).unwrap();
        let planner = Planner::new(1 << 20);
        let answer = planner.plan(&table, Filter::plain(&Predicate::AlwaysTrue)).await;
        let cause = answer.expect_err("unknown");
        assert!(
            matches!(cause, Cause::ManifestUnreadable(_) | Cause::Panicked(_)),
            "{cause:?}"
        );
        // The failure is not kept.
        std::fs::write(path, &whole).unwrap();
        assert_eq!(
            planner
                .plan(&table, Filter::plain(&Predicate::AlwaysTrue))
                .await
                .unwrap()
                .bytes,
            1023
        );
    }
}

/// On random files and predicates, no row that matches lies in a file that was pruned.
#[tokio::test]
async fn no_matching_row_is_lost_on_random_tables() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |bound: i64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        i64::try_from(seed % u64::try_from(bound).unwrap()).unwrap()
    };
    let warehouse = Warehouse::create("random").await;
    let specs = [
        vec![],
        vec![("id", Transform::Truncate(10))],
        vec![("id", Transform::Bucket(4))],
        vec![("day", Transform::Month), ("id", Transform::Bucket(3))],
        vec![("day", Transform::Day)],
        vec![("day", Transform::Year), ("id", Transform::Identity)],
    ];
    for (number, spec) in specs.iter().enumerate() {
        let name = format!("s.t{number}");
        warehouse.table(&name, &COLUMNS, spec).await;
        // Each file holds two rows of the same partition.
        let mut rows_of_files = Vec::new();
        let mut files = Vec::new();
        for file in 0..40 {
            let (id, day) = (random(60) - 30, random(900) - 450);
            let same = spec.iter().any(|(column, transform)| {
                *column == "id" && matches!(transform, Transform::Bucket(_) | Transform::Identity)
            });
            let other = if same { id } else { id.div_euclid(10) * 10 };
            let rows = [(id, day), (other, day)];
            let mut stated = stated(1 << file)
                .bound(1, Datum::long(id.min(other)), Datum::long(id.max(other)))
                .bound(
                    2,
                    Datum::date(i32::try_from(day).unwrap()),
                    Datum::date(i32::try_from(day).unwrap()),
                );
            for (column, transform) in spec {
                stated = stated.at(partition_literal(column, *transform, id, day));
            }
            files.push(stated);
            rows_of_files.push(rows);
        }
        let table = warehouse.append(&name, files).await;
        let planner = Planner::new(1 << 20);
        for _ in 0..150 {
            let predicate = random_predicate(&mut random, 3);
            let planned = planner.plan(&table, Filter::plain(&predicate)).await.unwrap();
            for (file, rows) in rows_of_files.iter().enumerate() {
                let matches = rows.iter().any(|row| holds(&predicate, *row));
                assert!(
                    !matches || planned.bytes & (1 << file) != 0,
                    "{name} {predicate:?} {rows:?}"
                );
            }
        }
    }
}

fn partition_literal(column: &str, transform: Transform, id: i64, day: i64) -> IcebergLiteral {
    let function = iceberg::transform::create_transform_function(&transform).unwrap();
    let source = match column {
        "id" => Datum::long(id),
        _ => Datum::date(i32::try_from(day).unwrap()),
    };
    let datum = function.transform_literal_result(&source).unwrap();
    IcebergLiteral::Primitive(datum.literal().clone())
}

fn random_predicate(random: &mut impl FnMut(i64) -> i64, depth: u32) -> Predicate {
    use Comparison::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let comparisons = [Eq, NotEq, Lt, LtEq, Gt, GtEq];
    let comparison = comparisons[usize::try_from(random(6)).unwrap()];
    let literals = |random: &mut dyn FnMut(i64) -> i64| {
        (0..3)
            .map(|_| Literal::Integer(i128::from(random(60) - 30)))
            .collect::<Vec<_>>()
    };
    match random(if depth == 0 { 4 } else { 6 }) {
        0 => compare("id", comparison, Literal::Integer(i128::from(random(60) - 30))),
        1 => compare(
            "day",
            comparison,
            Literal::Date(calendar::format_date(random(900) - 450)),
        ),
        2 => Predicate::In {
            column: Column(vec!["id".into()]),
            literals: literals(random),
            negated: random(2) == 0,
        },
        3 => compare("id", comparison, Literal::Decimal(format!("{}.5", random(20)))),
        4 => Predicate::and([random_predicate(random, depth - 1), random_predicate(random, depth - 1)]),
        _ => Predicate::or([random_predicate(random, depth - 1), random_predicate(random, depth - 1)]),
    }
}

fn holds(predicate: &Predicate, row: (i64, i64)) -> bool {
    let compared = |value: f64, comparison: Comparison, other: f64| match comparison {
        Comparison::Eq => value == other,
        Comparison::NotEq => value != other,
        Comparison::Lt => value < other,
        Comparison::LtEq => value <= other,
        Comparison::Gt => value > other,
        Comparison::GtEq => value >= other,
    };
    let number = |literal: &Literal| match literal {
        Literal::Integer(value) => i32::try_from(*value).map(f64::from).unwrap(),
        Literal::Decimal(text) => text.parse().unwrap(),
        Literal::Date(text) => f64::from(i32::try_from(calendar::parse_date(text).unwrap()).unwrap()),
        other => panic!("{other:?}"),
    };
    let value = |column: &Column| {
        let value = if column.0 == ["id"] { row.0 } else { row.1 };
        f64::from(i32::try_from(value).unwrap())
    };
    match predicate {
        Predicate::AlwaysTrue => true,
        Predicate::AlwaysFalse => false,
        Predicate::And(parts) => parts.iter().all(|part| holds(part, row)),
        Predicate::Or(parts) => parts.iter().any(|part| holds(part, row)),
        Predicate::Compare(column, comparison, literal) => compared(value(column), *comparison, number(literal)),
        Predicate::In {
            column,
            literals,
            negated,
        } => literals.iter().any(|literal| number(literal) == value(column)) != *negated,
        Predicate::IsNull { negated, .. } => *negated,
        Predicate::StartsWith { .. } => true,
    }
}
