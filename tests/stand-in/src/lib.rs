//! A stand-in for a Trino cluster, so that the demo and the end-to-end tests need neither Java nor a network.
//!
//! Two halves, in reading order:
//!
//! - [`warehouse`] makes Iceberg tables on local disk, real ones or ones whose metadata merely state their size;
//! - [`serve`] speaks Trino's client protocol and runs the SQL over such a warehouse with DataFusion.
//!
//! It is an engine, not a mock: statements are parsed, planned and executed, and what it cannot run fails with
//! the error that Trino would give. It knows nothing of Lakegate.

#![forbid(unsafe_code)]

pub mod error;
pub mod warehouse;

pub mod serve;

mod civil;
pub mod random;
