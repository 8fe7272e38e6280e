//! From a predicate in SQL's terms to one over a table's columns.
//!
//! The rule: what comes out is implied by what went in. A leaf that cannot be carried over without doubt (a column that
//! the table does not have, a literal of another type, a zone that only the session knows) becomes *always true*, and
//! the result is marked as weakened. Column names match without regard to case, as the engines match them; a name that
//! fits two columns fits none.
//!
//! Not here: what the engine coerces silently and we do not know of. Text against a number, for one, prunes nothing.

use std::collections::BTreeSet;

use iceberg::spec::{NestedFieldRef, PrimitiveType, Schema, StructType, Type};
use lakegate_core::predicate::{Column, Comparison, Literal, Predicate};

use super::calendar::{NANOS_A_DAY, Zone, parse_date, parse_timestamp};
use super::expression::{Expr, Test};
use super::value::{Real, Value};

/// No zone of any time and place is further from UTC than this.
const WIDEST_ZONE_NANOS: i128 = 18 * 3_600 * 1_000_000_000;

/// A predicate over columns, and whether it says exactly what was asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) expr: Expr,
    /// False if a leaf was weakened or dropped.
    pub(crate) exact: bool,
}

impl Bound {
    fn exactly(expr: Expr) -> Self {
        Self { expr, exact: true }
    }

    fn weaker(expr: Expr) -> Self {
        Self { expr, exact: false }
    }

    /// Nothing is known of it.
    fn dropped() -> Self {
        Self::weaker(Expr::True)
    }

    fn all(parts: Vec<Bound>, combine: fn(Vec<Expr>) -> Expr) -> Self {
        let exact = parts.iter().all(|part| part.exact);
        Self {
            expr: combine(parts.into_iter().map(|part| part.expr).collect()),
            exact,
        }
    }
}

/// A predicate, and what NaN does to it. No bound covers NaN, so where NaN may satisfy a comparison, files that may
/// hold one stay; and Trino prunes nothing by a negated comparison of floating-point numbers, whatever the statistics
/// say of NaN (seen with Trino 476).
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// The predicate.
    pub predicate: &'a Predicate,
    /// Columns with an order comparison that came out of a negation: NaN satisfies `NOT (x <= 5)`.
    pub nan_columns: &'a BTreeSet<Column>,
    /// The engine sorts NaN above all numbers (Spark, Dremio), so that it satisfies `x > 5`.
    pub nan_is_largest: bool,
}

static NO_COLUMNS: BTreeSet<Column> = BTreeSet::new();

impl<'a> Filter<'a> {
    /// A predicate without negated comparisons, for an engine that compares NaN as IEEE 754 does.
    #[must_use]
    pub fn plain(predicate: &'a Predicate) -> Self {
        Self {
            predicate,
            nan_columns: &NO_COLUMNS,
            nan_is_largest: false,
        }
    }

    fn with(self, predicate: &'a Predicate) -> Self {
        Self { predicate, ..self }
    }

    fn nan_may_satisfy(&self, comparison: Comparison) -> bool {
        self.nan_is_largest && matches!(comparison, Comparison::Gt | Comparison::GtEq)
    }
}

