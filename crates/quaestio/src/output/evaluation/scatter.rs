//! Scatter plots of worth against effort: a score over time and over cost, drawn as inline SVG.

use std::fmt::Write as _;

use eval::report::{Group, Mean, MetricLine, Report};

use super::axis::{Axis, tenth};
use super::shown;
use super::words;
use render::html::escape;
use render::one_line;
use render::svg::{breadth, fitted};
use render::{Figure, Picture};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;
const LETTER: f64 = 12.0;

/// An arm in the chart.
struct Dot<'r> {
    name: &'r str,
    score: &'r Mean,
    taken: &'r Mean,
}

/// Returns a chart for time and one for cost, as far as they are known.
pub(super) fn of_report(report: &Report) -> Picture {
    let Some(score) = choose_metric(report) else { return Picture::default() };
    let figures = ["milliseconds", "cost_usd"]
        .into_iter()
        .filter_map(|key| report.metrics.iter().find(|line| line.key == key))
        .filter_map(|taken| chart(report, score, taken))
        .collect();
    Picture { heading: "Worth and cost".to_owned(), figures, ..Picture::default() }
}

/// Returns the metric that says most about an answer: the judge's score, unless it is noise, else how well the answer matches what is
/// known of it.
fn choose_metric(report: &Report) -> Option<&MetricLine> {
    const FIRST: [&str; 6] =
        ["token_f1", "expected", "exact_match", "abstention", "groundedness", "source_recall"];
    let find = |key: &str| report.metrics.iter().find(|line| line.key == key);
    let is_heard = report.judge.as_ref().is_some_and(|judge| !judge.is_noise);
    let judged = find("judge").filter(|line| is_heard && line.group == Group::Judge);
    judged.or_else(|| FIRST.into_iter().find_map(find))
}

fn chart(report: &Report, score: &MetricLine, taken: &MetricLine) -> Option<Figure> {
    let dot = |arm: &'_ eval::report::Arm| {
        arm.means.contains_key(&score.key) && arm.means.contains_key(&taken.key)
    };
    let dots: Vec<Dot<'_>> = report
        .arms
        .iter()
        .filter(|arm| dot(arm))
        .filter_map(|arm| {
            let (name, means) = (arm.name.as_str(), &arm.means);
            Some(Dot { name, score: means.get(&score.key)?, taken: means.get(&taken.key)? })
        })
        .collect();
    if dots.is_empty() {
        return None;
    }
    let title = format!("{} over {}", score.name, taken.name);
    let told: Vec<String> =
        dots.iter().map(|dot| told(dot, score, taken, report.dataset.cases)).collect();
    let svg = draw(&shown(&title), &dots, &told, score, taken);
    Some(Figure { title, svg, ..Figure::default() })
}

/// Returns the dots as an SVG under a title that is already escaped. `told` is each of them in words.
fn draw(
    title: &str,
    dots: &[Dot<'_>],
    told: &[String],
    score: &MetricLine,
    taken: &MetricLine,
) -> String {
    let across =
        Axis::of_unit(taken.unit, dots.iter().flat_map(|dot| [dot.taken.value, dot.taken.high]));
    let up =
        Axis::of_unit(score.unit, dots.iter().flat_map(|dot| [dot.score.value, dot.score.high]));
    let x = |value: f64| tenth(LEFT + across.share(value) * (WIDTH - LEFT - RIGHT));
    let y = |value: f64| tenth(HEIGHT - BOTTOM - up.share(value) * (HEIGHT - TOP - BOTTOM));
    let base = HEIGHT - BOTTOM;
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" \
         stroke=\"currentColor\" font-size=\"{LETTER}\">\n<title>{title}</title>\n<desc>{}</desc>\n\
         <path d=\"M{LEFT} {TOP}V{base}H{}\"/>\n",
        told.join("; "),
        WIDTH - RIGHT
    );
    let letters = "fill=\"currentColor\" stroke=\"none\"";
    for tick in up.ticks() {
        let at = y(tick);
        let label = escape(&words::figure(score, tick));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at}h-5\"/><path d=\"M{LEFT} {at}H{}\" stroke-opacity=\"0.15\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" {letters}>{label}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            tenth(at + 4.0)
        );
    }
    for tick in across.ticks() {
        let label = words::figure(taken, tick);
        let half = label.chars().map(breadth).sum::<f64>() * LETTER / 2.0 + 4.0;
        let middle = tenth(x(tick).clamp(half, (WIDTH - half).max(half)));
        let _ = writeln!(
            svg,
            "<path d=\"M{} {base}v5\"/><text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" {letters}>{}</text>",
            x(tick),
            base + 18.0,
            escape(&label)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" {letters}>{}, per case</text>",
        WIDTH - RIGHT,
        base + 34.0,
        shown(&taken.name)
    );
    let mut names = Names::default();
    for (dot, told) in dots.iter().zip(told) {
        let (at, over) = (x(dot.taken.value), y(dot.score.value));
        let arms = format!(
            "M{} {over}H{}M{at} {}V{}",
            x(dot.taken.low),
            x(dot.taken.high),
            y(dot.score.low),
            y(dot.score.high)
        );
        let label = fitted(&one_line(dot.name), 12.0);
        let (name_x, anchor, name_y) = names.place(at, over);
        let _ = writeln!(
            svg,
            "<g><title>{told}</title><path d=\"{arms}\" stroke-opacity=\"0.5\"/>\
             <circle cx=\"{at}\" cy=\"{over}\" r=\"4.5\" fill=\"currentColor\" stroke=\"none\"/>\
             <text x=\"{name_x}\" y=\"{name_y}\" text-anchor=\"{anchor}\" {letters}>{}</text></g>",
            escape(&label)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The heights that names occupy, so that none covers another.
#[derive(Default)]
struct Names(Vec<f64>);

impl Names {
    /// Returns the x coordinate, text anchor and y coordinate of a name: next to its dot, towards the middle of the chart.
    fn place(&mut self, x: f64, y: f64) -> (f64, &'static str, f64) {
        let tries = [-7.0, 17.0, -21.0, 31.0, -35.0, 45.0];
        let line = |off: f64| (y + off).clamp(LETTER, HEIGHT - BOTTOM - 4.0);
        let is_free = |at: &f64| self.0.iter().all(|taken| (taken - at).abs() >= LETTER);
        let at = tries.into_iter().map(line).find(is_free).unwrap_or(y);
        self.0.push(at);
        if x > WIDTH / 2.0 {
            (tenth(x - 7.0), "end", tenth(at))
        } else {
            (tenth(x + 7.0), "start", tenth(at))
        }
    }
}

fn told(dot: &Dot<'_>, score: &MetricLine, taken: &MetricLine, cases: u64) -> String {
    shown(&format!(
        "{}: {} {}, {} {}",
        dot.name,
        score.name,
        words::mean(score, dot.score, cases),
        taken.name,
        words::mean(taken, dot.taken, cases)
    ))
}
