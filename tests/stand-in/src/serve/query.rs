//! One query from its submission to its last page.
//!
//! A producer (see `run`) puts pages into a short channel and waits while it is full, so that a client that reads
//! slowly slows its query down. Readers hold an asynchronous lock: of two polls at once the second gets the same
//! page as the first, or the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Mutex as AsyncMutex, mpsc, watch};
use tokio::task::AbortHandle;

use super::failure::Failure;
use super::ids::SlugKey;
use super::lock;
use super::session::Session;
use super::types::TrinoType;
use super::values::Row;

/// A poll waits this long for something to tell, as Trino's does.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Pages that are ready before anyone asks for them.
const PAGES_AHEAD: usize = 2;

/// A query.
pub(crate) struct Query {
    /// Its id.
    pub(crate) id: String,
    /// The statement as sent.
    pub(crate) sql: String,
    /// The session as sent.
    pub(crate) session: Session,
    /// When it was submitted.
    pub(crate) created: SystemTime,
    slugs: SlugKey,
    clock: Instant,
    parked: Mutex<Option<Producer>>,
    submitted: AtomicBool,
    progress: Mutex<Progress>,
    state: watch::Sender<State>,
    stop_early: watch::Sender<bool>,
    producer: Mutex<Option<AbortHandle>>,
    pages: AsyncMutex<Pages>,
}

/// Trino's states of a query, those that are of use here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Waits for its turn.
    Queued,
    /// Runs, or has pages that are not fetched.
    Running,
    /// Has come to its end.
    Finished,
    /// Has come to a bad one.
    Failed,
}

/// How far a query is.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// Its state.
    pub(crate) state: State,
    /// From submission to start.
    pub(crate) queued: Duration,
    /// From submission to now, or to the end.
    pub(crate) elapsed: Duration,
    /// Why it failed.
    pub(crate) failure: Option<Failure>,
    /// The columns, once known.
    pub(crate) columns: Option<Vec<(String, TrinoType)>>,
    /// What kind of statement it was, if not one with rows.
    pub(crate) update_type: Option<&'static str>,
    /// Response headers that change the client's session.
    pub(crate) session_changes: Vec<(&'static str, String)>,
    /// Rows produced.
    pub(crate) rows: u64,
    /// Bytes of the files that its scans read.
    pub(crate) scanned_bytes: u64,
    started: Option<Instant>,
    ended: Option<Instant>,
    last_poll: Instant,
}

/// Which of the two series of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    /// Before the start.
    Queued,
    /// After it.
    Executing,
}

impl Series {
    /// As it is written in addresses.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Executing => "executing",
        }
    }
}

struct Pages {
    ready: mpsc::Receiver<Vec<Row>>,
    /// The last token that was asked for in each series.
    queued_token: u64,
    last: Option<(u64, Page)>,
}

/// The rows of an executing page.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// May be none at all.
    pub(crate) rows: Vec<Row>,
    /// Nothing follows.
    pub(crate) last: bool,
}

/// Why there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPage {
    /// The token's page was given, and the one after it too.
    Gone,
    /// The token is ahead of what was given.
    NotFound,
}

/// The producer's end of a query.
pub(crate) struct Producer {
    pages: mpsc::Sender<Vec<Row>>,
    stop_early: watch::Receiver<bool>,
}

impl State {
    /// Trino's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Finished => "FINISHED",
            Self::Failed => "FAILED",
        }
    }

    const fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Failed)
    }
}

impl Progress {
    /// Whether its turn has come, whatever became of it.
    pub(crate) const fn has_started(&self) -> bool {
        self.started.is_some()
    }
}

impl Query {
    /// A new query, and the end to produce its pages with.
    pub(crate) fn new(id: String, sql: String, session: Session) -> (Self, Producer) {
        let (sender, ready) = mpsc::channel(PAGES_AHEAD);
        let stop_early = watch::Sender::new(false);
        let producer = Producer {
            pages: sender,
            stop_early: stop_early.subscribe(),
        };
        let now = Instant::now();
        let query = Self {
            id,
            sql,
            session,
            created: SystemTime::now(),
            slugs: SlugKey::default(),
            clock: now,
            parked: Mutex::new(None),
            submitted: AtomicBool::new(false),
            progress: Mutex::new(Progress {
                state: State::Queued,
                queued: Duration::ZERO,
                elapsed: Duration::ZERO,
                failure: None,
                columns: None,
                update_type: None,
                session_changes: Vec::new(),
                rows: 0,
                scanned_bytes: 0,
                started: None,
                ended: None,
                last_poll: now,
            }),
            state: watch::Sender::new(State::Queued),
            stop_early,
            producer: Mutex::new(None),
            pages: AsyncMutex::new(Pages {
                ready,
                queued_token: 0,
                last: None,
            }),
        };
        (query, producer)
    }

