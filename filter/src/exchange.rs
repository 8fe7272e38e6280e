//! One request: its headers, its body, perhaps one question to the service, its verdict.
//!
//! The phases are a type, since each callback may come in several of them and the wrong host call in the wrong one
//! kills the VM. A request waits in [`Phase::Reading`] for its body and in [`Phase::Asking`] for the service; both
//! own the [`HeldRequest`], and whoever ends them gives it up. There are no response callbacks: Envoy's route copies
//! the verdict's headers to the response.

use std::mem;
use std::rc::Rc;
use std::time::Duration;

use lakegate_core::decision::{Outcome, Target, Verdict, decide, decide_closed, principal_class};
use lakegate_core::headers;
use lakegate_core::policy::Policy;
use lakegate_core::protocol::Protocol;
use lakegate_core::protocol::trino::{self, MAX_STATEMENT_BYTES, Submission};
use lakegate_core::record::{DecisionRecord, EstimateSource};
use lakegate_core::signals::{Facts, Signals};
use lakegate_core::sql::scan::Scan;
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::Action;

use crate::cache::Key;
use crate::callout::{self, Answer};
use crate::host::{self, Headers, HeldRequest};
use crate::metrics::{self, Counter};
use crate::worker::Worker;

/// One request.
pub(crate) struct Exchange {
    /// None if the configuration was refused; then nothing is routed, and forged headers are removed all the same.
    worker: Option<Rc<Worker>>,
    phase: Phase,
}

enum Phase {
    /// Nothing has come yet.
    New,
    /// A submission's body is coming in.
    Reading(Box<Statement>),
    /// The service has been asked.
    Asking(Box<Question>),
    /// The request goes on, or has gone: it is no submission, or it has been routed.
    Gone,
    /// We have answered it ourselves.
    Answered,
}

/// A submission that has no verdict yet.
struct Statement {
    held: HeldRequest,
    submission: Submission,
    /// Scheme and authority as the client sees them.
    base: String,
    /// Bytes of the body that Envoy has told us of.
    body_bytes: usize,
}

/// A submission that waits for the service. It keeps the policy that asked, so that an update in between cannot make
/// one decision of two policies.
struct Question {
    statement: Statement,
    policy: Rc<Policy>,
    signals: Signals,
    scan: Scan,
    key: Option<Key>,
    token: u32,
    deadline: Duration,
}

/// What a decided request came to.
enum Decided {
    /// Its headers say where it goes.
    Routed(HeldRequest),
    /// The client has its answer.
    Answered,
}

impl Exchange {
    pub(crate) fn new(worker: Option<Rc<Worker>>) -> Self {
        Self {
            worker,
            phase: Phase::New,
        }
    }

    /// Takes the request out of its phase; whoever does puts the next one in.
    fn take_phase(&mut self) -> Phase {
        mem::replace(&mut self.phase, Phase::Gone)
    }

    /// Ends a callback of the request itself.
    fn finish(&mut self, decided: Decided) -> Action {
        match decided {
            Decided::Routed(held) => {
                self.phase = Phase::Gone;
                held.go_on()
            }
            Decided::Answered => {
                self.phase = Phase::Answered;
                Action::Pause
            }
        }
    }

    /// The whole body is there.
    fn on_complete(&mut self, worker: &Worker, statement: Statement) -> Action {
        let body = statement.held.body(MAX_STATEMENT_BYTES);
        if body.len() < statement.body_bytes {
            let decided = decide_unanalysed(worker, statement, "body not to be had from the proxy");
            return self.finish(decided);
        }
        match String::from_utf8(body) {
            Ok(text) => self.on_text(worker, statement, &text),
            Err(_) => {
                let decided = decide_unanalysed(worker, statement, "statement is not UTF-8");
                self.finish(decided)
            }
        }
    }

    /// The text is there: decides by it, by a kept estimate, or asks the service.
    fn on_text(&mut self, worker: &Worker, statement: Statement, text: &str) -> Action {
        let now_ns = host::now_ns();
        let policy = worker.policy();
        let state = worker.state(now_ns);
        let most_tokens = match worker.service {
            Some(_) => MOST_TOKENS,
            None => MOST_TOKENS_ALONE,
        };
        let scan = statement.submission.scan(text, most_tokens);
        let mut signals = statement.submission.signals(&scan);
        let source = EstimateSource::None;
        if let Outcome::Decided(verdict) = decide(&policy, Protocol::Trino, &signals, &state.engines) {
            let decided = conclude(worker, statement, &policy, &signals, source, &verdict, now_ns);
            return self.finish(decided);
        }

        let key = Key::of(&scan, &statement.submission, &policy);
        if let Some(kept) = key.and_then(|key| worker.kept_facts(key, &state)) {
            let mut signals = signals.clone();
            let source = learn(&mut signals, kept, &scan, EstimateSource::Cache);
            if let Outcome::Decided(verdict) = decide(&policy, Protocol::Trino, &signals, &state.engines) {
                metrics::count(Counter::CacheHit);
                let decided = conclude(worker, statement, &policy, &signals, source, &verdict, now_ns);
                return self.finish(decided);
            }
        }

        let deadline = Duration::from_millis(policy.failure.deadline_ms);
        let cause = match &worker.service {
            None => "no service is configured".to_owned(),
            Some(service) => {
                let facts_request = statement.submission.facts_request(text, &policy.version);
                match callout::ask_facts(service, &facts_request, deadline) {
                    Ok(token) => {
                        let question = Question {
                            statement,
                            policy,
                            signals,
                            scan,
                            key,
                            token,
                            deadline,
                        };
                        self.phase = Phase::Asking(Box::new(question));
                        return Action::Pause;
                    }
                    Err(cause) => {
                        metrics::count(Counter::CalloutFailed);
                        format!("service: {cause}")
                    }
                }
            }
        };
        let verdict = decide_closed(&policy, Protocol::Trino, &mut signals, &state.engines, &cause);
        let decided = conclude(worker, statement, &policy, &signals, source, &verdict, now_ns);
        self.finish(decided)
    }
}

