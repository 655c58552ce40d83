//! Banner tables as text: for a terminal, as Markdown, and as lines for other programs.
//!
//! Shares are shown in whole percent and means with two decimals (one for numeric questions), halves rounded away from
//! zero; NPS is shown in points. Lines for other programs have twelve digits of every number instead.

mod lines;
mod markdown;
mod plain;

pub use lines::lines;
pub use markdown::markdown;
pub use plain::plain;

use crate::figure::Level;
use crate::study::Kind;
use crate::table::{Heading, Row, RowKind, Table};

/// The mark of a low base.
pub(crate) const LOW: &str = "*";
/// The mark of a base that is too low to report anything.
pub(crate) const TOO_LOW: &str = "**";

/// Returns the mark of a base.
pub(crate) fn choose_mark(level: Level) -> &'static str {
    match level {
        Level::Fine => "",
        Level::Low => LOW,
        Level::TooLow => TOO_LOW,
    }
}

/// Returns the heading of a table: study, question, and its words.
pub(crate) fn title(table: &Table) -> String {
    let Table { study, question, text, .. } = table;
    match text.trim() {
        "" => one_line(&format!("{study} · {question}")),
        text => one_line(&format!("{study} · {question}: {text}")),
    }
}

/// A line of bases: its label, and its number in each column.
pub(crate) struct Bases {
    pub(crate) label: &'static str,
    pub(crate) of: fn(&Heading) -> f64,
    /// Whether this line has the marks of low bases.
    pub(crate) marked: bool,
}

/// The lines of bases at the beginning of every table.
pub(crate) const BASES: [Bases; 4] = [
    Bases { label: "Respondents", of: |column| column.respondents as f64, marked: false },
    Bases { label: "Base: answered", of: |column| column.base.unweighted as f64, marked: true },
    Bases { label: "Weighted base", of: |column| column.base.weighted, marked: false },
    Bases { label: "Effective base", of: |column| column.base.effective, marked: false },
];

/// Returns how many decimals a number has in such a row.
pub(crate) fn choose_digits(kind: Kind, row: RowKind) -> usize {
    match row {
        RowKind::Net | RowKind::Answer | RowKind::Boxed | RowKind::Sigma => 0,
        RowKind::NoAnswer | RowKind::Blank | RowKind::Nps | RowKind::ScoredBase => 0,
        RowKind::Mean | RowKind::Median | RowKind::Sd | RowKind::Se => match kind {
            Kind::Numeric => 1,
            Kind::Single | Kind::Multi | Kind::Scale | Kind::Open => 2,
        },
    }
}

/// Returns the value of a cell for readers; a dash if there is none, the mark if its base is too low.
fn value(table: &Table, row: &Row, place: usize) -> String {
    let level = table.columns.get(place).map_or(Level::Fine, |column| column.level);
    match row.cells.get(place).and_then(|cell| cell.value) {
        None if level == Level::TooLow => TOO_LOW.to_owned(),
        None => "–".to_owned(),
        Some(value) if row.kind == RowKind::Nps => {
            let points = rounded(value * 100.0, 0);
            if points > 0.0 { format!("+{points:.0}") } else { format!("{points:.0}") }
        }
        Some(value) if row.kind == RowKind::ScoredBase => people(value),
        Some(value) if row.kind.is_share() => format!("{:.0} %", rounded(value * 100.0, 0)),
        Some(value) => {
            let digits = choose_digits(table.kind, row.kind);
            format!("{:.digits$}", rounded(value, digits))
        }
    }
}

fn letters(row: &Row, place: usize) -> &str {
    row.cells.get(place).map_or("", |cell| cell.letters.as_str())
}

/// Rounds to `digits` decimals, halves away from zero, and never to a negative zero.
///
/// A value that is a half except for the last bits of its binary form counts as a half: 0.285 is shown as 29 %, not as 28 %.
fn rounded(value: f64, digits: usize) -> f64 {
    let scale = 10_f64.powi(digits as i32);
    let scaled = value * scale;
    let rounded = (scaled + (scaled.abs() * 1e-14 + 1e-12).copysign(scaled)).round() / scale;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Returns a number of people: whole, with separated thousands.
fn people(number: f64) -> String {
    let digits = format!("{:.0}", rounded(number, 0));
    let (sign, digits) =
        digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let mut apart = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        let left = digits.len() - place;
        if place > 0 && left.is_multiple_of(3) && digit.is_ascii_digit() {
            apart.push(',');
        }
        apart.push(digit);
    }
    apart
}

