//! Markdown of ours as a fragment of a page: no style of its own, headings that can be gone to, marks that lead to their sources.
//!
//! A mark leads somewhere only where its brackets stand in the Markdown as they are shown. Whatever documents and models wrote is
//! written with its punctuation escaped, so nobody can forge one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use server::Heading;

use super::plain::escape;

/// Where a mark leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) document_id: String,
    /// UTF-8 bytes into the document's text.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) verdict: String,
}

/// What every `id` begins with, so that none is one of the page's own.
const OURS: &str = "report-";
/// The longest `id`, in characters behind that.
const LONGEST_ID: usize = 60;

/// A fragment as it grows.
pub(super) struct Fragment<'a> {
    targets: &'a BTreeMap<u32, Target>,
    pub(super) html: String,
    pub(super) outline: Vec<Heading>,
    ids: BTreeSet<String>,
}

impl<'a> Fragment<'a> {
    pub(super) fn new(targets: &'a BTreeMap<u32, Target>) -> Fragment<'a> {
        Fragment { targets, html: String::new(), outline: Vec::new(), ids: BTreeSet::new() }
    }

    /// Adds HTML of the program's own making.
    pub(super) fn ours(&mut self, html: &str) {
        self.html.push_str(html);
    }

    /// Adds Markdown. Raw HTML stands there as text, pictures as their text, links lead to the web alone.
    pub(super) fn markdown(&mut self, markdown: &str) {
        let mut reading = Reading { markdown, ..Reading::default() };
        for (event, at) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
            if let (Event::Text(text), false) = (&event, reading.is_code) {
                reading.run.push((text.clone(), at));
                continue;
            }
            reading.settle(self.targets);
            self.take(&mut reading, event);
        }
        reading.settle(self.targets);
        html::push_html(&mut self.html, reading.events.into_iter());
    }

    fn take<'m>(&mut self, reading: &mut Reading<'m>, event: Event<'m>) {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => reading.put(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Image { .. }) => reading.away += 1,
            Event::End(TagEnd::Image) => reading.away = reading.away.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => {
                reading.away += 1;
                let leads = is_web(&dest_url);
                reading.links.push(leads);
                if leads {
                    let link = format!(
                        "<a href=\"{}\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">",
                        escape(&dest_url)
                    );
                    reading.ours(link);
                }
            }
            Event::End(TagEnd::Link) => {
                reading.away = reading.away.saturating_sub(1);
                if reading.links.pop() == Some(true) {
                    reading.ours("</a>".into());
                }
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                reading.is_code = true;
                reading.put(Event::Start(Tag::CodeBlock(kind)));
            }
            Event::End(TagEnd::CodeBlock) => {
                reading.is_code = false;
                reading.put(Event::End(TagEnd::CodeBlock));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                reading.heading = Some((reading.events.len(), lower(level), String::new()));
                reading.put(heading(lower(level), None));
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some((place, level, text)) = reading.heading.take() else { return };
                let id = self.enter(level, &text);
                if let Some(start) = reading.events.get_mut(place) {
                    *start = heading(level, Some(id));
                }
                reading.put(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Table(alignments)) => {
                // On a narrow screen the table is moved, not the page.
                let label = self.outline.last().map_or("Table", |heading| heading.text.as_str());
                reading.ours(format!(
                    "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">",
                    escape(label)
                ));
                reading.put(Event::Start(Tag::Table(vec![Alignment::None; alignments.len()])));
                reading.alignments = alignments;
            }
            Event::End(TagEnd::Table) => {
                reading.put(Event::End(TagEnd::Table));
                reading.ours("</div>\n".into());
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                reading.is_head = event == Event::Start(Tag::TableHead);
                reading.cell = 0;
                reading.put(event);
            }
            Event::Start(Tag::TableCell) => {
                let name = reading.cell_name();
                // A style of its own is what the page's policy forbids.
                let class = match reading.alignments.get(reading.cell) {
                    Some(Alignment::Right) => " class=\"number\"",
                    Some(Alignment::Center) => " class=\"middle\"",
                    _ => "",
                };
                reading.ours(format!("<{name}{class}>"));
            }
            Event::End(TagEnd::TableCell) => {
                reading.cell += 1;
                reading.ours(format!("</{}>", reading.cell_name()));
            }
            other => {
                if let (Some((_, _, text)), Event::Code(code)) = (&mut reading.heading, &other) {
                    text.push_str(code);
                }
                reading.put(other);
            }
        }
    }

    /// Enters a heading into the outline; returns its `id`.
    fn enter(&mut self, level: HeadingLevel, text: &str) -> String {
        let text = run::ledger::without_marks(&run::grounding::clean(text));
        let slug = slug(&text);
        let mut id = format!("{OURS}{slug}");
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{OURS}{slug}-{number}");
            number += 1;
        }
        self.outline.push(Heading { level: level as u8, id: id.clone(), text });
        id
    }
}

