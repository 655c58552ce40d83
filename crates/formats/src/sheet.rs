//! Sheets become sections with tables, whose rows can be read and cited alone.
//!
//! A reader of a format fills a [`Grid`] with the cells as its program shows them. [`section`] finds the tables in it, their titles and
//! head rows, and writes them. A long table is written in parts that repeat the head row; a very long one by its first rows and a
//! summary of its columns.

pub(crate) mod csv;
mod date;
mod fraction;
mod grid;
mod head;
mod number;
pub(crate) mod ods;
mod region;
mod stream;
mod summary;
mod table;
pub(crate) mod xlsx;

pub(crate) use csv::kind as kind_of;
pub(crate) use grid::{Budget, Cell, Grid, Kind, Row};
use grid::{Formulas, column_letters};
pub(crate) use head::may_name;
pub(crate) use region::whole as whole_row;
pub(crate) use summary::of_rows as summarize;
pub(crate) use table::{MOST_ROWS, Table, write as write_table, write_beginning};

use crate::Writer;
use crate::writer::tidy;
use region::Region;

/// A text of more characters is a paragraph of its own rather than an item of a list.
const LONG_TEXT: usize = 80;

/// Writes a grid: its title lines and tables with `level` as the level of the headings of their parts, then its notes.
pub(crate) fn section(page: &mut Writer, level: usize, grid: &mut Grid) {
    grid.fill_merged();
    // It comes first, as what follows counts only what was read.
    if grid.unread_rows > 0 {
        let rows = counted(grid.unread_rows, "row");
        page.leave_out(format!("the last {rows} of a sheet"));
        page.paragraph(&format!(
            "This sheet is too large to be read whole: its last {rows} were not read."
        ));
    }
    page.paragraph(&unknown_results(&grid.formulas));
    let regions = region::find(grid);
    for (index, region) in regions.iter().enumerate() {
        write_region(page, level, grid, region);
        let is_last = index + 1 == regions.len();
        notes(page, grid, region, is_last);
    }
    if regions.is_empty() {
        notes(page, grid, &Region::default(), true);
    }
    let hidden = [(grid.hidden_rows, "row"), (grid.hidden_columns, "column")];
    let hidden: Vec<String> = hidden
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| counted(*count, what))
        .collect();
    if !hidden.is_empty() {
        page.paragraph(&format!("Hidden and left out here: {}.", hidden.join(" and ")));
    }
}

/// Says which cells are blank because the file has their formulas and not their results.
fn unknown_results(formulas: &Formulas) -> String {
    if formulas.blank == 0 {
        return String::new();
    }
    let cells = counted(formulas.blank, "cell");
    let (are, have) = if formulas.blank == 1 { ("is", "has") } else { ("are", "have") };
    let more = formulas.blank - formulas.places.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let places = formulas.places.join(", ");
    format!(
        "{cells} {have} a formula and no stored result, and {are} blank here: {places}{more}. Open the file in a spreadsheet program \
         and save it there to have the results read."
    )
}

/// Writes rows of texts as a table. The first row is its head.
pub(crate) fn write_rows(page: &mut Writer, level: usize, rows: &[Vec<String>]) {
    let mut grid = Grid::default();
    let mut budget = Budget::unbounded();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let Some((head, body)) = rows.split_first().filter(|_| width > 0) else { return };
    for (index, row) in body.iter().enumerate() {
        for (column, text) in row.iter().enumerate() {
            grid.add(index + 1, column, text, kind_of(text.trim()), &mut budget);
        }
    }
    let mut head = head.clone();
    head.resize(width, String::new());
    let rows = grid.rows.iter().map(whole_row).collect();
    write_table(page, level, &Table { head, columns: (0..width).collect(), rows, groups: None });
}

/// Returns a count with its noun: `1 row`, `2,000 rows`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number::grouped(&count.to_string()))
}

fn write_region(page: &mut Writer, level: usize, grid: &Grid, region: &Region) {
    let mut rows = region.rows(grid);
    let titles = head::titles(&rows);
    for row in rows.drain(..titles) {
        page.paragraph(&row.words());
    }
    let feet = head::feet(&rows);
    let after = rows.split_off(rows.len() - feet);
    let columns = region::filled_columns(&rows);
    if columns.len() == 1 {
        single_column(page, level, &rows, columns[0]);
    } else if head::is_form(&rows, &columns) {
        for row in &rows {
            let (key, value) = (row.text(columns[0]), row.text(columns[1]));
            let key = key.trim().trim_end_matches([':', '：']);
            let line = if key.is_empty() { value.to_owned() } else { format!("{key}: {value}") };
            page.item(0, "-", &line);
        }
    } else if !rows.is_empty() {
        let head = head::find(&rows, &columns, grid);
        let body = rows.split_off(head.rows.min(rows.len()));
        let groups = head::groups(&body, &columns, &grid.merges);
        write_table(page, level, &Table { head: head.names, columns, rows: body, groups });
    }
    for row in after {
        page.paragraph(&row.words());
    }
}

/// Writes a block of one column: a table if numbers follow a name, else a list or paragraphs.
fn single_column(page: &mut Writer, level: usize, rows: &[region::RowOf], column: usize) {
    let is_text =
        |row: &region::RowOf| row.cell(column).is_some_and(|cell| cell.kind == Kind::Text);
    let numbers = rows.iter().skip(1).filter(|row| !is_text(row)).count();
    if rows.len() > 2 && rows.first().is_some_and(is_text) && numbers * 2 > rows.len() {
        let head = vec![tidy(rows[0].text(column))];
        let rows = rows[1..].to_vec();
        let table = Table { head, columns: vec![column], rows, groups: None };
        return write_table(page, level, &table);
    }
    let bytes: usize = rows.iter().map(|row| row.text(column).len()).sum();
    if rows.len() > table::MOST_ROWS || bytes > table::MOST_BYTES {
        let head = vec![column_letters(column)];
        let rows = rows.to_vec();
        let table = Table { head, columns: vec![column], rows, groups: None };
        return write_table(page, level, &table);
    }
    let lengths: usize = rows.iter().map(|row| row.text(column).chars().count()).sum();
    let is_list = rows.len() > 2 && lengths / rows.len() < LONG_TEXT;
    for row in rows {
        if is_list {
            page.item(0, "-", &tidy(row.text(column)));
        } else {
            page.paragraph(row.text(column));
        }
    }
}

/// Writes the notes on cells of a region, and all that are left after the last one.
fn notes(page: &mut Writer, grid: &Grid, region: &Region, is_last: bool) {
    for note in &grid.notes {
        let is_here = if is_last {
            note.row >= region.first_row || !grid.is_within_any(note.row)
        } else {
            (region.first_row..=region.last_row).contains(&note.row)
                && (region.first_column..=region.last_column).contains(&note.column)
        };
        if is_here {
            let place = format!("{}{}", column_letters(note.column), note.row);
            page.item(0, "-", &format!("{} {place}: {}", note.label, tidy(&note.text)));
        }
    }
}

#[cfg(test)]
mod tests;
