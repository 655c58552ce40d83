//! Prints the prose from the fates of its pieces.

use std::ops::Range;

use text::Kind;

use super::{ARROW, ARROWS, Fate, Piece, Printed, Prose, Role};
use crate::fold::is_word;

/// The content of a table cell whose claim was cut.
const NOTHING: &str = "–";

impl Prose {
    /// Prints the prose; `fate` gives the fate of each piece by its index. A frame that is kept is printed if anything that it frames is
    /// left.
    pub fn print(&self, fate: impl Fn(usize) -> Fate) -> Printed {
        let fates: Vec<Fate> = (0..self.pieces.len()).map(fate).collect();
        let mut printed = Printed { text: String::new(), spans: vec![None; self.pieces.len()] };
        let stands: Vec<bool> =
            (0..self.blocks.len()).map(|block| self.block_stands(block, &fates)).collect();
        let mut last: Option<usize> = None;
        let mut shown = vec![false; self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            let is_shown = match block.kind {
                Kind::Heading(level) => {
                    self.is_kept(index, &fates) && self.section_stands(index, level, &stands)
                }
                Kind::Row { .. } if block.is_head => {
                    let rows = self.blocks.iter().zip(&stands).skip(index + 1);
                    rows.take_while(|(row, _)| row.kind == Kind::Row { head: Some(index) })
                        .any(|(_, stands)| *stands)
                }
                _ if self.is_frame_only(index) => {
                    self.is_kept(index, &fates) && self.leads_somewhere(index, &stands)
                }
                _ => stands.get(index).copied().unwrap_or_default(),
            };
            if !is_shown {
                continue;
            }
            if let Some(last) = last {
                let gap = self.gap(last, index);
                printed.text.push_str(if gap { "\n\n" } else { "\n" });
            }
            if let Some(place) = shown.get_mut(index) {
                *place = true;
            }
            self.print_block(index, &fates, &shown, &mut printed);
            last = Some(index);
        }
        printed
    }

    /// Returns whether there is a blank line between two blocks, or around what was between them.
    fn gap(&self, one: usize, other: usize) -> bool {
        let end = self.blocks.get(one).map_or(0, |block| block.lines.end);
        let start = self.blocks.get(other).map_or(0, |block| block.lines.start);
        let between = self.text.get(end..start).unwrap_or_default();
        let mut lines = between.split('\n');
        lines.next();
        lines.next_back();
        let is_new_kind = |index: usize| {
            self.blocks
                .get(index)
                .is_some_and(|block| matches!(block.kind, Kind::Item | Kind::Row { .. }))
        };
        lines.any(|line| line.trim().is_empty())
            || other > one + 1 && !(is_new_kind(one) && is_new_kind(other))
    }

    fn pieces_of(&self, block: usize) -> impl Iterator<Item = (usize, &Piece)> {
        self.pieces.iter().enumerate().filter(move |(_, piece)| piece.block == block)
    }

    fn block_stands(&self, block: usize, fates: &[Fate]) -> bool {
        self.pieces_of(block).any(|(index, piece)| {
            piece.is_claim() && fates.get(index).is_some_and(|fate| *fate != Fate::Cut)
        })
    }

    /// Returns whether any piece of a block is kept.
    fn is_kept(&self, block: usize, fates: &[Fate]) -> bool {
        self.pieces_of(block)
            .any(|(index, _)| fates.get(index).is_some_and(|fate| *fate != Fate::Cut))
    }

    fn is_frame_only(&self, block: usize) -> bool {
        let mut pieces = self.pieces_of(block).peekable();
        pieces.peek().is_some() && pieces.all(|(_, piece)| !piece.is_claim())
    }

    /// Returns whether anything is left under a heading.
    fn section_stands(&self, heading: usize, level: u8, stands: &[bool]) -> bool {
        self.blocks
            .iter()
            .zip(stands)
            .skip(heading + 1)
            .take_while(|(block, _)| !matches!(block.kind, Kind::Heading(other) if other <= level))
            .any(|(_, stands)| *stands)
    }

    /// Returns whether anything is left of what a frame leads into: the following blocks up to the next framing paragraph.
    fn leads_somewhere(&self, frame: usize, stands: &[bool]) -> bool {
        let follows = |index: usize| {
            let is_heading =
                matches!(self.blocks.get(index).map(|block| block.kind), Some(Kind::Heading(_)));
            let is_frame = self.is_frame_only(index)
                && matches!(self.blocks.get(index).map(|block| block.kind), Some(Kind::Paragraph));
            !is_heading && !is_frame
        };
        (frame + 1..self.blocks.len())
            .take_while(|index| follows(*index))
            .any(|index| stands.get(index).copied().unwrap_or_default())
    }

    /// Returns the marker of an item: its dash, or its number minus the earlier items of its list that are not `shown`.
    fn mark_of(&self, index: usize, shown: &[bool]) -> String {
        let mark = self.written_mark(index);
        let Some((indent, number, rest)) = numbered(mark) else { return mark.to_owned() };
        let before = self.blocks.get(..index).unwrap_or_default().iter().zip(shown).enumerate();
        let siblings = before.rev().map(|(other, (block, shown))| {
            let other = self.written_mark(other);
            let depth = other.len() - other.trim_start().len();
            (block.kind == Kind::Item, depth, numbered(other).is_some(), *shown)
        });
        let skipped = siblings
            .take_while(|(is_item, depth, is_numbered, _)| {
                *depth > indent.len() || *is_item && *depth == indent.len() && *is_numbered
            })
            .filter(|(_, depth, _, shown)| *depth == indent.len() && !shown)
            .count();
        format!("{indent}{}{rest}", number.saturating_sub(skipped).max(1))
    }

