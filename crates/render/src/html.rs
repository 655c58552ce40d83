//! Documents as HTML in which nothing of a text is active.
//!
//! [`write()`] makes a fragment: no style of its own, headings that can be linked to, and citations that lead to their sources. [`page`]
//! makes a page of its own that fetches nothing and runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::document::{Alignment, Block, Document, List, Table};
use crate::figure::{Figure, Picture};
use crate::line::{Cited, Inline, Line, Sign, one_line};

/// Where a citation leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `None` for a figure: its box says what it is, and there is nothing to open.
    pub document_id: Option<String>,
    /// UTF-8 bytes into the document's text.
    pub start: u64,
    pub end: u64,
    pub verdict: String,
}

/// A fragment and its headings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fragment {
    pub html: String,
    pub outline: Vec<Heading>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 2, since a page has a first heading of its own.
    pub level: u8,
    /// The `id` of the element.
    pub id: String,
    pub text: String,
}

/// What every `id` begins with, so that none is one of the page's own.
const OURS: &str = "report-";
/// The longest `id`, in characters behind that.
const LONGEST_ID: usize = 60;

/// What every page of ours needs of style.
const STYLE: &str = "\
    :root { color-scheme: light dark; }\n\
    body { font: 1rem/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }\n\
    main { overflow-wrap: anywhere; }\n\
    pre { white-space: pre-wrap; padding: .5rem .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }\n\
    blockquote { margin-inline: 0; padding-inline-start: .75rem; \
    border-inline-start: 3px solid color-mix(in srgb, currentColor 40%, transparent); }\n\
    .wide { overflow-x: auto; }\n\
    .wide table { overflow-wrap: normal; }\n\
    table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; font-variant-numeric: tabular-nums; }\n\
    th, td { padding: .3rem .5rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); \
    vertical-align: top; text-align: left; }\n\
    .number { text-align: right; white-space: nowrap; }\n\
    .middle { text-align: center; }\n\
    main > svg { display: block; width: 100%; max-width: 30rem; height: auto; margin: 1.5rem 0; }\n\
    figure.chart { margin: 1.5rem 0; }\n\
    figure.chart svg { display: block; width: 100%; max-width: 28rem; height: auto; }\n\
    figure.chart .key { margin: .25rem 0 0; font-size: .8125rem; }\n";

/// Returns a document, without its title, as a fragment. Citations whose number has a target lead there.
pub fn write(document: &Document, targets: &BTreeMap<u32, Target>) -> Fragment {
    let mut writer = Writer { targets, html: String::new(), outline: vec![], ids: BTreeSet::new() };
    writer.blocks(&document.blocks);
    Fragment { html: writer.html, outline: writer.outline }
}

/// Returns a document as a page under the title `title`.
pub fn page(title: &str, document: &Document) -> String {
    shell(title, &write(document, &BTreeMap::new()).html, "")
}

/// Returns HTML of the program's own making as a page, with more style beside that of every page.
pub fn shell(title: &str, report: &str, style: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n{report}</main>\n</body>\n</html>\n"
    )
}

struct Writer<'a> {
    targets: &'a BTreeMap<u32, Target>,
    html: String,
    outline: Vec<Heading>,
    ids: BTreeSet<String>,
}

