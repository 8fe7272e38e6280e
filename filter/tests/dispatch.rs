//! The filter through the SDK's real dispatcher, natively, against a fake Envoy.
//!
//! What is decided is the core's business and tested there; here it is whether the right things happen in the right
//! phase.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests; a failure is meant to be loud"
)]

mod fake_host;

use lakegate_core::policy::Policy;
use lakegate_core::protocol::trino::MAX_STATEMENT_BYTES;
use proxy_wasm::types::{Action, Status};
use serde_json::{Value, json};

use fake_host::{Answer, Call, Envoy, Request};

const GB: u64 = 1 << 30;

/// Needs an estimate for every statement that reads a table and is neither mallory's nor tagged.
fn policy() -> Value {
    json!({
        "engines": {
            "quick": { "kind": "trino", "clusters": { "trino": "quick-cluster" } },
            "large": { "kind": "trino", "clusters": { "trino": "large-cluster" } },
        },
        "failure": { "deadline_ms": 150 },
        "rules": [
            { "name": "banned", "when": { "user": "mallory" }, "route": "reject", "reason": "ask the platform team" },
            { "name": "tagged", "when": { "client_tag": "nightly" }, "route": "large" },
            { "name": "busy", "when": { "quick_queue_wait_ms_gt": 1000 }, "route": "large" },
            { "name": "small", "when": { "estimated_bytes_lt": "50 GB" }, "route": "quick" },
            { "name": "huge", "when": { "estimated_bytes_gte": "1 PB" }, "route": "reject", "unknown": "skip" },
            { "name": "default", "route": "large", "notify_client": true },
        ],
    })
}

fn version(policy: &Value) -> String {
    Policy::from_json(policy.to_string().as_bytes()).unwrap().version
}

fn configuration() -> String {
    json!({ "policy": policy(), "service": { "cluster": "lakegate", "poll_ms": 1000 } }).to_string()
}

fn start() -> Envoy {
    Envoy::start(&configuration())
}

/// Name and value.
type Header<'a> = (&'a str, &'a [u8]);

const SUBMISSION: [Header<'_>; 7] = [
    (":method", b"POST"),
    (":path", b"/v1/statement"),
    (":scheme", b"http"),
    (":authority", b"sql.example:8443"),
    ("x-forwarded-proto", b"https"),
    ("x-trino-user", b"ann"),
    ("x-trino-catalog", b"lake"),
];

