//! Dates and timestamps as SQL writes them, and back.
//!
//! Only forms that every engine reads alike are accepted; anything else is no date here, and then prunes nothing.

/// Days from 1970-01-01 of a date of the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a number of days from 1970-01-01.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
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
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A number of one or two digits (or exactly `width`, for years).
fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    if text.len() < least || text.len() > most || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// `2026-08-01`, as days from 1970-01-01.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.trim().split('-');
    let year = digits(parts.next()?, 4, 4)?;
    let month = digits(parts.next()?, 1, 2)?;
    let day = digits(parts.next()?, 1, 2)?;
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

/// What a timestamp says of its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Nothing.
    None,
    /// Its distance from UTC is written.
    Offset,
}

pub(crate) const NANOS_A_DAY: i128 = 86_400 * 1_000_000_000;

/// `2026-08-01 10:00:00.5`, with `T` for the space, the time left out or `Z` or `+02:00` behind it: nanoseconds from
/// 1970-01-01, in UTC if an offset is given. A zone by name is refused: its rules are the engine's.
pub(crate) fn parse_timestamp(text: &str) -> Option<(i128, Zone)> {
    let text = text.trim();
    let (date, rest) = match text.find([' ', 'T']) {
        Some(at) => text.split_at(at),
        None => return Some((i128::from(parse_date(text)?) * NANOS_A_DAY, Zone::None)),
    };
    let days = i128::from(parse_date(date)?);
    let rest = rest.get(1..)?;
    let (time, offset_seconds, zone) = match rest.find(['Z', '+', '-', ' ']) {
        None => (rest, 0, Zone::None),
        Some(at) => {
            let (time, zone) = rest.split_at(at);
            (time, parse_offset(zone.trim())?, Zone::Offset)
        }
    };
    let nanos = parse_time(time)?;
    Some((
        days * NANOS_A_DAY + nanos - i128::from(offset_seconds) * 1_000_000_000,
        zone,
    ))
}

fn parse_time(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let hour = digits(parts.next()?, 1, 2)?;
    let minute = digits(parts.next()?, 1, 2)?;
    let (second, nanos) = match parts.next() {
        None => (0, 0),
        Some(seconds) => match seconds.split_once('.') {
            None => (digits(seconds, 1, 2)?, 0),
            Some((seconds, fraction)) => {
                let value = digits(fraction, 1, 9)?;
                let scale = 10i64.checked_pow(u32::try_from(9 - fraction.len()).ok()?)?;
                (digits(seconds, 1, 2)?, value * scale)
            }
        },
    };
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(i128::from((hour * 60 + minute) * 60 + second) * 1_000_000_000 + i128::from(nanos))
}

fn parse_offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "UTC") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let (hours, minutes) = (digits(hours, 1, 2)?, digits(minutes, 2, 2)?);
    if hours > 18 || minutes > 59 {
        return None;
    }
    Some(sign * (hours * 3600 + minutes * 60))
}

/// `2026-08-01`
pub(crate) fn format_date(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-08-01T10:00:00.000000`
pub(crate) fn format_micros(micros: i64) -> String {
    const MICROS_A_DAY: i64 = 86_400 * 1_000_000;
    let date = format_date(micros.div_euclid(MICROS_A_DAY));
    let rest = micros.rem_euclid(MICROS_A_DAY);
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{date}T{hour:02}:{minute:02}:{second:02}.{fraction:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written_over_the_whole_calendar() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2026-08-01", 20_666),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(parse_date(text), Some(days), "{text}");
            assert_eq!(format_date(days), text);
        }
        for days in (-719_528..=2_932_896).step_by(997) {
            assert_eq!(parse_date(&format_date(days)), Some(days), "{days}");
        }
    }

    #[test]
    fn what_is_no_date_everywhere_is_no_date_here() {
        for text in [
            "2026-02-30",
            "26-08-01",
            "2026-08",
            "2026-13-01",
            "2026-08-01 ",
            "yesterday",
            "",
            "2026-08-01-1",
        ] {
            let want = (text.trim() == "2026-08-01").then_some(20_666);
            assert_eq!(parse_date(text), want, "{text}");
        }
    }

    #[test]
    fn timestamps_are_read_with_and_without_offset() {
        let at = |text| parse_timestamp(text);
        let noon = 20_666 * NANOS_A_DAY + 12 * 3600 * 1_000_000_000;
        assert_eq!(at("2026-08-01 12:00:00"), Some((noon, Zone::None)));
        assert_eq!(at("2026-08-01T12:00"), Some((noon, Zone::None)));
        assert_eq!(at("2026-08-01"), Some((20_666 * NANOS_A_DAY, Zone::None)));
        assert_eq!(at("2026-08-01 14:00:00+02:00"), Some((noon, Zone::Offset)));
        assert_eq!(at("2026-08-01 12:00:00 UTC"), Some((noon, Zone::Offset)));
        assert_eq!(at("2026-08-01T12:00:00Z"), Some((noon, Zone::Offset)));
        assert_eq!(at("2026-08-01 12:00:00.000001"), Some((noon + 1000, Zone::None)));
        for text in [
            "2026-08-01 12:00:00 Europe/Berlin",
            "2026-08-01 25:00:00",
            "2026-08-01 12",
            "x 12:00:00",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn micros_print_as_iso_timestamps() {
        assert_eq!(format_micros(-1), "1969-12-31T23:59:59.999999");
        assert_eq!(format_micros(0), "1970-01-01T00:00:00.000000");
    }
}
