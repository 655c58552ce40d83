//! Figures and comparisons of a project.

use super::alike::unlike;
use super::difference::{Difference, Shared, difference};
use super::sample::Sample;
use super::uncertainty::{Measured, Part, level};
use super::{Comparison, Figure, FigureError, Level, Measure, Rules, Spec, Test, Weighting};
use crate::project::Project;
use crate::proportions::Untested;
use crate::weighted::{Moments, median};

impl Measure {
    /// Returns the name of the measure in a sentence.
    pub fn name(&self) -> &'static str {
        match self {
            Measure::Share(_) => "share",
            Measure::Mean => "mean",
            Measure::Median => "median",
            Measure::Sd => "standard deviation",
            Measure::Nps => "NPS",
            Measure::Base => "base",
            Measure::WeightedBase => "weighted base",
            Measure::EffectiveBase => "effective base",
        }
    }

    /// Returns what is measured of each respondent, if the figure is a mean of it.
    pub(crate) fn measured(&self) -> Option<Measured> {
        match self {
            Measure::Share(_) => Some(Measured::Share),
            Measure::Nps => Some(Measured::Nps),
            Measure::Mean => Some(Measured::Mean),
            Measure::Median
            | Measure::Sd
            | Measure::Base
            | Measure::WeightedBase
            | Measure::EffectiveBase => None,
        }
    }
}

impl Project {
    /// Returns a figure of a study.
    ///
    /// The figure rests on the respondents of the segment who answered the question: those with an answer that is not
    /// missing in any of its columns and, for means, that has a number. Respondents without a weight above 0 are left
    /// out of a weighted figure and of its bases.
    ///
    /// - A share, a mean and NPS are weighted means. Their errors rest on [`Rules::test`]; their intervals are
    ///   Wilson's, Student's and the normal one. With [`Test::Linearised`], the interval of a share is symmetric in
    ///   logits.
    /// - The median is the one of [`weighted::median`](crate::weighted::median), the standard deviation the one of
    ///   [`Moments::deviation`].
    /// - The effective base is Kish's ([`Count::effective`](crate::weighted::Count::effective)).
    ///
    /// A figure with a base below [`Rules::least_base`], unweighted or effective, has [`Level::TooLow`] and must not be reported.
    ///
    /// # Errors
    ///
    /// Fails if a place does not exist, if the measure does not fit the kind of question, or if no one answered; a base
    /// without respondents is 0.
    pub fn figure(&self, spec: &Spec, rules: &Rules) -> Result<Figure, FigureError> {
        let sample = Sample::of(self, spec)?;
        let moments = sample.moments();
        let base = moments.count.base();
        let nobody = || FigureError::NobodyAnswered { question: sample.question.id.clone() };
        let plain = |value: f64| Figure {
            value,
            base,
            error: None,
            interval: None,
            level: level(&base, rules),
        };
        match (&spec.measure, spec.measure.measured()) {
            (Measure::Base, _) => Ok(plain(moments.count.respondents)),
            (Measure::WeightedBase, _) => Ok(plain(base.weighted)),
            (Measure::EffectiveBase, _) => Ok(plain(base.effective)),
            (_, _) if base.unweighted == 0 => Err(nobody()),
            (_, Some(measured)) => Ok(part(&sample, moments, measured, rules).figure(rules)),
            (Measure::Median, None) => median(&mut sample.values()).map(plain).ok_or_else(nobody),
            (_, None) => moments
                .deviation()
                .map(plain)
                .ok_or_else(|| FigureError::NoDeviation { question: sample.question.id.clone() }),
        }
    }

    /// Returns the first figure minus the second, tested if possible.
    ///
    /// Two studies are treated as independent samples, and so are two segments of one study without common respondents.
    /// Segments that overlap, and different figures of the same respondents (two answers to a question, two rows of a
    /// grid), are tested with their covariance. The tests are the pooled z test for shares and Welch's t test for
    /// means, on the base that [`Rules::test`] names; `difference` in `figure/difference.rs` has the formulas and their
    /// sources. A single comparison is not corrected for others.
    ///
    /// These are not tested, and the reason is reported: medians, standard deviations and bases; figures whose
    /// respondents do not differ or whose answers do not spread; shares and means whose weights are too uneven; figures
    /// of two studies that ask with different scales or have other answers behind the shares; figures of one study with
    /// different weights; and figures with a base below [`Rules::least_base`].
    ///
    /// # Errors
    ///
    /// Fails if one of the figures does, or if they are of different kinds, such as a share and a mean.
    pub fn compare(
        &self,
        one: &Spec,
        other: &Spec,
        rules: &Rules,
    ) -> Result<Comparison, FigureError> {
        Ok(match self.basis(one, other, rules)? {
            Basis::Untested { difference, why } => untested(difference, why),
            Basis::Tested { one, other, shared } => {
                let found = difference(&one, &other, shared.as_ref(), rules);
                told(found, one.measured, shared.as_ref(), rules)
            }
        })
    }

