//! From a predicate over columns to one over a spec's partition fields: Iceberg's inclusive projection.
//!
//! A row that matches the column predicate lies in a partition that matches the projected one. The projection is
//! evaluated apart from the column statistics, each over the whole predicate, as Iceberg's planners do it.

use std::cmp::Ordering;

use iceberg::spec::{Datum, FieldSummary, PartitionSpec, PrimitiveType, Schema, Transform};
use iceberg::transform::create_transform_function;

use super::calendar::civil_from_days;
use super::expression::{Expr, IN_LIMIT, Test, decimal_text, may_start_with};
use super::value::Value;

const MICROS_A_DAY: i64 = 86_400 * 1_000_000;
const MICROS_AN_HOUR: i64 = 3_600 * 1_000_000;

/// A predicate over one spec's partition fields, by their position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PartitionExpr {
    True,
    False,
    And(Vec<PartitionExpr>),
    Or(Vec<PartitionExpr>),
    Leaf(usize, Test),
}

/// Projects a predicate onto a spec.
pub(crate) fn project(expr: &Expr, spec: &PartitionSpec, schema: &Schema) -> PartitionExpr {
    match expr {
        Expr::True => PartitionExpr::True,
        Expr::False => PartitionExpr::False,
        Expr::And(parts) => PartitionExpr::And(parts.iter().map(|part| project(part, spec, schema)).collect()),
        Expr::Or(parts) => PartitionExpr::Or(parts.iter().map(|part| project(part, spec, schema)).collect()),
        Expr::Leaf(field_id, test) => {
            let kind = schema
                .field_by_id(*field_id)
                .and_then(|field| field.field_type.as_primitive_type());
            let Some(kind) = kind else {
                return PartitionExpr::True;
            };
            let parts: Vec<PartitionExpr> = spec
                .fields()
                .iter()
                .enumerate()
                .filter(|(_, field)| field.source_id == *field_id)
                .filter_map(|(at, field)| Some(PartitionExpr::Leaf(at, project_test(test, field.transform, kind)?)))
                .collect();
            if parts.is_empty() {
                PartitionExpr::True
            } else {
                PartitionExpr::And(parts)
            }
        }
    }
}

impl PartitionExpr {
    /// False only if no row of a file with these partition values can match.
    pub(crate) fn might_match(&self, values: &[Option<Value>]) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::And(parts) => parts.iter().all(|part| part.might_match(values)),
            Self::Or(parts) => parts.iter().any(|part| part.might_match(values)),
            Self::Leaf(at, test) => match values.get(*at) {
                None => true,
                Some(value) => test_value(test, value.as_ref()),
            },
        }
    }

    /// False only if no file of a manifest with these summaries can match. `kinds` are the fields' transforms and
    /// types.
    pub(crate) fn manifest_might_match(
        &self,
        summaries: &[FieldSummary],
        kinds: &[(Transform, PrimitiveType)],
    ) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::And(parts) => parts.iter().all(|part| part.manifest_might_match(summaries, kinds)),
            Self::Or(parts) => parts.iter().any(|part| part.manifest_might_match(summaries, kinds)),
            Self::Leaf(at, test) => match (summaries.get(*at), kinds.get(*at)) {
                (Some(summary), Some((transform, kind))) => test_summary(test, summary, *transform, kind),
                _ => true,
            },
        }
    }
}

/// A partition value against a test. NULL matches no comparison, but is kept for "not equal" as Iceberg keeps it.
fn test_value(test: &Test, value: Option<&Value>) -> bool {
    let Some(value) = value else {
        return matches!(
            test,
            Test::IsNull | Test::NotEq(_) | Test::NotIn(_) | Test::NotStartsWith(_)
        );
    };
    let order = |literal: &Value| value.compare(literal);
    match test {
        Test::IsNull => false,
        Test::NotNull => true,
        Test::IsNan => value.is_nan(),
        Test::StartsWith(prefix) => !matches!(value, Value::Str(text) if !text.starts_with(&**prefix)),
        Test::NotStartsWith(prefix) => !matches!(value, Value::Str(text) if text.starts_with(&**prefix)),
        Test::Lt(literal) => matches!(order(literal), None | Some(Ordering::Less)),
        Test::LtEq(literal) => order(literal) != Some(Ordering::Greater),
        Test::Gt(literal) => matches!(order(literal), None | Some(Ordering::Greater)),
        Test::GtEq(literal) => order(literal) != Some(Ordering::Less),
        Test::Eq(literal) => matches!(order(literal), None | Some(Ordering::Equal)),
        Test::NotEq(literal) => order(literal) != Some(Ordering::Equal),
        Test::In(literals) => literals
            .iter()
            .any(|literal| matches!(order(literal), None | Some(Ordering::Equal))),
        Test::NotIn(literals) => literals.iter().all(|literal| order(literal) != Some(Ordering::Equal)),
    }
}

