//! Documents as plain text for a terminal: wrapped, with tables that fit, and without any markup to skip over.

use unicode_width::UnicodeWidthStr as _;

use crate::document::{Alignment, Block, Document, List, Table};
use crate::line::{Inline, Line};

/// The narrowest text, whatever the terminal.
const NARROWEST: usize = 20;
/// Between two columns.
const GAP: &str = "  ";

/// Returns a document as lines of at most `width` columns, except for words and code that are longer.
///
/// ```
/// let mut report = render::Document::default();
/// report.paragraph(render::Line::from("It rose").strong(" at once").text("."));
/// assert_eq!(render::text::write(&report, 20), "It rose at once.\n");
/// ```
pub fn write(document: &Document, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut parts = Vec::new();
    if let Some(title) = &document.title {
        parts.push(underline(wrap(&title.shown(), width), '='));
    }
    parts.extend(document.blocks.iter().map(|block| set_block(block, width)));
    let lines = join(parts);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns parts as one, with an empty line between them; parts without lines are left out.
fn join(parts: Vec<Vec<String>>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(part);
    }
    lines
}

fn set_blocks(blocks: &[Block], width: usize) -> Vec<String> {
    join(blocks.iter().map(|block| set_block(block, width)).collect())
}

fn set_block(block: &Block, width: usize) -> Vec<String> {
    match block {
        Block::Heading { level: 1, line } => underline(wrap(&line.shown(), width), '='),
        Block::Heading { level: 2, line } => underline(wrap(&line.shown(), width), '-'),
        Block::Heading { line, .. } => wrap(&line.shown(), width),
        Block::Paragraph(line) => wrap(&line.shown(), width),
        Block::Hanging(lines) => {
            let mut lines = lines.iter();
            let first = lines.next().map(|line| wrap(&line.shown(), width)).unwrap_or_default();
            let others = lines.flat_map(|line| wrap(&line.shown(), inner(width, 4)));
            first.into_iter().chain(indent(others, "    ")).collect()
        }
        Block::List(list) => set_list(list, width),
        Block::Table(table) => set_table(table, width),
        Block::Quote(blocks) => indent(set_blocks(blocks, inner(width, 2)), "| ").collect(),
        Block::Code { text, .. } => {
            indent(text.trim_end().lines().map(str::to_owned), "    ").collect()
        }
        Block::Picture(picture) => set_blocks(&picture.instead, width),
        Block::Notes(notes) => set_blocks(&notes.as_section(), width),
        Block::Fold { title, blocks } => {
            join(vec![wrap(&title.shown(), width), set_blocks(blocks, width)])
        }
        Block::Rule => vec!["-".repeat(width)],
    }
}

/// Returns the width that is left beside `taken` columns.
fn inner(width: usize, taken: usize) -> usize {
    width.saturating_sub(taken).max(NARROWEST)
}

fn indent(lines: impl IntoIterator<Item = String>, before: &str) -> impl Iterator<Item = String> {
    lines.into_iter().map(move |line| format!("{before}{line}"))
}

fn underline(mut lines: Vec<String>, with: char) -> Vec<String> {
    let broadest = lines.iter().map(|line| line.width()).max().unwrap_or_default();
    if broadest > 0 {
        lines.push(with.to_string().repeat(broadest));
    }
    lines
}

fn set_list(list: &List, width: usize) -> Vec<String> {
    let items = list.items.iter().enumerate().map(|(index, blocks)| {
        let sign = match list.start {
            Some(start) => format!("{}. ", start.saturating_add(index as u64)),
            None => "- ".to_owned(),
        };
        let within = inner(width, sign.len());
        let lines = match list.is_tight {
            true => blocks.iter().flat_map(|block| set_block(block, within)).collect(),
            false => set_blocks(blocks, within),
        };
        let mut before = sign.clone();
        let lines = lines.into_iter().map(|line| {
            let spaces = " ".repeat(sign.len());
            format!("{}{line}", std::mem::replace(&mut before, spaces))
        });
        lines.collect::<Vec<_>>()
    });
    if list.is_tight { items.flatten().collect() } else { join(items.collect()) }
}

fn set_table(table: &Table, width: usize) -> Vec<String> {
    let titles: Vec<String> = table.columns.iter().map(|(title, _)| title.shown()).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(Line::shown).collect()).collect();
    let Some(widths) = fit_columns(&titles, &rows, width) else {
        return join(rows.iter().map(|row| set_record(&titles, row, width)).collect());
    };
    let alignments: Vec<Alignment> = table.columns.iter().map(|(_, one)| *one).collect();
    let mut lines = set_row(&titles, &widths, &alignments);
    lines.push(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join(GAP));
    lines.extend(rows.iter().flat_map(|row| set_row(row, &widths, &alignments)));
    lines
}

