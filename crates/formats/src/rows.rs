//! The rows of a table of an office document, whose cells may cover several columns and rows.
//!
//! A merged cell counts for every column and row that it covers, as in sheets: in the head it names each of its columns, below it stands
//! in each of its rows. The rows of a head are joined. A first row of one cell is the table's title; one in the middle is the name of the
//! rows below it.

use crate::Writer;
use crate::sheet::may_name;
use crate::table::{Line, names_columns, put_groups};
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

/// What is known of a row beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The file says that it is the head, or part of it.
    Head,
    /// It looks like a head: all its words are bold, or it is shaded.
    SetOff,
    Plain,
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
    /// How many of the first rows look like head rows, and whether a row does not.
    set_off: usize,
    has_plain: bool,
    /// The name of the group that a piece ended in.
    group: String,
}

impl Rows {
    /// Adds a row; head rows count until the first other row. Returns how many bytes it takes.
    pub(crate) fn push(&mut self, row: Vec<Slot>, mark: Mark) -> usize {
        if mark == Mark::Head && self.head.is_none() && self.heads == self.rows.len() {
            self.heads += 1;
        }
        if mark == Mark::Plain {
            self.has_plain = true;
        } else if !self.has_plain {
            self.set_off += 1;
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
            let head = head.clone();
            return (Vec::new(), self.grouped(head, &slots, filled));
        }
        let titles = count_titles(&slots);
        slots.drain(..titles);
        let said = filled.drain(..titles).map(|row| tidy(&row.join(" "))).collect();
        let heads = self.count_heads(&slots, &filled, titles);
        let head = joined(&slots[..heads]);
        // A head that is larger than its rows is not repeated.
        let size = head.iter().map(|cell| cell.len() + 1).sum::<usize>();
        self.head = Some(if size <= LARGEST_HEAD { head.clone() } else { Vec::new() });
        if slots.len() == 1 {
            filled.insert(0, Vec::new());
            return (said, filled);
        }
        slots.drain(..heads);
        filled.drain(..heads);
        (said, self.grouped(head, &slots, filled))
    }

    /// Returns how many of the first rows are the head; 0 if nothing marks one, and the first row may be like those below.
    fn count_heads(&self, slots: &[Vec<Slot>], filled: &[Vec<String>], titles: usize) -> usize {
        let marked = self.heads.saturating_sub(titles).min(slots.len());
        let set_off = if self.has_plain { self.set_off.saturating_sub(titles) } else { 0 };
        let heads = head_rows(slots, marked.max(1).min(slots.len()));
        let is_sure = marked > 0 || set_off > 0 || heads > 1;
        if !is_sure && !names_columns(filled) {
            return 0;
        }
        // A table of heads alone has the first as its head.
        if heads == slots.len() { 1 } else { heads }
    }

    /// Returns rows below their head, with the names of their groups.
    fn grouped(
        &mut self,
        head: Vec<String>,
        slots: &[Vec<Slot>],
        mut filled: Vec<Vec<String>>,
    ) -> Vec<Vec<String>> {
        let mut lines: Vec<Line> = slots.iter().map(|row| line(row)).collect();
        // What the piece before ended in goes on.
        let group = std::mem::take(&mut self.group);
        let goes_on = !group.is_empty() && !lines.first().is_some_and(Line::is_group);
        if goes_on {
            lines.insert(0, Line { label: &group, is_whole: true, part: 0 });
            filled.insert(0, Vec::new());
        }
        let last = lines.iter().rev().find(|line| line.is_group());
        let group = last.map(|line| line.label.to_owned()).unwrap_or_default();
        filled.insert(0, head);
        let rows = put_groups(filled, &lines);
        self.group = group;
        rows
    }
}

/// Returns what a row is to the rows around it.
fn line(row: &[Slot]) -> Line<'_> {
    let label = row.iter().find(|slot| slot.has_words()).map_or("", Slot::words);
    Line { label, is_whole: is_whole(row), part: 0 }
}

/// Returns whether one cell covers all columns.
fn is_whole(row: &[Slot]) -> bool {
    row.len() > 1
        && matches!(row.first(), Some(Slot::Own(words)) if !words.is_empty())
        && row.iter().skip(1).all(|slot| *slot == Slot::Left)
}

/// Returns how many rows at the top are titles: one cell that covers all columns of a table that goes on below.
fn count_titles(rows: &[Vec<Slot>]) -> usize {
    let count = rows.iter().take_while(|row| is_whole(row)).count();
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
mod tests;