impl Context for Exchange {
    fn on_http_call_response(&mut self, token: u32, headers: usize, body_bytes: usize, _trailers: usize) {
        let question = match self.take_phase() {
            Phase::Asking(question) if question.token == token => question,
            other => {
                self.phase = other;
                return;
            }
        };
        let Some(worker) = self.worker.clone() else {
            return question.statement.held.resume();
        };
        match on_answer(&worker, *question, Answer { headers, body_bytes }) {
            Decided::Routed(held) => {
                self.phase = Phase::Gone;
                // Last of all: with this Envoy takes the request's headers away.
                held.resume();
            }
            Decided::Answered => self.phase = Phase::Answered,
        }
    }
}

impl HttpContext for Exchange {
    fn on_http_request_headers(&mut self, _count: usize, end_of_stream: bool) -> Action {
        let (held, headers) = HeldRequest::open();
        remove_ours(&held, &headers);
        let Some(worker) = self.worker.clone() else {
            self.phase = Phase::Gone;
            return held.go_on();
        };
        let method = text(&headers, ":method").unwrap_or_default();
        let path = text(&headers, ":path").unwrap_or_default();
        if !trino::is_submission(method, path) {
            metrics::count(Counter::Passed);
            self.phase = Phase::Gone;
            return held.go_on();
        }

        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
        let statement = Statement {
            held,
            submission: Submission::from_headers(pairs),
            base: base(&headers),
            body_bytes: 0,
        };
        if let Some(cause) = unreadable(&headers) {
            let decided = decide_unanalysed(&worker, statement, &cause);
            return self.finish(decided);
        }
        if end_of_stream {
            // Nothing would wake a request without a body that is held here.
            return self.on_text(&worker, statement, "");
        }
        self.phase = Phase::Reading(Box::new(statement));
        Action::Pause
    }

    fn on_http_request_body(&mut self, body_bytes: usize, end_of_stream: bool) -> Action {
        let mut statement = match self.take_phase() {
            Phase::Reading(statement) => statement,
            other => return self.stay(other),
        };
        let Some(worker) = self.worker.clone() else {
            return statement.held.go_on();
        };
        statement.body_bytes = body_bytes;
        if MAX_STATEMENT_BYTES < body_bytes {
            // Holding more would end in a 413 of Envoy's; so the rest streams, unread.
            let decided = decide_unanalysed(&worker, *statement, &too_long());
            return self.finish(decided);
        }
        if !end_of_stream {
            self.phase = Phase::Reading(statement);
            return Action::Pause;
        }
        self.on_complete(&worker, *statement)
    }

    fn on_http_request_trailers(&mut self, _count: usize) -> Action {
        // The body of a request with trailers never says that it is complete; this does.
        let statement = match self.take_phase() {
            Phase::Reading(statement) => statement,
            other => return self.stay(other),
        };
        let Some(worker) = self.worker.clone() else {
            return statement.held.go_on();
        };
        self.on_complete(&worker, *statement)
    }
}

impl Exchange {
    /// A callback that changes nothing.
    fn stay(&mut self, phase: Phase) -> Action {
        self.phase = phase;
        match self.phase {
            Phase::New | Phase::Gone => Action::Continue,
            Phase::Reading(_) | Phase::Asking(_) | Phase::Answered => Action::Pause,
        }
    }
}

/// The service has answered, or will not.
fn on_answer(worker: &Worker, question: Question, answer: Answer) -> Decided {
    let Question {
        statement,
        policy,
        mut signals,
        scan,
        key,
        deadline,
        ..
    } = question;
    let answered = callout::body(answer, deadline).and_then(|body| Ok((callout::facts(&body)?, body.len())));
    let mut source = EstimateSource::None;
    let cause = match answered {
        Ok((answer, bytes)) => {
            metrics::count(Counter::CalloutOk);
            source = learn(&mut signals, answer.facts.clone(), &scan, EstimateSource::Iceberg);
            if let Some(key) = key {
                worker.keep_facts(key, answer, bytes);
            }
            "service did not say".to_owned()
        }
        Err(cause) => {
            metrics::count(Counter::CalloutFailed);
            format!("service: {cause}")
        }
    };
    let now_ns = host::now_ns();
    let state = worker.state(now_ns);
    let verdict = decide_closed(&policy, Protocol::Trino, &mut signals, &state.engines, &cause);
    conclude(worker, statement, &policy, &signals, source, &verdict, now_ns)
}

