//! reStructuredText becomes Markdown: sections, lists, tables and code; directives by what a reader sees of them.
//!
//! Directives that only serve the build (`toctree`, `index`, raw HTML, …) and comments are left out. Unknown directives keep their
//! argument and their content. Files that are included are not read.

mod directive;
mod inline;
mod table;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use crate::markup::{dedented, expanded, indent, iso_date, write_definition, write_item};
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};

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
    /// How long the text is while nothing but the title was written.
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
        let is_title = self.text.is_empty();
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

    fn list(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        let mut number = 0;
        let is_same = |line: &String| {
            let first = lines[from].chars().next().filter(|mark| "*+-•‣⁃".contains(*mark));
            list_mark(line).filter(|(mark, _)| {
                let own = mark.chars().next().filter(|mark| "*+-•‣⁃".contains(*mark));
                own == first
            })
        };
        while let Some((mark, start)) = lines.get(at).and_then(is_same) {
            number += 1;
            let count = 1 + indented(lines, at + 1, 1);
            let mut item = vec![lines[at].get(start..).unwrap_or_default().to_owned()];
            let inner = lines[at + 1..at + count].iter();
            item.extend(inner.map(|line| line[indent(line).min(start)..].to_owned()));
            let mark = match mark.as_str() {
                "#." => format!("{number}."),
                mark if "*+-•‣⁃".contains(mark) => "-".to_owned(),
                mark => mark.to_owned(),
            };
            self.item(&mark, &item, place);
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).and_then(is_same).is_some() {
                at += gap;
            } else {
                break;
            }
        }
        at - from
    }

    /// Writes a list item: its first paragraph as such, then its other blocks.
    fn item(&mut self, mark: &str, item: &[String], place: &Place) {
        let first = item.first().map_or("", String::as_str);
        let is_words = list_mark(first).is_none()
            && explicit(first).is_none()
            && table::grid(item, 0).is_none();
        let count = if is_words { paragraph_length(item, 0) } else { 0 };
        let deeper = item[..count].iter().skip(1).position(|line| indent(line) > 0);
        let count = deeper.map_or(count, |deeper| deeper + 1);
        if count == 0 {
            return self.blocks(item, &place.within_list());
        }
        let words = self.joined(&item[..count]);
        write_item(&mut self.text, place.lists, mark, &words);
        let literal = if item[count - 1].ends_with("::") { self.literal(item, count) } else { 0 };
        self.blocks(&item[count + literal..], &place.within_list());
    }

    /// Writes fields: those at the start of the file are its metadata, others are items.
    fn fields(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        let is_docinfo = place.is_top && self.text.len() == self.title_end;
        while let Some((name, words)) = lines.get(at).and_then(|line| field(line)) {
            let count = 1 + indented(lines, at + 1, 1);
            let mut body = vec![words.to_owned()];
            body.extend(dedented(&lines[at + 1..at + count]));
            if is_docinfo {
                self.docinfo(name, &body);
            } else {
                let length = paragraph_length(&body, 0);
                let first = self.joined(&body[..length]);
                let name = self.inline(name);
                write_item(
                    &mut self.text,
                    place.lists,
                    "-",
                    format!("{name}: {first}").trim_end_matches([':', ' ']),
                );
                self.blocks(&body[length..], &place.within_list());
            }
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).is_some_and(|next| field(next).is_some()) {
                at += gap;
            } else {
                break;
            }
        }
        at - from
    }

    fn docinfo(&mut self, name: &str, body: &[String]) {
        let words = self.joined(body);
        let name = name.to_lowercase();
        let key = match name.as_str() {
            "author" | "authors" => "author",
            "date" | "created" => "date",
            "keywords" | "subject" | "lang" | "version" | "copyright" | "organization"
            | "status" | "revision" => &name,
            "abstract" | "dedication" => return self.text.paragraph(&words),
            // Settings of Sphinx.
            "orphan" | "tocdepth" | "nocomments" | "nosearch" => return,
            _ => return self.text.item(0, "-", &format!("{}: {words}", self.inline(&name))),
        };
        let words =
            words.trim_matches('$').trim_start_matches("Date:").trim_start_matches("Revision:");
        let value = if key == "date" { iso_date(words) } else { tidy(words) };
        if !value.is_empty() {
            self.metadata.insert(key.to_owned(), value);
        }
    }

    fn options(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        while lines.get(at).is_some_and(|line| is_option(line)) {
            let (option, words) = lines[at].split_once("  ").unwrap_or((&lines[at], ""));
            let count = 1 + indented(lines, at + 1, 1);
            let mut body = vec![words.trim().to_owned()];
            body.extend(dedented(&lines[at + 1..at + count]));
            self.meaning(&[option.to_owned()], false, &body, place);
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).is_some_and(|next| is_option(next)) {
                at += gap;
            }
        }
        at - from
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

    fn definition(&mut self, lines: &[String], at: usize, place: &Place) -> usize {
        let count = 1 + indented(lines, at + 1, 1);
        let body = dedented(&lines[at + 1..at + count]);
        self.meaning(&lines[at..=at], true, &body, place);
        count
    }

    /// Writes terms and their meaning: its first paragraph as the definition, then its other blocks.
    fn meaning(&mut self, terms: &[String], is_inline: bool, body: &[String], place: &Place) {
        let start = body.iter().take_while(|line| line.trim().is_empty()).count();
        let body = &body[start..];
        let terms: Vec<String> = terms
            .iter()
            .map(|term| if is_inline { self.inline(term) } else { tidy(term) })
            .collect();
        let term = terms.join(", ");
        let first = body.first().map_or("", String::as_str);
        let is_words = list_mark(first).is_none()
            && explicit(first).is_none()
            && field(first).is_none()
            && table::grid(body, 0).is_none()
            && body.get(1).is_none_or(|next| indent(next) == 0);
        let count = if is_words { paragraph_length(body, 0) } else { 0 };
        let count = body[..count].iter().position(|line| indent(line) > 0).unwrap_or(count);
        let words = self.joined(&body[..count]);
        write_definition(&mut self.text, &term, &words);
        let literal = if count > 0 && body[count - 1].ends_with("::") {
            self.literal(body, count)
        } else {
            0
        };
        self.blocks(&body[count + literal..], &place.within());
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

/// Returns the mark of a list item and where its words begin.
fn list_mark(line: &str) -> Option<(String, usize)> {
    let mark = line.split(' ').next()?;
    let rest = &line[mark.len()..];
    let start = line.len() - rest.trim_start().len();
    let is_bullet = matches!(mark, "*" | "+" | "-" | "•" | "‣" | "⁃");
    let inner = mark.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| mark.strip_suffix(['.', ')']));
    let is_number = inner.is_some_and(|inner| {
        let is_roman = |c: char| "ivxlcdmIVXLCDM".contains(c);
        inner == "#"
            || (1..=9).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_digit())
            || inner.len() == 1 && inner.bytes().all(|b| b.is_ascii_alphabetic())
            || (2..=5).contains(&inner.len()) && inner.chars().all(is_roman)
    });
    (is_bullet || is_number && !rest.is_empty()).then(|| (mark.to_owned(), start))
}

/// Returns the name and the first words of a field.
fn field(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(':')?;
    let end = rest.match_indices(':').map(|(at, _)| at).find(|at| {
        let after = &rest[at + 1..];
        (after.is_empty() || after.starts_with(' ')) && !rest[..*at].ends_with('\\')
    })?;
    let name = &rest[..end];
    let is_name = !name.is_empty() && !name.starts_with([' ', ':']) && !name.contains('`');
    is_name.then(|| (name, rest[end + 1..].trim()))
}

/// Returns whether a line begins an entry of an option list: `-a, --all  what it does`.
fn is_option(line: &str) -> bool {
    let option = line.split("  ").next().unwrap_or_default();
    let is_part = |part: &str| {
        let part = part.trim();
        (part.starts_with('-') || part.starts_with('/'))
            && part.len() >= 2
            && part.split(' ').count() <= 2
            && part[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '?')
    };
    (line.starts_with('-') || line.starts_with('/') && line.contains("  "))
        && !option.starts_with("---")
        && option.split(',').all(is_part)
}

#[cfg(test)]
mod tests;
