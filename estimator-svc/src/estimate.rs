//! From a statement to the facts that the policy needs of it, and no more.
//!
//! [`Estimator::answer`] asks core's own `decide` what is missing, finds that out, and asks again. Cheap things come
//! first: what the syntax tree says, then whether a materialised aggregate covers the statement, and only if a rule
//! still hangs on bytes a scan estimate. A statement that an earlier rule decides costs no estimate.
//!
//! Two things make it ask for more. A caller that decides by another policy than this service has gets every fact. And
//! a rule may hang on an engine's state, of which the caller may know less than the service: what is needed if nothing
//! is known of the engines is found out too.
//!
//! `reads` pairs the tables that the scan sees with the filters that the parser found; `report` is what is told of an
//! estimate. Not here: how a table's scan is planned ([`crate::planner`]).

mod reads;
mod report;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use lakegate_core::decision::{Outcome, decide};
use lakegate_core::engine::{EngineKind, EngineStates};
use lakegate_core::policy::Policy;
use lakegate_core::policy::condition::Signal;
use lakegate_core::protocol::Protocol;
use lakegate_core::reflection::{AggregateShape, Reflection};
use lakegate_core::signals::{Fact, Facts, Sender, Signals};
use lakegate_core::sql::borrowed;
use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::{MAX_TABLES, ParseInput, ParseTime, Parsed, parse};
use lakegate_core::sql::scan::{Scan, StatementKind, TableName, scan};
use lakegate_core::wire::{FactsRequest, FactsResponse, VERSION};
use tokio::time::{Instant, timeout_at};

use crate::planner::{Filter, Planner};
use crate::prepared::decompressed;
use crate::tables::{Defaults, Resolved, Tables, about, snapshot_text};
use crate::unknown::{Cause, Unknown, brief};
use crate::zone::{offset_minutes, session_zone};
use reads::{Read, reads};
pub use report::{StatementEstimate, TableEstimate, UnusedText};

/// Answers questions about statements.
#[derive(Clone)]
pub struct Estimator {
    tables: Tables,
    planner: Planner,
    reflections: Arc<BTreeMap<String, Vec<Reflection>>>,
    default_catalog: Option<Arc<str>>,
    default_schema: Option<Arc<str>>,
}

/// A question with all that bears on it.
#[derive(Clone)]
pub struct Question {
    /// The statement and its context.
    pub request: Arc<FactsRequest>,
    /// The client's protocol, as the request says.
    pub protocol: Protocol,
    /// The service's policy.
    pub policy: Arc<Policy>,
    /// What is known of the engines.
    pub engines: Arc<EngineStates>,
    /// How long the answer may take.
    pub deadline: Duration,
    /// Find out everything, whether the policy needs it or not.
    pub eager: bool,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the scan says.
    pub scan: Scan,
    /// Everything that a rule may look at, as far as it was needed.
    pub signals: Signals,
    /// Why the syntax tree was not to be had, if it was asked for.
    pub declined: Option<String>,
    /// The scan estimate, if one was needed.
    pub estimate: Option<StatementEstimate>,
    /// The answer holds while the estimate's snapshots have not moved.
    pub cacheable: bool,
}

impl Answer {
    /// The snapshots that the answer rests on.
    #[must_use]
    pub fn snapshots(&self) -> BTreeMap<String, String> {
        self.estimate
            .as_ref()
            .map(StatementEstimate::snapshots)
            .unwrap_or_default()
    }

    /// The answer as the filter gets it.
    #[must_use]
    pub fn into_response(self, policy_version: &str) -> FactsResponse {
        FactsResponse {
            v: VERSION,
            policy_version: policy_version.to_owned(),
            snapshots: self.snapshots(),
            cacheable: self.cacheable,
            facts: self.signals.facts,
        }
    }
}

/// The lexical rules of a client's protocol.
#[must_use]
pub fn lexical_rules(protocol: Protocol) -> LexicalRules {
    match protocol {
        Protocol::Trino => LexicalRules::TRINO,
        Protocol::Presto => LexicalRules::PRESTO,
        Protocol::Dremio => LexicalRules::DREMIO,
    }
}

impl Estimator {
    /// An estimator over these tables.
    #[must_use]
    pub fn new(
        tables: Tables,
        planner: Planner,
        reflections: BTreeMap<String, Vec<Reflection>>,
        default_catalog: Option<&str>,
        default_schema: Option<&str>,
    ) -> Self {
        Self {
            tables,
            planner,
            reflections: Arc::new(reflections),
            default_catalog: default_catalog.map(Into::into),
            default_schema: default_schema.map(Into::into),
        }
    }

