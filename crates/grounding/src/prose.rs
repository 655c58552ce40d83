//! Prose with citations, split into claims and reassembled from those that hold.
//!
//! A sentence, a list item's sentence, a table cell and a code block are pieces. Headings, labels and lines that lead into a list frame
//! them and claim nothing themselves. The printed text is the same prose with marks instead of addresses, without the pieces that do not
//! hold, and without frames that have nothing left to frame.
//!
//! ```
//! use grounding::address::cited;
//! use grounding::prose::{Fate, Prose};
//!
//! let text = "## Tides\n\nThey come twice a day [1.2]. They sing [1.3].\n";
//! let spans: Vec<_> = cited(text).into_iter().map(|one| one.span).collect();
//! let prose = Prose::of(text, &spans);
//! let words: Vec<&str> = prose.claims().map(|(_, piece)| piece.words.as_str()).collect();
//! assert_eq!(words, ["They come twice a day.", "They sing."]);
//! let printed = prose.print(|index| match prose.pieces[index].words.as_str() {
//!     "They sing." => Fate::Cut,
//!     "Tides" => Fate::keep(""),
//!     _ => Fate::keep("[1]"),
//! });
//! assert_eq!(printed.text, "## Tides\n\nThey come twice a day. [1]");
//! ```

use std::ops::Range;

use text::{Block, Kind, sentences_of, split_blocks};

use crate::fold::{clean, is_word, unmarked};
use crate::quantity::cells;

/// The role of a piece of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// A sentence that states something.
    Sentence,
    /// The writer's own conclusion, which begins with an arrow.
    Conclusion,
    /// A table cell, with its row's label and its column's head.
    Cell {
        row: String,
        column: String,
        is_conclusion: bool,
    },
    Code,
    /// A heading, a label, a line that ends in a colon, or a table's head or label; it claims nothing itself.
    Frame,
}

/// A piece of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub role: Role,
    /// The byte range in the prose, including citations.
    pub span: Range<usize>,
    /// The text on one line, without citations and Markdown's marks.
    pub words: String,
    /// The text as written, with Markdown's marks.
    pub written: String,
    /// The citations in it, as indices into those that were given.
    pub citations: Vec<usize>,
    /// The number of headings before it.
    pub section: usize,
    /// The number of blocks before it; pieces of one paragraph share it.
    pub block: usize,
}

impl Piece {
    pub fn is_claim(&self) -> bool {
        self.role != Role::Frame
    }

    /// Returns whether the writer marked it as a conclusion.
    pub fn is_conclusion(&self) -> bool {
        matches!(self.role, Role::Conclusion | Role::Cell { is_conclusion: true, .. })
    }

    /// Returns the text with its subject: a cell with its row and column.
    pub fn in_context(&self) -> String {
        match &self.role {
            Role::Cell { row, column, .. } => {
                let of: Vec<&str> = [row.as_str(), column.as_str()]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect();
                if of.is_empty() {
                    self.words.clone()
                } else {
                    format!("{}: {}", of.join(" – "), self.words)
                }
            }
            _ => self.words.clone(),
        }
    }
}

/// The fate of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The piece stays, followed by marks; a conclusion is shown as one.
    Keep {
        marks: String,
        is_conclusion: bool,
    },
    /// Other words replace it.
    Replace {
        words: String,
        marks: String,
    },
    /// Statements replace it as written: code and lists keep their lines.
    Quote {
        words: String,
        marks: String,
    },
    Cut,
}

impl Fate {
    /// Returns the fate of a piece that stays as written, with these marks.
    pub fn keep(marks: &str) -> Fate {
        Fate::Keep { marks: marks.to_owned(), is_conclusion: false }
    }
}

/// Printed prose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    pub text: String,
    /// The byte range of each piece, including marks; `None` if it was cut.
    pub spans: Vec<Option<Range<usize>>>,
}

/// Parsed prose.
#[derive(Debug, Clone)]
pub struct Prose {
    text: String,
    blocks: Vec<Block>,
    /// The pieces, in reading order.
    pub pieces: Vec<Piece>,
    citations: Vec<Range<usize>>,
}

/// The arrow before a conclusion.
pub const ARROW: &str = "→";

