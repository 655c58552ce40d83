//! Lines become paragraphs and items, and text split by a page or column break is rejoined.

use std::collections::HashSet;

use super::block::{Block, Kind};
use super::lines::{APART, Line, PageLines};
use crate::plain;

/// A block and its appearance.
pub(super) struct Draft {
    pub(super) block: Block,
    pub(super) size: f64,
    pub(super) lines: usize,
}

impl Draft {
    pub(super) fn of(block: Block, line: &Line, lines: usize) -> Self {
        Self { block, size: line.size, lines }
    }

    pub(super) fn take(&mut self, line: &Line, page: u32, vocabulary: &HashSet<String>) {
        self.append(line.words(), page, vocabulary);
        self.lines += 1;
    }

    fn append(&mut self, words: &str, page: u32, vocabulary: &HashSet<String>) {
        let at = join(&mut self.block.text, words, |word| vocabulary.contains(word));
        let last = self.block.pages().last().unwrap_or(self.block.page);
        if page > last {
            self.block.breaks.push((at, page));
        }
    }
}

/// Words that stand between two halves of which one is left out.
const HALVES: [&str; 4] = ["and", "or", "und", "oder"];

/// Appends a line to a paragraph, rejoins a word split at the line end, and returns where the line begins.
///
/// `known` returns whether a lower-case word stands elsewhere in the document. A hyphen stays only if the hyphenated word does, or before a
/// capital, a digit (`COVID-19`) or another half (`pre- and post-war`).
pub(crate) fn join(text: &mut String, line: &str, known: impl Fn(&str) -> bool) -> usize {
    let next: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    let letters = next.starts_with(char::is_lowercase);
    let cut =
        text.strip_suffix(['-', '\u{2010}']).filter(|rest| rest.ends_with(char::is_alphabetic));
    let keeps = next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    if let Some(rest) = cut.filter(|_| letters) {
        let word_start = rest.rfind(|c: char| !c.is_alphanumeric() && c != '-');
        let word_start =
            word_start.map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        let word = rest[word_start..].to_lowercase();
        let next = next.to_lowercase();
        let compound = !known(&format!("{word}{next}"))
            && (word.contains('-') || known(&format!("{word}-{next}")));
        let half = HALVES.contains(&next.as_str()) && !known(&format!("{word}{next}"));
        if half {
            text.push(' ');
        } else if !compound {
            text.truncate(rest.len());
        }
    } else if !(text.is_empty() || cut.is_some() && keeps) {
        text.push(' ');
    }
    let start = text.len();
    text.push_str(line);
    start
}

/// Returns the words of all lines in lower case, without those that a line end may have split.
pub(super) fn collect_vocabulary(pages: &[PageLines]) -> HashSet<String> {
    let mut found = HashSet::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        for word in line.text.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
            if !word.is_empty() && !word.ends_with('-') && word.len() < 60 {
                found.insert(word.to_lowercase());
            }
        }
    }
    found
}

/// Where the lines of a page begin and end, by column.
pub(super) struct Edges {
    rights: Vec<(f64, f64)>,
}

impl Edges {
    pub(super) fn of(lines: &[Line]) -> Self {
        Self { rights: lines.iter().map(|line| (line.left, line.right)).collect() }
    }

    /// Returns how far to the right the column of `line` extends.
    fn right(&self, line: &Line) -> f64 {
        let near = |left: f64| (left - line.left).abs() < 3.0 * line.size;
        let same = self.rights.iter().filter(|(left, _)| near(*left)).map(|(_, right)| *right);
        same.fold(line.right, f64::max)
    }
}

/// Returns whether `line` continues the paragraph of the line before it.
pub(super) fn continues(before: &Line, line: &Line, leading: Option<f64>, edges: &Edges) -> bool {
    let size = before.size.max(line.size);
    let drop = line.down - before.down;
    let turned = before.along.0 * line.along.0 + before.along.1 * line.along.1 < 0.98;
    let alike = (before.size - line.size).abs() <= 0.1 * size || line.words().chars().count() <= 2;
    let usual = leading.unwrap_or(1.3 * size).max(size);
    if turned || !alike || drop <= -0.5 * size || drop > APART * usual {
        return false;
    }
    let apart = line.left >= before.right + size || before.left >= line.right + size;
    if apart || before.cells.len() > 2 && line.cells.len() > 2 {
        return false;
    }
    let words = before.words();
    let ended = words.ends_with(['.', '?', '!', ':', '"', '”', '’', ')']);
    if opens_item(line.words()) && (ended || opens_item(words) || words.ends_with([';', ','])) {
        return false;
    }
    let indented = line.left - before.left;
    if ended && (0.7..6.0).contains(&(indented / size)) && !opens_item(words) {
        return false;
    }
    let right = edges.right(before);
    let width = right - before.left;
    let short = right - before.right > 0.2 * width.max(8.0 * size);
    !(short && (ended || plain::numbered(words).is_some()))
}

