//! The Markdown of a source as HTML in which nothing of it is active, with a span of its bytes marked.
//!
//! ```
//! let page = render::source::write("# Tea\n\nIt *cools* slowly.", 7..17);
//! assert_eq!(
//!     page.html,
//!     "<h3>Tea</h3>\n<p><mark id=\"span\" tabindex=\"-1\">It </mark><em><mark>cools</mark></em> slowly.</p>\n"
//! );
//! assert_eq!(page.marked, render::source::Marked::Exactly);
//! ```

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::html::{escape, escape_text};
use crate::link::Link;

/// A part of a source as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub html: String,
    pub marked: Marked,
}

/// How the span stands in the HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    /// Its very characters are marked.
    Exactly,
    /// The words that it is within are marked, such as a link with all its text: what it names is no text of the page.
    Around,
    /// The span is empty, or nothing of it can be seen.
    Nothing,
}

/// How deep quotations and lists are nested, at most. What is nested deeper stands at this depth.
const DEEPEST: usize = 32;
/// The first level of a heading: above it stand the page's own and the title of the source.
const FIRST_LEVEL: u8 = 3;

/// Returns Markdown as HTML with the bytes of `span` marked; the first mark has the id `span`.
///
/// HTML and pictures in it become text, and links lead to http and https alone.
pub fn write(markdown: &str, span: Range<usize>) -> Page {
    let page = Writer::write(markdown, span.clone());
    if page.marked != Marked::Nothing || span.is_empty() {
        return page;
    }
    let around = Writer::write(markdown, widen(markdown, &span));
    match around.marked {
        Marked::Nothing => page,
        _ => Page { marked: Marked::Around, ..around },
    }
}

/// Returns the lines that a span is in.
fn widen(markdown: &str, span: &Range<usize>) -> Range<usize> {
    let before = markdown.get(..span.start).unwrap_or_default();
    let behind = markdown.get(span.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    start..span.end + behind.find('\n').unwrap_or(behind.len())
}

/// Returns a text as the content of an element, without characters that are obeyed and not seen.
fn shown(text: &str) -> String {
    escape_text(&grounding::fold::clean(text))
}

struct Writer<'m> {
    markdown: &'m str,
    span: Range<usize>,
    html: String,
    marked: Marked,
    /// What closes each element that is open; nothing for one that is not shown.
    open: Vec<String>,
    /// The levels of the headings that what is read stands under, as the source counts them.
    headings: Vec<u8>,
    alignments: Vec<Alignment>,
    cell: usize,
    is_head: bool,
}

impl<'m> Writer<'m> {
    fn write(markdown: &'m str, span: Range<usize>) -> Page {
        let mut writer = Writer {
            markdown,
            span,
            html: String::with_capacity(markdown.len() * 5 / 4),
            marked: Marked::Nothing,
            open: vec![],
            headings: vec![],
            alignments: vec![],
            cell: 0,
            is_head: false,
        };
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        for (event, at) in Parser::new_ext(markdown, options).into_offset_iter() {
            writer.event(event, &at);
        }
        Page { html: writer.html, marked: writer.marked }
    }

