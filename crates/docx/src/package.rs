//! The parts of a document in one file.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::body::Written;
use crate::parts;
use crate::xml::escape;
use crate::{Error, Meta};

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// What every part of a document with text declares.
const NAMESPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
/// What a part with pictures declares beside it.
const DRAWING: &str = "xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
    xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\" \
    xmlns:asvg=\"http://schemas.microsoft.com/office/drawing/2016/SVG/main\"";
const RELATIONSHIPS: &str =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns the document as a file.
pub(crate) fn pack(written: &Written, meta: &Meta) -> Result<Vec<u8>, Error> {
    let mut package = Package(ZipWriter::new(Cursor::new(Vec::new())));
    let page = parts::Page::of(meta.paper);
    package.xml("[Content_Types].xml", &content_types(written))?;
    package.xml("_rels/.rels", &root_relationships())?;
    package.xml("docProps/core.xml", &parts::core(&written.title, meta))?;
    package.xml("docProps/app.xml", parts::APP)?;
    package.xml(
        "word/document.xml",
        &format!(
            "<w:document {NAMESPACES} {DRAWING}><w:body>{}{}</w:body></w:document>",
            written.body.xml.0,
            page.section()
        ),
    )?;
    package.xml("word/_rels/document.xml.rels", &document_relationships(written))?;
    package.xml(
        "word/footnotes.xml",
        &format!(
            "<w:footnotes {NAMESPACES}>{}{}</w:footnotes>",
            parts::SEPARATORS,
            written.footnotes.xml.0
        ),
    )?;
    if !written.footnotes.links.is_empty() {
        let links = write_links(&written.footnotes.links);
        package.xml(
            "word/_rels/footnotes.xml.rels",
            &format!("{RELATIONSHIPS}{links}</Relationships>"),
        )?;
    }
    package.xml("word/styles.xml", &parts::styles(&meta.language, NAMESPACES))?;
    package.xml("word/settings.xml", &parts::settings(NAMESPACES))?;
    package.xml("word/fontTable.xml", &parts::fonts(NAMESPACES))?;
    package.xml("word/numbering.xml", &parts::numbering(&written.lists, NAMESPACES))?;
    package.xml("word/theme/theme1.xml", &parts::theme())?;
    package.xml("word/header1.xml", &parts::header(&written.title, NAMESPACES))?;
    package.xml("word/header2.xml", &parts::first_header(NAMESPACES))?;
    package.xml("word/footer1.xml", &parts::footer(NAMESPACES))?;
    for (index, drawn) in written.pictures.iter().enumerate() {
        let number = index + 1;
        package.file(&format!("word/media/figure{number}.png"), &drawn.png)?;
        package.file(&format!("word/media/figure{number}.svg"), drawn.svg.as_bytes())?;
    }
    Ok(package.0.finish()?.into_inner())
}

struct Package(ZipWriter<Cursor<Vec<u8>>>);

impl Package {
    fn xml(&mut self, name: &str, xml: &str) -> Result<(), Error> {
        self.file(name, format!("{HEADER}{xml}").as_bytes())
    }

    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        // Always the same time, so that the same report is the same file.
        self.0.start_file(name, SimpleFileOptions::default())?;
        Ok(self.0.write_all(bytes)?)
    }
}

fn content_types(written: &Written) -> String {
    const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let mut xml = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        .to_owned();
    if !written.pictures.is_empty() {
        xml.push_str(
            "<Default Extension=\"png\" ContentType=\"image/png\"/><Default Extension=\"svg\" ContentType=\"image/svg+xml\"/>",
        );
    }
    for (name, kind) in [
        ("document", "document.main"),
        ("footnotes", "footnotes"),
        ("styles", "styles"),
        ("settings", "settings"),
        ("fontTable", "fontTable"),
        ("numbering", "numbering"),
        ("header1", "header"),
        ("header2", "header"),
        ("footer1", "footer"),
    ] {
        let _ = write!(
            xml,
            "<Override PartName=\"/word/{name}.xml\" ContentType=\"{WORD}.{kind}+xml\"/>"
        );
    }
    xml.push_str(
        "<Override PartName=\"/word/theme/theme1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.theme+xml\"/>\
         <Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/docProps/app.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.extended-properties+xml\"/></Types>",
    );
    xml
}

fn root_relationships() -> String {
    format!(
        "{RELATIONSHIPS}<Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"word/document.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties\" \
         Target=\"docProps/core.xml\"/>\
         <Relationship Id=\"rId3\" Type=\"{OFFICE}/extended-properties\" Target=\"docProps/app.xml\"/></Relationships>"
    )
}

fn document_relationships(written: &Written) -> String {
    let mut xml = RELATIONSHIPS.to_owned();
    for (id, kind, target) in [
        ("styles", "styles", "styles"),
        ("settings", "settings", "settings"),
        ("fontTable", "fontTable", "fontTable"),
        ("numbering", "numbering", "numbering"),
        ("footnotes", "footnotes", "footnotes"),
        ("header1", "header", "header1"),
        ("header2", "header", "header2"),
        ("footer1", "footer", "footer1"),
        ("theme", "theme", "theme/theme1"),
    ] {
        let _ = write!(
            xml,
            "<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}.xml\"/>"
        );
    }
    for number in 1..=written.pictures.len() {
        for kind in ["png", "svg"] {
            let _ = write!(
                xml,
                "<Relationship Id=\"{kind}{number}\" Type=\"{OFFICE}/image\" Target=\"media/figure{number}.{kind}\"/>"
            );
        }
    }
    xml.push_str(&write_links(&written.body.links));
    xml.push_str("</Relationships>");
    xml
}

/// Returns the relations to addresses on the web.
fn write_links(links: &[String]) -> String {
    let mut xml = String::new();
    for (index, link) in links.iter().enumerate() {
        let _ = write!(
            xml,
            "<Relationship Id=\"link{}\" Type=\"{OFFICE}/hyperlink\" Target=\"{}\" TargetMode=\"External\"/>",
            index + 1,
            escape(link)
        );
    }
    xml
}
