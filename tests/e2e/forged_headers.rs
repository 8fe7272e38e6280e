//! A client cannot choose its cluster: not by a header, not by a path.

use lakegate_tests::http::Request;
use lakegate_tests::stack::{Options, Stack};

#[test]
fn forged_lakegate_headers_never_reach_an_engine_or_a_route() {
    let stack = Stack::start("forged", &Options::default());
    let answer = stack
        .client()
        .header("x-lakegate-cluster", "batch")
        .header("X-Lakegate-Engine", "batch")
        .header("x-lakegate-rule", "mine")
        .header("x-lakegate-anything", "1")
        .header("x-forwarded-prefix", "/_at/batch")
        .request("SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'")
        .send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("x-lakegate-engine"), Some("interactive"));
    assert_eq!(answer.header("x-lakegate-rule"), Some("interactive_small"));
    assert!(stack.submissions(&stack.batch).is_empty());
    let received = stack.submissions(&stack.interactive);
    assert_eq!(received.len(), 1);
    let headers = &received[0]["headers"];
    assert_eq!(headers["x-lakegate-engine"], serde_json::json!(["interactive"]));
    assert_eq!(headers["x-lakegate-rule"], serde_json::json!(["interactive_small"]));
    assert_eq!(headers["x-forwarded-prefix"], serde_json::json!(["/_at/interactive"]));
    assert!(headers["x-lakegate-cluster"].is_null(), "{headers}");
    assert!(headers["x-lakegate-anything"].is_null(), "{headers}");
}

#[test]
fn the_submission_goes_on_with_everything_else_that_the_client_sent() {
    let stack = Stack::start("untouched", &Options::default());
    let sql = "SELECT status FROM support.tickets WHERE subject <> 'größe' -- as sent";
    let answer = stack
        .client()
        .header("authorization", "Basic YW5uOnNlY3JldA==")
        .header("x-trino-session", "a=1")
        .header("x-trino-session", "b=2")
        .header("accept-encoding", "identity")
        .request(sql)
        .send();
    assert_eq!(answer.status, 200);
    let received = stack.submissions(&stack.interactive);
    assert_eq!(received[0]["sql"], sql);
    let headers = &received[0]["headers"];
    assert_eq!(headers["authorization"], serde_json::json!(["Basic YW5uOnNlY3JldA=="]));
    let session = headers["x-trino-session"].to_string();
    assert!(session.contains("a=1") && session.contains("b=2"), "{session}");
    let log = stack.envoy_log() + &serde_json::to_string(&stack.access_log()).unwrap_or_default();
    assert!(!log.contains("YW5uOnNlY3JldA"), "credentials are never logged");
}

#[test]
fn a_post_to_a_follow_up_prefix_is_refused() {
    let stack = Stack::start("post-at", &Options::default());
    for path in [
        "/_at/batch/v1/statement",
        "/_at/batch/v1/statement/",
        "/_at/batch/v1/statement/queued/a/b/1",
        "/_at/batch/v1/query/x",
    ] {
        let answer = Request::new("POST", &format!("{}{path}", stack.url))
            .header("x-trino-user", "ann")
            .body("SELECT 1")
            .send();
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
    assert!(stack.submissions(&stack.batch).is_empty());
    assert!(stack.submissions(&stack.interactive).is_empty());
}

#[test]
fn a_path_that_means_another_path_cannot_smuggle_a_submission_past_the_policy() {
    let stack = Stack::start("smuggle", &Options::default());
    // The statement is one that the policy puts on the interactive engine; none of these may put it on batch.
    let sql = "SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'";
    let paths = [
        "/_at/batch/../../v1/statement",
        "/_at/batch/%2e%2e/%2e%2e/v1/statement",
        "/_at/batch/..%2f..%2fv1/statement",
        "/_at/batch/..%2F..%2Fv1%2Fstatement",
        "/_at/batch/%2E%2E/%2e./v1/statement",
        "//_at//batch//v1//statement",
        "/_at/batch/v1/statement/queued/../../statement",
        "/_at/batch/v1/statement/queued/../",
        "/_at/batch/./v1/statement",
        "/_at/interactive/../batch/v1/statement",
        "/_at/batch/..\\..\\v1\\statement",
        "/_at/batch/%5c..%5c..%5cv1/statement",
        "/x/../_at/batch/v1/statement",
        "/v1/statement/../../_at/batch/v1/statement",
        "/%5fat/batch/v1/statement",
    ];
    for path in paths {
        let answer = Request::new("POST", &format!("{}{path}", stack.url))
            .header("x-trino-user", "ann")
            .header("x-trino-catalog", "lake")
            .header("x-lakegate-cluster", "batch")
            .body(sql)
            .send();
        let decided = answer.header("x-lakegate-engine");
        let fine = match answer.status {
            200 => decided == Some("interactive"),
            status => (400..500).contains(&status),
        };
        assert!(fine, "{path}: {} {decided:?} {}", answer.status, answer.text());
    }
    assert!(
        stack.submissions(&stack.batch).is_empty(),
        "{:?}",
        stack.submissions(&stack.batch)
    );
}

#[test]
fn engine_paths_that_a_router_must_not_expose_are_not_served() {
    let stack = Stack::start("not-served", &Options::default());
    for path in [
        "/v1/node",
        "/v1/task/1",
        "/v1/memory",
        "/v1/thread",
        "/_at/batch/v1/node",
        "/_at/batch/v1/task/1",
        "/_at/nowhere/v1/statement/queued/a/b/1",
    ] {
        let answer = Request::new("GET", &format!("{}{path}", stack.url))
            .header("x-trino-user", "ann")
            .send();
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
}
