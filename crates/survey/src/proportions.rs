//! Shares: their intervals, and the test of two of them.

use crate::distributions::normal_two_sided;

/// Returns Wilson's interval of a share, for a base of `size` and the normal quantile `reach`.
///
/// Wilson (1927), Probable inference, the law of succession, and statistical inference. The size may be the effective
/// base, which Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive
/// counts estimated from survey data, use for other intervals.
pub fn wilson_interval(share: f64, size: f64, reach: f64) -> (f64, f64) {
    let square = reach * reach;
    let middle = (share + square / (2.0 * size)) / (1.0 + square / size);
    let half = reach / (1.0 + square / size)
        * (share * (1.0 - share) / size + square / (4.0 * size * size)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Returns the interval of a share that is symmetric on the logit scale, for its standard error and the quantile `reach`.
///
/// Korn and Graubard (1998), as R's `svyciprop(method = "logit")` does. Undefined if the share is 0 or 1.
pub fn logit_interval(share: f64, error: f64, reach: f64) -> (f64, f64) {
    let logit = (share / (1.0 - share)).ln();
    let half = reach * error / (share * (1.0 - share));
    let back = |at: f64| 1.0 / (1.0 + (-at).exp());
    (back(logit - half), back(logit + half))
}

/// A share, and the size of its base.
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

/// Why two figures are not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untested {
    /// All respondents gave the same answer.
    NobodyDiffers,
    /// Answers agree within each sample and differ between them, or all respondents differ by the same amount: there is
    /// no error to test with.
    NoSpread,
    /// A few weights are so large that the effective sizes are unusable for a test.
    UnevenWeights,
}

impl Untested {
    /// Returns the reason, worded to follow "not tested: ".
    pub fn why(self) -> &'static str {
        match self {
            Untested::NobodyDiffers => "all answers are the same",
            Untested::NoSpread => "all answers are the same, so there is nothing to test",
            Untested::UnevenWeights => "weights are too uneven",
        }
    }
}

/// Returns z of two shares and its two-sided p-value.
///
/// The pooled test: `(p₁ - p₂) / sqrt(p(1 - p)(1/n₁ + 1/n₂))` with `p = (n₁p₁ + n₂p₂) / (n₁ + n₂)` (Fleiss, Levin and
/// Paik 2003, Statistical Methods for Rates and Proportions, section 3.1). If samples overlap, twice the covariance is
/// subtracted from the last factor (Kish 1965, Survey Sampling, section 12.4), and respondents in both count once in
/// `p`. So a segment against all respondents gives the same z as the segment against the rest.
///
/// # Errors
///
/// Fails if no respondents differ, or if the effective sizes of uneven weights leave no base, or no share from 0 to 1, for `p`.
pub fn pooled_z(
    one: Share,
    other: Share,
    overlap: Option<Overlap>,
) -> Result<(f64, f64), Untested> {
    let (mut given, mut size) =
        (one.share * one.size + other.share * other.size, one.size + other.size);
    let mut factor = 1.0 / one.size + 1.0 / other.size;
    if let Some(Overlap { common, covariance }) = overlap {
        given -= common.share * common.size;
        size -= common.size;
        factor -= 2.0 * covariance;
    }
    let pooled = given / size;
    // Rounding can leave it slightly outside 0 to 1.
    if !(size > 0.0 && (-1e-9..=1.0 + 1e-9).contains(&pooled)) {
        return Err(Untested::UnevenWeights);
    }
    let variance = pooled * (1.0 - pooled) * factor;
    // Rounding can leave a tiny variance instead of 0.
    if variance.is_nan() || variance <= 1e-15 / size {
        return Err(Untested::NobodyDiffers);
    }
    let z = (one.share - other.share) / variance.sqrt();
    Ok((z, normal_two_sided(z)))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: B5
    #[test]
    fn shares_without_a_pooled_one_say_why() {
        let share = |share: f64, size: f64| Share { share, size };
        let (one, other) = (share(0.6, 100.0), share(0.4, 100.0));
        let (z, p) = pooled_z(one, other, None).unwrap();
        assert!((z - 0.2 / (0.25_f64 * 0.02).sqrt()).abs() < 1e-12 && p < 0.01);
        for all in [0.0, 1.0] {
            let same = pooled_z(share(all, 100.0), share(all, 50.0), None);
            assert_eq!(same, Err(Untested::NobodyDiffers));
        }
        let overlap = |common: Share| Some(Overlap { common, covariance: 0.001 });
        // More effective respondents in common than in both samples together.
        for size in [200.0, 240.0] {
            let uneven = pooled_z(one, other, overlap(share(0.5, size)));
            assert_eq!(uneven, Err(Untested::UnevenWeights), "{size}");
        }
        // More of them with the answer in common than in both samples together.
        let uneven = pooled_z(one, other, overlap(share(0.9, 150.0)));
        assert_eq!(uneven, Err(Untested::UnevenWeights));
        assert!(pooled_z(one, other, overlap(share(0.5, 20.0))).is_ok());
    }
}
