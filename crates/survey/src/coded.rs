//! A question prepared for counting: each respondent's answer as its place, found by one lookup in a small table.
//!
//! Columns with few distinct values, nearly all columns of a survey, are not copied.

use crate::figure::{FigureError, Weighting};
use crate::study::{Column, Data, Given, Question, Study, Value};

/// The place of an answer that is not listed.
pub(crate) const OTHER: u16 = u16::MAX - 1;
/// The place if there is no answer.
pub(crate) const NONE: u16 = u16::MAX;

/// A column, with the answer's place for each of its values.
pub(crate) enum Codes<'a> {
    Few {
        index: &'a [u8],
        places: Box<[u16; 256]>,
    },
    Texts {
        index: &'a [u32],
        places: Vec<u16>,
    },
    /// The listed values in ascending order, each with its place.
    Numbers {
        column: &'a Column,
        numbers: &'a [f64],
        listed: Vec<(f64, u16)>,
    },
}

impl Codes<'_> {
    /// Returns the place of a respondent's answer, [`OTHER`] or [`NONE`].
    #[inline]
    pub(crate) fn place(&self, row: usize) -> u16 {
        match self {
            Codes::Few { index, places } => {
                index.get(row).map_or(NONE, |value| places[usize::from(*value)])
            }
            Codes::Texts { index, places } => {
                let text = index.get(row).and_then(|text| places.get(*text as usize));
                text.copied().unwrap_or(NONE)
            }
            Codes::Numbers { column, numbers, listed } => match numbers.get(row) {
                Some(number) if !number.is_nan() && !column.is_missing(*number) => listed
                    .binary_search_by(|(value, _)| value.total_cmp(&(number + 0.0)))
                    .ok()
                    .and_then(|at| listed.get(at))
                    .map_or(OTHER, |(_, place)| *place),
                _ => NONE,
            },
        }
    }

    /// Calls `take` for each respondent from `first` on, with the respondent's item in `with` and what `of` makes of the answer's place.
    pub(crate) fn each<T: Copy, U>(
        &self,
        first: usize,
        with: &mut [U],
        of: impl Fn(u16) -> T,
        mut take: impl FnMut(&mut U, T),
    ) {
        if let Codes::Few { index, places } = self {
            let made = places.map(of);
            let index = index.get(first..).unwrap_or(&[]);
            for (with, value) in with.iter_mut().zip(index) {
                take(with, made[usize::from(*value)]);
            }
        } else {
            for (with, row) in with.iter_mut().zip(first..) {
                take(with, of(self.place(row)));
            }
        }
    }
}

/// Returns the columns of a question, each with the places of the answers for its values.
pub(crate) fn encode_columns<'a>(
    study: &'a Study,
    question: &Question,
) -> Result<Vec<Codes<'a>>, FigureError> {
    let mut columns = question.columns.clone();
    for answer in &question.answers {
        if let Given::Counted { column, .. } = answer.given
            && !columns.contains(&column)
        {
            columns.push(column);
        }
    }
    columns.into_iter().map(|column| codes_of(study, question, column)).collect()
}

fn codes_of<'a>(
    study: &'a Study,
    question: &Question,
    place: usize,
) -> Result<Codes<'a>, FigureError> {
    let column = find_column(study, place)?;
    let listed: Vec<(&Value, u16)> = question
        .answers
        .iter()
        .zip(0..OTHER)
        .filter_map(|(answer, at)| match &answer.given {
            Given::Is(value) => Some((value, at)),
            Given::Counted { column, value } => (*column == place).then_some((value, at)),
        })
        .collect();
    let number = |number: f64| {
        if column.is_missing(number) {
            return NONE;
        }
        let found = listed.iter().find(|(value, _)| **value == Value::Number(number));
        found.map_or(OTHER, |(_, at)| *at)
    };
    Ok(match &column.data {
        Data::Few { values, index } => {
            let mut places = Box::new([NONE; 256]);
            for (slot, value) in places.iter_mut().zip(values) {
                *slot = number(*value);
            }
            Codes::Few { index, places }
        }
        Data::Texts { texts, index } => {
            let place = |text: &String| {
                if column.is_missing_text(text) {
                    return NONE;
                }
                let found = listed
                    .iter()
                    .find(|(value, _)| matches!(value, Value::Text(value) if value == text));
                found.map_or(OTHER, |(_, at)| *at)
            };
            Codes::Texts { index, places: texts.iter().map(place).collect() }
        }
        Data::Numbers(numbers) => {
            let mut listed: Vec<(f64, u16)> = listed
                .iter()
                .filter_map(|(value, at)| match value {
                    // Adding 0 turns -0 into 0.
                    Value::Number(value) => Some((value + 0.0, *at)),
                    Value::Text(_) => None,
                })
                .collect();
            listed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            listed.dedup_by(|(later, _), (first, _)| later.total_cmp(first).is_eq());
            Codes::Numbers { column, numbers, listed }
        }
    })
}

