//! AsciiDoc becomes Markdown: sections, lists, tables, admonitions and code; attributes by their values where the file defines them.
//!
//! Files that are included are named, not read. Conditions are decided by the attributes that the file itself sets.

mod conditions;
mod header;
mod inline;
mod lists;
mod table;

use std::collections::{BTreeMap, HashMap};

use crate::markup::{expanded, indent};
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};
use lists::{description, list_mark};

/// The most attributes that a file may define.
const MOST_ATTRIBUTES: usize = 2000;
/// How deep blocks of blocks may be nested.
const DEEPEST: usize = 32;
/// The longest value of an attribute, in bytes.
const LONGEST_VALUE: usize = 4000;

/// Returns what an AsciiDoc file says.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let lines = conditions::kept(expanded(text.trim_start_matches('\u{feff}')));
    let mut page = Page {
        text: Writer::new(bounds.text_bytes),
        attributes: HashMap::new(),
        metadata: BTreeMap::new(),
        style: Style::default(),
        lists: Vec::new(),
        counts: Vec::new(),
        attached: false,
        open: Vec::new(),
    };
    page.blocks(&lines);
    Ok(Parsed { text: page.text.finish(), metadata: page.metadata, ..Parsed::default() })
}

/// What the lines in brackets above a block say about it.
#[derive(Debug, Default)]
struct Style {
    /// The parts of `[source,python]`.
    parts: Vec<String>,
    /// `.Title` above the block.
    title: String,
}

impl Style {
    fn name(&self) -> &str {
        let first = self.parts.first().map_or("", String::as_str);
        first.split(['%', '#', '.']).next().unwrap_or_default()
    }
}

struct Page {
    text: Writer,
    attributes: HashMap<String, String>,
    metadata: BTreeMap<String, String>,
    style: Style,
    /// The marks of the open lists, outermost first.
    lists: Vec<String>,
    /// The number of items of each open list.
    counts: Vec<usize>,
    /// Whether a `+` keeps the next block in its list.
    attached: bool,
    /// The lines that end the open blocks of blocks.
    open: Vec<String>,
}

