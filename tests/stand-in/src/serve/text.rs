//! `application/x-www-form-urlencoded` text, which Trino's headers are written in.

use std::fmt::Write;

/// Encodes as Java's `URLEncoder` does: blanks become `+`.
pub(crate) fn form_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

/// Decodes; what is not a proper escape stays as it is.
pub(crate) fn form_decode(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(h, l)| h * 16 + l),
            _ => None,
        };
        rest = match escaped {
            Some(value) => {
                decoded.push(value);
                after.get(2..).unwrap_or_default()
            }
            None => {
                decoded.push(if byte == b'+' { b' ' } else { byte });
                after
            }
        };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_and_decoding_are_inverse() {
        for text in ["", "a b+c%", "SELECT * FROM t WHERE é = '?'", "$zstd:a_b-c="] {
            assert_eq!(form_decode(&form_encode(text)), text);
        }
        assert_eq!(form_encode("a b=é"), "a+b%3D%C3%A9");
        assert_eq!(form_decode("100%"), "100%");
    }
}
