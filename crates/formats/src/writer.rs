//! Writes Markdown block by block.

use std::borrow::Cow;
use std::fmt::Write;

/// How deep list items are indented.
const DEEPEST_ITEM: usize = 8;

/// Markdown that is being written.
///
/// Blocks are separated by a blank line, list items by a line break. Once more than `most` bytes are written, further blocks are
/// dropped, and [`Writer::is_full`] says so; the caller then reports a text that is too large.
#[derive(Debug, Clone)]
pub struct Writer {
    text: String,
    most: usize,
    after_item: bool,
}

impl Writer {
    /// Returns a writer of at most about `most` bytes.
    pub fn new(most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { text: String::new(), most, after_item: false }
    }

    /// Returns whether more than the limit was written.
    pub fn is_full(&self) -> bool {
        self.text.len() > self.most
    }

    /// Returns the number of bytes written: where the next block begins, before its separator.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Writes a heading of level 1 to 6; deeper levels become 6. Ignores a blank one.
    pub fn heading(&mut self, level: usize, words: &str) {
        let words = tidy(words);
        if !words.is_empty() {
            self.block(&format!("{} {words}", "#".repeat(level.clamp(1, 6))));
        }
    }

    /// Writes a paragraph on one line. Line breaks within `words` stay. Ignores a blank one.
    pub fn paragraph(&mut self, words: &str) {
        let block = lines(words);
        if !block.is_empty() {
            self.block(&block);
        }
    }

    /// Writes a paragraph as a block quote within `depth` others, 0 for none.
    pub fn quote(&mut self, depth: usize, words: &str) {
        let words = lines(words);
        if words.is_empty() {
            return;
        }
        let mark = "> ".repeat(depth.min(DEEPEST_ITEM) + 1);
        self.block(&format!("{mark}{}", words.replace('\n', &format!("\n{mark}"))));
    }

    /// Writes a list item: `depth` 0 for the outermost list, `mark` such as `-` or `3.`. Ignores a blank one.
    pub fn item(&mut self, depth: usize, mark: &str, words: &str) {
        let words = lines(words);
        if words.is_empty() {
            return;
        }
        let inward = "  ".repeat(depth.min(DEEPEST_ITEM));
        self.separate(true);
        if !self.is_full() {
            let _ = write!(self.text, "{inward}{mark} {words}");
        }
        self.after_item = true;
    }

    /// Writes a table. The first row is its head. Rows may differ in length; a table without words is ignored.
    pub fn table<S: AsRef<str>>(&mut self, rows: &[Vec<S>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_blank = |cell: &S| cell.as_ref().trim().is_empty();
        if columns == 0 || rows.iter().all(|row| row.iter().all(is_blank)) {
            return;
        }
        self.separate(false);
        for (index, row) in rows.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.text.push_str(if index > 0 { "\n|" } else { "|" });
            for column in 0..columns {
                let cell = row.get(column).map_or(String::new(), |cell| tidy(cell.as_ref()));
                let _ = write!(self.text, " {} |", cell.replace('|', "\\|"));
            }
            if index == 0 {
                self.text.push_str("\n|");
                self.text.push_str(&" --- |".repeat(columns));
            }
        }
    }

    /// Writes a code block with a fence that is longer than any within. Ignores a blank one.
    pub fn code(&mut self, language: &str, code: &str) {
        let code = code.trim_matches(['\n', '\r']).trim_end();
        if code.trim().is_empty() {
            return;
        }
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.block(&format!("{fence}{language}\n{code}\n{fence}"));
    }

    /// Writes a block of Markdown as it is.
    pub fn block(&mut self, block: &str) {
        self.separate(false);
        if !self.is_full() {
            self.text.push_str(block);
        }
    }

    fn separate(&mut self, is_item: bool) {
        if !self.text.is_empty() && !self.is_full() {
            self.text.push_str(if is_item && self.after_item { "\n" } else { "\n\n" });
        }
        self.after_item = false;
    }

    /// Returns what was written.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Returns the lines of a paragraph, each with single spaces and escaped, without blank ones.
fn lines(words: &str) -> String {
    let mut found = String::new();
    for line in words.split('\n').map(tidy).filter(|line| !line.is_empty()) {
        if !found.is_empty() {
            found.push('\n');
        }
        found.push_str(&escaped(&line));
    }
    found
}

/// Returns `words` on one line, with single spaces.
pub fn tidy(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    for word in words.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Returns a one-line paragraph as Markdown that reads the same.
pub fn escaped(line: &str) -> Cow<'_, str> {
    if means_more(line) { Cow::Owned(format!("\\{line}")) } else { Cow::Borrowed(line) }
}

/// Returns whether Markdown would take `line` for a heading, an underline, a fence or HTML.
pub fn means_more(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let heading = after.len() < line.len() && (after.is_empty() || after.starts_with(' '));
    let underline = !line.is_empty()
        && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'));
    let tag = line.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || "!?/".contains(c))
    });
    heading || underline || tag || line.starts_with("```") || line.starts_with("~~~")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn blocks_are_markdown_that_reads_as_the_file_does() {
        let mut page = Writer::new(1000);
        page.heading(9, "Tea\n study");
        page.paragraph("# no heading\n  and more ");
        page.paragraph(" \n ");
        page.item(0, "-", "a");
        page.item(1, "3.", "b");
        page.table(&[vec!["x", "y"], vec!["1 | 2"]]);
        page.quote(1, "he said\n# so");
        page.code("sh", "\necho '```'\n");
        assert_eq!(
            page.finish(),
            "###### Tea study\n\n\\# no heading\nand more\n\n- a\n  3. b\n\n| x | y |\n| --- | --- |\n| 1 \\| 2 |  |\n\n> > he said\n> > \\# so\n\n````sh\necho '```'\n````"
        );
    }

    #[test]
    fn a_full_writer_stops_growing() {
        let mut page = Writer::new(100);
        for _ in 0..1000 {
            page.paragraph("some words");
            page.item(0, "-", "an item");
            page.table(&[vec!["a"], vec!["b"]]);
        }
        assert!(page.is_full() && page.len() < 200);
    }
}
