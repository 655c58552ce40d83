//! A DOCX becomes Markdown: headings, lists, tables, notes and comments of the last accepted version.
//!
//! Deleted and hidden text and tables of contents are left out; headers and footers stand once, after the text. There are no page numbers: Word lays pages out anew each
//! time it shows the file.

mod margins;
mod numbering;
mod page;
mod styles;
mod table;

use std::collections::HashMap;

use crate::ooxml::{About, Budget, Relations, open, part};
use crate::xml::{Element, parse as parse_xml};
use crate::{Bounds, Fault, Parsed};

use page::{Page, Parts};
use styles::{Style, is_title, style_of};

const DOCX: &str = "DOCX";
/// The most charts and diagrams that are read from a file.
const OBJECTS: usize = 500;

/// Returns what a DOCX says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let (mut archive, top, main) = open(bytes, DOCX, "word/document.xml", bounds)?;
    let document = parse_xml(&archive.needed(&main)?, DOCX)?;
    // A file joined from several may have several bodies.
    let bodies: Vec<&Element> = document.elements().filter(|it| &*it.name == "body").collect();
    if bodies.is_empty() {
        return Err(Fault::NotReadYet { format: "this kind of Office file".to_owned() });
    }
    let relations = Relations::of(&mut archive, &main, DOCX)?;
    let mut related = |kind: &str| -> Result<Option<Element>, Fault> {
        match relations.first(kind) {
            Some(name) => part(&mut archive, name, DOCX),
            None => Ok(None),
        }
    };
    let styles = related("styles")?.map(|styles| Style::all(&styles)).unwrap_or_default();
    let lists = related("numbering")?;
    let numbering = lists.map(|lists| numbering::lists(&lists)).unwrap_or_default();
    let (footnotes, endnotes) = (related("footnotes")?, related("endnotes")?);
    let comments = related("comments")?;
    let mut objects = HashMap::new();
    let mut budget = Budget::new();
    let is_cut = relations.of_kinds(&["chart", "diagramData"]).nth(OBJECTS).is_some();
    for (id, name) in relations.of_kinds(&["chart", "diagramData"]).take(OBJECTS) {
        objects.extend(budget.part(&mut archive, name, DOCX)?.map(|part| (id, part)));
    }
    let margins = margins::read(&bodies, &mut archive, &relations, &styles)?;
    let about = About::of(&mut archive, &top, DOCX)?;
    let mut paragraphs = bodies.iter().flat_map(|body| body.elements());
    let title_style = paragraphs.any(|it| style_of(it).is_some_and(|id| is_title(&styles, id)));
    let parts = Parts {
        styles: &styles,
        footnotes: notes(footnotes.as_ref()),
        endnotes: notes(endnotes.as_ref()),
        comments: notes(comments.as_ref()),
        objects: objects.iter().map(|(id, part)| (*id, part)).collect(),
    };
    let mut page = Page::new(parts, numbering, title_style, bounds);
    if is_cut {
        page.leave_out(format!("all charts and diagrams after the first {OBJECTS}"));
    }
    for body in bodies {
        page.blocks(body);
    }
    let mut metadata = about.metadata;
    metadata.extend(page.left_out());
    let text = page.finish(&margins);
    Ok(Parsed { title: about.title, text, metadata, ..Parsed::default() })
}

/// Returns the notes of a part by their identifiers, without the lines that separate notes from the text.
fn notes(part: Option<&Element>) -> HashMap<&str, &Element> {
    let notes = part.into_iter().flat_map(Element::elements);
    let own = notes.filter(|note| {
        !matches!(
            note.attribute("type"),
            Some("separator" | "continuationSeparator" | "continuationNotice")
        )
    });
    own.filter_map(|note| Some((note.attribute("id")?, note))).collect()
}

#[cfg(test)]
mod tests;
