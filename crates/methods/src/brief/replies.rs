//! The agents of a brief and their replies. A missing field reads as empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::{Agent, Reply};

use super::payload::{Confidence, ExploreStage};

const fn agent(name: &'static str, prompt: &'static str, text: &'static str) -> Agent {
    Agent { name, prompt, text }
}

pub(super) const EXPLORE_WORKER: Agent = agent(
    "explore_worker",
    "brief/explore_worker",
    include_str!("../../prompts/brief/explore_worker.md"),
);
pub(super) const EXPLORE_CRITIC: Agent = agent(
    "explore_critic",
    "brief/explore_critic",
    include_str!("../../prompts/brief/explore_critic.md"),
);
pub(super) const FEEDBACK_CRITIC: Agent = agent(
    "feedback_critic",
    "brief/feedback_critic",
    include_str!("../../prompts/brief/feedback_critic.md"),
);
pub(super) const SYNTHESIZER: Agent =
    agent("synthesizer", "brief/synthesizer", include_str!("../../prompts/brief/synthesizer.md"));
pub(super) const REFINE_CRITIC: Agent = agent(
    "refine_critic",
    "brief/refine_critic",
    include_str!("../../prompts/brief/refine_critic.md"),
);

/// What the worker replies: calls of tools, or what it found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ExplorationOutput {
    /// Tools to be called before anything is reported; empty where it reports.
    pub calls: Vec<ToolCall>,
    /// The query that the findings answer.
    pub query_answered: String,
    #[schemars(length(max = 20))]
    pub findings: Vec<Found>,
    /// Segments that were looked at.
    pub segments_covered: Vec<String>,
    pub studies_used: Vec<String>,
    /// What the data cannot say, one sentence each, without numbers.
    pub data_gaps: Vec<String>,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ToolCall {
    pub tool: Tool,
    /// For `search_questions`: words to look for.
    pub query: String,
    /// For `perform_analysis`.
    pub analysis: Analysis,
    /// The id of the question that is analysed.
    pub question: String,
    /// The id of the study; empty for the latest one that has the question.
    pub study: String,
    /// The id of the segment question to cut by; needed for a crosstab, possible for a trend.
    pub by: String,
    /// The answer or net that a crosstab or a trend is of, or a net that frequencies tell too; empty for the question's headline figure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// For the analysis `figure`: the expression.
    pub expression: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tool {
    /// Finds questions in all studies by words.
    SearchQuestions,
    /// Tells the segments of a study with their bases.
    SegmentMetadata,
    #[default]
    PerformAnalysis,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Analysis {
    /// The share of every answer.
    #[default]
    Frequencies,
    /// The question's headline figure in every segment of `by`, with the differences between them.
    Crosstab,
    Mean,
    /// The share of the two most favourable points of a scale.
    #[serde(rename = "top_2_box")]
    TopTwoBox,
    Nps,
    /// The headline figure in every study that asked the question, with the differences between them; with `by` in each of its segments.
    Trend,
    /// One expression.
    Figure,
}

/// A finding as the worker reports it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Found {
    /// One sentence.
    pub claim: String,
    /// The addresses of the statements, and of findings, that bear it out: `F3`, `C1`.
    pub rests_on: Vec<String>,
    pub depth: ExploreStage,
    pub confidence: Confidence,
    /// Whether it is a judgement of the worker's own, which no statement bears out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_judgement: bool,
}

/// Where the exploration goes next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct CriticDirective {
    /// How well each layer is covered, in a few words.
    pub what_coverage: String,
    pub why_coverage: String,
    pub how_coverage: String,
    pub gaps_identified: Vec<String>,
    pub rationale: String,
    pub has_new_angle: bool,
    /// The layer that the follow-up is for.
    pub next_stage: ExploreStage,
    /// The next question to the worker; needed where there is a new angle.
    pub follow_up_query: String,
}

/// What the critic of the simple loop says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Feedback {
    /// The next question to the worker; empty where nothing is missing.
    pub feedback: String,
}

/// A draft of the summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Drafted {
    /// A few words, without numbers.
    pub title: String,
    pub overview: Vec<Said>,
    pub key_findings: Vec<Said>,
    pub strategic_implications: Vec<Said>,
    pub risks_and_caveats: Vec<Said>,
    pub recommended_actions: Vec<Said>,
}

/// A sentence of a draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Said {
    /// One sentence.
    pub text: String,
    /// The addresses of the statements and findings that bear it out, and the ids of gaps: `F3`, `C1`, `g1`.
    pub rests_on: Vec<String>,
    /// Whether it is a judgement of the writer's own, which no statement bears out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_judgement: bool,
}

/// What the critic of drafts says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Judged {
    /// What must change, one sentence each.
    pub revision_notes: Vec<String>,
    /// From 1 to 10, as the next four.
    pub factual_grounding: u32,
    pub clarity: u32,
    pub completeness: u32,
    pub tone: u32,
    pub score: u32,
    pub approved: bool,
}

impl Reply for ExplorationOutput {
    fn check(&self) -> Result<(), String> {
        if self.calls.is_empty() && self.findings.is_empty() && self.data_gaps.is_empty() {
            return Err("it calls no tool, reports no finding, and names no gap".into());
        }
        Ok(())
    }
}

impl Reply for CriticDirective {
    fn check(&self) -> Result<(), String> {
        if self.has_new_angle && self.follow_up_query.trim().is_empty() {
            return Err("'has_new_angle' is true, and 'follow_up_query' is empty".into());
        }
        Ok(())
    }
}

impl Reply for Feedback {}

impl Reply for Drafted {
    const DRAFT: Option<&'static str> = Some("text");

    fn check(&self) -> Result<(), String> {
        if self.overview.is_empty() && self.key_findings.is_empty() {
            return Err("it has neither an overview nor key findings".into());
        }
        Ok(())
    }
}

impl Reply for Judged {
    fn check(&self) -> Result<(), String> {
        let scores = [
            ("score", self.score),
            ("factual_grounding", self.factual_grounding),
            ("clarity", self.clarity),
            ("completeness", self.completeness),
            ("tone", self.tone),
        ];
        match scores.into_iter().find(|(_, score)| !(1..=10).contains(score)) {
            Some((name, score)) => Err(format!("'{name}' is {score}; it must be 1 to 10")),
            None => Ok(()),
        }
    }
}
