//! Documents as Markdown that is pleasant to read in a terminal as well.
//!
//! Text is escaped as little as is safe: a viewer must take none of it for a link, a picture, HTML, code, a heading, a list, a quotation
//! or a cell. Stars and underscores stay as they are.

use std::fmt::Write as _;

use crate::document::{Alignment, Block, Document, List, Table};
use crate::line::{Inline, Line};

/// Returns a document as Markdown, with a line end.
pub fn write(document: &Document) -> String {
    let mut page = String::new();
    if let Some(title) = &document.title {
        let _ = writeln!(page, "# {}", write_heading(title));
        if !document.blocks.is_empty() {
            page.push('\n');
        }
    }
    page.push_str(&write_blocks(&document.blocks));
    page
}

fn write_blocks(blocks: &[Block]) -> String {
    let mut page = String::new();
    let mut last = None;
    let mut is_other = false;
    for block in blocks {
        if matches!(block, Block::Picture(picture) if picture.instead.is_empty()) {
            continue;
        }
        if !page.is_empty() {
            page.push('\n');
        }
        // A list that follows another has another sign, or the two would be one.
        let kind = match block {
            Block::List(list) => Some(list.start.is_some()),
            _ => None,
        };
        is_other = kind.is_some() && kind == last && !is_other;
        last = kind;
        write_block(&mut page, block, is_other);
    }
    page
}

