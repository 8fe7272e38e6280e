//! What is sent, the way it must take through Lakegate, and the proof that it did.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::envoy::Envoy;
use crate::http::{Answer, Request, ask};
use crate::load::NUMBER;
use crate::stub::{LARGE_PAGES, PAGE_BYTES};

/// Which Envoy plays against the bare one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Player {
    /// A second bare one: what differs then is noise.
    Bare,
    /// Lakegate.
    Ours,
    /// Lakegate without its access log.
    OursWithoutLog,
}

/// The way a request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Straight through: no filter, or none that acts.
    Through,
    /// Decided by the filter alone.
    Alone,
    /// Decided by an estimate that the filter has kept.
    Kept,
    /// Decided after asking the service.
    Asked,
}

/// One comparison.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Its name in keys and in the table.
    pub(crate) name: &'static str,
    /// Who plays against bare.
    pub(crate) player: Player,
    /// What both are sent.
    pub(crate) request: Request,
    way: Way,
    verdict: (&'static str, &'static str),
}

/// Some 300 bytes: a join with a count, small by its dates. `fixed` is one statement, else each is another one.
pub(crate) fn statement(fixed: bool) -> String {
    let customer = if fixed {
        "C-4471".to_owned()
    } else {
        format!("C-1{NUMBER}")
    };
    format!(
        "SELECT t.ticket_id, t.status, e.action, COUNT(*) AS events, MAX(e.event_time) AS latest \
         FROM support.tickets t JOIN support.ticket_events e ON t.ticket_id = e.ticket_id \
         WHERE e.event_time >= TIMESTAMP '2026-07-15 00:00:00' AND e.customer_id = '{customer}' \
         GROUP BY t.ticket_id, t.status, e.action"
    )
}

/// A submission with the headers of a common driver.
fn submission(statement: String, tag: &'static str) -> Request {
    Request::post("/v1/statement", statement).headers(&[
        ("user-agent", "trino-python-client/0.340.0"),
        ("content-type", "text/plain; charset=utf-8"),
        ("accept", "*/*"),
        ("x-trino-user", "ann"),
        ("x-trino-source", "bench"),
        ("x-trino-catalog", "lake"),
        ("x-trino-schema", "support"),
        ("x-trino-client-tags", tag),
    ])
}

fn page(path: &str) -> Request {
    Request::get(&format!(
        "/_at/batch{path}/20261130_101112_00042_bench/y0d7620a6941e78d3950/1"
    ))
    .headers(&[
        ("user-agent", "trino-python-client/0.340.0"),
        ("accept", "*/*"),
        ("x-trino-user", "ann"),
    ])
}

/// Every comparison, in the order in which they run.
pub(crate) fn all() -> Vec<Case> {
    let by_tag = || submission(statement(true), "batch");
    let case = |name, player, request, way, verdict| Case {
        name,
        player,
        request,
        way,
        verdict,
    };
    let tag = ("batch", "batch_tag");
    let small = ("interactive", "interactive_small");
    let none = ("", "");
    vec![
        case("bare_bare", Player::Bare, by_tag(), Way::Through, none),
        case("submit_no_callout", Player::Ours, by_tag(), Way::Alone, tag),
        case(
            "submit_no_callout_no_access_log",
            Player::OursWithoutLog,
            by_tag(),
            Way::Alone,
            tag,
        ),
        case(
            "submit_cached",
            Player::Ours,
            submission(statement(true), "interactive"),
            Way::Kept,
            small,
        ),
        case(
            "submit_callout",
            Player::Ours,
            submission(statement(false), "interactive"),
            Way::Asked,
            small,
        ),
        case(
            "follow_up",
            Player::Ours,
            page("/v1/statement/executing"),
            Way::Through,
            none,
        ),
        case("result_page", Player::Ours, page(LARGE_PAGES), Way::Through, none),
    ]
}

/// How long the first right answer may take: the service reads a table for the first time, the filter learns of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// This share of the requests must have taken the way that the case is about.
const ENOUGH: f64 = 0.99;

