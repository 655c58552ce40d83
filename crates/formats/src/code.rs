//! Source code becomes Markdown: a section for each definition, its comments as paragraphs, and its lines as code.
//!
//! Line rules for each language find the definitions and the comments; nesting is told by indentation. Nothing is parsed in full, so
//! that damaged files and dialects read as well.

mod comment;
mod language;
mod pod;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::markup::{dedented, expanded, indent};
use crate::{Bounds, Fault, Parsed, Writer};
use language::{Language, defined};

/// The most lines of a code block.
const MOST_LINES: usize = 40;
/// The most letters of a line of code.
const LONGEST_LINE: usize = 1000;
/// The fewest lines of a comment within code that is written as a paragraph.
const FEWEST_PROSE: usize = 3;
/// The most lines between the start of a definition and its docstring, and between a comment and its definition.
const FARTHEST: usize = 30;

/// Returns what a file of source code says; `name` is the file's name, which tells the language.
pub(crate) fn parse(text: &str, name: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let lines = expanded(text.trim_start_matches('\u{feff}'));
    let language = Language::of(name, text);
    let mut page = Page {
        text: Writer::new(bounds.text_bytes),
        language,
        lines: &lines,
        code: Vec::new(),
        open: Vec::new(),
    };
    page.write();
    let mut metadata = BTreeMap::new();
    if !language.name.is_empty() {
        metadata.insert("language".to_owned(), language.name.to_owned());
    }
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let title = (!name.is_empty()).then(|| name.to_owned());
    Ok(Parsed { title, text: page.text.finish(), metadata, ..Parsed::default() })
}

struct Page<'a> {
    text: Writer,
    language: &'static Language,
    lines: &'a [String],
    /// The lines of code not yet written.
    code: Vec<String>,
    /// The open definitions: how far each is indented, and whether others stand in it.
    open: Vec<(usize, bool)>,
}

impl Page<'_> {
    fn write(&mut self) {
        let mut at = usize::from(self.lines.first().is_some_and(|line| line.starts_with("#!")));
        let mut is_string = false;
        // A comment that waits for what it is about.
        let mut comment: Option<Range<usize>> = None;
        let mut is_start = true;
        while at < self.lines.len() && !self.text.is_full() {
            let line = &self.lines[at];
            if !is_string && let Some(length) = comment::length(&self.lines[at..], self.language) {
                let range = at..at + length;
                at += length;
                let leads = self.leads_to_definition(at);
                let inward = indent(line);
                if leads {
                    self.flush();
                    comment = Some(range);
                } else if is_start || inward == 0 || length >= FEWEST_PROSE {
                    self.flush();
                    self.prose(&range);
                } else {
                    self.code.extend(self.lines[range].iter().cloned());
                }
                continue;
            }
            let definition = if is_string { None } else { self.definition(at) };
            is_string ^= self.language.is_indented() && comment::toggles_string(line);
            if let Some((heading, is_container)) = definition {
                // Attributes and decorators belong to what they stand above.
                let above = self.code.iter().rev().take_while(|line| is_attribute(line)).count();
                let attributes = self.code.split_off(self.code.len() - above);
                self.flush();
                let inward = indent(line);
                while self.open.last().is_some_and(|(column, _)| *column >= inward) {
                    self.open.pop();
                }
                self.text.heading(1 + self.open.len(), &heading);
                self.open.push((inward, is_container));
                if let Some(range) = comment.take() {
                    self.prose(&range);
                }
                let docstring = self.docstring_at(at);
                if let Some(range) = &docstring {
                    self.prose(range);
                }
                self.code = attributes;
                if let Some(range) = docstring {
                    self.code.extend(self.lines[at..range.start].iter().cloned());
                    at = range.end;
                    is_string = false;
                    is_start = false;
                    continue;
                }
            } else if is_start
                && self.language.is_indented()
                && let Some(end) = comment::docstring_end(&self.lines[at..])
            {
                self.prose(&(at..at + end));
                at += end;
                is_string = false;
                is_start = false;
                continue;
            }
            is_start &= line.is_empty();
            self.code.push(line.clone());
            at += 1;
        }
        self.flush();
    }

    /// Returns the heading of the definition that begins at a line, and whether others stand in it.
    fn definition(&self, at: usize) -> Option<(String, bool)> {
        let inward = indent(&self.lines[at]);
        let around = self.open.iter().filter(|(column, _)| *column < inward);
        if !around.clone().all(|(_, is_container)| *is_container)
            || inward > 0 && around.count() == 0 && !self.language.is_nested_freely()
        {
            return None;
        }
        defined(self.language, &self.lines[at..(at + FARTHEST).min(self.lines.len())])
    }

    /// Returns whether what follows a comment is a definition, after attributes and decorators at most.
    fn leads_to_definition(&self, from: usize) -> bool {
        let after = self.lines.iter().enumerate().skip(from).take(FARTHEST);
        for (at, line) in after {
            if self.definition(at).is_some() {
                return true;
            }
            if !is_attribute(line) {
                return false;
            }
        }
        false
    }

    /// Returns the lines of the docstring of the definition that begins at a line.
    fn docstring_at(&self, at: usize) -> Option<Range<usize>> {
        if !self.language.is_indented() {
            return None;
        }
        let head = self.lines[at..].iter().take(FARTHEST).position(|line| {
            let line = line.split(" #").next().unwrap_or(line).trim_end();
            line.ends_with(':')
        })?;
        let start = at + head + 1;
        let end = comment::docstring_end(self.lines.get(start..)?)?;
        Some(start..start + end)
    }

    /// Writes a comment or docstring as paragraphs.
    fn prose(&mut self, range: &Range<usize>) {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        comment::write(&mut self.text, lines, self.language, self.open.len());
    }

    /// Writes the lines of code that wait, in blocks.
    fn flush(&mut self) {
        let code = std::mem::take(&mut self.code);
        let mut rest = code.as_slice();
        while !rest.is_empty() {
            let mut length = rest.len().min(MOST_LINES);
            if length < rest.len() {
                // A blank line is the best place to cut.
                let blank = rest[..length].iter().rposition(|line| line.is_empty());
                length = blank
                    .filter(|blank| *blank >= MOST_LINES / 2)
                    .map_or(length, |blank| blank + 1);
            }
            let (block, after) = rest.split_at(length);
            let block: Vec<String> = dedented(block).iter().map(|line| cut(line)).collect();
            self.text.code(self.language.name, &block.join("\n"));
            rest = after;
        }
    }
}

fn is_attribute(line: &str) -> bool {
    let line = line.trim_start();
    ["#[", "@", "template", "["].iter().any(|start| line.starts_with(start))
}

/// Returns the start of a line, and says so if that is not all of it.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => {
            format!("{} … ({} more letters)", &line[..end], line[end..].chars().count())
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
