//! Query ids and slugs of Trino's form.

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::civil::date_from_days;
use crate::random::Stream;

/// The letters of a coordinator's id: no `l`, `o`, `0` or `1`, which people confuse.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The index starts over here, as in Trino.
const INDEX_LIMIT: u32 = 100_000;

/// Makes query ids: `yyyyMMdd_HHmmss_NNNNN_ccccc`, in UTC, with the coordinator's five letters at the end.
#[derive(Debug)]
pub(crate) struct QueryIds {
    coordinator: String,
    next: Mutex<u32>,
}

impl QueryIds {
    /// With letters that this process has drawn.
    pub(crate) fn new() -> Self {
        let mut stream = Stream::from_system();
        let letter = |_| {
            let index = stream.below(ALPHABET.len() as u64) as usize;
            ALPHABET.get(index).copied().map_or('a', char::from)
        };
        Self {
            coordinator: (0..5).map(letter).collect(),
            next: Mutex::new(0),
        }
    }

    /// The five letters.
    pub(crate) fn coordinator(&self) -> &str {
        &self.coordinator
    }

    /// The next id.
    pub(crate) fn next(&self) -> String {
        let index = {
            let mut next = crate::serve::lock(&self.next);
            let index = *next;
            *next = (index + 1) % INDEX_LIMIT;
            index
        };
        let (date, time) = utc(SystemTime::now());
        format!(
            "{}_{}_{index:05}_{}",
            date.replace('-', ""),
            time.replace(':', ""),
            self.coordinator
        )
    }
}

/// `yyyy-mm-dd` and `hh:mm:ss` of a moment, in UTC.
pub(crate) fn utc(moment: SystemTime) -> (String, String) {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date_from_days((seconds / 86_400).cast_signed());
    let of_day = seconds % 86_400;
    (
        format!("{year:04}-{month:02}-{day:02}"),
        format!("{:02}:{:02}:{:02}", of_day / 3_600, of_day / 60 % 60, of_day % 60),
    )
}

/// A query's secret, from which the slug of each of its pages follows.
#[derive(Debug, Default)]
pub(crate) struct SlugKey([RandomState; 3]);

impl SlugKey {
    /// The slug of one page: `y` and forty hexadecimal digits, different for each context and token.
    pub(crate) fn slug(&self, context: &str, token: u64) -> String {
        let [a, b, c] = self.0.each_ref().map(|key| key.hash_one((context, token)));
        let c = c & 0xffff_ffff;
        format!("y{a:016x}{b:016x}{c:08x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_trinos_form_and_count_up() {
        let ids = QueryIds::new();
        let (first, second) = (ids.next(), ids.next());
        let parts: Vec<&str> = first.split('_').collect();
        let lengths: Vec<usize> = parts.iter().map(|p| p.len()).collect();
        assert_eq!(lengths, [8, 6, 5, 5]);
        assert_eq!(parts[3], ids.coordinator());
        assert!(second.contains("_00001_"));
        assert!(ids.coordinator().chars().all(|c| !"lo01".contains(c)));
    }

    #[test]
    fn slugs_depend_on_query_context_and_token() {
        let key = SlugKey::default();
        let slug = key.slug("queued", 1);
        assert_eq!(slug.len(), 41);
        assert_eq!(slug, key.slug("queued", 1));
        assert_ne!(slug, key.slug("queued", 2));
        assert_ne!(slug, key.slug("executing", 1));
        assert_ne!(slug, SlugKey::default().slug("queued", 1));
    }
}
