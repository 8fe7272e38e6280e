//! The Envoy filter: proxy-wasm glue around `lakegate-core`.
//!
//! Nothing is decided here. This crate reads a request, hands it to the core, asks the service once if the core wants
//! to know more, and does what the verdict says. Reading order:
//!
//! 1. [`root`]: configuration, the poll of the service, one exchange a request.
//! 2. [`exchange`]: one request's way, with its phases.
//! 3. [`worker`]: what the exchanges of one worker share. [`cache`]: its estimates.
//! 4. [`callout`]: a question to the service and its answer. [`shared`]: what workers tell each other.
//! 5. [`metrics`]: what is counted. [`host`]: every host call there is.
//!
//! What must hold everywhere: nothing panics, since a panic takes a whole worker's VM down; request headers are edited
//! only while the request is held ([`host::HeldRequest`]); a failure ends in "unknown", which the policy handles.

mod root;

mod exchange;

mod worker;

mod cache;

mod callout;

mod shared;

mod metrics;

mod host;

/// The module's entry point; Envoy calls it once a VM.
mod entry {
    use crate::host;
    use crate::root::Root;

    proxy_wasm::main! {{
        host::log_panics();
        proxy_wasm::set_root_context(|_| Box::new(Root::default()));
    }}
}
