//! Runs queries over the warehouse with DataFusion.

pub(crate) mod catalogs;
mod dates;
mod scanned;
mod statement;

use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::CatalogProviderList;
use datafusion::common::TableReference;
use datafusion::common::config::Dialect;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::{SQLOptions, SessionContext, SessionState};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, displayable, execute_stream};
use datafusion::prelude::SessionConfig;

use super::failure::Failure;
use super::registry::Registry;
use super::session::Session;
use super::types::TrinoType;
use crate::error::{Context, Result};

/// The schema that every catalog has.
pub(crate) const INFORMATION_SCHEMA: &str = "information_schema";

/// Stands for a default catalog or schema that the client did not give. No catalog has this name.
const UNSET: &str = "";

/// The engine: catalogs, functions and memory, shared by all statements.
pub(crate) struct Engine {
    state: SessionState,
}

/// A statement that is ready to run.
pub(crate) struct Planned {
    /// Name and type of each column.
    pub(crate) columns: Vec<(String, TrinoType)>,
    /// Bytes of the data files that the scans will read.
    pub(crate) scanned_bytes: u64,
    plan: Arc<dyn ExecutionPlan>,
    state: SessionState,
}

impl Engine {
    /// Opens the catalog. Statements together get `memory` bytes for sorts, joins and aggregates.
    pub(crate) async fn open(catalog_db: &Path, memory: usize, registry: Arc<Registry>) -> Result<Self> {
        let catalogs = catalogs::open(catalog_db, registry).await?;
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_limit(memory, 1.0)
            .build_arc()
            .context(|| "cannot set up the query engine".to_owned())?;
        let config = SessionConfig::new()
            .with_default_catalog_and_schema(UNSET, UNSET)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(true);
        let mut builder = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(runtime)
            .with_catalog_list(catalogs)
            .with_default_features();
        builder
            .expr_planners()
            .get_or_insert_default()
            .insert(0, Arc::new(dates::DateArithmetic));
        Ok(Self { state: builder.build() })
    }

    /// The catalogs.
    pub(crate) fn catalogs(&self) -> &Arc<dyn CatalogProviderList> {
        self.state.catalog_list()
    }

    /// Plans a query for this session.
    pub(crate) async fn plan(&self, session: &Session, sql: &str) -> std::result::Result<Planned, Failure> {
        let state = self.state_for(session);
        let statement = state.sql_to_statement(sql, &Dialect::Generic)?;
        if let Some(verb) = statement::writes(&statement) {
            // Writing would change the sizes that demo and tests rely on, and MERGE is beyond DataFusion anyway.
            return Err(Failure::not_supported(&format!(
                "{verb} is not supported: this engine only reads"
            )));
        }
        for reference in state.resolve_table_references(&statement)? {
            self.check_table(&state, session, &reference)?;
        }
        let names = statement::names(&statement);
        let logical = state.statement_to_plan(statement).await?;
        // A second look, at what the statement became.
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&logical)?;
        let columns = columns(&logical, names, session);
        let plan = state.create_physical_plan(&logical).await?;
        Ok(Planned {
            columns,
            scanned_bytes: scanned::bytes(&plan).await?,
            plan,
            state,
        })
    }

    fn state_for(&self, session: &Session) -> SessionState {
        let mut state = self.state.clone();
        let defaults = &mut state.config_mut().options_mut().catalog;
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| UNSET.to_owned());
        defaults.default_catalog = name(&session.catalog);
        defaults.default_schema = name(&session.schema);
        // The context's own view of the state has the clock that CURRENT_DATE reads.
        SessionContext::new_with_state(state).state()
    }

    /// Says, in Trino's words, which part of a table's name is missing or unknown. DataFusion has one error for
    /// all of them.
    fn check_table(
        &self,
        state: &SessionState,
        session: &Session,
        reference: &TableReference,
    ) -> std::result::Result<(), Failure> {
        if state.table_functions().contains_key(reference.table()) {
            return Ok(());
        }
        let mut parts: Vec<String> = Vec::new();
        parts.extend(reference.catalog().map(str::to_owned));
        parts.extend(reference.schema().map(str::to_owned));
        parts.push(reference.table().to_owned());
        catalogs::find_table(self.catalogs().as_ref(), session, &parts).map(drop)
    }
}

impl Planned {
    /// Starts the query.
    pub(crate) fn run(&self) -> std::result::Result<SendableRecordBatchStream, Failure> {
        Ok(execute_stream(Arc::clone(&self.plan), self.state.task_ctx())?)
    }

    /// The plan as text.
    pub(crate) fn explain(&self) -> String {
        displayable(self.plan.as_ref()).indent(false).to_string()
    }

    /// The plan as text, with what each step did; to be asked after the run.
    pub(crate) fn explain_analyze(&self) -> String {
        datafusion::physical_plan::display::DisplayableExecutionPlan::with_metrics(self.plan.as_ref())
            .indent(false)
            .to_string()
    }
}

/// Names are Trino's where the statement tells them, DataFusion's otherwise.
fn columns(plan: &LogicalPlan, names: statement::Names, session: &Session) -> Vec<(String, TrinoType)> {
    let schema = plan.schema();
    let fields = schema.fields();
    fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let name = names.get(at, fields.len()).unwrap_or_else(|| field.name().clone());
            (name, TrinoType::of(field.data_type(), session.parametric_datetime))
        })
        .collect()
}
