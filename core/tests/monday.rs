//! The Monday minute by the reference policy, on facts alone: four workloads, one endpoint, each on its engine.
#![cfg(feature = "yaml")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "helpers of tests are tests"
)]

mod reference;

use lakegate_core::decision::{Outcome, Reason, Target, Verdict, decide, trace};
use lakegate_core::engine::{EngineState, EngineStates};
use lakegate_core::policy::condition::Signal;
use lakegate_core::policy::{Overlay, Policy};
use lakegate_core::protocol::Protocol;
use lakegate_core::signals::{Fact, Facts, Signals};
use reference::policy;

const GB: u64 = 1024 * 1024 * 1024;
const TB: u64 = 1024 * GB;

/// A plain statement: nothing expensive in it, no reflection, one table.
fn statement(tags: &[&str], estimated_bytes: Fact<u64>) -> Signals {
    Signals {
        client_tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        statement_kind: "query",
        facts: Facts {
            estimated_bytes,
            reflection_covers_query: Fact::Known(false),
            has_window_over_large_partition: Fact::Known(false),
            has_udf: Fact::Known(false),
            no_expensive_ops: Fact::Known(true),
            join_tables: Fact::Known(1),
            session_bytes_remaining: Fact::Unknown("no ledger".into()),
            ..Facts::default()
        },
        ..Signals::default()
    }
}

fn idle(queue_wait_ms: u64) -> EngineStates {
    let state = EngineState {
        queue_wait_ms: Some(queue_wait_ms),
        ..EngineState::default()
    };
    EngineStates::from([("interactive".into(), state)])
}

fn verdict(signals: &Signals, engines: &EngineStates) -> Verdict {
    match decide(&policy(), Protocol::Trino, signals, engines) {
        Outcome::Decided(verdict) => verdict,
        Outcome::Needs(signals) => panic!("undecided, needs {signals:?}"),
    }
}

fn check(signals: &Signals, engines: &EngineStates, engine: &str, rule: &str) {
    let verdict = verdict(signals, engines);
    assert_eq!(
        (verdict.target.engine(), verdict.rule.as_str()),
        (engine, rule),
        "{verdict:?}"
    );
}

#[test]
fn a_covered_dashboard_statement_is_decided_without_an_estimate() {
    let mut dashboard = statement(&["interactive"], Fact::Unasked);
    dashboard.facts.reflection_covers_query = Fact::Known(true);
    check(&dashboard, &idle(0), "interactive", "accelerated");
}

#[test]
fn a_batch_tag_is_enough_and_nothing_is_asked() {
    let merge = Signals {
        client_tags: vec!["batch".into()],
        statement_kind: "merge",
        ..Signals::default()
    };
    check(&merge, &EngineStates::new(), "batch", "batch_tag");
    assert_eq!(verdict(&merge, &EngineStates::new()).reason_text, "batch tag");
}

#[test]
fn a_large_scan_goes_to_batch_and_the_client_is_told_how_large() {
    // 11.4 TB
    let scan = statement(&["interactive"], Fact::Known(TB * 114 / 10));
    check(&scan, &idle(0), "batch", "batch_large");
    let notice = verdict(&scan, &idle(0)).notice.unwrap_or_default();
    assert!(notice.contains("estimated scan 11.4 TB"), "{notice}");
}

#[test]
fn a_medium_scan_stays_interactive_while_that_engine_is_idle() {
    let scan = statement(&["interactive"], Fact::Known(400 * GB));
    check(&scan, &idle(0), "interactive", "interactive_medium_if_idle");
    check(
        &statement(&["agent"], Fact::Known(90 * GB)),
        &idle(120),
        "interactive",
        "interactive_medium_if_idle",
    );
    check(&scan, &idle(2000), "batch", "interactive_overloaded_spill");
}

#[test]
fn a_small_lookup_is_interactive_whatever_the_queue() {
    check(
        &statement(&["agent"], Fact::Known(GB)),
        &EngineStates::new(),
        "interactive",
        "interactive_small",
    );
}

#[test]
fn an_exhausted_session_is_rejected_and_an_unknown_budget_is_no_reason_to() {
    let mut agent = statement(&["agent"], Fact::Known(12 * TB));
    agent.facts.session_bytes_remaining = Fact::Known(-1);
    let rejected = verdict(&agent, &idle(0));
    assert_eq!((&rejected.target, rejected.reason), (&Target::Reject, Reason::Rejected));
    agent.facts.session_bytes_remaining = Fact::Unknown("no ledger".into());
    check(&agent, &idle(0), "batch", "batch_large");
}

#[test]
fn unknown_bytes_count_as_large_and_the_reason_says_so() {
    let unknown = statement(&["interactive"], Fact::Unknown("no such table".into()));
    check(&unknown, &idle(0), "batch", "batch_large");
    let verdict = verdict(&unknown, &idle(0));
    assert_eq!(verdict.reason, Reason::RuleOnUnknown);
    assert_eq!(verdict.reason_text, "large scan (estimated_bytes unknown)");
}

#[test]
fn only_the_rule_at_hand_is_asked_about() {
    let mut fresh = statement(&[], Fact::Unasked);
    fresh.facts.reflection_covers_query = Fact::Unasked;
    let ask = |signals: &Signals| decide(&policy(), Protocol::Trino, signals, &idle(0));
    assert_eq!(ask(&fresh), Outcome::Needs(vec![Signal::ReflectionCoversQuery]));
    fresh.facts.reflection_covers_query = Fact::Known(false);
    assert_eq!(ask(&fresh), Outcome::Needs(vec![Signal::EstimatedBytes]));
}

#[test]
fn an_unasked_signal_is_not_needed_when_another_condition_already_fails() {
    let mut joined = statement(&[], Fact::Unasked);
    joined.facts.join_tables = Fact::Known(5);
    joined.facts.estimated_bytes = Fact::Unasked;
    // interactive_small fails on five tables alone, interactive_medium_if_idle on the missing tag; batch_large is the
    // first rule that hangs on the estimate.
    let traced = trace(&policy(), &joined, &idle(0));
    let undecided: Vec<&str> = traced
        .iter()
        .filter(|rule| rule.outcome.as_str() == "undecided")
        .map(|rule| rule.rule.as_str())
        .collect();
    assert_eq!(undecided, ["batch_large"]);
}

#[test]
fn an_engine_without_a_cluster_for_the_client_takes_the_fallback_or_is_refused() {
    let text = "engines:\n  a: { kind: trino }\n  b: { kind: spark }\nrules:\n  - { name: x, when: { user: ann }, route: b, fallback: a }\n  - { name: y, when: { user: bob }, route: b, fallback: a, strict: true }\n  - { name: default, route: a }\n";
    let policy = Policy::from_yaml("p.yaml", text, &Overlay::default()).unwrap();
    let decide_for = |user: &str| {
        let signals = Signals {
            user: Some(user.into()),
            ..Signals::default()
        };
        match decide(&policy, Protocol::Trino, &signals, &EngineStates::new()) {
            Outcome::Decided(verdict) => verdict,
            Outcome::Needs(signals) => panic!("{signals:?}"),
        }
    };
    let fallen_back = decide_for("ann");
    assert_eq!(
        (fallen_back.target.engine(), fallen_back.reason),
        ("a", Reason::Fallback)
    );
    let strict = decide_for("bob");
    assert_eq!((strict.target.engine(), strict.reason), ("none", Reason::NoCluster));
}
