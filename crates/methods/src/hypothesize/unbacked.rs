//! Sentences that name a source which no citation stands for.
//!
//! Agents write free text beside their citations, and a model that has no source makes one up. A sentence with a reference mark is
//! checked elsewhere; one that names an author and year, an identifier or an address instead is marked here, so that nobody takes it
//! for a citation.
//! It is found by its form alone. A name without a year ("Darwin held that") passes: to tell it from an instrument or a species
//! takes knowledge of both.

mod identifiers;
mod rules;
mod words;

use super::summa::{UNSUPPORTED, marks, pieces};

/// Tells whether `sentence` names a source: an author with a year, an identifier, an address, a volume and page, or somebody's study.
pub fn names_a_source(sentence: &str) -> bool {
    let words = words::words(sentence);
    (0..words.len()).any(|at| rules::ALL.iter().any(|rule| rule(&words, at)))
}

/// Returns `text` with ` [unsupported]` behind each sentence that names a source and carries no reference mark, and how many those were.
///
/// A sentence that has the word already is left alone, so marking twice is marking once.
pub fn marked(text: &str) -> (String, u32) {
    let mut page = String::with_capacity(text.len());
    let (mut from, mut count) = (0, 0);
    for piece in pieces(text) {
        let sentence = text.get(piece.clone()).unwrap_or_default();
        if sentence.contains(UNSUPPORTED) || is_marked(sentence) || !names_a_source(sentence) {
            continue;
        }
        page.push_str(text.get(from..piece.end).unwrap_or_default());
        page.push(' ');
        page.push_str(UNSUPPORTED);
        from = piece.end;
        count += 1;
    }
    page.push_str(text.get(from..).unwrap_or_default());
    (page, count)
}

/// Tells whether a reference mark stands in `sentence` that is not the text of a link.
fn is_marked(sentence: &str) -> bool {
    marks(sentence)
        .iter()
        .any(|(span, _)| !sentence.get(span.end..).is_some_and(|rest| rest.starts_with('(')))
}

#[cfg(test)]
mod tests;
