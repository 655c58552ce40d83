//! The difference of two figures, and its test.

use serde::{Deserialize, Serialize};

use super::uncertainty::{Measured, Part};
use super::{Rules, Test};
use crate::distributions::{normal_quantile, normal_two_sided, t_quantile, t_two_sided};
use crate::proportions::{Overlap, Share, Untested, pooled_z};

/// Respondents who are in both samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shared {
    pub(crate) respondents: f64,
    pub(crate) weight: f64,
    pub(crate) squares: f64,
    /// The mean of the first sample, among those in both.
    pub(crate) mean: f64,
    /// The covariance of what is measured in the two samples, among those in both.
    pub(crate) covariance: f64,
    /// `Σw²(x₁ - m₁)(x₂ - m₂)` over those in both.
    pub(crate) linear: f64,
    /// Whether both samples measure the same, of different respondents.
    pub(crate) same_measure: bool,
}

/// A difference, and the result of its test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference {
    pub(crate) value: f64,
    pub(crate) error: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) p: Option<f64>,
    /// Why there is no `p`.
    pub(crate) untested: Option<Untested>,
}

impl Difference {
    fn untested(value: f64, why: Untested) -> Difference {
        Difference { value, error: None, interval: None, p: None, untested: Some(why) }
    }
}

/// Returns the difference of two figures, and the probability of one as large if there is none.
///
/// - Shares: the pooled z test ([`pooled_z`]) if both samples measure the same share. For two shares of the same
///   respondents, z with the variance of a difference within one sample, `(p₁ + p₂ - 2p₁₂ - (p₁ - p₂)²) / n` (Scott and
///   Seber 1983, Difference of proportions from the same survey), which is the sum of both variances minus twice their
///   covariance.
/// - NPS: z with the sum of both variances, minus twice their covariance.
/// - Means: Welch's t test (Welch 1947, The generalization of "Student's" problem). With common respondents, the
///   covariance and the degrees of freedom of Derrick, Russ, Toher and White (2017), Test statistics for the comparison
///   of means for two samples that include both paired and independent observations: between Welch's and those of the
///   paired test.
/// - Linearised: z, and for means t with the number of respondents minus 2 (R's `svyttest`), of the linearised variance
///   of the difference, which holds for any samples of one study.
///
/// The error and the interval never rest on the pooled share. If all answers agree within both samples (all against
/// none), there is neither. The pooled share still has a variance, so only a test that rests on it gives a p-value.
pub(crate) fn difference(
    one: &Part,
    other: &Part,
    shared: Option<&Shared>,
    rules: &Rules,
) -> Difference {
    let value = one.moments.mean - other.moments.mean;
    let (size, other_size) = (one.size(rules.test), other.size(rules.test));
    let common = shared.filter(|shared| shared.respondents > 0.0);
    let covariance = common.map_or(0.0, |shared| covariance(one, other, shared, rules.test));
    let (Some(variance), Some(other_variance)) =
        (one.variance(rules.test), other.variance(rules.test))
    else {
        let alone = |part: &Part| part.moments.count.respondents <= 1.0;
        let why = match alone(one) || alone(other) {
            true => Untested::NobodyDiffers,
            // One effective respondent is left.
            false => Untested::UnevenWeights,
        };
        return Difference::untested(value, why);
    };
    let pooled = one.measured == Measured::Share
        && rules.test != Test::Linearised
        && common.is_none_or(|shared| shared.same_measure);
    let pooled_p = || {
        let share = |part: &Part, size: f64| Share { share: part.moments.mean, size };
        let overlap = common.map(|shared| Overlap {
            common: Share { share: shared.mean, size: shared.size(rules.test) },
            covariance: overlap(one, other, shared, rules.test),
        });
        pooled_z(share(one, size), share(other, other_size), overlap).map(|(_, p)| p)
    };
    let sum = variance + other_variance;
    let of_difference = sum - 2.0 * covariance;
    let largest = one.moments.mean.abs().max(other.moments.mean.abs());
    let is_apart = value.abs() > largest * 1e-12;
    // If everything cancels, what is left is rounding.
    if is_apart && sum <= value * value * 1e-24 {
        let p = if pooled { pooled_p() } else { Err(Untested::NoSpread) };
        return Difference { value, error: None, interval: None, p: p.ok(), untested: p.err() };
    }
    if of_difference.is_nan() || of_difference <= sum * 1e-12 {
        let cancels = of_difference.abs() <= sum * 1e-9;
        let why = match cancels {
            true if is_apart => Untested::NoSpread,
            true => Untested::NobodyDiffers,
            false => Untested::UnevenWeights,
        };
        return Difference::untested(value, why);
    }
    let error = of_difference.sqrt();
    let degrees = match (one.measured, rules.test) {
        (Measured::Share | Measured::Nps, _) => None,
        (Measured::Mean, Test::Linearised) => {
            let (n, m) = (one.moments.count.respondents, other.moments.count.respondents);
            let both = common.map_or(0.0, |shared| shared.respondents);
            let same = both >= n && both >= m;
            Some(if same { n - 1.0 } else { n + m - both - 2.0 })
        }
        (Measured::Mean, test) => {
            let welch = sum * sum
                / (variance * variance / (size - 1.0)
                    + other_variance * other_variance / (other_size - 1.0));
            Some(common.map_or(welch, |shared| {
                let both = shared.size(test);
                let apart = (size - both).max(0.0) + (other_size - both).max(0.0);
                (both - 1.0) + (welch - both + 1.0) * apart / (apart + 2.0 * both)
            }))
        }
    };
    let upper = f64::midpoint(1.0, rules.confidence);
    let reach = error * degrees.map_or_else(|| normal_quantile(upper), |df| t_quantile(upper, df));
    let by_itself = match degrees {
        Some(degrees) => t_two_sided(value / error, degrees),
        None => normal_two_sided(value / error),
    };
    let p = if pooled { pooled_p() } else { Ok(by_itself) };
    // No degrees of freedom are left.
    let p = p.and_then(|p| if p.is_nan() { Err(Untested::UnevenWeights) } else { Ok(p) });
    Difference {
        value,
        error: Some(error),
        interval: reach.is_finite().then_some((value - reach, value + reach)),
        p: p.ok(),
        untested: p.err(),
    }
}

impl Shared {
    fn size(&self, test: Test) -> f64 {
        match test {
            Test::EffectiveBase => self.weight * self.weight / self.squares,
            Test::Linearised | Test::UnweightedBase => self.respondents,
        }
    }
}

/// Returns the fraction of the covariance that follows from the sizes of the samples and their overlap.
fn overlap(one: &Part, other: &Part, shared: &Shared, test: Test) -> f64 {
    let (count, other) = (one.moments.count, other.moments.count);
    match test {
        Test::EffectiveBase => shared.squares / (count.weight * other.weight),
        Test::Linearised | Test::UnweightedBase => {
            shared.respondents / (count.respondents * other.respondents)
        }
    }
}

/// Returns the covariance of the two figures.
fn covariance(one: &Part, other: &Part, shared: &Shared, test: Test) -> f64 {
    if test == Test::Linearised {
        let weights = one.moments.count.weight * other.moments.count.weight;
        return one.whole / (one.whole - 1.0) * shared.linear / weights;
    }
    let within = overlap(one, other, shared, test) * shared.covariance;
    match one.measured {
        Measured::Share | Measured::Nps => within,
        Measured::Mean => {
            let both = shared.size(test);
            if both > 1.0 { within * both / (both - 1.0) } else { 0.0 }
        }
    }
}
