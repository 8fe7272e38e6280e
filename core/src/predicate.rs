//! A pruning predicate over one table, in terms that Iceberg metadata can answer.
//!
//! The one rule: a predicate here is *implied by* what the statement says. It may let more rows through, never
//! fewer. [`Translated::exact`] says whether it lets through exactly the same; a weakened predicate must not be
//! negated. NOT is always pushed down to the leaves, so there is no NOT node.
//!
//! Not here: how SQL becomes a predicate (`sql::parse`), or how columns are bound to a table's schema (the service).

use serde_json::{Value, json};

/// A comparison operator. `NotEq` does not match NULL in SQL, while Iceberg keeps NULLs for it: an upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

impl Comparison {
    /// The operator that holds exactly when this one does not, NULL aside.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::NotEq,
            Self::NotEq => Self::Eq,
            Self::Lt => Self::GtEq,
            Self::LtEq => Self::Gt,
            Self::Gt => Self::LtEq,
            Self::GtEq => Self::Lt,
        }
    }

    /// The operator for swapped sides: `5 < c` is `c > 5`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Eq | Self::NotEq => self,
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
        }
    }

    /// The expression type in Iceberg's REST specification.
    #[must_use]
    pub fn rest_type(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::NotEq => "not-eq",
            Self::Lt => "lt",
            Self::LtEq => "lt-eq",
            Self::Gt => "gt",
            Self::GtEq => "gt-eq",
        }
    }
}

/// A constant as the statement wrote it; the column's type decides later what it means.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `TRUE`, `FALSE`
    Boolean(bool),
    /// A whole number that fits 128 bits.
    Integer(i128),
    /// A number with a point, as written: `12.50`.
    Decimal(String),
    /// A number with an exponent.
    Double(f64),
    /// A character string.
    String(String),
    /// `DATE '2026-08-01'`, as written between the quotes.
    Date(String),
    /// `TIMESTAMP '2026-08-01 10:00:00'`, as written between the quotes, a zone included if one was given.
    Timestamp(String),
}

impl Literal {
    fn to_json(&self) -> Value {
        match self {
            Self::Boolean(value) => json!(value),
            Self::Integer(value) => i64::try_from(*value).map_or_else(|_| json!(value.to_string()), |v| json!(v)),
            Self::Double(value) => json!(value),
            Self::Decimal(text) | Self::String(text) | Self::Date(text) | Self::Timestamp(text) => json!(text),
        }
    }
}

/// A column by its name as written, lower-cased unless quoted; several parts for a nested field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column(pub Vec<String>);

impl std::fmt::Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// A predicate over the columns of one table.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Prunes nothing.
    AlwaysTrue,
    /// No row can match.
    AlwaysFalse,
    /// All must hold.
    And(Vec<Predicate>),
    /// One must hold.
    Or(Vec<Predicate>),
    /// `column op literal`
    Compare(Column, Comparison, Literal),
    /// `column IN (..)`, or NOT IN if `negated`
    In {
        /// The column.
        column: Column,
        /// The list.
        literals: Vec<Literal>,
        /// NOT IN
        negated: bool,
    },
    /// `column IS NULL`, or IS NOT NULL if `negated`
    IsNull {
        /// The column.
        column: Column,
        /// IS NOT NULL
        negated: bool,
    },
    /// The text in `column` starts with `prefix`, or does not if `negated`; NULL does neither.
    StartsWith {
        /// The column.
        column: Column,
        /// How it starts; not empty.
        prefix: String,
        /// It starts otherwise.
        negated: bool,
    },
}

impl Predicate {
    /// The conjunction, with neutral elements dropped.
    #[must_use]
    pub fn and(parts: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::AlwaysTrue => {}
                Self::AlwaysFalse => return Self::AlwaysFalse,
                Self::And(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::AlwaysTrue,
            1 => kept.swap_remove(0),
            _ => Self::And(kept),
        }
    }

