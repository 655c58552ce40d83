//! The uncertainty of a figure: its standard error and its interval.

use super::{Base, Figure, Level, Rules, Test};
use crate::distributions::{normal_quantile, t_quantile};
use crate::proportions::{logit_interval, wilson_interval};
use crate::weighted::Moments;

/// The kind of numbers behind a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured {
    /// 0 or 1.
    Share,
    /// -1, 0 or 1.
    Nps,
    /// Any number.
    Mean,
}

/// Moments, with the size of the sample they are part of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) moments: Moments,
    pub(crate) measured: Measured,
    /// Respondents of the whole study, which the linearised variance counts.
    pub(crate) whole: f64,
}

impl Part {
    /// Returns what a test uses as the number of respondents.
    pub(crate) fn size(&self, test: Test) -> f64 {
        match test {
            Test::EffectiveBase => self.moments.count.effective(),
            Test::Linearised | Test::UnweightedBase => self.moments.count.respondents,
        }
    }

    /// Returns the variance of the value; `None` if the base is too small.
    ///
    /// With a base of size n: `p(1 - p) / n` for a share, `v / n` for NPS, and `v / (n - 1)` for a mean, where `v = Σw(x - m)² / Σw`.
    /// For the linearised one, see [`Moments::linearised_variance`].
    pub(crate) fn variance(&self, test: Test) -> Option<f64> {
        let size = self.size(test);
        let variance = match (test, self.measured) {
            (Test::Linearised, _) => self.moments.linearised_variance(self.whole),
            (_, Measured::Share | Measured::Nps) => self.moments.variance() / size,
            (_, Measured::Mean) if size > 1.0 => self.moments.variance() / (size - 1.0),
            (_, Measured::Mean) => return None,
        };
        variance.is_finite().then_some(variance)
    }

    pub(crate) fn error(&self, test: Test) -> Option<f64> {
        self.variance(test).map(f64::sqrt)
    }

    /// Returns the confidence interval.
    ///
    /// A share has Wilson's interval on the base of the test or, linearised, one that is symmetric in logits. A mean
    /// has Student's, with one degree of freedom less than that base (linearised: than the whole study). NPS has the
    /// normal one, within -1 and 1.
    pub(crate) fn interval(&self, rules: &Rules) -> Option<(f64, f64)> {
        let value = self.moments.mean;
        let error = self.error(rules.test)?;
        let upper = f64::midpoint(1.0, rules.confidence);
        let (low, high) = match (self.measured, rules.test) {
            (Measured::Share, Test::Linearised) => {
                logit_interval(value, error, t_quantile(upper, self.whole - 1.0))
            }
            (Measured::Share, test) => {
                wilson_interval(value, self.size(test), normal_quantile(upper))
            }
            (Measured::Nps, _) => {
                let reach = normal_quantile(upper) * error;
                ((value - reach).max(-1.0), (value + reach).min(1.0))
            }
            (Measured::Mean, test) => {
                let size = if test == Test::Linearised { self.whole } else { self.size(test) };
                let reach = t_quantile(upper, size - 1.0) * error;
                (value - reach, value + reach)
            }
        };
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }

    pub(crate) fn figure(&self, rules: &Rules) -> Figure {
        let base = self.moments.count.base();
        Figure {
            value: self.moments.mean,
            base,
            error: self.error(rules.test),
            interval: self.interval(rules),
            level: level(&base, rules),
        }
    }
}

/// Returns how far a base carries. The effective base counts as well as the unweighted one; the more uneven the weights, the smaller it is.
pub(crate) fn level(base: &Base, rules: &Rules) -> Level {
    let carrying = base.carrying();
    if carrying < rules.least_base {
        Level::TooLow
    } else if carrying < rules.low_base {
        Level::Low
    } else {
        Level::Fine
    }
}