    /// The path of a page, below `/v1/statement/`.
    pub(crate) fn path(&self, series: Series, token: u64) -> String {
        let slug = self.slugs.slug(series.name(), token);
        format!("{}/{}/{slug}/{token}", series.name(), self.id)
    }

    /// The path to cancel a stage at this page, below `/v1/statement/`.
    pub(crate) fn partial_cancel_path(&self, stage: u64, token: u64) -> String {
        let slug = self.slugs.slug(Series::Executing.name(), token);
        format!("executing/partialCancel/{}/{stage}/{slug}/{token}", self.id)
    }

    /// Whether a slug is the one of this page.
    pub(crate) fn knows(&self, series: Series, token: u64, slug: &str) -> bool {
        self.slugs.slug(series.name(), token) == slug
    }

    /// Keeps the producer's end until the first poll: a submission alone starts nothing.
    pub(crate) fn park(&self, producer: Producer) {
        *lock(&self.parked) = Some(producer);
    }

    /// The producer's end, for the first poll and no other. From then on the query waits in the queue.
    pub(crate) fn unpark(&self) -> Option<Producer> {
        let producer = lock(&self.parked).take()?;
        self.submitted.store(true, Ordering::Release);
        // A query that was cancelled before it began must not begin.
        (!self.progress().state.is_final()).then_some(producer)
    }

    /// Whether it waits in the queue, as opposed to one that was submitted and never asked for.
    pub(crate) fn is_waiting(&self) -> bool {
        self.submitted.load(Ordering::Acquire) && self.progress().state == State::Queued
    }

    /// A view of how far it is.
    pub(crate) fn progress(&self) -> Progress {
        let mut view = lock(&self.progress).clone();
        let since_submission = |moment: Option<Instant>| {
            let moment = moment.unwrap_or_else(Instant::now);
            moment.saturating_duration_since(self.clock)
        };
        view.elapsed = since_submission(view.ended);
        view.queued = since_submission(view.started.or(view.ended));
        view
    }

    /// Notes a sign of life from the client.
    pub(crate) fn touch(&self) {
        self.note(|progress| progress.last_poll = Instant::now());
    }

    /// How long nobody has asked for a page.
    pub(crate) fn unasked_for(&self) -> Duration {
        lock(&self.progress).last_poll.elapsed()
    }

    /// How long it has been over, if it is.
    pub(crate) fn over_for(&self) -> Option<Duration> {
        lock(&self.progress).ended.map(|ended| ended.elapsed())
    }

    /// Notes who must be stopped when the query is cancelled.
    pub(crate) fn set_producer(&self, handle: AbortHandle) {
        let over = lock(&self.progress).state.is_final();
        if over {
            handle.abort();
        } else {
            *lock(&self.producer) = Some(handle);
        }
    }

    /// Its turn has come.
    pub(crate) fn begin(&self) {
        self.change(State::Running, |progress| {
            progress.started = Some(Instant::now());
        });
    }

    /// It has come to its end, good or bad. Only the first end counts.
    pub(crate) fn end(&self, outcome: Result<(), Failure>) {
        let state = match outcome {
            Ok(()) => State::Finished,
            Err(_) => State::Failed,
        };
        self.change(state, |progress| {
            progress.ended = Some(Instant::now());
            progress.failure = outcome.err();
        });
    }

    /// Ends it from outside and stops the work.
    pub(crate) fn kill(&self, failure: Failure) {
        self.end(Err(failure));
        if let Some(producer) = lock(&self.producer).take() {
            producer.abort();
        }
    }

    /// Lets it finish with the rows that it has.
    pub(crate) fn finish_early(&self) {
        self.stop_early.send_replace(true);
    }

