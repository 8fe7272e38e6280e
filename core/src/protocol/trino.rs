//! Trino's client protocol, as far as a submission goes.
//!
//! Facts: Trino's `ProtocolHeaders` and `HttpRequestSessionContextFactory`. Names are lower case here, as Envoy hands
//! them over. Follow-ups never come here: Envoy routes them by their path.

use serde::Serialize;

use super::Protocol;
use crate::signals::{Facts, Sender, Signals};
use crate::sql::borrowed;
use crate::sql::lexer::LexicalRules;
use crate::sql::scan::{MAX_SCAN_BYTES, Scan, scan_within};
use crate::wire::{FactsRequest, VERSION};

/// The header name prefix.
pub const HEADER_PREFIX: &str = "x-trino-";

/// What a submission's headers say. Values are taken as sent: trimmed, not decoded unless noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// `X-Trino-Catalog`, lower-cased as Trino does.
    pub catalog: Option<String>,
    /// `X-Trino-Schema`, lower-cased as Trino does.
    pub schema: Option<String>,
    /// `X-Trino-User`
    pub user: Option<String>,
    /// `X-Trino-Source`
    pub source: Option<String>,
    /// `X-Trino-Client-Tags`: the first header line only, as Trino reads it.
    pub client_tags: Vec<String>,
    /// `X-Trino-Time-Zone`
    pub time_zone: Option<String>,
    /// `X-Trino-Session`: names and values of session properties, values URL-decoded.
    pub session_properties: Vec<(String, String)>,
    /// `X-Trino-Prepared-Statement`: names and texts, URL-decoded. A text that Trino compressed is still compressed
    /// here ([`crate::sql::COMPRESSED`]): the service has the means, the filter is smaller without.
    pub prepared: Vec<(String, String)>,
}

/// True if that request submits a statement: `POST /v1/statement`, with or without a trailing slash or a query.
#[must_use]
pub fn is_submission(method: &str, path: &str) -> bool {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    method == "POST" && path.strip_suffix('/').unwrap_or(path) == "/v1/statement"
}

impl Submission {
    /// Reads headers, in the order sent; header names in lower case. What is not UTF-8 is taken as not sent.
    pub fn from_headers<'a>(headers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut submission = Self::default();
        let mut tags_seen = false;
        for (name, value) in headers {
            let Some(suffix) = name.strip_prefix(HEADER_PREFIX) else {
                continue;
            };
            let Ok(value) = std::str::from_utf8(value) else {
                continue;
            };
            let value = value.trim();
            match suffix {
                "catalog" => set_once(&mut submission.catalog, value.to_lowercase()),
                "schema" => set_once(&mut submission.schema, value.to_lowercase()),
                "user" => set_once(&mut submission.user, value.to_owned()),
                "source" => set_once(&mut submission.source, value.to_owned()),
                "time-zone" => set_once(&mut submission.time_zone, value.to_owned()),
                "client-tags" if !tags_seen => {
                    tags_seen = true;
                    let tags = value.split(',').map(str::trim).filter(|tag| !tag.is_empty());
                    submission.client_tags.extend(tags.map(str::to_owned));
                }
                "session" => submission.session_properties.extend(session_properties(value)),
                "prepared-statement" => submission.prepared.extend(prepared_statements(value)),
                _ => {}
            }
        }
        submission
    }

    /// Scans the statement with Trino's lexical rules and the prepared statements that came along, as far as that many
    /// tokens.
    #[must_use]
    pub fn scan(&self, sql: &str, most_tokens: usize) -> Scan {
        scan_within(sql, &LexicalRules::TRINO, &borrowed(&self.prepared), most_tokens)
    }
}

impl Submission {
    /// What the rules may look at, as far as the request alone tells.
    #[must_use]
    pub fn signals(&self, scan: &Scan) -> Signals {
        Signals::new(self.sender(), scan, Facts::from_scan(scan))
    }

    /// The signals of a statement that was not read (too long, not UTF-8): everything about its text is unknown.
    #[must_use]
    pub fn unanalysed(&self, cause: &str) -> Signals {
        let mut facts = Facts::default();
        facts.close(cause);
        Signals::new(self.sender(), &Scan::unread(), facts)
    }

    fn sender(&self) -> Sender<'_> {
        Sender {
            client_tags: &self.client_tags,
            source: self.source.as_deref(),
            user: self.user.as_deref(),
            session_properties: &self.session_properties,
        }
    }

    /// What the service is asked.
    #[must_use]
    pub fn facts_request(&self, sql: &str, policy_version: &str) -> FactsRequest {
        FactsRequest {
            v: VERSION,
            policy_version: policy_version.to_owned(),
            protocol: Protocol::Trino.as_str().to_owned(),
            sql: sql.to_owned(),
            catalog: self.catalog.clone(),
            schema: self.schema.clone(),
            user: self.user.clone(),
            source: self.source.clone(),
            client_tags: self.client_tags.clone(),
            session_properties: self.session_properties.clone(),
            prepared: self.prepared.clone(),
            time_zone: self.time_zone.clone(),
        }
    }
}

