//! The filter's configuration: what `lakegate envoy-config` writes into Envoy and the filter reads at start.
//!
//! It travels as a JSON string (a protobuf `Struct` would turn every number into a double). Not here: the policy's
//! own checks ([`crate::policy`]).

use serde::{Deserialize, Serialize};

use crate::policy::node::Node;

/// The filter's configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginConfig {
    /// The policy that the filter starts with, so that it routes before, and without, the service.
    pub policy: Node,
    /// The service; without it the filter decides by headers and scan alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// How many estimates each worker keeps; 0 keeps none.
    #[serde(default = "default_cache_entries")]
    pub estimate_cache_entries: usize,
}

/// Where the service is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Its Envoy cluster.
    pub cluster: String,
    /// How often engine state and the policy's version are asked for, in milliseconds. The state counts as stale, and
    /// so unknown, after five times this.
    #[serde(default = "default_poll_ms")]
    pub poll_ms: u64,
}

/// A statement's facts take some 200 bytes: about 1 MB a worker.
fn default_cache_entries() -> usize {
    4096
}

fn default_poll_ms() -> u64 {
    1000
}

impl PluginConfig {
    /// Reads the configuration.
    ///
    /// # Errors
    /// What is wrong with the JSON, in words.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| format!("plugin configuration: {error}"))
    }
}
