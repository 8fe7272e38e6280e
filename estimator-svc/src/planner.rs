//! How many bytes a scan of one table reads: the files that survive pruning, by Iceberg metadata alone.
//!
//! [`Planner::plan`] is the seam: a table, a predicate in SQL's terms, and out come files and bytes, or the reason why
//! there is no number. Behind it, iceberg-rust reads metadata and decodes manifests; binding, projection, pruning and
//! the counting of delete files are ours, since its own planning loses files in some cases, panics in others and hides
//! sizes (see ARCHITECTURE.md). What it refuses or panics on becomes *unknown*, never a smaller number.
//!
//! Reading order: `bind` (SQL's terms to columns), `expression` (statistics), `partition` (projection), `deletes`,
//! `manifest` (what is kept), `value` and `calendar`. Not here: which table is meant ([`crate::tables`]).

mod bind;
mod calendar;
mod deletes;
mod expression;
mod manifest;
mod partition;
mod value;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::{StreamExt, TryStreamExt, stream};
use iceberg::spec::{ManifestContentType, ManifestFile, ManifestList, PrimitiveType, Schema, TableMetadata, Transform};
use iceberg::table::Table;
use lakegate_core::predicate::Predicate;
use moka::future::Cache;
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::unknown::{Cause, brief};
pub use bind::Filter;
use bind::{Bound, bind};
use deletes::Placed;
use expression::Expr;
use manifest::{Decoded, FileEntry};
use partition::{PartitionExpr, project};

/// Manifests decoded at the same time for one table; more would only queue for the same cores.
const MANIFESTS_AT_ONCE: usize = 4;

/// Manifests decoded at the same time in all. A manifest of iceberg-rust's takes a hundred times its file while it is
/// being decoded: this bounds memory.
const DECODERS: usize = 4;

/// Lists of manifests kept; each has some hundred bytes a manifest.
const MANIFEST_LISTS: u64 = 256;

/// Memory for estimates, in bytes: some 50,000 of plain filters, or fewer with long lists.
const PLAN_BYTES: u64 = 64 * 1024 * 1024;

/// What an estimate takes beside its filter.
const PLAN_OVERHEAD: usize = 1024;

/// What a scan of one table reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// Data files that survive.
    pub files: u64,
    /// Their sizes, summed.
    pub bytes: u64,
    /// Delete files that apply to them.
    pub delete_files: u64,
    /// Their sizes; of a deletion vector its own part.
    pub delete_bytes: u64,
    /// True if nothing was weakened on the way from the predicate asked to the sum.
    pub exact: bool,
    /// The snapshot planned; `None` for a table that never had one.
    pub snapshot_id: Option<i64>,
    /// The filter that was evaluated, as Iceberg's REST specification writes it.
    pub filter: serde_json::Value,
    /// What pruned how much.
    pub pruned: Pruned,
}

impl Planned {
    /// Data and delete files together; `None` if the sum does not fit.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.bytes.checked_add(self.delete_bytes)
    }
}

/// What pruned how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Data manifests of the snapshot.
    pub manifests: u64,
    /// Of these, not read because of their partition summaries.
    pub manifests_skipped: u64,
    /// Data files in the manifests that were read.
    pub files_seen: u64,
    /// Of these, dropped by their partition.
    pub by_partition: u64,
    /// Dropped by column statistics, or because they are empty.
    pub by_statistics: u64,
}

/// What the cache of estimates is keyed by: bound columns, so that two spellings of one filter share an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PlanKey {
    table: String,
    snapshot_id: i64,
    schema_id: i32,
    expr: Expr,
    exact: bool,
}

/// Plans, and keeps what planning can use again.
#[derive(Clone)]
pub struct Planner {
    manifests: Cache<String, Arc<Decoded>>,
    lists: Cache<String, Arc<ManifestList>>,
    plans: Cache<PlanKey, Arc<Planned>>,
    decoders: Arc<Semaphore>,
    made: Arc<AtomicU64>,
}

impl Planner {
    /// A planner that keeps decoded manifests up to that many bytes.
    #[must_use]
    pub fn new(manifest_bytes: u64) -> Self {
        Self {
            manifests: Cache::builder()
                .max_capacity(manifest_bytes)
                .weigher(|path: &String, decoded: &Arc<Decoded>| {
                    u32::try_from(path.len() + decoded.weight()).unwrap_or(u32::MAX)
                })
                .build(),
            lists: Cache::new(MANIFEST_LISTS),
            plans: Cache::builder()
                .max_capacity(PLAN_BYTES)
                .weigher(|key: &PlanKey, _: &Arc<Planned>| {
                    u32::try_from(PLAN_OVERHEAD + key.expr.weight()).unwrap_or(u32::MAX)
                })
                .build(),
            decoders: Arc::new(Semaphore::new(DECODERS)),
            made: Arc::new(AtomicU64::new(0)),
        }
    }

