//! Figures beside each other as bars with their confidence intervals, drawn in the page itself.

use std::fmt::Write as _;

use render::Figure;
use render::html::escape;
use render::one_line;
use render::svg::{breadth, fitted};
use survey::expression::Unit;

use crate::brief::payload::{Bar, Chart};

/// Units of the view box. A phone shows it at about one pixel a unit.
const WIDTH: f64 = 360.0;
const MARGIN: f64 = 12.0;
const ROW: f64 = 40.0;
const BAR: f64 = 12.0;
const AXIS: f64 = 28.0;
const LETTER: f64 = 12.0;
/// Between the lines of a hatched bar.
const HATCH: f64 = 5.0;
/// Steps of the axis, at most about.
const STEPS: f64 = 4.0;

/// Returns a chart as a figure; `None` if it has no bar that can be drawn.
///
/// Nothing in it has an id, so that any number of them stand on one page.
pub(super) fn chart(chart: &Chart) -> Option<Figure> {
    let is_drawn = |bar: &&Bar| bar.value.is_finite();
    let bars: Vec<&Bar> = chart.bars.iter().filter(is_drawn).collect();
    if bars.is_empty() {
        return None;
    }
    let has_interval = bars.iter().any(|bar| read_interval(bar).is_some());
    let has_low_base = bars.iter().any(|bar| bar.low_base);
    let keys = [
        (has_interval, "Thin lines: confidence intervals."),
        (has_low_base, "Hatched, marked *: low base."),
        (true, "n: respondents."),
    ];
    let keys: Vec<&str> = keys.iter().filter(|(is, _)| *is).map(|(_, key)| *key).collect();
    Some(Figure {
        title: one_line(&chart.title),
        measure: one_line(&chart.measure),
        svg: draw(chart, &bars),
        key: keys.join(" "),
        values: Some(super::tabulate_one(chart)),
    })
}

fn draw(chart: &Chart, bars: &[&Bar]) -> String {
    let axis = Axis::of(bars);
    let bottom = ROW * bars.len() as f64 + 4.0;
    let height = bottom + AXIS;
    let title = shown(&chart.title);
    let told: Vec<String> = bars.iter().map(|bar| told(bar, chart.unit)).collect();
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" fill=\"none\" \
         stroke=\"currentColor\" font-size=\"{LETTER}\">\n<title>{title}</title>\n<desc>{}</desc>\n",
        told.join("; ")
    );
    for tick in axis.ticks() {
        let x = axis.across(tick);
        let label = axis.label(tick, chart.unit);
        let half = label.chars().map(breadth).sum::<f64>() * LETTER / 2.0;
        let middle = tenth(x.clamp(half, (WIDTH - half).max(half)));
        // Beside the bars only, so that no label is struck through.
        let lines: String =
            (0..bars.len()).map(|row| format!("M{x} {}v16", ROW * row as f64 + 20.0)).collect();
        let _ = writeln!(
            svg,
            "<path d=\"{lines}\" stroke-opacity=\"0.2\"/><path d=\"M{x} {bottom}v5\"/>\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\" stroke=\"none\">{label}</text>",
            bottom + 18.0
        );
    }
    let _ = writeln!(svg, "<path d=\"M{MARGIN} {bottom}H{}\"/>", WIDTH - MARGIN);
    for (row, (bar, told)) in bars.iter().zip(told).enumerate() {
        drawn(&mut svg, &axis, ROW * row as f64, bar, &told, chart.unit);
    }
    svg.push_str("</svg>");
    svg
}

fn drawn(svg: &mut String, axis: &Axis, top: f64, bar: &Bar, told: &str, unit: Unit) {
    let (zero, end) = (axis.across(0.0), axis.across(bar.value));
    let (left, right) = (zero.min(end), zero.max(end));
    let (y, width) = (top + 21.0, tenth(right - left));
    let star = if bar.low_base { " *" } else { "" };
    let figure = format!("{} · n = {}{star}", number(bar.value, unit), bar.base);
    let taken: f64 = figure.chars().map(breadth).sum();
    let room = (WIDTH - 2.0 * MARGIN) / LETTER - taken - 1.0;
    let label = fitted(&one_line(&bar.label), room.max(0.0));
    let fill = if bar.low_base { "none" } else { "currentColor" };
    let _ = writeln!(
        svg,
        "<g><title>{told}</title>\
         <text x=\"{MARGIN}\" y=\"{}\" fill=\"currentColor\" stroke=\"none\">{}</text>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"currentColor\" stroke=\"none\">{figure}</text>\
         <rect x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{BAR}\" fill=\"{fill}\" fill-opacity=\"0.35\" stroke-opacity=\"0.6\"/>",
        top + 15.0,
        escape(&label),
        WIDTH - MARGIN,
        top + 15.0,
    );
    if bar.low_base {
        let _ = writeln!(svg, "<path d=\"{}\" stroke-opacity=\"0.6\"/>", hatched(left, right, y));
    }
    if let Some((low, high)) = read_interval(bar) {
        let (low, high, middle) = (axis.across(low), axis.across(high), y + BAR / 2.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{low} {middle}H{high}M{low} {}v6M{high} {}v6\" stroke-width=\"1.5\"/>",
            middle - 3.0,
            middle - 3.0
        );
    }
    svg.push_str("</g>\n");
}

