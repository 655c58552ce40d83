//! Expressions: a figure as text that can be parsed, checked against the studies, computed and written again.
//!
//! ```text
//! share(Q5=top2, segment=18-34, study=W2)             those who gave one of the two top answers, among 18-34
//! share(Q3=1|4, segment=gender:Female, segment=North) two answers counted together; both conditions hold
//! mean(Q7)   median(Q7)   sd(Q7)   nps(Q9)            of everybody, in the latest study that has the question
//! base(Q5)   weighted_base(Q5)   effective_base(Q5)   how many answered
//! share(Q5=top2, weight=none)                         weight=none, or the name of a column; else as the study says
//! share(Q5=top2, segment=Female) - share(Q5=top2, segment=Male)   a difference, in percentage points for shares
//! mean(Q7, study=W2) / mean(Q7, study=W1)             a ratio
//! change(share(Q5=top2), from=W1, to=W2)              the difference of two studies, the later first
//! growth(mean(Q7), from=W1, to=W2)                    the same, relative to the earlier one
//! ```
//!
//! **Names** are compared regardless of case. An answer is named by its code, its label, the label of a net, or as
//! `top2`, `bottom3` and the like on a scale; if a code and a label are the same text, the code is meant. A segment is
//! `question:answer`, or the answer alone if one segment question of the study has it. A name with any of `,()|=:"`
//! goes between quotation marks, with `\"` and `\\` inside them.
//!
//! **Types.** Only figures that are alike are subtracted or divided. Shares are added only if they are shares of the
//! same respondents, in the same single-answer question, of different answers; they become one share. Figures of two
//! studies are compared only if both asked with the same scale, and shares only if the same answers stand behind them.
//! Answers to a multiple-response question overlap: `Q3=1|4`, never a sum. A difference or a ratio enters no further
//! calculation.
//!
//! **Canonical**: names as the study has them, answers by code in the order of the question, the study always named.
//! `change` becomes a plain difference. Two canonical texts of the same figure differ at most in whether they name a
//! box, a net or its answers.

mod evaluating;
mod naming;
mod reading;
pub(crate) mod resolving;
pub(crate) mod shown;
#[cfg(test)]
mod tests;
mod writing;
mod wrong;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::{Comparison, Figure};

pub use evaluating::{canonical, evaluate};
pub(crate) use naming::fold_name;
pub use reading::{DEEPEST, LONGEST, MOST_FIGURES, parse};
pub use wrong::Wrong;

/// An expression as parsed; names are not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    Figure(Call),
    Joined(Box<Expression>, Operator, Box<Expression>),
    Trend { kind: Trend, of: Call, from: String, to: String },
}

/// How two figures are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Plus,
    Minus,
    Over,
}

/// A comparison of two studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// The later minus the earlier.
    Change,
    /// The change divided by the earlier.
    Growth,
}

/// One figure: a measure of a question, and of whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub measure: Measured,
    pub question: String,
    /// The answers of a share; empty for all other measures.
    pub answers: Vec<Picked>,
    pub segment: Vec<Picking>,
    pub study: Option<String>,
    pub weight: Option<Weighed>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    Share,
    Mean,
    Median,
    Sd,
    Nps,
    Base,
    WeightedBase,
    EffectiveBase,
}

/// An answer as an expression names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// By code, label, or the label of a net.
    Named(String),
    /// The most favourable points of a scale, or the least favourable.
    Box { top: bool, points: usize },
}

/// A segment as an expression names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picking {
    /// `None` if the answer alone is given.
    pub question: Option<String>,
    pub answers: Vec<Picked>,
}

/// How respondents are weighted, as an expression says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weighed {
    Nobody,
    By(String),
}

/// The unit of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A proportion, 0 to 1; shown as a percentage.
    #[default]
    Share,
    /// A difference of two proportions or of two NPS, -2 to 2; shown as percentage points.
    Points,
    /// In the question's own unit: a mean, a median, a standard deviation.
    Mean,
    /// A difference of two of these.
    Difference,
    /// -1 to 1; shown from -100 to 100.
    Nps,
    /// Respondents, or the sum of their weights.
    Count,
    /// One figure over another.
    Ratio,
    /// A change over what was before: 0.25 is a quarter more.
    Growth,
}

impl Unit {
    /// Formats a value for readers: `61.9 %`, `+4.2 points`, `3.62`.
    pub fn shown(self, value: f64) -> String {
        shown::shown(value, self)
    }

    /// Returns the factor that turns a value into what readers see: 100 for proportions.
    pub fn scale(self) -> f64 {
        shown::scaled(1.0, self)
    }
}

/// An expression with its value and what it was computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluated {
    /// The canonical text.
    pub expression: String,
    pub value: f64,
    pub unit: Unit,
    /// One figure, or the two that were compared, in the order of the canonical text; of a growth, the later first.
    pub parts: Vec<Part>,
    /// The first part against the second, where there are two that can be tested.
    pub comparison: Option<Comparison>,
    /// The value as people read it, such as `61.9 %`.
    pub text: String,
}

/// A condition on respondents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// The words of the question.
    pub question: String,
    /// The labels of the answers of which they gave one.
    pub answers: Vec<String>,
    /// The labels of all answers to it.
    pub all: Vec<String>,
}

/// One figure of an expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The canonical text.
    pub expression: String,
    /// The id of the study.
    pub study: String,
    /// The id of the question.
    pub question: String,
    /// The conditions on respondents; none: everybody.
    pub segment: Vec<Segment>,
    /// The labels of the answers of a share.
    pub answers: Vec<String>,
    pub unit: Unit,
    pub figure: Figure,
    /// The value as people read it.
    pub text: String,
}
