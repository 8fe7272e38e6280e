//! The policy as written: a tree of values, read from YAML or JSON alike.
//!
//! Reading into a tree first, and checking by hand after, lets one pass report every mistake with its path, the
//! nearest right key and what would be right. Not here: what the values mean (`check`).

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// One value of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Nothing: `key:` or `null`.
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order written, keys unique.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The value under that key, if this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The mapping under that key, made if it is not there. `None` if something else stands there.
    pub fn map_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Self::Map(entries) = self else {
            return None;
        };
        let position = match entries.iter().position(|(name, _)| name == key) {
            Some(position) => position,
            None => {
                entries.push((key.to_owned(), Self::Map(Vec::new())));
                entries.len() - 1
            }
        };
        let (_, value) = entries.get_mut(position)?;
        if *value == Self::Null {
            *value = Self::Map(Vec::new());
        }
        matches!(value, Self::Map(_)).then_some(value)
    }

    /// Sets a key of this mapping; does nothing to any other value.
    pub fn set(&mut self, key: &str, value: Node) {
        if let Self::Map(entries) = self {
            match entries.iter_mut().find(|(name, _)| name == key) {
                Some((_, slot)) => *slot = value,
                None => entries.push((key.to_owned(), value)),
            }
        }
    }

    /// What it is, for messages: `a list`, `` `50 GX` ``.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".into(),
            Self::Bool(value) => format!("`{value}`"),
            Self::Int(value) => format!("`{value}`"),
            Self::Float(value) => format!("`{value}`"),
            Self::Text(value) => format!("`{}`", value.chars().take(60).collect::<String>()),
            Self::List(_) => "a list".into(),
            Self::Map(_) => "a mapping".into(),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(value)?;
                }
                list.end()
            }
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

/// A mapping's key, which must be text; an error here carries the key's own position.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Key)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Node, E> {
        i64::try_from(value)
            .map(Node::Int)
            .map_err(|_| E::custom(format!("the number {value} is too large; the most is {}", i64::MAX)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element()? {
            values.push(value);
        }
        Ok(Node::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(Key(key)) = access.next_key()? {
            if entries.iter().any(|(name, _)| *name == key) {
                return Err(de::Error::custom(format!("`{key}` is there twice; keep one")));
            }
            entries.push((key, access.next_value()?));
        }
        Ok(Node::Map(entries))
    }
}