/// Takes over facts, and says where the estimate came from.
fn learn(signals: &mut Signals, facts: Facts, scan: &Scan, from: EstimateSource) -> EstimateSource {
    let open = signals.facts.estimated_bytes.is_unasked();
    signals.facts.merge(facts);
    signals.facts.close_expensive_ops(scan);
    if open && signals.facts.estimated_bytes.known().is_some() {
        from
    } else {
        EstimateSource::None
    }
}

/// Decides on a statement that is not read: never refused for that, never guessed small.
fn decide_unanalysed(worker: &Worker, statement: Statement, cause: &str) -> Decided {
    metrics::count(Counter::Unanalysed);
    let now_ns = host::now_ns();
    let policy = worker.policy();
    let state = worker.state(now_ns);
    let mut signals = statement.submission.unanalysed(cause);
    let verdict = decide_closed(&policy, Protocol::Trino, &mut signals, &state.engines, cause);
    conclude(
        worker,
        statement,
        &policy,
        &signals,
        EstimateSource::None,
        &verdict,
        now_ns,
    )
}

/// Does what the verdict says. All edits of a request are made here, at once: each of them has Envoy choose the route
/// anew.
fn conclude(
    worker: &Worker,
    statement: Statement,
    policy: &Policy,
    signals: &Signals,
    source: EstimateSource,
    verdict: &Verdict,
    now_ns: u64,
) -> Decided {
    let Statement { held, base, .. } = statement;
    let id = worker.next_decision_id(now_ns);
    let record = DecisionRecord {
        id: &id,
        policy_version: &policy.version,
        verdict,
        signals,
        source,
        principal_class: principal_class(policy, signals),
    };
    held.set_filter_state(FILTER_STATE, &record.to_json());
    metrics::count_decision(verdict.target.engine(), verdict.reason);
    let told = record.headers();
    match &verdict.target {
        Target::Engine { cluster, .. } => {
            held.set_header(headers::CLUSTER, cluster);
            for (name, value) in &told {
                held.set_header(name, value);
            }
            let prefix = format!("{}{cluster}", headers::FOLLOW_UP_PREFIX);
            held.set_header(headers::FORWARDED_PREFIX, &prefix);
            Decided::Routed(held)
        }
        Target::Reject => {
            let body = trino::rejection(&id, &base, &verdict.reason_text);
            let told = told.iter().map(|(name, value)| (*name, value.as_str()));
            let reply_headers: Vec<(&str, &str)> =
                [("content-type", "application/json")].into_iter().chain(told).collect();
            // Any 5xx would have drivers send the statement again, for hours.
            held.reply(200, &reply_headers, body.as_bytes());
            Decided::Answered
        }
    }
}

/// Longer statements are left to the service: a worker serves nobody else while it scans. A list of tables, the worst
/// case, takes it half a microsecond a token. People's longest statements have some thousands of tokens.
const MOST_TOKENS: usize = 8 * 1024;

/// Without a service there is nobody to leave them to. Longer ones are not understood, and count as large.
const MOST_TOKENS_ALONE: usize = 24 * 1024;

/// Envoy's access log finds the decision in filter state `wasm.lakegate`.
const FILTER_STATE: &str = "lakegate";

/// Removes what only we may say: a client that sends it would choose its cluster, or a path of its own for follow-ups.
fn remove_ours(held: &HeldRequest, headers: &Headers) {
    for (name, _) in headers {
        if name.starts_with(headers::PREFIX) || name == headers::FORWARDED_PREFIX {
            held.remove_header(name);
        }
    }
}

/// Why the body cannot be read as a statement, as far as headers tell. Then there is no need to hold it.
fn unreadable(headers: &Headers) -> Option<String> {
    let encoded = |value: &[u8]| !value.is_empty() && !value.eq_ignore_ascii_case(b"identity");
    if headers
        .iter()
        .any(|(name, value)| name == "content-encoding" && encoded(value))
    {
        return Some("statement is compressed".into());
    }
    let length: usize = text(headers, "content-length")?.trim().parse().ok()?;
    (MAX_STATEMENT_BYTES < length).then(too_long)
}

fn too_long() -> String {
    format!("statement longer than {MAX_STATEMENT_BYTES} bytes")
}

/// Scheme and authority as the client sees them: where it would look for its query.
fn base(headers: &Headers) -> String {
    let scheme = ["x-forwarded-proto", ":scheme"]
        .into_iter()
        .filter_map(|name| text(headers, name))
        .find(|scheme| matches!(*scheme, "http" | "https"))
        .unwrap_or("http");
    format!("{scheme}://{}", text(headers, ":authority").unwrap_or_default())
}

/// The first value of a header, if it is UTF-8.
fn text<'h>(headers: &'h Headers, name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(known, _)| known == name)
        .and_then(|(_, value)| std::str::from_utf8(value).ok())
}
