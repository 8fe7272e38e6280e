//! A predicate bound to a table's columns, and what column statistics say about it.
//!
//! There is no NOT: core pushes it down to the leaves. Evaluation answers *might match* or *cannot match*; whatever
//! does not compare might match. The rules are those of Iceberg's inclusive metrics evaluation, null and NaN counts
//! included, so that the answer is the one that Iceberg's own planners give.

use std::cmp::Ordering;

use iceberg::spec::{PrimitiveType, Schema};
use serde_json::{Value as Json, json};

use super::calendar::{format_date, format_micros};
use super::manifest::{ColumnStats, FileEntry};
use super::value::Value;

/// Longer IN lists are not tested against statistics, as in Iceberg's planners.
pub(crate) const IN_LIMIT: usize = 200;

/// A test of one column (or of one partition field).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Test {
    IsNull,
    NotNull,
    IsNan,
    Lt(Value),
    LtEq(Value),
    Gt(Value),
    GtEq(Value),
    Eq(Value),
    NotEq(Value),
    In(Vec<Value>),
    NotIn(Vec<Value>),
    /// Text that starts so.
    StartsWith(Box<str>),
    /// Text that starts otherwise.
    NotStartsWith(Box<str>),
}

/// A predicate over columns, by field id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expr {
    True,
    False,
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Leaf(i32, Test),
}

impl Expr {
    pub(crate) fn and(parts: impl IntoIterator<Item = Expr>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::True => {}
                Self::False => return Self::False,
                Self::And(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::True,
            1 => kept.swap_remove(0),
            _ => Self::And(kept),
        }
    }

    pub(crate) fn or(parts: impl IntoIterator<Item = Expr>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::False => {}
                Self::True => return Self::True,
                Self::Or(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::False,
            1 => kept.swap_remove(0),
            _ => Self::Or(kept),
        }
    }

    /// About the memory that it takes, its JSON included.
    pub(crate) fn weight(&self) -> usize {
        /// A JSON object of three members.
        const JSON_LEAF: usize = 400;
        let of = |value: &Value| size_of::<Value>() + 2 * value.heap_bytes() + 80;
        match self {
            Self::True | Self::False => size_of::<Self>(),
            Self::And(parts) | Self::Or(parts) => parts.iter().map(|part| part.weight() + JSON_LEAF).sum(),
            Self::Leaf(_, Test::In(values) | Test::NotIn(values)) => JSON_LEAF + values.iter().map(of).sum::<usize>(),
            Self::Leaf(_, Test::StartsWith(prefix) | Test::NotStartsWith(prefix)) => JSON_LEAF + 3 * prefix.len(),
            Self::Leaf(..) => JSON_LEAF,
        }
    }

    /// False only if no row of the file can match, by its column statistics.
    pub(crate) fn might_match(&self, file: &FileEntry) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::And(parts) => parts.iter().all(|part| part.might_match(file)),
            Self::Or(parts) => parts.iter().any(|part| part.might_match(file)),
            Self::Leaf(field_id, test) => file.column(*field_id).is_none_or(|stats| test.might_match(stats)),
        }
    }

    /// The expression of Iceberg's REST specification that was evaluated.
    pub(crate) fn to_rest_json(&self, schema: &Schema) -> Json {
        match self {
            Self::True => json!(true),
            Self::False => json!(false),
            Self::And(parts) => balanced("and", parts, schema),
            Self::Or(parts) => balanced("or", parts, schema),
            Self::Leaf(field_id, test) => {
                let term = schema.name_by_field_id(*field_id).unwrap_or_default();
                let kind = schema
                    .field_by_id(*field_id)
                    .and_then(|field| field.field_type.as_primitive_type());
                test.to_rest_json(term, kind)
            }
        }
    }
}

fn balanced(kind: &str, parts: &[Expr], schema: &Schema) -> Json {
    match parts {
        [] => json!(kind == "and"),
        [one] => one.to_rest_json(schema),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            json!({"type": kind, "left": balanced(kind, left, schema), "right": balanced(kind, right, schema)})
        }
    }
}

/// What a bound says: nothing is known of it, it is unusable, or it compares so.
fn compare(bound: Option<&Value>, literal: &Value) -> Option<Ordering> {
    bound.and_then(|bound| bound.compare(literal))
}

