//! The deliverable: the types that the published schema is generated from.
//!
//! Field names are those of the documented contract; further fields are additions to it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use run::ledger::Verdict;

use crate::SecondReader;

/// What a run of the method came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Payload {
    Complete(Box<Complete>),
    Partial(Box<Partial>),
}

/// Ranked hypotheses, contested and grounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Complete {
    #[schemars(length(min = 1))]
    pub question: String,
    #[schemars(length(min = 1))]
    pub domain: String,
    pub objective: String,
    /// In the order of their ranks, the best first.
    #[schemars(length(min = 1))]
    pub hypotheses: Vec<Hypothesis>,
    /// The same order, by id.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub ranked_hypothesis_ids: Vec<String>,
    pub ranking: Ranking,
    pub diversity: Vec<Diversity>,
    pub literature: Literature,
    pub retrieval: Retrieval,
    /// A *quaestio* for each of the best hypotheses: question, objections, on the contrary, I answer that, replies.
    #[schemars(length(min = 1))]
    pub summa_rendering: String,
    pub summa_origin: Origin,
    /// How many of the best hypotheses have one.
    #[schemars(range(min = 1))]
    pub top: u32,
    /// Who read what the sources bear out; none where no model was asked, and in results of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<SecondReader>,
    /// What each stage returned, by the stage's name.
    pub stage_outputs: BTreeMap<String, Value>,
}

/// What was gathered before a stage failed for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Partial {
    #[schemars(length(min = 1))]
    pub question: String,
    #[schemars(length(min = 1))]
    pub domain: String,
    pub objective: String,
    /// Those that there are, ranked or not.
    pub hypotheses: Vec<Hypothesis>,
    /// Empty where nothing was ranked.
    #[schemars(extend("uniqueItems" = true))]
    pub ranked_hypothesis_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    pub diversity: Vec<Diversity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literature: Option<Literature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval: Option<Retrieval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summa_rendering: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summa_origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<SecondReader>,
    pub stage_outputs: BTreeMap<String, Value>,
    pub error: Failed,
}

/// The stage that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failed {
    #[schemars(length(min = 1))]
    pub stage: String,
    #[schemars(length(min = 1))]
    pub message: String,
    pub retry_attempted: bool,
}

/// Who a text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    #[default]
    Model,
    /// Quoted from the sources by program; no model was asked.
    Extractive,
    /// Supplied by the program where an agent left a gap. It supports nothing.
    Fallback,
}

/// A conjecture with what speaks for and against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hypothesis {
    /// `H1`, `H2`, … in the order in which they were proposed.
    #[schemars(length(min = 1))]
    pub id: String,
    #[schemars(length(min = 1))]
    pub title: String,
    #[schemars(length(min = 1))]
    pub statement: String,
    /// As it was proposed, where the critic revised it or its mechanism; what it cites was quoted for this wording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_statement: Option<String>,
    /// By what it would come about.
    #[schemars(length(min = 1))]
    pub mechanism: String,
    #[schemars(length(min = 1))]
    pub novelty_rationale: String,
    #[schemars(length(min = 1))]
    pub plausibility_rationale: String,
    #[schemars(length(min = 1))]
    pub testability_rationale: String,
    #[schemars(length(min = 1))]
    pub impact_rationale: String,
    /// What would be seen if it held, and what would speak against it.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub falsifiable_predictions: Vec<String>,
    /// The smallest tests that could refute it.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub minimal_experiments: Vec<String>,
    /// Numbered from 1.
    #[schemars(length(min = 3))]
    pub objections: Vec<Objection>,
    /// One for each objection, in the same order.
    #[schemars(length(min = 3))]
    pub replies: Vec<Reply>,
    pub citations: Vec<Citation>,
    /// Citations that a quote bears out. One that the program supplied is none of them.
    pub supporting_citations: u32,
    pub origin: Origin,
    /// The fields above that the program filled in, since the agent left them empty.
    pub fallbacks: Vec<String>,
    /// From 1; none before the ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// Where the overall score may lie, were the judge asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Bradley–Terry: the natural logarithm of its strength; the mean over all hypotheses is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairwise_record: Option<PairwiseRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    #[schemars(range(min = 1))]
    pub number: u32,
    #[schemars(length(min = 1))]
    pub text: String,
    /// The marks of the citations that bear it out.
    #[serde(default)]
    pub citations: Vec<u32>,
    /// None for an argument, which cites nothing, and in results of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    pub origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    #[schemars(range(min = 1))]
    pub objection_number: u32,
    #[schemars(length(min = 1))]
    pub text: String,
    pub origin: Origin,
}

