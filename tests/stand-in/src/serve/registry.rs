//! The queries that this engine knows, its open transactions, and who it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::failure::Failure;
use super::lock;
use super::query::{Query, State};

/// Queries that are over are forgotten after this time, as in Trino ..
const KEEP_FOR: Duration = Duration::from_secs(15 * 60);
/// .. or when there are more than this.
const KEEP_AT_MOST: usize = 1_000;
/// Open transactions, beyond which the oldest ids are forgotten: clients may never end theirs.
const TRANSACTIONS_AT_MOST: usize = 10_000;

/// Who this engine is.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The name it was started with.
    pub(crate) name: String,
    /// Where it listens.
    pub(crate) uri: String,
    /// The Trino version that it claims to be.
    pub(crate) version: String,
    /// The last part of its query ids.
    pub(crate) coordinator_id: String,
}

/// See the module.
pub(crate) struct Registry {
    node: Node,
    queries: Mutex<BTreeMap<String, Arc<Query>>>,
    transactions: Mutex<BTreeSet<(u64, String)>>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("node", &self.node).finish()
    }
}

impl Registry {
    /// An empty one.
    pub(crate) const fn new(node: Node) -> Self {
        Self {
            node,
            queries: Mutex::new(BTreeMap::new()),
            transactions: Mutex::new(BTreeSet::new()),
        }
    }

    /// Who this engine is.
    pub(crate) const fn node(&self) -> &Node {
        &self.node
    }

    /// Adds a query.
    pub(crate) fn add(&self, query: Arc<Query>) {
        lock(&self.queries).insert(query.id.clone(), query);
    }

    /// A query by its id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Query>> {
        lock(&self.queries).get(id).map(Arc::clone)
    }

    /// Every query, oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Query>> {
        lock(&self.queries).values().map(Arc::clone).collect()
    }

    /// Numbers of queries that wait and that run.
    pub(crate) fn load(&self) -> (usize, usize) {
        let queries = self.all();
        let waiting = queries.iter().filter(|query| query.is_waiting()).count();
        let running = queries
            .iter()
            .filter(|query| query.progress().state == State::Running)
            .count();
        (waiting, running)
    }

    /// Ends queries that no client asks for any more, and forgets those that are long over.
    pub(crate) fn tidy(&self, client_timeout: Duration) {
        let queries = self.all();
        for query in &queries {
            if query.over_for().is_none() && query.unasked_for() > client_timeout {
                query.kill(Failure::abandoned(&format!(
                    "Query {} was abandoned by the client, as it may have exited or stopped checking for \
                     query results",
                    query.id
                )));
            }
        }
        let over: Vec<_> = queries
            .iter()
            .filter_map(|query| Some((query, query.over_for()?)))
            .collect();
        let too_many = over.len().saturating_sub(KEEP_AT_MOST);
        let mut known = lock(&self.queries);
        for (at, (query, over_for)) in over.into_iter().enumerate() {
            if at < too_many || over_for > KEEP_FOR {
                known.remove(&query.id);
            }
        }
    }

    /// Opens a transaction.
    pub(crate) fn begin_transaction(&self) -> String {
        let id = crate::random::uuid();
        let mut open = lock(&self.transactions);
        let number = open.last().map_or(0, |(number, _)| number + 1);
        open.insert((number, id.clone()));
        if open.len() > TRANSACTIONS_AT_MOST {
            open.pop_first();
        }
        id
    }

    /// Whether a transaction is open here.
    pub(crate) fn has_transaction(&self, id: &str) -> bool {
        lock(&self.transactions).iter().any(|(_, open)| open == id)
    }

    /// Closes a transaction.
    pub(crate) fn end_transaction(&self, id: &str) {
        lock(&self.transactions).retain(|(_, open)| open != id);
    }
}
