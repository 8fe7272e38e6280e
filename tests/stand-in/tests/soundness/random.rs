//! Choices, on the stand-in's generator.

use lakegate_stand_in::random::Stream;

/// A stream of choices; the same seed gives the same test.
pub(crate) struct Random(Stream);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Stream::seeded(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.below(bound as u64)).unwrap()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.0.below((high - low + 1).unsigned_abs())).unwrap()
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub(crate) fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}
