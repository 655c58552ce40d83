//! Splits Markdown text into blocks: paragraphs, headings, list items, table rows, code.
//!
//! Plain text parses as paragraphs. No input is rejected: anything that is not a block marker belongs to a paragraph.

use std::ops::Range;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Paragraph,
    /// Its level, 1 to 6.
    Heading(u8),
    /// A term, defined by the blocks below it.
    Term,
    Item,
    /// A table row. `head` is the index of the head row's block; `None` for a head row and in a table without one.
    Row {
        head: Option<usize>,
    },
    /// A whole code block, without its fences.
    Code,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// The byte range of its content, without list marker, heading marker and fences.
    pub span: Range<usize>,
    /// The byte range of its lines, markers included, without the last line break. For an entry of an unmarked list, the lines of the
    /// whole list, because fewer of its lines may not be a list.
    pub lines: Range<usize>,
    /// Whether this row is the head of the table rows that follow it.
    pub is_head: bool,
    /// The index of the term that this block defines or belongs to.
    pub term: Option<usize>,
}

impl Block {
    fn new(kind: Kind, span: Range<usize>, lines: Range<usize>) -> Block {
        Block { kind, span, lines, is_head: false, term: None }
    }
}

/// Returns the blocks of `text`, in order and without overlap.
///
/// Blank lines, rules and table borders belong to no block. An unclosed fence takes in everything after it. Lines of a key and its
/// value (`Rent: 900`) are blocks of their own, as are the lines of a list set in columns. A paragraph that begins with `: ` defines
/// the line above it, as do the following blocks that are indented further than that line.
pub fn split_blocks(text: &str) -> Vec<Block> {
    let mut reading = Reading::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reading.take(text, line, start);
        start += line.len();
    }
    reading.close(text);
    if let Some(code) = reading.fence.take().filter(|code| !code.lines.is_empty()) {
        reading.found.push(code);
    }
    reading.found
}

#[derive(Default)]
struct Reading {
    found: Vec<Block>,
    /// The paragraph or list item that the next line may continue.
    open: Option<Block>,
    /// The code block of an open fence.
    fence: Option<Block>,
    /// The head row of the table that the previous rows belong to.
    head: Option<usize>,
    is_front_matter: bool,
    /// The terms being defined: the indentation of each and the index of its block.
    terms: Vec<(usize, usize)>,
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
            self.close(text);
            self.terms.retain(|(term, _)| *term < from - start);
            let mut code = Block::new(Kind::Code, to..to, from..to);
            code.term = self.terms.last().map(|(_, term)| *term);
            self.fence = Some(code);
        } else if trimmed.is_empty() {
            self.close(text);
        } else if is_rule {
            if trimmed == "---" && (start == 0 || self.is_front_matter) {
                self.is_front_matter = start == 0;
            } else {
                self.underline(text, trimmed, to);
            }
            self.close(text);
        } else if let Some(mark) = list_mark(trimmed) {
            self.close(text);
            self.begin(Kind::Item, from + mark..to, from..to, from - start);
        } else if let Some(definition) = trimmed.strip_prefix(": ")
            && !self.open.as_ref().is_some_and(|open| text[open.lines.clone()].contains('\n'))
        {
            self.close(text);
            self.define(text, from - start);
            let mut block =
                Block::new(Kind::Paragraph, to - definition.trim_start().len()..to, from..to);
            block.term = self.terms.last().map(|(_, term)| *term);
            self.open = Some(block);
        } else if let Some((level, mark)) = heading_mark(trimmed) {
            self.close(text);
            self.terms.clear();
            let content = trimmed.trim_end_matches('#').trim_end();
            let end = from + content.len().max(mark);
            self.found.push(Block::new(Kind::Heading(level), from + mark..end, from..to));
        } else if is_row {
            self.close(text);
            self.terms.retain(|(term, _)| *term < from - start);
            let mut row = Block::new(Kind::Row { head: self.head }, from..to, from..to);
            row.term = self.terms.last().map(|(_, term)| *term);
            self.found.push(row);
        } else {
            let is_another = find_value(trimmed).is_some()
                && self.open.as_ref().is_some_and(|open| {
                    let first = first_line(text, open);
                    let is_of_list =
                        is_pair(first) || find_value(first).is_some() && is_pair(trimmed);
                    open.kind == Kind::Paragraph && is_of_list && begin_alike(first, trimmed)
                });
            if is_another {
                self.close(text);
            }
            match &mut self.open {
                Some(block) => {
                    block.span.end = to;
                    block.lines.end = to;
                }
                None => self.begin(Kind::Paragraph, from..to, from..to, from - start),
            }
        }
    }

    /// Opens a block indented by `inward`. It belongs to the terms with a smaller indentation.
    fn begin(&mut self, kind: Kind, span: Range<usize>, lines: Range<usize>, inward: usize) {
        self.terms.retain(|(term, _)| *term < inward);
        let mut block = Block::new(kind, span, lines);
        block.term = self.terms.last().map(|(_, term)| *term);
        self.open = Some(block);
    }

    /// Makes the line above a term if it has the definition's indentation.
    fn define(&mut self, text: &str, inward: usize) {
        let index = self.found.len().checked_sub(1);
        let above = index.and_then(|index| Some((index, self.found.get_mut(index)?)));
        let Some((index, block)) = above else {
            return self.terms.retain(|(term, _)| *term <= inward);
        };
        let line = text.get(block.lines.clone()).unwrap_or_default();
        let before = text.get(..block.lines.start).unwrap_or_default();
        let is_as_far = before.rsplit('\n').next().is_some_and(|lead| lead.len() == inward);
        if block.kind == Kind::Paragraph
            && block.span == block.lines
            && is_as_far
            && !line.contains('\n')
        {
            block.kind = Kind::Term;
            self.terms.retain(|(term, _)| *term < inward);
            self.terms.push((inward, index));
        } else {
            self.terms.retain(|(term, _)| *term <= inward);
        }
    }

    /// Handles a line of nothing but punctuation: it turns the line above into a heading, or the row above into a table head.
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

    fn close(&mut self, text: &str) {
        let Some(block) = self.open.take() else { return };
        let starts = entries(text, &block);
        if block.kind != Kind::Paragraph || starts.is_empty() {
            return self.found.push(block);
        }
        let ends = starts.iter().skip(1).copied().chain([block.span.end]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let written = text.get(start..end).unwrap_or_default();
            let span = start..start + written.trim_end().len();
            self.found.push(Block { span, ..block.clone() });
        }
    }
}

