//! The two digests of a text: the fingerprint and the scan key.
//!
//! Both are fed token by token, each token with its kind in front and a separator behind, so that no two token lists
//! share a byte string by accident. SipHash with fixed keys gives the same value natively and in wasm. It is no
//! protection against a sender who looks for two texts of one key, and 128 bits are there against chance only.

use std::hash::{DefaultHasher, Hasher};

/// A 128-bit digest in the making.
pub(super) struct Digest {
    buffer: Vec<u8>,
    low: DefaultHasher,
    high: DefaultHasher,
}

/// Enough bytes that hashing costs little a token, few enough that a digest is cheap to make.
const CHUNK: usize = 512;

impl Digest {
    pub(super) fn new() -> Self {
        let (mut low, mut high) = (DefaultHasher::new(), DefaultHasher::new());
        // Two prefixes make two independent functions of one.
        low.write(b"lakegate.low");
        high.write(b"lakegate.high");
        Self {
            buffer: Vec::with_capacity(2 * CHUNK),
            low,
            high,
        }
    }

    /// Adds one token: its kind, its text, a separator.
    pub(super) fn token(&mut self, kind: u8, text: &str, fold_case: bool) {
        self.buffer.push(kind);
        if !fold_case {
            self.buffer.extend_from_slice(text.as_bytes());
        } else if text.is_ascii() {
            let start = self.buffer.len();
            self.buffer.extend_from_slice(text.as_bytes());
            if let Some(word) = self.buffer.get_mut(start..) {
                word.make_ascii_lowercase();
            }
        } else {
            self.buffer.extend_from_slice(text.to_lowercase().as_bytes());
        }
        self.buffer.push(0);
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.low.write(&self.buffer);
        self.high.write(&self.buffer);
        self.buffer.clear();
    }

    pub(super) fn finish(mut self) -> u128 {
        self.flush();
        u128::from(self.high.finish()) << 64 | u128::from(self.low.finish())
    }
}
