//! A verdict with all that led to it, for the API's dry run and the command line.
//!
//! It takes the same way as a real statement: what no rule needed is shown as not asked. Not here: printing to a
//! terminal's taste beyond plain lines.

use std::fmt::Write;

use lakegate_core::decision::{Outcome, RuleTrace, Target, decide, decide_closed, principal_class, trace};
use lakegate_core::engine::EngineStates;
use lakegate_core::signals::Facts;
use lakegate_core::sql::borrowed;
use lakegate_core::sql::scan::fingerprint;
use serde::Serialize;

use crate::estimate::{Answer, Question, StatementEstimate, lexical_rules};

/// The explanation.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The policy that decided.
    pub policy_version: String,
    /// What the text says about itself.
    pub statement: Statement,
    /// Who sent it, as the policy sees it.
    pub sender: Sender,
    /// Where it goes and why.
    pub verdict: Verdict,
    /// Every rule, in order.
    pub rules: Vec<Rule>,
    /// The facts found; what is missing was not asked.
    pub facts: Facts,
    /// The scan estimate, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<StatementEstimate>,
    /// What was known of the engines.
    pub engines: EngineStates,
}

/// What the text says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// Its kind, wrappers taken off.
    pub kind: &'static str,
    /// Tables read, as written.
    pub tables: Vec<String>,
    /// Tables written, as written.
    pub targets: Vec<String>,
    /// The same for statements that differ in literals only.
    pub fingerprint: String,
    /// Why it was not parsed, if that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_parsed: Option<String>,
}

/// Who sent it.
#[derive(Clone, Debug, Serialize)]
pub struct Sender {
    /// The client's protocol.
    pub protocol: &'static str,
    /// The user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The client program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Client tags.
    pub client_tags: Vec<String>,
    /// The class that the policy puts the sender in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_class: Option<String>,
}

/// Where it goes and why.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// `route` or `reject`.
    pub action: &'static str,
    /// The engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The Envoy cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The rule that decided.
    pub rule: String,
    /// The kind of reason.
    pub reason: &'static str,
    /// The reason in words.
    pub reason_text: String,
    /// `light`, `heavy` or `unknown`, by the policy's own bounds.
    pub label: &'static str,
    /// `high`, or `low` if anything unknown had a part in the verdict.
    pub confidence: &'static str,
    /// How the result is best fetched: `inline`, `bulk` or `unknown`.
    pub transport: &'static str,
    /// What the sender is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// How one rule came out.
#[derive(Clone, Debug, Serialize)]
pub struct Rule {
    /// Its name.
    pub rule: String,
    /// How it came out.
    pub outcome: &'static str,
    /// Its conditions.
    pub conditions: Vec<Condition>,
}

/// One condition of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct Condition {
    /// The test.
    pub test: String,
    /// The value found.
    pub value: String,
    /// `true`, `false`, `unknown` or `not asked`.
    pub outcome: &'static str,
}

impl From<RuleTrace> for Rule {
    fn from(trace: RuleTrace) -> Self {
        Self {
            rule: trace.rule,
            outcome: trace.outcome.as_str(),
            conditions: trace
                .conditions
                .into_iter()
                .map(|condition| Condition {
                    test: condition.test,
                    value: condition.value,
                    outcome: condition.outcome,
                })
                .collect(),
        }
    }
}

fn question_fingerprint(question: &Question) -> u128 {
    let request = &question.request;
    fingerprint(
        &request.sql,
        &lexical_rules(question.protocol),
        &borrowed(&request.prepared),
    )
}

/// Explains what an answer leads to.
#[must_use]
pub fn explain_answer(question: &Question, answer: Answer) -> Explanation {
    let Answer {
        scan,
        mut signals,
        declined,
        estimate,
        ..
    } = answer;
    let Question { policy, engines, .. } = question;
    let found = signals.facts.clone();
    let rules = trace(policy, &signals, engines).into_iter().map(Rule::from).collect();
    let verdict = match decide(policy, question.protocol, &signals, engines) {
        Outcome::Decided(verdict) => verdict,
        Outcome::Needs(_) => decide_closed(policy, question.protocol, &mut signals, engines, "not answered"),
    };
    let (action, engine, cluster) = match verdict.target {
        Target::Engine { engine, cluster } => ("route", Some(engine), Some(cluster)),
        Target::Reject => ("reject", None, None),
    };
    let names = |names: &[lakegate_core::sql::scan::TableName]| names.iter().map(ToString::to_string).collect();
    Explanation {
        policy_version: policy.version.clone(),
        statement: Statement {
            kind: scan.inner_kind.as_str(),
            tables: names(&scan.tables),
            targets: names(&scan.targets),
            fingerprint: format!("{:032x}", question_fingerprint(question)),
            not_parsed: declined,
        },
        sender: Sender {
            protocol: question.protocol.as_str(),
            principal_class: principal_class(policy, &signals).map(str::to_owned),
            user: signals.user,
            source: signals.source,
            client_tags: signals.client_tags,
        },
        verdict: Verdict {
            action,
            engine,
            cluster,
            rule: verdict.rule,
            reason: verdict.reason.code(),
            reason_text: verdict.reason_text,
            label: verdict.label.as_str(),
            confidence: verdict.confidence.as_str(),
            transport: verdict.transport.as_str(),
            notice: verdict.notice,
        },
        rules,
        facts: found,
        estimate,
        engines: engines.as_ref().clone(),
    }
}

impl Explanation {
    /// The explanation for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let verdict = &self.verdict;
        let target = verdict.engine.as_deref().unwrap_or("nowhere");
        let _ = writeln!(
            text,
            "{} to {target} by rule `{}`: {}",
            verdict.action, verdict.rule, verdict.reason_text
        );
        if let Some(notice) = &verdict.notice {
            let _ = writeln!(text, "the sender is told: {notice}");
        }
        let _ = writeln!(
            text,
            "label {}, confidence {}, transport {}",
            verdict.label, verdict.confidence, verdict.transport
        );
        let statement = &self.statement;
        let _ = writeln!(text, "statement: {}, reads {}", statement.kind, list(&statement.tables));
        if !statement.targets.is_empty() {
            let _ = writeln!(text, "writes: {}", list(&statement.targets));
        }
        if let Some(why) = &statement.not_parsed {
            let _ = writeln!(text, "not parsed: {why}");
        }
        let _ = writeln!(text, "rules (policy {}):", self.policy_version);
        for rule in &self.rules {
            let _ = writeln!(text, "  {}: {}", rule.rule, rule.outcome);
            for condition in &rule.conditions {
                let _ = writeln!(
                    text,
                    "    {} -> {} ({})",
                    condition.test, condition.outcome, condition.value
                );
            }
        }
        if let Some(estimate) = &self.estimate {
            text.push_str(&estimate.to_text());
        }
        text
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "no table".into()
    } else {
        names.join(", ")
    }
}
