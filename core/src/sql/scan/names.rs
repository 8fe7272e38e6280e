//! Names in scope: a set in which a name may be more than once.

use std::collections::BTreeMap;

/// Names and how often each is in scope. A tree, as a text may hold tens of thousands.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, u32>);

impl Names {
    /// One more of that name.
    pub(super) fn enter(&mut self, name: String) {
        let count = self.0.entry(name).or_insert(0);
        *count = count.saturating_add(1);
    }

    /// One less.
    pub(super) fn leave(&mut self, name: &str) {
        if let Some(count) = self.0.get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|&count| count > 0)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
