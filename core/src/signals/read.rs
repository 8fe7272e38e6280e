//! Facts as they stand on the wire, read.
//!
//! A value that is not of the expected form (-1 for a count, a string for a number) is unknown, not an error: the rest
//! of the answer stays usable. So any JSON is taken first, once for all facts, and looked at afterwards. A tree of
//! JSON values would do too, but its maps and numbers are 15 KB of the filter's module.

use std::fmt;

use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Fact;
use crate::sql::scan::StatementKind;

/// What stands on the wire.
#[derive(Debug)]
pub enum Written {
    /// `null`
    Null,
    /// `true`, `false`
    Flag(bool),
    /// A whole number that is not negative.
    Count(u64),
    /// A negative whole number.
    Negative(i64),
    /// Text.
    Word(String),
    /// An object with the key `unknown`, and the cause in words.
    Unknown(String),
    /// Anything else.
    Other,
}

/// What the value of a fact may be.
pub trait Value: Sized {
    /// The value, if that is what stands there.
    fn read(written: &Written) -> Option<Self>;
}

impl Value for u64 {
    fn read(written: &Written) -> Option<Self> {
        match written {
            Written::Count(value) => Some(*value),
            _ => None,
        }
    }
}

impl Value for i64 {
    fn read(written: &Written) -> Option<Self> {
        match written {
            Written::Count(value) => Self::try_from(*value).ok(),
            Written::Negative(value) => Some(*value),
            _ => None,
        }
    }
}

impl Value for bool {
    fn read(written: &Written) -> Option<Self> {
        match written {
            Written::Flag(value) => Some(*value),
            _ => None,
        }
    }
}

impl Value for StatementKind {
    fn read(written: &Written) -> Option<Self> {
        match written {
            Written::Word(word) => Self::deserialize(StrDeserializer::<WordError>::new(word)).ok(),
            _ => None,
        }
    }
}

impl<'de, T: Value> Deserialize<'de> for Fact<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Null => Self::Unknown("null".into()),
            Written::Unknown(cause) => Self::Unknown(cause),
            other => T::read(&other).map_or_else(|| Self::Unknown("malformed value".into()), Self::Known),
        })
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Written, E> {
        Ok(Written::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Written, E> {
        Ok(Written::Flag(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Written, E> {
        Ok(Written::Count(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Written, E> {
        Ok(u64::try_from(value).map_or(Written::Negative(value), Written::Count))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Written, E> {
        Ok(Written::Other)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Written, E> {
        Ok(Written::Word(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Written, A::Error> {
        while access.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Written::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Written, A::Error> {
        let mut found = Written::Other;
        while let Some(Key(is_unknown)) = access.next_key()? {
            if is_unknown {
                // JSON that nests deeper than 128 levels is refused by its reader.
                found = Written::Unknown(match access.next_value()? {
                    Written::Word(cause) => cause,
                    _ => "unknown".to_owned(),
                });
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Whether a key is `unknown`.
struct Key(bool);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|key| Self(key == "unknown"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_json_is_a_fact_and_only_the_right_one_is_known() {
        fn read<T: Value>(json: &str) -> Fact<T> {
            serde_json::from_str(json).unwrap()
        }
        let unknown = |cause: &str| cause.to_owned();
        assert_eq!(read::<u64>("18446744073709551615"), Fact::Known(u64::MAX));
        assert_eq!(read::<u64>("-1"), Fact::Unknown(unknown("malformed value")));
        assert_eq!(read::<u64>("1.0"), Fact::Unknown(unknown("malformed value")));
        assert_eq!(read::<u64>("null"), Fact::Unknown(unknown("null")));
        assert_eq!(read::<i64>("-5"), Fact::Known(-5));
        assert_eq!(
            read::<i64>("9223372036854775808"),
            Fact::Unknown(unknown("malformed value"))
        );
        assert_eq!(read::<bool>("true"), Fact::Known(true));
        assert_eq!(read::<bool>("[true, {}]"), Fact::Unknown(unknown("malformed value")));
        assert_eq!(read::<StatementKind>("\"merge\""), Fact::Known(StatementKind::Merge));
        assert_eq!(
            read::<StatementKind>("\"verge\""),
            Fact::Unknown(unknown("malformed value"))
        );
        let cause = r#"{"a": [{"unknown": 1}], "unknown": "not parsed", "b": {"c": 2}}"#;
        assert_eq!(read::<bool>(cause), Fact::Unknown(unknown("not parsed")));
        assert_eq!(read::<bool>(r#"{"unknown": 7}"#), Fact::Unknown(unknown("unknown")));
        assert_eq!(
            read::<bool>(r#"{"known": 7}"#),
            Fact::Unknown(unknown("malformed value"))
        );
    }
}
