//! The columns that every generated table has, and what is in them.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use iceberg::spec::{Datum, PrimitiveType};

pub(crate) const MICROS_A_DAY: i64 = 86_400 * 1_000_000;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    /// Nine digits, two of them after the point.
    Decimal,
    Date,
    Timestamp,
    /// DataFusion gets it in the session's local time, so that one text means the same to both.
    Timestamptz,
    Text,
}

/// Name and kind; the field id is the position plus one.
pub(crate) const COLUMNS: [(&str, Kind); 12] = [
    ("b", Kind::Boolean),
    ("i", Kind::Int),
    ("l", Kind::Long),
    ("f", Kind::Float),
    ("d", Kind::Double),
    ("m", Kind::Decimal),
    ("dt", Kind::Date),
    ("ts", Kind::Timestamp),
    ("tz", Kind::Timestamptz),
    ("s", Kind::Text),
    // Never NULL, and declared so: what joins are made on.
    ("k", Kind::Long),
    // Always NULL.
    ("n", Kind::Int),
];

/// The position of the column that is required.
pub(crate) const KEY: usize = 10;
/// The position of the column that is always NULL.
pub(crate) const NOTHING: usize = 11;

/// One value. Times are microseconds from 1970-01-01, those with zone in UTC.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Decimal(i64),
    Days(i32),
    Micros(i64),
    Text(String),
}

impl Cell {
    pub(crate) fn is_nan(&self) -> bool {
        matches!(self, Self::Real(value) if value.is_nan())
    }

    /// The order that bounds are taken by; -0 comes before 0, as Iceberg says.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b))
            | (Self::Decimal(a), Self::Decimal(b))
            | (Self::Micros(a), Self::Micros(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => a.total_cmp(b),
            (Self::Days(a), Self::Days(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Null, Self::Null) => std::cmp::Ordering::Equal,
            (Self::Null, _) => std::cmp::Ordering::Less,
            (_, Self::Null) => std::cmp::Ordering::Greater,
            (a, b) => panic!("{a:?} beside {b:?}"),
        }
    }

    /// As Iceberg's metadata holds it; `None` for NULL.
    pub(crate) fn datum(&self, kind: Kind) -> Option<Datum> {
        Some(match (self, kind) {
            (Self::Null, _) => return None,
            (Self::Bool(value), _) => Datum::bool(*value),
            (Self::Int(value), Kind::Int) => Datum::int(i32::try_from(*value).unwrap()),
            (Self::Int(value), _) => Datum::long(*value),
            #[expect(clippy::cast_possible_truncation, reason = "made from an f32")]
            (Self::Real(value), Kind::Float) => Datum::float(*value as f32),
            (Self::Real(value), _) => Datum::double(*value),
            (Self::Decimal(value), _) => {
                Datum::try_from_bytes(&i128::from(*value).to_be_bytes(), kind.iceberg()).unwrap()
            }
            (Self::Days(value), _) => Datum::date(*value),
            (Self::Micros(value), Kind::Timestamptz) => Datum::timestamptz_micros(*value),
            (Self::Micros(value), _) => Datum::timestamp_micros(*value),
            (Self::Text(value), _) => Datum::string(value),
        })
    }
}

impl Kind {
    pub(crate) fn iceberg(self) -> PrimitiveType {
        match self {
            Self::Boolean => PrimitiveType::Boolean,
            Self::Int => PrimitiveType::Int,
            Self::Long => PrimitiveType::Long,
            Self::Float => PrimitiveType::Float,
            Self::Double => PrimitiveType::Double,
            Self::Decimal => PrimitiveType::Decimal { precision: 9, scale: 2 },
            Self::Date => PrimitiveType::Date,
            Self::Timestamp => PrimitiveType::Timestamp,
            Self::Timestamptz => PrimitiveType::Timestamptz,
            Self::Text => PrimitiveType::String,
        }
    }

    pub(crate) fn arrow(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int => DataType::Int32,
            Self::Long => DataType::Int64,
            Self::Float => DataType::Float32,
            Self::Double => DataType::Float64,
            Self::Decimal => DataType::Decimal128(9, 2),
            Self::Date => DataType::Date32,
            Self::Timestamp | Self::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Text => DataType::Utf8,
        }
    }
}
