//! Tables by name: loaded once, kept fresh in the background, given out without a word to the catalog.
//!
//! Every table that was used lately is asked for anew each `table_refresh_ms`, so a warm estimate never waits for a
//! catalog and is at most that much behind. A table whose refresh keeps failing is not given out any more: its
//! snapshot may have grown, and an old small estimate would send a large scan to the wrong place.
//!
//! Not here: the catalogs' own health ([`crate::catalog`]), and what a scan of a table reads ([`crate::planner`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::{StreamExt, stream};
use iceberg::table::Table;
use iceberg::{NamespaceIdent, TableIdent};
use lakegate_core::sql::scan::TableName;
use moka::future::Cache;
use tokio::time::Instant;

use crate::catalog::Catalogs;
use crate::planner::Planner;
use crate::unknown::{Cause, Unknown, brief};

/// Tables kept and refreshed; the least recently used go first.
const MOST_TABLES: u64 = 1000;

/// A table that nobody asked for in this time is not refreshed any more.
const IDLE: Duration = Duration::from_secs(600);

/// A table is not given out once its refresh has failed for as long as this many refreshes take.
const STALE_AFTER_REFRESHES: u32 = 5;

/// Whatever else happens, a table that was not confirmed in this many refreshes is not given out: the loop is stuck.
const STUCK_AFTER_REFRESHES: u32 = 60;

/// Tables asked for at the same time by the refresh.
const REFRESHES_AT_ONCE: usize = 8;

/// A table's full name, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedName {
    /// The catalog, as SQL calls it.
    pub catalog: String,
    /// The schema, of one or more levels.
    pub namespace: Vec<String>,
    /// The table.
    pub table: String,
}

impl fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.catalog, self.namespace.join("."), self.table)
    }
}

/// What a name in a statement stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A table of a catalog.
    Table(QualifiedName),
    /// The engine's own lists (`information_schema`, `system`): no data file is read for them.
    EngineMetadata,
}

/// Where a name's missing parts come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults<'a> {
    /// The catalog.
    pub catalog: Option<&'a str>,
    /// The schema.
    pub schema: Option<&'a str>,
}

/// The tables.
#[derive(Clone)]
pub struct Tables {
    catalogs: Catalogs,
    slots: Cache<QualifiedName, Arc<Slot>>,
    refresh: Duration,
}

struct Slot {
    state: RwLock<State>,
}

#[derive(Clone)]
struct State {
    table: Arc<Table>,
    confirmed_at: Instant,
    /// Why the last refresh failed, if it did.
    failure: Option<String>,
}

/// Figures for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableFigures {
    /// Tables kept.
    pub tables: u64,
    /// Of these, not given out.
    pub stale: u64,
}

impl Tables {
    /// No tables yet.
    #[must_use]
    pub fn new(catalogs: Catalogs, refresh: Duration) -> Self {
        Self {
            catalogs,
            slots: Cache::builder().max_capacity(MOST_TABLES).time_to_idle(IDLE).build(),
            refresh,
        }
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// Parts are missing, or the catalog is not known.
    pub fn resolve(&self, name: &TableName, defaults: Defaults<'_>) -> Result<Resolved, Cause> {
        let parts = &name.parts;
        let is_metadata_schema = |part: Option<&String>| part.is_some_and(|part| part == "information_schema");
        let (catalog, namespace, table) = match parts.as_slice() {
            [] => return Err(Cause::NoDefault),
            [table] => (
                defaults.catalog.ok_or(Cause::NoDefault)?.to_lowercase(),
                vec![defaults.schema.ok_or(Cause::NoDefault)?.to_lowercase()],
                table.clone(),
            ),
            [schema, _] if schema == "information_schema" => return Ok(Resolved::EngineMetadata),
            [schema, table] => (
                defaults.catalog.ok_or(Cause::NoDefault)?.to_lowercase(),
                vec![schema.clone()],
                table.clone(),
            ),
            [catalog, namespace @ .., table] => (catalog.clone(), namespace.to_vec(), table.clone()),
        };
        if is_metadata_schema(namespace.first()) || (catalog == "system" && self.catalogs.get(&catalog).is_none()) {
            return Ok(Resolved::EngineMetadata);
        }
        if self.catalogs.get(&catalog).is_none() {
            return Err(Cause::UnknownCatalog(catalog));
        }
        if table.contains('$') {
            return Err(Cause::MetadataTable);
        }
        Ok(Resolved::Table(QualifiedName {
            catalog,
            namespace,
            table,
        }))
    }

    /// The table, from memory if it is there and fresh.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn get(&self, name: &QualifiedName) -> Result<Arc<Table>, Cause> {
        let slot = match self.slots.get(name).await {
            Some(slot) => slot,
            None => {
                // On a task of its own: whoever asked may give up, and the next one finds the table loaded.
                let (tables, name) = (self.clone(), name.clone());
                let task = tokio::spawn(async move { tables.load_slot(name).await });
                task.await.map_err(|error| Cause::Panicked(brief(&error)))??
            }
        };
        let state = slot.state();
        match self.staleness(&state) {
            None => Ok(state.table),
            Some(cause) => Err(cause),
        }
    }

    /// Current snapshots of the tables in use, by full name. A table that is not given out is not among them.
    #[must_use]
    pub fn snapshots(&self) -> BTreeMap<String, String> {
        self.slots
            .iter()
            .filter_map(|(name, slot)| {
                let state = slot.state();
                self.staleness(&state)
                    .is_none()
                    .then(|| (name.to_string(), snapshot_text(&state.table)))
            })
            .collect()
    }

