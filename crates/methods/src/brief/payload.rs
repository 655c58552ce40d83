//! The deliverable of a brief.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::ledger::Verdict;
use survey::expression::Unit;

use super::options::Way;
use crate::grounded::SecondReader;

/// An executive summary with everything that it came from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    pub question: String,
    /// The summary; its texts carry marks `[n]`.
    #[serde(flatten)]
    pub summary: ExecutiveSummary,
    /// Every sentence of the summary, in the order in which a reader meets it.
    pub statements: Vec<Statement>,
    /// What the marks of the summary stand for, in the order of their numbers.
    #[serde(default)]
    pub cited: Vec<Worded>,
    /// What was found, oldest first; it only ever grew.
    pub finding_bank: Vec<Finding>,
    /// Segments that an analysis told a figure of, whether or not a finding names them.
    pub segments_covered: Vec<String>,
    pub segments_uncovered: Vec<String>,
    pub studies_used: Vec<String>,
    pub studies_unused: Vec<String>,
    /// What the data cannot say, each once.
    pub data_gaps: Vec<Gap>,
    /// The last judgement of the draft; none where no draft was judged.
    pub verdict: Option<RefineVerdict>,
    pub pipeline_stats: PipelineStats,
    /// The audit trail: every step, every decision, every score.
    pub history: Vec<Record>,
    pub studies: Vec<StudyTold>,
    /// Who read what cites; none where no model was asked.
    #[serde(default)]
    pub reader: Option<SecondReader>,
    /// What "significant" means in the summary, in a sentence or two.
    #[serde(default)]
    pub significance: String,
    pub charts: Vec<Chart>,
}

/// The summary itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutiveSummary {
    pub title: String,
    /// What was found, in a few sentences.
    pub overview: String,
    pub key_findings: Vec<String>,
    pub strategic_implications: Vec<String>,
    pub risks_and_caveats: Vec<String>,
    pub recommended_actions: Vec<String>,
}

/// A part of the summary.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Overview,
    KeyFindings,
    StrategicImplications,
    RisksAndCaveats,
    RecommendedActions,
}

impl Part {
    pub const ALL: [Part; 5] = [
        Part::Overview,
        Part::KeyFindings,
        Part::StrategicImplications,
        Part::RisksAndCaveats,
        Part::RecommendedActions,
    ];

    /// Returns the name of the field.
    pub fn name(self) -> &'static str {
        match self {
            Part::Overview => "overview",
            Part::KeyFindings => "key_findings",
            Part::StrategicImplications => "strategic_implications",
            Part::RisksAndCaveats => "risks_and_caveats",
            Part::RecommendedActions => "recommended_actions",
        }
    }

    /// Returns whether the part states what the data say, rather than what follows from it.
    pub fn is_of_facts(self) -> bool {
        matches!(self, Part::Overview | Part::KeyFindings)
    }

    /// Returns the heading that a reader sees.
    pub fn title(self) -> &'static str {
        match self {
            Part::Overview => "Overview",
            Part::KeyFindings => "Key findings",
            Part::StrategicImplications => "Strategic implications",
            Part::RisksAndCaveats => "Risks and caveats",
            Part::RecommendedActions => "Recommended actions",
        }
    }
}

/// A sentence of the summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    pub part: Part,
    /// Without marks.
    pub text: String,
    /// Its marks.
    pub numbers: Vec<u32>,
    /// None for a judgement of the writer's own, and for what the data cannot say.
    pub verdict: Option<Verdict>,
    /// The findings and gaps that it rests on, by their ids.
    pub rests_on: Vec<String>,
    pub figures: Vec<FigureTold>,
}

impl Statement {
    /// Returns the sentence with its marks.
    pub fn marked(&self) -> String {
        self.numbers.iter().fold(self.text.clone(), |text, number| format!("{text} [{number}]"))
    }
}

/// A statement that the program worded, with the figures that it tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Worded {
    /// The mark of the summary that stands for it.
    pub number: u32,
    /// The address by which agents cite it: `F3`.
    pub address: String,
    pub text: String,
    /// The words of the question.
    pub question: String,
    /// Those that are compared before their difference.
    pub figures: Vec<FigureTold>,
}

/// A figure that was evaluated from the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureTold {
    /// In its canonical form: `share(Q5=top2, segment=age:18-34, study=W2)`.
    pub expression: String,
    /// As a proportion for shares (0.62), in points of a proportion for their differences (0.05).
    pub value: f64,
    /// As a reader sees it: `62.0 %`.
    pub shown: String,
    /// The confidence interval, of a difference that of the difference; none where there is none.
    #[serde(default)]
    pub interval: Option<(f64, f64)>,
    /// The ids of the studies that it was evaluated from.
    #[serde(default)]
    pub studies: Vec<String>,
    /// Respondents, of each part of the expression.
    pub bases: Vec<u64>,
    /// Whether any of them is low.
    pub low_base: bool,
    /// Of a difference: whether it is significant; none where nothing was tested.
    pub significant: Option<bool>,
}

