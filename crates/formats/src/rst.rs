//! reStructuredText becomes Markdown: sections, lists, tables and code; directives by what a reader sees of them.
//!
//! Directives that only serve the build (`toctree`, `index`, raw HTML, …) and comments are left out. Unknown directives keep their
//! argument and their content. Files that are included are not read.

mod directive;
mod inline;
mod lists;
mod table;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use crate::markup::{dedented, expanded, indent};
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};
use lists::{field, is_option, list_mark};

/// How deep blocks may be nested.
const DEEPEST: usize = 24;
/// The most substitutions that a file may define.
const MOST_SUBSTITUTIONS: usize = 2000;

/// Returns what a reStructuredText file says.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let lines = expanded(text.trim_start_matches('\u{feff}'));
    let mut page = Page {
        text: Writer::new(bounds.text_bytes),
        styles: Vec::new(),
        substitutions: HashMap::new(),
        metadata: BTreeMap::new(),
        language: String::new(),
        notes: 0,
        references: Cell::new(0),
        title_end: 0,
    };
    page.learn_substitutions(&lines);
    page.blocks(&lines, &Place { is_top: true, ..Place::default() });
    Ok(Parsed { text: page.text.finish(), metadata: page.metadata, ..Parsed::default() })
}

/// Where blocks are.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// Whether sections may begin here.
    is_top: bool,
    /// How many blocks enclose these.
    depth: usize,
    /// How many lists enclose these.
    lists: usize,
}

impl Place {
    fn within(self) -> Place {
        Place { is_top: false, depth: self.depth + 1, ..self }
    }

    fn within_list(self) -> Place {
        Place { lists: self.lists + 1, ..self.within() }
    }
}

struct Page {
    text: Writer,
    /// The underlines of headings in order of first use, each with whether there is an overline.
    styles: Vec<(char, bool)>,
    substitutions: HashMap<String, String>,
    metadata: BTreeMap<String, String>,
    /// The language of code that states none.
    language: String,
    /// How many notes were numbered so far.
    notes: usize,
    /// How many references to such notes were numbered so far.
    references: Cell<usize>,
    /// How long the text is while nothing but titles was written.
    title_end: usize,
}

