//! Byte sizes as people write them in a policy and read them in a message: `50 GB`, `2 TB`, `unlimited`.
//!
//! Units are 1024-based, in reading and in printing. Not here: what a size is compared with.

use std::fmt;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// Units with their power of 1024. The `iB` spellings mean the same, since a policy has only one base.
const UNITS: [(&str, u32); 11] = [
    ("b", 0),
    ("kb", 1),
    ("kib", 1),
    ("mb", 2),
    ("mib", 2),
    ("gb", 3),
    ("gib", 3),
    ("tb", 4),
    ("tib", 4),
    ("pb", 5),
    ("pib", 5),
];

impl ByteSize {
    /// Reads `50 GB`, `1.5TB`, `4096`. `None` if the text is no size.
    ///
    /// A fraction is allowed (`1.5 TB`) and truncated to whole bytes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit_start = text
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_start);
        let number = number.replace('_', "");
        let unit = unit.trim().to_ascii_lowercase();
        let power = if unit.is_empty() {
            0
        } else {
            UNITS.iter().find(|(name, _)| *name == unit)?.1
        };
        let factor = 1024u64.checked_pow(power)?;
        match number.split_once('.') {
            None => number.parse::<u64>().ok()?.checked_mul(factor).map(ByteSize),
            Some((whole, fraction)) => {
                let whole = whole.parse::<u64>().ok()?.checked_mul(factor)?;
                if fraction.is_empty() || fraction.len() > 9 {
                    return None;
                }
                let digits = u128::from(fraction.parse::<u64>().ok()?);
                let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
                let part = u64::try_from(digits * u128::from(factor) / scale).ok()?;
                whole.checked_add(part).map(ByteSize)
            }
        }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 6] = ["B", "KB", "MB", "GB", "TB", "PB"];
        let mut unit = 0;
        let mut scale = 1u64;
        while unit + 1 < NAMES.len() && self.0 / scale >= 1024 {
            scale *= 1024;
            unit += 1;
        }
        let name = NAMES.get(unit).copied().unwrap_or("B");
        // One decimal, rounded half up, in integers so that wasm and native print the same.
        let tenths = (u128::from(self.0) * 10 + u128::from(scale) / 2) / u128::from(scale);
        if tenths % 10 == 0 {
            write!(f, "{} {name}", tenths / 10)
        } else {
            write!(f, "{}.{} {name}", tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_1024_based_units() {
        let cases = [
            ("50 GB", Some(50 * 1024 * 1024 * 1024)),
            ("2 TB", Some(2 * 1024u64.pow(4))),
            ("1.5 KB", Some(1536)),
            ("524KB", Some(524 * 1024)),
            ("4096", Some(4096)),
            ("0 B", Some(0)),
            ("50 gb", Some(50 * 1024 * 1024 * 1024)),
            ("50 GX", None),
            ("GB", None),
            ("-1 GB", None),
            ("99999999 PB", None),
            ("1.2.3 GB", None),
        ];
        for (text, want) in cases {
            assert_eq!(ByteSize::parse(text).map(|size| size.0), want, "{text}");
        }
    }

    #[test]
    fn sizes_are_printed_with_at_most_one_decimal() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1536, "1.5 KB"),
            (12_534_332_556_083, "11.4 TB"), // 11.4 * 1024^4
            (400 * 1024u64.pow(3), "400 GB"),
            (u64::MAX, "16384 PB"),
        ];
        for (bytes, want) in cases {
            assert_eq!(ByteSize(bytes).to_string(), want);
        }
    }
}
