//! Cited sources as footnotes: the first citation of a number in running text is its footnote, later ones lead to it.
//!
//! Numbers are those of the report; nothing is counted anew.

use std::collections::{BTreeMap, BTreeSet};

use render::{Block, Extent, Inline, Line, Note, Notes, Picture};
use typst::foundations::{Dict, Value};

use crate::line::Place;

/// The notes of a report, and which of them are footnotes.
#[derive(Debug, Default)]
pub(crate) struct Footnotes<'a> {
    /// The first note of each number.
    pub(crate) notes: BTreeMap<u32, &'a Note>,
    /// The numbers that running text cites.
    cited: BTreeSet<u32>,
    /// The numbers whose footnote or place was written.
    written: BTreeSet<u32>,
    /// The numbers that stand for a place in the text.
    anchors: BTreeSet<u32>,
}

impl<'a> Footnotes<'a> {
    pub(crate) fn of(blocks: &'a [Block]) -> Footnotes<'a> {
        let mut footnotes = Footnotes::default();
        footnotes.find(blocks);
        footnotes
    }

    /// Returns the notes of a list that are no footnotes.
    pub(crate) fn uncited(&self, notes: &'a Notes) -> Vec<&'a Note> {
        let is_footnote = |note: &&Note| {
            let first = self.notes.get(&note.number);
            self.cited.contains(&note.number)
                && first.is_some_and(|first| std::ptr::eq(*first, *note))
        };
        notes.notes().filter(|note| !is_footnote(note)).collect()
    }

    /// Returns whether a note is the one that citations lead to.
    pub(crate) fn is_target(&self, note: &Note) -> bool {
        self.notes.get(&note.number).is_some_and(|first| std::ptr::eq(*first, note))
    }

    /// Returns the footnotes, by their number.
    pub(crate) fn footnotes(&self) -> Vec<(u32, &'a Note)> {
        let notes = self.notes.iter().filter(|(number, _)| self.cited.contains(number));
        notes.map(|(number, note)| (*number, *note)).collect()
    }

    /// Returns a citation as a run of a line: a footnote, a citation of one, a link, or text.
    pub(crate) fn cite(&mut self, number: u32, shown: &str, place: Place) -> Value {
        let is_known = self.notes.contains_key(&number) || self.anchors.contains(&number);
        let kind = match place {
            _ if !is_known => "text",
            Place::Head => "text",
            Place::Body if self.is_footnote(number) => match self.written.insert(number) {
                true => "footnote",
                false => "again",
            },
            Place::Body | Place::Note => "link",
        };
        describe(kind, number, shown)
    }

    /// Returns the place that citations of a number lead to, as a run of a line; `None` if they lead elsewhere.
    pub(crate) fn anchor(&mut self, number: u32, place: Place) -> Option<Value> {
        let is_place = place == Place::Body && !self.notes.contains_key(&number);
        (is_place && self.written.insert(number)).then(|| describe("anchor", number, ""))
    }

    fn is_footnote(&self, number: u32) -> bool {
        self.cited.contains(&number) && self.notes.contains_key(&number)
    }

    /// Finds notes, and the citations that stand where a footnote may.
    fn find(&mut self, blocks: &'a [Block]) {
        for block in blocks {
            match block {
                Block::Paragraph(line) => self.find_in(line),
                Block::Hanging(lines) => lines.iter().for_each(|line| self.find_in(line)),
                Block::List(list) => list.items.iter().for_each(|item| self.find(item)),
                Block::Table(table) => {
                    table.rows.iter().flatten().for_each(|line| self.find_in(line));
                }
                Block::Quote(blocks) | Block::Fold { blocks, .. } => self.find(blocks),
                Block::Picture(Picture { figures, instead, .. }) if figures.is_empty() => {
                    self.find(instead);
                }
                Block::Notes(notes) => {
                    for note in notes.notes() {
                        self.notes.entry(note.number).or_insert(note);
                    }
                }
                Block::Heading { .. } | Block::Picture(_) | Block::Code { .. } | Block::Rule => {}
            }
        }
    }

    fn find_in(&mut self, line: &Line) {
        for inline in &line.0 {
            match inline {
                Inline::Mark { cited, extent: Extent::Statements, .. } => {
                    self.cited.extend(cited.iter().map(|one| one.number));
                }
                Inline::Anchor(number) => {
                    self.anchors.insert(*number);
                }
                Inline::Strong(line) | Inline::Emphasis(line) => self.find_in(line),
                _ => {}
            }
        }
    }
}

fn describe(kind: &str, number: u32, shown: &str) -> Value {
    let mut run = Dict::new();
    run.insert("kind".into(), Value::Str(kind.into()));
    run.insert("text".into(), Value::Str(shown.into()));
    run.insert("number".into(), Value::Str(number.to_string().into()));
    Value::Dict(run)
}
