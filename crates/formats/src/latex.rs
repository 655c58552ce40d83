//! LaTeX becomes Markdown: sections, lists, tables, captions and notes, without its commands.
//!
//! Macros that the file defines are expanded within limits. Simple mathematics is text, the rest stays as TeX. References are numbers, and
//! what they refer to shows its own. Files that are input are named, not read.

mod accents;
mod arguments;
mod commands;
mod conditions;
mod definitions;
mod encoding;
mod environments;
mod glossary;
mod labels;
mod parts;
mod reader;
mod registers;
mod silent;
mod tables;
mod titles;

use std::collections::{BTreeMap, HashMap};

use crate::markup::{write_definition, write_item};
use crate::tex;
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};
use arguments::Groups;
pub(crate) use encoding::decoded;
use glossary::Glossary;
use labels::Target;
use reader::Reader;
use titles::TitleBlock;

/// How deep arguments that are read on their own may be nested.
const DEEPEST: usize = 12;
/// How often macros may be expanded in all, beside once for each few bytes of the file.
const MOST_EXPANSIONS: usize = 1000;
/// The most bytes that macros may add, beside a few for each byte of the file.
const MOST_EXPANDED: usize = 100_000;

/// Returns whether a text is a LaTeX document.
pub(crate) fn recognize(text: &str) -> bool {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_start);
    let first = lines.filter(|line| !line.is_empty() && !line.starts_with('%')).take(200);
    let mut is_first = true;
    for line in first {
        if line.starts_with("\\documentclass")
            || line.starts_with("\\documentstyle")
            || line.starts_with("\\begin{document}")
        {
            return true;
        }
        // Before these stand only other commands, and their arguments.
        if is_first && !line.starts_with('\\') {
            return false;
        }
        is_first = false;
    }
    false
}

/// Returns what a LaTeX file says.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = reader::without_comments(text.trim_start_matches('\u{feff}'));
    let mut page = Page {
        text: Writer::new(bounds.text_bytes),
        open: String::new(),
        notes: Vec::new(),
        lists: Vec::new(),
        macros: HashMap::new(),
        flags: HashMap::new(),
        theorems: HashMap::new(),
        metadata: BTreeMap::new(),
        title: None,
        titles: TitleBlock::default(),
        glossary: Glossary::find(&text),
        expansions: MOST_EXPANSIONS + text.len() / 4,
        expanded: MOST_EXPANDED + text.len() * 4,
        top: if text.contains("\\chapter") { 0 } else { 1 },
        depth: 0,
        labels: HashMap::new(),
        is_german: text.contains("german"),
        has_slides: text.contains("{beamer}"),
        groups: Groups::default(),
        quoted: None,
    };
    let (preamble, body) = parts::split(&text);
    page.learn(preamble);
    page.labels = labels::find(preamble, body, page.theorems.clone(), page.top);
    page.titles.is_in_text = true;
    page.titles.left = titles::count(body);
    page.run(body);
    page.close();
    page.write_rest_of_title();
    Ok(Parsed {
        title: page.title,
        text: page.text.finish(),
        metadata: page.metadata,
        ..Parsed::default()
    })
}

/// What a macro stands for.
#[derive(Debug, Clone)]
struct Macro {
    arguments: usize,
    /// The value of the first argument if it is left out.
    default: Option<String>,
    body: String,
}

/// An environment of theorems.
#[derive(Debug, Clone)]
struct Theorem {
    /// What it prints before its number.
    printed: String,
    /// The environment that it is counted with.
    counted_with: Option<String>,
    /// The kind of section in which its numbers begin again.
    within: Option<String>,
}

/// A list that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Bullets,
    Numbers(usize),
    Terms,
    /// The entries of a bibliography.
    Works,
}

