//! The JSON of a result page, field by field in Trino's order.
//!
//! `columns` must come before `data`: newer clients read rows as they parse only then.

use axum::http::HeaderMap;
use serde::Serialize;
use serde_json::Value;

use super::query::{Page, Progress, Query, Series, State};
use super::types::TrinoType;
use super::values::Row;

/// The only stage that queries here have.
const STAGE: u64 = 0;

/// `QueryResults`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryResults {
    id: String,
    info_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_cancel_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<Column>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<Row>>,
    stats: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    warnings: [Value; 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    update_type: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Column {
    name: String,
    r#type: String,
    type_signature: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    state: &'static str,
    queued: bool,
    scheduled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress_percentage: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    running_percentage: Option<f64>,
    nodes: u32,
    total_splits: u32,
    queued_splits: u32,
    running_splits: u32,
    completed_splits: u32,
    planning_time_millis: u64,
    analysis_time_millis: u64,
    cpu_time_millis: u64,
    wall_time_millis: u64,
    queued_time_millis: u64,
    elapsed_time_millis: u64,
    finishing_time_millis: u64,
    physical_input_time_millis: u64,
    processed_rows: u64,
    processed_bytes: u64,
    physical_input_bytes: u64,
    physical_written_bytes: u64,
    internal_network_input_bytes: u64,
    peak_memory_bytes: u64,
    spilled_bytes: u64,
}

impl Stats {
    fn of(progress: &Progress, state: State) -> Self {
        let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let started = state > State::Queued && progress.has_started();
        let done = state > State::Running;
        let run = progress.elapsed.saturating_sub(progress.queued);
        Self {
            state: state.name(),
            queued: !started,
            scheduled: started,
            progress_percentage: started.then_some(if done { 100.0 } else { 0.0 }),
            running_percentage: started.then_some(if done { 0.0 } else { 100.0 }),
            nodes: u32::from(started),
            total_splits: u32::from(started),
            queued_splits: 0,
            running_splits: u32::from(started && !done),
            completed_splits: u32::from(done),
            planning_time_millis: 0,
            analysis_time_millis: 0,
            // DataFusion does not count processor time; the time of the run is the nearest.
            cpu_time_millis: millis(run),
            wall_time_millis: millis(run),
            queued_time_millis: millis(progress.queued),
            elapsed_time_millis: millis(progress.elapsed),
            finishing_time_millis: 0,
            physical_input_time_millis: 0,
            processed_rows: progress.rows,
            processed_bytes: progress.scanned_bytes,
            physical_input_bytes: progress.scanned_bytes,
            physical_written_bytes: 0,
            internal_network_input_bytes: 0,
            peak_memory_bytes: 0,
            spilled_bytes: 0,
        }
    }
}

/// Where a query is described for people.
pub(crate) fn info_uri(base: &str, id: &str) -> String {
    format!("{base}/ui/query.html?{id}")
}

fn statement_uri(base: &str, path: &str) -> String {
    format!("{base}/v1/statement/{path}")
}

/// The page that answers a submission, or a poll before the start. `token` is the one to ask for next.
pub(crate) fn queued_page(query: &Query, base: &str, token: u64, state: State) -> QueryResults {
    let progress = query.progress();
    // A query that failed while it waited has no pages to go to.
    let failed = state == State::Failed;
    let next = match state {
        _ if failed => None,
        State::Queued => Some(query.path(Series::Queued, token)),
        _ => Some(query.path(Series::Executing, 0)),
    };
    QueryResults {
        id: query.id.clone(),
        info_uri: info_uri(base, &query.id),
        partial_cancel_uri: None,
        next_uri: next.map(|path| statement_uri(base, &path)),
        columns: None,
        data: None,
        stats: Stats::of(&progress, if failed { state } else { State::Queued }),
        error: progress.failure.filter(|_| failed).map(|f| f.to_json()),
        warnings: [],
        update_type: None,
    }
}

/// A page after the start.
pub(crate) fn executing_page(query: &Query, base: &str, token: u64, page: Page) -> QueryResults {
    let progress = query.progress();
    let state = if page.last { progress.state } else { State::Running };
    let next = (!page.last).then_some(token + 1);
    // A statement without a result has no columns, which is not the same as not knowing them yet.
    let no_result = state == State::Finished && progress.columns.is_none();
    let columns = progress.columns.clone().or(no_result.then(Vec::new));
    let columns = columns.map(|columns| columns.into_iter().map(Column::from).collect());
    QueryResults {
        id: query.id.clone(),
        info_uri: info_uri(base, &query.id),
        partial_cancel_uri: next.map(|token| statement_uri(base, &query.partial_cancel_path(STAGE, token))),
        next_uri: next.map(|token| statement_uri(base, &query.path(Series::Executing, token))),
        columns,
        // Absent rather than empty: some drivers take an empty list for the end.
        data: Some(page.rows).filter(|rows| !rows.is_empty()),
        stats: Stats::of(&progress, state),
        error: progress.failure.filter(|_| page.last).map(|failure| failure.to_json()),
        warnings: [],
        update_type: progress.update_type,
    }
}

impl From<(String, TrinoType)> for Column {
    fn from((name, kind): (String, TrinoType)) -> Self {
        Self {
            name,
            r#type: kind.to_string(),
            type_signature: kind.signature(),
        }
    }
}

/// The headers that change a client's session. They come with pages after the start, never with the submission.
pub(crate) fn session_headers(query: &Query) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in query.progress().session_changes {
        // Values are form-encoded or ids, so they always fit.
        if let Ok(value) = value.parse() {
            headers.append(name, value);
        }
    }
    headers
}
