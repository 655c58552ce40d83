//! Tables: cells between `&`, rows between `\\`.

use super::Page;
use super::reader::Reader;

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
        let mut rows: Vec<Vec<String>> = Vec::new();
        self.close_for_table();
        let mut captions: Vec<String> = Vec::new();
        for row in split(&body, "\\\\") {
            let row = without_spacing(row);
            let mut cells: Vec<String> = Vec::new();
            for cell in split(row, "&") {
                let caption = cell.find("\\caption");
                if let Some(at) = caption {
                    let mut reader = Reader::new(&cell[at + "\\caption".len()..]);
                    reader.skip("*");
                    reader.optional();
                    captions.push(reader.argument());
                    let rest = reader.until("\u{0}");
                    cells.push(self.unmarked(&rest));
                    continue;
                }
                let span = columns_of(cell);
                cells.push(self.unmarked(cell));
                cells.extend(std::iter::repeat_n(String::new(), span - 1));
            }
            if cells.iter().any(|cell| !cell.is_empty()) && rows.last() != Some(&cells) {
                rows.push(cells);
            }
            if self.text.is_full() || self.is_too_much(&rows) {
                break;
            }
        }
        for caption in captions {
            let words = self.unmarked(&caption);
            self.text.paragraph(&words);
        }
        // A table of one column sets out words.
        if rows.iter().all(|row| row.len() == 1) {
            for row in &rows {
                self.text.paragraph(&row.join(" "));
            }
        } else {
            self.text.table(&rows);
        }
        for note in std::mem::take(&mut self.notes) {
            self.text.paragraph(&note);
        }
    }

    fn close_for_table(&mut self) {
        self.close();
    }

    fn is_too_much(&self, rows: &[Vec<String>]) -> bool {
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

fn columns_of(cell: &str) -> usize {
    let Some((_, rest)) = cell.split_once("\\multicolumn") else { return 1 };
    let digits: String =
        rest.trim_start_matches(['{', ' ']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().unwrap_or(1).clamp(1, WIDEST)
}