struct Page {
    text: Writer,
    /// The words of the open paragraph.
    open: String,
    /// Footnotes of the open paragraph.
    notes: Vec<String>,
    lists: Vec<List>,
    macros: HashMap<String, Macro>,
    /// The conditions that the file defines, and whether they hold.
    flags: HashMap<String, bool>,
    /// The names that theorem environments print.
    theorems: HashMap<String, Theorem>,
    labels: HashMap<String, Target>,
    metadata: BTreeMap<String, String>,
    title: Option<String>,
    titles: TitleBlock,
    glossary: Glossary,
    /// How many more macros may be expanded.
    expansions: usize,
    /// How many more bytes macros may add.
    expanded: usize,
    /// 0 if the file has chapters, 1 otherwise.
    top: usize,
    /// How deep arguments that are read on their own are nested.
    depth: usize,
    /// Whether `"a` stands for `ä`.
    is_german: bool,
    /// Whether a command may say on which slides it counts.
    has_slides: bool,
    groups: Groups,
    /// The mark or the term of the list item that is open.
    quoted: Option<Item>,
}

#[derive(Debug, Clone)]
struct Item {
    list: List,
    depth: usize,
    mark: String,
}

impl Page {
    /// Reads the definitions and the metadata of the preamble.
    fn learn(&mut self, preamble: &str) {
        let mut reader = Reader::new(preamble);
        while let Some(c) = reader.next() {
            if c == '\\' {
                let name = reader.command();
                self.define(&name, &mut reader);
            }
        }
    }

    /// Writes a text in place.
    fn run(&mut self, text: &str) {
        let mut reader = Reader::new(text);
        while let Some(c) = reader.next() {
            if self.text.is_full() {
                return;
            }
            match c {
                '\\' => {
                    let name = reader.command();
                    self.command(&name, &mut reader);
                }
                '{' => self.open_group(&mut reader),
                '}' => self.close_group(&reader),
                ',' => {
                    self.open.push(',');
                    self.skip_key(&mut reader);
                }
                '$' => {
                    let is_display = reader.skip("$");
                    let math = reader.until(if is_display { "$$" } else { "$" });
                    if is_display {
                        self.display(&math);
                    } else {
                        let math = self.math(&math);
                        self.open.push_str(&math);
                    }
                }
                '~' => self.open.push(' '),
                '\n' => {
                    if reader.skip_blank_lines() {
                        self.close();
                    } else {
                        self.open.push(' ');
                    }
                }
                '-' => {
                    let dashes = if reader.skip("--") {
                        "—"
                    } else if reader.skip("-") {
                        "–"
                    } else {
                        "-"
                    };
                    self.open.push_str(dashes);
                }
                '"' if self.is_german => self.shorthand(&mut reader),
                '`' => self.open.push(if reader.skip("`") { '“' } else { '‘' }),
                '\'' => self.open.push(if reader.skip("'") { '”' } else { '’' }),
                '&' => self.open.push(' '),
                c => self.open.push(c),
            }
        }
    }

    /// Writes what a quotation mark and the letter after it stand for in German.
    fn shorthand(&mut self, reader: &mut Reader) {
        let made = match reader.peek() {
            Some('s' | 'z') => Some("ß".to_owned()),
            Some('`') => Some("„".to_owned()),
            Some('\'') => Some("“".to_owned()),
            Some('-' | '|' | '"') => Some(String::new()),
            Some('=' | '~') => Some("-".to_owned()),
            Some(letter @ ('a' | 'o' | 'u' | 'A' | 'O' | 'U')) => {
                accents::accented("\"", &letter.to_string())
            }
            _ => None,
        };
        match made {
            Some(made) => {
                reader.next();
                self.open.push_str(&made);
            }
            None => self.open.push('"'),
        }
    }

