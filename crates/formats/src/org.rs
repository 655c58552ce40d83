//! An Org file becomes Markdown: headlines, lists, tables and blocks; drawers, properties and settings are left out. Tags are metadata.

mod inline;

use std::collections::BTreeMap;

use crate::markup::{dedented, expanded, indent, iso_date, write_definition, write_item};
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};
use inline::unmarked;

/// Words that begin a headline of work to do or done.
const STATES: &[&str] = &["TODO", "DONE"];
/// The most tags that are kept of a file.
const MOST_TAGS: usize = 100;
/// The longest tag, in bytes.
const LONGEST_TAG: usize = 100;

/// Returns what an Org file says.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let mut page = Page {
        text: Writer::new(bounds.text_bytes),
        title: None,
        metadata: BTreeMap::new(),
        states: STATES.iter().map(|&state| state.to_owned()).collect(),
        notes: Vec::new(),
        tags: Vec::new(),
    };
    let lines = expanded(text.trim_start_matches('\u{feff}'));
    page.learn(&lines);
    page.blocks(&lines);
    if !page.tags.is_empty() {
        page.metadata.insert("tags".to_owned(), page.tags.join(", "));
    }
    Ok(Parsed {
        title: page.title,
        text: page.text.finish(),
        metadata: page.metadata,
        ..Parsed::default()
    })
}

struct Page {
    text: Writer,
    title: Option<String>,
    metadata: BTreeMap<String, String>,
    /// The words that tell the state of a headline.
    states: Vec<String>,
    /// Footnotes within the open paragraph, which are written after it.
    notes: Vec<String>,
    /// The tags of the file and of its headlines, each once.
    tags: Vec<String>,
}

