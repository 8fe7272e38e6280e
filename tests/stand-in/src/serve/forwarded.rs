//! The base of the addresses in an answer: what a proxy said in its `X-Forwarded-*` headers.
//!
//! Each answer looks at the headers of its own request, as Trino does, so a proxy must send the prefix every time.

use axum::http::HeaderMap;

/// What to do with `X-Forwarded-*` headers: Trino's `http-server.process-forwarded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProcessForwarded {
    /// Obey them.
    Accept,
    /// Refuse requests that carry any, with 406: Trino's default.
    Reject,
    /// Act as if they were not there.
    Ignore,
}

/// Whether a request carries a header that only a proxy sets.
pub(crate) fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("x-forwarded-"))
}

/// Scheme, host and prefix for the addresses in an answer, without a slash at the end.
pub(crate) fn base_uri(headers: &HeaderMap, process: ProcessForwarded, own: &str) -> String {
    let forwarded = |name: &str| match process {
        ProcessForwarded::Accept => header(headers, name),
        ProcessForwarded::Reject | ProcessForwarded::Ignore => None,
    };
    let scheme = forwarded("x-forwarded-proto").unwrap_or("http");
    let host = forwarded("x-forwarded-host")
        .or_else(|| header(headers, "host"))
        .unwrap_or(own);
    let port = forwarded("x-forwarded-port").filter(|_| !host.contains(':'));
    let prefix = forwarded("x-forwarded-prefix").unwrap_or_default();
    let prefix = prefix.trim_end_matches('/');
    let slash = if prefix.is_empty() || prefix.starts_with('/') {
        ""
    } else {
        "/"
    };
    match port {
        Some(port) => format!("{scheme}://{host}:{port}{slash}{prefix}"),
        None => format!("{scheme}://{host}{slash}{prefix}"),
    }
}

/// The first value of a header, the first of a list.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get(name)?.to_str().ok()?;
    let first = value.split(',').next()?.trim();
    (!first.is_empty()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(process: ProcessForwarded, pairs: &[(&'static str, &str)], expected: &str) {
        let headers: HeaderMap = pairs
            .iter()
            .map(|(name, value)| (axum::http::HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        assert_eq!(base_uri(&headers, process, "127.0.0.1:1"), expected);
    }

    #[test]
    fn the_prefix_is_kept_with_scheme_and_host() {
        use ProcessForwarded::{Accept, Ignore};
        check(Accept, &[], "http://127.0.0.1:1");
        check(Accept, &[("host", "lake:8080")], "http://lake:8080");
        let all = [
            ("host", "inner"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "outer"),
            ("x-forwarded-prefix", "/_at/batch"),
        ];
        check(Accept, &all, "https://outer/_at/batch");
        check(Ignore, &all, "http://inner");
    }
}
