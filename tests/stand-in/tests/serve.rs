//! The protocol, word by word, against the real binary over a real warehouse.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lakegate_stand_in::warehouse::{self, Kind};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A running engine, stopped when dropped.
struct Engine {
    process: Child,
    base: String,
    client: Client,
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _gone = self.process.kill().and_then(|()| self.process.wait());
    }
}

/// A page and what came with it.
struct Page {
    headers: reqwest::header::HeaderMap,
    body: Value,
}

impl Engine {
    async fn start(arguments: &[&str]) -> Result<Self> {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand-in-demo");
        let made = warehouse::ensure(&dir, Kind::Demo).await?;
        let mut process = Command::new(env!("CARGO_BIN_EXE_lakegate-stand-in"))
            .args(["serve", "--name", "alpha", "--catalog-db"])
            .arg(made.catalog_db)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = process.stdout.take().ok_or("no standard output")?;
        BufReader::new(out).read_line(&mut line)?;
        let base = line
            .trim()
            .strip_prefix("listening on ")
            .ok_or("it did not say where it listens")?;
        Ok(Self {
            process,
            base: base.to_owned(),
            client: Client::new(),
        })
    }

    fn request(&self, method: Method, uri: &str) -> RequestBuilder {
        let uri = match uri.strip_prefix('/') {
            Some(path) => format!("{}/{path}", self.base),
            None => uri.to_owned(),
        };
        self.client.request(method, uri).header("x-trino-user", "ada")
    }

    async fn get(&self, uri: &str) -> Result<Response> {
        Ok(self.request(Method::GET, uri).send().await?)
    }

    async fn json(&self, uri: &str) -> Result<Value> {
        Ok(self.get(uri).await?.error_for_status()?.json().await?)
    }

