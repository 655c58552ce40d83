//! How a brief came about: what the data cannot say, what nothing checked, and the counts of the run.

use render::Document;

use crate::brief::Way;
use crate::brief::payload::{
    Brief, ExploreEnd, Finding, Gap, Part, PipelineStats, RefineEnd, Statement,
};

/// Writes what was found; for where no summary was written.
pub(super) fn findings(report: &mut Document, findings: &[Finding]) {
    if findings.is_empty() {
        report.paragraph("The data do not answer this question. Name a topic or a group as the questionnaire words it; \
            `quaestio survey info` lists the questions.");
        return;
    }
    report.heading("Findings");
    report.items(findings.iter().map(|finding| {
        let layer = finding.depth.name().to_uppercase();
        let figures: Vec<String> =
            finding.figures.iter().map(|figure| figure.shown.clone()).collect();
        let figures =
            if figures.is_empty() { String::new() } else { format!(" ({})", figures.join("; ")) };
        format!("{layer}: {}{figures}", finding.claim)
    }));
}

/// Writes what the data cannot say, and what of it nobody looked at.
pub(super) fn gaps(report: &mut Document, brief: &Brief) {
    let Brief { data_gaps, segments_uncovered, studies_unused, .. } = brief;
    // What the summary says already is not said again.
    let is_said = |gap: &Gap| brief.statements.iter().any(|one| one.rests_on.contains(&gap.id));
    if data_gaps.iter().all(is_said) && segments_uncovered.is_empty() && studies_unused.is_empty() {
        return;
    }
    report.heading("What this cannot say");
    let gaps = data_gaps.iter().filter(|gap| !is_said(gap));
    let gaps: Vec<&String> = gaps.map(|gap| &gap.text).collect();
    if !gaps.is_empty() && !is_by_rule(brief) {
        report.paragraph("In the agents' words, not checked:");
    }
    report.items(gaps);
    for (what, names) in [
        ("Segments that were not looked at", segments_uncovered),
        ("Studies that were not used", studies_unused),
    ] {
        if !names.is_empty() {
            report.paragraph(format!("{what}: {}.", names.join("; ")));
        }
    }
}

/// Tells whether no model had a word in it.
fn is_by_rule(brief: &Brief) -> bool {
    brief.pipeline_stats.refine_ended == Some(RefineEnd::NoModel)
}

/// Writes the sentences that nothing checks.
pub(super) fn judgements(report: &mut Document, brief: &Brief) {
    // What the program itself says of the data's limits is no judgement.
    let is_own = |one: &Statement| one.part == Part::RisksAndCaveats && is_by_rule(brief);
    let judged = brief.statements.iter().filter(|one| one.verdict.is_none() && !is_own(one));
    let judged: Vec<&String> = judged.map(|one| &one.text).collect();
    if !judged.is_empty() {
        report.heading("Not checked");
        report.paragraph(
            "These sentences are judgements. They state no figure, and no data support them.",
        );
        report.items(judged);
    }
}

/// Writes the counts of the run, and the last judgement of the draft.
pub(super) fn course(report: &mut Document, brief: &Brief) {
    let stats = &brief.pipeline_stats;
    if stats.explore_iterations == 0 {
        return;
    }
    report.heading("How this summary was made");
    if !brief.significance.is_empty() {
        report.paragraph(&brief.significance);
    }
    let mut told = explored(stats);
    if stats.way == Way::Pipeline {
        told.extend(refined(stats));
    }
    if let Some(verdict) = &brief.verdict {
        told.push(format!(
            "Scores of the last draft, 1 (poor) to 10: overall {}, factual grounding {}, clarity {}, completeness {}, tone {}.",
            verdict.score,
            verdict.factual_grounding,
            verdict.clarity,
            verdict.completeness,
            verdict.tone
        ));
    }
    report.items(told);
    let Some(verdict) = &brief.verdict else { return };
    if !verdict.overruled.is_empty() {
        let why = &verdict.overruled;
        report.paragraph(format!("The program overruled the critic's approval: {why}"));
    }
    if !verdict.approved && !verdict.revision_notes.is_empty() {
        report.paragraph("What the critic still wanted changed, in its words (not checked):");
        report.items(&verdict.revision_notes);
    }
}

fn explored(stats: &PipelineStats) -> Vec<String> {
    let rounds = match (stats.way, stats.explore_iterations) {
        (Way::Pipeline, 1) => "1 round of exploration".to_owned(),
        (Way::Pipeline, many) => format!("{many} rounds of exploration"),
        (Way::Simple, 1) => "1 round of worker and critic".to_owned(),
        (Way::Simple, many) => format!("{many} rounds of worker and critic"),
    };
    let ended = match stats.explore_ended {
        Some(ExploreEnd::NoNewAngle) => ": the critic saw no new angle",
        Some(ExploreEnd::NoFeedback) => ": the critic had nothing to add",
        Some(ExploreEnd::MaxExploreIters | ExploreEnd::MaxIterations) => ", the limit",
        Some(ExploreEnd::BrokenOff) => ": then it stopped early",
        None => "",
    };
    let rejected = match stats.findings_rejected {
        0 => String::new(),
        1 => " 1 failed the check and was left out.".to_owned(),
        many => format!(" {many} failed the check and were left out."),
    };
    vec![
        format!("{rounds}{ended}."),
        format!(
            "Findings: {} WHAT, {} WHY, {} HOW.{rejected}",
            stats.findings_what, stats.findings_why, stats.findings_how
        ),
        format!(
            "Looked at: {} of {} segments, {} of {} studies.",
            stats.segments_covered,
            stats.segments_available,
            stats.studies_used,
            stats.studies_available
        ),
        format!(
            "{} analyses; the summary uses {} figures.",
            stats.analyses, stats.figures_recomputed
        ),
    ]
}

fn refined(stats: &PipelineStats) -> Vec<String> {
    let drafts = match stats.refine_iterations {
        0 => return vec![],
        1 => "1 draft".to_owned(),
        many => format!("{many} drafts"),
    };
    let ended = match stats.refine_ended {
        Some(RefineEnd::Approved) => ": the last was approved",
        Some(RefineEnd::MaxRefineIters) => ", the limit",
        Some(RefineEnd::NotJudged) => ": the approved plan has no judging step",
        Some(RefineEnd::NoModel) => ": not scored, because no model was asked",
        Some(RefineEnd::BrokenOff) => ": then it stopped early",
        None => "",
    };
    let cut = match stats.sentences_cut {
        0 => String::new(),
        1 => " 1 sentence failed the check and was cut.".to_owned(),
        many => format!(" {many} sentences failed the check and were cut."),
    };
    vec![format!("{drafts}{ended}.{cut} The summary has {} words.", stats.words)]
}
