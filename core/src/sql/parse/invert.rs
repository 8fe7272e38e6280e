//! Functions of a column that keep order, turned into ranges of the column itself.
//!
//! Only what the engine turns around too: an estimate must not be lower than what is read. Trino does it for
//! `CAST(c AS date)`, `date(c)`, `year(c)` and `date_trunc` by hour, day, month and year. Weeks and quarters came with a
//! later release than the others, and the engine's version is not known here: they prune nothing.

use std::collections::BTreeSet;

use sqlparser::ast::{
    CastKind, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
};

use super::calendar::{self, MICROS_A_DAY, Unit};
use super::fold::{Folded, Span, unit_named};
use crate::predicate::{Column, Comparison, Literal, Predicate};

/// `floor(of, unit)`, or the year's number.
pub(super) struct Inverted<'e> {
    pub(super) of: &'e Expr,
    unit: Unit,
    numbered: bool,
}

/// The function of this kind that an expression is.
pub(super) fn inverted<'e>(expr: &'e Expr) -> Option<Inverted<'e>> {
    let floor = |of: &'e Expr, unit| {
        Some(Inverted {
            of,
            unit,
            numbered: false,
        })
    };
    let year = |of: &'e Expr| {
        Some(Inverted {
            of,
            unit: Unit::Year,
            numbered: true,
        })
    };
    match expr {
        Expr::Nested(inner) => inverted(inner),
        Expr::Cast {
            kind: CastKind::Cast,
            expr: of,
            data_type: DataType::Date,
            format: None,
        } => floor(of, Unit::Day),
        Expr::Extract {
            field: DateTimeField::Year,
            expr: of,
            ..
        } => year(of),
        Expr::Function(call) => {
            let (name, args) = arguments(call)?;
            match (name.as_str(), args.as_slice()) {
                ("date", [of]) => floor(of, Unit::Day),
                ("year", [of]) => year(of),
                ("date_trunc", [unit, of]) => match unit_named(unit)? {
                    unit @ (Unit::Hour | Unit::Day | Unit::Month | Unit::Year) => floor(of, unit),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn arguments(call: &Function) -> Option<(String, Vec<&Expr>)> {
    let ([name], FunctionArguments::List(list)) = (call.name.0.as_slice(), &call.args) else {
        return None;
    };
    if call.over.is_some() || call.filter.is_some() || !list.clauses.is_empty() {
        return None;
    }
    let args = list.args.iter().map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    Some((name.as_ident()?.value.to_lowercase(), args.collect::<Option<_>>()?))
}

impl Inverted<'_> {
    /// What `year(column) IN (..)` says, for years one after the other. Trino turns a list with gaps around too, unless
    /// the column is a time with zone; which it is is not known here.
    pub(super) fn years(&self, column: &Column, years: &BTreeSet<i64>) -> Option<(Predicate, bool)> {
        let (first, last) = (*years.first()?, *years.last()?);
        let count = i64::try_from(years.len()).ok()?;
        if !self.numbered || last.checked_sub(first)? != count - 1 {
            return None;
        }
        let (from, _) = self.range(column, Comparison::GtEq, Folded::Number(first))?;
        let (to, _) = self.range(column, Comparison::LtEq, Folded::Number(last))?;
        Some((Predicate::and([from, to]), true))
    }

    /// What `function(column) op value` says of the column, and whether it says exactly that.
    pub(super) fn range(&self, column: &Column, op: Comparison, value: Folded) -> Option<(Predicate, bool)> {
        let span = match (self.numbered, value) {
            (true, Folded::Number(year)) => {
                let start = calendar::year_start(year)?.checked_mul(MICROS_A_DAY)?;
                Span {
                    low: start,
                    high: start,
                }
            }
            (true, _) => return None,
            (false, value) => value.micros()?,
        };
        let floor = |micros| self.unit.floor(micros);
        let next = |micros| self.unit.add(floor(micros)?, 1);
        let compare = |op, micros: i64| Some(Predicate::Compare(column.clone(), op, literal(micros)?));
        // The first start of a unit at or after a point.
        let ceiling = |micros| {
            if floor(micros)? == micros {
                Some(micros)
            } else {
                next(micros)
            }
        };
        let aligned = span.is_point() && floor(span.low)? == span.low;
        Some(match op {
            Comparison::GtEq => (compare(Comparison::GtEq, ceiling(span.low)?)?, span.is_point()),
            Comparison::Gt => (compare(Comparison::GtEq, next(span.low)?)?, span.is_point()),
            Comparison::LtEq => (compare(Comparison::Lt, next(span.high)?)?, span.is_point()),
            Comparison::Lt => (compare(Comparison::Lt, ceiling(span.high)?)?, span.is_point()),
            Comparison::Eq => (
                Predicate::and([
                    compare(Comparison::GtEq, floor(span.low)?)?,
                    compare(Comparison::Lt, next(span.high)?)?,
                ]),
                aligned,
            ),
            Comparison::NotEq if aligned => (
                Predicate::or([
                    compare(Comparison::Lt, span.low)?,
                    compare(Comparison::GtEq, next(span.low)?)?,
                ]),
                true,
            ),
            Comparison::NotEq => return None,
        })
    }
}

fn literal(micros: i64) -> Option<Literal> {
    if micros.rem_euclid(MICROS_A_DAY) == 0 {
        calendar::format_date(micros.div_euclid(MICROS_A_DAY)).map(Literal::Date)
    } else {
        calendar::format_micros(micros).map(Literal::Timestamp)
    }
}