    /// Finds out what the policy needs.
    pub async fn answer(&self, question: &Question) -> Answer {
        let deadline = Instant::now() + question.deadline;
        let request = &question.request;
        let rules = lexical_rules(question.protocol);
        let request = match decompressed(&request.prepared) {
            Cow::Borrowed(_) => Arc::clone(request),
            Cow::Owned(prepared) => Arc::new(FactsRequest {
                prepared,
                ..request.as_ref().clone()
            }),
        };
        let scan = scan(&request.sql, &rules, &borrowed(&request.prepared));
        let mut facts = Facts::from_scan(&scan);
        facts.session_bytes_remaining.close("no budget ledger");
        let sender = Sender {
            client_tags: &request.client_tags,
            source: request.source.as_deref(),
            user: request.user.as_deref(),
            session_properties: &request.session_properties,
        };
        let mut work = Work {
            estimator: self,
            question,
            request: Arc::clone(&request),
            deadline,
            signals: Signals::new(sender, &scan, facts),
            scan,
            parsed: None,
            estimate: None,
            passing: false,
        };
        while let Some(needs) = work.needs() {
            work.find_out(&needs).await;
        }
        work.finish()
    }

    fn defaults<'a>(&'a self, request: &'a FactsRequest) -> Defaults<'a> {
        let given = |name: &'a Option<String>| name.as_deref().filter(|name| !name.is_empty());
        Defaults {
            catalog: given(&request.catalog).or(self.default_catalog.as_deref()),
            schema: given(&request.schema).or(self.default_schema.as_deref()),
        }
    }

    /// Plans every table that the statement reads, all at the same time.
    async fn estimate(
        &self,
        question: &Question,
        scan: &Scan,
        parsed: Option<&Parsed>,
        deadline: Instant,
    ) -> StatementEstimate {
        if let Some(cause) = beyond_reach(scan, parsed) {
            return StatementEstimate::unknown(cause.into());
        }
        let nan_is_largest = question
            .policy
            .engines
            .values()
            .any(|engine| matches!(engine.kind, EngineKind::Spark | EngineKind::Dremio));
        let defaults = self.defaults(&question.request);
        let reads = reads(scan, parsed);
        let plans = reads.iter().map(|read| async move {
            timeout_at(deadline, self.estimate_table(read, defaults, nan_is_largest))
                .await
                .unwrap_or_else(|_| TableEstimate::unknown(read, about(&read.name, Cause::Deadline)))
        });
        StatementEstimate::sum(join_all(plans).await)
    }

    async fn estimate_table(&self, read: &Read<'_>, defaults: Defaults<'_>, nan_is_largest: bool) -> TableEstimate {
        let planned = async {
            let name = match self.tables.resolve(&read.name, defaults)? {
                Resolved::EngineMetadata => return Ok(None),
                Resolved::Table(name) => name,
            };
            let table = self.tables.get(&name).await?;
            let filter = Filter {
                predicate: &read.filter.predicate,
                nan_columns: read.nan_columns,
                nan_is_largest,
            };
            let planned = self.planner.plan(&table, filter).await?;
            Ok(Some((name, snapshot_text(&table), planned)))
        };
        match planned.await {
            Ok(None) => TableEstimate::engine_metadata(read),
            Ok(Some((name, snapshot, planned))) => TableEstimate::planned(read, &name, snapshot, &planned),
            Err(cause) => TableEstimate::unknown(read, about(&read.name, cause)),
        }
    }

    /// Columns of a result that is `*` over whole tables, by the tables' schemas.
    async fn star_columns(
        &self,
        question: &Question,
        scan: &Scan,
        parsed: &Parsed,
        deadline: Instant,
    ) -> Result<u64, Unknown> {
        // These bring columns of their own; another version of a table may have others than today's.
        let adds = scan.unnest || scan.table_function || scan.match_recognize || scan.time_travel;
        // With a subquery there are tables whose columns are not the result's.
        if !parsed.star_of_tables || adds || scan.subqueries > 0 {
            return Err(Cause::StarOverPart.into());
        }
        let defaults = self.defaults(&question.request);
        let mut columns = 0u64;
        for table in &parsed.tables {
            let name = match self.tables.resolve(&table.name, defaults) {
                Ok(Resolved::Table(name)) => name,
                Ok(Resolved::EngineMetadata) => return Err(Cause::StarOverPart.into()),
                Err(cause) => return Err(about(&table.name, cause)),
            };
            let loaded = timeout_at(deadline, self.tables.get(&name))
                .await
                .unwrap_or(Err(Cause::Deadline))
                .map_err(|cause| about(&table.name, cause))?;
            let fields = loaded.metadata().current_schema().as_struct().fields().len();
            columns = columns.saturating_add(u64::try_from(fields).unwrap_or(u64::MAX));
        }
        Ok(columns)
    }