/// A rejection as a Trino client reads it: HTTP 200 with an error of type `USER_ERROR`, name `QUERY_REJECTED`, code 31
/// (Trino's `StandardErrorCode`), and no page to follow. `base` is scheme and authority as the client sees them.
///
/// Never 502, 503 or 504: drivers answer those by sending the statement again, for hours.
#[must_use]
pub fn rejection(id: &str, base: &str, message: &str) -> String {
    let rejection = Rejection {
        id,
        info_uri: format!("{base}/ui/query.html?{id}"),
        stats: Stats {
            state: "FAILED",
            ..Stats::default()
        },
        error: QueryError {
            message,
            error_code: 31,
            error_name: "QUERY_REJECTED",
            error_type: "USER_ERROR",
        },
        warnings: [],
    };
    serde_json::to_string(&rejection).unwrap_or_default()
}

/// The fields that clients insist on, of the object that every answer of Trino's protocol is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rejection<'a> {
    id: &'a str,
    info_uri: String,
    stats: Stats,
    error: QueryError<'a>,
    warnings: [(); 0],
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    state: &'static str,
    queued: bool,
    scheduled: bool,
    nodes: u8,
    total_splits: u8,
    queued_splits: u8,
    running_splits: u8,
    completed_splits: u8,
    cpu_time_millis: u8,
    wall_time_millis: u8,
    queued_time_millis: u8,
    elapsed_time_millis: u8,
    processed_rows: u8,
    processed_bytes: u8,
    physical_input_bytes: u8,
    physical_written_bytes: u8,
    peak_memory_bytes: u8,
    spilled_bytes: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueryError<'a> {
    message: &'a str,
    error_code: u8,
    error_name: &'static str,
    error_type: &'static str,
}

/// The most bytes of a body that are read; a longer statement is routed unanalysed.
pub const MAX_STATEMENT_BYTES: usize = MAX_SCAN_BYTES;

fn set_once(slot: &mut Option<String>, value: String) {
    if slot.is_none() && !value.is_empty() {
        *slot = Some(value);
    }
}

/// Items are split at commas, then at `=`, then URL-decoded, in this order (Trino's own).
fn items(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(',').filter_map(|item| item.trim().split_once('='))
}

fn prepared_statements(value: &str) -> impl Iterator<Item = (String, String)> {
    items(value).filter_map(|(name, text)| Some((url_decode(name)?, url_decode(text)?)))
}

/// Trino does not decode their names.
fn session_properties(value: &str) -> impl Iterator<Item = (String, String)> {
    items(value).filter_map(|(name, value)| Some((name.trim().to_owned(), url_decode(value.trim())?)))
}

/// Form decoding: `+` is a space, `%XX` a byte. `None` if it is not well-formed UTF-8 in the end.
fn url_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let high = char::from(rest.next()?).to_digit(16)?;
                let low = char::from(rest.next()?).to_digit(16)?;
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_post_to_the_statement_path_submits() {
        let cases = [
            ("POST", "/v1/statement", true),
            ("POST", "/v1/statement/", true),
            ("POST", "/v1/statement?x=1", true),
            ("POST", "/v1/statement/?x=1", true),
            ("HEAD", "/v1/statement", false),
            ("GET", "/v1/statement/queued/1/2/3", false),
            ("POST", "/v1/statement/queued/1/2/3", false),
            ("POST", "/v1/statementx", false),
            ("POST", "/_at/batch/v1/statement", false),
            ("PUT", "/v1/statement", false),
        ];
        for (method, path, want) in cases {
            assert_eq!(is_submission(method, path), want, "{method} {path}");
        }
    }

    #[test]
    fn headers_are_read_as_trino_reads_them() {
        let headers: [(&str, &[u8]); 11] = [
            ("x-trino-user", b"ann"),
            ("x-trino-catalog", b"Lake"),
            ("x-trino-schema", b"Web"),
            ("x-trino-client-tags", b"agent, nightly,,"),
            ("x-trino-client-tags", b"ignored"),
            ("x-trino-prepared-statement", b"q1=SELECT+%3F,q2=SELECT%20'%2C'"),
            ("x-trino-prepared-statement", b"big=%24zstd%3AKLUv"),
            ("x-trino-session", b"query_max_run_time=2h,lake.merge=a%2Cb"),
            ("x-trino-session", b"task_concurrency = 4"),
            ("x-trino-source", b"\xff\xfe"),
            ("x-trino-catalog", b"second"),
        ];
        let submission = Submission::from_headers(headers);
        assert_eq!(submission.user.as_deref(), Some("ann"));
        assert_eq!(submission.catalog.as_deref(), Some("lake"));
        assert_eq!(submission.schema.as_deref(), Some("web"));
        assert_eq!(submission.client_tags, ["agent", "nightly"]);
        assert_eq!(submission.source, None);
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(
            submission.prepared,
            [
                pair("q1", "SELECT ?"),
                pair("q2", "SELECT ','"),
                pair("big", "$zstd:KLUv")
            ]
        );
        assert_eq!(
            submission.session_properties,
            [
                pair("query_max_run_time", "2h"),
                pair("lake.merge", "a,b"),
                pair("task_concurrency", "4")
            ]
        );
    }
}
