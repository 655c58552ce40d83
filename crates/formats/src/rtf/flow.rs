//! The blocks of a text, a note or a text box, gathered paragraph by paragraph.

use super::cells::{self, Cells, slots};
use crate::margins::Part;
use crate::rows::{LONGEST_CELL, Mark, Rows};
use crate::writer::tidy;
use std::cell::Cell;
use std::rc::Rc;

use crate::{Script, Scripts, Writer};

/// What stands for the number of the page in a header or footer.
pub(super) const NUMBER: char = '\u{1f}';

/// A block of the text.
pub(super) enum Block {
    Heading(usize, String),
    Paragraph(String),
    Item { depth: usize, label: String, words: String },
    Table(Vec<Vec<String>>),
}

impl Block {
    /// Returns whether this is the title of the text.
    pub(super) fn is_title(&self) -> bool {
        matches!(self, Block::Heading(0, _))
    }

    /// Writes the block; `shift` is how far headings move down because a title stands above them.
    pub(super) fn write(&self, shift: usize, text: &mut Writer) {
        match self {
            Block::Heading(level, words) => text.heading(level + shift, words),
            Block::Paragraph(words) => text.paragraph(words),
            Block::Item { depth, label, words } => text.labelled(*depth, label, words),
            Block::Table(rows) => text.table(rows),
        }
    }

    /// Returns its words on one line.
    fn line(self) -> String {
        match self {
            Block::Heading(_, words) | Block::Paragraph(words) => tidy(&words),
            Block::Item { label, words, .. } => tidy(&format!("{label} {words}")),
            Block::Table(rows) => tidy(&rows.concat().join(" ")),
        }
    }
}

/// What a paragraph is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Form {
    /// 1 for the highest heading, 0 for the title of the text.
    pub(super) level: Option<usize>,
    pub(super) in_table: bool,
    pub(super) depth: usize,
}

/// Returns whether a table of one row or column lays out text.
fn lays_out(rows: &[(Vec<String>, Cells)]) -> bool {
    /// The longest cell, in bytes, of a table with one row.
    const LONGEST: usize = 200;
    match rows {
        [(row, _)] => row.len() == 1 || row.iter().any(|cell| cell.len() > LONGEST),
        rows => rows.iter().all(|(row, _)| row.len() == 1),
    }
}

/// The blocks so far and what is open.
#[derive(Default)]
pub(super) struct Flow {
    words: String,
    scripts: Scripts,
    /// What prints before the paragraph.
    pub(super) label: Option<String>,
    cell: String,
    row: Vec<String>,
    /// The cells of each row, and how they are laid out.
    rows: Vec<(Vec<String>, Cells)>,
    /// How the cells of the open row are laid out.
    pub(super) cells: Cells,
    /// How many places of tables are covered so far, in all flows of the file.
    covered: Rc<Cell<usize>>,
    /// How many of the rows are head rows.
    heads: usize,
    pub(super) row_is_head: bool,
    blocks: Vec<Block>,
    /// Notes and boxes of the open paragraph.
    aside: Vec<Block>,
    /// Notes and boxes of the open table.
    table_aside: Vec<Block>,
}

impl Flow {
    /// Returns a flow for a note or box within this one.
    pub(super) fn within(&self) -> Flow {
        Flow { covered: Rc::clone(&self.covered), ..Flow::default() }
    }

    /// Sets a block aside until the open paragraph ends.
    pub(super) fn set_aside(&mut self, block: Block) {
        self.aside.push(block);
    }

    /// Adds words to the open paragraph.
    pub(super) fn push(&mut self, script: Script, is_struck: bool, words: &str) {
        self.scripts.set(script, &mut self.words);
        let start = self.words.len();
        self.words.push_str(words);
        if is_struck {
            self.scripts.strike(&mut self.words, start);
        }
    }

    /// Returns the words of the open paragraph and leaves none.
    fn take_words(&mut self) -> String {
        self.scripts.set(Script::Line, &mut self.words);
        self.scripts = Scripts::default();
        std::mem::take(&mut self.words)
    }

    /// Drops the words of the open paragraph.
    pub(super) fn drop_words(&mut self) {
        self.take_words();
        self.label = None;
    }