impl Prose {
    /// Parses Markdown. `citations` are the byte ranges of its citations, in order and without overlaps.
    pub fn of(text: &str, citations: &[Range<usize>]) -> Prose {
        let mut prose = Prose {
            text: text.to_owned(),
            blocks: split_blocks(text).into_iter().map(|block| behind_box(block, text)).collect(),
            pieces: Vec::new(),
            citations: citations.to_vec(),
        };
        // Citations become blanks, so that their periods do not end a sentence.
        let mut plain = text.to_owned();
        for span in citations {
            let blank = " ".repeat(span.len());
            if plain.is_char_boundary(span.start) && plain.is_char_boundary(span.end) {
                plain.replace_range(span.clone(), &blank);
            }
        }
        let mut section = 0;
        for index in 0..prose.blocks.len() {
            let Some(block) = prose.blocks.get(index).cloned() else { continue };
            match block.kind {
                Kind::Heading(_) => {
                    section += 1;
                    prose.add(Role::Frame, block.span, section, index);
                }
                Kind::Code => prose.add(Role::Code, block.span, section, index),
                Kind::Row { head } => prose.add_row(&block, head, section, index),
                Kind::Paragraph | Kind::Item | Kind::Term => {
                    let block = prose.with_citations_behind(block.span, index);
                    prose.add_sentences(&plain, block, section, index);
                }
            }
        }
        prose
    }

    /// Returns the pieces that claim something, with their indices.
    pub fn claims(&self) -> impl Iterator<Item = (usize, &Piece)> {
        self.pieces.iter().enumerate().filter(|(_, piece)| piece.is_claim())
    }

    /// Returns the original prose.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Extends a block by the citations that stand alone on the lines after it.
    fn with_citations_behind(&self, block: Range<usize>, index: usize) -> Range<usize> {
        let end = self.blocks.get(index + 1).map_or(self.text.len(), |next| next.lines.start);
        let mut until = block.end;
        for span in self.citations.iter().filter(|span| span.start >= block.end && span.end <= end)
        {
            let gap = self.text.get(until..span.start).unwrap_or_default();
            if gap.trim().is_empty() {
                until = span.end;
            }
        }
        block.start..until
    }

    /// Adds the sentences of a paragraph or list item. If it holds only citations, each of them is a piece.
    fn add_sentences(&mut self, plain: &str, block: Range<usize>, section: usize, index: usize) {
        let says_nothing = !plain.get(block.clone()).unwrap_or_default().contains(is_word);
        if says_nothing {
            for span in self.citations.clone() {
                if block.start <= span.start && span.end <= block.end {
                    self.add(Role::Sentence, span, section, index);
                }
            }
            return;
        }
        let mut starts: Vec<usize> = Vec::new();
        for sentence in sentences_of(plain, block.clone()) {
            starts.push(sentence.start);
            // A conclusion after a semicolon or colon is a piece of its own.
            let written = plain.get(sentence.clone()).unwrap_or_default();
            for (at, _) in written.match_indices(ARROW).filter(|(at, _)| *at > 0) {
                let before = written.get(..at).unwrap_or_default().trim_end();
                if before.ends_with([';', ':']) {
                    starts.push(sentence.start + at);
                }
            }
        }
        if let Some(first) = starts.first_mut() {
            *first = block.start;
        }
        let ends = starts.iter().skip(1).copied().chain([block.end]).collect::<Vec<_>>();
        let last = starts.len().saturating_sub(1);
        for (number, (start, end)) in starts.iter().copied().zip(ends).enumerate() {
            // Citations at the beginning belong to the previous sentence.
            let start = if number == 0 { start } else { self.behind_citations(start, end) };
            let end = self.behind_citations(end, block.end);
            let raw = self.text.get(start..end).unwrap_or_default();
            let leads = number == last || self.text.get(end..).is_some_and(begins_with_arrow);
            let role = if self.is_frame(raw, start..end, leads) {
                Role::Frame
            } else if begins_with_arrow(raw) {
                Role::Conclusion
            } else {
                Role::Sentence
            };
            self.add(role, start..end, section, index);
        }
    }

    /// Returns the end of the citations that begin right at `from`.
    fn behind_citations(&self, from: usize, limit: usize) -> usize {
        let mut end = from;
        for span in &self.citations {
            let gap = self.text.get(end..span.start).filter(|_| span.end <= limit);
            if gap.is_some_and(|gap| gap.trim().is_empty()) {
                end = span.end;
            }
        }
        end
    }

    /// Returns whether a sentence frames others: a label in bold, or a line that ends in a colon and leads into a list or a conclusion.
    fn is_frame(&self, raw: &str, span: Range<usize>, leads: bool) -> bool {
        /// A label with more words says something.
        const LONGEST_LABEL: usize = 12;
        const LONGEST_LEAD: usize = 25;
        if self.citations.iter().any(|one| span.start <= one.start && one.end <= span.end) {
            return false;
        }
        let raw = raw.trim();
        let count = text::words(raw).count();
        let inner = raw.trim_end_matches([':', '.']);
        let is_strong = ["**", "__", "*", "_"].iter().any(|mark| {
            inner
                .strip_prefix(mark)
                .and_then(|inner| {
                    inner
                        .strip_suffix(mark)
                        .or_else(|| inner.trim_end_matches([':', '.']).strip_suffix(mark))
                })
                .is_some_and(|inner| !inner.contains('*') && !inner.is_empty())
        });
        is_strong && count <= LONGEST_LABEL
            || leads && raw.ends_with([':', '：']) && count <= LONGEST_LEAD
            || count == 0
    }