/// Returns the starts of the entries of an unmarked list, whose lines are key-value pairs or set in columns; empty for any other text.
fn entries(text: &str, block: &Block) -> Vec<usize> {
    /// Fewer lines do not make a list.
    const FEWEST: usize = 3;
    let mut starts = vec![block.span.start];
    let (mut lines, mut entries, mut at) = (0, 0, block.span.start);
    for line in text.get(block.span.clone()).unwrap_or_default().split_inclusive('\n') {
        let is_entry = is_pair(line.trim()) || is_in_columns(line.trim());
        // A field that was left blank keeps its neighbours apart.
        if (is_entry || find_value(line.trim()).is_some()) && lines > 0 {
            starts.push(at + line.len() - line.trim_start().len());
        }
        lines += 1;
        entries += usize::from(is_entry);
        at += line.len();
    }
    if lines >= FEWEST && entries * 3 >= lines * 2 { starts } else { vec![] }
}

/// Returns whether a line is set in columns, by wide gaps or dots: `Steriliser repair    01632 960 449`.
fn is_in_columns(line: &str) -> bool {
    line.contains("   ") || line.contains('\t') || line.contains("....")
}

fn first_line<'a>(text: &'a str, block: &Block) -> &'a str {
    text.get(block.span.clone()).and_then(|written| written.lines().next()).unwrap_or_default()
}

/// Returns whether a line is a key and its value: `Rent: 900 a month`.
fn is_pair(line: &str) -> bool {
    find_value(line).is_some_and(|value| value.contains(char::is_alphanumeric))
}

/// Returns the value of a line that is a key and its value, which may be blank: `Rent: 900 a month`, `Name: ____`.
fn find_value(line: &str) -> Option<&str> {
    /// Limits of a key.
    const MOST_WORDS: usize = 4;
    const MOST_LETTERS: usize = 40;
    let (key, value) = line.split_once([':', '：'])?;
    let is_apart =
        line[key.len()..].starts_with('：') || value.is_empty() || value.starts_with([' ', '\t']);
    let is_key = key.chars().any(char::is_alphabetic)
        && key.chars().count() <= MOST_LETTERS
        && key.split_whitespace().count() <= MOST_WORDS
        && !key.contains(['.', '?', '!', ',', ';', '"', '。', '，', '“', '「']);
    (is_apart && is_key).then_some(value)
}