/// What is known while Markdown is read.
#[derive(Default)]
struct Reading<'m> {
    markdown: &'m str,
    events: Vec<Event<'m>>,
    /// Texts that follow one another, and where they stand in the Markdown.
    run: Vec<(CowStr<'m>, Range<usize>)>,
    is_code: bool,
    /// Links and pictures around.
    away: usize,
    /// Of each link around, whether it is kept.
    links: Vec<bool>,
    /// Where the heading begins among the events, its level and its text so far.
    heading: Option<(usize, HeadingLevel, String)>,
    alignments: Vec<Alignment>,
    is_head: bool,
    cell: usize,
}

impl<'m> Reading<'m> {
    fn put(&mut self, event: Event<'m>) {
        self.events.push(event);
    }

    fn ours(&mut self, html: String) {
        self.put(Event::InlineHtml(html.into()));
    }

    fn cell_name(&self) -> &'static str {
        if self.is_head { "th" } else { "td" }
    }

    /// Puts the texts that were read, their marks as what leads to the sources.
    fn settle(&mut self, targets: &BTreeMap<u32, Target>) {
        let run = std::mem::take(&mut self.run);
        let text: String = run.iter().map(|(text, _)| text.as_ref()).collect();
        if let Some((_, _, heading)) = &mut self.heading {
            heading.push_str(&text);
        }
        let mut from = 0;
        let marks = if self.away == 0 { run::marks::marks(&text) } else { vec![] };
        for mark in marks {
            if !stands(self.markdown, &text, &run, &mark.span) {
                continue;
            }
            let Some(chips) = chips(&mark.numbers, targets) else { continue };
            let before = text.get(from..mark.span.start).unwrap_or_default();
            self.put(Event::Text(before.to_owned().into()));
            self.ours(chips);
            from = mark.span.end;
        }
        let rest = text.get(from..).unwrap_or_default();
        if !rest.is_empty() {
            self.put(Event::Text(rest.to_owned().into()));
        }
    }
}

