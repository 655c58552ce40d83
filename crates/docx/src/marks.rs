//! Which marks become footnotes, and where.

use std::collections::{BTreeMap, BTreeSet};

use render::{Block, Document, Extent, Inline, Line, Note, Picture};

/// Where a line stands, which decides whether it can hold a footnote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    /// A heading is shown again in the table of contents: a note stands there only if its mark stands nowhere else.
    Heading,
    /// The head of a table is repeated on every page, a note holds no notes, and a list of references lists notes that stand elsewhere: marks
    /// only lead to them.
    Leading,
}

/// What becomes of a mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fate<'a> {
    /// A footnote, its number counted from 1.
    Footnote(u32, &'a Note),
    /// A link to a bookmark.
    Link(String),
    /// It leads nowhere.
    Plain,
}

/// The notes of a report, and which of them were set.
#[derive(Debug)]
pub(crate) struct Marks<'a> {
    notes: BTreeMap<u32, &'a Note>,
    in_text: BTreeSet<u32>,
    in_headings: BTreeSet<u32>,
    anchors: BTreeSet<u32>,
    set: BTreeSet<u32>,
}

impl<'a> Marks<'a> {
    pub(crate) fn of(report: &'a Document) -> Marks<'a> {
        let mut marks = Marks {
            notes: BTreeMap::new(),
            in_text: BTreeSet::new(),
            in_headings: BTreeSet::new(),
            anchors: BTreeSet::new(),
            set: BTreeSet::new(),
        };
        report.title.iter().for_each(|title| marks.look_at(title, Place::Heading));
        marks.look_through(&report.blocks);
        marks
    }

    /// Returns what becomes of a mark that stands there. Each number is a footnote once.
    pub(crate) fn settle(&mut self, number: u32, place: Place) -> Fate<'a> {
        let Some(note) = self.notes.get(&number) else {
            return match self.anchors.contains(&number) {
                true => Fate::Link(anchor(number)),
                false => Fate::Plain,
            };
        };
        let can_be_set = match place {
            Place::Text => true,
            Place::Heading => !self.in_text.contains(&number),
            Place::Leading => false,
        };
        if can_be_set && self.set.insert(number) {
            return Fate::Footnote(u32::try_from(self.set.len()).unwrap_or(u32::MAX), note);
        }
        Fate::Link(bookmark(number))
    }

    /// Returns whether a number leads anywhere.
    pub(crate) fn leads(&self, number: u32) -> bool {
        self.notes.contains_key(&number) || self.anchors.contains(&number)
    }

    /// Returns whether the note of a number stands below the text, as a footnote.
    pub(crate) fn is_footnote(&self, note: &Note) -> bool {
        let is_marked =
            self.in_text.contains(&note.number) || self.in_headings.contains(&note.number);
        // Of two notes of one number the first is the footnote.
        is_marked && self.notes.get(&note.number).is_some_and(|first| std::ptr::eq(*first, note))
    }

    fn look_through(&mut self, blocks: &'a [Block]) {
        for block in blocks {
            match block {
                Block::Heading { line, .. } => self.look_at(line, Place::Heading),
                Block::Paragraph(line) => self.look_at(line, Place::Text),
                Block::Hanging(lines) => {
                    lines.iter().for_each(|line| self.look_at(line, Place::Text));
                }
                Block::List(list) => list.items.iter().for_each(|item| self.look_through(item)),
                Block::Table(table) => {
                    let cells = table.rows.iter().flatten();
                    cells.for_each(|line| self.look_at(line, Place::Text));
                }
                Block::Quote(blocks) => self.look_through(blocks),
                Block::Picture(Picture { figures, instead, .. }) => {
                    if figures.is_empty() {
                        self.look_through(instead);
                    }
                }
                Block::Fold { title, blocks } => {
                    self.look_at(title, Place::Heading);
                    self.look_through(blocks);
                }
                Block::Notes(notes) => {
                    for note in notes.notes() {
                        self.notes.entry(note.number).or_insert(note);
                    }
                }
                Block::Code { .. } | Block::Rule => {}
            }
        }
    }

    fn look_at(&mut self, line: &Line, place: Place) {
        for inline in &line.0 {
            match inline {
                Inline::Mark { cited, extent: Extent::Statements, .. } => {
                    let numbers = cited.iter().map(|one| one.number);
                    match place {
                        Place::Text => self.in_text.extend(numbers),
                        Place::Heading => self.in_headings.extend(numbers),
                        Place::Leading => {}
                    }
                }
                Inline::Anchor(number) => {
                    self.anchors.insert(*number);
                }
                Inline::Strong(line) | Inline::Emphasis(line) => self.look_at(line, place),
                _ => {}
            }
        }
    }
}

/// Returns the bookmark of a footnote's own text.
pub(crate) fn source(number: u32) -> String {
    format!("source_{number}")
}

/// Returns the bookmark of where a note's mark first stands.
pub(crate) fn bookmark(number: u32) -> String {
    format!("note_{number}")
}

/// Returns the bookmark of what marks without a note lead to.
pub(crate) fn anchor(number: u32) -> String {
    format!("figure_{number}")
}
