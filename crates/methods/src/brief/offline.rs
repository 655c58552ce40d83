//! What the agents say without a model: a sensible battery of analyses, and sentences by rule with the figures that they brought.

use std::collections::BTreeSet;

use survey::adjust;

use super::catalogue;
use super::payload::{Confidence, ExploreStage, Finding};
use super::replies::{
    Analysis, CriticDirective, Drafted, ExplorationOutput, Found, Said, Tool, ToolCall,
};
use super::state::PipelineState;
use super::tools::{Analysed, Difference, Line};

/// Questions that the battery looks at: those nearest to the query.
const QUESTIONS: usize = 3;
/// Findings in the overview; the others are key findings.
const OVERVIEW: usize = 2;
/// Differences between segments that are told.
const DIFFERENCES: usize = 4;

/// Returns what the worker does next in a layer: the next tools, and when all were called, its report.
pub(super) fn explored(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
    left: u32,
) -> ExplorationOutput {
    let most = state.options.rules.tool_calls as usize;
    let calls: Vec<ToolCall> =
        calls(state, stage).into_iter().skip(analysed.len()).take(most).collect();
    match calls.is_empty() || left == 0 {
        true => report(state, stage, analysed),
        false => ExplorationOutput { calls, ..ExplorationOutput::default() },
    }
}

/// Returns the analyses of a layer: of the questions nearest to the query, top lines and trends; then their crosstabs, and the trend of
/// the nearest one in every segment.
fn calls(state: &PipelineState<'_>, stage: ExploreStage) -> Vec<ToolCall> {
    let analyse = |analysis, study: &str, question: &str, by: &str| ToolCall {
        tool: Tool::PerformAnalysis,
        analysis,
        study: study.to_owned(),
        question: question.to_owned(),
        by: by.to_owned(),
        ..ToolCall::default()
    };
    let catalogue = &state.catalogue;
    let mut calls = Vec::new();
    if !catalogue.is_about(state.original_query) {
        return calls;
    }
    let mut grids = BTreeSet::new();
    let nearest = catalogue.nearest(state.original_query, usize::MAX, true).into_iter();
    // One row of a grid stands for the others.
    let nearest: Vec<_> = nearest
        .filter(|(_, question)| question.grid.is_empty() || grids.insert(&question.grid))
        .take(QUESTIONS)
        .collect();
    let mut has_trend = false;
    for (study, question) in nearest {
        let id = study.told.id.as_str();
        let is_shared = catalogue.members(id, &question.id).len() > 1;
        let by = study.segments.iter().filter(|by| by.question != question.id);
        match stage {
            ExploreStage::What => {
                calls.push(analyse(Analysis::Frequencies, id, &question.id, ""));
                if is_shared {
                    calls.push(analyse(Analysis::Trend, id, &question.id, ""));
                }
            }
            ExploreStage::Why => {
                let cut = |by| analyse(Analysis::Crosstab, id, &question.id, by);
                calls.extend(by.clone().map(|by| cut(&by.question)));
                if is_shared && !has_trend {
                    let cut = |by| analyse(Analysis::Trend, id, &question.id, by);
                    calls.extend(by.map(|by| cut(&by.question)));
                    has_trend = true;
                }
            }
            ExploreStage::How => {}
        }
    }
    calls
}

