//! One decision as it is told: the headers of section "verdict", and the JSON object for Envoy's access log.
//!
//! Both print from the same record, so they cannot disagree. No statement text is in either. Not here: metrics, which
//! count [`crate::decision::Reason`] by engine.

use serde::Serialize;

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
        let (estimated_bytes, estimate_unknown) = match &self.signals.facts.estimated_bytes {
            Fact::Known(bytes) => (Some(*bytes), None),
            Fact::Unknown(cause) => (None, Some(cause.as_str())),
            Fact::Unasked => (None, None),
        };
        let cluster = match &self.verdict.target {
            Target::Engine { cluster, .. } => Some(cluster.as_str()),
            Target::Reject => None,
        };
        // Text and numbers only: there is nothing in it that could fail.
        serde_json::to_string(&LogObject {
            class: self.principal_class,
            cluster,
            confidence: self.verdict.confidence.as_str(),
            engine: self.verdict.target.engine(),
            estimate_source: self.source.as_str(),
            estimate_unknown,
            estimated_bytes,
            id: self.id,
            kind: self.signals.statement_kind(),
            label: self.verdict.label.as_str(),
            policy: self.policy_version,
            reason: self.verdict.reason.code(),
            reason_text: &self.verdict.reason_text,
            rule: &self.verdict.rule,
            transport: self.verdict.transport.as_str(),
        })
        .unwrap_or_default()
    }
}

/// The access log's object, as it is written.
#[derive(Serialize)]
struct LogObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a str>,
    confidence: &'a str,
    engine: &'a str,
    estimate_source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate_unknown: Option<&'a str>,
    /// `null` if it is unknown or was not needed.
    estimated_bytes: Option<u64>,
    id: &'a str,
    kind: &'a str,
    label: &'a str,
    policy: &'a str,
    reason: &'a str,
    reason_text: &'a str,
    rule: &'a str,
    transport: &'a str,
}
