//! Trino's names for Arrow's types, in both forms that a result page gives: text and signature.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use serde_json::{Value, json};

/// A Trino type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrinoType {
    /// A type that is only its name.
    Plain(&'static str),
    /// `varchar`, which has no length here.
    Varchar,
    /// `decimal(precision, scale)`.
    Decimal(u8, i8),
    /// `timestamp(digits)`.
    Timestamp(u8),
    /// `timestamp(digits) with time zone`.
    TimestampTz(u8),
    /// `time(digits)`.
    Time(u8),
    /// `array(element)`.
    Array(Box<Self>),
    /// `row(name type, ..)`.
    Row(Vec<(String, Self)>),
}

/// Digits after the second that clients get who do not know the parametric types.
const LEGACY_DIGITS: u8 = 3;

impl TrinoType {
    /// The Trino type in which values of an Arrow type are sent. What Trino has no type for is sent as text.
    pub(crate) fn of(arrow: &DataType, parametric_datetime: bool) -> Self {
        let digits = |unit: &TimeUnit| match unit {
            _ if !parametric_datetime => LEGACY_DIGITS,
            TimeUnit::Second => 0,
            TimeUnit::Millisecond => 3,
            TimeUnit::Microsecond => 6,
            TimeUnit::Nanosecond => 9,
        };
        match arrow {
            DataType::Null => Self::Plain("unknown"),
            DataType::Boolean => Self::Plain("boolean"),
            DataType::Int8 => Self::Plain("tinyint"),
            DataType::Int16 | DataType::UInt8 => Self::Plain("smallint"),
            DataType::Int32 | DataType::UInt16 => Self::Plain("integer"),
            // Unsigned ones come from counts and row numbers, which are bigint in Trino.
            DataType::Int64 | DataType::UInt32 | DataType::UInt64 => Self::Plain("bigint"),
            DataType::Float16 | DataType::Float32 => Self::Plain("real"),
            DataType::Float64 => Self::Plain("double"),
            DataType::Decimal32(p, s)
            | DataType::Decimal64(p, s)
            | DataType::Decimal128(p, s)
            | DataType::Decimal256(p, s) => Self::Decimal((*p).min(38), *s),
            DataType::Date32 | DataType::Date64 => Self::Plain("date"),
            DataType::Time32(unit) | DataType::Time64(unit) => Self::Time(digits(unit)),
            DataType::Timestamp(unit, None) => Self::Timestamp(digits(unit)),
            DataType::Timestamp(unit, Some(_)) => Self::TimestampTz(digits(unit)),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Self::Plain("varbinary")
            }
            DataType::List(item) | DataType::LargeList(item) => {
                Self::Array(Box::new(Self::of(item.data_type(), parametric_datetime)))
            }
            DataType::Struct(fields) => Self::Row(
                fields
                    .iter()
                    .map(|f| {
                        let kind = Self::of(f.data_type(), parametric_datetime);
                        (f.name().clone(), kind)
                    })
                    .collect(),
            ),
            DataType::Dictionary(_, value) => Self::of(value, parametric_datetime),
            _ => Self::Varchar,
        }
    }

    /// The type's signature, from which JDBC and the Python client read it.
    pub(crate) fn signature(&self) -> Value {
        let long = |value: i64| json!({"kind": "LONG", "value": value});
        let (raw, arguments) = match self {
            Self::Plain(name) => (*name, Vec::new()),
            Self::Varchar => ("varchar", vec![long(i64::from(i32::MAX))]),
            Self::Decimal(p, s) => ("decimal", vec![long(i64::from(*p)), long(i64::from(*s))]),
            Self::Timestamp(d) => ("timestamp", vec![long(i64::from(*d))]),
            Self::TimestampTz(d) => ("timestamp with time zone", vec![long(i64::from(*d))]),
            Self::Time(d) => ("time", vec![long(i64::from(*d))]),
            Self::Array(item) => ("array", vec![json!({"kind": "TYPE", "value": item.signature()})]),
            Self::Row(fields) => {
                let field = |(name, kind): &(String, Self)| {
                    json!({
                        "kind": "NAMED_TYPE",
                        "value": {"fieldName": {"name": name}, "typeSignature": kind.signature()},
                    })
                };
                ("row", fields.iter().map(field).collect())
            }
        };
        json!({"rawType": raw, "arguments": arguments})
    }
}

impl std::fmt::Display for TrinoType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain(name) => f.write_str(name),
            Self::Varchar => f.write_str("varchar"),
            Self::Decimal(p, s) => write!(f, "decimal({p}, {s})"),
            Self::Timestamp(d) => write!(f, "timestamp({d})"),
            Self::TimestampTz(d) => write!(f, "timestamp({d}) with time zone"),
            Self::Time(d) => write!(f, "time({d})"),
            Self::Array(item) => write!(f, "array({item})"),
            Self::Row(fields) => {
                f.write_str("row(")?;
                for (at, (name, kind)) in fields.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}\"{}\" {kind}", name.replace('"', "\"\""))?;
                }
                f.write_str(")")
            }
        }
    }
}
