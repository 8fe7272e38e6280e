//! A Trino coordinator's load, from its root resource group.
//!
//! `GET /v1/resourceGroupState/global` needs no more than a user's name and is the one answer that was seen to count
//! waiting statements right; `/metrics` and the web interface showed none where two waited.

use std::time::Duration;

use lakegate_core::engine::EngineState;
use serde::Deserialize;

use crate::config::EngineConfig;
use crate::unknown::brief;

/// An engine that takes longer to say how busy it is, does not say it.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The answer is some hundred bytes; a page of an intermediary is not read to its end.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// Asks one coordinator.
pub(super) struct TrinoPoller {
    client: reqwest::Client,
    url: String,
    user: String,
}

/// The part of the answer that is used. A number that is missing or negative is no answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GroupState {
    num_queued_queries: u64,
    num_running_queries: u64,
}

impl TrinoPoller {
    pub(super) fn new(address: &EngineConfig) -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            // The engine is inside; a proxy of the environment is not on the way to it.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| brief(&error))?;
        Ok(Self {
            client,
            url: format!("{}/v1/resourceGroupState/global", address.url),
            user: address.user.clone(),
        })
    }

    pub(super) async fn ask(&self) -> Result<EngineState, String> {
        let mut answer = self
            .client
            .get(&self.url)
            .header("x-trino-user", &self.user)
            .send()
            .await
            .map_err(|error| brief(&error))?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(format!("status {}", answer.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| brief(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST_ANSWER {
                return Err("the answer is too long".into());
            }
        }
        read(&body)
    }
}

fn read(body: &[u8]) -> Result<EngineState, String> {
    let group: GroupState = serde_json::from_slice(body).map_err(|error| brief(&error))?;
    Ok(EngineState {
        running: Some(group.num_running_queries),
        queued: Some(group.num_queued_queries),
        // Nobody waits: the next one does not either. How long a queue takes is not known here.
        queue_wait_ms: (group.num_queued_queries == 0).then_some(0),
        healthy: Some(true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_queue_means_no_wait_and_a_queue_an_unknown_one() {
        let idle = read(br#"{"id":"global","numQueuedQueries":0,"numRunningQueries":2}"#).unwrap();
        assert_eq!(
            (idle.running, idle.queued, idle.queue_wait_ms),
            (Some(2), Some(0), Some(0))
        );
        let busy = read(br#"{"numQueuedQueries":3,"numRunningQueries":1}"#).unwrap();
        assert_eq!((busy.queued, busy.queue_wait_ms), (Some(3), None));
    }

    #[test]
    fn what_is_not_the_expected_answer_is_none() {
        for body in [
            "{}",
            r#"{"numQueuedQueries":0}"#,
            r#"{"numQueuedQueries":-1,"numRunningQueries":0}"#,
            r#"{"numQueuedQueries":null,"numRunningQueries":0}"#,
            r#"{"numQueuedQueries":"0","numRunningQueries":0}"#,
            "<html>",
            "",
        ] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