impl Page {
    /// Reads the settings of the file, wherever they are.
    fn learn(&mut self, lines: &[String]) {
        for line in lines {
            let Some((key, value)) = setting(line) else { continue };
            let value = value.trim();
            match key.to_ascii_lowercase().as_str() {
                "todo" | "seq_todo" | "typ_todo" => {
                    let states = value.split([' ', '|']).filter(|state| !state.is_empty());
                    let states = states.map(|state| state.split('(').next().unwrap_or(state));
                    self.states.extend(states.map(str::to_owned));
                }
                "filetags" => self.tag(value),
                "title" => {
                    let title = unmarked(value).0;
                    self.title = Some(match self.title.take() {
                        Some(start) => format!("{start} {title}"),
                        None => title,
                    });
                }
                key @ ("author" | "date" | "keywords" | "language" | "subtitle" | "description"
                | "email") => {
                    let key = if key == "language" { "lang" } else { key };
                    let words = unmarked(value).0;
                    let words = match key {
                        "date" => iso_date(timestamp(&words)),
                        _ => words,
                    };
                    if !words.is_empty() && !words.starts_with("{{{") {
                        self.metadata.entry(key.to_owned()).or_insert(words);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the tags in `:a:b:` to those of the file.
    fn tag(&mut self, tags: &str) {
        for tag in tags.split([':', ' ', '\t']).filter(|tag| !tag.is_empty()) {
            let is_known = self.tags.iter().any(|known| known == tag);
            if !is_known && tag.len() <= LONGEST_TAG && self.tags.len() < MOST_TAGS {
                self.tags.push(tag.to_owned());
            }
        }
    }

    fn blocks(&mut self, lines: &[String]) {
        let mut at = 0;
        // The columns of the marks of the open lists.
        let mut lists: Vec<usize> = Vec::new();
        while let Some(line) = lines.get(at) {
            if self.text.is_full() {
                return;
            }
            let inner = line.trim_start();
            if let Some((level, rest)) = headline(line) {
                lists.clear();
                at += self.headline(&lines[at..], level, rest);
                continue;
            }
            if inner.is_empty() {
                at += 1;
                // Two blank lines end all lists.
                if lines.get(at).is_some_and(String::is_empty) {
                    lists.clear();
                }
                continue;
            }
            let inward = indent(line);
            let count = self.special(&lines[at..], inner);
            if count > 0 {
                at += count;
                continue;
            }
            if let Some((mark, start)) = list_mark(line) {
                lists.retain(|column| *column < inward);
                let depth = lists.len();
                lists.push(inward);
                let count = item_length(&lines[at..], inward);
                let first = line.get(start..).unwrap_or_default();
                let rest = lines[at + 1..at + count].iter().map(|line| line.trim());
                let whole: Vec<&str> = std::iter::once(first.trim()).chain(rest).collect();
                self.item(depth, mark, &whole.join("\n"));
                at += count;
                continue;
            }
            lists.retain(|column| *column < inward);
            let count = lines[at..]
                .iter()
                .enumerate()
                .take_while(|(offset, line)| *offset == 0 || is_prose(line))
                .count();
            let whole: Vec<&str> = lines[at..at + count].iter().map(|line| line.trim()).collect();
            self.paragraph(&whole.join("\n"));
            at += count;
        }
    }

    /// Writes or leaves out the block of a special kind that begins here; returns its length, 0 if there is none.
    fn special(&mut self, lines: &[String], first: &str) -> usize {
        if let Some(rest) = first.strip_prefix("#+") {
            if let Some((kind, argument)) = begin(rest) {
                return self.block(lines, &kind, argument);
            }
            if let Some((key, value)) = setting(first) {
                match key.to_ascii_lowercase().as_str() {
                    "caption" => self.paragraph(value.trim()),
                    "include" => {
                        let name = value.split_whitespace().next().unwrap_or_default();
                        self.text.paragraph(&format!("(includes {})", name.trim_matches('"')));
                    }
                    _ => {}
                }
                return 1;
            }
            return usize::from(rest.to_ascii_lowercase().starts_with("end_"));
        }
        if first == "#" || first.starts_with("# ") {
            return 1;
        }
        if first.starts_with('|') {
            let count = lines.iter().take_while(|line| line.trim_start().starts_with('|')).count();
            self.table(&lines[..count]);
            let formulas = lines[count..].iter();
            return count
                + formulas.take_while(|line| starts_with(line.trim_start(), "#+tblfm:")).count();
        }
        if first == ":" || first.starts_with(": ") {
            let is_fixed = |line: &&String| {
                let line = line.trim_start();
                line == ":" || line.starts_with(": ")
            };
            let count = lines.iter().take_while(is_fixed).count();
            let code = lines[..count].iter().map(|line| {
                let line = line.trim_start();
                line.strip_prefix(": ").unwrap_or_default()
            });
            self.text.code("", &code.collect::<Vec<_>>().join("\n"));
            return count;
        }
        if is_drawer(first) {
            // Drawers with names of their own are part of the text.
            let is_hidden = [":properties:", ":logbook:", ":clock:", ":archive:"]
                .iter()
                .any(|name| starts_with(first, name));
            if !is_hidden {
                return 1;
            }
            let mut own = lines.iter().take_while(|line| headline(line).is_none());
            let end = own.position(|line| line.trim().eq_ignore_ascii_case(":end:"));
            return end.map_or(1, |end| end + 1);
        }
        if first.len() >= 5 && first.bytes().all(|byte| byte == b'-') {
            return 1;
        }
        if let Some((label, rest)) =
            first.strip_prefix("[fn:").and_then(|rest| rest.split_once(']'))
            && indent(&lines[0]) == 0
            && !label.contains(':')
        {
            let count = 1 + lines[1..]
                .iter()
                .take_while(|line| is_prose(line) && !line.starts_with("[fn:"))
                .count();
            let more: Vec<&str> = lines[1..count].iter().map(|line| line.trim()).collect();
            self.paragraph(&format!("[{label}] {} {}", rest.trim(), more.join(" ")));
            return count;
        }
        if first.starts_with("CLOCK: ") || is_planning(first) {
            let plain = inline::without_brackets(first);
            if is_planning(first) {
                self.text.paragraph(&plain);
            }
            return 1;
        }
        0
    }

    fn headline(&mut self, lines: &[String], level: usize, rest: &str) -> usize {
        let mut words_left = rest.trim();
        let mut tagged = "";
        // Tags stand at the end: `:a:b:`.
        if let Some((before, tags)) = words_left.rsplit_once([' ', '\t'])
            && is_tags(tags)
        {
            words_left = before.trim_end();
            tagged = tags;
        } else if is_tags(words_left) {
            tagged = std::mem::take(&mut words_left);
        }
        let mut state = "";
        let first = words_left.split(' ').next().unwrap_or_default();
        if self.states.iter().any(|known| known == first) {
            state = first;
            words_left = words_left[first.len()..].trim_start();
        }
        if let Some(after) = words_left.strip_prefix("[#") {
            words_left = after.split_once(']').map_or(words_left, |(_, after)| after.trim_start());
        }
        let tags_of_archive = rest.ends_with(":noexport:");
        if words_left == "COMMENT" || words_left.starts_with("COMMENT ") || tags_of_archive {
            let deeper = |line: &&String| headline(line).is_none_or(|(other, _)| other > level);
            return 1 + lines[1..].iter().take_while(deeper).count();
        }
        self.tag(tagged);
        let (said, notes) = unmarked(words_left);
        let said = if state.is_empty() { said } else { format!("{state} {said}") };
        self.text.heading(level, &said);
        self.notes = notes;
        self.write_notes();
        1
    }

    fn block(&mut self, lines: &[String], kind: &str, argument: &str) -> usize {
        let end = lines.iter().skip(1).position(|line| {
            starts_with(line.trim_start(), "#+end_") && starts_with(&line.trim_start()[6..], kind)
        });
        // A block without an end is not one.
        let Some(end) = end else { return 1 };
        let inside = dedented(&lines[1..=end]);
        let code = || {
            let escaped = inside.iter().map(|line| {
                let trimmed = line.trim_start();
                let is_escaped = trimmed.starts_with(",*") || trimmed.starts_with(",#+");
                if is_escaped { line.replacen(',', "", 1) } else { line.clone() }
            });
            escaped.collect::<Vec<_>>().join("\n")
        };
        match kind {
            "src" => {
                let language = argument.split_whitespace().next().unwrap_or_default();
                self.text.code(language, &code());
            }
            "example" => self.text.code("", &code()),
            "comment" | "export" => {}
            "verse" => {
                let said: Vec<String> = inside.iter().map(|line| unmarked(line).0).collect();
                for verse in said.split(|line| line.is_empty()) {
                    self.text.paragraph(&verse.join("\n"));
                }
            }
            // Its lines are those of the page; its end is left out there.
            _ => return 1,
        }
        end + 2
    }

    fn table(&mut self, lines: &[String]) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut rules = 0;
        for line in lines {
            let line = line.trim().trim_start_matches('|');
            if line.starts_with('-') {
                rules += usize::from(!rows.is_empty());
                continue;
            }
            let cells: Vec<String> =
                line.trim_end_matches('|').split('|').map(|cell| unmarked(cell.trim()).0).collect();
            let is_width = |cell: &String| {
                cell.is_empty()
                    || cell == "/"
                    || cell.starts_with('<') && cell.ends_with('>') && cell.len() <= 5
            };
            if !cells.iter().all(is_width) || cells.iter().all(String::is_empty) {
                rows.push(cells);
            }
        }
        let is_headed = rules > 0 || rows.len() < 2;
        if !is_headed {
            rows.insert(0, vec![String::new()]);
        }
        self.text.table(&rows);
    }

    fn item(&mut self, depth: usize, mark: &str, whole: &str) {
        let whole = whole.trim();
        let whole = match whole.strip_prefix("[@") {
            Some(rest) => rest.split_once(']').map_or(whole, |(_, rest)| rest.trim_start()),
            None => whole,
        };
        let (mark, is_numbered) =
            if mark.ends_with(['.', ')']) { (mark, true) } else { ("-", false) };
        match whole.split_once(" :: ").or_else(|| Some((whole.strip_suffix(" ::")?, ""))) {
            Some((term, meaning)) if !is_numbered && !term.contains('\n') => {
                let (term, notes) = unmarked(term);
                self.notes = notes;
                let (meaning, notes) = unmarked(meaning);
                self.notes.extend(notes);
                if depth == 0 {
                    write_definition(&mut self.text, &term, &meaning);
                } else {
                    write_item(&mut self.text, depth, mark, &format!("{term}: {meaning}"));
                }
            }
            _ => {
                let (said, notes) = unmarked(whole);
                self.notes = notes;
                write_item(&mut self.text, depth, mark, &tidy(&said));
            }
        }
        self.write_notes();
    }

    fn paragraph(&mut self, whole: &str) {
        let (said, notes) = unmarked(whole);
        self.notes = notes;
        self.text.paragraph(&tidy(&said));
        self.write_notes();
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.text.paragraph(&unmarked(&note).0);
        }
    }
}

fn starts_with(line: &str, start: &str) -> bool {
    line.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(start))
}

/// Returns the level and the rest of a headline.
fn headline(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('*');
    let level = line.len() - rest.len();
    (level > 0 && rest.starts_with(' ')).then_some((level, rest))
}

/// Returns the kind and the arguments of `begin_…`.
fn begin(rest: &str) -> Option<(String, &str)> {
    let rest = starts_with(rest, "begin_").then(|| &rest[6..])?;
    let end = rest.find(' ').unwrap_or(rest.len());
    Some((rest[..end].to_ascii_lowercase(), rest[end..].trim()))
}

/// Returns the key and the value of `#+KEY: value`.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().strip_prefix("#+")?.split_once(':')?;
    let key = key.split('[').next().unwrap_or(key);
    (!key.is_empty() && !key.contains(' ')).then_some((key, value))
}

fn is_drawer(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    })
}

