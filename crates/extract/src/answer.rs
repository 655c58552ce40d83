//! The sentences that answer a question: relevant to it, central to the passages, and unlike each other.

use std::collections::BTreeSet;
use std::ops::Range;

use super::prose::{Candidate, prose};
use super::topic::subject;
use super::{Bm25, centrality, compute_cosine, mmr};
use text::{Language, terms, words};

/// A sentence picked from a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Picked {
    /// The index of the passage.
    pub passage: usize,
    /// Where in the passage the sentence stands, in bytes.
    pub span: Range<usize>,
    /// 0 to 1, where 1 is the highest possible score among these passages.
    pub score: f64,
}

/// The weights of the signs that a sentence answers the question; they add up to 1.
const RELEVANCE: f64 = 0.7;
const CENTRALITY: f64 = 0.15;
const PASSAGE_RANK: f64 = 0.15;

/// The weight of word pairs shared with the question, relative to single words.
const PHRASES: f64 = 0.3;
/// The factor for the score of a sentence that leans on the one before it: "They do so because …".
const LEANING: f64 = 0.85;
/// The lowest share of the best score that still counts as an answer.
const WORTH_READING: f64 = 0.35;
/// The cosine from which two sentences say the same.
const SAME: f64 = 0.85;
/// The balance between relevance and novelty.
const LAMBDA: f64 = 0.7;
/// How many of the best sentences are compared with each other.
const POOL: usize = 200;

/// Returns the sentences of `passages` that best answer `question`, best first and at most `limit`.
///
/// Passages come best first, as retrieval returns them. Each sentence returned shares a content word with the
/// question and reads as prose: headings, list stubs, table rows, questions, fragments and lists of links are
/// left out. Returns nothing if no sentence qualifies.
pub fn answer_sentences(
    question: &str,
    passages: &[&str],
    language: Language,
    limit: usize,
) -> Vec<Picked> {
    let asked = subject(question, language);
    let candidates = prose(passages, language);
    let said: Vec<Vec<String>> =
        candidates.iter().map(|candidate| terms(candidate.text, language)).collect();

    let mut relevance = Bm25::new(&said).scores(&asked);
    let phrases: Vec<Vec<String>> = said.iter().map(|terms| pairs(terms)).collect();
    let together = Bm25::new(&phrases).scores(&pairs(&asked));
    for (score, phrase_score) in relevance.iter_mut().zip(together) {
        *score += PHRASES * phrase_score;
    }
    let answers: Vec<bool> = relevance.iter().map(|score| *score > 0.0).collect();
    let relevance = scaled(relevance);
    let central = scaled(centrality(&said));

    let mut pool: Vec<(usize, f64)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| answers[*index]) {
        let rank = 1.0 / (candidate.passage as f64 + 2.0).log2();
        let score =
            RELEVANCE * relevance[index] + CENTRALITY * central[index] + PASSAGE_RANK * rank;
        pool.push((index, if leans(candidate.text, language) { LEANING * score } else { score }));
    }
    pool.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut seen = BTreeSet::new();
    pool.retain(|(index, _)| seen.insert(&said[*index]));
    let floor = pool.first().map_or(0.0, |(_, best)| WORTH_READING * best);
    pool.retain(|(_, score)| *score >= floor);
    pool.truncate(POOL);

    let scores: Vec<f64> = pool.iter().map(|(_, score)| *score).collect();
    let alike = |one: usize, other: usize| compute_cosine(&said[pool[one].0], &said[pool[other].0]);
    let mut picked: Vec<usize> = Vec::new();
    for next in mmr(&scores, alike, LAMBDA, pool.len().min(limit.saturating_mul(3))) {
        if picked.len() < limit && picked.iter().all(|before| alike(*before, next) < SAME) {
            picked.push(next);
        }
    }
    picked.sort_unstable();
    let answer = |place: usize| {
        let (index, score) = pool[place];
        let Candidate { passage, start, text } = candidates[index];
        Picked { passage, span: start..start + text.len(), score }
    };
    picked.into_iter().map(answer).collect()
}

/// Returns whether a sentence begins with a word that points back to one the reader will not see.
fn leans(text: &str, language: Language) -> bool {
    const POINTING: &str = "it its he she his her they them their this these those such however therefore thus hence \
        moreover furthermore but and also";

    let first = words(text).next().map(|(_, word)| word.to_lowercase());
    language == Language::English
        && first.is_some_and(|word| POINTING.split(' ').any(|pointing| pointing == word))
}

