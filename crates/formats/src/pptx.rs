//! A PPTX becomes Markdown: a section for each slide in the order of the show, with its notes and comments.
//!
//! A slide's shapes are read from top to bottom and from left to right. Footers, dates and slide numbers are left out; a hidden slide is
//! marked as such.

mod shapes;
mod words;

use std::collections::HashMap;

use crate::archive::Archive;
use crate::ooxml::{About, Budget, Relations, chart, described, diagram, open, part};
use crate::rows::{LONGEST_CELL, Mark, Rows, Slot};
use crate::writer::{comment, tidy};
use crate::xml::{Element, parse as parse_xml};
use crate::{Bounds, Fault, Parsed, Writer};

use shapes::{Layout, Shape};

const PPTX: &str = "PPTX";

/// Returns what a PPTX says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let (mut archive, top, main) = open(bytes, PPTX, "ppt/presentation.xml", bounds)?;
    let presentation = parse_xml(&archive.needed(&main)?, PPTX)?;
    if &*presentation.name != "presentation" {
        return Err(Fault::NotReadYet { format: "this kind of Office file".to_owned() });
    }
    let about = About::of(&mut archive, &top, PPTX)?;
    let relations = Relations::of(&mut archive, &main, PPTX)?;
    let authors = load_authors(&mut archive, &relations)?;
    let by_id = relations.by_id();
    let listed = presentation.child("sldIdLst").into_iter().flat_map(Element::elements);
    // A slide has two identifiers; only that of its relation is known.
    let names = listed.filter_map(|it| it.attributes("id").find_map(|id| by_id.get(id).copied()));
    let mut text = Writer::new(bounds.text_bytes);
    let mut layouts =
        Layouts { budget: Budget::new(), parts: HashMap::new(), masters: HashMap::new() };
    let mut pages = Vec::new();
    let mut first_title = None;
    let mut readable = 0;
    for (index, name) in names.enumerate() {
        if text.is_full() {
            break;
        }
        pages.push(if text.is_empty() { 0 } else { text.len() + 2 });
        let Some(slide) = part(&mut archive, name, PPTX)? else {
            text.heading(2, &format!("Slide {}", index + 1));
            continue;
        };
        readable += 1;
        let relations = Relations::of(&mut archive, name, PPTX)?;
        let layout = layouts.load(&mut archive, relations.first("slideLayout"))?;
        let shapes = slide.child("cSld").and_then(|it| it.child("spTree"));
        let shapes = shapes.map(|tree| shapes::all(tree, &layout)).unwrap_or_default();
        let title = shapes.iter().position(|shape| shape.is_title() && !shape.said().is_empty());
        let said = title.and_then(|at| shapes.get(at)).map(Shape::said);
        let hidden = matches!(slide.attribute("show"), Some("0" | "false"));
        let number = format!("Slide {}{}", index + 1, if hidden { " (hidden)" } else { "" });
        text.slide(&number, said.as_deref());
        first_title = first_title.or(said);
        let by_id = relations.by_id();
        for (at, shape) in shapes.iter().enumerate() {
            if Some(at) != title && !shape.is_furniture() {
                write(shape, &mut archive, &by_id, &mut text)?;
            }
        }
        if let Some(notes) = relations.first("notesSlide")
            && let Some(notes) = part(&mut archive, notes, PPTX)?
        {
            write_notes(&notes, &mut text);
        }
        write_comments(&mut archive, &relations, &authors, &mut text)?;
    }
    if readable == 0 && !pages.is_empty() {
        return Err(Fault::Damaged { format: PPTX.to_owned() });
    }
    let mut metadata = about.metadata;
    metadata.extend(text.left_out());
    let text = text.finish();
    pages.retain(|start| *start <= text.len());
    let title = about.title.filter(|title| !is_placeholder(title)).or(first_title);
    Ok(Parsed { title, text, pages, metadata, ..Parsed::default() })
}

/// Returns whether a title says nothing about the content: "PowerPoint Presentation".
fn is_placeholder(title: &str) -> bool {
    let lower = title.to_lowercase();
    matches!(lower.as_str(), "presentation" | "slide 1" | "untitled" | "title")
        || lower.contains("powerpoint") && lower.split([' ', '-']).count() <= 3
}

/// The layouts and masters that slides are made from.
struct Layouts {
    budget: Budget,
    parts: HashMap<String, Element>,
    masters: HashMap<String, Option<String>>,
}

impl Layouts {
    /// Returns the layout called `name` and its master; broken ones are missing.
    fn load(&mut self, archive: &mut Archive, name: Option<&str>) -> Result<Layout<'_>, Fault> {
        let Some(name) = name else { return Ok(Layout::default()) };
        if !self.masters.contains_key(name) {
            let relations = Relations::of(archive, name, PPTX)?;
            let master = relations.first("slideMaster").map(str::to_owned);
            for name in [Some(name), master.as_deref()].into_iter().flatten() {
                if !self.parts.contains_key(name)
                    && let Some(found) = self.budget.part(archive, name, PPTX)?
                {
                    self.parts.insert(name.to_owned(), found);
                }
            }
            self.masters.insert(name.to_owned(), master);
        }
        let master = self.masters.get(name).and_then(Option::as_ref);
        let master = master.and_then(|master| self.parts.get(master));
        Ok(Layout::new(self.parts.get(name), master))
    }
}

