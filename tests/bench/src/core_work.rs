//! The core's own work for one statement, natively: what the filter does besides talking to Envoy.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lakegate_core::decision::decide;
use lakegate_core::engine::EngineStates;
use lakegate_core::policy::{Overlay, Policy};
use lakegate_core::protocol::Protocol;
use lakegate_core::protocol::trino::Submission;

use crate::cases;
use crate::figures::{Spread, rounded};
use crate::options::Options;
use crate::ours::POLICY;
use crate::report::Report;

/// Calls whose mean is one value: long enough for the clock.
const BATCH: Duration = Duration::from_millis(2);

/// Runs the suite.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<(), String> {
    let batches = if options.quick { 25 } else { 150 };
    let load = || Policy::from_yaml("policy.yaml", POLICY, &Overlay::default());
    let policy = load().map_err(|problems| problems.join("\n"))?;
    let headers = [
        ("x-trino-user", "ann"),
        ("x-trino-catalog", "lake"),
        ("x-trino-schema", "support"),
    ];
    let submission = Submission::from_headers(headers.map(|(name, value)| (name, value.as_bytes())));
    let short = cases::statement(true);
    let long = [short.as_str(); 10].join(" UNION ALL ");
    let scan = submission.scan(&short);
    let signals = submission.signals(&scan);
    let engines = EngineStates::new();

    report.line(&format!("the core's work, natively; medians of {batches} batches\n"));
    let mut tell = |name: &str, unit: &str, per_unit: f64, spread: Spread| {
        let (median, range) = (spread.median / per_unit, spread.range() / per_unit);
        report.number(&format!("core_{name}_{unit}"), rounded(median, 1));
        report.line(&format!("{name:<32}{median:>10.1} {unit}   IQR {range:.1}"));
    };
    tell(
        "scan_300_bytes",
        "ns",
        1.0,
        timed(batches, || submission.scan(black_box(&short))),
    );
    tell(
        "scan_3000_bytes",
        "ns",
        1.0,
        timed(batches, || submission.scan(black_box(&long))),
    );
    let decision = timed(batches, || {
        decide(black_box(&policy), Protocol::Trino, black_box(&signals), &engines)
    });
    tell("decide", "ns", 1.0, decision);
    tell("policy_load", "us", 1e3, timed(batches, load));
    report.line("");
    Ok(())
}

/// Nanoseconds a call, over many batches.
fn timed<T>(batches: usize, mut call: impl FnMut() -> T) -> Spread {
    let mut calls: u32 = 1;
    let mut batch = |calls: u32| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(call());
        }
        start.elapsed()
    };
    while batch(calls) < BATCH && calls < u32::MAX / 2 {
        calls *= 2;
    }
    Spread::of((0..batches).map(|_| batch(calls).as_secs_f64() * 1e9 / f64::from(calls)))
}
