//! The respondents a figure is about, and what is measured of each.

use super::{Condition, FigureError, Measure, Spec};
use crate::coded::{Codes, NONE, OTHER, Weights, encode_columns, find_column, find_question};
use crate::project::Project;
use crate::study::{Column, Kind, Question, Study};
use crate::weighted::{Count, Moments};

/// Respondents in a block: few enough to keep their data in the processor's cache.
const BLOCK: usize = 2048;

/// A question as it is measured: a number for each respondent who answered.
pub(crate) struct Sample<'a> {
    pub(crate) study: &'a Study,
    pub(crate) question: &'a Question,
    weights: Weights<'a>,
    segment: Vec<Asked<'a>>,
    measured: Measured<'a>,
}

/// A question of a condition, with the answers that fulfil it.
struct Asked<'a> {
    columns: Vec<Codes<'a>>,
    wanted: Vec<bool>,
}

/// Consecutive respondents of a study.
#[derive(Default)]
pub(crate) struct Block {
    /// What is measured.
    pub(crate) values: Vec<f64>,
    /// Their weights; 0 for respondents outside the base.
    pub(crate) weights: Vec<f64>,
    held: Vec<bool>,
}

impl Block {
    /// Returns the measured values of those in the base, with their weights.
    fn counted(&self) -> impl Iterator<Item = (f64, f64)> {
        let both = self.values.iter().copied().zip(self.weights.iter().copied());
        both.filter(|(_, weight)| *weight > 0.0)
    }
}

enum Measured<'a> {
    /// The highest number of any column: `of_other` for an answer that is not listed, NaN for one without a number.
    Places {
        columns: Vec<Codes<'a>>,
        numbers: Vec<f64>,
        of_other: f64,
    },
    Number(&'a Column),
}

impl<'a> Sample<'a> {
    pub(crate) fn of(project: &'a Project, spec: &Spec) -> Result<Sample<'a>, FigureError> {
        let study = project
            .studies
            .get(spec.study)
            .ok_or(FigureError::NoStudy { number: spec.study + 1 })?;
        let question = find_question(study, spec.question)?;
        Ok(Sample {
            study,
            question,
            weights: Weights::of(study, spec.weighting)?.0,
            segment: spec.segment.iter().map(|one| asked(study, one)).collect::<Result<_, _>>()?,
            measured: measured(study, question, &spec.measure)?,
        })
    }

    /// Passes all respondents of the study to `take` in blocks, in order.
    pub(crate) fn each_block(&self, take: &mut dyn FnMut(&Block)) {
        let mut block = Block::default();
        for first in (0..self.study.respondents).step_by(BLOCK) {
            self.fill(first, &mut block);
            take(&block);
        }
    }

    /// Passes the blocks of two samples of one study to `take`; both blocks cover the same respondents.
    pub(crate) fn each_block_of_two(
        &self,
        other: &Sample<'_>,
        take: &mut dyn FnMut(&Block, &Block),
    ) {
        let (mut block, mut other_block) = (Block::default(), Block::default());
        for first in (0..self.study.respondents).step_by(BLOCK) {
            self.fill(first, &mut block);
            other.fill(first, &mut other_block);
            take(&block, &other_block);
        }
    }

    fn fill(&self, first: usize, block: &mut Block) {
        let size = BLOCK.min(self.study.respondents - first);
        let Block { values, weights, held } = block;
        weights.resize(size, 0.0);
        self.weights.fill(first, weights);
        for asked in &self.segment {
            held.clear();
            held.resize(size, false);
            let wanted =
                |place: u16| asked.wanted.get(usize::from(place)).copied().unwrap_or(false);
            for codes in &asked.columns {
                codes.each(first, held, wanted, |held, wanted| *held |= wanted);
            }
            for (weight, held) in weights.iter_mut().zip(&*held) {
                *weight = if *held { *weight } else { 0.0 };
            }
        }
        values.clear();
        values.resize(size, f64::NAN);
        match &self.measured {
            Measured::Number(column) => {
                for (value, row) in values.iter_mut().zip(first..) {
                    *value = column.answer(row).unwrap_or(f64::NAN);
                }
            }
            Measured::Places { columns, numbers, of_other } => {
                let number = |place: u16| match place {
                    NONE => f64::NAN,
                    OTHER => *of_other,
                    place => numbers.get(usize::from(place)).copied().unwrap_or(f64::NAN),
                };
                for codes in columns {
                    codes.each(first, values, number, |value, number| *value = value.max(number));
                }
            }
        }
        for (weight, value) in weights.iter_mut().zip(&*values) {
            *weight = if value.is_nan() { 0.0 } else { *weight };
        }
    }

    pub(crate) fn moments(&self) -> Moments {
        Moments::of_each(|take| {
            self.each_block(&mut |block| take(&block.values, &block.weights));
        })
    }

    /// Returns all measured values, each with its weight.
    pub(crate) fn values(&self) -> Vec<(f64, f64)> {
        let mut values = vec![];
        self.each_block(&mut |block| values.extend(block.counted()));
        values
    }

    /// Counts the respondents of the study with a weight above 0.
    pub(crate) fn whole(&self) -> Count {
        let mut whole = Count::default();
        for row in 0..self.study.respondents {
            let weight = self.weights.weight(row);
            if weight > 0.0 {
                whole.add(weight);
            }
        }
        whole
    }
}

fn asked<'a>(study: &'a Study, condition: &Condition) -> Result<Asked<'a>, FigureError> {
    let question = find_question(study, condition.question)?;
    if question.answers.is_empty() {
        return Err(FigureError::NoSegments {
            question: question.id.clone(),
            kind: question.kind.name(),
        });
    }
    Ok(Asked {
        columns: encode_columns(study, question)?,
        wanted: wanted(question, &condition.answers)?,
    })
}

