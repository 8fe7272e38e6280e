//! Opening the SQL catalog in its SQLite file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use iceberg::CatalogBuilder;
use iceberg::io::LocalFsStorageFactory;
use iceberg_catalog_sql::{SqlBindStyle, SqlCatalog, SqlCatalogBuilder};

use crate::error::{Context, Error, Result};

/// The catalog's name, which is part of every row of the SQL catalog: every reader must give the same.
pub const CATALOG_NAME: &str = "lake";

/// Opens an existing catalog. The file must be there: a catalog made by a typing mistake would just be empty.
pub async fn open(catalog_db: &Path) -> Result<SqlCatalog> {
    if !catalog_db.is_file() {
        return Err(Error::new(format!(
            "there is no catalog at {}; make one with `lakegate-stand-in warehouse --dir DIR`",
            catalog_db.display()
        )));
    }
    // Tables know where they are; a location for new ones is not needed.
    load(catalog_db, "rw", "").await
}

/// Opens a catalog to be filled, with new tables below `warehouse`.
pub(crate) async fn create(catalog_db: &Path, warehouse: &Path) -> Result<SqlCatalog> {
    load(catalog_db, "rwc", &format!("file://{}", warehouse.display())).await
}

async fn load(catalog_db: &Path, mode: &str, warehouse: &str) -> Result<SqlCatalog> {
    SqlCatalogBuilder::default()
        .uri(format!("sqlite://{}?mode={mode}", catalog_db.display()))
        .warehouse_location(warehouse)
        .sql_bind_style(SqlBindStyle::QMark)
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load(CATALOG_NAME, HashMap::new())
        .await
        .context(|| format!("cannot open catalog {}", catalog_db.display()))
}
