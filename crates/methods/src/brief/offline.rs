//! What the agents reply without a model: a battery of analyses, and the most informative of the resulting statements.
//!
//! The battery covers the questions that the query is about.

use std::collections::BTreeSet;

use survey::adjust;
use survey::statement::Finding as Figures;

use super::catalogue::{self, Apart, Asked, Studied};
use super::payload::{ExploreStage, Finding};
use super::replies::{
    Analysis, CriticDirective, Drafted, ExplorationOutput, Found, Said, Tool, ToolCall,
};
use super::state::PipelineState;
use super::statements::Stated;
use super::tools::{Analysed, Difference, Line};

/// Maximum number of questions in the battery: those nearest to the query.
const QUESTIONS: usize = 3;
/// Maximum number of a question's answers or nets to analyse if the query names them.
const PICKED: usize = 3;
/// Findings in the overview; the rest are key findings.
const OVERVIEW: usize = 2;
/// Maximum number of differences between segments to report, besides those that the query asks for.
const DIFFERENCES: usize = 4;
/// Maximum number of a question's segments to list in full.
const SEGMENTS: usize = 8;
/// Maximum number of a question's answers to report: the most common ones.
const ANSWERS: usize = 5;
/// The gap to report if the order of the studies is unknown.
const UNORDERED: &str = "The order of the studies is unknown, so no change between them is reported. Put it into `survey.toml`.";

/// Returns the worker's next reply in a layer: the next tool calls or, once all were made, its report of what holds.
pub(super) fn explored(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
    held: &[Found],
    left: u32,
) -> ExplorationOutput {
    let calls = next(state, stage, analysed, left);
    match calls.is_empty() {
        true => report(state, stage, held),
        false => ExplorationOutput { calls, ..ExplorationOutput::default() },
    }
}

/// Returns the next tool calls; empty if all were made or no more are allowed.
fn next(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
    left: u32,
) -> Vec<ToolCall> {
    let most = if left == 0 { 0 } else { state.options.rules.tool_calls as usize };
    calls(state, stage).into_iter().skip(analysed.len()).take(most).collect()
}

/// Returns the questions that the query is about, nearest first; one row of a grid stands for the others.
fn questions<'a>(state: &'a PipelineState<'_>) -> Vec<(&'a Studied, &'a Asked)> {
    if !state.catalogue.is_about(state.original_query) {
        return Vec::new();
    }
    let mut grids = BTreeSet::new();
    let about = state.catalogue.about(state.original_query).into_iter();
    about
        .filter(|(_, question)| question.grid.is_empty() || grids.insert(&question.grid))
        .take(QUESTIONS)
        .collect()
}

/// Returns the analyses of a layer. WHAT has top lines and trends. WHY has crosstabs, starting with the segments that the query names, and
/// the trend of the nearest question in every segment.
fn calls(state: &PipelineState<'_>, stage: ExploreStage) -> Vec<ToolCall> {
    let catalogue = &state.catalogue;
    let query = state.original_query;
    let (mut calls, mut asked_for, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let about = questions(state);
    for (place, (study, question)) in about.iter().copied().enumerate() {
        let id = study.told.id.as_str();
        let has_trend = catalogue.alike(id, &question.id).len() > 1;
        let mut picked = question.picked(query);
        picked.truncate(PICKED);
        if picked.is_empty() {
            picked.push("");
        }
        let analyse = |analysis, by: &str, answer: &str| ToolCall {
            tool: Tool::PerformAnalysis,
            analysis,
            study: id.to_owned(),
            question: question.id.clone(),
            by: by.to_owned(),
            answer: answer.to_owned(),
            ..ToolCall::default()
        };
        match stage {
            ExploreStage::What => {
                for answer in picked {
                    calls.push(analyse(Analysis::Frequencies, "", answer));
                    if has_trend {
                        calls.push(analyse(Analysis::Trend, "", answer));
                    }
                }
                // A study that words the question differently asked something else.
                for (other, asked, _) in reworded(state, id, question) {
                    let call = analyse(Analysis::Frequencies, "", "");
                    let (study, question) = (other.told.id.clone(), asked.id.clone());
                    calls.push(ToolCall { study, question, ..call });
                }
            }
            ExploreStage::Why => {
                let answer = picked.first().copied().unwrap_or_default();
                let named = study.segments_named(query, &about);
                for by in study.segments.iter().filter(|by| by.question != question.id) {
                    let to = if named.contains(&by) { &mut asked_for } else { &mut others };
                    to.push(analyse(Analysis::Crosstab, &by.question, answer));
                }
                if has_trend && place == 0 {
                    let by = study.segments.iter().filter(|by| by.question != question.id);
                    others.extend(by.map(|by| analyse(Analysis::Trend, &by.question, answer)));
                }
            }
            ExploreStage::How => {}
        }
    }
    calls.extend(asked_for);
    calls.extend(others);
    calls
}

/// Returns how other studies reword a question, if they are known to mean the same one.
fn reworded<'a>(
    state: &'a PipelineState<'_>,
    study: &str,
    question: &Asked,
) -> Vec<(&'a Studied, &'a Asked, Apart)> {
    let members = state.catalogue.members(study, &question.id);
    let mut apart = state.catalogue.apart(study, question);
    apart.retain(|(other, asked, why)| {
        let is_member = |(study, id): &(String, String)| *study == other.told.id && *id == asked.id;
        *why == Apart::Words && members.iter().any(is_member)
    });
    apart
}