fn submission(envoy: &Envoy, more: &[Header<'_>]) -> Request {
    envoy.request(&[&SUBMISSION, more].concat())
}

const SCAN: &[u8] = b"SELECT count(*) FROM lake.web.events WHERE day = DATE '2024-05-01'";

/// A submission that has asked the service, and its question.
fn asking(envoy: &Envoy) -> (Request, Call) {
    let request = submission(envoy, &[]);
    assert_eq!(request.headers(false), Action::Pause);
    assert_eq!(request.body(SCAN, true), Action::Pause);
    assert!(!request.went_on());
    let mut calls = envoy.take_calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    (request, calls.remove(0))
}

fn facts(bytes: u64) -> Vec<u8> {
    json!({
        "v": 1,
        "policy_version": version(&policy()),
        "facts": { "estimated_bytes": bytes },
        "snapshots": { "lake.web.events": "11" },
        "cacheable": true,
    })
    .to_string()
    .into_bytes()
}

fn state(policy_version: &str, snapshot: &str, quick_wait_ms: u64) -> Vec<u8> {
    json!({
        "v": 1,
        "policy_version": policy_version,
        "engines": { "quick": { "queue_wait_ms": quick_wait_ms } },
        "snapshots": { "lake.web.events": snapshot },
    })
    .to_string()
    .into_bytes()
}

/// A second goes by; the poll that comes with it is answered.
fn poll(envoy: &Envoy, state: &[u8]) {
    envoy.advance_ms(1000);
    envoy.tick();
    for call in envoy.take_calls() {
        if call.header(":path") == "/v1/state" {
            envoy.answer(&call, Answer::Status(200, state));
        }
    }
}

#[track_caller]
fn assert_routed(request: &Request, cluster: &str, rule: &str) {
    assert!(request.went_on());
    assert!(request.reply().is_none());
    assert_eq!(request.header("x-lakegate-cluster").as_deref(), Some(cluster));
    assert_eq!(request.header("x-lakegate-rule").as_deref(), Some(rule));
    assert_eq!(request.header("x-forwarded-prefix"), Some(format!("/_at/{cluster}")));
    assert_eq!(log_entry(request)["cluster"], cluster);
}

#[track_caller]
fn log_entry(request: &Request) -> Value {
    serde_json::from_str(&request.filter_state("lakegate").unwrap()).unwrap()
}

// Headers that only we may set.

#[test]
fn forged_headers_are_removed_from_a_submission() {
    let envoy = start();
    let request = submission(
        &envoy,
        &[
            ("x-lakegate-cluster", b"evil"),
            ("x-lakegate-cluster", b"evil-too"),
            ("x-lakegate-spill", b"none"),
            ("x-forwarded-prefix", b"/_at/evil"),
        ],
    );
    assert_eq!(request.headers(false), Action::Pause);
    let ours = |name: &String| name.starts_with("x-lakegate-") || name == "x-forwarded-prefix";
    assert_eq!(request.header_names().into_iter().filter(ours).count(), 0);
    assert_eq!(request.body(b"SELECT 1", true), Action::Continue);
    assert_routed(&request, "quick-cluster", "small");
    assert_eq!(request.header("x-lakegate-spill"), None);
}

#[test]
fn forged_headers_are_removed_on_every_other_path() {
    let envoy = start();
    let cases: [(&[u8], &[u8]); 5] = [
        (b"GET", b"/v1/info"),
        (b"GET", b"/v1/statement/queued/20240501_000000_00001_abcde/y1/1"),
        (b"POST", b"/_at/quick-cluster/v1/statement"),
        (b"POST", b"/v1/statement/executing"),
        (b"\xff", b"/\xff\xfe"),
    ];
    for (method, path) in cases {
        let request = envoy.request(&[
            (":method", method),
            (":path", path),
            ("x-lakegate-cluster", b"evil"),
            ("x-lakegate-anything", b"1"),
            ("x-forwarded-prefix", b"/_at/evil"),
            ("accept", b"*/*"),
        ]);
        assert_eq!(request.headers(false), Action::Continue);
        assert_eq!(request.header_names(), [":method", ":path", "accept"]);
        assert_eq!(request.body(b"SELECT 1", true), Action::Continue);
        assert_eq!(request.filter_state("lakegate"), None);
    }
    // None of them is a decision.
    assert_eq!(envoy.counters(), [("lakegate.passed".to_owned(), 5)].into());
}

#[test]
fn the_cluster_header_is_overwritten() {
    let envoy = start();
    let request = submission(
        &envoy,
        &[
            ("x-lakegate-cluster", b"quick-cluster"),
            ("x-trino-client-tags", b"nightly"),
        ],
    );
    request.headers(false);
    assert_eq!(request.body(SCAN, true), Action::Continue);
    assert_routed(&request, "large-cluster", "tagged");
    let names = request.header_names();
    assert_eq!(names.iter().filter(|name| *name == "x-lakegate-cluster").count(), 1);
}

// How a body may come.

#[test]
fn a_post_without_a_body_is_decided_at_once() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    assert_eq!(request.headers(true), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["estimated_bytes"], Value::Null);
    assert!(envoy.take_calls().is_empty());
}

#[test]
fn an_empty_body_is_decided() {
    let envoy = start();
    let request = submission(&envoy, &[("content-length", b"0")]);
    assert_eq!(request.headers(false), Action::Pause);
    assert_eq!(request.body(b"", true), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
}

#[test]
fn a_body_in_several_chunks_is_read_as_one() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    assert_eq!(request.headers(false), Action::Pause);
    for chunk in SCAN.chunks(7) {
        assert_eq!(request.body(chunk, false), Action::Pause);
    }
    assert_eq!(request.body(b"", true), Action::Pause);
    let calls = envoy.take_calls();
    let question: Value = serde_json::from_slice(&calls[0].body).unwrap();
    assert_eq!(question["sql"], String::from_utf8_lossy(SCAN).as_ref());
}

#[test]
fn trailers_end_the_body() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    assert_eq!(request.headers(false), Action::Pause);
    assert_eq!(request.body(b"SELECT 1", false), Action::Pause);
    assert_eq!(request.trailers(), Action::Continue);
    assert_routed(&request, "quick-cluster", "small");
}

#[test]
fn trailers_without_a_body_are_decided() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    assert_eq!(request.headers(false), Action::Pause);
    assert_eq!(request.trailers(), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
}

#[test]
fn a_question_that_trailers_bring_up_is_asked_and_answered() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    request.headers(false);
    request.body(SCAN, false);
    assert_eq!(request.trailers(), Action::Pause);
    let calls = envoy.take_calls();
    envoy.answer(&calls[0], Answer::Status(200, &facts(GB)));
    assert_eq!(request.resumed(), 1);
    assert_routed(&request, "quick-cluster", "small");
}

