//! Every case: what was asked, what is known of it, and what each arm answered.

use eval::dataset::Case;
use eval::report::{ArmLine, CaseLine, MetricLine, Report, SideBySide};
use render::{Block, Document, Line};

use super::words::{self, count, listed};

pub(super) fn cases(page: &mut Document, report: &Report) {
    page.heading("Case by case");
    page.blocks
        .extend(report.cases.iter().map(|line| fold(&line.case, body(line, &report.metrics))));
}

/// Returns a case, closed under its question until a reader opens it.
pub(super) fn fold(case: &Case, body: Document) -> Block {
    let title = format!("{}: {}", case.id, case.question);
    Block::Fold { title: title.into(), blocks: body.blocks }
}

fn body(line: &CaseLine, metrics: &[MetricLine]) -> Document {
    let mut page = Document::default();
    known(&mut page, &line.case);
    for arm in &line.arms {
        answered(&mut page, &arm.observation.arm, arm, metrics);
        let pairs: Vec<&SideBySide> =
            line.reports.iter().filter(|one| one.arm == arm.observation.arm).collect();
        side_by_side(&mut page, &pairs);
    }
    page
}

/// Adds what a judge of reports said of one beside the control's: the scores of all judgements, the reasons of the first.
fn side_by_side(page: &mut Document, pairs: &[&SideBySide]) {
    let Some(one) = pairs.first() else { return };
    let SideBySide { arm, against, .. } = one;
    let places = match one.arm_first {
        true => format!("{arm} was the first report and {against} the second"),
        false => format!("{against} was the first report and {arm} the second"),
    };
    let judged = count(pairs.len() as u64, "judgement", "judgements");
    page.paragraph(format!(
        "Report of {arm} beside that of {against}, each 0 to 10, the means of {judged}. Reasons are those of round {}, in which {places}.",
        one.round
    ));
    page.items(one.scores.iter().enumerate().map(|(at, score)| {
        let same = || pairs.iter().filter_map(|pair| pair.scores.get(at));
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let own = mean(same().map(|one| one.arm).collect());
        let other = mean(same().map(|one| one.against).collect());
        format!(
            "{} ({}, {:.0} %): {own:.1} and {other:.1}. {}",
            score.criterion,
            score.dimension.replace('_', " "),
            score.weight * 100.0,
            score.reason
        )
    }));
}

/// Adds what is known of a case.
pub(super) fn known(page: &mut Document, case: &Case) {
    let quote = |text: &String| format!("\"{text}\"");
    let mut items: Vec<String> = Vec::new();
    if !case.answers.is_empty() {
        let answers: Vec<String> = case.answers.iter().map(quote).collect();
        items.push(format!("Reference: {}", answers.join(" or ")));
    }
    if !case.expects.is_empty() {
        let parts: Vec<String> = case.expects.iter().map(quote).collect();
        items.push(format!("Expected in the answer: {}", listed(&parts)));
    }
    if !case.relevant.is_empty() {
        let documents = case.relevant.iter().map(|(name, grade)| match grade {
            1 => name.clone(),
            grade => format!("{name} (grade {grade})"),
        });
        items.push(format!("Relevant: {}", documents.collect::<Vec<_>>().join(", ")));
    }
    match case.answerable {
        Some(true) => items.push("The documents answer it".to_owned()),
        Some(false) => items.push("The documents do not answer it".to_owned()),
        None => {}
    }
    if !case.rubric.is_empty() {
        items.push(format!("For the judge: {}", case.rubric));
    }
    page.items(items);
}

/// Adds what an arm answered.
pub(super) fn answered(page: &mut Document, name: &str, arm: &ArmLine, metrics: &[MetricLine]) {
    let observation = &arm.observation;
    let came = match (observation.answered, &observation.error, observation.status) {
        (Some(true), ..) => ":".to_owned(),
        (Some(false), ..) => " it abstained.".to_owned(),
        (None, Some(error), _) => format!(" it came to no result: {error}."),
        (None, None, Some(status)) => format!(" it is {}.", status.name()),
        (None, None, None) if observation.foreign => " there is no report.".to_owned(),
        (None, None, None) => " it was not run.".to_owned(),
    };
    let cached = if observation.cached { " (from an earlier evaluation)" } else { "" };
    page.paragraph(Line::from("Under ").strong(name).text(format!("{cached}{came}")));
    page.quotation(&observation.answer);
    if !observation.cited.is_empty() {
        page.paragraph(format!("Cited: {}", observation.cited.join(", ")));
    }
    let figures: Vec<String> = metrics
        .iter()
        .filter_map(|line| {
            let value = arm.metrics.get(&line.key)?;
            Some(format!("{} {}", line.name, words::figure(line, *value)))
        })
        .collect();
    if !figures.is_empty() {
        page.paragraph(format!("Figures: {}", figures.join(" · ")));
    }
    if !observation.run.is_empty() {
        page.paragraph(format!("Run: {}", observation.run));
    }
}
