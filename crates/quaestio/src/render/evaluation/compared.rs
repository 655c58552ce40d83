//! Two evaluations beside each other: what differs, and what of it may be chance.

use std::fmt::Write as _;

use eval::compare::{ComparedArms, ComparedCase, ComparedReports, Side};
use eval::report::MetricLine;

use super::super::pages::{self, Page};
use super::super::plain::unmarked;
use super::cases::{answered, closed, known};
use super::words::{self, Reading, by_chance, count};

pub(super) fn title(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let title = format!("{} against {}", compared.second.id, compared.first.id);
    format!("# {}\n", pages::render_title(&title, plain))
}

pub(super) fn summary(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    let ComparedReports { first, second, cases, .. } = compared;
    let cases = cases.len() as u64;
    page.paragraph(&format!(
        "{} of both, the second less the first: {} (second) against {} (first). Differences are told over these cases alone.",
        count(cases, "case", "cases"),
        page.inline(&second.id),
        page.inline(&first.id)
    ));
    let sides = [("First", first), ("Second", second)];
    let sides: Vec<String> = sides.iter().map(|(name, side)| told(name, side, &page)).collect();
    page.items(sides);
    let arms: Vec<String> = compared.arms.iter().map(|arms| arm(compared, arms, &page)).collect();
    page.items(arms);
    let looked_at: usize = compared.arms.iter().map(|arms| arms.differences.len()).sum();
    page.paragraph(&format!(
        "A difference counts where its paired interval of 95 % leaves zero out. {}",
        by_chance(looked_at)
    ));
    page.text
}

fn told(name: &str, side: &Side, page: &Page) -> String {
    let Side { id, created_at, dataset, mode, only_here } = side;
    let only = match only_here {
        0 => String::new(),
        more => format!("; {} the other does not have", count(*more, "case", "cases")),
    };
    format!(
        "{name}: {}, {created_at}, {} of {}, mode {}{only}",
        page.inline(id),
        count(dataset.cases, "case", "cases"),
        page.inline(&dataset.name),
        page.inline(mode)
    )
}

fn names(arms: &ComparedArms, page: &Page) -> String {
    let [first, second] = [&arms.first, &arms.second].map(|name| page.inline(name));
    if first == second { first } else { format!("{second} against {first}") }
}

fn arm(compared: &ComparedReports, arms: &ComparedArms, page: &Page) -> String {
    let lines = compared.metrics.iter();
    let differences: Vec<_> =
        lines.filter_map(|line| Some((line, arms.differences.get(&line.key)?))).collect();
    let parts = words::differing(&differences, |name| page.inline(name));
    format!("**{}**: {}.", names(arms, page), parts.join("; "))
}

pub(super) fn tables(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    for arms in &compared.arms {
        let heading = names(arms, &page);
        page.heading(&heading);
        page.text.push_str(
            "\n| Figure | First | Second | Difference | Interval | Cases | Reading |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        );
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
            let cells = cells.map(|cell| page.cell(&cell));
            let _ = writeln!(page.text, "| {} |", cells.join(" | "));
        }
    }
    page.text
}

pub(super) fn notes(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    if !compared.notes.is_empty() {
        page.heading("Notes");
        let notes: Vec<String> = compared.notes.iter().map(|note| page.block(note)).collect();
        page.items(notes);
    }
    page.text
}

pub(super) fn changed(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    if compared.changed.is_empty() {
        return page.text;
    }
    page.heading("Settings that differ");
    page.text.push_str("\n| Name | First | Second |\n| --- | --- | --- |\n");
    for (name, values) in &compared.changed {
        let values = values.each_ref().map(|value| page.cell(value.as_deref().unwrap_or("-")));
        let _ = writeln!(page.text, "| {} | {} |", page.cell(name), values.join(" | "));
    }
    page.text
}

pub(super) fn cases(compared: &ComparedReports, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    page.heading("Case by case");
    for one in &compared.cases {
        let heading = format!("{}: {}", one.case.id, one.case.question);
        page.subheading(&pages::render_title(&heading, plain));
        page.text.push_str(&body(one, &compared.metrics, plain));
    }
    page.text
}

pub(super) fn cases_html(compared: &ComparedReports) -> String {
    let cases = compared.cases.iter();
    let cases = cases.map(|one| closed(&one.case, &body(one, &compared.metrics, unmarked)));
    format!("<h2>Case by case</h2>\n{}", cases.collect::<String>())
}

fn body(one: &ComparedCase, metrics: &[MetricLine], plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    known(&mut page, &one.case);
    for pair in &one.arms {
        for (which, arm) in ["first", "second"].into_iter().zip(pair) {
            let name = format!("{}, {which}", page.inline(&arm.observation.arm));
            answered(&mut page, &name, arm, metrics);
        }
    }
    page.text
}