#[test]
fn a_statement_over_the_cap_is_unanalysed_and_not_refused() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    assert_eq!(request.headers(false), Action::Pause);
    let chunk = vec![b' '; 64 * 1024];
    let mut sent = 0;
    while sent + chunk.len() <= MAX_STATEMENT_BYTES {
        assert_eq!(request.body(&chunk, false), Action::Pause);
        sent += chunk.len();
    }
    assert_eq!(request.body(&chunk, false), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
    let cause = format!("statement longer than {MAX_STATEMENT_BYTES} bytes");
    assert_eq!(log_entry(&request)["estimate_unknown"], cause);
    // The rest streams, to 1.5 MB.
    while sent < 1_500_000 {
        assert_eq!(request.body(&chunk, false), Action::Continue);
        sent += chunk.len();
    }
    assert_eq!(request.body(b"", true), Action::Continue);
    assert_eq!(envoy.counter("lakegate.unanalysed"), 1);
}

#[test]
fn a_statement_that_says_it_is_over_the_cap_is_not_held() {
    let envoy = start();
    let request = submission(&envoy, &[("content-length", b"1500000")]);
    assert_eq!(request.headers(false), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
}

#[test]
fn a_statement_of_exactly_the_cap_is_read() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    request.headers(false);
    let mut text = b"SELECT 1".to_vec();
    text.resize(MAX_STATEMENT_BYTES, b' ');
    assert_eq!(request.body(&text, true), Action::Continue);
    assert_routed(&request, "quick-cluster", "small");
}

#[test]
fn a_body_that_is_not_utf_8_is_unanalysed() {
    let envoy = start();
    let request = submission(&envoy, &[]);
    request.headers(false);
    assert_eq!(request.body(b"SELECT '\xff'", true), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["estimate_unknown"], "statement is not UTF-8");
}

#[test]
fn a_body_that_the_host_does_not_hand_out_is_not_taken_for_an_empty_one() {
    for with_trailers in [false, true] {
        let envoy = start();
        let request = submission(&envoy, &[]);
        request.headers(false);
        request.lose_body();
        let action = if with_trailers {
            request.body(SCAN, false);
            request.trailers()
        } else {
            request.body(SCAN, true)
        };
        assert_eq!(action, Action::Continue);
        assert_eq!(
            log_entry(&request)["estimate_unknown"],
            "body not to be had from the proxy"
        );
        assert_eq!(envoy.counter("lakegate.unanalysed"), 1);
    }
}

#[test]
fn a_header_that_is_not_utf_8_does_no_harm() {
    let envoy = start();
    let request = submission(
        &envoy,
        &[
            ("x-trino-client-tags", b"\xff\xfe"),
            ("x-trino-session", b"\x80"),
            ("cookie", b"\xc3\x28"),
        ],
    );
    request.headers(false);
    assert_eq!(request.body(b"SELECT 1", true), Action::Continue);
    assert_routed(&request, "quick-cluster", "small");
}

#[test]
fn a_compressed_body_is_unanalysed_and_not_held() {
    let envoy = start();
    let request = submission(&envoy, &[("content-encoding", b"gzip")]);
    assert_eq!(request.headers(false), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["estimate_unknown"], "statement is compressed");
    assert_eq!(request.body(b"\x1f\x8b", true), Action::Continue);

    let request = submission(&envoy, &[("content-encoding", b"identity")]);
    assert_eq!(request.headers(false), Action::Pause);
}

// The question to the service.

#[test]
fn a_question_is_asked_once_and_its_answer_decides() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    assert_eq!(call.cluster, "lakegate");
    assert_eq!(
        (call.header(":method"), call.header(":path")),
        ("POST".into(), "/v1/facts".into())
    );
    assert_eq!(call.timeout_ms, 150);
    let question: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(question["user"], "ann");
    assert_eq!(question["catalog"], "lake");
    assert_eq!(question["policy_version"], version(&policy()));

    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    assert_eq!(request.resumed(), 1);
    assert_routed(&request, "quick-cluster", "small");
    assert_eq!(request.header("x-lakegate-estimated-bytes"), Some(GB.to_string()));
    assert_eq!(request.header("x-lakegate-estimate-source").as_deref(), Some("iceberg"));
    assert_eq!(log_entry(&request)["estimated_bytes"], GB);
    assert_eq!(
        envoy.counters(),
        [
            ("lakegate.callout.ok".into(), 1),
            ("lakegate.decision.quick.rule".into(), 1)
        ]
        .into()
    );
}

