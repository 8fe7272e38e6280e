//! One decision as it is told: the headers of section "verdict", and the JSON object for Envoy's access log.
//!
//! Both print from the same record, so they cannot disagree. No statement text is in either. Not here: metrics, which
//! count [`crate::decision::Reason`] by engine.

use serde_json::{Map, Value, json};

use crate::decision::{Target, Verdict};
use crate::headers;
use crate::signals::{Fact, Signals};

/// Where the estimate came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateSource {
    /// The service, from Iceberg metadata.
    Iceberg,
    /// The filter's own cache.
    Cache,
    /// There is none: it was not needed, or nobody knows.
    None,
}

impl EstimateSource {
    /// The word in headers and log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iceberg => "iceberg",
            Self::Cache => "cache",
            Self::None => "none",
        }
    }
}

/// A decision with all that is told of it.
#[derive(Clone, Debug)]
pub struct DecisionRecord<'a> {
    /// Finds the decision in the log.
    pub id: &'a str,
    /// The policy's version.
    pub policy_version: &'a str,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The signals that it was made from.
    pub signals: &'a Signals,
    /// Where `estimated_bytes` came from.
    pub source: EstimateSource,
    /// The sender's class.
    pub principal_class: Option<&'a str>,
}

impl DecisionRecord<'_> {
    /// The estimate as text: an integer or `unknown`. One that was not needed is unknown as well.
    fn estimated_bytes(&self) -> String {
        match &self.signals.facts.estimated_bytes {
            Fact::Known(bytes) => bytes.to_string(),
            Fact::Unknown(_) | Fact::Unasked => "unknown".into(),
        }
    }

    /// The verdict's headers, values fit for a header. The cluster is not among them.
    #[must_use]
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut list = vec![
            (headers::ENGINE, headers::value(self.verdict.target.engine())),
            (headers::RULE, headers::value(&self.verdict.rule)),
            (headers::REASON, headers::value(&self.verdict.reason_text)),
            (headers::DECISION_ID, headers::value(self.id)),
            (headers::POLICY_VERSION, headers::value(self.policy_version)),
            (headers::ESTIMATED_BYTES, self.estimated_bytes()),
            (headers::ESTIMATE_SOURCE, self.source.as_str().into()),
        ];
        if let Some(notice) = &self.verdict.notice {
            list.push((headers::NOTICE, headers::value(notice)));
        }
        list
    }

    /// The object for the access log.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        put("id", json!(self.id));
        put("policy", json!(self.policy_version));
        put("engine", json!(self.verdict.target.engine()));
        if let Target::Engine { cluster, .. } = &self.verdict.target {
            put("cluster", json!(cluster));
        }
        put("rule", json!(self.verdict.rule));
        put("reason", json!(self.verdict.reason.code()));
        put("reason_text", json!(self.verdict.reason_text));
        put("kind", json!(self.signals.statement_kind));
        match &self.signals.facts.estimated_bytes {
            Fact::Known(bytes) => put("estimated_bytes", json!(bytes)),
            Fact::Unknown(cause) => {
                put("estimated_bytes", Value::Null);
                put("estimate_unknown", json!(cause));
            }
            Fact::Unasked => put("estimated_bytes", Value::Null),
        }
        put("estimate_source", json!(self.source.as_str()));
        if let Some(class) = self.principal_class {
            put("class", json!(class));
        }
        Value::Object(object).to_string()
    }
}
