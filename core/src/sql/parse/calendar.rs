//! Units of time, and the dates and times that statements write, as days and microseconds from 1970-01-01 without zone.
//!
//! Years from 1 to 9999 only; what is written otherwise, or leaves that range, has no answer here. The calendar itself is
//! [`crate::calendar`].

use crate::calendar::{self, civil_from_days, days_from_civil, days_in_month, digits};

/// 0001-01-01
const FIRST_DAY: i64 = -719_162;
/// 9999-12-31
const LAST_DAY: i64 = 2_932_896;

/// Microseconds.
pub(super) const MICROS_A_DAY: i64 = 86_400 * MICROS_A_SECOND;
const MICROS_A_SECOND: i64 = 1_000_000;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    fn micros(self) -> Option<i64> {
        Some(match self {
            Self::Second => MICROS_A_SECOND,
            Self::Minute => 60 * MICROS_A_SECOND,
            Self::Hour => 3_600 * MICROS_A_SECOND,
            Self::Day => MICROS_A_DAY,
            Self::Week => 7 * MICROS_A_DAY,
            Self::Month | Self::Quarter | Self::Year => return None,
        })
    }

    fn months(self) -> Option<i64> {
        match self {
            Self::Month => Some(1),
            Self::Quarter => Some(3),
            Self::Year => Some(12),
            _ => None,
        }
    }

    /// The start of the unit that a point lies in; weeks start on Monday.
    pub(super) fn floor(self, micros: i64) -> Option<i64> {
        if let Some(months) = self.months() {
            let (year, month, _) = civil_from_days(micros.div_euclid(MICROS_A_DAY));
            let count = (year * 12 + month - 1).div_euclid(months) * months;
            let days = days_from_civil(count.div_euclid(12), count.rem_euclid(12) + 1, 1);
            return days.checked_mul(MICROS_A_DAY);
        }
        let unit = self.micros()?;
        // 1970-01-01 was a Thursday.
        let shift = if self == Self::Week { 3 * MICROS_A_DAY } else { 0 };
        let shifted = micros.checked_add(shift)?;
        shifted.checked_sub(shifted.rem_euclid(unit))?.checked_sub(shift)
    }

    /// So many units later; a day that the month does not have is its last one.
    pub(super) fn add(self, micros: i64, count: i64) -> Option<i64> {
        let Some(months) = self.months() else {
            return micros.checked_add(self.micros()?.checked_mul(count)?);
        };
        let (days, time) = (micros.div_euclid(MICROS_A_DAY), micros.rem_euclid(MICROS_A_DAY));
        let (year, month, day) = civil_from_days(days);
        let total = (year * 12 + month - 1).checked_add(months.checked_mul(count)?)?;
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
        if !(1..=9999).contains(&year) {
            return None;
        }
        let day = day.min(days_in_month(year, month));
        days_from_civil(year, month, day)
            .checked_mul(MICROS_A_DAY)?
            .checked_add(time)
    }
}

/// The first day of a year.
pub(super) fn year_start(year: i64) -> Option<i64> {
    (1..=9998).contains(&year).then(|| days_from_civil(year, 1, 1))
}

/// `2026-08-01`
pub(super) fn parse_date(text: &str) -> Option<i64> {
    calendar::parse_date(text).filter(|days| FIRST_DAY <= *days)
}

/// `2026-08-01 10:00:00.5`, up to six decimals, without zone.
pub(super) fn parse_micros(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00"));
    let mut parts = time.split(':');
    let (hour, minute) = (digits(parts.next()?, 1, 2)?, digits(parts.next()?, 1, 2)?);
    let (second, fraction) = parts.next().unwrap_or("0").split_once('.').map_or_else(
        || (time.split(':').nth(2).unwrap_or("0"), "0"),
        |(second, fraction)| (second, fraction),
    );
    let second = digits(second, 1, 2)?;
    digits(fraction, 1, 6)?;
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = (hour * 60 + minute) * 60 + second;
    parse_date(date)?
        .checked_mul(MICROS_A_DAY)?
        .checked_add(seconds * MICROS_A_SECOND + fraction)
}

/// `2026-08-01`
pub(super) fn format_date(days: i64) -> Option<String> {
    (FIRST_DAY..=LAST_DAY)
        .contains(&days)
        .then(|| calendar::format_date(days))
}

/// `2026-08-01 10:00:00.000000`
pub(super) fn format_micros(micros: i64) -> Option<String> {
    let date = format_date(micros.div_euclid(MICROS_A_DAY))?;
    let time = calendar::format_time_of_day(micros.rem_euclid(MICROS_A_DAY));
    Some(format!("{date} {time}"))
}