    /// Returns the text before a block on its line.
    fn written_mark(&self, index: usize) -> &str {
        let Some(block) = self.blocks.get(index) else { return "" };
        let from = self.text.get(..block.lines.start).and_then(|left| left.rfind('\n'));
        let line = from.map_or(0, |at| at + 1);
        self.text.get(line..block.span.start).unwrap_or_default()
    }

    fn print_block(&self, index: usize, fates: &[Fate], shown: &[bool], printed: &mut Printed) {
        let Some(block) = self.blocks.get(index) else { return };
        match block.kind {
            Kind::Heading(level) => {
                printed.text.push_str(&"#".repeat(level.into()));
                printed.text.push(' ');
                self.print_raw(block.span.clone(), printed);
            }
            Kind::Code => {
                let piece = self.pieces_of(index).next();
                let start = printed.text.len();
                printed.text.push_str("```\n");
                printed.text.push_str(self.text.get(block.span.clone()).unwrap_or_default());
                printed.text.push_str("\n```");
                if let Some((index, _)) = piece {
                    self.enter(index, start, printed);
                }
            }
            Kind::Row { .. } => self.print_row(index, fates, printed),
            Kind::Paragraph | Kind::Item | Kind::Term => {
                printed.text.push_str(&self.mark_of(index, shown));
                let mut is_first = true;
                for (index, piece) in self.pieces_of(index) {
                    if fates.get(index) == Some(&Fate::Cut) {
                        continue;
                    }
                    if !is_first {
                        printed.text.push(' ');
                    }
                    is_first = false;
                    self.print_piece(index, piece, fates, printed);
                }
            }
        }
    }

    fn print_row(&self, index: usize, fates: &[Fate], printed: &mut Printed) {
        let Some(block) = self.blocks.get(index) else { return };
        printed.text.push('|');
        for (index, piece) in self.pieces_of(index) {
            printed.text.push(' ');
            if piece.is_claim() && fates.get(index) == Some(&Fate::Cut) {
                printed.text.push_str(NOTHING);
            } else {
                self.print_piece(index, piece, fates, printed);
            }
            printed.text.push_str(" |");
        }
        if block.is_head {
            let count = self.pieces_of(index).count();
            printed.text.push('\n');
            printed.text.push('|');
            printed.text.push_str(&"---|".repeat(count));
        }
    }

    fn print_piece(&self, index: usize, piece: &Piece, fates: &[Fate], printed: &mut Printed) {
        let start = printed.text.len();
        match fates.get(index) {
            Some(Fate::Keep { marks, is_conclusion }) if piece.is_claim() => {
                let raw = one_line(&self.without_citations(piece.span.clone()));
                if *is_conclusion || piece.written.len() < raw.len() {
                    printed.text.push_str(ARROW);
                    printed.text.push(' ');
                }
                printed.text.push_str(&piece.written);
                self.put_marks(marks, printed);
                self.enter(index, start, printed);
            }
            Some(Fate::Replace { words, marks }) if piece.is_claim() => {
                let words = one_line(words);
                let words = match piece.role {
                    Role::Cell { .. } => words.replace('|', "\\|"),
                    _ => words,
                };
                printed.text.push_str(words.trim());
                self.put_marks(marks, printed);
                self.enter(index, start, printed);
            }
            Some(Fate::Quote { words, marks }) if piece.is_claim() => {
                printed.text.push_str(words.trim());
                if words.trim().contains('\n') && !marks.is_empty() {
                    // Nothing may follow a fence on its line, and after a list the marks would belong to the last item.
                    printed.text.push_str("\n\n");
                    printed.text.push_str(marks);
                } else {
                    self.put_marks(marks, printed);
                }
                self.enter(index, start, printed);
            }
            _ => self.print_raw(piece.span.clone(), printed),
        }
    }

    fn put_marks(&self, marks: &str, printed: &mut Printed) {
        if !marks.is_empty() {
            printed.text.push(' ');
            printed.text.push_str(marks);
        }
    }

    fn print_raw(&self, span: Range<usize>, printed: &mut Printed) {
        printed.text.push_str(one_line(&self.without_citations(span)).trim());
    }

    fn enter(&self, index: usize, start: usize, printed: &mut Printed) {
        let span = start..printed.text.len();
        if let Some(place) = printed.spans.get_mut(index) {
            *place = Some(span);
        }
    }
}

/// Splits the marker of a numbered item into its indent, its number and the rest; returns `None` if it has no number.
fn numbered(mark: &str) -> Option<(&str, usize, &str)> {
    let bare = mark.trim_start();
    let (indent, _) = mark.split_at_checked(mark.len() - bare.len())?;
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = bare.split_at_checked(digits)?;
    let number = number.parse().ok().filter(|_| rest.starts_with(['.', ')']))?;
    Some((indent, number, rest))
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Strips the arrow from the beginning, but keeps the emphasis around the text.
pub(super) fn without_arrow(raw: &str) -> &str {
    let said = raw.trim_start_matches(ARROWS).trim_start();
    if said.starts_with(is_word) || said.len() < raw.len() { said } else { raw }
}
