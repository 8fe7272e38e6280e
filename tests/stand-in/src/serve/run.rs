//! Runs a query: waits for its turn, carries the statement out, and hands over pages.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use futures::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::Service;
use super::engine::Planned;
use super::engine::catalogs::{find_catalog, find_schema};
use super::failure::Failure;
use super::prepared;
use super::query::{Producer, Query};
use super::session::Transaction;
use super::show;
use super::sql::{Statement, scanner};
use super::text::form_encode;
use super::types::TrinoType;
use super::values::{self, Row};

/// Longer statements are refused, in characters: Trino's `query.max-length`.
const MAX_LENGTH: usize = 1_000_000;

/// Carries a query out from the queue to the end.
pub(crate) async fn run(service: Arc<Service>, query: Arc<Query>, mut producer: Producer) {
    // Never closed, so a permit always comes; without one the query would run outside the limit.
    let Ok(_permit) = service.slots.acquire().await else {
        return;
    };
    query.begin();
    let not_before = Instant::now() + service.options.min_run;
    let work = execute(&service, &query, &mut producer, not_before);
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    query.end(outcome.unwrap_or_else(|_| Err(Failure::internal("the engine broke down"))));
}

async fn execute(
    service: &Service,
    query: &Query,
    producer: &mut Producer,
    not_before: Instant,
) -> Result<(), Failure> {
    let length = query.sql.chars().count();
    if length > MAX_LENGTH {
        return Err(Failure::text_too_large(&format!(
            "Query text length ({length}) exceeds the maximum length ({MAX_LENGTH})"
        )));
    }
    if let Transaction::Id(id) = &query.session.transaction
        && !service.registry.has_transaction(id)
    {
        return Err(Failure::unknown_transaction(&format!(
            "Unknown transaction ID: {id}. Possibly expired? Commands ignored until end of transaction block"
        )));
    }
    let statement = resolve(query, Statement::parse(&query.sql)?)?;
    let planned = carry_out(service, query, statement).await;
    tokio::time::sleep_until(not_before).await;
    match planned? {
        Answer::Nothing => Ok(()),
        Answer::Table(columns, rows) => {
            query.note(|progress| {
                progress.columns = Some(columns);
                progress.rows = rows.len() as u64;
            });
            for page in rows.chunks(service.options.page_rows) {
                if !producer.send(page.to_vec()).await {
                    break;
                }
            }
            Ok(())
        }
        Answer::Query(planned) => stream(service, query, producer, &planned).await,
    }
}

/// Puts the prepared statement in the place of an EXECUTE.
fn resolve(query: &Query, statement: Statement) -> Result<Statement, Failure> {
    let (sql, parameters) = match statement {
        Statement::Execute { name, parameters } => (prepared_sql(query, &name)?, parameters),
        Statement::ExecuteImmediate { sql, parameters } => (sql, parameters),
        other => return Ok(other),
    };
    let sql = scanner::substitute(&sql, &parameters).map_err(|marks| {
        Failure::invalid_parameter_usage(&format!(
            "Incorrect number of parameters: expected {marks} but found {}",
            parameters.len()
        ))
    })?;
    match Statement::parse(&sql)? {
        Statement::Execute { .. } | Statement::ExecuteImmediate { .. } | Statement::Prepare { .. } => {
            Err(Failure::not_supported("Invalid statement type for prepared statement"))
        }
        statement => Ok(statement),
    }
}

fn prepared_sql(query: &Query, name: &str) -> Result<String, Failure> {
    let found = query.session.prepared.get(name).cloned();
    found.ok_or_else(|| Failure::not_found(&format!("Prepared statement not found: {name}")))
}

/// What a statement answers.
enum Answer {
    /// No rows; what it did is in the session headers.
    Nothing,
    /// Rows that are there already.
    Table(Vec<(String, TrinoType)>, Vec<Row>),
    /// Rows to come.
    Query(Box<Planned>),
}

