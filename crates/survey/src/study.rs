//! A study: the columns of one data file, and the questions that were asked.

mod recommending;
pub(crate) mod weighing;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compact::{Numbers, Texts};

/// A study: one data file, described.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The id used in expressions and tables, such as `W1`.
    pub id: String,
    pub title: String,
    pub origin: Origin,
    pub respondents: usize,
    pub columns: Vec<Column>,
    pub questions: Vec<Question>,
    /// The column that weights respondents unless another weight is requested; if `None`, each respondent counts once.
    pub weight: Option<usize>,
    /// The questions whose answers divide the respondents into segments, as places in `questions`.
    pub segments: Vec<usize>,
    /// How irregular data was handled, one sentence each; see [`Study::notes_for`] if another weight is requested.
    pub notes: Vec<String>,
}

/// The file a study was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub file: String,
    pub format: Format,
    /// SHA-256 of the file's bytes, as hexadecimal digits.
    pub sha256: String,
}

/// The format of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Spss,
    Csv,
    Xlsx,
    Parquet,
    TripleS,
}

/// A column of data: one value, or none, for each respondent.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub label: String,
    pub data: Data,
    /// The meanings of values, in the order of the file or the codebook.
    pub codes: Vec<Code>,
    /// Values that are present but count as no answer.
    pub missing: Vec<Missing>,
    /// The display format that the file declares, such as `F8.2` or `DATE11`; empty if it declares none.
    pub format: String,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Numbers with few distinct values: `values[index[row]]`.
    Few { values: Vec<f64>, index: Vec<u8> },
    /// Numbers; NaN if there is none.
    Numbers(Vec<f64>),
    /// Texts, each distinct one stored once: `texts[index[row]]`.
    Texts { texts: Vec<String>, index: Vec<u32> },
}

/// The index of a respondent without a value, in [`Data::Few`].
pub const NO_VALUE: u8 = u8::MAX;
/// The index of a respondent without a text, in [`Data::Texts`].
pub const NO_TEXT: u32 = u32::MAX;

impl Data {
    /// Returns numbers in the form that takes the least memory; NaN stands for no value.
    pub fn numbers(numbers: Vec<f64>) -> Data {
        let mut kept = Numbers::default();
        numbers.into_iter().for_each(|number| kept.push(number));
        kept.finish()
    }

    /// Returns texts; an empty one stands for no value.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Data {
        let mut kept = Texts::default();
        texts.into_iter().for_each(|text| kept.push(text));
        kept.finish()
    }

    /// Returns the number of respondents.
    pub fn len(&self) -> usize {
        match self {
            Data::Few { index, .. } => index.len(),
            Data::Numbers(numbers) => numbers.len(),
            Data::Texts { index, .. } => index.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether no respondent has a value.
    #[cfg(feature = "read")]
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Data::Few { values, .. } => values.is_empty(),
            Data::Numbers(_) => false,
            Data::Texts { texts, .. } => texts.is_empty(),
        }
    }

    /// Returns the number of a respondent; `None` if there is none.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Data::Few { values, index } => values.get(usize::from(*index.get(row)?)).copied(),
            Data::Numbers(numbers) => numbers.get(row).copied().filter(|number| !number.is_nan()),
            Data::Texts { .. } => None,
        }
    }

    /// Returns the text of a respondent; `None` if there is none.
    pub fn text(&self, row: usize) -> Option<&str> {
        match self {
            Data::Texts { texts, index } => {
                texts.get(*index.get(row)? as usize).map(String::as_str)
            }
            Data::Few { .. } | Data::Numbers(_) => None,
        }
    }
}

/// The meaning of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub value: Value,
    pub label: String,
}

/// A value as files store it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Number(f64),
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// Values that count as no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Missing {
    Value(Value),
    /// From the first to the second, both included.
    Range(f64, f64),
}

impl Column {
    /// Returns whether a number counts as no answer.
    pub fn is_missing(&self, number: f64) -> bool {
        self.missing.iter().any(|missing| match missing {
            Missing::Value(Value::Number(value)) => *value == number,
            Missing::Value(Value::Text(_)) => false,
            Missing::Range(low, high) => (*low..=*high).contains(&number),
        })
    }

    /// Returns whether a text counts as no answer.
    pub fn is_missing_text(&self, text: &str) -> bool {
        self.missing
            .iter()
            .any(|missing| matches!(missing, Missing::Value(Value::Text(value)) if value == text))
    }

    /// Returns, for each respondent, whether the value counts as no answer; `None` if there is no value.
    pub(crate) fn declared(&self) -> impl Fn(usize) -> Option<bool> + '_ {
        // Listed values are checked once each.
        let listed: Vec<bool> = match &self.data {
            Data::Few { values, .. } => {
                values.iter().map(|value| self.is_missing(*value)).collect()
            }
            Data::Texts { texts, .. } => {
                texts.iter().map(|text| self.is_missing_text(text)).collect()
            }
            Data::Numbers(_) => Vec::new(),
        };
        move |row| match &self.data {
            Data::Few { index, .. } => listed.get(usize::from(*index.get(row)?)).copied(),
            Data::Texts { index, .. } => {
                listed.get(usize::try_from(*index.get(row)?).ok()?).copied()
            }
            Data::Numbers(_) => self.data.number(row).map(|number| self.is_missing(number)),
        }
    }

    /// Returns the number that a respondent answered with; `None` if there is none, or if it counts as no answer.
    pub fn answer(&self, row: usize) -> Option<f64> {
        self.data.number(row).filter(|number| !self.is_missing(*number))
    }

    /// Returns the label of a value; `None` if it has no label.
    pub fn label_of(&self, value: &Value) -> Option<&str> {
        let code = self.codes.iter().find(|code| code.value == *value)?;
        Some(code.label.as_str())
    }
}

