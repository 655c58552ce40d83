//! Weighted numbers: their count, mean, spread and median.

use serde::{Deserialize, Serialize};

use crate::figure::Base;

/// The number of respondents, with the sums that a base is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// Respondents. A whole number, stored as a float so that all three are added at once.
    pub respondents: f64,
    /// The sum of their weights.
    pub weight: f64,
    /// The sum of the squares of their weights.
    pub squares: f64,
}

impl Count {
    /// Counts one more respondent.
    #[inline]
    pub fn add(&mut self, weight: f64) {
        self.respondents += 1.0;
        self.weight += weight;
        self.squares += weight * weight;
    }

    /// Adds the respondents of another count.
    pub fn join(&mut self, other: Count) {
        self.respondents += other.respondents;
        self.weight += other.weight;
        self.squares += other.squares;
    }

    /// Returns the count without `others`, which must be a part of it.
    #[must_use]
    pub fn without(self, others: Count) -> Count {
        if self.respondents <= others.respondents {
            return Count::default();
        }
        Count {
            respondents: self.respondents - others.respondents,
            weight: self.weight - others.weight,
            squares: self.squares - others.squares,
        }
    }

    /// Returns the base of these respondents.
    pub fn base(self) -> Base {
        Base {
            unweighted: self.respondents as u64,
            weighted: self.weight,
            effective: self.effective(),
        }
    }

    /// Returns Kish's effective base, `(Σw)² / Σw²`: the size of an unweighted sample with the same precision.
    ///
    /// Kish (1965), Survey Sampling, section 11.7. It does not depend on the scale of the weights, and is at most the
    /// number of respondents. 0 if there are none.
    pub fn effective(self) -> f64 {
        if self.squares > 0.0 { self.weight * self.weight / self.squares } else { 0.0 }
    }
}

/// The moments of weighted numbers, which replace another pass over the numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    pub count: Count,
    /// `m = Σwx / Σw`.
    pub mean: f64,
    /// `Σw(x - m)²`.
    pub spread: f64,
    /// `Σw²(x - m)²`, from which the linearised variance is computed.
    pub linear: f64,
}

impl Moments {
    /// Returns the moments of values that each occur many times.
    pub fn of(values: &[(f64, Count)]) -> Moments {
        let mut moments = Moments::default();
        let mut sum = 0.0;
        for (value, count) in values {
            moments.count.join(*count);
            sum += value * count.weight;
        }
        if moments.count.weight > 0.0 {
            moments.mean = sum / moments.count.weight;
        }
        for (value, count) in values {
            let beyond = value - moments.mean;
            moments.spread += count.weight * beyond * beyond;
            moments.linear += count.squares * beyond * beyond;
        }
        moments
    }

    /// Returns the moments of the numbers that `each` passes on in batches with their weights. Numbers whose weight is
    /// not above 0 are left out. `each` is called twice, so that large numbers lose no precision.
    pub fn of_each(each: impl Fn(&mut dyn FnMut(&[f64], &[f64]))) -> Moments {
        let mut moments = Moments::default();
        let mut sum = 0.0;
        each(&mut |values, weights| {
            for (value, weight) in values.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                moments.count.add(*weight);
                sum += weight * value;
            }
        });
        if moments.count.weight > 0.0 {
            moments.mean = sum / moments.count.weight;
        }
        let (mean, mut spread, mut linear) = (moments.mean, 0.0, 0.0);
        each(&mut |values, weights| {
            for (value, weight) in values.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                let beyond = weight * (value - mean);
                spread += beyond * (value - mean);
                linear += beyond * beyond;
            }
        });
        Moments { spread, linear, ..moments }
    }

    /// Returns `Σw(x - m)² / Σw`: the variance within the sample.
    pub fn variance(&self) -> f64 {
        if self.count.weight > 0.0 { self.spread / self.count.weight } else { f64::NAN }
    }

    /// Returns the standard deviation as SPSS computes it: `sqrt(Σw(x - m)² / (Σw - 1))`.
    ///
    /// IBM SPSS Statistics Algorithms, DESCRIPTIVES: weights count respondents, so the result depends on their scale.
    /// `None` unless they add up to more than 1.
    pub fn deviation(&self) -> Option<f64> {
        (self.count.weight > 1.0).then(|| (self.spread / (self.count.weight - 1.0)).sqrt())
    }

    /// Returns the linearised (Taylor) variance of the mean: `n / (n - 1) · Σ(w(x - m) / Σw)²`, where `n` is the size of the whole sample.
    ///
    /// Binder (1983), On the variances of asymptotically normal estimators from complex surveys. Respondents outside
    /// the segment count only in `n` (Lumley 2010, Complex Surveys, section 2.4), as in R's `survey` for a design
    /// without strata and clusters.
    pub fn linearised_variance(&self, sample: f64) -> f64 {
        if sample > 1.0 && self.count.weight > 0.0 {
            sample / (sample - 1.0) * self.linear / (self.count.weight * self.count.weight)
        } else {
            f64::NAN
        }
    }
}

/// Returns the weighted median; `None` if no value has a weight.
///
/// The smallest value at which the cumulative weight exceeds half of the total. If it is exactly half at a value, the
/// median is the middle between that value and the next, as in SAS (PCTLDEF=5) and statsmodels
/// (`DescrStatsW.quantile`); without weights it is the usual median. The order of `values` does not matter; weights of
/// 0 and below are left out.
pub fn median(values: &mut Vec<(f64, f64)>) -> Option<f64> {
    values.retain(|(value, weight)| *weight > 0.0 && !value.is_nan());
    values.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let whole: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut middle = Middle::of(whole);
    for &(value, weight) in values.iter() {
        middle.pass(value, weight);
    }
    middle.median()
}

/// The search for a median: values pass in ascending order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Middle {
    half: f64,
    /// The rounding error allowed in sums of weights that should be exactly half.
    rounding: f64,
    passed: f64,
    /// The value at which exactly half of the weight had passed.
    lower: Option<f64>,
    found: Option<f64>,
}

impl Middle {
    /// Starts with the sum of all weights that will pass.
    pub(crate) fn of(whole: f64) -> Middle {
        Middle { half: whole / 2.0, rounding: whole * 1e-12, passed: 0.0, lower: None, found: None }
    }

    #[inline]
    pub(crate) fn pass(&mut self, value: f64, weight: f64) {
        if self.found.is_some() {
            return;
        }
        if let Some(lower) = self.lower {
            // The same value again: the weights of equal values are summed first.
            if value > lower {
                self.found = Some(f64::midpoint(lower, value));
                return;
            }
        }
        self.passed += weight;
        if self.passed > self.half + self.rounding {
            self.found = Some(value);
        } else if self.passed >= self.half - self.rounding {
            self.lower = Some(value);
        }
    }

    pub(crate) fn median(&self) -> Option<f64> {
        self.found.or(self.lower)
    }
}