    fn event(&mut self, event: Event<'_>, at: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text, at),
            Event::Code(text) => {
                self.html.push_str("<code>");
                self.text(&text, &self.within(&text, at));
                self.html.push_str("</code>");
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            // Read with options that are off.
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text, at);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    /// Returns where a text stands within what it is quoted with.
    fn within(&self, text: &str, at: &Range<usize>) -> Range<usize> {
        let source = self.markdown.get(at.clone()).unwrap_or_default();
        source.find(text).map_or(at.clone(), |from| at.start + from..at.start + from + text.len())
    }

    /// Writes a text, with what is of the span marked.
    fn text(&mut self, text: &str, at: &Range<usize>) {
        let start = self.span.start.max(at.start);
        let end = self.span.end.min(at.end);
        if start >= end {
            self.html.push_str(&shown(text));
            return;
        }
        let is_whole = (start, end) == (at.start, at.end);
        let cut = match self.markdown.get(at.clone()) == Some(text) {
            true => start - at.start..end - at.start,
            false => 0..text.len(),
        };
        let is_exact = is_whole || cut.len() == end - start;
        let part = |range: Range<usize>| shown(text.get(range).unwrap_or_default());
        let id = match self.marked {
            Marked::Nothing => " id=\"span\" tabindex=\"-1\"",
            _ => "",
        };
        let (before, marked, behind) =
            (part(0..cut.start), part(cut.clone()), part(cut.end..text.len()));
        let _ = write!(self.html, "{before}<mark{id}>{marked}</mark>{behind}");
        self.marked = match self.marked {
            Marked::Around => Marked::Around,
            _ if is_exact => Marked::Exactly,
            _ => Marked::Around,
        };
    }

    /// Opens an element; `close` is written at its end.
    fn open(&mut self, html: &str, close: &str) {
        self.html.push_str(html);
        self.open.push(close.to_owned());
    }

    fn start(&mut self, tag: Tag<'_>) {
        let is_too_deep = self.open.len() >= DEEPEST;
        match tag {
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item if is_too_deep => self.open("", ""),
            Tag::Paragraph => self.open("<p>", "</p>\n"),
            Tag::Heading { level, .. } => {
                let level = self.level(level as u8);
                self.open(&format!("<h{level}>"), &format!("</h{level}>\n"));
            }
            Tag::BlockQuote(_) => self.open("<blockquote>\n", "</blockquote>\n"),
            Tag::CodeBlock(kind) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next(),
                    CodeBlockKind::Indented => None,
                };
                let class = language.map(|name| format!(" class=\"language-{}\"", escape(name)));
                let class = class.unwrap_or_default();
                self.open(&format!("<pre tabindex=\"0\"><code{class}>"), "</code></pre>\n");
            }
            Tag::MetadataBlock(_) => self.open("<pre tabindex=\"0\">", "</pre>\n"),
            Tag::List(Some(1)) => self.open("<ol>\n", "</ol>\n"),
            Tag::List(Some(first)) => self.open(&format!("<ol start=\"{first}\">\n"), "</ol>\n"),
            Tag::List(None) => self.open("<ul>\n", "</ul>\n"),
            Tag::Item => self.open("<li>", "</li>\n"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.open(
                    "<div class=\"wide\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>",
                    "</tbody></table></div>\n",
                );
            }
            Tag::TableHead => {
                (self.cell, self.is_head) = (0, true);
                self.open("<thead><tr>", "</tr></thead><tbody>\n");
            }
            Tag::TableRow => {
                (self.cell, self.is_head) = (0, false);
                self.open("<tr>", "</tr>\n");
            }
            Tag::TableCell => {
                let name = if self.is_head { "th" } else { "td" };
                // A style of its own is what the page's policy forbids.
                let class = match self.alignments.get(self.cell) {
                    Some(Alignment::Right) => " class=\"number\"",
                    Some(Alignment::Center) => " class=\"middle\"",
                    _ => "",
                };
                self.cell += 1;
                self.open(&format!("<{name}{class}>"), &format!("</{name}>"));
            }
            Tag::Emphasis => self.open("<em>", "</em>"),
            Tag::Strong => self.open("<strong>", "</strong>"),
            Tag::Strikethrough => self.open("<del>", "</del>"),
            Tag::Link { dest_url, .. } => match Link::read(&dest_url) {
                Some(link) => self.open(
                    &format!(
                        "<a href=\"{}\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">",
                        escape(link.as_str())
                    ),
                    "</a>",
                ),
                None => self.open("", ""),
            },
            // Of a picture its words are shown: nothing is fetched.
            Tag::Image { .. } => self.open("<em class=\"picture\">", "</em>"),
            Tag::HtmlBlock => self.open("<p>", "</p>\n"),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript => self.open("", ""),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let close = self.open.pop().unwrap_or_default();
        let is_empty_line = tag == TagEnd::Paragraph && self.html.ends_with("<p>");
        if is_empty_line {
            self.html.truncate(self.html.len() - "<p>".len());
        } else {
            self.html.push_str(&close);
        }
    }

