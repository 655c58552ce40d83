//! The agents and their replies. A missing field reads as empty.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use run::ledger::{Quoted, Written, addresses};
use run::{Agent, Reply};

pub(super) const MARKET_SIZING: Agent = Agent {
    name: "market_sizing",
    prompt: "market/market_sizing",
    text: include_str!("../../prompts/market/market_sizing.md"),
};
pub(super) const COMPETITORS: Agent = Agent {
    name: "competitors",
    prompt: "market/competitors",
    text: include_str!("../../prompts/market/competitors.md"),
};
pub(super) const CUSTOMERS: Agent = Agent {
    name: "customers",
    prompt: "market/customers",
    text: include_str!("../../prompts/market/customers.md"),
};
pub(super) const STRATEGY: Agent = Agent {
    name: "strategy",
    prompt: "market/strategy",
    text: include_str!("../../prompts/market/strategy.md"),
};
pub(super) const EDITOR: Agent = Agent {
    name: "editor",
    prompt: "market/editor",
    text: include_str!("../../prompts/market/editor.md"),
};

/// How large the market is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SizingReply {
    /// The section as its reader reads it: what the evidence says of size and growth, in paragraphs, each sentence with its addresses.
    #[schemars(length(max = 6000))]
    pub prose: String,
    /// The same as sentences of a list, of a writer that lists.
    #[schemars(skip)]
    pub claims: Vec<Written>,
    /// From the whole market down to the part that can be reached.
    pub top_down: Estimated,
    /// From one customer up: how many there are, and what each pays.
    pub bottom_up: Estimated,
    /// What the evidence leaves open.
    pub gaps: Vec<String>,
}

/// An estimate as it is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Estimated {
    /// The figures that it begins with.
    pub inputs: Vec<Figure>,
    /// The computation, a step each; the last one is the result. Empty where there is no estimate.
    pub steps: Vec<Computed>,
    /// Why there is no estimate; else empty.
    pub why_not: String,
}

/// A figure that an estimate begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Figure {
    /// Letters, digits and underscores: how expressions name it.
    pub name: String,
    /// What it is a figure of, in the words of its source.
    pub description: String,
    /// One number, as its source writes it, with its currency, magnitude and percent sign.
    #[serde(deserialize_with = "text_or_number")]
    pub value: String,
    /// What it counts: `lawyers`, `USD/year`, `%`.
    pub unit: String,
    /// The addresses of the statements that hold the value and its unit: `3.4`; empty for an assumption.
    #[serde(deserialize_with = "addresses")]
    #[schemars(inner(length(max = 40)))]
    pub cites: Vec<String>,
    /// A quote, of a writer that copied one, and the number of its evidence.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(skip)]
    pub evidence: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(skip)]
    pub quote: String,
    /// Why this value is assumed; empty where it is cited.
    pub why: String,
}

/// A step of a computation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Computed {
    /// Letters, digits and underscores: how later steps name it.
    pub name: String,
    /// Arithmetic over names of inputs and earlier steps: + - * / and parentheses.
    pub expression: String,
    pub unit: String,
    /// What it comes to. A program computes it again.
    #[serde(deserialize_with = "text_or_number")]
    pub value: String,
}

/// Who is in the market already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Compared {
    /// The section as its reader reads it: who competes with whom and how, in paragraphs, each sentence with its addresses.
    #[schemars(length(max = 6000))]
    pub prose: String,
    #[schemars(length(max = 30))]
    pub competitors: Vec<Row>,
    /// What the evidence leaves open.
    pub gaps: Vec<String>,
}

/// A competitor. A cell that the evidence does not fill has an empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Row {
    /// The name, as the evidence has it.
    pub name: Written,
    pub offering: Written,
    pub customers: Written,
    pub pricing: Written,
    pub position: Written,
}

/// Who buys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Described {
    /// The section as its reader reads it: who buys, why, and what holds them back, in paragraphs, each sentence with its addresses.
    #[schemars(length(max = 6000))]
    pub prose: String,
    pub segments: Vec<Group>,
    /// What the evidence leaves open.
    pub gaps: Vec<String>,
}

/// A segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Group {
    /// A few words, without numbers.
    pub name: String,
    /// What the evidence says of it, one sentence each.
    pub claims: Vec<Written>,
    /// What the evidence says that it needs, one sentence each.
    pub needs: Vec<Written>,
}

/// What to do, and what may go wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Advised {
    /// The section as its reader reads it: what the findings come to for whoever decides, in paragraphs, each sentence with its addresses.
    #[schemars(length(max = 6000))]
    pub prose: String,
    pub recommendations: Vec<Advice>,
    /// Risks and barriers that the evidence states, one sentence each.
    pub risks: Vec<Written>,
    /// Risks that follow from the earlier sections, in your judgement.
    pub judged_risks: Vec<Advice>,
    /// What the evidence leaves open.
    pub gaps: Vec<String>,
}

/// A sentence that rests on statements of earlier sections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Advice {
    /// One sentence.
    pub text: String,
    /// The ids of the statements that it rests on: `c1`.
    pub rests_on: Vec<String>,
}

/// The whole, summed up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Edited {
    /// A few words.
    pub title: String,
    /// One sentence each, in reading order.
    #[schemars(length(max = 20))]
    pub summary: Vec<Advice>,
    /// What is left open, one short sentence each.
    pub open_questions: Vec<String>,
}

impl Reply for SizingReply {}
impl Reply for Compared {}
impl Reply for Described {}
impl Reply for Advised {}
impl Reply for Edited {}

impl Figure {
    pub(super) fn quoted(&self) -> Option<Quoted> {
        let is_quoted = self.evidence > 0 || !self.quote.trim().is_empty();
        is_quoted.then(|| Quoted { evidence: self.evidence, quote: self.quote.clone() })
    }

    pub(super) fn is_cited(&self) -> bool {
        !self.cites.is_empty() || self.quoted().is_some()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Reads a number as text: some models write 30 instead of "30".
fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Number(serde_json::Number),
        Nothing(()),
    }
    Ok(match Either::deserialize(from)? {
        Either::Text(text) => text,
        Either::Number(number) => number.to_string(),
        Either::Nothing(()) => String::new(),
    })
}
