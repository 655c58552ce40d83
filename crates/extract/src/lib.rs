//! Finds the statements that answer a question, and the sentences that bear on a subject, without a model.
//!
//! Nothing here writes a word: every result is part of a passage and gives its position. [`Ranked`] orders statements by how well they
//! answer, with the probability that they do; [`answer_sentences`] picks the sentences that share most with a subject. The rest are the
//! classic measures these are built from, each under its name in the literature.
//! All are plain functions: the same input gives the same output, and ties keep the earlier item first.
//!
//! ```
//! use text::Language;
//! use extract::answer_sentences;
//!
//! let passages = ["Gulls nest on cliffs. They feed mostly on small fish, and on what boats throw away."];
//! let picked = answer_sentences("What do gulls feed on?", &passages, Language::English, 1);
//! assert!(passages[0][picked[0].span.clone()].starts_with("They feed"));
//! ```
//!
//! # How statements are ranked
//!
//! In `ranked`: `candidates` are the statements of the passages with their context; `asked` parses the question; `features` are the signs
//! of a statement, `form` what it contains, `lexicon` the words of six languages; `forest` sums what was learned about the signs
//! (`ranker.json`, made by `bench/answers.py`) into an order and the probability of an answer
//! (`docs/decisions/extractive-answers.md`).

mod answer;
mod asked;
mod bm25;
mod candidates;
mod centrality;
mod definition;
mod features;
mod forest;
mod form;
mod lexicon;
mod mmr;
mod numbered;
mod overlap;
mod prose;
mod ranked;
mod topic;

pub use answer::{Picked, answer_sentences};
pub use bm25::Bm25;
pub use centrality::centrality;
pub use definition::Definition;
pub use features::Signs;
pub use forest::{Forest, Node};
pub use mmr::mmr;
pub use numbered::is_of_another_number;
pub use overlap::{compute_cosine, coverage};
pub use ranked::{Measured, Question, Ranked, Ranker, SURE, measured};
pub use topic::{bearing, topic};

/// A passage searched for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The name of its document: a path, or the part of a URL after the host.
    pub name: &'a str,
    /// The title of its document.
    pub title: &'a str,
    /// The headings above it, outermost first, joined by ` > `.
    pub section: &'a str,
    pub text: &'a str,
    /// Its search score: higher is nearer.
    pub score: f64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    pub(super) fn close(found: &[f64], expected: &[f64]) {
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-5;
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(near),
            "{found:?} is not {expected:?}"
        );
    }

    fn any_terms() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec("[a-f]", 0..8), 0..9)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn measures_stay_within_their_bounds(documents in any_terms(), query in prop::collection::vec("[a-h]", 0..5)) {
            prop_assert!(Bm25::new(&documents).scores(&query).into_iter().all(|score| score >= 0.0 && score.is_finite()));
            let central = centrality(&documents);
            prop_assert!(documents.is_empty() || (central.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            prop_assert!(central.iter().all(|value| *value > 0.0));
            for one in &documents {
                for other in &documents {
                    let cosine = compute_cosine(one, other);
                    prop_assert!((0.0..=1.0).contains(&cosine));
                }
            }
            let index = Bm25::new(&documents);
            let weighted: Vec<(String, f64)> = query.iter().map(|term| (term.clone(), index.idf(term))).collect();
            let covered = coverage(&weighted, &documents);
            let borne = bearing(&weighted, &documents);
            prop_assert!((0.0..=1.0).contains(&covered));
            prop_assert!(covered <= borne && borne <= 1.0);
        }
    }
}
