//! The service is down, slow, talks nonsense or is not there: statements still go somewhere, unknown counts as large.

use std::time::Duration;

use lakegate_tests::fake_service::{Behaviour, FakeService};
use lakegate_tests::stack::{Options, Service, Stack};

const SMALL: &str = "SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'";

/// The statement goes to batch as unknown, and a tagged one still goes by its tag.
fn check_unknown(stack: &Stack) {
    let answer = stack.client().request(SMALL).send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("x-lakegate-engine"), Some("batch"));
    assert_eq!(answer.header("x-lakegate-rule"), Some("batch_large"));
    assert_eq!(answer.header("x-lakegate-estimated-bytes"), Some("unknown"));
    assert_eq!(answer.header("x-lakegate-estimate-source"), Some("none"));
    let reason = answer.header("x-lakegate-reason").unwrap_or_default();
    assert!(reason.contains("unknown"), "{reason}");
    let tagged = stack.client().tags("batch").request(SMALL).send();
    assert_eq!(tagged.header("x-lakegate-rule"), Some("batch_tag"));
}

fn start(name: &str, service: Service) -> Stack {
    Stack::start(
        name,
        &Options {
            service,
            ..Options::default()
        },
    )
}

#[test]
fn a_service_that_stops_costs_knowledge_and_nothing_else() {
    let mut stack = start("down", Service::Real);
    let known = stack.client().request(SMALL).send();
    assert_eq!(known.header("x-lakegate-engine"), Some("interactive"));
    stack.stop_service();
    // Another literal, so that no kept estimate answers.
    let answer = stack.client().request(&SMALL.replace("100001", "100002")).send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("x-lakegate-engine"), Some("batch"));
    assert_eq!(answer.header("x-lakegate-estimated-bytes"), Some("unknown"));
    assert!(stack.stat("wasmcustom.lakegate.callout.failed") >= 1);
}

#[test]
fn without_a_service_the_filter_decides_by_headers_and_scan() {
    let stack = start("absent", Service::Absent);
    check_unknown(&stack);
    let nothing_read = stack.client().request("SELECT 1").send();
    assert_eq!(
        nothing_read.header("x-lakegate-rule"),
        Some("interactive_small"),
        "no table, no bytes"
    );
}

#[test]
fn a_service_slower_than_its_deadline_is_not_waited_for() {
    let fake = FakeService::start(Behaviour::Answer(
        r#"{"v":1,"facts":{"estimated_bytes":1,"reflection_covers_query":false}}"#.into(),
        Duration::from_secs(30),
    ));
    let stack = Stack::start(
        "slow",
        &Options {
            service: Service::At(fake.url.clone()),
            patient: false,
            ..Options::default()
        },
    );
    check_unknown(&stack);
    assert_eq!(
        fake.facts_requests(),
        1,
        "one call for the statement that needed it, and never a second"
    );
}

#[test]
fn nonsense_from_the_service_is_unknown() {
    let nonsense = [
        "",
        "not json",
        "[]",
        "null",
        r#"{"v":1,"facts":{"estimated_bytes":-1}}"#,
        r#"{"v":1,"facts":{"estimated_bytes":"lots"}}"#,
        r#"{"v":1,"facts":{"estimated_bytes":null}}"#,
        r#"{"v":1,"facts":{}}"#,
        r#"{"v":99,"facts":{"estimated_bytes":1}}"#,
    ];
    for body in nonsense {
        let fake = FakeService::start(Behaviour::Answer(body.into(), Duration::ZERO));
        let stack = start("nonsense", Service::At(fake.url.clone()));
        check_unknown(&stack);
    }
}

#[test]
fn errors_and_hang_ups_of_the_service_are_unknown() {
    for behaviour in [Behaviour::Status(500), Behaviour::Status(404), Behaviour::HangUp] {
        let fake = FakeService::start(behaviour);
        let stack = start("errors", Service::At(fake.url.clone()));
        check_unknown(&stack);
    }
}

#[test]
fn a_service_cluster_without_endpoint_is_unknown() {
    check_unknown(&start("no-endpoint", Service::NoEndpoint));
}
