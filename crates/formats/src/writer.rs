//! Writes Markdown block by block.

use std::borrow::Cow;
use std::fmt::Write;

/// How deep list items are indented.
const DEEPEST_ITEM: usize = 8;
/// The most things that are named for being left out.
const NAMED: usize = 20;

/// Markdown that is being written.
///
/// Blocks are separated by a blank line, list items by a line break. Once more than `most` bytes are written, further blocks are
/// dropped, and [`Writer::is_full`] says so; the caller then reports a text that is too large.
#[derive(Debug, Clone)]
pub struct Writer {
    text: String,
    most: usize,
    after_item: bool,
    left_out: Vec<String>,
    /// How many more things were left out than are named.
    further: usize,
}

impl Writer {
    /// Returns a writer of at most about `most` bytes.
    pub fn new(most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (text, left_out) = (String::new(), Vec::new());
        Self { text, most, after_item: false, left_out, further: 0 }
    }

    /// Returns whether more than the limit was written.
    pub fn is_full(&self) -> bool {
        self.text.len() > self.most
    }

    /// Notes what of the file is not in the text, such as `500 rows of a table`. Writes nothing.
    pub fn leave_out(&mut self, what: impl Into<String>) {
        if self.left_out.len() < NAMED {
            self.left_out.push(what.into());
        } else {
            self.further += 1;
        }
    }

    /// Notes what `part`, written apart, left out.
    pub(crate) fn leave_out_as(&mut self, part: &Writer) {
        for what in &part.left_out {
            self.leave_out(what.clone());
        }
        self.further += part.further;
    }

    /// Returns what was left out as an entry of the metadata; `None` if nothing was.
    pub fn left_out(&self) -> Option<(String, String)> {
        let named = self.left_out.join("; ");
        let told = match (self.left_out.len(), self.further) {
            (0, _) => return None,
            (_, 0) => named,
            (_, further) => format!("{named}; and {further} more"),
        };
        Some((crate::LEFT_OUT.to_owned(), told))
    }

    /// Returns how many more bytes fit.
    pub fn left(&self) -> usize {
        self.most.saturating_sub(self.text.len())
    }

