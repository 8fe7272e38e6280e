//! The policy file: what loads, what is refused, and what the refusal says.
#![cfg(feature = "yaml")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are tests"
)]

use lakegate_core::policy::check::BATCH_TAG_RULE;
use lakegate_core::policy::condition::{Condition, Operator, Signal, Test};
use lakegate_core::policy::{Overlay, Policy, Route};
use lakegate_core::protocol::Protocol;

const REFERENCE: &str = include_str!("../../tests/fixtures/reference-policy.yaml");

fn load(text: &str) -> Result<Policy, Vec<String>> {
    Policy::from_yaml("policy.yaml", text, &Overlay::default())
}

fn errors(text: &str) -> Vec<String> {
    load(text).err().unwrap_or_default()
}

#[test]
fn the_reference_policy_loads_as_it_is() {
    let policy = load(REFERENCE).unwrap();
    let names: Vec<&str> = policy.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(
        names,
        [
            BATCH_TAG_RULE,
            "accelerated",
            "interactive_small",
            "interactive_medium_if_idle",
            "agent_over_budget",
            "batch_large",
            "batch_expensive",
            "interactive_overloaded_spill",
            "default",
        ]
    );
    let small = &policy.rules[2];
    let gigabytes_50 = 50 * 1024 * 1024 * 1024;
    assert_eq!(
        small.when,
        Condition::All(vec![
            Condition::Leaf(Signal::EstimatedBytes, Test::Number(Operator::Lt, gigabytes_50)),
            Condition::Leaf(Signal::JoinTables, Test::Number(Operator::LtEq, 4)),
            Condition::Leaf(Signal::NoExpensiveOps, Test::Is(true)),
        ])
    );
    assert_eq!(policy.rules[4].route, Route::Reject);
    let batch = &policy.engines["batch"];
    assert_eq!(batch.max_bytes_per_query, None, "unlimited");
    assert_eq!(batch.max_queue_wait_ms, Some(300_000));
}

#[test]
fn an_engine_that_no_client_can_reach_is_warned_of() {
    let policy = load(REFERENCE).unwrap();
    let warnings: Vec<String> = policy.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.starts_with("engines.batch:") && warning.contains("no cluster")),
        "{warnings:?}"
    );
}

#[test]
fn a_deployment_lays_its_addresses_over_the_policy() {
    let overlay = Overlay {
        clusters: vec![
            ("interactive".into(), "trino".into(), "http://127.0.0.1:1".into()),
            ("batch".into(), "trino".into(), "http://127.0.0.1:2".into()),
        ],
    };
    let policy = Policy::from_yaml("policy.yaml", REFERENCE, &overlay).unwrap();
    let cluster = policy.engines["batch"].clusters.get(&Protocol::Trino).unwrap();
    assert_eq!(cluster.name, "batch");
    assert_eq!(cluster.endpoint.as_deref(), Some("http://127.0.0.1:2"));
    // The filter gets the same policy as JSON, under the same version.
    let again = Policy::from_json(policy.to_json().as_bytes()).unwrap();
    assert_eq!(again.version, policy.version);
    assert_eq!(again.engines, policy.engines);
}

#[test]
fn the_batch_tag_rule_stands_back_when_the_policy_speaks_of_the_tag() {
    let engines = "engines: { batch: { kind: trino } }\n";
    let implied = |rules: &str| load(&format!("{engines}{rules}")).unwrap().rules[0].implied;
    assert!(implied("rules: [{ name: default, route: batch }]"));
    assert!(!implied(
        "implied_rules: false\nrules: [{ name: default, route: batch }]"
    ));
    assert!(!implied(
        "rules: [{ name: tagged, when: { not: { client_tag: batch } }, route: reject }, { name: default, route: batch }]"
    ));
}

#[test]
fn bad_input_names_file_line_column_and_the_right_form() {
    let cases = [
        (
            "a misspelt key",
            REFERENCE.replace("max_queue_wait_ms: 2000", "max_queue_wait: 2000"),
            "policy.yaml:6:5: engines.interactive.max_queue_wait: unknown key `max_queue_wait`; did you mean `max_queue_wait_ms`?",
        ),
        (
            "a misspelt signal",
            REFERENCE.replace("{ estimated_bytes_lt: 50 GB,", "{ estimated_byte_lt: 50 GB,"),
            "policy.yaml:21:13: rules[1].when.estimated_byte_lt: unknown signal `estimated_byte_lt`; did you mean `estimated_bytes_lt`?",
        ),
        (
            "a wrong unit",
            REFERENCE.replace("estimated_bytes_lt: 50 GB", "estimated_bytes_lt: 50 GX"),
            "policy.yaml:21:33: rules[1].when.estimated_bytes_lt: expected a size like `50 GB` (units B, KB, MB, GB, TB, PB), got `50 GX`",
        ),
        (
            "an unknown engine",
            REFERENCE.replace(
                "    route: batch\n    reason: \"large scan\"",
                "    route: bacth\n    reason: \"large scan\"",
            ),
            "policy.yaml:37:12: rules[4].route: unknown engine `bacth`; did you mean `batch`? (engines here: batch, interactive, reject)",
        ),
        (
            "an order on a flag",
            REFERENCE.replace("has_udf: true", "has_udf_gt: true"),
            "policy.yaml:45:11: rules[5].when.any_of[2].has_udf_gt: `has_udf` has no order; write `has_udf: true`",
        ),
        (
            "an engine kind",
            REFERENCE.replace("kind: spark", "kind: sparc"),
            "policy.yaml:10:11: engines.batch.kind: unknown engine kind `sparc`; did you mean `spark`?",
        ),
        (
            "a statement kind",
            REFERENCE.replace("has_udf: true", "statement_kind: [merge, updat]"),
            "policy.yaml:45:35: rules[5].when.any_of[2].statement_kind[1]: unknown statement kind `updat`; did you mean `update`?",
        ),
        (
            "a queue wait of no engine",
            REFERENCE.replace("interactive_queue_wait_ms_lt", "interactiv_queue_wait_ms_lt"),
            "policy.yaml:27:7: rules[2].when.interactiv_queue_wait_ms_lt: unknown signal `interactiv_queue_wait_ms_lt`; did you mean `interactive_queue_wait_ms_lt`?",
        ),
    ];
    for (what, text, want) in cases {
        assert_eq!(errors(&text), [want], "{what}");
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let text =
        "engines:\n  a: { kind: trino, clustres: {} }\nrules:\n  - { name: x, route: b }\n  - { nme: y, route: a }\n";
    let found = errors(text);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[0].starts_with("policy.yaml:2:21:"), "{found:#?}");
    assert!(found[1].starts_with("policy.yaml:4:23:"), "{found:#?}");
    assert!(found[2].contains("`name` is missing"), "{found:#?}");
    assert!(found[3].starts_with("policy.yaml:5:7:"), "{found:#?}");
}

