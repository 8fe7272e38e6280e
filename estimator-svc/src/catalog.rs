//! The Iceberg catalogs: opened when first needed, and again after they failed.
//!
//! A catalog that does not answer must not stop the service. Whoever needs it meanwhile gets a cause, at once and
//! without another try while the last failure is fresh; a task of its own keeps trying, ever more slowly up to a bound.
//! Not here: tables ([`crate::tables`]).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iceberg::io::LocalFsStorageFactory;
use iceberg::table::Table;
use iceberg::{Catalog as IcebergCatalog, CatalogBuilder, ErrorKind as IcebergErrorKind, TableIdent};
use iceberg_catalog_rest::RestCatalogBuilder;
use iceberg_catalog_sql::{SqlBindStyle, SqlCatalogBuilder};
use tokio::time::Instant;

use crate::config::CatalogConfig;
use crate::unknown::{Cause, brief};

/// A catalog that takes longer than this does not answer.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Pauses between tries of a catalog that fails: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Pause between questions to a catalog that answers: tables in use are refreshed anyway, this one is for the idle.
const HEALTHY_PAUSE: Duration = Duration::from_secs(30);

/// After so many failures in a row the connection is made anew: a token or a pool may have gone bad.
const FAILURES_BEFORE_REOPENING: u32 = 3;

/// All catalogs by the name that SQL calls them.
#[derive(Clone, Debug)]
pub struct Catalogs {
    by_name: Arc<BTreeMap<String, Arc<Catalog>>>,
}

/// One catalog.
#[derive(Debug)]
pub struct Catalog {
    name: String,
    config: CatalogConfig,
    /// Held while opening, so that only one caller does.
    open: tokio::sync::Mutex<Option<Arc<dyn IcebergCatalog>>>,
    health: Mutex<Health>,
}

#[derive(Debug)]
enum Health {
    /// Nobody has asked it anything yet.
    Untried,
    Answers,
    Fails {
        cause: String,
        failures: u32,
        retry_at: Instant,
    },
}

impl Catalogs {
    /// The catalogs of a configuration, none of them opened.
    #[must_use]
    pub fn new(configs: &BTreeMap<String, CatalogConfig>) -> Self {
        let by_name = configs
            .iter()
            .map(|(name, config)| (name.clone(), Arc::new(Catalog::new(name, config))))
            .collect();
        Self {
            by_name: Arc::new(by_name),
        }
    }

    /// The catalog that SQL calls by that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Catalog>> {
        self.by_name.get(name)
    }

    /// The catalogs that do not answer, with the cause.
    #[must_use]
    pub fn not_ready(&self) -> Vec<(String, String)> {
        self.by_name
            .values()
            .filter_map(|catalog| Some((catalog.name.clone(), catalog.not_ready()?)))
            .collect()
    }

    /// Tries catalogs that fail until they answer, and looks after the others now and then. Runs for ever.
    pub async fn keep_trying(self) {
        let watches = self.by_name.values().cloned().map(Catalog::keep_trying);
        futures::future::join_all(watches).await;
    }
}

impl Catalog {
    fn new(name: &str, config: &CatalogConfig) -> Self {
        Self {
            name: name.to_owned(),
            config: config.clone(),
            open: tokio::sync::Mutex::new(None),
            health: Mutex::new(Health::Untried),
        }
    }

    /// Loads a table.
    ///
    /// # Errors
    /// The table is not there, or cannot be read, or the catalog does not answer.
    pub async fn load_table(&self, ident: &TableIdent) -> Result<Table, Cause> {
        self.refuse_while_failing()?;
        let catalog = self.opened().await?;
        let ident = ident.clone();
        // On a task of its own: a panic in a client or in the metadata's parser stays inside.
        let task = tokio::spawn(async move { catalog.load_table(&ident).await });
        let loaded = match tokio::time::timeout(CALL_TIMEOUT, task).await {
            Err(_) => return Err(self.failed("no answer in time".into())),
            Ok(Err(error)) => return Err(Cause::Panicked(brief(&error))),
            Ok(Ok(loaded)) => loaded,
        };
        match loaded {
            Ok(table) => {
                self.answered();
                Ok(table)
            }
            Err(error) => match error.kind() {
                IcebergErrorKind::TableNotFound | IcebergErrorKind::NamespaceNotFound => {
                    self.answered();
                    Err(Cause::NoSuchTable)
                }
                // Metadata that cannot be parsed or fetched is about this table and not about the catalog.
                IcebergErrorKind::DataInvalid | IcebergErrorKind::FeatureUnsupported => {
                    Err(Cause::TableUnreadable(brief(&error)))
                }
                _ => Err(self.failed(brief(&error))),
            },
        }
    }

