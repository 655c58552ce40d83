//! What could, should or must be, and what is exactly so.
//!
//! - *Will, would, can, could, may, might, shall, should, must*: a figure tells what is answered, and nothing of what could or must be. They are a fault,
//!   unless the question or one of its answers says them. What somebody is likely to do can be told as what they *would* do.
//! - *Exactly, precisely*: a rounded number is not exactly so, and a figure of a sample has an interval.
//! - *Often* and *frequently* tell how often, unless they compare; *strong, weak, good, low* judge, unless they say a majority, a difference or a base.
//! - *Too easy* and *too many* judge; *too* at the end of what is said means *as well*.

use super::sentence::Sentence;
use super::tokens::{akin, tokens};

const MODES: &[&str] =
    &["will", "would", "can", "could", "may", "might", "shall", "should", "must"];
const EXACT: &[&str] = &["exact", "exactly", "precise", "precisely"];

const OFTEN: &[&str] = &["often", "frequently", "commonly"];
const JUDGING: &[&str] = &["strong", "weak", "good", "bad", "high", "low", "big", "little"];
/// What sizes may be told of: they are held against it elsewhere.
const SIZED: &[&str] = &[
    "majority",
    "minority",
    "base",
    "bases",
    "difference",
    "differences",
    "gap",
    "gaps",
    "lead",
    "increase",
    "decrease",
    "rise",
    "fall",
    "decline",
    "drop",
    "change",
    "changes",
    "than",
    "more",
    "less",
    "over",
    "above",
    "under",
    "below",
    "higher",
    "lower",
];

/// Tells whether a word is one of those that are decided here.
pub(super) fn reads(word: &str) -> bool {
    MODES.contains(&word) || EXACT.contains(&word) || word == "too"
}

/// Appends what is told as what could or must be, as exact, or as too much.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let asked = asked(sentence);
    for (at, token) in sentence.tokens.iter().enumerate() {
        let word = token.word.as_str();
        let known = reads(word) || OFTEN.contains(&word) || JUDGING.contains(&word);
        if !sentence.free(at) || !known || asked.iter().any(|known| known == word) {
            continue;
        }
        if MODES.contains(&word) && !likely(sentence, at, &asked) {
            faults.push(format!(
                "'{word}' tells what could or must be, and a figure tells what was answered: leave it out."
            ));
        }
        if EXACT.contains(&word) {
            faults.push(format!(
                "'{word}' is more than a rounded figure of a sample can say: leave it out."
            ));
        }
        let compares = matches!(
            sentence.back(at, 1),
            "more" | "less" | "most" | "least" | "how" | "as" | "equally" | "similarly"
        );
        if OFTEN.contains(&word) && !compares {
            faults.push(format!(
                "'{word}' tells how often, and no figure does: leave it out, or say more often than whom."
            ));
        }
        let sized = SIZED.contains(&sentence.word(at + 1));
        if JUDGING.contains(&word) && !compares && !sized {
            faults.push(format!("'{word}' judges, and no figure does: leave it out."));
        }
        let judges = sentence.tokens.get(at + 1).is_some_and(|next| {
            next.is_word() && !next.is(&["in", "at", "with", "among", "for", "and", "but"])
        });
        if word == "too" && judges {
            faults.push(format!(
                "'too {}' judges, and no figure does: leave 'too' out.",
                sentence.word(at + 1)
            ));
        }
    }
}

/// The words of the questions and answers of the figures.
fn asked(sentence: &Sentence<'_>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for part in &sentence.parts {
        texts.push(part.question.words());
        texts.extend(part.question.answers.iter().map(|answer| answer.label.clone()));
    }
    texts.iter().flat_map(|text| tokens(text)).map(|token| token.word).collect()
}

/// Whether what would be done is what the question asks how likely it is.
fn likely(sentence: &Sentence<'_>, at: usize, asked: &[String]) -> bool {
    let deed = sentence.tokens.get(at + 1);
    matches!(sentence.word(at), "would" | "will")
        && asked.iter().any(|word| word == "likely")
        && deed.is_some_and(|deed| {
            sentence.parts.iter().any(|part| {
                let words = tokens(&part.question.words());
                let mut words = words.iter().filter(|token| token.is_word());
                words.any(|known| known.word.len() > 3 && akin(&known.stem, &deed.stem))
            })
        })
}
