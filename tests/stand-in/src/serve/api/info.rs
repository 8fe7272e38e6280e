//! Who the engine is and how busy.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::super::Service;
use super::{no_user, text};

/// `GET /v1/info`.
pub(super) async fn info(State(service): State<Arc<Service>>) -> Json<Value> {
    let node = service.registry.node();
    Json(json!({
        "nodeId": node.name,
        "state": "ACTIVE",
        "nodeVersion": {"version": node.version},
        "environment": "standin",
        "coordinator": true,
        "coordinatorId": node.coordinator_id,
        "starting": false,
        "uptime": uptime(&service),
    }))
}

/// `GET /v1/info/state`.
pub(super) async fn state() -> Json<&'static str> {
    Json("ACTIVE")
}

/// `GET /v1/status`, and HEAD of it, which health checks use.
pub(super) async fn status(State(service): State<Arc<Service>>) -> Json<Value> {
    let node = service.registry.node();
    let host = service.address.ip().to_string();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Json(json!({
        "nodeId": node.name,
        "nodeVersion": {"version": node.version},
        "environment": "standin",
        "coordinator": true,
        "uptime": uptime(&service),
        "externalAddress": host,
        "internalAddress": host,
        "memoryInfo": {"availableProcessors": processors, "totalNodeMemory": format!("{}B", service.options.memory)},
        "processors": processors,
        "processCpuLoad": 0.0,
        "systemCpuLoad": 0.0,
        "heapUsed": 0,
        "heapAvailable": service.options.memory,
        "nonHeapUsed": 0,
    }))
}

/// `GET /v1/resourceGroupState/global`: the figures of load that routers can trust.
pub(super) async fn resource_group(
    State(service): State<Arc<Service>>,
    Path(group): Path<String>,
    headers: HeaderMap,
) -> Response {
    if headers.get("x-trino-user").is_none_or(|user| user.is_empty()) {
        return no_user();
    }
    if group != "global" {
        return text(StatusCode::NOT_FOUND, "Resource group not found");
    }
    let (queued, running) = service.registry.load();
    let limit = service.options.hard_concurrency;
    let full = running >= limit;
    Json(json!({
        "id": ["global"],
        "state": if full { "FULL" } else { "CAN_RUN" },
        "schedulingPolicy": "FAIR",
        "schedulingWeight": 1,
        "softMemoryLimit": format!("{}B", service.options.memory),
        "softConcurrencyLimit": limit,
        "hardConcurrencyLimit": limit,
        "maxQueuedQueries": service.options.max_queued,
        "memoryUsage": "0B",
        "cpuUsage": "0.00s",
        "numQueuedQueries": queued,
        "numRunningQueries": running,
        "numEligibleSubGroups": 0,
        "subGroups": [],
        "runningQueries": [],
    }))
    .into_response()
}

fn uptime(service: &Service) -> String {
    format!("{:.2}s", service.started.elapsed().as_secs_f64())
}
