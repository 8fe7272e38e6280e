//! `lakegate estimate` against PyIceberg's `plan_files`: the same files, the same bytes, for every table and filter.

use std::collections::BTreeMap;
use std::process::Command;

use lakegate_tests::paths;
use lakegate_tests::stack::{Warehouse, run_folder, warehouse};
use serde_json::Value;

/// Table, SQL condition, and the same in PyIceberg's filter language where it differs.
const QUESTIONS: [(&str, &str, &str); 34] = [
    ("web.events", "", ""),
    (
        "web.events",
        "event_date = DATE '2026-02-10'",
        "event_date = '2026-02-10'",
    ),
    (
        "web.events",
        "event_date BETWEEN DATE '2025-08-01' AND DATE '2026-08-01'",
        "event_date >= '2025-08-01' and event_date <= '2026-08-01'",
    ),
    (
        "web.events",
        "event_date BETWEEN '2025-08-01' AND '2026-08-01' AND event_type = 'purchase'",
        "event_date >= '2025-08-01' and event_date <= '2026-08-01' and event_type = 'purchase'",
    ),
    (
        "web.events",
        "event_date < DATE '2025-09-01' OR event_date > DATE '2026-07-15'",
        "event_date < '2025-09-01' or event_date > '2026-07-15'",
    ),
    (
        "web.events",
        "NOT (event_date < DATE '2026-01-01')",
        "not (event_date < '2026-01-01')",
    ),
    (
        "web.events",
        "event_type IN ('purchase', 'login')",
        "event_type in ('purchase', 'login')",
    ),
    (
        "web.events",
        "event_type NOT IN ('purchase', 'login')",
        "event_type not in ('purchase', 'login')",
    ),
    ("web.events", "event_type <> 'purchase'", "event_type != 'purchase'"),
    ("web.events", "event_type = 'nothing'", "event_type = 'nothing'"),
    ("web.events", "user_id = 7", "user_id = 7"),
    (
        "web.events",
        "user_id > 100 AND user_id <= 200",
        "user_id > 100 and user_id <= 200",
    ),
    ("web.events", "user_id IS NULL", "user_id is null"),
    ("web.events", "user_id IS NOT NULL", "user_id is not null"),
    (
        "web.events",
        "ts >= TIMESTAMP '2026-03-01 12:00:00'",
        "ts >= '2026-03-01T12:00:00'",
    ),
    (
        "web.events",
        "ts < TIMESTAMP '2025-07-10 00:00:00.000001'",
        "ts < '2025-07-10T00:00:00.000001'",
    ),
    ("web.events_summary", "", ""),
    (
        "web.events_summary",
        "event_date >= DATE '2026-06-15' AND event_type = 'purchase'",
        "event_date >= '2026-06-15' and event_type = 'purchase'",
    ),
    ("web.events_summary", "events > 1000000000", "events > 1000000000"),
    ("sales.revenue", "", ""),
    (
        "sales.revenue",
        "order_date >= DATE '2026-07-01'",
        "order_date >= '2026-07-01'",
    ),
    ("sales.revenue", "segment = 'enterprise'", "segment = 'enterprise'"),
    (
        "sales.revenue",
        "NOT (segment = 'enterprise' OR order_date < DATE '2026-01-01')",
        "not (segment = 'enterprise' or order_date < '2026-01-01')",
    ),
    ("support.tickets", "", ""),
    ("support.tickets", "ticket_id = 'T-100001'", "ticket_id = 'T-100001'"),
    (
        "support.tickets",
        "ticket_id IN ('T-100001', 'T-100002', 'T-999999')",
        "ticket_id in ('T-100001', 'T-100002', 'T-999999')",
    ),
    ("support.tickets", "ticket_id > 'T-100025'", "ticket_id > 'T-100025'"),
    (
        "support.ticket_events",
        "customer_id = 'C-4471'",
        "customer_id = 'C-4471'",
    ),
    (
        "support.ticket_events",
        "event_time >= TIMESTAMP '2026-07-30 00:00:00'",
        "event_time >= '2026-07-30T00:00:00'",
    ),
    (
        "support.ticket_events",
        "event_time BETWEEN TIMESTAMP '2026-06-01 00:00:00' AND TIMESTAMP '2026-06-02 12:30:00'",
        "event_time >= '2026-06-01T00:00:00' and event_time <= '2026-06-02T12:30:00'",
    ),
    ("warehouse.fact_orders", "", ""),
    (
        "warehouse.fact_orders",
        "order_date = DATE '2025-03-14' AND amount < 10.00",
        "order_date = '2025-03-14' and amount < 10.00",
    ),
    (
        "warehouse.fact_orders",
        "amount >= 99999999.99",
        "amount >= 99999999.99",
    ),
    (
        "staging.orders_delta",
        "order_id > 0 AND status = 'shipped'",
        "order_id > 0 and status = 'shipped'",
    ),
];