    async fn submit(&self, sql: &str, headers: &[(&str, &str)]) -> Result<Value> {
        let mut request = self
            .request(Method::POST, "/v1/statement")
            .header("x-trino-catalog", "lake")
            .header("x-trino-schema", "web")
            .header("x-trino-client-capabilities", "PARAMETRIC_DATETIME")
            .body(sql.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Every page after this one.
    async fn follow(&self, first: &Value) -> Result<Vec<Page>> {
        let mut pages = Vec::new();
        let mut next = uri(first, "nextUri");
        while let Some(uri_) = next {
            let response = self.get(&uri_).await?.error_for_status()?;
            let headers = response.headers().clone();
            let body: Value = response.json().await?;
            next = uri(&body, "nextUri");
            pages.push(Page { headers, body });
        }
        Ok(pages)
    }

    async fn pages(&self, sql: &str, headers: &[(&str, &str)]) -> Result<Vec<Page>> {
        let first = self.submit(sql, headers).await?;
        self.follow(&first).await
    }

    /// The last page: of a query that failed, or of a statement without rows.
    async fn last(&self, sql: &str, headers: &[(&str, &str)]) -> Result<Page> {
        let last = self.pages(sql, headers).await?.pop();
        Ok(last.ok_or("no page")?)
    }

    async fn rows(&self, sql: &str, headers: &[(&str, &str)]) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for page in self.pages(sql, headers).await? {
            if let Some(error) = page.body.get("error") {
                return Err(format!("{sql}: {error}").into());
            }
            if let Some(data) = page.body.get("data").and_then(Value::as_array) {
                rows.extend(data.iter().cloned());
            }
        }
        Ok(rows)
    }

    /// Numbers of waiting and running queries.
    async fn load(&self) -> Result<(u64, u64)> {
        let group = self.json("/v1/resourceGroupState/global").await?;
        let number = |name: &str| group.get(name).and_then(Value::as_u64).ok_or("no number");
        Ok((number("numQueuedQueries")?, number("numRunningQueries")?))
    }

    async fn error_of(&self, id: &str) -> Result<Option<String>> {
        let query = self.json(&format!("/v1/query/{id}")).await?;
        let name = query.pointer("/errorCode/name").and_then(Value::as_str);
        Ok(name.map(str::to_owned))
    }
}

fn text(page: &Value, pointer: &str) -> String {
    let text = page.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn uri(page: &Value, name: &str) -> Option<String> {
    page.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn next(page: &Value) -> Result<String> {
    Ok(uri(page, "nextUri").ok_or("no nextUri")?)
}

fn header<'a>(page: &'a Page, name: &str) -> Option<&'a str> {
    page.headers.get(name)?.to_str().ok()
}

/// Polls until something holds.
async fn eventually<F: Future<Output = Result<bool>>>(mut holds: impl FnMut() -> F) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds().await? {
        if Instant::now() > deadline {
            return Err("it did not happen in ten seconds".into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_long_result_comes_in_pages_and_each_page_once_or_again_but_not_later() -> Result<()> {
    let engine = Engine::start(&["--page-rows", "500"]).await?;
    let first = engine
        .submit("SELECT user_id, event_type FROM events LIMIT 2300", &[])
        .await?;
    assert_eq!(text(&first, "/stats/state"), "QUEUED");
    let mut seen = vec![next(&first)?];
    let mut rows = 0;
    loop {
        let page = engine.json(seen.last().ok_or("nothing seen")?).await?;
        let data = page.get("data").and_then(Value::as_array);
        let length = data.map_or(0, Vec::len);
        assert!(length <= 500 && data.is_none_or(|data| !data.is_empty()));
        rows += length;
        match uri(&page, "nextUri") {
            Some(next) => seen.push(next),
            None => {
                assert_eq!(text(&page, "/stats/state"), "FINISHED");
                break;
            }
        }
    }
    assert_eq!(rows, 2300);
    assert!(seen.len() >= 6, "{} pages", seen.len());

    // The last page can be had again, older ones not.
    let [.., older, last] = seen.as_slice() else {
        return Err("too few pages".into());
    };
    assert_eq!(engine.get(last).await?.status(), StatusCode::OK);
    assert_eq!(engine.get(older).await?.status(), StatusCode::GONE);

    // Neither a wrong slug nor an unknown id tells whether the query exists.
    let wrong_slug = last.replace("/y", "/z");
    let id = text(&first, "/id");
    let wrong_id = last.replace(&id, "20200101_000000_00000_aaaaa");
    for wrong in [wrong_slug, wrong_id] {
        let response = engine.get(&wrong).await?;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(response.text().await?, "Query not found");
    }
    Ok(())
}

#[tokio::test]
async fn queries_over_the_limit_wait_and_the_group_says_so() -> Result<()> {
    let engine = Engine::start(&["--hard-concurrency", "1", "--min-run-ms", "700"]).await?;
    let registered = engine.submit("SELECT 0", &[]).await?;
    assert_eq!(engine.load().await?, (0, 0), "a submission alone runs nothing");

    let statements = ["SELECT 1", "SELECT 2", "SELECT 3"];
    let runs = statements.map(|sql| engine.rows(sql, &[]));
    let watch = async { eventually(async || Ok(engine.load().await? == (2, 1))).await };
    let [a, b, c] = runs;
    let (a, b, c, watched) = tokio::join!(a, b, c, watch);
    watched?;
    assert_eq!([a?, b?, c?].concat(), [json!([1]), json!([2]), json!([3])]);
    assert_eq!(engine.load().await?, (0, 0));

    let waited = engine.json("/v1/query").await?;
    let waited = waited.as_array().ok_or("no list")?.iter();
    let longest = waited
        .filter_map(|query| {
            text(query, "/queryStats/queuedTime")
                .trim_end_matches("ms")
                .parse()
                .ok()
        })
        .fold(0.0, f64::max);
    assert!(longest > 1_000.0, "the third waited for two others, {longest} ms");
    engine.follow(&registered).await?;
    Ok(())
}

#[tokio::test]
async fn a_full_queue_refuses() -> Result<()> {
    let limits = ["--hard-concurrency", "1", "--max-queued", "1", "--min-run-ms", "2000"];
    let engine = Engine::start(&limits).await?;
    for _ in 0..2 {
        let page = engine.submit("SELECT 1", &[]).await?;
        engine.get(&next(&page)?).await?;
    }
    let refused = engine.last("SELECT 1", &[]).await?.body;
    assert_eq!(text(&refused, "/error/errorName"), "QUERY_QUEUE_FULL");
    assert_eq!(text(&refused, "/error/errorType"), "INSUFFICIENT_RESOURCES");
    Ok(())
}

#[tokio::test]
async fn a_query_can_be_cancelled_in_every_way_at_every_time() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let endless = "SELECT a.user_id FROM events a CROSS JOIN events b";

    // Before its first poll, by nextUri.
    let page = engine.submit(endless, &[]).await?;
    let cancelled = engine.request(Method::DELETE, &next(&page)?).send().await?;
    assert_eq!(cancelled.status(), StatusCode::NO_CONTENT);
    let last = engine.follow(&page).await?.pop().ok_or("no page")?.body;
    assert_eq!(text(&last, "/error/errorName"), "USER_CANCELED");

    // While it runs, by nextUri, by id, and by SQL from someone else.
    for way in ["nextUri", "id", "kill"] {
        let first = engine.submit(endless, &[]).await?;
        let id = text(&first, "/id");
        let queued = engine.json(&next(&first)?).await?;
        let running = engine.json(&next(&queued)?).await?;
        assert_eq!(text(&running, "/stats/state"), "RUNNING");
        let expected = match way {
            "nextUri" => {
                engine.request(Method::DELETE, &next(&running)?).send().await?;
                "USER_CANCELED"
            }
            "id" => {
                let uri = format!("/v1/query/{id}");
                engine.request(Method::DELETE, &uri).send().await?;
                "USER_CANCELED"
            }
            _ => {
                let call = format!("CALL system.runtime.kill_query('{id}', 'enough')");
                engine.last(&call, &[]).await?;
                "ADMINISTRATIVELY_KILLED"
            }
        };
        let last = engine.follow(&running).await?.pop().ok_or("no page")?.body;
        assert_eq!(text(&last, "/error/errorName"), expected, "{way}");
        assert_eq!(engine.error_of(&id).await?.as_deref(), Some(expected));
    }
    eventually(async || Ok(engine.load().await? == (0, 0))).await
}

#[tokio::test]
async fn a_partial_cancel_ends_a_query_well_with_the_rows_it_has() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let first = engine
        .submit("SELECT a.user_id FROM events a CROSS JOIN events b", &[])
        .await?;
    let queued = engine.json(&next(&first)?).await?;
    let running = engine.json(&next(&queued)?).await?;
    let partial = uri(&running, "partialCancelUri").ok_or("no partialCancelUri")?;
    let cancelled = engine.request(Method::DELETE, &partial).send().await?;
    assert_eq!(cancelled.status(), StatusCode::NO_CONTENT);
    let last = engine.follow(&running).await?.pop().ok_or("no page")?.body;
    assert_eq!(text(&last, "/stats/state"), "FINISHED");
    assert_eq!(last.get("error"), None);
    Ok(())
}

#[tokio::test]
async fn an_abandoned_query_is_ended() -> Result<()> {
    let engine = Engine::start(&["--client-timeout-ms", "300"]).await?;
    let first = engine
        .submit("SELECT a.user_id FROM events a CROSS JOIN events b", &[])
        .await?;
    engine.json(&next(&first)?).await?;
    let id = text(&first, "/id");
    eventually(async || Ok(engine.error_of(&id).await?.as_deref() == Some("ABANDONED_QUERY"))).await
}

#[tokio::test]
async fn every_answer_obeys_the_forwarded_headers_of_its_own_request() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let outer = [
        ("x-forwarded-prefix", "/_at/batch"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "lake.example.com"),
    ];
    let prefix = "https://lake.example.com/_at/batch/";
    let first = engine.submit("SELECT user_id FROM events LIMIT 10", &outer).await?;
    assert!(next(&first)?.starts_with(&format!("{prefix}v1/statement/queued/")));
    assert!(text(&first, "/infoUri").starts_with(&format!("{prefix}ui/query.html?")));

    // A proxy takes the prefix off again; without its headers the answer is about the engine itself.
    let inner = next(&first)?.replace(prefix, &format!("{}/", engine.base));
    let queued = engine.json(&inner).await?;
    assert!(next(&queued)?.starts_with(&format!("{}/v1/statement/executing/", engine.base)));

    let mut request = engine.request(Method::GET, &next(&queued)?);
    for (name, value) in outer {
        request = request.header(name, value);
    }
    let page: Value = request.send().await?.json().await?;
    assert!(next(&page)?.starts_with(prefix));
    assert!(text(&page, "/partialCancelUri").starts_with(&format!("{prefix}v1/statement/executing/partialCancel/")));
    Ok(())
}

#[tokio::test]
async fn as_trino_does_by_default_it_can_refuse_forwarded_requests() -> Result<()> {
    let engine = Engine::start(&["--process-forwarded", "reject"]).await?;
    let request = engine.request(Method::GET, "/v1/info");
    let refused = request.header("x-forwarded-proto", "http").send().await?;
    assert_eq!(refused.status(), StatusCode::NOT_ACCEPTABLE);
    assert_eq!(engine.get("/v1/info").await?.status(), StatusCode::OK);
    Ok(())
}

#[tokio::test]
async fn head_tells_that_a_page_is_there_and_takes_nothing() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let status =
        async |uri: &str| -> Result<StatusCode> { Ok(engine.request(Method::HEAD, uri).send().await?.status()) };
    assert_eq!(status("/v1/statement").await?, StatusCode::OK);
    assert_eq!(status("/v1/status").await?, StatusCode::OK);

