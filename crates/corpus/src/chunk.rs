//! Sections become chunks: as many whole paragraphs as fit, then sentences, then words.
//!
//! A section is measured once, in consecutive pieces without gaps; a chunk is a run of pieces. So a chunk never crosses a section, and
//! the chunks of a section cover it exactly once.

use std::ops::Range;

use formats::Format;
use serde::{Deserialize, Serialize};
use text::{count_tokens, sentences};

use crate::document::{Document, trimmed};

/// The size of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkSize {
    /// The maximum number of tokens in a chunk, as [`text::count_tokens`] counts them.
    pub target_tokens: usize,
    /// A chunk of fewer tokens joins its neighbour in the same section or takes text from it, if there is one and the target allows.
    pub smallest_tokens: usize,
}

impl Default for ChunkSize {
    fn default() -> Self {
        Self { target_tokens: 220, smallest_tokens: 40 }
    }
}

/// A stretch of one section; the unit of indexing and retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The index of its section.
    pub section: usize,
    /// Where it begins, in bytes of the document's text.
    pub start: usize,
    /// Where it ends, in bytes of the document's text.
    pub end: usize,
    pub tokens: usize,
}

/// Returns the chunks of all sections of `document`, in order, without white space at their ends.
///
/// Paragraphs, lists, tables and code blocks stay whole if they fit.
pub fn chunk(document: &Document, size: &ChunkSize) -> Vec<Chunk> {
    let text = document.text.as_str();
    let target = size.target_tokens.max(1);
    let smallest = size.smallest_tokens.min(target / 2);
    let mut chunks = Vec::new();
    for (index, section) in document.sections.iter().enumerate() {
        let fenced = document.format != Format::Text;
        let blocks = split_section(text, section.start..section.end, fenced);
        let pieces = blocks.into_iter().map(|range| Piece::new(text, range, Some(fenced)));
        let runs = packed(text, pieces, target, smallest);
        chunks.extend(runs.into_iter().filter_map(|whole| {
            let Range { start, end } = trimmed(text, whole);
            let tokens = count_tokens(&text[start..end]);
            (start < end).then_some(Chunk { section: index, start, end, tokens })
        }));
    }
    chunks
}

/// A stretch of text that is kept whole if possible, with the white space after it.
#[derive(Clone)]
struct Piece {
    range: Range<usize>,
    tokens: usize,
    /// For a block, which can be cut further: whether it is Markdown. `None` for a smaller piece.
    block: Option<bool>,
}

impl Piece {
    fn new(text: &str, range: Range<usize>, block: Option<bool>) -> Self {
        Self { tokens: count_tokens(&text[range.clone()]), range, block }
    }

    /// Passes on the sentences of a block, or the lines of a table or code block, none larger than `target`. A block may have millions.
    fn finer(&self, text: &str, target: usize, mut each: impl FnMut(Self)) {
        let Some(markdown) = self.block else { return each(self.clone()) };
        let part = &text[self.range.clone()];
        let lines = markdown && part.trim_start().starts_with(['|', '`', '~']);
        let ends: Box<dyn Iterator<Item = usize>> = if lines {
            Box::new(part.split_inclusive('\n').scan(0, |at, line| {
                *at += line.len();
                Some(*at)
            }))
        } else {
            Box::new(sentences(part).into_iter().map(|sentence| sentence.end))
        };
        let mut start = self.range.start;
        // Cuts fall where a sentence ends, so that the marker of a list item stays with its item.
        for end in ends.map(|end| self.range.start + end).chain([self.range.end]) {
            let end = if text[end.min(self.range.end)..self.range.end].trim().is_empty() {
                self.range.end
            } else {
                end
            };
            if end <= start || !text.is_char_boundary(end) {
                continue;
            }
            let piece = Self::new(text, start..end, None);
            if piece.tokens <= target {
                each(piece);
            } else {
                by_words(text, start..end, target, &mut each);
            }
            start = end;
        }
    }
}

/// Cuts an oversized sentence between words, and an oversized word anywhere.
fn by_words(text: &str, range: Range<usize>, target: usize, each: &mut impl FnMut(Piece)) {
    let mut start = range.start;
    while start < range.end {
        let rest = &text[start..range.end];
        let mut end = nth(rest, target.saturating_mul(4));
        // Scripts without spaces have up to one token per character.
        while count_tokens(&rest[..end]) > target {
            let characters = rest[..end].chars().count();
            let fewer = characters * target / count_tokens(&rest[..end]);
            end = nth(rest, fewer.clamp(1, characters - 1));
        }
        if end < rest.len() && !rest[end..].starts_with(char::is_whitespace) {
            let space = rest[..end].rfind(char::is_whitespace).filter(|at| *at > end / 2);
            end = space.map_or(end, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        }
        each(Piece::new(text, start..start + end, None));
        start += end;
    }
}

/// Returns where the first `count` characters of `text` end.
fn nth(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Returns the blocks of a section, each with the white space after it; a fenced code block is one, blank lines and all.
fn split_section(text: &str, section: Range<usize>, fenced: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut start = section.start;
    let mut at = section.start;
    let mut ended = false;
    for line in text[section.clone()].split_inclusive('\n') {
        let words = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| fenced && words.starts_with(mark));
        if ended && !words.is_empty() || mark.is_some() && fence.is_none() && at > start {
            found.push(start..at);
            start = at;
        }
        ended = words.is_empty() && fence.is_none();
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                ended = true;
            }
            _ => {}
        }
        at += line.len();
    }
    found.push(start..section.end);
    found
}

