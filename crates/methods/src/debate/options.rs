//! The options of the method, its limits, and their validation.

use serde::{Deserialize, Serialize};

use run::library::{Retrieval, is_name};
use run::sandbox::Limits;
pub use run::settings::Remark;

/// The options of `debate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The collection that papers are stored in and retrieved from, by this and later debates.
    pub corpus: String,
    /// The user's own collection, searched in addition to the corpus; empty for none.
    #[serde(default)]
    pub collection: String,
    /// Whether to query arXiv and Crossref; otherwise the debate uses only the collections.
    pub outside: bool,
    /// A page to read into the corpus before the first turn; empty for none.
    #[serde(default)]
    pub url: String,
    /// The conversation before the debate, oldest first, shown to both scientists.
    #[serde(default)]
    pub history: Vec<Remark>,
    pub rules: Rules,
}

/// The limits of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Maximum number of cycles of proposal and review.
    pub max_turns: u32,
    /// Papers requested from arXiv and from Crossref in each turn.
    pub arxiv_results: u32,
    pub crossref_results: u32,
    /// Whether arXiv papers are read in full if their PDF is free, or only their abstracts.
    pub full_text: bool,
    /// How the collections are searched for passages: by meaning if they have vectors, otherwise by words.
    pub retrieval: Retrieval,
    /// Passages to retrieve in each turn, from each collection.
    pub passages: u32,
    /// Tokens of evidence shown to a scientist.
    pub context_tokens: u32,
    /// Maximum tokens of a response, without its references and code.
    pub max_new_tokens: u32,
    /// Tokens of the earlier conversation that the scientists are shown, latest first.
    pub history_tokens: u32,
    /// The limits of proposed code.
    pub limits: Limits,
}

impl Options {
    /// Returns the first invalid key, and what it must be.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let rules = &self.rules;
        let between = |key: &'static str, value: u32, least: u32, most: u32| {
            (!(least..=most).contains(&value)).then(|| (key, format!("must be {least} to {most}")))
        };
        between("max_turns", rules.max_turns, 1, 50)
            .or_else(|| between("arxiv_results", rules.arxiv_results, 0, 100))
            .or_else(|| between("crossref_results", rules.crossref_results, 0, 100))
            .or_else(|| between("passages", rules.passages, 1, 100))
            .or_else(|| between("context_tokens", rules.context_tokens, 1, 50_000))
            .or_else(|| between("max_new_tokens", rules.max_new_tokens, 50, 20_000))
            .or_else(|| between("history_tokens", rules.history_tokens, 0, 50_000))
            .or_else(|| {
                (!is_name(&self.corpus))
                    .then(|| ("corpus", "must be the name of a collection".into()))
            })
            .or_else(|| {
                let nobody = rules.arxiv_results == 0 && rules.crossref_results == 0;
                let what = "must be more than 0 for one of the two sources".to_owned();
                (self.outside && nobody).then_some(("arxiv_results", what))
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_key_that_cannot_be_used_is_named() {
        let rules = json!({
            "max_turns": 4, "arxiv_results": 5, "crossref_results": 5, "full_text": false, "retrieval": "auto", "passages": 8,
            "context_tokens": 4000, "max_new_tokens": 1000, "history_tokens": 1000, "limits": Limits::default(),
        });
        let options = |key: &str, value: serde_json::Value| {
            let mut rules = rules.clone();
            if !key.is_empty() {
                rules[key] = value;
            }
            serde_json::from_value::<Options>(
                json!({"corpus": "papers", "outside": true, "rules": rules}),
            )
        };
        let fine = options("", json!(0)).unwrap();
        assert_eq!(fine.wrong(), None);
        for key in ["max_turns", "passages", "context_tokens", "max_new_tokens"] {
            assert_eq!(options(key, json!(0)).unwrap().wrong().unwrap().0, key);
        }
        assert!(options("turns", json!(1)).is_err(), "an unknown key is refused");
        let mut nobody = fine.clone();
        (nobody.rules.arxiv_results, nobody.rules.crossref_results) = (0, 0);
        assert_eq!(nobody.wrong().unwrap().0, "arxiv_results");
        assert_eq!(Options { outside: false, ..nobody }.wrong(), None);
        assert_eq!(Options { corpus: "../x".into(), ..fine }.wrong().unwrap().0, "corpus");
    }
}