/// Returns how broad each column may be; `None` if they do not fit beside each other. No column is narrower than its longest word.
pub(crate) fn fit_columns(
    titles: &[String],
    rows: &[Vec<String>],
    width: usize,
) -> Option<Vec<usize>> {
    let cells =
        |index: usize| rows.iter().filter_map(move |row| row.get(index)).chain(titles.get(index));
    let broadest = |index| cells(index).map(|cell| cell.width()).max().unwrap_or_default();
    let longest = |index| {
        let words = cells(index).flat_map(|cell| cell.split_whitespace());
        words.map(|word| word.width()).max().unwrap_or_default()
    };
    let mut widths: Vec<usize> = (0..titles.len()).map(broadest).collect();
    let least: Vec<usize> = (0..titles.len()).map(longest).collect();
    let room = width.checked_sub(GAP.len() * titles.len().saturating_sub(1))?;
    // The broadest column gives way first.
    while widths.iter().sum::<usize>() > room {
        let shrinkable = widths.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
        let (broadest, _) = shrinkable.max_by_key(|(width, _)| **width)?;
        *broadest -= 1;
    }
    Some(widths)
}

fn set_row(cells: &[String], widths: &[usize], alignments: &[Alignment]) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        cells.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or_default();
    let line = |index: usize| {
        let parts = cells.iter().zip(widths).zip(alignments);
        let parts = parts.map(|((cell, width), alignment)| {
            let text = cell.get(index).map(String::as_str).unwrap_or_default();
            let spaces = width.saturating_sub(text.width());
            let before = match alignment {
                Alignment::Left => 0,
                Alignment::Centre => spaces / 2,
                Alignment::Right => spaces,
            };
            format!("{}{text}{}", " ".repeat(before), " ".repeat(spaces - before))
        });
        parts.collect::<Vec<_>>().join(GAP)
    };
    (0..height).map(line).collect()
}

/// Returns a row of a table that is too broad, a line for each cell.
fn set_record(titles: &[String], row: &[String], width: usize) -> Vec<String> {
    let cells = titles.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
    let lines = cells.flat_map(|(title, cell)| match title.as_str() {
        "" => wrap(cell, width),
        title => wrap(&format!("{title}: {cell}"), width),
    });
    lines.collect()
}

/// Breaks a text at its spaces and kept line breaks; a word that is too long stands on a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split('\n') {
        let mut line = String::new();
        for word in part.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

impl Line {
    /// Returns a line as a reader of plain text sees it, with its marks and signs; kept line breaks stay.
    pub(crate) fn shown(&self) -> String {
        let shown = |inline: &Inline| match inline {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Literal(character) => character.to_string(),
            Inline::Strong(line) | Inline::Emphasis(line) => line.shown(),
            Inline::Mark { shown, .. } => shown.clone(),
            Inline::Sign(sign) => sign.sign.to_owned(),
            Inline::Anchor(_) => String::new(),
            Inline::Break => "\n".to_owned(),
            Inline::SoftBreak => " ".to_owned(),
        };
        self.0.iter().map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_report_reads_well_at_any_width() {
        let mut report = Document { title: Some("How large is it?".into()), blocks: vec![] };
        report.heading("Market size");
        report.paragraph(Line::from("Texas had 120,000 lawyers in 2023.").marks(&[1]));
        report.items(["a short one", "one that is long enough to be broken somewhere"]);
        let mut table = Table::with(["Name", "Price#"]);
        table.row(["Harvey".into(), "$ 40".into()]);
        table.row(["Somebody with a long name".into(), "$ 1,200".into()]);
        report.table(table);
        report
            .blocks
            .push(Block::Hanging(vec![Line::new().mark(1).text(" Lawyers"), "p. 3".into()]));
        assert_eq!(
            write(&report, 36),
            "How large is it?\n================\n\nMarket size\n-----------\n\n\
             Texas had 120,000 lawyers in 2023.\n[1]\n\n\
             - a short one\n- one that is long enough to be\n  broken somewhere\n\n\
             Name                         Price\n\
             -------------------------  -------\n\
             Harvey                        $ 40\n\
             Somebody with a long name  $ 1,200\n\n\
             [1] Lawyers\n    p. 3\n"
        );
    }

    #[test]
    fn a_table_that_does_not_fit_gives_way_and_at_last_is_set_row_by_row() {
        let mut report = Document::default();
        let mut table = Table::with(["Name", "Offering", "Price"]);
        table.row(["Harvey".into(), "drafts contracts for firms".into(), "not found".into()]);
        report.table(table);
        assert_eq!(
            write(&report, 34),
            "Name    Offering         Price\n\
             ------  ---------------  ---------\n\
             Harvey  drafts           not found\n\
             \u{20}       contracts for\n\
             \u{20}       firms\n"
        );
        assert_eq!(
            write(&report, 20),
            "Name: Harvey\nOffering: drafts\ncontracts for firms\nPrice: not found\n"
        );
    }

    proptest! {
        #[test]
        fn every_word_is_kept_and_no_line_is_too_long(
            cells in prop::collection::vec(prop::collection::vec("[a-z ]{0,30}", 3), 1..4),
            text in "[a-z ]{0,200}",
            width in 30_usize..90,
        ) {
            let mut report = Document::default();
            report.paragraph(text.as_str());
            let mut table = Table::with(["A", "B#", "C"]);
            cells.iter().for_each(|row| table.row(row.iter().map(Line::from)));
            report.table(table);
            let page = write(&report, width);
            let longest = page.split_whitespace().map(str::len).max().unwrap_or_default();
            prop_assert!(page.lines().all(|line| line.width() <= width.max(longest)), "{}", page);
            let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).count();
            let all: usize = cells.iter().flatten().map(|cell| letters(cell)).sum();
            prop_assert_eq!(letters(&page), all + letters(&text), "{}", page);
        }
    }
}