/// Binds a predicate to a schema.
pub(crate) fn bind(filter: Filter<'_>, schema: &Schema) -> Bound {
    let all = |parts: &[Predicate], combine: fn(Vec<Expr>) -> Expr| {
        let parts: Vec<Bound> = parts.iter().map(|part| bind(filter.with(part), schema)).collect();
        Bound::all(parts, combine)
    };
    match filter.predicate {
        Predicate::AlwaysTrue => Bound::exactly(Expr::True),
        Predicate::AlwaysFalse => Bound::exactly(Expr::False),
        Predicate::And(parts) => all(parts, Expr::and),
        Predicate::Or(parts) => all(parts, Expr::or),
        Predicate::Compare(column, comparison, literal) => match primitive(schema, column) {
            Some((field, kind)) => {
                let floating = matches!(kind, PrimitiveType::Float | PrimitiveType::Double);
                if floating
                    && !matches!(comparison, Comparison::Eq | Comparison::NotEq)
                    && filter.nan_columns.contains(column)
                {
                    return Bound::dropped();
                }
                let mut bound = compare(field.id, kind, *comparison, literal);
                if floating && filter.nan_may_satisfy(*comparison) {
                    bound.expr = Expr::or([bound.expr, Expr::Leaf(field.id, Test::IsNan)]);
                }
                bound
            }
            None => Bound::dropped(),
        },
        Predicate::In {
            column,
            literals,
            negated,
        } => match primitive(schema, column) {
            Some((field, kind)) => in_list(field.id, kind, literals, *negated),
            None => Bound::dropped(),
        },
        Predicate::StartsWith {
            column,
            prefix,
            negated,
        } => match primitive(schema, column) {
            Some((field, PrimitiveType::String)) => {
                let prefix = prefix.as_str().into();
                let test = if *negated {
                    Test::NotStartsWith(prefix)
                } else {
                    Test::StartsWith(prefix)
                };
                Bound::exactly(Expr::Leaf(field.id, test))
            }
            _ => Bound::dropped(),
        },
        Predicate::IsNull { column, negated } => match primitive(schema, column) {
            // A required field of the table itself is never NULL; one inside an optional struct may be.
            Some((field, _)) if field.required && column.0.len() == 1 => {
                Bound::exactly(if *negated { Expr::True } else { Expr::False })
            }
            Some((field, _)) => {
                let test = if *negated { Test::NotNull } else { Test::IsNull };
                Bound::exactly(Expr::Leaf(field.id, test))
            }
            None => Bound::dropped(),
        },
    }
}

/// The one field of primitive type that the name leads to, through structs only.
fn primitive<'a>(schema: &'a Schema, column: &Column) -> Option<(&'a NestedFieldRef, &'a PrimitiveType)> {
    let (last, path) = column.0.split_last()?;
    let mut fields: &StructType = schema.as_struct();
    for name in path {
        match named(fields, name)?.field_type.as_ref() {
            Type::Struct(inner) => fields = inner,
            _ => return None,
        }
    }
    let field = named(fields, last)?;
    Some((field, field.field_type.as_primitive_type()?))
}

fn named<'a>(fields: &'a StructType, name: &str) -> Option<&'a NestedFieldRef> {
    let wanted = name.to_lowercase();
    let mut matching = fields
        .fields()
        .iter()
        .filter(|field| field.name.to_lowercase() == wanted);
    let field = matching.next()?;
    matching.next().is_none().then_some(field)
}

fn in_list(id: i32, kind: &PrimitiveType, literals: &[Literal], negated: bool) -> Bound {
    let comparison = if negated { Comparison::NotEq } else { Comparison::Eq };
    let mut exact = true;
    let mut values = Vec::with_capacity(literals.len());
    let mut others = Vec::new();
    for literal in literals {
        let bound = compare(id, kind, comparison, literal);
        exact &= bound.exact;
        match bound.expr {
            Expr::Leaf(_, Test::Eq(value) | Test::NotEq(value)) => values.push(value),
            other => others.push(other),
        }
    }
    let list = match (values.len(), negated) {
        (0, false) => Expr::False,
        (0, true) => Expr::True,
        (1, false) => values
            .pop()
            .map_or(Expr::False, |value| Expr::Leaf(id, Test::Eq(value))),
        (1, true) => values
            .pop()
            .map_or(Expr::True, |value| Expr::Leaf(id, Test::NotEq(value))),
        (_, false) => Expr::Leaf(id, Test::In(values)),
        (_, true) => Expr::Leaf(id, Test::NotIn(values)),
    };
    others.push(list);
    Bound {
        expr: if negated { Expr::and(others) } else { Expr::or(others) },
        exact,
    }
}

