//! Finds the blocks that are headings, by their size or their wording.

use std::collections::HashSet;

use super::block::Kind;
use super::paragraphs::Draft;
use crate::pdf::words::is_garbled_line;
use crate::plain;

/// The smallest ratio of a heading's size to the body's.
pub(super) const LARGE: f64 = 1.12;
/// The maximum length of a heading, in characters.
const HEADING_CHARACTERS: usize = 160;

/// The signs of a footnote at the end of a heading.
const NOTE_SIGNS: [char; 6] = ['∗', '*', '†', '‡', '¶', ' '];

/// Turns blocks in larger type, and lines that are numbered or in capitals, into headings.
pub(super) fn name_headings(found: &mut Vec<Draft>, body: f64) {
    join_title(found, body);
    let large = |draft: &Draft| {
        // A title may have a footnote.
        let text = draft.block.text.trim_end_matches(NOTE_SIGNS);
        matches!(draft.block.kind, Kind::Paragraph | Kind::Item)
            && draft.size >= LARGE * body
            && draft.lines <= 3
            && text.chars().count() <= HEADING_CHARACTERS
            && text.chars().filter(|c| c.is_alphabetic()).count() >= 3
            && !text.ends_with(['.', ',', ';', ':'])
            && !text.contains(['@', '{', '=', '∗', '†', '‡', '¶'])
            && !is_garbled_line(text)
    };
    let listed = runs_of_large(found, large);
    let large = |at: usize, draft: &Draft| large(draft) && !listed.contains(&at);
    let mut sizes: Vec<f64> =
        found.iter().enumerate().filter(|(at, it)| large(*at, it)).map(|(_, it)| it.size).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup_by(|a, b| (*a - *b).abs() <= 0.04 * *b);
    for at in 0..found.len() {
        let draft = &found[at];
        let text = draft.block.text.as_str();
        let level = if large(at, draft) {
            sizes.iter().position(|size| draft.size >= 0.96 * size).map(|index| index + 1)
        } else if draft.lines == 1
            && matches!(draft.block.kind, Kind::Paragraph | Kind::Item)
            && draft.size > 0.95 * body
            && text.chars().count() <= 80
            && !text.ends_with(['.', ',', ';', ':', '?', '!'])
            && !is_garbled_line(text)
        {
            let neighbour = |other: Option<&Draft>| {
                other.is_some_and(|it| plain::numbered(&it.block.text).is_some() && it.lines == 1)
            };
            let listed = neighbour(found.get(at + 1))
                || neighbour(at.checked_sub(1).and_then(|at| found.get(at)));
            let numbered = plain::numbered(text).filter(|_| !listed);
            let words = found
                .get(at + 1)
                .is_some_and(|next| next.block.text.split_whitespace().count() > 8);
            let capitals = (words && plain::capitals(text)).then_some(1);
            numbered.or(capitals).map(|level| level + usize::from(!sizes.is_empty()))
        } else {
            None
        };
        if let Some(level) = level {
            let block = &mut found[at].block;
            block.kind = Kind::Heading(level.min(6));
            block.text.truncate(block.text.trim_end_matches(NOTE_SIGNS).len());
        }
    }
}

/// Returns the blocks in long runs of large ones with nothing between: the words of a drawing, not headings.
fn runs_of_large(found: &[Draft], large: impl Fn(&Draft) -> bool) -> HashSet<usize> {
    /// The most headings in a row.
    const IN_A_ROW: usize = 3;
    let mut listed = HashSet::new();
    let mut start = 0;
    for run in found.chunk_by(|a, b| large(a) == large(b)) {
        let end = start + run.len();
        if run.len() > IN_A_ROW && large(&run[0]) {
            // A document opens with its title, authors and date, and its first heading.
            let drawn = if start == 0 { 1..end - 1 } else { start..end };
            listed.extend(drawn);
        }
        start = end;
    }
    listed
}

/// Joins a title whose lines stand far apart into one block.
fn join_title(found: &mut Vec<Draft>, body: f64) {
    let Some(first) = found.first().filter(|first| first.size >= 1.3 * body) else { return };
    let (size, page) = (first.size, first.block.page);
    let same = |it: &Draft| {
        (it.size - size).abs() <= 0.02 * size
            && it.block.page == page
            && it.lines == 1
            && plain::numbered(&it.block.text).is_none()
            && matches!(it.block.kind, Kind::Paragraph)
    };
    let lines = found.iter().take_while(|it| same(it)).count();
    let words: Vec<String> = found.iter().take(lines).map(|it| it.block.text.clone()).collect();
    if (2..=3).contains(&lines) {
        found.drain(1..lines);
        if let Some(first) = found.first_mut() {
            first.block.text = words.join(" ");
            first.lines = lines;
        }
    }
}
