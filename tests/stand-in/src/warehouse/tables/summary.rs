//! `web.events_summary`: events by day and type, which the message of a rejection points to.
//!
//! The demo's numbers are those of its `web.events`, so that both tables give the same answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{Date32Array, Int64Array, StringArray};
use iceberg::spec::{Literal, PrimitiveType, Transform};

use super::super::Kind;
use super::super::design::{Content, Design, File, MB, Stated};
use super::{date_bounds, day, events, text_bounds};
use crate::civil::Month;

const STATED_BYTES: u64 = 128 * MB;

pub(super) fn design() -> Design {
    Design {
        namespace: "web",
        name: "events_summary",
        columns: &[
            ("event_date", PrimitiveType::Date),
            ("event_type", PrimitiveType::String),
            ("events", PrimitiveType::Long),
        ],
        partition: &[("event_date", Transform::Month, "event_date_month")],
        files: |kind| {
            by_month()
                .into_iter()
                .map(|(month, partitions)| File {
                    path: format!("event_date_month={month}/00000.parquet"),
                    partition: vec![Literal::int(day(month.0))],
                    content: match kind {
                        Kind::Demo => rows(partitions),
                        Kind::Stated => stated(&partitions),
                    },
                })
                .collect()
        },
    }
}

fn by_month() -> BTreeMap<Month, Vec<events::Partition>> {
    let mut months: BTreeMap<Month, Vec<events::Partition>> = BTreeMap::new();
    for partition in events::partitions() {
        months.entry(partition.month).or_default().push(partition);
    }
    months
}

fn stated(partitions: &[events::Partition]) -> Content {
    let first = partitions.iter().map(|p| p.first_day).min();
    let last = partitions.iter().map(|p| p.first_day + p.days.cast_signed() - 1).max();
    Content::Stated(Stated {
        bytes: STATED_BYTES,
        bounds: vec![
            date_bounds("event_date", first.unwrap_or_default(), last.unwrap_or_default()),
            text_bounds("event_type", "add_to_cart", "search"),
        ],
    })
}

fn rows(partitions: Vec<events::Partition>) -> Content {
    Content::Rows(Box::new(move || {
        let mut counts: BTreeMap<(i64, &str), i64> = BTreeMap::new();
        for partition in &partitions {
            for row in 0..partition.demo_rows() {
                let key = (partition.demo_day(row), partition.event_type);
                *counts.entry(key).or_default() += 1;
            }
        }
        let dates = Date32Array::from_iter_values(counts.keys().map(|(date, _)| day(*date)));
        let types = StringArray::from_iter_values(counts.keys().map(|(_, kind)| *kind));
        let events = Int64Array::from_iter_values(counts.values().copied());
        vec![Arc::new(dates), Arc::new(types), Arc::new(events)]
    }))
}
