//! Every host call of the filter, and nothing else.
//!
//! The SDK panics on each status that it does not expect, and in its `String` getters on bytes that are not UTF-8.
//! Hence this one place: only byte getters, and request headers only through [`HeldRequest`], which exists as long as
//! Envoy lets them be edited. Statuses that are ordinary events (a cluster without endpoint, a lost race) come back as
//! values. `clippy.toml` bans the SDK's calls everywhere else.
#![allow(clippy::disallowed_methods, reason = "the one module that may make host calls")]

use std::time::{Duration, SystemTime};

use proxy_wasm::hostcalls;
use proxy_wasm::types::{Action, BufferType, LogLevel, MapType, MetricType, Status};

/// A request whose headers Envoy still holds for us.
///
/// Envoy takes the header maps away when the request goes on, and an edit after that kills the VM. So letting go
/// consumes this value, and there is no other way to an edit.
pub(crate) struct HeldRequest {
    _only_here: (),
}

/// Request headers in the order sent, pseudo headers among them; names are in lower case.
pub(crate) type Headers = Vec<(String, Vec<u8>)>;

impl HeldRequest {
    /// The request of the headers callback that runs now, with all its headers: one host call for all is cheaper than
    /// three single ones, and the only one that shows repeated headers.
    pub(crate) fn open() -> (Self, Headers) {
        let headers = hostcalls::get_map_bytes(MapType::HttpRequestHeaders).unwrap_or_default();
        (Self { _only_here: () }, headers)
    }

    /// Sets a header, whatever was there before.
    pub(crate) fn set_header(&self, name: &str, value: &str) {
        // Refusals other than by status do not exist here; the SDK panics on a wrong phase, which holding rules out.
        let _ = hostcalls::set_map_value_bytes(MapType::HttpRequestHeaders, name, Some(value.as_bytes()));
    }

    /// Removes a header with all its values.
    pub(crate) fn remove_header(&self, name: &str) {
        let _ = hostcalls::remove_map_value(MapType::HttpRequestHeaders, name);
    }

    /// The body as far as it has come, at most `most` bytes. Only in a body or trailers callback.
    pub(crate) fn body(&self, most: usize) -> Vec<u8> {
        hostcalls::get_buffer(BufferType::HttpRequestBody, 0, most)
            .ok()
            .flatten()
            .unwrap_or_default()
    }

    /// Leaves a value for Envoy's access log: filter state `wasm.<name>`.
    pub(crate) fn set_filter_state(&self, name: &str, value: &str) {
        // A path of several parts could not be read back.
        let _ = hostcalls::set_property(vec![name], Some(value.as_bytes()));
    }

    /// Lets the request go on, from within one of its own callbacks.
    pub(crate) fn go_on(self) -> Action {
        Action::Continue
    }

    /// Lets the request go on, from within the callback of a callout.
    pub(crate) fn resume(self) {
        let _ = hostcalls::resume_http_request();
    }

    /// Answers the request here.
    pub(crate) fn reply(self, status: u32, headers: &[(&str, &str)], body: &[u8]) {
        let _ = hostcalls::send_http_response(status, headers.to_vec(), Some(body));
    }
}

/// Nanoseconds since 1970; may step back.
pub(crate) fn now_ns() -> u64 {
    hostcalls::get_current_time()
        .ok()
        .and_then(|now| now.duration_since(SystemTime::UNIX_EPOCH).ok())
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

/// Writes to Envoy's log.
pub(crate) fn log(level: LogLevel, message: &str) {
    let _ = hostcalls::log(level, message);
}

/// Panics go to Envoy's log at critical. Without this hook they are lost: this target has no standard error.
pub(crate) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| log(LogLevel::Critical, &panic.to_string())));
}

/// The plugin's configuration as written in Envoy's.
pub(crate) fn plugin_configuration() -> Option<Vec<u8>> {
    hostcalls::get_buffer(BufferType::PluginConfiguration, 0, usize::MAX)
        .ok()
        .flatten()
}

/// Has the root's tick called in that period.
pub(crate) fn tick_every(period: Duration) {
    let _ = hostcalls::set_tick_period(period);
}

/// A value of the shared data with its number for compare-and-swap; no number means that the key is not there.
pub(crate) fn shared(key: &str) -> (Vec<u8>, Option<u32>) {
    match hostcalls::get_shared_data(key) {
        Ok((value, cas)) => (value.unwrap_or_default(), cas),
        Err(_) => (Vec::new(), None),
    }
}

/// Sets a value of the shared data; with a number only if it has not changed since. False if it has.
pub(crate) fn set_shared(key: &str, value: &[u8], cas: Option<u32>) -> bool {
    hostcalls::set_shared_data(key, Some(value), cas).is_ok()
}

/// Starts a call to an Envoy cluster and gives its token.
///
/// A cluster that does not exist (bad argument) or has no endpoint (internal failure) is an error, not a panic.
pub(crate) fn call(
    cluster: &str,
    headers: Vec<(&str, &str)>,
    body: Option<&[u8]>,
    timeout: Duration,
) -> Result<u32, Status> {
    // Envoy takes a timeout that rounds to 0 ms for none at all.
    let timeout = timeout.max(Duration::from_millis(1));
    hostcalls::dispatch_http_call(cluster, headers, body, Vec::new(), timeout)
}

/// The answer's status. Only in the callback of a callout, and only if it has headers: without, there is no map.
pub(crate) fn answer_status() -> Option<Vec<u8>> {
    hostcalls::get_map_value_bytes(MapType::HttpCallResponseHeaders, ":status")
        .ok()
        .flatten()
}

/// The answer's body. Only in the callback of a callout.
pub(crate) fn answer_body(most: usize) -> Vec<u8> {
    hostcalls::get_buffer(BufferType::HttpCallResponseBody, 0, most)
        .ok()
        .flatten()
        .unwrap_or_default()
}

/// Defines a counter and gives its id.
pub(crate) fn define_counter(name: &str) -> Option<u32> {
    hostcalls::define_metric(MetricType::Counter, name).ok()
}

/// Adds one. The host refuses an increment of 0, so there is no other.
pub(crate) fn increment(counter: u32) {
    let _ = hostcalls::increment_metric(counter, 1);
}