impl Page {
    /// Writes the blocks of some lines.
    fn blocks(&mut self, lines: &[String], place: &Place) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.trim().is_empty() {
                at += 1;
                continue;
            }
            if self.text.is_full() {
                return;
            }
            if place.depth >= DEEPEST {
                self.paragraph(&lines[at..]);
                return;
            }
            let read = self.block(lines, at, place);
            at += read.max(1);
        }
    }

    /// Writes the block that begins at a line that is not blank, and returns how many lines it has.
    fn block(&mut self, lines: &[String], at: usize, place: &Place) -> usize {
        let line = lines[at].as_str();
        if indent(line) > 0 {
            let count = indented(lines, at, 1);
            self.blocks(&dedented(&lines[at..at + count]), &place.within());
            return count;
        }
        if place.is_top
            && let Some(count) = self.heading(lines, at)
        {
            return count;
        }
        if is_rule(line) && line.len() >= 4 && blank(lines, at + 1) {
            return 1;
        }
        if let Some(rest) = explicit(line) {
            let count = 1 + indented(lines, at + 1, 1);
            let mut body = vec![rest.to_owned()];
            body.extend(dedented(&lines[at + 1..at + count]));
            self.explicit(rest, &body, place);
            return count;
        }
        if line.starts_with("__ ") {
            return 1;
        }
        if let Some(table) = table::grid(lines, at).or_else(|| table::simple(lines, at)) {
            let rows: Vec<Vec<String>> = table
                .rows
                .iter()
                .map(|row| row.iter().map(|cell| self.cell(cell)).collect())
                .collect();
            self.text.table(&rows);
            return table.lines;
        }
        if let Some((mark, start)) = list_mark(line)
            && (blank(lines, at + 1)
                || indent(&lines[at + 1]) >= start
                || list_mark(&lines[at + 1]).is_some()
                || "*+-•".contains(mark.as_str()))
        {
            return self.list(lines, at, place);
        }
        if field(line).is_some() {
            return self.fields(lines, at, place);
        }
        if is_option(line) {
            return self.options(lines, at, place);
        }
        if line.starts_with("| ") || line == "|" {
            return self.line_block(lines, at);
        }
        if line.starts_with(">>> ") {
            let count = paragraph_length(lines, at);
            self.text.code("python", &lines[at..at + count].join("\n"));
            return count;
        }
        let next_is_deeper = lines.get(at + 1).is_some_and(|next| indent(next) > 0);
        if next_is_deeper && !line.ends_with("::") {
            return self.definition(lines, at, place);
        }
        let mut count = paragraph_length(lines, at);
        // A paragraph also ends where an indented line would begin a quotation.
        let deeper = lines[at + 1..at + count].iter().position(|line| indent(line) > 0);
        if let Some(deeper) = deeper {
            count = deeper + 1;
        }
        let introduces = lines[at + count - 1].ends_with("::");
        self.paragraph(&lines[at..at + count]);
        if introduces { count + self.literal(lines, at + count) } else { count }
    }

    /// Writes the literal block that follows a paragraph that ends with `::`.
    fn literal(&mut self, lines: &[String], at: usize) -> usize {
        let start = at + lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
        let Some(first) = lines.get(start) else { return start - at };
        let count = if indent(first) > 0 {
            indented(lines, start, 1)
        } else {
            let mark = first.chars().next().filter(char::is_ascii_punctuation);
            let is_quoted = |line: &&String| line.chars().next() == mark;
            mark.map_or(0, |_| lines[start..].iter().take_while(is_quoted).count())
        };
        let language = self.language.clone();
        self.text.code(&language, &dedented(&lines[start..start + count]).join("\n"));
        start + count - at
    }

    /// Writes a heading, if one begins here: a line over a rule, or between two.
    fn heading(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let is_over = is_rule(&lines[at]);
        let (words, under) = if is_over {
            (lines.get(at + 1)?, lines.get(at + 2)?)
        } else {
            (&lines[at], lines.get(at + 1)?)
        };
        let mark = under.chars().next()?;
        let is_long = under.chars().count() >= words.trim().chars().count().min(4);
        if !is_rule(under) || !is_long || words.trim().is_empty() || is_over && lines[at] != *under
        {
            return None;
        }
        if !is_over && (indent(words) > 0 || is_rule(words)) {
            return None;
        }
        let style = (mark, is_over);
        let level = self.styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        let words = self.inline(words);
        let is_title = self.text.len() == self.title_end;
        self.text.heading(level + 1, &words);
        if is_title {
            self.title_end = self.text.len();
        }
        Some(if is_over { 3 } else { 2 })
    }

    /// Writes an explicit block: a footnote, citation, directive or comment. `body` begins with the rest of its first line.
    fn explicit(&mut self, rest: &str, body: &[String], place: &Place) {
        if rest.starts_with('[')
            && let Some((label, words)) = rest[1..].split_once(']')
            && !label.is_empty()
            && (words.is_empty() || words.starts_with(' '))
        {
            let label = match label.trim_start_matches('#') {
                "" => {
                    self.notes += 1;
                    self.notes.to_string()
                }
                label => label.to_owned(),
            };
            let mut note = vec![words.trim().to_owned()];
            note.extend(body[1..].iter().cloned());
            let count = paragraph_length(&note, 0);
            let first = self.joined(&note[..count]);
            self.text.paragraph(&format!("[{label}] {first}"));
            self.blocks(&note[count..], &place.within());
        } else if rest.starts_with('_') || rest.starts_with('|') {
            // Targets and substitutions show nothing where they are.
        } else if let Some((name, argument)) = directive::named(rest) {
            self.directive(name, argument, &body[1..], place);
        }
    }

    /// Collects what `|name|` stands for.
    fn learn_substitutions(&mut self, lines: &[String]) {
        for (at, line) in lines.iter().enumerate() {
            let Some((name, definition)) =
                line.trim().strip_prefix(".. |").and_then(|rest| rest.split_once("| "))
            else {
                continue;
            };
            let Some((kind, argument)) = directive::named(definition.trim()) else { continue };
            let words = match kind {
                "replace" => {
                    let count = indented(lines, at + 1, indent(line) + 1);
                    let more = lines[at + 1..at + 1 + count].join(" ");
                    self.inline(&format!("{argument} {more}"))
                }
                "unicode" => directive::characters(argument),
                "image" => directive::option(&lines[at + 1..], "alt").unwrap_or_default(),
                _ => continue,
            };
            if self.substitutions.len() < MOST_SUBSTITUTIONS {
                self.substitutions.insert(name.to_lowercase(), tidy(&words));
            }
        }
    }

    fn line_block(&mut self, lines: &[String], at: usize) -> usize {
        let count = lines[at..]
            .iter()
            .take_while(|line| line.starts_with('|') || indent(line) > 0 && !line.is_empty())
            .count();
        let mut words = String::new();
        for line in &lines[at..at + count] {
            words.push_str(if line.starts_with('|') && !words.is_empty() { "\n" } else { " " });
            words.push_str(&self.inline(line.trim_start_matches('|')));
        }
        self.text.paragraph(&words);
        count
    }

    fn paragraph(&mut self, lines: &[String]) {
        let words = self.joined(lines);
        if words != ":" {
            self.text.paragraph(&words);
        }
    }

    /// Returns the words of a paragraph's lines; `::` at its end becomes `:`.
    fn joined(&self, lines: &[String]) -> String {
        let mut whole = lines.join("\n");
        if whole.ends_with("::") {
            whole.pop();
        }
        tidy(&self.inline(&whole))
    }

    /// Returns the words of a table's cell.
    fn cell(&self, lines: &[String]) -> String {
        let mut words = String::new();
        for line in lines.iter().filter(|line| !line.trim_start().starts_with(".. ")) {
            let line = line.trim().strip_prefix("| ").unwrap_or(line.trim());
            words.push_str(line);
            words.push('\n');
        }
        tidy(&self.inline(&words))
    }

    fn inline(&self, text: &str) -> String {
        inline::words(text, &self.substitutions, &self.references)
    }
}