    let first = engine.submit("SELECT 7", &[]).await?;
    assert_eq!(status(&next(&first)?).await?, StatusCode::OK);
    assert_eq!(engine.load().await?, (0, 0), "HEAD starts no query");
    let queued = engine.json(&next(&first)?).await?;
    for _ in 0..3 {
        assert_eq!(status(&next(&queued)?).await?, StatusCode::OK);
    }
    let page = engine.json(&next(&queued)?).await?;
    assert_eq!(page.get("data"), Some(&json!([[7]])));
    let wrong = next(&queued)?.replace("/y", "/z");
    assert_eq!(status(&wrong).await?, StatusCode::NOT_FOUND);
    Ok(())
}

#[tokio::test]
async fn errors_have_trinos_names_numbers_and_types() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    for (sql, name, number) in [
        ("SELEC 1", "SYNTAX_ERROR", 1),
        ("SELECT nofunction(1)", "FUNCTION_NOT_FOUND", 6),
        ("SELECT 1 / 0", "DIVISION_BY_ZERO", 8),
        ("SELECT CAST('x' AS integer)", "INVALID_CAST_ARGUMENT", 9),
        (
            "MERGE INTO warehouse.fact_orders t USING staging.orders_delta s ON t.order_id = s.order_id \
             WHEN MATCHED THEN UPDATE SET status = s.status",
            "NOT_SUPPORTED",
            13,
        ),
        ("CREATE TABLE x AS SELECT 1 AS a", "NOT_SUPPORTED", 13),
        (
            "INSERT INTO events_summary SELECT * FROM events_summary",
            "NOT_SUPPORTED",
            13,
        ),
        ("COMMIT", "NOT_IN_TRANSACTION", 21),
        ("SELECT * FROM nowhere.x.y", "CATALOG_NOT_FOUND", 44),
        ("SELECT * FROM nowhere.y", "SCHEMA_NOT_FOUND", 45),
        ("SELECT * FROM nothing", "TABLE_NOT_FOUND", 46),
        ("SELECT nothing FROM events", "COLUMN_NOT_FOUND", 47),
        ("EXECUTE IMMEDIATE 'SELECT ?'", "INVALID_PARAMETER_USAGE", 86),
    ] {
        let page = engine.last(sql, &[]).await?.body;
        assert_eq!(text(&page, "/error/errorName"), name, "{sql}");
        assert_eq!(page.pointer("/error/errorCode"), Some(&json!(number)), "{sql}");
        assert_eq!(text(&page, "/error/errorType"), "USER_ERROR", "{sql}");
        assert_eq!(text(&page, "/stats/state"), "FAILED", "{sql}");
    }
    let long = format!("SELECT '{}'", "x".repeat(1_000_000));
    let page = engine.last(&long, &[]).await?.body;
    assert_eq!(text(&page, "/error/errorName"), "QUERY_TEXT_TOO_LARGE");
    Ok(())
}

