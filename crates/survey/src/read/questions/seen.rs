//! The contents of a column, as far as they show what was asked.

use super::MOST_TEXTS;
use crate::study::{Column, Data};

/// The contents of a column.
pub(super) struct Seen {
    /// Respondents with a value that counts as an answer.
    pub(super) answered: usize,
    /// Different numbers that count as answers; `None` if there are more than a few.
    pub(super) few: Option<Vec<f64>>,
    /// Different texts that count as answers, in the order of the file.
    pub(super) texts: Vec<String>,
    pub(super) whole: bool,
    /// The lowest number.
    pub(super) first: Option<f64>,
    /// Whether the numbers follow each other without a gap.
    pub(super) consecutive: bool,
    /// Whether no value occurs twice.
    pub(super) different: bool,
}

impl Seen {
    /// Returns whether there are more different values than a question has answers.
    pub(super) fn many(&self) -> bool {
        self.few.as_ref().map_or(self.texts.is_empty() || self.texts.len() > MOST_TEXTS, |few| {
            few.len() > MOST_TEXTS
        })
    }

    pub(super) fn of(column: &Column, respondents: usize) -> Seen {
        match &column.data {
            Data::Few { values, index } => {
                let mut times = vec![0_usize; values.len()];
                for place in index {
                    if let Some(times) = times.get_mut(usize::from(*place)) {
                        *times += 1;
                    }
                }
                let kept: Vec<(f64, usize)> = values
                    .iter()
                    .zip(times)
                    .filter(|(value, times)| *times > 0 && !column.is_missing(**value))
                    .map(|(value, times)| (*value, times))
                    .collect();
                let mut few: Vec<f64> = kept.iter().map(|(value, _)| *value).collect();
                few.sort_by(f64::total_cmp);
                Seen {
                    answered: kept.iter().map(|(_, times)| times).sum(),
                    whole: few.iter().all(|value| value.fract() == 0.0),
                    first: few.first().copied(),
                    consecutive: few.is_sorted_by(|one, other| other - one == 1.0),
                    different: respondents > 1 && kept.iter().all(|(_, times)| *times == 1),
                    few: Some(few),
                    texts: Vec::new(),
                }
            }
            Data::Numbers(numbers) => {
                let mut kept: Vec<f64> = numbers
                    .iter()
                    .copied()
                    .filter(|one| !one.is_nan() && !column.is_missing(*one))
                    .collect();
                kept.sort_by(f64::total_cmp);
                Seen {
                    answered: kept.len(),
                    whole: kept.iter().all(|value| value.fract() == 0.0),
                    first: kept.first().copied(),
                    consecutive: kept.is_sorted_by(|one, other| other - one == 1.0),
                    different: kept.windows(2).all(|pair| pair.first() != pair.last()),
                    few: None,
                    texts: Vec::new(),
                }
            }
            Data::Texts { texts, index } => {
                let known =
                    |place: &u32| usize::try_from(*place).ok().and_then(|place| texts.get(place));
                let answered = index
                    .iter()
                    .filter(|place| known(place).is_some_and(|text| !column.is_missing_text(text)))
                    .count();
                let kept: Vec<String> =
                    texts.iter().filter(|text| !column.is_missing_text(text)).cloned().collect();
                let different = respondents > 1 && kept.len() == answered;
                Seen {
                    answered,
                    few: None,
                    texts: kept,
                    whole: false,
                    first: None,
                    consecutive: false,
                    different,
                }
            }
        }
    }
}
