//! The plain text of a message as blocks: paragraphs on one line, quotes, lists, patches.
//!
//! Mail is wrapped by hand or by the program that sent it, so a line break counts only where the next word would have fitted on the
//! line. That keeps addresses, signatures and verse, and joins prose.

use crate::Writer;

/// A line longer than this was not wrapped.
const LONGEST_WRAPPED: usize = 100;
/// Prose is not wrapped to lines shorter than this.
const SHORTEST_WRAPPED: usize = 50;
/// Quotes deeper than this are wrapped like those at this depth.
const DEEPEST_WIDTH: usize = 16;
/// The most lines of a block of code.
const LONGEST_CODE: usize = 80;

/// How the lines of a text are to be joined, as its content type says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// A line that ends with a space goes on in the next.
    pub(super) flowed: bool,
    /// That space is not part of the text.
    pub(super) drop_space: bool,
}

struct Line<'a> {
    depth: usize,
    words: std::borrow::Cow<'a, str>,
}

/// Writes a message's text below a heading of `level`.
pub(super) fn write(text: &str, flow: Flow, level: usize, page: &mut Writer) {
    let lines = split_lines(text, flow);
    let mut widths = vec![SHORTEST_WRAPPED];
    for line in &lines {
        let length = line.words.trim().chars().count();
        let depth = line.depth.min(DEEPEST_WIDTH);
        if widths.len() <= depth {
            widths.resize(depth + 1, SHORTEST_WRAPPED);
        }
        if length <= LONGEST_WRAPPED {
            widths[depth] = widths[depth].max(length);
        }
    }
    let mut body = Body { page, level, widths, open: String::new(), last: 0, depth: 0, item: None };
    let mut index = 0;
    while index < lines.len() && !body.page.is_full() {
        let line = &lines[index];
        let words = line.words.trim_end();
        if line.depth != body.depth {
            body.close();
            body.depth = line.depth;
        }
        if line.depth == 0 && starts_patch(&lines, index) {
            body.close();
            index = body.patch(&lines, index);
            continue;
        }
        body.take(words);
        index += 1;
    }
    body.close();
}

/// Returns the lines without their quote marks, and flowed ones joined.
fn split_lines(text: &str, flow: Flow) -> Vec<Line<'_>> {
    let mut found: Vec<Line> = Vec::new();
    let mut flows = false;
    for line in text.lines() {
        let (depth, words) = unquoted(line.trim_end_matches('\r'));
        let words = if flow.flowed { words.strip_prefix(' ').unwrap_or(words) } else { words };
        let is_signature = words == "-- ";
        let goes_on = flow.flowed && words.ends_with(' ') && !is_signature;
        let words_without =
            if goes_on && flow.drop_space { &words[..words.len() - 1] } else { words };
        match found.last_mut() {
            Some(last) if flows && last.depth == depth && !is_signature => {
                last.words.to_mut().push_str(words_without);
            }
            _ => found.push(Line { depth, words: words_without.into() }),
        }
        flows = goes_on;
    }
    found
}

/// Returns how deep a line is quoted, and what is quoted.
fn unquoted(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    while let Some(inner) = rest.strip_prefix('>') {
        depth += 1;
        rest = inner;
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        if spaces <= 1 && rest[spaces..].starts_with('>') {
            rest = &rest[spaces..];
        }
    }
    (depth, if depth > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest })
}

struct Body<'a> {
    page: &'a mut Writer,
    level: usize,
    /// The length to which the text is wrapped, for each depth of quotes: who is quoted may wrap at another.
    widths: Vec<usize>,
    open: String,
    /// The length of the last line of the open paragraph.
    last: usize,
    depth: usize,
    /// The mark and indentation of the open list item.
    item: Option<(String, usize)>,
}