#[tokio::test]
async fn names_need_a_catalog_and_a_schema_from_somewhere() -> Result<()> {
    let engine = Engine::start(&["--default-catalog", ""]).await?;
    let error = async |headers: &[(&str, &str)], sql: &str| -> Result<String> {
        let mut request = engine.request(Method::POST, "/v1/statement").body(sql.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let first: Value = request.send().await?.json().await?;
        let last = engine.follow(&first).await?.pop().ok_or("no page")?;
        Ok(text(&last.body, "/error/errorName"))
    };
    let sql = "SELECT count(*) FROM events";
    assert_eq!(error(&[], sql).await?, "MISSING_CATALOG_NAME");
    let catalog = [("x-trino-catalog", "lake")];
    assert_eq!(error(&catalog, sql).await?, "MISSING_SCHEMA_NAME");
    let both = [("x-trino-catalog", "LAKE"), ("x-trino-schema", "Web")];
    assert_eq!(error(&both, sql).await?, "");
    assert_eq!(error(&[], "SELECT count(*) FROM lake.web.events").await?, "");
    Ok(())
}

#[tokio::test]
async fn statements_of_the_session_answer_in_headers() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let none = [("x-trino-transaction-id", "NONE")];

    let set = engine.last("SET SESSION query_max_run_time = '1 h'", &none).await?;
    assert_eq!(header(&set, "x-trino-set-session"), Some("query_max_run_time=1+h"));
    assert_eq!(text(&set.body, "/updateType"), "SET SESSION");
    assert_eq!(set.body.get("columns"), Some(&json!([])));
    let reset = engine.last("RESET SESSION query_max_run_time", &none).await?;
    assert_eq!(header(&reset, "x-trino-clear-session"), Some("query_max_run_time"));
    let used = engine.last("USE lake.sales", &none).await?;
    assert_eq!(header(&used, "x-trino-set-catalog"), Some("lake"));
    assert_eq!(header(&used, "x-trino-set-schema"), Some("sales"));

    let started = engine.last("START TRANSACTION", &none).await?;
    let id = header(&started, "x-trino-started-transaction-id").ok_or("no transaction")?;
    let inside = [("x-trino-transaction-id", id)];
    assert_eq!(engine.rows("SELECT 1", &inside).await?, [json!([1])]);
    let committed = engine.last("COMMIT", &inside).await?;
    assert_eq!(header(&committed, "x-trino-clear-transaction-id"), Some("true"));
    let after = engine.last("SELECT 1", &inside).await?.body;
    assert_eq!(text(&after, "/error/errorName"), "UNKNOWN_TRANSACTION");
    Ok(())
}