/// Returns the statements to report for a layer once all of its analyses were run.
pub(super) fn chosen(
    state: &PipelineState<'_>,
    stage: ExploreStage,
    analysed: &[Analysed],
    left: u32,
) -> Vec<Stated> {
    if !next(state, stage, analysed, left).is_empty() {
        return Vec::new();
    }
    match stage {
        ExploreStage::What => top_lines(state, analysed),
        ExploreStage::Why => {
            let (named, others): (Vec<&Analysed>, Vec<&Analysed>) =
                analysed.iter().partition(|one| is_named(state, one));
            let mut told: Vec<Stated> =
                named.into_iter().flat_map(|one| compared(state, one)).collect();
            told.extend(sure(state, &others));
            told
        }
        // No rule can draw conclusions from figures.
        ExploreStage::How => Vec::new(),
    }
}

/// Returns the report on the analyses of a round.
fn report(state: &PipelineState<'_>, stage: ExploreStage, held: &[Found]) -> ExplorationOutput {
    let gap = match (stage, held.is_empty()) {
        _ if !state.catalogue.is_about(state.original_query) => {
            "No question in these studies contains a word of your question."
        }
        (ExploreStage::How, _) => {
            "The data do not show what lies behind these figures or what to do, and no model was asked."
        }
        (ExploreStage::Why, false) => {
            "Segments and trends were searched by rule. Only differences that remain after Holm's correction are reported, \
             and the figures of segments named in the question."
        }
        (ExploreStage::What, true) => "No question in these studies could be counted for this.",
        (ExploreStage::Why, true) => {
            "No difference between segments remains after Holm's correction."
        }
        (ExploreStage::What, false) => "",
    };
    let mut data_gaps: Vec<String> =
        Some(gap.to_owned()).filter(|gap| !gap.is_empty()).into_iter().collect();
    if stage == ExploreStage::What {
        data_gaps.extend(not_compared(state));
    }
    ExplorationOutput {
        query_answered: state.current_query.clone(),
        findings: held.to_vec(),
        data_gaps,
        ..ExplorationOutput::default()
    }
}

/// Returns which studies' figures are not compared, and why.
fn not_compared(state: &PipelineState<'_>) -> Vec<String> {
    let catalogue = &state.catalogue;
    let mut gaps = Vec::new();
    let mut has_trend = false;
    for (study, question) in questions(state) {
        has_trend |= catalogue.alike(&study.told.id, &question.id).len() > 1;
        for (other, asked, why) in catalogue.apart(&study.told.id, question) {
            let place = |one: &Studied| catalogue.studies.iter().position(|known| known == one);
            let mut both = [(study, question), (other, asked)];
            both.sort_by_key(|(study, _)| place(study));
            gaps.push(apart_told(both, why));
        }
    }
    if has_trend && !catalogue.is_ordered {
        gaps.push(UNORDERED.to_owned());
    }
    gaps
}

/// Differences with their corrected p-values.
struct Family<'a> {
    all: Vec<(&'a Difference, Option<f64>)>,
    alpha: f64,
}

/// What the data say about a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Significant after the correction: whether the first figure is the higher one.
    Apart(bool),
    /// Not significant even before the correction.
    Alike,
    /// Significant only before the correction, or not tested.
    Open,
}

