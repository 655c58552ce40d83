//! How much a report holds: what is too much is refused before it takes minutes and gigabytes.

use render::{Block, Document, Inline, Line, Picture};

use crate::write::Error;

/// The most letters that a PDF may have: about a thousand pages.
const MOST_LETTERS: usize = 3_000_000;
/// The most cells that the tables of a PDF may have together.
const MOST_CELLS: usize = 60_000;
/// The most citations that a PDF may have.
const MOST_CITATIONS: usize = 20_000;
/// The most pieces of lines that a PDF may have: texts, strong words, citations.
const MOST_PIECES: usize = 200_000;
/// The most blocks that a PDF may have.
const MOST_BLOCKS: usize = 60_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Those of drawings left out.
    pub(crate) letters: usize,
    /// The letters of the files of drawings.
    drawn: usize,
    pub(crate) cells: usize,
    pub(crate) citations: usize,
    pub(crate) pieces: usize,
    pub(crate) blocks: usize,
}

impl Size {
    pub(crate) fn of(document: &Document) -> Size {
        let mut size = Size::default();
        size.add_blocks(&document.blocks);
        size
    }

    /// # Errors
    ///
    /// If a report is too long for a PDF.
    pub(crate) fn check(self) -> Result<(), Error> {
        let parts = [
            ("letters", self.letters + self.drawn, MOST_LETTERS),
            ("table cells", self.cells, MOST_CELLS),
            ("citations", self.citations, MOST_CITATIONS),
            ("pieces of text", self.pieces, MOST_PIECES),
            ("paragraphs and list items", self.blocks, MOST_BLOCKS),
        ];
        match parts.into_iter().find(|(_, found, most)| found > most) {
            Some((what, found, most)) => Err(Error::TooLong { what, found, most }),
            None => Ok(()),
        }
    }

    fn add_blocks(&mut self, blocks: &[Block]) {
        self.blocks += blocks.len();
        for block in blocks {
            match block {
                Block::Heading { line, .. } | Block::Paragraph(line) => self.add_line(line),
                Block::Hanging(lines) => lines.iter().for_each(|line| self.add_line(line)),
                Block::List(list) => list.items.iter().for_each(|item| self.add_blocks(item)),
                Block::Table(table) => {
                    self.cells += table.columns.len().saturating_mul(table.rows.len() + 1);
                    table.columns.iter().for_each(|(line, _)| self.add_line(line));
                    table.rows.iter().flatten().for_each(|line| self.add_line(line));
                }
                Block::Quote(blocks) => self.add_blocks(blocks),
                Block::Code { text, .. } => self.letters += text.len(),
                Block::Picture(Picture { figures, instead, .. }) => {
                    self.drawn += figures.iter().map(|figure| figure.svg.len()).sum::<usize>();
                    self.add_blocks(instead);
                }
                Block::Notes(notes) => {
                    self.blocks += notes.notes().count();
                    let lines = notes.notes().flat_map(|note| &note.lines);
                    lines.for_each(|line| self.add_line(line));
                }
                Block::Fold { title, blocks } => {
                    self.add_line(title);
                    self.add_blocks(blocks);
                }
                Block::Rule => {}
            }
        }
    }

    fn add_line(&mut self, line: &Line) {
        self.pieces += line.0.len();
        for inline in &line.0 {
            match inline {
                Inline::Text(text) | Inline::Code(text) => self.letters += text.len(),
                Inline::Strong(line) | Inline::Emphasis(line) => self.add_line(line),
                Inline::Mark { cited, .. } => self.citations += cited.len(),
                _ => self.letters += 1,
            }
        }
    }
}
