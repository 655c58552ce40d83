use std::collections::BTreeSet;

use crate::line::Line;

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
    /// A picture drawn by the program, and what stands in its place in a format without pictures.
    Picture {
        html: String,
        instead: Vec<Block>,
    },
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

    /// Adds a heading of a section.
    pub fn heading(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Heading { level: 2, line: line.into() });
    }

    /// Adds a heading within a section.
    pub fn subheading(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Heading { level: 3, line: line.into() });
    }

    /// Adds a picture drawn by the program, unless it is empty, and what stands in its place in a format without pictures.
    pub fn picture(&mut self, html: String, instead: Vec<Block>) {
        if !(html.is_empty() && instead.is_empty()) {
            self.blocks.push(Block::Picture { html, instead });
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
            Block::Quote(blocks) | Block::Picture { instead: blocks, .. } => {
                collect_numbers(blocks, numbers);
            }
            Block::Fold { title, blocks } => {
                title.collect_numbers(numbers);
                collect_numbers(blocks, numbers);
            }
            Block::Code { .. } | Block::Rule => {}
        }
    }
}
