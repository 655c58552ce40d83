//! The agents and their replies.
//!
//! A missing field reads as empty; it is filled in later, and marked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::ledger::{Quoted, Written, addresses};
use run::{Agent, Reply};

use super::pairwise::Record;

pub(super) const PROBLEM_FRAMER: Agent = Agent {
    name: "problem_framer",
    prompt: "hypothesize/problem_framer",
    text: include_str!("../../prompts/hypothesize/problem_framer.md"),
};
pub(super) const LITERATURE_SCOUT: Agent = Agent {
    name: "literature_scout",
    prompt: "hypothesize/literature_scout",
    text: include_str!("../../prompts/hypothesize/literature_scout.md"),
};
pub(super) const HYPOTHESIS_GENERATOR: Agent = Agent {
    name: "hypothesis_generator",
    prompt: "hypothesize/hypothesis_generator",
    text: include_str!("../../prompts/hypothesize/hypothesis_generator.md"),
};
pub(super) const CRITIC: Agent = Agent {
    name: "critic",
    prompt: "hypothesize/critic",
    text: include_str!("../../prompts/hypothesize/critic.md"),
};
pub(super) const RANKER: Agent = Agent {
    name: "ranker",
    prompt: "hypothesize/ranker",
    text: include_str!("../../prompts/hypothesize/ranker.md"),
};
pub(super) const SUMMA_COMPOSER: Agent = Agent {
    name: "summa_composer",
    prompt: "hypothesize/summa_composer",
    text: include_str!("../../prompts/hypothesize/summa_composer.md"),
};

/// The problem, framed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Framing {
    /// The question, so precise that an answer could turn out wrong.
    pub restatement: String,
    /// The terms that the literature uses for it, the most important first.
    pub key_terms: Vec<String>,
    /// What a hypothesis has to respect to count as an answer.
    pub constraints: Vec<String>,
    /// How the question was read where it can be read in more than one way.
    pub assumptions: Vec<String>,
    /// One query for a scholarly search service, in the field's own words.
    pub refined_query: String,
}

impl Reply for Framing {
    fn check(&self) -> Result<(), String> {
        if self.refined_query.trim().is_empty() && self.restatement.trim().is_empty() {
            return Err("`restatement` and `refined_query` are empty".into());
        }
        Ok(())
    }
}

/// What the evidence says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Survey {
    /// What bears on the question, one sentence each.
    #[schemars(length(max = 30))]
    pub findings: Vec<Written>,
    /// What the evidence leaves open.
    pub gaps: Vec<String>,
}

impl Reply for Survey {}

/// What is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Generated {
    /// As many as are wanted.
    pub hypotheses: Vec<Proposed>,
}

/// A hypothesis as it is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Proposed {
    /// A few words.
    pub title: String,
    /// One or two sentences that could turn out to be false.
    pub statement: String,
    /// By what it would come about.
    pub mechanism: String,
    /// Why the evidence does not say it already.
    pub novelty_rationale: String,
    /// Why it may hold.
    pub plausibility_rationale: String,
    /// How it can be tested.
    pub testability_rationale: String,
    /// What would follow from it.
    pub impact_rationale: String,
    /// What would be observed if it held, and what result would refute it.
    pub falsifiable_predictions: Vec<String>,
    /// The smallest experiments or analyses that could refute it.
    pub minimal_experiments: Vec<String>,
    /// What of the evidence it rests on.
    pub support: Vec<Written>,
}

impl Reply for Generated {
    fn check(&self) -> Result<(), String> {
        if self.hypotheses.iter().all(|proposed| proposed.statement.trim().is_empty()) {
            return Err("`hypotheses` holds no hypothesis with a `statement`".into());
        }
        Ok(())
    }
}

/// What speaks against the hypotheses, and for them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Critique {
    /// One for each hypothesis.
    pub reviews: Vec<Review>,
}

/// The review of one hypothesis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Review {
    /// As given.
    pub hypothesis_id: String,
    /// Three or more, the strongest first.
    pub objections: Vec<Contested>,
    /// The statement, made sharper; empty where it stands as it is.
    pub revised_statement: String,
    /// The mechanism, made sharper; empty where it stands as it is.
    pub revised_mechanism: String,
}

/// An objection with its reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Contested {
    /// One or two sentences.
    pub objection: String,
    /// The addresses of the statements that bear the objection out: `3.4`; empty where it is an argument.
    #[serde(deserialize_with = "addresses")]
    #[schemars(inner(length(max = 40)))]
    pub cites: Vec<String>,
    /// Quotes of a critic that copied them in the place of addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub citations: Vec<Quoted>,
    /// The best answer that a defender can give.
    pub reply: String,
}

impl Reply for Critique {
    fn check(&self) -> Result<(), String> {
        if self.reviews.is_empty() { Err("`reviews` holds no review".into()) } else { Ok(()) }
    }
}

/// Who is better in which pair.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Judgements {
    /// One for each pair of the list, in its order.
    #[schemars(length(max = 40))]
    pub comparisons: Vec<Record>,
}

impl Reply for Judgements {
    fn check(&self) -> Result<(), String> {
        if self.comparisons.is_empty() {
            return Err("`comparisons` holds no comparison".into());
        }
        Ok(())
    }
}

/// The *quaestio* of each of the best hypotheses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Composed {
    /// The blocks, parted by a line of three hyphens.
    #[schemars(length(max = 30_000))]
    pub summa_rendering: String,
}

impl Reply for Composed {
    const DRAFT: Option<&'static str> = Some("summa_rendering");

    /// Plain text is also a rendering, unless it looks like a broken object.
    fn plain(text: &str) -> Option<Composed> {
        let begins = text.trim_start().trim_start_matches('`').trim_start_matches("json");
        let is_text = !begins.trim_start().starts_with(['{', '[']) && !text.trim().is_empty();
        is_text.then(|| Composed { summa_rendering: text.to_owned() })
    }

    fn check(&self) -> Result<(), String> {
        if self.summa_rendering.trim().is_empty() {
            return Err("`summa_rendering` is empty".into());
        }
        Ok(())
    }
}