fn write_block(page: &mut String, block: &Block, is_other: bool) {
    let _ = match block {
        Block::Heading { level, line } => {
            let signs = "#".repeat(usize::from((*level).clamp(1, 6)));
            writeln!(page, "{signs} {}", write_heading(line))
        }
        Block::Paragraph(line) => writeln!(page, "{}", write_line(line, Place::Start)),
        Block::Hanging(lines) => {
            let lines = lines.iter().enumerate();
            let lines: Vec<String> = lines
                .map(|(index, line)| match index {
                    0 => write_line(line, Place::Start),
                    // Nothing begins a block where a line is indented so far.
                    _ => format!("    {}", write_line(line, Place::Inside)),
                })
                .collect();
            writeln!(page, "{}", lines.join("  \n"))
        }
        Block::List(list) => {
            write_list(page, list, is_other);
            Ok(())
        }
        Block::Table(table) => {
            write_table(page, table);
            Ok(())
        }
        Block::Quote(blocks) => {
            for line in write_blocks(blocks).lines() {
                let space = if line.is_empty() { "" } else { " " };
                let _ = writeln!(page, ">{space}{line}");
            }
            Ok(())
        }
        Block::Code { language, text } => {
            let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
            let fence = "`".repeat((longest + 1).max(3));
            writeln!(page, "{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
        }
        Block::Picture(picture) => write!(page, "{}", write_blocks(&picture.instead)),
        Block::Notes(notes) => write!(page, "{}", write_blocks(&notes.as_section())),
        Block::Fold { title, blocks } => {
            write!(page, "### {}\n\n{}", write_heading(title), write_blocks(blocks))
        }
        Block::Rule => writeln!(page, "---"),
    };
}

fn write_list(page: &mut String, list: &List, is_other: bool) {
    let last = if is_other { ")" } else { "." };
    let bullet = if is_other { "*" } else { "-" };
    let mut number = list.start;
    for (index, item) in list.items.iter().enumerate() {
        if index > 0 && !list.is_tight {
            page.push('\n');
        }
        let sign = match &mut number {
            Some(number) => {
                let sign = format!("{number}{last} ");
                *number = number.saturating_add(1);
                sign
            }
            None => format!("{bullet} "),
        };
        let indent = " ".repeat(sign.len());
        let mut content = String::new();
        for (index, block) in item.iter().enumerate() {
            if index > 0 && !list.is_tight {
                content.push('\n');
            }
            write_block(&mut content, block, false);
        }
        for (index, line) in content.lines().enumerate() {
            let before = match index {
                0 => &sign,
                _ if line.is_empty() => "",
                _ => &indent,
            };
            let _ = writeln!(page, "{before}{line}");
        }
    }
}

fn write_table(page: &mut String, table: &Table) {
    for (title, _) in &table.columns {
        let title = write_line(title, Place::Cell);
        let space = if title.is_empty() { "" } else { " " };
        let _ = write!(page, "| {title}{space}");
    }
    page.push_str("|\n");
    for (_, alignment) in &table.columns {
        page.push_str(match alignment {
            Alignment::Left => "|---",
            Alignment::Centre => "|:---:",
            Alignment::Right => "|---:",
        });
    }
    page.push_str("|\n");
    for row in &table.rows {
        for cell in row {
            let _ = write!(page, "| {} ", write_line(cell, Place::Cell));
        }
        page.push_str("|\n");
    }
}

fn write_heading(line: &Line) -> String {
    let heading = write_line(line, Place::Inside);
    // Some viewers take braces at the end of a heading for its attributes, and signs there for its end.
    match heading.char_indices().last() {
        Some((at, last @ ('}' | '#'))) => {
            let (before, _) = heading.split_at(at);
            if ends_in_escape(before) { heading } else { format!("{before}\\{last}") }
        }
        _ => heading,
    }
}

fn ends_in_escape(markdown: &str) -> bool {
    markdown.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Where a line stands, which decides what must be escaped in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It begins a block.
    Start,
    /// It follows something on its line.
    Inside,
    Cell,
}

fn write_line(line: &Line, place: Place) -> String {
    let mut page = String::new();
    write_inlines(&mut page, line, place);
    page.trim().to_owned()
}

fn write_inlines(page: &mut String, line: &Line, place: Place) {
    let mut is_start = place == Place::Start;
    for inline in &line.0 {
        match inline {
            Inline::Text(text) => {
                let text = if page.is_empty() || is_start { text.trim_start() } else { text };
                let escaped = escape_text(text, page.chars().last(), place == Place::Cell);
                page.push_str(&if is_start { escape_start(escaped) } else { escaped });
            }
            Inline::Literal(character) => {
                page.push('\\');
                page.push(*character);
            }
            Inline::Strong(line) => write_within(page, line, "**", place),
            Inline::Emphasis(line) => write_within(page, line, "*", place),
            Inline::Code(text) => write_code(page, text, place),
            Inline::Mark { shown, .. } => page.push_str(shown),
            Inline::Sign(sign) => page.push_str(sign.sign),
            Inline::Anchor(_) => {}
            Inline::Break | Inline::SoftBreak if place == Place::Cell => page.push(' '),
            Inline::Break => page.push_str("  \n"),
            Inline::SoftBreak => page.push('\n'),
        }
        is_start = place == Place::Start && matches!(inline, Inline::Break | Inline::SoftBreak);
    }
}

fn write_within(page: &mut String, line: &Line, around: &str, place: Place) {
    page.push_str(around);
    let inside = if place == Place::Cell { Place::Cell } else { Place::Inside };
    write_inlines(page, line, inside);
    page.push_str(around);
}

fn write_code(page: &mut String, text: &str, place: Place) {
    let text = if place == Place::Cell { text.replace('|', "\\|") } else { text.to_owned() };
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let _ = write!(page, "{fence}{space}{text}{space}{fence}");
}

/// Returns text of which no viewer of Markdown takes anything for markup but stars and underscores. `before` stands before it.
fn escape_text(text: &str, mut before: Option<char>, is_cell: bool) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match c {
            // Code and what is struck out reach over words that are not the text's own.
            '`' | '~' => written.push('\\'),
            // What is written as an escape or an entity would be shown as something else: `\[1\]` as a mark.
            '\\' if next.is_none_or(|next| next.is_ascii_punctuation()) => written.push('\\'),
            '&' if next.is_none_or(|next| next == '#' || next.is_alphabetic()) => {
                written.push('\\');
            }
            _ if leads_away(before, c, next) => written.push('\\'),
            _ => {}
        }
        match c {
            '|' if is_cell => written.push_str("&#124;"),
            c => written.push(c),
        }
        before = Some(c);
    }
    written
}

