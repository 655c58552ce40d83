//! Indents lines within brackets and quotation marks that the standard wants further in, and most programs do not.
//!
//! ```yaml
//! ports:
//!   web: {
//!   }
//! ```
//!
//! Blanks before such lines mean nothing, so more of them change no value.

use saphyr_parser::{Parser, ScanError};

/// How far a line is moved in.
const INDENT: usize = 200;
/// The most bytes that are read again to find the lines.
const MOST_READ: usize = 64 << 20;
/// The most bytes that are moved to make room for blanks.
const MOST_MOVED: usize = 1 << 30;

/// Returns the text with such lines indented, or `None` if it is refused for anything else.
pub(super) fn indented(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    let mut moved = 0;
    let (mut to_read, mut to_move) = (MOST_READ, MOST_MOVED);
    loop {
        let mut events = Parser::new_from_str(&text);
        let Some(refusal) = events.find_map(Result::err) else { return Some(text) };
        to_read = to_read.checked_sub(refusal.marker().index())?;
        let (first, last) = misplaced(&text, &refusal)?;
        // A line that was moved and is still refused has another fault.
        if last <= moved {
            return None;
        }
        for line in first..=last {
            to_move = to_move.checked_sub(text.len())?;
            let start = start_of_line(&text, line)?;
            text.insert_str(start, &" ".repeat(INDENT));
        }
        moved = last;
    }
}

/// Returns the first and the last line, counted from 1, that stand too far out.
fn misplaced(text: &str, refusal: &ScanError) -> Option<(usize, usize)> {
    let line = refusal.marker().line();
    match refusal.info() {
        "invalid indentation" | "invalid indentation in flow construct" => Some((line, line)),
        "invalid indentation in quoted scalar" => {
            let rest = text.get(start_of_line(text, line)?..)?;
            let (column, mark) = rest.char_indices().nth(refusal.marker().col())?;
            let inner = rest.get(column..)?.strip_prefix(['"', '\''])?;
            let breaks = inner.get(..closing(inner, mark)?)?.matches('\n').count();
            (breaks > 0).then_some((line + 1, line + breaks))
        }
        _ => None,
    }
}

/// Returns where the quotation mark stands that ends a text.
fn closing(inner: &str, mark: char) -> Option<usize> {
    let mut letters = inner.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if mark == '"' => drop(letters.next()),
            '\'' if mark == '\'' && letters.peek().is_some_and(|(_, next)| *next == '\'') => {
                letters.next();
            }
            letter if letter == mark => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns where a line begins, counted from 1.
fn start_of_line(text: &str, line: usize) -> Option<usize> {
    match line.checked_sub(2) {
        Some(before) => text.match_indices('\n').nth(before).map(|(at, _)| at + 1),
        None => Some(0),
    }
}
