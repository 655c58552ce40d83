//! The settings with which a run was started, kept in its first entry. Prompts, prices and keys come from the resuming process.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::Budget;

/// The settings of a run. They never contain secrets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The method's own options, which the method reads.
    pub options: Value,
    #[serde(default)]
    pub budget: Budget,
    /// The models of the agents; `None` is offline mode.
    #[serde(default)]
    pub models: Option<ModelChoice>,
    /// The workflow before the method; `None` if the method begins at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
    /// What was said before the question; `None` for a question that stands alone, and for a method that reads it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Box<Conversation>>,
}

/// What was said before a run, oldest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Conversation(Vec<Remark>);

impl Conversation {
    /// Returns a conversation; `None` if nothing was said.
    pub fn of(remarks: Vec<Remark>) -> Option<Box<Conversation>> {
        (!remarks.is_empty()).then(|| Box::new(Conversation(remarks)))
    }
}

/// Something said in a conversation before a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// Who said it, such as `user` or `assistant`.
    pub role: String,
    pub content: String,
}

/// The stages before a method: questions, a plan, its approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    /// Whether to ask a person what the question leaves open.
    pub clarify: bool,
    /// Whether to propose a plan, and research nothing before a person approves it.
    pub plan: bool,
    /// The maximum number of clarifying questions.
    pub questions: u32,
    pub startup: Startup,
    /// The expected cost of the whole run before any question; `None` for runs from before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Box<Expected>>,
}

/// The expected spend of a run, computed from its prompts and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub tokens: u64,
    /// Millionths of a US dollar; `None` if a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd_micros: Option<u64>,
}

/// The startup context with which a run begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Startup {
    None,
    /// The only one there is; if there are several, a person is asked which.
    Stored,
    /// The one with this id.
    Named(String),
}

impl Settings {
    /// Returns what was said before the question, oldest first.
    pub fn history(&self) -> &[Remark] {
        self.history.as_deref().map_or(&[], |Conversation(remarks)| remarks)
    }

    pub fn mode(&self) -> Mode {
        if self.models.is_some() { Mode::Model } else { Mode::Offline }
    }
}

/// How the agents reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// With a chat model.
    Model,
    /// With each agent's own extractive function; nothing is invented or rephrased.
    Offline,
}

/// The models of a run, as `provider/name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    pub main: String,
    /// The model for cheap work.
    pub light: String,
    /// The model that checks what others wrote against its sources; `None` if the model for cheap work does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Several reader models that decide by majority; empty if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<String>,
    /// The calibrations of the reader models, as far as measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrations: BTreeMap<String, Calibration>,
    /// The address of an OpenAI-compatible server, if it is not the provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

impl ModelChoice {
    /// Uses one model for everything.
    pub fn of(main: &str) -> ModelChoice {
        ModelChoice {
            main: main.to_owned(),
            light: main.to_owned(),
            reader: None,
            readers: vec![],
            calibrations: BTreeMap::new(),
            base_url: None,
        }
    }

    /// Returns the name of the reader model, if there is only one.
    pub fn reader(&self) -> &str {
        self.reader.as_ref().unwrap_or(&self.light)
    }

    /// Returns the names of the reader models.
    pub fn all_readers(&self) -> Vec<&str> {
        match self.readers.as_slice() {
            [] => vec![self.reader()],
            several => several.iter().map(String::as_str).collect(),
        }
    }
}

/// How well a model reads claims against their sources, as it was measured over labelled claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// The set of claims, by its digest.
    pub set: String,
    /// Claims of the set that do not hold, and how many of them the model let pass.
    pub false_claims: u32,
    pub false_passes: u32,
    /// Claims of the set that hold, and how many of them it refused.
    pub true_claims: u32,
    pub false_refusals: u32,
}

impl Calibration {
    /// Returns whether the model reads at all: true claims pass more often than false ones, by more than chance explains.
    ///
    /// The 95 % intervals of both shares do not overlap.
    pub fn reads(&self) -> bool {
        let passed =
            wilson(self.true_claims - self.false_refusals.min(self.true_claims), self.true_claims);
        let false_passed = wilson(self.false_passes, self.false_claims);
        passed.0 > false_passed.1
    }

    /// Describes the calibration in words.
    pub fn told(&self) -> String {
        let share = |part: u32, of: u32| {
            let (low, high) = wilson(part, of);
            let percent = f64::from(part) / f64::from(of.max(1)) * 100.0;
            format!(
                "{part} of {of} ({percent:.1} %, 95 % interval {:.1}–{:.1} %)",
                low * 100.0,
                high * 100.0
            )
        };
        format!(
            "let {} false claims pass and refused {} true ones",
            share(self.false_passes, self.false_claims),
            share(self.false_refusals, self.true_claims)
        )
    }
}

/// Returns the 95 % interval of a share (E. B. Wilson 1927).
fn wilson(part: u32, of: u32) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (f64::from(of), f64::from(part) / f64::from(of));
    let z2 = Z * Z;
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// How capable a model a task needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Cheap work: questions, checks, rewording.
    Light,
    #[default]
    Main,
    /// Reading what others wrote: by a model of its own if one is configured.
    Reader,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibrated(false_passes: u32, false_refusals: u32) -> Calibration {
        let set = "s".to_owned();
        Calibration { set, false_claims: 100, false_passes, true_claims: 100, false_refusals }
    }

    // proves: C20
    #[test]
    fn who_says_yes_or_no_to_everything_or_tosses_a_coin_does_not_read() {
        for (passes, refusals) in [(100, 0), (0, 100), (50, 50), (45, 48), (90, 10)] {
            assert!(!calibrated(passes, refusals).reads(), "{passes} {refusals}");
        }
        for (passes, refusals) in [(0, 0), (2, 3), (30, 30), (10, 60)] {
            assert!(calibrated(passes, refusals).reads(), "{passes} {refusals}");
        }
    }

    // proves: C20
    #[test]
    fn figures_are_told_with_their_intervals() {
        // By hand: 2 of 100 gives 0.55 % to 7.00 % (Wilson's score).
        assert_eq!(
            calibrated(2, 0).told(),
            "let 2 of 100 (2.0 %, 95 % interval 0.6–7.0 %) false claims pass and refused 0 of 100 (0.0 %, 95 % interval 0.0–3.7 %) true ones"
        );
    }
}