/// Returns the pairs of consecutive terms.
fn pairs(terms: &[String]) -> Vec<String> {
    terms.windows(2).map(|pair| pair.join(" ")).collect()
}

/// Divides by the maximum, so that the maximum is 1.
fn scaled(values: Vec<f64>) -> Vec<f64> {
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if greatest > 0.0 { values.into_iter().map(|value| value / greatest).collect() } else { values }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answers<'a>(question: &str, passages: &[&'a str], limit: usize) -> Vec<&'a str> {
        let picked = answer_sentences(question, passages, Language::English, limit);
        picked.into_iter().map(|picked| &passages[picked.passage][picked.span]).collect()
    }

    const PAGE: &str = "# What do herring gulls eat?\n\n\
        [Home](/) | [Birds](/birds) | [Gulls](/birds/gulls) | [Fish](/fish)\n\n\
        Herring gulls are large and noisy birds of the coast. They eat fish, crabs and whatever boats throw away.[2] \
        What else do gulls eat? In towns, herring gulls eat a lot of kitchen waste, which makes up to half of their food \
        in winter. Gulls eat:\n\n- fish\n- gulls' eggs and chicks\n\n| food | share eaten by gulls |\n|---|---|\n| fish | 0.4 |\n\n\
        The nest is built on a cliff or on a flat roof. Gulls eat fish. All rights reserved by the friends of herring gulls who eat.";

    // proves: C10
    #[test]
    fn an_answer_is_made_of_sentences_and_of_nothing_else_on_the_page() {
        let found = answers("What do herring gulls eat?", &[PAGE], 9);
        let towns = "In towns, herring gulls eat a lot of kitchen waste, which makes up to half of their food in winter.";
        let birds = "Herring gulls are large and noisy birds of the coast.";
        let boats = "They eat fish, crabs and whatever boats throw away.[2]";
        assert_eq!(found[0], towns);
        assert!(found.iter().all(|sentence| [towns, birds, boats].contains(sentence)), "{found:?}");
    }

    // proves: C10
    #[test]
    fn what_has_been_said_is_not_said_again() {
        let first =
            "The reactor was shut down after the cooling pump had failed twice in one week.";
        let again =
            "After the cooling pump had failed twice in one week, the reactor was shut down.";
        let other = "The second reactor was shut down in spring, when its licence ran out.";
        assert_eq!(
            answers("Why was the reactor shut down?", &[first, again, first, other], 3),
            [first, other]
        );
    }

    // proves: C10
    #[test]
    fn without_a_word_of_the_question_there_is_no_answer() {
        assert!(answers("How deep is the Baltic Sea?", &[PAGE], 3).is_empty());
        assert!(answers("What is it?", &[PAGE], 3).is_empty());
        assert!(answers("", &[], 3).is_empty());
        assert!(answers("What do gulls eat?", &[PAGE], 0).is_empty());
    }

    // proves: C10
    #[test]
    fn the_words_that_only_ask_are_not_looked_for() {
        let passages = [
            "Examples are given to describe and explain the whole method of this book.",
            "Photosynthesis turns light into sugar within the leaves of plants.",
        ];
        assert_eq!(
            answers("Describe photosynthesis and give examples.", &passages, 1),
            [passages[1]]
        );
        assert_eq!(answers("Explain!", &passages, 1), [passages[0]]);
    }

    // proves: C10
    #[test]
    fn texts_whose_stops_are_set_apart_are_cut_there() {
        let text = "the wing was tested in a slipstream . the lift was found to rise with the speed of the jet .";
        assert_eq!(
            answers("how does lift depend on jet speed", &[text], 1),
            ["the lift was found to rise with the speed of the jet ."]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn answers_are_pieces_of_the_passages_in_order_of_score(passages in prop::collection::vec("([A-Z]?(the|gulls?|eat|fish|of|é|海)[ ,.?!|#\n]{1,2}){0,60}|.{0,60}", 0..5), limit in 0..5_usize) {
            let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
            let picked = answer_sentences("What fish do gulls eat, 海?", &passages, Language::English, limit);
            prop_assert!(picked.len() <= limit);
            prop_assert!(picked.windows(2).all(|two| two[0].score >= two[1].score));
            for one in &picked {
                prop_assert!((0.0..=1.0).contains(&one.score));
                prop_assert!(passages[one.passage].get(one.span.clone()).is_some_and(|text| text.trim() == text && !text.is_empty()));
            }
            prop_assert_eq!(picked, answer_sentences("What fish do gulls eat, 海?", &passages, Language::English, limit));
        }
    }
}