#[test]
fn an_answer_that_leaves_the_question_open_is_not_followed_by_another_question() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, br#"{"v":1,"facts":{},"new_field":[1]}"#));
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["estimate_unknown"], "service did not say");
    assert!(envoy.take_calls().is_empty());
}

#[test]
fn every_way_to_get_no_answer_ends_in_unknown() {
    let cases: [(Answer<'_>, &str); 8] = [
        (Answer::Status(503, b"upstream connect error"), "service: status 503"),
        (
            Answer::Status(504, b"upstream request timeout"),
            "service: no answer within 150 ms",
        ),
        (Answer::Status(500, b"{}"), "service: status 500"),
        (Answer::Status(204, b""), "service: status 204"),
        (Answer::Status(200, b"<html>"), "service: answer not understood"),
        (Answer::Status(200, b""), "service: answer not understood"),
        (
            Answer::Status(200, br#"{"v":2,"facts":{"estimated_bytes":1}}"#),
            "service: answer of version 2; the newest known is 1",
        ),
        (Answer::Reset, "service: connection lost"),
    ];
    for (answer, cause) in cases {
        let envoy = start();
        let (request, call) = asking(&envoy);
        envoy.answer(&call, answer);
        assert_eq!(request.resumed(), 1, "{cause}");
        assert_routed(&request, "large-cluster", "default");
        assert_eq!(log_entry(&request)["estimate_unknown"], cause);
        assert_eq!(request.header("x-lakegate-estimated-bytes").as_deref(), Some("unknown"));
        assert_eq!(envoy.counter("lakegate.callout.failed"), 1);
    }
}

#[test]
fn a_cluster_that_takes_no_call_ends_in_unknown_at_once() {
    for status in [Status::BadArgument, Status::InternalFailure] {
        let envoy = start();
        envoy.refuse_calls(Some(status));
        let request = submission(&envoy, &[]);
        request.headers(false);
        assert_eq!(request.body(SCAN, true), Action::Continue);
        assert_eq!(request.resumed(), 0);
        assert_routed(&request, "large-cluster", "default");
        assert_eq!(
            log_entry(&request)["estimate_unknown"],
            "service: cluster lakegate takes no call"
        );
        assert_eq!(envoy.counter("lakegate.callout.failed"), 1);
        // The poll meets the same.
        envoy.advance_ms(1000);
        envoy.tick();
        assert_eq!(envoy.counter("lakegate.poll.failed"), 1);
    }
}

#[test]
fn without_a_service_the_scan_and_the_headers_decide() {
    let envoy = Envoy::start(&json!({ "policy": policy() }).to_string());
    let request = submission(&envoy, &[]);
    request.headers(false);
    assert_eq!(request.body(SCAN, true), Action::Continue);
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["estimate_unknown"], "no service is configured");
    assert_eq!(envoy.tick_ms(), 0);
    assert!(envoy.shared_keys().is_empty());
}

/// Scanning it here would keep a worker busy for tens of milliseconds.
#[test]
fn a_long_statement_is_left_to_the_service() {
    let long = format!("SELECT 1 FROM lake.web.events WHERE id IN ({}1)", "1, ".repeat(100_000));
    let envoy = start();
    let request = submission(&envoy, &[]);
    request.headers(false);
    assert_eq!(request.body(long.as_bytes(), true), Action::Pause);
    let [call] = envoy.take_calls().try_into().unwrap();
    let question: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(question["sql"].as_str().map(str::len), Some(long.len()));
    let answer = json!({ "v": 1, "facts": { "statement_kind": "query", "estimated_bytes": GB } }).to_string();
    envoy.answer(&call, Answer::Status(200, answer.as_bytes()));
    assert_routed(&request, "quick-cluster", "small");
    assert_eq!(log_entry(&request)["kind"], "query");

    // Its tag alone decides, as of any other.
    let tagged = submission(&envoy, &[("x-trino-client-tags", b"nightly")]);
    tagged.headers(false);
    assert_eq!(tagged.body(long.as_bytes(), true), Action::Continue);
    assert_routed(&tagged, "large-cluster", "tagged");

    // No answer: nothing is concluded from the part that was read.
    let (request, call) = {
        let request = submission(&envoy, &[]);
        request.headers(false);
        request.body(long.as_bytes(), true);
        (request, envoy.take_calls().remove(0))
    };
    envoy.answer(&call, Answer::Status(503, b""));
    assert_routed(&request, "large-cluster", "default");
    assert_eq!(log_entry(&request)["kind"], "unknown");
}

#[test]
fn an_answer_for_a_client_that_is_gone_is_dropped() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    request.gone();
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    assert_eq!(envoy.counters(), [].into());
}

