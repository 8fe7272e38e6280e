//! A catalog that is not reachable: the service starts, says so, answers unknown, and recovers by itself.

use std::process::Command;
use std::time::Duration;

use lakegate_tests::http::Request;
use lakegate_tests::paths;
use lakegate_tests::process::{Process, eventually};
use lakegate_tests::stack::{Warehouse, run_folder, warehouse};
use serde_json::json;

#[test]
fn a_catalog_that_is_not_there_is_named_and_found_again() {
    let catalog = warehouse(Warehouse::Stated);
    let folder = run_folder("readiness");
    let later = folder.join("later.db");
    let policy = "engines: { a: { kind: trino, endpoint: \"http://127.0.0.1:1\" } }\n\
                  rules:\n- { name: small, when: { estimated_bytes_lt: 1 TB }, route: a }\n- { name: default, route: a }\n";
    std::fs::write(folder.join("policy.yaml"), policy).expect("policy");
    let config = format!(
        "listen: 127.0.0.1:0\npolicy: policy.yaml\ncatalogs:\n  lake: {{ type: sql, uri: \"{}\", catalog_name: lake, warehouse: \"file://{}\" }}\n  \
         remote: {{ type: rest, uri: \"http://127.0.0.1:1\" }}\n",
        later.display(),
        catalog.with_file_name("warehouse").display()
    );
    std::fs::write(folder.join("lakegate.yaml"), config).expect("config");
    let mut command = Command::new(paths::program("lakegate"));
    command.args(["serve", "--config"]).arg(folder.join("lakegate.yaml"));
    let (_service, url) = Process::start_server(&mut command, &folder.join("service.log"));

    let get = |path: &str| Request::new("GET", &format!("{url}{path}")).send();
    assert_eq!(get("/healthz").status, 200);
    let ready = eventually("both catalogs are named", Duration::from_secs(20), || {
        let ready = get("/readyz");
        (ready.text().contains("lake") && ready.text().contains("remote")).then_some(ready)
    });
    assert_eq!(ready.status, 503, "{}", ready.text());

    let estimate = |table: &str| {
        let question =
            json!({"v": 1, "protocol": "trino", "sql": format!("SELECT * FROM {table}"), "policy_version": ""});
        Request::new("POST", &format!("{url}/v1/facts"))
            .header("content-type", "application/json")
            .body(question.to_string())
            .send()
            .json()["facts"]["estimated_bytes"]
            .clone()
    };
    for table in ["lake.web.events_summary", "remote.a.b"] {
        assert!(estimate(table)["unknown"].is_string(), "{table}: {}", estimate(table));
    }

    std::fs::copy(&catalog, &later).expect("the catalog comes back");
    let bytes = eventually("the estimate is known again", Duration::from_secs(60), || {
        estimate("lake.web.events_summary").as_u64()
    });
    assert!(bytes > 0);
    eventually("the catalog is ready again", Duration::from_secs(60), || {
        (!get("/readyz").text().contains("\"lake\"")).then_some(())
    });
    let _ = std::fs::remove_dir_all(&folder);
}
