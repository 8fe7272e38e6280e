//! A Trino client that shows everything: each page, each header.

use serde_json::Value;

use crate::http::{Request, Response};

/// How to send a statement.
#[derive(Clone, Debug)]
pub struct Client {
    /// `http://HOST:PORT`
    pub base: String,
    /// `X-Trino-Catalog`
    pub catalog: String,
    /// `X-Trino-Schema`
    pub schema: String,
    /// `X-Trino-User`
    pub user: String,
    /// `X-Trino-Client-Tags`
    pub tags: String,
    /// More headers.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// A statement that ran to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The answer to the POST.
    pub submitted: Response,
    /// Paths of the pages that were fetched.
    pub page_paths: Vec<String>,
    /// `X-Trino-*` headers of all answers: what the client is to remember.
    pub session: Vec<(String, String)>,
    /// All rows.
    pub rows: Vec<Value>,
    /// The error, if it failed.
    pub error: Option<Value>,
}

impl Client {
    /// A client of that address, with the demo's catalog.
    #[must_use]
    pub fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            catalog: "lake".into(),
            schema: "web".into(),
            user: "ann".into(),
            tags: String::new(),
            headers: Vec::new(),
        }
    }

    /// The same with these client tags.
    #[must_use]
    pub fn tags(mut self, tags: &str) -> Self {
        self.tags = tags.to_owned();
        self
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// The POST, not sent yet.
    #[must_use]
    pub fn request(&self, sql: &str) -> Request {
        let mut request = Request::new("POST", &format!("{}/v1/statement", self.base))
            .header("x-trino-user", &self.user)
            .header("x-trino-catalog", &self.catalog)
            .header("x-trino-schema", &self.schema);
        if !self.tags.is_empty() {
            request = request.header("x-trino-client-tags", &self.tags);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(sql)
    }

    /// Sends the statement and follows it to its end.
    #[must_use]
    pub fn run(&self, sql: &str) -> Finished {
        let submitted = self.request(sql).send();
        assert_eq!(submitted.status, 200, "{}", submitted.text());
        let mut page = submitted.json();
        let mut finished = Finished {
            submitted,
            page_paths: Vec::new(),
            session: Vec::new(),
            rows: Vec::new(),
            error: None,
        };
        loop {
            if let Some(rows) = page["data"].as_array() {
                finished.rows.extend(rows.iter().cloned());
            }
            if !page["error"].is_null() {
                finished.error = Some(page["error"].clone());
            }
            let Some(next) = page["nextUri"].as_str() else {
                return finished;
            };
            let path = next.splitn(4, '/').nth(3).unwrap_or_default();
            finished.page_paths.push(format!("/{path}"));
            let answer = Request::new("GET", next).header("x-trino-user", &self.user).send();
            assert_eq!(answer.status, 200, "GET {next}: {}", answer.text());
            let kept = answer.headers.iter().filter(|(name, _)| name.starts_with("x-trino-"));
            finished.session.extend(kept.cloned());
            page = answer.json();
        }
    }
}

impl Finished {
    /// A header that the client is to remember.
    #[must_use]
    pub fn session_header(&self, name: &str) -> &str {
        let found = self.session.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// A verdict header of the submission's answer.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.submitted.header(name).unwrap_or("")
    }
}