    /// Adds the cells of a table row.
    fn add_row(&mut self, block: &Block, head: Option<usize>, section: usize, index: usize) {
        let row = self.text.get(block.span.clone()).unwrap_or_default().to_owned();
        let head = head.and_then(|head| self.blocks.get(head)).map(|head| head.span.clone());
        let columns: Vec<String> = head.map_or(vec![], |head| {
            let row = self.text.get(head.clone()).unwrap_or_default();
            let span = |cell: Range<usize>| head.start + cell.start..head.start + cell.end;
            cells(row).into_iter().map(|cell| self.words(span(cell))).collect()
        });
        let found = cells(&row);
        let label = found
            .first()
            .map(|cell| self.words(block.span.start + cell.start..block.span.start + cell.end));
        for (column, cell) in found.into_iter().enumerate() {
            let span = block.span.start + cell.start..block.span.start + cell.end;
            let is_cited =
                self.citations.iter().any(|one| span.start <= one.start && one.end <= span.end);
            let raw = self.text.get(span.clone()).unwrap_or_default();
            let is_empty = !raw.chars().any(is_word);
            let is_label = block.is_head || column == 0 && !is_cited && !columns.is_empty();
            let role = if is_label || is_empty {
                Role::Frame
            } else {
                Role::Cell {
                    row: label.clone().filter(|_| column > 0).unwrap_or_default(),
                    column: columns.get(column).cloned().unwrap_or_default(),
                    is_conclusion: begins_with_arrow(raw),
                }
            };
            self.add(role, span, section, index);
        }
    }

    fn add(&mut self, role: Role, span: Range<usize>, section: usize, block: usize) {
        let citations: Vec<usize> = self
            .citations
            .iter()
            .enumerate()
            .filter(|(_, one)| span.start <= one.start && one.end <= span.end)
            .map(|(index, _)| index)
            .collect();
        let words = if role == Role::Code {
            self.text.get(span.clone()).unwrap_or_default().to_owned()
        } else {
            self.words(span.clone())
        };
        // A citation on its own stands for the statements that it names.
        if words.is_empty()
            && matches!(role, Role::Sentence | Role::Conclusion)
            && citations.is_empty()
        {
            return;
        }
        let written = one_line(&self.without_citations(span.clone()));
        let written = without_arrow(&written).to_owned();
        self.pieces.push(Piece { role, span, words, written, citations, section, block });
    }

    /// Returns the text of a span on one line, without citations, Markdown's marks, arrows and block quotes.
    fn words(&self, span: Range<usize>) -> String {
        self.plain(&self.without_citations(span))
    }

    fn plain(&self, raw: &str) -> String {
        let lines: Vec<&str> =
            raw.lines().map(|line| line.trim_start().trim_start_matches("> ").trim()).collect();
        let said = unmarked(&clean(&lines.join(" ")));
        let said = said.trim_start().trim_start_matches(ARROWS).trim_start();
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the text of a span without its citations and the white space before each.
    fn without_citations(&self, span: Range<usize>) -> String {
        let mut kept = String::new();
        let mut from = span.start;
        for one in
            self.citations.iter().filter(|one| span.start <= one.start && one.end <= span.end)
        {
            let before = self.text.get(from..one.start).unwrap_or_default();
            kept.push_str(before.trim_end_matches([' ', '\u{a0}']));
            from = one.end;
            let after = self.text.get(from..span.end).unwrap_or_default();
            if after.starts_with(is_word) {
                kept.push(' ');
            }
        }
        kept.push_str(self.text.get(from..span.end).unwrap_or_default());
        kept
    }
}

/// Returns a list item without its leading checkbox, which is part of the item's marker, as the dash is.
fn behind_box(mut block: Block, text: &str) -> Block {
    let said = text.get(block.span.clone()).unwrap_or_default();
    let rest = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| said.strip_prefix(mark));
    if let Some(rest) = rest.map(str::trim_start).filter(|rest| !rest.is_empty())
        && block.kind == Kind::Item
    {
        block.span.start = block.span.end - rest.len();
    }
    block
}

/// The signs that may introduce a conclusion.
const ARROWS: [char; 3] = ['→', '∴', '⇒'];

fn begins_with_arrow(raw: &str) -> bool {
    raw.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'))
        .starts_with(ARROWS)
}

mod print;

use print::{one_line, without_arrow};

#[cfg(test)]
mod tests;
