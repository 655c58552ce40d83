//! Means with what chance leaves open.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::report::{Difference, Mean};

const RESAMPLES: usize = 10_000;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the mean with its percentile interval of 95 %.
pub(super) fn mean(values: &[f64]) -> Mean {
    let (value, low, high) = bootstrap(values);
    Mean { value, low, high, of: values.len() as u64 }
}

/// Returns the mean of paired differences.
pub(super) fn difference(values: &[f64]) -> Difference {
    let (value, low, high) = bootstrap(values);
    Difference { value, low, high, of: values.len() as u64 }
}

fn bootstrap(values: &[f64]) -> (f64, f64, f64) {
    let count = values.len().max(1);
    let value = values.iter().sum::<f64>() / count as f64;
    let mut random = Pcg64::seed_from_u64(SEED ^ count as u64);
    let mut drawn = || values.get(random.next_u64() as usize % count).copied().unwrap_or_default();
    let mut means: Vec<f64> =
        (0..RESAMPLES).map(|_| (0..count).map(|_| drawn()).sum::<f64>() / count as f64).collect();
    means.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * (RESAMPLES - 1) as f64).round() as usize;
        means.get(place).copied().unwrap_or(value)
    };
    (value, at(0.025), at(0.975))
}

/// Returns the mean of means, each of which counts alike: (value, low, high).
///
/// The means are of independent samples, so the squares of their distances to the ends of their intervals add up.
pub(super) fn over(all: &[(f64, f64, f64)]) -> (f64, f64, f64) {
    let count = all.len().max(1) as f64;
    let value = all.iter().map(|(value, ..)| value).sum::<f64>() / count;
    let spread = |end: fn(&(f64, f64, f64)) -> f64| {
        all.iter().map(|one| (end(one) - one.0).powi(2)).sum::<f64>().sqrt() / count
    };
    (value, value - spread(|one| one.1), value + spread(|one| one.2))
}
