//! A generated table: its rows for DataFusion, and real Iceberg metadata over the files that they lie in.

use std::collections::HashMap;
use std::sync::Arc;

use iceberg::io::MemoryStorageFactory;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalog, MemoryCatalogBuilder};
use iceberg::spec::{NestedField, Schema, Transform, Type, UnboundPartitionSpec};
use iceberg::table::Table as IcebergTable;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation};

use super::files::{self, Field, File};
use super::random::Random;
use super::rows::{self, Row};
use super::value::{COLUMNS, KEY};

/// Catalog and namespace of all tables.
pub(crate) struct Lake {
    catalog: MemoryCatalog,
    namespace: NamespaceIdent,
}

/// A table.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) iceberg: IcebergTable,
    pub(crate) spec: Vec<Field>,
    pub(crate) files: Vec<File>,
    /// The files' rows.
    pub(crate) rows: Vec<Row>,
}

impl Lake {
    pub(crate) async fn open() -> Self {
        let catalog = MemoryCatalogBuilder::default()
            .with_storage_factory(Arc::new(MemoryStorageFactory))
            .load(
                "lake",
                HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), "memory:///lake".to_owned())]),
            )
            .await
            .unwrap();
        let namespace = NamespaceIdent::new("n".to_owned());
        catalog.create_namespace(&namespace, HashMap::new()).await.unwrap();
        Self { catalog, namespace }
    }

    /// Makes a table, in up to three commits and so in several manifests.
    pub(crate) async fn table(&self, name: String, random: &mut Random) -> Table {
        let spec = files::spec(random);
        let mut files = files::distribute(rows::generate(random), &spec, random);
        // Manifests of a partition, or of whatever came.
        if random.once_in(2) {
            files.reverse();
        }
        let fields = COLUMNS.iter().enumerate().map(|(at, (name, kind))| {
            let kind = Type::Primitive(kind.iceberg());
            Arc::new(NestedField::new(i32::try_from(at + 1).unwrap(), *name, kind, at == KEY))
        });
        let schema = Schema::builder().with_fields(fields).build().unwrap();
        let mut partition = UnboundPartitionSpec::builder().with_spec_id(0);
        for (at, transform) in &spec {
            let column = COLUMNS[*at].0;
            let name = if *transform == Transform::Identity {
                column.to_owned()
            } else {
                format!("{column}_part")
            };
            partition = partition
                .add_partition_field(i32::try_from(at + 1).unwrap(), name, *transform)
                .unwrap();
        }
        let creation = TableCreation::builder()
            .name(name.clone())
            .schema(schema)
            .partition_spec(partition.build())
            .build();
        let mut iceberg = self.catalog.create_table(&self.namespace, creation).await.unwrap();
        let stated: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(number, file)| files::data_file(file, number, random))
            .collect();
        let a_commit = files.len().div_ceil(1 + random.below(4)).max(1);
        for commit in stated.chunks(a_commit) {
            let transaction = Transaction::new(&iceberg);
            iceberg = transaction
                .fast_append()
                .add_data_files(commit.to_vec())
                .apply(transaction)
                .unwrap()
                .commit(&self.catalog)
                .await
                .unwrap();
        }
        Table {
            rows: files.iter().flat_map(|file| file.rows.iter().cloned()).collect(),
            name,
            iceberg,
            spec,
            files,
        }
    }
}
