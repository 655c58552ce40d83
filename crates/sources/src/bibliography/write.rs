//! Formats references in a style, and corrects the engine's errors.

use std::collections::BTreeMap;

use hayagriva::citationberg::{IndependentStyle, json};
use hayagriva::{
    BibliographyDriver, BibliographyRequest, CitationItem, CitationRequest, ElemChild,
    ElemChildren, Rendered,
};
use papers::Date;

use super::item::{Item, Name};
use super::normalise::plain;
use super::style;
use super::tidy::{tidied, with_capitals};

/// Returns the reference of each work, in order; works must be normalised and distinct.
///
/// Only works that may need letters after their year are formatted together. Every other reference depends only on its own work, and the
/// time grows linearly with the number of works.
pub(super) fn references(style: &IndependentStyle, works: &[Item]) -> Vec<String> {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, work) in works.iter().enumerate() {
        let letters = style.citation.disambiguate_add_year_suffix;
        let key = if letters { likeness(work) } else { index.to_string() };
        alike.entry(key).or_default().push(index);
    }
    let mut texts = vec![String::new(); works.len()];
    for indexes in alike.into_values() {
        let group: Vec<&Item> = indexes.iter().filter_map(|index| works.get(*index)).collect();
        for (index, reference) in indexes.iter().zip(together(style, &group)) {
            if let Some(text) = texts.get_mut(*index) {
                *text = reference;
            }
        }
    }
    texts
}

/// Returns the family names and the year; works that differ in these cannot be alike.
fn likeness(work: &Item) -> String {
    let names = if work.author.is_empty() { &work.editor } else { &work.author };
    let names = names.iter().map(|name| name.literal.as_ref().or(name.family.as_ref()));
    let mut likeness: Vec<&str> = names.flatten().map(String::as_str).collect();
    if likeness.is_empty() {
        likeness.push(&work.title);
    }
    let year = work.issued.map(|date| date.year).unwrap_or_default();
    format!("{year} {}", likeness.join(";").to_lowercase())
}

/// Formats works that may be alike.
fn together(style: &IndependentStyle, works: &[&Item]) -> Vec<String> {
    let mut entries: Vec<json::Item> =
        works.iter().enumerate().map(|(index, work)| entry(work, index)).collect();
    // The engine gives letters to works without a date only if some work in the list has one.
    if works.len() > 1 && works.iter().all(|work| work.issued.is_none()) {
        let issued = Some(Date { year: 1, month: None, day: None });
        entries.push(entry(&Item { issued, ..Item::default() }, works.len()));
    }
    let order: Vec<usize> = (0..entries.len()).collect();
    let mut rendered = render(style, &entries, &order);
    // Letters follow the order of citation, but should follow the order in which the style lists the works.
    let listed = list_places(&rendered);
    if listed != order {
        rendered = render(style, &entries, &listed);
    }
    let mut texts = vec![String::new(); works.len()];
    for item in rendered.bibliography.iter().flat_map(|bibliography| &bibliography.items) {
        let index: Option<usize> = item.key.parse().ok();
        let place = index.and_then(|index| Some((texts.get_mut(index)?, works.get(index)?)));
        if let Some((text, work)) = place {
            *text = finished(&item.content, work);
        }
    }
    texts
}

/// Formats the entries, cited in this order.
fn render(style: &IndependentStyle, entries: &[json::Item], order: &[usize]) -> Rendered {
    let mut driver = BibliographyDriver::new();
    for entry in order.iter().filter_map(|index| entries.get(*index)) {
        let cited = vec![CitationItem::with_entry(entry)];
        let locale = Some(style::language());
        driver.citation(CitationRequest::new(cited, style, locale, style::locales(), None));
    }
    let locale = Some(style::language());
    driver.finish(BibliographyRequest::new(style, locale, style::locales()))
}

/// Returns the indexes of the entries, in the order in which the style lists them.
fn list_places(rendered: &Rendered) -> Vec<usize> {
    let items = rendered.bibliography.iter().flat_map(|bibliography| &bibliography.items);
    items.filter_map(|item| item.key.parse().ok()).collect()
}

fn finished(children: &ElemChildren, work: &Item) -> String {
    let mut text = String::new();
    flatten(children, &mut text);
    let text = with_capitals(&plain(&text), &work.title);
    let mut text = tidied(&without_lone_comma(&after_marks(&text)), work);
    if text.is_empty() {
        text = work.url.clone().unwrap_or_default();
    }
    if is_retracted(work) {
        text.push_str(&format!(" ({})", Item::RETRACTED));
    }
    text
}

/// Joins the texts; a part that a style sets on its own line or column is set off by spaces.
fn flatten(children: &ElemChildren, text: &mut String) {
    for child in &children.0 {
        match child {
            ElemChild::Text(part) => text.push_str(&part.text),
            ElemChild::Markup(part) => text.push_str(part),
            ElemChild::Link { text: part, .. } => text.push_str(&part.text),
            ElemChild::Elem(part) => {
                if part.display.is_some() {
                    text.push(' ');
                }
                flatten(&part.children, text);
            }
            ElemChild::Transparent { .. } => {}
        }
    }
}

