//! RSS and Atom feeds: an entry is a section with its date, author, text and link.

use std::collections::BTreeMap;

use crate::writer::tidy;
use crate::xml::Element;
use crate::{Bounds, Parsed, Writer};

/// Returns whether the root is a feed's.
pub(super) fn is_feed(root: &Element) -> bool {
    root.child("channel").is_some()
        || &*root.name == "feed" && root.child("entry").or(root.child("title")).is_some()
}

pub(super) fn parsed(root: &Element, bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    let channel = root.child("channel").unwrap_or(root);
    let title = first(channel, &["title"]);
    page.heading(1, title.as_deref().unwrap_or_default());
    page.paragraph(&first(channel, &["description", "subtitle", "tagline"]).unwrap_or_default());
    let mut metadata = BTreeMap::new();
    let mut add = |key: &str, value: Option<String>| {
        metadata.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("author", author(channel));
    add("lang", first(channel, &["language"]).or(channel.attribute("lang").map(str::to_owned)));
    add(
        "published",
        first(channel, &["pubDate", "updated", "lastBuildDate", "date"]).map(|date| iso(&date)),
    );
    let is_entry = |element: &&Element| matches!(&*element.name, "item" | "entry");
    // The items of RSS 1.0 stand beside the channel.
    let beside = root.elements().filter(|it| !std::ptr::eq(*it, channel));
    let within = channel.elements().filter(is_entry);
    let entries: Vec<&Element> = within.chain(beside.filter(is_entry)).collect();
    for entry in entries {
        write(&mut page, entry);
    }
    Parsed { title, text: page.finish(), metadata, ..Parsed::default() }
}

fn write(page: &mut Writer, entry: &Element) {
    let text = first(entry, &["encoded", "content", "description", "summary"]);
    let date =
        first(entry, &["pubDate", "published", "updated", "issued", "date"]).map(|date| iso(&date));
    let heading =
        first(entry, &["title"]).or_else(|| date.clone()).unwrap_or_else(|| "Entry".to_owned());
    page.heading(2, &heading);
    let about = [date, author(entry)];
    let about: Vec<String> = about.into_iter().flatten().collect();
    page.paragraph(&about.join(", "));
    for paragraph in text.unwrap_or_default().split("\n\n") {
        page.paragraph(&tidy(paragraph));
    }
    let subjects = entry.elements().filter(|it| matches!(&*it.name, "category" | "subject"));
    let subjects: Vec<String> = subjects
        .map(|it| {
            it.attribute("label")
                .or(it.attribute("term"))
                .map_or_else(|| tidy(&it.text()), str::to_owned)
        })
        .filter(|subject| !subject.is_empty())
        .collect();
    if !subjects.is_empty() {
        page.paragraph(&format!("Subjects: {}", subjects.join(", ")));
    }
    let links = entry.elements().filter(|it| &*it.name == "link");
    let is_own = |link: &&Element| link.attribute("rel").is_none_or(|rel| rel == "alternate");
    let link = links.into_iter().find(is_own);
    let link = link.map(|it| it.attribute("href").map_or_else(|| tidy(&it.text()), str::to_owned));
    page.paragraph(&link.unwrap_or_default());
}

/// Returns the words of the first of these children that has any.
fn first(element: &Element, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let found = element
            .elements()
            .find(|it| &*it.name == *name && it.attribute("type") != Some("image"))?;
        let text = found.text();
        let text =
            if text.contains('<') || text.contains('&') { untagged(&text) } else { spaced(found) };
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    })
}

/// Returns the words of an element whose children may be XHTML.
fn spaced(element: &Element) -> String {
    if element.elements().next().is_none() {
        return tidy(&element.text());
    }
    let mut page = Writer::new(1 << 20);
    super::prose::blocks(&mut page, 6, element, 0);
    page.finish()
}

fn author(element: &Element) -> Option<String> {
    let authors = element
        .elements()
        .filter(|it| matches!(&*it.name, "author" | "creator" | "managingEditor"));
    let names: Vec<String> = authors
        .map(|it| tidy(&it.child("name").map_or_else(|| it.text(), Element::text)))
        .filter(|name| !name.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns the text of HTML within a feed, paragraphs apart by blank lines.
fn untagged(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag =
            rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let Some(end) = rest.find('>').filter(|_| is_tag) else {
            text.push('<');
            rest = &rest[1..];
            continue;
        };
        let name = rest[1..end].trim_start_matches('/');
        let name = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match name.as_str() {
            "p" | "div" | "br" | "li" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
            | "blockquote" | "pre" | "tr" | "table" | "figure" | "hr" => text.push_str("\n\n"),
            "td" | "th" => text.push(' '),
            "script" | "style" if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
                let close = rest.find(&format!("</{name}")).unwrap_or(rest.len());
                rest = &rest[close..];
                continue;
            }
            _ => {}
        }
        rest = rest.get(rest.find('>').map_or(rest.len(), |end| end + 1)..).unwrap_or_default();
    }
    text.push_str(rest);
    htmlize::unescape(&text).into_owned()
}

/// Returns the ISO date of a date such as `Mon, 06 Sep 2021 00:01:00 +0000`; other dates stay as they are.
fn iso(date: &str) -> String {
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = date.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    for three in words.windows(3) {
        let month = three[1].get(..3).map(str::to_lowercase);
        let month = month.and_then(|month| MONTHS.iter().position(|known| *known == month));
        if let (Ok(day), Some(month), Ok(year)) =
            (three[0].parse::<u8>(), month, three[2].parse::<u16>())
        {
            let year = if year < 70 {
                year + 2000
            } else if year < 100 {
                year + 1900
            } else {
                year
            };
            return format!("{year}-{:02}-{day:02}", month + 1);
        }
    }
    match date.split_once('T') {
        Some((day, _)) if day.len() == 10 => day.to_owned(),
        _ => date.to_owned(),
    }
}
