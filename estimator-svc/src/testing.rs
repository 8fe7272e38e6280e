//! A small warehouse for tests: real Iceberg metadata in a SQLite catalog, over data files that are only stated.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{
    DataContentType, DataFile, DataFileBuilder, DataFileFormat, Datum, Literal, ManifestListWriter,
    ManifestWriterBuilder, NestedField, Operation, PrimitiveType, Schema, Snapshot, Struct, Summary, Transform, Type,
    UnboundPartitionSpec,
};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, MetadataLocation, NamespaceIdent, TableCreation, TableIdent};
use iceberg_catalog_sql::{SqlBindStyle, SqlCatalog, SqlCatalogBuilder};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder of its own for each test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("lakegate-{}-{number}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The warehouse.
pub(crate) struct Warehouse {
    pub(crate) folder: PathBuf,
    catalog: SqlCatalog,
}

/// A data file that does not exist.
pub(crate) struct Stated {
    pub(crate) bytes: u64,
    pub(crate) partition: Vec<Option<Literal>>,
    /// Column, lowest and highest value.
    pub(crate) bounds: Vec<(i32, Datum, Datum)>,
}

pub(crate) fn stated(bytes: u64) -> Stated {
    Stated {
        bytes,
        partition: Vec::new(),
        bounds: Vec::new(),
    }
}

impl Stated {
    pub(crate) fn at(mut self, value: Literal) -> Self {
        self.partition.push(Some(value));
        self
    }

    pub(crate) fn bound(mut self, id: i32, lower: Datum, upper: Datum) -> Self {
        self.bounds.push((id, lower, upper));
        self
    }
}

impl Warehouse {
    pub(crate) async fn create(name: &str) -> Self {
        let folder = scratch(name);
        let catalog = SqlCatalogBuilder::default()
            .uri(format!("sqlite://{}?mode=rwc", folder.join("catalog.db").display()))
            .warehouse_location(format!("file://{}", folder.join("warehouse").display()))
            .sql_bind_style(SqlBindStyle::QMark)
            .with_storage_factory(Arc::new(LocalFsStorageFactory))
            .load("lake", HashMap::new())
            .await
            .unwrap();
        Self { folder, catalog }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("catalog.db")
    }

    pub(crate) async fn table(
        &self,
        name: &str,
        columns: &[(&str, PrimitiveType)],
        partition: &[(&str, Transform)],
    ) -> Table {
        let (namespace, name) = name.split_once('.').unwrap();
        let namespace = NamespaceIdent::new(namespace.to_owned());
        if !self.catalog.namespace_exists(&namespace).await.unwrap() {
            self.catalog.create_namespace(&namespace, HashMap::new()).await.unwrap();
        }
        let fields = (1..)
            .zip(columns)
            .map(|(id, (name, kind))| Arc::new(NestedField::optional(id, *name, Type::Primitive(kind.clone()))));
        let schema = Schema::builder().with_fields(fields).build().unwrap();
        let mut spec = UnboundPartitionSpec::builder().with_spec_id(0);
        for (column, transform) in partition {
            let id = schema.field_id_by_name(column).unwrap();
            let field = if *transform == Transform::Identity {
                (*column).to_owned()
            } else {
                format!("{column}_part")
            };
            spec = spec.add_partition_field(id, field, *transform).unwrap();
        }
        let creation = TableCreation::builder()
            .name(name.to_owned())
            .schema(schema)
            .partition_spec(spec.build())
            .build();
        self.catalog.create_table(&namespace, creation).await.unwrap()
    }

    pub(crate) async fn load(&self, name: &str) -> Table {
        let (namespace, name) = name.split_once('.').unwrap();
        let ident = TableIdent::new(NamespaceIdent::new(namespace.to_owned()), name.to_owned());
        self.catalog.load_table(&ident).await.unwrap()
    }

    /// Appends files in a snapshot and a manifest of their own.
    pub(crate) async fn append(&self, name: &str, files: Vec<Stated>) -> Table {
        let table = self.load(name).await;
        let files = files
            .into_iter()
            .map(|file| data_file(&table, file, DataContentType::Data))
            .collect::<Vec<_>>();
        let transaction = Transaction::new(&table);
        transaction
            .fast_append()
            .add_data_files(files)
            .apply(transaction)
            .unwrap()
            .commit(&self.catalog)
            .await
            .unwrap()
    }

    /// Adds delete files by hand, as iceberg-rust's transactions do not.
    pub(crate) async fn delete(&self, name: &str, files: Vec<DataFile>) -> Table {
        let table = self.load(name).await;
        let metadata = table.metadata();
        let parent = metadata.current_snapshot().unwrap();
        let (id, sequence) = (parent.snapshot_id() + 1, metadata.next_sequence_number());
        let location = format!("{}/metadata/deletes-{id}.avro", metadata.location());
        let mut writer = ManifestWriterBuilder::new(
            table.file_io().new_output(&location).unwrap(),
            Some(id),
            metadata.current_schema().clone(),
            metadata.default_partition_spec().as_ref().clone(),
        )
        .build_v2_deletes();
        for file in files {
            writer.add_file(file, sequence).unwrap();
        }
        let manifest = writer.write_manifest_file().await.unwrap();
        let list_location = format!("{}/metadata/list-{id}.avro", metadata.location());
        let output = table
            .file_io()
            .new_output(&list_location)
            .unwrap()
            .writer()
            .await
            .unwrap();
        let mut list = ManifestListWriter::v2(output, id, Some(parent.snapshot_id()), sequence);
        let before = table.manifest_list_reader(parent).load().await.unwrap();
        list.add_manifests(before.consume_entries().into_iter()).unwrap();
        list.add_manifests(std::iter::once(manifest)).unwrap();
        list.close().await.unwrap();
        let snapshot = Snapshot::builder()
            .with_snapshot_id(id)
            .with_parent_snapshot_id(Some(parent.snapshot_id()))
            .with_sequence_number(sequence)
            .with_timestamp_ms(parent.timestamp_ms() + 1)
            .with_manifest_list(list_location)
            .with_summary(Summary {
                operation: Operation::Delete,
                additional_properties: HashMap::new(),
            })
            .with_schema_id(metadata.current_schema_id())
            .build();
        let changed = metadata
            .clone()
            .into_builder(table.metadata_location().map(str::to_owned))
            .set_branch_snapshot(snapshot, "main")
            .unwrap()
            .build()
            .unwrap()
            .metadata;
        let next: MetadataLocation = table
            .metadata_location()
            .unwrap()
            .parse::<MetadataLocation>()
            .unwrap()
            .with_next_version();
        changed.write_to(table.file_io(), &next).await.unwrap();
        self.catalog.drop_table(table.identifier()).await.unwrap();
        self.catalog
            .register_table(table.identifier(), next.to_string())
            .await
            .unwrap()
    }

    /// The folder that a table's metadata is in.
    pub(crate) fn metadata_folder(table: &Table) -> PathBuf {
        let location = table.metadata().location();
        Path::new(location.strip_prefix("file://").unwrap_or(location)).join("metadata")
    }
}

/// A delete file of that size.
pub(crate) fn delete_file(
    table: &Table,
    bytes: u64,
    partition: Vec<Option<Literal>>,
    content: DataContentType,
) -> DataFile {
    let file = Stated {
        bytes,
        partition,
        bounds: Vec::new(),
    };
    data_file(table, file, content)
}

fn data_file(table: &Table, file: Stated, content: DataContentType) -> DataFile {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let ids: Vec<i32> = file.bounds.iter().map(|(id, ..)| *id).collect();
    let mut builder = DataFileBuilder::default();
    builder
        .content(content)
        .file_path(format!("{}/data/{number}.parquet", table.metadata().location()))
        .file_format(DataFileFormat::Parquet)
        .partition(Struct::from_iter(file.partition))
        .partition_spec_id(table.metadata().default_partition_spec_id())
        .record_count(10)
        .file_size_in_bytes(file.bytes)
        .value_counts(ids.iter().map(|id| (*id, 10)).collect())
        .null_value_counts(ids.iter().map(|id| (*id, 0)).collect())
        .lower_bounds(file.bounds.iter().map(|(id, lower, _)| (*id, lower.clone())).collect())
        .upper_bounds(file.bounds.iter().map(|(id, _, upper)| (*id, upper.clone())).collect());
    if content == DataContentType::EqualityDeletes {
        builder.equality_ids(Some(vec![1]));
    }
    builder.build().unwrap()
}