#[test]
fn a_request_that_waits_for_the_service_stays_where_it_is() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    assert_eq!(request.body(b"", true), Action::Pause);
    assert_eq!(request.trailers(), Action::Pause);
    assert!(envoy.take_calls().is_empty());
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    assert_routed(&request, "quick-cluster", "small");
}

#[test]
fn headers_are_not_edited_after_the_request_goes_on() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    // The fake refuses such an edit as Envoy does, and the SDK would have ended the program.
    assert_eq!(request.edit_header(), Status::BadArgument);
    let before = request.header_names();
    assert_eq!(request.body(b"", true), Action::Continue);
    assert_eq!(request.trailers(), Action::Continue);
    assert_eq!(request.header_names(), before);
    assert_eq!(request.resumed(), 1);
}

// Estimates that are kept.

#[test]
fn a_kept_estimate_saves_the_question_until_the_snapshot_moves() {
    let envoy = start();
    let version = version(&policy());
    let (_, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    poll(&envoy, &state(&version, "11", 0));

    let request = submission(&envoy, &[]);
    request.headers(false);
    // Comments, space and case make no other statement.
    let text = b"select COUNT(*)  from lake.web.events /* again */ WHERE day = DATE '2024-05-01'";
    assert_eq!(request.body(text, true), Action::Continue);
    assert_routed(&request, "quick-cluster", "small");
    assert_eq!(request.header("x-lakegate-estimate-source").as_deref(), Some("cache"));
    assert_eq!(request.header("x-lakegate-estimated-bytes"), Some(GB.to_string()));
    assert_eq!(envoy.counter("lakegate.cache.hit"), 1);

    poll(&envoy, &state(&version, "12", 0));
    asking(&envoy);
    assert_eq!(envoy.counter("lakegate.cache.hit"), 1);
}

#[test]
fn another_statement_context_or_policy_has_another_estimate() {
    let envoy = start();
    let (_, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    poll(&envoy, &state(&version(&policy()), "11", 0));
    let cases: [(&[Header<'_>], &[u8]); 4] = [
        (
            &[],
            b"SELECT count(*) FROM lake.web.events WHERE day = DATE '2024-05-02'",
        ),
        (&[("x-trino-schema", b"other")], SCAN),
        (&[("x-trino-time-zone", b"Asia/Tokyo")], SCAN),
        (&[("x-trino-prepared-statement", b"q=SELECT+2")], SCAN),
    ];
    for (headers, text) in cases {
        let request = submission(&envoy, headers);
        request.headers(false);
        assert_eq!(request.body(text, true), Action::Pause, "{headers:?}");
    }
    envoy.take_calls();
    // The service answers what the policy asks for, so another policy's answer may lack something.
    let edited = edited("quick-cluster");
    serve_policy(&envoy, &version(&edited), &edited.to_string());
    asking(&envoy);
}

#[test]
fn an_estimate_is_not_used_once_the_state_is_stale() {
    let envoy = start();
    let (_, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    poll(&envoy, &state(&version(&policy()), "11", 0));
    envoy.advance_ms(5001);
    asking(&envoy);
}

#[test]
fn an_answer_that_must_not_be_kept_is_not() {
    let envoy = start();
    let uncacheable = String::from_utf8(facts(GB))
        .unwrap()
        .replace("\"cacheable\":true", "\"cacheable\":false");
    let (_, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, uncacheable.as_bytes()));
    poll(&envoy, &state(&version(&policy()), "11", 0));
    asking(&envoy);
}

#[test]
fn a_statement_that_reads_the_clock_has_no_kept_estimate() {
    let envoy = start();
    poll(&envoy, &state(&version(&policy()), "11", 0));
    for _ in 0..2 {
        let request = submission(&envoy, &[]);
        request.headers(false);
        let text = b"SELECT count(*) FROM lake.web.events WHERE day = current_date";
        assert_eq!(request.body(text, true), Action::Pause);
        let calls = envoy.take_calls();
        assert_eq!(calls.len(), 1);
        envoy.answer(&calls[0], Answer::Status(200, &facts(GB)));
        assert_routed(&request, "quick-cluster", "small");
    }
}

// Engine state.

#[test]
fn a_state_that_is_stale_makes_the_queue_wait_unknown() {
    let envoy = start();
    let select_1 = |rule: &str| {
        let request = submission(&envoy, &[]);
        request.headers(false);
        assert_eq!(request.body(b"SELECT 1", true), Action::Continue);
        assert_eq!(request.header("x-lakegate-rule").as_deref(), Some(rule));
    };
    select_1("small");
    poll(&envoy, &state(&version(&policy()), "11", 4000));
    select_1("busy");
    envoy.advance_ms(5000);
    select_1("busy");
    envoy.advance_ms(1);
    select_1("small");
}

#[test]
fn an_outage_of_the_service_is_logged_once() {
    let envoy = start();
    poll(&envoy, &state(&version(&policy()), "11", 0));
    for _ in 0..20 {
        envoy.advance_ms(1000);
        envoy.tick();
        for call in envoy.take_calls() {
            envoy.answer(&call, Answer::Status(503, b"no healthy upstream"));
        }
    }
    let warnings = envoy.logs().into_iter().filter(|line| line.starts_with("Warn")).count();
    assert_eq!(warnings, 1, "{:?}", envoy.logs());
    assert_eq!(envoy.counter("lakegate.poll.failed"), 20);
}

#[test]
fn nonsense_for_a_state_leaves_the_last_one() {
    let envoy = start();
    poll(&envoy, &state(&version(&policy()), "11", 4000));
    poll(&envoy, b"[]]");
    poll(&envoy, br#"{"v":2,"engines":{}}"#);
    let request = submission(&envoy, &[]);
    request.headers(false);
    request.body(b"SELECT 1", true);
    assert_routed(&request, "large-cluster", "busy");
    assert_eq!(envoy.counter("lakegate.poll.failed"), 2);
}

#[test]
fn one_worker_polls_and_both_learn() {
    let first = start();
    let second = Envoy::another_worker(&configuration());
    first.advance_ms(1000);
    first.tick();
    let calls = first.take_calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].header(":method"), calls[0].header(":path")),
        ("GET".into(), "/v1/state".into())
    );
    second.advance_ms(400);
    second.tick();
    assert!(second.take_calls().is_empty());
    first.answer(&calls[0], Answer::Status(200, &state(&version(&policy()), "11", 4000)));
    second.tick();
    let request = submission(&second, &[]);
    request.headers(false);
    request.body(b"SELECT 1", true);
    assert_routed(&request, "large-cluster", "busy");
    // Whoever comes first after the period polls next.
    second.advance_ms(700);
    second.tick();
    first.tick();
    assert_eq!(second.take_calls().len(), 1);
}

#[test]
fn shared_data_has_a_handful_of_keys_whatever_happens() {
    let envoy = start();
    for round in 0..50 {
        poll(&envoy, &state(&format!("v{round}"), &format!("s{round}"), round));
        let (_, call) = asking(&envoy);
        envoy.answer(&call, Answer::Status(200, &facts(GB)));
    }
    let keys = envoy.shared_keys();
    assert!(keys.len() <= 4, "{keys:?}");
}

// Policy updates.

/// The policy with another engine for small statements.
fn edited(cluster: &str) -> Value {
    let mut policy = policy();
    policy["engines"]["tiny"] = json!({ "kind": "trino", "clusters": { "trino": cluster } });
    policy["rules"][3]["route"] = json!("tiny");
    policy
}

/// The service has a policy of that version, and serves this text for it.
fn serve_policy(envoy: &Envoy, version: &str, text: &str) {
    poll(envoy, &state(version, "11", 0));
    for _ in 0..3 {
        envoy.advance_ms(1000);
        envoy.tick();
        for call in envoy.take_calls() {
            let body = match call.header(":path").as_str() {
                "/v1/policy" => text.as_bytes().to_vec(),
                _ => state(version, "11", 0),
            };
            envoy.answer(&call, Answer::Status(200, &body));
        }
    }
}

fn select_1(envoy: &Envoy) -> Request {
    let request = submission(envoy, &[]);
    request.headers(false);
    assert_eq!(request.body(b"SELECT 1", true), Action::Continue);
    request
}

#[test]
fn a_new_policy_is_taken_while_running() {
    let envoy = start();
    let other = Envoy::another_worker(&configuration());
    let new = edited("quick-cluster");
    serve_policy(&envoy, &version(&new), &new.to_string());
    let request = select_1(&envoy);
    assert_eq!(request.header("x-lakegate-engine").as_deref(), Some("tiny"));
    assert_eq!(request.header("x-lakegate-policy-version"), Some(version(&new)));
    assert_eq!(envoy.counter("lakegate.decision.tiny.rule"), 1);
    assert_eq!(envoy.counter("lakegate.policy.refused"), 0);
    // The other worker has it from shared data.
    other.tick();
    assert!(other.take_calls().is_empty());
    let request = select_1(&other);
    assert_eq!(request.header("x-lakegate-policy-version"), Some(version(&new)));
    // And once it is active, it is not asked for again.
    envoy.advance_ms(1000);
    envoy.tick();
    assert_eq!(envoy.take_calls().len(), 1);
}

#[test]
fn a_request_under_way_keeps_the_policy_that_it_asked_by() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    let new = edited("quick-cluster");
    serve_policy(&envoy, &version(&new), &new.to_string());
    envoy.answer(&call, Answer::Status(200, &facts(GB)));
    assert_routed(&request, "quick-cluster", "small");
    assert_eq!(request.header("x-lakegate-policy-version"), Some(version(&policy())));
}

#[test]
fn a_policy_that_does_not_compile_is_refused_once_and_the_last_good_one_stays() {
    let envoy = start();
    let other = Envoy::another_worker(&configuration());
    let mut bad = policy();
    bad["rules"][3]["rotue"] = json!("quick");
    serve_policy(&envoy, "bad", &bad.to_string());
    other.tick();
    for worker in [&envoy, &other] {
        let request = select_1(worker);
        assert_eq!(request.header("x-lakegate-policy-version"), Some(version(&policy())));
    }
    assert_eq!(envoy.counter("lakegate.policy.refused"), 1);
    let warnings: Vec<String> = envoy
        .logs()
        .into_iter()
        .filter(|line| line.starts_with("Warn"))
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("policy bad refused") && warnings[0].contains("`route`"),
        "{warnings:?}"
    );
    // It is not asked for again.
    envoy.advance_ms(1000);
    envoy.tick();
    let paths: Vec<String> = envoy.take_calls().iter().map(|call| call.header(":path")).collect();
    assert_eq!(paths, ["/v1/state"]);
    // A good one after it is taken.
    let new = edited("quick-cluster");
    serve_policy(&envoy, &version(&new), &new.to_string());
    assert_eq!(
        select_1(&envoy).header("x-lakegate-policy-version"),
        Some(version(&new))
    );
}