/// Returns what the analyses of a round come to.
fn report(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
) -> ExplorationOutput {
    let findings: Vec<Found> = match stage {
        ExploreStage::What => top_lines(state, analysed),
        ExploreStage::Why => {
            let apart = sure(state, analysed);
            let mut findings: Vec<Found> = apart.iter().map(told).collect();
            findings.extend(named(state, analysed, &apart));
            findings
        }
        // What follows from figures is nothing that a rule could say.
        ExploreStage::How => vec![],
    };
    let gap = match (stage, findings.is_empty()) {
        _ if !state.catalogue.is_about(state.original_query) => {
            "No question of these studies has a word of this query."
        }
        (ExploreStage::How, _) => {
            "What lies behind these figures, and what to do, is not in the data; no model was asked for it."
        }
        (ExploreStage::Why, false) => {
            "Segments and trends were searched by rule, and only what stands after Holm's correction is told."
        }
        (ExploreStage::What, true) => {
            "No question of these studies could be counted for this query."
        }
        (ExploreStage::Why, true) => {
            "Nothing that was looked at tells the segments apart after Holm's correction."
        }
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

/// Returns the top line of each question: its trend where that is sure, or surely none.
fn top_lines(state: &PipelineState<'_>, analysed: &[Analysed]) -> Vec<Found> {
    let trends = analysed.iter().filter(|one| one.call.analysis == Analysis::Trend);
    let p: Vec<Option<f64>> = trends.clone().map(|one| last_step(one)?.p).collect();
    let alpha = state.options.rules.figures.alpha;
    let adjusted = adjust::holm(&p);
    let told: Vec<(&str, Found)> = trends
        .zip(adjusted)
        .filter_map(|(one, p)| {
            let is_significant = last_step(one)?.figure.significant?;
            let is_sure = p.is_some_and(|p| p < alpha);
            (is_sure || !is_significant).then_some((one.question.as_str(), trend(one)?))
        })
        .collect();
    let mut lines = Vec::new();
    for one in analysed.iter().filter(|one| one.call.analysis != Analysis::Trend) {
        let trend = told.iter().find(|(question, _)| *question == one.question);
        lines.extend(trend.map(|(_, found)| found.clone()).or_else(|| top_line(one)));
    }
    lines
}

/// Returns what an analysis says in one sentence, for a layer of top lines.
fn top_line(analysed: &Analysed) -> Option<Found> {
    let (title, study) = (&analysed.title, &analysed.study);
    let claim = |text: String, lines: &[&Line]| {
        let figures = lines.iter().map(|line| line.figure.expression.clone()).collect();
        Some(found(text, ExploreStage::What, figures))
    };
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

/// Returns the difference between the last study and the one before.
fn last_step(analysed: &Analysed) -> Option<&Difference> {
    let last = analysed.lines.len().checked_sub(1)?;
    analysed.differences.iter().find(|one| one.one == last && one.other + 1 == last)
}

/// Returns what a figure is called in a sentence.
fn called(analysed: &Analysed) -> String {
    let title = &analysed.title;
    match analysed.measure.split(" by ").next().unwrap_or_default() {
        measure @ ("top-2 share" | "net promoter score" | "mean") => {
            format!("the {measure} for “{title}”")
        }
        answer => format!("the share of {answer} for “{title}”"),
    }
}

/// Returns what became of a figure from the study before to the last one.
fn trend(analysed: &Analysed) -> Option<Found> {
    let change = last_step(analysed)?;
    let (later, earlier) = (analysed.lines.get(change.one)?, analysed.lines.get(change.other)?);
    let claim = capital(&stepped(
        &called(analysed),
        (earlier, &earlier.label),
        (later, &later.label),
        change.figure.significant == Some(true),
    ));
    Some(found(claim, ExploreStage::What, expressions(&[earlier, later])))
}

fn stepped(
    what: &str,
    (earlier, first): (&Line, &str),
    (later, second): (&Line, &str),
    is_significant: bool,
) -> String {
    let became = match (is_significant, later.figure.value > earlier.figure.value) {
        (true, true) => "rose significantly",
        (true, false) => "fell significantly",
        (false, _) => "did not change significantly",
    };
    let (from, to) = (marked(earlier), marked(later));
    format!("{what} {became}, from {from} in {first} to {to} in {second}.")
}

fn expressions(lines: &[&Line]) -> Vec<String> {
    lines.iter().map(|line| line.figure.expression.clone()).collect()
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// An analysis with the lines that differ most surely: the higher one, or the later one, and the other.
type Apart<'a> = (&'a Analysed, &'a Line, &'a Line);

/// Returns the surest difference of each analysis that stands after Holm's correction over all comparisons, the surest first.
///
/// Whoever looks for differences everywhere finds some by chance.
fn sure<'a>(state: &PipelineState<'_>, analysed: &'a [Analysed]) -> Vec<Apart<'a>> {
    let mut all: Vec<(f64, &Analysed, &Difference)> = analysed
        .iter()
        .filter(|one| !one.call.by.is_empty())
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

fn told(&(table, one, other): &Apart<'_>) -> Found {
    let what = called(table);
    let claim = match (one.label.rsplit_once(", "), other.label.rsplit_once(", ")) {
        (Some((segment, later)), Some((_, earlier))) if table.call.analysis == Analysis::Trend => {
            format!("Among “{segment}”, {}", stepped(&what, (other, earlier), (one, later), true))
        }
        _ => format!(
            "In {}, {what} was significantly higher among “{}” ({}) than among “{}” ({}).",
            table.study,
            one.label,
            marked(one),
            other.label,
            marked(other)
        ),
    };
    found(claim, ExploreStage::Why, expressions(&[one, other]))
}

/// Returns the figures of segments that the query names, where nothing else is told of them.
fn named(state: &PipelineState<'_>, analysed: &[Analysed], apart: &[Apart<'_>]) -> Vec<Found> {
    let wanted = catalogue::segment_terms(state.original_query);
    let is_named = |line: &&Line| {
        let terms = catalogue::segment_terms(&line.label);
        !terms.is_empty() && terms.is_subset(&wanted)
    };
    let is_told = |line: &&Line| {
        apart.iter().any(|(_, one, other)| [one, other].iter().any(|known| **known == *line))
    };
    // Of the nearest question alone.
    let first = analysed.first().map(|one| one.question.as_str()).unwrap_or_default();
    let tables = analysed.iter().filter(|one| one.call.analysis == Analysis::Crosstab);
    let mut findings = Vec::new();
    for table in tables.filter(|one| one.question == first) {
        for line in table.lines.iter().filter(is_named).filter(|line| !is_told(line)) {
            let (what, study) = (called(table), &table.study);
            let claim = format!("In {study}, {what} was {} among “{}”.", marked(line), line.label);
            findings.push(found(claim, ExploreStage::Why, expressions(&[line])));
        }
    }
    findings
}

/// Returns a figure as a sentence states it.
fn marked(line: &Line) -> String {
    let low = if line.figure.low_base { ", on a low base" } else { "" };
    format!("{}{low}", line.figure.shown)
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
    let risks = state.data_gaps.iter().map(|gap| Said {
        text: gap.text.clone(),
        rests_on: vec![gap.id.clone()],
        figures: vec![],
    });
    Drafted {
        title: String::new(),
        overview: overview.iter().map(said).collect(),
        key_findings: key,
        strategic_implications: vec![],
        risks_and_caveats: risks.collect(),
        recommended_actions: findings(ExploreStage::How).iter().map(said).collect(),
    }
}
