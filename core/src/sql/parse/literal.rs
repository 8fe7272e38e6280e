//! Constants as a statement writes them.
//!
//! Only what has one meaning in every engine: numbers, plain strings, TRUE, FALSE, NULL, DATE and TIMESTAMP literals.
//! Not here: constants that have to be computed, and what a literal means for a column's type.

use sqlparser::ast::{DataType, Expr, TimezoneInfo, UnaryOperator, Value};

use crate::predicate::Literal;

/// A constant; NULL is one, and no comparison with it is ever true.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// NULL
    Null,
    /// Anything else.
    Literal(Literal),
}

/// The constant that an expression is, parentheses allowed.
pub(super) fn constant(expr: &Expr) -> Option<Constant> {
    let mut expr = expr;
    let mut negative = false;
    let mut signed = false;
    loop {
        match expr {
            Expr::Nested(inner) => expr = inner,
            // One sign: two in a row are arithmetic.
            Expr::UnaryOp {
                op: op @ (UnaryOperator::Minus | UnaryOperator::Plus),
                expr: inner,
            } if !signed => {
                signed = true;
                negative = *op == UnaryOperator::Minus;
                expr = inner;
            }
            Expr::Value(value) => {
                return match &value.value {
                    Value::Number(digits, false) => number(digits, negative).map(Constant::Literal),
                    _ if signed => None,
                    Value::SingleQuotedString(text) => Some(Constant::Literal(Literal::String(text.clone()))),
                    Value::Boolean(value) => Some(Constant::Literal(Literal::Boolean(*value))),
                    Value::Null => Some(Constant::Null),
                    _ => None,
                };
            }
            Expr::TypedString(typed) if !signed => {
                let Value::SingleQuotedString(text) = &typed.value.value else {
                    return None;
                };
                return match &typed.data_type {
                    DataType::Date => Some(Constant::Literal(Literal::Date(text.clone()))),
                    DataType::Timestamp(None, TimezoneInfo::None) => {
                        Some(Constant::Literal(Literal::Timestamp(text.clone())))
                    }
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}

/// A decimal's sign and its digits before and after the point.
pub(super) fn decimal_parts(text: &str) -> Option<(bool, &str, &str)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (!whole.is_empty() && all_digits(whole) && all_digits(fraction)).then_some((negative, whole, fraction))
}

fn number(digits: &str, negative: bool) -> Option<Literal> {
    let signed = if negative {
        format!("-{digits}")
    } else {
        digits.to_owned()
    };
    if digits.contains(['e', 'E']) {
        let value: f64 = signed.parse().ok()?;
        return value.is_finite().then_some(Literal::Double(value));
    }
    if digits.contains('.') {
        let (whole, fraction) = signed.split_once('.')?;
        let is_number = digits.bytes().filter(u8::is_ascii_digit).count() + 1 == digits.len();
        let whole = match whole {
            "" => "0",
            "-" => "-0",
            other => other,
        };
        return (is_number && digits.len() > 1).then(|| {
            // `5.` and `.5` are `5` and `0.5` for whoever reads the literal.
            Literal::Decimal(if fraction.is_empty() {
                whole.to_owned()
            } else {
                format!("{whole}.{fraction}")
            })
        });
    }
    match signed.parse::<i128>() {
        Ok(value) => Some(Literal::Integer(value)),
        Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(Literal::Decimal(signed)),
        Err(_) => None,
    }
}
