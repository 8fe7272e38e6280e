//! `web.events`: the table that is too large for the interactive engine, until a filter makes it small.
//!
//! Data run from 2025-07-01 to 2026-08-01, the last day included. The year that the data scientist asks for,
//! 2025-08-01 to 2026-08-01, is thirteen whole partitions of each type: August 2026 holds its first day alone.
//! So partition pruning, file bounds and rows all agree on what the year is.
//!
//! The full table is 3,072 units of 4 GB, which is 12 TB. Of these 2,918 lie in the year: 11,672 GB, 11.4 TB.
//! Purchases of the year are 100 units, 400 GB. The stated table has a file for each unit; the demo has four files
//! for each partition, as heavy as its units divided by 100,000: about one a week, so that a filter on a few days
//! reads less than a month.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Int64Array, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use iceberg::spec::{Datum, Literal, PrimitiveType, Transform};

use super::super::Kind;
use super::super::design::{Content, Design, File, GB, Stated, part_of_span, spread};
use super::super::parquet::{Noise, filler_lengths};
use super::{DAY_MICROS, DEMO_SCALE, date_bounds, day, text_bounds, time_bounds};
use crate::civil::{Month, days_from_date};

/// The size of a unit.
const UNIT: u64 = 4 * GB;

/// Types with their units in July 2025 (154 together) and in the year after it (2,918 together).
const TYPES: [(&str, u64, u64); 5] = [
    ("add_to_cart", 7, 238),
    ("click", 38, 700),
    ("page_view", 84, 1_500),
    ("purchase", 5, 100),
    ("search", 20, 380),
];

const FIRST_MONTH: Month = Month::of(2025, 7);
const LAST_MONTH: Month = Month::of(2026, 8);
const LAST_DAY: i64 = days_from_date(2026, 8, 1);

/// Users that the demo knows; few enough that a count by user and type is worth doing.
const DEMO_USERS: u64 = 20_000;
const STATED_USERS: i64 = 50_000_000;

/// Files of a partition in the demo, unless it has fewer days.
const DEMO_PARTS: u64 = 4;

/// What a row of the demo is meant to weigh, and what its columns take besides the filler: three columns of 8, 4
/// and 8 bytes, and two texts with lengths of four bytes each. The type's text comes on top.
const DEMO_ROW: u64 = 512;
const DEMO_COLUMNS: u64 = 8 + 4 + 8 + 4 + 4;

/// What a file of the demo weighs without rows and page headers: measured, not derived.
const DEMO_OVERHEAD: u64 = 1_760;

pub(super) fn design() -> Design {
    Design {
        namespace: "web",
        name: "events",
        columns: &[
            ("user_id", PrimitiveType::Long),
            ("event_type", PrimitiveType::String),
            ("event_date", PrimitiveType::Date),
            ("ts", PrimitiveType::Timestamp),
            ("payload", PrimitiveType::String),
        ],
        partition: &[
            ("event_date", Transform::Month, "event_date_month"),
            ("event_type", Transform::Identity, "event_type"),
        ],
        files: |kind| match kind {
            Kind::Demo => partitions().iter().flat_map(Partition::demo_files).collect(),
            Kind::Stated => partitions().iter().flat_map(Partition::stated_files).collect(),
        },
    }
}

/// One month of one type.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    pub(super) month: Month,
    pub(super) event_type: &'static str,
    pub(super) first_day: i64,
    pub(super) days: u64,
    units: u64,
}

/// Every partition, month by month.
pub(super) fn partitions() -> Vec<Partition> {
    let months: Vec<(Month, u64)> = FIRST_MONTH
        .through(LAST_MONTH)
        .map(|month| {
            let last = month.last_day().min(LAST_DAY);
            (month, u64::try_from(last - month.first_day() + 1).unwrap_or_default())
        })
        .collect();
    let year_days: Vec<u64> = months.iter().skip(1).map(|(_, days)| *days).collect();
    let mut partitions: Vec<Partition> = TYPES
        .iter()
        .flat_map(|&(event_type, in_july, in_year)| {
            let units = std::iter::once(in_july).chain(spread(in_year, &year_days));
            months
                .clone()
                .into_iter()
                .zip(units)
                .map(move |((month, days), units)| Partition {
                    month,
                    event_type,
                    first_day: month.first_day(),
                    days,
                    units,
                })
        })
        .collect();
    partitions.sort_by_key(|partition| partition.month);
    partitions
}