    async fn keep_trying(self: Arc<Self>) {
        loop {
            let pause = match &*self.health() {
                Health::Answers => HEALTHY_PAUSE,
                Health::Untried => Duration::ZERO,
                Health::Fails { retry_at, .. } => retry_at.saturating_duration_since(Instant::now()),
            };
            tokio::time::sleep(pause).await;
            // Somebody else may have asked meanwhile, and failed: then it is too early.
            if self.refuse_while_failing().is_ok() {
                self.probe().await;
            }
        }
    }

    /// Asks the cheapest question there is.
    async fn probe(&self) {
        let Ok(catalog) = self.opened().await else {
            return;
        };
        let task = tokio::spawn(async move { catalog.list_namespaces(None).await });
        let cause = match tokio::time::timeout(CALL_TIMEOUT, task).await {
            Ok(Ok(Ok(_))) => return self.answered(),
            Err(_) => "no answer in time".into(),
            Ok(Err(error)) => brief(&error),
            Ok(Ok(Err(error))) => brief(&error),
        };
        self.failed(cause);
    }

    async fn opened(&self) -> Result<Arc<dyn IcebergCatalog>, Cause> {
        let mut open = self.open.lock().await;
        let worn_out = matches!(&*self.health(), Health::Fails { failures, .. }
            if failures % FAILURES_BEFORE_REOPENING == 0);
        if let Some(catalog) = open.as_ref().filter(|_| !worn_out) {
            return Ok(Arc::clone(catalog));
        }
        let (name, config) = (self.name.clone(), self.config.clone());
        let task = tokio::spawn(async move { connect(&name, &config).await });
        let catalog = match tokio::time::timeout(CALL_TIMEOUT, task).await {
            Err(_) => return Err(self.failed("no answer in time".into())),
            Ok(Err(error)) => return Err(self.failed(brief(&error))),
            Ok(Ok(Err(error))) => return Err(self.failed(brief(&error))),
            Ok(Ok(Ok(catalog))) => catalog,
        };
        *open = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    fn health(&self) -> std::sync::MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While a failure is fresh the next caller hears of it at once instead of waiting for another.
    fn refuse_while_failing(&self) -> Result<(), Cause> {
        match &*self.health() {
            Health::Fails { cause, retry_at, .. } if *retry_at > Instant::now() => {
                Err(Cause::CatalogUnreachable(cause.clone()))
            }
            _ => Ok(()),
        }
    }

    fn not_ready(&self) -> Option<String> {
        match &*self.health() {
            Health::Untried => Some("not asked yet".into()),
            Health::Answers => None,
            Health::Fails { cause, .. } => Some(cause.clone()),
        }
    }

    fn answered(&self) {
        let mut health = self.health();
        if !matches!(*health, Health::Answers) {
            tracing::info!(catalog = %self.name, "catalog answers");
            *health = Health::Answers;
        }
    }

    fn failed(&self, cause: String) -> Cause {
        let mut health = self.health();
        let failures = match &*health {
            Health::Fails { failures, .. } => failures.saturating_add(1),
            _ => 1,
        };
        if failures == 1 {
            tracing::warn!(catalog = %self.name, cause, "catalog does not answer");
        }
        let pause = FIRST_PAUSE
            .saturating_mul(1 << failures.min(8).saturating_sub(1))
            .min(LONGEST_PAUSE);
        *health = Health::Fails {
            cause: cause.clone(),
            failures,
            retry_at: Instant::now() + pause,
        };
        Cause::CatalogUnreachable(cause)
    }
}

async fn connect(name: &str, config: &CatalogConfig) -> iceberg::Result<Arc<dyn IcebergCatalog>> {
    let storage = Arc::new(LocalFsStorageFactory);
    Ok(match config {
        CatalogConfig::Sql {
            uri,
            catalog_name,
            warehouse,
        } => Arc::new(
            SqlCatalogBuilder::default()
                .uri(uri)
                .warehouse_location(warehouse)
                .sql_bind_style(SqlBindStyle::QMark)
                .with_storage_factory(storage)
                .load(catalog_name, HashMap::new())
                .await?,
        ),
        CatalogConfig::Rest {
            uri,
            warehouse,
            properties,
        } => {
            let mut properties: HashMap<String, String> = properties
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            properties.insert("uri".into(), uri.clone());
            if let Some(warehouse) = warehouse {
                properties.insert("warehouse".into(), warehouse.clone());
            }
            Arc::new(
                RestCatalogBuilder::default()
                    .with_storage_factory(storage)
                    .load(name, properties)
                    .await?,
            )
        }
    })
}
