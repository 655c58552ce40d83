//! What the agents say without a model: a sensible battery of analyses, and sentences by rule with the figures that they brought.

use std::collections::BTreeSet;

use survey::adjust;

use super::payload::{Confidence, ExploreStage, Finding};
use super::replies::{
    Analysis, CriticDirective, Drafted, ExplorationOutput, Found, Judged, Said, Tool, ToolCall,
};
use super::state::PipelineState;
use super::tools::{Analysed, Difference, Line};

/// Questions that the battery looks at: those nearest to the query.
const QUESTIONS: usize = 3;
/// Findings in the overview; the others are key findings.
const OVERVIEW: usize = 2;
/// Differences between segments that are told, and those that something is proposed for.
const DIFFERENCES: usize = 4;
const PROPOSALS: usize = 2;
/// How an implication begins; every other judgement is an action.
const IMPLICATION: &str = "Plan for";

/// Returns the tools that a layer needs; where it needs none, its report.
pub(super) fn calls(state: &PipelineState<'_>, stage: ExploreStage) -> ExplorationOutput {
    let analyse = |analysis, study: &str, question: &str, by: &str| ToolCall {
        tool: Tool::PerformAnalysis,
        analysis,
        study: study.to_owned(),
        question: question.to_owned(),
        by: by.to_owned(),
        ..ToolCall::default()
    };
    let catalogue = &state.catalogue;
    if !catalogue.is_about(state.original_query) {
        return report(state, stage, &[]);
    }
    let mut grids = BTreeSet::new();
    let nearest = catalogue.nearest(state.original_query, usize::MAX, true).into_iter();
    // One row of a grid stands for the others.
    let nearest = nearest
        .filter(|(_, question)| question.grid.is_empty() || grids.insert(&question.grid))
        .take(QUESTIONS);
    let mut calls = Vec::new();
    for (study, question) in nearest {
        let id = study.told.id.as_str();
        match stage {
            ExploreStage::What => {
                calls.push(analyse(Analysis::Frequencies, id, &question.id, ""));
                if catalogue.members(id, &question.id).len() > 1 {
                    calls.push(analyse(Analysis::Trend, id, &question.id, ""));
                }
            }
            ExploreStage::Why => calls.extend(
                study
                    .segments
                    .iter()
                    .filter(|by| by.question != question.id)
                    .map(|by| analyse(Analysis::Crosstab, id, &question.id, &by.question)),
            ),
            ExploreStage::How => {}
        }
    }
    if calls.is_empty() {
        return report(state, stage, &[]);
    }
    ExplorationOutput { calls, ..ExplorationOutput::default() }
}

/// Returns what the analyses of a round come to.
pub(super) fn report(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
) -> ExplorationOutput {
    let findings: Vec<Found> = match stage {
        ExploreStage::What => {
            let has_trend = |one: &Analysed| {
                let is_its =
                    |other: &&Analysed| other.question == one.question && trend(other).is_some();
                one.call.analysis != Analysis::Trend && analysed.iter().any(|other| is_its(&other))
            };
            analysed.iter().filter(|one| !has_trend(one)).flat_map(top_line).collect()
        }
        ExploreStage::Why => sure(state, analysed).into_iter().map(told).collect(),
        ExploreStage::How => judgements(state),
    };
    let gap = match (stage, findings.is_empty()) {
        _ if !state.catalogue.is_about(state.original_query) => {
            "No question of these studies has a word of this query."
        }
        (ExploreStage::How, _) => "What lies behind these figures is not in the data.",
        (ExploreStage::Why, false) => {
            "Segments were searched by rule, and only what stands after Holm's correction is told."
        }
        (ExploreStage::What, true) => {
            "No question of these studies could be counted for this query."
        }
        (ExploreStage::Why, true) => "The segments of these studies do not tell the answers apart.",
        (ExploreStage::What, false) => "",
    };
    let data_gaps = Some(gap.to_owned()).filter(|gap| !gap.is_empty()).into_iter().collect();
    ExplorationOutput {
        query_answered: state.current_query.clone(),
        findings,
        data_gaps,
        ..ExplorationOutput::default()
    }
}

fn found(claim: String, depth: ExploreStage, figures: Vec<String>) -> Found {
    let confidence = Confidence::Medium;
    Found { claim, depth, figures, confidence, ..Found::default() }
}

