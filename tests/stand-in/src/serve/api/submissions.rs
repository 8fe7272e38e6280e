//! `/stand-in/submissions`, for tests. Trino has nothing like it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::super::Service;
use super::super::submissions::Submission;

/// `GET`: the last submissions, oldest first.
pub(super) async fn list(State(service): State<Arc<Service>>) -> Json<Vec<Submission>> {
    Json(service.submissions.all())
}

/// `DELETE`: forgets them.
pub(super) async fn clear(State(service): State<Arc<Service>>) -> StatusCode {
    service.submissions.clear();
    StatusCode::NO_CONTENT
}