/// Returns a text on one line, without control characters.
pub(crate) fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod example {
    //! A table with an example of everything.

    use crate::figure::{Base, Level};
    use crate::study::Kind;
    use crate::table::{Cell, Heading, Row, RowKind, Table};

    fn heading(group: &str, label: &str, letter: &str, people: u64, level: Level) -> Heading {
        let base = Base {
            unweighted: people,
            weighted: people as f64 * 1.01,
            effective: people as f64 * 0.93,
        };
        Heading {
            group: group.into(),
            label: label.into(),
            letter: letter.into(),
            base,
            respondents: people + 4,
            level,
        }
    }

    fn row(label: &str, kind: RowKind, cells: [(f64, &str); 5]) -> Row {
        let cell = |(value, letters): (f64, &str)| Cell {
            value: Some(value).filter(|value| !value.is_nan()),
            count: kind.is_share().then_some(value * 100.0).filter(|count| !count.is_nan()),
            interval: (!value.is_nan()).then_some((value - 0.04, value + 0.04)),
            letters: letters.into(),
        };
        Row {
            label: label.into(),
            kind,
            member: ["Very satisfied", "Rather satisfied"].contains(&label),
            cells: cells.map(cell).into(),
        }
    }

    /// Satisfaction by gender and age, with a low base and one that is too low.
    pub(crate) fn table() -> Table {
        let none = f64::NAN;
        Table {
            study: "W2".into(),
            question: "Q5".into(),
            text: "All in all, how satisfied are you with the city's buses?".into(),
            kind: Kind::Scale,
            weight: Some("weight".into()),
            columns: vec![
                heading("", "Total", "", 1250, Level::Fine),
                heading("Gender", "Female", "A", 640, Level::Fine),
                heading("Gender", "Male", "B", 521, Level::Fine),
                heading("Gender", "Another description", "C", 64, Level::Low),
                heading("Where do you live?", "Outside the city", "D", 25, Level::TooLow),
            ],
            rows: vec![
                row("Satisfied", RowKind::Net, [(0.615, ""), (0.655, "B"), (0.572, ""), (0.6, ""), (none, "")]),
                row("Very satisfied", RowKind::Answer, [(0.285, ""), (0.31, "b"), (0.255, ""), (0.28, ""), (none, "")]),
                row("Rather satisfied", RowKind::Answer, [(0.33, ""), (0.345, ""), (0.317, ""), (0.32, ""), (none, "")]),
                row("Not satisfied", RowKind::Answer, [(0.385, ""), (0.345, ""), (0.428, "A"), (0.4, ""), (none, "")]),
                row("Net promoter score", RowKind::Nps, [(0.125, ""), (0.2, "b"), (-0.05, ""), (0.0, ""), (none, "")]),
                row("Mean", RowKind::Mean, [(3.715, ""), (3.9, "B"), (3.5, ""), (3.45, ""), (none, "")]),
                row("Sigma", RowKind::Sigma, [(1.0, ""), (1.0, ""), (1.0, ""), (1.0, ""), (none, "")]),
            ],
            intervals: None,
            footer: vec![
                "Weighted by weight.".into(),
                "Letters: pooled z test on Kish's effective base, small at 5 %, capital at 1 %, no correction.".into(),
                "* base below 100; ** base below 30, not told and not tested.".into(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: B5
    #[test]
    fn halves_are_rounded_away_from_zero_and_zero_has_no_sign() {
        for (value, digits, comes_to) in [
            (28.499_999_999_999_996, 0, "29"),
            (28.49, 0, "28"),
            (-28.5, 0, "-29"),
            (-0.2, 0, "0"),
            (3.715, 2, "3.72"),
            (2.5, 0, "3"),
        ] {
            assert_eq!(format!("{:.digits$}", rounded(value, digits)), comes_to, "{value}");
        }
        assert_eq!(people(1_234_567.4), "1,234,567");
        assert_eq!(people(999.6), "1,000");
        assert_eq!(people(12.0), "12");
    }

    proptest! {
        #[test]
        fn what_is_told_is_never_further_from_the_truth_than_half_a_step(
            value in -1e6..1e6_f64, digits in 0_usize..4,
        ) {
            let step = 10_f64.powi(-(digits as i32));
            prop_assert!((rounded(value, digits) - value).abs() <= step / 2.0 + 1e-4 * step);
        }

        #[test]
        fn a_text_on_one_line_steers_nothing(text in any::<String>()) {
            let line = one_line(&text);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert_eq!(one_line(&line), line.clone());
        }
    }
}
