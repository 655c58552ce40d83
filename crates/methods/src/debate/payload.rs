//! The deliverable of a debate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::ledger::{Citation, Verdict};
use run::sandbox::Trial;

use crate::SecondReader;

/// A debate as it is delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Debate {
    /// How it ended.
    pub ending: Ending,
    /// What it came to, in a few sentences that the program puts together: the summary with which the stream ends.
    pub answer: String,
    /// Whether something is cited, and everything that a scientist cited held. What did not hold is shown in no turn.
    pub grounded: bool,
    /// In the order in which they were spoken.
    pub turns: Vec<Turn>,
    /// Cycles of proposal and review that were allowed.
    pub max_turns: u32,
    /// Who read what the sources bear out; none where no model was asked, and in results of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<SecondReader>,
}

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The reviewer found the proposal viable, and its code held.
    Viable,
    MaxTurns,
    /// There was nothing to debate on.
    NoEvidence,
    /// Somebody, or the budget, or a failure stopped it.
    Interrupted,
}

/// What one scientist said, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The cycle that it belongs to, from 1.
    pub cycle: u32,
    pub scientist: Scientist,
    /// What was searched for.
    pub query: String,
    pub ingested: Ingested,
    /// Passages that the search over the collections brought.
    pub retrieved: u32,
    /// Numbers of the evidence that the scientist was given, as the log has them.
    pub evidence: Vec<u32>,
    pub position: Vec<Sentence>,
    pub synthesis: Vec<Sentence>,
    pub critique: Vec<Critique>,
    /// The next step of verification.
    pub next_step: Vec<Sentence>,
    /// What is proposed; of the reviewer none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proposal: Option<Proposed>,
    pub markers: Markers,
    /// Why the program overruled what the reviewer said; empty where it did not.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub overruled: String,
    /// What its marks stand for, as the ledger has it, each number once.
    pub citations: Vec<Citation>,
    /// Of exactly the works that the turn cites, in the order of their first marks.
    pub references: Vec<Listed>,
    /// All of the above as text: what the stream prints under `Response:`.
    pub response: String,
}

/// Papers that were read into the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ingested {
    pub arxiv: u32,
    pub crossref: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scientist {
    /// Research Scientist 1: proposes.
    Optimist,
    /// Research Scientist 2: reviews.
    Pessimist,
}

impl Scientist {
    /// Returns the name of the role.
    pub fn role(self) -> &'static str {
        match self {
            Scientist::Optimist => "optimist",
            Scientist::Pessimist => "pessimist",
        }
    }

    /// Returns the name in the stream.
    pub fn title(self) -> &'static str {
        match self {
            Scientist::Optimist => "Research Scientist 1",
            Scientist::Pessimist => "Research Scientist 2",
        }
    }
}

/// A sentence of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sentence {
    /// Without marks.
    pub text: String,
    /// Its marks `[n]`: numbers of citations that hold, or of those of the claims that it is concluded from. Empty for a remark.
    pub numbers: Vec<u32>,
    /// None for a remark on what to do next, which states nothing and is checked for nothing but figures and sources that nobody gave.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
}

/// What a scientist holds against the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Critique {
    /// The other's own words, as they stand in the transcript; empty where none are quoted.
    pub quotation: String,
    pub remark: Sentence,
}

/// A proposal's code and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposed {
    /// The words that explain it.
    pub explanation: Vec<Sentence>,
    /// Lower case, such as `python`.
    pub language: String,
    pub code: String,
    pub trial: Trial,
}

/// What the lines at the end of a response say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Markers {
    pub agreement: Agreement,
    pub viability: Viability,
    pub validation: Validation,
    /// The reviewer's alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answer>,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub verification_reason: String,
    /// One sentence.
    pub conclusion: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Agreement {
    Agree,
    #[default]
    Disagree,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Viability {
    Viable,
    #[default]
    NotViable,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Validation {
    #[serde(rename = "PASS")]
    Pass,
    #[serde(rename = "FAIL")]
    Fail,
    #[default]
    #[serde(rename = "N/A")]
    NotApplicable,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Answer {
    Verified,
    #[default]
    Unverified,
}

impl Agreement {
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Agree => "AGREE",
            Agreement::Disagree => "DISAGREE",
        }
    }
}

impl Viability {
    pub fn name(self) -> &'static str {
        match self {
            Viability::Viable => "VIABLE",
            Viability::NotViable => "NOT_VIABLE",
        }
    }
}

impl Validation {
    pub fn name(self) -> &'static str {
        match self {
            Validation::Pass => "PASS",
            Validation::Fail => "FAIL",
            Validation::NotApplicable => "N/A",
        }
    }
}

impl Answer {
    pub fn name(self) -> &'static str {
        match self {
            Answer::Verified => "VERIFIED",
            Answer::Unverified => "UNVERIFIED",
        }
    }
}

/// A work in the list of references.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    /// The marks in the text that stand for it.
    pub numbers: Vec<u32>,
    pub source_uri: String,
    /// As the bibliography writes it.
    pub text: String,
}
