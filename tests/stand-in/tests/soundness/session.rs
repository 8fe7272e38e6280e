//! What a query's engine and session are: they decide what some texts mean.

use lakegate_core::sql::lexer::LexicalRules;
use lakegate_core::sql::parse::ParseTime;

use super::random::Random;

/// 2026-08-01 10:00:00 UTC
const NOW: i64 = 1_785_578_400_000_000;

/// An engine, and a session on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// NaN is above all numbers, a backslash escapes in LIKE, and functions of columns are not turned around.
    pub(crate) like_dremio: bool,
    /// The zone, as a distance from UTC.
    zone_minutes: i16,
    zone_is_known: bool,
    /// How far the engine's clock is from the one that Lakegate reads.
    drift_micros: i64,
}

impl Session {
    pub(crate) fn new(random: &mut Random) -> Self {
        Self {
            like_dremio: random.once_in(4),
            zone_minutes: random.of(&[0, 120, -300, 330, 840, -660]),
            zone_is_known: random.once_in(2),
            drift_micros: random.between(-200_000_000, 200_000_000),
        }
    }

    pub(crate) fn rules(&self) -> &'static LexicalRules {
        if self.like_dremio {
            &LexicalRules::DREMIO
        } else {
            &LexicalRules::TRINO
        }
    }

    /// What Lakegate is told of the time.
    pub(crate) fn told(&self) -> ParseTime {
        ParseTime {
            unix_micros: NOW,
            zone_minutes: self.zone_is_known.then_some(self.zone_minutes),
        }
    }

    /// The zone's distance from UTC in microseconds.
    pub(crate) fn offset(&self) -> i64 {
        i64::from(self.zone_minutes) * 60_000_000
    }

    /// What the engine's clock says in the session's zone.
    pub(crate) fn local_now(&self) -> i64 {
        NOW + self.drift_micros + self.offset()
    }
}
