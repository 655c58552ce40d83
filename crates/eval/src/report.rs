//! The results of an evaluation: the basis of its pages, its comparisons and its mirror.

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

/// The format version of a stored report.
///
/// 1: without metrics of texts and [`Better::Neither`]. 2: without the judge of reports.
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
    /// The settings that all arms share: models, embedder, retrieval, caps; named as in `config show`.
    pub parameters: BTreeMap<String, String>,
    /// In the order in which they were given; the control comes last.
    pub arms: Vec<Arm>,
    /// The metrics that any arm has, in display order.
    pub metrics: Vec<MetricLine>,
    /// Comparisons of each arm with the control.
    pub comparisons: Vec<Comparison>,
    /// `None` without a judge.
    #[serde(default)]
    pub judge: Option<JudgeReport>,
    /// `None` without a judge of reports.
    #[serde(default)]
    pub report_judge: Option<ReportJudge>,
    /// The results by case.
    pub cases: Vec<CaseLine>,
    /// What a reader must know to interpret the figures: cases that were not run, a control without a model.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The dataset of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetLine {
    pub name: String,
    pub digest: Hash,
    pub cases: u64,
    /// The number of documents in its own corpus, or in the collection that was asked.
    pub documents: u64,
}

/// A way to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Unique: the strategy of `ask`, or another method.
    pub name: String,
    pub method: String,
    pub control: bool,
    /// The digest of the order that every case was given, without the question.
    pub settings: Hash,
    /// Means by the key of the metric.
    pub means: BTreeMap<String, Mean>,
    /// The numbers of cases with a result, cases that failed, and cases that were not started.
    pub completed: u64,
    pub failed: u64,
    pub not_run: u64,
}

/// A mean over cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub value: f64,
    /// The 95 % interval ([`crate::bootstrap`]). An end that too few cases leave open is infinite, and `null` in JSON.
    #[serde(with = "ends::low")]
    pub low: f64,
    #[serde(with = "ends::high")]
    pub high: f64,
    /// The number of cases that have the metric.
    pub of: u64,
}

/// The name of a metric and how to read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricLine {
    /// Such as `ndcg_at_10`.
    pub key: String,
    /// Such as `nDCG@10`.
    pub name: String,
    /// Its meaning, in a sentence.
    pub meaning: String,
    pub unit: MetricUnit,
    pub better: Better,
    /// The section of the report it belongs to.
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
    /// On an unbounded scale.
    Points,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Higher,
    Lower,
    /// It describes an answer, and does not say how good it is.
    Neither,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    Answer,
    Citations,
    /// Properties of a long answer's text.
    Text,
    Retrieval,
    Judge,
    /// The quality of reports relative to the control's, by the criteria of their task.
    Reports,
    Cost,
}

/// A comparison of two arms, over the cases that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub arm: String,
    pub against: String,
    /// Differences by the key of the metric.
    pub differences: BTreeMap<String, Difference>,
    /// The judge's preferences between the two, by case; `None` without a judge.
    #[serde(default)]
    pub preferred: Option<Preferred>,
}

/// The mean of the paired differences, arm less the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub value: f64,
    /// The paired 95 % interval, with ends as in a [`Mean`].
    #[serde(with = "ends::low")]
    pub low: f64,
    #[serde(with = "ends::high")]
    pub high: f64,
    /// The number of cases that have the metric under both.
    pub of: u64,
}

impl Difference {
    /// Returns whether the interval excludes chance: it does not contain zero.
    pub fn is_told_apart(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// How often an arm was preferred to another. A case counts once, by its result over both orders and all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Preferred {
    pub wins: u64,
    pub losses: u64,
    /// The judge called them equal, or contradicted itself in the other order.
    pub ties: u64,
    /// Wins plus half of the ties as a share of all cases, with its 95 % bootstrap interval.
    pub share: Mean,
}

/// The judge and how reliable it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeReport {
    pub model: String,
    pub rubric: String,
    pub rubric_version: u32,
    /// How often each answer and each pair was judged.
    pub rounds: u32,
    /// The agreement of the scores, over repeated judging; `None` if nothing was judged twice.
    #[serde(default)]
    pub scores: Option<Agreement>,
    /// The agreement of the preferences, over both orders and repeated judging.
    #[serde(default)]
    pub preferences: Option<Agreement>,
    /// How often the answer shown first was preferred, ties excluded.
    #[serde(default)]
    pub first_preferred: Option<Mean>,
    /// The verdict on the judge, in a sentence; it says so if the judge is no better than noise.
    pub verdict: String,
    /// Whether it is noise, so that its scores and preferences must not be used.
    pub is_noise: bool,
    pub cost_usd_micros: u64,
    pub calls: u64,
}

/// The judge of reports and how reliable it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportJudge {
    /// The judge's preferences: which of two reports scores higher; it does not score single reports.
    #[serde(flatten)]
    pub judge: JudgeReport,
    /// The prompt by which criteria are drawn up.
    pub criteria: String,
    pub criteria_version: u32,
    /// How far its scores agree when the order of two reports is swapped; `None` if no pair was shown both ways.
    #[serde(default)]
    pub orders: Option<Orders>,
}

/// How far the relative scores of a pair agree in both orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// The absolute difference of the overall relative score, as a mean over cases: 0 if the order does not matter.
    pub difference: Mean,
    /// How often swapping the order reverses the preference, as a mean over cases.
    pub turned: Mean,
    /// The number of pairs that were shown both ways.
    pub pairs: u64,
}

/// How far a judge agrees with itself beyond chance: Krippendorff's alpha, 1 for always, 0 for chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// `None` if everything was judged alike, which distinguishes nothing.
    pub alpha: Option<f64>,
    /// The 95 % bootstrap interval over cases.
    pub low: f64,
    pub high: f64,
    /// The number of things judged at least twice.
    pub units: u64,
}

/// A case with its results under every arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseLine {
    pub case: Case,
    pub arms: Vec<ArmLine>,
    /// The judgements of its reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<SideBySide>,
}

/// The result of a case under an arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmLine {
    pub observation: Observation,
    /// Metrics by key; those that do not apply to this case are absent.
    pub metrics: BTreeMap<String, f64>,
}