/// Packs `pieces` into runs of at most `target` tokens, with few runs under `smallest`; returns where each one is.
fn packed(
    text: &str,
    pieces: impl Iterator<Item = Piece>,
    target: usize,
    smallest: usize,
) -> Vec<Range<usize>> {
    let mut runs = Runs { text, target, smallest, settled: Vec::new(), last: Vec::new() };
    let mut open: Vec<Piece> = Vec::new();
    let mut held = 0;
    for piece in pieces {
        if held + piece.tokens <= target {
            held += piece.tokens;
            open.push(piece);
            continue;
        }
        if held >= smallest && piece.tokens <= target {
            held = piece.tokens;
            runs.push(std::mem::replace(&mut open, vec![piece]));
            continue;
        }
        if held >= smallest && held > 0 {
            runs.push(std::mem::take(&mut open));
            held = 0;
        }
        piece.finer(text, target, |part| {
            if held + part.tokens > target && !open.is_empty() {
                runs.push(std::mem::take(&mut open));
                held = 0;
            }
            held += part.tokens;
            open.push(part);
        });
    }
    runs.push(open);
    runs.finish()
}

/// Runs of pieces: a run that is too small takes pieces from the one before it. Only the last one can still change.
struct Runs<'a> {
    text: &'a str,
    target: usize,
    smallest: usize,
    settled: Vec<Range<usize>>,
    last: Vec<Piece>,
}

impl Runs<'_> {
    fn push(&mut self, run: Vec<Piece>) {
        let (target, smallest) = (self.target, self.smallest);
        if self.last.is_empty() || total(&run) >= smallest {
            return self.follow(run);
        }
        if total(&self.last) + total(&run) <= target {
            self.last.extend(run);
            return;
        }
        let mut parts: Vec<Piece> = Vec::new();
        for piece in self.last.iter().chain(&run) {
            piece.finer(self.text, target, |part| parts.push(part));
        }
        let mut after = 0;
        let cut = parts.iter().rposition(|part| {
            after += part.tokens;
            after >= smallest
        });
        let cut = cut.filter(|cut| after <= target && total(&parts[..*cut]) >= smallest);
        match cut {
            Some(cut) if total(&parts[..cut]) <= target => {
                let tail = parts.split_off(cut);
                self.last = parts;
                self.follow(tail);
            }
            _ => self.follow(run),
        }
    }

    fn follow(&mut self, run: Vec<Piece>) {
        let last = std::mem::replace(&mut self.last, run);
        self.settled.extend(place(&last));
    }

    fn finish(mut self) -> Vec<Range<usize>> {
        self.settled.extend(place(&self.last));
        self.settled
    }
}

/// Returns where a run is, unless it is empty.
fn place(run: &[Piece]) -> Option<Range<usize>> {
    Some(run.first()?.range.start..run.last()?.range.end)
}

fn total(run: &[Piece]) -> usize {
    run.iter().map(|piece| piece.tokens).sum()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Instant;

    use super::*;
    use crate::{Limits, read};

    fn chunks(text: &str, target_tokens: usize, smallest_tokens: usize) -> Vec<String> {
        let document = read(Path::new("a.md"), text.as_bytes(), &Limits::default()).unwrap();
        let chunks = chunk(&document, &ChunkSize { target_tokens, smallest_tokens });
        chunks.iter().map(|chunk| document.text[chunk.start..chunk.end].to_owned()).collect()
    }

    // proves: A6
    #[test]
    fn chunks_end_with_paragraphs_then_sentences_then_words() {
        let text = "One two three four.\n\nFive six seven eight.\n\nNine ten. Eleven twelve thirteen fourteen fifteen sixteen.";
        let found = chunks(text, 13, 2);
        assert_eq!(
            found,
            [
                "One two three four.\n\nFive six seven eight.",
                "Nine ten.",
                "Eleven twelve thirteen fourteen fifteen sixteen."
            ]
        );
        let found = chunks("a monstrous sentence that never comes to any end at all", 5, 1);
        assert_eq!(found, ["a monstrous sentence", "that never comes to", "any end at all"]);
    }

    // proves: A6
    #[test]
    fn a_small_rest_joins_or_takes_from_its_neighbour() {
        let text = "# Tea\n\nSome people like their tea with milk. Others like it black. Nobody knows why.\n\nEnd.";
        let found = chunks(text, 22, 5);
        assert_eq!(found.len(), 2);
        assert!(found[1].starts_with("Nobody knows why."), "{found:?}");
    }

    #[test]
    fn a_table_or_code_block_that_fits_stays_whole() {
        let code = "```\nlet a = 1;\n\nlet b = 2;\n```";
        let found = chunks(
            &format!("Some words before the code that fill a chunk.\n\n{code}\n\nAfter."),
            14,
            1,
        );
        assert!(found.iter().any(|chunk| chunk.starts_with(code)), "{found:?}");
    }

    #[test]
    fn large_texts_of_any_shape_take_no_time() {
        let one = "People drink tea in the morning, and some drink it at night. ";
        let texts = [
            one.repeat(16_000),
            format!("{one}\n\n").repeat(16_000),
            "日本語".repeat(50_000),
            "x".repeat(1_000_000),
            "# h\n".repeat(100_000),
            "| a | b |\n".repeat(100_000),
        ];
        for text in texts {
            let started = Instant::now();
            assert!(!chunks(&text, 220, 40).is_empty());
            let taken = started.elapsed();
            assert!(taken.as_secs() < 20, "{} bytes: {taken:?}", text.len());
        }
    }
}
