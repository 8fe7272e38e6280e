//! A 128-bit digest of tokens: what the scan key and the fingerprint are made of.
//!
//! It is SipHash-1-3 with a fixed key and two words of output, fed with one word or more a token. Each token starts with
//! its kind and length, so no two lists of tokens feed the same words. The value is the same natively and in wasm. It is
//! no protection against a sender who looks for two texts of one key, and 128 bits are there against chance only.
//!
//! The standard library's hasher gives 64 bits at a time and would have to see everything twice.

use super::octets;
use crate::sql::lexer::TokenKind;

/// A digest in the making.
pub(super) struct Digest {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

/// What a digest is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Item {
    /// A word: the same in any case.
    Word,
    /// Any other token, as written.
    QuotedName,
    String,
    Number,
    Symbol,
    Parameter,
    /// What stands for any literal, or for any list of such.
    Stand,
    /// Between texts, and around what was not understood.
    Mark,
}

impl From<TokenKind> for Item {
    fn from(kind: TokenKind) -> Self {
        match kind {
            TokenKind::Word => Self::Word,
            TokenKind::QuotedName => Self::QuotedName,
            TokenKind::String => Self::String,
            TokenKind::Number => Self::Number,
            TokenKind::Parameter => Self::Parameter,
            TokenKind::Symbol => Self::Symbol,
            TokenKind::Nul => Self::Mark,
        }
    }
}

/// Lengths from here on have a word of their own.
const LONG: usize = 31;

impl Digest {
    pub(super) fn new() -> Self {
        // SipHash's constants, under the key "lakegate" "digest 1".
        let (low, high) = (u64::from_le_bytes(*b"lakegate"), u64::from_le_bytes(*b"digest 1"));
        Self {
            v0: low ^ 0x736f_6d65_7073_6575,
            v1: high ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            v2: low ^ 0x6c79_6765_6e65_7261,
            v3: high ^ 0x7465_6462_7974_6573,
        }
    }

    /// Adds one token.
    #[inline]
    pub(super) fn token(&mut self, item: Item, text: &str) {
        if item != Item::Word {
            self.feed::<false>(item, text.as_bytes());
        } else if text.is_ascii() {
            self.feed::<true>(item, text.as_bytes());
        } else {
            self.feed::<false>(item, text.to_lowercase().as_bytes());
        }
    }

    fn feed<const FOLD: bool>(&mut self, item: Item, bytes: &[u8]) {
        let fold = |octets: u64| if FOLD { octets::lower(octets) } else { octets };
        let (start, rest) = bytes.split_at(bytes.len().min(7));
        let first = (item as u64) << 5 | bytes.len().min(LONG) as u64;
        self.word(first | fold(octets::head(start)) << 8);
        if bytes.len() >= LONG {
            self.word(bytes.len() as u64);
        }
        for chunk in rest.chunks(8) {
            self.word(fold(octets::head(chunk)));
        }
    }

    fn word(&mut self, word: u64) {
        self.v3 ^= word;
        self.round();
        self.v0 ^= word;
    }

    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v1 = self.v1.rotate_left(13) ^ self.v0;
        self.v3 = self.v3.rotate_left(16) ^ self.v2;
        self.v0 = self.v0.rotate_left(32);
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v0 = self.v0.wrapping_add(self.v3);
        self.v1 = self.v1.rotate_left(17) ^ self.v2;
        self.v3 = self.v3.rotate_left(21) ^ self.v0;
        self.v2 = self.v2.rotate_left(32);
    }

    /// Three rounds, and what the state comes to.
    fn squeeze(&mut self) -> u64 {
        for _ in 0..3 {
            self.round();
        }
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }

    pub(super) fn finish(mut self) -> u128 {
        self.v2 ^= 0xee;
        let low = self.squeeze();
        self.v1 ^= 0xdd;
        let high = self.squeeze();
        u128::from(high) << 64 | u128::from(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(tokens: &[(Item, &str)]) -> u128 {
        let mut digest = Digest::new();
        for &(item, text) in tokens {
            digest.token(item, text);
        }
        digest.finish()
    }

    #[test]
    fn case_is_folded_in_words_of_any_length_and_alphabet() {
        for (one, other) in [
            ("From", "fROM"),
            (
                "Current_Timestamp_With_A_Long_Tail",
                "CURRENT_TIMESTAMP_WITH_A_LONG_TAIL",
            ),
            ("Straße", "STRAßE"),
        ] {
            assert_eq!(digest(&[(Item::Word, one)]), digest(&[(Item::Word, other)]));
            assert_ne!(digest(&[(Item::String, one)]), digest(&[(Item::String, other)]));
        }
    }

    #[test]
    fn the_same_bytes_in_other_tokens_are_another_digest() {
        let long = "x".repeat(100);
        let lists: Vec<Vec<(Item, &str)>> = vec![
            vec![],
            vec![(Item::Word, "")],
            vec![(Item::Word, "abcdefgh")],
            vec![(Item::Word, "abcdefg"), (Item::Word, "h")],
            vec![(Item::Word, "abcdefg"), (Item::Word, "")],
            vec![(Item::QuotedName, "abcdefgh")],
            vec![(Item::Word, "abcdefgh\0")],
            vec![(Item::Word, &long)],
            vec![(Item::Word, &long[..99])],
            vec![(Item::Word, &long[..31]), (Item::Word, &long[..69])],
        ];
        let mut digests: Vec<u128> = lists.iter().map(|list| digest(list)).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), lists.len());
    }
}