    pub(super) fn end_paragraph(&mut self, form: Form) {
        let words = self.take_words();
        let label = self.label.take();
        if form.in_table {
            return self.add_to_cell(label, &words);
        }
        self.end_table();
        if !words.trim().is_empty() {
            self.blocks.push(match (form.level, label) {
                (Some(level), label) => {
                    let label = label.filter(|label| label.chars().any(char::is_alphanumeric));
                    Block::Heading(level, format!("{} {words}", label.unwrap_or_default()))
                }
                (None, Some(label)) => Block::Item { depth: form.depth, label, words },
                (None, None) => Block::Paragraph(words),
            });
        }
        self.blocks.append(&mut self.aside);
    }

    fn add_to_cell(&mut self, label: Option<String>, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        if !self.cell.is_empty() {
            self.cell.push('\n');
        }
        if let Some(label) = label.filter(|label| label.chars().any(char::is_alphanumeric)) {
            self.cell.push_str(&label);
            self.cell.push(' ');
        }
        self.cell.push_str(words);
    }

    /// Ends what is within a cell of a nested table.
    pub(super) fn end_part(&mut self) {
        let words = self.take_words();
        let label = self.label.take();
        self.add_to_cell(label, &words);
    }

    pub(super) fn end_cell(&mut self) {
        self.end_part();
        self.row.push(std::mem::take(&mut self.cell));
        self.table_aside.append(&mut self.aside);
    }

    pub(super) fn end_row(&mut self) {
        if !self.words.trim().is_empty() || !self.cell.is_empty() {
            self.end_cell();
        }
        let row = std::mem::take(&mut self.row);
        if row.iter().any(|cell| !cell.trim().is_empty()) {
            if self.row_is_head && self.heads == self.rows.len() {
                self.heads += 1;
            }
            self.rows.push((row, self.cells.clone()));
        }
    }

    fn end_table(&mut self) {
        if !self.row.is_empty() || !self.cell.is_empty() {
            self.end_row();
        }
        let rows = std::mem::take(&mut self.rows);
        let heads = std::mem::take(&mut self.heads);
        match rows.as_slice() {
            [] => {}
            // A frame around some paragraphs.
            rows if lays_out(rows) => {
                let lines = rows.iter().flat_map(|(row, _)| row).flat_map(|cell| cell.split('\n'));
                self.blocks.extend(lines.map(|line| Block::Paragraph(line.to_owned())));
            }
            _ => {
                let mut table = Rows::default();
                let edges = cells::edges(rows.iter().map(|(_, cells)| cells));
                for (index, (row, cells)) in rows.into_iter().enumerate() {
                    if row.iter().all(|cell| cell.len() <= LONGEST_CELL) {
                        let mark = if index < heads { Mark::Head } else { Mark::Plain };
                        table.push(slots(row, &cells, &edges, &self.covered), mark);
                        continue;
                    }
                    self.push_table(&mut table);
                    let lines = row.iter().flat_map(|cell| cell.split('\n'));
                    self.blocks.extend(lines.map(|line| Block::Paragraph(line.to_owned())));
                }
                self.push_table(&mut table);
            }
        }
        self.blocks.append(&mut self.table_aside);
    }

    fn push_table(&mut self, rows: &mut Rows) {
        let (titles, rows) = rows.take();
        self.blocks.extend(titles.into_iter().map(Block::Paragraph));
        self.blocks.push(Block::Table(rows));
    }

    /// Returns all blocks.
    pub(super) fn finish(mut self, form: Form) -> Vec<Block> {
        self.end_paragraph(form);
        self.end_paragraph(Form::default());
        self.blocks
    }

    /// Returns the parts of a header or footer.
    pub(super) fn parts(self) -> Vec<Part> {
        let lines = self.finish(Form::default()).into_iter().flat_map(|block| match block {
            Block::Heading(_, words) | Block::Paragraph(words) | Block::Item { words, .. } => {
                vec![words]
            }
            Block::Table(rows) => rows.concat(),
        });
        let mut found = Vec::new();
        for line in lines {
            found.extend(line.split(['\t', '\n']).map(|words| Part {
                words: words.replace(NUMBER, ""),
                is_numbered: words.contains(NUMBER),
            }));
        }
        found
    }

    /// Returns everything on one line.
    pub(super) fn line(self) -> String {
        let lines = self.finish(Form::default()).into_iter().map(Block::line);
        lines.collect::<Vec<_>>().join(" ")
    }
}
