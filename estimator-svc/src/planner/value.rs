//! One value of a column, as bounds, partitions and literals share it.
//!
//! Widths that Iceberg may promote (int to long, float to double) are one variant each, so that a bound written before
//! the promotion still compares. Everything else compares only with its like: what does not compare prunes nothing.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use iceberg::spec::{PrimitiveLiteral, PrimitiveType};

/// A floating-point number that can be a key: equal if the bits are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real(pub(crate) f64);

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Real {}

impl Hash for Real {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Bool(bool),
    /// Int, long, and what time and bucket transforms give.
    Int(i64),
    /// Float and double.
    Float(Real),
    /// The unscaled number; the scale is the column's and never changes.
    Decimal(i128),
    /// Days from 1970-01-01.
    Date(i32),
    /// Microseconds from midnight.
    Time(i64),
    /// Microseconds from 1970-01-01, in UTC if the column has zones.
    Micros(i64),
    /// Nanoseconds from 1970-01-01.
    Nanos(i64),
    Str(Box<str>),
    Bytes(Box<[u8]>),
    Uuid(u128),
}

impl Value {
    /// Reads a literal of iceberg-rust. `None` if the two do not belong together.
    pub(crate) fn of(literal: &PrimitiveLiteral, kind: &PrimitiveType) -> Option<Self> {
        Some(match (kind, literal) {
            (PrimitiveType::Boolean, PrimitiveLiteral::Boolean(value)) => Self::Bool(*value),
            (PrimitiveType::Int | PrimitiveType::Long, PrimitiveLiteral::Int(value)) => Self::Int(i64::from(*value)),
            (PrimitiveType::Int | PrimitiveType::Long, PrimitiveLiteral::Long(value)) => Self::Int(*value),
            (PrimitiveType::Float | PrimitiveType::Double, PrimitiveLiteral::Float(value)) => {
                Self::Float(Real(f64::from(value.0)))
            }
            (PrimitiveType::Float | PrimitiveType::Double, PrimitiveLiteral::Double(value)) => {
                Self::Float(Real(value.0))
            }
            (PrimitiveType::Decimal { .. }, PrimitiveLiteral::Int128(value)) => Self::Decimal(*value),
            (PrimitiveType::Date, PrimitiveLiteral::Int(value)) => Self::Date(*value),
            (PrimitiveType::Time, PrimitiveLiteral::Long(value)) => Self::Time(*value),
            (PrimitiveType::Timestamp | PrimitiveType::Timestamptz, PrimitiveLiteral::Long(value)) => {
                Self::Micros(*value)
            }
            (PrimitiveType::TimestampNs | PrimitiveType::TimestamptzNs, PrimitiveLiteral::Long(value)) => {
                Self::Nanos(*value)
            }
            (PrimitiveType::String, PrimitiveLiteral::String(value)) => Self::Str(value.as_str().into()),
            (PrimitiveType::Fixed(_) | PrimitiveType::Binary, PrimitiveLiteral::Binary(value)) => {
                Self::Bytes(value.as_slice().into())
            }
            (PrimitiveType::Uuid, PrimitiveLiteral::UInt128(value)) => Self::Uuid(*value),
            _ => return None,
        })
    }

    /// The result of a transform that gives whole numbers, whatever type it is declared to have.
    pub(crate) fn whole(literal: &PrimitiveLiteral) -> Option<Self> {
        match literal {
            PrimitiveLiteral::Int(value) => Some(Self::Int(i64::from(*value))),
            PrimitiveLiteral::Long(value) => Some(Self::Int(*value)),
            _ => None,
        }
    }

    /// The order of two values of one kind; `None` if they are of different kinds, or one is NaN.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            (Self::Int(a), Self::Int(b))
            | (Self::Time(a), Self::Time(b))
            | (Self::Micros(a), Self::Micros(b))
            | (Self::Nanos(a), Self::Nanos(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.0.partial_cmp(&b.0),
            (Self::Decimal(a), Self::Decimal(b)) => Some(a.cmp(b)),
            (Self::Date(a), Self::Date(b)) => Some(a.cmp(b)),
            // UTF-8 keeps the order of code points.
            (Self::Str(a), Self::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Self::Bytes(a), Self::Bytes(b)) => Some(a.cmp(b)),
            (Self::Uuid(a), Self::Uuid(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// True for NaN. A bound that is NaN says nothing.
    pub(crate) fn is_nan(&self) -> bool {
        matches!(self, Self::Float(value) if value.0.is_nan())
    }

    /// Memory beyond the value itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Str(value) => value.len(),
            Self::Bytes(value) => value.len(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_different_kinds_do_not_compare() {
        assert_eq!(Value::Date(1).compare(&Value::Micros(1)), None);
        assert_eq!(Value::Int(1).compare(&Value::Int(2)), Some(Ordering::Less));
        assert_eq!(Value::Float(Real(f64::NAN)).compare(&Value::Float(Real(0.0))), None);
        assert_eq!(
            Value::Str("Z".into()).compare(&Value::Str("a".into())),
            Some(Ordering::Less)
        );
    }

    #[test]
    fn a_bound_from_before_a_promotion_compares_with_one_from_after() {
        let before = Value::of(&PrimitiveLiteral::Int(7), &PrimitiveType::Int);
        let after = Value::of(&PrimitiveLiteral::Long(7), &PrimitiveType::Long);
        assert_eq!(before, after);
    }
}
