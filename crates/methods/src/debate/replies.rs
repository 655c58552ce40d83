//! The two scientists and their replies. A missing field reads as empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::ledger::{Quoted, Written, addresses};
use run::{Agent, Reply};

use super::ending;
use super::payload::{Agreement, Answer, Validation, Viability};

pub(super) const OPTIMIST: Agent = Agent {
    name: "optimist",
    prompt: "debate/optimist",
    text: include_str!("../../prompts/debate/optimist.md"),
};
pub(super) const PESSIMIST: Agent = Agent {
    name: "pessimist",
    prompt: "debate/pessimist",
    text: include_str!("../../prompts/debate/pessimist.md"),
};

/// Maximum size of code in bytes; more could not be reviewed.
const MOST_CODE: usize = 60_000;

/// What a scientist says of the matter and of the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Discussion {
    /// Where the scientist stands, one sentence each. One that states a fact cites it; one that is concluded cites nothing.
    pub position: Vec<Written>,
    /// What the evidence says, put together, one sentence each; every one cites.
    pub synthesis: Vec<Written>,
    /// What is held against the other scientist; empty on the first turn.
    pub critique: Vec<Objection>,
    /// What should be verified next, one sentence each.
    pub next_step: Vec<Written>,
}

/// Something held against the other scientist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Objection {
    /// The address of the other's sentence in the debate so far: `T2.3`; empty where none is meant.
    pub quotation: String,
    /// The objection in one sentence, without citation marks.
    pub text: String,
    /// The addresses of the statements that it rests on: `3.4`; one that is concluded cites nothing.
    #[serde(deserialize_with = "addresses")]
    #[schemars(inner(length(max = 40)))]
    pub cites: Vec<String>,
    /// Quotes of a scientist that copied them in the place of addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub citations: Vec<Quoted>,
}

/// Code that is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Code {
    /// `python`, if it is to be run.
    pub language: String,
    /// One file, standard library only, that checks itself with assertions; empty where no code is proposed.
    #[schemars(length(max = MOST_CODE))]
    pub source: String,
}

/// What the optimist proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Proposal {
    #[serde(flatten)]
    pub discussion: Discussion,
    /// What the code does and why, one sentence each.
    pub explanation: Vec<Written>,
    pub code: Code,
    /// One sentence.
    pub conclusion: String,
    /// Whether the scientist agrees with the other's last review; on the first turn there is none to agree with.
    pub agreement: Agreement,
    /// Whether the scientist holds the proposal to be viable. It decides nothing.
    pub viability: Viability,
}

/// What the pessimist finds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Review {
    #[serde(flatten)]
    pub discussion: Discussion,
    /// Why the answer is verified or not, in one sentence.
    pub verification_reason: String,
    /// One sentence.
    pub conclusion: String,
    pub agreement: Agreement,
    /// Whether the proposal is viable.
    #[schemars(with = "Viability")]
    pub viability: Option<Viability>,
    /// Whether its code holds: PASS or FAIL by what came of running it, N/A where nothing was run.
    #[schemars(with = "Validation")]
    pub validation: Option<Validation>,
    /// VERIFIED or UNVERIFIED.
    #[schemars(with = "Answer")]
    pub answer: Option<Answer>,
}

impl Reply for Proposal {
    const DRAFT: Option<&'static str> = Some("text");
    const CODE: Option<&'static str> = Some("source");

    fn plain(text: &str) -> Option<Proposal> {
        ending::proposal(text)
    }

    fn check(&self) -> Result<(), String> {
        if self.code.source.len() > MOST_CODE {
            return Err(format!("the code is longer than {MOST_CODE} bytes"));
        }
        let silent = self.discussion.is_empty()
            && self.explanation.is_empty()
            && self.code.source.trim().is_empty();
        if silent { Err("nothing is said in it".into()) } else { Ok(()) }
    }
}

impl Reply for Review {
    const DRAFT: Option<&'static str> = Some("text");

    fn plain(text: &str) -> Option<Review> {
        ending::review(text)
    }

    fn check(&self) -> Result<(), String> {
        match (self.viability, self.validation, self.answer) {
            (None, _, None) => Err("it must say 'viability': VIABLE or NOT_VIABLE".into()),
            (Some(_), None, None) => Err("it must say 'validation': PASS, FAIL or N/A".into()),
            (Some(Viability::NotViable), _, Some(Answer::Verified)) => {
                Err("'answer' says VERIFIED and 'viability' says NOT_VIABLE; say which".into())
            }
            (_, Some(Validation::Fail), Some(Answer::Verified)) => {
                Err("'answer' says VERIFIED and 'validation' says FAIL; say which".into())
            }
            _ => Ok(()),
        }
    }
}

impl Discussion {
    fn is_empty(&self) -> bool {
        self.position.is_empty()
            && self.synthesis.is_empty()
            && self.critique.is_empty()
            && self.next_step.is_empty()
    }
}

impl Review {
    /// Returns the verdicts on the proposal and its code. The compact ending, which has only an answer, gives both.
    pub(super) fn verdict(&self) -> (Viability, Validation) {
        let verified = self.answer == Some(Answer::Verified);
        let viability = if verified { Viability::Viable } else { Viability::NotViable };
        let validation = if verified { Validation::Pass } else { Validation::Fail };
        // An unverified answer makes the proposal not viable, whatever else the review says.
        let doubted = self.answer == Some(Answer::Unverified);
        let viability = if doubted { viability } else { self.viability.unwrap_or(viability) };
        (viability, self.validation.unwrap_or(validation))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // proves: C3, D1
    #[test]
    fn a_review_whose_schema_is_kept_passes_its_check() {
        let schema = run::schema::of::<Review>();
        let marker = |name: &str| &schema.schema["properties"][name];
        for name in ["viability", "validation", "answer"] {
            assert!(!marker(name).to_string().contains("null"), "{name}: {}", marker(name));
        }
        let review = run::schema::build_example(&schema.schema);
        let review: Review = serde_json::from_str(&review).unwrap();
        assert_eq!(review.check(), Ok(()));
        // A reply without it is asked for again.
        let silent: Review = serde_json::from_value(json!({"viability": null})).unwrap();
        assert!(silent.check().unwrap_err().contains("viability"));
    }
}
