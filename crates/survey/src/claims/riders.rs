//! Words that add to a figure what no figure says.
//!
//! "A record", "the remainder", "older passengers": each tells more than the figure beside it, of another time, other people, or a size of a difference, and
//! nothing here can evaluate it. They are refused, unless the question or a label uses the word itself.
//!
//! *Older passengers (55 and over)* is the label itself, where it is that of the oldest or of the youngest. What *hardly changed* does not differ significantly.

use std::collections::BTreeSet;

use super::parts::{Dimension, key};
use super::sentence::Sentence;
use super::tokens::{Token, tokens};
use crate::study::Question;

/// Words, and phrases of words, each told apart by a bar.
const RIDERS: &str = "record|records|decade|decades|last quarter|will fall|will rise|will grow|will drop|will be|nearly nobody|almost nobody|\
    almost everyone|almost everybody|nearly everyone|virtually|overwhelming|best|worst|a gap|gender gap|age gap|divide|by chance|for chance|\
    margin of error|noise|negligible|agree|agrees|agreed|makes no difference|is small|is large|is big|is huge|is tiny|and so did|nowhere else|nobody else|no one else|\
    remainder|the other|of them|of whom|\
    of these|far from|anything but|according to|every second|every third|every fourth|every tenth|only one|a score|dozen|handful|million|millions|thousand|\
    thousands|daily|frequent|occasional|regulars|heavy|commuter|commuters|tourist|tourists|considered|\
    excellent|losing|one another";

/// Words for the oldest, and for the youngest.
const AGES: [&[&str]; 2] = [&["older", "elderly", "seniors"], &["younger", "youngsters"]];
/// Words for next to nothing.
const HARDLY: &[&str] = &["hardly", "barely", "scarcely"];
/// What can hardly be.
const MOVED: &[&str] = &[
    "changed",
    "change",
    "changes",
    "moved",
    "move",
    "moves",
    "differ",
    "differs",
    "differed",
    "different",
    "difference",
    "differences",
];

pub(super) fn check(sentence: &Sentence<'_>, asked: &BTreeSet<String>, faults: &mut Vec<String>) {
    let said = |at: usize, word: &str| {
        sentence.free(at)
            && sentence.word(at) == word
            && !sentence.tokens.get(at).is_some_and(|one| asked.contains(&one.stem))
    };
    let mut refuse = |phrase: &str| {
        faults.push(format!(
            "'{phrase}' tells what no figure says: leave it out, or give the figure that says it."
        ));
    };
    for phrase in RIDERS.split('|') {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let stands =
            |at: usize| words.iter().enumerate().all(|(place, word)| said(at + place, word));
        if (0..sentence.tokens.len()).any(stands) {
            refuse(phrase);
        }
    }
    for at in 0..sentence.tokens.len() {
        for (words, oldest) in AGES.iter().zip([true, false]) {
            let word = words.iter().find(|word| said(at, word));
            if let Some(word) = word.filter(|_| !of_age(sentence, at, oldest)) {
                refuse(word);
            }
        }
        if let Some(word) = HARDLY.iter().find(|word| said(at, word))
            && !hardly(sentence, at)
        {
            refuse(word);
        }
    }
}

/// "Older passengers (55 and over)", "younger people aged 18-34": the label of the oldest or the youngest.
fn of_age(sentence: &Sentence<'_>, at: usize, oldest: bool) -> bool {
    let label = sentence.mentions.iter().find(|one| {
        let between = sentence.tokens.get(at + 1..one.from).unwrap_or_default();
        one.from > at
            && between.len() <= 3
            && between.last().is_some_and(|last| last.is(&["(", "aged"]))
            && one.means.keys().any(|key| matches!(key, Dimension::Segment(_)))
    });
    let Some(label) = label else { return false };
    label.means.iter().any(|(dimension, labels)| {
        let mut all = sentence.parts.iter().flat_map(|part| &part.study.questions);
        let by = all.find(|one| *dimension == Dimension::Segment(one.id.to_lowercase()));
        let ages = by.map(ages).unwrap_or_default();
        let end = if oldest {
            ages.iter().max_by(|(_, one), (_, other)| one.total_cmp(other))
        } else {
            ages.iter().min_by(|(_, one), (_, other)| one.total_cmp(other))
        };
        end.is_some_and(|(end, _)| labels.len() == 1 && labels.contains(end))
    })
}

/// The labels of a question about ages that have a number, and the first number.
fn ages(question: &Question) -> Vec<(String, f64)> {
    let about = format!("{} {}", question.id.replace('_', " "), question.text);
    if !tokens(&about).iter().any(|token| token.is(&["age", "aged", "old"])) {
        return Vec::new();
    }
    let first = |label: &str| tokens(label).iter().find_map(Token::number);
    let labels = question.answers.iter().map(|answer| answer.label.as_str());
    labels.filter_map(|label| Some((key(label), first(label)?.0))).collect()
}

/// "Hardly changed", "barely any difference": nothing differs significantly.
fn hardly(sentence: &Sentence<'_>, at: usize) -> bool {
    let moved = (at + 1..at + 3).any(|at| MOVED.contains(&sentence.word(at)));
    let pairs = sentence.own_pairs();
    moved
        && !pairs.is_empty()
        && pairs.iter().all(|(one, other)| {
            !sentence.compared(*one, *other).is_some_and(|found| found.significant)
        })
}
