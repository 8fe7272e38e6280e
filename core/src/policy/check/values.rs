//! Single values of the file: what form each has to have, and what is said if it has another.
//!
//! Not here: which keys there are and what they mean together ([`super`]).

use super::super::OnUnknown;
use super::super::condition::SignalType;
use super::super::node::Node;
use super::super::problem::{At, Path, Problem, nearest};
use super::Checker;
use crate::bytes::ByteSize;

impl Checker {
    pub(super) fn error(&mut self, path: &Path, at: At, message: impl Into<String>) {
        self.errors.push(Problem {
            path: path.clone(),
            at,
            message: message.into(),
        });
    }

    pub(super) fn warn(&mut self, path: &Path, at: At, message: impl Into<String>) {
        self.warnings.push(Problem {
            path: path.clone(),
            at,
            message: message.into(),
        });
    }

    /// The entries of a mapping; anything else is an error and has none.
    pub(super) fn entries<'a>(&mut self, node: &'a Node, path: &Path) -> &'a [(String, Node)] {
        match node {
            Node::Map(entries) => entries,
            other => {
                self.error(path, At::Value, format!("expected a mapping, got {}", other.describe()));
                &[]
            }
        }
    }

    pub(super) fn list<'a>(&mut self, node: &'a Node, path: &Path) -> &'a [Node] {
        match node {
            Node::List(values) => values,
            other => {
                self.error(path, At::Value, format!("expected a list, got {}", other.describe()));
                &[]
            }
        }
    }

    pub(super) fn known_keys(&mut self, node: &Node, path: &Path, known: &[&str]) {
        for (key, _) in self.entries(node, path) {
            if !known.contains(&key.as_str()) {
                self.unknown_word(&path.key(key), At::Key, "key", key, known);
            }
        }
    }

    pub(super) fn unknown_word(&mut self, path: &Path, at: At, what: &str, word: &str, known: &[&str]) {
        let hint = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.join(", ")),
        };
        self.error(path, at, format!("unknown {what} `{word}`; {hint}"));
    }

    pub(super) fn text(&mut self, node: Option<&Node>, path: &Path) -> Option<String> {
        match node? {
            Node::Text(text) => Some(text.clone()),
            other => {
                self.error(path, At::Value, format!("expected text, got {}", other.describe()));
                None
            }
        }
    }

    pub(super) fn flag(&mut self, node: Option<&Node>, path: &Path, default: bool) -> bool {
        match node {
            None => default,
            Some(Node::Bool(value)) => *value,
            Some(other) => {
                self.error(
                    path,
                    At::Value,
                    format!("expected true or false, got {}", other.describe()),
                );
                default
            }
        }
    }

    pub(super) fn number(&mut self, node: &Node, path: &Path, signal_type: SignalType) -> Option<i64> {
        let (value, expected) = match signal_type {
            SignalType::Bytes => (bytes_of(node), "a size like `50 GB` (units B, KB, MB, GB, TB, PB)"),
            SignalType::Millis => (millis_of(node), "milliseconds like `500`, or `500 ms`, `2 s`"),
            _ => (count_of(node), "a whole number"),
        };
        if value.is_none() {
            self.error(path, At::Value, format!("expected {expected}, got {}", node.describe()));
        }
        value
    }

    /// A limit: a number, or `unlimited`, which is none.
    pub(super) fn limit(&mut self, node: Option<&Node>, path: &Path, signal_type: SignalType) -> Option<u64> {
        let node = node?;
        if *node == Node::Text("unlimited".into()) {
            return None;
        }
        self.number(node, path, signal_type)
            .and_then(|value| u64::try_from(value).ok())
    }

    pub(super) fn words(&mut self, node: Option<&Node>, path: &Path) -> Vec<String> {
        match node {
            None => Vec::new(),
            Some(Node::List(values)) => values
                .iter()
                .enumerate()
                .filter_map(|(index, value)| self.word(value, &path.index(index)))
                .collect(),
            Some(value) => self.word(value, path).into_iter().collect(),
        }
    }

    fn word(&mut self, node: &Node, path: &Path) -> Option<String> {
        match node {
            Node::Text(text) => Some(text.clone()),
            // YAML reads an unquoted 2024 as a number; as a tag it is meant as text.
            Node::Int(value) => Some(value.to_string()),
            other => {
                self.error(path, At::Value, format!("expected a word, got {}", other.describe()));
                None
            }
        }
    }

    pub(super) fn on_unknown(&mut self, node: Option<&Node>, path: &Path) -> Option<OnUnknown> {
        let word = self.text(node, path)?;
        match word.as_str() {
            "match" => Some(OnUnknown::Match),
            "skip" => Some(OnUnknown::Skip),
            _ => {
                self.unknown_word(path, At::Value, "word", &word, &["match", "skip"]);
                None
            }
        }
    }
}

fn bytes_of(node: &Node) -> Option<i64> {
    match node {
        Node::Int(value) => Some(*value),
        Node::Text(text) => i64::try_from(ByteSize::parse(text)?.0).ok(),
        _ => None,
    }
}

fn millis_of(node: &Node) -> Option<i64> {
    let Node::Text(text) = node else {
        return count_of(node);
    };
    let text = text.trim();
    let (number, factor) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1000)
    } else {
        (text, 1)
    };
    let value: i64 = number.trim().parse().ok()?;
    (value >= 0).then_some(())?;
    value.checked_mul(factor)
}

fn count_of(node: &Node) -> Option<i64> {
    match node {
        Node::Int(value) if *value >= 0 => Some(*value),
        _ => None,
    }
}
