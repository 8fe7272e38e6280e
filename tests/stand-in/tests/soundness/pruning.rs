//! Lakegate's side, by the code that ships: text, parser, filter, Iceberg metadata, planner.

use lakegate::planner::{Filter, Planner};
use lakegate_core::sql::parse::{ParseInput, parse};

use super::session::Session;
use super::table::Table;

/// The files of each table that survive, as bits; of a table that is read more than once, those that one of the reads
/// keeps. `None` if the statement is not parsed or a table is not among those that it reads.
pub(crate) async fn survivors(planner: &Planner, tables: &[&Table], sql: &str, session: &Session) -> Option<Vec<u64>> {
    let parsed = parse(&ParseInput {
        text: sql,
        rules: session.rules(),
        prepared: &[],
        now: Some(session.told()),
    })
    .ok()?;
    let mut kept = vec![None; tables.len()];
    for read in &parsed.tables {
        let name = read.name.to_string();
        let at = tables.iter().position(|table| table.name == name)?;
        let filter = Filter {
            predicate: &read.filter.predicate,
            nan_columns: &read.nan_columns,
            nan_is_largest: session.like_dremio,
        };
        let planned = planner.plan(&tables[at].iceberg, filter).await.unwrap();
        *kept[at].get_or_insert(0) |= planned.bytes;
    }
    kept.into_iter().collect()
}