/// Returns lines from the lower left to the upper right, none of which leaves the bar.
fn hatched(left: f64, right: f64, top: f64) -> String {
    let mut path = String::new();
    let mut foot = left - BAR + HATCH;
    while foot < right {
        let (from, to) = (foot.max(left), (foot + BAR).min(right));
        if from < to {
            let (low, high) = (top + BAR - (from - foot), top + BAR - (to - foot));
            let _ = write!(path, "M{} {}L{} {}", tenth(from), tenth(low), tenth(to), tenth(high));
        }
        foot += HATCH;
    }
    path
}

/// What the bars are measured on: it holds zero, every value and every interval.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    fn of(bars: &[&Bar]) -> Axis {
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = read_interval(bar).unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let (low, high) =
            ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let span = if high > low { high - low } else { 1.0 };
        let step = round(span / STEPS);
        let low = (low / step).floor() * step;
        let high = (high / step).ceil() * step;
        if step > 0.0 && [low, high, step].iter().all(|end| end.is_finite()) {
            Axis { low, high: if high > low { high } else { low + step }, step }
        } else {
            // Numbers that a picture cannot hold.
            Axis { low: 0.0, high: 1.0, step: 1.0 }
        }
    }

    /// Returns where a value stands, to a tenth of a unit; at the edge where it lies outside.
    fn across(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        tenth(MARGIN + share * (WIDTH - 2.0 * MARGIN))
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let steps = ((self.high - self.low) / self.step).round().clamp(0.0, 10.0) as u32;
        (0..=steps).map(|tick| self.low + f64::from(tick) * self.step)
    }

    fn label(&self, tick: f64, unit: Unit) -> String {
        let scale = unit.scale();
        let tick = if tick.abs() < self.step / 2.0 { 0.0 } else { tick * scale };
        let decimals = (-(self.step * scale).log10().floor()).clamp(0.0, 6.0) as usize;
        let label = plainly(tick, decimals);
        if unit == Unit::Share { format!("{label} %") } else { label }
    }
}

/// Returns the next of 1, 2, 5, 10, 20 and so on.
fn round(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let leading = step / power;
    let leading = [1.0, 2.0, 5.0].into_iter().find(|one| leading <= one + 1e-9).unwrap_or(10.0);
    leading * power
}

/// Returns the interval of a bar, its lower end first.
fn read_interval(bar: &Bar) -> Option<(f64, f64)> {
    let (low, high) = bar.interval?;
    (low.is_finite() && high.is_finite()).then(|| (low.min(high), low.max(high)))
}

/// From here on digits are not written out.
const LARGEST: f64 = 1e15;

/// Returns a figure as a reader sees it.
pub(super) fn number(value: f64, unit: Unit) -> String {
    if value.abs() >= LARGEST { plainly(value, 2) } else { unit.shown(value) }
}

fn plainly(value: f64, decimals: usize) -> String {
    if value.abs() >= LARGEST {
        return format!("{value:e}");
    }
    let written = format!("{value:.decimals$}");
    // What rounds to nothing has no sign.
    match written.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        _ => written,
    }
}

/// Returns a bar in words.
fn told(bar: &Bar, unit: Unit) -> String {
    let interval = read_interval(bar)
        .map(|(low, high)| format!(" ({} to {})", number(low, unit), number(high, unit)));
    let low_base = if bar.low_base { ", a low base" } else { "" };
    format!(
        "{}: {}{}, {} respondents{low_base}",
        shown(&bar.label),
        number(bar.value, unit),
        interval.unwrap_or_default(),
        bar.base
    )
}