/// Returns whether a character, between its neighbours, opens a tag or the target of a link.
pub(crate) fn leads_away(before: Option<char>, c: char, next: Option<char>) -> bool {
    let opens_tag = c == '<' && next.is_none_or(|next| !next.is_whitespace());
    let opens_target = before == Some(']') && matches!(c, '(' | ':');
    opens_tag || opens_target
}

/// Returns escaped text that begins a line and opens no heading, list, quotation, fence, rule or box to tick there.
fn escape_start(line: String) -> String {
    let behind_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - behind_digits.len();
    let is_box = ["[ ]", "[x]", "[X]"].iter().any(|ticked| line.starts_with(ticked));
    if is_box || line.starts_with(['#', '-', '+', '*', '_', '>', '=', '|', ':']) {
        return format!("\\{line}");
    }
    match line.split_at_checked(digits) {
        // The number of a list has a gap behind its dot; a figure such as 62.0 has none.
        Some((number, rest)) if digits > 0 && is_numbering(rest) => format!("{number}\\{rest}"),
        _ => line,
    }
}

/// Returns whether what follows digits makes them the number of an item.
fn is_numbering(rest: &str) -> bool {
    let behind = rest.strip_prefix(['.', ')']);
    behind.is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    fn paragraph(text: &str) -> String {
        let mut document = Document::default();
        document.paragraph(text);
        write(&document)
    }

    /// Returns what a viewer shows of a paragraph, and what else it takes from it.
    fn view(markdown: &str) -> (String, Vec<String>) {
        let mut text = String::new();
        let mut others = Vec::new();
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(more) => text.push_str(&more),
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Paragraph) | Event::End(_) => {}
                other => others.push(format!("{other:?}")),
            }
        }
        (text, others)
    }

    #[test]
    fn nothing_unseen_and_no_backslash_brings_a_link_or_a_tag_back() {
        for text in [
            "[a]\u{200b}(https://evil.example)",
            "[a]\u{ad}: https://evil.example\n\n[a]",
            "\\<script>alert(1)</script>",
            "\\\\\\<img src=https://evil.example>",
            "\u{200b}# A heading",
            "- [x] done",
        ] {
            let page = paragraph(text);
            assert_eq!(view(&page).1, Vec::<String>::new(), "{text:?} as {page:?}");
        }
    }

    // proves: C4
    #[test]
    fn what_is_written_as_an_escape_or_an_entity_becomes_no_mark() {
        for text in ["It holds \\[1\\].", "It holds &#91;1&#93;.", "It holds &lsqb;1&rsqb;."] {
            assert_eq!(view(&paragraph(text)).0, text);
        }
    }

    #[test]
    fn a_mark_before_brackets_or_a_colon_is_no_link() {
        for behind in ["(see above)", ": https://evil.example"] {
            let mut document = Document::default();
            document.paragraph(Line::new().mark(1).text(behind));
            let page = write(&document);
            assert_eq!(view(&page), (format!("[1]{behind}"), vec![]), "{page}");
        }
    }

    #[test]
    fn two_lists_that_follow_one_another_stay_two() {
        let mut document = Document::default();
        document.items(["a", "b"]);
        document.items(["c"]);
        let page = write(&document);
        assert_eq!(page, "- a\n- b\n\n* c\n");
        let lists = Parser::new(&page).filter(|event| matches!(event, Event::Start(Tag::List(_))));
        assert_eq!(lists.count(), 2);
    }

    proptest! {
        #[test]
        fn any_text_is_shown_as_it_stands(text in "[ \\[\\]()<>!#|\\\\`~&a1.)=+:-]{1,24}") {
            let line = crate::one_line(&text);
            prop_assume!(!line.is_empty());
            let page = paragraph(&text);
            prop_assert_eq!(view(&page), (line, vec![]), "{}", page);
        }
    }
}
