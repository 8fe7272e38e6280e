//! Constants that have to be computed: dates and times with intervals, the current date, arithmetic on whole numbers and
//! decimals.
//!
//! A result is a span. It is one point if the text alone decides it. What the clock decides lies somewhere between two
//! points: the engine reads its own clock, somewhat later, and its session's zone may not be known. All that is applied
//! to a span keeps order, so the true value stays inside it.

mod decimal;

use sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Interval,
    TimezoneInfo, Value,
};

use self::decimal::Decimal;
use super::ParseTime;
use super::calendar::{self, MICROS_A_DAY, Unit};
use super::literal::{Constant, constant};
use crate::predicate::Literal;

/// How far the engine's clock may be from the one that was handed in.
const CLOCK_SLACK: i64 = 5 * 60 * 1_000_000;

/// No zone is further from UTC.
const WIDEST_ZONE: i64 = 18 * 3_600 * 1_000_000;

/// Deeper arithmetic is left alone.
const MAX_DEPTH: usize = 40;

/// The true value lies between these, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Span {
    fn point(value: i64) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    fn map(self, apply: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        Some(Self {
            low: apply(self.low)?,
            high: apply(self.high)?,
        })
    }

    pub(super) fn is_point(self) -> bool {
        self.low == self.high
    }
}

/// A computed constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Folded {
    Number(i64),
    Decimal(Decimal),
    /// Days from 1970-01-01.
    Days(Span),
    /// Microseconds from 1970-01-01 on the session's clock, without zone.
    Micros(Span),
}

impl Folded {
    /// The least and the greatest value that it may have.
    pub(super) fn literals(self) -> Option<(Literal, Literal)> {
        Some(match self {
            Self::Number(value) => {
                let literal = Literal::Integer(i128::from(value));
                (literal.clone(), literal)
            }
            Self::Decimal(decimal) => {
                let literal = Literal::Decimal(decimal.text());
                (literal.clone(), literal)
            }
            Self::Days(span) => {
                let date = |days| Some(Literal::Date(calendar::format_date(days)?));
                (date(span.low)?, date(span.high)?)
            }
            Self::Micros(span) => {
                let at = |micros| Some(Literal::Timestamp(calendar::format_micros(micros)?));
                (at(span.low)?, at(span.high)?)
            }
        })
    }

    /// As microseconds; a date is its midnight.
    pub(super) fn micros(self) -> Option<Span> {
        match self {
            Self::Number(_) | Self::Decimal(_) => None,
            Self::Days(span) => span.map(|days| days.checked_mul(MICROS_A_DAY)),
            Self::Micros(span) => Some(span),
        }
    }

    fn decimal(self) -> Option<Decimal> {
        match self {
            Self::Number(value) => Some(Decimal::of_integer(value)),
            Self::Decimal(decimal) => Some(decimal),
            Self::Days(_) | Self::Micros(_) => None,
        }
    }

    fn days(self) -> Option<Self> {
        match self {
            Self::Number(_) | Self::Decimal(_) => None,
            Self::Days(_) => Some(self),
            Self::Micros(span) => Some(Self::Days(span.map(|micros| Some(micros.div_euclid(MICROS_A_DAY)))?)),
        }
    }
}

/// Computes an expression without columns; `None` if its value is not known.
pub(super) fn fold(expr: &Expr, now: Option<ParseTime>) -> Option<Folded> {
    Folding { now }.value(expr, 0)
}

struct Folding {
    now: Option<ParseTime>,
}

