//! Undeclared numbers that look like codes for no answer: 9999 among amounts below 500, 99 on a scale to 5.
//!
//! They count as answers, because they may be some. [`super::unexplained`] reports values of a list with labels.

use crate::study::{Column, Data, Kind, Question};

/// Such a number exceeds the highest of the others by more than this factor.
const FAR: f64 = 1.5;

/// Numbers of one question, each with how many respondents have it.
#[derive(Debug)]
pub(super) struct Suspected {
    pub(super) question: String,
    values: Vec<(f64, usize)>,
}

impl Suspected {
    /// Returns the numbers of a column that look like codes for no answer; `None` if there are none.
    ///
    /// They are written like such codes, and stand out: far above all numbers that are not written so, or below 0 if none of those is.
    pub(super) fn of(column: &Column, question: &Question) -> Option<Suspected> {
        let is_list = matches!(question.kind, Kind::Single | Kind::Scale);
        if !(question.kind == Kind::Numeric || is_list && column.codes.is_empty()) {
            return None;
        }
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut values: Vec<(f64, usize)> = Vec::new();
        let mut see = |number: f64, times: usize| {
            if number.is_nan() || times == 0 || column.is_missing(number) {
                return;
            }
            if !is_written_as_code(number) {
                (lowest, highest) = (lowest.min(number), highest.max(number));
                return;
            }
            match values.iter_mut().find(|(known, _)| *known == number) {
                Some((_, known)) => *known += times,
                None => values.push((number, times)),
            }
        };
        match &column.data {
            Data::Few { values, index } => {
                let mut times = vec![0_usize; values.len()];
                for place in index {
                    if let Some(times) = times.get_mut(usize::from(*place)) {
                        *times += 1;
                    }
                }
                values.iter().zip(times).for_each(|(number, times)| see(*number, times));
            }
            Data::Numbers(numbers) => numbers.iter().for_each(|number| see(*number, 1)),
            Data::Texts { .. } => {}
        }
        let stands_out = |number: f64| {
            lowest < highest
                && if number < 0.0 { lowest >= 0.0 } else { number > FAR * highest.max(1.0) }
        };
        values.retain(|(number, _)| stands_out(*number));
        values.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        (!values.is_empty()).then(|| Suspected { question: question.id.clone(), values })
    }

    pub(super) fn note(&self) -> String {
        let told = |(number, times): &(f64, usize)| {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            format!("{number} {times}")
        };
        let (looks, counts, declare) = match self.values.len() {
            1 => ("looks like a code", "counts as an answer", "declare it as missing if it is one"),
            _ => ("look like codes", "count as answers", "declare them as missing if they are"),
        };
        let values: Vec<String> = self.values.iter().map(told).collect();
        format!(
            "{} contains {}, which {looks} for no answer and {counts}; {declare}",
            self.question,
            crate::read::listed(&values)
        )
    }
}

/// Returns whether a number is written like a code for no answer: 97, 98, 99, 997, 9999, -9, -99, ….
fn is_written_as_code(number: f64) -> bool {
    if number.fract() != 0.0 || number.abs() >= 1e9 {
        return false;
    }
    let digits = number.abs().to_string();
    let Some((last, before)) = digits.as_bytes().split_last() else { return false };
    let is_long = !before.is_empty() || number < 0.0;
    is_long && matches!(last, b'7'..=b'9') && before.iter().all(|digit| *digit == b'9')
}
