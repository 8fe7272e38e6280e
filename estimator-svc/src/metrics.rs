//! Counters, and how Prometheus reads them.
//!
//! Every label comes from a bounded set: known paths, status codes, causes of an enum, engines of the policy. Text of
//! statements is in none of them. Not here: what is counted when.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::tables::TableFigures;

/// Upper bounds of the latency buckets, in microseconds.
const BUCKETS_MICROS: [u64; 12] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
];

/// The counters.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    inner: Arc<Mutex<Counters>>,
}

#[derive(Debug, Default)]
struct Counters {
    requests: BTreeMap<(&'static str, u16), u64>,
    facts_micros: [u64; BUCKETS_MICROS.len()],
    facts_count: u64,
    facts_sum_micros: u64,
    estimates: BTreeMap<&'static str, u64>,
    unknown: BTreeMap<&'static str, u64>,
    polls: BTreeMap<(String, bool), u64>,
    policies_refused: u64,
}

/// What is looked up when Prometheus asks.
#[derive(Clone, Debug)]
pub struct Gauges {
    /// The table cache.
    pub tables: TableFigures,
    /// Scans planned, answers from the cache not counted.
    pub plans_made: u64,
    /// The policy in force.
    pub policy_version: String,
    /// Catalogs that do not answer.
    pub catalogs_down: u64,
}

impl Metrics {
    fn with(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A request was answered. `path` is one of ours, or `other`.
    pub fn request(&self, path: &'static str, status: u16) {
        self.with(|counters| *counters.requests.entry((path, status)).or_default() += 1);
    }

    /// Facts were given after that long.
    pub fn facts(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.with(|counters| {
            counters.facts_count += 1;
            counters.facts_sum_micros = counters.facts_sum_micros.saturating_add(micros);
            for (bucket, bound) in counters.facts_micros.iter_mut().zip(BUCKETS_MICROS) {
                *bucket += u64::from(micros <= bound);
            }
        });
    }

    /// An estimate was made: known, or unknown for that cause.
    pub fn estimate(&self, unknown: Option<&'static str>) {
        self.with(|counters| {
            let outcome = if unknown.is_none() { "known" } else { "unknown" };
            *counters.estimates.entry(outcome).or_default() += 1;
            if let Some(cause) = unknown {
                *counters.unknown.entry(cause).or_default() += 1;
            }
        });
    }

    /// An engine was asked.
    pub fn engine_poll(&self, engine: &str, answered: bool) {
        self.with(|counters| *counters.polls.entry((engine.to_owned(), answered)).or_default() += 1);
    }

    /// A policy was refused.
    pub fn policy_refused(&self) {
        self.with(|counters| counters.policies_refused += 1);
    }

    /// The text that Prometheus reads.
    #[must_use]
    pub fn render(&self, gauges: &Gauges) -> String {
        let counters = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut page = Page(String::with_capacity(4096));
        page.head("lakegate_build_info", "gauge", "The build.");
        page.line("lakegate_build_info", &[("version", env!("CARGO_PKG_VERSION"))], "1");
        page.head("lakegate_policy_info", "gauge", "The policy in force.");
        page.line("lakegate_policy_info", &[("version", &gauges.policy_version)], "1");
        page.head("lakegate_requests_total", "counter", "Requests answered.");
        for ((path, status), count) in &counters.requests {
            let labels = [("path", *path), ("status", &status.to_string())];
            page.line("lakegate_requests_total", &labels, &count.to_string());
        }
        page.head("lakegate_facts_seconds", "histogram", "Time to answer POST /v1/facts.");
        for (count, bound) in counters.facts_micros.iter().zip(BUCKETS_MICROS) {
            page.line(
                "lakegate_facts_seconds_bucket",
                &[("le", &seconds(bound))],
                &count.to_string(),
            );
        }
        let all = counters.facts_count.to_string();
        page.line("lakegate_facts_seconds_bucket", &[("le", "+Inf")], &all);
        page.line("lakegate_facts_seconds_sum", &[], &seconds(counters.facts_sum_micros));
        page.line("lakegate_facts_seconds_count", &[], &all);
        page.head("lakegate_estimates_total", "counter", "Scan estimates of statements.");
        for (outcome, count) in &counters.estimates {
            page.line("lakegate_estimates_total", &[("outcome", outcome)], &count.to_string());
        }
        page.head(
            "lakegate_estimates_unknown_total",
            "counter",
            "Estimates without a number, by cause.",
        );
        for (cause, count) in &counters.unknown {
            page.line(
                "lakegate_estimates_unknown_total",
                &[("cause", cause)],
                &count.to_string(),
            );
        }
        page.head(
            "lakegate_plans_total",
            "counter",
            "Table scans planned; estimates from the cache plan none.",
        );
        page.line("lakegate_plans_total", &[], &gauges.plans_made.to_string());
        page.head(
            "lakegate_tables",
            "gauge",
            "Tables kept, by whether they are given out.",
        );
        let fresh = gauges.tables.tables.saturating_sub(gauges.tables.stale);
        page.line("lakegate_tables", &[("state", "fresh")], &fresh.to_string());
        page.line(
            "lakegate_tables",
            &[("state", "stale")],
            &gauges.tables.stale.to_string(),
        );
        page.head("lakegate_catalogs_down", "gauge", "Catalogs that do not answer.");
        page.line("lakegate_catalogs_down", &[], &gauges.catalogs_down.to_string());
        page.head(
            "lakegate_engine_polls_total",
            "counter",
            "Questions to engines about their load.",
        );
        for ((engine, answered), count) in &counters.polls {
            let outcome = if *answered { "answered" } else { "failed" };
            let labels = [("engine", engine.as_str()), ("outcome", outcome)];
            page.line("lakegate_engine_polls_total", &labels, &count.to_string());
        }
        page.head(
            "lakegate_policy_refused_total",
            "counter",
            "Edits of the policy that were refused.",
        );
        page.line(
            "lakegate_policy_refused_total",
            &[],
            &counters.policies_refused.to_string(),
        );
        page.0
    }
}

/// Microseconds as seconds, without a detour over floating point.
fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: &str) {
        self.0.push_str(name);
        for (position, (label, text)) in labels.iter().enumerate() {
            self.0.push(if position == 0 { '{' } else { ',' });
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{label}=\"{text}\"");
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_come_out_as_prometheus_reads_them() {
        let metrics = Metrics::default();
        metrics.request("/v1/facts", 200);
        metrics.request("/v1/facts", 200);
        metrics.facts(Duration::from_micros(300));
        metrics.estimate(None);
        metrics.estimate(Some("deadline"));
        metrics.engine_poll("a\"b", false);
        let page = metrics.render(&Gauges {
            tables: TableFigures { tables: 3, stale: 1 },
            plans_made: 7,
            policy_version: "v".into(),
            catalogs_down: 0,
        });
        for line in [
            "lakegate_requests_total{path=\"/v1/facts\",status=\"200\"} 2",
            "lakegate_facts_seconds_bucket{le=\"0.000250\"} 0",
            "lakegate_facts_seconds_bucket{le=\"0.000500\"} 1",
            "lakegate_facts_seconds_bucket{le=\"+Inf\"} 1",
            "lakegate_facts_seconds_sum 0.000300",
            "lakegate_estimates_total{outcome=\"unknown\"} 1",
            "lakegate_estimates_unknown_total{cause=\"deadline\"} 1",
            "lakegate_engine_polls_total{engine=\"a\\\"b\",outcome=\"failed\"} 1",
            "lakegate_tables{state=\"fresh\"} 2",
            "lakegate_plans_total 7",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
    }
}