/// A work of the retrieval on which a hypothesis rests, or that the program put beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// `arxiv:ID`, `doi:DOI`, or its address.
    #[schemars(length(min = 1))]
    pub paper_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    #[schemars(length(min = 1))]
    pub title: String,
    pub authors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    /// The mark `[n]` in the report; none for a citation that holds nothing up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// What the work is cited for.
    pub claim: String,
    /// The work's own words.
    pub quote: String,
    pub verdict: Verdict,
    pub origin: Origin,
}

/// What is judged.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    Novelty,
    Plausibility,
    Testability,
    Impact,
    Grounding,
}

impl Dimension {
    pub const ALL: [Dimension; 5] = [
        Dimension::Novelty,
        Dimension::Plausibility,
        Dimension::Testability,
        Dimension::Impact,
        Dimension::Grounding,
    ];

    /// Returns the name used in the fields of a payload.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Novelty => "novelty",
            Dimension::Plausibility => "plausibility",
            Dimension::Testability => "testability",
            Dimension::Impact => "impact",
            Dimension::Grounding => "grounding",
        }
    }
}

/// One value for each dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByDimension<T> {
    pub novelty: T,
    pub plausibility: T,
    pub testability: T,
    pub impact: T,
    pub grounding: T,
}

impl<T> ByDimension<T> {
    pub fn of(mut value: impl FnMut(Dimension) -> T) -> ByDimension<T> {
        ByDimension {
            novelty: value(Dimension::Novelty),
            plausibility: value(Dimension::Plausibility),
            testability: value(Dimension::Testability),
            impact: value(Dimension::Impact),
            grounding: value(Dimension::Grounding),
        }
    }

    pub fn get(&self, dimension: Dimension) -> &T {
        match dimension {
            Dimension::Novelty => &self.novelty,
            Dimension::Plausibility => &self.plausibility,
            Dimension::Testability => &self.testability,
            Dimension::Impact => &self.impact,
            Dimension::Grounding => &self.grounding,
        }
    }
}

/// Scores, each 1 (poor) to 5.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    #[schemars(range(min = 1.0, max = 5.0))]
    pub novelty: f64,
    #[schemars(range(min = 1.0, max = 5.0))]
    pub plausibility: f64,
    #[schemars(range(min = 1.0, max = 5.0))]
    pub testability: f64,
    #[schemars(range(min = 1.0, max = 5.0))]
    pub impact: f64,
    #[schemars(range(min = 1.0, max = 5.0))]
    pub grounding: f64,
    /// The mean of the others by the weights of the ranking.
    #[schemars(range(min = 1.0, max = 5.0))]
    pub overall: f64,
}

impl Scores {
    pub fn of(&self, dimension: Dimension) -> f64 {
        match dimension {
            Dimension::Novelty => self.novelty,
            Dimension::Plausibility => self.plausibility,
            Dimension::Testability => self.testability,
            Dimension::Impact => self.impact,
            Dimension::Grounding => self.grounding,
        }
    }
}

/// Where a score may lie if the judge made up its mind about every pair anew: a bootstrap interval at 1 - alpha.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    #[schemars(range(min = 1.0, max = 5.0))]
    pub low: f64,
    #[schemars(range(min = 1.0, max = 5.0))]
    pub high: f64,
}

/// The judgements in which a hypothesis took part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairwiseRecord {
    pub comparisons: Vec<Comparison>,
    /// Judgements that it won.
    pub wins_by_dimension: ByDimension<u32>,
    /// Judgements that it won, and half of those that were ties.
    pub points_by_dimension: ByDimension<f64>,
}

/// One judgement of a pair in one order: `a` was shown first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    #[schemars(length(min = 1))]
    pub hypothesis_a_id: String,
    #[schemars(length(min = 1))]
    pub hypothesis_b_id: String,
    /// From 1: a judge may be asked several times.
    #[schemars(range(min = 1))]
    pub round: u32,
    pub winner_novelty: Winner,
    pub winner_plausibility: Winner,
    pub winner_testability: Winner,
    pub winner_impact: Winner,
    pub winner_grounding: Winner,
    /// False where the judge said nothing of this pair in this order, which counts as a tie.
    pub judged: bool,
}

