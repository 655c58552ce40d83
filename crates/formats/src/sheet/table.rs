//! Writes a table so that each passage of it has its head row.

use super::region::RowOf;
use super::{counted, number, summary};
use crate::Writer;
use crate::writer::tidy;

/// A table of at most this many characters is written in one part; so many fit into a passage.
const PART: usize = 820;
/// The most rows that are written; a longer table is cut and summarized.
pub(crate) const MOST_ROWS: usize = 2_000;
/// The most bytes of rows that are written of one table.
pub(super) const MOST_BYTES: usize = 2 << 20;

pub(crate) struct Table<'a> {
    pub(crate) head: Vec<String>,
    /// The column of each name, counted from 0.
    pub(crate) columns: Vec<usize>,
    pub(crate) rows: Vec<RowOf<'a>>,
    /// The name of each row's group, as [`crate::table::groups`] tells.
    pub(crate) groups: Option<Vec<Option<String>>>,
}

/// Writes a table. Parts of a long one have headings of `level`.
pub(crate) fn write(page: &mut Writer, level: usize, table: &Table) {
    write_beginning(page, level, table, table.rows.len(), || summary::columns(table));
}

/// Writes a table of `total` rows of which the first are known: as many as are written, or all. `summary` tells of the columns of all.
pub(crate) fn write_beginning(
    page: &mut Writer,
    level: usize,
    table: &Table,
    total: usize,
    summary: impl FnOnce() -> Vec<String>,
) {
    let head_size: usize = table.head.iter().map(|name| name.chars().count() + 9).sum();
    let mut parts: Vec<Vec<Vec<String>>> = vec![Vec::new()];
    let mut sizes = head_size;
    let (mut shown, mut bytes) = (0, 0);
    let mut starts: Vec<(usize, usize)> = Vec::new();
    // A part has room for its rows beside a long head, so that heads do not multiply the text.
    let most = PART.max(head_size * 3);
    for (index, row) in table.rows.iter().enumerate() {
        if shown == MOST_ROWS || bytes > MOST_BYTES || bytes * 2 > page.left() {
            break;
        }
        let own = table.columns.iter().map(|column| tidy(row.text(*column)));
        let cells: Vec<String> = match table.groups.as_ref().map(|groups| groups.get(index)) {
            Some(Some(Some(group))) => std::iter::once(tidy(group)).chain(own).collect(),
            // It named the rows below it.
            Some(_) => {
                shown += 1;
                continue;
            }
            None => own.collect(),
        };
        let size: usize = cells.iter().map(|cell| cell.chars().count() + 3).sum::<usize>() + 2;
        if sizes + size > most && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(Vec::new());
            sizes = head_size;
        }
        sizes += size;
        bytes += cells.iter().map(String::len).sum::<usize>() + 3 * cells.len();
        match starts.get_mut(parts.len() - 1) {
            Some((_, last)) => *last = row.number,
            None => starts.push((row.number, row.number)),
        }
        if let Some(part) = parts.last_mut() {
            part.push(cells);
        }
        shown += 1;
    }
    if shown < total {
        cut(page, level, (total, table.columns.len()), shown);
        for line in summary() {
            page.item(0, "-", &line);
        }
    }
    let is_whole = parts.len() == 1;
    for (mut part, (first, last)) in parts.into_iter().zip(starts) {
        if !is_whole {
            page.heading(level, &rows_from(first, last));
        }
        let group = table.groups.as_ref().map(|_| String::new());
        part.insert(0, group.into_iter().chain(table.head.iter().cloned()).collect());
        page.table(&part);
    }
}

/// Says that a table of so many rows and columns is cut, before the summary of its columns.
fn cut(page: &mut Writer, level: usize, (rows, columns): (usize, usize), shown: usize) {
    let total = counted(rows, "row");
    let columns = counted(columns, "column");
    let left_out = counted(rows - shown, "row");
    let given = counted(shown, "row");
    page.leave_out(format!("{left_out} of a table of {total}"));
    page.paragraph(&format!(
        "Of this table, {total} and {columns} were read. Only the first {given} follow below; the other {left_out} are left out. \
         The summary of its columns counts all rows that were read."
    ));
    page.heading(level, "Summary of the columns");
}

fn rows_from(first: usize, last: usize) -> String {
    let [first, last] = [first, last].map(|row| number::grouped(&row.to_string()));
    if first == last { format!("Row {first}") } else { format!("Rows {first}–{last}") }
}