    /// Returns the words of an argument, without writing them.
    fn unmarked(&mut self, argument: &str) -> String {
        if self.depth >= DEEPEST {
            return tidy(&argument.replace(['\\', '{', '}'], " "));
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.open);
        let lists = std::mem::take(&mut self.lists);
        let quoted = self.quoted.take();
        let groups = std::mem::take(&mut self.groups);
        let before = std::mem::replace(&mut self.text, Writer::new(1 << 20));
        self.run(argument);
        let written = std::mem::replace(&mut self.text, before).finish();
        let last = std::mem::replace(&mut self.open, outer);
        self.lists = lists;
        self.quoted = quoted;
        self.groups = groups;
        self.depth -= 1;
        if written.is_empty() { tidy(&last) } else { tidy(&format!("{written} {last}")) }
    }

    /// Writes the open paragraph or list item, and its notes.
    fn close(&mut self) {
        let words = tidy(&std::mem::take(&mut self.open));
        match self.quoted.take() {
            Some(item) if !words.is_empty() || item.list == List::Terms => {
                self.write_item(&item, &words);
            }
            Some(item) => self.quoted = Some(item),
            None => self.text.paragraph(&words),
        }
        // Notes of an argument belong to the paragraph it is part of.
        if self.depth == 0 {
            for note in std::mem::take(&mut self.notes) {
                self.text.paragraph(&note);
            }
        }
    }

    fn write_item(&mut self, item: &Item, words: &str) {
        match item.list {
            List::Terms if item.depth == 0 => write_definition(&mut self.text, &item.mark, words),
            List::Terms => {
                write_item(&mut self.text, item.depth, "-", &format!("{}: {words}", item.mark));
            }
            _ => write_item(&mut self.text, item.depth, &item.mark, words),
        }
    }

    fn heading(&mut self, level: usize, title: &str, number: &str) {
        self.close();
        self.lists.clear();
        self.quoted = None;
        let words = format!("{number} {}", self.unmarked(title));
        self.text.heading(level, &words);
        self.close();
    }

    fn display(&mut self, math: &str) {
        let math = math.replace("\\nonumber", " ").replace("\\notag", " ");
        self.close();
        for line in math.split("\\\\") {
            let label = line.split_once("\\label{").and_then(|(_, rest)| rest.split_once('}'));
            let number = label.and_then(|(label, _)| self.shown_number(label.trim()));
            let number = number.map_or(String::new(), |number| format!(" ({number})"));
            let line = reader::without_labels(line).replace('&', " ");
            let line = self.math(&line);
            if !line.is_empty() {
                self.text.paragraph(&format!("{line}{number}"));
            }
        }
    }

    /// Returns mathematics as text if it is simple, else as TeX; macros of the file are expanded.
    fn math(&mut self, math: &str) -> String {
        let mut found = String::with_capacity(math.len());
        let mut reader = Reader::new(math);
        while let Some(c) = reader.next() {
            if c != '\\' {
                found.push(c);
                continue;
            }
            let (name, is_starred) = reader.starred_command();
            if !self.expand(&name, &mut reader) {
                found.push('\\');
                found.push_str(&name);
                if is_starred {
                    found.push('*');
                }
            } else if reader.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                found.push(' ');
            }
        }
        tex::readable(&found).unwrap_or_else(|| tidy(&found))
    }

    /// Returns the number of what a label stands for, if something refers to it.
    fn shown_number(&self, label: &str) -> Option<&str> {
        self.labels.get(label).filter(|target| target.is_used).map(|target| &*target.number)
    }

    /// Returns what a command shows that refers to labels: their numbers, or the labels where these are not known.
    fn reference(&self, name: &str, labels: &str) -> String {
        let shown = labels.split(',').map(str::trim).map(|label| {
            let Some(Target { kind, number, .. }) = self.labels.get(label) else {
                return format!("[{label}]");
            };
            match name {
                "pageref" => format!("[{label}]"),
                "eqref" => format!("({number})"),
                "autoref" | "Cref" | "nameref" => format!("{kind} {number}"),
                "cref" => format!("{} {number}", kind.to_lowercase()),
                _ => number.clone(),
            }
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests;
