//! The headings of a report, and its table of contents.

use std::collections::BTreeSet;

use render::{Block, Document, List};

use crate::xml::{Xml, escape};

/// A report shorter than this has no table of contents: about four pages.
const LONG: usize = 9_000;
/// The fewest sections that are worth a table.
const FEWEST: usize = 4;
/// The most entries: deeper headings are left out where there would be more.
const MOST: usize = 24;

/// A heading of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// From 1, below the title.
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) bookmark: String,
}

/// Returns the bookmark of the heading with that index.
pub(crate) fn bookmark(index: usize) -> String {
    format!("_Toc{:08}", index + 1)
}

/// Returns a table of contents as a field that Word and LibreOffice can update; empty for a report that needs none.
///
/// Its entries lead to their sections. Page numbers are known to who lays the pages out, so they come when the table is updated.
pub(crate) fn write(headings: &[Heading], letters: usize) -> String {
    let upto = |level: u8| headings.iter().filter(move |heading| heading.level <= level);
    // Headings that every section has tell a reader nothing.
    let distinct: BTreeSet<&str> = upto(2).map(|heading| heading.text.as_str()).collect();
    let count = upto(2).count();
    let depth = if count <= MOST && distinct.len() == count { 2 } else { 1 };
    let entries: Vec<&Heading> = upto(depth).collect();
    if letters < LONG || upto(1).count() < FEWEST || entries.len() > 2 * MOST {
        return String::new();
    }
    let mut xml = Xml::default();
    xml.put(
        "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/><w:docPartUnique/></w:docPartObj></w:sdtPr>\
         <w:sdtContent><w:p><w:pPr><w:pStyle w:val=\"TOCHeading\"/></w:pPr><w:r><w:t>Contents</w:t></w:r></w:p>",
    );
    let begin = format!(
        "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> TOC \\o &quot;1-{depth}&quot; \\h \\z \\u </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>"
    );
    for (index, Heading { level, text, bookmark }) in entries.iter().enumerate() {
        let begin = if index == 0 { begin.as_str() } else { "" };
        let is_last = index + 1 == entries.len();
        let end = if is_last { "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>" } else { "" };
        let text = escape(text);
        xml.put(format!(
            "<w:p><w:pPr><w:pStyle w:val=\"TOC{level}\"/></w:pPr>{begin}<w:hyperlink w:anchor=\"{bookmark}\" w:history=\"1\">\
             <w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:hyperlink>{end}</w:p>"
        ));
    }
    xml.put("</w:sdtContent></w:sdt>");
    xml.0
}

/// Returns about how many letters a report has.
pub(crate) fn measure(report: &Document) -> usize {
    measure_blocks(&report.blocks)
}

fn measure_blocks(blocks: &[Block]) -> usize {
    let length = |line: &render::Line| line.plain().len();
    let of = |block: &Block| match block {
        Block::Heading { line, .. } | Block::Paragraph(line) => length(line),
        Block::Hanging(lines) => lines.iter().map(length).sum(),
        Block::List(List { items, .. }) => items.iter().map(|item| measure_blocks(item)).sum(),
        Block::Table(table) => table.rows.iter().flatten().map(length).sum(),
        Block::Quote(blocks) | Block::Fold { blocks, .. } => measure_blocks(blocks),
        Block::Code { text, .. } => text.len(),
        Block::Picture(picture) => 600 * picture.figures.len(),
        Block::Notes(notes) => notes.notes().flat_map(|note| &note.lines).map(length).sum(),
        Block::Rule => 0,
    };
    blocks.iter().map(of).sum()
}
