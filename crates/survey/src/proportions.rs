//! Shares: their intervals, and the test of two.

use crate::distributions::normal_two_sided;

/// Returns Wilson's interval of a share, for a base of size `size` and the normal quantile `reach`.
///
/// Wilson (1927), Probable inference, the law of succession, and statistical inference. With the effective base for the size, as Korn and Graubard
/// (1998), Confidence intervals for proportions with small expected number of positive counts estimated from survey data, do with other intervals.
pub fn wilson_interval(share: f64, size: f64, reach: f64) -> (f64, f64) {
    let square = reach * reach;
    let middle = (share + square / (2.0 * size)) / (1.0 + square / size);
    let half = reach / (1.0 + square / size)
        * (share * (1.0 - share) / size + square / (4.0 * size * size)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Returns the interval of a share that is symmetric on the scale of logits, for its standard error and the quantile `reach`.
///
/// Korn and Graubard (1998); so does R's `svyciprop(method = "logit")`. Without numbers where the share is 0 or 1.
pub fn logit_interval(share: f64, error: f64, reach: f64) -> (f64, f64) {
    let logit = (share / (1.0 - share)).ln();
    let half = reach * error / (share * (1.0 - share));
    let back = |at: f64| 1.0 / (1.0 + (-at).exp());
    (back(logit - half), back(logit + half))
}

/// A share, and how many it is of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub share: f64,
    pub size: f64,
}

/// Respondents that two samples have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// The share among them.
    pub common: Share,
    /// `n₁₂ / (n₁n₂)`, and with weights `Σ₁₂w² / (Σ₁w Σ₂w)`: the covariance of the two shares over `p(1 - p)`.
    pub covariance: f64,
}

/// Returns z of two shares and its two-sided p-value; none where nobody differs from anybody.
///
/// The pooled test: `(p₁ - p₂) / sqrt(p(1 - p)(1/n₁ + 1/n₂))` with `p = (n₁p₁ + n₂p₂) / (n₁ + n₂)` (Fleiss, Levin and Paik 2003, Statistical Methods for
/// Rates and Proportions, section 3.1). Where samples overlap, twice the covariance is taken off the last factor (Kish 1965, Survey Sampling, section 12.4),
/// and those in both count once in `p`. So a segment against everybody gives the same z as the segment against the rest.
pub fn pooled_z(one: Share, other: Share, overlap: Option<Overlap>) -> Option<(f64, f64)> {
    let (mut given, mut size) =
        (one.share * one.size + other.share * other.size, one.size + other.size);
    let mut factor = 1.0 / one.size + 1.0 / other.size;
    if let Some(Overlap { common, covariance }) = overlap {
        given -= common.share * common.size;
        size -= common.size;
        factor -= 2.0 * covariance;
    }
    let pooled = given / size;
    let variance = pooled * (1.0 - pooled) * factor;
    // Rounding can leave a little where there is nothing.
    if variance.is_nan() || variance <= 1e-15 / size {
        return None;
    }
    let z = (one.share - other.share) / variance.sqrt();
    Some((z, normal_two_sided(z)))
}
