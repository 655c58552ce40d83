//! Weighted numbers: how many, their mean, how they spread, and their median.

use crate::figure::Base;

/// How many respondents there are, with the sums that a base is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Count {
    /// Respondents. A whole number; as a float, so that the three are added at once.
    pub respondents: f64,
    /// The sum of their weights.
    pub weight: f64,
    /// The sum of the squares of their weights.
    pub squares: f64,
}

impl Count {
    /// Counts a respondent more.
    #[inline]
    pub fn add(&mut self, weight: f64) {
        self.respondents += 1.0;
        self.weight += weight;
        self.squares += weight * weight;
    }

    /// Counts others too.
    pub fn join(&mut self, other: Count) {
        self.respondents += other.respondents;
        self.weight += other.weight;
        self.squares += other.squares;
    }

    /// Returns those who are not among `others`, which must be a part of these.
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

    /// Returns the base that these are.
    pub fn base(self) -> Base {
        Base {
            unweighted: self.respondents as u64,
            weighted: self.weight,
            effective: self.effective(),
        }
    }

    /// Returns Kish's effective base, `(Σw)² / Σw²`: how large a sample without weights would tell as much.
    ///
    /// Kish (1965), Survey Sampling, section 11.7. It does not depend on the scale of the weights, and is at most the number of respondents. 0 where nobody is.
    pub fn effective(self) -> f64 {
        if self.squares > 0.0 { self.weight * self.weight / self.squares } else { 0.0 }
    }
}

/// What is known of weighted numbers without looking at each again.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    pub count: Count,
    /// `m = Σwx / Σw`.
    pub mean: f64,
    /// `Σw(x - m)²`.
    pub spread: f64,
    /// `Σw²(x - m)²`: what the linearised variance is made of.
    pub linear: f64,
}

impl Moments {
    /// Returns the moments of values that occur many times each.
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

    /// Returns the moments of the numbers that `each` hands over with their weights, many at a time. Those with a weight of 0 are left out. It is called
    /// twice, so that nothing is lost where numbers are large.
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

    /// Returns `Σw(x - m)² / Σw`: the variance of those who were asked.
    pub fn variance(&self) -> f64 {
        if self.count.weight > 0.0 { self.spread / self.count.weight } else { f64::NAN }
    }

    /// Returns the standard deviation as SPSS computes it: `sqrt(Σw(x - m)² / (Σw - 1))`.
    ///
    /// IBM SPSS Statistics Algorithms, DESCRIPTIVES: weights count respondents, so it depends on their scale. None where they do not add up to more than 1.
    pub fn deviation(&self) -> Option<f64> {
        (self.count.weight > 1.0).then(|| (self.spread / (self.count.weight - 1.0)).sqrt())
    }

    /// Returns the linearised (Taylor) variance of the mean: `n / (n - 1) · Σ(w(x - m) / Σw)²`, where `n` is how many the whole sample has.
    ///
    /// Binder (1983), On the variances of asymptotically normal estimators from complex surveys. Respondents outside the segment count in `n` with nothing else
    /// (Lumley 2010, Complex Surveys, section 2.4), as R's `survey` does for a design without strata and clusters.
    pub fn linearised_variance(&self, sample: f64) -> f64 {
        if sample > 1.0 && self.count.weight > 0.0 {
            sample / (sample - 1.0) * self.linear / (self.count.weight * self.count.weight)
        } else {
            f64::NAN
        }
    }
}

/// Returns the weighted median; none where nobody is.
///
/// The smallest value at which the weights up to it exceed half of their sum; where they are exactly half of it, the middle between that value and
/// the next one. So do SAS (PCTLDEF=5) and statsmodels (`DescrStatsW.quantile`); without weights it is the usual median. The order of `values` does
/// not matter; weights of 0 and below are left out.
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

/// A median being found: values pass in their order, the smallest first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Middle {
    half: f64,
    /// Sums of weights that should be half of all differ from it by what was rounded.
    rounding: f64,
    passed: f64,
    /// The value at which exactly half had passed.
    lower: Option<f64>,
    found: Option<f64>,
}

impl Middle {
    /// Begins with the sum of all weights that will pass.
    pub(crate) fn of(whole: f64) -> Middle {
        Middle { half: whole / 2.0, rounding: whole * 1e-12, passed: 0.0, lower: None, found: None }
    }

    #[inline]
    pub(crate) fn pass(&mut self, value: f64, weight: f64) {
        if self.found.is_some() {
            return;
        }
        if let Some(lower) = self.lower {
            // The same value again: weights are summed over equal values first.
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
