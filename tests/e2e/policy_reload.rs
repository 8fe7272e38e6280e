//! A policy that is edited goes live without a restart of Envoy or the service.

use std::time::Duration;

use lakegate_tests::process::eventually;
use lakegate_tests::stack::{DEMO_POLICY, Options, Stack, policy_text};

const SMALL: &str = "SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'";

fn rule(stack: &Stack) -> String {
    let answer = stack.client().request(SMALL).send();
    answer.header("x-lakegate-rule").unwrap_or_default().to_owned()
}

#[test]
fn an_edited_policy_goes_live_and_a_bad_edit_leaves_the_last_good_one() {
    let stack = Stack::start("reload", &Options::default());
    assert_eq!(rule(&stack), "interactive_small");
    let file = stack.folder.join("policy.yaml");

    let bad = DEMO_POLICY.replace(
        "route: batch\n    reason: \"large scan\"",
        "route: nowhere\n    reason: \"large scan\"",
    );
    assert_ne!(bad, DEMO_POLICY);
    std::fs::write(&file, bad).expect("policy file");
    eventually("the service says what is wrong", Duration::from_secs(20), || {
        let log = std::fs::read_to_string(stack.folder.join("service.log")).unwrap_or_default();
        log.contains("unknown engine `nowhere`").then_some(())
    });
    assert_eq!(rule(&stack), "interactive_small");

    let good = DEMO_POLICY.replace("- name: interactive_small", "- name: renamed_rule");
    std::fs::write(&file, policy_text(&good, true)).expect("policy file");
    eventually("the new policy decides", Duration::from_secs(20), || {
        (rule(&stack) == "renamed_rule").then_some(())
    });
}
