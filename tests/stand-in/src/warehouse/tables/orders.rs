//! `warehouse.fact_orders` and `staging.orders_delta`: target and source of the late MERGE.
//!
//! The target is stated as 24 months of 80 files of 16 GB, which is 30 TB. The demo's is 30 MB, a tenth of what
//! 1:100,000 would be: its size plays no part in any verdict, because a batch tag decides before bytes are asked.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int64Array, StringBuilder};
use datafusion::arrow::datatypes::DataType;
use iceberg::spec::{Datum, Literal, PrimitiveType, Transform};

use super::super::Kind;
use super::super::design::{Content, Design, File, GB, MB, Stated, part_of_span};
use super::super::parquet::{Noise, filler_lengths};
use super::{date_bounds, day, text_bounds};
use crate::civil::Month;

const FIRST_MONTH: Month = Month::of(2024, 9);
const LAST_MONTH: Month = Month::of(2026, 8);
const STATED_FILES_A_MONTH: u64 = 80;
const STATED_FACT_BYTES: u64 = 16 * GB;
const STATED_DELTA_FILES: u64 = 8;
const STATED_DELTA_BYTES: u64 = GB;
const STATED_ORDERS: i64 = 64_000_000_000;

const DEMO_FACT_BYTES: u64 = 30 * MB / 24;
const DEMO_DELTA_BYTES: u64 = 200 << 10;
const DEMO_ROW: u64 = 512;
/// Numbers of 8, 4 and 8 bytes, texts of six and seven characters, a length for each of three texts.
const DEMO_COLUMNS: u64 = 8 + 4 + 8 + 6 + 7 + 3 * 4;
/// What a file weighs without rows: measured, not derived.
const DEMO_OVERHEAD: u64 = 1_900;

/// `decimal(12,2)` in Arrow's terms.
const PRECISION: u8 = 12;
const SCALE: i8 = 2;

const COLUMNS: &[(&str, PrimitiveType)] = &[
    ("order_id", PrimitiveType::Long),
    ("customer_id", PrimitiveType::String),
    ("order_date", PrimitiveType::Date),
    ("status", PrimitiveType::String),
    (
        "amount",
        PrimitiveType::Decimal {
            precision: PRECISION as u32,
            scale: SCALE as u32,
        },
    ),
    ("note", PrimitiveType::String),
];

pub(super) fn fact_orders() -> Design {
    Design {
        namespace: "warehouse",
        name: "fact_orders",
        columns: COLUMNS,
        partition: &[("order_date", Transform::Month, "order_date_month")],
        files: |kind| {
            FIRST_MONTH
                .through(LAST_MONTH)
                .flat_map(|month| match kind {
                    Kind::Demo => vec![fact_file(
                        month,
                        0,
                        Content::Rows(Box::new(move || columns(month, DEMO_FACT_BYTES))),
                    )],
                    Kind::Stated => (0..STATED_FILES_A_MONTH)
                        .map(|file| fact_file(month, file, stated_fact(month, file)))
                        .collect(),
                })
                .collect()
        },
    }
}

fn fact_file(month: Month, number: u64, content: Content) -> File {
    File {
        path: format!("order_date_month={month}/{number:05}.parquet"),
        partition: vec![Literal::int(day(month.0))],
        content,
    }
}

fn stated_fact(month: Month, file: u64) -> Content {
    let days = (month.last_day() - month.first_day() + 1).cast_unsigned();
    let (first, last) = part_of_span(file, STATED_FILES_A_MONTH, days);
    stated(
        STATED_FACT_BYTES,
        month.first_day() + first.cast_signed(),
        month.first_day() + last.cast_signed(),
    )
}

pub(super) fn orders_delta() -> Design {
    Design {
        namespace: "staging",
        name: "orders_delta",
        columns: COLUMNS,
        partition: &[],
        files: |kind| {
            let file = |number: u64, content| File {
                path: format!("{number:05}.parquet"),
                partition: Vec::new(),
                content,
            };
            match kind {
                Kind::Demo => vec![file(
                    0,
                    Content::Rows(Box::new(|| columns(LAST_MONTH, DEMO_DELTA_BYTES))),
                )],
                Kind::Stated => (0..STATED_DELTA_FILES)
                    .map(|number| {
                        let (first, last) = (LAST_MONTH.first_day(), LAST_MONTH.last_day());
                        file(number, stated(STATED_DELTA_BYTES, first, last))
                    })
                    .collect(),
            }
        },
    }
}

fn stated(bytes: u64, first_day: i64, last_day: i64) -> Content {
    Content::Stated(Stated {
        bytes,
        bounds: vec![
            ("order_id", Datum::long(1_i64), Datum::long(STATED_ORDERS)),
            text_bounds("customer_id", "C-0001", "C-9999"),
            date_bounds("order_date", first_day, last_day),
            text_bounds("status", "packed", "shipped"),
        ],
    })
}

fn columns(month: Month, bytes: u64) -> Vec<ArrayRef> {
    let rows = bytes / DEMO_ROW;
    let days = (month.last_day() - month.first_day() + 1).cast_unsigned();
    // Months and sizes differ, so that the delta has rows of its own.
    let mut noise = Noise::seeded(month.0.cast_unsigned() * 1_000_000 + bytes);
    let mut orders = Vec::new();
    let mut customers = StringBuilder::new();
    let mut dates = Vec::new();
    let mut statuses = StringBuilder::new();
    let mut amounts = Vec::new();
    let mut notes = StringBuilder::new();
    let lengths = filler_lengths(bytes, DEMO_OVERHEAD, rows, DEMO_COLUMNS);
    for (row, length) in (0..rows).zip(lengths) {
        let numbers = noise.numbers();
        orders.push(month.0 * 1_000_000 + row.cast_signed());
        customers.append_value(format!("C-{:04}", 1 + numbers.below(9_999)));
        dates.push(day(month.first_day() + (row * days / rows).cast_signed()));
        statuses.append_value(match numbers.below(3) {
            0 => "placed",
            1 => "packed",
            _ => "shipped",
        });
        amounts.push(i128::from(100 + numbers.below(1_000_000)));
        notes.append_value(noise.cut(length));
    }
    let amounts = Decimal128Array::from(amounts).with_data_type(DataType::Decimal128(PRECISION, SCALE));
    vec![
        Arc::new(Int64Array::from(orders)),
        Arc::new(customers.finish()),
        Arc::new(Date32Array::from(dates)),
        Arc::new(statuses.finish()),
        Arc::new(amounts),
        Arc::new(notes.finish()),
    ]
}