/// A question, and where its answers are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The id used in expressions, such as `Q5`.
    pub id: String,
    /// Its words.
    pub text: String,
    pub kind: Kind,
    /// The columns that hold its answers: one, or those of a multiple-response set.
    pub columns: Vec<usize>,
    /// The possible answers without missing values, in the order in which a table shows them. Empty for numbers and open texts.
    pub answers: Vec<Answer>,
    /// Answers that are counted together under a name.
    pub nets: Vec<Net>,
    /// The grid it is a row of.
    pub grid: Option<Grid>,
    /// Which end of a scale is its top.
    pub top: Top,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One of several answers.
    Single,
    /// Any of several answers: they overlap, and their shares do not add up to one.
    Multi,
    /// One of several answers in an order, each with a number: it has a mean and boxes.
    Scale,
    Numeric,
    /// Own words.
    Open,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Single => "single",
            Kind::Multi => "multi",
            Kind::Scale => "scale",
            Kind::Numeric => "numeric",
            Kind::Open => "open",
        }
    }
}

/// Which end of a scale is its top: where the favourable answers are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    #[default]
    Highest,
    Lowest,
}

/// One of the answers to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The code used in expressions: the value or, for a multiple-response set, the name of its column or the counted value.
    pub code: String,
    pub label: String,
    /// Its number on a scale.
    pub score: Option<f64>,
    pub given: Given,
}

/// The condition under which a respondent has given an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Any of the question's columns has this value. A question of one column has only that one.
    Is(Value),
    /// The column, by its place in the study, has this value.
    Counted { column: usize, value: Value },
}

/// Answers that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    pub label: String,
    /// The places in `answers`.
    pub answers: Vec<usize>,
}

/// A grid: questions with the same answers, asked in one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub id: String,
    pub text: String,
}

impl Study {
    /// Returns the place of a question by its id, ignoring case.
    pub fn question(&self, id: &str) -> Option<usize> {
        self.questions
            .iter()
            .position(|question| question.id == id)
            .or_else(|| self.questions.iter().position(|one| one.id.eq_ignore_ascii_case(id)))
    }

    /// Returns the place of a column by its name, ignoring case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .or_else(|| self.columns.iter().position(|one| one.name.eq_ignore_ascii_case(name)))
    }
}

impl Question {
    /// Returns the words of the question, preceded by those of its grid.
    pub fn words(&self) -> String {
        match &self.grid {
            Some(grid) if !grid.text.is_empty() && !self.text.contains(&grid.text) => {
                format!("{} – {}", grid.text, self.text)
            }
            _ => self.text.clone(),
        }
    }

    /// Returns the places of the answers on the `points` most favourable points of a scale, or on the least favourable if `top` is false.
    pub fn boxed(&self, points: usize, top: bool) -> Vec<usize> {
        let mut scored: Vec<(usize, f64)> = self
            .answers
            .iter()
            .enumerate()
            .filter_map(|(place, answer)| Some((place, answer.score?)))
            .collect();
        scored.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        if top == (self.top == Top::Highest) {
            scored.reverse();
        }
        scored.into_iter().take(points).map(|(place, _)| place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_as_they_are_however_many_there_are() {
        let few = vec![1.0, f64::NAN, 2.0, 1.0, -0.0, 0.0];
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(matches!(Data::numbers(few.clone()), Data::Few { .. }));
        assert!(matches!(Data::numbers(many.clone()), Data::Numbers(_)));
        for numbers in [few, many] {
            let data = Data::numbers(numbers.clone());
            assert_eq!(data.len(), numbers.len());
            for (row, number) in numbers.iter().enumerate() {
                let kept = data.number(row);
                assert_eq!(kept.map(f64::to_bits), (!number.is_nan()).then(|| number.to_bits()));
            }
            assert_eq!(data.number(numbers.len()), None);
        }
    }

    #[test]
    fn a_question_knows_its_top_and_its_words() {
        let answer = |score: f64| Answer {
            code: score.to_string(),
            label: String::new(),
            score: Some(score),
            given: Given::Is(Value::Number(score)),
        };
        let mut question = Question {
            id: "Q1".into(),
            text: String::new(),
            kind: Kind::Scale,
            columns: vec![0],
            answers: [3.0, 1.0, 2.0].map(answer).into(),
            nets: vec![],
            grid: None,
            top: Top::Highest,
        };
        assert_eq!(question.boxed(2, true), [0, 2]);
        assert_eq!(question.boxed(2, false), [1, 2]);
        question.top = Top::Lowest;
        assert_eq!(question.boxed(2, true), [1, 2]);
        question.text = "Price".into();
        assert_eq!(question.words(), "Price");
        question.grid = Some(Grid { id: "Q4".into(), text: "How satisfied …".into() });
        assert_eq!(question.words(), "How satisfied … – Price");
        question.text = "How satisfied … Price".into();
        assert_eq!(question.words(), "How satisfied … Price");
    }
}