impl Folding {
    fn value(&self, expr: &Expr, depth: usize) -> Option<Folded> {
        if depth > MAX_DEPTH {
            return None;
        }
        let next = depth + 1;
        match expr {
            Expr::Nested(inner) => self.value(inner, next),
            Expr::Identifier(name) if name.quote_style.is_none() => self.clock(&name.value),
            Expr::Function(call) => self.call(call, next),
            Expr::Cast {
                expr: inner,
                data_type,
                format: None,
                ..
            } => self.cast(inner, data_type, next),
            Expr::BinaryOp { left, op, right } => self.arithmetic(left, op, right, next),
            _ => match constant(expr)? {
                Constant::Literal(Literal::Integer(value)) => whole(i64::try_from(value).ok()?),
                Constant::Literal(Literal::Decimal(text)) => Decimal::parse(&text).map(Folded::Decimal),
                Constant::Literal(Literal::Date(text)) => Some(Folded::Days(Span::point(calendar::parse_date(&text)?))),
                Constant::Literal(Literal::Timestamp(text)) => {
                    Some(Folded::Micros(Span::point(calendar::parse_micros(&text)?)))
                }
                _ => None,
            },
        }
    }

    fn clock(&self, name: &str) -> Option<Folded> {
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        let date = is("current_date");
        if !date && !is("current_timestamp") && !is("localtimestamp") && !is("now") {
            return None;
        }
        let now = self.now?;
        let (zone, slack) = match now.zone_minutes {
            Some(minutes) => (i64::from(minutes).checked_mul(60_000_000)?, CLOCK_SLACK),
            None => (0, CLOCK_SLACK + WIDEST_ZONE),
        };
        let local = now.unix_micros.checked_add(zone)?;
        let span = Folded::Micros(Span {
            low: local.checked_sub(slack)?,
            high: local.checked_add(slack)?,
        });
        if date { span.days() } else { Some(span) }
    }

    fn call(&self, call: &Function, depth: usize) -> Option<Folded> {
        let [name] = call.name.0.as_slice() else {
            return None;
        };
        let name = name.as_ident()?.value.to_lowercase();
        if call.over.is_some() || call.filter.is_some() {
            return None;
        }
        let args = match &call.args {
            FunctionArguments::None => return self.clock(&name),
            FunctionArguments::List(list) => &list.args,
            FunctionArguments::Subquery(_) => return None,
        };
        let arg = |index: usize| match args.get(index)? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        };
        match (name.as_str(), args.len()) {
            ("now" | "current_date" | "current_timestamp" | "localtimestamp", 0) => self.clock(&name),
            ("date", 1) => self.cast(arg(0)?, &DataType::Date, depth),
            ("date_trunc", 2) => {
                let unit = unit_named(arg(0)?)?;
                match self.value(arg(1)?, depth)? {
                    Folded::Days(span) => Some(Folded::Days(span.map(|days| {
                        let floor = unit.floor(days.checked_mul(MICROS_A_DAY)?)?;
                        Some(floor.div_euclid(MICROS_A_DAY))
                    })?)),
                    Folded::Micros(span) => Some(Folded::Micros(span.map(|micros| unit.floor(micros))?)),
                    Folded::Number(_) | Folded::Decimal(_) => None,
                }
            }
            ("date_add", 3) => {
                let unit = unit_named(arg(0)?)?;
                let Folded::Number(count) = self.value(arg(1)?, depth)? else {
                    return None;
                };
                moved(self.value(arg(2)?, depth)?, unit, count)
            }
            _ => None,
        }
    }

    fn cast(&self, inner: &Expr, to: &DataType, depth: usize) -> Option<Folded> {
        let text = match constant(inner) {
            Some(Constant::Literal(Literal::String(text))) => Some(text),
            _ => None,
        };
        match (to, text) {
            (DataType::Date, Some(text)) => Some(Folded::Days(Span::point(calendar::parse_date(&text)?))),
            (DataType::Date, None) => self.value(inner, depth)?.days(),
            (DataType::Timestamp(None, TimezoneInfo::None), None) => match self.value(inner, depth)? {
                days @ Folded::Days(_) => Some(Folded::Micros(days.micros()?)),
                // Fewer digits than were written may be kept.
                Folded::Number(_) | Folded::Decimal(_) | Folded::Micros(_) => None,
            },
            _ => None,
        }
    }

    fn arithmetic(&self, left: &Expr, op: &BinaryOperator, right: &Expr, depth: usize) -> Option<Folded> {
        let sign = match op {
            BinaryOperator::Plus => 1,
            BinaryOperator::Minus => -1,
            BinaryOperator::Multiply => {
                return match (self.value(left, depth)?, self.value(right, depth)?) {
                    (Folded::Number(left), Folded::Number(right)) => whole(left.checked_mul(right)?),
                    (left, right) => left.decimal()?.times(right.decimal()?).map(Folded::Decimal),
                };
            }
            _ => return None,
        };
        if let Expr::Interval(interval) = right {
            let (unit, count) = interval_of(interval)?;
            return moved(self.value(left, depth)?, unit, count.checked_mul(sign)?);
        }
        if let (Expr::Interval(interval), 1) = (left, sign) {
            let (unit, count) = interval_of(interval)?;
            return moved(self.value(right, depth)?, unit, count);
        }
        match (self.value(left, depth)?, self.value(right, depth)?) {
            (Folded::Number(left), Folded::Number(right)) => whole(left.checked_add(right.checked_mul(sign)?)?),
            // Days, where the engine has it; elsewhere it is an error.
            (Folded::Days(_), Folded::Number(count)) => {
                moved(self.value(left, depth)?, Unit::Day, count.checked_mul(sign)?)
            }
            (left, right) => left.decimal()?.plus(right.decimal()?, sign).map(Folded::Decimal),
        }
    }
}