impl Case {
    /// Asks until the answer is the expected one, or says what is wrong with it.
    pub(crate) fn check(&self, envoy: &Envoy) -> Result<(), String> {
        let start = Instant::now();
        for attempt in 1.. {
            let answer = ask(&envoy.address, &self.request.numbered(attempt))?;
            match self.complaint(&answer) {
                None => break,
                Some(complaint) if PATIENCE < start.elapsed() => {
                    return Err(format!("{}: the answer is not as expected: {complaint}", self.name));
                }
                Some(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
        Ok(())
    }

    fn complaint(&self, answer: &Answer) -> Option<String> {
        if answer.status != 200 {
            return Some(format!(
                "status {}: {:.200}",
                answer.status,
                String::from_utf8_lossy(&answer.body)
            ));
        }
        if self.name == "result_page" && answer.body.len() != PAGE_BYTES {
            return Some(format!("{} bytes instead of {PAGE_BYTES}", answer.body.len()));
        }
        let (engine, rule) = self.verdict;
        let expected = match self.way {
            Way::Through => [("engine", None), ("rule", None), ("estimate-source", None)],
            Way::Alone => [
                ("engine", Some(engine)),
                ("rule", Some(rule)),
                ("estimate-source", Some("none")),
            ],
            Way::Kept => [
                ("engine", Some(engine)),
                ("rule", Some(rule)),
                ("estimate-source", Some("cache")),
            ],
            Way::Asked => [
                ("engine", Some(engine)),
                ("rule", Some(rule)),
                ("estimate-source", Some("iceberg")),
            ],
        };
        expected.into_iter().find_map(|(name, value)| {
            let name = format!("x-lakegate-{name}");
            let found = answer.header(&name);
            (found != value).then(|| format!("{name} is {found:?} instead of {value:?}"))
        })
    }

    /// What the filter's counters say of so many requests, if that is not the way the case is about.
    pub(crate) fn check_counters(&self, counted: &Counted, requests: u64) -> Result<(), String> {
        let share = |count: u64| count as f64 / requests as f64;
        let Counted {
            kept,
            asked,
            unanswered,
        } = *counted;
        let right = match self.way {
            Way::Through => kept + asked + unanswered == 0,
            Way::Alone => kept + asked + unanswered == 0,
            Way::Kept => ENOUGH <= share(kept),
            Way::Asked => ENOUGH <= share(asked) && share(kept) <= 1.0 - ENOUGH,
        };
        if right {
            return Ok(());
        }
        Err(format!(
            "{}: of {requests} requests {kept} were decided by a kept estimate, for {asked} the service was asked, \
             for {unanswered} it did not answer in time",
            self.name
        ))
    }

    /// True if the service takes part.
    pub(crate) fn asks(&self) -> bool {
        self.way == Way::Asked
    }
}

/// What the filter counts of ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Estimates that it had kept.
    pub(crate) kept: u64,
    /// Questions that the service answered.
    pub(crate) asked: u64,
    /// Questions that it did not.
    pub(crate) unanswered: u64,
}

impl Counted {
    /// What an Envoy has counted so far; nothing on a bare one.
    pub(crate) fn of(envoy: &Envoy) -> Result<Self, String> {
        let counters: BTreeMap<String, u64> = envoy.counters("wasmcustom.lakegate")?;
        let counter = |name: &str| {
            counters
                .get(&format!("wasmcustom.lakegate.{name}"))
                .copied()
                .unwrap_or(0)
        };
        Ok(Self {
            kept: counter("cache.hit"),
            asked: counter("callout.ok"),
            unanswered: counter("callout.failed"),
        })
    }

    /// What came since.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            kept: self.kept.saturating_sub(earlier.kept),
            asked: self.asked.saturating_sub(earlier.asked),
            unanswered: self.unanswered.saturating_sub(earlier.unanswered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_some_300_bytes_and_differ_where_they_should() {
        for fixed in [true, false] {
            let length = statement(fixed).len();
            assert!((280..=320).contains(&length), "{length}");
            assert_eq!(statement(fixed).contains(NUMBER), !fixed);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = all().into_iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn a_request_that_took_another_way_is_noticed() {
        let case = |name| all().into_iter().find(|case| case.name == name).unwrap();
        let counted = Counted {
            kept: 995,
            asked: 5,
            unanswered: 0,
        };
        assert!(case("submit_cached").check_counters(&counted, 1000).is_ok());
        assert!(case("submit_callout").check_counters(&counted, 1000).is_err());
        assert!(case("submit_no_callout").check_counters(&counted, 1000).is_err());
    }
}
