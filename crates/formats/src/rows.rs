//! The rows of a table of an office document, whose cells may cover several columns and rows.
//!
//! A merged cell counts for every column and row that it covers, as in sheets: in the head it names each of its columns, below it stands
//! in each of its rows. The rows of a head are joined. A first row of one cell is the table's title.

use crate::Writer;
use crate::sheet::may_name;
use crate::writer::tidy;

/// The longest cell, in bytes, that stays in its table; a row with a longer one is text that a table lays out.
pub(crate) const LONGEST_CELL: usize = 1500;

/// The largest head row, in bytes, that is repeated.
const LARGEST_HEAD: usize = 4096;
/// The longest cell, in bytes, that is repeated in the rows below that it covers.
const LONGEST_REPEATED: usize = 300;
/// The most rows of a head that is not marked as such.
const MOST_HEADS: usize = 4;

/// A place in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slot {
    Own(String),
    /// Covered by the cell at its left.
    Left,
    /// Covered by the cell above.
    Above,
}

impl Slot {
    /// Returns whether words stand here, rather than in a cell that covers this place.
    pub(crate) fn has_words(&self) -> bool {
        !self.words().is_empty()
    }

    fn words(&self) -> &str {
        match self {
            Slot::Own(words) => words,
            Slot::Left | Slot::Above => "",
        }
    }
}

/// The rows of a table that is written in pieces, because text stands between them. Each piece has the table's head.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    head: Option<Vec<String>>,
    rows: Vec<Vec<Slot>>,
    /// The last row with what covers it.
    last: Vec<String>,
    /// The rows without those of the head that are not known yet, filled from above.
    filled: Vec<Vec<String>>,
    /// How many of the first rows are marked as head rows.
    heads: usize,
}

impl Rows {
    /// Adds a row; head rows count until the first other row. Returns how many bytes it takes.
    pub(crate) fn push(&mut self, row: Vec<Slot>, is_head: bool) -> usize {
        if is_head && self.head.is_none() && self.heads == self.rows.len() {
            self.heads += 1;
        }
        let mut filled: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, slot)| match slot {
                Slot::Own(words) => words.clone(),
                Slot::Left => String::new(),
                Slot::Above => self
                    .last
                    .get(column)
                    .filter(|words| words.len() <= LONGEST_REPEATED)
                    .cloned()
                    .unwrap_or_default(),
            })
            .collect();
        let size = filled.iter().map(|cell| cell.len() + size_of::<String>()).sum();
        self.last.clone_from(&filled);
        // The end of a broad cell makes no column of its own.
        let covered = row.iter().rev().take_while(|slot| **slot == Slot::Left).count();
        filled.truncate(filled.len() - covered);
        self.filled.push(filled);
        self.rows.push(row);
        size
    }

    /// Writes the rows since the last piece, with one head row: several are joined, and a row alone gets a blank one, so that it can be
    /// cited.
    pub(crate) fn write(&mut self, text: &mut Writer) {
        let (titles, rows) = self.take();
        for title in titles {
            text.paragraph(&title);
        }
        text.table(&rows);
    }

    /// Returns the titles above the table, and its rows since the last piece under one head row.
    pub(crate) fn take(&mut self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut slots = std::mem::take(&mut self.rows);
        let mut filled = std::mem::take(&mut self.filled);
        if filled.is_empty() {
            return Default::default();
        }
        if let Some(head) = &self.head {
            filled.insert(0, head.clone());
            return (Vec::new(), filled);
        }
        let titles = count_titles(&slots);
        slots.drain(..titles);
        let said = filled.drain(..titles).map(|row| tidy(&row.join(" "))).collect();
        let heads = self.heads.saturating_sub(titles).max(1).min(slots.len());
        let heads = head_rows(&slots, heads);
        // A table of heads alone has the first as its head.
        let heads = if heads == slots.len() { 1 } else { heads };
        filled.drain(..heads);
        filled.insert(0, joined(&slots[..heads]));
        // A head that is larger than its rows is not repeated.
        let size = |row: &&Vec<String>| row.iter().map(|cell| cell.len() + 1).sum::<usize>();
        let head = filled.first().filter(|row| size(row) <= LARGEST_HEAD);
        self.head = Some(head.cloned().unwrap_or_default());
        if filled.len() == 1 {
            filled = vec![Vec::new(), slots.first().map(|row| words(row)).unwrap_or_default()];
        }
        (said, filled)
    }
}

fn words(row: &[Slot]) -> Vec<String> {
    row.iter().map(|slot| slot.words().to_owned()).collect()
}

/// Returns how many rows at the top are titles: one cell that covers all columns of a table that goes on below.
fn count_titles(rows: &[Vec<Slot>]) -> usize {
    let is_title = |row: &&Vec<Slot>| {
        row.len() > 1
            && matches!(row.first(), Some(Slot::Own(words)) if !words.is_empty())
            && row.iter().skip(1).all(|slot| *slot == Slot::Left)
    };
    let count = rows.iter().take_while(is_title).count();
    if rows.len() < count + 2 { 0 } else { count }
}

/// Returns how many rows the head has, of which `marked` are known.
fn head_rows(rows: &[Vec<Slot>], marked: usize) -> usize {
    let mut count = marked;
    while count < MOST_HEADS && count + 1 < rows.len() && goes_on(rows, count) {
        count += 1;
    }
    count
}