    /// A materialised aggregate of an engine that uses such covers the statement.
    fn covered(&self, question: &Question, shape: &AggregateShape) -> bool {
        let shape = AggregateShape {
            table: qualified(&shape.table, self.defaults(&question.request)),
            ..shape.clone()
        };
        let levels = shape.table.parts.len();
        question
            .policy
            .engines
            .values()
            .filter(|engine| engine.supports_reflections)
            .filter_map(|engine| self.reflections.get(&engine.name))
            .flatten()
            // A name that leaves open what the declaration says might be another table.
            .filter(|reflection| reflection.table.split('.').count() <= levels)
            .any(|reflection| reflection.covers(&shape))
    }
}

/// A name with the parts that the defaults add, as far as they do.
fn qualified(name: &TableName, defaults: Defaults<'_>) -> TableName {
    let mut parts = name.parts.clone();
    if parts.len() == 1
        && let Some(schema) = defaults.schema
    {
        parts.insert(0, schema.to_lowercase());
    }
    if parts.len() == 2
        && let Some(catalog) = defaults.catalog
    {
        parts.insert(0, catalog.to_lowercase());
    }
    TableName { parts }
}

/// The time in the session's zone, for conditions on the current date. An engine has a zone of its own for sessions that
/// name none, so it is left open then.
fn clock(request: &FactsRequest) -> Option<ParseTime> {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some(ParseTime {
        unix_micros: i64::try_from(since.as_micros()).ok()?,
        zone_minutes: session_zone(request).and_then(|zone| offset_minutes(zone, i64::try_from(since.as_secs()).ok()?)),
    })
}

/// What no table's metadata can answer.
fn beyond_reach(scan: &Scan, parsed: Option<&Parsed>) -> Option<Cause> {
    if !scan.is_understood() {
        return Some(Cause::NotUnderstood);
    }
    if scan.tables.len() + scan.targets.len() > MAX_TABLES {
        return Some(Cause::TooManyTables);
    }
    if scan.recursion {
        return Some(Cause::Recursion);
    }
    if scan.repeated_common_table && parsed.is_none() {
        return Some(Cause::RepeatedCommonTable);
    }
    if scan.table_function {
        return Some(Cause::TableFunction);
    }
    if scan.time_travel {
        return Some(Cause::TimeTravel);
    }
    (scan.inner_kind == StatementKind::Call).then_some(Cause::Procedure)
}

/// One answer in the making.
struct Work<'a> {
    estimator: &'a Estimator,
    question: &'a Question,
    /// The question's request with no prepared statement compressed.
    request: Arc<FactsRequest>,
    deadline: Instant,
    scan: Scan,
    signals: Signals,
    parsed: Option<Result<Parsed, String>>,
    estimate: Option<StatementEstimate>,
    /// Something is unknown that may be known the next time.
    passing: bool,
}

