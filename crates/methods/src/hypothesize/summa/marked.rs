//! The sentences of a text that carry reference marks.

use std::collections::HashSet;
use std::ops::Range;

use run::marks::{Mark, marks};
use text::sentences;

use super::label::label;
use super::on_one_line;
use super::reading::{is_fence, is_rule};
use crate::grounded::free::UNSUPPORTED;

/// A sentence with at least one mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Marked {
    /// The byte range in the rendering, from the sentence's first character to the last of its marks or its full stop.
    pub(in super::super) span: Range<usize>,
    /// The sentence on one line, without its marks and the label of its part; empty if it consists of marks only.
    pub(in super::super) text: String,
    /// The numbers it names, in reading order, without duplicates.
    pub(in super::super) marks: Vec<u32>,
    /// The byte ranges of the marks in the rendering.
    pub(super) mark_spans: Vec<Range<usize>>,
}

/// Returns the sentences of `rendering` that carry marks such as `[3]` or `[1, 2]`, in reading order.
///
/// A mark after the full stop belongs to the sentence before it.
pub(in super::super) fn marked_sentences(rendering: &str) -> Vec<Marked> {
    let mut found = Vec::new();
    for paragraph in paragraphs(rendering) {
        let Some(text) = rendering.get(paragraph.clone()) else { continue };
        let mut open = marks(text).into_iter().peekable();
        if open.peek().is_none() {
            continue;
        }
        // A mark may extend beyond the end of its sentence into the next one.
        let mut behind = 0;
        for piece in pieces(text) {
            let mut sentence = Marked {
                span: piece.start.max(behind)..piece.end.max(behind),
                text: String::new(),
                marks: Vec::new(),
                mark_spans: Vec::new(),
            };
            let mut named = HashSet::new();
            while let Some(Mark { span, numbers }) =
                open.next_if(|mark| mark.span.start < piece.end)
            {
                sentence.span =
                    sentence.span.start.min(span.start)..sentence.span.end.max(span.end);
                sentence.marks.extend(numbers.into_iter().filter(|number| named.insert(*number)));
                sentence.mark_spans.push(span);
            }
            if sentence.mark_spans.is_empty() {
                continue;
            }
            behind = sentence.span.end;
            sentence.text = without(text, &sentence);
            sentence.span = moved(&sentence.span, paragraph.start);
            for span in &mut sentence.mark_spans {
                *span = moved(span, paragraph.start);
            }
            found.push(sentence);
        }
    }
    found
}

/// Returns `rendering` with each sentence's marks, and its words if given, replaced by what `put` returns; everything else stays as it is.
///
/// `put` gets the sentence's index in [`marked_sentences`]. Its replacement for the marks goes where the last mark was and includes its own
/// leading space (`" [2]"`); the white space before a mark is removed with it.
pub(in super::super) fn remarked(
    rendering: &str,
    mut put: impl FnMut(u32) -> (Option<String>, String),
) -> String {
    let mut page = String::with_capacity(rendering.len());
    let mut from = 0;
    for (index, sentence) in marked_sentences(rendering).iter().enumerate() {
        let (words, marks) = put(index as u32);
        let words = words.filter(|words| *words != sentence.text && !words.is_empty());
        if let Some(words) = words {
            let start = from.max(sentence.span.start);
            page.push_str(rendering.get(from..start).unwrap_or_default());
            page.push_str(&words);
            page.push_str(&marks);
            from = sentence.span.end.max(start);
            continue;
        }
        for (mark, span) in sentence.mark_spans.iter().enumerate() {
            let start = from.max(sentence.span.start);
            page.push_str(rendering.get(from..start).unwrap_or_default());
            page.push_str(rendering.get(start..span.start).unwrap_or_default().trim_end());
            if mark + 1 == sentence.mark_spans.len() {
                page.push_str(&marks);
            }
            from = span.end;
        }
    }
    page.push_str(rendering.get(from..).unwrap_or_default());
    page
}