    /// Scans planned so far, answers from the cache not counted.
    #[must_use]
    pub fn plans_made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// The files that a scan of the table's current snapshot reads under that filter.
    ///
    /// # Errors
    /// Why there is no number.
    pub async fn plan(&self, table: &Table, filter: Filter<'_>) -> Result<Arc<Planned>, Cause> {
        let metadata = table.metadata();
        let schema = metadata.current_schema();
        let Bound { expr, exact } = bind(filter, schema);
        let Some(snapshot_id) = metadata.current_snapshot_id() else {
            return Ok(Arc::new(empty(&expr, exact, schema)));
        };
        let key = PlanKey {
            table: table_key(table),
            snapshot_id,
            schema_id: schema.schema_id(),
            expr,
            exact,
        };
        if let Some(planned) = self.plans.get(&key).await {
            return Ok(planned);
        }
        // On a task of its own: the work goes on if the one who asked has no more time, and a panic stays inside.
        let planner = self.clone();
        let table = table.clone();
        let task = tokio::spawn(async move {
            let fresh = planner.clone();
            let work = fresh.plan_fresh(&table, key.clone());
            planner
                .plans
                .try_get_with(key, work)
                .await
                .map_err(|cause| Cause::clone(&cause))
        });
        task.await.map_err(|error| panicked(&error))?
    }

    /// Reads and decodes every manifest of the current snapshot, so that the first plan does not have to.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub async fn warm(&self, table: &Table) -> Result<(), Cause> {
        self.plan(table, Filter::plain(&Predicate::AlwaysTrue))
            .await
            .map(|_| ())
    }

    async fn plan_fresh(&self, table: &Table, key: PlanKey) -> Result<Arc<Planned>, Cause> {
        self.made.fetch_add(1, Ordering::Relaxed);
        let list = self.manifest_list(table).await?;
        let specs = Specs::new(table.metadata(), &list, &key.expr)?;
        let mut pruned = Pruned::default();
        let mut wanted = Vec::new();
        for file in list.entries() {
            if !file.has_added_files() && !file.has_existing_files() {
                continue;
            }
            let is_data = file.content == ManifestContentType::Data;
            pruned.manifests += u64::from(is_data);
            if specs.manifest_might_match(file) {
                wanted.push(file.clone());
            } else {
                pruned.manifests_skipped += u64::from(is_data);
            }
        }
        let decoded: Vec<(ManifestFile, Arc<Decoded>)> = stream::iter(wanted)
            .map(|file| async move {
                let decoded = self.manifest(table, &file).await?;
                Ok::<_, Cause>((file, decoded))
            })
            .buffered(MANIFESTS_AT_ONCE)
            .try_collect()
            .await?;
        let schema = Arc::clone(table.metadata().current_schema());
        let planned = tokio::task::spawn_blocking(move || select(&key, &schema, &specs, &decoded, pruned))
            .await
            .map_err(|error| panicked(&error))??;
        Ok(Arc::new(planned))
    }

    async fn manifest_list(&self, table: &Table) -> Result<Arc<ManifestList>, Cause> {
        let Some(snapshot) = table.metadata().current_snapshot() else {
            return Err(Cause::ManifestUnreadable("no current snapshot".into()));
        };
        let location = snapshot.manifest_list().to_owned();
        if location.is_empty() {
            return Err(Cause::ManifestUnreadable(
                "the snapshot embeds its manifests (format version 1)".into(),
            ));
        }
        let reader = table.manifest_list_reader(snapshot);
        self.lists
            .try_get_with(location, async move {
                let handle = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || handle.block_on(reader.load()))
                    .await
                    .map_err(|error| panicked(&error))?
                    .map(Arc::new)
                    .map_err(|error| Cause::ManifestUnreadable(brief(&error)))
            })
            .await
            .map_err(|cause| Cause::clone(&cause))
    }

    async fn manifest(&self, table: &Table, file: &ManifestFile) -> Result<Arc<Decoded>, Cause> {
        let file_io = table.file_io().clone();
        let file = file.clone();
        let decoders = Arc::clone(&self.decoders);
        self.manifests
            .try_get_with(file.manifest_path.clone(), async move {
                let permit = decoders.acquire_owned().await.map_err(|_| Cause::Deadline)?;
                let handle = tokio::runtime::Handle::current();
                // Decoding takes a core for a while; the threads that answer requests must not be the ones.
                tokio::task::spawn_blocking(move || {
                    let _permit = permit;
                    let manifest = handle
                        .block_on(file.load_manifest(&file_io))
                        .map_err(|error| Cause::ManifestUnreadable(brief(&error)))?;
                    Decoded::from_manifest(&manifest, &file)
                        .map(Arc::new)
                        .map_err(|error| Cause::ManifestUnreadable(brief(&error)))
                })
                .await
                .map_err(|error| panicked(&error))?
            })
            .await
            .map_err(|cause| Cause::clone(&cause))
    }
}

