//! Dates and times of the proleptic Gregorian calendar, as days and microseconds from 1970-01-01 without zone.
//!
//! Years from 1 to 9999 only; what is written otherwise, or leaves that range, has no answer here.

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

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// The first day of a year.
pub(super) fn year_start(year: i64) -> Option<i64> {
    (1..=9998).contains(&year).then(|| days_from_civil(year, 1, 1))
}

/// `2026-08-01`
pub(super) fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.trim().split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (digits(year, 4, 4)?, digits(month, 1, 2)?, digits(day, 1, 2)?);
    let exists = year > 0 && (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    (exists && parts.next().is_none()).then(|| days_from_civil(year, month, day))
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
    // From the year 1 to the end of 9999.
    if !(-719_162..=2_932_896).contains(&days) {
        return None;
    }
    let (year, month, day) = civil_from_days(days);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// `2026-08-01 10:00:00.000000`
pub(super) fn format_micros(micros: i64) -> Option<String> {
    let date = format_date(micros.div_euclid(MICROS_A_DAY))?;
    let rest = micros.rem_euclid(MICROS_A_DAY);
    let (seconds, fraction) = (rest / MICROS_A_SECOND, rest % MICROS_A_SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(format!("{date} {hour:02}:{minute:02}:{second:02}.{fraction:06}"))
}
