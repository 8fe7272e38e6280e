//! Calendar arithmetic on days since 1970-01-01, for dates in tables and in query ids.
//!
//! The conversions are the usual ones for the proleptic Gregorian calendar: years begin in March, so that the
//! leap day is a year's last day and month lengths follow a straight line.

/// Days since 1970-01-01 of a calendar date. `month` is 1 to 12, `day` 1 to 31.
pub(crate) const fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The calendar date (year, month, day) of a number of days since 1970-01-01.
pub(crate) const fn date_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// A calendar month, as Iceberg's `month` transform counts it: months since January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Month(pub(crate) i64);

impl Month {
    /// The month with this year and number (1 to 12).
    pub(crate) const fn of(year: i64, month: i64) -> Self {
        Self((year - 1970) * 12 + month - 1)
    }

    /// The first day, as days since 1970-01-01.
    pub(crate) const fn first_day(self) -> i64 {
        days_from_date(1970 + self.0.div_euclid(12), self.0.rem_euclid(12) + 1, 1)
    }

    /// The last day, as days since 1970-01-01.
    pub(crate) const fn last_day(self) -> i64 {
        Self(self.0 + 1).first_day() - 1
    }

    /// This month and the ones after it, up to and with `last`.
    pub(crate) fn through(self, last: Self) -> impl Iterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, _) = date_from_days(self.first_day());
        write!(f, "{year:04}-{month:02}")
    }
}

/// `yyyy-mm-dd` of a number of days since 1970-01-01.
pub(crate) fn iso(days: i64) -> String {
    let (year, month, day) = date_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_are_inverse_over_four_centuries() {
        for days in days_from_date(1800, 1, 1)..days_from_date(2200, 1, 1) {
            let (year, month, day) = date_from_days(days);
            assert_eq!(days_from_date(year, month, day), days);
        }
    }

    #[test]
    fn known_dates() {
        assert_eq!(days_from_date(1970, 1, 1), 0);
        assert_eq!(iso(days_from_date(2024, 2, 29)), "2024-02-29");
        let august = Month::of(2026, 8);
        assert_eq!(august.0, 679);
        assert_eq!(iso(august.first_day()), "2026-08-01");
        assert_eq!(iso(august.last_day()), "2026-08-31");
        assert_eq!(august.to_string(), "2026-08");
    }
}
