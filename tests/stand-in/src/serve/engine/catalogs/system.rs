//! The catalog `system`: which engine answers, and what it has run.
//!
//! `system.runtime.nodes` is the surest way for a client behind a router to see where its statement went.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use datafusion::catalog::{CatalogProvider, SchemaProvider, TableProvider};
use datafusion::datasource::MemTable;
use datafusion::error::Result;

use super::super::super::registry::Registry;

const SCHEMA: &str = "runtime";
const NODES: &str = "nodes";
const QUERIES: &str = "queries";

/// The catalog.
#[derive(Debug)]
pub(super) struct System {
    runtime: Arc<Runtime>,
}

impl System {
    pub(super) fn new(registry: Arc<Registry>) -> Self {
        Self {
            runtime: Arc::new(Runtime { registry }),
        }
    }
}

impl CatalogProvider for System {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn schema_names(&self) -> Vec<String> {
        vec![SCHEMA.to_owned()]
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        (name == SCHEMA).then(|| Arc::clone(&self.runtime) as Arc<dyn SchemaProvider>)
    }
}

#[derive(Debug)]
struct Runtime {
    registry: Arc<Registry>,
}

#[async_trait]
impl SchemaProvider for Runtime {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn table_names(&self) -> Vec<String> {
        vec![NODES.to_owned(), QUERIES.to_owned()]
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let batch = match name {
            NODES => self.nodes()?,
            QUERIES => self.queries()?,
            _ => return Ok(None),
        };
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]])?;
        Ok(Some(Arc::new(table)))
    }

    fn table_exist(&self, name: &str) -> bool {
        matches!(name, NODES | QUERIES)
    }
}

impl Runtime {
    fn nodes(&self) -> Result<RecordBatch> {
        let node = self.registry.node();
        let text = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value])) };
        Ok(RecordBatch::try_from_iter([
            ("node_id", text(&node.name)),
            ("http_uri", text(&node.uri)),
            ("node_version", text(&node.version)),
            ("coordinator", Arc::new(BooleanArray::from(vec![true]))),
            ("state", text("active")),
        ])?)
    }

    fn queries(&self) -> Result<RecordBatch> {
        let queries = self.registry.all();
        let column = |value: &dyn Fn(&super::super::super::query::Query) -> Option<String>| {
            let values = queries.iter().map(|query| value(query));
            Arc::new(values.collect::<StringArray>()) as ArrayRef
        };
        Ok(RecordBatch::try_from_iter([
            ("query_id", column(&|q| Some(q.id.clone()))),
            ("state", column(&|q| Some(q.progress().state.name().to_owned()))),
            ("user", column(&|q| Some(q.session.user.clone()))),
            ("source", column(&|q| q.session.source.clone())),
            ("query", column(&|q| Some(q.sql.clone()))),
            (
                "error_code",
                column(&|q| q.progress().failure.map(|f| f.name.to_owned())),
            ),
        ])?)
    }
}
