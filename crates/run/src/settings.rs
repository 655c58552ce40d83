//! What a run was started with, kept in its first entry. Prompts, prices and keys are the resuming process's own.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::Budget;

/// The settings of a run. Secrets are never part of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The method's own options, read by the method.
    pub options: Value,
    #[serde(default)]
    pub budget: Budget,
    /// The models that speak; none = offline mode.
    #[serde(default)]
    pub models: Option<ModelChoice>,
    /// What comes before the method; none where it begins at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
}

/// What comes before a method: questions, a plan, its approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    /// Whether a person is asked what the question leaves open.
    pub clarify: bool,
    /// Whether a plan is proposed, and nothing researched before somebody approves it.
    pub plan: bool,
    /// Questions that clarify, at most.
    pub questions: u32,
    pub startup: Startup,
}

/// Which of the user's startup contexts a run begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Startup {
    None,
    /// The only one there is; where there are several, a person is asked which.
    Stored,
    /// The one of this id.
    Named(String),
}

impl Settings {
    pub fn mode(&self) -> Mode {
        if self.models.is_some() { Mode::Model } else { Mode::Offline }
    }
}

/// Who speaks for the agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A chat model.
    Model,
    /// Each agent's own extractive function; nothing is made up and nothing is phrased anew.
    Offline,
}

/// Which models a run uses, as `provider/name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    pub main: String,
    /// The model of cheap work.
    pub light: String,
    /// The model that reads what others wrote against its sources; none where the one of cheap work does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Where an OpenAI-compatible server listens, when it is not the provider's own address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

impl ModelChoice {
    /// Returns the name of the model that reads.
    pub fn reader(&self) -> &str {
        self.reader.as_ref().unwrap_or(&self.light)
    }
}

/// How capable a model a piece of work needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Cheap work: questions, checks, rewording.
    Light,
    #[default]
    Main,
    /// Reading what others wrote: by a model of its own where one is configured.
    Reader,
}