    /// Figures for metrics.
    #[must_use]
    pub fn figures(&self) -> TableFigures {
        let mut figures = TableFigures::default();
        for (_, slot) in &self.slots {
            figures.tables += 1;
            figures.stale += u64::from(self.staleness(&slot.state()).is_some());
        }
        figures
    }

    /// Refreshes tables in use, for ever; a new snapshot's manifests are read ahead.
    pub async fn keep_fresh(self, planner: Planner) {
        let mut ticks = tokio::time::interval(self.refresh);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.refresh_all(&planner).await;
        }
    }

    /// One round of refreshes.
    pub async fn refresh_all(&self, planner: &Planner) {
        let slots: Vec<_> = self.slots.iter().collect();
        stream::iter(slots)
            .for_each_concurrent(REFRESHES_AT_ONCE, |(name, slot)| async move {
                if let Some(table) = self.refresh_one(&name, &slot).await {
                    let planner = planner.clone();
                    tokio::spawn(async move { planner.warm(&table).await });
                }
            })
            .await;
    }

    /// The table, if its snapshot has moved.
    async fn refresh_one(&self, name: &QualifiedName, slot: &Slot) -> Option<Arc<Table>> {
        match self.load(name).await {
            Ok(table) => slot.confirm(table),
            Err(Cause::NoSuchTable) => {
                self.slots.invalidate(name).await;
                None
            }
            Err(cause) => {
                slot.fail(cause.to_string());
                None
            }
        }
    }

    async fn load_slot(&self, name: QualifiedName) -> Result<Arc<Slot>, Cause> {
        let load = async {
            let table = self.load(&name).await?;
            Ok::<_, Cause>(Arc::new(Slot::new(table)))
        };
        self.slots
            .try_get_with(name.clone(), load)
            .await
            .map_err(|cause| Cause::clone(&cause))
    }

    async fn load(&self, name: &QualifiedName) -> Result<Table, Cause> {
        let catalog = self
            .catalogs
            .get(&name.catalog)
            .ok_or_else(|| Cause::UnknownCatalog(name.catalog.clone()))?;
        let namespace = NamespaceIdent::from_vec(name.namespace.clone()).map_err(|_| Cause::NoSuchTable)?;
        catalog
            .load_table(&TableIdent::new(namespace, name.table.clone()))
            .await
    }

    fn staleness(&self, state: &State) -> Option<Cause> {
        let age = state.confirmed_at.elapsed();
        match &state.failure {
            Some(why) if age > self.refresh * STALE_AFTER_REFRESHES => Some(Cause::Stale(why.clone())),
            _ if age > self.refresh * STUCK_AFTER_REFRESHES => Some(Cause::Stale("the refresh is behind".into())),
            _ => None,
        }
    }
}

/// A table's snapshot as text; ids exceed what a JSON number holds safely.
#[must_use]
pub fn snapshot_text(table: &Table) -> String {
    table
        .metadata()
        .current_snapshot_id()
        .map_or_else(|| "none".into(), |id| id.to_string())
}

/// A cause with the table it is about.
pub(crate) fn about(name: &TableName, cause: Cause) -> Unknown {
    Unknown::of_table(name.to_string(), cause)
}

impl Slot {
    fn new(table: Table) -> Self {
        Self {
            state: RwLock::new(State {
                table: Arc::new(table),
                confirmed_at: Instant::now(),
                failure: None,
            }),
        }
    }

    fn state(&self) -> State {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn confirm(&self, table: Table) -> Option<Arc<Table>> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.confirmed_at = Instant::now();
        state.failure = None;
        if table.metadata_location().is_some() && table.metadata_location() == state.table.metadata_location() {
            return None;
        }
        let moved = table.metadata().current_snapshot_id() != state.table.metadata().current_snapshot_id();
        state.table = Arc::new(table);
        moved.then(|| Arc::clone(&state.table))
    }

    fn fail(&self, cause: String) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.failure = Some(cause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CatalogConfig;

    fn tables() -> Tables {
        let config = CatalogConfig::Sql {
            uri: "sqlite:///nowhere".into(),
            catalog_name: "lake".into(),
            warehouse: String::new(),
        };
        Tables::new(
            Catalogs::new(&BTreeMap::from([("lake".into(), config)])),
            Duration::from_secs(1),
        )
    }

    fn resolve(name: &str, catalog: Option<&str>, schema: Option<&str>) -> Result<Resolved, Cause> {
        let name = TableName {
            parts: name.split('.').map(str::to_owned).collect(),
        };
        tables().resolve(&name, Defaults { catalog, schema })
    }

    #[test]
    fn missing_parts_come_from_the_defaults() {
        for (name, catalog, schema) in [
            ("t", Some("lake"), Some("s")),
            ("t", Some("LAKE"), Some("S")),
            ("s.t", Some("lake"), Some("other")),
            ("lake.s.t", Some("elsewhere"), None),
            ("lake.s.t", None, None),
        ] {
            let Ok(Resolved::Table(full)) = resolve(name, catalog, schema) else {
                panic!("{name}");
            };
            assert_eq!(full.to_string(), "lake.s.t");
        }
        assert_eq!(resolve("t", Some("lake"), None), Err(Cause::NoDefault));
        assert_eq!(resolve("s.t", None, Some("s")), Err(Cause::NoDefault));
    }

    #[test]
    fn names_that_are_no_table_are_told_apart() {
        assert_eq!(resolve("pg.s.t", None, None), Err(Cause::UnknownCatalog("pg".into())));
        assert_eq!(resolve("lake.s.t$files", None, None), Err(Cause::MetadataTable));
        for name in [
            "information_schema.tables",
            "lake.information_schema.columns",
            "system.runtime.queries",
        ] {
            assert_eq!(
                resolve(name, Some("lake"), None),
                Ok(Resolved::EngineMetadata),
                "{name}"
            );
        }
    }
}
