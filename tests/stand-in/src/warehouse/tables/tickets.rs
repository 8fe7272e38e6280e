//! `support.tickets`: small, and sorted by ticket id, so that a look-up finds one file.
//!
//! Stated: 8 files of 64 MB with 12,500 ticket ids each, `T-100000` to `T-199999`.
//! The demo cannot be 1:100,000 of that, which would be 671 bytes a file, less than a Parquet footer. It has two
//! files of the least weight that leaves room for tickets; a look-up in one of them is far below 1:100,000 of
//! 50 GB, which is all that a verdict depends on.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringBuilder};
use iceberg::spec::PrimitiveType;

use super::super::Kind;
use super::super::design::{Content, Design, File, MB, Stated};
use super::text_bounds;
use crate::random::Stream;

const STATED_FILES: u64 = 8;
const STATED_BYTES: u64 = 64 * MB;
const STATED_TICKETS: u64 = 12_500;

const DEMO_FILES: u64 = 2;
const DEMO_TICKETS_A_FILE: u64 = 20;
/// Tickets in the demo, `T-100000` and on.
pub(super) const DEMO_TICKETS: u64 = DEMO_FILES * DEMO_TICKETS_A_FILE;

const STATUSES: [&str; 3] = ["closed", "open", "pending"];

/// The id of a ticket by its number.
pub(super) fn ticket_id(number: u64) -> String {
    format!("T-{}", 100_000 + number)
}

pub(super) fn design() -> Design {
    Design {
        namespace: "support",
        name: "tickets",
        columns: &[
            ("ticket_id", PrimitiveType::String),
            ("customer_id", PrimitiveType::String),
            ("status", PrimitiveType::String),
            ("subject", PrimitiveType::String),
        ],
        partition: &[],
        files: |kind| match kind {
            Kind::Demo => (0..DEMO_FILES)
                .map(|file| File {
                    path: path(file),
                    partition: Vec::new(),
                    content: Content::Rows(Box::new(move || columns(file))),
                })
                .collect(),
            Kind::Stated => (0..STATED_FILES)
                .map(|file| File {
                    path: path(file),
                    partition: Vec::new(),
                    content: Content::Stated(Stated {
                        bytes: STATED_BYTES,
                        bounds: vec![
                            text_bounds(
                                "ticket_id",
                                &ticket_id(file * STATED_TICKETS),
                                &ticket_id((file + 1) * STATED_TICKETS - 1),
                            ),
                            text_bounds("customer_id", "C-0001", "C-9999"),
                            text_bounds("status", "closed", "pending"),
                        ],
                    }),
                })
                .collect(),
        },
    }
}

fn path(file: u64) -> String {
    format!("{file:05}.parquet")
}

fn columns(file: u64) -> Vec<ArrayRef> {
    let mut numbers = Stream::seeded(file);
    let mut ids = StringBuilder::new();
    let mut customers = StringBuilder::new();
    let mut statuses = StringBuilder::new();
    let mut subjects = StringBuilder::new();
    for ticket in 0..DEMO_TICKETS_A_FILE {
        let number = file * DEMO_TICKETS_A_FILE + ticket;
        ids.append_value(ticket_id(number));
        match ticket {
            0 => customers.append_value("C-4471"),
            _ => customers.append_value(format!("C-{:04}", 1 + numbers.below(9_999))),
        }
        let status = numbers.below(STATUSES.len() as u64) as usize;
        statuses.append_value(STATUSES.get(status).copied().unwrap_or_default());
        subjects.append_value(format!("case {number}"));
    }
    vec![
        Arc::new(ids.finish()),
        Arc::new(customers.finish()),
        Arc::new(statuses.finish()),
        Arc::new(subjects.finish()),
    ]
}
