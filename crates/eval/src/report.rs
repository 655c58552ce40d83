//! What an evaluation came to: everything that its pages, its comparisons and its mirror are made from.

mod ends;
mod gathered;
mod judged;

use std::collections::BTreeMap;

use jiff::Timestamp;
use run::entry::Hash;
use serde::{Deserialize, Serialize};

use crate::dataset::Case;
use crate::observation::Observation;

pub use gathered::{ArmOf, Gathered};
pub use judged::{
    CriterionScore, Judged, JudgedPair, JudgedReports, Preference, Scored, SideBySide,
};

/// The version of the form of a stored report.
///
/// 1: without the figures of texts, and what is neither better nor worse. 2: without what a judge of reports said.
pub const VERSION: u32 = 3;

/// An evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub version: u32,
    /// The id of the evaluation.
    pub id: String,
    pub created_at: Timestamp,
    pub dataset: DatasetLine,
    /// `model` or `offline`.
    pub mode: String,
    /// What was the same for all arms: models, embedder, retrieval, caps; as `config show` names them.
    pub parameters: BTreeMap<String, String>,
    /// In the order in which they were asked for; the control is the last.
    pub arms: Vec<Arm>,
    /// The metrics that any arm has, in the order in which they are shown.
    pub metrics: Vec<MetricLine>,
    /// Each arm against the control.
    pub comparisons: Vec<Comparison>,
    /// None where nobody judged.
    #[serde(default)]
    pub judge: Option<JudgeReport>,
    /// None where nobody judged reports by the criteria of their task.
    #[serde(default)]
    pub report_judge: Option<ReportJudge>,
    /// Case by case.
    pub cases: Vec<CaseLine>,
    /// What a reader must know to read the figures right: cases that were not run, a control that could not speak.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Which questions were asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetLine {
    pub name: String,
    pub digest: Hash,
    pub cases: u64,
    /// Documents of its own corpus, or of the collection that was asked.
    pub documents: u64,
}

/// A way to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Unlike any other's: the strategy of `ask`, or another method.
    pub name: String,
    pub method: String,
    pub control: bool,
    /// Of the order that every case was given, the question apart.
    pub settings: Hash,
    /// By the key of the metric.
    pub means: BTreeMap<String, Mean>,
    /// Cases with a result, cases that failed, and cases that were not begun.
    pub completed: u64,
    pub failed: u64,
    pub not_run: u64,
}

/// A mean over cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub value: f64,
    /// The interval of 95 % ([`crate::bootstrap`]). An end of which so few cases say nothing is infinite, and `null` in JSON.
    #[serde(with = "ends::low")]
    pub low: f64,
    #[serde(with = "ends::high")]
    pub high: f64,
    /// Cases that have the metric.
    pub of: u64,
}

/// How a metric is called and read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricLine {
    /// Such as `ndcg_at_10`.
    pub key: String,
    /// Such as `nDCG@10`.
    pub name: String,
    /// What it says, in a sentence.
    pub meaning: String,
    pub unit: MetricUnit,
    pub better: Better,
    /// The part of the report that it belongs to.
    pub group: Group,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricUnit {
    /// 0 to 1.
    Share,
    /// 1 to 5.
    Score,
    Milliseconds,
    Tokens,
    Usd,
    Count,
    /// Words of a text.
    Words,
    /// On a scale that has no ends.
    Points,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Higher,
    Lower,
    /// It says what an answer is like, and not how good it is.
    Neither,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    Answer,
    Citations,
    /// What the text of a long answer is like.
    Text,
    Retrieval,
    Judge,
    /// What reports are worth beside the control's, by the criteria of their task.
    Reports,
    Cost,
}

/// One arm beside another, over the cases that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub arm: String,
    pub against: String,
    /// By the key of the metric.
    pub differences: BTreeMap<String, Difference>,
    /// What the judge said of the two, case by case; none where nobody judged.
    #[serde(default)]
    pub preferred: Option<Preferred>,
}

/// The mean of the paired differences, arm less the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub value: f64,
    /// The paired interval of 95 %, its ends as those of a [`Mean`].
    #[serde(with = "ends::low")]
    pub low: f64,
    #[serde(with = "ends::high")]
    pub high: f64,
    /// Cases that have the metric under both.
    pub of: u64,
}

impl Difference {
    /// Tells whether the interval leaves chance out: it does not hold zero.
    pub fn is_told_apart(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// How often an arm was preferred to another. A case counts by what both orders and all rounds came to together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Preferred {
    pub wins: u64,
    pub losses: u64,
    /// The judge called it equal, or contradicted itself in the other order.
    pub ties: u64,
    /// Wins and half of the ties among all, with its bootstrap interval of 95 %.
    pub share: Mean,
}

/// Who judged, and what its word is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeReport {
    pub model: String,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often every answer and every pair was judged.
    pub rounds: u32,
    /// Of the scores, over repeated judging; none where nothing was judged twice.
    #[serde(default)]
    pub scores: Option<Agreement>,
    /// Of the preferences, over both orders and repeated judging.
    #[serde(default)]
    pub preferences: Option<Agreement>,
    /// How often the answer that was shown first was preferred, ties apart.
    #[serde(default)]
    pub first_preferred: Option<Mean>,
    /// What to make of it, in a sentence; it says so where the judge is no better than noise.
    pub verdict: String,
    /// Whether its scores and preferences may be read at all.
    pub is_noise: bool,
    pub cost_usd_micros: u64,
    pub calls: u64,
}

/// Who judged reports, and what its word is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportJudge {
    /// Of which of two reports has the higher score; a judge of reports gives no scores to one alone.
    #[serde(flatten)]
    pub judge: JudgeReport,
    /// The prompt that criteria are drawn up by.
    pub criteria: String,
    pub criteria_version: u32,
    /// How far its scores agree when two reports change places; none where no pair was shown both ways.
    #[serde(default)]
    pub orders: Option<Orders>,
}

/// How far the relative scores of a pair agree in both orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// The absolute difference of the overall relative score: 0 where the order says nothing. The mean over cases.
    pub difference: Mean,
    /// How often the other report is the better one in the other order: the mean over cases.
    pub turned: Mean,
    /// Pairs that were shown both ways.
    pub pairs: u64,
}

/// How far a judge agrees with itself beyond chance: Krippendorff's alpha, 1 for always, 0 for chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// None where everything was judged alike, which tells nothing apart.
    pub alpha: Option<f64>,
    /// The bootstrap interval of 95 % over cases.
    pub low: f64,
    pub high: f64,
    /// Things that were judged twice or more.
    pub units: u64,
}

/// A case with what came of it under every arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseLine {
    pub case: Case,
    pub arms: Vec<ArmLine>,
    /// What a judge of reports said of it, judgement by judgement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<SideBySide>,
}

/// What came of a case under an arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmLine {
    pub observation: Observation,
    /// By the key of the metric; one that says nothing of this case is not there.
    pub metrics: BTreeMap<String, f64>,
}
