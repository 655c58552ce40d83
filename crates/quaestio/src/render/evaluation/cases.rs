//! Every case: what was asked, what is known of it, and what each arm answered.

use eval::dataset::Case;
use eval::report::{ArmLine, CaseLine, MetricLine, Report, SideBySide};

use super::super::pages::{self, Page};
use super::super::plain::unmarked;
use super::words::{self, count, listed};
use super::{shown, wide};

pub(super) fn markdown(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    page.heading("Case by case");
    for line in &report.cases {
        let heading = format!("{}: {}", line.case.id, line.case.question);
        page.subheading(&pages::render_title(&heading, plain));
        page.text.push_str(&body(line, &report.metrics, plain));
    }
    page.text
}

/// Returns the cases as HTML, each closed under its question until somebody opens it.
pub(super) fn html(report: &Report) -> String {
    let mut html = String::from("<h2>Case by case</h2>\n");
    for line in &report.cases {
        html.push_str(&closed(&line.case, &body(line, &report.metrics, unmarked)));
    }
    html
}

/// Returns a case as an element that opens, with Markdown in it.
pub(super) fn closed(case: &Case, body: &str) -> String {
    format!(
        "<details>\n<summary>{}: {}</summary>\n{}</details>\n",
        shown(&case.id),
        shown(&case.question),
        wide(body)
    )
}

fn body(line: &CaseLine, metrics: &[MetricLine], plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    known(&mut page, &line.case);
    for arm in &line.arms {
        let name = page.inline(&arm.observation.arm);
        answered(&mut page, &name, arm, metrics);
        let pairs: Vec<&SideBySide> =
            line.reports.iter().filter(|one| one.arm == arm.observation.arm).collect();
        side_by_side(&mut page, &pairs);
    }
    page.text
}

/// Writes what a judge of reports said of one beside the control's: the scores of all judgements, the reasons of the first.
fn side_by_side(page: &mut Page, pairs: &[&SideBySide]) {
    let Some(one) = pairs.first() else { return };
    let [arm, against] = [&one.arm, &one.against].map(|name| page.inline(name));
    let places = match one.arm_first {
        true => format!("{arm} was the first report and {against} the second"),
        false => format!("{against} was the first report and {arm} the second"),
    };
    let judged = count(pairs.len() as u64, "judgement", "judgements");
    page.paragraph(&format!(
        "Report of {arm} beside that of {against}, each 0 to 10, the means of {judged}. Reasons are those of round {}, in which {places}.",
        one.round
    ));
    let items: Vec<String> = one
        .scores
        .iter()
        .enumerate()
        .map(|(at, score)| {
            let same = || pairs.iter().filter_map(|pair| pair.scores.get(at));
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
            let own = mean(same().map(|one| one.arm).collect());
            let other = mean(same().map(|one| one.against).collect());
            format!(
                "{} ({}, {:.0} %): {own:.1} and {other:.1}. {}",
                page.block(&score.criterion),
                page.inline(&score.dimension.replace('_', " ")),
                score.weight * 100.0,
                page.inline(&score.reason)
            )
        })
        .collect();
    page.items(items);
}

/// Writes what is known of a case.
pub(super) fn known(page: &mut Page, case: &Case) {
    let all = |texts: &[String]| {
        let texts: Vec<String> =
            texts.iter().map(|text| format!("\"{}\"", page.inline(text))).collect();
        texts.join(" or ")
    };
    let mut items: Vec<String> = Vec::new();
    if !case.answers.is_empty() {
        items.push(format!("Reference: {}", all(&case.answers)));
    }
    if !case.expects.is_empty() {
        let parts: Vec<String> =
            case.expects.iter().map(|part| format!("\"{}\"", page.inline(part))).collect();
        items.push(format!("Expected in the answer: {}", listed(&parts)));
    }
    if !case.relevant.is_empty() {
        let documents = case.relevant.iter().map(|(name, grade)| match grade {
            1 => page.inline(name),
            grade => format!("{} (grade {grade})", page.inline(name)),
        });
        items.push(format!("Relevant: {}", documents.collect::<Vec<_>>().join(", ")));
    }
    match case.answerable {
        Some(true) => items.push("The documents answer it".to_owned()),
        Some(false) => items.push("The documents do not answer it".to_owned()),
        None => {}
    }
    if !case.rubric.is_empty() {
        items.push(format!("For the judge: {}", page.inline(&case.rubric)));
    }
    page.items(items);
}

/// Writes what an arm answered, under a name that is written already.
pub(super) fn answered(page: &mut Page, name: &str, arm: &ArmLine, metrics: &[MetricLine]) {
    let observation = &arm.observation;
    let came = match (observation.answered, &observation.error, observation.status) {
        (Some(true), ..) => ":".to_owned(),
        (Some(false), ..) => " it abstained.".to_owned(),
        (None, Some(error), _) => format!(" it came to no result: {}.", page.inline(error)),
        (None, None, Some(status)) => format!(" it is {}.", status.name()),
        (None, None, None) if observation.foreign => " there is no report.".to_owned(),
        (None, None, None) => " it was not run.".to_owned(),
    };
    let cached = if observation.cached { " (from an earlier evaluation)" } else { "" };
    page.paragraph(&format!("Under **{name}**{cached}{came}"));
    page.quotation(&observation.answer);
    if !observation.cited.is_empty() {
        let cited: Vec<String> = observation.cited.iter().map(|name| page.inline(name)).collect();
        page.paragraph(&format!("Cited: {}", cited.join(", ")));
    }
    let figures: Vec<String> = metrics
        .iter()
        .filter_map(|line| {
            let value = arm.metrics.get(&line.key)?;
            Some(format!("{} {}", page.inline(&line.name), words::figure(line, *value)))
        })
        .collect();
    if !figures.is_empty() {
        page.paragraph(&format!("Figures: {}", figures.join(" · ")));
    }
    if !observation.run.is_empty() {
        page.paragraph(&format!("Run: {}", page.inline(&observation.run)));
    }
}
