//! Lakegate's decisions, and everything that they are made from.
//!
//! This crate is pure: no I/O, no clock, no host calls, no global state. Data goes in, a verdict comes out, and the
//! same code runs in the Envoy filter (wasm), in the service's dry run and in the command line. Reading order:
//!
//! 1. [`protocol`]: is this request a SQL submission, and what does it say about itself?
//! 2. [`sql`]: what the text reads, writes and costs in shape. [`predicate`]: what of it prunes.
//! 3. [`signals`]: everything that a rule may look at, each either known, unknown or not asked for yet.
//! 4. [`policy`]: the checked policy; [`decision`]: policy, signals and engine state in, verdict out.
//! 5. [`wire`]: what filter and service say to each other. [`headers`]: every header name that we read or write.
//!
//! What must hold everywhere: *unknown* is a value of its own and never zero; nothing here panics or recurses on
//! input; a translated predicate is implied by the one that was written.
#![forbid(unsafe_code)]

pub mod assessment;
pub mod bytes;
pub mod calendar;
pub mod decision;
pub mod engine;
pub mod headers;
pub mod plugin_config;
pub mod policy;
pub mod predicate;
pub mod protocol;
pub mod record;
pub mod reflection;
pub mod signals;
pub mod sql;
pub mod wire;
