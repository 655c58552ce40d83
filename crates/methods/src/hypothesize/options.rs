//! The options of the method, its limits and measures, and their validation.

use serde::{Deserialize, Serialize};

use papers::Source;
use run::library::Retrieval;

use super::{diversity, pairwise};

/// The options of `hypothesize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The field that the question belongs to.
    pub domain: String,
    /// The purpose of the hypotheses.
    pub objective: String,
    /// The number of best hypotheses to write up as a *quaestio*.
    pub top: u32,
    /// The user's own collection, searched in addition to the sources; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub collection: String,
    /// The sources to query for papers; empty only if there is a collection.
    pub sources: Vec<Source>,
    pub rules: Rules,
}

/// The limits and measures of the stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Number of hypotheses to ask for.
    pub hypotheses: u32,
    /// If there are fewer than this, the generator is asked once more.
    pub fewest_hypotheses: u32,
    /// Papers requested from each source for each query.
    pub results: u32,
    /// Maximum number of papers to read.
    pub papers_read: u32,
    /// Whether papers are read in full if their PDF is free, or only their abstracts.
    pub full_text: bool,
    /// How the collection is searched for passages.
    pub retrieval: Retrieval,
    /// Passages to retrieve for each query.
    pub passages: u32,
    /// Tokens of evidence shown to an agent.
    pub context_tokens: u32,
    pub diversity: diversity::Rules,
    pub ranking: pairwise::Rules,
}

impl Options {
    /// Returns the first invalid key, and what it must be.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let Rules { hypotheses, fewest_hypotheses, results, papers_read, .. } = &self.rules;
        let Rules { passages, context_tokens, diversity, ranking, .. } = &self.rules;
        let between = |key: &'static str, value: u32, least: u32, most: u32| {
            (!(least..=most).contains(&value)).then(|| (key, format!("must be {least} to {most}")))
        };
        let nowhere = self.sources.is_empty() && self.collection.is_empty();
        let scholarly = !nowhere && self.sources.iter().all(|source| source.is_scholarly());
        between("top", self.top, 1, MOST)
            .or_else(|| between("hypotheses", *hypotheses, 1, MOST))
            .or_else(|| between("fewest_hypotheses", *fewest_hypotheses, 1, MOST))
            .or_else(|| between("results", *results, 1, 100))
            .or_else(|| between("papers_read", *papers_read, 1, 200))
            .or_else(|| between("passages", *passages, 1, 100))
            .or_else(|| between("context_tokens", *context_tokens, 1, 50_000))
            .or_else(|| Some(("diversity", diversity.check().err()?)))
            .or_else(|| Some(("ranking", ranking.check().err()?)))
            .or_else(|| {
                let what =
                    "must name scholarly sources, and neither the web nor MCP servers".to_owned();
                (!scholarly).then_some(("asked", what))
            })
    }
}

/// Maximum number of hypotheses.
pub const MOST: u32 = 8;
