//! DataFusion over the generated rows: in memory, with the number of the file that each row lies in.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{DFSchema, Result};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::files::File;
use super::session::Session;
use super::value::{COLUMNS, Cell, KEY, Kind};

/// A context that runs on the thread that asks.
pub(crate) fn context() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1))
}

/// The rows of those files whose bit is set, times with zone on the session's clock.
pub(crate) fn batch(files: &[File], kept: u64, session: &Session) -> RecordBatch {
    let rows: Vec<(usize, usize, &[Cell])> = files
        .iter()
        .enumerate()
        .filter(|(file, _)| kept & (1 << file) != 0)
        .flat_map(|(file, rows)| {
            rows.rows
                .iter()
                .enumerate()
                .map(move |(row, cells)| (file, row, &**cells))
        })
        .collect();
    let file_numbers = rows.iter().map(|(file, ..)| i32::try_from(*file).unwrap());
    let row_numbers = rows.iter().map(|(_, row, _)| i32::try_from(*row).unwrap());
    let mut fields = vec![
        Field::new("file_no", DataType::Int32, false),
        Field::new("row_no", DataType::Int32, false),
    ];
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(file_numbers)),
        Arc::new(Int32Array::from_iter_values(row_numbers)),
    ];
    for (at, (name, kind)) in COLUMNS.iter().enumerate() {
        fields.push(Field::new(*name, kind.arrow(), at != KEY));
        let cells: Vec<&Cell> = rows.iter().map(|(.., cells)| &cells[at]).collect();
        arrays.push(array(&cells, *kind, session));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn array(cells: &[&Cell], kind: Kind, session: &Session) -> ArrayRef {
    let whole = || {
        cells.iter().map(|cell| match cell {
            Cell::Int(value) | Cell::Decimal(value) => Some(*value),
            Cell::Days(value) => Some(i64::from(*value)),
            Cell::Micros(value) if kind == Kind::Timestamptz => Some(value + session.offset()),
            Cell::Micros(value) => Some(*value),
            _ => None,
        })
    };
    let real = || {
        cells.iter().map(|cell| match cell {
            Cell::Real(value) => Some(*value),
            _ => None,
        })
    };
    match kind {
        Kind::Boolean => Arc::new(BooleanArray::from_iter(cells.iter().map(|cell| match cell {
            Cell::Bool(value) => Some(*value),
            _ => None,
        }))),
        Kind::Int => cast(&Int64Array::from_iter(whole()), &DataType::Int32).unwrap(),
        Kind::Long => Arc::new(Int64Array::from_iter(whole())),
        #[expect(clippy::cast_possible_truncation, reason = "made from an f32")]
        Kind::Float => Arc::new(Float32Array::from_iter(real().map(|value| Some(value? as f32)))),
        Kind::Double => Arc::new(Float64Array::from_iter(real())),
        Kind::Decimal => Arc::new(
            Decimal128Array::from_iter(whole().map(|value| value.map(i128::from)))
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Kind::Date => Arc::new(Date32Array::from_iter(
            whole().map(|days| Some(i32::try_from(days?).unwrap())),
        )),
        Kind::Timestamp | Kind::Timestamptz => Arc::new(TimestampMicrosecondArray::from_iter(whole())),
        Kind::Text => Arc::new(StringArray::from_iter(cells.iter().map(|cell| match cell {
            Cell::Text(text) => Some(text.as_str()),
            _ => None,
        }))),
    }
}

/// A condition as DataFusion plans it, evaluated on each row: true only where it holds.
pub(crate) fn evaluate(
    context: &SessionContext,
    schema: &DFSchema,
    batch: &RecordBatch,
    sql: &str,
) -> Result<Vec<bool>> {
    let mut expr = context.parse_sql_expr(sql, schema)?;
    // These cannot be run, only rewritten to what can; it takes longer than all the rest.
    if sql.contains("arrow_cast(") || sql.contains("coalesce(") {
        let simplifier = ExprSimplifier::new(SimplifyContext::default().with_schema(Arc::new(schema.clone())));
        expr = simplifier.simplify(simplifier.coerce(expr, schema)?)?;
    }
    let expr = context.create_physical_expr(expr, schema)?;
    let values = expr.evaluate(batch)?.into_array(batch.num_rows())?;
    let values = cast(&values, &DataType::Boolean)?;
    let values = values.as_any().downcast_ref::<BooleanArray>().unwrap();
    Ok((0..values.len())
        .map(|row| values.is_valid(row) && values.value(row))
        .collect())
}

/// A query's rows as text, in an order that does not depend on how it was run.
pub(crate) async fn rows(tables: &[(String, RecordBatch)], sql: &str) -> Result<Vec<String>> {
    let context = context();
    for (name, batch) in tables {
        let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]])?;
        context.register_table(name.as_str(), Arc::new(table))?;
    }
    let mut rows = Vec::new();
    for batch in context.sql(sql).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| array_value_to_string(column, row));
            rows.push(cells.collect::<std::result::Result<Vec<_>, _>>()?.join(" | "));
        }
    }
    rows.sort();
    Ok(rows)
}
