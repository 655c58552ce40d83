//! Forest plots: differences with their intervals around a line at zero, drawn as inline SVG.

use std::fmt::Write as _;

use eval::compare::ComparedReports;
use eval::report::{Better, Difference, Group, MetricLine, MetricUnit, Report};

use super::axis::{Axis, tenth};
use super::shown;
use super::words::{self, GROUPS, Reading};
use render::html::escape;
use render::one_line;
use render::svg::{breadth, fitted};
use render::{Figure, Picture};

/// Units of the view box. A phone shows it at about one pixel a unit.
const WIDTH: f64 = 360.0;
const MARGIN: f64 = 12.0;
const ROW: f64 = 36.0;
const AXIS: f64 = 40.0;
const LETTER: f64 = 12.0;

/// A difference in the chart.
struct Row<'r> {
    line: &'r MetricLine,
    /// The name of the arm if several are drawn, else empty.
    arms: String,
    difference: Difference,
    reading: Reading,
}

/// Returns the differences of every arm from the control as charts, one for each group, unit and direction.
pub(super) fn of_report(report: &Report) -> Picture {
    let is_noise = report.judge.as_ref().is_some_and(|judge| judge.is_noise);
    let several = report.comparisons.len() > 1;
    let rows = report.metrics.iter().flat_map(|line| {
        report.comparisons.iter().filter_map(move |comparison| {
            let difference = *comparison.differences.get(&line.key)?;
            let reading = match Reading::of(line, &difference) {
                _ if is_noise && line.group == Group::Judge => Reading::Chance,
                reading => reading,
            };
            let arms = if several { comparison.arm.clone() } else { String::new() };
            Some(Row { line, arms, difference, reading })
        })
    });
    charts("Differences from the control", &rows.collect::<Vec<_>>())
}

/// Returns the differences between two evaluations as charts.
pub(super) fn of_comparison(compared: &ComparedReports) -> Picture {
    let several = compared.arms.len() > 1;
    let rows = compared.metrics.iter().flat_map(|line| {
        compared.arms.iter().filter_map(move |arms| {
            let difference = *arms.differences.get(&line.key)?;
            let reading = Reading::of(line, &difference);
            let arms = if several { arms.second.clone() } else { String::new() };
            Some(Row { line, arms, difference, reading })
        })
    });
    charts("Differences, second less first", &rows.collect::<Vec<_>>())
}

fn charts(heading: &str, rows: &[Row<'_>]) -> Picture {
    const UNITS: [MetricUnit; 8] = [
        MetricUnit::Share,
        MetricUnit::Score,
        MetricUnit::Milliseconds,
        MetricUnit::Tokens,
        MetricUnit::Count,
        MetricUnit::Usd,
        MetricUnit::Words,
        MetricUnit::Points,
    ];
    const DIRECTIONS: [Better; 3] = [Better::Higher, Better::Lower, Better::Neither];
    let mut figures = Vec::new();
    for group in GROUPS {
        for (unit, better) in UNITS.into_iter().flat_map(|unit| DIRECTIONS.map(|to| (unit, to))) {
            let is_one = |row: &&Row<'_>| {
                row.line.group == group && row.line.unit == unit && row.line.better == better
            };
            let own: Vec<&Row<'_>> = rows.iter().filter(is_one).collect();
            let first = own.first().map(|row| row.line.name.as_str());
            let alone = first.filter(|name| own.iter().all(|row| row.line.name == *name));
            figures.extend(chart(alone.unwrap_or(words::group(group)), &own));
        }
    }
    let words = "A dot is a mean difference, the line its interval of 95 %. A full dot is told apart from zero, a hollow one may be \
                 chance; a line without an end goes on.";
    Picture { heading: heading.to_owned(), words: words.to_owned(), figures, instead: vec![] }
}

