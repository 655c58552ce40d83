//! The deliverable: the types that the published schema is generated from.
//!
//! Every text from a source is a [`Statement`] with an id; its marks `[n]` are those of the run's citations. Other texts name the
//! statements that they rest on by these ids.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use run::contexts::Learned;
use run::ledger::Verdict;

use crate::SecondReader;

/// A market analysis, whole, or as far as it came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    #[schemars(length(min = 1))]
    pub question: String,
    #[schemars(length(min = 1))]
    pub title: String,
    /// The executive summary, a sentence each.
    pub summary: Vec<Conclusion>,
    /// None where the section was left out, found nothing, or was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizing: Option<Sizing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitors: Option<Competitors>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customers: Option<Customers>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Sections that are not there, and why.
    pub left_out: Vec<LeftOut>,
    /// In the editor's words, which nothing checks.
    pub open_questions: Vec<String>,
    /// What was looked up, a section each.
    pub searched: Vec<Searched>,
    pub scope: Scope,
    pub learned: Learned,
    /// Who read what the sources bear out; none where no model was asked, and in results of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<SecondReader>,
    /// What each agent returned, by its role.
    pub stage_outputs: BTreeMap<String, Value>,
    /// Why the run did not come to its end; none where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failed>,
}

/// The stage that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failed {
    #[schemars(length(min = 1))]
    pub stage: String,
    #[schemars(length(min = 1))]
    pub message: String,
    pub retry_attempted: bool,
}

/// A section of the analysis: the role of the agent that writes it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    MarketSizing,
    Competitors,
    Customers,
    Strategy,
}

/// A section that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    pub section: Section,
    pub why: WhyNot,
}

/// Why a section is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    /// The plan that was approved has no step for it.
    NotPlanned,
    /// Nothing was found that it could be written from.
    NothingFound,
    /// The run ended before it.
    NotReached,
}

/// A sentence that its sources bear out, or that was computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// `c1`, `c2`, …
    #[schemars(length(min = 1))]
    pub id: String,
    /// With its marks.
    #[schemars(length(min = 1))]
    pub text: String,
    pub verdict: Verdict,
}

/// A sentence of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    #[serde(flatten)]
    pub statement: Statement,
    /// The ids of the statements that it rests on.
    #[schemars(length(min = 1))]
    pub rests_on: Vec<String>,
}

/// A paragraph of a section: its sentences in turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Paragraph {
    pub sentences: Vec<Spoken>,
}

/// A sentence of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spoken {
    #[serde(flatten)]
    pub statement: Statement,
    /// The ids of statements that it is concluded from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
}

/// How large the market is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sizing {
    /// As its agent writes of it; empty where no model was asked, and in results of earlier versions, here and in the other sections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prose: Vec<Paragraph>,
    /// Sentences that are no prose: those of sources, where no model was asked.
    pub claims: Vec<Statement>,
    pub top_down: Estimate,
    pub bottom_up: Estimate,
    pub comparison: Comparison,
    /// What the evidence leaves open, in the agent's words.
    pub gaps: Vec<String>,
}

/// An estimate, computed by program from its inputs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    pub inputs: Vec<Input>,
    /// In the order in which they are computed; the last one is the result.
    pub steps: Vec<Step>,
    /// None where there is no estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Result>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Whether no cited input bears on the result: numbers that stand in an expression itself are assumed.
    pub assumptions_alone: bool,
    /// Numbers and units that the agent stated and that do not come out.
    pub corrections: Vec<String>,
}

/// A figure that an estimate begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// As expressions have it: `texas_lawyers`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is a figure of.
    #[schemars(length(min = 1))]
    pub description: String,
    /// In its unit: 30 for 30 %. Expressions compute with 0.3.
    pub value: f64,
    pub unit: String,
    /// As it is written: `120,000 lawyers`.
    #[schemars(length(min = 1))]
    pub shown: String,
    pub origin: InputOrigin,
    /// What bears it out; none for an assumption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Why it is assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it was given as cited, and its source does not bear it out.
    pub unsupported: bool,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputOrigin {
    /// Its statement bears its value and unit out.
    Cited,
    Assumed,
}

