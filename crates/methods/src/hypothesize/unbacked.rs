//! Sentences that name a source which no citation stands for.
//!
//! Agents write free text beside their citations, and a model that has no source makes one up. A sentence with a reference mark is
//! checked elsewhere; one that names an author and year, an identifier or an address instead is marked here, so that nobody takes it
//! for a citation. So is one with what looks like a reference mark and is none: `[evidence 1]`, `(1, 2)` at its end, `bees¹`.
//! Both are found by their form alone. A name without a year ("Darwin held that") passes: to tell it from an instrument or a species
//! takes knowledge of both.

mod identifiers;
mod lookalikes;
mod rules;
mod words;

use run::marks::marks;

use super::summa::pieces;

/// What the program puts behind what nothing bears out.
pub(super) const UNSUPPORTED: &str = " [unsupported]";

/// Tells whether `sentence` names a source: an author with a year, an identifier, an address, a volume and page, or somebody's study.
pub(crate) fn names_a_source(sentence: &str) -> bool {
    let words = words::words(sentence);
    (0..words.len()).any(|at| rules::ALL.iter().any(|rule| rule(&words, at)))
}

/// Returns `text` with ` [unsupported]` behind each sentence that names a source, or holds what looks like a reference mark, and carries
/// no reference mark; and how many those were.
///
/// A sentence that has the word already is left alone, so marking twice is marking once.
pub(super) fn marked(text: &str) -> (String, u32) {
    let mut page = String::with_capacity(text.len());
    let (mut from, mut count) = (0, 0);
    let mut alike = lookalikes::found(text).into_iter().peekable();
    for piece in pieces(text) {
        let mut looks_like_one = false;
        // One that a full stop within it cuts in two belongs to where it ends.
        while let Some(one) = alike.next_if(|one| one.span.end <= piece.end) {
            looks_like_one |= one.span.end > piece.start && one.counts(text, piece.end);
        }
        let sentence = text.get(piece.clone()).unwrap_or_default();
        if sentence.contains(UNSUPPORTED.trim_start()) || is_marked(sentence) {
            continue;
        }
        if !looks_like_one && !names_a_source(sentence) {
            continue;
        }
        page.push_str(text.get(from..piece.end).unwrap_or_default());
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
        .any(|mark| !sentence.get(mark.span.end..).is_some_and(|rest| rest.starts_with('(')))
}

#[cfg(test)]
mod tests;
