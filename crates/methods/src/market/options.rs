//! The options of the method, its limits, and their validation.

use serde::{Deserialize, Serialize};

use papers::Source;
use run::library::Retrieval;

/// The options of `market`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The user's own collection, searched in addition to the sources; empty for none.
    #[serde(default)]
    pub collection: String,
    /// The sources to query for papers and pages.
    pub sources: Vec<Source>,
    pub rules: Rules,
}

/// The limits of the stages. All but `context_tokens` apply to each section separately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Maximum number of queries, if these suffice for every approved search term.
    pub queries: u32,
    /// Papers and pages requested from each source for each query.
    pub results: u32,
    /// Maximum number of papers to read.
    pub papers_read: u32,
    /// Maximum number of web pages to read.
    pub pages_read: u32,
    /// Whether papers are read in full if their PDF is free, or only their abstracts.
    pub full_text: bool,
    /// How the run's collection and the user's own are searched for passages.
    pub retrieval: Retrieval,
    /// Passages to retrieve for each query, from each of the two collections.
    pub passages: u32,
    /// Tokens of evidence shown to an agent.
    pub context_tokens: u32,
    /// Maximum number of claims, rows, segments, recommendations or risks taken from a reply, for each kind.
    pub most_claims: u32,
    /// Maximum number of sentences in the summary.
    pub summary_sentences: u32,
}

impl Options {
    /// Returns the first invalid key, and what it must be.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let Rules { queries, results, papers_read, pages_read, passages, .. } = self.rules;
        let Rules { context_tokens, most_claims, summary_sentences, .. } = self.rules;
        let between = |key: &'static str, value: u32, least: u32, most: u32| {
            (!(least..=most).contains(&value)).then(|| (key, format!("must be {least} to {most}")))
        };
        between("queries", queries, 1, 10)
            .or_else(|| between("results", results, 1, 100))
            .or_else(|| between("papers_read", papers_read, 0, 100))
            .or_else(|| between("pages_read", pages_read, 0, 100))
            .or_else(|| between("passages", passages, 1, 100))
            .or_else(|| between("context_tokens", context_tokens, 1, 50_000))
            .or_else(|| between("most_claims", most_claims, 1, 40))
            .or_else(|| between("summary_sentences", summary_sentences, 1, 20))
            .or_else(|| {
                let nowhere = self.sources.is_empty() && self.collection.is_empty();
                let what =
                    "must name a source, because there is no collection to search".to_owned();
                nowhere.then_some(("asked", what))
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_key_that_cannot_be_used_is_named() {
        let options = |key: &str, value: serde_json::Value| {
            let mut rules = json!({
                "queries": 2, "results": 5, "papers_read": 3, "pages_read": 5, "full_text": false, "retrieval": "auto",
                "passages": 6, "context_tokens": 5000, "most_claims": 10, "summary_sentences": 6,
            });
            if !key.is_empty() {
                rules[key] = value;
            }
            serde_json::from_value::<Options>(json!({"sources": ["web"], "rules": rules}))
        };
        let fine = options("", json!(0)).unwrap();
        assert_eq!(fine.wrong(), None);
        for key in
            ["queries", "results", "passages", "context_tokens", "most_claims", "summary_sentences"]
        {
            assert_eq!(options(key, json!(0)).unwrap().wrong().unwrap().0, key);
        }
        assert!(options("hypotheses", json!(1)).is_err(), "an unknown key is refused");
        let nowhere = Options { sources: vec![], ..fine };
        assert_eq!(nowhere.wrong().unwrap().0, "asked");
        assert_eq!(Options { collection: "mine".into(), ..nowhere }.wrong(), None);
    }
}
