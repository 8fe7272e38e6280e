//! Follow-ups: where the statement went, and without the filter.

use lakegate_tests::http::Request;
use lakegate_tests::stack::{Options, Stack};

#[test]
fn a_hundred_thousand_rows_arrive_complete_and_the_filter_does_not_run_on_pages() {
    let stack = Stack::start("pages", &Options::default());
    let before = stack.stat("wasmcustom.lakegate.passed");
    let finished = stack
        .client()
        .run("SELECT user_id, event_date FROM events LIMIT 100000");
    assert_eq!(finished.error, None);
    assert_eq!(finished.rows.len(), 100_000);
    let engine = finished.header("x-lakegate-engine").to_owned();
    assert_eq!(engine, "batch");
    let pages = finished.page_paths.len() as u64;
    assert!(pages >= 10, "{pages} pages");
    for path in &finished.page_paths {
        assert!(path.starts_with("/_at/batch/v1/statement/"), "{path}");
    }
    // Envoy's own count of the follow-up route has every page; the filter counts each request that it lets pass, and
    // saw none of them.
    stack.wait_for_stat("vhost.lakegate.route.follow_up.upstream_rq_total", pages);
    assert_eq!(stack.stat("wasmcustom.lakegate.passed"), before);
    let decisions: u64 = ["rule", "rule_on_unknown", "fallback"]
        .iter()
        .map(|reason| stack.stat(&format!("wasmcustom.lakegate.decision.batch.{reason}")))
        .sum();
    assert_eq!(decisions, 1, "one statement, one decision");
}

#[test]
fn a_statement_is_followed_on_the_engine_that_took_it_even_if_both_are_busy() {
    let stack = Stack::start("sticky", &Options::default());
    std::thread::scope(|scope| {
        for tag in ["batch", "interactive"] {
            let client = stack.client().tags(tag);
            scope.spawn(move || {
                for n in 0..10 {
                    let sql = format!("SELECT ticket_id FROM support.tickets WHERE ticket_id <> '{n}'");
                    let finished = client.run(&sql);
                    assert_eq!(finished.error, None);
                    assert_eq!(finished.header("x-lakegate-engine"), tag);
                    for path in &finished.page_paths {
                        assert!(path.starts_with(&format!("/_at/{tag}/")), "{path}");
                    }
                }
            });
        }
    });
    assert_eq!(stack.submissions(&stack.batch).len(), 10);
    assert_eq!(stack.submissions(&stack.interactive).len(), 10);
}

#[test]
fn a_delete_of_the_next_page_cancels_on_the_owner() {
    let stack = Stack::start("cancel", &Options::default());
    let client = stack.client().tags("batch");
    let first = client
        .request("SELECT count(*) FROM events a CROSS JOIN events b")
        .send()
        .json();
    let next = first["nextUri"].as_str().expect("a next page").to_owned();
    assert!(next.contains("/_at/batch/v1/statement/"), "{next}");
    let answer = Request::new("DELETE", &next).header("x-trino-user", "ann").send();
    assert_eq!(answer.status, 204, "{}", answer.text());
    let id = first["id"].as_str().expect("an id");
    let state = Request::new("GET", &format!("{}/v1/query/{id}", stack.batch))
        .header("x-trino-user", "ann")
        .send();
    let state = state.json()["state"].as_str().unwrap_or_default().to_owned();
    assert_eq!(state, "FAILED");
}

#[test]
fn heads_pass_as_heads_and_ids_nobody_knows_get_the_engines_own_answer() {
    let stack = Stack::start("heads", &Options::default());
    let first = stack.client().tags("batch").request("SELECT 1").send().json();
    let next = first["nextUri"].as_str().expect("a next page").to_owned();
    let head = Request::new("HEAD", &next).header("x-trino-user", "ann").send();
    assert!((200..300).contains(&head.status), "{}", head.status);
    assert!(head.body.is_empty());
    let unknown = format!(
        "{}/_at/batch/v1/statement/executing/20260101_000000_00000_aaaaa/y0/1",
        stack.url
    );
    let answer = Request::new("GET", &unknown).header("x-trino-user", "ann").send();
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("Query not found"), "{}", answer.text());
    let unprefixed = format!("{}/v1/statement/executing/20260101_000000_00000_aaaaa/y0/1", stack.url);
    let answer = Request::new("GET", &unprefixed).header("x-trino-user", "ann").send();
    assert_eq!(answer.status, 404, "never a guess");
}
