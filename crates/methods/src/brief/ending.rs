//! The delivery of a brief, whole or partial.

use serde_json::Value;

use run::ledger::Claim;
use run::{Deliverable, Outcome, Result, Run, Stop};

use super::contract;
use super::payload::{Bar, Brief, Chart, PipelineStats, RefineEnd};
use super::replies::Analysis;
use super::state::PipelineState;
use super::tools::Analysed;
use crate::grounded;
use crate::report::count;

/// Maximum number of charts in a brief.
const MOST_CHARTS: usize = 4;

impl PipelineState<'_> {
    /// Returns the result so far, and its ledger.
    fn gathered(&self, run: &Run) -> (Brief, Vec<Claim>) {
        let draft = self.draft.clone().unwrap_or_default();
        let [what, why, how] = self.stage_counts();
        let verdict = self.verdict.as_ref();
        let segments_available = self.catalogue.segments();
        let covered: Vec<String> = segments_available
            .iter()
            .filter(|one| self.segments_covered.contains(*one))
            .cloned()
            .collect();
        let stats = PipelineStats {
            way: self.options.way,
            explore_iterations: self.explore_count,
            explore_ended: self.explore_ended,
            findings_what: what,
            findings_why: why,
            findings_how: how,
            findings_rejected: self.rejected,
            segments_covered: covered.len() as u32,
            segments_available: segments_available.len() as u32,
            studies_used: self.studies_used.len() as u32,
            studies_available: self.catalogue.studies.len() as u32,
            refine_iterations: self.refine_count,
            refine_ended: self.refine_ended,
            analyses: self.analysed.iter().filter(|one| !one.lines.is_empty()).count() as u32,
            figures_recomputed: draft.statements.iter().map(|one| one.figures.len() as u32).sum(),
            sentences_cut: draft.cut,
            words: draft.words,
            final_score: verdict.map(|one| one.score),
            final_grounding: verdict.map(|one| one.factual_grounding),
            final_clarity: verdict.map(|one| one.clarity),
            final_completeness: verdict.map(|one| one.completeness),
            final_tone: verdict.map(|one| one.tone),
        };
        let brief = Brief {
            question: self.original_query.to_owned(),
            charts: self.charts(),
            reader: grounded::reader(run),
            significance: self.significance(),
            cited: self.statements.cited(&draft.ledger),
            summary: draft.summary,
            statements: draft.statements,
            finding_bank: self.finding_bank.clone(),
            segments_covered: covered,
            segments_uncovered: self.uncovered_segments(),
            studies_used: self.studies_used.iter().cloned().collect(),
            studies_unused: self.uncovered_studies(),
            data_gaps: self.data_gaps.clone(),
            verdict: self.verdict.clone(),
            pipeline_stats: stats,
            history: self.history.clone(),
            studies: self.catalogue.studies.iter().map(|one| one.told.clone()).collect(),
        };
        (brief, draft.ledger)
    }

    /// Returns what "significant" means in this brief.
    fn significance(&self) -> String {
        let rules = &self.options.rules.figures;
        let by_rule = if self.refine_ended == Some(RefineEnd::NoModel) {
            " Differences and trends found by rule are corrected for multiple tests (Holm) over their round; those between \
             segments that the query names, over their table."
        } else {
            ""
        };
        format!(
            "A difference is significant if its two-sided p is below {}, {}. Single comparisons are not corrected for \
             multiple tests.{by_rule}",
            rules.alpha,
            rules.test.told()
        )
    }

    /// Returns the analyses whose figures the summary uses, as charts.
    fn charts(&self) -> Vec<Chart> {
        let statements = self.draft.iter().flat_map(|draft| &draft.statements);
        let used: Vec<&str> = statements
            .flat_map(|one| &one.figures)
            .map(|figure| figure.expression.as_str())
            .collect();
        let is_used = |analysed: &&Analysed| {
            let mut lines = analysed.lines.iter();
            let stands = |line: &str| used.iter().any(|one| one.contains(line));
            analysed.lines.len() > 1 && lines.any(|line| stands(&line.figure.expression))
        };
        let mut charts: Vec<Chart> = Vec::new();
        for analysed in self.analysed.iter().filter(is_used) {
            let chart = build_chart(analysed);
            if charts.len() < MOST_CHARTS && !charts.contains(&chart) {
                charts.push(chart);
            }
        }
        charts
    }

    /// Stores the result so far, in case the run ends early.
    pub(super) fn keep(&self, run: &Run) -> Result<()> {
        let (brief, ledger) = self.gathered(run);
        run.keep(deliverable(&brief, ledger, Outcome::Answered)?);
        Ok(())
    }

    /// Returns the whole result.
    pub(super) fn delivered(&self, run: &Run) -> Result<Deliverable> {
        let (brief, ledger) = self.gathered(run);
        if brief.pipeline_stats.sentences_cut > 0 {
            let cut =
                count(brief.pipeline_stats.sentences_cut.into(), "sentence was", "sentences were");
            run.warn(format!(
                "{cut} cut because no statement bears them out; the log gives the reasons"
            ));
        }
        let wrong = contract::violations(&brief, &ledger, self.options);
        if !wrong.is_empty() {
            return Err(failed(wrong.join("; ")));
        }
        let outcome = match brief.finding_bank.is_empty() {
            false => Outcome::Answered,
            true => Outcome::NotEnoughEvidence,
        };
        deliverable(&brief, ledger, outcome)
    }
}

fn build_chart(analysed: &Analysed) -> Chart {
    // Means and scores among shares have a different scale.
    let is_bar = |label: &str| !matches!(label, "mean" | "net promoter score" | "top-2 share");
    let of_answers = analysed.lines.iter().any(|line| is_bar(&line.label));
    let lines = analysed.lines.iter().filter(|line| !of_answers || is_bar(&line.label));
    Chart {
        title: analysed.title.clone(),
        measure: match analysed.call.analysis {
            Analysis::Trend => analysed.measure.clone(),
            _ => format!("{}, {}", analysed.measure, analysed.study),
        },
        unit: analysed.unit,
        bars: lines
            .map(|line| Bar {
                label: line.label.clone(),
                value: line.figure.value,
                interval: line.figure.interval,
                base: line.figure.bases.first().copied().unwrap_or_default(),
                low_base: line.figure.low_base,
                expression: line.figure.expression.clone(),
            })
            .collect(),
    }
}

fn deliverable(brief: &Brief, ledger: Vec<Claim>, outcome: Outcome) -> Result<Deliverable> {
    match serde_json::to_value(brief) {
        Ok(Value::Object(fields)) => Ok(Deliverable { outcome, fields, ledger }),
        Ok(_) => Err(failed("the result is not an object")),
        Err(error) => Err(failed(format!("could not write the result: {error}"))),
    }
}

fn failed(message: impl Into<String>) -> Stop {
    Stop::Stage { stage: "brief".into(), message: message.into(), retry_attempted: false }
}
