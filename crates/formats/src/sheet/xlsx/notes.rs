//! Notes and comments on the cells of a sheet, and the words of what is drawn on it.

use std::collections::HashSet;

use super::super::grid::Note;
use super::{LAST_ROW, MOST_AREAS, Relation, XLSX, is_true, place, related};
use crate::Fault;
use crate::archive::Archive;
use crate::xml::{Element, parse as parse_xml};

/// The notes and threaded comments on the cells of a sheet.
pub(super) fn notes(archive: &mut Archive, sheet: &str) -> Result<Vec<Note>, Fault> {
    let mut found: Vec<Note> = Vec::new();
    let mut threaded: HashSet<(usize, usize)> = HashSet::new();
    let parts = related(archive, sheet)?;
    let mut kinds: Vec<&Relation> = parts
        .values()
        .filter(|it| it.kind.ends_with("omments") || it.kind.ends_with("omment"))
        .collect();
    // Threaded comments have a copy among the notes for older programs.
    kinds.sort_by_key(|it| it.kind != "threadedComment");
    for relation in kinds {
        let Some(bytes) = archive.file(&relation.target)? else { continue };
        let Ok(part) = parse_xml(&bytes, XLSX) else { continue };
        let is_threaded = relation.kind == "threadedComment";
        let name = if is_threaded { "threadedComment" } else { "comment" };
        for comment in part.all(name).into_iter().take(MOST_AREAS) {
            let Some((row, column)) = comment.attribute("ref").and_then(place) else { continue };
            if is_threaded {
                threaded.insert((row, column));
            } else if threaded.contains(&(row, column)) {
                continue;
            }
            let text = comment.child("text").map(words).unwrap_or_default();
            if !text.trim().is_empty() {
                found.push(Note { label: "Note on", row, column, text });
            }
        }
    }
    for relation in parts.values().filter(|it| it.kind == "drawing") {
        let Some(bytes) = archive.file(&relation.target)? else { continue };
        let Ok(part) = parse_xml(&bytes, XLSX) else { continue };
        found.extend(part.elements().take(MOST_AREAS).flat_map(drawn));
    }
    found.sort_by_key(|note| (note.row, note.column));
    Ok(found)
}

/// Returns the words of text boxes and the descriptions of pictures that are anchored at one place.
fn drawn(anchor: &Element) -> Vec<Note> {
    let from = anchor.child("from");
    let at = |name: &str| {
        let number =
            from.and_then(|from| from.child(name)).and_then(|it| it.text().trim().parse().ok());
        number.unwrap_or(0_usize).min(LAST_ROW - 1)
    };
    let (row, column) = (at("row") + 1, at("col"));
    let mut notes = Vec::new();
    for body in anchor.all("txBody") {
        let lines: Vec<String> = body.elements().filter(|it| &*it.name == "p").map(words).collect();
        notes.push(Note { label: "Text at", row, column, text: lines.join(" ") });
    }
    for properties in anchor.all("cNvPr") {
        let text = properties.attribute("descr").unwrap_or_default().to_owned();
        let is_hidden = properties.attribute("hidden").is_some_and(is_true);
        if !is_hidden {
            notes.push(Note { label: "Picture at", row, column, text });
        }
    }
    notes.retain(|note| !note.text.trim().is_empty());
    notes
}

/// Returns the text of an element without the readings of its characters.
fn words(element: &Element) -> String {
    let runs = element.all("t").into_iter();
    let text: String = runs.map(Element::text).collect();
    if text.is_empty() { element.text() } else { text }
}
