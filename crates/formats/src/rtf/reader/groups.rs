//! What becomes of a group of an RTF where it ends.

use super::super::destination::{Destination, Note};
use super::super::flow::{Block, Form};
use super::Reader;
use crate::ooxml::alternative;
use crate::writer::{comment, tidy};

impl Reader {
    pub(super) fn close(&mut self) {
        self.skip = 0;
        self.high = None;
        let Some(outer) = self.open.pop() else { return };
        let inner = std::mem::replace(&mut self.state, outer);
        if self.flows.last().is_some_and(|(_, depth, _)| *depth > self.open.len()) {
            self.end_note();
        }
        if inner.destination == outer.destination {
            return;
        }
        let said = match inner.destination {
            Destination::About(_)
            | Destination::Label
            | Destination::LevelText
            | Destination::Author
            | Destination::PropertyName
            | Destination::PropertyValue
            | Destination::Instruction => std::mem::take(&mut self.said),
            _ => String::new(),
        };
        match inner.destination {
            Destination::About(key) if !said.trim().is_empty() => {
                if key == "title" {
                    self.title = Some(tidy(&said));
                } else {
                    self.metadata.insert(key.to_owned(), tidy(&said));
                }
            }
            Destination::Created => {
                let [year, month, day] = self.date;
                if (1..=9999).contains(&year)
                    && (1..=12).contains(&month)
                    && (1..=31).contains(&day)
                {
                    let date = format!("{year:04}-{month:02}-{day:02}");
                    self.metadata.insert("created".to_owned(), date);
                }
            }
            Destination::Label => {
                if let Some((flow, _, _)) = self.flows.last_mut()
                    && !outer.hidden
                    && !outer.deleted
                {
                    flow.label = Some(tidy(&said));
                }
            }
            Destination::LevelText => self.lists.label(&said),
            Destination::Author => self.author = said,
            Destination::Instruction => {
                let name = said.split_whitespace().next().unwrap_or_default();
                self.is_page_field = matches!(name, "PAGE" | "NUMPAGES" | "SECTIONPAGES");
                if self.is_page_field {
                    self.number_page();
                }
            }
            Destination::PropertyName => self.property = tidy(&said),
            Destination::PropertyValue if self.property == "wzDescription" => {
                if let (Some(words), Some((flow, _, _))) =
                    (alternative(&said), self.flows.last_mut())
                {
                    flow.set_aside(Block::Paragraph(format!("Image: {words}")));
                }
            }
            _ => {}
        }
    }

    /// Ends the innermost note and sets it aside in the text around it.
    pub(super) fn end_note(&mut self) {
        let Some((flow, _, note)) = self.flows.pop() else { return };
        let Some((outer, _, _)) = self.flows.last_mut() else { return };
        let label = match note {
            Note::Box => {
                for block in flow.finish(Form::default()) {
                    outer.set_aside(block);
                }
                return;
            }
            Note::Header { first } | Note::Footer { first } => {
                let kind = if matches!(note, Note::Header { .. }) { "Header" } else { "Footer" };
                let margins = if first { &mut self.first_margins } else { &mut self.margins };
                return margins.add(kind, &flow.parts());
            }
            Note::Comment => {
                let words = comment(&std::mem::take(&mut self.author), &flow.line());
                return outer.set_aside(Block::Paragraph(words));
            }
            Note::Footnote if self.endnote => {
                self.endnotes += 1;
                format!("Endnote {}", self.endnotes)
            }
            Note::Footnote => {
                self.footnotes += 1;
                format!("Footnote {}", self.footnotes)
            }
        };
        let words = flow.line();
        if !words.trim().is_empty() {
            outer.set_aside(Block::Paragraph(format!("{label}: {}", words.trim())));
        }
    }
}
