//! The service over a warehouse of the test's own, asked through its router.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use iceberg::spec::{Datum, Literal, PrimitiveType, Transform};
use serde_json::{Value as Json, json};
use tower::ServiceExt;

use super::*;
use crate::testing::{Warehouse, scratch, stated};

const GB: u64 = 1 << 30;

/// The reference policy's rules in short, with clusters for Trino clients.
const POLICY: &str = "
engines:
  interactive: { kind: dremio, supports_reflections: true, clusters: { trino: interactive } }
  batch: { kind: spark, clusters: { trino: batch } }
rules:
- { name: accelerated, when: { reflection_covers_query: true }, route: interactive, reason: reflection match }
- name: interactive_small
  when: { estimated_bytes_lt: 50 GB, join_tables_lte: 4, no_expensive_ops: true }
  route: interactive
  reason: small pruned scan
- { name: batch_large, when: { estimated_bytes_gte: 500 GB }, route: batch, reason: large scan, notify_client: true }
- { name: default, route: interactive }
";

const REFLECTIONS: &str = "
reflections:
  interactive:
  - { table: sales.revenue, dimensions: [segment, order_date], measures: [revenue_usd] }
";

/// Three tables: ten days of 100 GB each, a summary of 1 GB, and one that a reflection covers.
async fn warehouse(name: &str) -> Warehouse {
    let warehouse = Warehouse::create(name).await;
    let columns = [
        ("user_id", PrimitiveType::Long),
        ("event_date", PrimitiveType::Date),
        ("event_type", PrimitiveType::String),
    ];
    warehouse
        .table("web.events", &columns, &[("event_date", Transform::Identity)])
        .await;
    let days = (0..10)
        .map(|day| {
            stated(100 * GB)
                .at(Literal::date(20_666 + day))
                .bound(1, Datum::long(0), Datum::long(1000))
        })
        .collect();
    warehouse.append("web.events", days).await;
    warehouse.table("web.events_summary", &columns, &[]).await;
    warehouse.append("web.events_summary", vec![stated(GB)]).await;
    let columns = [
        ("segment", PrimitiveType::String),
        ("order_date", PrimitiveType::Date),
        ("revenue_usd", PrimitiveType::Double),
    ];
    warehouse.table("sales.revenue", &columns, &[]).await;
    warehouse.append("sales.revenue", vec![stated(900 * GB)]).await;
    warehouse
}

fn config(folder: &std::path::Path, database: &std::path::Path, more: &str) -> Config {
    std::fs::write(folder.join("policy.yaml"), POLICY).unwrap();
    let text = format!(
        "policy: policy.yaml\ndeadline_ms: 20000\ntable_refresh_ms: 100\ncatalogs:\n  lake: {{ type: sql, uri: '{}', \
         catalog_name: lake }}\n{more}",
        database.display()
    );
    Config::from_yaml("lakegate.yaml", &text, folder).unwrap()
}

async fn service(warehouse: &Warehouse) -> Arc<Service> {
    Service::new(config(&warehouse.folder, &warehouse.database(), REFLECTIONS)).unwrap()
}

async fn call(service: &Arc<Service>, method: &str, path: &str, body: impl Into<Body>) -> (StatusCode, Json) {
    let request = Request::builder().method(method).uri(path).body(body.into()).unwrap();
    let response = api::app(Arc::clone(service)).oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let json = serde_json::from_slice(&body).unwrap_or_else(|_| Json::String(String::from_utf8_lossy(&body).into()));
    (status, json)
}

fn request(sql: &str) -> Json {
    json!({"v": 1, "protocol": "trino", "sql": sql, "catalog": "lake", "schema": "web"})
}

