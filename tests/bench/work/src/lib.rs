//! The core's work for one statement, as filter and service do it, and the statements to do it on.
//!
//! `lakegate-bench` links this natively and times it; compiled for the filter's target (`exports`) V8 runs the very
//! same code. Not here: clocks and figures.

pub mod corpus;
#[cfg(target_arch = "wasm32")]
mod exports;

use lakegate_core::decision::{Outcome, decide};
use lakegate_core::engine::EngineStates;
use lakegate_core::policy::Policy;
use lakegate_core::protocol::Protocol;
use lakegate_core::protocol::trino::Submission;
use lakegate_core::sql::scan::{MAX_SCAN_TOKENS, Scan};

/// A policy, and a client that submits.
#[derive(Debug)]
pub struct Work {
    policy: Policy,
    submission: Submission,
    engines: EngineStates,
}

impl Work {
    /// Nothing is known of the engines, as in a filter that has just started.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let headers = [
            ("x-trino-user", "ann"),
            ("x-trino-catalog", "lake"),
            ("x-trino-schema", "support"),
        ];
        Self {
            policy,
            submission: Submission::from_headers(headers.map(|(name, value)| (name, value.as_bytes()))),
            engines: EngineStates::new(),
        }
    }

    /// The scan alone.
    #[must_use]
    pub fn scan(&self, sql: &str) -> Scan {
        self.submission.scan(sql, MAX_SCAN_TOKENS)
    }

    /// What the filter does before it knows whether it has to ask: scan, signals, decision.
    #[must_use]
    pub fn scan_decide(&self, sql: &str) -> Outcome {
        let scan = self.submission.scan(sql, MAX_SCAN_TOKENS);
        let signals = self.submission.signals(&scan);
        decide(&self.policy, Protocol::Trino, &signals, &self.engines)
    }

    /// What the service does before it reads metadata: the same, with what the syntax tree says.
    #[cfg(feature = "parser")]
    #[must_use]
    pub fn parse_decide(&self, sql: &str) -> Outcome {
        use lakegate_core::signals::Fact;
        use lakegate_core::sql::borrowed;
        use lakegate_core::sql::lexer::LexicalRules;
        use lakegate_core::sql::parse::{ParseInput, parse};

        let scan = self.submission.scan(sql, MAX_SCAN_TOKENS);
        let mut signals = self.submission.signals(&scan);
        let parsed = parse(&ParseInput {
            text: sql,
            rules: &LexicalRules::TRINO,
            prepared: &borrowed(&self.submission.prepared),
            now: None,
        });
        let facts = &mut signals.facts;
        match parsed {
            Ok(parsed) => {
                facts.reflection_covers_query.or(Fact::Known(false));
                let window = parsed.has_window_over_large_partition;
                facts.has_window_over_large_partition.or(Fact::Known(window));
                facts.limit_bounds_scan.or(Fact::Known(parsed.limit_bounds_scan));
                if let Some(columns) = parsed.output_columns {
                    facts.output_columns.or(Fact::Known(columns));
                }
            }
            Err(declined) => facts.close(&declined.to_string()),
        }
        facts.close_expensive_ops(&scan);
        decide(&self.policy, Protocol::Trino, &signals, &self.engines)
    }
}
