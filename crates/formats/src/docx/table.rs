//! The tables of a DOCX.

use crate::ooxml::is_on;
use crate::rows::{LONGEST_CELL, Mark, Rows, Slot};
use crate::writer::tidy;
use crate::xml::Element;

use super::page::{Aside, Page};
use super::styles::{is_set_off, sets_first_row_off};

/// The most columns that a cell may span.
const WIDEST_CELL: usize = 64;
/// The longest cell, in bytes, of a table with one row.
const LONGEST_LONE_CELL: usize = 200;

impl<'a> Page<'a> {
    pub(super) fn table(&mut self, table: &'a Element) {
        let all: Vec<(&'a Element, Vec<&'a Element>)> =
            rows_of(table).into_iter().map(|row| (row, held(row, "tc"))).collect();
        let is_long = |cell: &&Element| length(cell) > LONGEST_LONE_CELL;
        let lays_out = match all.as_slice() {
            [(_, cells)] => cells.len() == 1 || cells.iter().any(is_long),
            rows => rows.iter().all(|(_, cells)| cells.len() == 1),
        };
        if lays_out {
            // A frame around some paragraphs.
            for cell in all.into_iter().flat_map(|(_, cells)| cells) {
                self.blocks(cell);
            }
            return;
        }
        let styles = self.parts.styles;
        let mut first_is_set_off = sets_first_row_off(styles, table);
        let mut rows = Rows::default();
        let mut room = self.text.room();
        let before = std::mem::take(&mut self.aside);
        for (row, row_cells) in all {
            if room == 0 || self.text.is_full() {
                break;
            }
            if row_cells.iter().any(|cell| length(cell) > LONGEST_CELL) {
                self.write_rows(&mut rows);
                for cell in row_cells {
                    self.blocks(cell);
                }
                continue;
            }
            let own = row.child("trPr");
            let value = |name: &str| own?.child(name)?.attribute("val")?.parse().ok();
            let mut cells = vec![
                Slot::Own(String::new());
                value("gridBefore").unwrap_or(0_usize).min(WIDEST_CELL)
            ];
            for cell in row_cells {
                let own = cell.child("tcPr");
                let merged = own.and_then(|own| own.child("vMerge"));
                let goes_on = merged.is_some_and(|it| it.attribute("val") != Some("restart"));
                cells.push(if goes_on {
                    Slot::Above
                } else {
                    let mut words = String::new();
                    self.cell(cell, &mut words);
                    Slot::Own(tidy(&words))
                });
                let span =
                    own.and_then(|own| own.child("gridSpan")?.attribute("val")?.parse().ok());
                let more = span.unwrap_or(1_usize).clamp(1, WIDEST_CELL) - 1;
                cells.extend(std::iter::repeat_n(Slot::Left, more));
            }
            if cells.iter().any(Slot::has_words) {
                let is_set_off = std::mem::take(&mut first_is_set_off) || is_set_off(styles, row);
                let mark = match own.and_then(|own| own.child("tblHeader")) {
                    Some(marked) if is_on(Some(marked)) => Mark::Head,
                    _ if is_set_off => Mark::SetOff,
                    _ => Mark::Plain,
                };
                room = room.saturating_sub(rows.push(cells, mark));
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
        let aside = std::mem::take(&mut self.aside);
        self.set_aside(aside);
    }

    /// Appends everything in a cell on one line; a table within that has rows and columns is set aside.
    pub(super) fn cell(&mut self, parent: &'a Element, words: &mut String) {
        for element in parent.elements() {
            match &*element.name {
                "p" => {
                    words.push(' ');
                    let mut own = String::new();
                    self.line(element, &mut own);
                    if let Some((_, label)) = self.item(element)
                        && !own.trim().is_empty()
                        && label.chars().any(char::is_alphanumeric)
                    {
                        words.push_str(&label);
                        words.push(' ');
                    }
                    words.push_str(&own);
                }
                "tbl" if is_grid(element) => self.aside.push(Aside::Table(element)),
                "del" | "moveFrom" | "tcPr" | "tblPr" | "trPr" | "sdtPr" => {}
                _ => self.cell(element, words),
            }
        }
    }
}

/// Returns the length of the text in a cell, in bytes.
fn length(cell: &Element) -> usize {
    cell.all("t").into_iter().map(|it| it.text().len()).sum()
}

/// Returns whether a table has at least two rows of at least two cells.
fn is_grid(table: &Element) -> bool {
    rows_of(table).into_iter().filter(|row| held(row, "tc").len() > 1).count() > 1
}

/// Returns the rows of a table that were not deleted.
fn rows_of(table: &Element) -> Vec<&Element> {
    let mut rows = held(table, "tr");
    rows.retain(|row| row.child("trPr").is_none_or(|own| own.child("del").is_none()));
    rows
}

/// Returns the elements with this name in `parent` and in its mere wrappers.
fn held<'a>(parent: &'a Element, name: &str) -> Vec<&'a Element> {
    let mut found = Vec::new();
    for element in parent.elements() {
        match &*element.name {
            own if own == name => found.push(element),
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                found.extend(held(element, name));
            }
            _ => {}
        }
    }
    found
}
