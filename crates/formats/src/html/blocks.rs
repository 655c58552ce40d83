//! The tree of a page becomes Markdown that reads as the page does.
//!
//! A paragraph is one line, so that it can be quoted. Link and image addresses, emphasis and table padding are left out. The work and the
//! result grow only with the page.

use std::borrow::Cow;

use dom_query::NodeRef;

use super::seen::{self, is_block, is_unreadable};
use super::{Preformatted, Settings, Unseen, code};
use crate::mail::write_plain;
use crate::writer::lines;
use crate::{Script, Scripts, Writer, escaped};

/// How deep lists and quotes are indented; deeper ones stay at the same column.
const DEEPEST: usize = 8;
/// Returns the readable part of what `node` holds as Markdown, without white space at its ends.
pub fn markdown(node: &NodeRef) -> String {
    let mut text = Writer::new(u64::MAX);
    Page::new(&mut text, Settings::default()).write_node(node);
    let mut text = text.finish();
    text.truncate(text.trim_end().len());
    text
}

pub(super) struct Page<'a> {
    pub(super) text: &'a mut Writer,
    pub(super) settings: Settings,
    /// How many tables were written.
    pub(super) tables: usize,
    /// The block being written; a line break is a newline.
    pub(super) line: String,
    pub(super) scripts: Scripts,
    /// Whether what stands here is struck through.
    pub(super) is_struck: bool,
    /// How the characters before are read, to be written after them.
    pub(super) reading: String,
    /// The formula written last.
    pub(super) formula: String,
    /// The marker of the list item that the next block begins.
    mark: Option<String>,
    /// For each enclosing list, the number of its next item, if it is numbered.
    lists: Vec<Option<u64>>,
    /// The terms of the next definition.
    terms: Vec<String>,
    /// The terms of the definition that begins with the next block.
    term: Option<String>,
    /// The number of enclosing definitions.
    definitions: usize,
    quotes: usize,
    /// Whether this is within a heading or cell, where only a space separates blocks.
    pub(super) on_one_line: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(text: &'a mut Writer, settings: Settings) -> Self {
        Self {
            text,
            settings,
            tables: 0,
            line: String::new(),
            scripts: Scripts::default(),
            is_struck: false,
            reading: String::new(),
            formula: String::new(),
            mark: None,
            lists: Vec::new(),
            terms: Vec::new(),
            term: None,
            definitions: 0,
            quotes: 0,
            on_one_line: false,
        }
    }

    /// Writes all that `node` holds.
    pub(super) fn write_node(&mut self, node: &NodeRef) {
        self.children(node);
        self.end_block();
        self.end_term();
    }

    pub(super) fn children(&mut self, node: &NodeRef) {
        let outer = self.is_struck;
        self.is_struck |= seen::is_struck(node);
        for child in node.children_it(false) {
            if self.text.is_full() {
                break;
            }
            if child.is_text() {
                self.say_text(&child.text());
            } else if child.is_element() {
                let name = child.node_name();
                let name = name.as_deref().unwrap_or_default();
                self.element(&child, name.strip_prefix("jats:").unwrap_or(name));
            }
        }
        self.is_struck = outer;
    }

    fn element(&mut self, node: &NodeRef, name: &str) {
        if is_unreadable(node, name) && !node.node_name().is_some_and(|it| it.starts_with("jats:"))
            || self.settings.unseen == Unseen::LeftOut && seen::is_hidden(node)
            || seen::is_ornament(node, name)
        {
            return;
        }
        if name != "ruby" {
            self.end_reading();
        }
        match name {
            "img" => self.picture(node),
            "svg" => self.labels(node),
            "math" => self.formula(node),
            "ruby" => self.annotated(node),
            "sup" => self.raised(node, Script::Super),
            "sub" => self.raised(node, Script::Sub),
            "q" => {
                self.say("“");
                self.children(node);
                self.say("”");
            }
            "s" | "strike" | "del" => self.struck(node),
            "a" if seen::is_note_link(node) => self.note_mark(&node.text()),
            "input" => self.field(node),
            "br" if self.on_one_line => self.say(" "),
            "br" => {
                self.line.truncate(self.line.trim_end_matches(' ').len());
                self.line.push('\n');
            }
            _ if self.on_one_line => {
                let space = if is_block(name) { " " } else { "" };
                self.say(space);
                self.children(node);
                self.say(space);
            }
            "table" => self.table(node),
            _ => self.block_element(node, name),
        }
    }

    /// Writes an element that may begin a new line.
    fn block_element(&mut self, node: &NodeRef, name: &str) {
        if is_block(name) {
            self.end_block();
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(name.as_bytes()[1] - b'0') + self.settings.level;
                let heading = self.title(node);
                if !heading.is_empty() {
                    self.end_term();
                    self.text.heading(level, &heading);
                }
            }
            "pre" | "listing" | "xmp" => self.preformatted(node),
            "ul" | "ol" | "menu" | "dir" => {
                let first = node.attr_or("start", "1").trim().parse().unwrap_or(1);
                self.lists.push((name == "ol").then_some(first));
                self.children(node);
                self.end_block();
                self.mark = None;
                self.lists.pop();
            }
            "li" => {
                let given = node.attr("value").and_then(|value| value.trim().parse().ok());
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let own = given.unwrap_or(*number);
                        *number = own.saturating_add(1);
                        format!("{own}.")
                    }
                    _ => "-".to_owned(),
                });
                self.children(node);
                self.end_block();
            }
            "blockquote" => {
                self.quotes += 1;
                self.children(node);
                self.end_block();
                self.quotes -= 1;
            }
            "dt" => {
                let term = self.title(node);
                self.terms.extend((!term.is_empty()).then_some(term));
            }
            "dd" => self.definition(node),
            "dl" => {
                let around = std::mem::take(&mut self.terms);
                self.children(node);
                self.end_block();
                // Terms without a definition.
                let terms = std::mem::take(&mut self.terms).join(", ");
                self.say(&terms);
                self.end_block();
                self.terms = around;
            }
            _ => {
                self.children(node);
                if is_block(name) {
                    self.end_block();
                }
            }
        }
    }

    fn definition(&mut self, node: &NodeRef) {
        self.take_terms();
        self.definitions += 1;
        self.children(node);
        self.end_block();
        self.end_term();
        self.definitions -= 1;
        self.mark = None;
    }

    /// Makes the terms so far those of the definition that begins.
    fn take_terms(&mut self) {
        self.end_term();
        let terms = std::mem::take(&mut self.terms).join(", ");
        // The first term in a list item has its mark.
        if self.mark.is_some() {
            self.say(&terms);
            return self.end_block();
        }
        self.term = Some(terms).filter(|terms| !terms.is_empty());
    }

    /// Writes the term of a definition that does not begin with a paragraph, or that is missing.
    pub(super) fn end_term(&mut self) {
        if let Some(term) = self.term.take() {
            let around = (self.lists.len() + self.definitions).saturating_sub(1).min(DEEPEST);
            self.text.block(&format!("{}{}", "  ".repeat(around), escaped(&term)));
        }
    }

    /// Appends `text` to the open block, with each run of white space as one space, and without what does not show.
    pub(super) fn say(&mut self, text: &str) {
        if !self.reading.is_empty() && text.contains(|c: char| !c.is_whitespace()) {
            self.end_reading();
        }
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{34f}' | '\u{2060}'
                | '\u{feff}' => {}
                // Joiners stand within words; mail fills its first line with them.
                '\u{200c}' | '\u{200d}' => {
                    let is_between = self.line.ends_with(|c: char| !c.is_whitespace())
                        && rest.peek().is_some_and(|c| !c.is_whitespace());
                    if is_between {
                        self.line.push(c);
                    }
                }
                c if !c.is_whitespace() => self.line.push(c),
                _ if self.line.is_empty() || self.line.ends_with([' ', '\n']) => {}
                _ => self.line.push(' '),
            }
        }
    }

    /// Ends the open block; a blank line in it ends a paragraph.
    pub(super) fn end_block(&mut self) {
        self.end_reading();
        self.scripts.set(Script::Line, &mut self.line);
        self.scripts = Scripts::default();
        self.formula.clear();
        let words = std::mem::take(&mut self.line);
        let mut paragraph = String::new();
        for line in words.trim().split('\n').map(str::trim) {
            if !line.is_empty() {
                paragraph.push_str(if paragraph.is_empty() { "" } else { "\n" });
                paragraph.push_str(line);
            } else if !paragraph.is_empty() {
                self.paragraph(&std::mem::take(&mut paragraph));
            }
        }
        if !paragraph.is_empty() {
            self.paragraph(&paragraph);
        }
    }

    fn paragraph(&mut self, words: &str) {
        let words = &*unquoted(words);
        let around = self.lists.len() + self.definitions;
        let outward = || "  ".repeat(around.saturating_sub(1).min(DEEPEST));
        let block = match (self.mark.take(), self.term.take()) {
            (Some(mark), term) => {
                self.term = term;
                self.end_term();
                if self.quotes == 0 {
                    return self.text.item(around.saturating_sub(1).min(DEEPEST), &mark, words);
                }
                format!("{}{mark} {}", outward(), lines(words))
            }
            (None, Some(term)) => {
                format!("{0}{1}\n{0}: {2}", outward(), escaped(&term), lines(words))
            }
            (None, None) => format!("{}{}", "  ".repeat(around.min(DEEPEST)), lines(words)),
        };
        if self.quotes == 0 {
            return self.text.block(&block);
        }
        let mark = "> ".repeat(self.quotes.min(DEEPEST));
        self.text.block(&format!("{mark}{}", block.replace('\n', &format!("\n{mark}"))));
    }

    /// Writes a block of lines as far inward as a paragraph here.
    pub(super) fn indented(&mut self, block: &str) {
        self.end_term();
        let inward = "  ".repeat(self.definitions.min(DEEPEST));
        let block: Vec<String> = block.lines().map(|line| format!("{inward}{line}")).collect();
        self.text.block(&block.join("\n"));
    }

    fn preformatted(&mut self, node: &NodeRef) {
        if self.settings.preformatted == Preformatted::Mail {
            let said = code::text(node);
            if self.quotes > 0 {
                self.line = said;
                return self.end_block();
            }
            return write_plain(&said, self.settings.level, self.text);
        }
        self.end_term();
        self.code(&code::text(node));
    }

    pub(super) fn code(&mut self, code: &str) {
        let inward = "  ".repeat(self.definitions.min(DEEPEST));
        if inward.is_empty() {
            return self.text.code("", code);
        }
        let mut fenced = Writer::new(u64::MAX);
        fenced.code("", code);
        if !fenced.is_empty() {
            self.text.block(&format!("{inward}{}", fenced.finish()));
        }
    }

    /// Returns the words of a heading or term, without the symbol by which manuals link to it.
    fn title(&mut self, node: &NodeRef) -> String {
        self.one_line(node).trim_end_matches(['¶', ' ']).to_owned()
    }

    pub(super) fn one_line(&mut self, node: &NodeRef) -> String {
        let open = std::mem::take(&mut self.line);
        let scripts = std::mem::take(&mut self.scripts);
        let before = std::mem::replace(&mut self.on_one_line, true);
        self.end_reading();
        self.children(node);
        self.end_reading();
        self.scripts.set(Script::Line, &mut self.line);
        self.on_one_line = before;
        self.scripts = scripts;
        let words = std::mem::replace(&mut self.line, open);
        unquoted(words.trim()).into_owned()
    }
}

/// Returns words with each of several backticks in a row escaped: they would open code that ends elsewhere.
fn unquoted(words: &str) -> Cow<'_, str> {
    if !words.contains("``") {
        return Cow::Borrowed(words);
    }
    let mut escaped = String::with_capacity(words.len() + 8);
    for part in words.split_inclusive(|c| c != '`') {
        let count = part.bytes().take_while(|byte| *byte == b'`').count();
        let mark = if count > 1 { "\\`" } else { "`" };
        escaped.push_str(&mark.repeat(count));
        escaped.push_str(&part[count..]);
    }
    Cow::Owned(escaped)
}
