//! What came of a case under an arm, as the log of its run tells it.

use run::ports::Status;
use serde::{Deserialize, Serialize};

/// The control arm: the model alone. Every evaluation has it, for a method must be worth what it costs.
pub const CONTROL: &str = "direct";

/// What came of one case under one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub case: String,
    /// The name of the arm.
    pub arm: String,
    /// The run that it was; empty where none was begun.
    pub run: String,
    /// Where the run stands; none where none was begun.
    #[serde(default)]
    pub status: Option<Status>,
    /// Whether it was not run again: an earlier evaluation asked the same.
    #[serde(default)]
    pub cached: bool,
    /// Whether the run answered, where it came to its end; an abstention ("not enough evidence") did not.
    #[serde(default)]
    pub answered: Option<bool>,
    /// The text of the answer without citation marks; of an abstention, empty.
    #[serde(default)]
    pub answer: String,
    /// The documents that its first retrieval found, best first, each once; none where nothing was retrieved.
    #[serde(default)]
    pub retrieved: Option<Vec<String>>,
    /// The documents that the answer cites, each once.
    #[serde(default)]
    pub cited: Vec<String>,
    /// Claims of the writer, and those of them that were verified or recomputed.
    #[serde(default)]
    pub claims: u64,
    #[serde(default)]
    pub supported_claims: u64,
    /// Citations that the writer gave, and those of them that were verified.
    #[serde(default)]
    pub citations: u64,
    #[serde(default)]
    pub verified_citations: u64,
    /// Sentences of the answer as a reader sees it, and those of them with a verified citation.
    #[serde(default)]
    pub sentences: u64,
    #[serde(default)]
    pub cited_sentences: u64,
    /// Time at work.
    #[serde(default)]
    pub milliseconds: u64,
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cost_usd_micros: u64,
    /// Why there is no result, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
