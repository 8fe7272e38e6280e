//! The warehouse's tables, without the metadata tables (`events$snapshots` and so on) in listings.
//!
//! They can still be queried; Trino lists them as little.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::error::Result;
use iceberg_datafusion::IcebergCatalogProvider;

/// The catalog.
#[derive(Debug)]
pub(super) struct Tables(pub(super) IcebergCatalogProvider);

impl CatalogProvider for Tables {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn schema_names(&self) -> Vec<String> {
        self.0.schema_names()
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        Some(Arc::new(Schema(self.0.schema(name)?)))
    }
}

#[derive(Debug)]
struct Schema(Arc<dyn SchemaProvider>);

#[async_trait]
impl SchemaProvider for Schema {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn table_names(&self) -> Vec<String> {
        let mut names = self.0.table_names();
        names.retain(|name| !name.contains('$'));
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        self.0.table(name).await
    }

    fn table_exist(&self, name: &str) -> bool {
        self.0.table_exist(name)
    }
}