impl Test {
    fn might_match(&self, stats: &ColumnStats) -> bool {
        let lower = stats.lower.as_ref();
        let upper = stats.upper.as_ref();
        match self {
            Self::IsNull => stats.nulls != Some(0),
            Self::NotNull => !stats.only_nulls(),
            Self::IsNan => stats.nans != Some(0) && !stats.only_nulls(),
            Self::NotEq(_) | Self::NotIn(_) => true,
            // NULL is kept, as for "not equal".
            Self::NotStartsWith(prefix) => stats.nulls != Some(0) || !all_start_with(lower, upper, prefix),
            _ if stats.only_nulls() || stats.only_nans() => false,
            Self::StartsWith(prefix) => may_start_with(lower, upper, prefix),
            Self::Lt(value) => !matches!(compare(lower, value), Some(Ordering::Greater | Ordering::Equal)),
            Self::LtEq(value) => compare(lower, value) != Some(Ordering::Greater),
            Self::Gt(value) => !matches!(compare(upper, value), Some(Ordering::Less | Ordering::Equal)),
            Self::GtEq(value) => compare(upper, value) != Some(Ordering::Less),
            // A lower bound that is NaN makes the upper one untrustworthy too.
            Self::Eq(_) | Self::In(_) if lower.is_some_and(Value::is_nan) => true,
            Self::Eq(value) => within(lower, upper, value),
            Self::In(values) => values.len() > IN_LIMIT || values.iter().any(|value| within(lower, upper, value)),
        }
    }

    fn to_rest_json(&self, term: &str, kind: Option<&PrimitiveType>) -> Json {
        let one = |name: &str, value: &Value| json!({"type": name, "term": term, "value": literal_json(value, kind)});
        let many = |name: &str, values: &[Value]| {
            let values: Vec<Json> = values.iter().map(|value| literal_json(value, kind)).collect();
            json!({"type": name, "term": term, "values": values})
        };
        match self {
            Self::IsNull => json!({"type": "is-null", "term": term}),
            Self::NotNull => json!({"type": "not-null", "term": term}),
            Self::IsNan => json!({"type": "is-nan", "term": term}),
            Self::StartsWith(prefix) => json!({"type": "starts-with", "term": term, "value": prefix}),
            Self::NotStartsWith(prefix) => json!({"type": "not-starts-with", "term": term, "value": prefix}),
            Self::Lt(value) => one("lt", value),
            Self::LtEq(value) => one("lt-eq", value),
            Self::Gt(value) => one("gt", value),
            Self::GtEq(value) => one("gt-eq", value),
            Self::Eq(value) => one("eq", value),
            Self::NotEq(value) => one("not-eq", value),
            Self::In(values) => many("in", values),
            Self::NotIn(values) => many("not-in", values),
        }
    }
}

/// False only if no text between the bounds starts so. Bounds may be cut: both sides are compared as far as they go.
pub(crate) fn may_start_with(lower: Option<&Value>, upper: Option<&Value>, prefix: &str) -> bool {
    let order = |bound: Option<&Value>| match bound {
        Some(Value::Str(text)) => {
            let bytes = text.bytes().zip(prefix.bytes());
            bytes
                .map(|(bound, prefix)| bound.cmp(&prefix))
                .find(|order| order.is_ne())
        }
        _ => None,
    };
    order(lower) != Some(Ordering::Greater) && order(upper) != Some(Ordering::Less)
}

/// True only if every text between the bounds starts so.
pub(crate) fn all_start_with(lower: Option<&Value>, upper: Option<&Value>, prefix: &str) -> bool {
    let starts = |bound: Option<&Value>| matches!(bound, Some(Value::Str(text)) if text.starts_with(prefix));
    starts(lower) && starts(upper)
}

fn within(lower: Option<&Value>, upper: Option<&Value>, value: &Value) -> bool {
    compare(lower, value) != Some(Ordering::Greater) && compare(upper, value) != Some(Ordering::Less)
}

/// A literal in Iceberg's JSON single-value form.
fn literal_json(value: &Value, kind: Option<&PrimitiveType>) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) | Value::Time(value) | Value::Nanos(value) => json!(value),
        Value::Float(value) => json!(value.0),
        Value::Decimal(unscaled) => match kind {
            Some(PrimitiveType::Decimal { scale, .. }) => json!(decimal_text(*unscaled, *scale)),
            _ => json!(unscaled.to_string()),
        },
        Value::Date(days) => json!(format_date(i64::from(*days))),
        Value::Micros(micros) => match kind {
            Some(PrimitiveType::Timestamptz) => json!(format!("{}+00:00", format_micros(*micros))),
            _ => json!(format_micros(*micros)),
        },
        Value::Str(text) => json!(text),
        Value::Bytes(bytes) => json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        Value::Uuid(value) => json!(format!("{value:032x}")),
    }
}

