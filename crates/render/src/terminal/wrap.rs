//! Breaking pieces into lines.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::piece::{Piece, Row, Rows, row_width};

/// A word in one or several styles.
struct Word {
    /// The space before it, if there is one.
    space: Option<Piece>,
    pieces: Row,
}

/// Breaks pieces at their spaces and kept line breaks. A word that is too long is broken within, unless it is a link, which stands on a
/// line of its own.
pub(super) fn wrap(pieces: &[Piece], width: usize) -> Rows {
    let mut rows = Rows::new();
    for part in pieces.split(|piece| piece.text == "\n") {
        let mut row = Row::new();
        for Word { space, pieces } in words(part) {
            let (taken, broad) = (row_width(&row), row_width(&pieces));
            let gap = usize::from(space.is_some());
            if taken > 0 && taken + gap + broad > width {
                rows.push(std::mem::take(&mut row));
            }
            // No line begins with a space.
            row.extend(space.filter(|_| !row.is_empty()));
            if row.is_empty() && broad > width && pieces.iter().all(|piece| piece.link.is_none()) {
                let mut broken = break_within(pieces, width);
                row = broken.pop().unwrap_or_default();
                rows.extend(broken);
            } else {
                row.extend(pieces);
            }
        }
        if !row.is_empty() {
            rows.push(row);
        }
    }
    rows
}

/// Returns the words of pieces; what stands together without a space is one word, whatever its styles.
fn words(pieces: &[Piece]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut space: Option<Piece> = None;
    for piece in pieces {
        // A link is one word, whatever is in it.
        if piece.link.is_some() {
            add(&mut words, space.take(), piece.clone());
            continue;
        }
        for part in piece.text.split_inclusive(char::is_whitespace) {
            let text = part.trim_end();
            if !text.is_empty() {
                let piece = Piece { text: text.to_owned(), ..piece.clone() };
                add(&mut words, space.take(), piece);
            }
            if text.len() < part.len() && space.is_none() {
                // A space between two styles has neither.
                let last = words.last().and_then(|word| word.pieces.last());
                let is_within = last.is_some_and(|last| last.style == piece.style);
                let style = if is_within { piece.style } else { Style::new() };
                space = Some(Piece { text: " ".into(), style, link: None });
            }
        }
    }
    words
}

fn add(words: &mut Vec<Word>, space: Option<Piece>, piece: Piece) {
    match (space, words.last_mut()) {
        (None, Some(word)) => word.pieces.push(piece),
        (space, _) => words.push(Word { space, pieces: vec![piece] }),
    }
}

/// Breaks a word that is broader than a line.
fn break_within(word: Row, width: usize) -> Rows {
    let mut rows = vec![Row::new()];
    let mut taken = 0;
    for piece in word {
        let mut text = String::new();
        for c in piece.text.chars() {
            let broad = c.width().unwrap_or_default();
            if taken + broad > width && taken > 0 {
                let begun = Piece { text: std::mem::take(&mut text), ..piece.clone() };
                if let Some(row) = rows.last_mut().filter(|_| begun.text.width() > 0) {
                    row.push(begun);
                }
                rows.push(Row::new());
                taken = 0;
            }
            text.push(c);
            taken += broad;
        }
        if let Some(row) = rows.last_mut() {
            row.push(Piece { text, ..piece });
        }
    }
    rows
}
