//! Locates a quote in a source, exactly or approximately.
//!
//! An inexact quote is corrected to the source's own words. Differences in white space, typography and hyphenation do not count.
//! Otherwise the words are aligned (Smith and Waterman 1981), and most of the quote must match.
//!
//! ```
//! use grounding::locate::Finder;
//! use grounding::statement::Source;
//!
//! let source = Source::of("Gulls nest on cliffs. They lay two, sometimes three eggs. They eat fish.");
//! let finder = Finder::of(&source);
//! assert_eq!(finder.locate("they lay two sometimes three egs"), [(1, 1)]);
//! assert_eq!(finder.locate("nest on cliffs ... eat fish"), [(0, 0), (2, 2)]);
//! assert_eq!(finder.locate("penguins lay one egg in the snow"), []);
//! ```

use std::ops::Range;

use crate::fold::{Folded, LineEnd, fold};
use crate::statement::Source;

/// The first and the last statement of a run, counted from 0.
pub type Run = (usize, usize);

/// Finds quotes in one source, which it reads once.
pub struct Finder<'a> {
    source: &'a Source<'a>,
    folded: Folded,
    /// The words in lower case, each with its byte range.
    words: Vec<(String, Range<usize>)>,
}

/// A quote of fewer words proves nothing unless it is a whole statement.
const FEWEST_WORDS: usize = 3;

impl<'a> Finder<'a> {
    pub fn of(source: &'a Source<'a>) -> Finder<'a> {
        let words = text::words(source.text)
            .map(|(at, word)| (word.to_lowercase(), at..at + word.len()))
            .collect();
        Finder { source, folded: fold(source.text, LineEnd::Joined), words }
    }

    /// Returns the statements that contain a quote, one run for each part between ellipses; empty if any part is not found.
    pub fn locate(&self, quote: &str) -> Vec<Run> {
        let parts = quote.replace("[...]", "…").replace("[…]", "…").replace("...", "…");
        let parts: Vec<&str> = parts
            .split('…')
            .map(|part| {
                part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '„'))
            })
            .filter(|part| part.chars().any(char::is_alphanumeric))
            .collect();
        let runs: Vec<Run> = parts
            .iter()
            .filter_map(|part| self.exactly(part).or_else(|| self.nearly(part)))
            .collect();
        if runs.len() == parts.len() { runs } else { Vec::new() }
    }

    /// Finds the exact words, apart from typography; returns `None` if a single one differs.
    pub fn exactly(&self, quote: &str) -> Option<Run> {
        let needle = fold(quote, LineEnd::Joined).text;
        let needle = needle.trim().trim_end_matches('.');
        if needle.is_empty() {
            return None;
        }
        let spans = self.folded.occurrences(needle).filter_map(|at| self.folded.origin(&at));
        let is_long = text::words(needle).nth(FEWEST_WORDS - 1).is_some();
        spans
            .filter_map(|span| Some((self.source.touched(&span)?, span)))
            .find(|((first, last), span)| {
                let whole = self.source.span(*first, *last).map_or(0, |whole| whole.len());
                is_long || span.len() * 2 > whole
            })
            .map(|(run, _)| run)
    }

    /// Finds the place where most of the words occur in order.
    fn nearly(&self, quote: &str) -> Option<Run> {
        /// The share of the quote's words that must be found.
        const MOST: f64 = 0.7;
        let wanted: Vec<String> = text::words(quote).map(|(_, word)| word.to_lowercase()).collect();
        if wanted.len() < FEWEST_WORDS {
            return None;
        }
        let found = align(&wanted, &self.words)?;
        if (found.matched as f64) < MOST * wanted.len() as f64 {
            return None;
        }
        let (first, last) = (self.words.get(found.first)?, self.words.get(found.last)?);
        self.source.touched(&(first.1.start..last.1.end))
    }
}

/// An alignment: the first and last aligned word of the source, and the number of matching words.
struct Aligned {
    first: usize,
    last: usize,
    matched: usize,
}

/// A cell of the alignment matrix: its score, where it began, and how many words matched.
#[derive(Clone, Copy, Default)]
struct Cell {
    score: i32,
    start: usize,
    matched: usize,
}