impl<'a> Family<'a> {
    /// Corrects over all the comparisons: a search for differences everywhere finds some by chance.
    fn of(state: &PipelineState<'_>, all: impl Iterator<Item = &'a Difference>) -> Family<'a> {
        let all: Vec<&Difference> = all.collect();
        let p: Vec<Option<f64>> = all.iter().map(|one| one.p).collect();
        let adjusted = adjust::holm(&p);
        Family {
            all: all.into_iter().zip(adjusted).collect(),
            alpha: state.options.rules.figures.alpha,
        }
    }

    fn tells(&self, difference: &Difference) -> Told {
        let known = self.all.iter().find(|(one, _)| std::ptr::eq(*one, difference));
        match known.and_then(|(_, p)| *p) {
            Some(p) if p < self.alpha => Told::Apart(difference.figure.value > 0.0),
            _ if difference.figure.significant == Some(false) => Told::Alike,
            _ => Told::Open,
        }
    }

    /// Returns the largest of the differences that are significant after the correction.
    fn greatest<'b>(&self, of: impl Iterator<Item = &'b Difference>) -> Option<&'b Difference> {
        let size = |one: &&Difference| one.figure.value.abs();
        of.filter(|one| matches!(self.tells(one), Told::Apart(_)))
            .max_by(|one, other| size(one).total_cmp(&size(other)))
    }
}

/// The steps of a trend to report: from the study that the query names, or else the first, to the last; and its last step.
struct Steps<'a> {
    whole: &'a Difference,
    /// `None` if the whole trend is one step.
    last: Option<&'a Difference>,
}

impl<'a> Steps<'a> {
    /// Returns the steps between the lines at `places`, which are in the order of their studies.
    fn of(
        state: &PipelineState<'_>,
        analysed: &'a Analysed,
        places: &[usize],
    ) -> Option<Steps<'a>> {
        let named = state.catalogue.studies_named(state.original_query);
        let is_named = |place: &&usize| {
            let study = analysed.lines.get(**place).and_then(|line| line.figure.studies.first());
            named
                .iter()
                .any(|at| state.catalogue.studies.get(*at).map(|study| &study.told.id) == study)
        };
        let named: Vec<usize> = places.iter().filter(is_named).copied().collect();
        let (first, last) = (*places.first()?, *places.last()?);
        let mut words = state.original_query.split_whitespace();
        let is_open = words.any(|word| word.eq_ignore_ascii_case("since"));
        let (from, to) = match named.as_slice() {
            [from, .., to] if !is_open => (*from, *to),
            [from, ..] if *from != last => (*from, last),
            _ => (first, last),
        };
        let step = |one, other| {
            analysed.differences.iter().find(|known| known.one == one && known.other == other)
        };
        let before = places.iter().rev().copied().find(|place| *place < to)?;
        let last = (before != from).then(|| step(to, before)).flatten();
        Some(Steps { whole: step(to, from)?, last })
    }

    fn all(&self) -> impl Iterator<Item = &'a Difference> {
        [Some(self.whole), self.last].into_iter().flatten()
    }
}

/// Returns the positions of a trend's lines whose studies ask in the same words, grouped by segment.
fn series(state: &PipelineState<'_>, analysed: &Analysed) -> Vec<Vec<usize>> {
    let alike = state.catalogue.alike(&analysed.study, &analysed.question);
    let is_alike = |line: &Line| alike.iter().any(|one| line.figure.studies.contains(&one.told.id));
    let mut series: Vec<(Option<&String>, Vec<usize>)> = Vec::new();
    for (place, line) in analysed.lines.iter().enumerate().filter(|(_, line)| is_alike(line)) {
        let segment = line.segment.as_ref();
        match series.iter_mut().find(|(known, _)| *known == segment) {
            Some((_, places)) => places.push(place),
            None => series.push((segment, vec![place])),
        }
    }
    series.into_iter().map(|(_, places)| places).collect()
}

/// Returns the differences of a trend to inspect, series by series. If the studies have no order, these are the differences between any
/// two.
fn looked_at<'a>(state: &PipelineState<'_>, analysed: &'a Analysed) -> Vec<Vec<&'a Difference>> {
    let of = |places: Vec<usize>| match state.catalogue.is_ordered {
        true => {
            Steps::of(state, analysed, &places).map_or_else(Vec::new, |one| one.all().collect())
        }
        false => {
            let among =
                |one: &&Difference| places.contains(&one.one) && places.contains(&one.other);
            analysed.differences.iter().filter(among).collect()
        }
    };
    series(state, analysed).into_iter().map(of).collect()
}

