//! A rule that rejects: an answer of the engine's own protocol, that no client takes for a reason to try again.

use std::process::Command;

use lakegate_tests::paths;
use lakegate_tests::stack::{DEMO_POLICY, Options, Stack};

#[test]
fn a_rejected_statement_reaches_no_engine_and_its_sender_reads_why() {
    let policy = DEMO_POLICY.replace(
        "  - name: batch_large\n    when: { estimated_bytes_gte: 5368709 B }\n    route: batch\n    reason: \"large scan\"",
        "  - name: too_large\n    when: { estimated_bytes_gte: 5368709 B }\n    route: reject\n    reason: \"scan too large for this demo\"",
    );
    assert_ne!(policy, DEMO_POLICY);
    let stack = Stack::start(
        "rejected",
        &Options {
            policy,
            ..Options::default()
        },
    );
    let sql = "SELECT user_id FROM events";
    let answer = stack.client().request(sql).send();
    assert_eq!(
        answer.status, 200,
        "never a status that drivers answer by sending again"
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("x-lakegate-rule"), Some("too_large"));
    let page = answer.json();
    assert_eq!(page["error"]["errorName"], "QUERY_REJECTED");
    assert_eq!(page["error"]["errorType"], "USER_ERROR");
    assert!(page["nextUri"].is_null());

    let script = "import sys, trino\n\
        c = trino.dbapi.connect(host='127.0.0.1', port=int(sys.argv[1]), user='ann', catalog='lake', schema='web').cursor()\n\
        try:\n    c.execute(sys.argv[2]); c.fetchall(); print('no error')\n\
        except trino.exceptions.TrinoUserError as error:\n    print(error.error_name, error.message)\n";
    let port = stack.url.rsplit(':').next().unwrap_or_default();
    let output = Command::new(paths::python())
        .args(["-c", script, port, sql])
        .output()
        .expect("python runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.starts_with("QUERY_REJECTED"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("scan too large for this demo"), "{said}");
    assert!(stack.submissions(&stack.interactive).is_empty() && stack.submissions(&stack.batch).is_empty());
}
