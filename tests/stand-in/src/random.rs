//! A small generator of pseudo-random numbers, and a little real randomness.
//!
//! The warehouse must come out the same on every machine, so its filler comes from a seeded generator
//! (SplitMix64). Query ids and slugs must differ between processes, so they draw on the seed that the
//! standard library's hash maps take from the operating system. Neither needs a dependency.

use std::hash::{BuildHasher, Hasher, RandomState};

/// SplitMix64: every seed gives a full-period, well mixed stream.
#[derive(Clone, Debug)]
pub struct Stream(u64);

impl Stream {
    /// The stream of this seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream that no other process has.
    pub(crate) fn from_system() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if `bound` is 0. The slight bias of a remainder is of no matter here.
    pub const fn below(&mut self, bound: u64) -> u64 {
        match self.next().checked_rem(bound) {
            Some(value) => value,
            None => 0,
        }
    }
}

/// A random UUID (version 4), as Trino gives its transactions.
pub(crate) fn uuid() -> String {
    let mut stream = Stream::from_system();
    let (high, low) = (stream.next(), stream.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0x0fff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        let (mut a, mut b) = (Stream::seeded(7), Stream::seeded(7));
        assert!((0..100).all(|_| a.next() == b.next()));
    }

    #[test]
    fn uuids_have_the_shape_of_version_four() {
        let id = uuid();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(id.as_bytes()[14], b'4');
        assert_ne!(id, uuid());
    }
}
