//! What is the same in every document: styles, settings, fonts, lists, header and footer.

mod styles;
mod theme;

use std::fmt::Write as _;

use crate::body::Numbering;
use crate::xml::escape;
use crate::{Meta, Paper};

pub(crate) use styles::styles;
pub(crate) use theme::theme;

/// The most characters of a running title.
const RUNNING: usize = 90;

pub(crate) const APP: &str = "<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">\
    <Application>Quaestio</Application></Properties>";

/// The lines between the text and its footnotes.
pub(crate) const SEPARATORS: &str = "<w:footnote w:type=\"separator\" w:id=\"-1\"><w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr>\
    <w:r><w:separator/></w:r></w:p></w:footnote>\
    <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr>\
    <w:r><w:continuationSeparator/></w:r></w:p></w:footnote>";

/// A page and its margins, in twentieths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    width: u32,
    height: u32,
}

impl Page {
    /// Left and right of the text.
    const MARGIN: u32 = 1_304;

    pub(crate) fn of(paper: Paper) -> Page {
        match paper {
            Paper::A4 => Page { width: 11_906, height: 16_838 },
            Paper::Letter => Page { width: 12_240, height: 15_840 },
        }
    }

    /// Returns how broad the text is.
    pub(crate) fn column(self) -> u32 {
        self.width - 2 * Page::MARGIN
    }

    /// Returns the properties of the one section. Its first page, which has the title, has no running title.
    pub(crate) fn section(self) -> String {
        let (Page { width, height }, margin) = (self, Page::MARGIN);
        format!(
            "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"header1\"/><w:headerReference w:type=\"first\" r:id=\"header2\"/><w:footerReference w:type=\"default\" r:id=\"footer1\"/>\
             <w:footerReference w:type=\"first\" r:id=\"footer1\"/><w:pgSz w:w=\"{width}\" w:h=\"{height}\"/>\
             <w:pgMar w:top=\"1361\" w:right=\"{margin}\" w:bottom=\"1304\" w:left=\"{margin}\" w:header=\"652\" w:footer=\"595\" w:gutter=\"0\"/>\
             <w:cols w:space=\"708\"/><w:titlePg/></w:sectPr>"
        )
    }
}

/// Returns what the document says of itself.
pub(crate) fn core(title: &str, meta: &Meta) -> String {
    let created = meta.created_at.as_deref().filter(|at| !at.is_empty()).map(|at| {
        format!("<dcterms:created xsi:type=\"dcterms:W3CDTF\">{}</dcterms:created>", escape(at))
    });
    format!(
        "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>{}</dc:title><dc:creator>{}</dc:creator>\
         <dc:language>{}</dc:language>{}</cp:coreProperties>",
        escape(title),
        escape(&meta.creator),
        escape(&meta.language),
        created.unwrap_or_default()
    )
}

pub(crate) fn settings(namespaces: &str) -> String {
    format!(
        "<w:settings {namespaces}><w:zoom w:percent=\"100\"/><w:defaultTabStop w:val=\"567\"/>\
         <w:characterSpacingControl w:val=\"doNotCompress\"/>\
         <w:footnotePr><w:footnote w:id=\"-1\"/><w:footnote w:id=\"0\"/></w:footnotePr>\
         <w:compat><w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"15\"/>\
         </w:compat></w:settings>"
    )
}

/// Returns the fonts by name, each with one that is like it where it is not installed. None is embedded.
pub(crate) fn fonts(namespaces: &str) -> String {
    let font = |name: &str, like: &str, family: &str, pitch: &str| {
        format!(
            "<w:font w:name=\"{name}\"><w:altName w:val=\"{like}\"/><w:charset w:val=\"00\"/><w:family w:val=\"{family}\"/>\
             <w:pitch w:val=\"{pitch}\"/></w:font>"
        )
    };
    format!(
        "<w:fonts {namespaces}>{}{}{}</w:fonts>",
        font("Calibri", "Carlito", "swiss", "variable"),
        font("Consolas", "DejaVu Sans Mono", "modern", "fixed"),
        font("Symbol", "OpenSymbol", "roman", "variable")
    )
}

/// Returns the lists: one definition for numbers and one for bullets, and each list with its first number.
pub(crate) fn numbering(lists: &[Numbering], namespaces: &str) -> String {
    let mut xml = format!("<w:numbering {namespaces}>");
    for (id, is_numbered) in [(0, true), (1, false)] {
        let _ = write!(
            xml,
            "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"hybridMultilevel\"/>"
        );
        for level in 0..9 {
            let (format, text) = match (is_numbered, level % 3) {
                (true, _) => ("decimal", format!("%{}.", level + 1)),
                (false, 0) => ("bullet", "•".to_owned()),
                (false, 1) => ("bullet", "–".to_owned()),
                (false, _) => ("bullet", "▪".to_owned()),
            };
            let left = 360 * (level + 1);
            let _ = write!(
                xml,
                "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/>\
                 <w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{left}\" w:hanging=\"360\"/></w:pPr></w:lvl>"
            );
        }
        xml.push_str("</w:abstractNum>");
    }
    for (index, Numbering { start, level }) in lists.iter().enumerate() {
        let kind = if start.is_some() { 0 } else { 1 };
        let _ = write!(xml, "<w:num w:numId=\"{}\"><w:abstractNumId w:val=\"{kind}\"/>", index + 1);
        if let Some(start) = start {
            let start = i32::try_from(*start).unwrap_or(i32::MAX);
            let _ = write!(
                xml,
                "<w:lvlOverride w:ilvl=\"{level}\"><w:startOverride w:val=\"{start}\"/></w:lvlOverride>"
            );
        }
        xml.push_str("</w:num>");
    }
    xml.push_str("</w:numbering>");
    xml
}

/// Returns the header: the title, as much of it as a line holds.
pub(crate) fn header(title: &str, namespaces: &str) -> String {
    let is_cut = title.chars().count() > RUNNING;
    let mut shown: String = title.chars().take(RUNNING).collect();
    if is_cut {
        // No word is cut in two, unless it is the only one.
        let end = shown.rfind(char::is_whitespace).unwrap_or(shown.len());
        shown.truncate(end);
        shown.push('…');
    }
    format!(
        "<w:hdr {namespaces}><w:p><w:pPr><w:pStyle w:val=\"Header\"/></w:pPr><w:r><w:t xml:space=\"preserve\">{}</w:t></w:r></w:p></w:hdr>",
        escape(&shown)
    )
}

/// Returns the header of the first page: nothing. Without one, LibreOffice draws the line below the others there.
pub(crate) fn first_header(namespaces: &str) -> String {
    format!("<w:hdr {namespaces}><w:p><w:pPr><w:pStyle w:val=\"Normal\"/></w:pPr></w:p></w:hdr>")
}

/// Returns the footer: the page, and how many there are.
pub(crate) fn footer(namespaces: &str) -> String {
    let field = |name: &str| {
        format!("<w:fldSimple w:instr=\" {name} \"><w:r><w:t>1</w:t></w:r></w:fldSimple>")
    };
    format!(
        "<w:ftr {namespaces}><w:p><w:pPr><w:pStyle w:val=\"Footer\"/></w:pPr>{}<w:r><w:t xml:space=\"preserve\"> / </w:t></w:r>{}</w:p></w:ftr>",
        field("PAGE"),
        field("NUMPAGES")
    )
}
