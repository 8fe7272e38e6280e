//! Writes the tables through Iceberg's own path: Parquet writer, manifests, one append to each table.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use iceberg::spec::{DataContentType, DataFile, DataFileBuilder, DataFileFormat, Datum, Struct, TableMetadata};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::file_writer::{FileWriter, FileWriterBuilder, ParquetWriterBuilder};
use iceberg::{Catalog, NamespaceIdent, TableCreation};
use tokio::task::JoinSet;

use super::Kind;
use super::catalog;
use super::design::{Content, Design, File, STATED_ROW_BYTES, Stated};
use super::folder::Folder;
use super::parquet;
use super::tables;
use crate::error::{Context, Error, Result};

/// Files written at the same time. Encoding is work for a processor, not waiting, and machines here have two.
const WRITERS: usize = 2;

/// Progress is told no more often than this.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Writes every table and registers it in the catalog that is being made.
pub(crate) async fn write_all(folder: &Folder, kind: Kind) -> Result<()> {
    let catalog = catalog::create(&folder.catalog_db_making(), &folder.warehouse()).await?;
    for design in tables::all() {
        write_table(&catalog, &design, kind).await?;
    }
    Ok(())
}

async fn write_table(catalog: &dyn Catalog, design: &Design, kind: Kind) -> Result<()> {
    let table = create_table(catalog, design).await?;
    let data_files = match kind {
        Kind::Demo => write_files(&table, design).await?,
        Kind::Stated => state_files(&table, design)?,
    };
    let append = || format!("cannot append to table {}", design.full_name());
    let transaction = Transaction::new(&table);
    transaction
        .fast_append()
        .add_data_files(data_files)
        .apply(transaction)
        .context(append)?
        .commit(catalog)
        .await
        .context(append)?;
    Ok(())
}

async fn create_table(catalog: &dyn Catalog, design: &Design) -> Result<Table> {
    let create = || format!("cannot create table {}", design.full_name());
    let namespace = NamespaceIdent::new(design.namespace.to_owned());
    if !catalog.namespace_exists(&namespace).await.context(create)? {
        catalog
            .create_namespace(&namespace, HashMap::new())
            .await
            .context(create)?;
    }
    let creation = TableCreation::builder()
        .name(design.name.to_owned())
        .schema(design.schema()?)
        .partition_spec(design.partition_spec()?)
        .build();
    catalog.create_table(&namespace, creation).await.context(create)
}

/// Writes real Parquet files, a few at a time.
async fn write_files(table: &Table, design: &Design) -> Result<Vec<DataFile>> {
    let mut progress = Progress::of(design.full_name());
    let mut waiting = (design.files)(Kind::Demo).into_iter();
    progress.total = waiting.len();
    let mut running = JoinSet::new();
    // Manifests list files in the order of the design, whichever is finished first.
    let mut numbered = Vec::new();
    let mut next = 0_usize;
    loop {
        while running.len() < WRITERS {
            let Some(file) = waiting.next() else { break };
            let table = table.clone();
            let number = next;
            next += 1;
            running.spawn(async move { write_file(&table, file).await.map(|f| (number, f)) });
        }
        let Some(done) = running.join_next().await else {
            break;
        };
        let done = done
            .context(|| format!("writing {} broke off", design.full_name()))?
            .context(|| format!("cannot write {}", design.full_name()))?;
        progress.add(done.1.file_size_in_bytes());
        numbered.push(done);
    }
    numbered.sort_by_key(|(number, _)| *number);
    Ok(numbered.into_iter().map(|(_, file)| file).collect())
}

