//! The clarifier and the planner: their replies, and what they become.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::plan::PlanStep;
use run::{Agent, Plan, Reply, Stage};

use super::{Estimated, line, texts};

pub(super) const CLARIFIER: Agent = Agent {
    name: "clarifier",
    prompt: "workflow/clarifier",
    text: include_str!("../../prompts/workflow/clarifier.md"),
};
pub(super) const PLANNER: Agent = Agent {
    name: "planner",
    prompt: "workflow/planner",
    text: include_str!("../../prompts/workflow/planner.md"),
};

/// Maximum number of characters in a question, and in its context.
const LONGEST_QUESTION: usize = 400;
/// Maximum number of search terms, and of focus areas, taken from a planner.
const MOST_PROPOSED: usize = 8;

/// What is worth asking before research begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Questions {
    /// The most important first; empty where the request leaves nothing open.
    pub questions: Vec<Question>,
}

/// A question to the person who wants the research.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub question: String,
    /// Why it matters for the research.
    #[serde(default)]
    pub context: String,
}

impl Reply for Questions {
    fn check(&self) -> Result<(), String> {
        match self.questions.iter().any(|one| one.question.trim().is_empty()) {
            true => Err("a `question` is empty".into()),
            false => Ok(()),
        }
    }
}

impl Questions {
    /// Returns the questions on one line each, without duplicates.
    pub(super) fn tidied(self) -> Vec<Question> {
        let short = |text: &str| line(text).chars().take(LONGEST_QUESTION).collect::<String>();
        let mut kept: Vec<Question> = Vec::new();
        for Question { question, context } in &self.questions {
            let question = Question { question: short(question), context: short(context) };
            let known = kept
                .iter()
                .any(|known| known.question.to_lowercase() == question.question.to_lowercase());
            if !question.question.is_empty() && !known {
                kept.push(question);
            }
        }
        kept
    }
}

/// The plan as the planner writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDraft {
    /// What is researched, in a few words.
    pub title: String,
    /// What each role does here.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub steps: Vec<PlanDraftStep>,
    /// Search queries, the most important first.
    pub search_terms: Vec<String>,
    #[serde(default)]
    pub geographical_scope: String,
    #[serde(default)]
    pub focus_areas: Vec<String>,
}

/// A step as the planner writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDraftStep {
    /// The role, as it was given.
    pub agent_role: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub description: String,
}

impl Reply for PlanDraft {
    fn check(&self) -> Result<(), String> {
        if self.title.trim().is_empty() {
            return Err("`title` is empty".into());
        }
        match self.search_terms.iter().all(|term| term.trim().is_empty()) {
            true => Err("`search_terms` holds no search term".into()),
            false => Ok(()),
        }
    }
}

impl PlanDraft {
    /// Returns the plan: a step for each stage, in the method's order, in the planner's words if it has any.
    pub(super) fn filled(&self, stages: &[Stage], estimated: &Estimated, question: &str) -> Plan {
        let said: HashMap<&str, &PlanDraftStep> =
            self.steps.iter().rev().map(|step| (step.agent_role.trim(), step)).collect();
        let worded = |said: Option<&str>, itself: &str| {
            let said = said.map(line).unwrap_or_default();
            if said.is_empty() { itself.to_owned() } else { said }
        };
        let step = |stage: &Stage| {
            let said = said.get(stage.role);
            PlanStep {
                name: worded(said.map(|step| step.name.as_str()), stage.name),
                description: worded(said.map(|step| step.description.as_str()), stage.description),
                agent_role: stage.role.to_owned(),
                estimated_duration: estimated.duration_of(stage.role),
            }
        };
        let few = |said: &[String]| {
            let mut kept = texts(said);
            kept.truncate(MOST_PROPOSED);
            kept
        };
        Plan {
            title: worded(Some(&self.title), question),
            steps: stages.iter().map(step).collect(),
            search_terms: few(&self.search_terms),
            geographical_scope: line(&self.geographical_scope),
            focus_areas: few(&self.focus_areas),
            estimated_duration: estimated.duration(),
            estimated_cost: estimated.cost(),
        }
    }
}
