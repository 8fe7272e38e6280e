//! The Lakegate service: Iceberg estimates, engine state, the policy, explanations.
//!
//! It tells the filter what only a service can know, in one call a statement, and decides nothing that the filter does
//! not decide by the same code (`lakegate_core::decision`). With the service down, routing goes on by rules alone.
//!
//! Reading order:
//!
//! 1. [`config`]: what the service is told. [`error`] and [`unknown`]: how it fails, and how it does not know.
//! 2. [`service`]: what it holds and what runs beside the requests; [`api`]: the HTTP surface.
//! 3. [`estimate`]: from a statement to the facts that the policy needs, lazily.
//! 4. [`catalog`], [`tables`]: which table is meant, loaded once and kept fresh. [`planner`]: what its scan reads.
//! 5. [`engines`]: how busy they are. [`policy_store`]: the policy in force. [`explain`]: a verdict with all its
//!    reasons. [`metrics`]: what is counted.
//!
//! What must hold: an estimate is never below what pruning leaves; whatever is not known says why; a catalog, an engine
//! or a wrong edit never stops the service; a warm answer waits for nobody.
#![forbid(unsafe_code)]

pub mod api;
pub mod catalog;
pub mod config;
pub mod engines;
pub mod error;
pub mod estimate;
pub mod explain;
pub mod metrics;
pub mod planner;
pub mod policy_store;
mod prepared;
pub mod service;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod unknown;
mod zone;
