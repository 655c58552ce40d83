//! The head rows of a table, the title lines above it and the remarks below it.

use std::collections::HashSet;

use super::grid::{Area, Grid, Kind, column_letters};
use super::region::{RowOf, filled_columns};
use crate::table::{self, Line};
use crate::writer::tidy;

/// The most lines above a table that are taken for its title.
const MOST_TITLES: usize = 12;
/// The most rows that a head has.
const MOST_HEADS: usize = 4;
/// The most characters of a column's name.
const LONGEST_NAME: usize = 120;
/// The most merged areas that are looked at in a head.
const MOST_AREAS: usize = 200;
/// Whole numbers that may be years, which name columns.
const YEARS: std::ops::RangeInclusive<f64> = 1700.0..=2200.0;

/// Returns whether a text may be the name of a column: short words, a year, or nothing.
pub(crate) fn may_name(text: &str) -> bool {
    let kind_names = match super::kind_of(text.trim()) {
        Kind::Text => true,
        Kind::Number(value) => YEARS.contains(&value) && value.fract() == 0.0,
        Kind::Date | Kind::Flag | Kind::Error => false,
    };
    kind_names && text.chars().count() <= LONGEST_NAME
}

/// Returns how many rows at the top are title lines: rows of one cell above wider ones.
pub(crate) fn titles(rows: &[RowOf]) -> usize {
    let widest = rows.iter().take(MOST_TITLES * 2).map(|row| row.cells.len()).max().unwrap_or(0);
    if widest < 2 {
        return 0;
    }
    // A first row with one cell of a table of two columns may be a head row with a blank corner.
    let lone =
        |row: &&RowOf| row.cells.len() == 1 && (widest > 2 || row.cells[0].1.kind == Kind::Text);
    let count = rows.iter().take(MOST_TITLES).take_while(lone).count();
    if rows.len() - count < 2 && widest == 2 { 0 } else { count }
}

/// Returns how many rows at the bottom are remarks: long texts in the first column of a wider table.
pub(crate) fn feet(rows: &[RowOf]) -> usize {
    let columns = filled_columns(rows);
    let Some(first) = columns.first().filter(|_| columns.len() > 1) else { return 0 };
    let is_remark = |row: &&RowOf| {
        let is_alone = row.cells.len() == 1 && row.cells[0].0 == *first;
        is_alone && row.cells[0].1.kind == Kind::Text && row.text(*first).contains(' ')
    };
    let count = rows.iter().rev().take_while(is_remark).count();
    if count == rows.len() { 0 } else { count }
}

/// Returns whether two columns are keys with a colon and their values.
pub(crate) fn is_form(rows: &[RowOf], columns: &[usize]) -> bool {
    let [key, _] = columns else { return false };
    let named = rows.iter().filter(|row| row.text(*key).trim_end().ends_with([':', '：'])).count();
    rows.len() > 1 && named * 3 >= rows.len() * 2
}

/// The names of a table's columns.
pub(crate) struct Head {
    /// How many rows it takes; 0 if the columns are named by their letters, or not at all.
    pub(crate) rows: usize,
    pub(crate) names: Vec<String>,
}

/// Finds the head of a table of these columns.
pub(crate) fn find(rows: &[RowOf], columns: &[usize], grid: &Grid) -> Head {
    let merges = &grid.merges;
    let lettered =
        || Head { rows: 0, names: columns.iter().map(|at| column_letters(*at)).collect() };
    let is_form = || {
        let looked_at = rows.iter().take(1 + table::LOOKED_AT);
        let texts = looked_at.map(|row| columns.iter().map(|column| row.text(*column)).collect());
        table::may_be_form(&texts.collect::<Vec<Vec<&str>>>())
    };
    if !grid.has_records && columns.len() == 2 && is_form() {
        return Head { rows: 0, names: vec![String::new(); columns.len()] };
    }
    let Some(first) = rows.first() else { return lettered() };
    let last = rows[..rows.len().min(MOST_HEADS)].last().map_or(first.number, |row| row.number);
    let is_near = |area: &&Area| area.rows.0 <= last && area.rows.1 >= first.number;
    let merges: Vec<Area> = merges.iter().filter(is_near).take(MOST_AREAS).copied().collect();
    let merges = merges.as_slice();
    if rows.len() < 2 || !is_head(first, rows, columns, merges) {
        return lettered();
    }
    let mut count = 1;
    while count < MOST_HEADS && count + 1 < rows.len() && is_joined(rows, count, columns, merges) {
        count += 1;
    }
    let names = columns.iter().map(|column| name(&rows[..count], *column, columns, merges));
    let mut names: Vec<String> = names.collect();
    // A column without a name gets its letters, except the first, where a blank corner is usual.
    for (index, column) in columns.iter().enumerate().skip(1) {
        if names[index].is_empty() {
            names[index] = column_letters(*column);
        }
    }
    Head { rows: count, names }
}

