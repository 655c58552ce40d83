//! Why an expression cannot be parsed, or means nothing in a project.

use super::reading::{DEEPEST, LONGEST, MOST_FIGURES};
use crate::figure::FigureError;

/// Why an expression cannot be parsed or computed, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    #[error("the expression is empty: write one such as share(Q1=top2)")]
    Empty,
    #[error("the expression is longer than {LONGEST} characters")]
    TooLong,
    #[error("the expression is nested more than {DEEPEST} deep")]
    TooDeep,
    #[error("the expression has more than {MOST_FIGURES} figures")]
    TooMany,
    /// `at` counts characters from 1.
    #[error("found {found} at character {at}, expected {due}")]
    Unexpected { found: String, at: usize, due: &'static str },
    #[error(
        "'{name}' is not a measure. Use share, mean, median, sd, nps, base, weighted_base, effective_base, change or growth"
    )]
    NoMeasure { name: String },
    #[error("'{name}' is not a setting. Use segment, study or weight")]
    NoSetting { name: String },
    #[error("{name} is given twice; give it once")]
    Twice { name: &'static str },
    #[error("there is no {what} '{name}'{place}{near}")]
    Unknown { what: &'static str, name: String, place: String, near: String },
    #[error("'{name}' can be {candidates}; say which")]
    Ambiguous { name: String, candidates: String },
    #[error(
        "share({question}) does not say which answers: write share({question}=…) with {answers}"
    )]
    NoAnswers { question: String, answers: String },
    #[error(
        "{measure} is computed from a whole question: write {measure}({question}), without answers"
    )]
    NeedlessAnswers { measure: &'static str, question: String },
    #[error("question {question} is {kind} and has no boxes: name its answers instead")]
    NoBox { question: String, kind: &'static str },
    #[error("the scale of {question} has {points} points, so a box of {asked} is not possible")]
    BoxTooLarge { question: String, points: usize, asked: usize },
    #[error("a respondent is in one segment of {question} only: join segments with |")]
    Contradiction { question: String },
    #[error(
        "{question} is divided by itself: leave the segment out, or divide it by another question"
    )]
    ByItself { question: String },
    #[error(
        "answers to {question} overlap, since respondents could give several: their shares do not add up; write share({question}={answers})"
    )]
    Overlap { question: String, answers: String },
    #[error(
        "the shares that are added have an answer of {question} in common: it would count twice"
    )]
    CountedTwice { question: String },
    #[error(
        "only shares of one question, of the same respondents in the same study, can be added: {one} and {other} cannot"
    )]
    NotAdded { one: String, other: String },
    #[error("{one} and {other} are not alike: subtract or divide figures of one kind")]
    NotAlike { one: &'static str, other: &'static str },
    #[error("{one} and {other} cannot be compared: {why}; give each as an expression of its own")]
    Unlike { one: String, other: String, why: &'static str },
    #[error(
        "a difference or a ratio cannot be used in another calculation: give each as its own expression"
    )]
    Nested,
    #[error("{kind} takes its studies from from and to: leave study out")]
    StudyInTrend { kind: &'static str },
    #[error("from and to are both {study}: name two studies")]
    SameStudy { study: String },
    #[error(
        "{expression} can be below zero, so a ratio or growth of it has no meaning: give the difference"
    )]
    NotDivided { expression: String },
    #[error("{expression} is zero and cannot be divided by")]
    DividedByZero { expression: String },
    #[error(transparent)]
    Figure(#[from] FigureError),
}
