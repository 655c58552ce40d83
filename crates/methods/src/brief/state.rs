//! The state of a brief.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use ::grounding::check::Shown;
use run::ledger::{Claim, Verdict};
use survey::statement::Language;

use super::catalogue::Catalogue;
use super::options::Options;
use super::payload::{
    ExecutiveSummary, ExploreEnd, ExploreStage, FigureTold, Finding, Gap, Record, RefineEnd,
    RefineVerdict, Statement,
};
use super::statements::Statements;
use super::tools::Analysed;

/// The state that every step reads and extends.
pub(super) struct PipelineState<'a> {
    pub(super) original_query: &'a str,
    pub(super) options: &'a Options,
    pub(super) catalogue: Catalogue,
    pub(super) current_query: String,
    pub(super) current_stage: ExploreStage,
    /// Append-only.
    pub(super) finding_bank: Vec<Finding>,
    /// The findings as claims, by their ids; a judgement has no claim.
    pub(super) claims: BTreeMap<String, Claim>,
    /// Every statement that an analysis returned.
    pub(super) statements: Statements,
    /// The language of statements.
    pub(super) language: Language,
    pub(super) segments_covered: BTreeSet<String>,
    pub(super) studies_used: BTreeSet<String>,
    pub(super) data_gaps: Vec<Gap>,
    pub(super) explore_count: u32,
    /// The layers that have had a round.
    pub(super) explored: BTreeSet<ExploreStage>,
    pub(super) explore_ended: Option<ExploreEnd>,
    pub(super) draft: Option<Draft>,
    pub(super) verdict: Option<RefineVerdict>,
    pub(super) refine_count: u32,
    pub(super) refine_ended: Option<RefineEnd>,
    pub(super) history: Vec<Record>,
    /// Every analysis that was run.
    pub(super) analysed: Vec<Analysed>,
    pub(super) rejected: u32,
}

/// What holds of a draft after the check.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    pub(super) summary: ExecutiveSummary,
    pub(super) statements: Vec<Statement>,
    pub(super) ledger: Vec<run::ledger::Claim>,
    pub(super) words: u32,
    pub(super) cut: u32,
}

impl Draft {
    pub(super) fn tells_a_figure(&self) -> bool {
        self.statements.iter().any(|one| !one.figures.is_empty())
    }
}