#[test]
fn a_policy_with_a_cluster_that_envoy_does_not_have_is_refused() {
    let envoy = start();
    let new = edited("tiny-cluster");
    serve_policy(&envoy, &version(&new), &new.to_string());
    assert_eq!(
        select_1(&envoy).header("x-lakegate-policy-version"),
        Some(version(&policy()))
    );
    assert_eq!(envoy.counter("lakegate.policy.refused"), 1);
    let logs = envoy.logs().join("\n");
    assert!(logs.contains("Envoy has no cluster tiny-cluster"), "{logs}");
}

#[test]
fn a_policy_of_another_version_than_the_state_names_is_not_taken() {
    let envoy = start();
    let new = edited("quick-cluster");
    serve_policy(&envoy, "v-next", &new.to_string());
    assert_eq!(
        select_1(&envoy).header("x-lakegate-policy-version"),
        Some(version(&policy()))
    );
    assert_eq!(envoy.counter("lakegate.policy.refused"), 0);
}

#[test]
fn a_worker_that_starts_anew_finds_state_and_policy() {
    let envoy = start();
    let new = edited("quick-cluster");
    serve_policy(&envoy, &version(&new), &new.to_string());
    let reborn = Envoy::another_worker(&configuration());
    assert_eq!(
        select_1(&reborn).header("x-lakegate-policy-version"),
        Some(version(&new))
    );
}

