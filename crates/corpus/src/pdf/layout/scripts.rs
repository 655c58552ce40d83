//! What is raised or lowered beside other text keeps its meaning on one line: `10⁶`, `Smith¹`, `1/2`.

use formats::{Script, Scripts};

use super::direction::is_from_right;
use super::lines::Line;

/// The largest size of raised or lowered text, in sizes of the text beside it.
const SMALL: f64 = 0.9;
/// How far text is raised or lowered, in sizes of the text beside it.
const RAISED: std::ops::Range<f64> = 0.15..0.75;
const LOWERED: std::ops::Range<f64> = 0.06..0.45;
/// How far letters are raised that are no part of a drawn name (`LaTeX`).
const LETTERS: f64 = 0.25;
/// How far the parts of a fraction are.
const NUMERATOR: f64 = 0.33;
const DENOMINATOR: f64 = 0.27;
/// The widest gap before raised text that belongs to what is before it, in sizes of that.
const GAP: f64 = 0.25;
/// The longest raised or lowered text, in characters.
const CHARACTERS: usize = 40;
/// The most stretches of a line.
const STRETCHES: usize = 2_000;
/// The part of a line's characters that its text has at least.
const TEXT: f64 = 0.15;

/// A stretch of a line in one size and on one baseline.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// Where it begins, in bytes of the text.
    start: usize,
    size: f64,
    down: f64,
    left: f64,
    right: f64,
    glyphs: usize,
}

/// Adds a glyph to the stretches of a line.
pub(super) fn stretch(
    found: &mut Vec<Stretch>,
    start: usize,
    size: f64,
    down: f64,
    (left, right): (f64, f64),
) {
    if let Some(last) = found.last_mut() {
        let alike =
            (last.size - size).abs() <= 0.04 * size && (last.down - down).abs() <= 0.04 * size;
        if alike || found.len() >= STRETCHES {
            let last = found.len() - 1;
            found[last].right = right;
            found[last].glyphs += 1;
            return;
        }
    }
    found.push(Stretch { start, size, down, left, right, glyphs: 1 });
}

/// How a stretch stands to the text of its line.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Line,
    Raised,
    Lowered,
    /// The upper and the lower part of a fraction.
    Upper,
    Lower,
}