#[test]
fn every_demo_table_is_estimated_to_the_byte_as_pyiceberg_plans_it() {
    compare(Warehouse::Demo);
}

#[test]
fn full_size_tables_are_estimated_to_the_byte_as_pyiceberg_plans_them() {
    compare(Warehouse::Stated);
}

fn compare(kind: Warehouse) {
    let catalog = warehouse(kind);
    let folder = run_folder(&format!("estimates-{kind:?}"));
    let config = folder.join("lakegate.yaml");
    let policy = "engines: { a: { kind: trino } }\nrules: [{ name: default, route: a }]\n";
    std::fs::write(folder.join("policy.yaml"), policy).expect("policy");
    std::fs::write(
        &config,
        format!(
            "policy: policy.yaml\ncatalogs:\n  lake: {{ type: sql, uri: \"{}\", catalog_name: lake, warehouse: \"file://{}\" }}\n",
            catalog.display(),
            catalog.with_file_name("warehouse").display()
        ),
    )
    .expect("config");
    let oracle = oracle(&catalog);
    let mut wrong = Vec::new();
    let mut pruned = 0;
    for (table, condition, filter) in QUESTIONS {
        let sql = match condition {
            "" => format!("SELECT * FROM lake.{table}"),
            _ => format!("SELECT * FROM lake.{table} WHERE {condition}"),
        };
        let output = Command::new(paths::program("lakegate"))
            .args(["estimate", "--json", "--config"])
            .arg(&config)
            .args(["--sql", &sql])
            .output()
            .expect("lakegate runs");
        assert!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let estimate: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = &estimate["tables"][0];
        let want = &oracle[&(table.to_owned(), filter.to_owned())];
        if (&found["files"], &found["bytes"]) != (&want["files"], &want["bytes"]) {
            wrong.push(format!(
                "{sql}: {} files {} bytes, PyIceberg {want}",
                found["files"], found["bytes"]
            ));
        }
        if estimate["estimated_bytes"] != found["bytes"] {
            wrong.push(format!("{sql}: total {}", estimate["estimated_bytes"]));
        }
        let whole = &oracle[&(table.to_owned(), String::new())];
        pruned += usize::from(want["bytes"].as_u64() < whole["bytes"].as_u64());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        pruned >= QUESTIONS.len() / 3,
        "only {pruned} of the filters prune anything: the comparison proves little"
    );
    let _ = std::fs::remove_dir_all(&folder);
}

/// PyIceberg's answer to every question, by table and filter, and for every table without a filter.
fn oracle(catalog: &std::path::Path) -> BTreeMap<(String, String), Value> {
    use std::io::Write;
    let mut child = Command::new(paths::python())
        .arg(paths::repository().join("tests/python/plan_files.py"))
        .arg(catalog)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("python runs");
    let mut questions = String::new();
    for (table, _, filter) in QUESTIONS {
        for filter in [filter, ""] {
            questions += &format!("{}\n", serde_json::json!({"table": table, "filter": filter}));
        }
    }
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(questions.as_bytes())
        .expect("written");
    let output = child.wait_with_output().expect("python ends");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
            ((text("table"), text("filter")), answer)
        })
        .collect()
}