/// Returns the groups of the rows below a head, as [`table::groups`] does: a cell that is merged over all columns names the rows below.
pub(crate) fn groups(
    rows: &[RowOf],
    columns: &[usize],
    merges: &[Area],
) -> Option<Vec<Option<String>>> {
    let (first, last) = (*columns.first()?, *columns.last()?);
    let is_wide = |area: &&Area| {
        area.rows.0 == area.rows.1
            && area.columns.0 == first
            && area.columns.1 >= last
            && first < last
    };
    let wide: HashSet<usize> = merges.iter().filter(is_wide).map(|area| area.rows.0).collect();
    if wide.is_empty() {
        return None;
    }
    let lines = rows.iter().map(|row| Line {
        label: row.cells.first().map_or("", |(_, cell)| &cell.text),
        is_whole: row.cells.len() == 1 && wide.contains(&row.number),
        part: 0,
    });
    table::groups(&lines.collect::<Vec<Line>>())
}

fn is_head(first: &RowOf, rows: &[RowOf], columns: &[usize], merges: &[Area]) -> bool {
    let may_name = |kind: Kind| match kind {
        Kind::Text => true,
        Kind::Number(value) => YEARS.contains(&value) && value.fract() == 0.0,
        Kind::Date => true,
        Kind::Flag | Kind::Error => false,
    };
    let is_short = |text: &str| text.chars().count() <= LONGEST_NAME;
    if !first.cells.iter().all(|(_, cell)| may_name(cell.kind) && is_short(&cell.text)) {
        return false;
    }
    let texts = first.cells.iter().filter(|(_, cell)| cell.kind == Kind::Text).count();
    let below = &rows[1..rows.len().min(50)];
    // Rows of years or dates above rows of years or dates are values.
    if texts < first.cells.len() {
        let is_repeated =
            first.cells.iter().filter(|(_, cell)| cell.kind != Kind::Text).any(|(column, cell)| {
                below.iter().filter_map(|row| row.cell(*column)).any(|other| {
                    match (cell.kind, other.kind) {
                        (Kind::Date, Kind::Date) => true,
                        (Kind::Number(_), Kind::Number(value)) => {
                            YEARS.contains(&value) && value.fract() == 0.0
                        }
                        _ => false,
                    }
                })
            });
        if is_repeated || texts == 0 && first.cells.len() < 3 {
            return false;
        }
    }
    // Most columns have a name, or the names stand above a table that is wider only by its row names, or groups of columns have one.
    first.cells.len() * 2 >= columns.len()
        || first.cells.len() + 1 == columns.len()
        || is_merged_row(first, merges)
}

/// Returns whether the row at `count` belongs to the head above it.
fn is_joined(rows: &[RowOf], count: usize, columns: &[usize], merges: &[Area]) -> bool {
    let (above, row) = (&rows[count - 1], &rows[count]);
    let are_names = row.cells.iter().all(|(_, cell)| match cell.kind {
        Kind::Text => cell.text.chars().count() <= LONGEST_NAME,
        Kind::Number(value) => YEARS.contains(&value) && value.fract() == 0.0,
        Kind::Date | Kind::Flag | Kind::Error => false,
    });
    if !are_names {
        return false;
    }
    let spans = |area: &&Area| {
        area.rows.0 <= above.number
            && area.rows.1 >= above.number
            && area.columns.1 > area.columns.0
            && above.cell(area.columns.0).is_some()
    };
    let has_span = merges.iter().any(|area| {
        spans(&area)
            && row
                .cells
                .iter()
                .filter(|(at, _)| (area.columns.0..=area.columns.1).contains(at))
                .count()
                > 1
    });
    let reaches_down = merges.iter().any(|area| {
        area.rows.0 <= above.number
            && area.rows.1 >= row.number
            && above.cell(area.columns.0).is_some()
    });
    if has_span || reaches_down && row.cells.len() == columns.len() {
        return true;
    }
    // Without merged cells, groups stand above a full row of names, which stands above numbers.
    let numbers = rows
        .get(count + 1)
        .is_some_and(|below| below.cells.iter().any(|(_, cell)| !matches!(cell.kind, Kind::Text)));
    let is_full = row.cells.len() == columns.len() && above.cells.len() < columns.len();
    let is_group = above.cells.len() > 1
        || above.cells.first().is_some_and(|(at, _)| Some(at) != columns.first());
    numbers && is_full && is_group && rows.len() > count + 2
}

/// Returns a column's name: the texts of the head rows, those of groups repeated for each of their columns.
fn name(heads: &[RowOf], column: usize, columns: &[usize], merges: &[Area]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (index, row) in heads.iter().enumerate() {
        let is_last = index + 1 == heads.len();
        let mut text = row.text(column);
        if text.is_empty() && !is_last {
            let area = merges.iter().find(|area| {
                (area.rows.0..=area.rows.1).contains(&row.number)
                    && (area.columns.0..=area.columns.1).contains(&column)
            });
            text = match area {
                Some(area) => row.text(area.columns.0),
                None if Some(&column) == columns.first() => "",
                None if is_merged_row(row, merges) => "",
                None => row
                    .cells
                    .iter()
                    .rev()
                    .find(|(at, _)| *at < column)
                    .map_or("", |(_, cell)| &cell.text),
            };
        }
        let text = tidy(text);
        if !text.is_empty() && parts.last() != Some(&text) {
            parts.push(text);
        }
    }
    parts.join(" ")
}

fn is_merged_row(row: &RowOf, merges: &[Area]) -> bool {
    merges.iter().any(|area| {
        (area.rows.0..=area.rows.1).contains(&row.number) && area.columns.1 > area.columns.0
    })
}
