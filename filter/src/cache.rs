//! Estimates that this worker has been told, so that the same statement needs no second callout.
//!
//! An entry holds as long as the snapshots that it rests on are the current ones; the service's state, polled once a
//! second, says which those are. A table that the state does not list, or a state that is stale, makes no entry valid.
//!
//! The memory is bounded and the work is constant: a fixed table of sets with [`WAYS`] places each; a new entry takes
//! the place of the one in its set that was used longest ago. Keys are hashes already, and a client who finds keys of
//! one set crowds out that set and nothing else.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use lakegate_core::policy::Policy;
use lakegate_core::protocol::trino::Submission;
use lakegate_core::signals::{Fact, Facts};
use lakegate_core::sql::scan::Scan;
use lakegate_core::wire::FactsResponse;

/// Places in a set: enough that two busy statements of one set do not push each other out.
const WAYS: usize = 4;

/// More entries than this are no configuration but a typing error: each takes some 200 bytes in each worker.
pub(crate) const MOST_ENTRIES: usize = 1 << 20;

/// The longest answer that is kept, in bytes: a few dozen tables. Bounds an entry's size.
const LONGEST_ANSWER: usize = 8 * 1024;

/// What identifies an estimate: all that it depends on, the snapshots left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u128);

impl Key {
    /// The key, or none for a statement whose estimate is not to be kept: one that reads the clock prunes differently
    /// tomorrow.
    pub(crate) fn of(scan: &Scan, submission: &Submission, policy: &Policy) -> Option<Self> {
        if scan.non_deterministic_time {
            return None;
        }
        let half = |which: u8| {
            let mut hasher = DefaultHasher::new();
            which.hash(&mut hasher);
            scan.scan_key.hash(&mut hasher);
            submission.catalog.hash(&mut hasher);
            submission.schema.hash(&mut hasher);
            // A timestamp without a zone is read in the client's.
            submission.time_zone.hash(&mut hasher);
            submission.prepared.hash(&mut hasher);
            policy.version.hash(&mut hasher);
            u128::from(hasher.finish())
        };
        Some(Self(half(0) << 64 | half(1)))
    }
}

/// The estimates of one worker.
pub(crate) struct EstimateCache {
    /// Sets one after the other, the entry used last at each set's front.
    places: Vec<Option<Box<Entry>>>,
    ways: usize,
}

struct Entry {
    key: Key,
    facts: Facts,
    snapshots: BTreeMap<String, String>,
}

impl EstimateCache {
    /// A cache of at most that many entries; 0 keeps none.
    pub(crate) fn with_entries(entries: usize) -> Self {
        let ways = entries.min(WAYS);
        let sets = entries.checked_div(ways).unwrap_or(0);
        let mut places = Vec::new();
        places.resize_with(sets * ways, || None);
        Self { places, ways }
    }

    /// The facts kept under that key, if the snapshots have not moved.
    pub(crate) fn get(&mut self, key: Key, current: &BTreeMap<String, String>) -> Option<Facts> {
        let set = self.set(key)?;
        let found = set
            .iter()
            .position(|place| place.as_ref().is_some_and(|entry| entry.key == key))?;
        // Empty places stay behind the full ones, so this front part is full.
        set.get_mut(..=found)?.rotate_right(1);
        let entry = set.first()?.as_ref()?;
        let holds = entry
            .snapshots
            .iter()
            .all(|(table, snapshot)| current.get(table) == Some(snapshot));
        holds.then(|| entry.facts.clone())
    }

    /// Keeps an answer of that many bytes, if the service says that it may be kept.
    pub(crate) fn put(&mut self, key: Key, answer: FactsResponse, bytes: usize) {
        if !answer.cacheable || answer.snapshots.is_empty() || LONGEST_ANSWER < bytes {
            return;
        }
        let mut facts = answer.facts;
        // What a session has left is not a property of the statement and changes with each one.
        facts.session_bytes_remaining = Fact::Unasked;
        let entry = Box::new(Entry {
            key,
            facts,
            snapshots: answer.snapshots,
        });
        let Some(set) = self.set(key) else {
            return;
        };
        let place = set
            .iter()
            .position(|place| place.as_ref().is_none_or(|entry| entry.key == key))
            .unwrap_or(set.len().saturating_sub(1));
        if let Some(front) = set.get_mut(..=place) {
            front.rotate_right(1);
        }
        if let Some(first) = set.first_mut() {
            *first = Some(entry);
        }
    }

