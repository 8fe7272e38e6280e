//! `date + n` and `date - n`, in days.
//!
//! DataFusion knows dates and intervals only; dashboards write `CURRENT_DATE - 30`.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

/// Makes the number an interval of days.
#[derive(Debug)]
pub(super) struct DateArithmetic;

impl ExprPlanner for DateArithmetic {
    fn plan_binary_op(&self, mut expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        if matches!(expr.op, BinaryOperator::Plus | BinaryOperator::Minus)
            && let Some(days) = whole_number(&expr.right)
            && expr.left.get_type(schema)? == DataType::Date32
        {
            expr.right = lit(ScalarValue::new_interval_mdn(0, days, 0));
        }
        Ok(PlannerResult::Original(expr))
    }
}

fn whole_number(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => i32::try_from(*value).ok(),
        Expr::Literal(ScalarValue::Int32(Some(value)), _) => Some(*value),
        Expr::Negative(inner) => whole_number(inner)?.checked_neg(),
        _ => None,
    }
}