/// Returns a column by its place.
pub(crate) fn find_column(study: &Study, place: usize) -> Result<&Column, FigureError> {
    study
        .columns
        .get(place)
        .ok_or_else(|| FigureError::NoColumn { study: study.id.clone(), number: place + 1 })
}

/// Returns a question by its place.
pub(crate) fn find_question(study: &Study, place: usize) -> Result<&Question, FigureError> {
    study
        .questions
        .get(place)
        .ok_or_else(|| FigureError::NoQuestion { study: study.id.clone(), number: place + 1 })
}

/// The weight of each respondent.
pub(crate) enum Weights<'a> {
    Nobody,
    Few { index: &'a [u8], weights: Box<[f64; 256]> },
    Numbers { column: &'a Column, numbers: &'a [f64] },
}

impl<'a> Weights<'a> {
    /// Returns the requested weights, and their name if they have one.
    pub(crate) fn of(
        study: &'a Study,
        weighting: Weighting,
    ) -> Result<(Weights<'a>, Option<&'a str>), FigureError> {
        let place = match weighting {
            Weighting::Study => study.weight,
            Weighting::Nobody => None,
            Weighting::Column(column) => Some(column),
        };
        let Some(place) = place else {
            return Ok((Weights::Nobody, None));
        };
        let column = find_column(study, place)?;
        let weights = match &column.data {
            Data::Few { values, index } => {
                let mut weights = Box::new([0.0; 256]);
                for (slot, value) in weights.iter_mut().zip(values) {
                    *slot = if column.is_missing(*value) { 0.0 } else { usable(*value) };
                }
                Weights::Few { index, weights }
            }
            Data::Numbers(numbers) => Weights::Numbers { column, numbers },
            Data::Texts { .. } => {
                return Err(FigureError::NoWeight { column: column.name.clone() });
            }
        };
        Ok((weights, Some(&column.name)))
    }

    /// Fills in the weight of each respondent from `first` on.
    pub(crate) fn fill(&self, first: usize, weights: &mut [f64]) {
        match self {
            Weights::Nobody => weights.fill(1.0),
            Weights::Numbers { column, numbers } if column.missing.is_empty() => {
                let numbers = numbers.get(first..).unwrap_or(&[]);
                weights
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(weight, number)| *weight = usable(*number));
            }
            Weights::Few { .. } | Weights::Numbers { .. } => {
                for (weight, row) in weights.iter_mut().zip(first..) {
                    *weight = self.weight(row);
                }
            }
        }
    }

    /// Returns the weight of a respondent; 0 for one who is left out.
    #[inline]
    pub(crate) fn weight(&self, row: usize) -> f64 {
        match self {
            Weights::Nobody => 1.0,
            Weights::Few { index, weights } => {
                index.get(row).map_or(0.0, |value| weights[usize::from(*value)])
            }
            Weights::Numbers { column, numbers } => match numbers.get(row) {
                Some(number) if column.missing.is_empty() || !column.is_missing(*number) => {
                    usable(*number)
                }
                _ => 0.0,
            },
        }
    }
}

/// Returns the weight, or 0 if it is missing, infinite or not above 0: that leaves the respondent out.
#[inline]
fn usable(weight: f64) -> f64 {
    if weight > 0.0 && weight.is_finite() { weight } else { 0.0 }
}
