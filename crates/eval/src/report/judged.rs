//! A judge's judgements, before they are evaluated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All judgements of an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub model: String,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often each answer and each pair was to be judged.
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
    /// Scores by criterion, such as `correctness`: 1 (poor) to 5. Their mean is the overall score.
    pub scores: BTreeMap<String, f64>,
    /// The judgement's run; empty if unknown.
    #[serde(default)]
    pub run: String,
}

/// A judgement of two answers to the same question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedPair {
    pub case: String,
    pub arm: String,
    /// The arm it was compared with: the control.
    pub against: String,
    /// Counted from 1.
    pub round: u32,
    /// Whether the answer of `arm` was shown first.
    pub arm_first: bool,
    pub preferred: Preference,
    /// The judgement's run; empty if unknown.
    #[serde(default)]
    pub run: String,
}

/// All judgements of reports in an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedReports {
    pub model: String,
    pub criteria: String,
    pub criteria_version: u32,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often each pair was to be judged in each order.
    pub rounds: u32,
    pub pairs: Vec<SideBySide>,
    pub cost_usd_micros: u64,
    pub calls: u64,
}

/// A judgement of two reports on the same question by the question's criteria.
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
    /// By dimension and as `overall`: score of the arm / sum of both scores, 0 to 1. A half means equally good.
    pub relative: BTreeMap<String, f64>,
    pub scores: Vec<CriterionScore>,
    /// The judgement's run; empty if unknown.
    #[serde(default)]
    pub run: String,
}

/// The scores of both reports by one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionScore {
    pub criterion: String,
    pub dimension: String,
    /// Its share of the overall score, 0 to 1.
    pub weight: f64,
    /// The reason for both scores; it speaks of the first and the second report.
    pub reason: String,
    /// 0 (criterion not met at all) to 10.
    pub arm: f64,
    pub against: f64,
}

/// The preferred one of two answers: by position, not by arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    First,
    Second,
    Tie,
}