    /// Notes something about a running query.
    pub(crate) fn note(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut lock(&self.progress));
    }

    fn change(&self, state: State, change: impl FnOnce(&mut Progress)) {
        let mut progress = lock(&self.progress);
        if progress.state.is_final() {
            return;
        }
        progress.state = state;
        change(&mut progress);
        drop(progress);
        self.state.send_replace(state);
    }

    /// Answers a poll before the start: waits a while for the start, unless the token is an old one.
    pub(crate) async fn poll_queued(&self, token: u64) -> Result<State, NoPage> {
        self.touch();
        {
            let mut pages = self.pages.lock().await;
            if token != pages.queued_token && token != pages.queued_token + 1 {
                return Err(NoPage::Gone);
            }
            pages.queued_token = token;
        }
        let mut state = self.state.subscribe();
        let started = state.wait_for(|state| *state > State::Queued);
        // Not started in time is an answer too.
        drop(tokio::time::timeout(LONGEST_WAIT, started).await);
        let state = *self.state.borrow();
        Ok(state)
    }

    /// Answers a poll after the start: the page of this token, which may be empty if nothing is ready in time.
    pub(crate) async fn poll_executing(&self, token: u64) -> Result<Page, NoPage> {
        self.touch();
        let mut pages = self.pages.lock().await;
        let next = match &pages.last {
            Some((last, page)) if *last == token => return Ok(page.clone()),
            Some((last, _)) if token < *last => return Err(NoPage::Gone),
            Some((_, page)) if page.last => return Err(NoPage::NotFound),
            Some((last, _)) => last + 1,
            None => 0,
        };
        if token != next {
            return Err(NoPage::NotFound);
        }
        let page = match tokio::time::timeout(LONGEST_WAIT, pages.ready.recv()).await {
            Ok(Some(rows)) => Page { rows, last: false },
            // The producer is gone. It may be so before the end is noted, but not for long.
            Ok(None) => {
                self.wait_for_end().await;
                Page {
                    rows: Vec::new(),
                    last: true,
                }
            }
            Err(_) => Page {
                rows: Vec::new(),
                last: false,
            },
        };
        // Whoever killed the query wants no more of its rows.
        let failed = self.progress().state == State::Failed;
        let page = if failed {
            Page {
                rows: Vec::new(),
                last: true,
            }
        } else {
            page
        };
        pages.last = Some((token, page.clone()));
        Ok(page)
    }

    async fn wait_for_end(&self) {
        let mut state = self.state.subscribe();
        let ended = state.wait_for(|state| state.is_final());
        if tokio::time::timeout(LONGEST_WAIT, ended).await.is_err() {
            self.end(Err(Failure::internal("the query broke off")));
        }
    }
}

impl Producer {
    /// Hands a page over. False if no more are wanted.
    pub(crate) async fn send(&mut self, rows: Vec<Row>) -> bool {
        tokio::select! {
            sent = self.pages.send(rows) => sent.is_ok(),
            () = wait_until_set(&mut self.stop_early) => false,
        }
    }

    /// Waits until no more pages are wanted; for ever if that does not happen.
    pub(crate) async fn stopped(&mut self) {
        wait_until_set(&mut self.stop_early).await;
    }
}

async fn wait_until_set(flag: &mut watch::Receiver<bool>) {
    if flag.wait_for(|set| *set).await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn query() -> (Query, Producer) {
        Query::new("q".to_owned(), "SELECT 1".to_owned(), Session::default())
    }

    #[tokio::test]
    async fn pages_come_in_order_and_the_last_one_again() {
        let (query, mut producer) = query();
        query.begin();
        assert!(producer.send(vec![vec![json!(1)]]).await);
        assert!(producer.send(vec![vec![json!(2)]]).await);
        query.end(Ok(()));
        drop(producer);

        assert_eq!(query.poll_executing(1).await.err(), Some(NoPage::NotFound));
        for token in [0, 0, 1] {
            let page = query.poll_executing(token).await.unwrap();
            assert_eq!(page.rows, [[json!(token + 1)]]);
            assert!(!page.last);
        }
        assert_eq!(query.poll_executing(0).await.err(), Some(NoPage::Gone));
        assert!(query.poll_executing(2).await.unwrap().last);
        assert_eq!(query.poll_executing(3).await.err(), Some(NoPage::NotFound));
    }

    #[tokio::test]
    async fn the_first_end_counts() {
        let (query, _producer) = query();
        query.kill(Failure::canceled("Query was canceled"));
        query.end(Ok(()));
        let progress = query.progress();
        assert_eq!(progress.state, State::Failed);
        assert_eq!(progress.failure.unwrap().name, "USER_CANCELED");
    }

    #[tokio::test]
    async fn a_killed_query_gives_no_more_rows() {
        let (query, mut producer) = query();
        query.begin();
        producer.send(vec![vec![json!(1)]]).await;
        query.kill(Failure::canceled("Query was canceled"));
        let page = query.poll_executing(0).await.unwrap();
        assert!(page.last && page.rows.is_empty());
    }

    #[tokio::test]
    async fn tokens_before_the_start_may_repeat_but_not_go_back() {
        let (query, _producer) = query();
        query.begin();
        assert_eq!(query.poll_queued(1).await, Ok(State::Running));
        assert_eq!(query.poll_queued(1).await, Ok(State::Running));
        assert_eq!(query.poll_queued(2).await, Ok(State::Running));
        assert_eq!(query.poll_queued(1).await, Err(NoPage::Gone));
    }
}