/// Returns the statements on each question: its trend if the trend is certain or certainly absent, otherwise its top line.
fn top_lines(state: &PipelineState<'_>, analysed: &[Analysed]) -> Vec<Stated> {
    let trends = || analysed.iter().filter(|one| one.call.analysis == Analysis::Trend);
    let all: Vec<(&Analysed, Vec<&Difference>)> =
        trends().map(|one| (one, looked_at(state, one).concat())).collect();
    let family = Family::of(state, all.iter().flat_map(|(_, steps)| steps.iter().copied()));
    let mut told = Vec::new();
    for one in analysed.iter().filter(|one| one.call.analysis != Analysis::Trend) {
        let is_of = |trend: &ToolCall| {
            (&trend.study, &trend.question, &trend.answer)
                == (&one.call.study, &one.call.question, &one.call.answer)
        };
        let trend = all.iter().find(|(trend, _)| is_of(&trend.call));
        let moved =
            trend.map_or_else(Vec::new, |(trend, steps)| match state.catalogue.is_ordered {
                true => moved(state, &family, trend, steps),
                false => beside(state, &family, trend, steps).into_iter().collect(),
            });
        match moved.is_empty() {
            true => told.extend(top_line(state, one)),
            false => told.extend(moved),
        }
    }
    told
}

/// Returns an analysis as one statement: the requested answer, the question's single figure, or the most common answers.
fn top_line(state: &PipelineState<'_>, analysed: &Analysed) -> Option<Stated> {
    const MEASURES: [&str; 3] = ["net promoter score", "top-2 share", "mean"];
    let line = |label: &str| analysed.lines.iter().find(|line| line.label == label);
    let measured = || MEASURES.iter().find_map(|name| line(name));
    if let Some(line) = line(&analysed.call.answer).or_else(measured) {
        return Some(line.stated(state.language));
    }
    let mut lines: Vec<&Line> = analysed.lines.iter().collect();
    lines.sort_by(|one, other| other.figure.value.total_cmp(&one.figure.value));
    lines.truncate(ANSWERS);
    match lines.as_slice() {
        [] => None,
        [line] => Some(line.stated(state.language)),
        lines => Some(Stated::beside(lines, Figures::rank, state.language)),
    }
}

/// Returns how a figure changed: over the whole period, and in the last step if that tells a different story.
fn moved(
    state: &PipelineState<'_>,
    family: &Family<'_>,
    trend: &Analysed,
    steps: &[&Difference],
) -> Vec<Stated> {
    let mut known = Vec::new();
    let mut told = Vec::new();
    for step in steps {
        let kind = family.tells(step);
        if kind != Told::Open && !known.contains(&kind) {
            known.push(kind);
            told.push(trend.stated(step, state.language));
        }
    }
    told
}

/// Returns how studies without an order differ.
fn beside(
    state: &PipelineState<'_>,
    family: &Family<'_>,
    trend: &Analysed,
    pairs: &[&Difference],
) -> Option<Stated> {
    match family.greatest(pairs.iter().copied()) {
        Some(greatest) => Some(trend.stated(greatest, state.language)),
        None => {
            let are_alike = pairs.iter().all(|one| family.tells(one) == Told::Alike);
            are_alike.then(|| alike(state, trend, pairs)).flatten()
        }
    }
}

/// Returns the statement that segments or studies do not differ; `None` if there are fewer than two.
fn alike(state: &PipelineState<'_>, table: &Analysed, pairs: &[&Difference]) -> Option<Stated> {
    let is_in = |place: usize| pairs.iter().any(|pair| pair.one == place || pair.other == place);
    let lines = table.lines.iter().enumerate().filter(|(place, _)| is_in(*place));
    let lines: Vec<&Line> = lines.map(|(_, line)| line).collect();
    (lines.len() > 1).then(|| Stated::beside(&lines, Figures::alike, state.language))
}

/// Returns whether an analysis is a crosstab by segments that the query names.
fn is_named(state: &PipelineState<'_>, analysed: &Analysed) -> bool {
    let call = &analysed.call;
    let study = state.catalogue.studies.iter().find(|one| one.told.id == call.study);
    call.analysis == Analysis::Crosstab
        && study.is_some_and(|study| {
            let named = study.segments_named(state.original_query, &questions(state));
            named.iter().any(|one| one.question == call.by)
        })
}

