//! The blocks of a Markdown text: paragraphs, headings, list items, table rows, code.
//!
//! Plain text reads as paragraphs. Nothing is refused: what is no mark of a block is part of a paragraph.

use std::ops::Range;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Paragraph,
    /// Its level, 1 to 6.
    Heading(u8),
    Item,
    /// A row of a table, whose head row is the block at `head`; none for a head row itself and in a table without one.
    Row {
        head: Option<usize>,
    },
    /// Whole code blocks, without their fences.
    Code,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// The bytes of its content, without list mark, heading mark and fences.
    pub span: Range<usize>,
    /// The bytes of its lines, marks included, without the last line break.
    pub lines: Range<usize>,
    /// Whether the next block is rows of the same table, of which this row is the head.
    pub is_head: bool,
}

impl Block {
    fn new(kind: Kind, span: Range<usize>, lines: Range<usize>) -> Block {
        Block { kind, span, lines, is_head: false }
    }
}

/// Returns the blocks of `text`, in order; none overlaps another.
///
/// Blank lines, rules and table borders belong to none. A fence that is not closed holds everything behind it.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut reading = Reading::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reading.take(text, line, start);
        start += line.len();
    }
    reading.close();
    if let Some(code) = reading.fence.take().filter(|code| !code.lines.is_empty()) {
        reading.found.push(code);
    }
    reading.found
}

#[derive(Default)]
struct Reading {
    found: Vec<Block>,
    /// A paragraph or list item that the next line may go on with.
    open: Option<Block>,
    /// The code that a fence opened.
    fence: Option<Block>,
    /// The head row of the table that the rows before belong to.
    head: Option<usize>,
    is_front_matter: bool,
}

impl Reading {
    fn take(&mut self, text: &str, line: &str, start: usize) {
        let trimmed = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        let to = from + trimmed.len();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        if let Some(mut code) = self.fence.take() {
            if is_fence {
                code.lines.end = to;
                if !code.span.is_empty() {
                    self.found.push(code);
                }
            } else {
                let until = start + line.trim_end_matches(['\n', '\r']).len();
                if code.span.is_empty() {
                    code.span.start = start;
                }
                code.span.end = until;
                code.lines.end = until;
                self.fence = Some(code);
            }
            return;
        }
        let is_row = trimmed.starts_with('|');
        let is_rule = !trimmed.chars().any(char::is_alphanumeric)
            && trimmed.chars().any(|c| "-=*_|~`#:".contains(c));
        if !is_row && !is_rule {
            self.head = None;
        }
        if is_fence {
            self.close();
            self.fence = Some(Block::new(Kind::Code, to..to, from..to));
        } else if trimmed.is_empty() {
            self.close();
        } else if is_rule {
            if trimmed == "---" && (start == 0 || self.is_front_matter) {
                self.is_front_matter = start == 0;
            } else {
                self.underline(text, trimmed, to);
            }
            self.close();
        } else if let Some(mark) = list_mark(trimmed) {
            self.close();
            self.open = Some(Block::new(Kind::Item, from + mark..to, from..to));
        } else if let Some((level, mark)) = heading_mark(trimmed) {
            self.close();
            let content = trimmed.trim_end_matches('#').trim_end();
            let end = from + content.len().max(mark);
            self.found.push(Block::new(Kind::Heading(level), from + mark..end, from..to));
        } else if is_row {
            self.close();
            self.found.push(Block::new(Kind::Row { head: self.head }, from..to, from..to));
        } else {
            match &mut self.open {
                Some(block) => {
                    block.span.end = to;
                    block.lines.end = to;
                }
                None => self.open = Some(Block::new(Kind::Paragraph, from..to, from..to)),
            }
        }
    }