// Verdicts.

#[test]
fn a_rejection_is_a_200_that_a_trino_client_understands() {
    let envoy = start();
    let request = envoy.request(&[&SUBMISSION[..5], &[("x-trino-user", b"mallory".as_slice())]].concat());
    request.headers(false);
    assert_eq!(request.body(SCAN, true), Action::Pause);
    let reply = request.reply().unwrap();
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.header("x-lakegate-engine"), "none");
    assert_eq!(reply.header("x-lakegate-rule"), "banned");
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(body["error"]["errorName"], "QUERY_REJECTED");
    assert_eq!(body["error"]["message"], "ask the platform team");
    assert_eq!(body["id"], reply.header("x-lakegate-decision-id"));
    let info = format!(
        "https://sql.example:8443/ui/query.html?{}",
        body["id"].as_str().unwrap()
    );
    assert_eq!(body["infoUri"], info);
    assert!(body.get("nextUri").is_none());
    assert_eq!(request.header("x-lakegate-cluster"), None);
    assert_eq!(log_entry(&request)["engine"], "none");
    assert_eq!(envoy.counter("lakegate.decision.none.rejected"), 1);
    // Nothing goes on after it.
    assert_eq!(request.body(b"", true), Action::Pause);
}

#[test]
fn a_rejection_after_a_question_is_a_200_too() {
    let envoy = start();
    let (request, call) = asking(&envoy);
    envoy.answer(&call, Answer::Status(200, &facts(u64::MAX / 2)));
    assert_eq!(request.reply().unwrap().status, 200);
    assert_eq!(request.resumed(), 0);
    assert_eq!(request.reply().unwrap().header("x-lakegate-rule"), "huge");
}

