//! Eight bytes of text as one number, and their case.
//!
//! Most tokens are short: a number is looked up and digested in one step where bytes take a loop each.

/// The first eight bytes of a text, or all with zeros behind, the first one lowest.
pub(super) fn head(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*chunk);
    }
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
        (Some(first), Some(last), _) => {
            // The two overlap, in bytes that are the same in both.
            let shift = 8 * (bytes.len() as u64 - 4);
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift
        }
        (_, _, &[a, b, c]) => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        (_, _, &[a, b]) => u64::from(a) | u64::from(b) << 8,
        (_, _, &[a]) => u64::from(a),
        _ => 0,
    }
}

/// The same in one constant in every byte.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Whether all eight are ASCII.
pub(super) const fn is_ascii(octets: u64) -> bool {
    octets & all(0x80) == 0
}

/// ASCII letters to lower case, all eight at once; what is not ASCII stays as it is.
pub(super) const fn lower(octets: u64) -> u64 {
    let low = octets & all(0x7f);
    // No sum carries into the next byte: the highest bit of each is free.
    let from_a = low + all(0x80 - b'A');
    let past_z = low + all(0x7f - b'Z');
    let upper = (from_a ^ past_z) & !octets & all(0x80);
    octets | upper >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_read_to_its_end() {
        let text = b"abcdefghij";
        for length in 0..=text.len() {
            let mut padded = [0; 8];
            for (slot, byte) in padded.iter_mut().zip(text.iter().take(length)) {
                *slot = *byte;
            }
            assert_eq!(head(&text[..length]), u64::from_le_bytes(padded), "{length}");
        }
    }

    #[test]
    fn every_byte_is_folded_as_ascii_is() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut octets = [b'Q'; 8];
                octets[place] = byte;
                let folded = octets.map(|byte| byte.to_ascii_lowercase());
                assert_eq!(lower(u64::from_le_bytes(octets)), u64::from_le_bytes(folded));
                assert_eq!(is_ascii(u64::from_le_bytes(octets)), byte.is_ascii());
            }
        }
    }
}
