//! A banner table: the answers to one question, for everybody and for segments beside each other.

use serde::{Deserialize, Serialize};

use crate::figure::{Base, Level};

/// A banner table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The id of the study.
    pub study: String,
    /// The id of the question.
    pub question: String,
    pub text: String,
    pub kind: crate::study::Kind,
    /// The name of the weight; none where nobody is weighed.
    pub weight: Option<String>,
    /// The first is everybody.
    pub columns: Vec<Heading>,
    pub rows: Vec<Row>,
    /// What a reader must know: weight, test, base, alpha, correction, marks, one sentence each.
    pub footer: Vec<String>,
}

/// A column of a banner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// The text of the question that it is an answer to; empty for everybody.
    pub group: String,
    pub label: String,
    /// `A`, `B`, … through the whole banner; empty for everybody.
    pub letter: String,
    /// Of those who answered the question of the table.
    pub base: Base,
    /// Respondents of this column, whether or not they answered.
    pub respondents: u64,
    pub level: Level,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub label: String,
    pub kind: RowKind,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Several answers together; stands above them.
    Net,
    Answer,
    /// A top or bottom box.
    Boxed,
    Nps,
    Mean,
    Median,
    Sd,
    Se,
    /// All answers together.
    Sigma,
    /// Respondents who were asked and gave no answer.
    NoAnswer,
}

impl RowKind {
    /// Tells whether the values of such a row are proportions.
    pub fn is_share(self) -> bool {
        matches!(
            self,
            RowKind::Net
                | RowKind::Answer
                | RowKind::Boxed
                | RowKind::Nps
                | RowKind::Sigma
                | RowKind::NoAnswer
        )
    }
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// None where the base is too low, or nobody answered.
    pub value: Option<f64>,
    /// The weighted number of respondents; none for means and the like.
    pub count: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// The letters of the columns that this one is significantly higher than, capital where at the stricter level.
    pub letters: String,
}