#[test]
fn a_rejection_without_a_body_is_made_in_the_headers_callback() {
    let envoy = start();
    let request = envoy.request(&[&SUBMISSION[..4], &[("x-trino-user", b"mallory".as_slice())]].concat());
    assert_eq!(request.headers(true), Action::Pause);
    let reply = request.reply().unwrap();
    assert_eq!(reply.status, 200);
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    assert!(
        body["infoUri"]
            .as_str()
            .unwrap()
            .starts_with("http://sql.example:8443/ui/")
    );
}

#[test]
fn decision_ids_differ() {
    let envoy = start();
    let other = {
        envoy.advance_ms(1);
        Envoy::another_worker(&configuration())
    };
    let mut ids: Vec<String> = [&envoy, &envoy, &other, &other]
        .map(|worker| select_1(worker).header("x-lakegate-decision-id").unwrap())
        .into();
    assert!(
        ids.iter()
            .all(|id| id.len() == 32 && id.chars().all(|c| c.is_ascii_hexdigit())),
        "{ids:?}"
    );
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

// Configuration.

#[test]
fn a_bad_configuration_is_refused_with_a_line_that_says_why() {
    let mut misspelt = policy();
    misspelt["rules"][0]["wehn"] = json!({});
    let service = |more: Value| json!({ "policy": policy(), "service": more }).to_string();
    let cases = [
        (String::new(), "it is empty"),
        ("{".into(), "plugin configuration: EOF"),
        (json!({ "polcy": policy() }).to_string(), "unknown field `polcy`"),
        (
            json!({ "policy": misspelt }).to_string(),
            "rules[0].wehn: unknown key `wehn`; did you mean `when`?",
        ),
        (
            service(json!({ "cluster": "lakegate", "poll_ms": 0 })),
            "service.poll_ms: expected 50 to 60000, got 0",
        ),
        (
            json!({ "policy": policy(), "estimate_cache_entries": 1e9 as u64 }).to_string(),
            "is too many",
        ),
    ];
    for (configuration, cause) in cases {
        let (envoy, accepted) = Envoy::try_start(&configuration);
        assert!(!accepted, "{configuration}");
        let logs = envoy.logs();
        assert_eq!(logs.len(), 1, "{logs:?}");
        assert!(
            logs[0].starts_with("Error lakegate: configuration refused") && logs[0].contains(cause),
            "{logs:?}"
        );
    }
}

#[test]
fn configuring_makes_no_call_and_defines_each_counter_once() {
    let envoy = start();
    let again = Envoy::another_worker(&configuration());
    assert!(envoy.take_calls().is_empty());
    assert_eq!(again.tick_ms(), 1000);
    let definitions = envoy.definitions();
    assert!(
        definitions.contains_key("lakegate.decision.large.rule_on_unknown"),
        "{definitions:?}"
    );
    assert!(definitions.values().all(|times| *times == 1), "{definitions:?}");
}

#[test]
fn without_a_configuration_forged_headers_go_all_the_same() {
    let (envoy, accepted) = Envoy::try_start("{}");
    assert!(!accepted);
    let request = submission(&envoy, &[("x-lakegate-cluster", b"evil")]);
    assert_eq!(request.headers(false), Action::Continue);
    assert_eq!(request.header("x-lakegate-cluster"), None);
}

// Cost.

#[test]
fn a_decision_takes_few_host_calls() {
    let envoy = start();
    let request = submission(&envoy, &[("x-trino-client-tags", b"nightly")]);
    envoy.take_host_calls();
    request.headers(false);
    request.body(SCAN, true);
    assert_eq!(
        envoy.take_host_calls(),
        [
            ("get_buffer", 1),
            ("get_map", 1),
            ("increment", 1),
            ("set_header", 9),
            ("set_property", 1),
            ("time", 1),
        ]
        .into()
    );
}

#[test]
fn any_other_request_takes_two_host_calls() {
    let envoy = start();
    let request = envoy.request(&[(":method", b"GET"), (":path", b"/v1/info")]);
    envoy.take_host_calls();
    request.headers(true);
    assert_eq!(envoy.take_host_calls(), [("get_map", 1), ("increment", 1)].into());
}