/// Returns what an analysis says in one sentence, for a layer of top lines.
fn top_line(analysed: &Analysed) -> Option<Found> {
    let (title, study) = (&analysed.title, &analysed.study);
    let claim = |text: String, lines: &[&Line]| {
        let figures = lines.iter().map(|line| line.figure.expression.clone()).collect();
        Some(found(text, ExploreStage::What, figures))
    };
    if analysed.call.analysis == Analysis::Trend {
        return trend(analysed);
    }
    let line = |label: &str| analysed.lines.iter().find(|line| line.label == label);
    if let Some(line) = line("net promoter score") {
        let shown = &line.figure.shown;
        return claim(
            format!("The net promoter score for “{title}” was {shown} in {study}."),
            &[line],
        );
    }
    if let Some(line) = line("top-2 share") {
        let shown = &line.figure.shown;
        return claim(format!("The top-2 share for “{title}” was {shown} in {study}."), &[line]);
    }
    if let Some(line) = line("mean") {
        let shown = &line.figure.shown;
        return claim(format!("The mean for “{title}” was {shown} in {study}."), &[line]);
    }
    let shares = analysed.lines.iter();
    let most = shares.max_by(|one, other| one.figure.value.total_cmp(&other.figure.value))?;
    let (label, shown) = (&most.label, &most.figure.shown);
    claim(
        format!("The most common answer to “{title}” in {study} was {label}, with {shown}."),
        &[most],
    )
}

/// Returns what became of a figure from the study before to the last one.
fn trend(analysed: &Analysed) -> Option<Found> {
    let last = analysed.lines.len().checked_sub(1)?;
    let change =
        analysed.differences.iter().find(|one| one.one == last && one.other + 1 == last)?;
    let (later, earlier) = (analysed.lines.get(change.one)?, analysed.lines.get(change.other)?);
    let measure = analysed.measure.trim_end_matches(" by study");
    let title = &analysed.title;
    let (from, to) = (&earlier.figure.shown, &later.figure.shown);
    let (first, second) = (&earlier.label, &later.label);
    let what = match measure {
        "top-2 share" | "net promoter score" | "mean" => format!("The {measure} for “{title}”"),
        answer => format!("The share of {answer} for “{title}”"),
    };
    let claim = match change.figure.significant {
        Some(true) => {
            let verb = if later.figure.value > earlier.figure.value { "rose" } else { "fell" };
            format!("{what} {verb} significantly, from {from} in {first} to {to} in {second}.")
        }
        _ => format!(
            "{what} did not change significantly, from {from} in {first} to {to} in {second}."
        ),
    };
    let figures = vec![earlier.figure.expression.clone(), later.figure.expression.clone()];
    Some(found(claim, ExploreStage::What, figures))
}

/// A crosstab with the lines that differ most surely: the higher one, and the lower one.
type Apart<'a> = (&'a Analysed, &'a Line, &'a Line);

/// Returns the surest difference of each crosstab that stands after Holm's correction over all comparisons, the surest first.
///
/// Whoever looks for differences everywhere finds some by chance.
fn sure<'a>(state: &PipelineState<'_>, analysed: &'a [Analysed]) -> Vec<Apart<'a>> {
    let crosstabs = analysed.iter().filter(|one| one.call.analysis == Analysis::Crosstab);
    let mut all: Vec<(f64, &Analysed, &Difference)> = crosstabs
        .flat_map(|one| {
            one.differences.iter().filter_map(move |apart| Some((apart.p?, one, apart)))
        })
        .collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let p: Vec<Option<f64>> = all.iter().map(|one| Some(one.0)).collect();
    let adjusted = adjust::holm(&p);
    let mut told: Vec<Apart<'a>> = Vec::new();
    for ((_, table, apart), p) in all.into_iter().zip(adjusted) {
        let is_sure = p.is_some_and(|p| p < state.options.rules.figures.alpha);
        let is_new = told.iter().all(|(known, ..)| !std::ptr::eq(*known, table));
        let lines = table.lines.get(apart.one).zip(table.lines.get(apart.other));
        if let (true, true, Some((high, low))) = (is_sure, is_new, lines) {
            told.push((table, high, low));
        }
    }
    told.truncate(DIFFERENCES);
    told
}

