//! The result of a check for each sentence.

use grounding::check::Fault;
use run::ledger::{Claim, Verdict};
use serde::{Deserialize, Serialize};

/// A sentence with its verdict: one of the JSON lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The id of its line, or the number of the sentence, from 1.
    pub id: String,
    pub claim: String,
    pub verdict: Verdict,
    pub faults: Vec<Said>,
    pub statements: Vec<Statement>,
    /// The ids of the sentences that a conclusion rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
}

/// A fault, in fields and in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    #[serde(flatten)]
    pub fault: Fault,
    pub says: String,
}

/// A statement that a sentence was checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    pub source_uri: String,
    pub section: String,
    pub quote: String,
    /// UTF-8 byte offset in the source's extracted text.
    pub start: Option<u64>,
    pub end: Option<u64>,
    pub source_sha256: String,
}

impl Sentence {
    /// Returns a sentence from its claim in the ledger; `ids` are those of all sentences, in order.
    pub(super) fn of(id: &str, claim: &Claim, ids: &[String]) -> Sentence {
        let said = |fault: &Fault| Said { fault: fault.clone(), says: fault.to_string() };
        let statements = claim.citations.iter().map(|citation| Statement {
            source_uri: citation.source_uri.clone(),
            section: citation.section.clone(),
            quote: citation.quote.clone(),
            start: citation.start,
            end: citation.end,
            source_sha256: citation.source_sha256.clone(),
        });
        let rests_on = claim
            .rests_on
            .iter()
            .filter_map(|number| ids.get(usize::try_from(*number).ok()?.checked_sub(1)?));
        Sentence {
            id: id.to_owned(),
            claim: claim.text.clone(),
            verdict: claim.verdict,
            faults: claim.faults.iter().map(said).collect(),
            statements: statements.collect(),
            rests_on: rests_on.cloned().collect(),
        }
    }
}