async fn carry_out(service: &Service, query: &Query, statement: Statement) -> Result<Answer, Failure> {
    let session = &query.session;
    let catalogs = service.engine.catalogs().as_ref();
    let update = |update_type: &'static str, changes: Vec<(&'static str, String)>| {
        query.note(|progress| {
            progress.update_type = Some(update_type);
            progress.session_changes = changes;
        });
        Ok(Answer::Nothing)
    };
    match statement {
        Statement::Query(sql) => {
            let planned = service.engine.plan(session, &sql).await?;
            Ok(Answer::Query(Box::new(planned)))
        }
        Statement::Explain { analyze, sql } => {
            let planned = service.engine.plan(session, &sql).await?;
            let plan = if analyze {
                let mut batches = planned.run()?;
                while let Some(batch) = batches.next().await {
                    batch?;
                }
                planned.explain_analyze()
            } else {
                planned.explain()
            };
            let columns = vec![("Query Plan".to_owned(), TrinoType::Varchar)];
            Ok(Answer::Table(columns, vec![vec![plan.into()]]))
        }
        Statement::Show { what, like } => {
            let (columns, rows) = show::table(&service.engine, session, what, like.as_deref()).await?;
            Ok(Answer::Table(columns, rows))
        }
        Statement::SetSession { name, value } => {
            let change = format!("{name}={}", form_encode(&value));
            update("SET SESSION", vec![("x-trino-set-session", change)])
        }
        Statement::ResetSession { name } => update("RESET SESSION", vec![("x-trino-clear-session", name)]),
        Statement::Use { catalog, schema } => {
            let name: Vec<String> = catalog.clone().into_iter().chain([schema.clone()]).collect();
            find_catalog(catalogs, session, catalog.as_deref())?;
            find_schema(catalogs, session, &name)?;
            let mut changes = Vec::new();
            changes.extend(catalog.map(|catalog| ("x-trino-set-catalog", catalog)));
            changes.push(("x-trino-set-schema", schema));
            update("USE", changes)
        }
        Statement::StartTransaction => match &session.transaction {
            Transaction::Unsupported => Err(Failure::incompatible_client("Client does not support transactions")),
            Transaction::Id(_) => Err(Failure::not_supported("Nested transactions not supported")),
            Transaction::None => {
                let id = service.registry.begin_transaction();
                update("START TRANSACTION", vec![("x-trino-started-transaction-id", id)])
            }
        },
        Statement::Commit | Statement::Rollback => {
            let Transaction::Id(id) = &session.transaction else {
                return Err(Failure::not_in_transaction("No transaction in progress"));
            };
            service.registry.end_transaction(id);
            let update_type = match statement {
                Statement::Commit => "COMMIT",
                _ => "ROLLBACK",
            };
            let cleared = "true".to_owned();
            update(update_type, vec![("x-trino-clear-transaction-id", cleared)])
        }
        Statement::Prepare { name, sql } => {
            Statement::parse(&sql)?;
            let added = format!("{}={}", form_encode(&name), form_encode(&prepared::encode(&sql)));
            update("PREPARE", vec![("x-trino-added-prepare", added)])
        }
        Statement::Deallocate { name } => {
            prepared_sql(query, &name)?;
            update("DEALLOCATE", vec![("x-trino-deallocated-prepare", form_encode(&name))])
        }
        Statement::DescribeInput { name } => {
            let (columns, rows) = show::inputs(&prepared_sql(query, &name)?);
            Ok(Answer::Table(columns, rows))
        }
        Statement::DescribeOutput { name } => {
            let sql = prepared_sql(query, &name)?;
            // Types of columns do not hang on parameters' values, or rarely.
            let marks = scanner::substitute(&sql, &[]).err().unwrap_or_default();
            let nulls = vec!["NULL".to_owned(); marks];
            let sql = scanner::substitute(&sql, &nulls).unwrap_or(sql);
            let planned = service.engine.plan(session, &sql).await?;
            let (columns, rows) = show::outputs(&planned.columns);
            Ok(Answer::Table(columns, rows))
        }
        Statement::Kill { query_id, message } => {
            let found = service.registry.get(&query_id);
            let found = found.ok_or_else(|| Failure::not_found(&format!("Target query not found: {query_id}")))?;
            let message = message.unwrap_or_default();
            found.kill(Failure::killed(&format!("Query killed. {message}")));
            update("CALL", Vec::new())
        }
        Statement::Execute { .. } | Statement::ExecuteImmediate { .. } => {
            Err(Failure::internal("an EXECUTE was not resolved"))
        }
    }
}

async fn stream(service: &Service, query: &Query, producer: &mut Producer, planned: &Planned) -> Result<(), Failure> {
    query.note(|progress| {
        progress.columns = Some(planned.columns.clone());
        progress.scanned_bytes = planned.scanned_bytes;
    });
    let types: Vec<TrinoType> = planned.columns.iter().map(|(_, kind)| kind.clone()).collect();
    let page_rows = service.options.page_rows;
    let mut batches = planned.run()?;
    let mut pending: Vec<Row> = Vec::new();
    loop {
        let batch = tokio::select! {
            batch = batches.next() => batch,
            () = producer.stopped() => break,
        };
        let Some(batch) = batch else { break };
        let batch: RecordBatch = batch?;
        query.note(|progress| progress.rows += batch.num_rows() as u64);
        // In slices of a page: the rows of a wide batch as JSON weigh many times the batch.
        let mut start = 0;
        while start < batch.num_rows() {
            let wanted = page_rows - pending.len();
            let length = wanted.min(batch.num_rows() - start);
            let rows = values::rows(&batch.slice(start, length), &types)
                .map_err(|error| Failure::from(datafusion::error::DataFusionError::from(error)))?;
            pending.extend(rows);
            start += length;
            if pending.len() == page_rows && !producer.send(std::mem::take(&mut pending)).await {
                return Ok(());
            }
        }
    }
    if !pending.is_empty() {
        producer.send(pending).await;
    }
    Ok(())
}
