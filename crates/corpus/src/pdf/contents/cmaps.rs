//! The table that says which characters the codes of a font stand for is written anew, within bounds.
//!
//! `pdf-extract` writes out every code of a range, so that one damaged number takes all memory, and gives up at what it does not expect.

use std::fmt::Write;

use super::tokens::{Token, Tokens, unhex};

/// The most codes in a table.
const CODES: usize = 1 << 17;
/// The most characters that one code stands for.
const CHARACTERS: usize = 64;

/// A run of codes, and the characters that the first stands for; each further code stands for the next.
struct Run {
    first: u32,
    last: u32,
    to: Vec<u16>,
}

/// Returns the table with each range as long as it may be, in the form that the engine reads.
pub(super) fn tamed(table: &[u8]) -> Vec<u8> {
    let mut written = String::from("begincmap\n");
    let mut left = CODES;
    for run in runs(table) {
        let count = (run.last - run.first) as usize + 1;
        if count > left || String::from_utf16(&run.to).is_err() {
            continue;
        }
        left -= count;
        let Run { first, last, to } = run;
        // The engine knows ranges of one unit; all else is written code by code.
        if count > 1 && to.len() == 1 {
            let _ = writeln!(
                written,
                "1 beginbfrange <{first:08x}> <{last:08x}> <{:04x}> endbfrange",
                to[0]
            );
            continue;
        }
        for (code, ahead) in (first..=last).zip(0..) {
            let mut to = to.clone();
            let Some(unit) =
                to.last_mut().and_then(|unit| unit.checked_add(ahead).map(|it| (unit, it)))
            else {
                break;
            };
            *unit.0 = unit.1;
            if String::from_utf16(&to).is_err() {
                break;
            }
            let to: String = to.iter().map(|unit| format!("{unit:04x}")).collect();
            let _ = writeln!(written, "1 beginbfchar <{code:08x}> <{to}> endbfchar");
        }
    }
    written.push_str("endcmap\n");
    written.into_bytes()
}

fn runs(table: &[u8]) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut listed: Option<u32> = None;
    let mut mode: &[u8] = b"";
    for token in Tokens::of(table) {
        match token {
            Token::Word(word) => {
                mode = word;
                waiting.clear();
                listed = None;
            }
            Token::Open if waiting.len() == 2 => listed = Some(code(&waiting[0])),
            Token::Close => {
                listed = None;
                waiting.clear();
            }
            Token::Hex(digits) if mode == b"beginbfrange" || mode == b"beginbfchar" => {
                let bytes = unhex(digits);
                if let Some(first) = listed {
                    let last = code(&waiting[1]);
                    found.extend(run(first, first, &bytes).filter(|_| first <= last));
                    listed = first.checked_add(1);
                    continue;
                }
                waiting.push(bytes);
                match (mode, waiting.as_slice()) {
                    (b"beginbfchar", [from, to]) => {
                        let from = code(from);
                        found.extend(run(from, from, to));
                        waiting.clear();
                    }
                    (b"beginbfrange", [from, until, to]) => {
                        found.extend(run(code(from), code(until), to));
                        waiting.clear();
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

fn run(first: u32, last: u32, to: &[u8]) -> Option<Run> {
    let mut units: Vec<u16> = match to {
        [one] => vec![u16::from(*one)],
        to => to.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    };
    units.truncate(CHARACTERS);
    let left = u16::MAX - *units.last()?;
    let last = last.min(first.saturating_add(u32::from(left)));
    (first <= last).then_some(Run { first, last, to: units })
}

fn code(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte))
}
