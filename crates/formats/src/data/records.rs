//! Uniform records become a table. They are looked at one by one, and those beyond the rows that are written only counted.

use std::borrow::Cow;

use super::{Value, joined_scalars};
use crate::Writer;
use crate::sheet::{Cell, MOST_ROWS, Row, Table, kind_of, summarize, whole_row, write_beginning};
use crate::writer::tidy;

/// The most bytes of a cell in a table; records with longer texts are sections.
const SHORT_CELL: usize = 300;
/// The most columns of a table of records.
const MOST_COLUMNS: usize = 40;

/// Writes uniform records as a table. Returns `false` if they are not uniform, or hold more than single values.
pub(super) fn write(page: &mut Writer, level: usize, elements: &[Value]) -> bool {
    let Some(Uniform { names, rows: total }) = Uniform::of(elements) else { return false };
    let rows = || {
        let rows = elements.iter().enumerate().map(|(index, one)| row(index + 1, one, &names));
        rows.filter(|row| !row.cells.is_empty())
    };
    let first: Vec<Row> = rows().take(MOST_ROWS).collect();
    let head = names.iter().map(|name| tidy(name.trim_start_matches('\0'))).collect();
    let columns = (0..names.len()).collect();
    let beginning = first.iter().map(whole_row).collect();
    let table = Table { head, columns, rows: beginning, groups: None };
    write_beginning(page, level, &table, total, || summarize(&table.head, total, rows()));
    true
}

/// What records of single values have in common.
struct Uniform {
    /// Their keys, in the order in which they come.
    names: Vec<String>,
    /// How many of them hold anything.
    rows: usize,
}

impl Uniform {
    fn of(elements: &[Value]) -> Option<Uniform> {
        if elements.len() < 2 {
            return None;
        }
        let (mut names, mut rows, mut filled): (Vec<String>, _, _) = (Vec::new(), 0, 0);
        for element in elements {
            let element = element.opened();
            let Value::Map(entries) = &*element else { return None };
            let mut is_blank = true;
            for (key, value) in entries {
                let value = value.opened();
                let text = words(&value)?;
                if text.len() > SHORT_CELL || text.contains("\n\n") {
                    return None;
                }
                is_blank &= text.trim().is_empty();
                if !names.contains(key) {
                    names.push(key.clone());
                }
                filled += 1;
            }
            rows += usize::from(!is_blank);
            if names.len() > MOST_COLUMNS {
                return None;
            }
        }
        // A table with more blanks than values is harder to read than sections.
        let is_table = names.len() > 1 && filled * 2 >= names.len() * elements.len();
        is_table.then_some(Uniform { names, rows })
    }
}

/// Returns a single value, or a list of them, as it stands in a cell.
fn words<'v>(value: &'v Value) -> Option<Cow<'v, str>> {
    match value {
        Value::List(inner) => joined_scalars(inner).map(Cow::Owned),
        single => single.scalar(),
    }
}

/// Returns a record as a row; of two values of one key the last counts.
fn row(number: usize, record: &Value, names: &[String]) -> Row {
    let record = record.opened();
    let Value::Map(entries) = &*record else { return Row { number, cells: Vec::new() } };
    let mut cells: Vec<(usize, Cell)> = Vec::with_capacity(entries.len());
    for (key, value) in entries.iter().rev() {
        let Some(column) = names.iter().position(|name| name == key) else { continue };
        let value = value.opened();
        let text = words(&value).unwrap_or_default();
        let text = text.trim();
        if !text.is_empty() {
            cells.push((column, Cell { text: text.into(), kind: kind_of(text) }));
        }
    }
    cells.sort_by_key(|(column, _)| *column);
    cells.dedup_by_key(|(column, _)| *column);
    Row { number, cells }
}