impl Page {
    fn blocks(&mut self, lines: &[String]) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if self.text.is_full() {
                return;
            }
            if line.is_empty() {
                at += 1;
                continue;
            }
            at += self.block(lines, at).max(1);
        }
    }

    /// Writes the block that begins at a line that is not blank, and returns how many lines it has.
    fn block(&mut self, lines: &[String], at: usize) -> usize {
        let line = lines[at].as_str();
        if self.attribute(line) {
            return 1 + self.continued(lines, at);
        }
        if let Some(count) = self.verbatim(lines, at) {
            self.style = Style::default();
            return count;
        }
        if line.starts_with("//") && !line.starts_with("///") {
            return 1;
        }
        if matches!(line, "--" | "+") || is_fence(line, "=*_", 4) {
            return self.boundary(line);
        }
        if let Some(count) = self.heading(lines, at) {
            return count;
        }
        if is_fence(line, "'", 3)
            || line == "<<<"
            || line == "***"
            || line == "---"
            || line == "* * *"
        {
            return 1;
        }
        if line.starts_with('[') && line.ends_with(']') && !line.starts_with("[.") {
            return self.bracketed(line);
        }
        if line.starts_with('.') && line.len() > 1 && !line[1..].starts_with([' ', '.']) {
            self.style.title = self.unmarked(&line[1..]);
            return 1;
        }
        if let Some(count) = self.block_macro(line) {
            return count;
        }
        if let Some(count) = self.list_item(lines, at) {
            return count;
        }
        if indent(line) > 0 && self.style.name() != "normal" {
            return self.literal_paragraph(lines, at);
        }
        self.prose(lines, at)
    }

    /// Handles the line that begins or ends a block of blocks.
    fn boundary(&mut self, line: &str) -> usize {
        match line {
            "+" => self.attached = true,
            _ => {
                match self.open.iter().rposition(|open| open == line) {
                    Some(depth) => self.open.truncate(depth),
                    None if self.open.len() < DEEPEST => self.open.push(line.to_owned()),
                    None => {}
                }
                self.caption();
                // The name of an admonition belongs to its first paragraph.
                if admonition(self.style.name()).is_empty() {
                    self.style.parts.clear();
                }
            }
        }
        1
    }

    /// Writes a block between two equal lines: code, a table, or nothing.
    fn verbatim(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let open = lines[at].as_str();
        let is_table = open
            .strip_prefix(['|', ',', ':', '!'])
            .is_some_and(|rest| rest.len() >= 3 && rest.bytes().all(|b| b == b'='));
        let is_markdown = open.starts_with("```");
        if !is_table && !is_markdown && !is_fence(open, "-./+", 4) {
            return None;
        }
        // Two lines of a title look like the start of a block.
        let close = if is_markdown { "```" } else { open };
        let inner = lines[at + 1..].iter().take_while(|line| *line != close).count();
        let body = &lines[at + 1..at + 1 + inner];
        if open.starts_with('/') {
            return Some(inner + 2);
        }
        self.caption();
        if is_table {
            let rows = table::rows_of(body, &self.style.parts, open);
            let rows: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(|cell| self.cell(cell)).collect()).collect();
            self.text.table(&rows);
            return Some(inner + 2);
        }
        if open.starts_with('+') {
            if !matches!(self.style.name(), "latexmath" | "stem" | "asciimath") {
                crate::html::write_tables(&body.join("\n"), &mut self.text);
            } else {
                self.text.paragraph(&body.join(" "));
            }
            return Some(inner + 2);
        }
        let language = if is_markdown {
            open.trim_start_matches('`').trim().to_owned()
        } else {
            self.code_language()
        };
        match self.style.name() {
            "verse" => self.text.paragraph(&body.join("\n")),
            "latexmath" | "stem" => self.text.paragraph(&body.join(" ")),
            _ => self.text.code(&language, &without_callouts(body)),
        }
        Some(inner + 2)
    }

    fn code_language(&self) -> String {
        let named = match self.style.name() {
            "source" | "listing" | "" => self.style.parts.get(1).filter(|part| !part.contains('=')),
            _ => None,
        };
        let default = self.attributes.get("source-language");
        let is_source = self.style.name() == "source" || named.is_some();
        named.or(default.filter(|_| is_source)).map(|name| tidy(name)).unwrap_or_default()
    }

    /// Takes in `[source,python]`, an anchor, and so on.
    fn bracketed(&mut self, line: &str) -> usize {
        let inner = &line[1..line.len() - 1];
        if !inner.starts_with('[') {
            self.style.parts = parts_of(&self.resolved(inner));
            if matches!(self.style.name(), "quote" | "verse") {
                let by: Vec<&str> = self
                    .style
                    .parts
                    .iter()
                    .skip(1)
                    .map(String::as_str)
                    .filter(|part| !part.contains('='))
                    .collect();
                if self.style.title.is_empty() && !by.is_empty() {
                    self.style.title = by.join(", ");
                }
            }
        }
        1
    }

    /// Writes a block macro: an image, an include, a table of contents.
    fn block_macro(&mut self, line: &str) -> Option<usize> {
        let (name, rest) = line.split_once("::")?;
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-');
        let (target, attributes) = rest.strip_suffix(']')?.split_once('[')?;
        if !is_name || target.contains(' ') {
            return None;
        }
        match name {
            "image" => {
                self.caption();
                let parts = parts_of(attributes);
                let alt = parts.first().filter(|part| !part.contains('=')).cloned();
                let named = parts.iter().find_map(|part| part.strip_prefix("alt="));
                let words = self.unmarked(&alt.or(named.map(str::to_owned)).unwrap_or_default());
                self.text.paragraph(words.trim_matches('"'));
            }
            "include" => {
                let target = self.resolved(target);
                self.text.paragraph(&format!("(includes {target})"));
            }
            "latexmath" | "stem" => self.text.paragraph(attributes),
            _ => {}
        }
        self.style = Style::default();
        Some(1)
    }

    /// Writes a paragraph whose first line is indented: it is shown as it is.
    fn literal_paragraph(&mut self, lines: &[String], at: usize) -> usize {
        let count = lines[at..].iter().take_while(|line| !line.is_empty()).count();
        self.caption();
        let code = crate::markup::dedented(&lines[at..at + count]);
        let language = self.code_language();
        self.text.code(&language, &code.join("\n"));
        self.style = Style::default();
        count
    }

    fn prose(&mut self, lines: &[String], at: usize) -> usize {
        let mut count = 1;
        while let Some(line) =
            lines.get(at + count).filter(|line| is_words(line) && !is_boundary(line))
        {
            let inner = line.trim_start();
            if !self.lists.is_empty()
                && (list_mark(inner).is_some() || description(inner).is_some())
            {
                break;
            }
            count += 1;
        }
        if !self.attached && !self.lists.is_empty() && indent(&lines[at]) == 0 {
            self.lists.clear();
            self.counts.clear();
        }
        self.attached = false;
        let lines: Vec<&str> = lines[at..at + count]
            .iter()
            .map(|line| line.as_str())
            .filter(|line| !line.starts_with("//"))
            .collect();
        match self.style.name() {
            "source" | "listing" | "literal" => {
                self.caption();
                let language = self.code_language();
                self.text.code(&language, &lines.join("\n"));
            }
            "verse" => {
                let title = std::mem::take(&mut self.style.title);
                let words: Vec<String> = lines.iter().map(|line| self.unmarked(line)).collect();
                self.text.paragraph(&words.join("\n"));
                self.text.paragraph(&title);
            }
            "pass" | "comment" => {}
            name => {
                let name = admonition(name);
                self.caption();
                let whole = lines.join("\n");
                let whole = match whole.split_once(": ") {
                    Some((start, rest)) if !admonition(start).is_empty() => {
                        format!("{}: {rest}", admonition(start))
                    }
                    _ if !name.is_empty() => format!("{name}: {whole}"),
                    _ => whole,
                };
                self.paragraph(&whole);
            }
        }
        self.style = Style::default();
        count
    }

    /// Writes the title of a block.
    fn caption(&mut self) {
        let title = std::mem::take(&mut self.style.title);
        self.text.paragraph(&title);
    }

    fn paragraph(&mut self, whole: &str) {
        // A `+` at the end of a line breaks it.
        let is_broken = self.style.parts.iter().any(|part| part.contains("hardbreaks"));
        let lines = whole.split(if is_broken { "\n" } else { " +\n" });
        let (words, notes): (Vec<String>, Vec<Vec<String>>) =
            lines.map(|line| self.with_notes(line)).unzip();
        self.text.paragraph(&words.join("\n"));
        self.write_notes(&notes.concat());
    }

    fn write_notes(&mut self, notes: &[String]) {
        for note in notes {
            let words = self.unmarked(note);
            self.text.paragraph(&words);
        }
    }

    fn cell(&self, cell: &str) -> String {
        let lines: Vec<&str> = cell.lines().filter(|line| !is_boundary(line)).collect();
        self.unmarked(&lines.join("\n"))
    }

    /// Returns a text with the values of the attributes in it.
    fn resolved(&self, text: &str) -> String {
        inline::resolved(text, &self.attributes)
    }

    fn unmarked(&self, text: &str) -> String {
        self.with_notes(text).0
    }

    fn with_notes(&self, text: &str) -> (String, Vec<String>) {
        let (words, notes) = inline::unmarked(&self.resolved(text));
        // A break of lines is a `+` at the end of a line.
        (tidy(&words), notes)
    }
}

