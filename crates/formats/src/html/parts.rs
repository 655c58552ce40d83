//! A page that is too long for one tree is read part by part.
//!
//! A part ends before an element that begins a new line. The next part begins with the tags of the elements that are open there, so that
//! it reads as it does on the page: a table begins with its head again, a numbered list goes on with its next number.

use std::fmt::Write;

use dom_query::{Document, NodeRef};

use super::seen::is_block;
use super::tree::{Parser, pieces};
use crate::Fault;

/// When the first part ends: a page that is shorter is one tree.
const FIRST: Size = Size { nodes: 200_000, text: 4 << 20 };
/// When other parts end.
const OTHERS: Size = Size { nodes: 50_000, text: 1 << 20 };
/// How much larger a part becomes before it ends within a table's row, a definition or a text.
const PATIENCE: usize = 2;
/// The most bytes of a table's head that stand in each part.
const LONGEST_HEAD: usize = 16 << 10;
/// The most bytes of an attribute that stand in each part.
const LONGEST_VALUE: usize = 200;
/// The attributes that tell how an element reads.
const TELLING: &[&str] = &["aria-hidden", "class", "hidden", "id", "lang", "role", "style"];
/// Elements that are cut between the groups that they hold.
const HELD: &[&str] = &["dl", "table"];
/// Elements that are not cut.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "annotation-xml", "button", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "head", "iframe", "listing", "math", "noframes",
    "noscript", "object", "ruby", "script", "select", "style", "svg", "template", "textarea", "title", "xmp",
];

/// How large a tree is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Elements, text nodes and attributes.
    pub(super) nodes: usize,
    /// Bytes of text.
    pub(super) text: usize,
}

impl Size {
    fn min(self, other: Size) -> Size {
        Size { nodes: self.nodes.min(other.nodes), text: self.text.min(other.text) }
    }
}

/// The trees of a page's parts, in order. A page that is not long has one part, which is [`parse`](super::parse)'s tree.
#[derive(Debug)]
pub struct Parts<'a> {
    rest: &'a str,
    /// The tags that the next part begins with.
    opening: String,
    has_begun: bool,
    longest: Size,
}

impl<'a> Parts<'a> {
    pub fn of(html: &'a str) -> Self {
        Self { rest: html, opening: String::new(), has_begun: false, longest: FIRST }
    }

    /// Returns whether all parts were returned.
    pub fn is_at_end(&self) -> bool {
        self.has_begun && self.rest.is_empty()
    }

    fn parse_next(&mut self) -> Result<Document, String> {
        let mut parser = Parser::new();
        for piece in pieces(&std::mem::take(&mut self.opening)) {
            parser.feed(piece)?;
        }
        let mut before = "";
        for piece in pieces(self.rest) {
            let cut = self.cut(&parser, before, piece);
            before = piece;
            parser.feed(&piece[..cut.unwrap_or(piece.len())])?;
            self.rest = &self.rest[cut.unwrap_or(piece.len())..];
            if cut.is_some() {
                break;
            }
        }
        parser.finish()
    }

    /// Returns where in the next piece the part ends, if it does, and keeps the tags that are open there for the next part.
    fn cut(&mut self, parser: &Parser, before: &str, piece: &str) -> Option<usize> {
        let (size, longest) = (parser.size(), self.longest);
        let is_large = |factor: usize| {
            size.nodes >= longest.nodes * factor || size.text >= longest.text * factor
        };
        if !is_large(1) || parser.is_within_tag() {
            return None;
        }
        let tag = begun(piece);
        if !is_large(PATIENCE) && !tag.as_deref().is_some_and(is_block) {
            return None;
        }
        let mut open = parser.open_elements();
        let names: Vec<String> = open.iter().map(name_of).collect();
        if !names.iter().any(|name| name == "body") || names.iter().any(|it| WHOLE.contains(&&**it))
        {
            return None;
        }
        let is_apart = |tag: &str| match names.iter().rev().find(|it| HELD.contains(&&***it)) {
            Some(list) if list == "dl" => tag == "dt",
            Some(_) => matches!(tag, "tr" | "tbody"),
            None => true,
        };
        if !is_large(PATIENCE) && !tag.as_deref().is_some_and(is_apart) {
            return None;
        }
        let in_code = names.iter().any(|name| name == "pre");
        let at = match &tag {
            Some(tag) if is_block(tag) || in_code && before.ends_with('\n') => 0,
            Some(_) => return None,
            None => end_of_words(piece, in_code)?,
        };
        open.truncate(count_left_open(&names, tag.as_deref().unwrap_or_default()));
        self.opening = opening_tags(&open);
        Some(at)
    }
}

