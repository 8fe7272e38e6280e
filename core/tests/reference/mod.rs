//! The reference policy as core's tests use it: both engines with a cluster for Trino clients.

use lakegate_core::policy::{Overlay, Policy};

pub fn policy() -> Policy {
    let overlay = Overlay {
        clusters: vec![
            ("interactive".into(), "trino".into(), "http://127.0.0.1:1".into()),
            ("batch".into(), "trino".into(), "http://127.0.0.1:2".into()),
        ],
    };
    let text = include_str!("../../../tests/fixtures/reference-policy.yaml");
    Policy::from_yaml("reference-policy.yaml", text, &overlay).unwrap()
}
