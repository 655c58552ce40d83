//! The cells of a sheet, row by row, as its program shows them.

use std::collections::BTreeMap;

use super::counted;
use crate::Bounds;

/// The most cells that are kept of a file.
const MOST_CELLS: usize = 2_000_000;
/// The most bytes of text in cells for each byte of text that is allowed.
const BYTES_FOR_TEXT: u64 = 4;
/// The most cells, and bytes of text, that merged areas fill in one sheet.
const MOST_FILLED: usize = 500_000;
const MOST_FILLED_BYTES: usize = 16 << 20;

/// The most runs of hidden rows that are kept.
const MOST_HIDDEN: usize = 100_000;

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Text,
    Number(f64),
    Date,
    Flag,
    /// Such as `#N/A`.
    Error,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// As it is shown; never blank.
    pub(crate) text: Box<str>,
    pub(crate) kind: Kind,
}

/// A row with the cells that are not blank.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    /// From 1, as the program shows it.
    pub(crate) number: usize,
    /// By column, counted from 0.
    pub(crate) cells: Vec<(usize, Cell)>,
}

impl Row {
    pub(crate) fn cell(&self, column: usize) -> Option<&Cell> {
        let index = self.cells.binary_search_by_key(&column, |(at, _)| *at).ok()?;
        self.cells.get(index).map(|(_, cell)| cell)
    }
}

/// A rectangle of cells. Rows are counted from 1, columns from 0; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) rows: (usize, usize),
    pub(crate) columns: (usize, usize),
}

/// Words that stand at a cell without being its value.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    /// What it is: a note, a picture's description, a text box.
    pub(crate) label: &'static str,
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// How much of a file's cells may still be kept.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    cells: usize,
    bytes: u64,
}

impl Budget {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self { cells: MOST_CELLS, bytes: bounds.text_bytes.saturating_mul(BYTES_FOR_TEXT) }
    }

    /// Returns a budget for cells that are in memory anyway.
    pub(crate) fn unbounded() -> Self {
        Self { cells: usize::MAX, bytes: u64::MAX }
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.cells == 0
    }

    fn take(&mut self, bytes: usize) -> bool {
        if self.cells == 0 || self.bytes < bytes as u64 {
            // Nothing later is kept either, so that what is kept is the beginning.
            self.cells = 0;
            return false;
        }
        self.cells -= 1;
        self.bytes -= bytes as u64;
        true
    }
}

/// What is known of the formulas of a sheet.
#[derive(Debug, Default, Clone)]
pub(crate) struct Formulas {
    /// How many formulas have a stored result, and how many of these results are 0.
    pub(crate) stored: usize,
    pub(crate) zeros: usize,
    /// How many have none, and the first of their cells.
    pub(crate) blank: usize,
    pub(crate) places: Vec<String>,
}

