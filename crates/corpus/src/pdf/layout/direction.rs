//! Hebrew and Arabic are drawn from the left by most programs and read from the right.

use unicode_normalization::UnicodeNormalization;

use super::lines::{Cell, Line};

/// Which way a sign is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Left,
    Right,
    Either,
}

fn way(c: char) -> Way {
    match c {
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' => {
            // Their digits run from the left.
            if c.is_numeric() { Way::Left } else { Way::Right }
        }
        c if c.is_alphanumeric() => Way::Left,
        _ => Way::Either,
    }
}

/// Returns whether a text has letters that are read from the right.
pub(super) fn is_from_right(text: &str) -> bool {
    text.chars().any(|c| way(c) == Way::Right)
}

impl Line {
    /// Puts the signs of a line, and its cells, into the order in which they are read.
    pub(super) fn read_in_order(&mut self) {
        if !is_from_right(&self.text) {
            return;
        }
        if self.drawn_from_left <= 0 {
            self.text = self.text.nfkc().collect();
            self.cells.truncate(1);
            self.places.truncate(1);
            return;
        }
        let ends = self.cells.iter().skip(1).map(|cell| cell.start).chain([self.text.len()]);
        let mut parts: Vec<(Cell, String)> = self
            .cells
            .iter()
            .zip(ends)
            .map(|(cell, end)| (*cell, self.in_order(cell.start, end)))
            .collect();
        let (from_right, from_left) =
            self.text.chars().fold((0, 0), |(right, left), c| match way(c) {
                Way::Right => (right + 1, left),
                Way::Left if c.is_alphabetic() => (right, left + 1),
                _ => (right, left),
            });
        if from_right >= from_left {
            parts.reverse();
        }
        self.text.clear();
        self.cells.clear();
        for (cell, text) in parts {
            self.cells.push(Cell { start: self.text.len(), ..cell });
            self.text.push_str(text.trim());
            self.text.push(' ');
        }
        self.places = self.cells.iter().map(|cell| (cell.start, cell.left)).collect();
    }

    /// Returns a part of the text in reading order.
    fn in_order(&self, start: usize, end: usize) -> String {
        let text = self.text.get(start..end).unwrap_or_default();
        let mut units: Vec<&str> = Vec::with_capacity(text.len());
        let mut at = start;
        while at < end {
            let next = self.text[at..].chars().next().map_or(end, |c| at + c.len_utf8());
            let joined = self.joined.binary_search_by_key(&at, |(from, _)| *from);
            let next = joined.map_or(next, |found| self.joined[found].1).min(end);
            units.push(&self.text[at..next]);
            at = next;
        }
        let ways: Vec<Way> =
            units.iter().map(|unit| unit.chars().next().map_or(Way::Either, way)).collect();
        let count = |wanted: Way| ways.iter().filter(|way| **way == wanted).count();
        let letters = units
            .iter()
            .filter(|unit| unit.starts_with(|c: char| way(c) == Way::Left && c.is_alphabetic()));
        let mut order: Vec<usize> = (0..units.len()).collect();
        let turned = if count(Way::Right) >= letters.count() {
            order.reverse();
            Way::Left
        } else {
            Way::Right
        };
        turn_runs(&mut order, &ways, turned);
        let mirrored = |index: usize| {
            // What stands between words read from the left stays as it is.
            let around = [index.checked_sub(1), Some(index + 1)];
            let left = around
                .iter()
                .all(|at| at.and_then(|at| ways.get(at)).is_some_and(|way| *way == Way::Left));
            if left { None } else { mirror(units[index]) }
        };
        let text: String =
            order.into_iter().map(|index| mirrored(index).unwrap_or(units[index])).collect();
        text.nfkc().collect()
    }
}

/// Turns each run of units of this way around, with what stands between them.
fn turn_runs(order: &mut [usize], ways: &[Way], way: Way) {
    let mut at = 0;
    while at < order.len() {
        if ways[order[at]] != way {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut next = end;
        while next < order.len() && (ways[order[next]] == way || ways[order[next]] == Way::Either) {
            next += 1;
            if ways[order[next - 1]] == way {
                end = next;
            }
        }
        order[at..end].reverse();
        at = end;
    }
}

fn mirror(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "(" => ")",
        ")" => "(",
        "[" => "]",
        "]" => "[",
        "{" => "}",
        "}" => "{",
        "«" => "»",
        "»" => "«",
        "<" => ">",
        ">" => "<",
        _ => return None,
    })
}