    fn set(&mut self, key: Key) -> Option<&mut [Option<Box<Entry>>]> {
        let sets = u128::try_from(self.places.len().checked_div(self.ways)?).ok()?;
        let index = usize::try_from(key.0.checked_rem(sets)?).ok()?;
        self.places.chunks_exact_mut(self.ways).nth(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshots(snapshot: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("lake.web.events".to_owned(), snapshot.to_owned())])
    }

    fn answer(bytes: u64) -> FactsResponse {
        FactsResponse {
            facts: Facts {
                estimated_bytes: Fact::Known(bytes),
                session_bytes_remaining: Fact::Known(7),
                ..Facts::default()
            },
            snapshots: snapshots("1"),
            cacheable: true,
            ..FactsResponse::default()
        }
    }

    fn kept(cache: &mut EstimateCache, key: u128) -> Option<u64> {
        let facts = cache.get(Key(key), &snapshots("1"))?;
        facts.estimated_bytes.known().copied()
    }

    #[test]
    fn an_entry_holds_while_its_snapshots_are_the_current_ones() {
        let mut cache = EstimateCache::with_entries(8);
        cache.put(Key(1), answer(10), 100);
        assert_eq!(kept(&mut cache, 1), Some(10));
        assert!(cache.get(Key(1), &snapshots("2")).is_none());
        assert!(cache.get(Key(1), &BTreeMap::new()).is_none());
        assert_eq!(kept(&mut cache, 1), Some(10));
    }

    #[test]
    fn what_a_session_has_left_is_not_kept() {
        let mut cache = EstimateCache::with_entries(8);
        cache.put(Key(1), answer(10), 100);
        let facts = cache.get(Key(1), &snapshots("1")).unwrap();
        assert_eq!(facts.session_bytes_remaining, Fact::Unasked);
    }

    #[test]
    fn an_answer_that_must_not_be_kept_is_not() {
        let mut cache = EstimateCache::with_entries(8);
        cache.put(
            Key(1),
            FactsResponse {
                cacheable: false,
                ..answer(10)
            },
            100,
        );
        cache.put(
            Key(2),
            FactsResponse {
                snapshots: BTreeMap::new(),
                ..answer(10)
            },
            100,
        );
        cache.put(Key(3), answer(10), LONGEST_ANSWER + 1);
        assert_eq!([1, 2, 3].map(|key| kept(&mut cache, key)), [None; 3]);
    }

    #[test]
    fn a_full_set_gives_up_the_entry_used_longest_ago() {
        let mut cache = EstimateCache::with_entries(WAYS);
        for key in 0..4 {
            cache.put(Key(key), answer(10), 100);
        }
        assert_eq!(kept(&mut cache, 0), Some(10));
        cache.put(Key(4), answer(10), 100);
        assert_eq!(kept(&mut cache, 1), None);
        assert_eq!([0, 2, 3, 4].map(|key| kept(&mut cache, key)), [Some(10); 4]);
    }

    #[test]
    fn a_newer_answer_takes_the_place_of_the_older() {
        let mut cache = EstimateCache::with_entries(WAYS);
        for bytes in 0..100 {
            cache.put(Key(1), answer(bytes), 100);
            cache.put(Key(2), answer(bytes), 100);
        }
        assert_eq!(kept(&mut cache, 1), Some(99));
        assert_eq!(cache.places.iter().flatten().count(), 2);
    }

    #[test]
    fn no_size_keeps_more_entries_than_it_says() {
        for entries in [0, 1, 2, 3, 5, 64] {
            let mut cache = EstimateCache::with_entries(entries);
            for key in 0..1000 {
                cache.put(Key(key), answer(10), 100);
            }
            assert!(cache.places.iter().flatten().count() <= entries, "{entries}");
        }
    }
}