    /// Takes a line of nothing but signs: it makes the line above a heading, or the row above the head of a table.
    fn underline(&mut self, text: &str, rule: &str, to: usize) {
        if rule.contains('|') {
            if let Some(row) = self.found.last_mut()
                && matches!(row.kind, Kind::Row { .. })
                && text.get(row.lines.end..to).is_some_and(|gap| gap.matches('\n').count() == 1)
            {
                row.kind = Kind::Row { head: None };
                row.is_head = true;
                row.lines.end = to;
                self.head = Some(self.found.len() - 1);
            }
            return;
        }
        let level = match rule.as_bytes().first() {
            Some(b'=') => 1,
            Some(b'-') => 2,
            _ => return,
        };
        if !self.is_front_matter
            && rule.bytes().all(|byte| Some(&byte) == rule.as_bytes().first())
            && let Some(block) = &mut self.open
            && block.kind == Kind::Paragraph
            && text.get(block.span.clone()).is_some_and(|content| !content.contains('\n'))
        {
            block.kind = Kind::Heading(level);
            block.lines.end = to;
        }
    }

    fn close(&mut self) {
        self.found.extend(self.open.take());
    }
}

/// Returns the length of `- `, `* `, `+ `, `• `, `1. ` or `1) ` at the start of a line.
fn list_mark(line: &str) -> Option<usize> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = line.get(digits..)?.chars().next()?;
    let bullet = digits == 0 && matches!(mark, '-' | '*' | '+' | '•');
    let number = (1..=3).contains(&digits) && matches!(mark, '.' | ')');
    let rest = line.get(digits + mark.len_utf8()..)?;
    let content = rest.trim_start();
    ((bullet || number) && content.len() < rest.len()).then(|| line.len() - content.len())
}

/// Returns the level of a heading, and the length of its mark.
fn heading_mark(line: &str) -> Option<(u8, usize)> {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    let level = u8::try_from(marks).ok().filter(|level| (1..=6).contains(level))?;
    rest.starts_with([' ', '\t']).then(|| (level, line.len() - rest.trim_start().len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let found: Vec<(Kind, &str)> =
            blocks(text).into_iter().map(|block| (block.kind, &text[block.span])).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn each_block_has_its_kind() {
        check(
            "# Title #\nOne line\ngoes on.\n- first\n  still first\n2) second\n\nLast",
            &[
                (Kind::Heading(1), "Title"),
                (Kind::Paragraph, "One line\ngoes on."),
                (Kind::Item, "first\n  still first"),
                (Kind::Item, "second"),
                (Kind::Paragraph, "Last"),
            ],
        );
        check("Title\n=====\nText", &[(Kind::Heading(1), "Title"), (Kind::Paragraph, "Text")]);
        check("Two\nlines\n---\n", &[(Kind::Paragraph, "Two\nlines")]);
        check(
            "---\ncompany: acme\n---\nText",
            &[(Kind::Paragraph, "company: acme"), (Kind::Paragraph, "Text")],
        );
    }

    #[test]
    fn code_stays_whole_and_rows_know_their_head() {
        check(
            "Run\n```sh\na | b\n\n# c\n```\nthen",
            &[(Kind::Paragraph, "Run"), (Kind::Code, "a | b\n\n# c"), (Kind::Paragraph, "then")],
        );
        check("```\nopen", &[(Kind::Code, "open")]);
        check("```\n```\nText", &[(Kind::Paragraph, "Text")]);
        let table = "Intro\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\n| x | y |";
        check(
            table,
            &[
                (Kind::Paragraph, "Intro"),
                (Kind::Row { head: None }, "| a | b |"),
                (Kind::Row { head: Some(1) }, "| 1 | 2 |"),
                (Kind::Row { head: Some(1) }, "| 3 | 4 |"),
                (Kind::Row { head: None }, "| x | y |"),
            ],
        );
        assert!(blocks(table)[1].is_head && !blocks(table)[4].is_head);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_blocks_in_order(text in "(?s)(.|[-#|`=>~ \n]|[a-z0-9.]|```|---|\\| a ){0,60}") {
            let mut last = 0;
            for block in blocks(&text) {
                prop_assert!(block.lines.start >= last && block.lines.end <= text.len());
                prop_assert!(block.span.start >= block.lines.start && block.span.end <= block.lines.end);
                prop_assert!(text.get(block.span.clone()).is_some());
                prop_assert!(text.get(block.lines.clone()).is_some());
                last = block.lines.end;
            }
        }
    }
}