/// Returns whether both lines begin with a lowercase letter, or neither. The continuation of a sentence usually differs from its first
/// line.
fn begin_alike(one: &str, other: &str) -> bool {
    one.starts_with(char::is_lowercase) == other.starts_with(char::is_lowercase)
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

/// Returns the level of a heading and the length of its marker.
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
            split_blocks(text).into_iter().map(|block| (block.kind, &text[block.span])).collect();
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

    // proves: C10
    #[test]
    fn keys_with_their_values_are_blocks_of_their_own() {
        let pairs = ["Rent: 900 a month", "Landlord (new): Ms Okafor", "库容：三千万立方米"];
        let text = format!("{}\n\nIt is said: they\ncame late: at nine.", pairs.join("\n"));
        let last = (Kind::Paragraph, "It is said: they\ncame late: at nine.");
        let mut expected: Vec<(Kind, &str)> =
            pairs.into_iter().map(|pair| (Kind::Paragraph, pair)).collect();
        expected.push(last);
        check(&text, &expected);
        check(
            "shop: 141\nPriya Nair (chair): 312\nRuth (no mobile): 159",
            &[
                (Kind::Paragraph, "shop: 141"),
                (Kind::Paragraph, "Priya Nair (chair): 312"),
                (Kind::Paragraph, "Ruth (no mobile): 159"),
            ],
        );
        check(
            "Lab     449   Mr Bogdan\nalso at weekends\nWaste    035\nPoison ..... 24",
            &[
                (Kind::Paragraph, "Lab     449   Mr Bogdan\nalso at weekends"),
                (Kind::Paragraph, "Waste    035"),
                (Kind::Paragraph, "Poison ..... 24"),
            ],
        );
        check(
            "Rent: £900\nDeposit: \nHeating: included\nAddress:\n12 High Street\nAge: 90",
            &[
                (Kind::Paragraph, "Rent: £900"),
                (Kind::Paragraph, "Deposit:"),
                (Kind::Paragraph, "Heating: included"),
                (Kind::Paragraph, "Address:\n12 High Street"),
                (Kind::Paragraph, "Age: 90"),
            ],
        );
        check(
            "See https://a.example/b\nat 9:30",
            &[(Kind::Paragraph, "See https://a.example/b\nat 9:30")],
        );
    }

    // proves: C10
    #[test]
    fn what_is_defined_knows_its_term() {
        let text = "gc.auto\n\n: Packs objects.\n\n  Zero: never.\n\n  - a\n\n  inner\n  : Within.\n\ngc.log\n\n: Logs.\n\nAfter.";
        let found = split_blocks(text);
        let of = |words: &str| {
            let block = found.iter().find(|block| &text[block.span.clone()] == words).unwrap();
            block.term.map(|term| (&text[found[term].span.clone()], found[term].kind))
        };
        for defines in ["Packs objects.", "Zero: never.", "a", "inner"] {
            assert_eq!(of(defines), Some(("gc.auto", Kind::Term)), "{defines}");
        }
        assert_eq!(of("Within."), Some(("inner", Kind::Term)));
        assert_eq!(of("Logs."), Some(("gc.log", Kind::Term)));
        assert_eq!((of("After."), of("gc.log")), (None, None));
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
        assert!(split_blocks(table)[1].is_head && !split_blocks(table)[4].is_head);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_blocks_in_order(text in "(?s)(.|[-#|`=>~ \n]|[a-z0-9.]|```|---|\\| a ){0,60}") {
            let (mut last, mut lines) = (0, 0..0);
            for block in split_blocks(&text) {
                prop_assert!(block.span.start >= last && block.lines.end <= text.len());
                prop_assert!(block.lines.start >= lines.end || block.lines == lines);
                prop_assert!(block.span.start >= block.lines.start && block.span.end <= block.lines.end);
                prop_assert!(text.get(block.span.clone()).is_some());
                prop_assert!(text.get(block.lines.clone()).is_some());
                (last, lines) = (block.span.end, block.lines);
            }
        }
    }
}