impl Line {
    /// Writes what is raised or lowered as plain text that keeps its meaning.
    pub(super) fn write_scripts(&mut self) {
        if self.stretches.len() < 2 || is_from_right(&self.text) {
            return;
        }
        let Some(text) = find_text(&self.stretches) else { return };
        let ends: Vec<usize> =
            self.stretches.iter().skip(1).map(|it| it.start).chain([self.text.len()]).collect();
        let mut places: Vec<Place> = self
            .stretches
            .iter()
            .zip(&ends)
            .map(|(it, end)| place(it, &text, self.text.get(it.start..*end).unwrap_or_default()))
            .collect();
        if places.iter().all(|place| *place == Place::Line) {
            return;
        }
        find_fractions(&self.stretches, &mut places, text.size);
        let old = std::mem::take(&mut self.text);
        let mut moved: Vec<(usize, usize)> = Vec::with_capacity(places.len());
        let mut scripts = Scripts::default();
        let mut right = f64::NEG_INFINITY;
        for ((it, end), place) in self.stretches.iter().zip(&ends).zip(&places) {
            let words = old.get(it.start..*end).unwrap_or_default();
            // A fraction that is drawn on the line: `3¹/₂`.
            let over = *place == Place::Raised
                && words.trim().bytes().all(|byte| byte.is_ascii_digit())
                && old.get(*end..).is_some_and(|rest| rest.starts_with(['/', '⁄', '∕']));
            scripts.end(&mut self.text, if *place == Place::Line { words } else { "" });
            if *place == Place::Raised && !over && it.left - right < GAP * text.size {
                self.text.truncate(self.text.trim_end().len());
            }
            right = it.right;
            if (over || *place == Place::Upper) && self.text.ends_with(char::is_alphanumeric) {
                self.text.push(' ');
            }
            moved.push((it.start, self.text.len()));
            match place {
                Place::Raised if !over => raise(words, &mut scripts, &mut self.text),
                Place::Lowered => {
                    scripts.set(Script::Sub, &mut self.text);
                    self.text.push_str(words);
                }
                Place::Upper => push_part(&mut self.text, words.trim()),
                Place::Lower => {
                    self.text.push('/');
                    push_part(&mut self.text, words.trim_end());
                    if words.ends_with(' ') {
                        self.text.push(' ');
                    }
                }
                Place::Line | Place::Raised => self.text.push_str(words),
            }
        }
        scripts.set(Script::Line, &mut self.text);
        let now = |at: usize| {
            let index = moved.partition_point(|(old, _)| *old <= at);
            let (old, new) = index.checked_sub(1).map_or((0, 0), |index| moved[index]);
            let end = moved.get(index).map_or(self.text.len(), |(_, new)| *new);
            let mut at = (new + (at - old)).min(end);
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        self.cells.iter_mut().for_each(|cell| cell.start = now(cell.start));
        self.places.iter_mut().for_each(|(start, _)| *start = now(*start));
        self.joined.iter_mut().for_each(|(from, to)| (*from, *to) = (now(*from), now(*to)));
        self.stretches.clear();
    }
}

/// Returns the stretch beside which others are raised or lowered: the longest of the largest size that is no initial.
fn find_text(stretches: &[Stretch]) -> Option<Stretch> {
    let all: usize = stretches.iter().map(|it| it.glyphs).sum();
    let same = |it: &&Stretch, size: f64| (it.size - size).abs() <= 0.04 * size;
    let is_text = |size: f64| {
        let glyphs: usize = stretches.iter().filter(|it| same(it, size)).map(|it| it.glyphs).sum();
        glyphs as f64 >= TEXT * all as f64
    };
    let sizes = stretches.iter().map(|it| it.size).filter(|size| is_text(*size));
    let size = sizes.max_by(f64::total_cmp)?;
    stretches.iter().filter(|it| same(it, size)).max_by_key(|it| it.glyphs).copied()
}

fn place(it: &Stretch, text: &Stretch, words: &str) -> Place {
    let words = words.trim();
    if it.size > SMALL * text.size || words.is_empty() || words.chars().count() > CHARACTERS {
        return Place::Line;
    }
    let up = (text.down - it.down) / text.size;
    match up {
        up if up < LETTERS && words.chars().all(char::is_alphabetic) && up > 0.0 => Place::Line,
        up if RAISED.contains(&up) => Place::Raised,
        up if LOWERED.contains(&-up) => Place::Lowered,
        _ => Place::Line,
    }
}

/// Finds what is raised over something lowered, as far as the parts of fractions are.
fn find_fractions(stretches: &[Stretch], places: &mut [Place], size: f64) {
    for at in 1..places.len() {
        let (above, below) = (&stretches[at - 1], &stretches[at]);
        let stacked = places[at - 1] == Place::Raised
            && places[at] == Place::Lowered
            && below.left < f64::midpoint(above.left, above.right);
        // Between them lies the line of a fraction; two scripts of one letter are closer.
        if stacked && below.down - above.down >= (NUMERATOR + DENOMINATOR) * size {
            places[at - 1] = Place::Upper;
            places[at] = Place::Lower;
        }
    }
}

/// Adds a part of a fraction, in parentheses if it has several.
fn push_part(text: &mut String, part: &str) {
    let single = part.chars().all(char::is_alphanumeric);
    if single {
        text.push_str(part);
    } else {
        text.push('(');
        text.push_str(part);
        text.push(')');
    }
}

/// Adds raised words; the signs of notes among them stay as they are.
fn raise(words: &str, scripts: &mut Scripts, text: &mut String) {
    let is_sign = |c: char| matches!(c, '*' | '∗' | '†' | '‡' | '§' | '¶' | '#' | '⁎' | '✉');
    if !words.contains(is_sign) {
        scripts.set(Script::Super, text);
        text.push_str(words);
        return;
    }
    // `1,∗`: what stands beside the sign is a number of its own.
    for part in words.split_inclusive(is_sign) {
        let marks = part.trim_start_matches(',').trim_end_matches(|c| is_sign(c) || c == ',');
        let before = part.len() - part.trim_start_matches(',').len();
        text.push_str(&part[..before]);
        scripts.set(Script::Super, text);
        text.push_str(marks);
        scripts.set(Script::Line, text);
        text.push_str(&part[before + marks.len()..]);
    }
}