/// Returns the words of an admonition's name.
fn admonition(name: &str) -> &'static str {
    match name {
        "NOTE" => "Note",
        "TIP" => "Tip",
        "IMPORTANT" => "Important",
        "WARNING" => "Warning",
        "CAUTION" => "Caution",
        _ => "",
    }
}

/// Returns whether a line is one of some marks, repeated at least `least` times.
fn is_fence(line: &str, marks: &str, least: usize) -> bool {
    let first = line.chars().next().filter(|mark| marks.contains(*mark));
    line.len() >= least && first.is_some_and(|mark| line.chars().all(|c| c == mark))
}

fn is_boundary(line: &str) -> bool {
    matches!(line, "--" | "+")
        || is_fence(line, "=*_-./+", 4)
        || line.starts_with("|===")
        || line.starts_with("```")
}

/// Returns whether a line may go on with a paragraph.
fn is_words(line: &str) -> bool {
    let is_style =
        line.starts_with('[') && line.ends_with(']') && !line.contains("](") && !line.contains(' ');
    !line.is_empty() && !is_boundary(line) && !line.starts_with("include::") && !is_style
}

/// Returns the parts of what stands in brackets, without their quotation marks.
fn parts_of(inner: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    for c in inner.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            c => {
                if let Some(part) = found.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    found.iter_mut().for_each(|part| *part = part.trim().to_owned());
    found
}

/// Returns code without the numbers that refer to the notes below it.
fn without_callouts(lines: &[String]) -> String {
    let mut found: Vec<&str> = Vec::with_capacity(lines.len());
    for line in lines {
        let mut line = line.as_str();
        while let Some((before, number)) =
            line.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'))
        {
            let is_callout = number == "."
                || !number.is_empty()
                    && number.len() <= 2
                    && number.bytes().all(|b| b.is_ascii_digit());
            if !is_callout || !before.ends_with(' ') {
                break;
            }
            line = before.trim_end().trim_end_matches("//").trim_end_matches('#').trim_end();
        }
        found.push(line);
    }
    found.join("\n")
}

#[cfg(test)]
mod tests;