impl Partition {
    fn path(&self, number: u64) -> String {
        format!(
            "event_date_month={}/event_type={}/{number:05}.parquet",
            self.month, self.event_type
        )
    }

    fn values(&self) -> Vec<Literal> {
        vec![Literal::int(day(self.month.0)), Literal::string(self.event_type)]
    }

    /// Each unit covers its share of the month's days, so that a narrower filter finds fewer files.
    fn stated_files(&self) -> Vec<File> {
        (0..self.units)
            .map(|unit| {
                let (first, last) = part_of_span(unit, self.units, self.days);
                let first = self.first_day + first.cast_signed();
                let last = self.first_day + last.cast_signed();
                File {
                    path: self.path(unit),
                    partition: self.values(),
                    content: Content::Stated(Stated {
                        bytes: UNIT,
                        bounds: vec![
                            ("user_id", Datum::long(1_i64), Datum::long(STATED_USERS)),
                            text_bounds("event_type", self.event_type, self.event_type),
                            date_bounds("event_date", first, last),
                            time_bounds("ts", first, last),
                        ],
                    }),
                }
            })
            .collect()
    }

    fn demo_bytes(&self) -> u64 {
        self.units * UNIT / DEMO_SCALE
    }

    /// Rows in the demo.
    pub(super) fn demo_rows(&self) -> u64 {
        self.demo_bytes() / DEMO_ROW
    }

    /// The day of a row of the demo: rows are in the order of days, the same number on each.
    pub(super) fn demo_day(&self, row: u64) -> i64 {
        let offset = row * self.days / self.demo_rows().max(1);
        self.first_day + offset.cast_signed()
    }

    fn demo_files(&self) -> Vec<File> {
        let partition = *self;
        let parts = DEMO_PARTS.min(self.days);
        (0..parts)
            .map(|part| File {
                path: self.path(part),
                partition: self.values(),
                content: Content::Rows(Box::new(move || partition.demo_columns(part, parts))),
            })
            .collect()
    }

    /// The columns of one file: a share of the partition's rows, in the order of days, and of its bytes.
    fn demo_columns(&self, part: u64, parts: u64) -> Vec<ArrayRef> {
        let share = |whole: u64| (whole * part / parts)..(whole * (part + 1) / parts);
        let rows = share(self.demo_rows());
        let bytes = share(self.demo_bytes());
        let row_count = rows.end - rows.start;
        // Some seed of its own for each file.
        let seed = (self.month.0.cast_unsigned() * 10_000 + self.units) * DEMO_PARTS + part;
        let mut noise = Noise::seeded(seed);
        let lengths = filler_lengths(
            bytes.end - bytes.start,
            DEMO_OVERHEAD,
            row_count,
            DEMO_COLUMNS + self.event_type.len() as u64,
        );

        let mut users = Vec::new();
        let mut dates = Vec::new();
        let mut times = Vec::new();
        let mut payloads = StringBuilder::new();
        for (row, length) in rows.zip(lengths) {
            let date = self.demo_day(row);
            let numbers = noise.numbers();
            users.push(1 + numbers.below(DEMO_USERS).cast_signed());
            let micros = numbers.below(DAY_MICROS.cast_unsigned()).cast_signed();
            dates.push(day(date));
            times.push(date * DAY_MICROS + micros);
            payloads.append_value(noise.cut(length));
        }
        let types = StringArray::from_iter_values((0..row_count).map(|_| self.event_type));
        vec![
            Arc::new(Int64Array::from(users)),
            Arc::new(types),
            Arc::new(Date32Array::from(dates)),
            Arc::new(TimestampMicrosecondArray::from(times)),
            Arc::new(payloads.finish()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(wanted: impl Fn(&Partition) -> bool) -> u64 {
        partitions().iter().filter(|p| wanted(p)).map(|p| p.units).sum()
    }

    #[test]
    fn units_add_up_to_the_sizes_of_the_monday_minute() {
        assert_eq!(units(|_| true) * UNIT, 12 * 1024 * GB);
        let in_year = |p: &Partition| p.month > FIRST_MONTH;
        assert_eq!(units(in_year) * UNIT, 11_672 * GB);
        assert_eq!(units(|p| in_year(p) && p.event_type == "purchase") * UNIT, 400 * GB);
    }

    #[test]
    fn no_partition_is_empty_and_august_2026_is_one_day() {
        assert!(partitions().iter().all(|p| p.units > 0));
        assert!(
            partitions()
                .iter()
                .filter(|p| p.month == LAST_MONTH)
                .all(|p| p.days == 1)
        );
    }
}
