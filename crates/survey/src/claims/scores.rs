//! Words of answers beside what is no share of them, and their degrees.
//!
//! - A mean on a scale is called by a word of its answers only where it rounds to the answer that says it: *rated very easy* takes a mean that is nearest to *very easy*.
//!   *How easy*, and *easier* or *more satisfied than*, compare and are held against the figures elsewhere. NPS is no answer.
//! - The share of a box is not told with the degree of its weaker answer alone: *rather satisfied* is no *rather or very satisfied*.
//! - Before a word of an answer stands its own degree, a comparison, or what says that somebody is so; *close to satisfied* and *nearly satisfied* are no answers.
//! - *Less satisfied* and *more satisfied* compare, which takes two figures.

use std::collections::BTreeSet;

use super::parts::{Dimension, Measured};
use super::sentence::Sentence;
use super::tokens::{Token, akin, tokens};
use super::words::{PEOPLE, plain};
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
    before(sentence, faults);
}

/// What may stand directly before a word of an answer.
const BEFORE: &[&str] = &[
    "share",
    "shares",
    "proportion",
    "percentage",
    "majority",
    "minority",
    "half",
    "one",
    "group",
    "are",
    "is",
    "was",
    "were",
    "be",
    "being",
    "been",
    "am",
    "as",
    "and",
    "or",
    "how",
    "more",
    "less",
    "most",
    "least",
    "not",
    "the",
    "of",
    "who",
    "equally",
    "similarly",
    "significantly",
    "either",
    "neither",
    "nor",
    "also",
    "now",
    "overall",
    "rated",
    "rate",
    "feel",
    "felt",
    "remain",
    "remained",
    "remains",
    "stay",
    "stayed",
    "still",
    "those",
    "all",
    "both",
    "say",
    "said",
    "percent",
    "cent",
    "that",
    "than",
    "fewer",
    "many",
    "a",
    "an",
    "so",
    "find",
    "found",
    "finds",
    "it",
    "them",
    "never",
    "their",
    "for",
    "in",
    "on",
    "with",
    "by",
    "only",
    "just",
    "no",
    "longer",
    "again",
    "among",
    "but",
    "far",
    "less",
    "reported",
    "report",
];

/// Appends what stands before a word of an answer and makes something else of it.
fn before(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    for (at, token) in sentence.tokens.iter().enumerate().skip(1) {
        let label = sentence.mentions.iter().any(|one| (one.from + 1..one.to).contains(&at));
        let answers = sentence.parts.iter().any(|part| {
            part.question.kind == Kind::Scale && own(part.question).contains(&token.word)
        });
        let Some(way) = at.checked_sub(1).and_then(|before| sentence.tokens.get(before)) else {
            continue;
        };
        let known = !way.is_word() || !plain(&way.word) || BEFORE.contains(&way.word.as_str());
        let whom = PEOPLE.split_whitespace().any(|known| known == way.word);
        let degree = whom || DEGREES.contains(&way.word.as_str());
        let turns = way.word == "be"
            && sentence.back(at, 2) == "to"
            && !matches!(
                sentence.back(at, 3),
                "said"
                    | "say"
                    | "says"
                    | "report"
                    | "reported"
                    | "claim"
                    | "claimed"
                    | "state"
                    | "stated"
                    | "likely"
            );
        if answers && !label && sentence.free(at - 1) && (turns || (!known && !degree)) {
            faults.push(format!(
                "'{} {}' is no answer that a figure is of: use the words of the answers.",
                way.word, token.word
            ));
        }
    }
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
        if opposed(sentence, token) {
            faults.push(format!(
                "'{}' is the opposite of what the mean is of: use the words of the question.",
                token.word
            ));
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

/// Whether a word is the opposite of one that the question says: *dissatisfaction* of how satisfied somebody is.
fn opposed(sentence: &Sentence<'_>, token: &Token) -> bool {
    let asked = super::topics::asked_words(&sentence.parts);
    let grids = sentence.parts.iter().map(|part| tokens(&part.question.words()));
    let asked: BTreeSet<String> =
        asked.into_iter().chain(grids.flatten().map(|token| token.stem)).collect();
    let turned = ["dis", "un", "non"].iter().find_map(|prefix| token.word.strip_prefix(prefix));
    turned.filter(|word| word.len() > 4).is_some_and(|word| {
        !asked.contains(&token.stem) && asked.iter().any(|known| akin(known, word))
    })
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
