//! The values of form fields are put into the lines that say what they are.

use super::lines::{Cell, Line, PageLines};
use crate::pdf::forms::{CHECKED, EMPTY, Field, Value};

/// How far a field may stand from its label, in points.
const FAR: f64 = 250.0;
/// How far a box may stand from what it is for, in font sizes.
const BESIDE: f64 = 2.5;

impl PageLines {
    /// Puts the values of fields beside their labels, and returns the fields that have none.
    pub(in crate::pdf) fn fill(&mut self, fields: Vec<Field>) -> Vec<Field> {
        fields.into_iter().filter(|field| !self.takes(field)).collect()
    }

    fn takes(&mut self, field: &Field) -> bool {
        let Some(place) = field.place else { return false };
        if let Value::Text(value) = &field.value {
            if self.shows(value, place) {
                return true;
            }
            let Some((line, cell)) = self.label_before(place).or_else(|| self.label_above(place))
            else {
                return false;
            };
            self.lines[line].insert_after(cell, value, place);
            return true;
        }
        let mark = match field.value {
            Value::Checked(true) => CHECKED,
            _ => EMPTY,
        };
        if let Some((line, cell)) = self.label_after(place) {
            self.lines[line].insert_before(cell, mark, place);
            return true;
        }
        false
    }

    /// Returns whether the page itself shows the value where the field stands.
    fn shows(&self, value: &str, [left, bottom, right, top]: [f64; 4]) -> bool {
        self.lines.iter().filter(|line| !line.filled).any(|line| {
            let within = (bottom..=top).contains(&-line.down) && level(line);
            within && line.left < right && line.right > left && line.text.contains(value)
        })
    }

    /// Returns the words to the left of a field.
    fn label_before(&self, [left, bottom, right, top]: [f64; 4]) -> Option<(usize, usize)> {
        let distance = |line: &Line, cell: &Cell| {
            let blank = line.is_ruled(cell) && cell.left < left && cell.right <= right + line.size;
            let beside = cell.right <= left + line.size;
            (blank || beside).then(|| (left - cell.right).max(0.0)).filter(|gap| *gap < FAR)
        };
        self.nearest(|line, cell| same_row(line, bottom, top).then(|| distance(line, cell))?)
    }

    /// Returns the words above a field.
    fn label_above(&self, [left, _, right, top]: [f64; 4]) -> Option<(usize, usize)> {
        self.nearest(|line, cell| {
            let above = -line.down - top;
            let under = (left - 2.0 * line.size..right).contains(&cell.left);
            let near = (-0.9 * line.size..1.6 * line.size).contains(&above);
            (level(line) && under && near).then(|| above.abs() + (cell.left - left).abs() / 10.0)
        })
    }

    /// Returns the words to the right of a box.
    fn label_after(&self, [_, bottom, right, top]: [f64; 4]) -> Option<(usize, usize)> {
        self.nearest(|line, cell| {
            let gap = cell.left - right;
            let near = (-0.5 * line.size..BESIDE * line.size).contains(&gap);
            (near && same_row(line, bottom, top)).then_some(gap)
        })
    }

    fn nearest(&self, distance: impl Fn(&Line, &Cell) -> Option<f64>) -> Option<(usize, usize)> {
        let mut best: Option<(f64, (usize, usize))> = None;
        for (at, line) in self.lines.iter().enumerate() {
            for (index, cell) in line.cells.iter().enumerate() {
                let Some(distance) = distance(line, cell) else { continue };
                if best.is_none_or(|(best, _)| distance < best) {
                    best = Some((distance, (at, index)));
                }
            }
        }
        best.map(|(_, found)| found)
    }
}

fn level(line: &Line) -> bool {
    line.along.0 > 0.98
}

fn same_row(line: &Line, bottom: f64, top: f64) -> bool {
    let baseline = -line.down;
    level(line) && (bottom - 0.4 * line.size..top).contains(&baseline)
}

impl Line {
    fn end_of(&self, cell: usize) -> usize {
        self.cells.get(cell + 1).map_or(self.text.len(), |next| next.start)
    }

    /// Returns whether a cell ends in a rule to write on.
    fn is_ruled(&self, cell: &Cell) -> bool {
        let end = self.cells.iter().map(|next| next.start).find(|start| *start > cell.start);
        let text = self.text.get(cell.start..end.unwrap_or(self.text.len())).unwrap_or_default();
        text.trim_end().ends_with("___") || text.trim_end().ends_with("....")
    }

    fn insert_after(&mut self, cell: usize, value: &str, place: [f64; 4]) {
        let (start, end) = (self.cells[cell].start, self.end_of(cell));
        let label = self.text.get(start..end).unwrap_or_default();
        let label = match self.is_ruled(&self.cells[cell]) {
            true => label.trim_end_matches(['_', '.', ' ']),
            false => label.trim_end(),
        };
        let colon = label.ends_with(|c: char| c.is_alphanumeric() || c == ')') && !self.filled;
        let value = crate::document::one_line(value);
        let space = if end < self.text.len() { " " } else { "" };
        let said = format!("{label}{} {value}{space}", if colon { ":" } else { "" });
        self.replace(cell, &said);
        self.cells[cell].right = self.cells[cell].right.max(place[2]);
        self.right = self.right.max(place[2]);
    }

    fn insert_before(&mut self, cell: usize, mark: char, place: [f64; 4]) {
        let (start, end) = (self.cells[cell].start, self.end_of(cell));
        let said = format!("{mark} {}", self.text.get(start..end).unwrap_or_default());
        self.replace(cell, &said);
        self.cells[cell].left = self.cells[cell].left.min(place[0]);
        self.left = self.left.min(place[0]);
    }

    fn replace(&mut self, cell: usize, said: &str) {
        let (start, end) = (self.cells[cell].start, self.end_of(cell));
        self.text.replace_range(start..end, said);
        for later in self.cells.iter_mut().skip(cell + 1) {
            later.start = later.start + said.len() - (end - start);
        }
        self.joined.clear();
        self.stretches.clear();
        // The words are no longer where they were drawn; the cells are.
        self.places = self.cells.iter().map(|cell| (cell.start, cell.left)).collect();
        self.filled = true;
    }
}
