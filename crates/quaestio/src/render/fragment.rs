//! Markdown of ours as a fragment of a page: no style of its own, headings that can be gone to, marks that lead to their sources.
//!
//! A mark leads somewhere only where its brackets stand in the Markdown as they are shown. Whatever documents and models wrote is
//! written with its punctuation escaped, so nobody can forge one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use app::Heading;
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::plain::escape;
use super::verdicts;

/// Where a mark leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// None for a figure: what it is stands in the box of its mark, and nothing can be opened.
    pub(super) document_id: Option<String>,
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
        let slug = slugify(&text);
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
            let Some(chips) = render_chips(&mark.numbers, targets) else { continue };
            let before = text.get(from..mark.span.start).unwrap_or_default();
            self.put(Event::Text(before.to_owned().into()));
            self.ours(chips);
            from = mark.span.end;
            if let Some((sign, html)) = kind(text.get(from..).unwrap_or_default()) {
                self.ours(html);
                from += sign.len();
            }
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
fn render_chips(numbers: &[u32], targets: &BTreeMap<u32, Target>) -> Option<String> {
    if !numbers.iter().any(|number| targets.contains_key(number)) {
        return None;
    }
    let mut html = String::new();
    for number in numbers {
        let _ = match targets.get(number) {
            None => write!(html, "[{number}]"),
            Some(Target { document_id: None, verdict, .. }) => write!(
                html,
                "<a class=\"cite\" role=\"button\" tabindex=\"0\" data-number=\"{number}\" data-verdict=\"{}\">[{number}]</a>",
                escape(verdict)
            ),
            Some(Target { document_id: Some(document_id), start, end, verdict }) => write!(
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

/// Returns the sign of a verdict that a text begins with, and what stands for it.
fn kind(text: &str) -> Option<(&'static str, String)> {
    let (sign, verdict, says) = verdicts::signs().find(|(sign, ..)| text.starts_with(sign))?;
    let behind = text.get(sign.len()..).unwrap_or_default();
    let stands_alone = !behind.starts_with(|c: char| c.is_alphanumeric());
    let title = format!("{verdict}: {says}");
    let html = format!(
        "<span class=\"kind\" role=\"img\" aria-label=\"{title}\" title=\"{title}\">{sign}</span>"
    );
    stands_alone.then_some((sign, html))
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

#[cfg(test)]
mod tests;
