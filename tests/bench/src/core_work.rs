//! The core's own work for one statement: what filter and service do besides talking to anybody.
//!
//! A statement's time is the median over rounds, a corpus's figure the median over its statements. Native rounds and
//! V8's take turns, so that a busy moment of the machine meets both.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lakegate_bench_work::{Work, corpus};
use lakegate_core::policy::{Overlay, Policy};

use crate::figures::{Spread, rounded};
use crate::options::Options;
use crate::ours::POLICY;
use crate::report::Report;
use crate::say;
use crate::v8::V8;

/// What `cargo xtask bench` has built: the module for V8, and the size of the filter's in bytes. The filter
/// has no parser in it, so that the module that ships is the lean one too.
const V8_MODULE: &str = "LAKEGATE_BENCH_WASM";
const SIZES: [(&str, &str); 2] = [
    ("wasm_bytes", "LAKEGATE_BENCH_WASM_BYTES"),
    ("wasm_lean_bytes", "LAKEGATE_BENCH_WASM_BYTES"),
];

/// Calls whose mean is one value: long enough for the clock.
const BATCH: Duration = Duration::from_micros(300);

/// Statements of one kind.
struct Corpus {
    name: &'static str,
    statements: Vec<String>,
}

/// What a round times.
type Call = fn(&Work, &str);

/// Runs the suite.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<(), String> {
    let rounds = if options.quick { 5 } else { 31 };
    let policy = load_policy()?;
    let json = policy.to_json();
    let work = Work::new(policy);
    report.line(&format!(
        "the core's work; a statement's median of {rounds} rounds, the median statement of a corpus\n"
    ));
    let (mut bytes, mut scan_ns) = (0.0, 0.0);
    for (name, own) in [("clients", corpus::CLIENTS), ("tpcds", corpus::ANALYTIC)] {
        let corpus = Corpus::load(name, own, options)?;
        let mut v8 = corpus.in_v8(&json)?;
        let mut scan = Table::new();
        let mut decide = Table::new();
        let mut parse = Table::new();
        let mut in_v8 = Table::new();
        for _ in 0..rounds {
            scan.add(corpus.round(&work, |work, sql| drop(black_box(work.scan(black_box(sql))))));
            decide.add(corpus.round(&work, |work, sql| {
                drop(black_box(work.scan_decide(black_box(sql))));
            }));
            if let Some(v8) = &mut v8 {
                in_v8.add(v8.round(BATCH)?);
            }
            parse.add(corpus.round(&work, |work, sql| {
                drop(black_box(work.parse_decide(black_box(sql))));
            }));
        }
        report.line(&corpus.describe());
        let mut tell = |what: &str, table: &Table| {
            let spread = Spread::of(table.medians().into_iter().map(|ns| ns / 1e3));
            report.number(&format!("{what}_us_{name}"), rounded(spread.median, 2));
            let (median, range) = (spread.median, spread.range());
            report.line(&format!("{what:<32}{median:>10.2} us   IQR of statements {range:.2}"));
        };
        tell("scan", &scan);
        tell("scan_decide", &decide);
        tell("parse_decide", &parse);
        if v8.is_some() {
            tell("v8_scan_decide", &in_v8);
            let ratios = in_v8
                .medians()
                .into_iter()
                .zip(decide.medians())
                .map(|(v8, native)| v8 / native);
            let ratio = Spread::of(ratios);
            let key = if name == "clients" {
                "wasm_over_native"
            } else {
                "wasm_over_native_tpcds"
            };
            report.number(key, rounded(ratio.median, 2));
            report.line(&format!(
                "{key:<32}{:>10.2}      IQR of statements {:.2}",
                ratio.median,
                ratio.range()
            ));
        }
        report.line("");
        bytes += corpus
            .statements
            .iter()
            .map(|statement| statement.len() as f64)
            .sum::<f64>();
        scan_ns += scan.medians().into_iter().sum::<f64>();
    }
    let speed = bytes / scan_ns * 1e3;
    report.number("scanner_mb_s", rounded(speed, 1));
    report.line(&format!("{:<32}{speed:>10.1} MB/s, both corpora", "scanner_mb_s"));
    let loads = (0..rounds * 5).map(|_| {
        let start = Instant::now();
        let _ = black_box(load_policy());
        start.elapsed().as_secs_f64() * 1e6
    });
    let load = Spread::of(loads);
    report.number("policy_load_us", rounded(load.median, 1));
    report.line(&format!(
        "{:<32}{:>10.1} us   IQR {:.1}",
        "policy_load",
        load.median,
        load.range()
    ));
    sizes(report);
    report.line("");
    Ok(())
}