/// Finds the best alignment of a quote's words with a source's.
fn align(wanted: &[String], words: &[(String, Range<usize>)]) -> Option<Aligned> {
    const SAME: i32 = 3;
    const OTHER: i32 = -2;
    const GAP: i32 = -1;
    let mut above = vec![Cell::default(); wanted.len() + 1];
    let mut best: Option<(Cell, usize)> = None;
    for (index, (word, _)) in words.iter().enumerate() {
        let mut row = Vec::with_capacity(above.len());
        row.push(Cell::default());
        for (column, want) in wanted.iter().enumerate() {
            let from = above.get(column).copied().unwrap_or_default();
            let from =
                if from.score == 0 { Cell { start: index, matched: 0, ..from } } else { from };
            let is_same = want == word;
            let diagonal = Cell {
                score: from.score + if is_same { SAME } else { OTHER },
                matched: from.matched + usize::from(is_same),
                ..from
            };
            let skip = |cell: Option<&Cell>| {
                let cell = cell.copied().unwrap_or_default();
                Cell { score: cell.score + GAP, ..cell }
            };
            let options = [diagonal, skip(above.get(column + 1)), skip(row.last())];
            let cell = options.into_iter().max_by_key(|cell| cell.score).unwrap_or_default();
            let cell = if cell.score > 0 { cell } else { Cell::default() };
            if cell.score > best.map_or(0, |(best, _)| best.score) {
                best = Some((cell, index));
            }
            row.push(cell);
        }
        above = row;
    }
    best.map(|(cell, last)| Aligned { first: cell.start, last, matched: cell.matched })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "# Gulls\n\nHerring gulls lay 2–4 eggs; the clutch is ‘replaced’ when lost. Dr. Smith\nsaw it.\n\n\
        | Site | Eggs |\n|---|---|\n| Skomer | 3 |\n| Lundy | 2 |\n\nThey do not eat grass.";

    fn check(quote: &str, expected: &[&str]) {
        let source = Source::of(TEXT);
        let found: Vec<&str> = Finder::of(&source)
            .locate(quote)
            .into_iter()
            .filter_map(|(first, last)| source.run(first, last))
            .collect();
        assert_eq!(found, expected, "{quote:?}");
    }

    // proves: C4
    #[test]
    fn a_quote_is_corrected_to_the_statements_it_stands_in() {
        let eggs = "Herring gulls lay 2–4 eggs; the clutch is ‘replaced’ when lost.";
        check("gulls lay 2-4 eggs; the clutch is \"replaced\"", &[eggs]);
        check("Herring gulls lay 2-4 egg, the clutch replaced when lost", &[eggs]);
        check(
            "is 'replaced' when lost. Dr. Smith saw it",
            &["Herring gulls lay 2–4 eggs; the clutch is ‘replaced’ when lost. Dr. Smith\nsaw it."],
        );
        check("| Site | Eggs |\n|---|---|\n| Skomer | 3 |", &["| Skomer | 3 |"]);
        check("Herring gulls lay ... do not eat grass", &[eggs, "They do not eat grass."]);
        check("Gulls", &["Gulls"]);
    }

    // proves: C4
    #[test]
    fn what_does_not_stand_there_is_not_found() {
        check("", &[]);
        check("eggs", &[]);
        check("Puffins lay a single egg in burrows of rabbits", &[]);
        check("Herring gulls lay 2-4 eggs ... puffins dig burrows in the turf", &[]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C4
        #[test]
        fn every_statement_is_found_where_it_stands(words in proptest::collection::vec("[a-z]{2,7}", 12..40), cut in 3usize..9) {
            let sentences: Vec<String> = words.chunks(cut).map(|words| format!("A{}.", words.join(" "))).collect();
            let text = sentences.join(" ");
            let source = Source::of(&text);
            let finder = Finder::of(&source);
            for sentence in &sentences {
                if text::words(sentence).count() < 3 {
                    continue;
                }
                let found = finder.locate(sentence);
                prop_assert_eq!(found.len(), 1);
                let run = source.run(found[0].0, found[0].1).unwrap();
                prop_assert!(run.contains(sentence.as_str()), "{} in {}", sentence, run);
            }
        }

        #[test]
        fn any_quote_can_be_looked_for(text in "(?s)(.|[a-d .|\n]){0,60}", quote in "(?s)(.|[a-d .…]){0,30}") {
            let source = Source::of(&text);
            for (first, last) in Finder::of(&source).locate(&quote) {
                prop_assert!(source.run(first, last).is_some());
            }
        }
    }
}
