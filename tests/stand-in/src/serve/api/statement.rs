//! `/v1/statement`: submission, pages and cancellation.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::super::Service;
use super::super::failure::Failure;
use super::super::query::{NoPage, Producer, Query, Series, State as QueryState};
use super::super::results;
use super::super::run;
use super::super::session::{Refusal, Session};
use super::{base_uri, no_user, text};

/// Path parameters of a page.
type PagePath = Path<(String, String, u64)>;

/// `POST /v1/statement`: registers the query and starts nothing. Its first poll does that.
pub(super) async fn submit(State(service): State<Arc<Service>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    // Whatever the content type: clients send several, none of them to be relied on.
    let sql = String::from_utf8_lossy(&body).into_owned();
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let note = |id: Option<String>| service.submissions.note(id, &sql, &headers, path, "POST");

    let catalog = service.options.default_catalog.as_deref();
    let schema = service.options.default_schema.as_deref();
    let session = match Session::from_headers(&headers, catalog, schema) {
        Ok(session) => session,
        Err(refusal) => {
            note(None);
            return match refusal {
                Refusal::NoUser => no_user(),
                Refusal::BadHeader(reason) => {
                    text(StatusCode::BAD_REQUEST, &format!("Error 400 Bad Request: {reason}"))
                }
            };
        }
    };
    if sql.is_empty() {
        note(None);
        return text(StatusCode::BAD_REQUEST, "Error 400 Bad Request: SQL statement is empty");
    }
    let id = service.ids.next();
    note(Some(id.clone()));
    let (query, producer) = Query::new(id, sql.clone(), session);
    let query = Arc::new(query);
    query.park(producer);
    service.registry.add(Arc::clone(&query));
    let base = base_uri(&service, &headers);
    Json(results::queued_page(&query, &base, 1, QueryState::Queued)).into_response()
}

/// `GET /v1/statement/queued/..`.
pub(super) async fn poll_queued(
    State(service): State<Arc<Service>>,
    Path((id, slug, token)): PagePath,
    headers: HeaderMap,
) -> Response {
    let Some(query) = find(&service, Series::Queued, &id, &slug, token) else {
        return not_found();
    };
    if let Some(producer) = query.unpark() {
        enqueue(&service, &query, producer);
    }
    match query.poll_queued(token).await {
        Ok(state) => {
            let base = base_uri(&service, &headers);
            Json(results::queued_page(&query, &base, token + 1, state)).into_response()
        }
        Err(reason) => no_page(reason),
    }
}

/// Lets a query join the queue, if there is room.
fn enqueue(service: &Arc<Service>, query: &Arc<Query>, producer: Producer) {
    let (waiting, _) = service.registry.load();
    let free = service.slots.available_permits() > 0;
    if !free && waiting > service.options.max_queued {
        query.end(Err(Failure::queue_full("Too many queued queries for \"global\"")));
        return;
    }
    let work = run::run(Arc::clone(service), Arc::clone(query), producer);
    let task = service.queries.spawn(work);
    query.set_producer(task.abort_handle());
}

/// `GET /v1/statement/executing/..`.
pub(super) async fn poll_executing(
    State(service): State<Arc<Service>>,
    Path((id, slug, token)): PagePath,
    headers: HeaderMap,
) -> Response {
    let Some(query) = find(&service, Series::Executing, &id, &slug, token) else {
        return not_found();
    };
    match query.poll_executing(token).await {
        Ok(page) => {
            let base = base_uri(&service, &headers);
            let page = results::executing_page(&query, &base, token, page);
            (results::session_headers(&query), Json(page)).into_response()
        }
        Err(reason) => no_page(reason),
    }
}

/// `HEAD` of a page before the start: a sign of life, which takes nothing.
pub(super) async fn head_queued(State(service): State<Arc<Service>>, Path((id, slug, token)): PagePath) -> Response {
    heartbeat(&service, Series::Queued, &id, &slug, token)
}

/// `HEAD` of a page after the start.
pub(super) async fn head_executing(State(service): State<Arc<Service>>, Path((id, slug, token)): PagePath) -> Response {
    heartbeat(&service, Series::Executing, &id, &slug, token)
}

fn heartbeat(service: &Service, series: Series, id: &str, slug: &str, token: u64) -> Response {
    match find(service, series, id, slug, token) {
        Some(query) => {
            query.touch();
            StatusCode::OK.into_response()
        }
        None => not_found(),
    }
}

/// `DELETE` of a page before the start.
pub(super) async fn cancel_queued(State(service): State<Arc<Service>>, Path((id, slug, token)): PagePath) -> Response {
    cancel(&service, Series::Queued, &id, &slug, token)
}

/// `DELETE` of a page after the start.
pub(super) async fn cancel_executing(
    State(service): State<Arc<Service>>,
    Path((id, slug, token)): PagePath,
) -> Response {
    cancel(&service, Series::Executing, &id, &slug, token)
}

fn cancel(service: &Service, series: Series, id: &str, slug: &str, token: u64) -> Response {
    match find(service, series, id, slug, token) {
        Some(query) => {
            query.kill(Failure::canceled("Query was canceled"));
            StatusCode::NO_CONTENT.into_response()
        }
        None => not_found(),
    }
}

/// `DELETE /v1/statement/executing/partialCancel/..`: the query ends well, with the rows that it has.
pub(super) async fn partial_cancel(
    State(service): State<Arc<Service>>,
    Path((id, _stage, slug, token)): Path<(String, u64, String, u64)>,
) -> Response {
    match find(&service, Series::Executing, &id, &slug, token) {
        Some(query) => {
            query.finish_early();
            StatusCode::NO_CONTENT.into_response()
        }
        None => not_found(),
    }
}

/// A query by id, for those who know the secret of the page.
fn find(service: &Service, series: Series, id: &str, slug: &str, token: u64) -> Option<Arc<Query>> {
    let query = service.registry.get(id)?;
    query.knows(series, token, slug).then_some(query)
}

fn not_found() -> Response {
    text(StatusCode::NOT_FOUND, "Query not found")
}

fn no_page(reason: NoPage) -> Response {
    match reason {
        NoPage::Gone => StatusCode::GONE.into_response(),
        NoPage::NotFound => not_found(),
    }
}
