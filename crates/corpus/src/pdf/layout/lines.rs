//! Glyphs on one baseline are a line of text, split into cells by wide gaps.

use std::collections::HashMap;

use super::direction::is_from_right;
use super::rules::Rules;
use super::scripts::{Stretch, stretch};

/// One or a few characters and their position.
pub(in crate::pdf) struct Glyph<'a> {
    pub(in crate::pdf) text: &'a str,
    pub(in crate::pdf) x: f64,
    pub(in crate::pdf) y: f64,
    /// The direction of writing, of any length.
    pub(in crate::pdf) along: (f64, f64),
    /// The size of the font, in the page's own units.
    pub(in crate::pdf) size: f64,
    /// The distance from the start of this glyph to the start of the next.
    pub(in crate::pdf) advance: f64,
}

/// Glyphs on one baseline, in file order.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// Where each cell begins and ends, in bytes of the text and along the line. Wide gaps separate cells.
    pub(super) cells: Vec<Cell>,
    pub(super) along: (f64, f64),
    pub(super) left: f64,
    pub(super) right: f64,
    /// The distance of the baseline from the origin, growing downwards.
    pub(super) down: f64,
    pub(super) size: f64,
    /// Where each word begins, in bytes of the text and along the line.
    pub(super) places: Vec<(usize, f64)>,
    /// Where the letters stand that one sign stands for.
    pub(super) joined: Vec<(usize, usize)>,
    /// How many more of its letters that are read from the right were drawn from the left than the other way.
    pub(super) drawn_from_left: i32,
    /// Whether it holds the value of a form field.
    pub(super) filled: bool,
    /// Whether the file itself says that it is a header or a footer.
    pub(super) at_edge: bool,
    /// Where its size or its baseline changes.
    pub(super) stretches: Vec<Stretch>,
    /// The number of characters of each size, to find the most common one.
    sizes: Vec<(f64, usize)>,
    /// Where the last glyph ends, including white space.
    end: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) left: f64,
    pub(super) right: f64,
}

/// The lines of a page.
#[derive(Debug)]
pub(in crate::pdf) struct PageLines {
    pub(in crate::pdf) number: u32,
    pub(super) lines: Vec<Line>,
    pub(super) rules: Rules,
    at_word: bool,
    /// How many marks are open that say that text stands at the edge of all pages.
    at_edge: usize,
}

/// The smallest gap between words, in font sizes.
const WORD_GAP: f64 = 0.1;
/// The smallest gap between the cells of a table, in font sizes.
const CELL_GAP: f64 = 1.0;

impl PageLines {
    pub(in crate::pdf) fn new(number: u32) -> Self {
        Self { number, lines: Vec::new(), rules: Rules::default(), at_word: true, at_edge: 0 }
    }

    pub(in crate::pdf) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }

    /// Returns the text of all lines.
    pub(in crate::pdf) fn words(&self) -> String {
        self.lines.iter().map(|line| line.words()).collect::<Vec<_>>().join("\n")
    }

    pub(in crate::pdf) fn clear(&mut self) {
        self.lines.clear();
    }

    pub(in crate::pdf) fn begin_word(&mut self) {
        self.at_word = true;
    }

    /// Begins or ends what the file itself says is a header or a footer.
    pub(in crate::pdf) fn at_edge(&mut self, begins: bool) {
        self.at_edge = if begins { self.at_edge + 1 } else { self.at_edge.saturating_sub(1) };
    }

    pub(in crate::pdf) fn add(&mut self, glyph: &Glyph) {
        let at_word = std::mem::replace(&mut self.at_word, false);
        let length = glyph.along.0.hypot(glyph.along.1);
        let (dx, dy) = (glyph.along.0 / length, glyph.along.1 / length);
        let at = glyph.x * dx + glyph.y * dy;
        let down = glyph.x * dy - glyph.y * dx;
        let measured = [at, down, glyph.size, glyph.advance].iter().all(|value| value.is_finite());
        if !measured {
            return;
        }
        let at_edge = self.at_edge > 0;
        let follows = self.lines.last().is_some_and(|line| {
            line.at_edge == at_edge && line.takes(at, down, glyph.size, (dx, dy))
        });
        if !follows {
            self.lines.push(Line {
                text: String::new(),
                cells: Vec::new(),
                along: (dx, dy),
                left: at,
                right: at,
                down,
                size: glyph.size,
                places: Vec::new(),
                joined: Vec::new(),
                drawn_from_left: 0,
                filled: false,
                at_edge,
                stretches: Vec::new(),
                sizes: Vec::new(),
                end: at,
            });
        }
        if let Some(line) = self.lines.last_mut() {
            line.add(glyph, at, down, at_word);
        }
    }
}

impl Line {
    fn takes(&self, at: f64, down: f64, size: f64, (dx, dy): (f64, f64)) -> bool {
        let scale = size.max(self.size);
        let drop = (down - self.down).abs();
        let gap = at - self.end;
        let turned = self.along.0 * dx + self.along.1 * dy < 0.98;
        let near =
            drop <= 0.5 * scale || drop <= 0.9 * scale && (-0.1..2.0).contains(&(gap / scale));
        !turned && near && gap > -2.0 * scale
    }

