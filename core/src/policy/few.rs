//! A map of a handful of entries.
//!
//! A list that is searched from its front is as fast at that size, and every type of balanced tree is 6 KB of the
//! filter's module. Not here: anything that may grow with a request.

/// A map of a handful of entries, in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Few<K, V>(Vec<(K, V)>);

impl<K: PartialEq, V> Few<K, V> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets the value under a key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((key, value)),
        }
    }

    /// The value under that key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Whether there is that key.
    #[must_use]
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: PartialEq, V> Default for Few<K, V> {
    fn default() -> Self {
        Self::new()
    }
}
