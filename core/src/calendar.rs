//! The proleptic Gregorian calendar: dates as days, and times of day as microseconds, without zone and without clock.
//!
//! The one place where filter, parser and planner get their dates from, so that a bound means the same day to each.
//! Not here: which dates an engine accepts, intervals and units (`sql::parse`), timestamps with an offset (the service).

const MICROS_A_SECOND: i64 = 1_000_000;

/// Days from 1970-01-01 of a date. `month` is 1 to 12.
#[must_use]
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month (1 to 12) and day (1 to 31) of a number of days from 1970-01-01.
#[must_use]
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
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

/// How many days a month has.
#[must_use]
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A number written in `least` to `most` digits, and nothing else.
#[must_use]
pub fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// `2026-08-01`, as days from 1970-01-01. The year has four digits; white space around is allowed.
#[must_use]
pub fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.trim().split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (digits(year, 4, 4)?, digits(month, 1, 2)?, digits(day, 1, 2)?);
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    (exists && parts.next().is_none()).then(|| days_from_civil(year, month, day))
}

/// `2026-08-01`
#[must_use]
pub fn format_date(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `10:00:00.000000`, for microseconds from midnight.
#[must_use]
pub fn format_time_of_day(micros: i64) -> String {
    let (seconds, fraction) = (micros / MICROS_A_SECOND, micros % MICROS_A_SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02}.{fraction:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse_over_ten_thousand_years() {
        let (first, last) = (days_from_civil(0, 1, 1), days_from_civil(9999, 12, 31));
        assert_eq!((first, last), (-719_528, 2_932_896));
        for days in (first..=last).step_by(61) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
            assert!((1..=days_in_month(year, month)).contains(&day), "{year}-{month}-{day}");
        }
    }
}
