//! The tables of an OpenDocument file, and what stands in their cells.

use crate::rows::{LONGEST_CELL, Mark, Rows, Slot};
use crate::writer::tidy;
use crate::xml::Element;

use super::lists::Counter;
use super::page::Page;

/// The most cells that a repeated cell, and the most rows that a repeated row, stands for.
const REPEATED: usize = 64;
/// What a cell takes beside its words.
const CELL_BYTES: usize = size_of::<String>();
/// The longest cell, in bytes, of a table with one row.
const LONGEST_LONE_CELL: usize = 200;

impl<'a> Page<'a> {
    /// Writes a table, or what is in its cells if it only lays out text.
    pub(super) fn table(&mut self, table: &'a Element) {
        let before = std::mem::take(&mut self.aside);
        let mut found = Vec::new();
        rows_of(table, &mut found);
        let lays_out = match found.as_slice() {
            [(row, _)] => {
                let mut cells = cells_of(row);
                cells.clone().nth(1).is_none()
                    || cells.any(|it| it.text().len() > LONGEST_LONE_CELL)
            }
            rows => rows.iter().all(|(row, _)| cells_of(row).nth(1).is_none()),
        };
        if lays_out {
            // A frame around some paragraphs.
            self.aside = before;
            for cell in found.into_iter().flat_map(|(row, _)| cells_of(row)).filter(is_shown) {
                self.blocks(cell);
            }
            return;
        }
        let mut rows = Rows::default();
        let mut room = self.text.room();
        // How many rows below the cells above still cover, by column.
        let mut down: Vec<usize> = Vec::new();
        for (row, in_head) in &found {
            if room == 0 || self.text.is_full() {
                break;
            }
            if cells_of(row).any(|cell| cell.text().len() > LONGEST_CELL) {
                self.write_rows(&mut rows);
                for cell in cells_of(row).filter(is_shown) {
                    self.blocks(cell);
                }
                continue;
            }
            let fresh = std::mem::take(&mut down);
            let mut counted = 0;
            let mut cells = Vec::new();
            for cell in cells_of(row) {
                let mut words = String::new();
                if is_shown(&cell) {
                    self.flat(cell, &mut words);
                }
                let size = words.len() + CELL_BYTES;
                let repeated = times(cell, "number-columns-repeated").min(1 + room / size);
                room = room.saturating_sub(repeated * size);
                counted += repeated * size;
                let own = Slot::Own(tidy(&words));
                let below = times(cell, "number-rows-spanned") - 1;
                let columns = times(cell, "number-columns-spanned");
                for _ in 0..repeated {
                    let column = cells.len();
                    if down.len() < column + columns {
                        down.resize(column + columns, 0);
                    }
                    if is_shown(&cell) {
                        down[column..column + columns].fill(below);
                        cells.push(own.clone());
                    } else if fresh.get(column).is_some_and(|left| *left > 0) {
                        down[column] = fresh[column] - 1;
                        cells.push(Slot::Above);
                    } else {
                        cells.push(Slot::Left);
                    }
                }
            }
            while cells.last() == Some(&Slot::Own(String::new())) {
                cells.pop();
            }
            if cells.iter().any(Slot::has_words) {
                let repeated = times(row, "number-rows-repeated");
                let mark = match in_head {
                    true => Mark::Head,
                    false if self.styles.set_off(row) => Mark::SetOff,
                    false => Mark::Plain,
                };
                for again in std::iter::repeat_n(cells, repeated) {
                    if room == 0 {
                        break;
                    }
                    let size = rows.push(again, mark).saturating_sub(counted);
                    room = room.saturating_sub(size);
                    counted = 0;
                }
            }
        }
        self.write_rows(&mut rows);
        if room == 0 {
            self.text.paragraph("The rest of this table is left out.");
            self.text.leave_out("the rest of a table");
        }
        self.aside = before;
    }

    /// Writes the rows so far and what stands aside from them.
    fn write_rows(&mut self, rows: &mut Rows) {
        rows.write(&mut self.text);
        self.set_aside();
    }

    /// Returns what a title says, on one line.
    pub(super) fn title(&mut self, shape: &'a Element) -> String {
        let before = std::mem::take(&mut self.aside);
        let mut words = String::new();
        self.flat(shape, &mut words);
        self.aside = before;
        tidy(&words)
    }

    /// Appends everything within on one line.
    pub(super) fn flat(&mut self, parent: &'a Element, words: &mut String) {
        let mut counter = Counter::default();
        match &*parent.name {
            "p" | "h" => {
                words.push(' ');
                if !self.hides(parent) {
                    self.line(parent, words);
                }
                return;
            }
            "tracked-changes" => return,
            _ => {}
        }
        for element in parent.elements() {
            if &*parent.name == "list"
                && &*element.name == "list-item"
                && let Some(style) = parent.attribute("style-name")
                && let Some(style) = self.styles.list(style)
            {
                let set = element.attribute("start-value").and_then(|it| it.parse().ok());
                words.push(' ');
                words.push_str(&counter.label(style, 0, set));
            }
            match &*element.name {
                "frame" | "custom-shape" | "g" | "annotation" | "rect" | "ellipse" => {
                    self.drawing(element);
                }
                _ => self.flat(element, words),
            }
        }
    }
}

fn times(element: &Element, name: &str) -> usize {
    let times = element.attribute(name).and_then(|times| times.parse().ok());
    times.unwrap_or(1_usize).clamp(1, REPEATED)
}

/// Returns whether a cell is not covered by one that spans it.
fn is_shown(cell: &&Element) -> bool {
    &*cell.name == "table-cell"
}

fn cells_of(row: &Element) -> impl Iterator<Item = &Element> + Clone {
    row.elements().filter(|it| matches!(&*it.name, "table-cell" | "covered-table-cell"))
}

/// Finds the rows of a table in its mere groups, and whether each is a head row.
fn rows_of<'a>(parent: &'a Element, found: &mut Vec<(&'a Element, bool)>) {
    for element in parent.elements() {
        match &*element.name {
            "table-row" => found.push((element, &*parent.name == "table-header-rows")),
            "table-header-rows" | "table-rows" | "table-row-group" => rows_of(element, found),
            _ => {}
        }
    }
}