    fn add(&mut self, glyph: &Glyph, at: f64, down: f64, at_word: bool) {
        let blank = glyph.text.chars().all(char::is_whitespace);
        // Points and accents stand on the letter before or after them.
        let mark = !self.text.is_empty() && glyph.text.chars().all(is_mark);
        if !blank && !mark {
            if self.text.is_empty() {
                self.left = at;
            }
            let gap = at - self.end;
            if at_word && gap > WORD_GAP * glyph.size {
                self.space();
            }
            if self.cells.is_empty() || at - self.right > CELL_GAP * glyph.size.max(self.size) {
                self.space();
                self.cells.push(Cell { start: self.text.len(), left: at, right: at });
            }
        }
        let before = self.text.len();
        if !blank && !mark && (before == 0 || self.text.ends_with(' ')) {
            self.places.push((before, at));
        }
        for c in glyph.text.chars() {
            match c {
                '\u{ad}' => self.text.push('-'),
                c if c.is_whitespace() => self.space(),
                c if c.is_control() || matches!(c, '\u{200b}' | '\u{feff}') => {}
                c => match ligature(c) {
                    Some(letters) => self.text.push_str(letters),
                    None => self.text.push(c),
                },
            }
        }
        if !glyph.text.is_ascii() && is_from_right(glyph.text) {
            if glyph.text.chars().nth(1).is_some() {
                self.joined.push((before, self.text.len()));
            }
            // The first letter of a line says nothing.
            if before > 0 && !mark {
                self.drawn_from_left += if at >= self.end - 0.5 * glyph.size { 1 } else { -1 };
            }
        }
        if mark {
            return;
        }
        self.end = at + glyph.advance;
        if blank || self.text.len() == before {
            return;
        }
        stretch(&mut self.stretches, before, glyph.size, down, (at, self.end));
        self.left = self.left.min(at);
        self.right = self.right.max(self.end);
        if let Some(cell) = self.cells.last_mut() {
            cell.right = cell.right.max(self.end);
        }
        if glyph.size > self.size * 1.1 {
            // What came before was superscript or subscript.
            self.down = down;
        }
        let alike = |(size, _): &(f64, usize)| (size - glyph.size).abs() < 0.05 * size;
        if let Some(at) = self.sizes.iter().position(alike) {
            self.sizes[at].1 += 1;
        } else if self.sizes.len() < 16 {
            self.sizes.push((glyph.size, 1));
        }
        let most = self.sizes.iter().max_by_key(|(_, count)| *count);
        self.size = most.map_or(self.size, |(size, _)| *size);
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    pub(super) fn words(&self) -> &str {
        self.text.trim()
    }

    /// Takes in a line that stands behind it on the same row.
    pub(super) fn absorb(&mut self, next: &Line) {
        self.space();
        let start = self.text.len();
        if next.text.len() > start {
            self.size = next.size;
        }
        self.text.push_str(&next.text);
        self.cells.extend(next.cells.iter().map(|it| Cell { start: it.start + start, ..*it }));
        self.places.extend(next.places.iter().map(|(at, left)| (at + start, *left)));
        self.joined.extend(next.joined.iter().map(|(from, to)| (from + start, to + start)));
        self.drawn_from_left += next.drawn_from_left;
        self.filled |= next.filled;
        self.right = self.right.max(next.right);
    }

    /// Returns whether it runs up or down the page.
    pub(super) fn is_turned(&self) -> bool {
        self.along.1.abs() > 0.9
    }

    /// Returns the words of the line and where along it each begins.
    pub(super) fn placed_words(&self) -> impl Iterator<Item = (f64, &str)> {
        let ends = self.places.iter().skip(1).map(|(start, _)| *start).chain([self.text.len()]);
        let parts = self.places.iter().zip(ends);
        let words = parts.map(|((start, left), end)| {
            (*left, self.text.get(*start..end).unwrap_or_default().trim())
        });
        words.filter(|(_, word)| !word.is_empty())
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => return None,
    })
}

/// Returns the size in which most of the document is set.
pub(super) fn body_size(pages: &[PageLines]) -> f64 {
    let mut sizes: HashMap<i64, usize> = HashMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        *sizes.entry((line.size * 4.0).round() as i64).or_default() += line.text.len();
    }
    let most = sizes.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map_or(0.0, |(size, _)| size as f64 / 4.0)
}

/// Returns the usual distance between two lines of a page, or `None` if there are too few.
pub(super) fn measure_leading(lines: &[Line]) -> Option<f64> {
    let mut drops: Vec<f64> = lines
        .windows(2)
        .filter(|pair| pair[1].left < pair[0].right && pair[0].left < pair[1].right)
        .map(|pair| (pair[1].down - pair[0].down, pair[0].size.max(pair[1].size)))
        .filter(|(drop, size)| (0.7..2.6).contains(&(drop / size)))
        .map(|(drop, _)| drop)
        .collect();
    drops.sort_by(f64::total_cmp);
    // The lower third: gaps between paragraphs are wider, never narrower.
    drops.get(drops.len() / 3).copied()
}

/// The gap between two lines that do not belong together, as a multiple of the leading.
pub(super) const APART: f64 = 1.25;
