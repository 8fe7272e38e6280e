//! The demo: a whole Lakegate on embedded defaults plays the Monday minute and says where each statement went.
//!
//! `--once` ends after the minute, non-zero if any verdict differs from the expected one; else everything stays up
//! until Ctrl-C. Started by `cargo xtask demo`, which builds and installs what it needs.

use std::process::ExitCode;
use std::time::Instant;

use lakegate_core::bytes::ByteSize;
use lakegate_tests::monday::{self, Step};
use lakegate_tests::process;
use lakegate_tests::stack::{DEMO_SCALE, Options, Stack, Warehouse, warehouse};

/// Where the demo listens if the port is free.
const PORT: u16 = 8080;

fn main() -> ExitCode {
    let once = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--once") => true,
        Some(other) => {
            eprintln!("unknown option `{other}`; the demo knows --once");
            return ExitCode::FAILURE;
        }
    };
    process::stop_all_on_signal();
    let start = Instant::now();
    eprintln!("demo: warehouse (made once, some 170 MB)");
    let _ = warehouse(Warehouse::Demo);
    eprintln!("demo: two engines, service, Envoy");
    let options = Options {
        listen: preferred_address(),
        ..Options::default()
    };
    let stack = Stack::start("demo", &options);
    eprintln!(
        "demo: all up after {:.1} s; the Monday minute",
        start.elapsed().as_secs_f64()
    );
    let complaints = play(&stack);
    for complaint in &complaints {
        eprintln!("demo: NOT AS EXPECTED: {complaint}");
    }
    eprintln!("demo: {:.1} s in all", start.elapsed().as_secs_f64());
    if !once {
        stay_up(&stack);
    }
    if complaints.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn preferred_address() -> Option<String> {
    let address = format!("127.0.0.1:{PORT}");
    std::net::TcpListener::bind(&address).ok().map(|_| address)
}

/// Sends every statement, prints a line for each kind, and gives what was not as expected.
fn play(stack: &Stack) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut lines = vec![
        ["workload", "statement", "engine", "rule", "estimated bytes", "reason"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for step in monday::steps() {
        let client = stack.client().tags(step.tag);
        let mut shown = Vec::new();
        for turn in 0..step.times {
            let finished = client.run(step.statement(turn));
            let header = |name: &str| finished.header(name).to_owned();
            let estimate = header("x-lakegate-estimated-bytes");
            let engine = header("x-lakegate-engine");
            let rule = header("x-lakegate-rule");
            if let Some(complaint) = step.complaint(&engine, &rule, &estimate, DEMO_SCALE) {
                complaints.push(format!("{}: {complaint}", step.workload));
            }
            let mut reason = header("x-lakegate-reason");
            let notice = header("x-lakegate-notice");
            if !notice.is_empty() {
                reason = notice;
            }
            // The stand-in cannot run a MERGE; any other error would be one of ours.
            if let Some(error) = &finished.error
                && !step.statement(turn).starts_with("MERGE")
            {
                complaints.push(format!("{}: {}", step.workload, error["message"]));
            }
            if turn == 0 {
                shown = vec![
                    workload(&step),
                    shorten(step.statement(0)),
                    engine,
                    rule,
                    human(&estimate),
                    reason,
                ];
            }
        }
        lines.push(shown);
    }
    print_table(&lines);
    complaints
}

fn workload(step: &Step) -> String {
    match step.times {
        1 => step.workload.to_owned(),
        times => format!("{} (x{times})", step.workload),
    }
}

fn human(estimate: &str) -> String {
    estimate
        .parse()
        .map_or_else(|_| "not made".to_owned(), |bytes| ByteSize(bytes).to_string())
}

fn shorten(statement: &str) -> String {
    const WIDTH: usize = 46;
    let line: String = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return line;
    }
    format!("{}..", line.chars().take(WIDTH - 2).collect::<String>())
}

fn print_table(lines: &[Vec<String>]) {
    let columns = lines[0].len();
    let widths: Vec<usize> = (0..columns)
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    println!();
    for (index, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        println!("{}", cells.join("  ").trim_end());
        if index == 0 {
            println!(
                "{}",
                widths
                    .iter()
                    .map(|width| "-".repeat(*width))
                    .collect::<Vec<_>>()
                    .join("  ")
            );
        }
    }
    println!();
}

fn stay_up(stack: &Stack) {
    let url = &stack.url;
    let port = url.rsplit(':').next().unwrap_or_default();
    println!(
        "Lakegate listens on {url} (catalog lake). Sizes here and in the policy are 1:100,000.

  curl      curl -si {url}/v1/statement -H 'X-Trino-User: me' -H 'X-Trino-Catalog: lake' -H 'X-Trino-Schema: web' \\
                 -H 'X-Trino-Client-Tags: interactive' -d 'SELECT count(*) FROM events' | grep -i x-lakegate
  CLI       trino --server {url} --catalog lake --schema web --client-tags interactive
  Python    trino.dbapi.connect(host='127.0.0.1', port={port}, user='me', catalog='lake', schema='web', client_tags=['agent'])

  service   {service} (/v1/state, /v1/policy, /metrics)
  Envoy     {admin} (/stats?filter=lakegate)
  files     {folder} (policy.yaml may be edited: the change is live within two seconds)

Ctrl-C stops everything.",
        service = stack.service_url.as_deref().unwrap_or_default(),
        admin = stack.admin_url,
        folder = stack.folder.display(),
    );
    loop {
        std::thread::park();
    }
}