impl Comparison {
    pub fn winner(&self, dimension: Dimension) -> Winner {
        match dimension {
            Dimension::Novelty => self.winner_novelty,
            Dimension::Plausibility => self.winner_plausibility,
            Dimension::Testability => self.winner_testability,
            Dimension::Impact => self.winner_impact,
            Dimension::Grounding => self.winner_grounding,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    A,
    B,
    #[default]
    Tie,
}

/// How the ranks came about, and how much they can be relied on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    pub weights: ByDimension<f64>,
    /// How often every pair was judged in each order.
    #[schemars(range(min = 1))]
    pub rounds: u32,
    pub pair_coverage: PairCoverage,
    pub position_bias: PositionBias,
    /// The chance of calling one best though the judge tosses a coin, at most.
    pub alpha: f64,
    /// Draws of the bootstrap and of the randomisation test.
    pub resamples: u32,
    /// Overall scores further apart than this are told apart; 4 where no two can be, as among few hypotheses.
    pub critical_difference: f64,
    /// The first rank, and the chance that a coin for each pair would put somebody as far ahead.
    pub leader: Leader,
    /// Ids whose ranks cannot be told apart, best first; one hypothesis may stand in several groups.
    pub groups: Vec<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Leader {
    #[schemars(length(min = 1))]
    pub hypothesis_id: String,
    /// 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub p_value: f64,
    /// Whether the p-value is no greater than alpha; at an alpha of 0.05 never among fewer than 4 hypotheses.
    pub significant: bool,
}

/// What became of the judge's records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PairCoverage {
    /// Every pair in both orders, as often as there were rounds.
    pub expected: u32,
    pub judged: u32,
    /// Pairs that the judge left out in that order; they count as ties.
    pub missing: Vec<MissingPair>,
    /// Winners that are neither `a` nor `b` nor a tie; they count as ties.
    pub unreadable_winners: u32,
    /// Records that were ignored: pairs judged again, pairs with an id that nobody has, hypotheses compared with themselves.
    pub doubled: u32,
    pub foreign: u32,
    pub self_paired: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingPair {
    pub hypothesis_a_id: String,
    pub hypothesis_b_id: String,
    pub round: u32,
}

/// Whether the judge favours what it is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PositionBias {
    /// Pairs that were judged in both orders, times dimensions.
    pub compared: u32,
    /// Those among them in which the winner changed with the order.
    pub reversed: u32,
    /// Of the judgements that were no ties, the share that the first one won; 0.5 where there was none.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub first_won: f64,
}

/// One measurement of how alike the hypotheses are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diversity {
    /// The stage after which it was measured.
    #[schemars(length(min = 1))]
    pub stage: String,
    pub measure: Measure,
    /// From this similarity on a pair is too close.
    pub threshold: f64,
    /// The closest pair; 0 where there is none.
    pub highest: f64,
    pub too_close: Vec<ClosePair>,
    /// Whether the agent was asked once more because of it.
    pub retried: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The cosine of vectors, where an embedder is configured.
    Embeddings,
    /// The overlap of words and word pairs.
    #[default]
    Shingles,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClosePair {
    pub hypothesis_a_id: String,
    pub hypothesis_b_id: String,
    /// 0 (nothing in common) to 1 (the same).
    pub similarity: f64,
}

/// What the papers say, claim by claim.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Literature {
    pub findings: Vec<Finding>,
    /// What they leave open, in the agent's own words.
    pub gaps: Vec<String>,
}

/// A sentence that its statements bear out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    #[schemars(length(min = 1))]
    pub text: String,
    /// The marks of its citations.
    #[schemars(length(min = 1))]
    pub citations: Vec<u32>,
    /// None in results of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// What was searched for and found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Retrieval {
    pub queries: Vec<String>,
    /// What each source came to, for each query in turn.
    pub answers: Vec<Value>,
    /// Every work once, as it may be cited.
    pub papers: Vec<FoundPaper>,
    /// Works among them of which the sources gave no abstract.
    pub without_abstract: u32,
    /// Whether every source answered and everything that was to be read was reached.
    pub complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundPaper {
    #[schemars(length(min = 1))]
    pub paper_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    #[schemars(length(min = 1))]
    pub title: String,
    pub authors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i16>,
    pub has_abstract: bool,
    /// Whether its text was read, and may be quoted.
    pub read: bool,
}
