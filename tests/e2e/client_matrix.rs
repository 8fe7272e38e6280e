//! The Trino Python client through Envoy and directly: what a person's script sees must be the same.

use std::process::Command;

use lakegate_tests::paths;
use lakegate_tests::stack::{Options, Stack};
use serde_json::Value;

fn run(url: &str) -> Value {
    let output = Command::new(paths::python())
        .arg(paths::repository().join("tests/python/client.py"))
        .arg(url)
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_python_client_works_directly_and_through_envoy_alike() {
    let stack = Stack::start("python", &Options::default());
    let direct = run(&stack.batch);
    let routed = run(&stack.url);
    assert_eq!(direct, routed);
    assert_eq!(routed["rows"], 100_000);
    assert_eq!(routed["error"]["name"], "TABLE_NOT_FOUND");
    assert_eq!(routed["parameters"], serde_json::json!([["T-100001"]]));
    assert_eq!(routed["cancelled"], true);
    assert_eq!(routed["transaction"], true);
}