impl Writer<'_> {
    fn put(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, line } => self.heading(*level, line),
            Block::Paragraph(line) => {
                self.put("<p>");
                self.line(line);
                self.put("</p>\n");
            }
            Block::Hanging(lines) => {
                self.put("<p>");
                for (index, line) in lines.iter().enumerate() {
                    self.put(if index > 0 { "<br />\n" } else { "" });
                    self.line(line);
                }
                self.put("</p>\n");
            }
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table, &self.label()),
            Block::Quote(blocks) => {
                self.put("<blockquote>\n");
                self.blocks(blocks);
                self.put("</blockquote>\n");
            }
            Block::Code { language, text } => {
                let class = match language.as_str() {
                    "" => String::new(),
                    language => format!(" class=\"language-{}\"", escape(language)),
                };
                let text = escape_text(text.trim_end_matches('\n'));
                let _ = writeln!(self.html, "<pre><code{class}>{text}\n</code></pre>");
            }
            Block::Picture(picture) => self.picture(picture),
            Block::Notes(notes) => self.blocks(&notes.as_section()),
            Block::Fold { title, blocks } => {
                self.put("<details>\n<summary>");
                self.line(title);
                self.put("</summary>\n");
                self.blocks(blocks);
                self.put("</details>\n");
            }
            Block::Rule => self.put("<hr />\n"),
        }
    }

    fn picture(&mut self, Picture { heading, words, figures, .. }: &Picture) {
        for (name, text) in [("h2", heading), ("p", words)] {
            if !text.is_empty() {
                let _ = writeln!(self.html, "<{name}>{}</{name}>", shown(text));
            }
        }
        let is_set_apart = !heading.is_empty();
        self.put(if is_set_apart { "<div class=\"charts\">\n" } else { "" });
        figures.iter().for_each(|figure| self.figure(figure));
        self.put(if is_set_apart { "</div>\n" } else { "" });
    }

    fn figure(&mut self, Figure { title, measure, svg, key, values }: &Figure) {
        let has_caption = !(title.is_empty() && measure.is_empty());
        if !has_caption && key.is_empty() && values.is_none() {
            let _ = writeln!(self.html, "{svg}");
            return;
        }
        self.put("<figure class=\"chart\">\n");
        if has_caption {
            let space = if measure.is_empty() { "" } else { " " };
            let (title, measure) = (shown(title), shown(measure));
            let _ = writeln!(
                self.html,
                "<figcaption><strong>{title}</strong>{space}{measure}</figcaption>"
            );
        }
        let _ = writeln!(self.html, "{svg}");
        if !key.is_empty() {
            let _ = writeln!(self.html, "<p class=\"key\">{}</p>", shown(key));
        }
        if let Some(values) = values {
            self.put("<details class=\"chart-values\">\n<summary>Show as a table</summary>\n");
            let label = if title.is_empty() { self.label() } else { one_line(title) };
            self.table(values, &label);
            self.put("</details>\n");
        }
        self.put("</figure>\n");
    }

    fn heading(&mut self, level: u8, line: &Line) {
        let level = level.clamp(2, 6);
        let text = grounding::marks::without_marks(&line.plain());
        let id = self.enter(level, text);
        let _ = write!(self.html, "<h{level} id=\"{id}\">");
        self.line(line);
        let _ = writeln!(self.html, "</h{level}>");
    }

    /// Enters a heading into the outline; returns its `id`.
    fn enter(&mut self, level: u8, text: String) -> String {
        let slug = slugify(&text);
        let mut id = format!("{OURS}{slug}");
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{OURS}{slug}-{number}");
            number += 1;
        }
        self.outline.push(Heading { level, id: id.clone(), text });
        id
    }

    fn list(&mut self, list: &List) {
        let name = if list.start.is_some() { "ol" } else { "ul" };
        let start = match list.start {
            Some(start) if start != 1 => format!(" start=\"{start}\""),
            _ => String::new(),
        };
        let _ = writeln!(self.html, "<{name}{start}>");
        for item in &list.items {
            self.put("<li>");
            for (index, block) in item.iter().enumerate() {
                match block {
                    Block::Paragraph(line) if list.is_tight => self.line(line),
                    block => {
                        self.put(if index > 0 && list.is_tight { "\n" } else { "" });
                        self.block(block);
                    }
                }
            }
            self.put("</li>\n");
        }
        let _ = writeln!(self.html, "</{name}>");
    }

    /// Returns what a table here is called: as the heading above it.
    fn label(&self) -> String {
        self.outline.last().map_or("Table".to_owned(), |heading| heading.text.clone())
    }

    fn table(&mut self, table: &Table, label: &str) {
        // On a narrow screen the table is moved, not the page.
        let _ = write!(
            self.html,
            "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table><thead><tr>",
            escape(label)
        );
        for (title, alignment) in &table.columns {
            self.cell("th", title, *alignment);
        }
        self.put("</tr></thead><tbody>\n");
        for row in &table.rows {
            self.put("<tr>");
            for (cell, (_, alignment)) in row.iter().zip(&table.columns) {
                self.cell("td", cell, *alignment);
            }
            self.put("</tr>\n");
        }
        self.put("</tbody></table>\n</div>\n");
    }

    fn cell(&mut self, name: &str, line: &Line, alignment: Alignment) {
        // A style of its own is what the page's policy forbids.
        let class = match alignment {
            Alignment::Left => "",
            Alignment::Centre => " class=\"middle\"",
            Alignment::Right => " class=\"number\"",
        };
        let _ = write!(self.html, "<{name}{class}>");
        self.line(line);
        let _ = write!(self.html, "</{name}>");
    }

    fn line(&mut self, line: &Line) {
        for inline in &line.0 {
            match inline {
                Inline::Text(text) => self.put(&escape_text(text)),
                Inline::Literal(character) => self.put(&escape_text(&character.to_string())),
                Inline::Strong(line) => self.within("strong", line),
                Inline::Emphasis(line) => self.within("em", line),
                Inline::Code(text) => {
                    let _ = write!(self.html, "<code>{}</code>", escape_text(text));
                }
                Inline::Mark { cited, shown, .. } => self.mark(cited, shown),
                Inline::Sign(sign) => self.sign(sign),
                Inline::Anchor(_) => {}
                Inline::Break => self.put("<br />\n"),
                Inline::SoftBreak => self.put("\n"),
            }
        }
    }

    fn within(&mut self, name: &str, line: &Line) {
        let _ = write!(self.html, "<{name}>");
        self.line(line);
        let _ = write!(self.html, "</{name}>");
    }

    /// Writes a link for each number of a citation, or the citation as it stands if none leads anywhere.
    fn mark(&mut self, cited: &[Cited], shown: &str) {
        if !cited.iter().any(|one| self.targets.contains_key(&one.number)) {
            return self.put(&escape_text(shown));
        }
        for Cited { number, label } in cited {
            let _ = match self.targets.get(number) {
                None => write!(self.html, "[{label}]"),
                Some(Target { document_id: None, verdict, .. }) => write!(
                    self.html,
                    "<a class=\"cite\" role=\"button\" tabindex=\"0\" data-number=\"{number}\" data-verdict=\"{}\">[{label}]</a>",
                    escape(verdict)
                ),
                Some(Target { document_id: Some(document_id), start, end, verdict }) => write!(
                    self.html,
                    "<a class=\"cite\" href=\"#/documents/{}?start={start}&amp;end={end}\" data-number=\"{number}\" \
                     data-verdict=\"{}\">[{label}]</a>",
                    encode(document_id),
                    escape(verdict)
                ),
            };
        }
    }

    fn sign(&mut self, Sign { sign, verdict, says }: &Sign) {
        let title = format!("{verdict}: {says}");
        let _ = write!(
            self.html,
            "<span class=\"kind\" role=\"img\" aria-label=\"{title}\" title=\"{title}\">{sign}</span>"
        );
    }
}

/// Returns an id as it may stand in an address.
fn encode(id: &str) -> String {
    let mut written = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

/// Returns a text as an `id` has it: its letters and digits, in lower case.
fn slugify(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.chars().count() >= LONGEST_ID {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "section".to_owned() } else { slug.to_owned() }
}

/// Returns a text as the content of an element.
pub(crate) fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns a text as the content of an element or the value of an attribute, control characters as spaces.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text of anybody's as the content of an element, on one line.
fn shown(text: &str) -> String {
    escape(&one_line(text))
}

#[cfg(test)]
mod tests;
