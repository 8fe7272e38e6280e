//! What was submitted, word for word, so that tests can see what a router let through and changed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use axum::http::HeaderMap;
use serde::Serialize;

use super::lock;

/// Older submissions are forgotten.
const AT_MOST: usize = 1_000;

/// One submission.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Submission {
    /// The query's id; none if it was refused.
    id: Option<String>,
    /// The body.
    sql: String,
    /// Lower-cased name to values in order.
    headers: BTreeMap<String, Vec<String>>,
    /// The path as it arrived.
    path: String,
    /// The method.
    method: String,
}

/// The last submissions.
#[derive(Debug, Default)]
pub(crate) struct Submissions(Mutex<VecDeque<Submission>>);

impl Submissions {
    /// Notes one.
    pub(crate) fn note(&self, id: Option<String>, sql: &str, headers: &HeaderMap, path: &str, method: &str) {
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in headers {
            by_name
                .entry(name.as_str().to_owned())
                .or_default()
                .push(String::from_utf8_lossy(value.as_bytes()).into_owned());
        }
        let mut submissions = lock(&self.0);
        if submissions.len() == AT_MOST {
            submissions.pop_front();
        }
        submissions.push_back(Submission {
            id,
            sql: sql.to_owned(),
            headers: by_name,
            path: path.to_owned(),
            method: method.to_owned(),
        });
    }

    /// All that are remembered, oldest first.
    pub(crate) fn all(&self) -> Vec<Submission> {
        lock(&self.0).iter().cloned().collect()
    }

    /// Forgets them.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }
}