/// Returns whether the row at `count` belongs to the head above it.
fn goes_on(rows: &[Vec<Slot>], count: usize) -> bool {
    let (Some(above), Some(row)) = (rows.get(count.saturating_sub(1)), rows.get(count)) else {
        return false;
    };
    let names = |row: &[Slot]| {
        row.iter().all(|slot| match slot {
            Slot::Own(words) => may_name(words),
            Slot::Left | Slot::Above => true,
        })
    };
    if !names(row) || !names(above) {
        return false;
    }
    // The names of columns stand below a cell that covers them together.
    let mut below_group = 0;
    let mut is_group = false;
    let mut has_group = false;
    for (column, slot) in above.iter().enumerate() {
        let covers_next = above.get(column + 1) == Some(&Slot::Left);
        match slot {
            Slot::Own(words) => {
                is_group = !words.is_empty() && covers_next;
                below_group = 0;
            }
            Slot::Left => {}
            Slot::Above => is_group = false,
        }
        if is_group && row.get(column).is_some_and(|slot| !slot.words().is_empty()) {
            below_group += 1;
            has_group |= below_group > 1;
        }
    }
    // Or a cell of the head reaches down beside them, and values follow.
    let reaches_down = row.contains(&Slot::Above);
    let is_full = row.iter().all(|slot| *slot == Slot::Above || !slot.words().is_empty());
    let has_values = || {
        rows.get(count + 1).is_some_and(|next| {
            next.iter().any(|slot| matches!(slot, Slot::Own(words) if !may_name(words)))
        })
    };
    has_group || reaches_down && is_full && has_values()
}

/// Returns the names of the columns: the words of all head rows, those of a cell that covers several columns for each of them.
fn joined(heads: &[Vec<Slot>]) -> Vec<String> {
    let width = heads.iter().map(Vec::len).max().unwrap_or(0);
    let mut names: Vec<Vec<String>> = vec![Vec::new(); width];
    for row in heads {
        let mut last = "";
        for (slot, name) in row.iter().zip(&mut names) {
            match slot {
                Slot::Own(words) => last = words,
                Slot::Left => {}
                Slot::Above => last = "",
            }
            let words = tidy(last);
            // Long words are said once.
            let is_said = *slot == Slot::Left && words.len() > LONGEST_REPEATED;
            if !words.is_empty() && !is_said && name.last() != Some(&words) {
                name.push(words);
            }
        }
    }
    names.into_iter().map(|parts| parts.join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a row of cells: `<` is covered by the cell at its left, `^` by the one above.
    fn row(cells: &[&str]) -> Vec<Slot> {
        let slot = |cell: &&str| match *cell {
            "<" => Slot::Left,
            "^" => Slot::Above,
            words => Slot::Own(words.to_owned()),
        };
        cells.iter().map(slot).collect()
    }

    fn check(table: &[&[&str]], expected: &str) {
        let mut rows = Rows::default();
        for cells in table {
            rows.push(row(cells), false);
        }
        let mut text = Writer::new(10_000);
        rows.write(&mut text);
        assert_eq!(text.finish().replace("| --- ", "").replace("|\n|\n", "|\n"), expected);
    }

    // proves: A6
    #[test]
    fn a_merged_cell_counts_for_what_it_covers() {
        check(
            &[
                &["Port", "Tide", "<"],
                &["^", "High", "Low"],
                &["Brest", "6.9", "1.2"],
                &["^", "7.0", "1.1"],
            ],
            "| Port | Tide High | Tide Low |\n| Brest | 6.9 | 1.2 |\n| Brest | 7.0 | 1.1 |",
        );
        check(
            &[&["Drink", "Share", "<"], &["Tea", "54 %", "60 %"]],
            "| Drink | Share | Share |\n| Tea | 54 % | 60 % |",
        );
        // Years name columns.
        check(
            &[&["", "Cups", "<"], &["", "2024", "2025"], &["Tea", "3", "4"]],
            "|  | Cups 2024 | Cups 2025 |\n| Tea | 3 | 4 |",
        );
        check(
            &[&["Port", "Height"], &["^", "(metres)"], &["Brest", "6.9"]],
            "| Port | Height (metres) |\n| Brest | 6.9 |",
        );
    }

    // proves: A6
    #[test]
    fn a_title_stands_above_and_groups_without_a_head_stay_rows() {
        check(
            &[&["Table 1. Tides", "<"], &["Port", "Metres"], &["Brest", "6.9"]],
            "Table 1. Tides\n\n| Port | Metres |\n| Brest | 6.9 |",
        );
        check(
            &[&["Tea", "green"], &["^", "black"], &["Milk", "whole"]],
            "| Tea | green |\n| Tea | black |\n| Milk | whole |",
        );
        check(
            &[&["Port", "Metres"], &["France", "<"], &["Brest", "6.9"]],
            "| Port | Metres |\n| France |  |\n| Brest | 6.9 |",
        );
        check(&[&["Tea", "<"]], "|  |  |\n| Tea |  |");
    }

    // proves: A6
    #[test]
    fn a_table_whose_rows_are_all_marked_as_heads_keeps_them() {
        let mut rows = Rows::default();
        for cells in [["Town", "Ships"], ["Marsh", "33"], ["Hill", "0"]] {
            rows.push(row(&cells), true);
        }
        let (_, taken) = rows.take();
        assert_eq!(taken, [["Town", "Ships"], ["Marsh", "33"], ["Hill", "0"]]);
    }
}
