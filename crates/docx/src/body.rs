//! The blocks of a report as the body of a document.

use std::fmt::Write as _;

use render::{Alignment, Block, Document, Figure, Line, List, Notes, Picture, Table};

use crate::contents::{self, Heading};
use crate::line::{Look, Part, Setter, set_text};
use crate::marks::{Marks, Place};
use crate::parts::Page;
use crate::picture::{self, Drawer, Drawn};
use crate::{Meta, table};

/// How far each level of a list, and each quote within another, stands in from the one around it, in twentieths of a point.
const INDENT: u32 = 360;
/// The deepest level of a list that Word knows, counted from 0.
const DEEPEST: usize = 8;
/// The most letters of a paragraph that stays on a page with the table below it.
const SHORT: usize = 400;
/// The most letters of a row that is kept on one page.
const WHOLE_ROW: usize = 700;
/// The most rows and letters of a table that is kept on one page.
const WHOLE_TABLE: (usize, usize) = (8, 1_500);

/// A numbered list, or one with bullets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbering {
    /// The first number; `None` for bullets.
    pub(crate) start: Option<u64>,
    pub(crate) level: usize,
}

/// What a document is packed from.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) title: String,
    /// The content of the body, its last section's properties not among it.
    pub(crate) body: Part,
    /// The content of the part of footnotes.
    pub(crate) footnotes: Part,
    /// The lists, the first of them number 1.
    pub(crate) lists: Vec<Numbering>,
    pub(crate) pictures: Vec<Drawn>,
}

impl Written {
    pub(crate) fn of(report: &Document, meta: &Meta) -> Written {
        let (title, blocks) = match (&report.title, report.blocks.split_first()) {
            (Some(title), _) => (title.clone(), report.blocks.as_slice()),
            // A report whose first line is its title.
            (None, Some((Block::Heading { level: 1, line }, blocks))) => (line.clone(), blocks),
            (None, _) => (Line::from(&meta.title), report.blocks.as_slice()),
        };
        let mut writer = Writer {
            set: Setter::new(Marks::of(report)),
            headings: vec![],
            first_heading: None,
            lists: vec![],
            pictures: vec![],
            drawer: None,
            page: Page::of(meta.paper),
        };
        if !title.is_empty() {
            writer.open("Title", "");
            writer.set.line(&title, Place::Heading);
            writer.close();
        }
        writer.blocks(blocks, Within::default());
        let Writer { mut set, headings, lists, pictures, first_heading, .. } = writer;
        if let Some(place) = first_heading {
            let contents = contents::write(&headings, contents::measure(report));
            set.body.xml.0.insert_str(place, &contents);
        }
        let title = title.plain();
        Written { title, body: set.body, footnotes: set.footnotes, lists, pictures }
    }
}

/// How a cell is set.
#[derive(Debug, Clone, Copy)]
struct CellLook {
    size: table::Size,
    alignment: Alignment,
    /// Whether its row stays on a page with the next.
    stays: bool,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default)]
struct Within {
    /// Twentieths of a point from the left.
    indent: u32,
    /// The number of lists around it.
    lists: usize,
    is_quoted: bool,
}

struct Writer<'a> {
    set: Setter<'a>,
    headings: Vec<Heading>,
    /// Where the first heading stands in the body: the table of contents is set before it.
    first_heading: Option<usize>,
    lists: Vec<Numbering>,
    pictures: Vec<Drawn>,
    /// Made for the first picture: it reads fonts.
    drawer: Option<Drawer>,
    page: Page,
}

impl<'a> Writer<'a> {
    fn blocks(&mut self, blocks: &'a [Block], within: Within) {
        for (index, block) in blocks.iter().enumerate() {
            let next = blocks.get(index + 1);
            self.block(block, next, within);
        }
    }

    fn block(&mut self, block: &'a Block, next: Option<&Block>, within: Within) {
        match block {
            Block::Heading { level, line } => self.heading(*level, line),
            Block::Paragraph(line) => {
                let leads = match (line.plain(), next) {
                    (text, Some(Block::List(_) | Block::Code { .. })) => text.ends_with(':'),
                    (text, Some(Block::Table(_))) => text.len() <= SHORT,
                    _ => false,
                };
                let keep = if leads { "<w:keepNext/>" } else { "" };
                self.paragraph(line, within, keep);
            }
            Block::Hanging(lines) => {
                self.open("Bibliography", &indented(within, 397, 397));
                self.lines(lines);
                self.close();
            }
            Block::List(list) => self.list(list, within),
            Block::Table(table) => self.table(table, within),
            Block::Quote(blocks) => {
                let indent = within.indent + INDENT;
                self.blocks(blocks, Within { indent, is_quoted: true, ..within });
            }
            Block::Code { text, .. } => self.code(text, within),
            Block::Picture(picture) => self.picture(picture, within),
            Block::Notes(notes) => self.notes(notes),
            Block::Fold { title, blocks } => {
                self.heading(3, title);
                self.blocks(blocks, within);
            }
            Block::Rule => {
                self.open("Rule", "");
                self.close();
            }
        }
    }