/// `-12.50` for -1250 with scale 2.
pub(crate) fn decimal_text(unscaled: i128, scale: u32) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs().to_string();
    let scale = usize::try_from(scale).unwrap_or(0);
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::super::value::Real;
    use super::*;

    #[test]
    fn bounds_decide_comparisons_at_their_edges() {
        let int = Value::Int;
        for (test, want) in [
            (Test::Lt(int(10)), false),
            (Test::Lt(int(11)), true),
            (Test::LtEq(int(9)), false),
            (Test::LtEq(int(10)), true),
            (Test::Gt(int(20)), false),
            (Test::Gt(int(19)), true),
            (Test::GtEq(int(21)), false),
            (Test::GtEq(int(20)), true),
            (Test::Eq(int(9)), false),
            (Test::Eq(int(15)), true),
            (Test::Eq(int(21)), false),
            (Test::NotEq(int(15)), true),
            (Test::In(vec![int(5), int(25)]), false),
            (Test::In(vec![int(5), int(15)]), true),
            (Test::NotIn(vec![int(15)]), true),
            (Test::IsNull, false),
            (Test::NotNull, true),
        ] {
            assert_eq!(test.might_match(&ColumnStats::ints(10, 20)), want, "{test:?}");
        }
    }

    #[test]
    fn an_in_list_is_tested_value_by_value_and_not_bound_by_bound() {
        // Both bounds let some value through, yet no single value passes both.
        let test = Test::In(vec![Value::Int(5), Value::Int(25)]);
        assert!(!test.might_match(&ColumnStats::ints(10, 20)));
    }

    #[test]
    fn a_long_in_list_prunes_nothing() {
        let list: Vec<Value> = (1000..1000 + 201).map(Value::Int).collect();
        assert!(Test::In(list).might_match(&ColumnStats::ints(10, 20)));
    }

    #[test]
    fn nulls_and_nans_alone_match_no_comparison() {
        let nulls = ColumnStats {
            nulls: Some(10),
            lower: None,
            upper: None,
            ..ColumnStats::ints(0, 0)
        };
        let nans = ColumnStats {
            nans: Some(10),
            lower: None,
            upper: None,
            ..ColumnStats::ints(0, 0)
        };
        for test in [
            Test::Eq(Value::Int(1)),
            Test::Gt(Value::Int(1)),
            Test::In(vec![Value::Int(1)]),
        ] {
            assert!(!test.might_match(&nulls), "{test:?}");
            assert!(!test.might_match(&nans), "{test:?}");
        }
        assert!(Test::IsNull.might_match(&nulls));
        assert!(!Test::NotNull.might_match(&nulls));
        assert!(Test::NotNull.might_match(&nans));
    }

    #[test]
    fn bounds_that_are_missing_or_nan_or_of_another_kind_prune_nothing() {
        let odd = [None, Some(Value::Float(Real(f64::NAN))), Some(Value::Str("x".into()))];
        for bound in odd {
            let stats = ColumnStats {
                lower: bound.clone(),
                upper: bound,
                ..ColumnStats::ints(0, 0)
            };
            for test in [
                Test::Lt(Value::Int(1)),
                Test::Gt(Value::Int(1)),
                Test::Eq(Value::Int(1)),
            ] {
                assert!(test.might_match(&stats), "{test:?} {stats:?}");
            }
        }
    }

    #[test]
    fn a_prefix_is_compared_with_cut_bounds_and_its_negation_needs_both() {
        let file = |lower: &str, upper: &str, nulls| ColumnStats {
            lower: Some(Value::Str(lower.into())),
            upper: Some(Value::Str(upper.into())),
            nulls: Some(nulls),
            ..ColumnStats::ints(0, 0)
        };
        for (lower, upper, starts, starts_otherwise) in [
            ("abc", "abd", true, true),
            ("abca", "abcz", true, false),
            ("ab", "ab", true, true),
            ("abd", "abz", false, true),
            ("aaa", "abb", false, true),
            ("", "zz", true, true),
        ] {
            let stats = file(lower, upper, 0);
            assert_eq!(
                Test::StartsWith("abc".into()).might_match(&stats),
                starts,
                "{lower} {upper}"
            );
            let not = Test::NotStartsWith("abc".into());
            assert_eq!(not.might_match(&stats), starts_otherwise, "{lower} {upper}");
            assert!(not.might_match(&file(lower, upper, 1)));
        }
    }

    #[test]
    fn decimals_print_with_their_scale() {
        for (unscaled, scale, text) in [(-1250, 2, "-12.50"), (5, 3, "0.005"), (7, 0, "7"), (0, 1, "0.0")] {
            assert_eq!(decimal_text(unscaled, scale), text);
        }
    }
}
