//! Two evaluations beside each other: what differs, and what of it may be chance.

use eval::compare::{ComparedArms, ComparedCase, ComparedReports, Side};
use eval::report::MetricLine;
use render::{Document, Line, Table};

use super::cases::{answered, fold, known};
use super::forest;
use super::words::{self, Reading, by_chance, count};

pub(super) fn build(compared: &ComparedReports) -> Document {
    let title = format!("{} against {}", compared.second.id, compared.first.id);
    let mut page = Document { title: Some(title.into()), blocks: vec![] };
    summary(&mut page, compared);
    page.picture(forest::of_comparison(compared));
    tables(&mut page, compared);
    if !compared.notes.is_empty() {
        page.heading("Notes");
        page.items(&compared.notes);
    }
    changed(&mut page, compared);
    page.heading("Case by case");
    let cases = compared.cases.iter();
    page.blocks.extend(cases.map(|one| fold(&one.case, body(one, &compared.metrics))));
    page
}

fn summary(page: &mut Document, compared: &ComparedReports) {
    let ComparedReports { first, second, cases, .. } = compared;
    let cases = cases.len() as u64;
    page.paragraph(format!(
        "{} of both, the second less the first: {} (second) against {} (first). Differences are told over these cases alone.",
        count(cases, "case", "cases"),
        second.id,
        first.id
    ));
    let sides = [("First", first), ("Second", second)];
    let sides = sides.iter().map(|(name, side)| told(name, side).into());
    page.items(sides.chain(compared.arms.iter().map(|arms| arm(compared, arms))));
    let looked_at: usize = compared.arms.iter().map(|arms| arms.differences.len()).sum();
    page.paragraph(format!(
        "A difference counts where its paired interval of 95 % leaves zero out. {}",
        by_chance(looked_at)
    ));
}

fn told(name: &str, side: &Side) -> String {
    let Side { id, created_at, dataset, mode, only_here } = side;
    let only = match only_here {
        0 => String::new(),
        more => format!("; {} the other does not have", count(*more, "case", "cases")),
    };
    format!(
        "{name}: {}, {created_at}, {} of {}, mode {}{only}",
        id,
        count(dataset.cases, "case", "cases"),
        dataset.name,
        mode
    )
}

fn names(arms: &ComparedArms) -> String {
    let ComparedArms { first, second, .. } = arms;
    if first == second { first.clone() } else { format!("{second} against {first}") }
}

fn arm(compared: &ComparedReports, arms: &ComparedArms) -> Line {
    let lines = compared.metrics.iter();
    let differences: Vec<_> =
        lines.filter_map(|line| Some((line, arms.differences.get(&line.key)?))).collect();
    let parts = words::differing(&differences);
    Line::new().strong(names(arms)).text(format!(": {}.", parts.join("; ")))
}

fn tables(page: &mut Document, compared: &ComparedReports) {
    for arms in &compared.arms {
        page.heading(names(arms));
        let mut table = Table::with([
            "Figure",
            "First",
            "Second",
            "Difference",
            "Interval",
            "Cases",
            "Reading",
        ]);
        for line in &compared.metrics {
            let told = arms.differences.get(&line.key).zip(arms.means.get(&line.key));
            let Some((difference, [first, second])) = told else { continue };
            let cells = [
                line.name.clone(),
                words::figure(line, first.value),
                words::figure(line, second.value),
                words::signed(line, difference.value),
                words::interval(line, difference),
                difference.of.to_string(),
                Reading::of(line, difference).word().to_owned(),
            ];
            table.row(cells.map(Line::from));
        }
        page.table(table);
    }
}

fn changed(page: &mut Document, compared: &ComparedReports) {
    if compared.changed.is_empty() {
        return;
    }
    page.heading("Settings that differ");
    let mut table = Table::with(["Name", "First", "Second"]);
    for (name, [first, second]) in &compared.changed {
        let [first, second] = [first, second].map(|value| value.as_deref().unwrap_or("-").into());
        table.row([name.into(), first, second]);
    }
    page.table(table);
}

fn body(one: &ComparedCase, metrics: &[MetricLine]) -> Document {
    let mut page = Document::default();
    known(&mut page, &one.case);
    for pair in &one.arms {
        for (which, arm) in ["first", "second"].into_iter().zip(pair) {
            let name = format!("{}, {which}", arm.observation.arm);
            answered(&mut page, &name, arm, metrics);
        }
    }
    page
}
