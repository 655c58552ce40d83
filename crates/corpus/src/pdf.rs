//! A PDF becomes Markdown, and each of its pages knows where it begins.
//!
//! Two engines read it. `pdf-extract` gives the better text, as positioned glyphs from which [`layout`] makes paragraphs; it gets pages
//! that [`contents`] has written anew, within bounds and without what it does not know. `unpdf` reads more damaged files. The second is
//! used for the pages that the first cannot read, or where its text looks wrong compared with the other's. What of a damaged file cannot
//! be found is searched for by [`repair`], and both read the file that it puts together.

mod choose;
mod contents;
mod engine;
mod forms;
mod layout;
mod notes;
mod objects;
mod repair;
mod title;
mod words;
mod write;

use std::time::{Duration, Instant};

use formats::Format;

use crate::document::Document;
use crate::markdown;
use crate::read::{Limits, ReadError};
use choose::choose;
pub(crate) use engine::left_behind;
use engine::{Failure, First, Second};
pub(crate) use layout::join;

/// Returns the document in the bytes of a PDF.
pub(crate) fn read(bytes: &[u8], stem: &str, limits: &Limits) -> Result<Document, ReadError> {
    let found = extract(bytes, limits)?;
    let pages_missing = found.pages_missing;
    let repaired = found.repaired;
    let chosen = choose(found, limits)?;
    let written = write::markdown(&chosen.blocks, &chosen.pages);
    let known = chosen.title.or_else(|| title::opening(&chosen.blocks));
    let (title, sections, _) = markdown::outline(&written.text, known.as_deref(), stem);
    let mut metadata = chosen.metadata;
    metadata.insert("engine".to_owned(), chosen.engine.to_owned());
    if repaired || chosen.repaired {
        metadata.insert("repaired".to_owned(), "true".to_owned());
    }
    if chosen.late {
        metadata.insert("incomplete".to_owned(), "time".to_owned());
    }
    let counts = [
        ("pages_without_text", chosen.bare),
        ("pages_garbled", chosen.garbled),
        ("pages_missing", pages_missing),
    ];
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        metadata.insert(name.to_owned(), count.to_string());
    }
    Ok(Document {
        format: Format::Pdf,
        title,
        text: written.text,
        sections,
        pages: written.pages,
        metadata,
        work: None,
        inner: Vec::new(),
    })
}

/// What the engines found.
struct Found {
    first: Result<First, Failure>,
    second: Result<Second, Failure>,
    /// Whether they read what was put together from a damaged file.
    repaired: bool,
    /// How many pages the file says it has and does not hold.
    pages_missing: usize,
}

/// Reads the file with both engines, and once more when it is damaged.
fn extract(bytes: &[u8], limits: &Limits) -> Result<Found, ReadError> {
    let allowed = Duration::from_secs(limits.time_seconds.max(1));
    let started = Instant::now();
    let until = |share: f64| allowed.mul_f64(share).saturating_sub(started.elapsed());
    let first = engine::first(bytes, limits, until(0.5));
    if matches!(first, Err(Failure::Encrypted)) {
        return Err(ReadError::Encrypted { format: "PDF".to_owned() });
    }
    if first.as_ref().is_ok_and(|first| first.endless) {
        // The second engine would take all memory.
        let second = Err(Failure::Damaged);
        return Ok(Found { first, second, repaired: false, pages_missing: 0 });
    }
    let second = engine::second(bytes, limits, until(0.8));
    let mut found = Found { first, second, repaired: false, pages_missing: 0 };
    let damaged = matches!(found.first, Err(Failure::Damaged))
        || matches!(found.second, Err(Failure::Damaged))
        || found.first.as_ref().is_ok_and(|first| first.pages.is_empty())
        || found.second.as_ref().is_ok_and(|second| second.incomplete);
    let rebuilt = if damaged { repair::rebuild(bytes) } else { None };
    let Some(rebuilt) = rebuilt else { return Ok(found) };
    let first = engine::first(&rebuilt.bytes, limits, until(0.88));
    // The second engine breaks on some damage that the first one passes over.
    let whole = first.as_ref().is_ok_and(|first| {
        first.failed.is_empty() && first.pages.iter().any(|page| page.bytes() > 0)
    });
    let second = if whole || first.as_ref().is_ok_and(|first| first.endless) {
        Err(Failure::Damaged)
    } else {
        engine::second(&rebuilt.bytes, limits, until(0.96))
    };
    let words = |first: &First| first.pages.iter().map(|page| page.bytes()).sum::<usize>();
    let says = |second: &Second| second.blocks.iter().map(layout::Block::bytes).sum::<usize>();
    let more = |old: Option<usize>, new: Option<usize>| new.is_some() && new > old;
    if more(found.first.as_ref().ok().map(words), first.as_ref().ok().map(words)) {
        found.first = first;
        found.repaired = true;
    }
    if more(found.second.as_ref().ok().map(says), second.as_ref().ok().map(says)) {
        found.second = second;
        found.repaired = true;
    }
    found.pages_missing = rebuilt.pages_missing;
    Ok(found)
}

#[cfg(test)]
mod tests;
