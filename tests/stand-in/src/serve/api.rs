//! The HTTP interface.

mod info;
mod query;
mod statement;
mod submissions;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, head};

use super::Service;
use super::forwarded::{self, ProcessForwarded};

/// Bodies are read up to this size. A million characters, the longest statement, are at most four million bytes;
/// a longer body must still be read for the query to fail as it does in Trino.
const BODY_LIMIT: usize = 32 << 20;

/// Every path that is answered.
pub(super) fn router(service: Arc<Service>) -> Router {
    let queued = "/v1/statement/queued/{id}/{slug}/{token}";
    let executing = "/v1/statement/executing/{id}/{slug}/{token}";
    let partial_cancel = "/v1/statement/executing/partialCancel/{id}/{stage}/{slug}/{token}";
    Router::new()
        .route("/v1/statement", head(async || StatusCode::OK).post(statement::submit))
        .route(
            queued,
            // Without a HEAD of its own a route answers HEAD with GET, which would take a page away.
            get(statement::poll_queued)
                .head(statement::head_queued)
                .delete(statement::cancel_queued),
        )
        .route(
            executing,
            get(statement::poll_executing)
                .head(statement::head_executing)
                .delete(statement::cancel_executing),
        )
        .route(partial_cancel, delete(statement::partial_cancel))
        .route("/v1/query", get(query::list))
        .route("/v1/query/{id}", get(query::show).delete(query::cancel))
        .route("/ui/query.html", get(query::page))
        .route("/v1/info", get(info::info))
        .route("/v1/info/state", get(info::state))
        .route("/v1/info/coordinator", get(async || StatusCode::OK))
        .route("/v1/status", get(info::status))
        .route("/v1/resourceGroupState/{group}", get(info::resource_group))
        .route(
            "/stand-in/submissions",
            get(submissions::list).delete(submissions::clear),
        )
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(Arc::clone(&service), refuse_forwarded))
        .with_state(service)
}

/// Trino's default: a request that came through a proxy is refused, because its addresses could not be right.
async fn refuse_forwarded(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let refuse = service.options.process_forwarded == ProcessForwarded::Reject;
    if refuse && forwarded::is_forwarded(request.headers()) {
        let reason = "Server configuration does not allow processing of the X-Forwarded-For header";
        return text(StatusCode::NOT_ACCEPTABLE, reason);
    }
    next.run(request).await
}

/// The base of addresses in an answer to this request.
fn base_uri(service: &Service, headers: &HeaderMap) -> String {
    let own = service.address.to_string();
    forwarded::base_uri(headers, service.options.process_forwarded, &own)
}

fn text(status: StatusCode, message: &str) -> Response {
    let plain = [(header::CONTENT_TYPE, "text/plain;charset=utf-8")];
    (status, plain, message.to_owned()).into_response()
}

fn no_user() -> Response {
    let mut response = text(
        StatusCode::UNAUTHORIZED,
        "Basic authentication or X-Trino-Original-User or X-Trino-User must be sent",
    );
    let basic = HeaderValue::from_static("Basic realm=\"Trino\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, basic);
    response
}