fn compare(id: i32, kind: &PrimitiveType, comparison: Comparison, literal: &Literal) -> Bound {
    let leaf = |test| Expr::Leaf(id, test);
    let point = |scaled: Option<Scaled>, least: i128, most: i128, make: &dyn Fn(i128) -> Option<Value>| match scaled
        .and_then(|scaled| scaled.on_grid(comparison, least, most, make))
    {
        Some(on_grid) => on_grid.into_bound(id),
        None => Bound::dropped(),
    };
    match (kind, literal) {
        (PrimitiveType::Boolean, Literal::Boolean(value)) => {
            Bound::exactly(leaf(test_of(comparison, Value::Bool(*value))))
        }
        (PrimitiveType::String, Literal::String(text)) => {
            Bound::exactly(leaf(test_of(comparison, Value::Str(text.as_str().into()))))
        }
        (PrimitiveType::Int, _) => point(number(literal, 0), i128::from(i32::MIN), i128::from(i32::MAX), &int),
        (PrimitiveType::Long, _) => point(number(literal, 0), i128::from(i64::MIN), i128::from(i64::MAX), &int),
        // A double literal makes the engine compare as doubles, which decimals do not survive unchanged.
        (PrimitiveType::Decimal { .. }, Literal::Double(_)) => Bound::dropped(),
        (PrimitiveType::Decimal { scale, .. }, _) => point(number(literal, *scale), i128::MIN, i128::MAX, &|value| {
            Some(Value::Decimal(value))
        }),
        (PrimitiveType::Float | PrimitiveType::Double, _) => floating(id, kind, comparison, literal),
        (PrimitiveType::Date, _) => point(days(literal), i128::from(i32::MIN), i128::from(i32::MAX), &|days| {
            i32::try_from(days).ok().map(Value::Date)
        }),
        (PrimitiveType::Timestamp, _) => zoneless(literal, 1000, |scaled| {
            point(Some(scaled), i128::from(i64::MIN), i128::from(i64::MAX), &micros)
        }),
        (PrimitiveType::TimestampNs, _) => zoneless(literal, 1, |scaled| {
            point(Some(scaled), i128::from(i64::MIN), i128::from(i64::MAX), &nanos)
        }),
        (PrimitiveType::Timestamptz, _) => zoned(id, comparison, literal, 1000, &micros),
        (PrimitiveType::TimestamptzNs, _) => zoned(id, comparison, literal, 1, &nanos),
        _ => Bound::dropped(),
    }
}

fn int(value: i128) -> Option<Value> {
    i64::try_from(value).ok().map(Value::Int)
}

fn micros(value: i128) -> Option<Value> {
    i64::try_from(value).ok().map(Value::Micros)
}

fn nanos(value: i128) -> Option<Value> {
    i64::try_from(value).ok().map(Value::Nanos)
}

fn test_of(comparison: Comparison, value: Value) -> Test {
    match comparison {
        Comparison::Eq => Test::Eq(value),
        Comparison::NotEq => Test::NotEq(value),
        Comparison::Lt => Test::Lt(value),
        Comparison::LtEq => Test::LtEq(value),
        Comparison::Gt => Test::Gt(value),
        Comparison::GtEq => Test::GtEq(value),
    }
}

/// A literal on a column's grid (whole numbers, a decimal's last digit, days, microseconds): the grid point at or below
/// it, and whether it is that point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scaled {
    floor: i128,
    exact: bool,
}

/// What a comparison became.
enum OnGrid {
    Test(Test),
    Always,
    Never,
    /// True for all we know.
    Unclear,
}

impl OnGrid {
    fn into_bound(self, id: i32) -> Bound {
        match self {
            Self::Test(test) => Bound::exactly(Expr::Leaf(id, test)),
            Self::Always => Bound::exactly(Expr::True),
            Self::Never => Bound::exactly(Expr::False),
            Self::Unclear => Bound::dropped(),
        }
    }
}

