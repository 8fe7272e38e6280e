//! What the end-to-end tests, the demo and the bench share: a whole Lakegate on real processes.
//!
//! [`stack`] starts engines, service and Envoy and stops them on drop; [`http`] and [`trino`] talk to it; [`fake_service`]
//! is a service that misbehaves; [`monday`] is the reference case. Not here: what is expected of it (the tests).

pub mod fake_service;
pub mod http;
pub mod monday;
pub mod paths;
pub mod process;
pub mod stack;
pub mod trino;
