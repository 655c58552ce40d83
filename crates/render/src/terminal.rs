//! Documents for a terminal: wrapped, with headings, marks and verdicts set off, and links that can be clicked.
//!
//! Nothing a document says reaches the terminal as a command: every control character of its texts is dropped, and a link is made of
//! checked addresses only.

mod piece;
mod wrap;

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};

use crate::document::{Alignment, Block, Document, List, NotedSource, Notes, Table};
use crate::line::Line;
use crate::text::fit_columns;

use piece::{Painter, Row, Rows, width_of};
use wrap::wrap;

/// The narrowest text, whatever the terminal.
const NARROWEST: usize = 20;
/// Between two columns.
const GAP: &str = "  ";

const TITLE: Style = Style::new().bold().underline();
const HEADING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
const SUBHEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// What a terminal shows, and where its links lead.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Columns of a line, at most.
    pub width: usize,
    /// The addresses of texts that lead somewhere, such as `doc://notes/a.md` or `notes/a.md:12`. Addresses on the web need no entry.
    pub places: BTreeMap<String, String>,
}

/// Returns a document as styled lines of at most `width` columns, except for words and code that are longer.
///
/// ```
/// use render::terminal::{Options, write};
///
/// let mut report = render::Document::default();
/// report.paragraph(render::Line::from("It rose").strong(" at once").text("."));
/// let options = Options { width: 20, ..Options::default() };
/// assert_eq!(write(&report, &options), "It rose \u{1b}[1mat once\u{1b}[0m.\n");
/// ```
pub fn write(document: &Document, options: &Options) -> String {
    let painter = Painter { places: &options.places };
    let width = options.width.max(NARROWEST);
    let mut parts = Vec::new();
    if let Some(title) = &document.title {
        parts.push(wrap(&painter.paint(title, TITLE), width));
    }
    parts.extend(document.blocks.iter().map(|block| painter.set_block(block, width)));
    let mut page = String::new();
    for row in join(parts) {
        piece::write_row(&mut page, &row);
        page.push('\n');
    }
    page
}

/// Returns parts as one, with an empty line between them; parts without lines are left out.
fn join(parts: Vec<Rows>) -> Rows {
    let mut rows = Rows::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if !rows.is_empty() {
            rows.push(Row::new());
        }
        rows.extend(part);
    }
    rows
}

/// Returns the width that is left beside `taken` columns.
fn inner(width: usize, taken: usize) -> usize {
    width.saturating_sub(taken).max(NARROWEST)
}

fn indent(rows: Rows, before: &str, style: Style) -> Rows {
    let put = |mut row: Row| {
        row.insert(0, piece::plain(before, style));
        row
    };
    rows.into_iter().map(put).collect()
}

