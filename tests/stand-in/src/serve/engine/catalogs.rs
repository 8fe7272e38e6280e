//! The catalogs that statements may name: the warehouse, and `system` about the engine itself.

mod system;
mod warehouse;

use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, CatalogProviderList, MemoryCatalogProviderList, SchemaProvider};
use iceberg_datafusion::IcebergCatalogProvider;

use super::super::failure::Failure;
use super::super::registry::Registry;
use super::super::session::Session;
use super::INFORMATION_SCHEMA;
use crate::error::{Context, Result};
use crate::warehouse as lake;

/// Opens the warehouse's catalog and adds `system`.
pub(super) async fn open(catalog_db: &Path, registry: Arc<Registry>) -> Result<Arc<dyn CatalogProviderList>> {
    let catalog = Arc::new(lake::open(catalog_db).await?);
    let provider = IcebergCatalogProvider::try_new(catalog)
        .await
        .context(|| format!("cannot read the tables of {}", catalog_db.display()))?;
    let catalogs = MemoryCatalogProviderList::new();
    catalogs.register_catalog(lake::CATALOG_NAME.to_owned(), Arc::new(warehouse::Tables(provider)));
    catalogs.register_catalog("system".to_owned(), Arc::new(system::System::new(registry)));
    Ok(Arc::new(catalogs))
}

/// The catalog that a name means, or Trino's complaint.
pub(crate) fn find_catalog(
    catalogs: &dyn CatalogProviderList,
    session: &Session,
    name: Option<&str>,
) -> std::result::Result<(String, Arc<dyn CatalogProvider>), Failure> {
    let name = name
        .or(session.catalog.as_deref())
        .ok_or_else(|| Failure::missing_catalog_name("Catalog must be specified when session catalog is not set"))?;
    let catalog = catalogs
        .catalog(name)
        .ok_or_else(|| Failure::catalog_not_found(&format!("Catalog '{name}' not found")))?;
    Ok((name.to_owned(), catalog))
}

/// A schema by its full name. `information_schema` is no provider of its own.
pub(crate) struct FoundSchema {
    /// The catalog's name.
    pub(crate) catalog: String,
    /// The schema's name.
    pub(crate) schema: String,
    /// None for `information_schema`.
    pub(crate) provider: Option<Arc<dyn SchemaProvider>>,
}

/// The schema that a name of up to two parts means, or Trino's complaint.
pub(crate) fn find_schema(
    catalogs: &dyn CatalogProviderList,
    session: &Session,
    parts: &[String],
) -> std::result::Result<FoundSchema, Failure> {
    let (catalog, schema) = match parts {
        [] => (None, session.schema.as_deref()),
        [schema] => (None, Some(schema.as_str())),
        [catalog, schema] => (Some(catalog.as_str()), Some(schema.as_str())),
        _ => return Err(Failure::syntax("Too many parts in schema name")),
    };
    let (catalog, provider) = find_catalog(catalogs, session, catalog)?;
    let schema = schema
        .ok_or_else(|| Failure::missing_schema_name("Schema must be specified when session schema is not set"))?;
    let found = provider.schema(schema);
    if found.is_none() && schema != INFORMATION_SCHEMA {
        return Err(Failure::schema_not_found(&format!("Schema '{schema}' does not exist")));
    }
    Ok(FoundSchema {
        catalog,
        schema: schema.to_owned(),
        provider: found,
    })
}

/// The table that a name of up to three parts means, or Trino's complaint.
pub(crate) fn find_table(
    catalogs: &dyn CatalogProviderList,
    session: &Session,
    parts: &[String],
) -> std::result::Result<(FoundSchema, String), Failure> {
    let Some((table, schema)) = parts.split_last() else {
        return Err(Failure::syntax("a table's name is missing"));
    };
    let found = find_schema(catalogs, session, schema)?;
    if let Some(provider) = &found.provider
        && !provider.table_exist(table)
    {
        return Err(Failure::table_not_found(&format!(
            "Table '{}.{}.{table}' does not exist",
            found.catalog, found.schema
        )));
    }
    Ok((found, table.clone()))
}