impl Body<'_> {
    fn take(&mut self, line: &str) {
        let words = line.trim();
        let inward = line.len() - line.trim_start().len();
        if words.is_empty() {
            return self.close();
        }
        if let Some(mark) = rule(words) {
            if "=-~".contains(mark) && self.is_title(words) {
                let title = std::mem::take(&mut self.open);
                return self.page.heading(self.level + 1, &title);
            }
            return self.close();
        }
        if let Some(mark) = item_mark(words)
            && (self.open.is_empty()
                || self.item.is_some()
                || self.is_short(words)
                || "-*+•".contains(&words[..mark]))
        {
            self.close();
            self.item = Some((words[..mark].trim().to_owned(), inward));
            self.add(words[mark..].trim(), words.chars().count());
            return;
        }
        if self.is_short(words) && !self.open.is_empty() {
            self.open.push('\n');
        } else if !self.open.is_empty() && !joins_without_space(&self.open, words) {
            self.open.push(' ');
        }
        self.add(words, words.chars().count());
    }

    fn add(&mut self, words: &str, length: usize) {
        self.open.push_str(words);
        self.last = length;
    }

    /// Returns whether the last line ended before it was full: the first of these words would have fitted.
    ///
    /// A sentence that goes on in lower case after a line of some length was wrapped to some other length.
    fn is_short(&self, words: &str) -> bool {
        let width = self.widths.get(self.depth.min(DEEPEST_WIDTH)).copied();
        let first = words.split_whitespace().next().unwrap_or_default().chars().count();
        let goes_on = self.last >= SHORTEST_WRAPPED
            && words.starts_with(char::is_lowercase)
            && self.open.ends_with(|c: char| c.is_alphanumeric() || c == ',');
        let fits = self.last + 1 + first <= width.unwrap_or(SHORTEST_WRAPPED);
        self.last > LONGEST_WRAPPED || fits && !goes_on
    }

    /// Returns whether a rule underlines the one open line as a title.
    fn is_title(&self, rule: &str) -> bool {
        let length = self.open.chars().count();
        self.depth == 0
            && self.item.is_none()
            && length > 1
            && rule.len() > 2
            && !self.open.contains('\n')
            && length.abs_diff(rule.chars().count()) <= 3
    }

    fn close(&mut self) {
        let words = std::mem::take(&mut self.open);
        let item = self.item.take();
        self.last = 0;
        match (self.depth, item) {
            (0, None) => self.page.paragraph(&words),
            (0, Some((mark, inward))) => {
                let mark = if mark == "•" { "-" } else { &mark };
                self.page.item(usize::from(inward >= 4), mark, &words.replace('\n', " "));
            }
            (depth, None) => self.page.quote(depth - 1, &words),
            (depth, Some((mark, _))) => self.page.quote(depth - 1, &format!("{mark} {words}")),
        }
    }

    /// Writes the patch that begins at a line, a block of code for each part; returns the index after it.
    fn patch(&mut self, lines: &[Line], start: usize) -> usize {
        let mut code = String::new();
        let mut count = 0;
        let mut index = start;
        while let Some(line) = lines.get(index).filter(|line| line.depth == 0) {
            let words = line.words.trim_end();
            let is_header = is_patch_header(words);
            let is_change = words.starts_with([' ', '+', '-', '\\']) && words != "--";
            // A blank line of context loses its space on the way.
            let is_blank = words.is_empty()
                && lines.get(index + 1).is_some_and(|next| {
                    next.words.starts_with([' ', '+', '-']) && next.words.trim_end() != "--"
                        || is_patch_header(&next.words)
                });
            if !(is_header || is_change || is_blank) {
                break;
            }
            let is_next = words.starts_with("diff ")
                || words.starts_with("@@ ") && code.lines().any(|line| line.starts_with("@@ "));
            if count >= LONGEST_CODE || count > 0 && is_next {
                self.page.code("diff", &code);
                code.clear();
                count = 0;
            }
            code.push_str(words);
            code.push('\n');
            count += 1;
            index += 1;
        }
        self.page.code("diff", &code);
        index.max(start + 1)
    }
}

