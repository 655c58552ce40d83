//! What readers wrote onto a page: comments, marks with words to them, and text put over the page.

use pdf_extract::{Document, ObjectId};

use super::objects::{annotations, flags, name, text_of, value_text};
use crate::document::one_line;

/// The most notes that are read from one page.
const NOTES: usize = 2_000;

/// Returns the words of the annotations of a page, in file order.
pub(super) fn on_page(file: &Document, page: ObjectId) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, note) in annotations(file, page) {
        // Hidden, or not shown on the screen.
        if found.len() >= NOTES || flags(file, note, b"F") & 0b10_0010 != 0 {
            continue;
        }
        let Some(kind) = name(file, note, b"Subtype") else { continue };
        let contents = note.get_deref(b"Contents", file).ok().and_then(|it| value_text(file, it));
        let Some(words) = contents.map(|it| one_line(&it)).filter(|it| !it.is_empty()) else {
            continue;
        };
        let author = note.get_deref(b"T", file).ok().and_then(text_of).map(|it| one_line(&it));
        let author = author.filter(|author| !author.is_empty());
        let about = match kind {
            b"Widget" | b"Link" | b"Popup" | b"Screen" | b"PrinterMark" | b"TrapNet"
            | b"Watermark" | b"Sound" | b"Movie" | b"3D" | b"RichMedia" => continue,
            b"FreeText" => None,
            b"Highlight" | b"Underline" | b"Squiggly" => Some("Comment on marked text"),
            b"StrikeOut" => Some("Comment on text struck out"),
            b"FileAttachment" => Some("Attached file"),
            _ => Some("Comment"),
        };
        let said = match (about, author) {
            (None, _) => words,
            (Some(about), None) => format!("{about}: {words}"),
            (Some(about), Some(author)) => format!("{about} by {author}: {words}"),
        };
        // Programs write the same contents into a mark and into the note beside it.
        if found.last() != Some(&said) {
            found.push(said);
        }
    }
    found
}
