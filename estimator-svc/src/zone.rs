//! The session's time zone, as far as its name tells: what offset from UTC it has now.
//!
//! Current dates depend on it. The names are those of the tz database, in the release that came with this build, and
//! Trino's fixed offsets. A name that is none of these leaves the zone open. Not here: what a date then prunes.

use std::str::FromStr;

use chrono::{DateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use lakegate_core::wire::FactsRequest;

/// The session property that `SET TIME ZONE` sets; it goes before the header (Trino's `SystemSessionProperties`).
const TIME_ZONE_PROPERTY: &str = "time_zone_id";

/// The session's zone, if the request names one.
pub(crate) fn session_zone(request: &FactsRequest) -> Option<&str> {
    let property = request
        .session_properties
        .iter()
        .find(|(name, _)| name == TIME_ZONE_PROPERTY)
        .map(|(_, value)| value.as_str());
    property.or(request.time_zone.as_deref())
}

/// Minutes east of UTC at that time, seconds since 1970.
pub(crate) fn offset_minutes(zone: &str, unix_seconds: i64) -> Option<i16> {
    if let Some(fixed) = fixed_offset(zone) {
        return Some(fixed);
    }
    let now: DateTime<Utc> = DateTime::from_timestamp(unix_seconds, 0)?;
    let offset = Tz::from_str(zone).ok()?.offset_from_utc_datetime(&now.naive_utc());
    let seconds = offset.fix().local_minus_utc();
    i16::try_from(seconds / 60).ok().filter(|_| seconds % 60 == 0)
}

/// `Z`, `UTC`, `GMT`, `UT`, `+02:00`, `UTC-03:30`.
fn fixed_offset(zone: &str) -> Option<i16> {
    let rest = ["UTC", "GMT", "UT", "Z"]
        .iter()
        .find_map(|name| zone.strip_prefix(name))
        .unwrap_or(zone);
    if rest.is_empty() {
        return (!zone.is_empty()).then_some(0);
    }
    let sign = match rest.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = rest.get(1..)?.split_once(':')?;
    let number = |text: &str| -> Option<i16> {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    // Trino's zones reach to 14 hours either way.
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-15 and 2026-07-15, noon UTC.
    const WINTER: i64 = 1_768_478_400;
    const SUMMER: i64 = 1_784_116_800;

    #[test]
    fn names_and_offsets_are_understood_and_others_left_open() {
        for (zone, winter, summer) in [
            ("UTC", Some(0), Some(0)),
            ("Z", Some(0), Some(0)),
            ("GMT", Some(0), Some(0)),
            ("Etc/UTC", Some(0), Some(0)),
            ("+02:00", Some(120), Some(120)),
            ("UTC-03:30", Some(-210), Some(-210)),
            ("Europe/Berlin", Some(60), Some(120)),
            ("America/New_York", Some(-300), Some(-240)),
            ("Asia/Kolkata", Some(330), Some(330)),
            // POSIX signs: west is positive.
            ("Etc/GMT+5", Some(-300), Some(-300)),
            ("", None, None),
            ("+2", None, None),
            ("+02:99", None, None),
            ("+99:00", None, None),
            ("UTC+é:00", None, None),
            ("Middle/Earth", None, None),
        ] {
            assert_eq!(offset_minutes(zone, WINTER), winter, "{zone}");
            assert_eq!(offset_minutes(zone, SUMMER), summer, "{zone}");
        }
    }

    #[test]
    fn what_the_session_set_goes_before_what_the_client_says() {
        let mut request = FactsRequest {
            time_zone: Some("Europe/Berlin".into()),
            ..FactsRequest::default()
        };
        assert_eq!(session_zone(&request), Some("Europe/Berlin"));
        request
            .session_properties
            .push((TIME_ZONE_PROPERTY.into(), "Asia/Tokyo".into()));
        assert_eq!(session_zone(&request), Some("Asia/Tokyo"));
        assert_eq!(session_zone(&FactsRequest::default()), None);
    }
}