async fn write_file(table: &Table, file: File) -> Result<DataFile> {
    let metadata = table.metadata();
    let path = data_path(metadata, &file.path);
    let write = || format!("cannot write {path}");
    let Content::Rows(rows) = file.content else {
        return Err(Error::new(format!("{path} has no rows")));
    };
    let schema = metadata.current_schema();
    let arrow_schema = iceberg::arrow::schema_to_arrow_schema(schema).context(write)?;
    let batch = RecordBatch::try_new(Arc::new(arrow_schema), rows()).context(write)?;

    let output = table.file_io().new_output(&path).context(write)?;
    let mut writer = ParquetWriterBuilder::new(parquet::properties(), schema.clone())
        .build(output)
        .await
        .context(write)?;
    writer.write(&batch).await.context(write)?;
    let mut built = writer.close().await.context(write)?;
    built
        .first_mut()
        .ok_or_else(|| Error::new(format!("{path} is empty")))?
        .partition(Struct::from_iter(file.partition.into_iter().map(Some)))
        .partition_spec_id(metadata.default_partition_spec_id())
        .build()
        .context(write)
}

/// Describes files that do not exist.
fn state_files(table: &Table, design: &Design) -> Result<Vec<DataFile>> {
    let metadata = table.metadata();
    (design.files)(Kind::Stated)
        .into_iter()
        .map(|file| {
            let path = data_path(metadata, &file.path);
            let Content::Stated(stated) = file.content else {
                return Err(Error::new(format!("{path} has rows, not a statement")));
            };
            let mut builder = state_file(design, stated)?;
            builder
                .file_path(path.clone())
                .partition(Struct::from_iter(file.partition.into_iter().map(Some)))
                .partition_spec_id(metadata.default_partition_spec_id())
                .build()
                .context(|| format!("cannot state {path}"))
        })
        .collect()
}

fn state_file(design: &Design, stated: Stated) -> Result<DataFileBuilder> {
    let rows = stated.bytes / STATED_ROW_BYTES;
    let columns = design.columns.len() as u64;
    let ids = 1..=i32::try_from(columns).unwrap_or(i32::MAX);
    let mut lower: HashMap<i32, Datum> = HashMap::new();
    let mut upper: HashMap<i32, Datum> = HashMap::new();
    for (column, lowest, highest) in stated.bounds {
        let id = design
            .field_id(column)
            .ok_or_else(|| Error::new(format!("{} has no column {column}", design.full_name())))?;
        lower.insert(id, lowest);
        upper.insert(id, highest);
    }
    let mut builder = DataFileBuilder::default();
    builder
        .content(DataContentType::Data)
        .file_format(DataFileFormat::Parquet)
        .record_count(rows)
        .file_size_in_bytes(stated.bytes)
        // The last column is the filler and makes up nearly all of a file; the others take eight bytes a row.
        .column_sizes(
            ids.clone()
                .map(|id| {
                    let others = rows * 8;
                    let last = stated.bytes.saturating_sub(others * columns);
                    (id, if id == *ids.end() { last } else { others })
                })
                .collect(),
        )
        .value_counts(ids.clone().map(|id| (id, rows)).collect())
        .null_value_counts(ids.map(|id| (id, 0)).collect())
        .lower_bounds(lower)
        .upper_bounds(upper)
        // Row groups of 128 MB, as Trino and Spark write them by default.
        .split_offsets(Some(
            (0..stated.bytes.div_ceil(128 << 20))
                .map(|group| i64::try_from(4 + group * (128 << 20)).unwrap_or(i64::MAX))
                .collect(),
        ));
    Ok(builder)
}

fn data_path(metadata: &TableMetadata, below: &str) -> String {
    format!("{}/data/{below}", metadata.location())
}

/// Tells how far a table is, now and then.
struct Progress {
    table: String,
    total: usize,
    files: usize,
    bytes: u64,
    told: Instant,
}

impl Progress {
    fn of(table: String) -> Self {
        Self {
            table,
            total: 0,
            files: 0,
            bytes: 0,
            told: Instant::now(),
        }
    }

    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
        if self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Instant::now();
            eprintln!(
                "warehouse: {}: {} of {} files, {:.1} MB",
                self.table,
                self.files,
                self.total,
                self.bytes as f64 / (1024.0 * 1024.0)
            );
        }
    }
}