    /// The disjunction, with neutral elements dropped.
    #[must_use]
    pub fn or(parts: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::AlwaysFalse => {}
                Self::AlwaysTrue => return Self::AlwaysTrue,
                Self::Or(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::AlwaysFalse,
            1 => kept.swap_remove(0),
            _ => Self::Or(kept),
        }
    }

    /// How many leaves and listed values it has, the nodes above them included: what a copy costs.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::And(parts) | Self::Or(parts) => 1 + parts.iter().map(Self::size).sum::<usize>(),
            Self::In { literals, .. } => 1 + literals.len(),
            _ => 1,
        }
    }

    /// The expression JSON of Iceberg's REST specification (`Expression` in its OpenAPI document).
    ///
    /// AND and OR take two sides there, so a list becomes a balanced tree: depth is the logarithm of its length.
    #[must_use]
    pub fn to_rest_json(&self) -> Value {
        match self {
            Self::AlwaysTrue => json!(true),
            Self::AlwaysFalse => json!(false),
            Self::And(parts) => balanced("and", parts),
            Self::Or(parts) => balanced("or", parts),
            Self::Compare(column, comparison, literal) => {
                json!({"type": comparison.rest_type(), "term": column.to_string(), "value": literal.to_json()})
            }
            Self::In {
                column,
                literals,
                negated,
            } => {
                let kind = if *negated { "not-in" } else { "in" };
                let values: Vec<Value> = literals.iter().map(Literal::to_json).collect();
                json!({"type": kind, "term": column.to_string(), "values": values})
            }
            Self::IsNull { column, negated } => {
                let kind = if *negated { "not-null" } else { "is-null" };
                json!({"type": kind, "term": column.to_string()})
            }
            Self::StartsWith {
                column,
                prefix,
                negated,
            } => {
                let kind = if *negated { "not-starts-with" } else { "starts-with" };
                json!({"type": kind, "term": column.to_string(), "value": prefix})
            }
        }
    }
}

fn balanced(kind: &str, parts: &[Predicate]) -> Value {
    match parts {
        [] => json!(kind == "and"),
        [one] => one.to_rest_json(),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            json!({"type": kind, "left": balanced(kind, left), "right": balanced(kind, right)})
        }
    }
}

/// A predicate with the promise it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    /// Implied by what the statement says.
    pub predicate: Predicate,
    /// True if it lets through exactly the rows that the statement's own condition does.
    pub exact: bool,
}

impl Translated {
    /// Adds what must hold too.
    pub fn restrict(&mut self, also: Predicate) {
        let so_far = std::mem::replace(&mut self.predicate, Predicate::AlwaysTrue);
        self.predicate = Predicate::and([so_far, also]);
    }

    /// What prunes nothing and promises nothing.
    #[must_use]
    pub fn whole_table() -> Self {
        Self {
            predicate: Predicate::AlwaysTrue,
            exact: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eq(name: &str, value: i128) -> Predicate {
        Predicate::Compare(Column(vec![name.into()]), Comparison::Eq, Literal::Integer(value))
    }

    #[test]
    fn neutral_elements_disappear() {
        assert_eq!(Predicate::and([Predicate::AlwaysTrue, eq("a", 1)]), eq("a", 1));
        assert_eq!(
            Predicate::or([Predicate::AlwaysTrue, eq("a", 1)]),
            Predicate::AlwaysTrue
        );
        assert_eq!(Predicate::and([]), Predicate::AlwaysTrue);
        assert_eq!(Predicate::or([]), Predicate::AlwaysFalse);
    }

    #[test]
    fn rest_json_nests_two_sides_at_a_time() {
        let three = Predicate::and([eq("a", 1), eq("b", 2), eq("c", 3)]);
        assert_eq!(
            three.to_rest_json(),
            json!({"type": "and",
                "left": {"type": "eq", "term": "a", "value": 1},
                "right": {"type": "and",
                    "left": {"type": "eq", "term": "b", "value": 2},
                    "right": {"type": "eq", "term": "c", "value": 3}}})
        );
    }
}
