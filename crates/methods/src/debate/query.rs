//! What a turn searches for: the question and the outcome of the previous turn.

use std::collections::BTreeSet;

use run::{Mode, Run};
use text::{Language, is_stop_word, words};

use super::payload::{Sentence, Turn};
use crate::outside;

/// Maximum number of words in a query from the question, and from the previous turn.
const OF_THE_QUESTION: usize = 8;
const OF_THE_TURN: usize = 5;

/// What a turn searches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sought {
    /// The query for the outside sources.
    pub(super) query: String,
    /// The query for the collections, which is never sent outside.
    pub(super) retrieval: String,
}

/// Returns what the turn after `turns` searches for.
///
/// Under a plan, its approved terms are used one after another. While private documents are read, the outside query comes from the question
/// alone, as a scientist's words may repeat them.
pub(super) fn sought(run: &Run, question: &str, turns: &[Turn], private: bool) -> Sought {
    let added = turns.last().map_or_else(Vec::new, |turn| telling(turn, question, run.mode()));
    let retrieval = [question, &added.join(" ")].join(" ");
    let approved = outside::approved(run);
    let query = match approved.get(turns.len() % approved.len().max(1)) {
        Some(term) => term.clone(),
        None if private || added.is_empty() => question.to_owned(),
        None => {
            let mut query = content(question, &BTreeSet::new());
            query.truncate(OF_THE_QUESTION);
            query.extend(added);
            query.join(" ")
        }
    };
    let clean = |text: &str| outside::distinct(std::iter::once(text)).into_iter().next();
    Sought {
        query: clean(&query).unwrap_or_default(),
        retrieval: clean(&retrieval).unwrap_or_default(),
    }
}

/// Returns the words that a turn adds to the question: from its next step and its conclusion or, without a model, from its quotes, since
/// its conclusion is made by rule.
fn telling(turn: &Turn, question: &str, mode: Mode) -> Vec<String> {
    let known: BTreeSet<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let texts = |sentences: &'_ [Sentence]| -> Vec<String> {
        sentences.iter().map(|one| one.text.clone()).collect()
    };
    let said = match mode {
        Mode::Offline => texts(&turn.synthesis),
        Mode::Model => [texts(&turn.next_step), vec![turn.markers.conclusion.clone()]].concat(),
    };
    let mut telling = content(&said.join(" "), &known);
    telling.truncate(OF_THE_TURN);
    telling
}

/// Returns the content words in order, without duplicates and known words.
fn content(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    /// Words about the debate itself.
    const OF_THE_DEBATE: &str = "proposal propose proposed code run ran evidence claim claims verify verified verification next step \
        check checks viable hold holds review test tests tested passage passages paper papers look whether scientist";
    let mut seen = known.clone();
    words(text)
        .map(|(_, word)| word)
        .filter(|word| word.chars().count() > 2 && !is_stop_word(word, Language::English))
        .filter(|word| !OF_THE_DEBATE.split_whitespace().any(|one| word.eq_ignore_ascii_case(one)))
        .filter(|word| seen.insert(word.to_lowercase()))
        .map(str::to_owned)
        .collect()
}