#[tokio::test]
async fn prepared_statements_live_in_headers_compressed_if_long() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let prepare = async |sql: &str| -> Result<String> {
        let page = engine.last(&format!("PREPARE p FROM {sql}"), &[]).await?;
        Ok(header(&page, "x-trino-added-prepare").ok_or("not prepared")?.to_owned())
    };
    let short = prepare("SELECT subject FROM support.tickets WHERE ticket_id = ?").await?;
    assert!(short.starts_with("p=SELECT+subject"));
    let run = [("x-trino-prepared-statement", short.as_str())];
    let found = engine.rows("EXECUTE p USING 'T-100007'", &run).await?;
    assert_eq!(found, [json!(["case 7"])]);

    let marks = vec!["?"; 1_000].join(", ");
    let long = format!("SELECT count(*) FROM support.tickets WHERE status IN ({marks})");
    let long = prepare(&long).await?;
    assert!(long.starts_with("p=%24zstd%3A") && long.len() < 500);
    let values = vec!["'open'"; 1_000].join(", ");
    let run = [("x-trino-prepared-statement", long.as_str())];
    let found = engine.rows(&format!("EXECUTE p USING {values}"), &run).await?;
    assert_eq!(found, [json!([13])]);

    let dropped = engine.last("DEALLOCATE PREPARE p", &run).await?;
    assert_eq!(header(&dropped, "x-trino-deallocated-prepare"), Some("p"));
    let immediate = "EXECUTE IMMEDIATE 'SELECT ''?'', ?, ?' USING -1, 'it''s'";
    assert_eq!(engine.rows(immediate, &[]).await?, [json!(["?", -1, "it's"])]);
    Ok(())
}

#[tokio::test]
async fn columns_say_their_types_as_trino_does() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let sql = "SELECT e.user_id, e.event_date, e.ts, r.revenue_usd, r.revenue_usd > 0, 1.5, count(*) \
               FROM events e CROSS JOIN sales.revenue r \
               WHERE e.event_date = DATE '2026-08-01' AND r.order_date = DATE '2026-08-01' \
               GROUP BY 1, 2, 3, 4 LIMIT 1";
    let pages = engine.pages(sql, &[]).await?;
    let columns = pages.iter().find_map(|page| page.body.get("columns"));
    let columns = columns.and_then(Value::as_array).ok_or("no columns")?;
    let types: Vec<_> = columns.iter().map(|c| (text(c, "/name"), text(c, "/type"))).collect();
    let expected = [
        ("user_id", "bigint"),
        ("event_date", "date"),
        ("ts", "timestamp(6)"),
        ("revenue_usd", "decimal(18, 2)"),
        ("_col4", "boolean"),
        ("_col5", "double"),
        ("_col6", "bigint"),
    ];
    assert_eq!(types, expected.map(|(n, t)| (n.to_owned(), t.to_owned())));
    assert_eq!(
        columns.get(3).and_then(|column| column.get("typeSignature")),
        Some(&json!({
            "rawType": "decimal",
            "arguments": [{"kind": "LONG", "value": 18}, {"kind": "LONG", "value": 2}],
        }))
    );
    Ok(())
}

