//! How broad the columns of a table are, how large its letters, and whether it stands on a page of its own that is turned.

use render::{Alignment, Inline, Line, Table};

use crate::measure;

/// Space at both sides of a cell, together, in points.
pub(crate) const PADDING: f64 = 9.0;
/// Sizes of letters that a table may have, in points, the usual one first.
const SIZES: [f64; 3] = [9.0, 8.0, 7.0];

/// How a table is set, or a part of one that is broader than a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The columns of the table that the part has, in order.
    pub(crate) columns: Vec<usize>,
    /// Of those columns, in points, the space at the sides of a cell included.
    pub(crate) widths: Vec<f64>,
    /// Of the letters, in points.
    pub(crate) size: f64,
    /// Whether the page must be turned for it.
    pub(crate) is_turned: bool,
    /// Whether words are broader than their column and must break.
    pub(crate) is_squeezed: bool,
}

/// What is known of a column, in heights of a letter.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    /// Its longest word.
    least: f64,
    /// Its longest line.
    natural: f64,
    /// Its longest line below the head.
    natural_cell: f64,
}

/// Returns how a table is set where there is room for `upright` points, and for `turned` points if it may stand on a turned page.
///
/// Columns have the width of their content where there is room. Where there is not, long text wraps; then letters are smaller; then the
/// page is turned; then the table is set in parts, each with its first column; at last long words break.
pub(crate) fn plan(table: &Table, upright: f64, turned: Option<f64>) -> Vec<Layout> {
    let columns = measure_columns(table);
    let every: Vec<usize> = (0..columns.len()).collect();
    let rooms = std::iter::once((upright, false)).chain(turned.map(|room| (room, true)));
    let tries = rooms.flat_map(|(room, is_turned)| SIZES.map(|size| (room, is_turned, size)));
    for (room, is_turned, size) in tries {
        if let Some(widths) = share(&columns, room, size) {
            return vec![Layout { columns: every, widths, size, is_turned, is_squeezed: false }];
        }
    }
    let [.., size] = SIZES;
    let parts = match turned {
        Some(room) => split(&columns, room, size),
        None => vec![every],
    };
    let is_turned = turned.is_some();
    let room = turned.unwrap_or(upright);
    let lay_out = |part: Vec<usize>| {
        let chosen: Vec<Column> =
            part.iter().filter_map(|index| columns.get(*index)).copied().collect();
        let shared = share(&chosen, room, size);
        let is_squeezed = shared.is_none();
        let widths = shared.unwrap_or_else(|| squeeze(&chosen, room, size));
        Layout { columns: part, widths, size, is_turned, is_squeezed }
    };
    parts.into_iter().map(lay_out).collect()
}

/// Returns the columns of each part of a table that is broader than a page. Its first column stands in each.
fn split(columns: &[Column], room: f64, size: f64) -> Vec<Vec<usize>> {
    // A word that is broader than a third of the page breaks.
    let least = |index: usize| {
        columns.get(index).map_or(0.0, |column| points(column.least, size)).min(room / 3.0)
    };
    let mut parts = Vec::new();
    let mut part = vec![0];
    let mut taken = least(0);
    for index in 1..columns.len() {
        if taken + least(index) > room && part.len() > 1 {
            parts.push(std::mem::replace(&mut part, vec![0]));
            taken = least(0);
        }
        part.push(index);
        taken += least(index);
    }
    parts.push(part);
    parts
}

/// Returns how many letters fit into a width, about.
pub(crate) fn letters(width: f64, size: f64) -> usize {
    const BROAD: f64 = 0.6;
    let letters = ((width - PADDING) / (size * BROAD)).floor();
    // A number of letters that a page has room for: the cast cuts nothing off.
    if letters >= 1.0 { letters.min(1000.0) as usize } else { 1 }
}

