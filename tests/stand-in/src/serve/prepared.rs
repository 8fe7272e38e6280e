//! Prepared statements in headers: plain, or compressed by the server when they are long.
//!
//! Trino compresses a statement of 2,048 characters or more if that saves at least 512. The client just echoes
//! what it got, so a router meets the compressed form although no client can make it.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig as Config};

const PREFIX: &str = "$zstd:";
/// Shorter statements are sent as they are.
const MIN_LENGTH: usize = 2_048;
/// So are those that compress worse than this.
const MIN_GAIN: usize = 512;
/// What a header may unpack to; Trino takes statements of a million characters.
const MAX_LENGTH: usize = 4 << 20;

/// Writes padding, reads with or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);
const CONFIG: GeneralPurposeConfig = Config::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// The statement as it goes into a header, before form-encoding.
pub(crate) fn encode(sql: &str) -> String {
    if sql.len() < MIN_LENGTH {
        return sql.to_owned();
    }
    let Ok(compressed) = zstd::bulk::compress(sql.as_bytes(), 3) else {
        return sql.to_owned();
    };
    let encoded = format!("{PREFIX}{}", BASE64.encode(compressed));
    if encoded.len() + MIN_GAIN > sql.len() {
        return sql.to_owned();
    }
    encoded
}

/// The statement in a header, after form-decoding.
pub(crate) fn decode(value: &str) -> Result<String, String> {
    let Some(encoded) = value.strip_prefix(PREFIX) else {
        return Ok(value.to_owned());
    };
    let compressed = BASE64.decode(encoded).map_err(|e| e.to_string())?;
    let bytes = zstd::bulk::decompress(&compressed, MAX_LENGTH).map_err(|e| format!("bad zstd: {e}"))?;
    String::from_utf8(bytes).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_are_compressed_and_come_back_whole() {
        let long = format!("SELECT * FROM t WHERE x IN ({}?)", "?, ".repeat(2_000));
        let encoded = encode(&long);
        assert!(encoded.starts_with(PREFIX) && encoded.len() < long.len() / 4);
        assert_eq!(decode(&encoded), Ok(long));
    }

    #[test]
    fn short_ones_are_not_and_rubbish_is_refused() {
        assert_eq!(encode("SELECT 1"), "SELECT 1");
        assert_eq!(decode("SELECT 1").as_deref(), Ok("SELECT 1"));
        assert!(decode("$zstd:AAAA").is_err());
        assert!(decode("$zstd:!").is_err());
    }
}
