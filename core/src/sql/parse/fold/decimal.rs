//! Exact decimal numbers, as far as engines compute them exactly.
//!
//! A decimal literal has as many digits as are written. Sums and products have a type that holds their value as long as
//! that type has no more than 38 digits; past it engines round or fail, each in its way, and there is no answer here.
//! What scale the result's type has does not matter: it is compared by its value.

use super::super::literal::decimal_parts;

/// Digits that a decimal may have, one less than engines allow: some count a digit more for a product.
const MAX_DIGITS: u32 = 37;

/// A whole number that needs 32 bits is a decimal of ten digits.
const DIGITS_OF_INTEGER: u32 = 10;

/// `unscaled / 10^scale`
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Decimal {
    unscaled: i128,
    scale: u32,
    /// Digits of its type, those after the point included.
    digits: u32,
}

impl Decimal {
    pub(super) fn of_integer(value: i64) -> Self {
        Self {
            unscaled: i128::from(value),
            scale: 0,
            digits: DIGITS_OF_INTEGER,
        }
    }

    /// A literal as it is written.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, whole, fraction) = decimal_parts(text)?;
        let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = u32::try_from(fraction.len()).ok()?;
        let digits = u32::try_from(whole.len()).ok()?.checked_add(scale)?;
        (digits <= MAX_DIGITS).then_some(Self {
            unscaled: if negative { -unscaled } else { unscaled },
            scale,
            digits,
        })
    }

    pub(super) fn plus(self, other: Self, sign: i64) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let whole = (self.digits - self.scale).max(other.digits - other.scale);
        let at_scale = |decimal: Self| {
            let factor = 10_i128.checked_pow(scale - decimal.scale)?;
            decimal.unscaled.checked_mul(factor)
        };
        let other = at_scale(other)?.checked_mul(i128::from(sign))?;
        Self {
            unscaled: at_scale(self)?.checked_add(other)?,
            scale,
            digits: whole + scale + 1,
        }
        .checked()
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        Self {
            unscaled: self.unscaled.checked_mul(other.unscaled)?,
            scale: self.scale + other.scale,
            digits: self.digits + other.digits,
        }
        .checked()
    }

    fn checked(self) -> Option<Self> {
        (self.digits <= MAX_DIGITS).then_some(self)
    }

    /// `-1.50`
    pub(super) fn text(self) -> String {
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let scale = usize::try_from(self.scale).unwrap_or_default();
        let digits = format!("{:0>width$}", self.unscaled.unsigned_abs(), width = scale + 1);
        match digits.split_at_checked(digits.len() - scale) {
            Some((whole, fraction)) if scale > 0 => format!("{sign}{whole}.{fraction}"),
            _ => format!("{sign}{digits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_written_as_it_was_read() {
        for text in ["1.50", "-0.05", "12", "-7", "0.0", "0.001"] {
            assert_eq!(Decimal::parse(text).map(Decimal::text).as_deref(), Some(text));
        }
        assert_eq!(Decimal::parse("1.5.1"), None);
        assert_eq!(Decimal::parse(&"9".repeat(38)), None);
    }
}
