//! Slices of load in turn: bare, ours, bare, ours, .. Each of ours is compared with the mean of its two neighbours.
//!
//! On a shared machine speed drifts by a quarter within seconds; neighbours drift together. What neighbours cannot
//! cancel is another program on the proxies' core in one of the three slices. The kernel says how long the proxy was
//! kept waiting, so such pairs are measured again.

use std::time::Duration;

use crate::figures::Spread;
use crate::load::{Load, Slice};

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Pairs that count.
    pub(crate) pairs: usize,
    /// The length of a slice.
    pub(crate) slice: Duration,
    /// What both get before, unmeasured.
    pub(crate) warm_up: Duration,
}

/// A pair is disturbed if a proxy waited for its core for more than this share of a slice.
const DISTURBED: f64 = 0.03;

/// Attempts for each pair that is wanted; then the least disturbed ones count.
const ATTEMPTS: usize = 3;

/// One slice of ours and what came before and after.
#[derive(Clone, Copy, Debug)]
struct Pair {
    before: Slice,
    ours: Slice,
    after: Slice,
}

/// All pairs that count.
#[derive(Debug)]
pub(crate) struct Measured {
    pairs: Vec<Pair>,
    /// Pairs that were left out.
    pub(crate) left_out: usize,
    /// Requests of ours in all, those of the warm-up and of pairs that were left out among them.
    pub(crate) requests: u64,
}

/// Measures.
pub(crate) fn measure(bare: &mut Load, ours: &mut Load, plan: Plan) -> Result<Measured, String> {
    bare.slice(plan.warm_up)?;
    let mut requests = ours.slice(plan.warm_up)?.requests;
    let mut pairs: Vec<Pair> = Vec::new();
    let mut before = bare.slice(plan.slice)?;
    while clean(&pairs) < plan.pairs && pairs.len() < plan.pairs * ATTEMPTS {
        let ours = ours.slice(plan.slice)?;
        let after = bare.slice(plan.slice)?;
        requests += ours.requests;
        pairs.push(Pair { before, ours, after });
        before = after;
    }
    let measured = pairs.len();
    pairs.sort_by(|a, b| a.disturbed().total_cmp(&b.disturbed()));
    pairs.truncate(plan.pairs);
    Ok(Measured {
        left_out: measured - pairs.len(),
        pairs,
        requests,
    })
}

fn clean(pairs: &[Pair]) -> usize {
    pairs.iter().filter(|pair| pair.disturbed() <= DISTURBED).count()
}

impl Pair {
    fn disturbed(&self) -> f64 {
        self.slices().into_iter().map(Slice::disturbed).fold(0.0, f64::max)
    }

    fn slices(&self) -> [&Slice; 3] {
        [&self.before, &self.ours, &self.after]
    }

    /// Our rate over the neighbours'.
    fn ratio(&self) -> f64 {
        self.ours.rate() * 2.0 / (self.before.rate() + self.after.rate())
    }

    /// The same by CPU time a request, which another program on the core disturbs less.
    fn cpu_ratio(&self) -> f64 {
        (self.before.proxy_us() + self.after.proxy_us()) / 2.0 / self.ours.proxy_us()
    }
}

impl Measured {
    /// Our rate over bare's, pair by pair.
    pub(crate) fn ratio(&self) -> Spread {
        Spread::of(self.pairs.iter().map(Pair::ratio))
    }

    /// Bare's CPU time a request over ours, pair by pair: what [`Self::ratio`] is on a quiet machine.
    pub(crate) fn cpu_ratio(&self) -> Spread {
        Spread::of(self.pairs.iter().map(Pair::cpu_ratio))
    }

    /// The median of something over our slices.
    pub(crate) fn ours(&self, what: impl Fn(&Slice) -> f64) -> f64 {
        Spread::of(self.pairs.iter().map(|pair| what(&pair.ours))).median
    }

    /// The median of something over the bare slices.
    pub(crate) fn bare(&self, what: impl Fn(&Slice) -> f64) -> f64 {
        Spread::of(
            self.pairs
                .iter()
                .flat_map(|pair| [what(&pair.before), what(&pair.after)]),
        )
        .median
    }

    /// The worst share of a slice, of those that count, in which a proxy waited for its core.
    pub(crate) fn disturbed(&self) -> f64 {
        self.pairs.iter().map(Pair::disturbed).fold(0.0, f64::max)
    }

    /// True if disturbed pairs count, for want of others.
    pub(crate) fn is_disturbed(&self) -> bool {
        DISTURBED < self.disturbed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::CpuTime;

    fn slice(requests: u64, wait_ms: u64) -> Slice {
        Slice {
            requests,
            bytes: 0,
            seconds: 0.5,
            proxy: CpuTime {
                run_ns: 500_000_000,
                wait_ns: wait_ms * 1_000_000,
            },
            service: CpuTime::default(),
        }
    }

    #[test]
    fn a_slice_is_compared_with_both_neighbours() {
        let pair = Pair {
            before: slice(900, 0),
            ours: slice(700, 0),
            after: slice(1100, 0),
        };
        assert!((pair.ratio() - 0.7).abs() < 1e-9);
        assert!((pair.cpu_ratio() - 0.7).abs() < 0.01);
        let measured = Measured {
            pairs: vec![pair],
            left_out: 0,
            requests: 700,
        };
        assert_eq!(measured.bare(Slice::rate), 2000.0);
        assert_eq!(measured.ours(Slice::proxy_us).round(), 714.0);
    }

    #[test]
    fn a_wait_in_any_of_the_three_disturbs_the_pair() {
        let calm = Pair {
            before: slice(900, 1),
            ours: slice(700, 1),
            after: slice(900, 1),
        };
        let disturbed = Pair {
            after: slice(900, 100),
            ..calm
        };
        assert_eq!(clean(&[calm, disturbed]), 1);
    }
}