#[test]
fn a_file_that_is_no_yaml_or_no_policy_is_refused_with_its_place() {
    let broken = errors("engines: [\n  a: }\n");
    assert_eq!(broken.len(), 1);
    assert!(broken[0].starts_with("policy.yaml:2:"), "{broken:?}");
    assert!(errors("").iter().all(|error| error.starts_with("policy.yaml:1:1:")));
    assert!(!errors("").is_empty());
    let twice = errors("engines: { a: { kind: trino } }\nrules: [{ name: d, route: a }]\nrules: []\n");
    assert!(twice[0].contains("`rules` is there twice"), "{twice:?}");
    let no_default = errors("engines: { a: { kind: trino } }\nrules: [{ name: d, when: { user: ann }, route: a }]\n");
    assert!(no_default[0].contains("no rule is left"), "{no_default:?}");
}

#[test]
fn hostile_policies_are_refused_and_do_no_harm() {
    let deep = format!(
        "engines: {{ a: {{ kind: trino }} }}\nrules: [{{ name: d, route: a, when: {}user: x{} }}]",
        "{ not: ".repeat(60),
        "}".repeat(60)
    );
    let nested = deep.replace("{ not: user", "{ not: { user").replace(": x}", ": x}}");
    assert!(
        errors(&nested).iter().any(|error| error.contains("nest deeper")),
        "{:?}",
        errors(&nested)
    );
    assert!(!errors("engines: { \"a b\": { kind: trino } }\nrules: [{ name: d, route: \"a b\" }]").is_empty());
}

#[test]
fn what_a_policy_cannot_mean_is_warned_of() {
    let warnings = |rules: &str| -> Vec<String> {
        let text = format!("engines: {{ a: {{ kind: trino }}, b: {{ kind: trino }} }}\nrules: [{rules}]");
        load(&text).unwrap().warnings.iter().map(ToString::to_string).collect()
    };
    let default = "{ name: default, route: a, fallback: b }";
    let cases = [
        (
            "a narrower range below a wider one",
            "{ name: x, when: { estimated_bytes_lt: 50 GB }, route: a }, { name: y, when: { estimated_bytes_lt: 10 GB, client_tag: t }, route: b }",
            Some("rules[1]: rule `y` is never reached: every statement that fits it fits `x` above"),
        ),
        (
            "fewer tags below more",
            "{ name: x, when: { client_tag: [s, t] }, route: a }, { name: y, when: { client_tag: t }, route: b }",
            Some("rules[1]: rule `y` is never reached: every statement that fits it fits `x` above"),
        ),
        (
            "a range that holds nothing",
            "{ name: x, when: { join_tables_gt: 4, join_tables_lte: 4 }, route: b }",
            Some("rules[0].when: rule `x` never matches: no value of `join_tables` fits it"),
        ),
        (
            "a wider range below a narrower one",
            "{ name: x, when: { estimated_bytes_lt: 10 GB }, route: a }, { name: y, when: { estimated_bytes_lt: 50 GB }, route: b }",
            None,
        ),
        (
            "an alternative above is not a condition that always holds",
            "{ name: x, when: { any_of: [{ has_udf: true }, { user: ann }] }, route: a }, { name: y, when: { has_udf: true }, route: b }",
            None,
        ),
        (
            "another signal above",
            "{ name: x, when: { estimated_bytes_lt: 50 GB, client_tag: t }, route: a }, { name: y, when: { estimated_bytes_lt: 50 GB }, route: b }",
            None,
        ),
        (
            "a rule above that says what unknown does",
            "{ name: x, when: { estimated_bytes_gte: 1 GB }, unknown: skip, route: a }, { name: y, when: { estimated_bytes_gte: 2 GB }, route: b }",
            None,
        ),
    ];
    for (what, rules, want) in cases {
        let found = warnings(&format!("{rules}, {default}"));
        assert_eq!(found, want.into_iter().collect::<Vec<_>>(), "{what}");
    }
    assert_eq!(
        warnings("{ name: default, route: a }"),
        ["engines.b: no rule routes to engine `b`"]
    );
}
