//! The findings of an evaluation, in plain words.

use eval::report::{Comparison, Group, JudgeReport, MetricLine, Report};
use render::{Document, Line};

use super::words::{self, count, listed};

pub(super) fn summary(page: &mut Document, report: &Report) {
    page.paragraph(what_was_compared(report));
    let is_noise = report.judge.as_ref().is_some_and(|judge| judge.is_noise);
    page.items(report.comparisons.iter().map(|comparison| against(report, comparison, is_noise)));
    page.paragraph(by_chance(report, is_noise));
    match &report.judge {
        None => page.paragraph(
            "Nobody judged the answers: the figures come from comparing texts and from the program's own checks.",
        ),
        Some(JudgeReport { verdict, .. }) => page.paragraph(verdict),
    }
}

fn what_was_compared(report: &Report) -> String {
    let arms: Vec<String> = report
        .arms
        .iter()
        .map(|arm| {
            let name = &arm.name;
            if arm.control {
                format!("{name} (the control: the model alone)")
            } else {
                name.clone()
            }
        })
        .collect();
    let cases = count(report.dataset.cases, "case", "cases");
    let documents = match report.dataset.documents {
        0 => String::new(),
        documents => format!(", over {}", count(documents, "document", "documents")),
    };
    let mode = match report.mode.as_str() {
        "offline" => {
            " No model was asked, so the control could not speak: differences from it say nothing of a model."
        }
        _ => "",
    };
    let name = &report.dataset.name;
    format!("{cases} of {name} under {}{documents}.{mode}", listed(&arms))
}

/// Returns the metrics whose differences may be reported: all but those of a judge that is noise.
fn told(report: &Report, is_noise: bool) -> impl Iterator<Item = &MetricLine> {
    report.metrics.iter().filter(move |line| !(is_noise && line.group == Group::Judge))
}

fn against(report: &Report, comparison: &Comparison, is_noise: bool) -> Line {
    let differences: Vec<_> = told(report, is_noise)
        .filter_map(|line| Some((line, comparison.differences.get(&line.key)?)))
        .collect();
    let mut parts = words::differing(&differences);
    if let Some(preferred) = comparison.preferred.filter(|_| !is_noise) {
        parts.push(format!(
            "the judge preferred it in {} of {} cases, the control in {}, neither in {}: {}",
            preferred.wins,
            preferred.share.of,
            preferred.losses,
            preferred.ties,
            words::percent(&preferred.share)
        ));
    }
    parts.extend(of_its_reports(report, &comparison.arm));
    let Comparison { arm, against, .. } = comparison;
    Line::new().strong(format!("{arm} against {against}")).text(format!(": {}.", parts.join("; ")))
}

/// Returns how the reports of an arm score against the control's; `None` if their judge is noise.
fn of_its_reports(report: &Report, arm: &str) -> Option<String> {
    report.report_judge.as_ref().filter(|one| !one.judge.is_noise)?;
    let line = report.metrics.iter().find(|line| line.group == Group::Reports)?;
    let mean = report.arms.iter().find(|one| one.name == arm)?.means.get(&line.key)?;
    let figure = words::mean(line, mean, report.dataset.cases);
    Some(format!(
        "by the criteria of their tasks its reports get {figure} beside the control's, where 0.50 is as good: {}",
        words::side(mean)
    ))
}

/// Returns a sentence on how many differences chance alone would make significant.
fn by_chance(report: &Report, is_noise: bool) -> String {
    let looked_at: usize = report
        .comparisons
        .iter()
        .map(|comparison| {
            told(report, is_noise)
                .filter(|line| comparison.differences.contains_key(&line.key))
                .count()
        })
        .sum();
    if looked_at == 0 {
        return "Nothing was compared.".to_owned();
    }
    format!(
        "A difference counts where its interval of 95 % leaves zero out. {}",
        words::by_chance(looked_at)
    )
}
