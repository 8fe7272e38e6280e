//! How the demo's data files are written, and how their size is foreseen.
//!
//! Sizes must come out as planned, so nothing is compressed and filler text makes up what a file lacks. Page
//! indexes are left out: in files of ten kilobytes they would weigh as much as the rows.

use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::random::Stream;

/// The settings of every data file.
pub(crate) fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build()
}

/// The length that filler texts must have so that a file of `rows` rows weighs `bytes`, when the other columns
/// take `row_bytes` a row and the file itself `overhead`. The answer is for each row in turn: the remainder goes
/// to the first rows, a byte each.
pub(crate) fn filler_lengths(bytes: u64, overhead: u64, rows: u64, row_bytes: u64) -> impl Iterator<Item = usize> {
    let room = bytes.saturating_sub(overhead + rows * row_bytes);
    let (length, longer) = match rows {
        0 => (0, 0),
        _ => (room / rows, room % rows),
    };
    (0..rows).map(move |row| usize::try_from(length + u64::from(row < longer)).unwrap_or_default())
}

/// Text without sense or repetition, to cut filler from.
pub(crate) struct Noise {
    text: String,
    stream: Stream,
}

impl Noise {
    /// Longer than any filler, and no longer, for it is made anew for each file.
    const LENGTH: usize = 16 * 1024;

    /// Noise of its own for each seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut stream = Stream::seeded(seed);
        let mut text = String::with_capacity(Self::LENGTH);
        while text.len() < Self::LENGTH {
            let mut bits = stream.next();
            // Ten characters of six bits each.
            for _ in 0..10 {
                let letter = ALPHABET.get((bits & 63) as usize).copied();
                text.push(char::from(letter.unwrap_or(b'-')));
                bits >>= 6;
            }
        }
        Self { text, stream }
    }

    /// `length` characters from somewhere in the noise.
    pub(crate) fn cut(&mut self, length: usize) -> &str {
        let last = self.text.len().saturating_sub(length);
        let start = self.stream.below(last as u64 + 1) as usize;
        self.text.get(start..start + length).unwrap_or(self.text.as_str())
    }

    /// The numbers behind the noise, for other columns.
    pub(crate) const fn numbers(&mut self) -> &mut Stream {
        &mut self.stream
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filler_makes_up_the_whole_size() {
        let lengths: Vec<usize> = filler_lengths(10_000, 500, 7, 20).collect();
        assert_eq!(lengths.len(), 7);
        assert_eq!(lengths.iter().sum::<usize>(), 10_000 - 500 - 7 * 20);
    }

    #[test]
    fn noise_is_the_same_for_the_same_seed_and_has_the_length_asked_for() {
        let (mut a, mut b) = (Noise::seeded(3), Noise::seeded(3));
        assert_eq!(a.cut(480), b.cut(480));
        assert_eq!(a.cut(1).len(), 1);
    }
}