/// The statements of the Monday minute, as clients send them.
#[tokio::test]
async fn the_monday_statements_run() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let count = async |sql: &str| -> Result<usize> { Ok(engine.rows(sql, &[]).await?.len()) };
    let segments = "SELECT segment, SUM(revenue_usd) FROM sales.revenue \
                    WHERE order_date >= CURRENT_DATE - 30 GROUP BY segment";
    assert_eq!(count(segments).await?, 5);
    let purchases = "SELECT user_id, event_type, COUNT(*) FROM events \
                     WHERE event_date BETWEEN '2025-08-01' AND '2026-08-01' AND event_type = 'purchase' \
                     GROUP BY 1, 2";
    assert!(count(purchases).await? > 5_000);
    let customer = "SELECT * FROM support.ticket_events WHERE customer_id = 'C-4471'";
    assert_eq!(count(customer).await?, 90);
    let month = "SELECT sum(revenue_usd) FROM sales.revenue \
                 WHERE DATE_TRUNC('month', order_date) = DATE '2026-08-01'";
    assert_eq!(count(month).await?, 1);
    // The summary agrees with what it sums up.
    let sums = "SELECT (SELECT count(*) FROM events) - (SELECT sum(events) FROM events_summary)";
    assert_eq!(engine.rows(sums, &[]).await?, [json!([0])]);
    Ok(())
}

#[tokio::test]
async fn the_catalog_can_be_looked_at() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let rows = async |sql: &str| engine.rows(sql, &[]).await;
    assert_eq!(rows("SHOW CATALOGS").await?, [json!(["lake"]), json!(["system"])]);
    let schemas = rows("SHOW SCHEMAS").await?;
    assert!(schemas.contains(&json!(["web"])) && schemas.contains(&json!(["information_schema"])));
    let tables = rows("SHOW TABLES FROM lake.support LIKE 'ticket%'").await?;
    assert_eq!(tables, [json!(["ticket_events"]), json!(["tickets"])]);
    let columns = rows("DESCRIBE events").await?;
    assert_eq!(columns.get(3), Some(&json!(["ts", "timestamp(6)", "", ""])));
    let node = rows("SELECT node_id, coordinator FROM system.runtime.nodes").await?;
    assert_eq!(node, [json!(["alpha", true])]);
    Ok(())
}

#[tokio::test]
async fn submissions_are_kept_word_for_word() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let tags = [("x-trino-client-tags", "agent"), ("x-trino-session", "a=1")];
    let first = engine.submit("SELECT 'é'", &tags).await?;
    let nobody = engine.client.post(format!("{}/v1/statement", engine.base));
    let refused = nobody.body("SELECT 2").send().await?;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);

    let list = engine.json("/stand-in/submissions").await?;
    let [kept, without_user] = list.as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err(format!("not two submissions: {list}").into());
    };
    assert_eq!(kept.get("id"), first.get("id"));
    assert_eq!(text(kept, "/sql"), "SELECT 'é'");
    assert_eq!(text(kept, "/method"), "POST");
    assert_eq!(text(kept, "/path"), "/v1/statement");
    assert_eq!(kept.pointer("/headers/x-trino-client-tags"), Some(&json!(["agent"])));
    assert_eq!(without_user.get("id"), Some(&Value::Null));

    engine.request(Method::DELETE, "/stand-in/submissions").send().await?;
    assert_eq!(engine.json("/stand-in/submissions").await?, json!([]));
    Ok(())
}

#[tokio::test]
async fn it_says_who_it_is() -> Result<()> {
    let engine = Engine::start(&[]).await?;
    let info = engine.json("/v1/info").await?;
    assert_eq!(info.get("coordinator"), Some(&json!(true)));
    assert_eq!(info.get("starting"), Some(&json!(false)));
    assert!(!text(&info, "/nodeVersion/version").is_empty());
    let first = engine.submit("SELECT 1", &[]).await?;
    assert!(text(&first, "/id").ends_with(&format!("_{}", text(&info, "/coordinatorId"))));
    let page = engine.get(&text(&first, "/infoUri")).await?.text().await?;
    assert!(page.contains("SELECT 1"));
    let unknown = "/v1/query/20200101_000000_00000_aaaaa";
    assert_eq!(engine.get(unknown).await?.status(), StatusCode::GONE);
    Ok(())
}
