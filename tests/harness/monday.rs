//! The Monday minute: four workloads reach one SQL endpoint, and each statement has one right engine.
//!
//! The statements and what they must come to are here; the tables that make it so are the stand-in's
//! (`warehouse`), the policy is the reference policy, or for the demo the same with its sizes divided by 100,000.

/// One kind of statement of the minute.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who sends it.
    pub workload: &'static str,
    /// Its client tag.
    pub tag: &'static str,
    /// The statements; more than one if they differ in a detail only.
    pub statements: Vec<String>,
    /// How many are sent in all; the statements take turns.
    pub times: usize,
    /// The engine it must go to.
    pub engine: &'static str,
    /// The rule that must decide.
    pub rule: &'static str,
    /// What the estimate must be, in bytes of the full-size tables.
    pub estimate: Estimate,
}

/// What is expected of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// None is made.
    NotMade,
    /// Within 6 % of this (the demo's files are real ones, whose sizes fall where they fall).
    About(u64),
    /// Below this.
    Below(u64),
}

const GB: u64 = 1024 * 1024 * 1024;
const TB: u64 = 1024 * GB;

/// The minute, the agent's exhausted budget and the spill left out: they need the budget ledger and the spill state.
#[must_use]
pub fn steps() -> Vec<Step> {
    let one = |sql: &str| vec![sql.to_owned()];
    let dashboard = |select: &str, group: &str| {
        format!("SELECT {select} FROM sales.revenue WHERE order_date >= CURRENT_DATE - 30 GROUP BY {group}")
    };
    let purchases =
        "SELECT user_id, event_type, COUNT(*) FROM events WHERE event_date BETWEEN '2025-08-01' AND '2026-08-01'";
    vec![
        Step {
            workload: "dashboard",
            tag: "interactive",
            statements: vec![
                dashboard("segment, SUM(revenue_usd)", "segment"),
                dashboard("order_date, SUM(revenue_usd)", "order_date"),
                dashboard("segment, COUNT(*)", "segment"),
                dashboard("segment, MAX(revenue_usd)", "segment"),
            ],
            times: 40,
            engine: "interactive",
            rule: "accelerated",
            estimate: Estimate::NotMade,
        },
        Step {
            workload: "late transformation",
            tag: "batch",
            statements: one(
                "MERGE INTO warehouse.fact_orders t USING staging.orders_delta s ON t.order_id = s.order_id \
                 WHEN MATCHED THEN UPDATE SET status = s.status \
                 WHEN NOT MATCHED THEN INSERT VALUES (s.order_id, s.customer_id, s.order_date, s.status, s.amount, s.note)",
            ),
            times: 1,
            engine: "batch",
            rule: "batch_tag",
            estimate: Estimate::NotMade,
        },
        Step {
            workload: "data scientist",
            tag: "interactive",
            statements: vec![format!("{purchases} GROUP BY 1, 2")],
            times: 1,
            engine: "batch",
            rule: "batch_large",
            estimate: Estimate::About(TB * 114 / 10),
        },
        Step {
            workload: "data scientist, narrower",
            tag: "interactive",
            statements: vec![format!("{purchases} AND event_type = 'purchase' GROUP BY 1, 2")],
            times: 1,
            engine: "interactive",
            rule: "interactive_medium_if_idle",
            estimate: Estimate::About(400 * GB),
        },
        Step {
            workload: "agent, schema probe",
            tag: "agent",
            statements: one("DESCRIBE support.tickets"),
            times: 1,
            engine: "interactive",
            rule: "interactive_small",
            estimate: Estimate::Below(1),
        },
        Step {
            workload: "agent, look-ups",
            tag: "agent",
            statements: (0..10)
                .map(|n| format!("SELECT * FROM support.tickets WHERE ticket_id = 'T-{}'", 100_000 + n))
                .collect(),
            times: 10,
            engine: "interactive",
            rule: "interactive_small",
            estimate: Estimate::Below(GB),
        },
        Step {
            workload: "agent, a customer's events",
            tag: "agent",
            statements: one("SELECT * FROM support.ticket_events WHERE customer_id = 'C-4471'"),
            times: 1,
            engine: "interactive",
            rule: "interactive_medium_if_idle",
            estimate: Estimate::About(90 * GB),
        },
        Step {
            workload: "agent, small aggregates",
            tag: "agent",
            statements: vec![
                "SELECT status, COUNT(*) FROM support.tickets GROUP BY status".to_owned(),
                "SELECT customer_id, COUNT(*) FROM support.tickets WHERE status = 'open' GROUP BY customer_id"
                    .to_owned(),
            ],
            times: 10,
            engine: "interactive",
            rule: "interactive_small",
            estimate: Estimate::Below(GB),
        },
    ]
}

impl Step {
    /// The statement of that turn.
    #[must_use]
    pub fn statement(&self, turn: usize) -> &str {
        &self.statements[turn % self.statements.len()]
    }

    /// What is wrong with the headers of a verdict, if anything; `scale` is what the tables' sizes are divided by.
    #[must_use]
    pub fn complaint(&self, engine: &str, rule: &str, estimated_bytes: &str, scale: u64) -> Option<String> {
        if (engine, rule) != (self.engine, self.rule) {
            return Some(format!(
                "expected engine {} by rule {}, got engine {engine} by rule {rule}",
                self.engine, self.rule
            ));
        }
        let fits = match (self.estimate, estimated_bytes.parse::<u64>()) {
            (Estimate::NotMade, _) => estimated_bytes == "unknown",
            (Estimate::About(bytes), Ok(found)) => found.abs_diff(bytes / scale) * 100 <= 6 * (bytes / scale),
            // A file cannot be smaller than its own footer: the demo's smallest are some kilobytes.
            (Estimate::Below(bytes), Ok(found)) => {
                found < (bytes / scale).max(1).max(if bytes > 1 { 64 * 1024 } else { 0 })
            }
            (_, Err(_)) => false,
        };
        (!fits).then(|| {
            format!(
                "expected an estimate of {:?} / {scale}, got {estimated_bytes}",
                self.estimate
            )
        })
    }
}
