//! The figures of an evaluation, its notes and its settings.

use std::fmt::Write as _;

use eval::report::{Arm, Comparison, Group, MetricLine, Report};

use super::super::pages::{self, Page};
use super::words::{self, GROUPS, Reading};

pub(super) fn title(report: &Report, plain: fn(&str) -> String) -> String {
    format!("# {}\n", pages::render_title(&format!("Evaluation of {}", report.dataset.name), plain))
}

/// Writes the means of every arm, a table for each group of figures.
pub(super) fn arms(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    page.heading("Arms");
    page.paragraph("Means over cases, each with its interval of 95 %.");
    let names = report.arms.iter().map(|arm| match arm.control {
        true => format!("{} (control)", arm.name),
        false => arm.name.clone(),
    });
    let names: Vec<String> = names.collect();
    let cells = |arm: &Arm| {
        vec![arm.completed.to_string(), arm.failed.to_string(), arm.not_run.to_string()]
    };
    let came: Vec<Vec<String>> = report.arms.iter().map(cells).collect();
    head(&mut page, "Cases", &names);
    for (place, name) in ["with a result", "failed", "not run"].into_iter().enumerate() {
        row(
            &mut page,
            name,
            came.iter().map(|counts| counts.get(place).cloned().unwrap_or_default()),
        );
    }
    for group in GROUPS {
        let lines = of_group(report, group);
        if lines.is_empty() {
            continue;
        }
        page.subheading(&named(report, group));
        head(&mut page, "Figure", &names);
        for line in lines {
            let cells = report.arms.iter().map(|arm| {
                arm.means.get(&line.key).map_or_else(
                    || "-".to_owned(),
                    |mean| words::mean(line, mean, report.dataset.cases),
                )
            });
            row(&mut page, &line.name, cells);
        }
    }
    page.text
}

fn of_group(report: &Report, group: Group) -> Vec<&MetricLine> {
    report.metrics.iter().filter(|line| line.group == group).collect()
}

/// Returns the name of a group; of what a judge said, with what it is worth.
fn named(report: &Report, group: Group) -> String {
    let name = words::group(group);
    let is_noise = match group {
        Group::Judge => report.judge.as_ref().is_some_and(|judge| judge.is_noise),
        Group::Reports => report.report_judge.as_ref().is_some_and(|one| one.judge.is_noise),
        _ => false,
    };
    if is_noise { format!("{name} (not told from noise)") } else { name.to_owned() }
}

fn head(page: &mut Page, first: &str, names: &[String]) {
    let names: Vec<String> = names.iter().map(|name| page.cell(name)).collect();
    let _ = writeln!(page.text, "\n| {first} | {} |", names.join(" | "));
    let _ = writeln!(page.text, "| --- |{}", " --- |".repeat(names.len()));
}

fn row(page: &mut Page, name: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.map(|cell| page.cell(&cell)).collect();
    let name = page.cell(name);
    let _ = writeln!(page.text, "| {name} | {} |", cells.join(" | "));
}

/// Writes the differences of every arm from the control.
pub(super) fn against_the_control(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    for Comparison { arm, against, differences, .. } in &report.comparisons {
        let [arm, against] = [arm, against].map(|name| pages::render_title(name, plain));
        page.heading(&format!("{arm} against {against}"));
        page.paragraph(&format!(
            "Mean differences over the cases that both have, {arm} less {against}, each with its paired interval of 95 %."
        ));
        let columns = ["Difference", "Interval", "Cases", "Reading"].map(str::to_owned);
        head(&mut page, "Figure", &columns);
        let is_noise = report.judge.as_ref().is_some_and(|judge| judge.is_noise);
        for line in &report.metrics {
            let Some(difference) = differences.get(&line.key) else { continue };
            let reading = match Reading::of(line, difference) {
                _ if is_noise && line.group == Group::Judge => "the judge is not told from noise",
                reading => reading.word(),
            };
            let cells = [
                words::signed(line, difference.value),
                words::interval(line, difference),
                difference.of.to_string(),
                reading.to_owned(),
            ];
            row(&mut page, &line.name, cells.into_iter());
        }
    }
    page.text
}

pub(super) fn notes(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    if !report.notes.is_empty() {
        page.heading("Notes");
        let notes: Vec<String> = report.notes.iter().map(|note| page.block(note)).collect();
        page.items(notes);
    }
    page.heading("What the figures say");
    let lines: Vec<String> = report
        .metrics
        .iter()
        .map(|line| format!("**{}**: {}.", page.inline(&line.name), page.inline(&line.meaning)))
        .collect();
    page.items(lines);
    page.text
}

pub(super) fn parameters(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    if report.parameters.is_empty() {
        return page.text;
    }
    page.heading("Settings");
    head(&mut page, "Name", &["Value".to_owned()]);
    for (name, value) in &report.parameters {
        row(&mut page, name, std::iter::once(value.clone()));
    }
    page.text
}

pub(super) fn footer(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    let Report { id, created_at, dataset, .. } = report;
    let _ = writeln!(
        page.text,
        "\n---\n\nEvaluation: {}, {created_at}  \nDataset: {}, digest {}",
        page.inline(id),
        page.inline(&dataset.name),
        dataset.digest
    );
    page.text
}
