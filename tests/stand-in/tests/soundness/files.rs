//! Rows to data files as a writer of Iceberg tables makes them: partitions by the table's spec, statistics by its
//! settings. Nothing here uses Lakegate: transforms are iceberg-rust's, everything else is written down here.

use std::collections::{BTreeMap, HashMap};

use iceberg::spec::{DataContentType, DataFile, DataFileBuilder, DataFileFormat, Datum, Literal, Struct, Transform};
use iceberg::transform::create_transform_function;

use super::random::Random;
use super::rows::Row;
use super::value::{COLUMNS, Cell, Kind};

/// A file's size is a bit of its own, so that a sum of bytes says which files survived.
pub(crate) const MOST_FILES: usize = 60;

/// A partition field: the column's position and the transform.
pub(crate) type Field = (usize, Transform);

/// Rows with their partition.
pub(crate) struct File {
    pub(crate) rows: Vec<Row>,
    pub(crate) partition: Vec<Option<Datum>>,
}

/// A partition spec of none to two fields.
pub(crate) fn spec(random: &mut Random) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for _ in 0..random.of(&[0, 1, 1, 1, 2]) {
        // Times have the most transforms.
        let at = random.of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 6, 7, 8]);
        let bucket = Transform::Bucket(random.of(&[2, 3, 7]));
        let truncate = Transform::Truncate(random.of(&[1, 3, 10, 100]));
        let (identity, hour) = (Transform::Identity, Transform::Hour);
        let (day, month, year) = (Transform::Day, Transform::Month, Transform::Year);
        let transform = match COLUMNS[at].1 {
            Kind::Boolean | Kind::Float | Kind::Double => identity,
            Kind::Int | Kind::Long | Kind::Decimal | Kind::Text => random.of(&[identity, bucket, truncate, truncate]),
            Kind::Date => random.of(&[identity, bucket, day, month, year]),
            Kind::Timestamp | Kind::Timestamptz => random.of(&[identity, bucket, hour, day, month, year]),
        };
        if fields.iter().all(|(other, _)| *other != at) {
            fields.push((at, transform));
        }
    }
    fields
}

/// Distributes rows over files; of too many files some are left out.
pub(crate) fn distribute(mut rows: Vec<Row>, spec: &[Field], random: &mut Random) -> Vec<File> {
    // Some writers sort.
    if random.once_in(2) {
        let by = random.below(COLUMNS.len());
        rows.sort_by(|a, b| a[by].order(&b[by]));
    }
    // iceberg-rust cannot print times before 1970, which it does for the summary of a commit.
    for (at, _) in spec.iter().filter(|(_, transform)| *transform == Transform::Identity) {
        rows.retain(|row| !matches!(row[*at], Cell::Micros(micros) if micros < 0));
    }
    let early_writer = random.once_in(2);
    let mut groups: BTreeMap<String, File> = BTreeMap::new();
    for row in rows {
        let partition: Vec<Option<Datum>> = spec
            .iter()
            .map(|(at, transform)| partition_value(&row[*at], COLUMNS[*at].1, *transform, early_writer))
            .collect();
        let group = groups.entry(format!("{partition:?}")).or_insert_with(|| File {
            rows: Vec::new(),
            partition,
        });
        group.rows.push(row);
    }
    let mut files = Vec::new();
    for group in groups.into_values() {
        let mut left = group.rows.as_slice();
        while !left.is_empty() {
            let (rows, rest) = left.split_at(left.len().min(1 + random.below(6)));
            files.push(File {
                rows: rows.to_vec(),
                partition: group.partition.clone(),
            });
            left = rest;
        }
    }
    while files.len() > MOST_FILES {
        files.swap_remove(random.below(files.len()));
    }
    files
}

fn partition_value(cell: &Cell, kind: Kind, transform: Transform, early_writer: bool) -> Option<Datum> {
    let function = create_transform_function(&transform).unwrap();
    let of = |cell: &Cell| {
        cell.datum(kind)
            .and_then(|datum| function.transform_literal(&datum).unwrap())
    };
    let value = of(cell)?;
    let of_time = matches!(
        transform,
        Transform::Year | Transform::Month | Transform::Day | Transform::Hour
    );
    if !early_writer || !of_time || (transform == Transform::Day && kind == Kind::Date) {
        return Some(value);
    }
    // Early writers rounded toward zero: before 1970, whatever is not the first of its unit came out one too high.
    let before = match cell {
        Cell::Days(days) => Cell::Days(days - 1),
        Cell::Micros(micros) => Cell::Micros(micros - 1),
        other => panic!("{other:?} has no {transform}"),
    };
    let iceberg::spec::PrimitiveLiteral::Int(number) = value.literal() else {
        return Some(value);
    };
    if *number < 0 && of(&before).as_ref() == Some(&value) {
        Some(if *value.data_type() == iceberg::spec::PrimitiveType::Date {
            Datum::date(number + 1)
        } else {
            Datum::int(number + 1)
        })
    } else {
        Some(value)
    }
}

