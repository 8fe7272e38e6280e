//! `/v1/query` and the page about a query.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};

use super::super::Service;
use super::super::failure::Failure;
use super::super::ids::utc;
use super::super::query::Query;
use super::{base_uri, no_user};

/// `GET /v1/query`.
pub(super) async fn list(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    if !has_user(&headers) {
        return no_user();
    }
    let base = base_uri(&service, &headers);
    let queries = service.registry.all();
    let all: Vec<Value> = queries.iter().map(|query| describe(query, &base)).collect();
    Json(all).into_response()
}

/// `GET /v1/query/{id}`. An unknown id is Gone, as in Trino, not "not found".
pub(super) async fn show(State(service): State<Arc<Service>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    if !has_user(&headers) {
        return no_user();
    }
    match service.registry.get(&id) {
        Some(query) => Json(describe(&query, &base_uri(&service, &headers))).into_response(),
        None => StatusCode::GONE.into_response(),
    }
}

/// `DELETE /v1/query/{id}`, which Go and JavaScript clients cancel with.
pub(super) async fn cancel(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has_user(&headers) {
        return no_user();
    }
    // An id that nobody knows is as good as cancelled: so says Trino.
    if let Some(query) = service.registry.get(&id) {
        query.kill(Failure::canceled("Query was canceled"));
    }
    StatusCode::NO_CONTENT.into_response()
}

/// `GET /ui/query.html?{id}`: where `infoUri` leads.
pub(super) async fn page(State(service): State<Arc<Service>>, RawQuery(id): RawQuery, headers: HeaderMap) -> Response {
    let id = id.unwrap_or_default();
    let Some(query) = service.registry.get(&id) else {
        return (StatusCode::NOT_FOUND, Html("<h1>Query not found</h1>")).into_response();
    };
    let described = describe(&query, &base_uri(&service, &headers));
    let text = format!("{described:#}");
    let name = &service.registry.node().name;
    Html(format!(
        "<!doctype html><title>{id}</title><h1>{}: {id}</h1><pre>{}</pre>",
        escape(name),
        escape(&text)
    ))
    .into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn has_user(headers: &HeaderMap) -> bool {
    headers.get("x-trino-user").is_some_and(|user| !user.is_empty())
}

fn describe(query: &Query, base: &str) -> Value {
    let progress = query.progress();
    let run = progress.elapsed.saturating_sub(progress.queued);
    let (date, time) = utc(query.created);
    let millis = |time: std::time::Duration| format!("{:.2}ms", time.as_secs_f64() * 1_000.0);
    let error = progress.failure.as_ref();
    json!({
        "queryId": query.id,
        "session": {
            "queryId": query.id,
            "user": query.session.user,
            "source": query.session.source,
            "catalog": query.session.catalog,
            "schema": query.session.schema,
            "clientTags": query.session.client_tags,
            "systemProperties": query.session.properties,
        },
        "resourceGroupId": ["global"],
        "state": progress.state.name(),
        "scheduled": true,
        "self": format!("{base}/v1/query/{}", query.id),
        "query": query.sql,
        "updateType": progress.update_type,
        "queryStats": {
            "createTime": format!("{date}T{time}Z"),
            "queuedTime": millis(progress.queued),
            "resourceWaitingTime": "0.00ns",
            "elapsedTime": millis(progress.elapsed),
            "executionTime": millis(run),
            "totalCpuTime": millis(run),
            "physicalInputDataSize": format!("{}B", progress.scanned_bytes),
            "processedInputPositions": progress.rows,
            "outputPositions": progress.rows,
        },
        "errorType": error.map(|e| e.error_type()),
        "errorCode": error.map(|e| json!({"code": e.code, "name": e.name, "type": e.error_type()})),
        "failureInfo": error.map(|e| json!({"message": e.message})),
    })
}