fn is_tags(word: &str) -> bool {
    word.len() > 2
        && word.starts_with(':')
        && word.ends_with(':')
        && word.chars().all(|c| c.is_alphanumeric() || "_@#%:".contains(c))
}

fn is_planning(line: &str) -> bool {
    ["SCHEDULED: ", "DEADLINE: ", "CLOSED: "].iter().any(|start| line.starts_with(start))
}

/// Returns the date of a timestamp: `<2024-03-09 Sat>`.
fn timestamp(words: &str) -> &str {
    let inner = words.trim().trim_start_matches(['<', '[']).trim_end_matches(['>', ']']);
    let date = inner.split(' ').next().unwrap_or_default();
    let is_date = date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    if is_date { date } else { words }
}

/// Returns the mark of a list item and where its words begin.
fn list_mark(line: &str) -> Option<(&str, usize)> {
    let inner = line.trim_start();
    let mark = inner.split(' ').next()?;
    let number = mark.strip_suffix(['.', ')']).unwrap_or_default();
    let is_mark = matches!(mark, "-" | "+")
        || mark == "*" && inner.len() < line.len()
        || (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    let rest = &inner[mark.len()..];
    (is_mark && (rest.starts_with(' ') || rest.is_empty()))
        .then(|| (mark, line.len() - rest.trim_start().len()))
}

/// Returns whether a line goes on with a paragraph.
fn is_prose(line: &str) -> bool {
    let inner = line.trim_start();
    !inner.is_empty()
        && headline(line).is_none()
        && list_mark(line).is_none()
        && !inner.starts_with("#+")
        && !inner.starts_with("# ")
        && !inner.starts_with('|')
        && !inner.starts_with(": ")
        && !is_drawer(inner)
}

/// Returns how many lines belong to the first paragraph of a list item at a column.
fn item_length(lines: &[String], inward: usize) -> usize {
    1 + lines[1..].iter().take_while(|line| is_prose(line) && indent(line) > inward).count()
}

#[cfg(test)]
mod tests;