impl Scaled {
    fn of(value: i128, unit: i128) -> Self {
        Self {
            floor: value.div_euclid(unit),
            exact: value.rem_euclid(unit) == 0,
        }
    }

    /// The comparison between grid points; outside of the column's range it is decided already.
    fn on_grid(
        self,
        comparison: Comparison,
        least: i128,
        most: i128,
        make: &dyn Fn(i128) -> Option<Value>,
    ) -> Option<OnGrid> {
        use Comparison::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        let comparison = match (comparison, self.exact) {
            (comparison, true) => comparison,
            (Lt | LtEq, false) => LtEq,
            (Gt | GtEq, false) => Gt,
            // No value of the column is equal, by SQL's rules; an engine that rounds the literal sees it otherwise.
            (Eq | NotEq, false) => return Some(OnGrid::Unclear),
        };
        if self.floor > most {
            return Some(match comparison {
                Lt | LtEq | NotEq => OnGrid::Always,
                Gt | GtEq | Eq => OnGrid::Never,
            });
        }
        if self.floor < least {
            return Some(match comparison {
                Gt | GtEq | NotEq => OnGrid::Always,
                Lt | LtEq | Eq => OnGrid::Never,
            });
        }
        Some(OnGrid::Test(test_of(comparison, make(self.floor)?)))
    }
}

/// A number with that many decimal places; `None` if the literal is none, or too long.
fn number(literal: &Literal, scale: u32) -> Option<Scaled> {
    match literal {
        Literal::Integer(value) => Some(Scaled {
            floor: value.checked_mul(10i128.checked_pow(scale)?)?,
            exact: true,
        }),
        Literal::Decimal(text) => decimal(text, scale),
        Literal::Double(value) => {
            // Whole numbers up to 2^53 are the same number as a double.
            const LARGEST: f64 = 9_007_199_254_740_992.0;
            if scale > 0 || !value.is_finite() || value.abs() >= LARGEST {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, reason = "checked to fit")]
            let floor = value.floor() as i64;
            Some(Scaled {
                floor: i128::from(floor),
                exact: value.fract() == 0.0,
            })
        }
        _ => None,
    }
}

fn decimal(text: &str, scale: u32) -> Option<Scaled> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let places = u32::try_from(fraction.len()).ok()?;
    let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
    let unscaled = if negative { -unscaled } else { unscaled };
    if places <= scale {
        return Some(Scaled {
            floor: unscaled.checked_mul(10i128.checked_pow(scale - places)?)?,
            exact: true,
        });
    }
    Some(Scaled::of(unscaled, 10i128.checked_pow(places - scale)?))
}

/// A literal as days. Text counts where it is a date and nothing else; a time of day compares with midnight.
fn days(literal: &Literal) -> Option<Scaled> {
    match literal {
        Literal::Date(text) | Literal::String(text) => Some(Scaled {
            floor: i128::from(parse_date(text)?),
            exact: true,
        }),
        Literal::Timestamp(text) => match parse_timestamp(text)? {
            (nanos, Zone::None) => Some(Scaled::of(nanos, NANOS_A_DAY)),
            (_, Zone::Offset) => None,
        },
        _ => None,
    }
}

/// A literal as nanoseconds with its zone; dates are midnights.
fn instant(literal: &Literal) -> Option<(i128, Zone)> {
    match literal {
        Literal::Timestamp(text) | Literal::String(text) => parse_timestamp(text),
        Literal::Date(text) => Some((i128::from(parse_date(text)?) * NANOS_A_DAY, Zone::None)),
        _ => None,
    }
}

/// A column without zone: a literal with one is another matter, the session's zone would have to be known.
fn zoneless(literal: &Literal, unit: i128, point: impl FnOnce(Scaled) -> Bound) -> Bound {
    match instant(literal) {
        Some((nanos, Zone::None)) => point(Scaled::of(nanos, unit)),
        _ => Bound::dropped(),
    }
}