fn moved(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

fn without(text: &str, sentence: &Marked) -> String {
    let mut kept = String::new();
    let mut from = sentence.span.start;
    for span in &sentence.mark_spans {
        kept.push_str(text.get(from..span.start).unwrap_or_default().trim_end());
        from = span.end;
    }
    kept.push_str(text.get(from..sentence.span.end).unwrap_or_default());
    on_one_line(&kept)
}

/// Returns the groups of lines that belong together, without the labels of the parts.
fn paragraphs(rendering: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut start = 0;
    for line in rendering.split_inclusive('\n') {
        let from = start + (line.len() - line.trim_start().len());
        let trimmed = line.trim();
        start += line.len();
        if trimmed.is_empty() || is_rule(trimmed) || is_fence(trimmed) {
            found.extend(open.take());
        } else if let Some(found_label) = label(trimmed).filter(|label| label.sure) {
            found.extend(open.replace(moved(&found_label.text, from)));
        } else {
            let begin = open.map_or(from, |open| open.start);
            open = Some(begin..from + trimmed.len());
        }
    }
    found.extend(open);
    found
}

/// The characters that end a sentence.
const STOPS: [char; 8] = ['.', '!', '?', '…', '。', '！', '？', '｡'];

/// Returns the sentences of `text`, each with the marks that follow its full stop.
pub(in super::super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let all_marks = marks(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for sentence in sentences(text) {
        let mut from = sentence.start;
        while from < sentence.end {
            from = trailing(text, &all_marks, &mut found, from, sentence.end);
            let Some(rest) = text.get(from..sentence.end).filter(|rest| !rest.is_empty()) else {
                break;
            };
            let end = from + closed(rest);
            found.push(from..end);
            let behind = text.get(end..sentence.end).unwrap_or_default();
            from = end + (behind.len() - behind.trim_start().len());
        }
    }
    found
}

/// Attaches the marks at `from` to the sentence before if only stops, spaces and at most one line break separate them; returns where the
/// rest begins.
fn trailing(
    text: &str,
    marks: &[Mark],
    found: &mut [Range<usize>],
    from: usize,
    end: usize,
) -> usize {
    let Some(last) = found.last_mut() else { return from };
    let gap = text.get(last.end..from).unwrap_or("-");
    let stops = |c: char| c.is_whitespace() || STOPS.contains(&c);
    if !gap.chars().all(stops) || gap.matches('\n').count() > 1 {
        return from;
    }
    let mut at = from;
    while let Some(mark_end) = mark(text, marks, at).filter(|mark_end| *mark_end <= end) {
        last.end = mark_end;
        let behind = text.get(mark_end..end).unwrap_or_default();
        at = mark_end + (behind.len() - behind.trim_start().len());
    }
    at
}

/// Returns the end of the mark that begins at `at`, including a full stop right after it.
fn mark(text: &str, marks: &[Mark], at: usize) -> Option<usize> {
    let end = if text.get(at..)?.starts_with(word()) {
        at + word().len()
    } else {
        let index = marks.binary_search_by_key(&at, |mark| mark.span.start).ok()?;
        marks.get(index)?.span.end
    };
    let stopped = text
        .get(end..)?
        .strip_prefix('.')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    Some(end + usize::from(stopped))
}

/// [`UNSUPPORTED`] without its leading space.
fn word() -> &'static str {
    UNSUPPORTED.trim_start()
}

/// Returns the end of the first sentence in `text` that is followed by a full stop and the word `[unsupported]`. The sentence splitter
/// finds no end there, as the word is in lower case. At the start of a sentence, the word says nothing about it.
fn closed(text: &str) -> usize {
    for (at, word) in text.match_indices(word()) {
        let before = text.get(..at).unwrap_or_default().trim_end_matches(|c: char| {
            let plain = run::marks::folded(c);
            c.is_whitespace()
                || plain.is_ascii_digit()
                || "[],;^-".contains(plain)
                || "\"'”’»)」』）*_`".contains(c)
        });
        if before.is_empty() || before.ends_with(STOPS) {
            return at + word.len();
        }
    }
    text.len()
}
