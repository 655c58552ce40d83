//! The options of the method: the data, the loop and its limits, and their validation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::files::FileRef;
use survey::figure;

/// The options of `brief`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The files of the studies: data, codebooks, and a description of them all if there is one.
    pub files: Vec<FileRef>,
    #[serde(rename = "loop")]
    pub way: Way,
    pub rules: Rules,
}

/// How the summary comes about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Explore WHAT, WHY and HOW; then draft and refine.
    #[default]
    Pipeline,
    /// A worker and a critic in turn, until the critic has nothing to add; the worker's last reply is the result.
    Simple,
}

/// The limits of a brief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Maximum number of rounds of exploration.
    pub max_explore_iters: u32,
    /// Maximum number of drafts.
    pub max_refine_iters: u32,
    /// Maximum number of rounds of the simple loop.
    pub max_iterations: u32,
    /// How often the worker may call tools in one round, and how many at a time.
    pub tool_rounds: u32,
    pub tool_calls: u32,
    /// Maximum number of questions that a search returns.
    pub questions_found: u32,
    /// Maximum number of findings in one round.
    pub most_findings: u32,
    /// The summary must have fewer words than this.
    pub most_words: u32,
    /// Minimum score for a draft to be approved.
    pub least_score: u32,
    /// How figures are computed and compared.
    pub figures: figure::Rules,
}

impl Options {
    /// Returns the first invalid key, and why it is invalid.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let rules = &self.rules;
        let limits = [
            ("max_explore_iters", rules.max_explore_iters, 1, 50),
            ("max_refine_iters", rules.max_refine_iters, 1, 20),
            ("max_iterations", rules.max_iterations, 1, 50),
            ("tool_rounds", rules.tool_rounds, 1, 20),
            ("tool_calls", rules.tool_calls, 1, 50),
            ("questions_found", rules.questions_found, 1, 100),
            ("most_findings", rules.most_findings, 1, 50),
            ("most_words", rules.most_words, 50, 5_000),
            ("least_score", rules.least_score, 1, 10),
        ];
        let beyond = limits
            .into_iter()
            .find(|(_, given, least, most)| !(*least..=*most).contains(given))
            .map(|(key, _, least, most)| (key, format!("must be {least} to {most}")));
        beyond.or_else(|| rules.figures.wrong())
    }
}