/// A step of an estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    #[schemars(length(min = 1))]
    pub name: String,
    /// Over the names of inputs and earlier steps.
    #[schemars(length(min = 1))]
    pub expression: String,
    /// Computed by program from the units of what the expression names.
    pub unit: String,
    /// Computed by program, in its unit.
    pub value: f64,
    /// The step as a reader sees it: `120,000 lawyers × 30 % × $1,200 = $43.2 million`, with its marks.
    pub statement: Statement,
}

/// What an estimate comes to: its last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Result {
    pub value: f64,
    pub unit: String,
    /// `$43.2 million`.
    #[schemars(length(min = 1))]
    pub shown: String,
}

/// The two estimates beside each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The larger by the smaller, 1 or more; none where they cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    #[schemars(length(min = 1))]
    pub text: String,
}

/// Who is in the market already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Competitors {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prose: Vec<Paragraph>,
    pub rows: Vec<Competitor>,
    pub gaps: Vec<String>,
}

/// A row of the table; a cell that is not there was not found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Competitor {
    pub name: Statement,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offering: Option<Statement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customers: Option<Statement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pricing: Option<Statement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Statement>,
}

/// Who buys, and what they need.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Customers {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prose: Vec<Paragraph>,
    pub segments: Vec<Segment>,
    pub gaps: Vec<String>,
}

/// A group of customers. Its name is the agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    #[schemars(length(min = 1))]
    pub name: String,
    pub claims: Vec<Statement>,
    pub needs: Vec<Statement>,
}

/// What to do, and what may go wrong.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strategy {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prose: Vec<Paragraph>,
    pub recommendations: Vec<Judgement>,
    /// What sources say.
    pub risks: Vec<Statement>,
    /// Risks that the agent sees beyond them.
    pub judged_risks: Vec<Judgement>,
    pub gaps: Vec<String>,
}

/// A judgement of the agent's: no source says it, and it follows from what sources say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// As statements have them; empty in results of the first version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[schemars(length(min = 1))]
    pub text: String,
    /// None in results of the first version, where nobody read judgements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The ids of the statements that it rests on.
    #[schemars(length(min = 1))]
    pub rests_on: Vec<String>,
}

/// What was looked up for a section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Searched {
    #[schemars(length(min = 1))]
    pub section: String,
    /// Made from the question and the plan alone.
    pub queries: Vec<String>,
    /// What each source came to, for each query in turn.
    pub answers: Vec<Value>,
    /// What was read for it; a page that was read for an earlier section is not here.
    pub read: Vec<Value>,
    /// Passages that were put before the agent.
    pub passages: u32,
    /// Whether everything that was asked answered, and everything that was to be read could be reached.
    pub complete: bool,
}

/// What was agreed on before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    pub search_terms: Vec<String>,
    pub geographical_scope: String,
    pub focus_areas: Vec<String>,
    pub answers: Vec<ScopeAnswer>,
    /// The name of the startup that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
}

/// A question and what a person said to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeAnswer {
    pub question: String,
    pub answer: String,
}

impl Section {
    pub const ALL: [Section; 4] =
        [Section::MarketSizing, Section::Competitors, Section::Customers, Section::Strategy];

    /// Returns the role of the agent that writes it.
    pub fn role(self) -> &'static str {
        match self {
            Section::MarketSizing => "market_sizing",
            Section::Competitors => "competitors",
            Section::Customers => "customers",
            Section::Strategy => "strategy",
        }
    }
}

impl Competitor {
    /// Returns the cells other than the name, in the table's order.
    pub fn cells(&self) -> [Option<&Statement>; 4] {
        [&self.offering, &self.customers, &self.pricing, &self.position].map(Option::as_ref)
    }
}

/// Returns the sentences of paragraphs.
pub(super) fn spoken(paragraphs: &[Paragraph]) -> impl Iterator<Item = &Statement> {
    let sentences = paragraphs.iter().flat_map(|paragraph| &paragraph.sentences);
    sentences.map(|one| &one.statement)
}

fn spoken_mut(paragraphs: &mut [Paragraph]) -> impl Iterator<Item = &mut Statement> {
    let sentences = paragraphs.iter_mut().flat_map(|paragraph| &mut paragraph.sentences);
    sentences.map(|one| &mut one.statement)
}