/// A layer of the story.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExploreStage {
    /// Top-line findings, key metrics.
    #[default]
    What,
    /// Differences between segments, and what goes together with what.
    Why,
    /// Implications, recommendations, actions.
    How,
}

impl ExploreStage {
    pub const ALL: [ExploreStage; 3] = [ExploreStage::What, ExploreStage::Why, ExploreStage::How];

    pub fn name(self) -> &'static str {
        match self {
            ExploreStage::What => "what",
            ExploreStage::Why => "why",
            ExploreStage::How => "how",
        }
    }
}

/// An insight of the exploration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// `c1`, `c2`, …
    pub id: String,
    pub claim: String,
    /// None for a judgement of the worker's own.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    pub depth: ExploreStage,
    /// The figure, as evaluated; none for a judgement.
    pub metric: Option<String>,
    pub segment: Option<String>,
    pub study_id: Option<String>,
    pub confidence: Confidence,
    pub figures: Vec<FigureTold>,
    /// The round of exploration that brought it, from 1.
    pub round: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    High,
    #[default]
    Medium,
    Low,
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// Something that the data cannot say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// `g1`, `g2`, …
    pub id: String,
    pub text: String,
}

/// The judgement of a draft.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefineVerdict {
    /// True only if the critic approved, the score is high enough and every figure checks out.
    pub approved: bool,
    /// From 1 to 10, as the next three.
    pub score: u32,
    pub factual_grounding: u32,
    pub clarity: u32,
    pub completeness: u32,
    pub tone: u32,
    pub revision_notes: Vec<String>,
    /// Why the program did not take the critic's approval; empty where it did, or there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub overruled: String,
}

/// What the run came to, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineStats {
    #[serde(rename = "loop")]
    pub way: Way,
    pub explore_iterations: u32,
    /// Why the exploration ended.
    pub explore_ended: Option<ExploreEnd>,
    pub findings_what: u32,
    pub findings_why: u32,
    pub findings_how: u32,
    /// Findings that did not check out, and are not in the bank.
    pub findings_rejected: u32,
    pub segments_covered: u32,
    pub segments_available: u32,
    pub studies_used: u32,
    pub studies_available: u32,
    pub refine_iterations: u32,
    pub refine_ended: Option<RefineEnd>,
    /// Analyses that were run, and figures that were evaluated again for the summary.
    pub analyses: u32,
    pub figures_recomputed: u32,
    /// Sentences of the last draft that did not check out and were cut.
    pub sentences_cut: u32,
    pub words: u32,
    pub final_score: Option<u32>,
    pub final_grounding: Option<u32>,
    pub final_clarity: Option<u32>,
    pub final_completeness: Option<u32>,
    pub final_tone: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExploreEnd {
    NoNewAngle,
    MaxExploreIters,
    /// The simple loop's critic had nothing to add.
    NoFeedback,
    MaxIterations,
    /// The budget was met, or an agent failed; what was found until then stands.
    BrokenOff,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefineEnd {
    Approved,
    MaxRefineIters,
    /// The approved plan leaves the critic out.
    NotJudged,
    /// There is no model to judge it.
    NoModel,
    /// The budget was met, or an agent failed; what was drafted until then stands.
    BrokenOff,
}

/// A line of the audit trail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The agent that acted: `explore_worker`, `explore_critic`, `feedback_critic`, `synthesizer` or `refine_critic`.
    pub step: String,
    /// From 1, within its phase.
    pub round: u32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stage: Option<ExploreStage>,
    /// What was decided or done, in one sentence.
    pub told: String,
    /// What the step returned, or was told: findings, coverage, scores, faults.
    pub details: serde_json::Value,
}

/// A study as the deliverable names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyTold {
    pub id: String,
    pub title: String,
    pub file: String,
    /// SHA-256 of the data file, as hexadecimal digits.
    pub sha256: String,
    pub respondents: u64,
    pub weight: Option<String>,
    /// What was done with data that is not as it should be.
    pub notes: Vec<String>,
}

/// Figures beside each other, to be drawn as bars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chart {
    pub title: String,
    /// What the bars measure, with weight and study, in a few words.
    pub measure: String,
    pub unit: Unit,
    pub bars: Vec<Bar>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bar {
    pub label: String,
    pub value: f64,
    /// The confidence interval.
    pub interval: Option<(f64, f64)>,
    /// Respondents.
    pub base: u64,
    pub low_base: bool,
    pub expression: String,
}
