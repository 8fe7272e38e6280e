//! From a path in a YAML text to the line and column where it stands.
//!
//! Works by walking the text once more with the same YAML reader and failing on purpose at the path's end: the
//! reader's error then carries the position. Only done when there is a problem to report.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::problem::{At, Path, Step};

/// Line and column, both counted from 1; `None` if the path is not in the text.
#[must_use]
pub fn locate(text: &str, path: &Path, at: At) -> Option<(usize, usize)> {
    let seed = Walk { steps: &path.0, at };
    let error = seed.deserialize(serde_yaml::Deserializer::from_str(text)).err()?;
    if !error.to_string().contains(ARRIVED) {
        return None;
    }
    error.location().map(|location| (location.line(), location.column()))
}

const ARRIVED: &str = "\u{1}arrived";

#[derive(Clone, Copy)]
struct Walk<'a> {
    steps: &'a [Step],
    at: At,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// A key: fails at its own position if it is the one that is looked for, else says whether it matches.
struct KeyWalk<'a> {
    wanted: &'a str,
    stop: bool,
}

impl<'de> DeserializeSeed<'de> for KeyWalk<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyWalk<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<bool, E> {
        match (key == self.wanted, self.stop) {
            (true, true) => Err(E::custom(ARRIVED)),
            (matches, _) => Ok(matches),
        }
    }
}

impl Walk<'_> {
    fn arrived<E: de::Error>(self) -> Result<(), E> {
        if self.steps.is_empty() {
            Err(E::custom(ARRIVED))
        } else {
            Ok(())
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.arrived()
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.arrived()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.arrived()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        self.arrived()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.arrived()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.arrived()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        self.arrived()?;
        let (wanted, rest) = match self.steps.split_first() {
            Some((Step::Index(index), rest)) => (Some(*index), rest),
            _ => (None, self.steps),
        };
        let mut position = 0;
        loop {
            let more = if wanted == Some(position) {
                access
                    .next_element_seed(Walk {
                        steps: rest,
                        at: self.at,
                    })?
                    .is_some()
            } else {
                access.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                return Ok(());
            }
            position += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        self.arrived()?;
        let (wanted, rest) = match self.steps.split_first() {
            Some((Step::Key(key), rest)) => (key.as_str(), rest),
            _ => ("", self.steps),
        };
        let stop = rest.is_empty() && self.at == At::Key;
        while let Some(matches) = access.next_key_seed(KeyWalk { wanted, stop })? {
            if matches {
                access.next_value_seed(Walk {
                    steps: rest,
                    at: self.at,
                })?;
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "engines:\n  a: { kind: trino }\nrules:\n  - name: x\n    when: { n_lt: 5 }\n  - name: y\n    when:\n      n_gt: [1, 2]\n";

    #[test]
    fn keys_and_values_are_found_where_they_stand() {
        let when = |index| Path::default().key("rules").index(index).key("when");
        let cases = [
            (
                Path::default().key("engines").key("a").key("kind"),
                At::Value,
                Some((2, 14)),
            ),
            (
                Path::default().key("engines").key("a").key("kind"),
                At::Key,
                Some((2, 8)),
            ),
            (when(0).key("n_lt"), At::Key, Some((5, 13))),
            (when(1).key("n_gt").index(1), At::Value, Some((8, 17))),
            (when(1).key("n_gt"), At::Key, Some((8, 7))),
            (when(1).key("missing"), At::Key, None),
        ];
        for (path, at, want) in cases {
            assert_eq!(locate(TEXT, &path, at), want, "{path}");
        }
    }
}
