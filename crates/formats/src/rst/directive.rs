//! Directives: `.. name:: argument`, options, and content.

use super::lists::{field, list_mark};
use super::{Page, Place, explicit, indented, paragraph_length};
use crate::html;
use crate::markup::dedented;
use crate::writer::tidy;

/// Directives that show nothing of their own in the text.
const SILENT: &[&str] = &[
    "toctree",
    "contents",
    "index",
    "include",
    "meta",
    "currentmodule",
    "py:currentmodule",
    "module",
    "py:module",
    "sectnum",
    "section-numbering",
    "header",
    "footer",
    "title",
    "default-role",
    "role",
    "target-notes",
    "todo",
    "todolist",
    "tabularcolumns",
    "kernel-doc",
    "kernel-include",
    "bibliography",
    "default-domain",
    "minigallery",
    "program",
    "c:namespace",
    "cpp:namespace",
    "graphviz",
    "digraph",
    "graph",
    "inheritance-diagram",
    "plot",
    "sectionauthor",
    "codeauthor",
    "moduleauthor",
    "testsetup",
    "testcleanup",
    "automodule",
    "autoclass",
    "autofunction",
    "automethod",
    "autoattribute",
    "autodata",
    "autoexception",
    "autosummary",
    "autoproperty",
    "literalinclude",
    "click",
    "argparse",
    "jinja",
    "cssclass",
    "rst-class",
    "class",
    "date",
    "replace",
    "unicode",
    "apidoc",
    "doxygenfunction",
    "doxygenstruct",
    "doxygenenum",
    "doxygenfile",
    "doxygengroup",
    "comment",
    "ditaa",
    "uml",
    "mermaid",
    "image-sg",
    "youtube",
    "video",
    "iframe",
    "button-ref",
    "button-link",
];

/// Directives whose argument may take more than one line.
const TITLED: &[&str] = &[
    "image",
    "figure",
    "csv-table",
    "list-table",
    "table",
    "flat-table",
    "rubric",
    "topic",
    "sidebar",
    "code-block",
    "math",
];

/// Returns the name and the argument of a directive.
pub(super) fn named(rest: &str) -> Option<(&str, &str)> {
    let (name, argument) = rest.split_once("::")?;
    let name = name.trim_end();
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "-_+:.".contains(c))
        && (argument.is_empty() || argument.starts_with(' '));
    is_name.then(|| (name, argument.trim()))
}

