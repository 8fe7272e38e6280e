//! A predicate on a value that may have changed its type since it was a column's.
//!
//! The branches of a set operation, and two columns that a join compares, are converted to one type, and nobody here
//! knows theirs. What is kept of a predicate holds for the column whichever types met, and engines carry it to the column
//! too:
//!
//! - Whole numbers become doubles, up to 2^23: that far every numeric type holds each of them and its conversions keep
//!   order and equality. A decimal column takes no double, which is right: a long decimal that became a double is equal
//!   to numbers that it was not equal to.
//! - A date is a midnight for columns with a time. With a zone, hours that a clock skips are shifted forward, so that a
//!   later time of day may become midnight: "on the day" and "before the next" cover it.
//! - Text stays text; where an engine reads text as a date or a number instead, text prunes nothing.
//! - NULL stays NULL.

use super::super::calendar;
use crate::predicate::{Column, Comparison, Literal, Predicate};

/// Up to this, single precision holds every whole number.
const EXACT: i128 = 1 << 23;

/// What a leaf says of the column before the conversion.
pub(super) fn converted(leaf: Predicate, text_is_text: bool) -> Predicate {
    match leaf {
        Predicate::Compare(column, op, literal) => {
            compared(&column, op, literal, text_is_text).unwrap_or(Predicate::AlwaysTrue)
        }
        Predicate::In {
            column,
            literals,
            negated,
        } => {
            let op = if negated { Comparison::NotEq } else { Comparison::Eq };
            let parts = literals
                .into_iter()
                .map(|literal| compared(&column, op, literal, text_is_text).unwrap_or(Predicate::AlwaysTrue));
            if negated {
                Predicate::and(parts)
            } else {
                Predicate::or(parts)
            }
        }
        Predicate::StartsWith { .. } if !text_is_text => Predicate::AlwaysTrue,
        other => other,
    }
}

fn compared(column: &Column, op: Comparison, literal: Literal, text_is_text: bool) -> Option<Predicate> {
    let compare = |op, literal| Predicate::Compare(column.clone(), op, literal);
    match literal {
        #[expect(clippy::cast_precision_loss, reason = "small enough to be exact")]
        Literal::Integer(value) if (-EXACT..=EXACT).contains(&value) => {
            Some(compare(op, Literal::Double(value as f64)))
        }
        Literal::Boolean(_) => Some(compare(op, literal)),
        Literal::String(_) if text_is_text => Some(compare(op, literal)),
        Literal::Date(text) => {
            let next = || {
                let day = calendar::parse_date(&text)?.checked_add(1)?;
                Some(compare(Comparison::Lt, Literal::Date(calendar::format_date(day)?)))
            };
            match op {
                Comparison::LtEq => next(),
                Comparison::Eq => {
                    let next = next()?;
                    Some(Predicate::and([compare(Comparison::GtEq, Literal::Date(text)), next]))
                }
                Comparison::NotEq | Comparison::Lt | Comparison::Gt | Comparison::GtEq => {
                    Some(compare(op, Literal::Date(text)))
                }
            }
        }
        Literal::Integer(_) | Literal::Decimal(_) | Literal::Double(_) | Literal::String(_) | Literal::Timestamp(_) => {
            None
        }
    }
}
