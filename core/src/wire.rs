//! What the filter and the service say to each other: versioned JSON over HTTP.
//!
//! Readers ignore fields that they do not know, so either side may be newer. Not here: transport, deadlines, retries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::EngineStates;
use crate::signals::Facts;

/// The version of these types. A reader refuses a higher major number than its own.
pub const VERSION: u32 = 1;

/// `POST /v1/facts`: the statement and its context. The service answers once, with all that the policy needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactsRequest {
    /// [`VERSION`]
    pub v: u32,
    /// The policy by which the caller will decide.
    pub policy_version: String,
    /// The client's protocol: `trino`, ..
    pub protocol: String,
    /// The statement.
    pub sql: String,
    /// Default catalog, if the client sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// Default schema, if the client sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The user named in the request (a claim).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The client program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Client tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub client_tags: Vec<String>,
    /// Session properties, as name and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub session_properties: Vec<(String, String)>,
    /// Prepared statements sent along, as name and text; a text may be compressed ([`crate::sql::COMPRESSED`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prepared: Vec<(String, String)>,
    /// The client's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// The answer to [`FactsRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactsResponse {
    /// [`VERSION`]
    pub v: u32,
    /// The policy by which the service chose what to compute.
    pub policy_version: String,
    /// What it found out. Unasked facts were not needed by that policy.
    pub facts: Facts,
    /// The snapshots that the facts rest on, `catalog.schema.table` to snapshot id (as text: ids exceed a double's
    /// 53 bits). Empty if the answer must not be kept.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub snapshots: BTreeMap<String, String>,
    /// True if the answer holds for as long as the snapshots have not moved.
    pub cacheable: bool,
}

/// `GET /v1/state`: what changes by the second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateResponse {
    /// [`VERSION`]
    pub v: u32,
    /// The version of the policy that `GET /v1/policy` gives.
    pub policy_version: String,
    /// Engines by their name in the policy.
    pub engines: EngineStates,
    /// Current snapshots of the tables that estimates were made of lately.
    pub snapshots: BTreeMap<String, String>,
}
