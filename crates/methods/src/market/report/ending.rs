//! What is not there, what was looked up, and what went wrong.

use render::Document;

use crate::market::payload::{Failed, LeftOut, Searched, Section, WhyNot};
use crate::report::{WentWrong, went_wrong};

pub(super) fn left_out(report: &mut Document, left_out: &[LeftOut]) {
    if left_out.is_empty() {
        return;
    }
    report.heading("Left out");
    report.items(left_out.iter().map(|LeftOut { section, why }| {
        let name = match section {
            Section::MarketSizing => "Market size",
            Section::Competitors => "Competitors",
            Section::Customers => "Customers",
            Section::Strategy => "Strategy and risks",
        };
        let why = match why {
            WhyNot::NotPlanned => "the approved plan has no step for it",
            WhyNot::NothingFound => "no evidence was found to write it from",
            WhyNot::NotReached => "the run ended before it was written",
        };
        format!("{name}: {why}.")
    }));
}

pub(super) fn searched(report: &mut Document, searched: &[Searched]) {
    if searched.is_empty() {
        return;
    }
    report.heading("What was searched");
    report.items(searched.iter().map(|one| {
        let section = one.section.replace('_', " ");
        let kept = one.read.iter().filter(|read| read.pointer("/outcome/kept").is_some()).count();
        let complete = if one.complete { "" } else { " Some sources could not be reached." };
        let (queries, passages) = (one.queries.join("; "), one.passages);
        format!(
            "For {section}: {queries}. Newly read: {kept}; passages shown to the agent: \
             {passages}.{complete}"
        )
    }));
}

/// Adds which stage failed, why, and what can be done.
pub(super) fn error(report: &mut Document, error: &Failed, stages: &[&str]) {
    let stages: Vec<String> = stages.iter().map(|stage| stage.replace('_', " ")).collect();
    let came_back = match stages.as_slice() {
        [] => String::new(),
        stages => format!(
            "Agents that finished: {}. The JSON result contains what each returned.",
            stages.join(", ")
        ),
    };
    let wrong = WentWrong {
        stage: &error.stage.replace('_', " "),
        message: &error.message,
        retry_attempted: error.retry_attempted,
        came_back,
    };
    went_wrong(report, &wrong);
}
