//! What the columns of a long table hold.

use std::collections::HashMap;

use super::grid::Kind;
use super::number::{general, grouped};
use super::table::Table;
use crate::writer::tidy;

/// The most columns that are summarized.
const MOST_COLUMNS: usize = 200;
/// The most distinct values that are counted of a column.
const MOST_DISTINCT: usize = 100_000;
/// How many of the most frequent values are given.
const MOST_FREQUENT: usize = 5;
/// The most characters of a value that are given.
const LONGEST: usize = 60;

/// Returns a line for each column: its name, kind, counts, range and most frequent values.
pub(crate) fn columns(table: &Table) -> Vec<String> {
    let pairs = table.head.iter().zip(&table.columns).take(MOST_COLUMNS);
    let mut lines: Vec<String> = pairs.map(|(name, column)| line(table, name, *column)).collect();
    if table.columns.len() > MOST_COLUMNS {
        lines.push(format!("and {} more columns", table.columns.len() - MOST_COLUMNS));
    }
    lines
}

fn line(table: &Table, name: &str, column: usize) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut values, mut uncounted) = (0_usize, false);
    let (mut numbers, mut dates) = (0_usize, 0_usize);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut first, mut last): (Option<&str>, Option<&str>) = (None, None);
    for cell in table.rows.iter().filter_map(|row| row.cell(column)) {
        values += 1;
        match cell.kind {
            Kind::Number(value) => {
                numbers += 1;
                low = low.min(value);
                high = high.max(value);
            }
            Kind::Date => {
                dates += 1;
                first = Some(first.map_or(&*cell.text, |first| first.min(&cell.text)));
                last = Some(last.map_or(&*cell.text, |last| last.max(&cell.text)));
            }
            Kind::Text | Kind::Flag | Kind::Error => {}
        }
        let count = counts.len();
        match counts.get_mut(&*cell.text) {
            Some(known) => *known += 1,
            None if count < MOST_DISTINCT => {
                counts.insert(&cell.text, 1);
            }
            None => uncounted = true,
        }
    }
    let is_mostly = |count: usize| values > 0 && count * 10 >= values * 9;
    let (kind, range) = if is_mostly(numbers) {
        ("numbers", Some(format!("from {} to {}", general(low), general(high))))
    } else if is_mostly(dates) {
        ("dates", first.zip(last).map(|(first, last)| format!("from {first} to {last}")))
    } else if numbers + dates > 0 {
        ("texts and numbers", None)
    } else {
        ("texts", None)
    };
    let blank = table.rows.len() - values;
    let over = if uncounted { "more than " } else { "" };
    let mut parts = vec![format!(
        "{} {kind}, {} blank, {over}{} distinct",
        grouped(&values.to_string()),
        grouped(&blank.to_string()),
        grouped(&counts.len().to_string())
    )];
    parts.extend(range);
    let mut frequent: Vec<(&str, usize)> =
        counts.into_iter().filter(|(_, count)| *count > 1).collect();
    frequent.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let frequent: Vec<String> = frequent
        .iter()
        .take(MOST_FREQUENT)
        .map(|(value, count)| format!("{} ({})", shortened(value), grouped(&count.to_string())))
        .collect();
    if !frequent.is_empty() {
        parts.push(format!("most often {}", frequent.join(", ")));
    }
    let name = if name.is_empty() { "first column" } else { name };
    format!("{name}: {}", parts.join("; "))
}

fn shortened(value: &str) -> String {
    let value = tidy(value);
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value,
    }
}
