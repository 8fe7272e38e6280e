//! The HTTP surface: paths, bodies, status codes.
//!
//! Bodies are read by hand so that every failure is JSON of one form, `{"error": {kind, message, field}}`. Statement
//! texts are not logged. Not here: what the answers say ([`crate::service`]).

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use lakegate_core::headers;
use lakegate_core::wire::FactsRequest;
use serde::Serialize;
use serde_json::json;

use crate::error::{Error, ErrorKind};
use crate::service::{PATIENT_DEADLINE, Service};

/// A statement of a million characters, quoted as JSON, fits.
const LARGEST_BODY: usize = 2 * 1024 * 1024;

/// The paths that are counted by name.
const PATHS: [&str; 7] = [
    "/v1/facts",
    "/v1/state",
    "/v1/policy",
    "/v1/explain",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// The routes over a service.
pub fn app(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/facts", post(facts))
        .route("/v1/state", get(state))
        .route("/v1/policy", get(policy))
        .route("/v1/explain", post(explain))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .fallback(|| async { ApiError::of(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path") })
        .method_not_allowed_fallback(|| async {
            ApiError::of(StatusCode::METHOD_NOT_ALLOWED, "method", "this path has no such method")
        })
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(Arc::clone(&service), count))
        .with_state(service)
}

async fn count(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let path = PATHS
        .iter()
        .find(|path| **path == request.uri().path())
        .copied()
        .unwrap_or("other");
    let response = next.run(request).await;
    service.metrics().request(path, response.status().as_u16());
    response
}

async fn facts(State(service): State<Arc<Service>>, body: Result<Bytes, BytesRejection>) -> Result<Response, ApiError> {
    let started = Instant::now();
    let question = service.question(read(body)?, None)?;
    let answer = service.answer(&question).await;
    let response = json_response(StatusCode::OK, &answer.into_response(&question.policy.version));
    service.metrics().facts(started.elapsed());
    Ok(response)
}

async fn explain(
    State(service): State<Arc<Service>>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let mut request: FactsRequest = read(body)?;
    // A dry run decides by the policy in force, whatever the sender has.
    request.policy_version.clear();
    let question = service.question(request, Some(PATIENT_DEADLINE))?;
    Ok(json_response(StatusCode::OK, &service.explain(&question).await))
}

async fn state(State(service): State<Arc<Service>>) -> Response {
    json_response(StatusCode::OK, &service.state())
}

async fn policy(State(service): State<Arc<Service>>) -> Response {
    let policy = service.policies().current();
    let mut response = ([(CONTENT_TYPE, JSON)], policy.to_json()).into_response();
    if let Ok(version) = HeaderValue::from_str(&policy.version) {
        let name = HeaderName::from_static(headers::POLICY_VERSION);
        response.headers_mut().insert(name, version);
    }
    response
}

async fn readyz(State(service): State<Arc<Service>>) -> Response {
    let not_ready = service.not_ready();
    let status = if not_ready.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    json_response(status, &json!({"ready": not_ready.is_empty(), "not_ready": not_ready}))
}

async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let page = service.metrics().render(&service.gauges());
    (
        [(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"))],
        page,
    )
        .into_response()
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(body) => (status, [(CONTENT_TYPE, JSON)], body).into_response(),
        Err(error) => {
            tracing::error!(%error, "answer cannot be written as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn read(body: Result<Bytes, BytesRejection>) -> Result<FactsRequest, ApiError> {
    let body = body.map_err(|rejection| {
        let status = rejection.status();
        let message = if status == StatusCode::PAYLOAD_TOO_LARGE {
            format!("the body is larger than {LARGEST_BODY} bytes")
        } else {
            "the body cannot be read".into()
        };
        ApiError::of(status, "body", message)
    })?;
    // The parser's own message may quote the statement; only the place is passed on.
    serde_json::from_slice(&body).map_err(|error| {
        let message = format!(
            "the body is no request: line {} column {}",
            error.line(),
            error.column()
        );
        ApiError::of(StatusCode::BAD_REQUEST, "json", message)
    })
}

/// An error as a client sees it.
struct ApiError {
    status: StatusCode,
    kind: &'static str,
    message: String,
    field: Option<String>,
}

impl ApiError {
    fn of(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            kind,
            message: message.into(),
            field: None,
        }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Request => StatusCode::BAD_REQUEST,
            ErrorKind::Config | ErrorKind::Io | ErrorKind::Internal => {
                tracing::error!(%error, "request failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        let message = match status {
            StatusCode::BAD_REQUEST => error.message().to_owned(),
            // What went wrong inside is for the log.
            _ => "internal error".to_owned(),
        };
        Self {
            status,
            kind: error.kind().as_str(),
            message,
            field: error.field().map(str::to_owned),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut error = json!({"kind": self.kind, "message": self.message});
        if let (Some(field), Some(object)) = (self.field, error.as_object_mut()) {
            object.insert("field".into(), json!(field));
        }
        json_response(self.status, &json!({ "error": error }))
    }
}
