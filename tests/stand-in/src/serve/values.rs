//! Arrow columns as the JSON values of a result page.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::Value;

use super::types::TrinoType;

/// A row of a result page.
pub(crate) type Row = Vec<Value>;

/// The rows of a batch. `types` has one entry for each column.
pub(crate) fn rows(batch: &RecordBatch, types: &[TrinoType]) -> Result<Vec<Row>, ArrowError> {
    let mut rows: Vec<Row> = (0..batch.num_rows()).map(|_| Vec::with_capacity(types.len())).collect();
    for (column, kind) in batch.columns().iter().zip(types) {
        for (row, value) in rows.iter_mut().zip(column_values(column, kind)?) {
            row.push(value);
        }
    }
    Ok(rows)
}

fn column_values(column: &ArrayRef, kind: &TrinoType) -> Result<Vec<Value>, ArrowError> {
    let array = match plain_type(column.data_type(), kind) {
        Some(wanted) if wanted != *column.data_type() => cast(column, &wanted)?,
        _ => ArrayRef::clone(column),
    };
    let values = match array.data_type() {
        DataType::Null => Some(vec![Value::Null; array.len()]),
        DataType::Boolean => array.as_boolean_opt().map(booleans),
        DataType::Int8 => primitives::<Int8Type>(&array, Value::from),
        DataType::Int16 => primitives::<Int16Type>(&array, Value::from),
        DataType::Int32 => primitives::<Int32Type>(&array, Value::from),
        DataType::Int64 => primitives::<Int64Type>(&array, Value::from),
        DataType::Float32 => {
            // By way of its own text: 0.1 as a double would be 0.10000000149011612.
            primitives::<Float32Type>(&array, |v| float(v.to_string().parse().unwrap_or(f64::NAN)))
        }
        DataType::Float64 => primitives::<Float64Type>(&array, float),
        DataType::Utf8 => array.as_string_opt::<i32>().map(|texts| {
            let value = |text: Option<&str>| text.map_or(Value::Null, Value::from);
            texts.iter().map(value).collect()
        }),
        DataType::Binary => array.as_binary_opt::<i32>().map(|blobs| {
            let value = |blob: Option<&[u8]>| blob.map_or(Value::Null, base64);
            blobs.iter().map(value).collect()
        }),
        DataType::List(_) => lists(&array, kind)?,
        DataType::Struct(_) => structs(&array, kind)?,
        _ => None,
    };
    match values {
        Some(values) => Ok(values),
        None => texts(&array, kind),
    }
}

/// The one Arrow type in which values of this kind are read, where Arrow has several.
fn plain_type(found: &DataType, kind: &TrinoType) -> Option<DataType> {
    Some(match (found, kind) {
        (DataType::Dictionary(_, value), _) => plain_type(value, kind).unwrap_or_else(|| value.as_ref().clone()),
        (_, TrinoType::Plain("smallint")) => DataType::Int16,
        (_, TrinoType::Plain("integer")) => DataType::Int32,
        (_, TrinoType::Plain("bigint")) => DataType::Int64,
        (_, TrinoType::Plain("real")) => DataType::Float32,
        (_, TrinoType::Plain("date")) => DataType::Date32,
        (_, TrinoType::Plain("varbinary")) => DataType::Binary,
        (DataType::Utf8View | DataType::LargeUtf8, _) => DataType::Utf8,
        (DataType::LargeList(item), _) => DataType::List(item.clone()),
        // Fewer digits for old clients: cut off, not rounded, as a cast of units does.
        (DataType::Timestamp(_, zone), TrinoType::Timestamp(3) | TrinoType::TimestampTz(3)) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        _ => return None,
    })
}

fn booleans(array: &BooleanArray) -> Vec<Value> {
    let value = |flag: Option<bool>| flag.map_or(Value::Null, Value::from);
    array.iter().map(value).collect()
}

fn primitives<T: ArrowPrimitiveType>(array: &ArrayRef, convert: impl Fn(T::Native) -> Value) -> Option<Vec<Value>> {
    let array: &PrimitiveArray<T> = array.as_primitive_opt()?;
    let value = |value: Option<T::Native>| value.map_or(Value::Null, &convert);
    Some(array.iter().map(value).collect())
}

