//! What a turn looks for: the question, and what the turn before came to.

use std::collections::BTreeSet;

use run::{Mode, Run};
use text::{Language, is_stop_word, words};

use super::payload::{Sentence, Turn};
use crate::outside;

/// Words of the question, and of the turn before, that a query has.
const OF_THE_QUESTION: usize = 8;
const OF_THE_TURN: usize = 5;

/// What a turn looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sought {
    /// Asked of the sources outside.
    pub(super) query: String,
    /// Asked of the collections, which nobody outside hears.
    pub(super) retrieval: String,
}

/// Returns what the turn after `turns` looks for.
///
/// Under a plan its terms are searched for, one after another. While private documents are read, what goes out is made from the question alone:
/// what a scientist said may repeat them.
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

/// Returns the words that a turn brings to the question: of what it wants verified next, and of its conclusion; without a model, of what it
/// quotes, since its conclusion is made by rule.
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

/// Returns the words that carry content, in their order, each once and none that is known.
fn content(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    /// Of a debate, not of its matter.
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