fn test_summary(test: &Test, summary: &FieldSummary, transform: Transform, kind: &PrimitiveType) -> bool {
    let read = |bytes: Option<&iceberg::spec::ByteBuf>| {
        let datum = Datum::try_from_bytes(bytes?, kind.clone()).ok()?;
        match transform {
            Transform::Identity | Transform::Truncate(_) => Value::of(datum.literal(), kind),
            _ => Value::whole(datum.literal()),
        }
    };
    match test {
        Test::IsNull => return summary.contains_null,
        Test::NotNull => {
            let floating = matches!(kind, PrimitiveType::Float | PrimitiveType::Double);
            let no_values = summary.contains_null && summary.lower_bound.is_none();
            return !no_values || (floating && summary.contains_nan != Some(false));
        }
        Test::IsNan => return summary.contains_nan != Some(false),
        Test::NotEq(_) | Test::NotIn(_) | Test::NotStartsWith(_) => return true,
        // Without bounds every value is NULL or NaN.
        _ if summary.lower_bound.is_none() || summary.upper_bound.is_none() => return false,
        _ => {}
    }
    let lower = read(summary.lower_bound.as_ref());
    let upper = read(summary.upper_bound.as_ref());
    let against = |bound: &Option<Value>, literal: &Value| bound.as_ref().and_then(|bound| bound.compare(literal));
    let within = |literal: &Value| {
        against(&lower, literal) != Some(Ordering::Greater) && against(&upper, literal) != Some(Ordering::Less)
    };
    match test {
        Test::StartsWith(prefix) => may_start_with(lower.as_ref(), upper.as_ref(), prefix),
        Test::Lt(literal) => !matches!(against(&lower, literal), Some(Ordering::Greater | Ordering::Equal)),
        Test::LtEq(literal) => against(&lower, literal) != Some(Ordering::Greater),
        Test::Gt(literal) => !matches!(against(&upper, literal), Some(Ordering::Less | Ordering::Equal)),
        Test::GtEq(literal) => against(&upper, literal) != Some(Ordering::Less),
        Test::Eq(literal) => within(literal),
        Test::In(literals) => literals.len() > IN_LIMIT || literals.iter().any(within),
        _ => true,
    }
}

/// One test through one transform; `None` if the transform says nothing about it.
fn project_test(test: &Test, transform: Transform, kind: &PrimitiveType) -> Option<Test> {
    match (transform, test) {
        (Transform::Void | Transform::Unknown, _) => None,
        (Transform::Identity, _) | (_, Test::IsNull | Test::NotNull) => Some(test.clone()),
        (_, Test::IsNan | Test::NotEq(_) | Test::NotIn(_)) => None,
        (Transform::Bucket(_), Test::Eq(value)) => Some(Test::Eq(bucket(transform, value, kind)?)),
        (Transform::Bucket(_), Test::In(values)) => Some(Test::In(
            values
                .iter()
                .map(|value| bucket(transform, value, kind))
                .collect::<Option<_>>()?,
        )),
        (Transform::Bucket(_), _) => None,
        (Transform::Truncate(width), Test::StartsWith(_) | Test::NotStartsWith(_)) => truncated_prefix(test, width),
        (Transform::Truncate(_), _) => monotone(test, &|value| truncated(transform, value)),
        (Transform::Year | Transform::Month | Transform::Day | Transform::Hour, _) => {
            let projected = monotone(test, &|value| time_unit(transform, value))?;
            let exact = transform == Transform::Day && *kind == PrimitiveType::Date;
            Some(if exact {
                projected
            } else {
                widened_before_1970(projected)
            })
        }
    }
}

/// A prefix that a truncated value still shows entirely carries over. Of a longer one only the positive form does, cut:
/// `ab` may have been `abd`, which starts otherwise than `abc`.
fn truncated_prefix(test: &Test, width: u32) -> Option<Test> {
    let width = usize::try_from(width).ok()?;
    let (Test::StartsWith(prefix) | Test::NotStartsWith(prefix)) = test else {
        return None;
    };
    match (test, prefix.char_indices().nth(width)) {
        (_, None) => Some(test.clone()),
        (Test::StartsWith(_), Some((end, _))) => Some(Test::StartsWith(prefix.get(..end)?.into())),
        _ => None,
    }
}

