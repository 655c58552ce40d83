//! What a judge said, judgement by judgement, before anything is made of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Everything that a judge said in an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub model: String,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often every answer and every pair was to be judged.
    pub rounds: u32,
    pub scores: Vec<Scored>,
    pub pairs: Vec<JudgedPair>,
    pub cost_usd_micros: u64,
    pub calls: u64,
}

/// A judgement of one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    pub case: String,
    pub arm: String,
    /// Counted from 1.
    pub round: u32,
    /// By criterion, such as `correctness`: 1 (poor) to 5. The mean over the criteria is the overall score.
    pub scores: BTreeMap<String, f64>,
    /// The run that it was; empty where none is known.
    #[serde(default)]
    pub run: String,
}

/// A judgement of two answers to the same question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedPair {
    pub case: String,
    pub arm: String,
    /// The arm that it was compared with: the control.
    pub against: String,
    /// Counted from 1.
    pub round: u32,
    /// Whether the answer of `arm` was shown first.
    pub arm_first: bool,
    pub preferred: Preference,
    /// The run that it was; empty where none is known.
    #[serde(default)]
    pub run: String,
}

/// Everything that a judge of reports said in an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedReports {
    pub model: String,
    pub criteria: String,
    pub criteria_version: u32,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often every pair was to be judged in each order.
    pub rounds: u32,
    pub pairs: Vec<SideBySide>,
    pub cost_usd_micros: u64,
    pub calls: u64,
}

/// A judgement of two reports to the same question by the criteria of the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideBySide {
    pub case: String,
    pub arm: String,
    /// The arm whose report it was compared with: the control.
    pub against: String,
    /// Counted from 1.
    pub round: u32,
    /// Whether the report of `arm` was shown first.
    pub arm_first: bool,
    /// By dimension and as `overall`: score of the arm / sum of both scores, 0 to 1. A half is as good as the other.
    pub relative: BTreeMap<String, f64>,
    pub scores: Vec<CriterionScore>,
    /// The run that it was; empty where none is known.
    #[serde(default)]
    pub run: String,
}

/// What both reports got by one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionScore {
    pub criterion: String,
    pub dimension: String,
    /// Its share of the overall score, 0 to 1.
    pub weight: f64,
    /// What decided both scores; it speaks of the first and the second report.
    pub reason: String,
    /// 0 (nothing of it is there) to 10.
    pub arm: f64,
    pub against: f64,
}

/// Whom a judgement of two answers preferred: as places, never as arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    First,
    Second,
    Tie,
}
