//! Dates and timestamps as SQL writes them, and back.
//!
//! Only forms that every engine reads alike are accepted; anything else is no date here, and then prunes nothing. The
//! calendar itself is core's.

pub(crate) use lakegate_core::calendar::{civil_from_days, format_date, parse_date};
use lakegate_core::calendar::{digits, format_time_of_day};

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

/// `2026-08-01T10:00:00.000000`
pub(crate) fn format_micros(micros: i64) -> String {
    const MICROS_A_DAY: i64 = 86_400 * 1_000_000;
    let date = format_date(micros.div_euclid(MICROS_A_DAY));
    let time = format_time_of_day(micros.rem_euclid(MICROS_A_DAY));
    format!("{date}T{time}")
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