    /// Begins a paragraph of a style, with more properties of its own in the order of the schema.
    fn open(&mut self, style: &str, properties: &str) {
        self.set
            .body
            .xml
            .put(format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/>{properties}</w:pPr>"));
    }

    fn close(&mut self) {
        self.set.body.xml.put("</w:p>");
    }

    fn paragraph(&mut self, line: &Line, within: Within, properties: &str) {
        let style = match within {
            Within { is_quoted: true, .. } => "Quote",
            Within { lists: 1.., .. } => "ListContinue",
            _ => "BodyText",
        };
        self.open(style, &format!("{properties}{}", indented(within, 0, 0)));
        self.set.line(line, Place::Text);
        self.close();
    }

    fn lines(&mut self, lines: &[Line]) {
        for (index, line) in lines.iter().enumerate() {
            self.set.body.xml.put(if index > 0 { "<w:r><w:br/></w:r>" } else { "" });
            self.set.line(line, Place::Text);
        }
    }

    /// Writes a heading. Sections have level 2, since the title is above them; here they are the first.
    fn heading(&mut self, level: u8, line: &Line) {
        let level = level.saturating_sub(1).clamp(1, 6);
        let bookmark = contents::bookmark(self.headings.len());
        self.first_heading.get_or_insert(self.set.body.xml.0.len());
        self.headings.push(Heading { level, text: line.plain(), bookmark: bookmark.clone() });
        self.open(&format!("Heading{level}"), "");
        self.set.body_bookmark(&bookmark);
        self.set.line(line, Place::Heading);
        self.close();
    }

    fn list(&mut self, list: &'a List, within: Within) {
        let level = within.lists.min(DEEPEST);
        self.lists.push(Numbering { start: list.start, level });
        let number = self.lists.len();
        let indent = within.indent + INDENT;
        let inner = Within { indent, lists: within.lists + 1, ..within };
        let style = if list.start.is_some() { "ListNumber" } else { "ListBullet" };
        let close = if list.is_tight { "<w:contextualSpacing/>" } else { "" };
        for item in &list.items {
            let (first, rest) = match item.split_first() {
                Some((Block::Paragraph(line), rest)) => (line.clone(), rest),
                _ => (Line::new(), item.as_slice()),
            };
            let properties = format!(
                "<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{number}\"/></w:numPr>\
                 <w:ind w:left=\"{indent}\" w:hanging=\"{INDENT}\"/>{close}"
            );
            self.open(style, &properties);
            self.set.line(&first, Place::Text);
            self.close();
            self.blocks(rest, inner);
        }
    }

    fn code(&mut self, text: &str, within: Within) {
        self.open("Code", &indented(within, 0, 0));
        for (index, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            let xml = &mut self.set.body.xml;
            xml.put(if index > 0 { "<w:r><w:br/></w:r>" } else { "" });
            for (index, part) in line.split('\t').enumerate() {
                xml.put(if index > 0 { "<w:r><w:tab/></w:r>" } else { "" });
                set_text(xml, part, Look::default());
            }
        }
        self.close();
    }

    fn picture(&mut self, picture: &'a Picture, within: Within) {
        let Picture { heading, words, figures, instead } = picture;
        if figures.is_empty() {
            return self.blocks(instead, within);
        }
        if !heading.is_empty() {
            self.heading(2, &Line::from(heading));
        }
        if !words.is_empty() {
            self.paragraph(&Line::from(words), within, "<w:keepNext/>");
        }
        figures.iter().for_each(|figure| self.figure(figure, within));
    }

    /// Writes a figure: its caption, the picture, and how to read it, all on one page.
    fn figure(&mut self, figure: &Figure, within: Within) {
        let drawn = self.drawer.get_or_insert_with(Drawer::new).draw(figure);
        let caption = Line::new().strong(figure.caption());
        let caption = match figure.measure.as_str() {
            "" => caption,
            measure => caption.text(" ").text(measure),
        };
        self.open("Caption", "");
        self.set.line(&caption, Place::Leading);
        self.close();
        let keep = if figure.key.is_empty() { "" } else { "<w:keepNext/>" };
        self.open("Figure", keep);
        match drawn {
            Some(drawn) => {
                let number = self.pictures.len() + 1;
                let room = self.page.column().saturating_sub(within.indent);
                self.set.body.xml.put(picture::show(&drawn, figure, number, room));
                self.pictures.push(drawn);
            }
            // What cannot be drawn is told.
            None => self.set.line(&figure.description().into(), Place::Leading),
        }
        self.close();
        if !figure.key.is_empty() {
            self.open("FigureKey", "");
            self.set.line(&Line::from(&figure.key), Place::Leading);
            self.close();
        }
    }

    /// Writes the notes that are no footnotes.
    fn notes(&mut self, notes: &'a Notes) {
        let others = notes.notes().filter(|note| !self.set.marks.is_footnote(note));
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            self.heading(2, &notes.title);
        }
        for note in others {
            self.open("Bibliography", "");
            self.set.noted(note);
            self.close();
        }
    }