/// Returns, for each answer, whether it is one of `places`.
fn wanted(question: &Question, places: &[usize]) -> Result<Vec<bool>, FigureError> {
    if places.is_empty() {
        return Err(FigureError::NoAnswers { question: question.id.clone() });
    }
    let mut wanted = vec![false; question.answers.len()];
    for &place in places {
        match wanted.get_mut(place) {
            Some(slot) => *slot = true,
            None => {
                return Err(FigureError::NoAnswer {
                    question: question.id.clone(),
                    number: place + 1,
                });
            }
        }
    }
    Ok(wanted)
}

fn measured<'a>(
    study: &'a Study,
    question: &Question,
    measure: &Measure,
) -> Result<Measured<'a>, FigureError> {
    let kind = question.kind;
    let places = |numbers: Vec<f64>, of_other: f64| {
        Ok(Measured::Places { columns: encode_columns(study, question)?, numbers, of_other })
    };
    match measure {
        Measure::Share(_) if question.answers.is_empty() => {
            Err(FigureError::NoShares { question: question.id.clone(), kind: kind.name() })
        }
        Measure::Share(answers) => {
            let share = |wanted: bool| if wanted { 1.0 } else { 0.0 };
            places(wanted(question, answers)?.into_iter().map(share).collect(), 0.0)
        }
        Measure::Nps => places(score_promoters(question)?, f64::NAN),
        Measure::Mean | Measure::Median | Measure::Sd => match kind {
            Kind::Scale => places(
                question.answers.iter().map(|answer| answer.score.unwrap_or(f64::NAN)).collect(),
                f64::NAN,
            ),
            Kind::Numeric => match question.columns.first() {
                Some(&place) => Ok(Measured::Number(find_column(study, place)?)),
                None => places(vec![], f64::NAN),
            },
            Kind::Single | Kind::Multi | Kind::Open => Err(FigureError::NoNumbers {
                question: question.id.clone(),
                kind: kind.name(),
                measure: measure.name(),
            }),
        },
        Measure::Base | Measure::WeightedBase | Measure::EffectiveBase => {
            places(vec![1.0; question.answers.len()], 1.0)
        }
    }
}

/// Returns 1 for each answer of a promoter, -1 for one of a detractor and 0 for others that have a score.
///
/// Reichheld (2003), The one number you need to grow: 9 and 10 promote, 0 to 6 detract, on a scale from 0 to 10. A
/// caller who asks for NPS by name gets it for any such scale; [`Question::is_nps`] says whether the question is meant
/// for it.
pub(crate) fn score_promoters(question: &Question) -> Result<Vec<f64>, FigureError> {
    if !question.is_nought_to_ten() {
        return Err(FigureError::NoNps { question: question.id.clone() });
    }
    let scores = question.answers.iter().map(|answer| answer.score.unwrap_or(f64::NAN));
    Ok(scores
        .map(|score| match score {
            score if score.is_nan() => f64::NAN,
            9.0.. => 1.0,
            7.0.. => 0.0,
            _ => -1.0,
        })
        .collect())
}
