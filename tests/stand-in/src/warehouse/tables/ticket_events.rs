//! `support.ticket_events`: partitioned by day, asked for by customer, so that the filter prunes nothing.
//!
//! 90 days of 1 GB are 90 GB. Every file's customers run from the lowest to the highest, so that no bound rules
//! a file out. The demo is 1:100,000: 90 files of ten kilobytes.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringBuilder, TimestampMicrosecondArray};
use iceberg::spec::{Literal, PrimitiveType, Transform};

use super::super::Kind;
use super::super::design::{Content, Design, File, GB, Stated};
use super::super::parquet::{Noise, filler_lengths};
use super::tickets::ticket_id;
use super::{DAY_MICROS, DEMO_SCALE, day, text_bounds, time_bounds};
use crate::civil::{days_from_date, iso};

const FIRST_DAY: i64 = days_from_date(2026, 5, 4);
const LAST_DAY: i64 = days_from_date(2026, 8, 1);
const STATED_BYTES: u64 = GB;

const LOWEST_CUSTOMER: &str = "C-0001";
const HIGHEST_CUSTOMER: &str = "C-9999";
/// The customer of the Monday minute; has events on each day.
const KNOWN_CUSTOMER: &str = "C-4471";

const DEMO_ROWS: u64 = 20;
/// Two texts of six and eight characters, a timestamp, an action of at most nine; a length for each text.
const DEMO_COLUMNS: u64 = 6 + 8 + 8 + 8 + 4 * 4;
/// What a file weighs without rows: measured, not derived.
const DEMO_OVERHEAD: u64 = 1_660;

const ACTIONS: [&str; 4] = ["opened", "reply", "note", "escalated"];

pub(super) fn design() -> Design {
    Design {
        namespace: "support",
        name: "ticket_events",
        columns: &[
            ("ticket_id", PrimitiveType::String),
            ("customer_id", PrimitiveType::String),
            ("event_time", PrimitiveType::Timestamp),
            ("action", PrimitiveType::String),
            ("note", PrimitiveType::String),
        ],
        partition: &[("event_time", Transform::Day, "event_time_day")],
        files: |kind| {
            (FIRST_DAY..=LAST_DAY)
                .map(|date| File {
                    path: format!("event_time_day={}/00000.parquet", iso(date)),
                    partition: vec![Literal::date(day(date))],
                    content: match kind {
                        Kind::Demo => Content::Rows(Box::new(move || columns(date))),
                        Kind::Stated => Content::Stated(Stated {
                            bytes: STATED_BYTES,
                            bounds: vec![
                                text_bounds("ticket_id", &ticket_id(0), &ticket_id(99_999)),
                                text_bounds("customer_id", LOWEST_CUSTOMER, HIGHEST_CUSTOMER),
                                time_bounds("event_time", date, date),
                                text_bounds("action", "escalated", "reply"),
                            ],
                        }),
                    },
                })
                .collect()
        },
    }
}

fn columns(date: i64) -> Vec<ArrayRef> {
    let mut noise = Noise::seeded(date.cast_unsigned());
    let mut tickets = StringBuilder::new();
    let mut customers = StringBuilder::new();
    let mut times = Vec::new();
    let mut actions = StringBuilder::new();
    let mut notes = StringBuilder::new();
    let bytes = STATED_BYTES / DEMO_SCALE;
    let lengths = filler_lengths(bytes, DEMO_OVERHEAD, DEMO_ROWS, DEMO_COLUMNS);
    for (row, length) in (0..DEMO_ROWS).zip(lengths) {
        let numbers = noise.numbers();
        tickets.append_value(ticket_id(numbers.below(super::tickets::DEMO_TICKETS)));
        match row {
            0 => customers.append_value(LOWEST_CUSTOMER),
            1 => customers.append_value(HIGHEST_CUSTOMER),
            2 => customers.append_value(KNOWN_CUSTOMER),
            _ => customers.append_value(format!("C-{:04}", 1 + numbers.below(9_999))),
        }
        // In the order of time, one in each twentieth of the day.
        let slot = DAY_MICROS / DEMO_ROWS.cast_signed();
        let within = numbers.below(slot.cast_unsigned()).cast_signed();
        times.push(date * DAY_MICROS + row.cast_signed() * slot + within);
        let action = numbers.below(ACTIONS.len() as u64) as usize;
        actions.append_value(ACTIONS.get(action).copied().unwrap_or_default());
        notes.append_value(noise.cut(length));
    }
    vec![
        Arc::new(tickets.finish()),
        Arc::new(customers.finish()),
        Arc::new(TimestampMicrosecondArray::from(times)),
        Arc::new(actions.finish()),
        Arc::new(notes.finish()),
    ]
}