impl Work<'_> {
    /// Signals that are missing; `None` when there is nothing left to find out.
    fn needs(&self) -> Option<Vec<Signal>> {
        let policy = &self.question.policy;
        let mut needs = if self.question.eager {
            self.signals.facts.unasked()
        } else {
            let nothing_known = EngineStates::new();
            let mut needs = Vec::new();
            for engines in [self.question.engines.as_ref(), &nothing_known] {
                if let Outcome::Needs(more) = decide(policy, self.question.protocol, &self.signals, engines) {
                    needs.extend(more);
                }
            }
            needs
        };
        needs.sort();
        needs.dedup();
        (!needs.is_empty()).then_some(needs)
    }

    /// Finds out the cheap half of what is missing, or else the rest. Whatever was asked for is answered afterwards, if
    /// only with "unknown": the loop ends.
    async fn find_out(&mut self, needs: &[Signal]) {
        let is_bytes = |signal: &Signal| *signal == Signal::EstimatedBytes;
        if needs.iter().all(is_bytes) {
            self.find_bytes().await;
            return;
        }
        self.parse().await;
        let wants = |signal: Signal| needs.contains(&signal);
        self.take_over_shape();
        if wants(Signal::OutputColumns) && self.signals.facts.output_columns.is_unasked() {
            self.find_star_columns().await;
        }
        for signal in needs.iter().filter(|signal| !is_bytes(signal)) {
            self.signals.facts.close_one(signal, "not answered");
        }
    }

    async fn parse(&mut self) {
        if self.parsed.is_some() {
            return;
        }
        let request = Arc::clone(&self.request);
        let rules = lexical_rules(self.question.protocol);
        // The parser needs a deep stack and may take a while; a panic in it must not be ours.
        let task = tokio::task::spawn_blocking(move || {
            parse(&ParseInput {
                text: &request.sql,
                rules: &rules,
                prepared: &borrowed(&request.prepared),
                now: clock(&request),
            })
        });
        self.parsed = Some(match task.await {
            Ok(Ok(parsed)) => Ok(parsed),
            Ok(Err(declined)) => Err(declined.to_string()),
            Err(error) => Err(brief(&error)),
        });
    }

    /// Everything that the syntax tree says is taken over at once: it costs nothing more.
    fn take_over_shape(&mut self) {
        let covered = match &self.parsed {
            Some(Ok(parsed)) => Some(
                parsed
                    .aggregate
                    .as_ref()
                    .is_some_and(|shape| self.estimator.covered(self.question, shape)),
            ),
            _ => None,
        };
        let facts = &mut self.signals.facts;
        match &self.parsed {
            None => {}
            Some(Ok(parsed)) => {
                if let Some(covered) = covered {
                    facts.reflection_covers_query.or(Fact::Known(covered));
                }
                facts
                    .has_window_over_large_partition
                    .or(Fact::Known(parsed.has_window_over_large_partition));
                facts.limit_bounds_scan.or(Fact::Known(parsed.limit_bounds_scan));
                facts.has_udf.or(match parsed.has_udf {
                    Some(has_udf) => Fact::Known(has_udf),
                    None => Fact::Unknown("the engine's functions are not listed".into()),
                });
                if let Some(columns) = parsed.output_columns {
                    facts.output_columns.or(Fact::Known(columns));
                }
            }
            Some(Err(declined)) => {
                facts.reflection_covers_query.close(declined);
                facts.has_window_over_large_partition.close(declined);
                facts.limit_bounds_scan.close(declined);
                facts.has_udf.close(declined);
                facts.output_columns.close(declined);
            }
        }
        facts.close_expensive_ops(&self.scan);
    }

    async fn find_star_columns(&mut self) {
        let Some(Ok(parsed)) = &self.parsed else {
            return;
        };
        let columns = self
            .estimator
            .star_columns(self.question, &self.scan, parsed, self.deadline)
            .await;
        self.signals.facts.output_columns = match columns {
            Ok(columns) => Fact::Known(columns),
            Err(unknown) => {
                self.passing = unknown.cause != Cause::StarOverPart;
                Fact::Unknown(unknown.to_string())
            }
        };
    }

    async fn find_bytes(&mut self) {
        self.parse().await;
        self.take_over_shape();
        let parsed = self.parsed.as_ref().and_then(|parsed| parsed.as_ref().ok());
        let estimate = self
            .estimator
            .estimate(self.question, &self.scan, parsed, self.deadline)
            .await;
        self.signals.facts.estimated_bytes = match estimate.total() {
            Ok(bytes) => Fact::Known(bytes),
            Err(unknown) => Fact::Unknown(unknown.to_string()),
        };
        self.estimate = Some(estimate);
    }

    fn finish(mut self) -> Answer {
        let estimate_known = self.estimate.as_ref().is_some_and(|estimate| estimate.total().is_ok());
        // The same text prunes differently tomorrow if it reads the clock.
        let cacheable = estimate_known && !self.passing && !self.scan.non_deterministic_time;
        if self.question.eager && self.estimate.is_none() {
            // The text alone decided: it reads no table, or it was not understood.
            self.estimate = Some(match self.signals.facts.estimated_bytes {
                Fact::Known(_) => StatementEstimate::sum(Vec::new()),
                _ => StatementEstimate::unknown(Cause::NotUnderstood.into()),
            });
        }
        Answer {
            declined: self.parsed.and_then(Result::err),
            scan: self.scan,
            signals: self.signals,
            estimate: self.estimate,
            cacheable,
        }
    }
}
