//! Markdown that a model wrote, read as blocks.
//!
//! Links, pictures and HTML stay the text they are. A mark becomes a citation only if its brackets stand in the Markdown as they are shown,
//! none of them escaped or written as an entity.

use std::collections::VecDeque;
use std::ops::Range;

use grounding::marks;
use pulldown_cmark::{self as cmark, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::document::{Alignment, Block, List, Table};
use crate::line::{Inline, Line, Sign};
use crate::markdown::leads_away;

/// Returns the blocks of a text, with a sign behind each of some bytes of it, such as the ends of sentences that were checked.
///
/// `signs` are in order. A sign that would stand in a block of code stands in a paragraph behind it.
pub fn read(text: &str, signs: &[(usize, Sign)]) -> Vec<Block> {
    let (markdown, signs) = disarm(text, signs);
    let events: Vec<_> =
        Parser::new_ext(&markdown, Options::ENABLE_TABLES).into_offset_iter().collect();
    let mut reader =
        Reader { markdown: &markdown, events: events.into(), signs: signs.into(), depth: 0 };
    let mut blocks = reader.blocks();
    reader.settle_behind(&mut blocks, usize::MAX);
    blocks
}

/// Returns Markdown without unseen characters in which nothing is a link, a picture or HTML, and where in it each sign stands.
fn disarm(text: &str, signs: &[(usize, Sign)]) -> (String, Vec<(usize, Sign)>) {
    let mut written = String::with_capacity(text.len());
    let mut moved = Vec::with_capacity(signs.len());
    let mut signs = signs.iter().peekable();
    let mut before = None;
    // Whether a backslash of the text itself already makes the next character plain.
    let mut is_escaped = false;
    let seen = |(_, c): &(usize, char)| !grounding::fold::is_unseen(*c);
    let mut rest = text.char_indices().filter(seen).peekable();
    while let Some((at, c)) = rest.next() {
        while let Some((_, sign)) = signs.next_if(|(end, _)| *end <= at) {
            moved.push((written.len(), *sign));
        }
        let is_active = !is_escaped && leads_away(before, c, rest.peek().map(|(_, next)| *next));
        if is_active {
            written.push('\\');
        }
        written.push(c);
        is_escaped = c == '\\' && !is_escaped && !is_active;
        before = Some(c);
    }
    moved.extend(signs.map(|(_, sign)| (written.len(), *sign)));
    (written, moved)
}

/// How deep blocks and emphasis are nested, at most. What is nested deeper stands at this depth.
const DEEPEST: usize = 32;

struct Reader<'m> {
    /// How many blocks and inlines are open around what is read.
    depth: usize,
    markdown: &'m str,
    events: VecDeque<(Event<'m>, Range<usize>)>,
    /// Signs that have not been placed yet.
    signs: VecDeque<(usize, Sign)>,
}

impl<'m> Reader<'m> {
    /// Reads blocks up to the end of what holds them.
    fn blocks(&mut self) -> Vec<Block> {
        self.depth += 1;
        let mut blocks = Vec::new();
        // Blocks around what is read that are too deep to be kept.
        let mut dropped = 0_usize;
        while let Some((event, at)) = self.events.pop_front() {
            match event {
                Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
                    if self.depth > DEEPEST =>
                {
                    dropped += 1;
                }
                Event::End(_) if dropped > 0 => dropped -= 1,
                Event::End(_) => break,
                Event::Rule => blocks.push(Block::Rule),
                Event::Start(Tag::Paragraph) => blocks.push(Block::Paragraph(self.line(&at))),
                Event::Start(Tag::Heading { level, .. }) => {
                    blocks.push(Block::Heading { level: level as u8, line: self.line(&at) });
                }
                Event::Start(Tag::BlockQuote(_)) => blocks.push(Block::Quote(self.blocks())),
                Event::Start(Tag::CodeBlock(kind)) => {
                    blocks.push(self.code(&kind));
                    self.settle_behind(&mut blocks, at.end);
                }
                Event::Start(Tag::List(start)) => blocks.push(Block::List(self.list(start))),
                Event::Start(Tag::Table(alignments)) => {
                    blocks.push(Block::Table(self.table(&alignments)));
                    self.settle_behind(&mut blocks, at.end);
                }
                // What stands in an item of a tight list without a paragraph around it.
                inline => {
                    self.events.push_front((inline, at.clone()));
                    let line = self.loose_line();
                    match line.is_empty() {
                        // An event that is neither block nor inline must not be met again.
                        true => {
                            let next = self.events.pop_front();
                            dropped += usize::from(matches!(next, Some((Event::Start(_), _))));
                        }
                        false => blocks.push(Block::Paragraph(line)),
                    }
                }
            }
        }
        self.depth -= 1;
        blocks
    }

    /// Puts the signs up to a place that are still to be placed into a paragraph of their own.
    fn settle_behind(&mut self, blocks: &mut Vec<Block>, place: usize) {
        let mut line = Line::new();
        self.place_signs(&mut line, place);
        if !line.0.is_empty() {
            blocks.push(Block::Paragraph(line));
        }
    }

    fn code(&mut self, kind: &cmark::CodeBlockKind<'_>) -> Block {
        let language = match kind {
            cmark::CodeBlockKind::Fenced(info) => {
                info.split_whitespace().next().unwrap_or_default().to_owned()
            }
            cmark::CodeBlockKind::Indented => String::new(),
        };
        let mut text = String::new();
        while let Some((event, _)) = self.events.pop_front() {
            match event {
                Event::End(TagEnd::CodeBlock) => break,
                Event::Text(more) => text.push_str(&more),
                _ => {}
            }
        }
        Block::Code { language, text }
    }

    fn list(&mut self, start: Option<u64>) -> List {
        let mut list = List { start, is_tight: true, items: vec![] };
        while let Some((event, _)) = self.events.pop_front() {
            match event {
                Event::Start(Tag::Item) => {
                    let is_loose =
                        matches!(self.events.front(), Some((Event::Start(Tag::Paragraph), _)));
                    list.is_tight &= !is_loose;
                    list.items.push(self.blocks());
                }
                Event::End(_) => break,
                _ => {}
            }
        }
        list
    }

    fn table(&mut self, alignments: &[cmark::Alignment]) -> Table {
        let alignment = |one: Option<&cmark::Alignment>| match one {
            Some(cmark::Alignment::Right) => Alignment::Right,
            Some(cmark::Alignment::Center) => Alignment::Centre,
            _ => Alignment::Left,
        };
        let mut rows: Vec<Vec<Line>> = Vec::new();
        while let Some((event, at)) = self.events.pop_front() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(vec![]),
                Event::Start(Tag::TableCell) => {
                    let cell = self.line(&at);
                    if let Some(row) = rows.last_mut() {
                        row.push(cell);
                    }
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        let mut rows = rows.into_iter();
        let titles = rows.next().unwrap_or_default().into_iter().enumerate();
        let columns = titles.map(|(index, title)| (title, alignment(alignments.get(index))));
        Table { columns: columns.collect(), rows: rows.collect() }
    }

    /// Reads a line up to the end of the block that it fills, which reaches to `at.end`.
    fn line(&mut self, at: &Range<usize>) -> Line {
        let mut line = self.inlines();
        self.events.pop_front();
        self.place_signs(&mut line, at.end);
        line
    }

    /// Reads a line up to the next block, or the end of what holds it.
    fn loose_line(&mut self) -> Line {
        let from = self.events.front().map_or(0, |(_, at)| at.start);
        let mut line = self.inlines();
        let next = match self.events.front() {
            Some((Event::End(_), at)) => at.end,
            Some((_, at)) => at.start,
            None => self.markdown.len(),
        };
        self.place_signs(&mut line, next.max(from));
        line
    }

    /// Reads inlines up to the next event that is none.
    fn inlines(&mut self) -> Line {
        self.depth += 1;
        let line = self.inlines_within();
        self.depth -= 1;
        line
    }

    fn inlines_within(&mut self) -> Line {
        let mut line = Line::new();
        // Emphasis around what is read that is too deep to be kept.
        let mut dropped = 0_usize;
        let mut run: Vec<(CowStr<'m>, Range<usize>)> = Vec::new();
        while let Some((event, at)) = self.events.pop_front() {
            if let Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) = event {
                run.push((text, at));
                continue;
            }
            self.settle(&mut line, &std::mem::take(&mut run));
            match event {
                Event::Code(code) => line.0.push(Inline::Code(code.to_string())),
                Event::SoftBreak | Event::HardBreak => {
                    self.place_signs(&mut line, at.start);
                    let is_hard = event == Event::HardBreak;
                    line.0.push(if is_hard { Inline::Break } else { Inline::SoftBreak });
                    continue;
                }
                Event::Start(Tag::Strong | Tag::Emphasis) if self.depth > DEEPEST => dropped += 1,
                Event::End(TagEnd::Strong | TagEnd::Emphasis) if dropped > 0 => dropped -= 1,
                Event::Start(Tag::Strong) => {
                    let inside = self.inlines();
                    self.events.pop_front();
                    line.0.push(Inline::Strong(inside));
                }
                Event::Start(Tag::Emphasis) => {
                    let inside = self.inlines();
                    self.events.pop_front();
                    line.0.push(Inline::Emphasis(inside));
                }
                other => {
                    self.events.push_front((other, at));
                    return line;
                }
            }
            self.place_signs(&mut line, at.end);
        }
        self.settle(&mut line, &run);
        line
    }

    /// Adds the signs that stand at a place or before it.
    fn place_signs(&mut self, line: &mut Line, place: usize) {
        while let Some((_, sign)) = self.signs.pop_front_if(|(at, _)| *at <= place) {
            line.0.push(Inline::Sign(sign));
        }
    }

    /// Adds texts that follow one another: their marks as citations, what was escaped as it is, and the signs among them.
    fn settle(&mut self, line: &mut Line, run: &[(CowStr<'_>, Range<usize>)]) {
        let text: String = run.iter().map(|(text, _)| text.as_ref()).collect();
        let ends: Vec<usize> = run
            .iter()
            .scan(0, |end, (piece, _)| {
                *end += piece.len();
                Some(*end)
            })
            .collect();
        let standing = |mark: &marks::Mark| stands(self.markdown, &text, run, &ends, &mark.span);
        let mut marks: VecDeque<_> = marks::marks(&text).into_iter().filter(standing).collect();
        let mut begins = 0;
        // Up to where the text is already in the line.
        let mut from = 0;
        for (piece, at) in run {
            let ends = begins + piece.len();
            self.place_signs(line, at.start);
            let is_verbatim = self.markdown.get(at.clone()) == Some(piece);
            if is_verbatim
                && from == begins
                && is_escaped(self.markdown, at.start)
                && let Some(first) = piece.chars().next().filter(char::is_ascii_punctuation)
            {
                line.0.push(Inline::Literal(first));
                from += first.len_utf8();
            }
            while from < ends {
                let mark = marks.front().map(|mark| mark.span.start).filter(|at| *at < ends);
                let sign = self.signs.front().map(|(sign, _)| *sign).filter(|_| is_verbatim);
                let sign = sign
                    .filter(|sign| *sign < at.end)
                    .map(|sign| begins + sign.saturating_sub(at.start));
                let stop = [mark, sign].into_iter().flatten().min().unwrap_or(ends).max(from);
                line.push_text(text.get(from..stop).unwrap_or_default());
                from = stop;
                if sign == Some(stop) {
                    self.place_signs(line, at.start + (stop - begins));
                } else if mark == Some(stop)
                    && let Some(mark) = marks.pop_front()
                {
                    let shown = text.get(mark.span.clone()).unwrap_or_default().to_owned();
                    line.push_mark_as(mark.numbers, shown);
                    from = mark.span.end;
                }
            }
            self.place_signs(line, at.end);
            begins = ends;
        }
    }
}

/// Returns whether the character at a place of the Markdown is escaped.
fn is_escaped(markdown: &str, place: usize) -> bool {
    let before = markdown.get(..place).unwrap_or_default();
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Returns whether a mark stands in the Markdown just as it is shown: in square brackets, none of it escaped. `ends`: where in the text each
/// piece of the run ends.
fn stands(
    markdown: &str,
    text: &str,
    run: &[(CowStr<'_>, Range<usize>)],
    ends: &[usize],
    span: &Range<usize>,
) -> bool {
    let Some(mark) = text.get(span.clone()) else { return false };
    if !(mark.starts_with('[') && mark.ends_with(']')) {
        return false;
    }
    let index = ends.partition_point(|end| *end <= span.start);
    let Some(((piece, at), end)) = run.get(index).zip(ends.get(index)) else { return false };
    let start = at.start + (span.start - (end - piece.len()));
    markdown.get(at.clone()) == Some(piece)
        && !is_escaped(markdown, start)
        && markdown.get(start..start + mark.len()) == Some(mark)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Document;

    const SIGN: Sign = Sign { sign: "≈", verdict: "supported", says: "…" };

    fn rewrite(text: &str, signs: &[usize]) -> String {
        let signs: Vec<(usize, Sign)> = signs.iter().map(|at| (*at, SIGN)).collect();
        crate::markdown::write(&Document { title: None, blocks: read(text, &signs) })
    }

    #[test]
    fn what_a_model_writes_is_written_again_as_it_was() {
        for text in [
            "It rose. [1] It fell [2, 3].\n",
            "## Results\n\nIt rose **by 5 %** [1].\nIt fell.\n\n- one [1]\n- two\n  - three\n\n1. first\n2. second\n",
            "a \\* b, 2 \\* 3, snake_case and `code` [1]\n",
            "| a | b |\n|---|---:|\n| x [1] | 2 |\n\n> It is said.\n\n```rust\nfn main() {}\n```\n\n---\n\nEnd.\n",
            "3. third\n\n4. fourth\n\n   more of it\n",
            "one  \ntwo\n",
            "- a\n\n- b\n",
        ] {
            assert_eq!(rewrite(text, &[]), text);
        }
    }

    #[test]
    fn a_sign_stands_behind_its_sentence() {
        for (text, ends, wanted) in [
            ("It rose. [1] It fell.", &[12, 21][..], "It rose. [1]≈ It fell.≈\n"),
            ("**It rose. [1]**", &[16], "**It rose. [1]**≈\n"),
            ("**It rose. [1]**", &[14], "**It rose. [1]≈**\n"),
            ("- It rose. [1]\n- It fell.", &[14, 25], "- It rose. [1]≈\n- It fell.≈\n"),
            ("It is `x`\nand", &[9], "It is `x`≈\nand\n"),
            ("```\nx\n```\n\nIt", &[9, 13], "```\nx\n```\n\n≈\n\nIt≈\n"),
            ("| a |\n|---|\n| b |", &[15], "| a |\n|---|\n| b≈ |\n"),
            ("[a](b) rose.", &[12], "[a]\\(b) rose.≈\n"),
            ("It rose\\. [1]", &[13], "It rose\\. [1]≈\n"),
        ] {
            assert_eq!(rewrite(text, ends), wanted, "{text}");
        }
    }

    #[test]
    fn nothing_is_nested_too_deep_to_be_written() {
        for (one, times) in [(">", 100_000), ("- ", 20_000), ("*a **b ", 20_000), ("> - ", 20_000)]
        {
            let text = format!("{}end", one.repeat(times));
            let page = rewrite(&text, &[text.len()]);
            assert!(page.contains("end"), "{one}");
            let closed = format!("{text}{}", "** *".repeat(times));
            assert!(rewrite(&closed, &[]).contains("end"), "{one}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_every_sign_is_kept(text in "[ \\[\\]()<>!#|\\\\`*_~&a1.:\n>-]{0,40}", ends in prop::collection::btree_set(0_usize..41, 0..4)) {
            let ends: Vec<usize> = ends.into_iter().filter(|end| *end <= text.len()).collect();
            let page = rewrite(&text, &ends);
            prop_assert_eq!(page.matches('≈').count(), ends.len(), "{}", page);
        }
    }
}
