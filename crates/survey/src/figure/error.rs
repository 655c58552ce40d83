//! Why there is no figure.

use thiserror::Error;

/// Why a figure, a comparison or a table could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FigureError {
    #[error("the project has no study number {number}")]
    NoStudy { number: usize },
    #[error("study {study} has no question number {number}")]
    NoQuestion { study: String, number: usize },
    #[error("study {study} has no column number {number}")]
    NoColumn { study: String, number: usize },
    #[error("question {question} has no answer number {number}")]
    NoAnswer { question: String, number: usize },
    #[error("no answer to question {question} is named: name at least one")]
    NoAnswers { question: String },
    #[error(
        "question {question} is {kind} and has no {measure}: {measure} needs a scale or a numeric question"
    )]
    NoNumbers { question: String, kind: &'static str, measure: &'static str },
    #[error("question {question} is {kind} and lists no answers, so it has no shares")]
    NoShares { question: String, kind: &'static str },
    #[error(
        "question {question} has no NPS: it needs a scale of whole numbers from 0 to 10 whose top is 10"
    )]
    NoNps { question: String },
    #[error("question {question} is {kind} and cannot divide respondents into segments")]
    NoSegments { question: String, kind: &'static str },
    #[error("question {question} is {kind} and has no table")]
    NoTable { question: String, kind: &'static str },
    #[error("none of the respondents counted answered question {question}")]
    NobodyAnswered { question: String },
    #[error(
        "the weights of those who answered question {question} add up to 1 or less, too little for a standard deviation. \
         Scale them to respondents"
    )]
    NoDeviation { question: String },
    #[error("column {column} contains text and cannot be a weight")]
    NoWeight { column: String },
    #[error("a {one} and a {other} are not the same kind of figure: compare like with like")]
    NotAlike { one: &'static str, other: &'static str },
    #[error(
        "question {question} cannot be crossed with {other}: a chi-square needs two single-answer questions, each with two or \
         more answers that were given"
    )]
    NotCrossed { question: String, other: String },
    #[error("question {question} has {answers} answers; the limit for a table is {most}")]
    TooManyAnswers { question: String, answers: usize, most: usize },
}
