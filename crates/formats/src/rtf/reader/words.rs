//! What the control words of an RTF do.

use super::super::cells::{Cells, Cover};
use super::super::charset::Charset;
use super::super::destination::{Destination, Note};
use super::super::flow::Form;
use super::{DEEPEST_NOTE, Reader};
use crate::Script;

impl Reader {
    /// Changes to the destination that the first word of a group names; returns whether it is one.
    fn enter(&mut self, name: &str) -> bool {
        let now = self.state.destination;
        if now == Destination::Skipped {
            return false;
        }
        let Some(destination) = Destination::named(name, now, self.optional) else {
            return false;
        };
        self.state.destination = destination;
        match destination {
            Destination::Note(_) if self.flows.len() > DEEPEST_NOTE => {
                self.state.destination = Destination::Skipped;
            }
            Destination::Note(note) => {
                let flow =
                    self.flows.last().map(|(outer, _, _)| outer.within()).unwrap_or_default();
                self.flows.push((flow, self.open.len(), note));
                self.state.in_table = false;
                self.state.script = Script::Line;
                self.state.struck = false;
                self.endnote = false;
            }
            Destination::Created => self.date = [0; 3],
            Destination::About(_)
            | Destination::Label
            | Destination::LevelText
            | Destination::Author
            | Destination::PropertyName
            | Destination::PropertyValue
            | Destination::Instruction => self.said.clear(),
            _ => {}
        }
        true
    }

    /// Follows a control word.
    pub(super) fn word(&mut self, name: &str, number: Option<i32>) {
        if self.fresh && self.enter(name) {
            return;
        }
        if self.fresh && name == "fldrslt" && std::mem::take(&mut self.is_page_field) {
            // In a header or footer, a mark stands for the number.
            let in_margin = matches!(
                self.state.destination,
                Destination::Note(Note::Header { .. } | Note::Footer { .. })
            );
            if in_margin {
                self.state.destination = Destination::Skipped;
                return;
            }
        }
        let value = number.unwrap_or(0);
        let is_on = number != Some(0);
        match self.state.destination {
            Destination::Skipped => return,
            Destination::Fonts => return self.font_word(name, value),
            Destination::Lists => return self.lists.word(name, value),
            Destination::ListOverrides => return self.lists.override_word(name, value),
            Destination::Styles => match name {
                "s" => self.style = value,
                "cs" | "ds" | "ts" => self.style = -2,
                "outlinelevel" => {
                    self.styles.entry(self.style).or_default().outline = level(value);
                }
                _ => {}
            },
            Destination::Created => match name {
                "yr" => self.date[0] = value,
                "mo" => self.date[1] = value,
                "dy" => self.date[2] = value,
                _ => {}
            },
            _ => {}
        }
        match name {
            "ansicpg" => self.use_page(Charset::of_page(value)),
            "mac" => self.use_page(Charset::of_page(10000)),
            "pc" => self.use_page(Charset::of_page(437)),
            "pca" => self.use_page(Charset::of_page(850)),
            "deff" => self.default_font = value,
            "f" => self.use_font(value),
            "uc" => self.state.stand_ins = usize::try_from(value).unwrap_or(1).min(16),
            "u" => {
                self.push_unit(value);
                self.skip = self.state.stand_ins;
            }
            "plain" => {
                self.state.hidden = false;
                self.state.deleted = false;
                self.state.script = Script::Line;
                self.state.struck = false;
                self.use_font(self.default_font);
            }
            "super" | "up" if is_on => self.state.script = Script::Super,
            "sub" | "dn" if is_on => self.state.script = Script::Sub,
            "super" | "up" | "sub" | "dn" | "nosupersub" => self.state.script = Script::Line,
            "strike" | "striked" => self.state.struck = is_on,
            "v" => self.state.hidden = is_on,
            "deleted" => self.state.deleted = is_on,
            "pard" => {
                self.state.style = -1;
                self.state.outline = None;
                self.state.in_table = false;
                self.state.list = 0;
                self.state.depth = 0;
            }
            "s" => self.state.style = value,
            "outlinelevel" => self.state.outline = level(value),
            "intbl" => self.state.in_table = is_on,
            "ls" => self.state.list = value,
            "ilvl" => self.state.depth = usize::try_from(value).unwrap_or(0).min(8),
            "ftnalt" => self.endnote = true,
            "tab" => self.push("\t"),
            "chpgn" | "sectnum" => self.number_page(),
            "titlepg" => self.has_first = true,
            "line" | "lbr" => self.push("\n"),
            "emspace" | "enspace" | "qmspace" => self.push(" "),
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "bullet" => self.push("•"),
            "zwj" => self.push("\u{200d}"),
            "zwnj" => self.push("\u{200c}"),
            "par" | "sect" | "page" | "column" => self.end_paragraph(),
            "trowd" | "trhdr" | "cell" | "nestcell" | "row" | "nestrow" | "clmrg" | "clvmrg"
            | "cellx" => self.table_word(name, value),
            _ => {}
        }
    }

