//! Young and old: a gloss on the label of a segment of ages, and nothing else.
//!
//! `Older passengers (55 and over)` and `young women aged 18-34` gloss the last and the first of the labels that divide by age; of any other label, or beside
//! none, nobody says who is old.

use super::negations::ends;
use super::parts::{Dimension, key};
use super::sentence::{Sentence, everybody};
use super::tokens::tokens;

/// Tells whether a word is one of those that are read here.
pub(super) fn reads(word: &str) -> bool {
    low(word).is_some()
}

/// Whether a word says young, or old; none where it says neither.
fn low(word: &str) -> Option<bool> {
    match word {
        "young" | "younger" | "youngest" | "youngsters" => Some(true),
        "old" | "older" | "oldest" | "elderly" | "seniors" => Some(false),
        _ => None,
    }
}

/// Appends what is called young or old and is not.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let asked = super::topics::asked_words(&sentence.parts);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let Some(low) = low(&token.word).filter(|_| sentence.free(at)) else { continue };
        // "Years old" belongs to a number.
        let years = matches!(sentence.back(at, 1), "year" | "years" | "-");
        if asked.contains(&token.stem) || (token.word == "old" && years) {
            continue;
        }
        if glossed(sentence, at) != Some(low) {
            faults.push(format!(
                "'{}' is no label: name the segment, as in 'passengers aged 18-34', and call no other one young or old than the first and the last.",
                token.word
            ));
        }
    }
}

/// Whether the label that a word stands with is the first of its question, or the last; none where it is neither, or none is near.
fn glossed(sentence: &Sentence<'_>, at: usize) -> Option<bool> {
    const FARTHEST: usize = 6;
    let between = |to: usize| sentence.tokens.get(at + 1..to).unwrap_or_default();
    let mention = sentence.mentions.iter().find(|mention| {
        mention.from > at
            && mention.from <= at + FARTHEST
            && mention.means.iter().any(|(dimension, labels)| {
                matches!(dimension, Dimension::Segment(_))
                    && !everybody(labels)
                    && place(sentence, dimension, labels).is_some()
            })
    })?;
    let apart = between(mention.from)
        .iter()
        .any(|token| (ends(token) && token.word != "(") || token.is(&["than", "and", "or"]));
    let (dimension, labels) =
        mention.means.iter().find(|(dimension, _)| matches!(dimension, Dimension::Segment(_)))?;
    place(sentence, dimension, labels).filter(|_| !apart)?
}

/// Where labels stand in a question about ages whose labels are numbers that rise: none where it is no such question, and `Some(None)` in its middle.
fn place(
    sentence: &Sentence<'_>,
    dimension: &Dimension,
    labels: &std::collections::BTreeSet<String>,
) -> Option<Option<bool>> {
    let Dimension::Segment(id) = dimension else { return None };
    let mut questions = sentence.project.studies.iter().flat_map(|study| &study.questions);
    let question = questions.find(|one| one.id.to_lowercase() == *id)?;
    // Numbers that rise may be of anything.
    let about = format!("{} {}", question.id.replace('_', " "), question.text);
    if !tokens(&about).iter().any(|token| token.is(&["age", "ages", "aged", "old"])) {
        return None;
    }
    let number =
        |label: &str| tokens(label).iter().find_map(|token| token.number()).map(|(value, _)| value);
    let starts: Vec<f64> =
        question.answers.iter().filter_map(|answer| number(&answer.label)).collect();
    let rises = starts.is_sorted() && starts.len() + 1 >= question.answers.len();
    let [label] = labels.iter().collect::<Vec<_>>()[..] else { return None };
    let numbered: Vec<String> = question
        .answers
        .iter()
        .filter(|answer| number(&answer.label).is_some())
        .map(|answer| key(&answer.label))
        .collect();
    let at = numbered.iter().position(|known| known == label).filter(|_| rises)?;
    Some(if at == 0 {
        Some(true)
    } else if at + 1 == numbered.len() {
        Some(false)
    } else {
        None
    })
}