/// Returns a text of others as it may stand in an element.
fn shown(text: &str) -> String {
    escape(&one_line(text))
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use render::{Document, Picture};

    use super::*;

    fn bar(label: &str, value: f64, interval: Option<(f64, f64)>, base: u64) -> Bar {
        Bar {
            label: label.into(),
            value,
            interval,
            base,
            low_base: base < 100,
            expression: String::new(),
        }
    }

    fn of(bars: Vec<Bar>, unit: Unit) -> Chart {
        Chart { title: "Satisfied".into(), measure: "top 2, W2".into(), unit, bars }
    }

    /// Returns the chart as a page shows it.
    fn page(shown: &Chart) -> String {
        let mut page = Document::default();
        page.picture(Picture { figures: chart(shown).into_iter().collect(), ..Picture::default() });
        render::html::write(&page, &Default::default()).html
    }

    /// Returns the numbers of attributes of a name.
    fn numbers(svg: &str, name: &str) -> Vec<f64> {
        let name = format!(" {name}=\"");
        let values = svg.split(&name).skip(1);
        let values = values.map(|rest| rest.split('"').next().unwrap());
        values.filter_map(|value| value.parse().ok()).collect()
    }

    // proves: B7
    #[test]
    fn bars_are_as_long_as_their_values_and_a_low_base_is_hatched() {
        let svg = page(&of(
            vec![
                bar("18–34", 0.25, Some((0.2, 0.3)), 240),
                bar("35–54", 0.5, None, 310),
                bar("55+", 0.5, Some((0.3, 0.7)), 54),
            ],
            Unit::Share,
        ));
        let widths: Vec<f64> = numbers(&svg, "width").into_iter().skip(1).collect();
        assert_eq!(widths.len(), 3);
        assert!((widths[1] - 2.0 * widths[0]).abs() < 0.2, "{widths:?}");
        assert_eq!(widths[1], widths[2]);
        // An axis from nothing to what holds the longest interval.
        assert!(svg.contains(">0 %</text>") && svg.contains(">80 %</text>"), "{svg}");
        assert_eq!(svg.matches("fill=\"none\" fill-opacity").count(), 1);
        for told in [
            "18–34: 25.0 % (20.0 % to 30.0 %), 240 respondents;",
            "55+: 50.0 % (30.0 % to 70.0 %), 54 respondents, a low base",
            "50.0 % · n = 54 *",
            "Hatched, marked *: low base.",
        ] {
            assert!(svg.contains(told), "{told} in {svg}");
        }
        assert!(!svg.contains("id=\""), "{svg}");
    }

    // proves: B7
    #[test]
    fn what_is_below_nothing_goes_the_other_way() {
        let svg =
            page(&of(vec![bar("Men", -0.2, None, 200), bar("Women", 0.3, None, 200)], Unit::Share));
        let bars: Vec<&str> = svg.split("<rect").skip(1).collect();
        let [left, width] = ["x", "width"].map(|name| numbers(bars[0], name)[0]);
        assert!((left + width - numbers(bars[1], "x")[0]).abs() < 0.2, "{svg}");
        assert!(width > 50.0 && svg.contains(">-20 %</text>"), "{svg}");
        assert!(svg.contains("-20.0 % · n = 200"), "{svg}");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        assert_eq!(page(&of(vec![], Unit::Share)), "");
        assert_eq!(page(&of(vec![bar("x", f64::NAN, None, 9)], Unit::Mean)), "");
        let svg = page(&of(vec![bar("a", 1e308, None, 1), bar("b", -1e308, None, 1)], Unit::Mean));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn text_stays_text_and_a_long_label_ends_in_dots() {
        let long = "People who ride the bus every day ".repeat(4);
        let svg = page(&of(
            vec![bar(&long, 0.5, None, 1200), bar("</text><script>", 0.1, None, 1)],
            Unit::Share,
        ));
        assert_eq!(svg.matches("<script").count(), 0);
        assert!(svg.contains("People who ride the bus") && svg.contains("…</text>"), "{svg}");
        assert!(svg.contains(long.trim()), "the whole label is told");
    }

    proptest! {
        #[test]
        fn nothing_is_drawn_outside_the_picture(
            values in prop::collection::vec((-1e6_f64..1e6, 0.0_f64..1e5, 1_u64..500), 1..8),
            unit in prop::sample::select(vec![Unit::Share, Unit::Nps, Unit::Mean]),
        ) {
            let bars = values.iter().map(|&(value, wide, base)| {
                bar("A label", value, Some((value - wide, value + wide)), base)
            });
            let bars: Vec<Bar> = bars.collect();
            let rows = bars.len() as f64;
            let svg = page(&of(bars, unit));
            for x in numbers(&svg, "x").into_iter().chain(numbers(&svg, "width").into_iter().skip(1)) {
                prop_assert!((0.0..=WIDTH).contains(&x), "{}", x);
            }
            let most = (ROW * rows + 4.0 + AXIS).max(WIDTH);
            let paths = svg.split(" d=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            for path in paths {
                let places = path.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
                for place in places.filter(|place| !place.is_empty()) {
                    let place: f64 = place.parse().unwrap();
                    prop_assert!((0.0..=most).contains(&place), "{}", path);
                }
            }
            let axis = Axis::of(&[&bar("x", values[0].0, None, 1)]);
            prop_assert!(axis.ticks().count() <= 11);
        }
    }
}
