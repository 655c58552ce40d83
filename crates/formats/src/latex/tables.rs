//! Tables: cells between `&`, rows between `\\`.

use super::Page;
use super::reader::Reader;
use crate::rows::{Mark, Rows, Slot};

/// The most columns that a cell may span.
const WIDEST: usize = 64;

impl Page {
    /// Writes the table that is the content of an environment.
    pub(super) fn table(&mut self, name: &str, body: &str) {
        let mut reader = Reader::new(body);
        reader.optional();
        if matches!(name, "tabularx" | "tabulary" | "xltabular") {
            reader.argument();
        }
        reader.argument();
        let body = reader.until("\u{0}");
        let mut rows: Vec<Vec<Slot>> = Vec::new();
        // How many rows the head has, as the line below it says.
        let mut heads = 0;
        // Above which rows there is a line over the whole table.
        let mut lines: Vec<usize> = Vec::new();
        // How many rows below the cells above still cover, by column.
        let mut down: Vec<usize> = Vec::new();
        self.close();
        let mut captions: Vec<String> = Vec::new();
        for row in split(&body, "\\\\") {
            let row = without_spacing(row);
            if row.trim_start().starts_with("\\hline") {
                lines.push(rows.len());
            }
            if heads == 0 && row.trim_start().starts_with("\\midrule") {
                heads = rows.len();
            }
            let mut cells: Vec<Slot> = Vec::new();
            let mut next: Vec<usize> = Vec::new();
            for cell in split(row, "&") {
                let caption = cell.find("\\caption");
                if let Some(at) = caption {
                    let mut reader = Reader::new(&cell[at + "\\caption".len()..]);
                    reader.skip("*");
                    reader.optional();
                    captions.push(reader.argument());
                    let rest = reader.until("\u{0}");
                    cells.push(Slot::Own(self.unmarked(&rest)));
                    next.push(0);
                    continue;
                }
                let span = columns_of(cell);
                let words = self.unmarked(cell);
                let covered = down.get(cells.len()).copied().unwrap_or(0);
                if words.is_empty() && covered > 0 {
                    cells.push(Slot::Above);
                    next.push(covered - 1);
                    continue;
                }
                cells.push(Slot::Own(words));
                cells.extend(std::iter::repeat_n(Slot::Left, span - 1));
                next.extend(std::iter::repeat_n(rows_of(cell) - 1, span));
            }
            down = next;
            if cells.iter().any(Slot::has_words) && rows.last() != Some(&cells) {
                rows.push(cells);
            }
            if self.text.is_full() || self.is_too_much(&rows) {
                break;
            }
        }
        // The only line between rows stands below the head.
        lines.retain(|at| (1..rows.len()).contains(at));
        if let [at] = *lines
            && heads == 0
        {
            heads = at;
        }
        for caption in captions {
            let words = self.unmarked(&caption);
            self.text.paragraph(&words);
        }
        // A table of one column sets out words.
        if rows.iter().all(|row| row.len() == 1) {
            for row in &rows {
                self.text.paragraph(&words(row, " "));
            }
        } else if self.depth > 0 {
            // Within a line there is no table.
            let lines: Vec<String> = rows.iter().map(|row| words(row, ", ")).collect();
            self.text.paragraph(&lines.join("; "));
        } else {
            let mut table = Rows::default();
            for (index, row) in rows.into_iter().enumerate() {
                table.push(row, if index < heads { Mark::Head } else { Mark::Plain });
            }
            table.write(&mut self.text);
        }
        for note in std::mem::take(&mut self.notes) {
            self.text.paragraph(&note);
        }
    }

    fn is_too_much(&self, rows: &[Vec<Slot>]) -> bool {
        rows.len() > 20_000
    }
}

/// Returns the parts of a text between separators that are not within braces or environments.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut at) = (0_usize, 0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = &bytes[at..];
        if depth == 0 && rest.starts_with(separator.as_bytes()) {
            found.push(&text[start..at]);
            at += separator.len();
            start = at;
            continue;
        }
        match bytes[at] {
            b'\\' if rest.starts_with(b"\\begin{") => depth += 1,
            b'\\' if rest.starts_with(b"\\end{") => depth = depth.saturating_sub(1),
            // An escaped character separates nothing.
            b'\\' => at += 1,
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    found.push(text.get(start..).unwrap_or_default());
    found
}

/// Returns a row without the space that was asked for after the row before: `[2pt]`.
fn without_spacing(row: &str) -> &str {
    let rest = row.trim_start_matches('*');
    match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((length, rest)) if length.len() < 20 => rest,
        _ => rest,
    }
}

/// Returns the words of a row.
fn words(row: &[Slot], between: &str) -> String {
    let own = row.iter().filter_map(|slot| match slot {
        Slot::Own(words) if !words.is_empty() => Some(words.as_str()),
        _ => None,
    });
    own.collect::<Vec<_>>().join(between)
}

/// Returns how many rows a cell covers: `\multirow{2}{*}{…}`.
fn rows_of(cell: &str) -> usize {
    let Some((_, rest)) = cell.split_once("\\multirow") else { return 1 };
    let rest = rest.split_once('{').map_or("", |(_, rest)| rest);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().unwrap_or(1).clamp(1, WIDEST)
}

fn columns_of(cell: &str) -> usize {
    let Some((_, rest)) = cell.split_once("\\multicolumn") else { return 1 };
    let digits: String =
        rest.trim_start_matches(['{', ' ']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().unwrap_or(1).clamp(1, WIDEST)
}
