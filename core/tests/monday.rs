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

use lakegate_core::assessment::{Confidence, Label};
use lakegate_core::decision::{Outcome, Reason, Target, Verdict, decide, decide_closed, trace};
use lakegate_core::engine::{EngineState, EngineStates};
use lakegate_core::policy::condition::Signal;
use lakegate_core::policy::{Overlay, Policy};
use lakegate_core::protocol::Protocol;
use lakegate_core::protocol::trino::Submission;
use lakegate_core::signals::{Fact, Facts, Signals};
use lakegate_core::sql::scan::{MAX_SCAN_TOKENS, StatementKind};
use reference::policy;

const GB: u64 = 1024 * 1024 * 1024;
const TB: u64 = 1024 * GB;

/// A plain statement: nothing expensive in it, no reflection, one table.
fn statement(tags: &[&str], estimated_bytes: Fact<u64>) -> Signals {
    Signals {
        client_tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        facts: Facts {
            statement_kind: Fact::Known(StatementKind::Query),
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
        facts: Facts {
            statement_kind: Fact::Known(StatementKind::Merge),
            ..Facts::default()
        },
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

#[test]
fn the_label_follows_the_policy_s_own_bounds_and_confidence_what_was_known() {
    // The smallest bound that the reference policy tells scans apart by is 50 GB.
    assert_eq!(policy().light_below, Some(50 * GB));
    let mut covered = statement(&[], Fact::Unasked);
    covered.facts.reflection_covers_query = Fact::Known(true);
    let mut window = statement(&[], Fact::Known(GB));
    window.facts.has_window_over_large_partition = Fact::Known(true);
    window.facts.no_expensive_ops = Fact::Known(false);
    let tagged = Signals {
        client_tags: vec!["batch".into()],
        ..Signals::default()
    };
    let cases = [
        (
            "small",
            statement(&[], Fact::Known(50 * GB - 1)),
            Label::Light,
            Confidence::High,
        ),
        (
            "at the bound",
            statement(&[], Fact::Known(50 * GB)),
            Label::Heavy,
            Confidence::High,
        ),
        (
            "huge",
            statement(&[], Fact::Known(12 * TB)),
            Label::Heavy,
            Confidence::High,
        ),
        ("covered", covered, Label::Light, Confidence::High),
        ("small scan, large window", window, Label::Heavy, Confidence::High),
        (
            "unknown bytes",
            statement(&[], Fact::Unknown("no such table".into())),
            Label::Unknown,
            Confidence::Low,
        ),
        (
            "decided by its tag, nothing asked",
            tagged,
            Label::Unknown,
            Confidence::High,
        ),
    ];
    for (what, signals, label, confidence) in cases {
        let verdict = verdict(&signals, &idle(0));
        assert_eq!(
            (verdict.label, verdict.confidence),
            (label, confidence),
            "{what}: {verdict:?}"
        );
    }
}

#[test]
fn an_unknown_that_a_rule_was_skipped_for_lowers_the_confidence() {
    // The queue wait is unknown: interactive_medium_if_idle is skipped for it, and the scan goes on to the default.
    let scan = statement(&["interactive"], Fact::Known(90 * GB));
    let verdict = verdict(&scan, &EngineStates::new());
    assert_eq!((verdict.rule.as_str(), verdict.reason), ("default", Reason::Rule));
    assert_eq!(verdict.confidence, Confidence::Low);
}

#[test]
fn session_properties_are_signals_and_the_statement_s_own_go_first() {
    let text = "engines:\n  a: { kind: trino, clusters: { trino: a } }\n  b: { kind: trino, clusters: { trino: b } }\nrules:\n  - { name: etl, when: { session_property: [routing=etl, lake.merge_on_read] }, route: b }\n  - { name: default, route: a }\n";
    let policy = Policy::from_yaml("p.yaml", text, &Overlay::default()).unwrap();
    let rule = |header: &str, sql: &str| {
        let submission = Submission::from_headers([("x-trino-session", header.as_bytes())]);
        let signals = submission.signals(&submission.scan(sql, MAX_SCAN_TOKENS));
        match decide(&policy, Protocol::Trino, &signals, &EngineStates::new()) {
            Outcome::Decided(verdict) => verdict.rule,
            Outcome::Needs(signals) => panic!("{signals:?}"),
        }
    };
    assert_eq!(rule("routing=etl", "SELECT 1"), "etl");
    assert_eq!(rule("x=1,lake.merge_on_read=false", "SELECT 1"), "etl", "any value");
    assert_eq!(rule("routing=adhoc", "SELECT 1"), "default");
    assert_eq!(rule("", "SELECT 1"), "default");
    assert_eq!(rule("", "WITH SESSION routing = 'etl' SELECT 1"), "etl");
    assert_eq!(
        rule("routing=etl", "WITH SESSION routing = 'adhoc' SELECT 1"),
        "default"
    );
    assert_eq!(
        rule("", "SET SESSION routing = 'etl'"),
        "default",
        "that is for later statements"
    );
}

#[test]
fn a_compressed_prepared_statement_is_asked_about_and_never_guessed() {
    let submission = Submission::from_headers([("x-trino-prepared-statement", b"q=%24zstd%3AKLUv".as_slice())]);
    let scan = submission.scan("EXECUTE q USING 1", MAX_SCAN_TOKENS);
    assert!(!scan.complete && scan.tables.is_empty());
    let mut signals = submission.signals(&scan);
    assert!(signals.facts.statement_kind.is_unasked() && signals.facts.estimated_bytes.is_unasked());
    let needs = decide(&policy(), Protocol::Trino, &signals, &idle(0));
    assert!(matches!(needs, Outcome::Needs(_)), "{needs:?}");
    // The service has read it.
    signals.facts.merge(Facts {
        statement_kind: Fact::Known(StatementKind::Query),
        estimated_bytes: Fact::Known(GB),
        reflection_covers_query: Fact::Known(false),
        join_tables: Fact::Known(1),
        no_expensive_ops: Fact::Known(true),
        ..Facts::default()
    });
    assert_eq!(signals.statement_kind(), "query");
    check(&signals, &idle(0), "interactive", "interactive_small");
    // It has not answered: unknown counts as large.
    let mut silent = submission.signals(&scan);
    let closed = decide_closed(&policy(), Protocol::Trino, &mut silent, &idle(0), "no answer");
    assert_eq!(
        (closed.rule.as_str(), closed.reason),
        ("batch_large", Reason::RuleOnUnknown)
    );
}

#[test]
fn a_long_statement_is_left_to_a_reader_with_more_time() {
    let submission = Submission::default();
    let sql = format!("INSERT INTO t SELECT * FROM u WHERE a IN ({}1)", "1,".repeat(100));
    let whole = submission.scan(&sql, MAX_SCAN_TOKENS);
    assert!(whole.complete && !whole.deferred);
    // 11 tokens up to the list, 201 in it, a parenthesis.
    assert_eq!(submission.scan(&sql, 213), whole);
    let cut = submission.scan(&sql, 212);
    assert!(!cut.complete && cut.deferred);
    assert_eq!(
        submission.signals(&cut).facts,
        Facts::default(),
        "nothing is concluded from a part"
    );
    let inner = format!("EXECUTE IMMEDIATE 'SELECT ''{}'' FROM u'", "x".repeat(200_000));
    assert!(submission.scan(&inner, 8192).deferred);
    assert_eq!(submission.scan(&inner, MAX_SCAN_TOKENS).tables.len(), 1);
    // Nobody has more than this.
    let too_long = submission.scan(&"1,".repeat(MAX_SCAN_TOKENS), usize::MAX);
    assert!(!too_long.complete && !too_long.deferred);
}