    /// Returns what a comparison rests on.
    ///
    /// # Errors
    ///
    /// As [`Project::compare`].
    pub(crate) fn basis(
        &self,
        one: &Spec,
        other: &Spec,
        rules: &Rules,
    ) -> Result<Basis, FigureError> {
        if std::mem::discriminant(&one.measure) != std::mem::discriminant(&other.measure) {
            return Err(FigureError::NotAlike {
                one: one.measure.name(),
                other: other.measure.name(),
            });
        }
        let apart = || -> Result<f64, FigureError> {
            Ok(self.figure(one, rules)?.value - self.figure(other, rules)?.value)
        };
        let untested = |difference: f64, why: String| Basis::Untested {
            difference,
            why: format!("not tested: {why}"),
        };
        if let Some(why) = unlike(self, one, other) {
            return Ok(untested(apart()?, why.to_owned()));
        }
        let Some(measured) = one.measure.measured() else {
            let why = format!("there is no test for a {}", one.measure.name());
            return Ok(untested(apart()?, why));
        };
        let (sample, other_sample) = (Sample::of(self, one)?, Sample::of(self, other)?);
        let first = part(&sample, answered(&sample)?, measured, rules);
        let second = part(&other_sample, answered(&other_sample)?, measured, rules);
        let value = first.moments.mean - second.moments.mean;
        let bases = [first.moments.count.base(), second.moments.count.base()];
        if bases.iter().any(|base| level(base, rules) == Level::TooLow) {
            let least = rules.least_base;
            let by_count = bases.iter().any(|base| base.unweighted < least);
            let which = if by_count { "a base" } else { "an effective base" };
            return Ok(untested(value, format!("{which} is below {least} respondents")));
        }
        let mut shared = None;
        if one.study == other.study {
            let weight = |weighting: Weighting| match weighting {
                Weighting::Study => sample.study.weight,
                Weighting::Nobody => None,
                Weighting::Column(column) => Some(column),
            };
            if weight(one.weighting) != weight(other.weighting) {
                return Ok(untested(value, "the same study is weighed in two ways".to_owned()));
            }
            let same = one.question == other.question && one.measure == other.measure;
            match in_both(&sample, &other_sample, &first.moments, &second.moments, same) {
                Both::TheSame => {
                    let why = "both are the same answers of the same respondents";
                    return Ok(untested(value, why.to_owned()));
                }
                Both::Some(both) => shared = Some(both),
                Both::Nobody => {}
            }
        }
        Ok(Basis::Tested { one: first, other: second, shared })
    }
}

/// What a comparison of two figures rests on.
pub(crate) enum Basis {
    Untested { difference: f64, why: String },
    Tested { one: Part, other: Part, shared: Option<Shared> },
}

fn answered(sample: &Sample<'_>) -> Result<Moments, FigureError> {
    let moments = sample.moments();
    if moments.count.respondents == 0.0 {
        return Err(FigureError::NobodyAnswered { question: sample.question.id.clone() });
    }
    Ok(moments)
}

pub(crate) fn part(
    sample: &Sample<'_>,
    moments: Moments,
    measured: Measured,
    rules: &Rules,
) -> Part {
    // Only the linearised variance needs it, and it takes a pass over all respondents.
    let whole = match rules.test {
        Test::Linearised => sample.whole().respondents,
        Test::EffectiveBase | Test::UnweightedBase => moments.count.respondents,
    };
    Part { moments, measured, whole }
}

enum Both {
    Nobody,
    TheSame,
    Some(Shared),
}

/// Finds the respondents who are in both samples.
fn in_both(
    one: &Sample<'_>,
    other: &Sample<'_>,
    moments: &Moments,
    other_moments: &Moments,
    same_measure: bool,
) -> Both {
    let each = |take: &mut dyn FnMut(f64, f64, f64)| {
        one.each_block_of_two(other, &mut |block, other_block| {
            let weights = block.weights.iter().zip(&other_block.weights);
            let values = block.values.iter().zip(&other_block.values);
            for ((value, other_value), (weight, other_weight)) in values.zip(weights) {
                if *weight > 0.0 && *other_weight > 0.0 {
                    take(*value, *other_value, *weight);
                }
            }
        });
    };
    let (mut shared, mut sum, mut other_sum, mut differ) =
        (Shared { same_measure, ..Shared::default() }, 0.0, 0.0, false);
    each(&mut |value, other_value, weight| {
        shared.respondents += 1.0;
        shared.weight += weight;
        shared.squares += weight * weight;
        shared.linear +=
            weight * weight * (value - moments.mean) * (other_value - other_moments.mean);
        sum += weight * value;
        other_sum += weight * other_value;
        differ |= value != other_value;
    });
    if shared.respondents == 0.0 {
        return Both::Nobody;
    }
    let everybody = shared.respondents == moments.count.respondents
        && shared.respondents == other_moments.count.respondents;
    if everybody && !differ {
        return Both::TheSame;
    }
    let (mean, other_mean) = (sum / shared.weight, other_sum / shared.weight);
    let mut covariance = 0.0;
    each(&mut |value, other_value, weight| {
        covariance += weight * (value - mean) * (other_value - other_mean);
    });
    shared.mean = mean;
    shared.covariance = covariance / shared.weight;
    Both::Some(shared)
}

fn untested(difference: f64, told: String) -> Comparison {
    Comparison { difference, error: None, interval: None, p: None, significant: false, told }
}

pub(crate) fn told(
    found: Difference,
    measured: Measured,
    shared: Option<&Shared>,
    rules: &Rules,
) -> Comparison {
    let Some(p) = found.p else {
        let why = found.untested.unwrap_or(Untested::NobodyDiffers);
        return Comparison {
            error: found.error,
            interval: found.interval,
            ..untested(found.value, format!("not tested: {}", why.why()))
        };
    };
    let test =
        super::test_name(measured, rules.test, shared.is_none_or(|shared| shared.same_measure));
    let told = if shared.is_some() { format!("{test}, with common respondents") } else { test };
    Comparison {
        difference: found.value,
        error: found.error,
        interval: found.interval,
        p: Some(p),
        significant: p < rules.alpha,
        told,
    }
}