impl Painter<'_> {
    fn set_blocks(&self, blocks: &[Block], width: usize) -> Rows {
        join(blocks.iter().map(|block| self.set_block(block, width)).collect())
    }

    fn set_block(&self, block: &Block, width: usize) -> Rows {
        match block {
            Block::Heading { level: 1, line } => wrap(&self.paint(line, TITLE), width),
            Block::Heading { level: 2, line } => wrap(&self.paint(line, HEADING), width),
            Block::Heading { line, .. } => wrap(&self.paint(line, SUBHEADING), width),
            Block::Paragraph(line) => wrap(&self.paint(line, Style::new()), width),
            Block::Hanging(lines) => self.set_hanging(lines, width),
            Block::List(list) => self.set_list(list, width),
            Block::Table(table) => self.set_table(table, width),
            Block::Quote(blocks) => indent(self.set_blocks(blocks, inner(width, 2)), "│ ", FAINT),
            Block::Code { text, .. } => {
                let rows = text.trim_end().lines().map(|line| vec![piece::plain(line, FAINT)]);
                indent(rows.collect(), "    ", Style::new())
            }
            Block::Picture(picture) => self.set_blocks(&picture.instead, width),
            Block::Notes(notes) => self.set_notes(notes, width),
            Block::Fold { title, blocks } => join(vec![
                wrap(&self.paint(title, SUBHEADING), width),
                self.set_blocks(blocks, width),
            ]),
            Block::Rule => vec![vec![piece::plain(&"─".repeat(width), FAINT)]],
        }
    }

    /// Sets the first line as it is and the others below it, indented; the last of several says where it stands, and steps back.
    fn set_hanging(&self, lines: &[Line], width: usize) -> Rows {
        let mut rows = Rows::new();
        for (index, line) in lines.iter().enumerate() {
            let is_place = index > 0 && index + 1 == lines.len();
            let style = if is_place { FAINT } else { Style::new() };
            let painted = self.paint(line, style);
            match index {
                0 => rows.extend(wrap(&painted, width)),
                _ => rows.extend(indent(wrap(&painted, inner(width, 4)), "    ", Style::new())),
            }
        }
        rows
    }

    fn set_notes(&self, notes: &Notes, width: usize) -> Rows {
        let mut parts = vec![wrap(&self.paint(&notes.title, HEADING), width)];
        parts.extend(notes.sources.iter().map(|source| self.set_source(source, width)));
        join(parts)
    }

    fn set_source(&self, source: &NotedSource, width: usize) -> Rows {
        if let [note] = source.notes.as_slice() {
            return self.set_hanging(&note.lines, width);
        }
        let mut rows = self.set_hanging(&source.lines, width);
        for note in &source.notes {
            let set = self.set_hanging(&note.listed, inner(width, 2));
            rows.extend(indent(set, "  ", Style::new()));
        }
        rows
    }

    fn set_list(&self, list: &List, width: usize) -> Rows {
        let items = list.items.iter().enumerate().map(|(index, blocks)| {
            let sign = match list.start {
                Some(start) => format!("{}. ", start.saturating_add(index as u64)),
                None => "• ".to_owned(),
            };
            let taken = width_of(&sign);
            let within = inner(width, taken);
            let rows: Rows = match list.is_tight {
                true => blocks.iter().flat_map(|block| self.set_block(block, within)).collect(),
                false => self.set_blocks(blocks, within),
            };
            let rows = rows.into_iter().enumerate().map(|(line, mut row)| {
                let before = if line == 0 { sign.clone() } else { " ".repeat(taken) };
                row.insert(0, piece::plain(&before, FAINT));
                row
            });
            rows.collect::<Rows>()
        });
        if list.is_tight { items.flatten().collect() } else { join(items.collect()) }
    }

    fn set_table(&self, table: &Table, width: usize) -> Rows {
        let titles: Vec<String> = table.columns.iter().map(|(title, _)| title.shown()).collect();
        let shown: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(Line::shown).collect()).collect();
        let Some(widths) = fit_columns(&titles, &shown, width) else {
            let rows = table.rows.iter().map(|row| self.set_record(table, row, width));
            return join(rows.collect());
        };
        let alignments: Vec<Alignment> = table.columns.iter().map(|(_, one)| *one).collect();
        let head: Vec<&Line> = table.columns.iter().map(|(title, _)| title).collect();
        let mut rows = self.set_row(&head, &widths, &alignments, SUBHEADING);
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        rows.push(vec![piece::plain(&rule.join(GAP), FAINT)]);
        for row in &table.rows {
            let cells: Vec<&Line> = row.iter().collect();
            rows.extend(self.set_row(&cells, &widths, &alignments, Style::new()));
        }
        rows
    }

    fn set_row(
        &self,
        cells: &[&Line],
        widths: &[usize],
        alignments: &[Alignment],
        style: Style,
    ) -> Rows {
        let cells: Vec<Rows> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| wrap(&self.paint(cell, style), *width))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let row = |index: usize| {
            let mut row = Row::new();
            for (column, ((cell, width), alignment)) in
                cells.iter().zip(widths).zip(alignments).enumerate()
            {
                let set = cell.get(index).cloned().unwrap_or_default();
                let spaces = width.saturating_sub(piece::row_width(&set));
                let before = match alignment {
                    Alignment::Left => 0,
                    Alignment::Centre => spaces / 2,
                    Alignment::Right => spaces,
                };
                let gap = if column == 0 { 0 } else { GAP.len() };
                row.push(piece::plain(&" ".repeat(gap + before), Style::new()));
                row.extend(set);
                row.push(piece::plain(&" ".repeat(spaces - before), Style::new()));
            }
            row
        };
        (0..height).map(row).collect()
    }

    /// Returns a row of a table that is too broad, a line for each cell.
    fn set_record(&self, table: &Table, row: &[Line], width: usize) -> Rows {
        let cells = table.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let rows = cells.flat_map(|((title, _), cell)| {
            let mut painted = Row::new();
            if !title.is_empty() {
                painted.extend(self.paint(title, SUBHEADING));
                painted.push(piece::plain(": ", SUBHEADING));
            }
            painted.extend(self.paint(cell, Style::new()));
            wrap(&painted, width)
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests;
