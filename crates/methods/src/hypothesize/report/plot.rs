//! Scores and their intervals as a picture: one row a hypothesis, drawn in the page itself.

use std::fmt::Write as _;

use render::html::escape;
use render::svg::fitted;
use render::{Figure, Line, Table};

/// A hypothesis in the picture. Scores are 1 to 5; what lies outside is drawn at the edge.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) overall: f64,
    /// Where the overall score may lie; the score itself where that is not known.
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Units of the view box. A phone shows it at about one pixel a unit.
const WIDTH: f64 = 360.0;
const MARGIN: f64 = 12.0;
const ROW: f64 = 40.0;
const AXIS: f64 = 28.0;
const LETTER: f64 = 12.0;

/// Returns the rows as a figure; `None` for no rows.
pub(super) fn plot(rows: &[Row]) -> Option<Figure> {
    (!rows.is_empty()).then(|| Figure {
        svg: draw(rows),
        values: Some(tabulate(rows)),
        ..Figure::default()
    })
}

fn tabulate(rows: &[Row]) -> Table {
    let mut table = Table::with(["Id", "Hypothesis", "Overall#", "Interval#"]);
    for Row { id, title, overall, low, high } in rows {
        let figures = [format!("{overall:.1}"), format!("{low:.1}–{high:.1}")];
        table.row([id, title].map(Line::from).into_iter().chain(figures.map(Line::from)));
    }
    table
}

/// Returns the rows as an SVG that fetches nothing and takes its colour from the text around it.
fn draw(rows: &[Row]) -> String {
    let bottom = ROW * rows.len() as f64 + 4.0;
    let height = bottom + AXIS;
    let told: Vec<String> = rows.iter().map(told).collect();
    let mut svg = format!(
        "<svg role=\"img\" aria-labelledby=\"plot-title plot-told\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" fill=\"none\" stroke=\"currentColor\" font-size=\"{LETTER}\">\n\
         <title id=\"plot-title\">Overall scores and their intervals, from 1 (poor) to 5</title>\n\
         <desc id=\"plot-told\">{}</desc>\n",
        told.join("; ")
    );
    for score in 1..=5 {
        let x = across(f64::from(score));
        // Between the titles only, none of which is to be struck through.
        let lines: String =
            (0..rows.len()).map(|row| format!("M{x} {}v16", ROW * row as f64 + 21.0)).collect();
        let _ = writeln!(
            svg,
            "<path d=\"{lines}\" stroke-opacity=\"0.25\"/>\
             <path d=\"M{x} {bottom}v5\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\" stroke=\"none\">{score}</text>",
            bottom + 18.0
        );
    }
    let _ = writeln!(svg, "<path d=\"M{MARGIN} {bottom}H{}\"/>", WIDTH - MARGIN);
    for (index, (row, told)) in rows.iter().zip(told).enumerate() {
        let top = ROW * index as f64;
        let (low, dot, high) = (across(row.low), across(row.overall), across(row.high));
        let (low, high) = (low.min(high), low.max(high));
        let y = top + 29.0;
        let _ = writeln!(
            svg,
            "<g><title>{told}</title>\
             <text x=\"{MARGIN}\" y=\"{}\" fill=\"currentColor\" stroke=\"none\">{}</text>\
             <path d=\"M{low} {y}H{high}\" stroke-width=\"2\"/>\
             <path d=\"M{low} {}v8M{high} {}v8\"/>\
             <circle cx=\"{dot}\" cy=\"{y}\" r=\"4.5\" fill=\"currentColor\" stroke=\"none\"/></g>",
            top + 16.0,
            escape(&label(row)),
            y - 4.0,
            y - 4.0
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Returns where a score stands, to a tenth of a unit.
fn across(score: f64) -> f64 {
    let score = if score.is_finite() { score.clamp(1.0, 5.0) } else { 1.0 };
    let x = MARGIN + (score - 1.0) / 4.0 * (WIDTH - 2.0 * MARGIN);
    (x * 10.0).round() / 10.0
}

/// Returns the row in words.
fn told(row: &Row) -> String {
    let Row { overall, low, high, .. } = row;
    escape(&run::grounding::clean(&format!(
        "{}, {}: {overall:.1} ({low:.1} to {high:.1})",
        row.id, row.title
    )))
}

/// Returns id and title, as much of them as there is room for.
fn label(row: &Row) -> String {
    let whole = run::grounding::clean(&format!("{} {}", row.id, row.title));
    fitted(&whole, (WIDTH - 2.0 * MARGIN) / LETTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use render::svg::breadth;

    fn row(id: &str, title: &str, [low, overall, high]: [f64; 3]) -> Row {
        Row { id: id.into(), title: title.into(), overall, low, high }
    }

    /// Returns every number of the attributes named, with the attribute.
    fn numbers(svg: &str, names: &[&str]) -> Vec<f64> {
        let mut found = Vec::new();
        for name in names {
            for rest in svg.split(&format!(" {name}=\"")).skip(1) {
                let value = rest.split('"').next().unwrap();
                let parts = value.split(|c: char| !(c.is_ascii_digit() || c == '.'));
                found.extend(
                    parts.filter(|part| !part.is_empty()).map(|part| part.parse::<f64>().unwrap()),
                );
            }
        }
        found
    }

    // proves: H8
    #[test]
    fn odd_rows_stay_within_the_picture() {
        let cases = [
            vec![row("H1", "One alone", [3.0, 3.0, 3.0])],
            vec![
                row("H1", &"潮汐".repeat(200), [1.0, 2.0, 5.0]),
                row("H2", &"W".repeat(500), [1.0; 3]),
            ],
            vec![row(&"H".repeat(300), "", [-7.0, 9.0, 1e300]), row("", "", [5.0, 5.0, 5.0])],
            vec![row("H1", "turned around", [4.0, 3.0, 2.0])],
            vec![row("H1", "nowhere", [f64::NAN, f64::NEG_INFINITY, f64::INFINITY])],
        ];
        for rows in cases {
            let svg = draw(&rows);
            let height = ROW * rows.len() as f64 + 4.0 + AXIS;
            assert!(
                numbers(&svg, &["x", "cx"]).into_iter().all(|x| (0.0..=WIDTH).contains(&x)),
                "{svg}"
            );
            assert!(
                numbers(&svg, &["y", "cy"]).into_iter().all(|y| (0.0..=height).contains(&y)),
                "{svg}"
            );
            assert!(
                numbers(&svg, &["d"]).into_iter().all(|at| (0.0..=height.max(WIDTH)).contains(&at)),
                "{svg}"
            );
            assert_eq!(svg.matches("<circle").count(), rows.len());
            for row in &rows {
                let broad: f64 = label(row).chars().map(breadth).sum();
                assert!(broad <= (WIDTH - 2.0 * MARGIN) / LETTER, "{row:?}");
            }
        }
        assert_eq!(plot(&[]), None);
    }

    #[test]
    fn a_title_is_shortened_only_where_it_must_be_and_cannot_leave_its_element() {
        assert_eq!(label(&row("H1", "Short", [1.0; 3])), "H1 Short");
        let long = label(&row("H1", &"a long title ".repeat(10), [1.0; 3]));
        assert!(long.starts_with("H1 a long title a long") && long.ends_with('…'), "{long}");
        let svg = draw(&[row("</title>", "</svg><script>\u{202e}", [1.0; 3])]);
        assert_eq!((svg.matches("</svg>").count(), svg.matches("<script").count()), (1, 0));
        assert!(!svg.contains('\u{202e}'));
    }
}