    fn table(&mut self, table: &Table, within: Within) {
        let columns = table.rows.iter().map(Vec::len).chain([table.columns.len()]).max();
        let columns = columns.unwrap_or_default();
        if columns == 0 {
            return;
        }
        let room = self.page.column().saturating_sub(within.indent);
        let widths = table::widths(table, columns, room);
        let size = table::Size::of(columns);
        let margins = match size.is_small {
            false => String::new(),
            true => format!(
                "<w:tblCellMar><w:left w:w=\"{0}\" w:type=\"dxa\"/><w:right w:w=\"{0}\" w:type=\"dxa\"/></w:tblCellMar>",
                size.margin
            ),
        };
        let whole: u32 = widths.iter().sum();
        let mut head = format!(
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"ReportTable\"/><w:tblW w:w=\"{whole}\" w:type=\"dxa\"/>\
             <w:tblInd w:w=\"{}\" w:type=\"dxa\"/><w:tblLayout w:type=\"fixed\"/>{margins}\
             <w:tblLook w:val=\"0020\" w:firstRow=\"1\" w:lastRow=\"0\" w:firstColumn=\"0\" w:lastColumn=\"0\" w:noHBand=\"1\" w:noVBand=\"1\"/>\
             </w:tblPr><w:tblGrid>",
            within.indent
        );
        for width in &widths {
            let _ = write!(head, "<w:gridCol w:w=\"{width}\"/>");
        }
        head.push_str("</w:tblGrid>");
        self.set.body.xml.put(head);
        let alignment =
            |index: usize| table.columns.get(index).map_or(Alignment::Left, |(_, one)| *one);
        if !table.columns.is_empty() {
            self.set.body.xml.put("<w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>");
            for (index, width) in widths.iter().enumerate() {
                let title = table.columns.get(index).map(|(title, _)| title);
                let look = CellLook { size, alignment: alignment(index), stays: true };
                self.cell(title, *width, Place::Leading, look);
            }
            self.set.body.xml.put("</w:tr>");
        }
        let letters = |row: &[Line]| row.iter().map(|cell| cell.plain().len()).sum::<usize>();
        let all: usize = table.rows.iter().map(|row| letters(row)).sum();
        let is_whole = table.rows.len() <= WHOLE_TABLE.0 && all <= WHOLE_TABLE.1;
        for (row_index, row) in table.rows.iter().enumerate() {
            let is_row_whole = letters(row) <= WHOLE_ROW;
            let whole = if is_row_whole { "<w:trPr><w:cantSplit/></w:trPr>" } else { "" };
            self.set.body.xml.put(format!("<w:tr>{whole}"));
            // The last rows stay together, so that none stands alone on a page.
            let left = table.rows.len() - row_index - 1;
            let stays = left == 1 || is_whole && left > 0;
            for (index, width) in widths.iter().enumerate() {
                let look = CellLook { size, alignment: alignment(index), stays };
                self.cell(row.get(index), *width, Place::Text, look);
            }
            self.set.body.xml.put("</w:tr>");
        }
        self.set.body.xml.put("</w:tbl>");
        self.open("TableEnd", "");
        self.close();
    }

    fn cell(&mut self, line: Option<&Line>, width: u32, place: Place, look: CellLook) {
        let CellLook { size, alignment, stays } = look;
        let style = match (place, size.is_small) {
            (Place::Leading, false) => "TableHead",
            (Place::Leading, true) => "TableHeadSmall",
            (_, false) => "TableText",
            (_, true) => "TableTextSmall",
        };
        let keep = if stays { "<w:keepNext/>" } else { "" };
        let align = match alignment {
            Alignment::Left => "",
            Alignment::Centre => "<w:jc w:val=\"center\"/>",
            Alignment::Right => "<w:jc w:val=\"right\"/>",
        };
        self.set
            .body
            .xml
            .put(format!("<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr>"));
        self.open(style, &format!("{keep}{align}"));
        if let Some(line) = line {
            self.set.line(line, place);
        }
        self.close();
        self.set.body.xml.put("</w:tc>");
    }
}

/// Returns how far a paragraph stands in beside what its style says; empty at the margin.
fn indented(within: Within, more: u32, hanging: u32) -> String {
    match within.indent {
        0 => String::new(),
        indent => format!("<w:ind w:left=\"{}\" w:hanging=\"{hanging}\"/>", indent + more),
    }
}