async fn facts(service: &Arc<Service>, sql: &str) -> Json {
    let (status, answer) = call(service, "POST", "/v1/facts", request(sql).to_string()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

/// Waits for a condition, with a bound that only a broken service reaches.
async fn eventually<T>(what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = check().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}

#[tokio::test]
async fn bytes_are_those_of_the_files_that_survive() {
    let warehouse = warehouse("bytes").await;
    let service = service(&warehouse).await;
    for (sql, gigabytes) in [
        ("SELECT * FROM events", 1000),
        ("SELECT * FROM web.events WHERE event_date = DATE '2026-08-01'", 100),
        (
            "SELECT * FROM lake.web.events WHERE event_date BETWEEN '2026-08-01' AND '2026-08-04'",
            400,
        ),
        (
            "SELECT * FROM EVENTS WHERE EVENT_DATE < DATE '2026-08-03' AND user_id = 5000",
            0,
        ),
        ("SELECT * FROM events WHERE user_id = 7", 1000),
        (
            "SELECT * FROM events a JOIN events_summary b ON a.user_id = b.user_id",
            1001,
        ),
        ("SELECT * FROM events a JOIN events b ON a.user_id = b.user_id", 2000),
        ("WITH c AS (SELECT * FROM events_summary) SELECT * FROM c", 1),
        ("DELETE FROM events_summary WHERE user_id = 1", 1),
        ("ANALYZE events", 1000),
        ("ALTER TABLE events EXECUTE optimize", 1000),
        ("SELECT 1", 0),
    ] {
        let answer = facts(&service, sql).await;
        assert_eq!(answer["facts"]["estimated_bytes"], gigabytes * GB, "{sql}: {answer}");
    }
}

#[tokio::test]
async fn no_scan_estimate_is_made_for_a_statement_that_a_reflection_covers() {
    let warehouse = warehouse("covered").await;
    let service = service(&warehouse).await;
    for sql in [
        "SELECT segment, SUM(revenue_usd) FROM sales.revenue WHERE order_date >= CURRENT_DATE - INTERVAL '30' DAY GROUP BY segment",
        "SELECT segment, SUM(revenue_usd) FROM lake.sales.revenue WHERE order_date >= DATE '2026-01-01' GROUP BY segment",
    ] {
        let answer = facts(&service, sql).await;
        assert_eq!(answer["facts"]["reflection_covers_query"], true, "{answer}");
        assert!(answer["facts"].get("estimated_bytes").is_none(), "{answer}");
    }
    assert_eq!(service.planner().plans_made(), 0);
    let answer = facts(
        &service,
        "SELECT customer, SUM(revenue_usd) FROM sales.revenue GROUP BY customer",
    )
    .await;
    assert_eq!(answer["facts"]["reflection_covers_query"], false);
    assert_eq!(answer["facts"]["estimated_bytes"], 900 * GB);
    assert_eq!(service.planner().plans_made(), 1);
}

#[tokio::test]
async fn a_reflection_of_a_table_of_another_schema_does_not_cover() {
    let warehouse = warehouse("elsewhere").await;
    let service = service(&warehouse).await;
    // The default schema is `web`, so this is not sales.revenue.
    let answer = facts(
        &service,
        "SELECT segment, SUM(revenue_usd) FROM revenue GROUP BY segment",
    )
    .await;
    assert_eq!(answer["facts"]["reflection_covers_query"], false, "{answer}");
}

#[tokio::test]
async fn a_statement_for_an_earlier_rule_costs_no_estimate() {
    let warehouse = warehouse("batch").await;
    let service = service(&warehouse).await;
    let mut request = request("SELECT * FROM events");
    request["client_tags"] = json!(["batch"]);
    let (_, answer) = call(&service, "POST", "/v1/facts", request.to_string()).await;
    assert!(answer["facts"].get("estimated_bytes").is_none(), "{answer}");
    assert_eq!(service.planner().plans_made(), 0);
}

#[tokio::test]
async fn a_caller_with_another_policy_gets_every_fact() {
    let warehouse = warehouse("eager").await;
    let service = service(&warehouse).await;
    let mut request =
        request("SELECT segment, SUM(revenue_usd) FROM sales.revenue WHERE order_date > DATE '2026-01-01' GROUP BY 1");
    request["policy_version"] = json!("another");
    let (_, answer) = call(&service, "POST", "/v1/facts", request.to_string()).await;
    let facts = answer["facts"].as_object().unwrap();
    for fact in [
        "estimated_bytes",
        "reflection_covers_query",
        "has_window_over_large_partition",
        "has_udf",
        "no_expensive_ops",
        "join_tables",
        "output_columns",
        "limit_bounds_scan",
        "session_bytes_remaining",
    ] {
        assert!(facts.contains_key(fact), "{fact}: {answer}");
    }
    assert_eq!(answer["policy_version"], service.policies().current().version);
}

#[tokio::test]
async fn what_has_no_number_says_why_and_which_table() {
    let warehouse = warehouse("unknown").await;
    let service = service(&warehouse).await;
    // 2^40 reads of a table that is written once: too much for the parser, and not to be taken for one read.
    let doubling: String = (1..=40)
        .map(|at| format!(", c{at} AS (SELECT * FROM c{0} UNION ALL SELECT * FROM c{0})", at - 1))
        .collect();
    let doubled = format!("WITH c0 AS (SELECT * FROM events){doubling} SELECT * FROM c40");
    let many = format!("SELECT * FROM {}events", "events, ".repeat(1000));
    for (sql, words) in [
        (doubled.as_str(), "used several times"),
        (many.as_str(), "more tables than are planned"),
        (
            "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c JOIN events ON n < user_id) SELECT * FROM c",
            "how often a recursive query reads",
        ),
        ("SELECT * FROM nothing", "nothing: the catalog has no such table"),
        (
            "SELECT * FROM pg.public.t",
            "pg.public.t: the service knows no catalog `pg`",
        ),
        ("SELECT * FROM \"events$files\"", "events$files: a metadata table"),
        ("SELECT * FROM events FOR VERSION AS OF 1", "as of another snapshot"),
        ("SELECT * FROM TABLE(system.query(query => 'x'))", "a table function"),
        ("CALL lake.system.rewrite('x')", "a procedure"),
        (
            "SELECT * FROM events_summary JOIN nothing USING (user_id)",
            "nothing: the catalog has no such table",
        ),
    ] {
        let answer = facts(&service, sql).await;
        let unknown = answer["facts"]["estimated_bytes"]["unknown"]
            .as_str()
            .unwrap_or_default();
        assert!(unknown.contains(words), "{sql}: {answer}");
        assert_eq!(answer["cacheable"], false, "{sql}");
    }
}

#[tokio::test]
async fn lists_that_the_engine_makes_up_itself_read_no_bytes() {
    let warehouse = warehouse("lists").await;
    let service = service(&warehouse).await;
    for sql in [
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM system.runtime.queries",
    ] {
        assert_eq!(facts(&service, sql).await["facts"]["estimated_bytes"], 0, "{sql}");
    }
}

#[tokio::test]
async fn a_statement_that_is_not_parsed_counts_its_tables_whole() {
    let warehouse = warehouse("declined").await;
    let service = service(&warehouse).await;
    let deep = format!(
        "SELECT * FROM events WHERE event_date = DATE '2026-08-01' AND user_id = {}1{}",
        "(".repeat(200),
        ")".repeat(200)
    );
    let (_, answer) = call(&service, "POST", "/v1/explain", request(&deep).to_string()).await;
    assert!(answer["statement"]["not_parsed"].is_string(), "{answer}");
    assert_eq!(answer["facts"]["estimated_bytes"], 1000 * GB);
    assert_eq!(answer["estimate"]["tables"][0]["quality"], "upper bound");
}

#[tokio::test]
async fn an_answer_names_its_snapshots_and_says_whether_it_may_be_kept() {
    let warehouse = warehouse("kept").await;
    let service = service(&warehouse).await;
    let answer = facts(&service, "SELECT * FROM events a, events_summary b").await;
    assert_eq!(answer["cacheable"], true);
    let snapshots = answer["snapshots"].as_object().unwrap().clone();
    assert_eq!(
        snapshots.keys().collect::<Vec<_>>(),
        ["lake.web.events", "lake.web.events_summary"]
    );
    let (_, state) = call(&service, "GET", "/v1/state", Body::empty()).await;
    assert_eq!(state["snapshots"], Json::Object(snapshots));
    let clock = facts(&service, "SELECT * FROM events WHERE event_date = CURRENT_DATE").await;
    assert_eq!(clock["cacheable"], false);
}

#[tokio::test]
async fn columns_of_a_star_come_from_the_tables_schema() {
    let warehouse = warehouse("star").await;
    std::fs::write(
        warehouse.folder.join("policy.yaml"),
        "engines: { a: { kind: trino } }\nrules:\n- { name: wide, when: { output_columns_gt: 200 }, route: a }\n- { name: default, route: a }\n",
    )
    .unwrap();
    let text = format!(
        "policy: policy.yaml\ndeadline_ms: 20000\ncatalogs:\n  lake: {{ type: sql, uri: '{}', catalog_name: lake }}\n",
        warehouse.database().display()
    );
    let service = Service::new(Config::from_yaml("f", &text, &warehouse.folder).unwrap()).unwrap();
    for (sql, columns) in [
        ("SELECT * FROM events", json!(3)),
        (
            "SELECT * FROM events a JOIN events_summary b ON a.user_id = b.user_id",
            json!(6),
        ),
        ("SELECT user_id FROM events", json!(1)),
    ] {
        let answer = facts(&service, sql).await;
        assert_eq!(answer["facts"]["output_columns"], columns, "{sql}: {answer}");
    }
    // Something besides the tables brings columns, or the table had others then.
    for sql in [
        "SELECT * FROM events, UNNEST(ARRAY[1]) AS u (x)",
        "SELECT * FROM TABLE(f(input => TABLE(events)))",
        "SELECT * FROM events MATCH_RECOGNIZE (MEASURES A.user_id AS u PATTERN (A) DEFINE A AS true)",
        "SELECT * FROM events FOR VERSION AS OF 1",
        "SELECT *, 1 AS x FROM events",
        "SELECT e.*, s.user_id FROM events e, events_summary s",
        "SELECT e.* FROM events e, events_summary s",
        "SELECT * FROM events JOIN events_summary USING (user_id)",
        "WITH c AS (SELECT *, 1 AS x FROM events) SELECT * FROM c",
        "SELECT * FROM events UNION ALL SELECT * FROM events",
    ] {
        let answer = facts(&service, sql).await;
        assert!(
            answer["facts"]["output_columns"]["unknown"].is_string(),
            "{sql}: {answer}"
        );
    }
    assert_eq!(service.planner().plans_made(), 0);
}

#[tokio::test]
async fn a_new_snapshot_shows_within_a_refresh() {
    let warehouse = warehouse("moved").await;
    let service = service(&warehouse).await;
    let _background = service.background();
    let sql = "SELECT * FROM events_summary";
    let before = facts(&service, sql).await;
    assert_eq!(before["facts"]["estimated_bytes"], GB);
    warehouse.append("web.events_summary", vec![stated(2 * GB)]).await;
    let after = eventually("the estimate follows", async || {
        let answer = facts(&service, sql).await;
        (answer["facts"]["estimated_bytes"] == 3 * GB).then_some(answer)
    })
    .await;
    assert_ne!(before["snapshots"], after["snapshots"]);
}

#[tokio::test]
async fn a_table_that_is_not_confirmed_for_long_is_unknown_and_not_small() {
    let warehouse = warehouse("stale").await;
    let service = service(&warehouse).await;
    let _background = service.background();
    let sql = "SELECT * FROM events_summary";
    assert_eq!(facts(&service, sql).await["facts"]["estimated_bytes"], GB);
    let metadata = Warehouse::metadata_folder(&warehouse.load("web.events_summary").await);
    let away = metadata.with_extension("away");
    std::fs::rename(&metadata, &away).unwrap();
    eventually("the table is not given out", async || {
        let answer = facts(&service, sql).await;
        let unknown = answer["facts"]["estimated_bytes"]["unknown"].as_str()?.to_owned();
        unknown.contains("has not been confirmed").then_some(())
    })
    .await;
    let (_, state) = call(&service, "GET", "/v1/state", Body::empty()).await;
    assert!(state["snapshots"].get("lake.web.events_summary").is_none(), "{state}");
    std::fs::rename(&away, &metadata).unwrap();
    eventually("the table is back", async || {
        (facts(&service, sql).await["facts"]["estimated_bytes"] == GB).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_catalog_that_is_not_there_is_named_and_found_again() {
    let warehouse = warehouse("recover").await;
    let folder = scratch("recover-config");
    let later = folder.join("later.db");
    let remote = "  remote: { type: rest, uri: 'http://127.0.0.1:1' }\n";
    let service = Service::new(config(&folder, &later, remote)).unwrap();
    let _background = service.background();
    let ready = eventually("both catalogs are named", async || {
        let (status, ready) = call(&service, "GET", "/readyz", Body::empty()).await;
        let text = ready.to_string();
        (status == StatusCode::SERVICE_UNAVAILABLE && !text.contains("not asked yet")).then_some(ready)
    })
    .await;
    let names: Vec<&str> = ready["not_ready"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(names, ["lake", "remote"], "{ready}");
    let sql = "SELECT * FROM events_summary";
    let answer = facts(&service, sql).await;
    let unknown = answer["facts"]["estimated_bytes"]["unknown"].as_str().unwrap();
    assert!(unknown.contains("the catalog does not answer"), "{unknown}");
    std::fs::copy(warehouse.database(), &later).unwrap();
    eventually("the estimate is known", async || {
        (facts(&service, sql).await["facts"]["estimated_bytes"] == GB).then_some(())
    })
    .await;
}

#[tokio::test]
async fn tables_to_be_warm_are_planned_before_the_service_is_ready() {
    let warehouse = warehouse("warm").await;
    let config = config(
        &warehouse.folder,
        &warehouse.database(),
        "warm: [lake.web.events, lake.web.nobody]\n",
    );
    let service = Service::new(config).unwrap();
    let (_, ready) = call(&service, "GET", "/readyz", Body::empty()).await;
    assert!(ready.to_string().contains("lake.web.events"), "{ready}");
    let _background = service.background();
    eventually("ready", async || {
        let (status, _) = call(&service, "GET", "/readyz", Body::empty()).await;
        (status == StatusCode::OK).then_some(())
    })
    .await;
    assert!(service.planner().plans_made() >= 1);
}

#[tokio::test]
async fn requests_that_are_wrong_are_told_so_in_json() {
    let warehouse = warehouse("wrong").await;
    let service = service(&warehouse).await;
    let large = format!("{{\"sql\":\"{}\"}}", "x".repeat(2 * 1024 * 1024));
    let wrong_protocol = json!({"v": 1, "protocol": "mysql", "sql": "SELECT 1"}).to_string();
    let newer = json!({"v": 2, "protocol": "trino", "sql": "SELECT 1"}).to_string();
    for (method, path, body, status, kind) in [
        ("POST", "/v1/facts", "{".to_owned(), StatusCode::BAD_REQUEST, "json"),
        ("POST", "/v1/facts", "7".to_owned(), StatusCode::BAD_REQUEST, "json"),
        ("POST", "/v1/facts", large, StatusCode::PAYLOAD_TOO_LARGE, "body"),
        ("POST", "/v1/facts", wrong_protocol, StatusCode::BAD_REQUEST, "request"),
        ("POST", "/v1/facts", newer, StatusCode::BAD_REQUEST, "request"),
        (
            "GET",
            "/v1/facts",
            String::new(),
            StatusCode::METHOD_NOT_ALLOWED,
            "method",
        ),
        ("GET", "/v1/nothing", String::new(), StatusCode::NOT_FOUND, "not_found"),
    ] {
        let (found, answer) = call(&service, method, path, body).await;
        assert_eq!(
            (found, answer["error"]["kind"].as_str()),
            (status, Some(kind)),
            "{path}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_dry_run_shows_verdict_rules_signals_and_estimate() {
    let warehouse = warehouse("dry").await;
    let service = service(&warehouse).await;
    let sql = "SELECT * FROM events WHERE event_date >= DATE '2026-08-01' AND lower(event_type) = 'x'";
    let (_, answer) = call(&service, "POST", "/v1/explain", request(sql).to_string()).await;
    assert_eq!(answer["verdict"]["rule"], "batch_large");
    assert_eq!(answer["verdict"]["engine"], "batch");
    assert_eq!(answer["verdict"]["cluster"], "batch");
    assert!(
        answer["verdict"]["notice"]
            .as_str()
            .unwrap()
            .contains("estimated scan 1000 GB"),
        "{answer}"
    );
    let outcomes: Vec<(&str, &str)> = answer["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["rule"].as_str().unwrap(), rule["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("batch_tag", "not matched"),
            ("accelerated", "not matched"),
            ("interactive_small", "not matched"),
            ("batch_large", "matched"),
            ("default", "not reached"),
        ]
    );
    let table = &answer["estimate"]["tables"][0];
    assert_eq!((&table["files"], &table["bytes"]), (&json!(10), &json!(1000 * GB)));
    assert_eq!(
        table["filter"],
        json!({"type": "gt-eq", "term": "event_date", "value": "2026-08-01"})
    );
    let unused = table["unused_conditions"][0]["condition"].as_str().unwrap();
    assert!(unused.contains("lower(event_type)"), "{answer}");
    let explained = service
        .question(serde_json::from_value(request(sql)).unwrap(), None)
        .unwrap();
    let text = service.explain(&explained).await.to_text();
    for line in [
        "route to batch by rule `batch_large`: large scan",
        "  data: 10 files, 1000 GB (1073741824000 bytes)",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn the_policy_is_served_with_its_version() {
    let warehouse = warehouse("policy").await;
    let service = service(&warehouse).await;
    let request = Request::get("/v1/policy").body(Body::empty()).unwrap();
    let response = api::app(Arc::clone(&service)).oneshot(request).await.unwrap();
    let version = response
        .headers()
        .get("x-lakegate-policy-version")
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let policy = lakegate_core::policy::Policy::from_json(&body).unwrap();
    assert_eq!(policy.version, version);
    assert_eq!(policy.version, service.policies().current().version);
}

#[tokio::test]
async fn health_and_metrics_answer() {
    let warehouse = warehouse("metrics").await;
    let service = service(&warehouse).await;
    facts(&service, "SELECT * FROM events").await;
    facts(&service, "SELECT * FROM nothing").await;
    let (status, _) = call(&service, "GET", "/healthz", Body::empty()).await;
    assert_eq!(status, StatusCode::OK);
    let (_, page) = call(&service, "GET", "/metrics", Body::empty()).await;
    let page = page.as_str().unwrap();
    for line in [
        "lakegate_requests_total{path=\"/v1/facts\",status=\"200\"} 2",
        "lakegate_facts_seconds_count 2",
        "lakegate_estimates_total{outcome=\"known\"} 1",
        "lakegate_estimates_unknown_total{cause=\"no_such_table\"} 1",
        "lakegate_plans_total 1",
        "lakegate_tables{state=\"fresh\"} 1",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
    }
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_unknown_and_the_next_one_is_warm() {
    let warehouse = warehouse("deadline").await;
    let service = service(&warehouse).await;
    let wire: FactsRequest = serde_json::from_value(request("SELECT * FROM events")).unwrap();
    let hurried = service.question(wire.clone(), Some(Duration::ZERO)).unwrap();
    let answer = service.answer(&hurried).await;
    let estimate = answer.estimate.unwrap();
    assert_eq!(estimate.total().map_err(|unknown| unknown.cause), Err(Cause::Deadline));
    assert!(!answer.cacheable);
    eventually("the plan was made all the same", async || {
        let question = service.question(wire.clone(), Some(Duration::from_millis(50))).unwrap();
        service.answer(&question).await.estimate?.total().ok()
    })
    .await;
}

#[tokio::test]
async fn engines_are_polled_and_a_wrong_answer_is_unknown() {
    use std::sync::atomic::{AtomicU16, Ordering};
    let warehouse = warehouse("engines").await;
    let status = Arc::new(AtomicU16::new(200));
    let answer = Arc::clone(&status);
    let engine = axum::Router::new().route(
        "/v1/resourceGroupState/global",
        axum::routing::get(move |headers: axum::http::HeaderMap| async move {
            let status = StatusCode::from_u16(answer.load(Ordering::Relaxed)).unwrap();
            let status = if headers.contains_key("x-trino-user") {
                status
            } else {
                StatusCode::UNAUTHORIZED
            };
            (status, r#"{"id":"global","numQueuedQueries":0,"numRunningQueries":3}"#)
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let _engine = tokio::spawn(async move { axum::serve(listener, engine).await });
    let clusters = format!("clusters:\n  interactive: {{ trino: '{url}' }}\n");
    let service = Service::new(config(&warehouse.folder, &warehouse.database(), &clusters)).unwrap();
    let _background = service.background();
    let states = async || call(&service, "GET", "/v1/state", Body::empty()).await.1["engines"].clone();
    let state = eventually("the engine is known", async || {
        let engines = states().await;
        engines["interactive"]["running"].is_number().then_some(engines)
    })
    .await;
    assert_eq!(
        state,
        json!({"interactive": {"queue_wait_ms": 0, "running": 3, "queued": 0, "healthy": true}})
    );
    status.store(503, Ordering::Relaxed);
    let state = eventually("the engine is unknown", async || {
        let engines = states().await;
        (engines["interactive"]["running"].is_null()).then_some(engines)
    })
    .await;
    assert_eq!(state, json!({"interactive": {"healthy": false}}));
}

#[tokio::test]
async fn the_service_listens_says_where_and_ends_when_told() {
    let warehouse = warehouse("listen").await;
    let mut config = config(&warehouse.folder, &warehouse.database(), "");
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let (address_is, address) = tokio::sync::oneshot::channel();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let server = tokio::spawn(serve(config, move |address| address_is.send(address).unwrap(), async {
        let _ = ended.await;
    }));
    let url = format!("http://{}/healthz", address.await.unwrap());
    assert_eq!(reqwest::get(url).await.unwrap().status(), 200);
    end.send(()).unwrap();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn whoever_asks_for_everything_gets_an_estimate_of_statements_without_tables_too() {
    let warehouse = warehouse("tableless").await;
    let service = service(&warehouse).await;
    for (sql, want) in [("SELECT 1", Ok(0)), ("SELECT 'open", Err(Cause::NotUnderstood))] {
        let mut wire: FactsRequest = serde_json::from_value(request(sql)).unwrap();
        wire.policy_version = "none".into();
        let question = service.question(wire, None).unwrap();
        let estimate = service.answer(&question).await.estimate.unwrap();
        assert_eq!(estimate.total().map_err(|unknown| unknown.cause), want, "{sql}");
    }
}
