//! `sales.revenue`: what the dashboard asks for, forty times a minute.
//!
//! Stated: 36 months of 512 MB, 18 GB: small whatever the filter. The demo has ten rows a day.
//! Dates run to the end of 2027, past any day on which the demo is likely to be shown, so that "the last thirty
//! days" is never empty; a warehouse that depended on the day it was made on would not be the same everywhere.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Decimal128Array, StringArray};
use datafusion::arrow::datatypes::DataType;
use iceberg::spec::{Literal, PrimitiveType, Transform};

use super::super::Kind;
use super::super::design::{Content, Design, File, MB, Stated};
use super::{date_bounds, day, text_bounds};
use crate::civil::Month;
use crate::random::Stream;

const FIRST_MONTH: Month = Month::of(2025, 1);
const LAST_MONTH: Month = Month::of(2027, 12);
const STATED_BYTES: u64 = 512 * MB;

const SEGMENTS: [&str; 5] = ["consumer", "education", "enterprise", "public", "small_business"];
const DEMO_ROWS_A_SEGMENT: i64 = 2;

/// `decimal(18,2)` in Arrow's terms.
const PRECISION: u8 = 18;
const SCALE: i8 = 2;

pub(super) fn design() -> Design {
    Design {
        namespace: "sales",
        name: "revenue",
        columns: &[
            ("segment", PrimitiveType::String),
            ("order_date", PrimitiveType::Date),
            (
                "revenue_usd",
                PrimitiveType::Decimal {
                    precision: PRECISION as u32,
                    scale: SCALE as u32,
                },
            ),
        ],
        partition: &[("order_date", Transform::Month, "order_date_month")],
        files: |kind| {
            FIRST_MONTH
                .through(LAST_MONTH)
                .map(|month| File {
                    path: format!("order_date_month={month}/00000.parquet"),
                    partition: vec![Literal::int(day(month.0))],
                    content: match kind {
                        Kind::Demo => Content::Rows(Box::new(move || columns(month))),
                        Kind::Stated => Content::Stated(Stated {
                            bytes: STATED_BYTES,
                            bounds: vec![
                                text_bounds("segment", "consumer", "small_business"),
                                date_bounds("order_date", month.first_day(), month.last_day()),
                            ],
                        }),
                    },
                })
                .collect()
        },
    }
}

fn columns(month: Month) -> Vec<ArrayRef> {
    let mut numbers = Stream::seeded(month.0.cast_unsigned());
    let mut segments = Vec::new();
    let mut dates = Vec::new();
    let mut revenues = Vec::new();
    for date in month.first_day()..=month.last_day() {
        for segment in SEGMENTS {
            for _ in 0..DEMO_ROWS_A_SEGMENT {
                segments.push(segment);
                dates.push(day(date));
                // From 1,000.00 to 50,999.99 dollars.
                revenues.push(i128::from(100_000 + numbers.below(5_000_000)));
            }
        }
    }
    let revenues = Decimal128Array::from(revenues).with_data_type(DataType::Decimal128(PRECISION, SCALE));
    vec![
        Arc::new(StringArray::from(segments)),
        Arc::new(Date32Array::from(dates)),
        Arc::new(revenues),
    ]
}
