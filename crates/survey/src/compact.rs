//! Columns of values as they arrive, in the form that takes the least memory.

use std::collections::HashMap;

use crate::study::{Data, NO_TEXT, NO_VALUE};

/// Numbers of a column, one for each respondent.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    values: Vec<f64>,
    index: Vec<u8>,
    /// All values, once there are more distinct ones than an index can address.
    many: Option<Vec<f64>>,
    /// The places of 0 to 9 among the values; nearly all values of a survey are such digits.
    digits: [Option<u8>; 10],
}

impl Numbers {
    /// Adds a number; NaN stands for no value.
    pub(crate) fn push(&mut self, number: f64) {
        if let Some(many) = &mut self.many {
            many.push(number);
            return;
        }
        if number.is_nan() {
            self.index.push(NO_VALUE);
            return;
        }
        // Compares bits, so that no value is mistaken for another.
        let known = self.values.iter().position(|known| known.to_bits() == number.to_bits());
        let place = known.unwrap_or(self.values.len());
        match u8::try_from(place) {
            Ok(place) if place < NO_VALUE => {
                if known.is_none() {
                    self.values.push(number);
                }
                self.index.push(place);
            }
            _ => {
                let values = std::mem::take(&mut self.values);
                let index = std::mem::take(&mut self.index);
                let mut many: Vec<f64> = index
                    .into_iter()
                    .map(|place| values.get(usize::from(place)).copied().unwrap_or(f64::NAN))
                    .collect();
                many.push(number);
                self.many = Some(many);
            }
        }
    }

    /// Adds a number from 0 to 9.
    pub(crate) fn push_digit(&mut self, digit: u8) {
        let place = self.digits.get(usize::from(digit)).copied().flatten();
        if let (Some(place), None) = (place, &self.many) {
            self.index.push(place);
            return;
        }
        self.push(f64::from(digit));
        if let (None, Some(known)) = (&self.many, self.digits.get_mut(usize::from(digit))) {
            *known = self.index.last().copied();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.many.as_ref().map_or(self.index.len(), Vec::len)
    }

    /// Adds respondents without a number until there are `rows`.
    pub(crate) fn fill(&mut self, rows: usize) {
        match &mut self.many {
            Some(many) if many.len() < rows => many.resize(rows, f64::NAN),
            None if self.index.len() < rows => self.index.resize(rows, NO_VALUE),
            Some(_) | None => {}
        }
    }

    pub(crate) fn finish(self) -> Data {
        match self.many {
            Some(many) => Data::Numbers(many),
            None => Data::Few { values: self.values, index: self.index },
        }
    }
}

/// Texts of a column, one for each respondent.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: HashMap<Box<str>, u32>,
    texts: Vec<String>,
    index: Vec<u32>,
}

impl Texts {
    /// Adds a text; an empty one stands for no value.
    pub(crate) fn push(&mut self, text: &str) {
        if text.is_empty() {
            self.index.push(NO_TEXT);
        } else if let Some(&place) = self.known.get(text) {
            self.index.push(place);
        } else {
            let place = u32::try_from(self.texts.len()).unwrap_or(NO_TEXT);
            self.known.insert(text.into(), place);
            self.texts.push(text.to_owned());
            self.index.push(place);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Adds respondents without a text until there are `rows`.
    pub(crate) fn fill(&mut self, rows: usize) {
        if self.index.len() < rows {
            self.index.resize(rows, NO_TEXT);
        }
    }

    pub(crate) fn finish(self) -> Data {
        Data::Texts { texts: self.texts, index: self.index }
    }
}
