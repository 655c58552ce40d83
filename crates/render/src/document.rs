use std::collections::BTreeSet;

use crate::figure::Picture;
use crate::labels::Labels;
use crate::line::{Inline, Line};
use crate::link::Link;

/// A report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The report's own title. Pages that show the question above a report leave it out.
    pub title: Option<Line>,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Level 1 is the highest.
    Heading {
        level: u8,
        line: Line,
    },
    Paragraph(Line),
    /// A paragraph of several lines with a hanging indent, as in a bibliography.
    Hanging(Vec<Line>),
    List(List),
    Table(Table),
    Quote(Vec<Block>),
    Code {
        language: String,
        text: String,
    },
    Picture(Picture),
    Notes(Notes),
    /// A part under a title of its own, folded until a reader opens it, in formats that can.
    Fold {
        title: Line,
        blocks: Vec<Block>,
    },
    Rule,
}

#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// The first number of a numbered list.
    pub start: Option<u64>,
    /// Whether items are set without space between them.
    pub is_tight: bool,
    pub items: Vec<Vec<Block>>,
}

/// What the marks of a report stand for. A format with footnotes sets each note where its mark first stands; any other lists them.
#[derive(Debug, Clone, PartialEq)]
pub struct Notes {
    pub title: Line,
    pub sources: Vec<NotedSource>,
}

/// A source, and what is cited of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedSource {
    /// What it is and where, a line each: over its notes in a list, where there are several.
    pub lines: Vec<Line>,
    pub notes: Vec<Note>,
}

/// What a mark stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub number: u32,
    /// Begins with the mark, and names the source.
    pub lines: Vec<Line>,
    /// The same below the lines of its source, which it does not say again.
    pub listed: Vec<Line>,
    /// Where a reader finds the source on the web, if anywhere.
    pub link: Option<Link>,
}

impl Notes {
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.sources.iter().flat_map(|source| &source.notes)
    }

    /// Returns the notes as a section under their title, each source once, for formats without footnotes.
    pub fn as_section(&self) -> Vec<Block> {
        let heading = Block::Heading { level: 2, line: self.title.clone() };
        let sources = self.sources.iter().flat_map(NotedSource::as_blocks);
        std::iter::once(heading).chain(sources).collect()
    }
}

impl From<Note> for NotedSource {
    /// Returns the source of a single note.
    fn from(note: Note) -> NotedSource {
        NotedSource { lines: vec![], notes: vec![note] }
    }
}

