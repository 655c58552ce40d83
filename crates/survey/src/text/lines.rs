//! Tables as comma-separated lines for other programs.

use csv::WriterBuilder;

use super::one_line;
use crate::figure::Level;
use crate::table::{Row, RowKind, Table};

/// The header line.
const NAMES: [&str; 19] = [
    "study",
    "question",
    "text",
    "row",
    "row_kind",
    "group",
    "column",
    "letter",
    "value",
    "weighted_count",
    "interval_low",
    "interval_high",
    "higher_than",
    "respondents",
    "base",
    "weighted_base",
    "effective_base",
    "base_level",
    "weight",
];

/// Returns tables as comma-separated lines, one for each cell of each table, with everything that is known of it.
///
/// Numbers have a decimal point and up to twelve digits, and what is smaller than 1e-12 is 0; shares are proportions
/// from 0 to 1. A text that a spreadsheet would take for a formula is prefixed with an apostrophe.
pub fn lines(tables: &[Table]) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory does not fail, and neither does a line with as many fields as the first.
    let _ = writer.write_record(NAMES);
    for table in tables {
        for row in &table.rows {
            for place in 0..table.columns.len() {
                let _ = writer.write_record(line(table, row, place));
            }
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn line(table: &Table, row: &Row, place: usize) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), number);
    let cell = row.cells.get(place).cloned().unwrap_or_default();
    let mut line = vec![
        safe(&table.study),
        safe(&table.question),
        safe(&table.text),
        safe(&row.label),
        row_kind(row.kind).to_owned(),
    ];
    let Some(column) = table.columns.get(place) else { return line };
    line.extend([
        safe(&column.group),
        safe(&column.label),
        safe(&column.letter),
        number(cell.value),
        number(cell.count),
        number(cell.interval.map(|(low, _)| low)),
        number(cell.interval.map(|(_, high)| high)),
        safe(&cell.letters),
        column.respondents.to_string(),
        column.base.unweighted.to_string(),
        number(Some(column.base.weighted)),
        number(Some(column.base.effective)),
        level(column.level).to_owned(),
        safe(table.weight.as_deref().unwrap_or_default()),
    ]);
    line
}

/// Writes a number without the last digits, which are rounding noise: 0.1 + 0.2 is 0.3, and 1 - 0.9 - 0.1 is 0.
fn number(number: f64) -> String {
    if number.abs() < 1e-12 {
        return "0".to_owned();
    }
    let told: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    told.to_string()
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Fine => "fine",
        Level::Low => "low",
        Level::TooLow => "too_low",
    }
}

pub(crate) fn row_kind(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Net => "net",
        RowKind::Answer => "answer",
        RowKind::Boxed => "boxed",
        RowKind::Nps => "nps",
        RowKind::Mean => "mean",
        RowKind::Median => "median",
        RowKind::Sd => "sd",
        RowKind::Se => "se",
        RowKind::ScoredBase => "scored_base",
        RowKind::Sigma => "sigma",
        RowKind::NoAnswer => "no_answer",
        RowKind::Blank => "blank",
    }
}

/// Returns a text that no spreadsheet takes for a formula.
fn safe(text: &str) -> String {
    let line = one_line(text);
    match line.chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => format!("'{line}"),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::example;

    // proves: B7
    #[test]
    fn every_cell_of_every_table_is_a_line_that_reads_back() {
        let table = example::table();
        let text = lines(&[table.clone(), table.clone()]);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), NAMES);
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 2 * table.rows.len() * table.columns.len());
        let cells = table.rows.iter().flat_map(|row| &row.cells);
        for (record, cell) in records.iter().zip(cells) {
            let near = |told: &str, exact: Option<f64>| match exact {
                Some(exact) => (told.parse::<f64>().unwrap() - exact).abs() <= 1e-11 * exact.abs(),
                None => told.is_empty(),
            };
            assert!(near(&record[8], cell.value), "{record:?}");
            assert!(near(&record[10], cell.interval.map(|(low, _)| low)), "{record:?}");
            assert_eq!(&record[12], cell.letters);
        }
        insta::assert_snapshot!(text.lines().take(7).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn numbers_are_told_without_the_noise_of_their_computation() {
        for (value, told) in [
            (0.1 + 0.2, "0.3"),
            (1.0 - 0.9 - 0.1, "0"),
            (-1e-17, "0"),
            (-0.0, "0"),
            (2e-12, "0.000000000002"),
            (203.999_999_999_999_97, "204"),
            (2.0 / 3.0, "0.666666666667"),
            (-1_234_567.25, "-1234567.25"),
        ] {
            assert_eq!(number(value), told);
        }
    }

    #[test]
    fn no_text_is_a_formula_and_every_number_is_a_number() {
        let mut table = example::table();
        for (label, safe) in [
            ("=1+1", "'=1+1"),
            ("\t=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("\r@SUM(A1)", "'@SUM(A1)"),
            ("+49", "'+49"),
            ("-1 to 0", "'-1 to 0"),
            ("18-34", "18-34"),
        ] {
            table.rows[4].label = label.into();
            table.columns[2].label = label.into();
            let text = lines(std::slice::from_ref(&table));
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let record = reader.records().map(Result::unwrap).nth(4 * 5 + 2).unwrap();
            assert_eq!((&record[3], &record[6], &record[8]), (safe, safe, "-0.05"));
        }
    }
}