/// Returns a chart of rows of one unit; `None` for no rows. It uses no element ids, so that a page can hold many.
fn chart(title: &str, rows: &[&Row<'_>]) -> Option<Figure> {
    let first = rows.first()?;
    let svg = draw(&shown(title), first, rows);
    Some(Figure { title: title.to_owned(), svg, ..Figure::default() })
}

/// Returns the rows as an SVG under a title that is already escaped. `first` is the first of them.
fn draw(title: &str, first: &Row<'_>, rows: &[&Row<'_>]) -> String {
    let ends =
        rows.iter().flat_map(|row| [row.difference.low, row.difference.value, row.difference.high]);
    let axis = Axis::of(ends);
    let across = |value: f64| tenth(MARGIN + axis.share(value) * (WIDTH - 2.0 * MARGIN));
    let bottom = ROW * rows.len() as f64 + 4.0;
    let height = bottom + AXIS;
    let told: Vec<String> = rows.iter().map(|row| told(row)).collect();
    let zero = across(0.0);
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" fill=\"none\" \
         stroke=\"currentColor\" font-size=\"{LETTER}\">\n<title>{title}</title>\n<desc>{}</desc>\n",
        told.join("; ")
    );
    for tick in axis.ticks() {
        let x = across(tick);
        let label = words::signed(first.line, tick);
        let half = label.chars().map(breadth).sum::<f64>() * LETTER / 2.0 + 4.0;
        let middle = tenth(x.clamp(half, (WIDTH - half).max(half)));
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {bottom}v5\"/>\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\" stroke=\"none\">{}</text>",
            bottom + 18.0,
            escape(&label)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"currentColor\" stroke=\"none\">{}</text>",
        WIDTH - MARGIN,
        bottom + 34.0,
        match first.line.better {
            Better::Higher => "better to the right",
            Better::Lower => "better to the left",
            Better::Neither => "neither side is better",
        }
    );
    // Drawn only between the labels, so that none is struck through.
    let line: String =
        (0..rows.len()).map(|row| format!("M{zero} {}v18", ROW * row as f64 + 19.0)).collect();
    let _ = writeln!(
        svg,
        "<path d=\"{line}\" stroke-opacity=\"0.5\" stroke-dasharray=\"2 2\"/><path d=\"M{MARGIN} {bottom}H{}\"/>",
        WIDTH - MARGIN
    );
    for (index, (row, told)) in rows.iter().zip(told).enumerate() {
        drawn(&mut svg, row, &told, ROW * index as f64, across);
    }
    svg.push_str("</svg>");
    svg
}

fn drawn(svg: &mut String, row: &Row<'_>, told: &str, top: f64, across: impl Fn(f64) -> f64) {
    let Difference { value, low, high, .. } = row.difference;
    let figure = words::signed(row.line, value);
    let taken: f64 = figure.chars().map(breadth).sum();
    let name = match row.arms.as_str() {
        "" => row.line.name.clone(),
        arms => format!("{} · {arms}", row.line.name),
    };
    let label = fitted(&one_line(&name), ((WIDTH - 2.0 * MARGIN) / LETTER - taken - 1.0).max(0.0));
    let (left, dot, right) = (across(low), across(value), across(high));
    let y = top + 28.0;
    // An unknown end has no cap.
    let cap = |end: f64, x: f64| {
        if end.is_finite() { format!("M{x} {}v6", y - 3.0) } else { String::new() }
    };
    let fill = if row.reading == Reading::Chance { "none" } else { "currentColor" };
    let (shorter, longer) =
        (tenth((dot - 4.5).max(left.min(dot))), tenth((dot + 4.5).min(right.max(dot))));
    let _ = writeln!(
        svg,
        "<g><title>{told}</title>\
         <text x=\"{MARGIN}\" y=\"{}\" fill=\"currentColor\" stroke=\"none\">{}</text>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"currentColor\" stroke=\"none\">{}</text>\
         <path d=\"M{left} {y}H{shorter}M{longer} {y}H{right}{}{}\" stroke-width=\"1.5\"/>\
         <circle cx=\"{dot}\" cy=\"{y}\" r=\"4\" fill=\"{fill}\" stroke-width=\"1.5\"/></g>",
        top + 15.0,
        escape(&label),
        WIDTH - MARGIN,
        top + 15.0,
        escape(&figure),
        cap(low, left),
        cap(high, right)
    );
}

/// Returns a row in words.
fn told(row: &Row<'_>) -> String {
    let arms = if row.arms.is_empty() { String::new() } else { format!(" {}", row.arms) };
    shown(&format!(
        "{}{arms}: {}, {}",
        row.line.name,
        words::difference(row.line, &row.difference),
        row.reading.word()
    ))
}
