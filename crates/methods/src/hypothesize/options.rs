//! What the method is started with: its limits and measures, and which of them cannot be.

use serde::{Deserialize, Serialize};

use papers::Source;
use run::library::Retrieval;

use super::{diversity, pairwise};

/// What `hypothesize` is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The field that the question belongs to.
    pub domain: String,
    /// What the hypotheses are wanted for.
    pub objective: String,
    /// How many of the best are written up as a *quaestio*.
    pub top: u32,
    /// The user's own collection, which is searched beside what is looked up; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub collection: String,
    /// Who is asked for papers; nobody only where there is a collection.
    pub sources: Vec<Source>,
    pub rules: Rules,
}

/// The limits and measures of the stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Hypotheses that are asked for.
    pub hypotheses: u32,
    /// Below so many the generator is asked once more.
    pub fewest_hypotheses: u32,
    /// Papers wanted of each source for each query.
    pub results: u32,
    /// Papers that are read, at most.
    pub papers_read: u32,
    /// Whether papers are read whole where their PDF is free, or their abstracts alone.
    pub full_text: bool,
    /// How what was read is searched for passages.
    pub retrieval: Retrieval,
    /// Passages to retrieve for each query.
    pub passages: u32,
    /// Tokens of evidence put before an agent.
    pub context_tokens: u32,
    pub diversity: diversity::Rules,
    pub ranking: pairwise::Rules,
}

impl Options {
    /// Returns the first key that cannot be used, and what it must be.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let Rules { hypotheses, fewest_hypotheses, results, papers_read, .. } = &self.rules;
        let Rules { passages, context_tokens, diversity, ranking, .. } = &self.rules;
        let between = |key: &'static str, value: u32, least: u32, most: u32| {
            (!(least..=most).contains(&value)).then(|| (key, format!("must be {least} to {most}")))
        };
        let nowhere = self.sources.is_empty() && self.collection.is_empty();
        let scholarly = !nowhere && !self.sources.contains(&Source::Web);
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
                let what = "must name scholarly sources, and not the web".to_owned();
                (!scholarly).then_some(("asked", what))
            })
    }
}

/// Hypotheses, at most.
pub const MOST: u32 = 8;
