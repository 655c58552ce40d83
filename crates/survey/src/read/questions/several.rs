//! Questions with several answers, from multiple-response sets.

use super::answering;
use super::seen::Seen;
use crate::read::raw::{Raw, Set};
use crate::study::{Answer, Code, Given, Kind, Question, Top, Value};

/// Returns the question that a set forms; `None` if it has no column.
pub(super) fn multi(raw: &Raw, set: &Set) -> Option<Question> {
    let columns: Vec<usize> = set.members.iter().map(|member| member.column).collect();
    columns.first()?;
    let labels: Vec<&str> = columns
        .iter()
        .filter_map(|place| raw.columns.get(*place).map(|column| column.label.as_str()))
        .collect();
    let shared = crate::read::names::shared_beginning(&labels);
    let answers = match &set.counted {
        Some(value) => set
            .members
            .iter()
            .filter_map(|member| {
                let column = raw.columns.get(member.column)?;
                let rest = column.label.get(shared.len()..).unwrap_or_default().trim();
                let rest = if shared.ends_with('(') { rest.trim_end_matches(')') } else { rest };
                let label = match &member.label {
                    Some(label) => label.as_str(),
                    None if rest.is_empty() => column.name.as_str(),
                    None => rest,
                };
                Some(Answer {
                    code: member.code.clone().unwrap_or_else(|| column.name.clone()),
                    label: label.to_owned(),
                    score: None,
                    given: Given::Counted {
                        column: member.column,
                        value: member.counted.as_ref().unwrap_or(value).clone(),
                    },
                })
            })
            .collect(),
        None => categories(raw, &columns),
    };
    let shared = shared.trim_end_matches([':', '-', '–', ' ', '/', '|', '(']).trim();
    let text = [set.text.as_str(), shared, &set.id].into_iter().find(|text| !text.is_empty());
    let told = columns.iter().filter_map(|place| raw.told.get(*place));
    Some(Question {
        id: set.id.clone(),
        text: text.unwrap_or_default().to_owned(),
        kind: Kind::Multi,
        columns: columns.clone(),
        answers,
        nets: Vec::new(),
        grid: told.filter_map(|told| told.grid.clone()).next(),
        top: Top::Highest,
    })
}

/// Returns the answers that the columns of a set hold.
fn categories(raw: &Raw, columns: &[usize]) -> Vec<Answer> {
    let mut codes: Vec<Code> = Vec::new();
    for column in columns.iter().filter_map(|place| raw.columns.get(*place)) {
        for code in answering(column) {
            if !codes.iter().any(|known| known.value == code.value) {
                codes.push(code);
            }
        }
    }
    for column in columns.iter().filter_map(|place| raw.columns.get(*place)) {
        let seen = Seen::of(column, raw.respondents);
        let numbers = seen.few.unwrap_or_default().into_iter().map(Value::Number);
        let texts = seen.texts.into_iter().take(255).map(Value::Text);
        for value in numbers.chain(texts) {
            if !codes.iter().any(|known| known.value == value) {
                codes.push(Code { label: value.to_string(), value });
            }
        }
    }
    let answer = |code: Code| Answer {
        code: code.value.to_string(),
        label: if code.label.is_empty() { code.value.to_string() } else { code.label },
        score: None,
        given: Given::Is(code.value),
    };
    codes.into_iter().map(answer).collect()
}