fn is_retracted(work: &Item) -> bool {
    work.status.as_deref() == Some(Item::RETRACTED)
}

/// Removes a full stop after another, or after a title's own question or exclamation mark; ellipses and URLs stay as they are.
fn after_marks(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let ends = letters.peek().is_none_or(|next| matches!(next, ' ' | ')' | ']' | ','));
        let doubled = c == '.'
            && (marked.ends_with(['?', '!']) || marked.ends_with('.') && !marked.ends_with(".."));
        if !(doubled && ends) {
            marked.push(c);
        }
    }
    marked
}

/// Replaces `(2018,)` by `(2018)`.
fn without_lone_comma(text: &str) -> String {
    let year = |before: &str| {
        let year =
            before.rsplit('(').next().unwrap_or_default().trim_end_matches(char::is_alphabetic);
        !year.is_empty() && year.len() < before.len() && year.bytes().all(|b| b.is_ascii_digit())
    };
    match text.split_once(",)") {
        Some((before, after)) if year(before) => format!("{before}){after}"),
        _ => text.to_owned(),
    }
}

/// Removes "Retrieved" from a reference without a date of access.
pub(super) fn without_lone_retrieved(text: String, item: &Item) -> String {
    if item.accessed.is_some() {
        return text;
    }
    text.replace(" Retrieved http", " http")
}

/// Returns a work as the engine's item, with its index as the id.
fn entry(work: &Item, index: usize) -> json::Item {
    let mut fields: Vec<(&str, json::Value)> = vec![
        ("id", json::Value::String(index.to_string())),
        ("type", json::Value::String(work.kind.clone())),
    ];
    let status = work.status.clone().filter(|_| !is_retracted(work));
    let texts = [
        ("title", Some(&work.title).filter(|title| !title.is_empty())),
        ("container-title", work.container_title.as_ref()),
        ("volume", work.volume.as_ref()),
        ("issue", work.issue.as_ref()),
        ("page", work.page.as_ref()),
        ("number", work.number.as_ref()),
        ("edition", work.edition.as_ref()),
        ("version", work.version.as_ref()),
        ("genre", work.genre.as_ref()),
        ("status", status.as_ref()),
        ("publisher", work.publisher.as_ref()),
        ("DOI", work.doi.as_ref()),
        ("URL", work.url.as_ref()),
        ("ISSN", work.issn.as_ref()),
        ("ISBN", work.isbn.as_ref()),
        ("language", work.language.as_ref()),
    ];
    let texts = texts.into_iter().filter_map(|(key, text)| Some((key, text?)));
    fields.extend(texts.map(|(key, text)| (key, json::Value::String(text.clone()))));
    for (key, names) in [("author", &work.author), ("editor", &work.editor)] {
        if !names.is_empty() {
            fields.push((key, json::Value::Names(names.iter().map(written).collect())));
        }
    }
    for (key, date) in [("issued", work.issued), ("accessed", work.accessed)] {
        fields.extend(date.map(|date| (key, json::Value::Date(dated(date)))));
    }
    json::Item(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Converts a name for the engine, which looks for particles in an unsplit family name and moves them after the given names. A family
/// name deposited as a whole keeps its order, because its first word is passed as the particle of the rest.
fn written(name: &Name) -> json::NameValue {
    let literal = |literal: String| json::NameValue::Literal(json::LiteralName { literal });
    let family = match (&name.literal, &name.family) {
        (Some(name), _) => return literal(name.clone()),
        (None, Some(family)) => family.clone(),
        (None, None) => String::new(),
    };
    let bare = name.given.is_none() && name.suffix.is_none() && name.dropping_particle.is_none();
    if bare {
        let words = name.non_dropping_particle.iter().chain([&family]);
        return literal(words.map(String::as_str).collect::<Vec<&str>>().join(" "));
    }
    let (particle, family) = match (&name.non_dropping_particle, family.split_once(' ')) {
        (Some(particle), _) => (Some(particle.clone()), family),
        (None, Some((first, others))) => (Some(first.to_owned()), others.to_owned()),
        (None, None) => (None, family),
    };
    json::NameValue::Item(json::NameItem {
        family,
        given: name.given.clone(),
        non_dropping_particle: particle,
        dropping_particle: name.dropping_particle.clone(),
        suffix: name.suffix.clone(),
        comma_suffix: name.suffix.as_ref().map(|_| true),
    })
}

fn dated(date: Date) -> json::DateValue {
    let parts = [Some(date.year), date.month.map(i16::from), date.day.map(i16::from)];
    let parts = json::VecDate(parts.into_iter().map_while(|part| part).collect());
    json::DateValue::DateParts {
        date_parts: json::VecDateRange(vec![parts]),
        literal: None,
        season: None,
        circa: false,
    }
}