/// The file as a manifest states it.
pub(crate) fn data_file(file: &File, number: usize, random: &mut Random) -> DataFile {
    let mut counts = [HashMap::new(), HashMap::new(), HashMap::new()];
    let mut bounds = [HashMap::new(), HashMap::new()];
    for (at, (_, kind)) in COLUMNS.iter().enumerate() {
        let id = i32::try_from(at + 1).unwrap();
        // What some writers, or some settings, leave out.
        let (values, nulls, nans, lower, upper) = match random.below(20) {
            0 | 1 => continue,
            2 => (true, false, false, true, true),
            3 => (true, true, false, true, true),
            4 => (true, true, true, false, false),
            5 => (true, true, true, true, false),
            6 => (true, true, true, false, true),
            7 => (false, false, false, true, true),
            8 => (false, true, true, true, true),
            _ => (true, true, true, true, true),
        };
        let real = matches!(kind, Kind::Float | Kind::Double);
        let cells: Vec<&Cell> = file.rows.iter().map(|row| &row[at]).collect();
        let count = |wanted: &dyn Fn(&Cell) -> bool| cells.iter().filter(|cell| wanted(cell)).count() as u64;
        if values {
            counts[0].insert(id, cells.len() as u64);
        }
        if nulls {
            counts[1].insert(id, count(&|cell| *cell == Cell::Null));
        }
        if nans && real {
            counts[2].insert(id, count(&Cell::is_nan));
        }
        let mut compared: Vec<&Cell> = cells
            .iter()
            .copied()
            .filter(|cell| **cell != Cell::Null && !cell.is_nan())
            .collect();
        compared.sort_by(|a, b| a.order(b));
        let (Some(least), Some(most)) = (compared.first(), compared.last()) else {
            continue;
        };
        // A writer's setting is one for the whole file, but then all lengths are tried.
        let length = random.of(&[1, 2, 4, 16, 1000]);
        if lower && let Some(bound) = cut_down(least, length).datum(*kind) {
            bounds[0].insert(id, bound);
        }
        if upper && let Some(bound) = cut_up(most, length).and_then(|cell| cell.datum(*kind)) {
            bounds[1].insert(id, bound);
        }
    }
    let [values, nulls, nans] = counts;
    let [lower, upper] = bounds;
    let partition = file.partition.iter().map(|value| {
        let value = value.as_ref()?;
        Some(Literal::Primitive(value.literal().clone()))
    });
    DataFileBuilder::default()
        .content(DataContentType::Data)
        .file_path(format!("memory:///data/{number}.parquet"))
        .file_format(DataFileFormat::Parquet)
        .partition(Struct::from_iter(partition))
        .partition_spec_id(0)
        .record_count(file.rows.len() as u64)
        .file_size_in_bytes(1 << number)
        .value_counts(values)
        .null_value_counts(nulls)
        .nan_value_counts(nans)
        .lower_bounds(lower)
        .upper_bounds(upper)
        .build()
        .unwrap()
}

/// Text cut to so many characters, which is at or below it; the lowest zero is -0.
fn cut_down(cell: &Cell, length: usize) -> Cell {
    match cell {
        Cell::Text(text) => Cell::Text(text.chars().take(length).collect()),
        Cell::Real(0.0) => Cell::Real(-0.0),
        other => other.clone(),
    }
}

/// Text cut so and its last character raised, which is above it, if there is one; the highest zero is 0.
fn cut_up(cell: &Cell, length: usize) -> Option<Cell> {
    let text = match cell {
        Cell::Text(text) if text.chars().count() > length => text,
        Cell::Real(0.0) => return Some(Cell::Real(0.0)),
        other => return Some(other.clone()),
    };
    let mut kept: Vec<char> = text.chars().take(length).collect();
    while let Some(last) = kept.pop() {
        let raised = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            other => char::from_u32(u32::from(other) + 1),
        };
        if let Some(raised) = raised {
            kept.push(raised);
            return Some(Cell::Text(kept.into_iter().collect()));
        }
    }
    None
}
