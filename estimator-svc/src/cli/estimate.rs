//! `lakegate estimate`: what a statement's tables would be scanned for, table by table.

use std::path::Path;

use lakegate::config::Config;
use lakegate::service::{PATIENT_DEADLINE, Service};
use lakegate_core::wire::{FactsRequest, VERSION};

/// What to estimate.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) sql: String,
    pub(crate) catalog: Option<String>,
    pub(crate) schema: Option<String>,
    pub(crate) json: bool,
}

/// Estimates and prints.
pub(crate) fn run(file: &Path, request: Request) -> Result<(), String> {
    let config = Config::load(file).map_err(|error| error.to_string())?;
    let service = Service::new(config).map_err(|error| error.to_string())?;
    let facts = FactsRequest {
        v: VERSION,
        // No policy's version: everything is found out, whether the policy needs it or not.
        policy_version: "none".into(),
        protocol: "trino".into(),
        sql: request.sql,
        catalog: request.catalog,
        schema: request.schema,
        ..FactsRequest::default()
    };
    let question = service
        .question(facts, Some(PATIENT_DEADLINE))
        .map_err(|error| error.to_string())?;
    let answer = super::runtime()?.block_on(service.answer(&question));
    let estimate = answer.estimate.ok_or("no estimate was made")?;
    if !request.json {
        return super::print(&estimate.to_text());
    }
    let text = serde_json::to_string_pretty(&estimate).map_err(|error| error.to_string())?;
    super::print(&(text + "\n"))
}
