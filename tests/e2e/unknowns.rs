//! What is not known stays unknown, and what is read twice counts twice.

use lakegate_tests::stack::{Options, Stack};

#[test]
fn an_unknown_table_is_unknown_bytes_and_the_engine_says_that_it_does_not_exist() {
    let stack = Stack::start("unknown-table", &Options::default());
    for sql in [
        "SELECT * FROM web.nothing_there",
        "SELECT * FROM nowhere.web.events",
        "SELECT * FROM \"events$files\"",
    ] {
        let finished = stack.client().run(sql);
        assert_eq!(finished.header("x-lakegate-estimated-bytes"), "unknown", "{sql}");
        assert_eq!(finished.header("x-lakegate-engine"), "batch", "{sql}");
        assert!(finished.error.is_some(), "{sql}");
    }
    let known_and_unknown = stack
        .client()
        .run("SELECT * FROM events_summary a JOIN web.nothing_there b ON a.events = b.x");
    assert_eq!(
        known_and_unknown.header("x-lakegate-estimated-bytes"),
        "unknown",
        "one unknown makes the sum unknown"
    );
}

#[test]
fn a_table_twice_in_a_statement_counts_twice() {
    let stack = Stack::start("twice", &Options::default());
    let estimate = |sql: &str| -> u64 {
        let answer = stack.client().request(sql).send();
        answer
            .header("x-lakegate-estimated-bytes")
            .and_then(|bytes| bytes.parse().ok())
            .unwrap_or_else(|| panic!("no estimate for {sql}: {}", answer.text()))
    };
    let once = estimate("SELECT * FROM events_summary");
    assert!(once > 0);
    assert_eq!(
        estimate("SELECT * FROM events_summary a JOIN events_summary b ON a.events = b.events"),
        2 * once
    );
    assert_eq!(
        estimate("WITH s AS (SELECT * FROM events_summary) SELECT * FROM s a, s b"),
        2 * once
    );
}

#[test]
fn an_estimate_is_kept_until_the_table_moves() {
    let stack = Stack::start("cached", &Options::default());
    let sql = "SELECT status FROM support.tickets WHERE ticket_id = 'T-100003'";
    let first = stack.client().request(sql).send();
    assert_eq!(first.header("x-lakegate-estimate-source"), Some("iceberg"));
    // The snapshot is part of the state that is polled each second: from then on the filter's own copy is valid.
    let source = lakegate_tests::process::eventually("a kept estimate", std::time::Duration::from_secs(20), || {
        let again = stack.client().request(sql).send();
        assert_eq!(
            again.header("x-lakegate-estimated-bytes"),
            first.header("x-lakegate-estimated-bytes")
        );
        let source = again
            .header("x-lakegate-estimate-source")
            .unwrap_or_default()
            .to_owned();
        (source == "cache").then_some(source)
    });
    assert_eq!(source, "cache");
    assert!(stack.stat("wasmcustom.lakegate.cache.hit") >= 1);
}

/// A long prepared statement comes back from the server compressed, and the client sends it along as it is.
#[test]
fn a_compressed_prepared_statement_is_estimated_like_its_text() {
    let stack = Stack::start("compressed", &Options::default());
    let listed: Vec<String> = (0..400).map(|number| format!("'T-{number:06}'")).collect();
    let text = format!(
        "SELECT status FROM support.tickets WHERE ticket_id = ? OR ticket_id IN ({})",
        listed.join(", ")
    );
    let prepared = stack.client().run(&format!("PREPARE q FROM {text}"));
    let echoed = prepared.session_header("x-trino-added-prepare").to_owned();
    assert!(echoed.starts_with("q=%24zstd%3A"), "{echoed}");

    let client = stack.client().header("x-trino-prepared-statement", &echoed);
    let executed = client.run("EXECUTE q USING 'T-100003'");
    assert!(executed.error.is_none(), "{:?}", executed.error);
    let direct = stack.client().run(&text.replace('?', "'T-100003'"));
    assert_eq!(executed.rows, direct.rows);
    for name in ["x-lakegate-engine", "x-lakegate-rule"] {
        assert_eq!(executed.header(name), direct.header(name), "{name}");
    }
    let bytes: u64 = executed.header("x-lakegate-estimated-bytes").parse().unwrap();
    assert!(bytes > 0);

    // One that cannot be read is unknown, and the engine has the last word on it.
    let broken = stack.client().header("x-trino-prepared-statement", "q=%24zstd%3AAAAA");
    let refused = broken.request("EXECUTE q USING 'T-100003'").send();
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert_eq!(refused.header("x-lakegate-estimated-bytes"), Some("unknown"));
    assert_eq!(refused.header("x-lakegate-engine"), Some("batch"));
}
