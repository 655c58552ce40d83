//! AsciiDoc becomes Markdown: sections, lists, tables, admonitions and code; attributes by their values where the file defines them.
//!
//! Files that are included are named, not read. Conditions are decided by the attributes that the file itself sets.

mod conditions;
mod inline;
mod table;

use std::collections::{BTreeMap, HashMap};

use crate::markup::{expanded, indent, iso_date, write_definition, write_item};
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};

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
            self.style.title = self.words(&line[1..]);
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

    /// Takes in `:name: value`; returns whether the line is one of these.
    fn attribute(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':'))
        else {
            return false;
        };
        let plain = name.trim_matches('!');
        let is_name =
            !plain.is_empty() && plain.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        if !is_name || !value.is_empty() && !value.starts_with(' ') {
            return false;
        }
        let key = plain.to_lowercase();
        if name.contains('!') {
            self.attributes.remove(&key);
            return true;
        }
        let value = self.resolved(value.trim().trim_end_matches('\\').trim_end());
        if matches!(
            &*key,
            "author"
                | "date"
                | "email"
                | "keywords"
                | "lang"
                | "description"
                | "revdate"
                | "revnumber"
        ) && !value.is_empty()
        {
            self.state(&key, &value);
        }
        if self.attributes.len() < MOST_ATTRIBUTES && value.len() <= LONGEST_VALUE {
            self.attributes.insert(key, value);
        }
        true
    }

    fn state(&mut self, key: &str, value: &str) {
        let key = match key {
            "revdate" => "date",
            "revnumber" => "version",
            key => key,
        };
        let value = if key == "date" { iso_date(value) } else { tidy(value) };
        self.metadata.insert(key.to_owned(), value);
    }

    /// Returns how many lines continue the value of an attribute.
    fn continued(&self, lines: &[String], at: usize) -> usize {
        lines[at..].iter().take_while(|line| line.ends_with(" \\")).count()
    }

    /// Writes a block between two equal lines: code, a table, or nothing.
    fn verbatim(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let open = lines[at].as_str();
        let is_table = open.len() >= 4
            && open.ends_with("===")
            && open[1..].bytes().all(|b| b == b'=')
            && open.starts_with(['|', ',', ':', '!']);
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
            let rows = table::rows(body, &self.style.parts, open);
            let rows: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(|cell| self.cell(cell)).collect()).collect();
            self.text.table(&rows);
            return Some(inner + 2);
        }
        if open.starts_with('+') {
            if !matches!(self.style.name(), "latexmath" | "stem" | "asciimath") {
                let (_, tables) = crate::markup::from_html(&body.join("\n"));
                tables.iter().for_each(|rows| self.text.table(rows));
            } else {
                self.text.paragraph(&body.join(" "));
            }
            return Some(inner + 2);
        }
        let language = if is_markdown {
            open.trim_start_matches('`').trim().to_owned()
        } else {
            self.language()
        };
        match self.style.name() {
            "verse" => self.text.paragraph(&body.join("\n")),
            "latexmath" | "stem" => self.text.paragraph(&body.join(" ")),
            _ => self.text.code(&language, &without_callouts(body)),
        }
        Some(inner + 2)
    }

    fn language(&self) -> String {
        let named = match self.style.name() {
            "source" | "listing" | "" => self.style.parts.get(1).filter(|part| !part.contains('=')),
            _ => None,
        };
        let default = self.attributes.get("source-language");
        let is_source = self.style.name() == "source" || named.is_some();
        named.or(default.filter(|_| is_source)).map(|name| tidy(name)).unwrap_or_default()
    }

    fn heading(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let line = lines[at].as_str();
        let rest = line.trim_start_matches('=');
        let rest = if rest.len() == line.len() { line.trim_start_matches('#') } else { rest };
        let level = line.len() - rest.len();
        if (1..=6).contains(&level) && rest.starts_with(' ') {
            let is_title = level == 1 && self.text.is_empty();
            self.write_heading(
                level,
                rest.trim().trim_end_matches(&format!(" {}", "=".repeat(level))),
            );
            return Some(1 + if is_title { self.header(lines, at + 1) } else { 0 });
        }
        let under = lines.get(at + 1)?;
        let mark = under.chars().next()?;
        let level = "=-~^+".find(mark)? + 1;
        let (length, words) = (under.chars().count(), line.chars().count());
        let is_title = length >= 3
            && under.chars().all(|c| c == mark)
            && length.abs_diff(words) <= 2
            && !self.open.contains(under)
            && line.chars().any(char::is_alphanumeric)
            && !line.starts_with([' ', '.', '[', '|']);
        if !is_title {
            return None;
        }
        let is_first = level == 1 && self.text.is_empty();
        self.write_heading(level, line);
        Some(2 + if is_first { self.header(lines, at + 2) } else { 0 })
    }

    fn write_heading(&mut self, level: usize, words: &str) {
        self.lists.clear();
        self.counts.clear();
        self.attached = false;
        self.style = Style::default();
        let words = self.words(words);
        self.text.heading(level, &words);
    }

    /// Reads the author and the revision below the title; returns how many lines that are.
    fn header(&mut self, lines: &[String], at: usize) -> usize {
        let mut count = 0;
        let is_line = |line: &&String| {
            !line.is_empty()
                && !line.starts_with([':', '/', '[', '=', ' ', '*', '|', '-'])
                && !line.contains("::")
        };
        let line = |count: usize| lines.get(at + count).filter(is_line);
        if let Some(author) = line(0) {
            let is_author = author.contains('<') && author.contains('@')
                || author.split(' ').count() <= 4
                    && !author.ends_with(['.', ':'])
                    && author.starts_with(char::is_uppercase);
            if is_author {
                let names: Vec<String> = author
                    .split(';')
                    .map(|name| tidy(&name.split('<').next().unwrap_or(name).replace('_', " ")))
                    .filter(|name| !name.is_empty())
                    .collect();
                self.state("author", &names.join(", "));
                self.attributes.insert("author".to_owned(), names.join(", "));
                count = 1;
                if let Some(revision) =
                    line(1).filter(|line| line.contains(|c: char| c.is_ascii_digit()))
                {
                    let (first, rest) = revision.split_once(',').unwrap_or((revision, ""));
                    let number = first.trim_start_matches('v');
                    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
                        && !number.contains([' ', '-']);
                    let date = if is_number { rest } else { revision }
                        .split(": ")
                        .next()
                        .unwrap_or_default();
                    if is_number {
                        self.state("revnumber", number);
                        self.attributes.insert("revnumber".to_owned(), number.to_owned());
                    }
                    if !date.trim().is_empty() {
                        self.state("revdate", date);
                        self.attributes.insert("revdate".to_owned(), tidy(date));
                    }
                    count = 2;
                }
            }
        }
        count
    }

    /// Takes in `[source,python]`, an anchor, and so on.
    fn bracketed(&mut self, line: &str) -> usize {
        let inner = &line[1..line.len() - 1];
        if !inner.starts_with('[') {
            self.style.parts = parts(&self.resolved(inner));
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
                let parts = parts(attributes);
                let alt = parts.first().filter(|part| !part.contains('=')).cloned();
                let named = parts.iter().find_map(|part| part.strip_prefix("alt="));
                let words = self.words(&alt.or(named.map(str::to_owned)).unwrap_or_default());
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

    /// Writes a list item, if one begins here.
    fn list_item(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let line = lines[at].trim_start();
        if let Some((term, mark, rest)) = description(line) {
            return Some(self.description(lines, at, term, mark, rest));
        }
        let (mark, rest) = list_mark(line)?;
        let depth = self.depth(&mark);
        if let Some(count) = self.counts.get_mut(depth) {
            *count += 1;
        }
        let number = self.counts.get(depth).copied().unwrap_or(1);
        let printed = match mark.as_str() {
            "*" | "-" => "-".to_owned(),
            mark if mark.starts_with('*') => "-".to_owned(),
            mark if mark.starts_with('.') || mark == "1." || mark.starts_with('<') => {
                format!("{number}.")
            }
            mark => mark.to_owned(),
        };
        let count = item_length(lines, at);
        let mut whole = rest.to_owned();
        for line in &lines[at + 1..at + count] {
            whole.push('\n');
            whole.push_str(line.trim_start());
        }
        self.caption();
        let (words, notes) = self.with_notes(&whole);
        let words = match words.get(..4) {
            Some("[ ] " | "[x] " | "[*] ") => words.replacen("[*]", "[x]", 1),
            _ => words,
        };
        write_item(&mut self.text, depth, &printed, &words);
        self.write_notes(&notes);
        Some(count)
    }

    /// Returns the depth of the list with a mark, and closes the lists within it.
    fn depth(&mut self, mark: &str) -> usize {
        self.attached = false;
        match self.lists.iter().position(|open| open == mark) {
            Some(depth) => {
                self.lists.truncate(depth + 1);
                self.counts.truncate(depth + 1);
                depth
            }
            None => {
                self.lists.push(mark.to_owned());
                self.counts.push(0);
                self.lists.len() - 1
            }
        }
    }

    fn description(
        &mut self,
        lines: &[String],
        at: usize,
        term: &str,
        mark: &str,
        rest: &str,
    ) -> usize {
        self.depth(mark);
        self.caption();
        // More terms may share one meaning.
        let mut terms = vec![self.words(term)];
        let mut end = at + 1;
        let mut meaning = rest.trim().to_owned();
        while meaning.is_empty() {
            let start = end
                + lines[end..]
                    .iter()
                    .take_while(|line| {
                        line.is_empty() || line.starts_with("//") && !is_fence(line, "/", 4)
                    })
                    .count();
            let Some(next) = lines.get(start) else { break };
            if let Some((term, other, rest)) = description(next.trim_start())
                && other == mark
                && start == end
            {
                terms.push(self.words(term));
                rest.trim().clone_into(&mut meaning);
                end = start + 1;
                continue;
            }
            if is_words(next)
                && list_mark(next.trim_start()).is_none()
                && description(next.trim_start()).is_none()
            {
                next.trim_start().clone_into(&mut meaning);
                end = start + 1;
            }
            break;
        }
        if !meaning.is_empty() {
            while let Some(line) = lines.get(end).filter(|line| goes_on(line)) {
                meaning.push('\n');
                meaning.push_str(line.trim_start());
                end += 1;
            }
        }
        let (words, notes) = self.with_notes(&meaning);
        write_definition(&mut self.text, &terms.join(", "), &words);
        self.write_notes(&notes);
        end - at
    }

    /// Writes a paragraph whose first line is indented: it is shown as it is.
    fn literal_paragraph(&mut self, lines: &[String], at: usize) -> usize {
        let count = lines[at..].iter().take_while(|line| !line.is_empty()).count();
        self.caption();
        let code = crate::markup::dedented(&lines[at..at + count]);
        let language = self.language();
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
                let language = self.language();
                self.text.code(&language, &lines.join("\n"));
            }
            "verse" => {
                let title = std::mem::take(&mut self.style.title);
                let words: Vec<String> = lines.iter().map(|line| self.words(line)).collect();
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
        let (words, notes) = self.with_notes(whole);
        self.text.paragraph(&words);
        self.write_notes(&notes);
    }

    fn write_notes(&mut self, notes: &[String]) {
        for note in notes {
            let words = self.words(note);
            self.text.paragraph(&words);
        }
    }

    fn cell(&self, cell: &str) -> String {
        let lines: Vec<&str> = cell.lines().filter(|line| !is_boundary(line)).collect();
        self.words(&lines.join("\n"))
    }

    /// Returns a text with the values of the attributes in it.
    fn resolved(&self, text: &str) -> String {
        inline::resolved(text, &self.attributes)
    }

    fn words(&self, text: &str) -> String {
        self.with_notes(text).0
    }

    fn with_notes(&self, text: &str) -> (String, Vec<String>) {
        let (words, notes) = inline::words(&self.resolved(text));
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

fn goes_on(line: &str) -> bool {
    let inner = line.trim_start();
    is_words(line)
        && list_mark(inner).is_none()
        && description(inner).is_none()
        && !line.starts_with("//")
}

fn item_length(lines: &[String], at: usize) -> usize {
    1 + lines[at + 1..].iter().take_while(|line| goes_on(line)).count()
}

/// Returns the mark of a list item and the rest of its line.
fn list_mark(line: &str) -> Option<(String, &str)> {
    let mark = line.split(' ').next()?;
    let rest = line[mark.len()..].trim_start();
    let is_repeated = |c: char| mark.len() <= 6 && mark.chars().all(|other| other == c);
    let is_number = mark.strip_suffix('.').is_some_and(|number| {
        (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
            || number.len() == 1 && number.bytes().all(|b| b.is_ascii_alphabetic())
    });
    let is_callout =
        mark.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).is_some_and(|inner| {
            inner == "." || !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit())
        });
    let is_mark = !mark.is_empty()
        && (mark == "-" || is_repeated('*') || is_repeated('.') || is_number || is_callout);
    if !is_mark || rest.is_empty() {
        return None;
    }
    let digits = mark.starts_with(|c: char| c.is_ascii_digit());
    let mark = if digits {
        "1.".to_owned()
    } else if is_callout {
        "<".to_owned()
    } else {
        mark.to_owned()
    };
    Some((mark, rest))
}

/// Returns the term, the mark and the start of the meaning of `term:: meaning`.
fn description(line: &str) -> Option<(&str, &'static str, &str)> {
    let ends = [":::: ", "::: ", ":: ", ";; "];
    let found = ends.iter().filter_map(|end| {
        let whole = end.trim_end();
        match line.strip_suffix(whole).filter(|term| !term.ends_with([':', ';'])) {
            Some(term) if !term.contains(end) => Some((term, whole, "")),
            _ => {
                let (term, rest) = line.split_once(end)?;
                (!term.ends_with([':', ';'])).then_some((term, whole, rest))
            }
        }
    });
    let (term, mark, rest) = found.min_by_key(|(term, _, _)| term.len())?;
    let mark = ["::::", ":::", "::", ";;"].into_iter().find(|known| *known == mark)?;
    (!term.trim().is_empty() && !line.starts_with("//")).then_some((term, mark, rest))
}

/// Returns the parts of what stands in brackets, without their quotation marks.
fn parts(inner: &str) -> Vec<String> {
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
