//! Walks the content of an OpenDocument file and writes it.

mod drawings;
mod lists;

use std::collections::HashMap;

use crate::writer::tidy;
use crate::xml::{Element, Node};
use crate::{Script, Scripts, Writer};

use super::lists::Counter;
use super::styles::Styles;

/// How deep notes and text boxes may be nested.
const DEEPEST_NOTE: usize = 16;

/// What stands aside from a paragraph and is written after it.
pub(super) enum Aside<'a> {
    /// A text box or shape.
    Blocks(&'a Element),
    /// A note with its label.
    Note(String, &'a Element),
    Line(String),
    Object(&'a Element),
}

/// The text being written.
pub(super) struct Page<'a> {
    pub(super) styles: &'a Styles<'a>,
    /// The parts of formulas and charts, by the name that refers to them.
    objects: HashMap<&'a str, &'a Element>,
    pub(super) text: Writer,
    /// How far headings move down because a title stands above them.
    shift: usize,
    outline: Counter,
    pub(super) aside: Vec<Aside<'a>>,
    /// How many text boxes and notes enclose what is being written.
    within: usize,
    /// The counts of lists that are closed, by the identifier of the list and the name of its style.
    closed: HashMap<&'a str, Counter>,
    /// How many items are open, which is the depth of the next list.
    depth: usize,
    /// The label of the item whose first paragraph is still to come.
    label: Option<String>,
    /// Whether the open item belongs to the list of headings.
    outlined: bool,
    /// Where the open span stands.
    script: Script,
    /// Whether it is struck through.
    is_struck: bool,
    scripts: Scripts,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        styles: &'a Styles<'a>,
        objects: HashMap<&'a str, &'a Element>,
        text: Writer,
    ) -> Self {
        Self {
            styles,
            objects,
            text,
            shift: 0,
            outline: Counter::default(),
            aside: Vec::new(),
            within: 0,
            closed: HashMap::new(),
            depth: 0,
            label: None,
            outlined: false,
            script: Script::Line,
            is_struck: false,
            scripts: Scripts::default(),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text.finish()
    }

    /// Moves headings down if a title stands above them.
    pub(super) fn shift(&mut self, body: &'a Element) {
        self.shift = usize::from(body.elements().any(|it| self.styles.is_title(it)));
    }

    pub(super) fn hides(&self, element: &'a Element) -> bool {
        element.attribute("display") == Some("none") || self.styles.hide(element)
    }

    pub(super) fn blocks(&mut self, parent: &'a Element) {
        for element in parent.elements() {
            if self.text.is_full() {
                return;
            }
            self.block(element);
        }
    }

    /// Writes a block: a paragraph, list, table or shape, or those within.
    pub(super) fn block(&mut self, element: &'a Element) {
        match &*element.name {
            "p" | "h" => self.paragraph(element),
            "list" => self.list(element, None),
            "table" => self.table(element),
            "section" if self.hides(element) => {}
            "tracked-changes"
            | "table-of-content"
            | "illustration-index"
            | "table-index"
            | "object-index"
            | "alphabetical-index"
            | "user-index"
            | "forms"
            | "sequence-decls"
            | "variable-decls"
            | "user-field-decls"
            | "bibliography-source"
            | "notes"
            | "desc"
            | "title"
            | "event-listeners"
            | "glue-point" => {}
            "frame" | "custom-shape" | "g" | "annotation" | "rect" | "ellipse" | "circle"
            | "line" | "polyline" | "polygon" | "path" | "connector" | "caption" | "measure" => {
                self.drawing(element);
                self.set_aside();
            }
            _ => self.blocks(element),
        }
    }

    fn paragraph(&mut self, paragraph: &'a Element) {
        let before = std::mem::take(&mut self.aside);
        let mut words = String::new();
        if !self.hides(paragraph) {
            self.line(paragraph, &mut words);
        }
        let label = self.label.take();
        let blank = words.trim().is_empty();
        if &*paragraph.name == "h" && !blank {
            let level = paragraph.attribute("outline-level").and_then(|it| it.parse().ok());
            let level = level.unwrap_or(1_usize).clamp(1, LEVELS);
            let label = match label {
                Some(label) => label,
                None => self.number(paragraph, level),
            };
            let label =
                if label.chars().any(char::is_alphanumeric) { label } else { String::new() };
            self.text.heading(level + self.shift, &format!("{label} {words}"));
        } else if self.within == 0 && self.depth == 0 && !blank && self.styles.is_title(paragraph) {
            self.text.heading(1, &words);
        } else if let Some(label) = label {
            if blank {
                // The label waits for words: a text box or a nested list may come first.
                self.label = Some(label);
            } else {
                self.text.labelled(self.depth.saturating_sub(1), &label, &words);
            }
        } else {
            self.text.paragraph(&words);
        }
        self.set_aside();
        self.aside = before;
    }

    /// Returns the number of a heading as its outline style prints it.
    fn number(&mut self, heading: &'a Element, level: usize) -> String {
        let unnumbered = heading.attribute("is-list-header") == Some("true");
        let own_list = self.styles.list_of(heading).is_some_and(|name| name != "Outline");
        let own_list = own_list && !std::mem::take(&mut self.outlined);
        if unnumbered || own_list && heading.child("number").is_none() {
            return String::new();
        }
        let restarts = heading.attribute("restart-numbering") == Some("true");
        let set = heading.attribute("start-value").and_then(|it| it.parse().ok());
        let counted = self.outline.label(&self.styles.outline, level - 1, set.filter(|_| restarts));
        heading.child("number").map_or(counted, |it| tidy(&it.text()))
    }

    /// Writes what was set aside from a paragraph or table, down to a fixed depth of notes within notes.
    pub(super) fn set_aside(&mut self) {
        let aside = std::mem::take(&mut self.aside);
        if self.within >= DEEPEST_NOTE {
            return;
        }
        self.within += 1;
        let depth = std::mem::take(&mut self.depth);
        let label = self.label.take();
        for one in aside {
            match one {
                Aside::Blocks(element) => self.blocks(element),
                Aside::Line(words) => self.text.paragraph(&words),
                Aside::Object(object) => self.object(object),
                Aside::Note(label, note) => {
                    let mut words = String::new();
                    self.flat(note, &mut words);
                    let words = words.trim();
                    if !words.is_empty() {
                        self.text.paragraph(&format!("{label}{words}"));
                    }
                    self.set_aside();
                }
            }
        }
        self.label = label;
        self.depth = depth;
        self.within -= 1;
    }

    /// Appends the text of a paragraph to `words`, a line break as a newline.
    pub(super) fn line(&mut self, paragraph: &'a Element, words: &mut String) {
        let outer =
            (std::mem::take(&mut self.script), self.is_struck, std::mem::take(&mut self.scripts));
        self.is_struck = self.styles.struck(paragraph).unwrap_or(false);
        self.inline(paragraph, words);
        self.scripts.set(Script::Line, words);
        (self.script, self.is_struck, self.scripts) = outer;
    }

    fn inline(&mut self, parent: &'a Element, words: &mut String) {
        for node in &parent.children {
            let element = match node {
                Node::Text(text) => {
                    self.scripts.set(self.script, words);
                    let start = words.len();
                    words.push_str(&text.replace(['\n', '\r'], " "));
                    if self.is_struck {
                        self.scripts.strike(words, start);
                    }
                    continue;
                }
                Node::Element(element) => element,
            };
            match &*element.name {
                "s" | "tab" => words.push(' '),
                "line-break" => words.push('\n'),
                "span" if self.hides(element) => {}
                "span" => {
                    let outer = (self.script, self.is_struck);
                    self.script = self.styles.script(element).unwrap_or(outer.0);
                    self.is_struck = self.styles.struck(element).unwrap_or(outer.1);
                    self.inline(element, words);
                    (self.script, self.is_struck) = outer;
                }
                "note" => {
                    let label = element.child("note-citation").map(|it| tidy(&it.text()));
                    let kind = match element.attribute("note-class") {
                        Some("endnote") => "Endnote",
                        _ => "Footnote",
                    };
                    let label = format!("{kind} {}", label.unwrap_or_default());
                    if let Some(body) = element.child("note-body") {
                        self.aside.push(Aside::Note(format!("{}: ", label.trim_end()), body));
                    }
                }
                "ruby" => {
                    self.inline_child(element, "ruby-base", words);
                    words.push_str(" (");
                    self.inline_child(element, "ruby-text", words);
                    words.push(')');
                }
                "hidden-text" | "number" | "annotation-end" | "tracked-changes" | "script"
                | "desc" | "title" | "event-listeners" | "bookmark-start" | "bookmark-end" => {
                    // `text:title` is a field that shows the document's title; `svg:title` has a drawing around it.
                    if &*element.name == "title" && is_textual(parent) {
                        words.push_str(&element.text());
                    }
                }
                "hidden-paragraph" if element.attribute("is-hidden") == Some("true") => {}
                "variable-set" | "user-field-get"
                    if element.attribute("display") == Some("none") => {}
                "frame" | "custom-shape" | "g" | "annotation" | "rect" | "ellipse" | "circle"
                | "line" | "polyline" | "polygon" | "path" | "connector" | "caption"
                | "measure" => self.drawing(element),
                _ => self.inline(element, words),
            }
        }
    }

    fn inline_child(&mut self, parent: &'a Element, name: &str, words: &mut String) {
        if let Some(child) = parent.child(name) {
            self.inline(child, words);
        }
    }
}

/// The deepest heading of an outline.
const LEVELS: usize = 10;

/// Returns whether the words of an element are read as text.
fn is_textual(element: &Element) -> bool {
    matches!(&*element.name, "p" | "h" | "span" | "a")
}
