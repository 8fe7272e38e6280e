//! Rows, in clusters, so that files cover ranges of their own; with whatever is known to be awkward in each type.

use super::random::Random;
use super::value::{COLUMNS, Cell, KEY, Kind, MICROS_A_DAY, NOTHING};

pub(crate) type Row = Vec<Cell>;

/// What text is made of: multi-byte, the last code points of each length, quotes and wildcards.
const PIECES: [&str; 20] = [
    "a",
    "b",
    "c",
    "ab",
    "abc",
    "z",
    "é",
    "ü",
    "日",
    "本",
    "😀",
    "\u{10ffff}",
    "\u{7f}",
    "\u{d7ff}",
    "~",
    "'",
    "%",
    "_",
    "Z",
    " ",
];

/// The middle of a cluster, and what is special about it.
struct Cluster {
    row: Row,
    /// These columns are NULL throughout.
    nulls: Vec<usize>,
    /// Floating-point columns are NaN throughout.
    nan: bool,
}

/// The rows of a table.
pub(crate) fn generate(random: &mut Random) -> Vec<Row> {
    let clusters: Vec<Cluster> = (0..random.between(2, 14))
        .map(|_| Cluster {
            row: COLUMNS.iter().map(|(_, kind)| centre(*kind, random)).collect(),
            nulls: (0..random.below(3)).map(|_| random.below(COLUMNS.len())).collect(),
            nan: random.once_in(10),
        })
        .collect();
    // One in so many is NULL; the first choice is never.
    let gaps: Vec<usize> = COLUMNS.iter().map(|_| random.of(&[0, 0, 20, 8, 3])).collect();
    let mut rows = Vec::new();
    for number in 0..random.between(60, 160) {
        let cluster = &clusters[random.below(clusters.len())];
        let row = COLUMNS.iter().enumerate().map(|(at, (_, kind))| {
            let real = matches!(kind, Kind::Float | Kind::Double);
            if at == KEY {
                Cell::Int(number / 3)
            } else if at == NOTHING || cluster.nulls.contains(&at) || (gaps[at] > 0 && random.once_in(gaps[at])) {
                Cell::Null
            } else if real && cluster.nan {
                Cell::Real(f64::NAN)
            } else {
                near(&cluster.row[at], *kind, random)
            }
        });
        rows.push(row.collect());
    }
    rows
}

fn centre(kind: Kind, random: &mut Random) -> Cell {
    match kind {
        Kind::Boolean => Cell::Bool(random.once_in(2)),
        Kind::Int => Cell::Int(match random.below(12) {
            0 => i64::from(i32::MAX),
            // iceberg-rust's truncation overflows at the very end.
            1 => i64::from(i32::MIN) + 1000,
            _ => random.between(-1000, 1000),
        }),
        Kind::Long => Cell::Int(match random.below(12) {
            0 => i64::MAX,
            1 => i64::MIN + 1000,
            2 => 1 << 53,
            3 => -(1 << 53),
            _ => random.between(-1000, 1000),
        }),
        Kind::Float | Kind::Double => {
            let value = match random.below(12) {
                0 => 0.0,
                1 => 1e30,
                2 => -1e30,
                3 => 1e-30,
                _ => f64::from(i32::try_from(random.between(-200, 200)).unwrap()) / 4.0,
            };
            Cell::Real(narrowed(value, kind))
        }
        Kind::Decimal => Cell::Decimal(match random.below(12) {
            0 => 999_999_999,
            1 => -999_999_999,
            _ => random.between(-20_000, 20_000),
        }),
        Kind::Date => Cell::Days(i32::try_from(day(random)).unwrap()),
        Kind::Timestamp | Kind::Timestamptz => {
            Cell::Micros(day(random) * MICROS_A_DAY + random.between(0, 23) * 3_600_000_000)
        }
        Kind::Text => Cell::Text(text(random, 6)),
    }
}

/// Between 1900 and 2150, often about 1970.
fn day(random: &mut Random) -> i64 {
    match random.below(4) {
        0 | 1 => random.between(-800, 40),
        2 => random.between(-25_000, 65_000),
        _ => random.between(19_000, 21_000),
    }
}

pub(crate) fn text(random: &mut Random, most: usize) -> String {
    let pieces = if random.once_in(6) {
        most + 30
    } else {
        random.below(most)
    };
    (0..pieces).map(|_| random.of(&PIECES)).collect()
}

fn narrowed(value: f64, kind: Kind) -> f64 {
    if kind == Kind::Float {
        #[expect(clippy::cast_possible_truncation, reason = "a float's value is wanted")]
        let narrow = value as f32;
        f64::from(narrow)
    } else {
        value
    }
}

/// A value in the neighbourhood; also how literals get close to what is there.
pub(crate) fn near(cell: &Cell, kind: Kind, random: &mut Random) -> Cell {
    match cell {
        Cell::Null => centre(kind, random),
        Cell::Bool(value) => Cell::Bool(*value != random.once_in(6)),
        Cell::Int(value) => {
            let moved = value.saturating_add(random.between(-5, 5));
            let fits = kind != Kind::Int || i32::try_from(moved).is_ok();
            Cell::Int(if fits { moved } else { *value })
        }
        Cell::Real(value) => {
            let value = match random.below(14) {
                0 => f64::NAN,
                1 => -0.0,
                2 => 0.0,
                3 => f64::INFINITY,
                4 => f64::NEG_INFINITY,
                5 => value.next_up(),
                6 => value + 0.1,
                _ => value + f64::from(i32::try_from(random.between(-8, 8)).unwrap()) / 4.0,
            };
            Cell::Real(narrowed(value, kind))
        }
        Cell::Decimal(value) => Cell::Decimal((value + random.between(-150, 150)).clamp(-999_999_999, 999_999_999)),
        Cell::Days(value) => Cell::Days(value + i32::try_from(random.between(-20, 20)).unwrap()),
        Cell::Micros(value) => {
            let step = random.of(&[1, 1_000_000, 3_600_000_000, MICROS_A_DAY]);
            let floor = random.of(&[1, 1, 1_000_000, 3_600_000_000, MICROS_A_DAY]);
            let moved = value + random.between(-40, 40) * step;
            Cell::Micros(moved - moved.rem_euclid(floor))
        }
        Cell::Text(value) => {
            let mut value = value.clone();
            if random.once_in(3) {
                let keep = random.below(value.chars().count() + 1);
                value = value.chars().take(keep).collect();
            }
            value.push_str(&text(random, 3));
            Cell::Text(value)
        }
    }
}