impl NotedSource {
    fn as_blocks(&self) -> Vec<Block> {
        if let [note] = self.notes.as_slice() {
            return vec![Block::Hanging(note.lines.clone())];
        }
        let item = |note: &Note| vec![Block::Paragraph(Line::broken(note.listed.clone()))];
        let items = self.notes.iter().map(item).collect();
        let list = Block::List(List { start: None, is_tight: true, items });
        vec![Block::Hanging(self.lines.clone()), list]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    Left,
    Centre,
    Right,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// A column for each cell of the head.
    pub columns: Vec<(Line, Alignment)>,
    pub rows: Vec<Vec<Line>>,
}

impl Table {
    /// Returns an empty table. A title that ends in `#` heads a column of numbers.
    ///
    /// ```
    /// let table = render::Table::with(["Study", "Respondents#"]);
    /// assert_eq!(table.columns[1], ("Respondents".into(), render::Alignment::Right));
    /// ```
    pub fn with<const N: usize>(columns: [&str; N]) -> Table {
        let column = |title: &str| match title.strip_suffix('#') {
            Some(title) => (title.into(), Alignment::Right),
            None => (title.into(), Alignment::Left),
        };
        Table { columns: columns.map(column).into(), rows: vec![] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Line>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Document {
    /// Returns the numbers of all citations in the report.
    ///
    /// ```
    /// let mut report = render::Document::default();
    /// report.paragraph(render::Line::from("Two sources say so.").marks(&[1, 4]));
    /// assert_eq!(Vec::from_iter(report.numbers()), [1, 4]);
    /// ```
    pub fn numbers(&self) -> BTreeSet<u32> {
        let mut numbers = BTreeSet::new();
        self.title.iter().for_each(|title| title.collect_numbers(&mut numbers));
        collect_numbers(&self.blocks, &mut numbers);
        numbers
    }

    /// Gives every citation the label that a reader sees for its number.
    ///
    /// ```
    /// let mut report = render::Document::default();
    /// report.paragraph(render::Line::from("Both say so.").marks(&[1, 2]));
    /// report.label(&render::Labels::of([(1, "a.md"), (2, "a.md")]));
    /// assert_eq!(render::markdown::write(&report), "Both say so. [1a] [1b]\n");
    /// ```
    pub fn label(&mut self, labels: &Labels) {
        self.visit(&mut |inline| inline.label(labels));
    }

    /// Visits what stands in the lines of the document; what holds other inlines is not visited itself.
    pub(crate) fn visit(&mut self, visit: &mut impl FnMut(&mut Inline)) {
        self.title.iter_mut().for_each(|title| title.visit(visit));
        visit_blocks(&mut self.blocks, visit);
    }

    /// Adds a heading of a section.
    pub fn heading(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Heading { level: 2, line: line.into() });
    }

    /// Adds a heading within a section.
    pub fn subheading(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Heading { level: 3, line: line.into() });
    }

    /// Adds figures drawn by the program, unless there are none.
    pub fn picture(&mut self, picture: Picture) {
        if !(picture.figures.is_empty() && picture.instead.is_empty()) {
            self.blocks.push(Block::Picture(picture));
        }
    }

    /// Adds what the marks stand for, unless there is nothing.
    pub fn notes(&mut self, title: impl Into<Line>, sources: Vec<NotedSource>) {
        if !sources.is_empty() {
            self.blocks.push(Block::Notes(Notes { title: title.into(), sources }));
        }
    }

    /// Adds a paragraph, unless it is empty.
    pub fn paragraph(&mut self, line: impl Into<Line>) {
        let line = line.into();
        if !line.is_empty() {
            self.blocks.push(Block::Paragraph(line));
        }
    }

    /// Adds a list, unless it is empty.
    pub fn items<L: Into<Line>>(&mut self, items: impl IntoIterator<Item = L>) {
        let items: Vec<Vec<Block>> =
            items.into_iter().map(|line| vec![Block::Paragraph(line.into())]).collect();
        if !items.is_empty() {
            self.blocks.push(Block::List(List { start: None, is_tight: true, items }));
        }
    }

    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    /// Adds a paragraph that is set as a quotation, unless it is empty.
    pub fn quotation(&mut self, line: impl Into<Line>) {
        let line = line.into();
        if !line.is_empty() {
            self.blocks.push(Block::Quote(vec![Block::Paragraph(line)]));
        }
    }

    /// Adds lines of code or output as they stand.
    pub fn code(&mut self, text: &str, language: &str) {
        let (language, text) = (language.to_owned(), grounding::fold::clean(text));
        self.blocks.push(Block::Code { language, text });
    }
}

fn collect_numbers(blocks: &[Block], numbers: &mut BTreeSet<u32>) {
    for block in blocks {
        match block {
            Block::Heading { line, .. } | Block::Paragraph(line) => line.collect_numbers(numbers),
            Block::Hanging(lines) => lines.iter().for_each(|line| line.collect_numbers(numbers)),
            Block::List(list) => list.items.iter().for_each(|item| collect_numbers(item, numbers)),
            Block::Table(table) => {
                let heads = table.columns.iter().map(|(line, _)| line);
                let lines = heads.chain(table.rows.iter().flatten());
                lines.for_each(|line| line.collect_numbers(numbers));
            }
            Block::Quote(blocks) | Block::Picture(Picture { instead: blocks, .. }) => {
                collect_numbers(blocks, numbers);
            }
            Block::Notes(notes) => {
                let lines = notes.notes().flat_map(|note| &note.lines);
                let lines = std::iter::once(&notes.title).chain(lines);
                lines.for_each(|line| line.collect_numbers(numbers));
            }
            Block::Fold { title, blocks } => {
                title.collect_numbers(numbers);
                collect_numbers(blocks, numbers);
            }
            Block::Code { .. } | Block::Rule => {}
        }
    }
}

fn visit_blocks(blocks: &mut [Block], visit: &mut impl FnMut(&mut Inline)) {
    for block in blocks {
        match block {
            Block::Heading { line, .. } | Block::Paragraph(line) => line.visit(visit),
            Block::Hanging(lines) => lines.iter_mut().for_each(|line| line.visit(visit)),
            Block::List(list) => {
                list.items.iter_mut().for_each(|item| visit_blocks(item, visit));
            }
            Block::Table(table) => {
                let heads = table.columns.iter_mut().map(|(title, _)| title);
                let lines = heads.chain(table.rows.iter_mut().flatten());
                lines.for_each(|line| line.visit(visit));
            }
            Block::Quote(blocks) | Block::Picture(Picture { instead: blocks, .. }) => {
                visit_blocks(blocks, visit);
            }
            Block::Notes(Notes { title, sources }) => {
                title.visit(visit);
                for NotedSource { lines, notes } in sources {
                    lines.iter_mut().for_each(|line| line.visit(visit));
                    for Note { lines, listed, .. } in notes {
                        lines.iter_mut().chain(listed).for_each(|line| line.visit(visit));
                    }
                }
            }
            Block::Fold { title, blocks } => {
                title.visit(visit);
                visit_blocks(blocks, visit);
            }
            Block::Code { .. } | Block::Rule => {}
        }
    }
}
