//! The Monday minute through a real Envoy.

use lakegate_tests::monday::steps;
use lakegate_tests::stack::{DEMO_SCALE, Options, REFERENCE_POLICY, Stack, Warehouse};

fn play(stack: &Stack, scale: u64) {
    let mut complaints = Vec::new();
    for step in steps() {
        let client = stack.client().tags(step.tag);
        for turn in 0..step.times {
            let answer = client.request(step.statement(turn)).send();
            assert_eq!(answer.status, 200, "{}", answer.text());
            let header = |name: &str| answer.header(name).unwrap_or_default().to_owned();
            let complaint = step.complaint(
                &header("x-lakegate-engine"),
                &header("x-lakegate-rule"),
                &header("x-lakegate-estimated-bytes"),
                scale,
            );
            complaints.extend(complaint.map(|complaint| format!("{}: {complaint}", step.workload)));
            if step.rule == "batch_large" {
                let notice = header("x-lakegate-notice");
                assert!(notice.contains("estimated scan"), "the client is told: {notice}");
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn the_reference_policy_puts_each_workload_on_its_engine_at_full_size() {
    let stack = Stack::start(
        "monday-stated",
        &Options {
            policy: REFERENCE_POLICY.to_owned(),
            warehouse: Warehouse::Stated,
            ..Options::default()
        },
    );
    play(&stack, 1);
    let notice = stack
        .client()
        .tags("interactive")
        .request(steps()[2].statement(0))
        .send();
    let notice = notice.header("x-lakegate-notice").unwrap_or_default().to_owned();
    assert!(notice.contains("estimated scan 11.4 TB"), "{notice}");
}

#[test]
fn the_demo_policy_does_the_same_at_a_hundred_thousandth() {
    let stack = Stack::start("monday-demo", &Options::default());
    play(&stack, DEMO_SCALE);
}

#[test]
fn no_estimate_is_spent_on_covered_or_tagged_statements() {
    let stack = Stack::start("monday-lazy", &Options::default());
    for step in steps()
        .iter()
        .filter(|step| ["accelerated", "batch_tag"].contains(&step.rule))
    {
        let answer = stack.client().tags(step.tag).request(step.statement(0)).send();
        assert_eq!(
            answer.header("x-lakegate-estimate-source"),
            Some("none"),
            "{}",
            step.workload
        );
        assert_eq!(
            answer.header("x-lakegate-estimated-bytes"),
            Some("unknown"),
            "{}",
            step.workload
        );
    }
    let metrics = stack.service_get("/metrics").text();
    let made: f64 = metrics
        .lines()
        .filter(|line| line.starts_with("lakegate_estimates_total"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum();
    assert!(metrics.contains("lakegate_estimates_total"), "{metrics}");
    assert!(made < 1.0, "{made} estimates were made");
}

#[test]
fn every_decision_is_in_the_access_log_without_the_statement() {
    let stack = Stack::start("monday-log", &Options::default());
    let answer = stack
        .client()
        .tags("agent")
        .request("SELECT * FROM support.ticket_events WHERE customer_id = 'C-4471'")
        .send();
    let id = answer.header("x-lakegate-decision-id").unwrap_or_default().to_owned();
    assert!(!id.is_empty());
    let entry = lakegate_tests::process::eventually("the access log", std::time::Duration::from_secs(20), || {
        stack.access_log().into_iter().find(|entry| {
            entry["lakegate"]["id"] == id.as_str() || entry["lakegate"].as_str().is_some_and(|text| text.contains(&id))
        })
    });
    let text = entry.to_string();
    assert!(text.contains("interactive_medium_if_idle"), "{text}");
    assert!(
        !text.contains("C-4471") && !text.to_lowercase().contains("select"),
        "{text}"
    );
    assert_eq!(entry["route"], "submission");
}