    fn font_word(&mut self, name: &str, value: i32) {
        match name {
            "f" => self.font = value,
            "fcharset" => self.fonts.entry(self.font).or_default().charset = Some(value),
            "cpg" => self.fonts.entry(self.font).or_default().page = Some(value),
            _ => {}
        }
    }

    fn table_word(&mut self, name: &str, value: i32) {
        if !self.is_shown() {
            return;
        }
        let Some((flow, _, _)) = self.flows.last_mut() else { return };
        match name {
            "trowd" => {
                flow.row_is_head = false;
                flow.cells = Cells::default();
            }
            "clmrg" => flow.cells.cover(Cover::Left),
            "clvmrg" => flow.cells.cover(Cover::Above),
            "cellx" => flow.cells.end(value),
            "trhdr" => flow.row_is_head = true,
            "cell" => flow.end_cell(),
            "row" => flow.end_row(),
            _ => flow.end_part(),
        }
    }

    /// Returns whether text goes into the text or a note.
    fn is_shown(&self) -> bool {
        matches!(self.state.destination, Destination::Text | Destination::Note(_))
    }

    fn use_page(&mut self, page: Charset) {
        self.page = page;
        self.state.charset = page;
    }

    fn use_font(&mut self, number: i32) {
        let font = self.fonts.get(&number);
        let own = font.and_then(|font| {
            let named = font.name.split(';').next().unwrap_or_default();
            let charset = font.charset.and_then(|it| Charset::of_font(it, named));
            charset.or_else(|| font.page.map(Charset::of_page))
        });
        self.state.charset = own.unwrap_or(self.page);
    }

    /// Returns the name of the paragraph's style in lower case.
    fn style_name(&self) -> Option<String> {
        let style = self.styles.get(&self.state.style)?;
        style.name.split(';').next().map(|name| name.trim().to_lowercase())
    }

    /// Returns what the open paragraph is.
    pub(super) fn paragraph_form(&self) -> Form {
        let style = self.styles.get(&self.state.style);
        let named = || {
            let name = self.style_name()?;
            match name.strip_prefix("heading") {
                Some(level) => level.trim().parse().ok().filter(|level| (1..=9).contains(level)),
                None => (name == "title").then_some(0),
            }
        };
        let level = self.state.outline.or_else(|| style?.outline).or_else(named);
        Form { level, in_table: self.state.in_table, depth: self.state.depth }
    }

    pub(super) fn end_paragraph(&mut self) {
        match self.state.destination {
            Destination::Text | Destination::Note(_) => {
                let form = self.paragraph_form();
                let of_contents = self.style_name().is_some_and(|name| name.starts_with("toc "));
                let label = (self.state.list != 0).then(|| {
                    let id = self.state.list.to_string();
                    self.lists.numbering.label(&id, self.state.depth)
                });
                if let Some((flow, _, _)) = self.flows.last_mut() {
                    // The label in the file is what printed.
                    flow.label = flow.label.take().or(label);
                }
                if of_contents && let Some((flow, _, _)) = self.flows.last_mut() {
                    flow.drop_words();
                }
                if let Some((flow, _, _)) = self.flows.last_mut() {
                    flow.end_paragraph(form);
                }
            }
            _ => self.push(" "),
        }
    }
}

/// Returns the heading level of an outline level; body text has none.
fn level(outline: i32) -> Option<usize> {
    usize::try_from(outline).ok().filter(|level| *level < 9).map(|level| level + 1)
}