/// Returns the value of an option in the lines below a directive.
pub(super) fn option(lines: &[String], name: &str) -> Option<String> {
    let rows = lines.iter().take_while(|line| line.trim_start().starts_with(':'));
    let mut found = rows.filter_map(|line| field(line.trim_start()));
    found.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// Returns the characters that a `unicode` directive names.
pub(super) fn characters(argument: &str) -> String {
    let codes = argument.split(" .. ").next().unwrap_or_default().split_whitespace();
    let mut found = String::new();
    for code in codes.filter(|code| !code.starts_with(':')) {
        let hex = ["0x", "x", "\\x", "U+", "u+", "u", "\\u"]
            .iter()
            .find_map(|start| code.strip_prefix(start));
        let number = hex.map_or_else(|| code.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        match number.and_then(char::from_u32) {
            Some(c) => found.push(c),
            None => found.push_str(code),
        }
    }
    found
}

impl Page {
    /// Writes what a reader sees of a directive. `body` is everything below its first line.
    pub(super) fn directive(&mut self, name: &str, argument: &str, body: &[String], place: &Place) {
        let options =
            body.iter().take_while(|line| field(line).is_some() || line.starts_with("   ")).count();
        let has_options = body.first().is_some_and(|line| field(line).is_some());
        // An argument may go on in the lines before the options.
        let (argument, body) = match body.iter().position(|line| field(line).is_some()) {
            Some(at)
                if at > 0
                    && at <= 4
                    && body[..at].iter().all(|line| !line.trim().is_empty())
                    && TITLED.contains(&name) =>
            {
                (format!("{argument} {}", body[..at].join(" ")), &body[at..])
            }
            _ => (argument.to_owned(), body),
        };
        let options = if has_options {
            options
        } else {
            body.iter().take_while(|line| field(line).is_some()).count()
        };
        let (settings, content) = body.split_at(options.min(body.len()));
        let start = content.iter().take_while(|line| line.trim().is_empty()).count();
        let content = &content[start..];
        let within = place.within();
        match name {
            "code-block" | "code" | "sourcecode" | "ipython" | "ipython3" | "jupyter-execute"
            | "code-cell" => {
                self.caption(settings);
                let language = if name.starts_with("ipython") {
                    "python"
                } else {
                    argument.split_whitespace().next().unwrap_or_default()
                };
                self.text.code(language, &content.join("\n"));
            }
            "doctest" | "testcode" => self.text.code("python", &content.join("\n")),
            "prompt" | "console" => {
                self.text.code(argument.split(' ').next().unwrap_or_default(), &content.join("\n"));
            }
            "testoutput" | "parsed-literal" | "productionlist" | "literal" | "command-output" => {
                self.text.code("", &content.join("\n"));
            }
            "highlight" => argument.clone_into(&mut self.language),
            "math" => {
                let lines = [vec![argument], content.to_vec()].concat();
                lines
                    .split(|line| line.trim().is_empty())
                    .for_each(|lines| self.text.paragraph(&tidy(&lines.join(" "))));
            }
            "raw" => {
                if argument == "html" && !content.is_empty() {
                    html::write_tables(&content.join("\n"), &mut self.text);
                }
            }
            "image" | "figure" => {
                let alt = option(settings, "alt").map(|alt| self.inline(&alt)).unwrap_or_default();
                self.text.paragraph(&alt);
                self.blocks(content, &within);
            }
            "csv-table" => self.csv_table(&argument, settings, content),
            "list-table" => self.list_table(&argument, settings, content),
            "table" | "flat-table" if name == "flat-table" => {
                self.list_table(&argument, settings, content);
            }
            "table" | "topic" | "sidebar" | "admonition" | "rubric" | "centered" | "dropdown"
            | "tab" | "tab-item" | "card" | "grid-item-card" => {
                let words = self.inline(&argument);
                self.text.paragraph(&words);
                self.blocks(content, &within);
            }
            "versionadded" | "versionchanged" | "deprecated" | "versionremoved" => {
                self.version(name, &argument, content, &within);
            }
            "glossary" => self.glossary(content, &within),
            "hlist" | "container" | "compound" | "epigraph" | "highlights" | "pull-quote"
            | "only" | "ifconfig" | "tabs" | "tab-set" | "grid" | "grid-item" | "parsed"
            | "acks" | "line-block" => {
                self.blocks(content, &within);
            }
            name if is_admonition(name) => self.admonition(name, &argument, body, &within),
            name if SILENT.contains(&name) => {
                if name == "class" || name == "rst-class" {
                    // In Sphinx, `class` describes a class; in docutils it sets a style.
                    if argument.contains(['(', '.'])
                        || !content.is_empty() && argument.starts_with(char::is_uppercase)
                    {
                        return self.described(&argument, body, place);
                    }
                    self.blocks(content, &within);
                } else if name.starts_with("auto") && name != "autosummary"
                    || name == "module"
                    || name == "py:module"
                {
                    self.blocks(content, &within);
                }
            }
            _ if content.is_empty() && settings.is_empty() && argument.is_empty() => {}
            _ => self.described(&argument, body, place),
        }
    }

    /// Writes what an object is: its signatures as terms, and its description.
    fn described(&mut self, argument: &str, body: &[String], place: &Place) {
        // More signatures follow on lines of their own, up to a blank line or an option.
        let is_signature = |line: &&String| {
            !line.trim().is_empty()
                && field(line.trim_start()).is_none()
                && (line.contains('(')
                    || line.trim_start().starts_with('-')
                    || line.split_whitespace().count() <= 3)
        };
        let more = body.iter().take_while(is_signature).count();
        let ends = body
            .get(more)
            .is_some_and(|line| line.trim().is_empty() || field(line.trim_start()).is_some());
        let more = if ends { more } else { 0 };
        let settings = body[more..].iter().take_while(|line| is_setting(line.trim_start())).count();
        let start = more + settings;
        let mut terms = vec![argument.trim_end_matches('\\').to_owned()];
        terms.extend(body[..more].iter().map(|line| line.trim().to_owned()));
        let body = dedented(&body[start..]);
        self.meaning(&terms, false, &body, place);
    }

    fn caption(&mut self, settings: &[String]) {
        if let Some(caption) = option(settings, "caption") {
            let words = self.inline(&caption);
            self.text.paragraph(&words);
        }
    }

    fn admonition(&mut self, name: &str, argument: &str, body: &[String], place: &Place) {
        let title = if name == "seealso" { "See also".to_owned() } else { capitalized(name) };
        let start = body
            .iter()
            .take_while(|line| field(line).is_some_and(|(key, _)| matches!(key, "class" | "name")))
            .count();
        let mut content: Vec<String> = vec![argument.to_owned()];
        content.extend(body[start..].iter().cloned());
        let blank = content.iter().take_while(|line| line.trim().is_empty()).count();
        self.led(&title, &content[blank..], place);
    }

    fn version(&mut self, name: &str, argument: &str, content: &[String], place: &Place) {
        let (version, words) = argument.split_once(' ').unwrap_or((argument, ""));
        let title = match name {
            "versionadded" => format!("New in version {version}"),
            "versionchanged" => format!("Changed in version {version}"),
            "versionremoved" => format!("Removed in version {version}"),
            _ => format!("Deprecated since version {version}"),
        };
        let mut lines: Vec<String> = Vec::new();
        if !words.is_empty() {
            lines.push(words.to_owned());
        }
        lines.extend(content.iter().cloned());
        self.led(&title, &lines, place);
    }

    /// Writes blocks whose first paragraph begins with a title: `Note: …`.
    fn led(&mut self, title: &str, content: &[String], place: &Place) {
        let first = content.first().map_or("", String::as_str);
        let is_words = list_mark(first).is_none()
            && explicit(first).is_none()
            && !first.starts_with(' ')
            && field(first).is_none();
        let count = if is_words { paragraph_length(content, 0) } else { 0 };
        let deeper = content[..count].iter().position(|line| line.starts_with(' '));
        // A term with its meaning is no paragraph.
        let count = match deeper {
            Some(1) => 0,
            Some(deeper) => deeper,
            None => count,
        };
        let words = self.joined(&content[..count]);
        let colon = if words.is_empty() { "" } else { ": " };
        self.text.paragraph(&format!("{title}{colon}{words}"));
        let literal = if count > 0 && content[count - 1].ends_with("::") {
            self.literal(content, count)
        } else {
            0
        };
        self.blocks(&content[count + literal..], place);
    }

    fn glossary(&mut self, content: &[String], place: &Place) {
        let mut at = 0;
        while at < content.len() {
            if content[at].trim().is_empty() || content[at].starts_with(".. ") {
                at += 1;
                continue;
            }
            let terms = content[at..]
                .iter()
                .take_while(|line| !line.trim().is_empty() && !line.starts_with(' '))
                .count();
            let count = indented(content, at + terms, 1);
            let body = dedented(&content[at + terms..at + terms + count]);
            self.meaning(&content[at..at + terms], true, &body, place);
            at += (terms + count).max(1);
        }
    }

    fn csv_table(&mut self, argument: &str, settings: &[String], content: &[String]) {
        let words = self.inline(argument);
        self.text.paragraph(&words);
        let separator = match option(settings, "delim").as_deref() {
            Some("tab") => b'\t',
            Some("space") => b' ',
            Some(delim) if delim.len() == 1 => delim.as_bytes()[0],
            _ => b',',
        };
        let mut rows = Vec::new();
        if let Some(head) = option(settings, "header") {
            rows.extend(records(&head, separator));
        }
        rows.extend(records(&content.join("\n"), separator));
        for row in &mut rows {
            for cell in row {
                *cell = self.inline(cell);
            }
        }
        self.text.table(&rows);
    }

    fn list_table(&mut self, argument: &str, settings: &[String], content: &[String]) {
        let words = self.inline(argument);
        self.text.paragraph(&words);
        let heads = option(settings, "header-rows").and_then(|count| count.parse::<usize>().ok());
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut cell: Vec<String> = Vec::new();
        let mut deep = 2;
        for line in content.iter().filter(|line| !line.trim_start().starts_with(".. _")) {
            let inner = line.trim_start();
            let inward = line.len() - inner.len();
            let is_row = inward == 0
                && (inner.starts_with("* -")
                    || inner.starts_with("- *")
                    || inner.starts_with("- -")
                    || inner.starts_with("* *"));
            if is_row {
                deep = line.len() - inner[1..].trim_start().len();
            }
            let is_cell = inward == deep
                && (inner == "-"
                    || inner == "*"
                    || inner.starts_with("- ")
                    || inner.starts_with("* "));
            if is_row || is_cell {
                self.close_cell(&mut rows, &mut cell);
                if is_row {
                    rows.push(Vec::new());
                }
                let words = line.get(deep + 1..).unwrap_or_default();
                cell.push(words.trim().to_owned());
            } else if !cell.is_empty() {
                cell.push(inner.to_owned());
            }
        }
        self.close_cell(&mut rows, &mut cell);
        if heads == Some(0) {
            rows.insert(0, vec![String::new()]);
        }
        self.text.table(&rows);
    }

    fn close_cell(&mut self, rows: &mut [Vec<String>], cell: &mut Vec<String>) {
        if let Some(row) = rows.last_mut()
            && !cell.is_empty()
        {
            row.push(self.cell(cell));
        }
        cell.clear();
    }
}

/// Returns whether a line below a directive sets an option of Sphinx rather than describing a parameter.
fn is_setting(line: &str) -> bool {
    let name = field(line).map_or("", |(name, _)| name);
    matches!(
        name,
        "module"
            | "noindex"
            | "no-index"
            | "canonical"
            | "name"
            | "class"
            | "nocontentsentry"
            | "single-line-parameter-list"
            | "abstractmethod"
            | "async"
            | "classmethod"
            | "staticmethod"
            | "property"
            | "final"
    )
}

fn is_admonition(name: &str) -> bool {
    matches!(
        name,
        "note"
            | "warning"
            | "tip"
            | "hint"
            | "important"
            | "caution"
            | "danger"
            | "attention"
            | "error"
            | "seealso"
    )
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the records of comma-separated values.
fn records(text: &str, separator: u8) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = letters.next() {
        let Some(row) = rows.last_mut() else { break };
        let Some(cell) = row.last_mut() else { break };
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' if quoted => quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            '\n' if !quoted => rows.push(vec![String::new()]),
            c if !quoted && c == char::from(separator) => row.push(String::new()),
            c => cell.push(c),
        }
    }
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}