fn blank(lines: &[String], at: usize) -> bool {
    lines.get(at).is_none_or(|line| line.trim().is_empty())
}

/// Returns how many lines from `at` on are blank or indented by at least `least`, without blank ones at the end.
fn indented(lines: &[String], at: usize, least: usize) -> usize {
    let (mut count, mut kept) = (0, 0);
    for line in lines.get(at..).unwrap_or_default() {
        if !line.trim().is_empty() {
            if indent(line) < least {
                break;
            }
            kept = count + 1;
        }
        count += 1;
    }
    kept
}

/// Returns how many lines from `at` on are not blank.
fn paragraph_length(lines: &[String], at: usize) -> usize {
    lines.get(at..).unwrap_or_default().iter().take_while(|line| !line.trim().is_empty()).count()
}

/// Returns what follows the mark of an explicit block.
fn explicit(line: &str) -> Option<&str> {
    if line == ".." { Some("") } else { line.strip_prefix(".. ").map(str::trim_start) }
}

/// Returns whether a line is one punctuation character, repeated.
fn is_rule(line: &str) -> bool {
    let first = line.chars().next().filter(char::is_ascii_punctuation);
    first.is_some_and(|mark| {
        line.len() >= 2 && line.chars().all(|c| c == mark) && line != "::" && line != ".."
    })
}

#[cfg(test)]
mod tests;