/// A column with zone: a literal without one is meant in the session's zone, so it may lie up to 18 hours either way.
fn zoned(
    id: i32,
    comparison: Comparison,
    literal: &Literal,
    unit: i128,
    make: &dyn Fn(i128) -> Option<Value>,
) -> Bound {
    let on_grid = |comparison, nanos| {
        Scaled::of(nanos, unit).on_grid(comparison, i128::from(i64::MIN), i128::from(i64::MAX), make)
    };
    match instant(literal) {
        Some((nanos, Zone::Offset)) => on_grid(comparison, nanos).map_or_else(Bound::dropped, |on| on.into_bound(id)),
        Some((nanos, Zone::None)) => {
            let earliest = nanos - WIDEST_ZONE_NANOS;
            let latest = nanos + WIDEST_ZONE_NANOS;
            let sides: &[(Comparison, i128)] = match comparison {
                Comparison::Lt | Comparison::LtEq => &[(Comparison::LtEq, latest)],
                Comparison::Gt | Comparison::GtEq => &[(Comparison::GtEq, earliest)],
                Comparison::Eq => &[(Comparison::GtEq, earliest), (Comparison::LtEq, latest)],
                Comparison::NotEq => &[],
            };
            let parts = sides
                .iter()
                .map(|(comparison, nanos)| on_grid(*comparison, *nanos).map_or(Expr::True, |on| on.into_bound(id).expr))
                .collect::<Vec<_>>();
            Bound::weaker(Expr::and(parts))
        }
        None => Bound::dropped(),
    }
}

/// A floating-point column. The literal may be rounded on its way into the comparison, up or down, so it is taken as
/// the range between its neighbours.
fn floating(id: i32, kind: &PrimitiveType, comparison: Comparison, literal: &Literal) -> Bound {
    // What the literal is as a double, and whether it is that without rounding.
    let (value, whole) = match literal {
        Literal::Integer(value) if value.unsigned_abs() <= 1 << 24 => {
            #[expect(clippy::cast_precision_loss, reason = "24 bits fit a float")]
            let value = *value as f64;
            (value, true)
        }
        Literal::Integer(value) => {
            #[expect(clippy::cast_precision_loss, reason = "widened to the neighbours below")]
            let value = *value as f64;
            (value, false)
        }
        Literal::Decimal(text) => match text.trim().parse::<f64>() {
            Ok(value) => (value, false),
            Err(_) => return Bound::dropped(),
        },
        // Every engine compares a float with a double as doubles: neither is rounded.
        Literal::Double(value) => (*value, true),
        _ => return Bound::dropped(),
    };
    if !value.is_finite() {
        return Bound::dropped();
    }
    let (low, high) = if whole {
        (value, value)
    } else if *kind == PrimitiveType::Float {
        #[expect(clippy::cast_possible_truncation, reason = "rounding is what the neighbours are for")]
        let narrow = value as f32;
        (f64::from(narrow.next_down()), f64::from(narrow.next_up()))
    } else {
        (value.next_down(), value.next_up())
    };
    let real = |value: f64| Value::Float(Real(value));
    let leaf = |test| Expr::Leaf(id, test);
    if low.to_bits() == high.to_bits() {
        return Bound::exactly(leaf(test_of(comparison, real(value))));
    }
    Bound::weaker(match comparison {
        Comparison::Lt | Comparison::LtEq => leaf(Test::LtEq(real(high))),
        Comparison::Gt | Comparison::GtEq => leaf(Test::GtEq(real(low))),
        Comparison::Eq => Expr::and([leaf(Test::GtEq(real(low))), leaf(Test::LtEq(real(high)))]),
        Comparison::NotEq => Expr::True,
    })
}

#[cfg(test)]
mod tests;
