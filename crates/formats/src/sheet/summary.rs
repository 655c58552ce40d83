//! What the columns of a long table hold.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use super::grid::{Kind, Row};
use super::number::{general, grouped};
use super::table::Table;
use crate::struck::is_struck;
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
    let line = |(name, column): (&String, &usize)| {
        let mut summary: Column<&str> = Column::default();
        for cell in table.rows.iter().filter_map(|row| row.cell(*column)) {
            summary.add(cell.kind, &cell.text, |text| text);
        }
        summary.line(name, table.rows.len())
    };
    let mut lines: Vec<String> = pairs.map(line).collect();
    if table.columns.len() > MOST_COLUMNS {
        lines.push(format!("and {} more columns", table.columns.len() - MOST_COLUMNS));
    }
    lines
}

/// Returns such lines for `total` rows that are not in memory, with a column for each name.
pub(crate) fn of_rows(
    names: &[String],
    total: usize,
    rows: impl Iterator<Item = Row>,
) -> Vec<String> {
    let mut summaries: Vec<Column<Box<str>>> = names.iter().map(|_| Column::default()).collect();
    for (column, cell) in rows.flat_map(|row| row.cells) {
        if let Some(summary) = summaries.get_mut(column) {
            summary.add(cell.kind, &cell.text, Box::from);
        }
    }
    names.iter().zip(summaries).map(|(name, summary)| summary.line(name, total)).collect()
}

/// What is known of the values of a column; those that are kept are of type `K`.
#[derive(Default)]
struct Column<K> {
    counts: HashMap<K, usize>,
    values: usize,
    uncounted: bool,
    numbers: usize,
    dates: usize,
    /// The lowest and the highest number.
    range: Option<(f64, f64)>,
    /// The first and the last date.
    days: Option<(K, K)>,
}

impl<K: Borrow<str> + Hash + Eq> Column<K> {
    fn add<'t>(&mut self, kind: Kind, text: &'t str, keep: impl Fn(&'t str) -> K) {
        self.values += 1;
        match kind {
            // It does not count.
            _ if is_struck(text) => {}
            Kind::Number(value) => {
                self.numbers += 1;
                let (low, high) = self.range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
                self.range = Some((low.min(value), high.max(value)));
            }
            Kind::Date => {
                self.dates += 1;
                match &mut self.days {
                    Some((first, _)) if text < (*first).borrow() => *first = keep(text),
                    Some((_, last)) if text > (*last).borrow() => *last = keep(text),
                    Some(_) => {}
                    None => self.days = Some((keep(text), keep(text))),
                }
            }
            Kind::Text | Kind::Flag | Kind::Error => {}
        }
        let count = self.counts.len();
        match self.counts.get_mut(text) {
            Some(known) => *known += 1,
            None if count < MOST_DISTINCT => {
                self.counts.insert(keep(text), 1);
            }
            None => self.uncounted = true,
        }
    }

    fn line(&self, name: &str, rows: usize) -> String {
        let Column { values, numbers, dates, .. } = *self;
        let is_mostly = |count: usize| values > 0 && count * 10 >= values * 9;
        let (kind, range) = if is_mostly(numbers) {
            let (low, high) = self.range.unwrap_or_default();
            ("numbers", Some(format!("from {} to {}", general(low), general(high))))
        } else if is_mostly(dates) {
            let days = self.days.as_ref().map(|(first, last)| (first.borrow(), last.borrow()));
            ("dates", days.map(|(first, last): (&str, &str)| format!("from {first} to {last}")))
        } else if numbers + dates > 0 {
            ("texts and numbers", None)
        } else {
            ("texts", None)
        };
        let blank = rows - values;
        let over = if self.uncounted { "more than " } else { "" };
        let mut parts = vec![format!(
            "{} {kind}, {} blank, {over}{} distinct",
            grouped(&values.to_string()),
            grouped(&blank.to_string()),
            grouped(&self.counts.len().to_string())
        )];
        parts.extend(range);
        let mut frequent: Vec<(&str, usize)> = self
            .counts
            .iter()
            .map(|(value, count)| (value.borrow(), *count))
            .filter(|(_, count)| *count > 1)
            .collect();
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
}

fn shortened(value: &str) -> String {
    let value = tidy(value);
    match value.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value,
    }
}
