//! An OpenDocument text becomes Markdown: headings, lists with their numbers, tables and notes; a presentation or drawing becomes a section
//! for each slide.
//!
//! Deleted and hidden text and tables of contents are left out; headers and footers stand once, after the text. Flat files (one XML) are read as well as those in a ZIP archive.

mod lists;
mod margins;
mod page;
mod slides;
mod styles;
mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::archive::Archive;
use crate::ooxml::{Budget, part};
use crate::writer::tidy;
use crate::xml::{Element, parse as parse_xml};
use crate::{Bounds, Fault, Parsed, Writer};

use page::Page;
use styles::Styles;
pub(crate) use styles::{line_through, script};

const ODT: &str = "OpenDocument file";
/// The most formulas and charts that are read from a file.
const OBJECTS: usize = 500;

/// Returns what an OpenDocument text, presentation or drawing says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut parts = Vec::new();
    let mut objects = HashMap::new();
    let mut is_cut = false;
    if bytes.starts_with(b"PK") {
        let mut archive = Archive::open(bytes, ODT, bounds)?;
        let manifest = part(&mut archive, "META-INF/manifest.xml", ODT)?;
        if manifest.is_some_and(|it| !it.all("encryption-data").is_empty()) {
            return Err(Fault::Encrypted { format: ODT.to_owned() });
        }
        parts.push(parse_xml(&archive.needed("content.xml")?, ODT)?);
        for name in ["styles.xml", "meta.xml"] {
            parts.extend(part(&mut archive, name, ODT)?);
        }
        let within = parts[0].all("object").into_iter().filter_map(|it| it.attribute("href"));
        let names: BTreeSet<String> = within.map(str::to_owned).collect();
        is_cut = names.len() > OBJECTS;
        let mut budget = Budget::new();
        for name in names.into_iter().take(OBJECTS) {
            let file = format!("{}/content.xml", name.trim_start_matches("./"));
            if let Some(object) = budget.part(&mut archive, &file, ODT)? {
                objects.insert(name, object);
            }
        }
    } else {
        parts.push(parse_xml(bytes, ODT)?);
    }
    let other = || Fault::NotReadYet { format: "this kind of OpenDocument file".to_owned() };
    let body = parts[0].child("body").ok_or_else(other)?;
    let styles = Styles::of(&parts);
    let (title, metadata) = about(&parts);
    let mut text = Writer::new(bounds.text_bytes);
    if is_cut {
        text.leave_out(format!("all formulas and charts after the first {OBJECTS}"));
    }
    let objects = objects.iter().map(|(name, part)| (name.as_str(), part)).collect();
    let mut page = Page::new(&styles, objects, text);
    let mut parsed = Parsed { title, metadata, ..Parsed::default() };
    if let Some(body) = body.child("text") {
        page.shift(body);
        page.blocks(body);
        margins::read(&parts).write(&mut page.text);
    } else if let Some(body) = body.child("presentation") {
        let first = slides::write(body, "Slide", &mut page, &mut parsed.pages);
        parsed.title = parsed.title.or(first);
    } else if let Some(body) = body.child("drawing") {
        slides::write(body, "Page", &mut page, &mut parsed.pages);
    } else {
        return Err(other());
    }
    parsed.metadata.extend(page.text.left_out());
    parsed.text = page.finish();
    let length = parsed.text.len();
    parsed.pages.retain(|start| *start <= length);
    Ok(parsed)
}

/// Returns the title and the metadata.
fn about(parts: &[Element]) -> (Option<String>, BTreeMap<String, String>) {
    let Some(meta) = parts.iter().find_map(|part| part.child("meta")) else {
        return (None, BTreeMap::new());
    };
    let said = |name: &str| {
        let values = meta.elements().filter(|it| &*it.name == name);
        let values: Vec<String> =
            values.map(|it| tidy(&it.text())).filter(|it| !it.is_empty()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    };
    let mut metadata = BTreeMap::new();
    let author = said("initial-creator").or_else(|| said("creator"));
    metadata.extend(author.map(|author| ("author".to_owned(), author)));
    let created = said("creation-date").or_else(|| said("date"));
    let created = created.and_then(|at| at.get(..10).map(str::to_owned));
    metadata.extend(created.map(|created| ("created".to_owned(), created)));
    for (key, name) in [("subject", "subject"), ("keywords", "keyword"), ("lang", "language")] {
        metadata.extend(said(name).map(|value| (key.to_owned(), value)));
    }
    (said("title"), metadata)
}

#[cfg(test)]
mod tests;