impl<'a> PipelineState<'a> {
    pub(super) fn of(
        original_query: &'a str,
        options: &'a Options,
        catalogue: Catalogue,
    ) -> PipelineState<'a> {
        PipelineState {
            original_query,
            options,
            catalogue,
            current_query: original_query.to_owned(),
            current_stage: ExploreStage::What,
            finding_bank: Vec::new(),
            claims: BTreeMap::new(),
            statements: Statements::default(),
            language: language_of(original_query),
            segments_covered: BTreeSet::new(),
            studies_used: BTreeSet::new(),
            data_gaps: Vec::new(),
            explore_count: 0,
            explored: BTreeSet::new(),
            explore_ended: None,
            draft: None,
            verdict: None,
            refine_count: 0,
            refine_ended: None,
            history: Vec::new(),
            analysed: Vec::new(),
            rejected: 0,
        }
    }

    pub(super) fn uncovered_segments(&self) -> Vec<String> {
        let mut all = self.catalogue.segments();
        all.retain(|segment| !self.segments_covered.contains(segment));
        all
    }

    pub(super) fn uncovered_studies(&self) -> Vec<String> {
        let all = self.catalogue.studies.iter().map(|study| study.told.id.clone());
        all.filter(|study| !self.studies_used.contains(study)).collect()
    }

    pub(super) fn findings_by_stage(&self, stage: ExploreStage) -> Vec<&Finding> {
        self.finding_bank.iter().filter(|one| one.depth == stage).collect()
    }

    /// Returns the number of findings of WHAT, WHY and HOW.
    pub(super) fn stage_counts(&self) -> [u32; 3] {
        ExploreStage::ALL.map(|stage| self.findings_by_stage(stage).len() as u32)
    }

    /// Returns the first layer that has had no round.
    pub(super) fn unexplored(&self) -> Option<ExploreStage> {
        ExploreStage::ALL.into_iter().find(|stage| !self.explored.contains(stage))
    }

    /// Returns the number of layers that have had no round.
    pub(super) fn unexplored_count(&self) -> u32 {
        ExploreStage::ALL.into_iter().filter(|stage| !self.explored.contains(stage)).count() as u32
    }

    /// Adds a gap unless it is already known.
    pub(super) fn gap(&mut self, text: String) {
        if !text.is_empty() && self.data_gaps.iter().all(|known| known.text != text) {
            let id = format!("g{}", self.data_gaps.len() + 1);
            self.data_gaps.push(Gap { id, text });
        }
    }

    pub(super) fn record(
        &mut self,
        step: &str,
        round: u32,
        stage: Option<ExploreStage>,
        told: impl Into<String>,
        details: Value,
    ) {
        let (step, told) = (step.to_owned(), told.into());
        self.history.push(Record { step, round, stage, told, details });
    }

    /// Returns the number of findings in each layer, as shown to agents.
    pub(super) fn counts_told(&self) -> String {
        let [what, why, how] = self.stage_counts();
        format!("what: {what}, why: {why}, how: {how}")
    }

    /// Returns the findings of some layers with their citations, as shown to agents.
    pub(super) fn findings_told(&self, stages: &[ExploreStage]) -> String {
        let mut told = String::new();
        for finding in self.finding_bank.iter().filter(|one| stages.contains(&one.depth)) {
            let cited = self.claims.get(&finding.id).map(|claim| self.statements.numbers(claim));
            let cited: String =
                cited.unwrap_or_default().iter().map(|number| format!(" [F{number}]")).collect();
            let _ = writeln!(
                told,
                "[{}] ({}, confidence {}, {}) {}{cited}",
                finding.id.to_uppercase(),
                finding.depth.name(),
                finding.confidence.name(),
                finding.verdict.map_or("judgement", Verdict::name),
                finding.claim,
            );
        }
        told
    }

    /// Returns the statements that findings cite, as shown to agents.
    pub(super) fn statements_told(&self) -> String {
        let cited = self.claims.values().flat_map(|claim| self.statements.numbers(claim));
        let numbers: BTreeSet<u32> = cited.collect();
        self.statements.told(&numbers.into_iter().collect::<Vec<u32>>())
    }

    /// Returns everything that agents were shown. A sentence without citations may use no other numbers.
    pub(super) fn shown(&self) -> Shown {
        let (studies, nearest) = (self.catalogue.told(), self.catalogue.all_told());
        let texts = [self.original_query, studies.as_str(), nearest.as_str()];
        Shown::of(texts.into_iter().chain(self.statements.texts()))
    }

    pub(super) fn gaps_told(&self) -> String {
        let lines = self.data_gaps.iter().map(|gap| format!("{} {}\n", gap.id, gap.text));
        lines.collect()
    }

    /// Returns the segments and studies that are still uncovered, as shown to agents; empty if there are none.
    pub(super) fn uncovered_told(&self) -> String {
        /// Maximum number of segments to name.
        const MOST: usize = 40;
        let (segments, studies) = (self.uncovered_segments(), self.uncovered_studies());
        let mut told = String::new();
        if !segments.is_empty() {
            let shown: Vec<&str> = segments.iter().take(MOST).map(String::as_str).collect();
            let _ = writeln!(told, "segments: {}", shown.join(", "));
        }
        if !studies.is_empty() {
            let _ = writeln!(told, "studies: {}", studies.join(", "));
        }
        told
    }
}

/// Returns the language of a query, among those that statements are worded in.
fn language_of(query: &str) -> Language {
    match text::guess(query) {
        text::Language::German => Language::German,
        _ => Language::English,
    }
}

/// Returns a figure on one line.
pub(super) fn line(figure: &FigureTold) -> String {
    let bases: Vec<String> = figure.bases.iter().map(u64::to_string).collect();
    let low = if figure.low_base { ", low" } else { "" };
    let significant = match figure.significant {
        Some(true) => ", significant",
        Some(false) => ", not significant",
        None => "",
    };
    format!(
        "{} = {} (base {}{low}{significant})",
        figure.expression,
        figure.shown,
        bases.join(" and ")
    )
}
