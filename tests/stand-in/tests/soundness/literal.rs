//! Constants in all the ways in which people write them, folded arithmetic and the clock included.

use lakegate_core::calendar::{civil_from_days, format_date, format_time_of_day};

use super::random::Random;
use super::session::Session;
use super::text::{Both, quoted};
use super::value::{Cell, MICROS_A_DAY};

/// A constant that a term of this sort compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Boolean,
    Whole,
    /// A number that is not whole, with that many digits after the point.
    Decimal,
    Float,
    Double,
    Date,
    /// A time on the session's clock.
    Time,
    Text,
}

/// A constant near a value. Times are the session's local ones.
pub(crate) fn literal(sort: Sort, near: &Cell, session: &Session, random: &mut Random) -> Both {
    match (sort, near) {
        (_, Cell::Null) => Both::same("NULL"),
        (Sort::Boolean, Cell::Bool(value)) => Both::same(if *value { "TRUE" } else { "FALSE" }),
        (Sort::Text, Cell::Text(text)) => Both::same(quoted(text)),
        (Sort::Date, Cell::Days(days)) => date(i64::from(*days), session, random),
        (Sort::Date, Cell::Micros(micros)) => date(micros.div_euclid(MICROS_A_DAY), session, random),
        (Sort::Time, Cell::Micros(micros)) => time(*micros, session, random),
        (Sort::Time, Cell::Days(days)) => time(i64::from(*days) * MICROS_A_DAY, session, random),
        (Sort::Whole | Sort::Decimal | Sort::Float | Sort::Double, _) => number(sort, near, random),
        (sort, near) => panic!("{sort:?} near {near:?}"),
    }
}

fn number(sort: Sort, near: &Cell, random: &mut Random) -> Both {
    // In hundredths, or as it is.
    let value = match near {
        Cell::Int(value) => i128::from(*value) * 100,
        Cell::Decimal(value) => i128::from(*value),
        #[expect(clippy::cast_possible_truncation, reason = "only a starting point")]
        Cell::Real(value) if value.is_finite() => (value.clamp(-1e33, 1e33) * 100.0) as i128,
        Cell::Real(_) => 0,
        other => panic!("no number near {other:?}"),
    };
    let whole = value.div_euclid(100);
    match (random.below(8), sort) {
        (0 | 1, Sort::Whole) | (0, _) => of_decimal(&hundredths(value + i128::from(random.between(-60, 60))), sort),
        (2, _) => of_decimal(&format!("{}.00", whole), sort),
        (3, _) => of_decimal(&format!("{}5", hundredths(value)), sort),
        (4 | 5, Sort::Float | Sort::Double) | (4, _) => {
            let exact = match near {
                Cell::Real(value) if value.is_finite() => *value,
                #[expect(clippy::cast_precision_loss, reason = "whatever it becomes is the literal")]
                _ => value as f64 / 100.0,
            };
            // Without the sign of a zero, which only DataFusion minds.
            Both::new(format!("{exact:e}"), format!("CAST('{:e}' AS DOUBLE)", exact + 0.0))
        }
        (6, _) if random.once_in(6) => whole_number(whole.saturating_mul(1_000_000_000_000), sort),
        _ => whole_number(whole + i128::from(random.between(-2, 2)), sort),
    }
}

fn hundredths(value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let value = value.unsigned_abs();
    format!("{sign}{}.{:02}", value / 100, value % 100)
}

fn of_decimal(text: &str, sort: Sort) -> Both {
    let scale = text.split('.').nth(1).map_or(0, str::len);
    let as_run = match sort {
        Sort::Float => format!("CAST('{text}' AS REAL)"),
        Sort::Double => format!("CAST('{text}' AS DOUBLE)"),
        _ => format!("CAST('{text}' AS DECIMAL(38,{scale}))"),
    };
    Both::new(text, as_run)
}

fn whole_number(value: i128, sort: Sort) -> Both {
    let text = value.to_string();
    let as_run = match sort {
        Sort::Float => format!("CAST('{text}' AS REAL)"),
        Sort::Double => format!("CAST('{text}' AS DOUBLE)"),
        _ if value.unsigned_abs() < 1 << 62 => text.clone(),
        _ => format!("CAST('{text}' AS DECIMAL(38,0))"),
    };
    Both::new(text, as_run)
}

/// A unit with about how many days it has.
const DATE_UNITS: [(&str, i64); 4] = [("DAY", 1), ("WEEK", 7), ("MONTH", 30), ("YEAR", 365)];

fn date(days: i64, session: &Session, random: &mut Random) -> Both {
    let text = format_date(days);
    let run = format!("DATE '{text}'");
    match random.below(16) {
        0 => Both::new(format!("CAST('{text}' AS date)"), run),
        1 => Both::new(format!("date('{text}')"), run),
        2 => Both::new(format!("'{text}'"), run),
        3 | 4 => {
            let (unit, length) = random.of(&DATE_UNITS);
            let count = random.between(-14, 14);
            let from = format_date(days - count * length);
            let (sign, count) = if count < 0 { ('-', -count) } else { ('+', count) };
            Both::same(format!("DATE '{from}' {sign} INTERVAL '{count}' {unit}"))
        }
        5 => {
            let (unit, length) = random.of(&DATE_UNITS);
            let count = random.between(-14, 14);
            let from = format_date(days - count * length);
            Both::new(
                format!("date_add('{}', {count}, DATE '{from}')", unit.to_lowercase()),
                format!("DATE '{from}' + INTERVAL '{count}' {unit}"),
            )
        }
        6 => {
            let unit = random.of(&["day", "week", "month", "quarter", "year"]);
            let start = format!("date_trunc('{unit}', DATE '{text}')");
            Both::new(start.clone(), format!("CAST({start} AS DATE)"))
        }
        7 => {
            let micros = days * MICROS_A_DAY + random.of(&[0, 1, 3_600_000_000, MICROS_A_DAY - 1]);
            Both::new(timestamp_text(micros), timestamp_run(micros))
        }
        8 => today(days, session),
        9 => {
            let count = random.between(-14, 14);
            let from = format_date(days - count);
            Both::new(
                format!("DATE '{from}' + {count}"),
                format!("DATE '{from}' + INTERVAL '{count}' DAY"),
            )
        }
        _ => Both::new(format!("DATE '{text}'"), run),
    }
}

