//! What is not there, what was looked up, and what went wrong.

use methods::market::payload::{Failed, LeftOut, Searched, Section, WhyNot};

use super::{Page, WentWrong};

pub(super) fn left_out(page: &mut Page, left_out: &[LeftOut]) {
    if left_out.is_empty() {
        return;
    }
    page.heading("Left out");
    let items: Vec<String> = left_out
        .iter()
        .map(|LeftOut { section, why }| {
            let name = match section {
                Section::MarketSizing => "Market size",
                Section::Competitors => "Competitors",
                Section::Customers => "Customers",
                Section::Strategy => "Strategy and risks",
            };
            let why = match why {
                WhyNot::NotPlanned => "the plan that was approved has no step for it",
                WhyNot::NothingFound => "nothing was found that it could be written from",
                WhyNot::NotReached => "the run ended before it",
            };
            format!("{name}: {why}.")
        })
        .collect();
    page.items(items);
}

pub(super) fn searched(page: &mut Page, searched: &[Searched]) {
    if searched.is_empty() {
        return;
    }
    page.heading("What was searched for");
    let items: Vec<String> = searched
        .iter()
        .map(|one| {
            let section = page.inline(&one.section.replace('_', " "));
            let queries: Vec<String> = one.queries.iter().map(|query| page.inline(query)).collect();
            let kept =
                one.read.iter().filter(|read| read.pointer("/outcome/kept").is_some()).count();
            let complete = if one.complete { "" } else { " Not everything could be reached." };
            format!(
                "For {section}: {}. Read anew: {kept}; passages before the agent: {}.{complete}",
                queries.join("; "),
                one.passages
            )
        })
        .collect();
    page.items(items);
}

/// Writes which stage failed, why, and what can be done.
pub(super) fn error(page: &mut Page, error: &Failed, stages: &[&str], whole: &str) {
    let stages: Vec<String> =
        stages.iter().map(|stage| page.inline(&stage.replace('_', " "))).collect();
    let came_back = match stages.as_slice() {
        [] => String::new(),
        _ => format!("Agents that came back: {}. {whole} what each returned.", stages.join(", ")),
    };
    page.went_wrong(&WentWrong {
        stage: &error.stage.replace('_', " "),
        message: &error.message,
        retry_attempted: error.retry_attempted,
        came_back,
    });
}