fn measure_columns(table: &Table) -> Vec<Column> {
    let mut columns = vec![Column::default(); table.columns.len()];
    let heads = table.columns.iter().map(|(line, _)| (line, true));
    for (column, (line, is_head)) in columns.iter_mut().zip(heads) {
        column.take(line, is_head);
    }
    for row in &table.rows {
        for (column, line) in columns.iter_mut().zip(row) {
            column.take(line, false);
        }
    }
    for (column, alignment) in columns.iter_mut().zip(align(table)) {
        if alignment == Alignment::Right {
            // A number with its interval stays on one line.
            const LONGEST_NUMBER: f64 = 9.0;
            column.least = column.least.max(column.natural_cell.min(LONGEST_NUMBER));
        }
    }
    columns
}

impl Column {
    fn take(&mut self, line: &Line, is_head: bool) {
        for text in texts(line) {
            let width = measure::width(&text, is_head);
            self.natural = self.natural.max(width);
            if !is_head {
                self.natural_cell = self.natural_cell.max(width);
            }
            for word in text.split_whitespace() {
                self.least = self.least.max(measure::width(word, is_head));
            }
        }
    }
}

/// Returns the lines of a cell as text, as broad as they are set.
fn texts(line: &Line) -> Vec<String> {
    fn collect(line: &Line, texts: &mut Vec<String>) {
        for inline in &line.0 {
            let Some(last) = texts.last_mut() else { return };
            match inline {
                Inline::Text(text) | Inline::Code(text) => last.push_str(text),
                Inline::Literal(character) => last.push(*character),
                Inline::Strong(line) | Inline::Emphasis(line) => collect(line, texts),
                Inline::Mark { shown, .. } => last.push_str(shown),
                Inline::Sign(sign) => last.push_str(sign.sign),
                Inline::SoftBreak => last.push(' '),
                Inline::Anchor(_) => {}
                Inline::Break => texts.push(String::new()),
            }
        }
    }
    let mut texts = vec![String::new()];
    collect(line, &mut texts);
    texts
}

/// Returns the width of a column in points, from that of its content in heights of a letter.
fn points(ems: f64, size: f64) -> f64 {
    // What was measured letter by letter may be a little broader where some of it is strong.
    const SLACK: f64 = 1.03;
    ems * size * SLACK + PADDING
}

/// Returns the widths of columns in which no word is too long; `None` if there is no room for them.
fn share(columns: &[Column], room: f64, size: f64) -> Option<Vec<f64>> {
    let least: Vec<f64> = columns.iter().map(|column| points(column.least, size)).collect();
    let natural: Vec<f64> = columns.iter().map(|column| points(column.natural, size)).collect();
    if natural.iter().sum::<f64>() <= room {
        return Some(natural);
    }
    if least.iter().sum::<f64>() > room {
        return None;
    }
    // Each column has its longest word. What is left goes to those that want more: all they want to those that want little, and to
    // the others by the root of what they want, which keeps rows low.
    let mut widths = least;
    let mut left = room - widths.iter().sum::<f64>();
    let mut open: Vec<usize> = (0..columns.len()).collect();
    while !open.is_empty() {
        let want = |index: &usize| match (natural.get(*index), widths.get(*index)) {
            (Some(natural), Some(width)) => (natural - width).max(0.0),
            _ => 0.0,
        };
        let roots: f64 = open.iter().map(|index| want(index).sqrt()).sum();
        let part =
            |index: &usize| if roots > 0.0 { left * want(index).sqrt() / roots } else { 0.0 };
        let grants: Vec<(usize, f64, bool)> = open
            .iter()
            .map(|index| (*index, want(index).min(part(index)), want(index) <= part(index)))
            .collect();
        let is_last = !grants.iter().any(|(_, _, is_content)| *is_content);
        for (index, grant, is_content) in grants {
            if is_content || is_last {
                left -= grant;
                open.retain(|other| *other != index);
                if let Some(width) = widths.get_mut(index) {
                    *width += grant;
                }
            }
        }
    }
    Some(widths)
}

/// Returns the widths of columns whose words must break: short ones have what they need, the others share alike.
fn squeeze(columns: &[Column], room: f64, size: f64) -> Vec<f64> {
    let mut widths = vec![0.0; columns.len()];
    let mut open: Vec<usize> = (0..columns.len()).collect();
    let mut left = room;
    loop {
        let fair = left / open.len().max(1) as f64;
        let least =
            |index: usize| columns.get(index).map_or(0.0, |column| points(column.least, size));
        let Some(at) = open.iter().position(|index| least(*index) <= fair) else {
            for index in open {
                if let Some(width) = widths.get_mut(index) {
                    *width = fair;
                }
            }
            return widths;
        };
        let index = open.remove(at);
        left -= least(index);
        if let Some(width) = widths.get_mut(index) {
            *width = least(index);
        }
    }
}

