//! What stands within a line: pictures, drawings, formulas, raised and annotated characters, marks of notes, fields.

use dom_query::NodeRef;

use super::blocks::Page;
use super::seen::is_block;
use super::{math, seen};
use crate::Script;

/// The longest mark of a note, in characters.
const LONGEST_MARK: usize = 8;
/// Fields whose value is seen.
#[rustfmt::skip]
const FIELDS: &[&str] =
    &["", "date", "datetime-local", "email", "month", "number", "search", "tel", "text", "time", "url", "week"];

impl Page<'_> {
    pub(super) fn picture(&mut self, node: &NodeRef) {
        let alt = seen::alternative(node);
        // An encyclopaedia shows a formula as a picture, beside the formula that it hides.
        let is_formula = !self.formula.is_empty() && math::is_same(&alt, &self.formula);
        if alt.is_empty() || is_formula {
            return;
        }
        let is_tight = self.line.is_empty() || self.line.ends_with(|c: char| !c.is_alphanumeric());
        self.say(if is_tight { "" } else { " " });
        self.say(&alt);
        let goes_on = node.next_sibling().is_some_and(|it| {
            it.is_text() && it.text().starts_with(char::is_alphanumeric)
                || it.is_element() && it.has_name("img")
        });
        self.say(if goes_on { " " } else { "" });
    }

    /// Writes the text in a drawing: the labels of a chart, the words of a diagram. Most drawings are icons without text.
    pub(super) fn labels(&mut self, drawing: &NodeRef) {
        let texts = drawing
            .descendants_it()
            .filter(|node| node.has_name("text") || node.has_name("foreignObject"));
        let labels: Vec<String> = texts.map(|text| text.text().trim().to_owned()).collect();
        let labels = labels.join(" ");
        if labels.trim().is_empty() {
            return;
        }
        if self.on_one_line {
            self.say(&format!(" {labels} "));
        } else {
            self.end_block();
            self.say(&labels);
            self.end_block();
        }
    }

    pub(super) fn formula(&mut self, node: &NodeRef) {
        let formula = math::line(node);
        if formula.is_empty() || math::is_same(&formula, &self.formula) {
            return;
        }
        self.say(&formula);
        self.formula = formula;
    }

    /// Notes how the characters of a `ruby` are read, to write it after all that stand together.
    pub(super) fn annotated(&mut self, node: &NodeRef) {
        let reading = std::mem::take(&mut self.reading);
        for child in node.children_it(false) {
            let name = child.node_name();
            match name.as_deref().unwrap_or_default() {
                "rt" | "rtc" => self.reading.push_str(child.text().trim()),
                "rp" => {}
                _ if child.is_text() => {
                    let said = std::mem::take(&mut self.reading);
                    self.say(&child.text());
                    self.reading = said;
                }
                _ => {
                    let said = std::mem::take(&mut self.reading);
                    self.children(&child);
                    self.reading = said;
                }
            }
        }
        self.reading.insert_str(0, &reading);
    }

    pub(super) fn end_reading(&mut self) {
        let reading = std::mem::take(&mut self.reading);
        if !reading.is_empty() {
            self.say(&format!("({reading})"));
        }
    }

    /// Writes words that are struck through; struck blocks are left out.
    pub(super) fn struck(&mut self, node: &NodeRef) {
        let is_name_of_block = |it: NodeRef| it.node_name().is_some_and(|name| is_block(&name));
        if !node.descendants_it().any(is_name_of_block) {
            let outer = std::mem::replace(&mut self.is_struck, true);
            self.children(node);
            self.is_struck = outer;
        }
    }

    /// Appends the text of a page to the open block, between the marks of what is struck through if it is.
    pub(super) fn say_text(&mut self, text: &str) {
        let start = self.line.len();
        self.say(text);
        if self.is_struck {
            let script = self.scripts.script();
            self.scripts.strike(&mut self.line, start);
            self.scripts.set(script, &mut self.line);
        }
    }

    pub(super) fn raised(&mut self, node: &NodeRef, script: Script) {
        if script == Script::Super && seen::is_note_mark(node) {
            let mark = node.text();
            if mark.trim().chars().count() <= LONGEST_MARK {
                return self.note_mark(&mark);
            }
        }
        self.scripts.set(script, &mut self.line);
        self.children(node);
        self.scripts.set(Script::Line, &mut self.line);
    }

    /// Writes the mark of a note, which must not read as a digit of the number before it.
    pub(super) fn note_mark(&mut self, mark: &str) {
        let mark = mark.trim();
        if mark.chars().all(char::is_alphanumeric) && !mark.is_empty() {
            self.say(&format!("[{mark}]"));
        } else {
            self.say(mark);
        }
    }

    pub(super) fn field(&mut self, node: &NodeRef) {
        let kind = node.attr_or("type", "").to_ascii_lowercase();
        if FIELDS.contains(&kind.as_str()) {
            let value = node.attr_or("value", "");
            if !value.trim().is_empty() {
                self.say(&format!(" {value} "));
            }
        }
    }
}
