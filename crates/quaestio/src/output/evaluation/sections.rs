//! The figures of an evaluation, its notes and its settings.

use eval::report::{Comparison, Group, MetricLine, Report};
use render::{Alignment, Block, Document, Line, Table};

use super::words::{self, GROUPS, Reading};

/// Adds the means of every arm, a table for each group of figures.
pub(super) fn arms(page: &mut Document, report: &Report) {
    page.heading("Arms");
    page.paragraph("Means over cases, each with its interval of 95 %.");
    let names = report.arms.iter().map(|arm| match arm.control {
        true => format!("{} (control)", arm.name),
        false => arm.name.clone(),
    });
    let names: Vec<String> = names.collect();
    let mut counts = tabulate("Cases", &names);
    let of = |count: fn(&eval::report::Arm) -> u64| {
        report.arms.iter().map(move |arm| count(arm).to_string())
    };
    row(&mut counts, "with a result", of(|arm| arm.completed));
    row(&mut counts, "failed", of(|arm| arm.failed));
    row(&mut counts, "not run", of(|arm| arm.not_run));
    page.table(counts);
    for group in GROUPS {
        let lines = of_group(report, group);
        if lines.is_empty() {
            continue;
        }
        page.subheading(named(report, group));
        let mut figures = tabulate("Figure", &names);
        for line in lines {
            let cells = report.arms.iter().map(|arm| {
                arm.means.get(&line.key).map_or_else(
                    || "-".to_owned(),
                    |mean| words::mean(line, mean, report.dataset.cases),
                )
            });
            row(&mut figures, &line.name, cells);
        }
        page.table(figures);
    }
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

fn tabulate<N: AsRef<str>>(first: &str, names: &[N]) -> Table {
    let names = std::iter::once(first).chain(names.iter().map(AsRef::as_ref));
    Table { columns: names.map(|name| (name.into(), Alignment::Left)).collect(), rows: vec![] }
}

fn row(table: &mut Table, name: &str, cells: impl IntoIterator<Item = String>) {
    table.row(std::iter::once(name.into()).chain(cells.into_iter().map(Line::from)));
}

/// Adds the differences of every arm from the control.
pub(super) fn against_the_control(page: &mut Document, report: &Report) {
    for Comparison { arm, against, differences, .. } in &report.comparisons {
        page.heading(format!("{arm} against {against}"));
        page.paragraph(format!(
            "Mean differences over the cases that both have, {arm} less {against}, each with its paired interval of 95 %."
        ));
        let mut table = tabulate("Figure", &["Difference", "Interval", "Cases", "Reading"]);
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
            row(&mut table, &line.name, cells);
        }
        page.table(table);
    }
}

pub(super) fn notes(page: &mut Document, report: &Report) {
    if !report.notes.is_empty() {
        page.heading("Notes");
        page.items(&report.notes);
    }
    page.heading("What the figures say");
    page.items(
        report
            .metrics
            .iter()
            .map(|line| Line::new().strong(&line.name).text(format!(": {}.", line.meaning))),
    );
}

pub(super) fn parameters(page: &mut Document, report: &Report) {
    if report.parameters.is_empty() {
        return;
    }
    page.heading("Settings");
    let mut table = Table::with(["Name", "Value"]);
    for (name, value) in &report.parameters {
        table.row([name.into(), value.into()]);
    }
    page.table(table);
}

pub(super) fn footer(page: &mut Document, report: &Report) {
    let Report { id, created_at, dataset, .. } = report;
    page.blocks.push(Block::Rule);
    page.paragraph(Line::broken([
        format!("Evaluation: {id}, {created_at}"),
        format!("Dataset: {}, digest {}", dataset.name, dataset.digest),
    ]));
}