/// Writes a shape: its text, table, chart or diagram, or what its picture shows.
fn write(
    shape: &Shape,
    archive: &mut Archive,
    by_id: &HashMap<&str, &str>,
    text: &mut Writer,
) -> Result<(), Fault> {
    // A description of a shape that has its own words adds nothing.
    if shape.said().is_empty()
        && let Some(words) = shape.own().and_then(described)
    {
        text.paragraph(&format!("Image: {words}"));
    }
    if let Some(body) = shape.element.child("txBody") {
        words::write(body, &shape.styles(), text);
    }
    let graphic = shape.element.child("graphic").and_then(|it| it.child("graphicData"));
    for content in graphic.into_iter().flat_map(Element::elements) {
        let mut related = |name: &str| -> Result<Option<Element>, Fault> {
            match content.attributes(name).find_map(|id| by_id.get(id)) {
                Some(name) => part(archive, name, PPTX),
                None => Ok(None),
            }
        };
        match &*content.name {
            "tbl" => write_table(content, text),
            "chart" => {
                if let Some(found) = related("id")? {
                    chart::write(&found, text);
                }
            }
            "relIds" => {
                if let Some(found) = related("dm")? {
                    diagram::write(&found, text);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes a table; one without a head row begins with a blank row. A row with a long cell becomes paragraphs.
fn write_table(table: &Element, text: &mut Writer) {
    let own = table.child("tblPr");
    let headed = own.is_some_and(|own| matches!(own.attribute("firstRow"), Some("1" | "true")));
    let mut rows = Rows::default();
    if !headed {
        rows.push(Vec::new(), Mark::Head);
    }
    let mut mark = if headed { Mark::Head } else { Mark::Plain };
    for row in table.elements().filter(|it| &*it.name == "tr") {
        if text.is_full() {
            return;
        }
        let cells = row.elements().filter(|it| &*it.name == "tc");
        let slots: Vec<Slot> = cells.clone().map(slot).collect();
        let is_long = |slot: &Slot| matches!(slot, Slot::Own(words) if words.len() > LONGEST_CELL);
        if !slots.iter().any(is_long) {
            rows.push(slots, std::mem::replace(&mut mark, Mark::Plain));
            continue;
        }
        rows.write(text);
        for body in cells.filter_map(|cell| cell.child("txBody")) {
            words::write(body, &words::Styles::default(), text);
        }
    }
    rows.write(text);
}

/// Returns what stands in a cell, or which cell covers it.
fn slot(cell: &Element) -> Slot {
    let is_on = |name: &str| matches!(cell.attribute(name), Some("1" | "true"));
    if is_on("hMerge") {
        Slot::Left
    } else if is_on("vMerge") {
        Slot::Above
    } else {
        Slot::Own(cell.child("txBody").map(words::line).unwrap_or_default())
    }
}

fn write_notes(notes: &Element, text: &mut Writer) {
    let Some(tree) = notes.child("cSld").and_then(|it| it.child("spTree")) else { return };
    let shapes = shapes::all(tree, &Layout::default());
    let notes: Vec<&Shape> =
        shapes.iter().filter(|it| it.holds("body") && !it.said().is_empty()).collect();
    if !notes.is_empty() {
        text.heading(3, "Notes");
    }
    for body in notes.iter().filter_map(|it| it.element.child("txBody")) {
        words::write(body, &words::Styles::default(), text);
    }
}

/// Returns the names of those who wrote comments, by their identifiers.
fn load_authors(
    archive: &mut Archive,
    relations: &Relations,
) -> Result<HashMap<String, String>, Fault> {
    let mut found = HashMap::new();
    for kind in ["commentAuthors", "authors"] {
        let Some(name) = relations.first(kind) else { continue };
        let Some(list) = part(archive, name, PPTX)? else { continue };
        for author in list.elements() {
            let named = author.attribute("id").zip(author.attribute("name"));
            found.extend(named.map(|(id, name)| (id.to_owned(), name.to_owned())));
        }
    }
    Ok(found)
}

fn write_comments(
    archive: &mut Archive,
    relations: &Relations,
    authors: &HashMap<String, String>,
    text: &mut Writer,
) -> Result<(), Fault> {
    let mut found = Vec::new();
    for name in relations.all("comments") {
        let Some(list) = part(archive, name, PPTX)? else { continue };
        for one in list.elements() {
            let replies = one.child("replyLst").into_iter().flat_map(Element::elements);
            for said in std::iter::once(one).chain(replies) {
                let words = match (said.child("text"), said.child("txBody")) {
                    (Some(plain), _) => tidy(&plain.text()),
                    (None, Some(rich)) => words::line(rich),
                    (None, None) => continue,
                };
                let author = said.attribute("authorId").and_then(|id| authors.get(id));
                found.push(comment(author.map_or("", String::as_str), &words));
            }
        }
    }
    found.retain(|words| !words.is_empty());
    if !found.is_empty() {
        text.heading(3, "Comments");
    }
    for words in found {
        text.paragraph(&words);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