fn panicked(error: &tokio::task::JoinError) -> Cause {
    Cause::Panicked(brief(error))
}

/// A table by its identity; its location too, since a uuid may be copied with the metadata.
fn table_key(table: &Table) -> String {
    format!("{} {}", table.metadata().uuid(), table.metadata().location())
}

fn empty(expr: &Expr, exact: bool, schema: &Schema) -> Planned {
    Planned {
        files: 0,
        bytes: 0,
        delete_files: 0,
        delete_bytes: 0,
        exact,
        snapshot_id: None,
        filter: expr.to_rest_json(schema),
        pruned: Pruned::default(),
    }
}

/// What is needed of each partition spec that the snapshot's manifests use.
struct Specs {
    by_id: HashMap<i32, Spec>,
}

struct Spec {
    filter: PartitionExpr,
    kinds: Vec<(Transform, PrimitiveType)>,
    unpartitioned: bool,
}

impl Specs {
    fn new(metadata: &TableMetadata, list: &ManifestList, expr: &Expr) -> Result<Self, Cause> {
        let schema = metadata.current_schema();
        let mut by_id = HashMap::new();
        for file in list.entries() {
            let id = file.partition_spec_id;
            if by_id.contains_key(&id) {
                continue;
            }
            let spec = metadata
                .partition_spec_by_id(id)
                .ok_or_else(|| Cause::ManifestUnreadable(format!("{}: no partition spec {id}", file.manifest_path)))?;
            // A source column that was dropped leaves its type unknown: summaries are then not used.
            let kinds = spec
                .partition_type(schema)
                .ok()
                .and_then(|kinds| {
                    spec.fields()
                        .iter()
                        .zip(kinds.fields())
                        .map(|(field, kind)| Some((field.transform, kind.field_type.as_primitive_type()?.clone())))
                        .collect::<Option<Vec<_>>>()
                })
                .unwrap_or_default();
            by_id.insert(
                id,
                Spec {
                    filter: project(expr, spec, schema),
                    kinds,
                    unpartitioned: spec.fields().is_empty(),
                },
            );
        }
        Ok(Self { by_id })
    }

    fn manifest_might_match(&self, file: &ManifestFile) -> bool {
        let summaries = file.partitions.as_deref().unwrap_or_default();
        match self.by_id.get(&file.partition_spec_id) {
            Some(spec) if !summaries.is_empty() && summaries.len() == spec.kinds.len() => {
                spec.filter.manifest_might_match(summaries, &spec.kinds)
            }
            _ => true,
        }
    }
}

/// Sums what survives.
fn select(
    key: &PlanKey,
    schema: &Schema,
    specs: &Specs,
    manifests: &[(ManifestFile, Arc<Decoded>)],
    mut pruned: Pruned,
) -> Result<Planned, Cause> {
    let mut data = Vec::new();
    let mut deletes = Vec::new();
    let mut bytes = 0u64;
    for (manifest, decoded) in manifests {
        let spec = specs.by_id.get(&manifest.partition_spec_id);
        for file in &decoded.files {
            let by_partition = spec.is_none_or(|spec| spec.filter.might_match(&file.partition));
            let by_statistics = by_partition && file.records > 0 && key.expr.might_match(file);
            let placed = Placed {
                spec_id: manifest.partition_spec_id,
                unpartitioned: spec.is_some_and(|spec| spec.unpartitioned),
                file,
            };
            if file.delete.is_some() {
                if by_statistics {
                    deletes.push(placed);
                }
                continue;
            }
            pruned.files_seen += 1;
            pruned.by_partition += u64::from(!by_partition);
            pruned.by_statistics += u64::from(by_partition && !by_statistics);
            if by_statistics {
                bytes = bytes.checked_add(file.bytes).ok_or(Cause::TooLarge)?;
                data.push(placed);
            }
        }
    }
    let required = |id| schema.field_by_id(id).is_some_and(|field| field.required);
    let applied = deletes::applied(&data, &deletes, &required);
    Ok(Planned {
        files: count(data.len()),
        bytes,
        delete_files: applied.files,
        delete_bytes: applied.bytes.ok_or(Cause::TooLarge)?,
        exact: key.exact && !applied.upper_bound,
        snapshot_id: Some(key.snapshot_id),
        filter: key.expr.to_rest_json(schema),
        pruned,
    })
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Entries of the manifest cache are checked here so that a change of their layout shows.
const _: () = assert!(size_of::<FileEntry>() <= 128);

#[cfg(test)]
mod tests;