/// `current_date` and a distance from it.
fn today(days: i64, session: &Session) -> Both {
    let today = session.local_now().div_euclid(MICROS_A_DAY);
    let distance = days - today;
    let (sign, count) = if distance < 0 {
        ('-', -distance)
    } else {
        ('+', distance)
    };
    Both::new(
        format!("current_date {sign} INTERVAL '{count}' DAY"),
        format!("DATE '{}' {sign} INTERVAL '{count}' DAY", format_date(today)),
    )
}

const TIME_UNITS: [(&str, i64); 6] = [
    ("SECOND", 1_000_000),
    ("MINUTE", 60_000_000),
    ("HOUR", 3_600_000_000),
    ("DAY", MICROS_A_DAY),
    ("MONTH", 30 * MICROS_A_DAY),
    ("YEAR", 365 * MICROS_A_DAY),
];

fn time(micros: i64, session: &Session, random: &mut Random) -> Both {
    let days = micros.div_euclid(MICROS_A_DAY);
    let floor = |unit: i64| micros - micros.rem_euclid(unit);
    match random.below(18) {
        0 | 1 => {
            let text = format!("DATE '{}'", format_date(days));
            Both::new(text, timestamp_run(days * MICROS_A_DAY))
        }
        2 => {
            let minute = floor(60_000_000);
            let (date, time) = parts(minute);
            Both::new(format!("TIMESTAMP '{date} {}'", &time[..5]), timestamp_run(minute))
        }
        3 => {
            let midnight = floor(MICROS_A_DAY);
            Both::new(format!("TIMESTAMP '{}'", format_date(days)), timestamp_run(midnight))
        }
        4 | 5 => {
            let (unit, length) = random.of(&TIME_UNITS);
            let count = random.between(0, 30);
            let sign = random.of(&['+', '-']);
            let from = if sign == '+' {
                micros - count * length
            } else {
                micros + count * length
            };
            Both::new(
                format!("{} {sign} INTERVAL '{count}' {unit}", timestamp_text(from)),
                format!("{} {sign} INTERVAL '{count}' {unit}", timestamp_run(from)),
            )
        }
        // With a zone: the same instant on the session's clock.
        6 | 7 => {
            let (sign, hours, minutes) = random.of(&[('+', 0, 0), ('+', 2, 0), ('-', 5, 30), ('+', 14, 0)]);
            let offset = (hours * 60 + minutes) * if sign == '-' { -60_000_000 } else { 60_000_000 };
            let (date, time) = parts(micros - session.offset() + offset);
            Both::new(
                format!("TIMESTAMP '{date} {time} {sign}{hours:02}:{minutes:02}'"),
                timestamp_run(micros),
            )
        }
        8 => {
            let (date, time) = parts(micros);
            Both::new(format!("'{date} {time}'"), timestamp_run(micros))
        }
        9 => Both::new(
            format!("CAST(DATE '{}' AS timestamp)", format_date(days)),
            timestamp_run(days * MICROS_A_DAY),
        ),
        10 => {
            let unit = random.of(&["minute", "hour", "day", "month", "year"]);
            Both::new(
                format!("date_trunc('{unit}', {})", timestamp_text(micros)),
                format!("date_trunc('{unit}', {})", timestamp_run(micros)),
            )
        }
        11 => {
            let now = session.local_now();
            let hours = (micros - now) / 3_600_000_000;
            let (sign, count) = if hours < 0 { ('-', -hours) } else { ('+', hours) };
            let clock = random.of(&["current_timestamp", "localtimestamp", "now()"]);
            Both::new(
                format!("{clock} {sign} INTERVAL '{count}' HOUR"),
                format!("{} {sign} INTERVAL '{count}' HOUR", timestamp_run(now)),
            )
        }
        12 => {
            let today = today(days, session);
            Both::new(
                today.trino,
                format!("arrow_cast({}, 'Timestamp(Microsecond, None)')", today.datafusion),
            )
        }
        _ => Both::new(timestamp_text(micros), timestamp_run(micros)),
    }
}

fn parts(micros: i64) -> (String, String) {
    let days = micros.div_euclid(MICROS_A_DAY);
    (format_date(days), format_time_of_day(micros.rem_euclid(MICROS_A_DAY)))
}

fn timestamp_text(micros: i64) -> String {
    let (date, time) = parts(micros);
    format!("TIMESTAMP '{date} {time}'")
}

/// DataFusion reads a timestamp literal as nanoseconds; this is exactly what columns hold.
fn timestamp_run(micros: i64) -> String {
    format!("arrow_cast({micros}, 'Timestamp(Microsecond, None)')")
}

/// The year that a day or a time lies in.
pub(crate) fn year_of(cell: &Cell) -> Cell {
    let days = match cell {
        Cell::Days(days) => i64::from(*days),
        Cell::Micros(micros) => micros.div_euclid(MICROS_A_DAY),
        Cell::Null => return Cell::Null,
        other => panic!("{other:?} has no year"),
    };
    Cell::Int(civil_from_days(days).0)
}
