//! What many values come to: the middle one, and how far apart the middle half of them lies.

/// Median and quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// A quarter of the values is below.
    pub(crate) first_quartile: f64,
    /// Half of the values is below.
    pub(crate) median: f64,
    /// Three quarters of the values are below.
    pub(crate) third_quartile: f64,
}

impl Spread {
    /// The spread of these values; all NaN if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Self {
            first_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            third_quartile: quantile(&sorted, 0.75),
        }
    }

    /// How far apart the quartiles are.
    pub(crate) fn range(self) -> f64 {
        self.third_quartile - self.first_quartile
    }
}

/// The value below which that share of the sorted values lies, between two of them if need be.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = share * last as f64;
    let below = place.floor();
    let at = |place: f64| sorted.get(place as usize).copied().unwrap_or(f64::NAN);
    at(below) + (at(place.ceil()) - at(below)) * (place - below)
}

/// Rounded to so many decimals, so that nobody reads noise.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_middle_half() {
        let spread = Spread::of([5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(
            (spread.first_quartile, spread.median, spread.third_quartile),
            (2.0, 3.0, 4.0)
        );
        assert_eq!(spread.range(), 2.0);
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
        assert_eq!(Spread::of([7.0]).median, 7.0);
        assert!(Spread::of([]).median.is_nan());
    }

    #[test]
    fn rounding_keeps_what_was_measured() {
        assert_eq!(rounded(0.70449, 3), 0.704);
        assert_eq!(rounded(5123.6, 0), 5124.0);
    }
}