    /// Returns the level of a heading on the page: under those that it stands under in the source, none left out.
    fn level(&mut self, level: u8) -> u8 {
        while self.headings.last().is_some_and(|above| *above >= level) {
            self.headings.pop();
        }
        self.headings.push(level);
        let depth = u8::try_from(self.headings.len()).unwrap_or(u8::MAX);
        FIRST_LEVEL.saturating_add(depth - 1).min(6)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(markdown: &str, quote: &str) -> Page {
        let start = markdown.find(quote).unwrap();
        write(markdown, start..start + quote.len())
    }

    // proves: F3
    #[test]
    fn a_span_is_marked_where_it_stands() {
        for (markdown, quote, html) in [
            ("a b c", "b", "<p>a <mark>b</mark> c</p>\n"),
            ("- one\n- two", "two", "<ul>\n<li>one</li>\n<li><mark>two</mark></li>\n</ul>\n"),
            ("see `x < y`", "x < y", "<p>see <code><mark>x &lt; y</mark></code></p>\n"),
            (
                "one **two** three",
                "e **two** t",
                "<p>on<mark>e </mark><strong><mark>two</mark></strong><mark> t</mark>hree</p>\n",
            ),
            ("Möwen füttern", "füttern", "<p>Möwen <mark>füttern</mark></p>\n"),
        ] {
            let page = shown(markdown, quote);
            assert_eq!(page.html.replace(" id=\"span\" tabindex=\"-1\"", ""), html);
            assert_eq!(
                (page.marked, page.html.matches("id=\"span\"").count()),
                (Marked::Exactly, 1)
            );
        }
        let table = "| Year | Deaths |\n|---|---:|\n| 1854 | 616 |\n";
        let page = shown(table, "616");
        assert!(
            page.html.contains("<td class=\"number\"><mark id=\"span\" tabindex=\"-1\">616</mark>")
        );
        let row = shown(table, "| 1854 | 616 |");
        assert!(row.html.contains("<mark>616</mark>") && row.marked == Marked::Exactly);
    }

    // proves: F3
    #[test]
    fn a_span_that_has_no_words_of_its_own_is_marked_with_its_line() {
        let page = shown("See [the map](https://example.org/map).", "example.org");
        assert_eq!(page.marked, Marked::Around);
        assert!(page.html.contains("the map</mark></a>"), "{}", page.html);
        assert_eq!(shown("a &amp; b", "amp").marked, Marked::Around);
        assert_eq!(write("a", 1..1).marked, Marked::Nothing);
    }

    // proves: F3
    #[test]
    fn nothing_of_a_source_is_active() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "![x](https://evil.example/track.png)",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "<javascript:alert(1)>",
            "```\"><script>alert(1)</script>\n```",
            "[x](https://a.example/\"onmouseover=alert(1))",
            "<style>*{display:none}</style>",
            "<iframe src=https://evil.example></iframe>",
            "[a]: javascript:alert(1)\n\n[a]",
            "| a |\n|---|\n| <svg onload=alert(1)> |",
        ] {
            let html = write(hostile, 0..hostile.len()).html;
            for part in html.split('<').skip(1) {
                let tag = part.split('>').next().unwrap_or_default();
                let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
                let ours = [
                    "p", "mark", "a", "em", "pre", "code", "div", "table", "thead", "tbody", "tr",
                    "th", "td",
                ];
                assert!(ours.contains(&name), "{hostile}: {html}");
                assert!(!tag.contains(" on") && !tag.contains("src="), "{hostile}: {html}");
            }
            assert!(!html.contains("href=\"javascript") && !html.contains("href=\"data"), "{html}");
        }
    }

    #[test]
    fn headings_leave_no_level_out() {
        let html = write("# a\n### b\n###### c\n## d\n# e", 0..0).html;
        assert_eq!(html, "<h3>a</h3>\n<h4>b</h4>\n<h5>c</h5>\n<h4>d</h4>\n<h3>e</h3>\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_text_can_be_shown(text in "[a-z>*_`|\\-\\n\\[\\]()<&;# é]{0,80}", start in 0..80_usize, length in 0..40_usize) {
            let start = text.floor_char_boundary(start);
            let end = text.floor_char_boundary(start + length).max(start);
            let page = write(&text, start..end);
            prop_assert_eq!(page.html.matches("<mark").count(), page.html.matches("</mark>").count());
            prop_assert_eq!(page.html.contains("id=\"span\""), page.marked != Marked::Nothing);
        }
    }
}