/// JSON has no numbers for these three; Trino sends them as texts.
fn float(value: f64) -> Value {
    if value.is_nan() {
        Value::from("NaN")
    } else if value.is_infinite() {
        Value::from(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        Value::from(value)
    }
}

fn base64(blob: &[u8]) -> Value {
    use base64::Engine;
    Value::from(base64::engine::general_purpose::STANDARD.encode(blob))
}

fn lists(array: &ArrayRef, kind: &TrinoType) -> Result<Option<Vec<Value>>, ArrowError> {
    let (Some(lists), TrinoType::Array(item)) = (array.as_list_opt::<i32>(), kind) else {
        return Ok(None);
    };
    let value = |list: Option<ArrayRef>| match list {
        Some(list) => column_values(&list, item).map(Value::Array),
        None => Ok(Value::Null),
    };
    lists.iter().map(value).collect::<Result<_, _>>().map(Some)
}

fn structs(array: &ArrayRef, kind: &TrinoType) -> Result<Option<Vec<Value>>, ArrowError> {
    let (Some(structs), TrinoType::Row(fields)) = (array.as_struct_opt(), kind) else {
        return Ok(None);
    };
    let mut rows: Vec<Row> = vec![Vec::new(); structs.len()];
    for (column, (_, kind)) in structs.columns().iter().zip(fields) {
        for (row, value) in rows.iter_mut().zip(column_values(column, kind)?) {
            row.push(value);
        }
    }
    let value = |(at, row)| match structs.is_null(at) {
        true => Value::Null,
        false => Value::Array(row),
    };
    Ok(Some(rows.into_iter().enumerate().map(value).collect()))
}

/// Dates, times, decimals and all that Trino has no type for, as text.
fn texts(array: &ArrayRef, kind: &TrinoType) -> Result<Vec<Value>, ArrowError> {
    let digits = match kind {
        TrinoType::Timestamp(digits) | TrinoType::TimestampTz(digits) | TrinoType::Time(digits) => *digits,
        _ => 0,
    };
    let (timestamp, time) = match digits {
        0 => ("%Y-%m-%d %H:%M:%S", "%H:%M:%S"),
        3 => ("%Y-%m-%d %H:%M:%S%.3f", "%H:%M:%S%.3f"),
        6 => ("%Y-%m-%d %H:%M:%S%.6f", "%H:%M:%S%.6f"),
        _ => ("%Y-%m-%d %H:%M:%S%.9f", "%H:%M:%S%.9f"),
    };
    let zoned = format!("{timestamp} UTC");
    let options = FormatOptions::default()
        .with_timestamp_format(Some(timestamp))
        .with_timestamp_tz_format(Some(&zoned))
        .with_time_format(Some(time));
    // Times with a zone are kept in UTC; their zone is a matter of display.
    let utc = match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => cast(array, &DataType::Timestamp(*unit, Some("+00:00".into())))?,
        _ => ArrayRef::clone(array),
    };
    let formatter = ArrayFormatter::try_new(&utc, &options)?;
    (0..utc.len())
        .map(|row| match utc.is_null(row) {
            true => Ok(Value::Null),
            false => formatter.value(row).try_to_string().map(Value::from),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{
        Date32Array, Decimal128Array, Float64Array, ListArray, StringViewArray, TimestampMicrosecondArray, UInt64Array,
    };
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(array: impl Array + 'static, parametric: bool, kind: &str, values: Value) {
        let array: ArrayRef = Arc::new(array);
        let found = TrinoType::of(array.data_type(), parametric);
        assert_eq!(found.to_string(), kind);
        assert_eq!(Value::Array(column_values(&array, &found).unwrap()), values);
    }

    #[test]
    fn values_have_trinos_types_and_forms() {
        check(UInt64Array::from(vec![7, 8]), true, "bigint", json!([7, 8]));
        check(
            Float64Array::from(vec![Some(1.5), Some(f64::NAN), Some(f64::NEG_INFINITY), None]),
            true,
            "double",
            json!([1.5, "NaN", "-Infinity", null]),
        );
        check(
            StringViewArray::from(vec![Some("é"), None]),
            true,
            "varchar",
            json!(["é", null]),
        );
        check(Date32Array::from(vec![20_667]), true, "date", json!(["2026-08-02"]));
        check(
            Decimal128Array::from(vec![4_262_796, -5]).with_data_type(DataType::Decimal128(18, 2)),
            true,
            "decimal(18, 2)",
            json!(["42627.96", "-0.05"]),
        );
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None]);
        check(list, true, "array(integer)", json!([[1, null], null]));
    }

    #[test]
    fn timestamps_have_as_many_digits_as_the_client_knows() {
        let time = || TimestampMicrosecondArray::from(vec![Some(1_000_001), None]);
        check(
            time(),
            true,
            "timestamp(6)",
            json!(["1970-01-01 00:00:01.000001", null]),
        );
        check(time(), false, "timestamp(3)", json!(["1970-01-01 00:00:01.000", null]));
        check(
            time().with_timezone("+02:00"),
            true,
            "timestamp(6) with time zone",
            json!(["1970-01-01 00:00:01.000001 UTC", null]),
        );
    }
}