/// Returns the statements on segments that the query names: how they differ, with all their figures.
fn compared(state: &PipelineState<'_>, table: &Analysed) -> Vec<Stated> {
    let family = Family::of(state, table.differences.iter());
    let all: Vec<&Difference> = table.differences.iter().collect();
    let greatest = family.greatest(table.differences.iter());
    let mut told: Vec<Stated> =
        greatest.map(|greatest| table.stated(greatest, state.language)).into_iter().collect();
    // For two segments that differ, the difference already gives both figures.
    if told.is_empty() || table.lines.len() > 2 {
        let are_alike = !all.is_empty() && all.iter().all(|one| family.tells(one) == Told::Alike);
        let wanted = catalogue::segment_terms(state.original_query);
        let is_named = |line: &&Line| catalogue::segment_terms(&line.label).is_subset(&wanted);
        // A long list is unreadable.
        let (is_short, lines): (bool, Vec<&Line>) = match table.lines.len() <= SEGMENTS {
            true => (true, table.lines.iter().collect()),
            false => (false, table.lines.iter().filter(is_named).take(SEGMENTS).collect()),
        };
        let alike = (is_short && are_alike).then(|| alike(state, table, &all)).flatten();
        let listed = || (!lines.is_empty()).then(|| table.listed(&lines, state.language));
        told.extend(alike.or_else(listed));
    }
    told
}

/// Returns the largest difference of each analysis that is significant after Holm's correction over all comparisons, up to the limit.
fn sure(state: &PipelineState<'_>, analysed: &[&Analysed]) -> Vec<Stated> {
    let cuts = analysed.iter().filter(|one| !one.call.by.is_empty());
    let all: Vec<(&Analysed, Vec<&Difference>)> = cuts
        .map(|one| match one.call.analysis {
            Analysis::Trend => (*one, looked_at(state, one).concat()),
            _ => (*one, one.differences.iter().collect()),
        })
        .collect();
    let family = Family::of(state, all.iter().flat_map(|(_, among)| among.iter().copied()));
    let mut told: Vec<(f64, &Analysed, &Difference)> = all
        .iter()
        .filter_map(|(one, among)| {
            let greatest = family.greatest(among.iter().copied())?;
            Some((greatest.p?, *one, greatest))
        })
        .collect();
    // Most significant first.
    told.sort_by(|one, other| one.0.total_cmp(&other.0));
    told.truncate(DIFFERENCES);
    told.into_iter().map(|(_, table, one)| table.stated(one, state.language)).collect()
}

/// Returns why the figures of two studies, the earlier one first, are not compared.
fn apart_told(both: [(&Studied, &Asked); 2], why: Apart) -> String {
    let [(first, asked), (second, other)] = both;
    let (first, second) = (&first.told.id, &second.told.id);
    let (text, reworded) = (&asked.text, &other.text);
    let ways = match why {
        Apart::Scales => "with different scales",
        Apart::Kinds => "in different ways",
        Apart::Words => {
            return format!(
                "{first} and {second} word a question differently, as “{text}” and as “{reworded}”, so their figures are not compared."
            );
        }
    };
    format!("“{text}” is asked {ways} in {first} and {second}, so their figures are not compared.")
}

/// Returns the next step of the exploration: the first unexplored layer.
pub(super) fn directive(unexplored: Option<ExploreStage>) -> CriticDirective {
    CriticDirective {
        has_new_angle: unexplored.is_some(),
        next_stage: unexplored.unwrap_or_default(),
        follow_up_query: unexplored.map(|stage| query(stage, "")).unwrap_or_default(),
        rationale: "By rule: each layer is examined once.".into(),
        ..CriticDirective::default()
    }
}

/// Returns the default query for a layer.
pub(super) fn query(stage: ExploreStage, question: &str) -> String {
    let asked = match stage {
        ExploreStage::What => "What are the top-line findings?",
        ExploreStage::Why => "Which segments and studies differ?",
        ExploreStage::How => "What follows from the findings?",
    };
    format!("{asked} {question}").trim().to_owned()
}

/// Returns a summary by rule, of all findings or of those in `of`.
pub(super) fn drafted(state: &PipelineState<'_>, of: Option<&[String]>) -> Drafted {
    let findings = |stage: ExploreStage| -> Vec<&Finding> {
        let all = state.findings_by_stage(stage).into_iter();
        all.filter(|one| of.is_none_or(|ids| ids.contains(&one.id))).collect()
    };
    let said = |finding: &&Finding| Said {
        text: finding.claim.clone(),
        rests_on: vec![finding.id.clone()],
        ..Said::default()
    };
    let what = findings(ExploreStage::What);
    let (overview, others) = what.split_at(OVERVIEW.min(what.len()));
    let key = others.iter().chain(&findings(ExploreStage::Why)).map(said).collect();
    let risks = state.data_gaps.iter().map(|gap| Said {
        text: gap.text.clone(),
        rests_on: vec![gap.id.clone()],
        ..Said::default()
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