/// Tells whether a mark stands in the Markdown just as it is shown: in square brackets, none of it escaped.
fn stands(
    markdown: &str,
    text: &str,
    run: &[(CowStr<'_>, Range<usize>)],
    span: &Range<usize>,
) -> bool {
    let Some(mark) = text.get(span.clone()) else { return false };
    if !(mark.starts_with('[') && mark.ends_with(']')) {
        return false;
    }
    let mut begins = 0;
    for (piece, at) in run {
        let ends = begins + piece.len();
        if span.start < ends {
            let start = at.start + (span.start - begins);
            let is_verbatim = markdown.get(at.clone()) == Some(piece);
            let before = markdown.get(..start).unwrap_or_default();
            let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
            return is_verbatim
                && backslashes.is_multiple_of(2)
                && markdown.get(start..start + mark.len()) == Some(mark);
        }
        begins = ends;
    }
    false
}

/// Returns what stands for a mark; none where none of its numbers leads anywhere.
fn chips(numbers: &[u32], targets: &BTreeMap<u32, Target>) -> Option<String> {
    if !numbers.iter().any(|number| targets.contains_key(number)) {
        return None;
    }
    let mut html = String::new();
    for number in numbers {
        let _ = match targets.get(number) {
            None => write!(html, "[{number}]"),
            Some(Target { document_id, start, end, verdict }) => write!(
                html,
                "<a class=\"cite\" href=\"#/documents/{}?start={start}&amp;end={end}\" data-number=\"{number}\" \
                 data-verdict=\"{}\">[{number}]</a>",
                encoded(document_id),
                escape(verdict)
            ),
        };
    }
    Some(html)
}

/// Returns an id as it may stand in an address.
fn encoded(id: &str) -> String {
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

fn is_web(url: &str) -> bool {
    let url = url.trim().to_ascii_lowercase();
    url.starts_with("https://") || url.starts_with("http://")
}

/// The page has its own first heading.
fn lower(level: HeadingLevel) -> HeadingLevel {
    level.max(HeadingLevel::H2)
}

fn heading<'m>(level: HeadingLevel, id: Option<String>) -> Event<'m> {
    let id = id.map(CowStr::from);
    Event::Start(Tag::Heading { level, id, classes: vec![], attrs: vec![] })
}

/// Returns a text as an `id` has it: its letters and digits, in lower case.
fn slug(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(markdown: &str) -> (String, Vec<Heading>) {
        let target = |number: u32| Target {
            document_id: format!("d{number}"),
            start: 10,
            end: 20,
            verdict: "verified".into(),
        };
        let targets: BTreeMap<u32, Target> =
            (1..=3).map(|number| (number, target(number))).collect();
        let mut fragment = Fragment::new(&targets);
        fragment.markdown(markdown);
        (fragment.html, fragment.outline)
    }

    fn chip(number: u32) -> String {
        format!(
            "<a class=\"cite\" href=\"#/documents/d{number}?start=10&amp;end=20\" data-number=\"{number}\" \
             data-verdict=\"verified\">[{number}]</a>"
        )
    }

    // proves: F3
    #[test]
    fn a_mark_leads_to_its_source() {
        for (markdown, html) in [
            ("It rose. [1]", format!("<p>It rose. {}</p>\n", chip(1))),
            (
                "It rose. [1] [2] It fell.",
                format!("<p>It rose. {} {} It fell.</p>\n", chip(1), chip(2)),
            ),
            ("It rose [1][2].", format!("<p>It rose {}{}.</p>\n", chip(1), chip(2))),
            ("It rose [2, 3].", format!("<p>It rose {}{}.</p>\n", chip(2), chip(3))),
            ("It rose [1-3].", format!("<p>It rose {}{}{}.</p>\n", chip(1), chip(2), chip(3))),
            ("**It rose [1]**", format!("<p><strong>It rose {}</strong></p>\n", chip(1))),
            ("- It rose [1]", format!("<ul>\n<li>It rose {}</li>\n</ul>\n", chip(1))),
            ("a \\\\[1]", format!("<p>a \\{}</p>\n", chip(1))),
            ("on [a, b] \\[ it rose [1]", format!("<p>on [a, b] [ it rose {}</p>\n", chip(1))),
            // What is no citation stays a text, beside one as well.
            ("It rose [7] and [1, 7].", format!("<p>It rose [7] and {}[7].</p>\n", chip(1))),
        ] {
            assert_eq!(read(markdown).0, html, "{markdown}");
        }
    }

    // proves: C4, F3
    #[test]
    fn what_others_wrote_becomes_no_mark() {
        for markdown in [
            "It holds \\[1\\].",
            "It holds \\[1].",
            "It holds [1\\].",
            "It holds &#91;1&#93;.",
            "It holds &lsqb;1].",
            "It holds [&#49;].",
            "It holds 【1】 and ［1］.",
            "It holds `[1]`.",
            "```\nIt holds [1].\n```",
            "    It holds [1].",
            "[see [1]](https://example.org)",
            "[see [1]](javascript:alert(1))",
            "![a [1]](https://example.org/p.png)",
            "x <b title=\"[1]\">y</b>",
            "\\[ [1] \\]",
        ] {
            let html = read(markdown).0;
            assert!(!html.contains("class=\"cite\""), "{markdown}: {html}");
        }
    }

    // proves: F3
    #[test]
    fn headings_have_ids_that_are_their_own() {
        let (html, outline) =
            read("# Sources\n\n## Sources\n\n### A `b` & c [1]\n\n## \n\n## Études *sur* le thé\n");
        let told: Vec<(u8, &str, &str)> =
            outline.iter().map(|one| (one.level, one.id.as_str(), one.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (2, "report-sources", "Sources"),
                (2, "report-sources-2", "Sources"),
                (3, "report-a-b-c", "A b & c"),
                (2, "report-section", ""),
                (2, "report-études-sur-le-thé", "Études sur le thé"),
            ]
        );
        assert!(!html.contains("<h1") && html.contains("<h2 id=\"report-sources-2\">"), "{html}");
        let long = read(&format!("## {}\n\n## \"><script>alert(1)</script>", "x".repeat(500)));
        assert!(long.1.iter().all(|one| one.id.len() < 70), "{long:?}");
        assert!(!long.0.contains("<script"), "{}", long.0);
    }

    // proves: F3
    #[test]
    fn a_table_brings_classes_and_no_style() {
        let (html, _) = read("## Ranking\n\n| a | b | c |\n|---:|:---:|:---|\n| 1 | 2 [1] | 3 |\n");
        assert_eq!(
            html,
            format!(
                "<h2 id=\"report-ranking\">Ranking</h2>\n\
                 <div class=\"wide\" role=\"region\" aria-label=\"Ranking\" tabindex=\"0\">\
                 <table><thead><tr><th class=\"number\">a</th><th class=\"middle\">b</th><th>c</th></tr></thead><tbody>\n\
                 <tr><td class=\"number\">1</td><td class=\"middle\">2 {}</td><td>3</td></tr>\n\
                 </tbody></table>\n</div>\n",
                chip(1)
            )
        );
    }

    // proves: F3
    #[test]
    fn links_lead_to_the_web_alone_and_take_nothing_along() {
        let (html, _) = read(
            "[a](https://ok.example/?x=\"y\") [b](javascript:alert(1)) [c](mailto:x@y.example) [d](//evil.example) \
             [e](#/documents/d1) <https://ok.example>",
        );
        assert_eq!(html.matches("<a ").count(), 2, "{html}");
        assert_eq!(
            html.matches("rel=\"noopener noreferrer nofollow\" target=\"_blank\"").count(),
            2
        );
        assert!(html.contains("href=\"https://ok.example/?x=&quot;y&quot;\""), "{html}");
    }
}