pub(super) fn opens_item(words: &str) -> bool {
    if words.starts_with(['•', '▪', '●', '◦', '‣', '■', '–', '\u{f0b7}']) {
        return true;
    }
    let Some((mark, rest)) = words.split_once(' ') else { return false };
    if rest.is_empty() || mark.len() > 5 {
        return false;
    }
    let inner = mark.strip_suffix(')').or(mark.strip_suffix(']'));
    let inner = inner.or(mark.strip_suffix('.')).map(|inner| inner.trim_start_matches(['(', '[']));
    mark == "-"
        || inner.is_some_and(|inner| {
            !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Rejoins what a page break, a column break or a footnote split.
pub(super) fn mended(found: Vec<Draft>, body: f64, vocabulary: &HashSet<String>) -> Vec<Draft> {
    /// The most notes between the parts of a paragraph.
    const BETWEEN: usize = 8;
    let mut whole: Vec<Draft> = Vec::with_capacity(found.len());
    for mut draft in found {
        let text = &draft.block.text;
        let resumes = matches!(draft.block.kind, Kind::Paragraph)
            && draft.size > 0.95 * body
            && text.starts_with(char::is_lowercase)
            && draft.size < 1.1 * body;
        let same = |before: &Draft| {
            let same = (before.size - draft.size).abs() <= 0.05 * draft.size;
            same && !matches!(before.block.kind, Kind::Table(_))
        };
        let near = || whole.iter().enumerate().rev().take(BETWEEN).filter(|(_, it)| same(it));
        let split = near().find(|(_, it)| ends_in_word(&it.block.text));
        let open = split.or_else(|| near().next()).map(|(at, _)| at).filter(|_| resumes);
        let Some(open) = open else {
            whole.push(draft);
            continue;
        };
        let split = ends_in_word(&whole[open].block.text);
        let between = &whole[open + 1..];
        let are_smaller = between
            .iter()
            .all(|note| note.size < 0.95 * draft.size || matches!(note.block.kind, Kind::Table(_)));
        let text = &whole[open].block.text;
        let last = text.chars().last().unwrap_or('.');
        let unended = (last.is_alphanumeric() || ",;-–\u{2010}".contains(last))
            && text.split_whitespace().count() > 4;
        // Pages must stay in order.
        let page = draft.block.page;
        let all_later = between.iter().all(|note| note.block.page >= page);
        let start = whole[open].block.page;
        let on_one_page = whole[open].block.breaks.is_empty()
            && between.iter().all(|note| note.block.pages().all(|page| page == start));
        let goes_on = (unended || split) && are_smaller;
        if goes_on && (all_later || on_one_page) {
            if !all_later {
                // The notes at the foot of its first page come before a paragraph that goes on.
                whole[open..].rotate_left(1);
            }
            let at = if all_later { open } else { whole.len() - 1 };
            whole[at].append(&draft.block.text, page, vocabulary);
            whole[at].lines += draft.lines;
        } else {
            if split {
                take_word(&mut whole[open], &mut draft, vocabulary);
            }
            if !draft.block.text.is_empty() {
                whole.push(draft);
            }
        }
    }
    whole
}

/// Returns whether a text ends within a word.
fn ends_in_word(text: &str) -> bool {
    let cut = text.strip_suffix(['-', '\u{2010}']);
    cut.is_some_and(|rest| rest.ends_with(char::is_alphabetic))
}

/// Gives the rest of a word to the text that ends within it.
fn take_word(open: &mut Draft, next: &mut Draft, vocabulary: &HashSet<String>) {
    let text = &next.block.text;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    join(&mut open.block.text, &text[..end], |word| vocabulary.contains(word));
    next.block.text = text[end..].trim_start().to_owned();
}