impl Iterator for Parts<'_> {
    type Item = Result<Document, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end() {
            return None;
        }
        self.has_begun = true;
        let part = self.parse_next();
        self.longest = OTHERS.min(self.longest);
        if part.is_err() {
            self.rest = "";
        }
        Some(part.map_err(|what| Fault::TooComplex { what }))
    }
}

fn name_of(node: &NodeRef) -> String {
    node.node_name().unwrap_or_default().to_string()
}

/// Returns the name of the element that a piece begins.
fn begun(piece: &str) -> Option<String> {
    let tag = piece.strip_prefix('<')?;
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
    Some(tag[..end].to_ascii_lowercase()).filter(|name| !name.is_empty())
}

/// Returns where a text may be cut: after a line of code, else after a sentence, else after a word.
fn end_of_words(text: &str, is_code: bool) -> Option<usize> {
    if text.starts_with('<') {
        return None;
    }
    let ends: &[&str] = if is_code { &["\n"] } else { &[". ", "。", " "] };
    ends.iter().find_map(|end| text.rfind(end).map(|at| at + end.len()))
}

/// Returns how many of the open elements stay open when an element begins: an item ends the one before it.
fn count_left_open(open: &[String], tag: &str) -> usize {
    let (ended, within): (&[&str], &[&str]) = match tag {
        "li" => (&["li"], &["ul", "ol", "menu", "dir"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl"]),
        "td" | "th" => (&["td", "th"], &["tr"]),
        "tr" => (&["tr"], &["table"]),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot", "tr"], &["table"]),
        "" | "br" => return open.len(),
        _ => (&["p"], &["td", "th", "table"]),
    };
    let around = open.iter().rposition(|it| within.contains(&&**it)).map_or(0, |at| at + 1);
    let first = open[around..].iter().position(|it| ended.contains(&&**it));
    first.map_or(open.len(), |at| around + at)
}

/// Returns the tags of elements that stand within each other, the outermost first.
fn opening_tags(open: &[NodeRef]) -> String {
    let mut tags = String::new();
    for (index, node) in open.iter().enumerate() {
        let name = name_of(node);
        let _ = write!(tags, "<{name}");
        for attribute in TELLING {
            let value = node.attr(attribute).filter(|value| value.len() <= LONGEST_VALUE);
            if let Some(value) = value {
                let value = value.replace('&', "&amp;").replace('"', "&quot;");
                let _ = write!(tags, " {attribute}=\"{value}\"");
            }
        }
        if name == "ol" {
            let items = node.children_it(false).filter(|item| item.has_name("li")).count();
            let unfinished = open.get(index + 1).is_some_and(|next| next.has_name("li"));
            let first: usize = node.attr_or("start", "1").trim().parse().unwrap_or(1);
            let _ = write!(tags, " start=\"{}\"", first + items - usize::from(unfinished));
        }
        tags.push('>');
        if name == "table" {
            tags.extend(head_of(node));
        }
    }
    tags
}

/// Returns the head of a table, as it marks it, if it is short.
fn head_of(table: &NodeRef) -> Option<String> {
    let is_head_row = |row: &NodeRef| {
        let mut cells = row.children_it(false).filter(NodeRef::is_element).peekable();
        row.has_name("tr") && cells.peek().is_some() && cells.all(|cell| cell.has_name("th"))
    };
    let mut parts = table.children_it(false).filter(NodeRef::is_element);
    let first = parts.find(|it| matches!(&*name_of(it), "thead" | "tbody" | "tr"))?;
    let head = match &*name_of(&first) {
        "thead" => first.html().to_string(),
        "tbody" => {
            let row = first.children_it(false).find(NodeRef::is_element).filter(is_head_row)?;
            format!("<thead>{}</thead>", row.html())
        }
        _ => format!("<thead>{}</thead>", Some(first).filter(is_head_row)?.html()),
    };
    (head.len() <= LONGEST_HEAD).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::super::{markdown, parse};
    use super::*;

    const SHORT: Size = Size { nodes: 200, text: 4000 };

    /// The parts of a page, as Markdown.
    fn split(html: &str) -> Vec<String> {
        let parts = Parts { longest: SHORT, ..Parts::of(html) };
        let parts: Vec<String> = parts.map(|part| markdown(&part.unwrap().root())).collect();
        assert!(parts.len() > 1, "{html}");
        parts
    }

    // proves: A6
    #[test]
    fn parts_read_as_the_page_does() {
        let words = "Tea is drunk hot, as the guests say. ";
        let items: String = (1..600).map(|n| format!("<li class=x>Guest <b>{n}</b>")).collect();
        let page = |of: &str| {
            format!("<!DOCTYPE html><title>T</title><body><div id=a><h1>Tea</h1>{of}</div><p>End.")
        };
        for of in [
            (0..600).map(|n| format!("<p>{words}<i>{n}</i><!-- <p> -->")).collect(),
            format!("<ol start=3>{items}</ol>"),
            format!("<blockquote><ul>{items}</ul></blockquote>"),
            (0..600).map(|n| format!("{words}{n}<br>")).collect(),
            format!("<dl>{}</dl>", "<dt>Guest<dd><p>Tea<p>Milk".repeat(600)),
            "<section title='<p>'><p>Tea</section>".repeat(400),
        ] {
            let joined = split(&page(&of)).join("\n\n");
            let whole = markdown(&parse(&page(&of)).unwrap().root());
            let lines = |text: &str| -> Vec<String> {
                text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
            };
            let (joined, whole) = (lines(&joined), lines(&whole));
            let differs = joined.iter().zip(&whole).find(|(ours, theirs)| ours != theirs);
            assert!(differs.is_none() && joined.len() == whole.len(), "{differs:?}");
        }
        // Text may stand where no element is around it.
        let template = page(&format!("<template>{words}</template>{items}"));
        assert!(split(&template).concat().contains("Guest 599"));
        // What is short is one part.
        assert_eq!(Parts::of(&page(&words.repeat(1000))).count(), 1);
        assert_eq!(Parts::of("").count(), 1);
    }

    // proves: A6
    #[test]
    fn a_table_in_parts_has_its_head_in_each() {
        let rows: String = (0..400).map(|n| format!("<tr class=r><td>{n}<td>Tea</tr>")).collect();
        let heads =
            ["<thead><tr><td>Number<td>Drink</thead><tbody>", "<tr><th>Number<th>Drink</tr>"];
        for head in heads {
            let parts = split(&format!("<body><table class=t>{head}{rows}</table>"));
            assert!(
                parts.iter().all(|it| it.starts_with("| Number | Drink |\n| --- |")),
                "{}",
                &parts[1][..90]
            );
            let count =
                parts.iter().flat_map(|part| part.lines()).filter(|it| it.ends_with("| Tea |"));
            assert_eq!(count.count(), 400);
        }
    }

    // proves: A6
    #[test]
    fn a_text_without_tags_is_cut_after_a_sentence_and_code_after_a_line() {
        let read = split(&format!("<body><p>{}", "Tea is drunk hot. ".repeat(1000)));
        assert!(read.iter().all(|it| it.ends_with("hot.")));
        let read = split(&format!("<body><pre>{}", "tea = [1]\n".repeat(2000)));
        assert!(read.iter().all(|it| it.ends_with("tea = [1]\n```")));
        let lines = (0..600).map(|n| format!("<b>tea</b>({n})\n")).collect::<String>();
        let read = split(&format!("<body><pre>{lines}"));
        assert!(read.iter().all(|it| it.starts_with("```\ntea(")));
        // What cannot be cut is read as far as one tree may grow.
        let tags = "<i>tea</i>".repeat(600_000);
        assert!(Parts::of(&format!("<body><svg>{tags}")).any(|part| part.is_err()));
    }
}
