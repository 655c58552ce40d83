//! The workload as a method: explore four times, refine twice.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use run::{Agent, Deliverable, Outcome, Reply, Result, Run, Stop};

pub(crate) const QUESTION: &str =
    "Why did repeat purchase fall in the last two quarters, for whom, and what should we do?";
const STUDIES: &str = "S001, S002, S003, S004, S005, S006, S007, S008";
const SEGMENTS: [&str; 10] = [
    "18-24",
    "25-34",
    "35-49",
    "50-64",
    "65+",
    "urban",
    "rural",
    "new users",
    "churned",
    "premium",
];

const fn agent(name: &'static str, text: &'static str) -> Agent {
    Agent { name, prompt: name, text }
}

const EXPLORE_WORKER: Agent = agent("explore_worker", include_str!("../prompts/explore_worker.md"));
const EXPLORE_CRITIC: Agent = agent("explore_critic", include_str!("../prompts/explore_critic.md"));
const SYNTHESIZER: Agent = agent("synthesizer", include_str!("../prompts/synthesizer.md"));
const REFINE_CRITIC: Agent = agent("refine_critic", include_str!("../prompts/refine_critic.md"));

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Finding {
    claim: String,
    depth: Depth,
    metric: Option<String>,
    segment: Option<String>,
    study_id: Option<String>,
    confidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Depth {
    What,
    Why,
    How,
}

impl Depth {
    fn name(self) -> &'static str {
        match self {
            Depth::What => "what",
            Depth::Why => "why",
            Depth::How => "how",
        }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Exploration {
    query_answered: String,
    findings: Vec<Finding>,
    segments_covered: Vec<String>,
    studies_used: Vec<String>,
    data_gaps: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Directive {
    has_new_angle: bool,
    next_stage: Depth,
    follow_up_query: String,
    rationale: String,
    what_coverage: String,
    why_coverage: String,
    how_coverage: String,
    gaps_identified: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Summary {
    title: String,
    overview: String,
    key_findings: Vec<String>,
    strategic_implications: Vec<String>,
    risks_and_caveats: Vec<String>,
    recommended_actions: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Verdict {
    approved: bool,
    score: u8,
    factual_grounding: u8,
    clarity: u8,
    completeness: u8,
    revision_notes: Vec<String>,
}

impl Reply for Exploration {}
impl Reply for Directive {}
impl Reply for Summary {}
impl Reply for Verdict {}

/// The four calls of the workload in the order in which it makes them.
pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let mut bank: Vec<Finding> = Vec::new();
    let mut covered: BTreeSet<String> = BTreeSet::new();
    let mut gaps: Vec<String> = Vec::new();
    let (mut query, mut stage) = (QUESTION.to_owned(), Depth::What);
    for round in 1..=4 {
        let page = format!(
            "Stage: {}\nQuestion: {query}\nStudies: {STUDIES}\nSegments: {}\nCounts: {}\nKnown findings:\n{}\n<<explore_worker:{round}>>",
            stage.name(),
            SEGMENTS.join(", "),
            counts(&bank),
            lines(&bank)
        );
        let found: Exploration =
            run.agent(&EXPLORE_WORKER).given("Exploration", page).reply().await?;
        bank.extend(found.findings);
        covered.extend(found.segments_covered);
        gaps.extend(found.data_gaps);
        let uncovered: Vec<&str> =
            SEGMENTS.into_iter().filter(|segment| !covered.contains(*segment)).collect();
        let page = format!(
            "Question: {QUESTION}\nStage: {}\nCounts: {}\nUncovered segments: {}\nGaps: {}\nFindings:\n{}\n<<explore_critic:{round}>>",
            stage.name(),
            counts(&bank),
            uncovered.join(", "),
            gaps.join("; "),
            lines(&bank)
        );
        let directive: Directive =
            run.agent(&EXPLORE_CRITIC).given("Exploration", page).reply().await?;
        if !directive.has_new_angle {
            break;
        }
        (query, stage) = (directive.follow_up_query, directive.next_stage);
    }
    let mut notes: Vec<String> = Vec::new();
    for round in 1..=2 {
        let page = format!(
            "Question: {QUESTION}\n{}Gaps: {}\nRevision notes: {}\n<<synthesizer:{round}>>",
            lines(&bank),
            gaps.join("; "),
            notes.join("; ")
        );
        let summary: Summary = run.agent(&SYNTHESIZER).given("Findings", page).reply().await?;
        let draft = json!(summary).to_string();
        let page =
            format!("Findings:\n{}\nDraft:\n{draft}\n<<refine_critic:{round}>>", lines(&bank));
        let verdict: Verdict = run.agent(&REFINE_CRITIC).given("Draft", page).reply().await?;
        if verdict.approved {
            let fields = [("summary".to_owned(), json!(summary))].into_iter().collect();
            return Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] });
        }
        notes = verdict.revision_notes;
    }
    Err(Stop::Stage {
        stage: "refine".into(),
        message: "the draft was not approved".into(),
        retry_attempted: false,
    })
}

fn counts(bank: &[Finding]) -> String {
    let count = |depth| bank.iter().filter(|finding| finding.depth == depth).count();
    format!("what={} why={} how={}", count(Depth::What), count(Depth::Why), count(Depth::How))
}

fn lines(bank: &[Finding]) -> String {
    let mut page = String::with_capacity(bank.len() * 220);
    for Finding { claim, depth, metric, segment, study_id, confidence } in bank {
        let [metric, segment, study] =
            [metric, segment, study_id].map(|field| field.as_deref().unwrap_or("-"));
        let _ = writeln!(
            page,
            "- [{}] {claim} | {metric} | {segment} | {study} | {confidence}",
            depth.name()
        );
    }
    page
}