fn told((table, high, low): Apart<'_>) -> Found {
    let measure = table.measure.split(" by ").next().unwrap_or_default();
    let (title, study) = (&table.title, &table.study);
    let what = match measure {
        "top-2 share" | "net promoter score" | "mean" => format!("the {measure} for “{title}”"),
        answer => format!("the share of {answer} for “{title}”"),
    };
    let claim = format!(
        "In {study}, {what} was significantly higher among {} ({}) than among {} ({}).",
        high.label,
        marked(high),
        low.label,
        marked(low)
    );
    let figures = vec![high.figure.expression.clone(), low.figure.expression.clone()];
    found(claim, ExploreStage::Why, figures)
}

/// Returns a figure as a sentence states it.
fn marked(line: &Line) -> String {
    let low = if line.figure.low_base { ", on a low base" } else { "" };
    format!("{}{low}", line.figure.shown)
}

/// Returns what can be proposed by rule: whom to ask first, and what to plan for.
fn judgements(state: &PipelineState<'_>) -> Vec<Found> {
    let mut proposed: Vec<Found> = Vec::new();
    for (table, _, low) in sure(state, &state.analysed).into_iter().take(PROPOSALS) {
        let (title, label) = (&table.title, &low.label);
        for text in [
            format!("{IMPLICATION} {label} on their own where “{title}” matters."),
            format!("Ask {label} first what they mean by their answers to “{title}”."),
        ] {
            if proposed.iter().all(|known| known.claim != text) {
                proposed.push(found(text, ExploreStage::How, vec![]));
            }
        }
    }
    proposed
}

/// Returns where the exploration goes on: to the first layer that was not looked at.
pub(super) fn directive(unexplored: Option<ExploreStage>) -> CriticDirective {
    CriticDirective {
        has_new_angle: unexplored.is_some(),
        next_stage: unexplored.unwrap_or_default(),
        follow_up_query: unexplored.map(|stage| query(stage, "")).unwrap_or_default(),
        rationale: "By rule: every layer is looked at once.".into(),
        ..CriticDirective::default()
    }
}

/// Returns what is asked of a layer that nobody had a query for.
pub(super) fn query(stage: ExploreStage, question: &str) -> String {
    let asked = match stage {
        ExploreStage::What => "What are the top-line findings?",
        ExploreStage::Why => "Which segments and studies differ?",
        ExploreStage::How => "What follows from the findings?",
    };
    format!("{asked} {question}").trim().to_owned()
}

/// Returns a summary by rule, of all findings or of some.
pub(super) fn drafted(state: &PipelineState<'_>, of: Option<&[String]>) -> Drafted {
    let findings = |stage: ExploreStage| -> Vec<&Finding> {
        let all = state.findings_by_stage(stage).into_iter();
        all.filter(|one| of.is_none_or(|ids| ids.contains(&one.id))).collect()
    };
    let said = |finding: &&Finding| Said {
        text: finding.claim.clone(),
        rests_on: vec![finding.id.clone()],
        figures: finding.figures.iter().map(|one| one.expression.clone()).collect(),
    };
    let what = findings(ExploreStage::What);
    let (overview, others) = what.split_at(OVERVIEW.min(what.len()));
    let key = others.iter().chain(&findings(ExploreStage::Why)).map(said).collect();
    let (implications, actions): (Vec<&Finding>, Vec<&Finding>) =
        findings(ExploreStage::How).into_iter().partition(|one| one.claim.starts_with(IMPLICATION));
    let risks = state.data_gaps.iter().map(|gap| Said {
        text: gap.text.clone(),
        rests_on: vec![gap.id.clone()],
        figures: vec![],
    });
    Drafted {
        title: String::new(),
        overview: overview.iter().map(said).collect(),
        key_findings: key,
        strategic_implications: implications.iter().map(said).collect(),
        risks_and_caveats: risks.collect(),
        recommended_actions: actions.iter().map(said).collect(),
    }
}

/// Returns a judgement by rule: what checks out is good enough.
pub(super) fn judged(faults: &[String], least: u32) -> Judged {
    let score = if faults.is_empty() { least } else { least.saturating_sub(1).max(1) };
    Judged {
        approved: faults.is_empty(),
        score,
        factual_grounding: score,
        clarity: score,
        completeness: score,
        tone: score,
        revision_notes: vec!["No model judged this draft; the scores are by rule.".into()],
    }
}
