//! Walks the body of a DOCX and writes it.

use std::collections::HashMap;

use crate::margins::Margins;
use crate::numbering::Numbering;
use crate::ooxml::{alternative, chart, described, diagram, is_on, math, symbol};
use crate::writer::{comment, tidy};
use crate::xml::{Element, Node};
use crate::{Bounds, Script, Scripts, Writer};

use super::styles::{
    Styles, heading, hidden, hides, inherited, is_entry, is_struck, is_title, list_of, outline,
    script_of, strikes, style_of,
};

/// How deep notes and text boxes may be nested.
const DEEPEST_NOTE: usize = 16;

/// The parts of the file beside its body.
pub(super) struct Parts<'a> {
    pub(super) styles: &'a Styles,
    pub(super) footnotes: HashMap<&'a str, &'a Element>,
    pub(super) endnotes: HashMap<&'a str, &'a Element>,
    pub(super) comments: HashMap<&'a str, &'a Element>,
    /// Charts and the data of diagrams, by the identifiers of their relations.
    pub(super) objects: HashMap<&'a str, &'a Element>,
}

/// What stands aside from a paragraph and is written after it.
pub(super) enum Aside<'a> {
    /// A text box, or a frame of the page.
    Blocks(&'a Element),
    Table(&'a Element),
    /// A note with its label.
    Note(String, &'a Element),
    Line(String),
    Object(&'a Element),
}

/// The text being written.
pub(super) struct Page<'a> {
    pub(super) parts: Parts<'a>,
    numbering: Numbering,
    /// How far headings move down because a title stands above them.
    shift: usize,
    pub(super) text: Writer,
    pub(super) aside: Vec<Aside<'a>>,
    /// How many text boxes and notes enclose what is being written.
    within: usize,
    /// What begins the next paragraph: a drop cap, or words whose paragraph mark was deleted.
    carried: String,
    /// The label of a note whose first paragraph is still to come.
    label: Option<String>,
    /// The font of the open run, if it names one.
    font: Option<&'a str>,
    scripts: Scripts,
    /// Whether the open paragraph is struck through.
    is_struck: bool,
    footnotes: usize,
    endnotes: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        parts: Parts<'a>,
        numbering: Numbering,
        has_title: bool,
        bounds: &Bounds,
    ) -> Self {
        Self {
            parts,
            numbering,
            shift: usize::from(has_title),
            text: Writer::new(bounds.text_bytes),
            aside: Vec::new(),
            within: 0,
            carried: String::new(),
            label: None,
            font: None,
            scripts: Scripts::default(),
            is_struck: false,
            footnotes: 0,
            endnotes: 0,
        }
    }

    pub(super) fn leave_out(&mut self, what: String) {
        self.text.leave_out(what);
    }

    /// Returns what was left out so far, as an entry of the metadata.
    pub(super) fn left_out(&self) -> Option<(String, String)> {
        self.text.left_out()
    }

    /// Returns what was written, with the headers and footers of pages after it.
    pub(super) fn finish(mut self, margins: &Margins) -> String {
        self.text.paragraph(&self.carried);
        margins.write(&mut self.text);
        self.text.finish()
    }

    pub(super) fn blocks(&mut self, parent: &'a Element) {
        let mut before = None;
        let marks = |name: &str| name.starts_with("bookmark") || name == "proofErr";
        let mut elements = parent.elements().filter(|it| !marks(&it.name)).peekable();
        while let Some(element) = elements.next() {
            if self.text.is_full() {
                return;
            }
            let neighbours = [before.replace(element), elements.peek().copied()];
            match &*element.name {
                "p" => {
                    self.paragraph(element, is_entry(self.parts.styles, element, neighbours));
                }
                "tbl" => self.table(element),
                "AlternateContent" => {
                    let before = self.text.len();
                    let options = ["Choice", "Fallback"].into_iter();
                    for option in options.filter_map(|name| element.child(name)) {
                        if self.text.len() == before {
                            self.blocks(option);
                        }
                    }
                }
                "del" | "moveFrom" | "sectPr" | "sdtPr" | "sdtEndPr" => {}
                "oMath" | "oMathPara" => {
                    let mut words = String::new();
                    math::write(element, &mut words);
                    self.text.paragraph(&words);
                }
                _ => self.blocks(element),
            }
        }
    }

    /// Writes a paragraph. `is_entry`: it belongs to a table of contents.
    fn paragraph(&mut self, paragraph: &'a Element, is_entry: bool) {
        let own = paragraph.child("pPr");
        let mut words = std::mem::take(&mut self.carried);
        self.line(paragraph, &mut words);
        let frame = own.and_then(|own| own.child("framePr"));
        let is_drop_cap = frame
            .and_then(|frame| frame.attribute("dropCap"))
            .is_some_and(|it| matches!(it, "drop" | "margin"));
        if is_drop_cap {
            words.trim().clone_into(&mut self.carried);
            return;
        }
        let mark = own.and_then(|own| own.child("rPr"));
        if mark.is_some_and(|mark| mark.child("del").is_some() || mark.child("moveFrom").is_some())
        {
            self.carried = words;
            return;
        }
        let aside = std::mem::take(&mut self.aside);
        let style = style_of(paragraph);
        if !is_entry && !style.is_some_and(|id| hides(self.parts.styles, id)) {
            self.write(paragraph, style, &words);
        }
        self.set_aside(aside);
    }

    /// Writes what was set aside from a paragraph or table, down to a fixed depth of notes within notes.
    pub(super) fn set_aside(&mut self, aside: Vec<Aside<'a>>) {
        if self.within >= DEEPEST_NOTE {
            return;
        }
        self.within += 1;
        for one in aside {
            let before = (std::mem::take(&mut self.carried), self.label.take());
            match one {
                Aside::Blocks(element) => self.blocks(element),
                Aside::Table(table) => self.table(table),
                Aside::Line(words) => self.text.paragraph(&words),
                Aside::Note(label, note) => {
                    self.label = Some(label);
                    self.blocks(note);
                }
                Aside::Object(part) if part.child("ptLst").is_some() => {
                    diagram::write(part, &mut self.text);
                }
                Aside::Object(part) => chart::write(part, &mut self.text),
            }
            (self.carried, self.label) = before;
        }
        self.within -= 1;
    }

    fn write(&mut self, paragraph: &'a Element, style: Option<&'a str>, words: &str) {
        let own = paragraph.child("pPr");
        let is_blank = words.trim().is_empty();
        if is_blank && own.is_some_and(|own| own.child("sectPr").is_some()) {
            // It only ends a section.
            return;
        }
        // A blank item counts too.
        let item = self.item(paragraph);
        if is_blank {
            return;
        }
        let styles = self.parts.styles;
        let level = own.and_then(outline).or_else(|| heading(styles, style?));
        let title = style.is_some_and(|id| is_title(styles, id));
        let level = if title { Some(1) } else { level.map(|level| level + self.shift) };
        let note = self.label.take();
        if let Some(level) = level.filter(|_| note.is_none()) {
            let label = item.map(|(_, label)| label).unwrap_or_default();
            let label =
                if label.chars().any(char::is_alphanumeric) { label } else { String::new() };
            return self.text.heading(level.min(6), &format!("{label} {words}"));
        }
        match (item, note) {
            (_, Some(note)) => self.text.paragraph(&format!("{note}{}", words.trim())),
            (Some((depth, label)), None) => self.text.labelled(depth, &label, words),
            (None, None) => self.text.paragraph(words),
        }
    }

    /// Counts a paragraph that is an item of a list; returns its depth and its label.
    pub(super) fn item(&mut self, paragraph: &'a Element) -> Option<(usize, String)> {
        let style = style_of(paragraph);
        let styles = self.parts.styles;
        let own = paragraph.child("pPr").map(list_of).unwrap_or_default();
        let id = own.id.or_else(|| inherited(styles, style?, |it| it.list.id.clone()));
        let id = id.filter(|id| id != "0")?;
        let of_style = || {
            let linked = inherited(styles, style?, |it| it.list.level);
            let base = |id: &str| self.numbering.level_of_style(&id_of(styles, id)?, id);
            base(style?).or(linked)
        };
        let linked = || self.numbering.level_of_style(&id, style?);
        let depth = own.level.or_else(linked).or_else(of_style).unwrap_or(0);
        Some((depth, self.numbering.label(&id, depth)))
    }

    /// Appends the text of a paragraph to `words`, a line break as a newline.
    pub(super) fn line(&mut self, paragraph: &'a Element, words: &mut String) {
        let style = style_of(paragraph);
        let is_struck = style.is_some_and(|style| strikes(self.parts.styles, style));
        let outer = (std::mem::take(&mut self.scripts), self.is_struck);
        self.is_struck = is_struck;
        self.inline(paragraph, words);
        self.scripts.set(Script::Line, words);
        (self.scripts, self.is_struck) = outer;
    }

    fn inline(&mut self, parent: &'a Element, words: &mut String) {
        for element in parent.elements() {
            match &*element.name {
                "t" => {
                    for child in &element.children {
                        if let Node::Text(text) = child {
                            words.push_str(&self.shown(text));
                        }
                    }
                }
                "tab" | "ptab" => words.push(' '),
                "br" | "cr" => words.push('\n'),
                "noBreakHyphen" => words.push('-'),
                "sym" => words.extend(symbol_of(element)),
                "r" if hidden(self.parts.styles, element) => {}
                "r" => {
                    let fonts = element.child("rPr").and_then(|own| own.child("rFonts"));
                    self.font = fonts.and_then(|it| it.attribute("ascii"));
                    let styles = self.parts.styles;
                    self.scripts.set(script_of(styles, element), words);
                    let start = words.len();
                    self.inline(element, words);
                    if is_struck(styles, element, self.is_struck) {
                        self.scripts.strike(words, start);
                    }
                    self.font = None;
                }
                "oMath" => {
                    self.scripts.set(Script::Line, words);
                    math::write(element, words);
                }
                "ruby" => {
                    for (before, name, after) in [("", "rubyBase", ""), (" (", "rt", ")")] {
                        if let Some(part) = element.child(name) {
                            words.push_str(before);
                            self.inline(part, words);
                            words.push_str(after);
                        }
                    }
                }
                "AlternateContent" => {
                    let before = (words.len(), self.aside.len());
                    let options = ["Choice", "Fallback"].into_iter();
                    for option in options.filter_map(|name| element.child(name)) {
                        if (words.len(), self.aside.len()) == before {
                            self.inline(option, words);
                        }
                    }
                }
                "txbxContent" => self.aside.push(Aside::Blocks(element)),
                "footnoteReference" | "endnoteReference" | "commentReference" => {
                    self.refer(element);
                }
                "fldChar" => words.extend(element.child("ffData").and_then(filled)),
                "docPr" => {
                    let words = described(element).map(|words| format!("Image: {words}"));
                    self.aside.extend(words.map(Aside::Line));
                }
                "chart" | "relIds" => {
                    let mut ids = element.attributes("id").chain(element.attributes("dm"));
                    // Each is written once, however often it is named.
                    let part = ids.find_map(|id| self.parts.objects.remove(id));
                    self.aside.extend(part.map(Aside::Object));
                }
                "shape" | "rect" | "roundrect" | "oval" | "textpath" => {
                    let alt = element.attribute("alt").and_then(alternative);
                    let alt = alt.map(|words| format!("Image: {words}"));
                    let art = element.attribute("string").filter(|_| &*element.name == "textpath");
                    let said = alt.or(art.map(str::to_owned));
                    self.aside.extend(said.map(Aside::Line));
                    self.inline(element, words);
                }
                "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "pPr" | "rPr"
                | "sectPr" | "sdtPr" | "ctrlPr" => {}
                _ => self.inline(element, words),
            }
        }
    }

    /// Returns text of the open run as its font shows it.
    fn shown(&self, text: &str) -> String {
        let moved = |it: char| ('\u{f020}'..='\u{f0ff}').contains(&it);
        let text = text.replace('\n', " ");
        if !text.contains(moved) {
            return text;
        }
        let font = self.font.filter(|font| !symbol::named(font).is_empty()).unwrap_or("Symbol");
        let shown = |it: char| {
            if moved(it) { symbol::character(font, u32::from(it)) } else { Some(it) }
        };
        text.chars().filter_map(shown).collect()
    }

    /// Sets a note or comment aside. Each is written once, so that a note that refers to itself ends.
    fn refer(&mut self, reference: &'a Element) {
        let id = reference.attribute("id").unwrap_or_default();
        let own_mark = is_mark_own(reference);
        let (notes, count, name) = match &*reference.name {
            "footnoteReference" => (&mut self.parts.footnotes, &mut self.footnotes, "Footnote"),
            "endnoteReference" => (&mut self.parts.endnotes, &mut self.endnotes, "Endnote"),
            _ => {
                let Some(said) = self.parts.comments.remove(id) else { return };
                let mut words = String::new();
                self.cell(said, &mut words);
                let author = said.attribute("author").unwrap_or_default();
                return self.aside.push(Aside::Line(comment(author, &tidy(&words))));
            }
        };
        let Some(note) = notes.remove(id) else { return };
        let label = if own_mark {
            format!("{name}: ")
        } else {
            *count += 1;
            format!("{name} {count}: ")
        };
        self.aside.push(Aside::Note(label, note));
    }
}

/// Returns the list that a style names itself or by its bases.
fn id_of(styles: &Styles, style: &str) -> Option<String> {
    inherited(styles, style, |it| it.list.id.clone())
}

/// Returns whether a note is marked with a sign of its author's choice.
fn is_mark_own(reference: &Element) -> bool {
    matches!(reference.attribute("customMarkFollows"), Some("1" | "true" | "on"))
}

/// Returns the character that a symbol shows.
fn symbol_of(element: &Element) -> Option<char> {
    let code = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    let font = element.attribute("font").unwrap_or_default();
    symbol::character(font, code).or_else(|| {
        let plain = char::from_u32(code)?;
        let moved = (0xF000..=0xF0FF).contains(&code);
        (!moved && symbol::named(font).is_empty()).then_some(plain)
    })
}

/// Returns what a form field shows that has no text of its own: a check box or the entry of a list.
fn filled(field: &Element) -> Option<String> {
    if let Some(list) = field.child("ddList") {
        let value = |name: &str| list.child(name)?.attribute("val")?.parse().ok();
        let chosen: usize = value("result").or_else(|| value("default")).unwrap_or(0);
        let entry = list.elements().filter(|it| &*it.name == "listEntry").nth(chosen)?;
        return entry.attribute("val").map(str::to_owned);
    }
    let own = field.child("checkBox")?;
    let state = own.child("checked").or_else(|| own.child("default"));
    Some(if is_on(state) { "☒" } else { "☐" }.to_owned())
}