/// Returns the alignment of each column. Columns of nothing but numbers stand at the right, whatever the table says.
pub(crate) fn align(table: &Table) -> Vec<Alignment> {
    let columns = table.columns.iter().enumerate();
    let align = |(index, (_, alignment)): (usize, &(Line, Alignment))| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(index)).map(Line::plain);
        let mut has_number = false;
        let are_numbers = cells.all(|cell| match cell.trim() {
            "" | "-" | "–" | "—" => true,
            cell => {
                has_number = true;
                is_number(cell)
            }
        });
        if *alignment == Alignment::Left && are_numbers && has_number {
            Alignment::Right
        } else {
            *alignment
        }
    };
    columns.map(align).collect()
}

/// Returns whether a cell is a number, perhaps with a sign, a unit of one letter or a currency.
fn is_number(cell: &str) -> bool {
    const BESIDE: &str = "+-−–.,'%‰€$£¥ \u{a0}\u{202f}±×~≈<>()";
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    digits > 0
        && cell.chars().all(|c| c.is_ascii_digit() || BESIDE.contains(c))
        && cell.chars().count() <= 24
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan_of(cells: &[&str], turned: Option<f64>) -> Vec<Layout> {
        let columns = cells.iter().map(|_| (Line::from("Head"), Alignment::Left)).collect();
        let rows = vec![cells.iter().map(|cell| Line::from(*cell)).collect()];
        plan(&Table { columns, rows }, 460.0, turned)
    }

    // proves: F6
    #[test]
    fn columns_have_the_width_of_their_content_and_long_text_wraps() {
        let [narrow] = plan_of(&["a", "12"], None).try_into().unwrap();
        assert!(narrow.widths.iter().sum::<f64>() < 120.0, "{narrow:?}");
        let text = "some words of it ".repeat(40);
        let [wide] = plan_of(&["Street", &text, "3.4 (2.6–4.1)"], None).try_into().unwrap();
        let [first, second, third] = wide.widths[..] else { panic!("{wide:?}") };
        assert!(first < 60.0 && second > 300.0 && third < 90.0, "{wide:?}");
        assert!((first + second + third - 460.0).abs() < 0.1, "{wide:?}");
        assert_eq!((wide.size, wide.is_turned, wide.is_squeezed), (9.0, false, false));
    }

    // proves: F6
    #[test]
    fn letters_get_smaller_then_the_page_is_turned_then_the_table_is_split() {
        let word = "incomprehensibly";
        let sizes = [5, 7, 9, 30].map(|count| {
            let parts = plan_of(&vec![word; count], Some(700.0));
            let widest = parts.iter().map(|part| part.widths.iter().sum::<f64>());
            assert!(widest.fold(0.0, f64::max) <= 700.1);
            (parts[0].size, parts[0].is_turned, parts.len())
        });
        assert_eq!(sizes[0], (9.0, false, 1));
        assert_eq!((sizes[1].1, sizes[1].2), (false, 1));
        assert!(sizes[1].0 < 9.0);
        assert_eq!((sizes[2].1, sizes[2].2), (true, 1));
        assert!(sizes[3].1 && sizes[3].2 > 1, "{sizes:?}");
        let squeezed = plan_of(&vec![word; 30], None);
        assert!(squeezed.len() == 1 && squeezed[0].is_squeezed);
    }

    #[test]
    fn columns_of_numbers_stand_at_the_right() {
        let mut table = Table::with(["Year", "Share", "Name", "None"]);
        for (year, share) in [("1854", "62.8 %"), ("1855", "–")] {
            table.row([year, share, "H2O", ""].map(Line::from));
        }
        let [right, left] = [Alignment::Right, Alignment::Left];
        assert_eq!(align(&table), [right, right, left, left]);
    }
}
