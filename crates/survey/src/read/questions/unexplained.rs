//! Values in the data of a labelled question that no label explains.
//!
//! They count as answers, because they may be some: a codebook can be incomplete. Points between the labelled ends of a
//! scale need no label. At most nine questions have a note of their own, and the tenth note names the others.

use crate::study::{Column, Data, Kind, Question, Value};

/// The unexplained values of one question.
#[derive(Debug)]
pub(super) struct Unexplained {
    pub(super) question: String,
    /// Different values, and how many respondents have each, in the order of the data.
    values: Vec<(String, usize)>,
}

impl Unexplained {
    /// Returns the values of a column that no label explains; `None` if all are explained, or if nothing has a label.
    pub(super) fn of(column: &Column, question: &Question) -> Option<Unexplained> {
        let is_list = matches!(question.kind, Kind::Single | Kind::Scale);
        if super::answering(column).is_empty() || !is_list {
            return None;
        }
        let is_point = |value: &Value| {
            let of = question.answers.iter().find(|answer| answer.code == value.to_string());
            of.is_some_and(|answer| answer.score.is_some())
        };
        let strange = |value: &Value| column.label_of(value).is_none() && !is_point(value);
        let mut values: Vec<(String, usize)> = match &column.data {
            Data::Few { values, index } => {
                let of = |value: &f64| {
                    let number = Value::Number(*value);
                    (!column.is_missing(*value) && strange(&number)).then(|| number.to_string())
                };
                let names: Vec<Option<String>> = values.iter().map(of).collect();
                counted(names, index.iter().map(|place| usize::from(*place)))
            }
            Data::Texts { texts, index } => {
                let of = |text: &String| {
                    let own = Value::Text(text.clone());
                    (!column.is_missing_text(text) && strange(&own)).then(|| text.clone())
                };
                let names: Vec<Option<String>> = texts.iter().map(of).collect();
                let places =
                    index.iter().map(|place| usize::try_from(*place).unwrap_or(usize::MAX));
                counted(names, places)
            }
            // Too many different values to be the answers of a list.
            Data::Numbers(_) => Vec::new(),
        };
        values.retain(|(_, times)| *times > 0);
        (!values.is_empty()).then(|| Unexplained { question: question.id.clone(), values })
    }

    pub(super) fn note(&self) -> String {
        let told = |(value, times): &(String, usize)| {
            let people = if *times == 1 { "respondent" } else { "respondents" };
            format!("{value} ({times} {people})")
        };
        let values: Vec<String> = self.values.iter().map(told).collect();
        format!(
            "some answers to {} have no label: {}. They count as answers; declare them as missing in a codebook if they are \
             not",
            self.question,
            crate::read::listed(&values)
        )
    }
}

/// Counts how often each name occurs; places without a name are left out.
fn counted(
    names: Vec<Option<String>>,
    places: impl Iterator<Item = usize>,
) -> Vec<(String, usize)> {
    if names.iter().all(Option::is_none) {
        return Vec::new();
    }
    let mut times = vec![0_usize; names.len()];
    for place in places {
        if let Some(times) = times.get_mut(place) {
            *times += 1;
        }
    }
    names.into_iter().zip(times).filter_map(|(name, times)| Some((name?, times))).collect()
}