    /// Returns the number of bytes written: where the next block begins, before its separator.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns how many more bytes may be written.
    pub fn room(&self) -> usize {
        self.most.saturating_sub(self.text.len())
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

    /// Writes the heading of a slide: its number and its title. A title as long as a text becomes a paragraph.
    pub fn slide(&mut self, number: &str, title: Option<&str>) {
        const LONGEST: usize = 160;
        let (heading, text) = match title {
            Some(title) if title.chars().count() > LONGEST => (number.to_owned(), title),
            Some(title) => (format!("{number}: {title}"), ""),
            None => (number.to_owned(), ""),
        };
        self.heading(2, &heading);
        self.paragraph(text);
    }

    /// Writes a paragraph on one line. Line breaks within `words` stay. Ignores a blank one.
    pub fn paragraph(&mut self, words: &str) {
        if !is_blank(words) {
            self.named_paragraph("", words);
        }
    }

    /// Writes a paragraph that begins with `name`, which may be blank, and goes on with `words` on the same line.
    ///
    /// Words may be as long as a file: none of it is in memory twice.
    pub(crate) fn named_paragraph(&mut self, name: &str, words: &str) {
        self.separate(false);
        if !self.is_full() {
            put_lines(&mut self.text, name, words);
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

    /// Ends a list: an item that follows begins another, after a blank line.
    pub fn end_list(&mut self) {
        self.after_item = false;
    }

    /// Writes a list item with the label that prints before it: `3.`, `a)`, `1.2`, or a bullet.
    ///
    /// Markdown has no letters and no multi-level numbers, so those stand at the start of the words.
    pub fn labelled(&mut self, depth: usize, label: &str, words: &str) {
        let label = tidy(label);
        let digits = label.bytes().take_while(u8::is_ascii_digit).count();
        let number = (1..=3).contains(&digits) && matches!(&label[digits..], "." | ")");
        if number {
            self.item(depth, &label, words);
        } else if label.chars().any(char::is_alphanumeric) && !words.trim().is_empty() {
            self.item(depth, "-", &format!("{label} {words}"));
        } else {
            self.item(depth, "-", words);
        }
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

/// Returns a comment with the name of who wrote it.
pub(crate) fn comment(author: &str, words: &str) -> String {
    let (author, words) = (tidy(author), words.trim());
    match (author.as_str(), words) {
        (_, "") => String::new(),
        ("", words) => format!("Comment: {words}"),
        (author, words) => format!("Comment by {author}: {words}"),
    }
}

/// Returns the lines of a paragraph, each with single spaces and escaped, without blank ones.
pub(crate) fn lines(words: &str) -> String {
    let mut found = String::new();
    put_lines(&mut found, "", words);
    found
}

/// Appends the lines of a paragraph, the first of them with `name` before it.
fn put_lines(found: &mut String, name: &str, words: &str) {
    let mut is_first = true;
    for (index, line) in words.split('\n').enumerate() {
        let name = if index == 0 { name } else { "" };
        if is_blank(name) && is_blank(line) {
            continue;
        }
        if !is_first {
            found.push('\n');
        }
        is_first = false;
        let start = found.len();
        found.reserve(name.len() + line.len() + 1);
        put_tidy(found, name.split_whitespace().chain(line.split_whitespace()));
        if means_more(&found[start..]) {
            found.insert(start, '\\');
        }
    }
}

/// Characters that do not show: soft hyphens and byte order marks.
const UNSEEN: [char; 2] = ['\u{ad}', '\u{feff}'];

fn is_unseen(word: &str) -> bool {
    word.trim_matches(UNSEEN).is_empty()
}

fn is_blank(words: &str) -> bool {
    words.split_whitespace().all(is_unseen)
}

/// Returns `words` on one line, with single spaces and without what does not show: soft hyphens and byte order marks.
pub fn tidy(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    put_tidy(&mut line, words.split_whitespace());
    line
}

fn put_tidy<'w>(line: &mut String, words: impl Iterator<Item = &'w str>) {
    for (index, word) in words.filter(|word| !is_unseen(word)).enumerate() {
        if index > 0 {
            line.push(' ');
        }
        line.extend(word.split(UNSEEN));
    }
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
        page.paragraph(" \n \u{feff}");
        page.item(0, "-", "\u{ad}a\u{ad} \u{feff} \u{ad}");
        page.item(1, "3.", "b");
        page.table(&[vec!["x", "y"], vec!["1 | 2"]]);
        page.quote(1, "he said\n# so");
        page.code("sh", "\necho '```'\n");
        assert_eq!(
            page.finish(),
            "###### Tea study\n\n\\# no heading\nand more\n\n- a\n  3. b\n\n| x | y |\n| --- | --- |\n| 1 \\| 2 |  |\n\n> > he said\n> > \\# so\n\n````sh\necho '```'\n````"
        );
    }

    // proves: A6
    #[test]
    fn a_label_prints_as_it_does_in_the_file() {
        let mut page = Writer::new(1000);
        for label in ["3.", "3)", "(3)", "b)", "1.2.", "1234.", "\u{2022}", ""] {
            page.labelled(0, label, "tea");
        }
        page.labelled(0, "a)", " ");
        assert_eq!(
            page.finish(),
            "3. tea\n3) tea\n- (3) tea\n- b) tea\n- 1.2. tea\n- 1234. tea\n- tea\n- tea"
        );
        assert_eq!(comment("A. Leaf", " Why? "), "Comment by A. Leaf: Why?");
        assert_eq!(comment(" ", "Why?"), "Comment: Why?");
        assert_eq!(comment("A. Leaf", ""), "");
    }

    // proves: A6
    #[test]
    fn a_paragraph_begins_with_its_name() {
        let written = |name: &str, words: &str| {
            let mut page = Writer::new(1000);
            page.named_paragraph(name, words);
            page.finish()
        };
        assert_eq!(written("a  b:", " c\u{ad}d \n# e\n\n f"), "a b: cd\n\\# e\nf");
        assert_eq!(written("a:", " \nb"), "a:\nb");
        assert_eq!(written("", "\u{feff}\n==="), "\\===");
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