impl Formulas {
    /// Notes a formula in a cell with its stored result, if there is one.
    pub(crate) fn add(&mut self, row: usize, column: usize, result: Option<&str>) {
        /// The most cells that are named.
        const NAMED: usize = 5;
        match result {
            Some(result) => {
                self.stored += 1;
                self.zeros += usize::from(result == "0");
            }
            None => {
                self.blank += 1;
                if self.places.len() < NAMED {
                    self.places.push(format!("{}{row}", column_letters(column)));
                }
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// In order, without blank ones.
    pub(crate) rows: Vec<Row>,
    pub(crate) merges: Vec<Area>,
    pub(crate) notes: Vec<Note>,
    pub(crate) hidden_rows: usize,
    /// The numbers of hidden rows, first and last of each run, in order.
    pub(crate) hidden: Vec<(usize, usize)>,
    pub(crate) hidden_columns: usize,
    pub(crate) formulas: Formulas,
    /// Whether its rows are records, of which the first names the fields, as in a file of separated values.
    pub(crate) has_records: bool,
    /// Rows with cells beyond the limits.
    pub(crate) unread_rows: usize,
    last_unread: usize,
}

impl Grid {
    /// Adds a cell; a blank one is ignored. Cells come in any order within a row, and rows in order.
    pub(crate) fn add(
        &mut self,
        row: usize,
        column: usize,
        text: &str,
        kind: Kind,
        budget: &mut Budget,
    ) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if !budget.take(text.len()) {
            self.unread_rows += usize::from(self.last_unread != row);
            self.last_unread = row;
            return;
        }
        if self.rows.last().is_none_or(|last| last.number != row) {
            self.rows.push(Row { number: row, cells: Vec::new() });
        }
        if let Some(last) = self.rows.last_mut() {
            last.cells.push((column, Cell { text: text.into(), kind }));
        }
    }

    /// Sorts rows and cells, and keeps the last of two cells at one place.
    pub(crate) fn sort(&mut self) {
        let mut rows: BTreeMap<usize, Vec<(usize, Cell)>> = BTreeMap::new();
        for row in std::mem::take(&mut self.rows) {
            rows.entry(row.number).or_default().extend(row.cells);
        }
        self.rows = rows.into_iter().map(|(number, cells)| Row { number, cells }).collect();
        for row in &mut self.rows {
            row.cells.reverse();
            row.cells.sort_by_key(|(column, _)| *column);
            row.cells.dedup_by_key(|(column, _)| *column);
        }
    }

    /// Repeats the value of a merged area in each of its rows.
    ///
    /// Areas of several columns are repeated only downwards: a row says the value once.
    pub(crate) fn fill_merged(&mut self) {
        let (mut cells_left, mut bytes_left) = (MOST_FILLED, MOST_FILLED_BYTES);
        let mut filled: Vec<(usize, usize, Cell)> = Vec::new();
        'areas: for area in &self.merges {
            let (first, last) = area.rows;
            let Ok(top) = self.rows.binary_search_by_key(&first, |row| row.number) else {
                continue;
            };
            let Some(cell) = self.rows[top].cell(area.columns.0) else { continue };
            let below = self.rows.iter().enumerate().skip(top + 1);
            for (index, _) in below.take_while(|(_, row)| row.number <= last) {
                if cells_left == 0 || bytes_left < cell.text.len() {
                    break 'areas;
                }
                cells_left -= 1;
                bytes_left -= cell.text.len();
                filled.push((index, area.columns.0, cell.clone()));
            }
        }
        let mut changed: Vec<usize> = filled.iter().map(|(index, ..)| *index).collect();
        changed.dedup();
        for (index, column, cell) in filled {
            self.rows[index].cells.push((column, cell));
        }
        changed.sort_unstable();
        changed.dedup();
        for index in changed {
            // The sort is stable: a cell of the row's own stays, a filled one goes.
            let cells = &mut self.rows[index].cells;
            cells.sort_by_key(|(column, _)| *column);
            cells.dedup_by_key(|(column, _)| *column);
        }
    }

    /// Returns what of the sheet called `name` is not in its text: what is hidden, and results that the file does not have.
    pub(crate) fn lacks(&self, name: &str) -> Vec<String> {
        let hidden = [(self.hidden_rows, "hidden row"), (self.hidden_columns, "hidden column")];
        let hidden = hidden.into_iter().filter(|(count, _)| *count > 0);
        let mut lacks: Vec<String> = hidden
            .map(|(count, what)| format!("{} of the sheet {name}", counted(count, what)))
            .collect();
        if self.formulas.blank > 0 {
            let formulas = counted(self.formulas.blank, "formula");
            lacks.push(format!("the results of {formulas} of the sheet {name}"));
        }
        lacks
    }

    /// Notes that rows are hidden.
    pub(crate) fn hide(&mut self, first: usize, last: usize) {
        let count = self.hidden.len();
        if let Some((_, end)) = self.hidden.last_mut()
            && end.saturating_add(1) == first
        {
            *end = last;
        } else if count < MOST_HIDDEN {
            self.hidden.push((first, last));
        }
    }

    /// Returns whether only hidden rows stand between two rows.
    pub(crate) fn are_adjacent(&self, above: usize, below: usize) -> bool {
        if below <= above + 1 {
            return true;
        }
        let at = self.hidden.partition_point(|(first, _)| *first <= above + 1);
        let run = at.checked_sub(1).and_then(|at| self.hidden.get(at));
        run.is_some_and(|(first, last)| *first <= above + 1 && last.saturating_add(1) >= below)
    }

    /// Returns whether a row has cells.
    pub(crate) fn is_within_any(&self, row: usize) -> bool {
        self.rows.binary_search_by_key(&row, |one| one.number).is_ok()
    }
}

/// Returns the letters of a column, counted from 0: `A`, `Z`, `AA`.
pub(crate) fn column_letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let digit = (rest - 1) % 26;
        letters.push(char::from(b'A' + u8::try_from(digit).unwrap_or(0)));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}
