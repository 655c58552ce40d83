//! Breaking pieces into lines.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::piece::{Piece, Row, Rows, row_width};

/// Breaks pieces at their spaces and kept line breaks. A word that is too long is broken within, unless it is a link, which stands on a
/// line of its own.
pub(super) fn wrap(pieces: &[Piece], width: usize) -> Rows {
    let mut rows = Rows::new();
    for part in pieces.split(|piece| piece.text == "\n") {
        let mut row = Row::new();
        let mut taken = 0;
        for word in words(part) {
            let (gap, long) = match word.first() {
                Some(first) if taken > 0 && first.text == " " => (1, row_width(&word) - 1),
                _ => (0, row_width(&word)),
            };
            let word = if gap > 0 || word.first().is_none_or(|first| first.text != " ") {
                word
            } else {
                word.into_iter().skip(1).collect()
            };
            if taken > 0 && taken + gap + long > width {
                rows.push(std::mem::take(&mut row));
                taken = 0;
            }
            let bare =
                if taken == 0 && gap > 0 { word.into_iter().skip(1).collect() } else { word };
            if taken == 0 && long > width && bare.iter().all(|piece| piece.link.is_none()) {
                let mut broken = break_within(bare, width);
                row = broken.pop().unwrap_or_default();
                rows.extend(broken);
            } else {
                row.extend(bare);
            }
            taken = row_width(&row);
        }
        if !row.is_empty() {
            rows.push(row);
        }
    }
    rows
}

/// Returns the words of pieces; a word that follows a space begins with the piece `" "`.
fn words(pieces: &[Piece]) -> Vec<Row> {
    let mut words: Vec<Row> = Vec::new();
    let mut word = Row::new();
    let mut space: Option<Piece> = None;
    for piece in pieces {
        // A link is one word, whatever is in it.
        if piece.link.is_some() {
            if let Some(space) = space.take() {
                finish(&mut words, &mut word);
                word.push(space);
            }
            word.push(piece.clone());
            continue;
        }
        for part in piece.text.split_inclusive(char::is_whitespace) {
            let text = part.trim_end();
            if !text.is_empty() {
                if let Some(space) = space.take() {
                    finish(&mut words, &mut word);
                    word.push(space);
                }
                word.push(Piece { text: text.to_owned(), ..piece.clone() });
            }
            if text.len() < part.len() && space.is_none() {
                let is_within = word.last().is_some_and(|last| last.style == piece.style);
                let style = if is_within { piece.style } else { anstyle::Style::new() };
                space = Some(Piece { text: " ".into(), style, link: None });
            }
        }
    }
    finish(&mut words, &mut word);
    words
}

fn finish(words: &mut Vec<Row>, word: &mut Row) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
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
