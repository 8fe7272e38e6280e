//! What stands on one side of a comparison: a column, or a function of one.

use super::literal::{Sort, year_of};
use super::random::Random;
use super::rows::{self, Row};
use super::session::Session;
use super::text::Both;
use super::value::{COLUMNS, Cell, Kind};

/// The columns in scope: for each of [`COLUMNS`] what it is called, if it is there.
pub(crate) struct Scope<'r> {
    pub(crate) names: Vec<(usize, String)>,
    /// Values that literals are made near to.
    pub(crate) rows: &'r [Row],
    pub(crate) session: Session,
}

impl<'r> Scope<'r> {
    /// All columns of a table, each behind this qualifier.
    pub(crate) fn of_table(qualifier: &str, rows: &'r [Row], session: Session) -> Self {
        let names = COLUMNS.iter().enumerate();
        Self {
            names: names
                .map(|(at, (name, _))| (at, format!("{qualifier}{name}")))
                .collect(),
            rows,
            session,
        }
    }

    /// Both tables' columns.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.names.extend(other.names.iter().cloned());
        self
    }
}

/// A term.
pub(crate) struct Term {
    pub(crate) text: Both,
    pub(crate) sort: Sort,
    /// Values that it has, or is near to, in the session's time.
    pub(crate) samples: Vec<Cell>,
    /// A condition that is true if it is NaN.
    pub(crate) nan: Option<String>,
}

/// A term over some column.
pub(crate) fn term(scope: &Scope<'_>, random: &mut Random) -> Term {
    let (at, name) = random.of(&scope.names);
    over(at, &name, scope, random)
}

/// A column alone.
pub(crate) fn plain(at: usize, name: &str, scope: &Scope<'_>, random: &mut Random) -> Term {
    let kind = COLUMNS[at].1;
    let samples = (0..4).map(|_| sample(at, kind, scope, random)).collect();
    let real = |zero: &str| Both::new(name, format!("({name} + CAST(0 AS {zero}))"));
    let (text, sort) = match kind {
        Kind::Boolean => (Both::same(name), Sort::Boolean),
        Kind::Int | Kind::Long => (Both::same(name), Sort::Whole),
        // Adding zero makes 0 of -0, which DataFusion would tell apart.
        Kind::Float => (real("REAL"), Sort::Float),
        Kind::Double => (real("DOUBLE"), Sort::Double),
        Kind::Decimal => (Both::same(name), Sort::Decimal),
        Kind::Date => (Both::same(name), Sort::Date),
        Kind::Timestamp | Kind::Timestamptz => (Both::same(name), Sort::Time),
        Kind::Text => (Both::same(name), Sort::Text),
    };
    let nan = matches!(kind, Kind::Float | Kind::Double).then(|| format!("{name} > CAST('inf' AS DOUBLE)"));
    Term {
        text,
        sort,
        samples,
        nan,
    }
}

/// A value of the column or near one, on the session's clock.
fn sample(at: usize, kind: Kind, scope: &Scope<'_>, random: &mut Random) -> Cell {
    let mut cell = scope.rows[random.below(scope.rows.len())][at].clone();
    if cell == Cell::Null || random.once_in(2) {
        cell = rows::near(&cell, kind, random);
    }
    match (cell, kind) {
        (Cell::Micros(micros), Kind::Timestamptz) => Cell::Micros(micros + scope.session.offset()),
        (cell, _) => cell,
    }
}

/// A column, or one time in three a function of it.
fn over(at: usize, name: &str, scope: &Scope<'_>, random: &mut Random) -> Term {
    let plain = plain(at, name, scope, random);
    if !random.once_in(3) {
        return plain;
    }
    let wrap = |frame: &str, sort| (Both::fill(frame, &[&plain.text]), sort);
    let differ = |trino: &str, datafusion: &str, sort| {
        let text = Both {
            trino: Both::fill(trino, &[&plain.text]).trino,
            datafusion: Both::fill(datafusion, &[&plain.text]).datafusion,
        };
        (text, sort)
    };
    let (text, sort) = match COLUMNS[at].1 {
        Kind::Boolean => wrap("coalesce({}, FALSE)", Sort::Boolean),
        Kind::Int => match random.below(7) {
            0 | 1 => wrap("CAST({} AS bigint)", Sort::Whole),
            2 => wrap("CAST({} AS double)", Sort::Double),
            3 => wrap("{} + 1", Sort::Whole),
            4 => wrap("coalesce({}, 0)", Sort::Whole),
            5 => wrap("CASE WHEN {} > 5 THEN 1 ELSE 2 END", Sort::Whole),
            _ => wrap("CAST({} AS decimal(12,2))", Sort::Decimal),
        },
        Kind::Long => match random.below(3) {
            0 => wrap("CAST({} AS double)", Sort::Double),
            1 => wrap("coalesce({}, 7)", Sort::Whole),
            _ => wrap("CAST({} AS decimal(20,0))", Sort::Decimal),
        },
        Kind::Float => wrap("CAST({} AS double)", Sort::Double),
        Kind::Double => wrap("({})", Sort::Double),
        Kind::Decimal => match random.below(2) {
            0 => wrap("CAST({} AS decimal(12,4))", Sort::Decimal),
            _ => wrap("CAST({} AS double)", Sort::Double),
        },
        Kind::Date => match random.below(6) {
            0 => differ(
                "CAST({} AS timestamp)",
                "arrow_cast({}, 'Timestamp(Microsecond, None)')",
                Sort::Time,
            ),
            1 => differ("year({})", "CAST(date_part('year', {}) AS BIGINT)", Sort::Whole),
            2 => truncated(&plain.text, Sort::Date, random),
            3 => wrap("CAST({} AS date)", Sort::Date),
            4 => wrap("{} + INTERVAL '1' DAY", Sort::Date),
            _ => differ(
                "EXTRACT(YEAR FROM {})",
                "CAST(date_part('year', {}) AS BIGINT)",
                Sort::Whole,
            ),
        },
        Kind::Timestamp | Kind::Timestamptz => match random.below(8) {
            0 | 1 => wrap("CAST({} AS date)", Sort::Date),
            2 => differ("date({})", "CAST({} AS DATE)", Sort::Date),
            3 => differ("year({})", "CAST(date_part('year', {}) AS BIGINT)", Sort::Whole),
            4 => differ(
                "EXTRACT(YEAR FROM {})",
                "CAST(date_part('year', {}) AS BIGINT)",
                Sort::Whole,
            ),
            5 => wrap("{} - INTERVAL '3' HOUR", Sort::Time),
            _ => truncated(&plain.text, Sort::Time, random),
        },
        Kind::Text => match random.below(5) {
            0 => wrap("lower({})", Sort::Text),
            1 => wrap("substr({}, 1, 2)", Sort::Text),
            2 => wrap("{} || 'x'", Sort::Text),
            3 => wrap("CAST({} AS varchar)", Sort::Text),
            _ => wrap("coalesce({}, '')", Sort::Text),
        },
    };
    let years = sort == Sort::Whole && matches!(plain.sort, Sort::Date | Sort::Time);
    Term {
        nan: plain.nan,
        samples: if years {
            plain.samples.iter().map(year_of).collect()
        } else {
            plain.samples
        },
        text,
        sort,
    }
}

fn truncated(of: &Both, sort: Sort, random: &mut Random) -> (Both, Sort) {
    let unit = random.of(&["hour", "day", "day", "week", "month", "quarter", "year"]);
    let unit = if sort == Sort::Date && unit == "hour" {
        "day"
    } else {
        unit
    };
    (Both::fill(&format!("date_trunc('{unit}', {{}})"), &[of]), sort)
}