fn is_patch_header(line: &str) -> bool {
    [
        "diff --git ",
        "diff -",
        "index ",
        "--- ",
        "+++ ",
        "@@ ",
        "Index: ",
        "new file mode ",
        "deleted file mode ",
        "similarity index ",
        "rename from ",
        "rename to ",
        "old mode ",
        "new mode ",
        "==========",
        "Binary files ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// Returns whether a patch begins here: its header, or the names of two versions.
fn starts_patch(lines: &[Line], index: usize) -> bool {
    let line = |ahead: usize| lines.get(index + ahead).map_or("", |line| &line.words);
    line(0).starts_with("diff --git ")
        || line(0).starts_with("Index: ") && line(1).starts_with("=====")
        || line(0).starts_with("--- ") && line(1).starts_with("+++ ") && line(2).starts_with("@@ ")
        || line(0).starts_with("diff -") && line(1).starts_with("--- ")
}

/// Returns the character of which a line of nothing else is a rule.
fn rule(line: &str) -> Option<char> {
    let first = line.chars().next()?;
    let is_rule = "-=_*~#+".contains(first) && line.chars().all(|c| c == first || c == ' ');
    (is_rule && (line.len() >= 3 || line == "--")).then_some(first)
}

/// Returns the length of a list item's mark and the spaces after it.
fn item_mark(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = line[digits..].chars().next()?;
    let is_mark =
        if digits == 0 { "-*+•".contains(mark) } else { digits <= 2 && ".)".contains(mark) };
    let rest = &line[digits + mark.len_utf8()..];
    let words = rest.trim_start();
    (is_mark && words.len() < rest.len() && words.chars().any(char::is_alphanumeric))
        .then(|| line.len() - words.len())
}

/// Returns whether the text goes on without a space, as Chinese and Japanese do.
fn joins_without_space(before: &str, after: &str) -> bool {
    let is_ideographic = |c: char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}');
    before.chars().next_back().is_some_and(is_ideographic)
        && after.chars().next().is_some_and(is_ideographic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, flow: Flow, expected: &str) {
        let mut page = Writer::new(100_000);
        write(text, flow, 1, &mut page);
        assert_eq!(page.finish(), expected, "{text}");
    }

    // proves: A6
    #[test]
    fn wrapped_lines_are_joined_and_meant_breaks_stay() {
        check(
            "Hello Bob,\n\nthe tide comes in twice a day, as you know, and it follows the moon\naround the earth.\n\nBest,\nAnn\n-- \nAnn Lee\nTea Street 1\n",
            Flow::default(),
            "Hello Bob,\n\nthe tide comes in twice a day, as you know, and it follows the moon around the earth.\n\nBest,\nAnn\n\nAnn Lee\nTea Street 1",
        );
    }

    // proves: A6
    #[test]
    fn quotes_lists_and_titles_are_what_they_look_like() {
        check(
            "Tides\n=====\n\nOn Monday, Bob wrote:\n>> first and a long line that was wrapped by the program that\n>> sent it\n> second\n\nI agree:\n- one\n- two that goes on in the next line because it is a long one and\n  more\n1. three\n",
            Flow::default(),
            "## Tides\n\nOn Monday, Bob wrote:\n\n> > first and a long line that was wrapped by the program that sent it\n\n> second\n\nI agree:\n\n- one\n- two that goes on in the next line because it is a long one and more\n1. three",
        );
    }

    // proves: A6
    #[test]
    fn flowed_text_is_joined_as_it_says() {
        let flow = Flow { flowed: true, drop_space: false };
        check("> a \n> b\n> c\nd \ne\n-- \nf\n", flow, "> a b\n> c\n\nd e\n\nf");
        check("a \nb\n", Flow { drop_space: true, ..flow }, "ab");
    }

    // proves: A6
    #[test]
    fn a_patch_is_code_part_by_part() {
        check(
            "Fix it.\n---\n a.c | 2 +-\n\ndiff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-# tea\n+| x\n@@ -9 +9 @@\n-y\n-- \n2.1\n",
            Flow::default(),
            "Fix it.\n\na.c | 2 +-\n\n```diff\ndiff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-# tea\n+| x\n```\n\n```diff\n@@ -9 +9 @@\n-y\n```\n\n2.1",
        );
    }
}
