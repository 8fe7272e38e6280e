//! Statements that cannot be read: routed by policy, never refused by us, never guessed small.

use lakegate_tests::stack::{Options, Stack};

#[test]
fn a_statement_of_one_and_a_half_megabytes_is_unanalysed_and_routed_by_policy() {
    let stack = Stack::start("long", &Options::default());
    let sql = format!("SELECT ticket_id FROM support.tickets -- {}", "x".repeat(1_500_000));
    let answer = stack.client().request(&sql).send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(
        answer.header("x-lakegate-engine"),
        Some("batch"),
        "unknown counts as large"
    );
    assert_eq!(answer.header("x-lakegate-estimated-bytes"), Some("unknown"));
    let received = stack.submissions(&stack.batch);
    assert_eq!(
        received[0]["sql"].as_str().map(str::len),
        Some(sql.len()),
        "every byte arrived"
    );
    assert_eq!(stack.stat("wasmcustom.lakegate.unanalysed"), 1);
}

#[test]
fn an_empty_statement_gets_the_engines_own_error() {
    let stack = Stack::start("empty", &Options::default());
    for request in [stack.client().request(""), stack.client().request(" \n")] {
        let answer = request.send();
        assert!(answer.status < 500, "{} {}", answer.status, answer.text());
        assert!(answer.header("x-lakegate-engine").is_some());
    }
    let bodiless = lakegate_tests::http::Request::new("POST", &format!("{}/v1/statement", stack.url))
        .header("x-trino-user", "ann")
        .header("content-length", "0")
        .send();
    assert!(bodiless.status < 500, "{} {}", bodiless.status, bodiless.text());
    assert!(bodiless.header("x-lakegate-engine").is_some());
}

#[test]
fn a_header_that_is_not_utf_8_does_no_harm() {
    let stack = Stack::start("utf8-header", &Options::default());
    let answer = stack
        .client()
        .header("x-trino-source", b"\xff\xfe\x80")
        .header("x-trino-client-tags", b"\xc3\x28")
        .request("SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'")
        .send();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("x-lakegate-engine"), Some("interactive"));
}

#[test]
fn a_statement_that_is_not_utf_8_is_unanalysed() {
    let stack = Stack::start("utf8-body", &Options::default());
    let request = lakegate_tests::http::Request::new("POST", &format!("{}/v1/statement", stack.url))
        .header("x-trino-user", "ann")
        .body(b"SELECT '\xff'");
    let answer = request.send();
    assert_eq!(answer.header("x-lakegate-engine"), Some("batch"), "{}", answer.text());
    assert_eq!(answer.header("x-lakegate-estimated-bytes"), Some("unknown"));
}

#[test]
fn hostile_statements_do_not_kill_the_filter() {
    let stack = Stack::start("hostile", &Options::default());
    let chain = vec!["a = 1"; 20_000].join(" OR ");
    let hostile = [
        format!("SELECT {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("SELECT {}1", "CASE(".repeat(20_000)),
        format!("SELECT 1 FROM support.tickets WHERE {chain}"),
        format!("SELECT {}TRUE", "NOT(".repeat(40)),
        format!("{}SELECT 1", "EXPLAIN ".repeat(10_000)),
        "EXECUTE IMMEDIATE '".to_owned() + &"EXECUTE IMMEDIATE ''".repeat(5_000),
        "SELECT '\0' /* ".to_owned(),
        "\u{feff}SELECT 1".to_owned(),
        format!(
            "WITH {} SELECT 1",
            (0..5_000)
                .map(|n| format!("c{n} AS (SELECT 1)"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    ];
    for sql in &hostile {
        let answer = stack.client().request(sql).send();
        assert!(answer.status < 500, "{:.60}: {} {}", sql, answer.status, answer.text());
        assert!(answer.header("x-lakegate-engine").is_some(), "{sql:.60}");
    }
    // Both workers still decide.
    for _ in 0..8 {
        let answer = stack.client().tags("batch").request("SELECT 1").send();
        assert_eq!(answer.header("x-lakegate-engine"), Some("batch"));
    }
    assert_eq!(stack.stat("wasm.lakegate.vm_reload_success"), 0);
}