/// A transform that keeps order: a strict test on whole numbers moves its literal by one and becomes inclusive.
fn monotone(test: &Test, apply: &dyn Fn(&Value) -> Option<Value>) -> Option<Test> {
    Some(match test {
        Test::Lt(value) => Test::LtEq(apply(&neighbour(value, -1)?)?),
        Test::LtEq(value) => Test::LtEq(apply(value)?),
        Test::Gt(value) => Test::GtEq(apply(&neighbour(value, 1)?)?),
        Test::GtEq(value) => Test::GtEq(apply(value)?),
        Test::Eq(value) => Test::Eq(apply(value)?),
        Test::In(values) => Test::In(values.iter().map(apply).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// The next value up or down, where there is one; text and bytes stay, which only widens.
fn neighbour(value: &Value, step: i8) -> Option<Value> {
    Some(match value {
        Value::Int(value) => Value::Int(value.checked_add(i64::from(step))?),
        Value::Decimal(value) => Value::Decimal(value.checked_add(i128::from(step))?),
        Value::Date(value) => Value::Date(value.checked_add(i32::from(step))?),
        Value::Micros(value) => Value::Micros(value.checked_add(i64::from(step))?),
        Value::Nanos(value) => Value::Nanos(value.checked_add(i64::from(step))?),
        Value::Str(_) | Value::Bytes(_) => value.clone(),
        _ => return None,
    })
}

fn truncated(transform: Transform, value: &Value) -> Option<Value> {
    let Transform::Truncate(width) = transform else {
        return None;
    };
    if width == 0 {
        return None;
    }
    Some(match value {
        Value::Int(value) => Value::Int(value.checked_sub(value.rem_euclid(i64::from(width)))?),
        Value::Decimal(value) => Value::Decimal(value.checked_sub(value.rem_euclid(i128::from(width)))?),
        // Characters, not bytes: the width counts code points.
        Value::Str(text) => {
            let width = usize::try_from(width).ok()?;
            let end = text.char_indices().nth(width).map_or(text.len(), |(at, _)| at);
            Value::Str(text.get(..end)?.into())
        }
        Value::Bytes(bytes) => Value::Bytes(bytes.get(..usize::try_from(width).ok()?.min(bytes.len()))?.into()),
        _ => return None,
    })
}

fn time_unit(transform: Transform, value: &Value) -> Option<Value> {
    let micros = match value {
        Value::Date(days) => i64::from(*days).checked_mul(MICROS_A_DAY)?,
        Value::Micros(micros) => *micros,
        Value::Nanos(nanos) => nanos.div_euclid(1000),
        _ => return None,
    };
    let days = micros.div_euclid(MICROS_A_DAY);
    Some(Value::Int(match transform {
        Transform::Hour => micros.div_euclid(MICROS_AN_HOUR),
        Transform::Day => days,
        Transform::Month => {
            let (year, month, _) = civil_from_days(days);
            (year - 1970) * 12 + month - 1
        }
        Transform::Year => civil_from_days(days).0 - 1970,
        _ => return None,
    }))
}

/// Early writers rounded times before 1970 toward zero, so that a partition may be one too high.
fn widened_before_1970(test: Test) -> Test {
    let negative = |value: &Value| matches!(value, Value::Int(value) if *value < 0);
    let up = |value: &Value| neighbour(value, 1).unwrap_or_else(|| value.clone());
    match test {
        Test::LtEq(value) if negative(&value) => Test::LtEq(up(&value)),
        Test::Eq(value) if negative(&value) => Test::In(vec![up(&value), value]),
        Test::In(values) if values.iter().any(negative) => {
            let more: Vec<Value> = values.iter().filter(|value| negative(value)).map(up).collect();
            Test::In(values.into_iter().chain(more).collect())
        }
        other => other,
    }
}

fn bucket(transform: Transform, value: &Value, kind: &PrimitiveType) -> Option<Value> {
    let datum = match (value, kind) {
        (Value::Int(value), PrimitiveType::Int) => Datum::int(i32::try_from(*value).ok()?),
        (Value::Int(value), PrimitiveType::Long) => Datum::long(*value),
        (Value::Date(value), _) => Datum::date(*value),
        (Value::Micros(value), PrimitiveType::Timestamptz) => Datum::timestamptz_micros(*value),
        (Value::Micros(value), _) => Datum::timestamp_micros(*value),
        (Value::Str(text), _) => Datum::string(text),
        (Value::Decimal(unscaled), PrimitiveType::Decimal { scale, .. }) => {
            Datum::decimal_from_str(decimal_text(*unscaled, *scale)).ok()?
        }
        _ => return None,
    };
    let function = create_transform_function(&transform).ok()?;
    let result = function.transform_literal(&datum).ok()??;
    Value::whole(result.literal())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Value {
        let (nanos, _) = super::super::calendar::parse_timestamp(text).unwrap();
        Value::Micros(i64::try_from(nanos / 1000).unwrap())
    }

    #[test]
    fn a_comparison_with_a_time_becomes_one_with_its_day() {
        let day = |test| project_test(&test, Transform::Day, &PrimitiveType::Timestamp);
        let first = 20_666;
        assert_eq!(
            day(Test::GtEq(micros("2026-08-01"))),
            Some(Test::GtEq(Value::Int(first)))
        );
        assert_eq!(
            day(Test::Lt(micros("2026-08-01"))),
            Some(Test::LtEq(Value::Int(first - 1)))
        );
        assert_eq!(
            day(Test::Lt(micros("2026-08-01 00:00:01"))),
            Some(Test::LtEq(Value::Int(first)))
        );
        assert_eq!(
            day(Test::Eq(micros("2026-08-01 10:00:00"))),
            Some(Test::Eq(Value::Int(first)))
        );
        assert_eq!(day(Test::NotEq(micros("2026-08-01"))), None);
    }

    #[test]
    fn months_and_years_count_from_1970() {
        let of = |transform| time_unit(transform, &Value::Date(20_666));
        assert_eq!(of(Transform::Month), Some(Value::Int(56 * 12 + 7)));
        assert_eq!(of(Transform::Year), Some(Value::Int(56)));
        assert_eq!(time_unit(Transform::Year, &Value::Date(-1)), Some(Value::Int(-1)));
        assert_eq!(
            time_unit(Transform::Hour, &micros("1969-12-31 23:59:59")),
            Some(Value::Int(-1))
        );
    }

    #[test]
    fn times_before_1970_keep_the_partition_above() {
        let month = |test| project_test(&test, Transform::Month, &PrimitiveType::Date);
        assert_eq!(month(Test::LtEq(Value::Date(-40))), Some(Test::LtEq(Value::Int(-1))));
        assert_eq!(
            month(Test::Eq(Value::Date(-40))),
            Some(Test::In(vec![Value::Int(-1), Value::Int(-2)]))
        );
    }

    #[test]
    fn truncation_counts_characters_and_rounds_down() {
        let four = Transform::Truncate(4);
        assert_eq!(
            truncated(four, &Value::Str("éééééé".into())),
            Some(Value::Str("éééé".into()))
        );
        assert_eq!(
            truncated(Transform::Truncate(10), &Value::Int(-1)),
            Some(Value::Int(-10))
        );
        assert_eq!(
            truncated(Transform::Truncate(50), &Value::Decimal(1065)),
            Some(Value::Decimal(1050))
        );
    }

    #[test]
    fn a_prefix_meets_truncated_values_in_characters_and_its_negation_only_in_full() {
        let project = |test, width| project_test(&test, Transform::Truncate(width), &PrimitiveType::String);
        let starts = |prefix: &str| Test::StartsWith(prefix.into());
        let not = |prefix: &str| Test::NotStartsWith(prefix.into());
        assert_eq!(project(starts("ébc"), 2), Some(starts("éb")));
        assert_eq!(project(starts("éb"), 2), Some(starts("éb")));
        assert_eq!(project(starts("é"), 2), Some(starts("é")));
        // The value `ab` may stand for texts that start with `abc` and for others.
        assert_eq!(project(not("abc"), 2), None);
        assert_eq!(project(not("ab"), 2), Some(not("ab")));
        let ab = Value::Str("ab".into());
        assert!(!test_value(&not("ab"), Some(&ab)));
        assert!(test_value(&not("abc"), Some(&ab)));
        assert!(!test_value(&starts("abc"), Some(&ab)));
        assert!(test_value(&not("ab"), None));
    }

    #[test]
    fn a_bucket_answers_equality_only() {
        let eight = Transform::Bucket(8);
        let project = |test| project_test(&test, eight, &PrimitiveType::Long);
        assert!(matches!(
            project(Test::Eq(Value::Int(34))),
            Some(Test::Eq(Value::Int(0..8)))
        ));
        assert!(project(Test::Gt(Value::Int(34))).is_none());
        // The hash of the specification: bucket(2^31 .. ) of 34 is 2017239379.
        assert_eq!(
            project_test(&Test::Eq(Value::Int(34)), Transform::Bucket(100), &PrimitiveType::Int),
            Some(Test::Eq(Value::Int(2_017_239_379 % 100)))
        );
    }

    #[test]
    fn null_partitions_match_no_comparison_but_stay_for_not_equal() {
        let five = Value::Int(5);
        for (test, want) in [
            (Test::Eq(five.clone()), false),
            (Test::Lt(five.clone()), false),
            (Test::NotEq(five.clone()), true),
            (Test::NotIn(vec![five.clone()]), true),
            (Test::IsNull, true),
            (Test::NotNull, false),
        ] {
            assert_eq!(test_value(&test, None), want, "{test:?}");
        }
        assert!(test_value(&Test::Eq(five.clone()), Some(&five)));
    }
}
