//! Prepared statements that Trino's server compressed.
//!
//! A client only echoes what it was given: one zstd frame in URL-safe base64, with or without padding, after
//! [`COMPRESSED`]. A text that cannot be had is left out, so that an `EXECUTE` of it is unknown and not misread. The
//! filter does without a decompressor and asks. Not here: reading the texts.

use std::borrow::Cow;
use std::io::Read;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use lakegate_core::sql::COMPRESSED;
use lakegate_core::sql::scan::MAX_SCAN_BYTES;
use ruzstd::decoding::StreamingDecoder;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The most bytes that all texts of one request decompress to together. No more than that is scanned either, and a
/// header of a few kilobytes could stand for gigabytes.
const MOST_BYTES: usize = MAX_SCAN_BYTES;

/// The prepared statements, name and text, with compressed texts decompressed. Borrowed if there is none.
pub(crate) fn decompressed(prepared: &[(String, String)]) -> Cow<'_, [(String, String)]> {
    if prepared.iter().all(|(_, text)| !text.starts_with(COMPRESSED)) {
        return Cow::Borrowed(prepared);
    }
    let mut room = MOST_BYTES;
    let texts = prepared.iter().filter_map(|(name, text)| {
        let text = match text.strip_prefix(COMPRESSED) {
            None => text.clone(),
            Some(encoded) => {
                let text = decompress(encoded, room)?;
                room -= text.len();
                text
            }
        };
        Some((name.clone(), text))
    });
    Cow::Owned(texts.collect())
}

/// A text of at most `room` bytes; none if it is longer, or is no such text.
fn decompress(encoded: &str, room: usize) -> Option<String> {
    let frame = BASE64.decode(encoded).ok()?;
    let mut text = String::new();
    let limit = u64::try_from(room).ok()?.checked_add(1)?;
    StreamingDecoder::new(frame.as_slice())
        .ok()?
        .take(limit)
        .read_to_string(&mut text)
        .ok()?;
    (text.len() <= room).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(text: &str) -> String {
        let frame = zstd::bulk::compress(text.as_bytes(), 3).unwrap();
        format!("{COMPRESSED}{}", BASE64.encode(frame))
    }

    fn texts(prepared: &[&str]) -> Vec<(String, String)> {
        let name = |(index, text): (usize, &&str)| (format!("q{index}"), (*text).to_owned());
        prepared.iter().enumerate().map(name).collect()
    }

    #[test]
    fn a_compressed_text_comes_back_with_padding_or_without() {
        let long = format!("SELECT * FROM t WHERE x IN ({}'\u{e9}')", "?, ".repeat(2_000));
        let padded = compressed(&long);
        let bare = padded.trim_end_matches('=');
        let prepared = texts(&["SELECT 1", &padded, bare]);
        assert_eq!(*decompressed(&prepared), texts(&["SELECT 1", &long, &long]));
    }

    #[test]
    fn what_is_no_such_text_is_left_out_and_the_rest_stays() {
        let not_utf8 = format!(
            "{COMPRESSED}{}",
            BASE64.encode(zstd::bulk::compress(b"\xff\xfe", 3).unwrap())
        );
        let cut = compressed(&"SELECT 1 ".repeat(500));
        let cut = &cut[..cut.len() - 8];
        for bad in ["$zstd:", "$zstd:!", "$zstd:AAAA", &not_utf8, cut] {
            let prepared = texts(&["SELECT 1", bad]);
            assert_eq!(*decompressed(&prepared), texts(&["SELECT 1"]), "{bad}");
        }
    }

    #[test]
    fn small_headers_do_not_become_large_texts() {
        let bomb = compressed(&" ".repeat(64 << 20));
        assert!(bomb.len() < 16 << 10, "{}", bomb.len());
        assert_eq!(*decompressed(&texts(&[&bomb])), texts(&[]));
        // Together they may not either: one fits, the second does not.
        let half = compressed(&" ".repeat(MOST_BYTES / 2 + 1));
        assert_eq!(decompressed(&texts(&[&half, &half])).len(), 1);
    }
}
