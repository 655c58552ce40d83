//! A document taken apart: its parts, paragraphs and footnotes.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use docx::Meta;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use render::Document;

/// The parts of a file by their names.
pub(super) struct Parts(pub(super) BTreeMap<String, Vec<u8>>);

/// A paragraph: its style and its words, with `{3}` for a footnote and `{note_3:` … `}` for a link within the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    pub(super) style: String,
    pub(super) text: String,
}

pub(super) fn written(report: &Document) -> Parts {
    let meta = Meta { title: "Of the run".into(), ..Meta::default() };
    Parts::of(&docx::write(report, &meta).unwrap())
}

impl Parts {
    pub(super) fn of(file: &[u8]) -> Parts {
        let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
        let mut parts = BTreeMap::new();
        for index in 0..archive.len() {
            let mut part = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).unwrap();
            parts.insert(part.name().to_owned(), bytes);
        }
        Parts(parts)
    }

    pub(super) fn text(&self, name: &str) -> &str {
        std::str::from_utf8(&self.0[name]).unwrap()
    }

    pub(super) fn paragraphs(&self) -> Vec<Paragraph> {
        paragraphs(self.text("word/document.xml"))
    }

    /// Returns the footnotes by id, without those that are separators.
    pub(super) fn footnotes(&self) -> BTreeMap<String, String> {
        let xml = self.text("word/footnotes.xml");
        let notes = xml.split("<w:footnote ").skip(1).filter(|note| note.starts_with("w:id"));
        notes
            .map(|note| {
                let id = note.split('"').nth(1).unwrap().to_owned();
                let content = format!("<w:footnote {note}");
                let content = content.replace("</w:footnotes>", "");
                let text: Vec<String> =
                    paragraphs(&content).into_iter().map(|one| one.text).collect();
                (id, text.join("\n"))
            })
            .collect()
    }

    /// Sees that every part is well-formed, and that whatever a part relates to is there.
    pub(super) fn check(&self) {
        for (name, bytes) in &self.0 {
            if name.ends_with(".xml") || name.ends_with(".rels") || name.ends_with(".svg") {
                check_form(name, std::str::from_utf8(bytes).unwrap());
            }
            let Some(folder) = name.strip_suffix(".rels") else { continue };
            let base = if folder.starts_with("word/") { "word/" } else { "" };
            for relation in self.text(name).split("<Relationship ").skip(1) {
                let target = relation.split("Target=\"").nth(1).unwrap().split('"').next().unwrap();
                let is_outside = relation.contains("TargetMode=\"External\"");
                assert!(
                    is_outside && (target.starts_with("https://") || target.starts_with("http://"))
                        || self.0.contains_key(&format!("{base}{target}")),
                    "{name}: {target}"
                );
            }
        }
    }
}

fn check_form(name: &str, xml: &str) {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut depth = 0_i32;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(text) => {
                let text = text.xml10_content();
                assert!(!text.contains(['<', '&']), "{name}: {text}");
            }
            Event::GeneralRef(reference) => {
                let reference: &str = &reference;
                assert!(
                    ["amp", "lt", "gt", "quot", "#39"].contains(&reference),
                    "{name}: {reference}"
                );
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{name}");
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_allowed), "{name} holds what XML cannot");
}

fn value(element: &BytesStart<'_>, name: &str) -> String {
    let attribute = element.try_get_attribute(name).unwrap();
    attribute.map(|one| one.value.into_owned()).unwrap_or_default()
}

fn paragraphs(xml: &str) -> Vec<Paragraph> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let mut found = Vec::new();
    let mut paragraph = Paragraph::default();
    let mut is_text = false;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) => match element.name().as_ref() {
                "w:p" => paragraph = Paragraph::default(),
                "w:t" => is_text = true,
                "w:hyperlink" => {
                    let anchor = value(&element, "w:anchor");
                    paragraph.text.push_str(&format!("{{{anchor}:"));
                }
                _ => {}
            },
            Event::Empty(element) => match element.name().as_ref() {
                "w:pStyle" => paragraph.style = value(&element, "w:val"),
                "w:br" => paragraph.text.push('\n'),
                "w:tab" => paragraph.text.push('\t'),
                "w:footnoteReference" => {
                    let id = value(&element, "w:id");
                    paragraph.text.push_str(&format!("{{{id}}}"));
                }
                _ => {}
            },
            Event::End(element) => match element.name().as_ref() {
                "w:p" => found.push(std::mem::take(&mut paragraph)),
                "w:t" => is_text = false,
                "w:hyperlink" => paragraph.text.push('}'),
                _ => {}
            },
            Event::Text(text) if is_text => paragraph.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if is_text => {
                paragraph.text.push_str(match &*reference {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    _ => "\"",
                });
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}
