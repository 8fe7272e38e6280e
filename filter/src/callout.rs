//! Questions to the service, and every way in which they end, as values.
//!
//! The text of an error is the cause that the decision's log carries. Not here: what to do without an answer.

use std::time::Duration;

use lakegate_core::plugin_config::Service;
use lakegate_core::wire::{FactsRequest, FactsResponse, StateResponse, VERSION};
use serde::de::DeserializeOwned;

use crate::host;

/// What a callout's callback says of the answer before one looks at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// 0 if there is none: the connection was reset, or the answer too large.
    pub(crate) headers: usize,
    /// The body's size.
    pub(crate) body_bytes: usize,
}

/// Asks for the facts of a statement; the answer's token.
pub(crate) fn ask_facts(service: &Service, question: &FactsRequest, deadline: Duration) -> Result<u32, String> {
    let body = serde_json::to_vec(question).map_err(|error| error.to_string())?;
    call(service, "POST", "/v1/facts", Some(&body), deadline)
}

/// Asks for something that the service has ready; the answer's token.
pub(crate) fn get(service: &Service, path: &str, deadline: Duration) -> Result<u32, String> {
    call(service, "GET", path, None, deadline)
}

fn call(service: &Service, method: &str, path: &str, body: Option<&[u8]>, deadline: Duration) -> Result<u32, String> {
    let headers = vec![
        (":method", method),
        (":path", path),
        (":authority", &service.cluster),
        ("content-type", "application/json"),
    ];
    // Both are ordinary events: a cluster that is not known (yet), and one without an endpoint.
    host::call(&service.cluster, headers, body, deadline)
        .map_err(|_| format!("cluster {} takes no call", service.cluster))
}

/// The body of an answer with status 200. Envoy makes answers of its own when there is none (503, 504), so nothing but
/// the status tells a success.
pub(crate) fn body(answer: Answer, deadline: Duration) -> Result<Vec<u8>, String> {
    if answer.headers == 0 {
        return Err("connection lost".into());
    }
    match host::answer_status().as_deref() {
        Some(b"200") => Ok(host::answer_body(answer.body_bytes)),
        Some(b"504") => Err(format!("no answer within {} ms", deadline.as_millis())),
        Some(status) => Err(format!("status {}", String::from_utf8_lossy(status))),
        None => Err("no status".into()),
    }
}

/// Reads the answer to [`ask_facts`].
pub(crate) fn facts(body: &[u8]) -> Result<FactsResponse, String> {
    let facts: FactsResponse = read(body)?;
    known_version(facts.v)?;
    Ok(facts)
}

/// Reads engine state.
pub(crate) fn state(body: &[u8]) -> Result<StateResponse, String> {
    let state: StateResponse = read(body)?;
    known_version(state.v)?;
    Ok(state)
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|_| "answer not understood".into())
}

fn known_version(version: u32) -> Result<(), String> {
    if VERSION < version {
        return Err(format!("answer of version {version}; the newest known is {VERSION}"));
    }
    Ok(())
}
