//! Words of answers beside what is no share of them, and their degrees.
//!
//! - A mean on a scale is called by a word of its answers only where it rounds to the answer that says it: *rated very easy* takes a mean that is nearest to *very easy*.
//!   *How easy*, and *easier* or *more satisfied than*, compare and are held against the figures elsewhere. NPS is no answer.
//! - The share of a box is not told with the degree of its weaker answer alone: *rather satisfied* is no *rather or very satisfied*.
//! - *Less satisfied* and *more satisfied* compare, which takes two figures.

use std::collections::BTreeSet;

use super::parts::{Dimension, Measured};
use super::sentence::Sentence;
use super::tokens::{Token, tokens};
use crate::expression::shown::rounded;
use crate::figure::Measure;
use crate::study::{Kind, Question};

/// Words of labels that say how much.
const DEGREES: &[&str] = &[
    "very",
    "rather",
    "somewhat",
    "extremely",
    "completely",
    "highly",
    "fully",
    "totally",
    "absolutely",
    "slightly",
    "fairly",
    "quite",
    "partly",
    "moderately",
    "strongly",
    "entirely",
    "mostly",
    "not",
    "at",
    "all",
];
/// Words of labels that say nothing by themselves.
const GRAMMAR: &[&str] = &[
    "neither", "nor", "to", "with", "of", "in", "and", "or", "i", "it", "is", "am", "are", "a",
    "an", "the", "don't", "know", "no",
];

fn words(label: &str) -> Vec<String> {
    tokens(label).into_iter().filter(Token::is_word).map(|token| token.word).collect()
}

/// The words of answers on a scale that say what is answered, without degrees.
fn own(question: &Question) -> BTreeSet<String> {
    let scored = question.answers.iter().filter(|answer| answer.score.is_some());
    let said = scored.flat_map(|answer| words(&answer.label));
    said.filter(|word| !DEGREES.contains(&word.as_str()) && !GRAMMAR.contains(&word.as_str()))
        .collect()
}

/// Appends what is told in a word of an answer and is not so.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    means(sentence, faults);
    boxes(sentence, faults);
    compared(sentence, faults);
}

fn quoted(sentence: &Sentence<'_>, at: usize) -> bool {
    sentence.mentions.iter().any(|one| one.quoted && (one.from..one.to).contains(&at))
}

fn means(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let scales = || sentence.parts.iter().filter(|part| part.question.kind == Kind::Scale);
    if scales().any(|part| matches!(part.asked.spec.measure, Measure::Share(_))) {
        return;
    }
    for (at, token) in sentence.tokens.iter().enumerate() {
        let compares = matches!(
            sentence.back(at, 1),
            "how"
                | "more"
                | "less"
                | "most"
                | "least"
                | "as"
                | "equally"
                | "similarly"
                | "significantly"
        );
        if !token.is_word() || compares || quoted(sentence, at) {
            continue;
        }
        let of: Vec<&Measured<'_>> =
            scales().filter(|part| own(part.question).contains(&token.word)).collect();
        if of.is_empty() || of.iter().any(|part| is(sentence, part, at)) {
            continue;
        }
        let nearest: BTreeSet<String> =
            of.iter().filter_map(|part| nearest(part)).map(|label| format!("'{label}'")).collect();
        let nearest: Vec<String> = nearest.into_iter().collect();
        faults.push(if nearest.is_empty() {
            format!("'{}' is an answer, and the figure is none: write the figure alone.", token.word)
        } else {
            format!(
                "'{}' is an answer that the mean is not nearest to, which is {}: write the mean alone.",
                token.word,
                nearest.join(", ")
            )
        });
    }
}

/// The answer that a mean is nearest to.
fn nearest<'a>(part: &Measured<'a>) -> Option<&'a str> {
    if !matches!(part.asked.spec.measure, Measure::Mean | Measure::Median) {
        return None;
    }
    let score = rounded(part.part.figure.value, 0);
    let mut answers = part.question.answers.iter();
    let answer = answers.find(|one| one.score.is_some_and(|own| (own - score).abs() < 1e-9))?;
    Some(answer.label.as_str())
}

/// Whether a word, with the degree before it, is of the answer that the mean is nearest to.
fn is(sentence: &Sentence<'_>, part: &Measured<'_>, at: usize) -> bool {
    let Some(label) = nearest(part) else { return false };
    let label = words(label);
    let has = |word: &str| label.iter().any(|known| known == word);
    let degree = sentence.back(at, 1);
    has(sentence.word(at)) && !has("neither") && (!DEGREES.contains(&degree) || has(degree))
}

/// A box of answers is told by none of them alone that has a degree.
fn boxes(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for mention in sentence.mentions.iter().filter(|one| !one.joint && !one.quoted) {
        let Some(labels) = mention.means.get(&Dimension::Answers) else { continue };
        let within: Vec<&str> = (mention.from..mention.to).map(|at| sentence.word(at)).collect();
        let degree = within.iter().find(|word| DEGREES.contains(word));
        let Some(degree) = degree.filter(|_| labels.len() == 1) else { continue };
        if sentence.back(mention.from, 1) == "least" {
            continue;
        }
        let of = |part: &&Measured<'_>| {
            part.question.kind == Kind::Scale
                && part.of.get(&Dimension::Answers).is_some_and(|own| own.is_superset(labels))
        };
        let mut parts = sentence.parts.iter().filter(of).peekable();
        if parts.peek().is_none() {
            continue;
        }
        // Told beside the others of its box: "rather or very satisfied".
        let whole = parts.any(|part| {
            let others = part.part.answers.iter().map(|label| words(label));
            others
                .flatten()
                .filter(|word| DEGREES.contains(&word.as_str()))
                .all(|word| sentence.tokens.iter().any(|token| token.word == word))
        });
        if !whole {
            faults.push(format!(
                "'{degree}' is of one answer, and the figure is of several: name all of them, or leave '{degree}' out."
            ));
        }
    }
}

/// *Less satisfied* of one figure compares with nothing.
fn compared(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let one = sentence.varying.is_empty() && sentence.figures.len() == 1;
    if !one {
        return;
    }
    for (at, token) in sentence.tokens.iter().enumerate().skip(1) {
        let way = sentence.back(at, 1);
        let label = sentence.mentions.iter().any(|one| (one.from + 1..one.to).contains(&at));
        let answers = sentence.parts.iter().any(|part| {
            part.question.kind == Kind::Scale && own(part.question).contains(&token.word)
        });
        if matches!(way, "less" | "more") && !label && answers {
            faults.push(format!(
                "'{way} {}' compares, and there is one figure: give the other one, or leave '{way}' out.",
                token.word
            ));
        }
    }
}
