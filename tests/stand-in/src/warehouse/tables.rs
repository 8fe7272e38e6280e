//! The tables, and the arithmetic behind every size.
//!
//! | table | partitioned by | stated | demo |
//! |---|---|---|---|
//! | `web.events` | month of date, type | 3,072 x 4 GB = 12 TB; in the year 2,918 x 4 GB = 11.4 TB; purchases 100 x 4 GB = 400 GB | 1:100,000 |
//! | `web.events_summary` | month of date | 14 x 128 MB | one row a day and type |
//! | `support.ticket_events` | day | 90 x 1 GB = 90 GB | 1:100,000 |
//! | `support.tickets` | none; sorted by id | 8 x 64 MB = 512 MB | two files of the least size |
//! | `sales.revenue` | month of date | 36 x 512 MB | a few rows a day |
//! | `warehouse.fact_orders` | month of date | 24 x 80 x 16 GB = 30 TB | 30 MB |
//! | `staging.orders_delta` | none | 8 x 1 GB | 200 KB |
//!
//! The session of the support agent adds up like this: one statement over all tickets, ten look-ups of one
//! file each, ten aggregates over all tickets and one statement over all ticket events are
//! 512 MB + 10 x 64 MB + 10 x 512 MB + 90 GB = 96.1 GB.

mod events;
mod orders;
mod revenue;
mod summary;
mod ticket_events;
mod tickets;

use iceberg::spec::Datum;

use super::design::Design;

/// Every table of the warehouse.
pub(crate) fn all() -> [Design; 7] {
    [
        events::design(),
        summary::design(),
        ticket_events::design(),
        tickets::design(),
        revenue::design(),
        orders::fact_orders(),
        orders::orders_delta(),
    ]
}

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;

/// The demo's share of the full size.
const DEMO_SCALE: u64 = 100_000;

/// A day as Iceberg and Arrow count it. Days here lie between 2024 and 2028.
fn day(days: i64) -> i32 {
    i32::try_from(days).unwrap_or_default()
}

/// Bounds of a date column.
fn date_bounds(column: &'static str, first: i64, last: i64) -> (&'static str, Datum, Datum) {
    (column, Datum::date(day(first)), Datum::date(day(last)))
}

/// Bounds of a timestamp column that covers whole days.
fn time_bounds(column: &'static str, first: i64, last: i64) -> (&'static str, Datum, Datum) {
    (
        column,
        Datum::timestamp_micros(first * DAY_MICROS),
        Datum::timestamp_micros((last + 1) * DAY_MICROS - 1),
    )
}

/// Bounds of a string column.
fn text_bounds(column: &'static str, lowest: &str, highest: &str) -> (&'static str, Datum, Datum) {
    (column, Datum::string(lowest), Datum::string(highest))
}