impl Analysis {
    /// Returns every statement, in reading order.
    pub fn statements(&self) -> Vec<&Statement> {
        let mut all: Vec<&Statement> = self.summary.iter().map(|one| &one.statement).collect();
        if let Some(sizing) = &self.sizing {
            all.extend(spoken(&sizing.prose));
            all.extend(&sizing.claims);
            for estimate in [&sizing.top_down, &sizing.bottom_up] {
                all.extend(estimate.inputs.iter().filter_map(|input| input.statement.as_ref()));
                all.extend(estimate.steps.iter().map(|step| &step.statement));
            }
        }
        if let Some(competitors) = &self.competitors {
            all.extend(spoken(&competitors.prose));
            for row in &competitors.rows {
                all.push(&row.name);
                all.extend(row.cells().into_iter().flatten());
            }
        }
        if let Some(customers) = &self.customers {
            all.extend(spoken(&customers.prose));
            for segment in &customers.segments {
                all.extend(segment.claims.iter().chain(&segment.needs));
            }
        }
        if let Some(strategy) = &self.strategy {
            all.extend(spoken(&strategy.prose));
            all.extend(&strategy.risks);
        }
        all
    }

    /// Returns every statement mutably, in the same order.
    pub(super) fn statements_mut(&mut self) -> Vec<&mut Statement> {
        let mut all: Vec<&mut Statement> =
            self.summary.iter_mut().map(|one| &mut one.statement).collect();
        if let Some(sizing) = &mut self.sizing {
            all.extend(spoken_mut(&mut sizing.prose));
            all.extend(&mut sizing.claims);
            for estimate in [&mut sizing.top_down, &mut sizing.bottom_up] {
                all.extend(estimate.inputs.iter_mut().filter_map(|input| input.statement.as_mut()));
                all.extend(estimate.steps.iter_mut().map(|step| &mut step.statement));
            }
        }
        if let Some(competitors) = &mut self.competitors {
            all.extend(spoken_mut(&mut competitors.prose));
            for row in &mut competitors.rows {
                let Competitor { name, offering, customers, pricing, position } = row;
                all.push(name);
                all.extend([offering, customers, pricing, position].into_iter().flatten());
            }
        }
        if let Some(customers) = &mut self.customers {
            all.extend(spoken_mut(&mut customers.prose));
            for segment in &mut customers.segments {
                all.extend(segment.claims.iter_mut().chain(&mut segment.needs));
            }
        }
        if let Some(strategy) = &mut self.strategy {
            all.extend(spoken_mut(&mut strategy.prose));
            all.extend(&mut strategy.risks);
        }
        all
    }

    /// Returns the prose of every section.
    fn prose(&self) -> impl Iterator<Item = &[Paragraph]> {
        let Analysis { sizing, competitors, customers, strategy, .. } = self;
        let sections = [
            sizing.as_ref().map(|section| &section.prose),
            competitors.as_ref().map(|section| &section.prose),
            customers.as_ref().map(|section| &section.prose),
            strategy.as_ref().map(|section| &section.prose),
        ];
        sections.into_iter().flatten().map(Vec::as_slice)
    }

    /// Returns the ids of all statements and judgements, in reading order.
    pub(super) fn ids(&self) -> Vec<&String> {
        let statements = self.statements().into_iter().map(|statement| &statement.id);
        statements.chain(self.judgements().map(|judgement| &judgement.id)).collect()
    }

    /// Returns the ids of the conclusions, with the ids that each rests on.
    pub(super) fn conclusions(&self) -> Vec<(&String, &Vec<String>)> {
        let summary = self.summary.iter().map(|one| (&one.statement.id, &one.rests_on));
        let spoken = self.prose().flatten().flat_map(|paragraph| &paragraph.sentences);
        let concluded = spoken.filter(|one| !one.rests_on.is_empty());
        let spoken = concluded.map(|one| (&one.statement.id, &one.rests_on));
        let judged = self.judgements().map(|one| (&one.id, &one.rests_on));
        summary.chain(spoken).chain(judged).collect()
    }

    /// Returns every judgement.
    pub fn judgements(&self) -> impl Iterator<Item = &Judgement> {
        let strategy = self.strategy.iter();
        strategy.flat_map(|section| section.recommendations.iter().chain(&section.judged_risks))
    }

    pub(super) fn judgements_mut(&mut self) -> impl Iterator<Item = &mut Judgement> {
        let strategy = self.strategy.iter_mut();
        strategy
            .flat_map(|section| section.recommendations.iter_mut().chain(&mut section.judged_risks))
    }
}