/// A whole number that needs no more than 32 bits: past that engines differ in what they compute.
fn whole(value: i64) -> Option<Folded> {
    i32::try_from(value).ok().map(|_| Folded::Number(value))
}

fn moved(from: Folded, unit: Unit, count: i64) -> Option<Folded> {
    match from {
        Folded::Number(_) | Folded::Decimal(_) => None,
        Folded::Micros(span) => Some(Folded::Micros(span.map(|micros| unit.add(micros, count))?)),
        // A date moves by whole days.
        Folded::Days(_) if matches!(unit, Unit::Hour | Unit::Minute | Unit::Second) => None,
        Folded::Days(span) => Some(Folded::Days(span.map(|days| {
            let moved = unit.add(days.checked_mul(MICROS_A_DAY)?, count)?;
            Some(moved.div_euclid(MICROS_A_DAY))
        })?)),
    }
}

fn interval_of(interval: &Interval) -> Option<(Unit, i64)> {
    let Interval {
        value,
        leading_field: Some(field),
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    } = interval
    else {
        return None;
    };
    let count = match constant(value)? {
        Constant::Literal(Literal::String(text)) => text.trim().parse().ok()?,
        Constant::Literal(Literal::Integer(value)) => i64::try_from(value).ok()?,
        _ => return None,
    };
    let unit = match field {
        DateTimeField::Year | DateTimeField::Years => Unit::Year,
        DateTimeField::Month | DateTimeField::Months => Unit::Month,
        DateTimeField::Week(None) | DateTimeField::Weeks => Unit::Week,
        DateTimeField::Day | DateTimeField::Days => Unit::Day,
        DateTimeField::Hour | DateTimeField::Hours => Unit::Hour,
        DateTimeField::Minute | DateTimeField::Minutes => Unit::Minute,
        DateTimeField::Second | DateTimeField::Seconds => Unit::Second,
        _ => return None,
    };
    Some((unit, count))
}

/// The unit that a string names.
pub(super) fn unit_named(expr: &Expr) -> Option<Unit> {
    let Expr::Value(value) = expr else {
        return None;
    };
    let Value::SingleQuotedString(name) = &value.value else {
        return None;
    };
    Some(match name.to_lowercase().as_str() {
        "second" => Unit::Second,
        "minute" => Unit::Minute,
        "hour" => Unit::Hour,
        "day" => Unit::Day,
        "week" => Unit::Week,
        "month" => Unit::Month,
        "quarter" => Unit::Quarter,
        "year" => Unit::Year,
        _ => return None,
    })
}