/// The reference policy, both engines reachable for Trino clients.
fn load_policy() -> Result<Policy, String> {
    let cluster = |engine: &str| (engine.to_owned(), "trino".to_owned(), "http://127.0.0.1:1".to_owned());
    let overlay = Overlay {
        clusters: ["interactive", "batch"].map(cluster).to_vec(),
    };
    Policy::from_yaml("policy.yaml", POLICY, &overlay).map_err(|problems| problems.join("\n"))
}

/// The module's sizes, as far as xtask has told them.
fn sizes(report: &mut Report) {
    for (key, variable) in SIZES {
        let size = std::env::var(variable).ok().and_then(|size| size.parse::<u32>().ok());
        match size {
            Some(size) => {
                report.number(key, f64::from(size));
                report.line(&format!("{key:<32}{size:>10} bytes"));
            }
            None => say(&format!(
                "SKIPPED: {key}: `cargo xtask bench` builds the module and sets {variable}"
            )),
        }
    }
}

impl Corpus {
    fn load(name: &'static str, own: &str, options: &Options) -> Result<Self, String> {
        let files = options.corpora.iter().filter(|(given, _)| given == name);
        let mut statements = Vec::new();
        for (_, file) in files {
            let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            statements.extend(corpus::statements(&text));
        }
        if options.corpora.iter().all(|(given, _)| given != name) {
            statements = corpus::statements(own);
        }
        if statements.is_empty() {
            return Err(format!("the corpus {name} holds no statement"));
        }
        Ok(Self { name, statements })
    }

    fn describe(&self) -> String {
        let lengths = Spread::of(self.statements.iter().map(|statement| statement.len() as f64));
        format!(
            "{}: {} statements, half of them of {:.0} to {:.0} bytes",
            self.name,
            self.statements.len(),
            lengths.first_quartile,
            lengths.third_quartile
        )
    }

    /// The statements in V8, if Node and the module are there.
    fn in_v8(&self, policy: &str) -> Result<Option<V8>, String> {
        let Some(module) = std::env::var_os(V8_MODULE).map(PathBuf::from) else {
            say(&format!(
                "SKIPPED: the work in V8: no module ({V8_MODULE}); `cargo xtask bench` sets it, given `node`"
            ));
            return Ok(None);
        };
        let statements: Vec<&str> = self.statements.iter().map(String::as_str).collect();
        let mut v8 = V8::start(Path::new(&module), policy, &statements)?;
        // Until V8 has compiled what is hot a second time, optimised, it runs the quick first version.
        v8.round(BATCH * 20)?;
        Ok(Some(v8))
    }

    /// Nanoseconds a call of every statement, from one batch each.
    fn round(&self, work: &Work, call: Call) -> Vec<f64> {
        let time = |statement: &str| {
            let mut calls = 0_u32;
            let start = Instant::now();
            while start.elapsed() < BATCH {
                // The clock is read once in a few calls: it costs some 30 ns.
                for _ in 0..8 {
                    call(work, statement);
                }
                calls += 8;
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
        };
        self.statements.iter().map(|statement| time(statement)).collect()
    }
}

/// Rounds, each with a value for every statement.
struct Table(Vec<Vec<f64>>);

impl Table {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn add(&mut self, round: Vec<f64>) {
        self.0.push(round);
    }

    /// Every statement's median.
    fn medians(&self) -> Vec<f64> {
        let statements = self.0.first().map_or(0, Vec::len);
        let median = |at: usize| Spread::of(self.0.iter().filter_map(|round| round.get(at).copied())).median;
        (0..statements).map(median).collect()
    }
}
