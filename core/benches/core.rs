//! Scan, decision, parse and policy load under Criterion: how one change compares with the last.
//! `cargo bench --package lakegate-core --all-features --bench core`
//!
//! What the core costs in the whole, and in V8, `cargo xtask bench --only core` says; both use the same statements.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use lakegate_bench_work::{Work, corpus};
use lakegate_core::policy::{Overlay, Policy};
use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::{ParseInput, parse};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, text) in [("clients", corpus::CLIENTS), ("analytic", corpus::ANALYTIC)] {
        statements(&mut criterion, name, &corpus::statements(text));
    }
    criterion.bench_function("policy_load", |bencher| bencher.iter(policy));
    criterion.final_summary();
}

/// A corpus from its first statement to its last.
fn statements(criterion: &mut Criterion, name: &str, statements: &[String]) {
    let Ok(policy) = policy() else { return };
    let work = Work::new(policy);
    let bytes: usize = statements.iter().map(String::len).sum();
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("scan", |bencher| {
        bencher.iter(|| statements.iter().for_each(|sql| drop(black_box(work.scan(sql)))));
    });
    group.bench_function("scan_decide", |bencher| {
        bencher.iter(|| statements.iter().for_each(|sql| drop(black_box(work.scan_decide(sql)))));
    });
    group.bench_function("parse", |bencher| {
        bencher.iter(|| statements.iter().for_each(|sql| drop(black_box(parsed(sql)))));
    });
    group.finish();
}

fn parsed(sql: &str) -> Option<lakegate_core::sql::parse::Parsed> {
    let input = ParseInput {
        text: sql,
        rules: &LexicalRules::TRINO,
        prepared: &[],
        now: None,
    };
    parse(&input).ok()
}

fn policy() -> Result<Policy, Vec<String>> {
    let text = include_str!("../../tests/fixtures/reference-policy.yaml");
    Policy::from_yaml("reference-policy.yaml", text, &Overlay::default())
}
