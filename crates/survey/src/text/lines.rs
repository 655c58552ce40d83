//! Tables as comma-separated lines for other programs.

use csv::WriterBuilder;

use super::one_line;
use crate::figure::Level;
use crate::table::{Row, RowKind, Table};

/// The first line.
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
/// Numbers are in full and with a point; shares are proportions from 0 to 1. A text that a spreadsheet would take for a formula is preceded
/// by an apostrophe.
pub fn lines(tables: &[Table]) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory does not fail; a line that has as many fields as the first one does not either.
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
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value}"));
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
        RowKind::Sigma => "sigma",
        RowKind::NoAnswer => "no_answer",
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
            assert_eq!(record[8].parse().ok(), cell.value);
            assert_eq!(record[10].parse().ok(), cell.interval.map(|(low, _)| low));
            assert_eq!(&record[12], cell.letters);
        }
        insta::assert_snapshot!(text.lines().take(7).collect::<Vec<_>>().join("\n"));
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
