//! Structured data becomes Markdown that can be read and cited: keys are headings where they hold structures, uniform records are
//! tables, and everything else is `path.to.key: value`.

mod comments;
pub(crate) mod json;
mod records;
pub(crate) mod toml;
mod tree;
pub(crate) mod yaml;

use std::borrow::Cow;

use comments::COMMENT;
pub(crate) use tree::{Nodes, Value};

use crate::sheet::counted;
use crate::writer::tidy;
use crate::{Bounds, Parsed, Writer};

/// The deepest level of a heading; what is deeper is written with its path.
const DEEPEST_HEADING: usize = 4;
/// The most characters of a value beside its key.
const SHORT: usize = 200;
/// A structure of at most this many single values is written as items with its key before theirs.
const SMALL: usize = 4;
/// The most elements of a list that are written.
const MOST_ELEMENTS: usize = 2_000;
/// The most single values that are written in one item.
const MOST_JOINED: usize = 100;
/// A word of more characters is data rather than text.
const LONGEST_WORD: usize = 400;

/// Returns a document of values: one for JSON and TOML, any number for YAML.
pub(crate) fn parsed(values: &[Value], noun: &str, bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    let mut title = None;
    match values {
        [one] => {
            let one = one.opened();
            title = one.name(&["title"]).map(|(_, title)| tidy(title));
            if !matches!(&*one, Value::Map(entries) if entries.is_empty()) {
                write(&mut page, 1, "", &one);
            }
        }
        many => records(&mut page, 1, "", many, noun),
    }
    let metadata = page.left_out().into_iter().collect();
    Parsed { title, text: page.finish(), metadata, ..Parsed::default() }
}

/// Writes a value. Its headings begin at `level`; `path` is the path of keys to it below the last heading.
pub(crate) fn write(page: &mut Writer, level: usize, path: &str, value: &Value) {
    match &*value.opened() {
        single @ (Value::Null | Value::Text(_) | Value::Folded(_)) => {
            let text = single.scalar().unwrap_or_default();
            entry(page, path, &text);
        }
        Value::List(elements) => list(page, level, path, elements),
        Value::Map(entries) => {
            let entries: Vec<Entry> =
                entries.iter().map(|(key, value)| (key.as_str(), value)).collect();
            map(page, level, path, &entries);
        }
    }
}

fn map(page: &mut Writer, level: usize, path: &str, entries: &[Entry]) {
    let (entries, last) = commented(entries);
    // Single values come first, as below a heading they would belong to it.
    let (single, nested): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(_, value, _)| is_small(value));
    for (key, value, comment) in single {
        small(page, &joined(path, key), value, &comment);
    }
    for (key, value, comment) in nested {
        let path = joined(path, key);
        if level <= DEEPEST_HEADING {
            page.heading(level, &path);
            page.paragraph(&comment);
            write(page, level + 1, "", value);
        } else {
            page.paragraph(&comment);
            write(page, level, &path, value);
        }
    }
    page.paragraph(&last);
}

/// A key and its value.
type Entry<'v, 'a> = (&'v str, &'v Value<'a>);
/// An entry with the comment on it.
type Commented<'v, 'a> = (&'v str, &'v Value<'a>, String);

/// Returns entries with the comments before them, and the comment after the last.
fn commented<'v, 'a>(entries: &[Entry<'v, 'a>]) -> (Vec<Commented<'v, 'a>>, String) {
    let mut found = Vec::with_capacity(entries.len());
    let mut open = String::new();
    for (key, value) in entries {
        if *key == COMMENT {
            open.push(' ');
            open.push_str(&value.scalar().unwrap_or_default());
        } else {
            found.push((*key, *value, tidy(&std::mem::take(&mut open))));
        }
    }
    (found, tidy(&open))
}

fn joined(path: &str, key: &str) -> String {
    let key = tidy(key);
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// Returns whether a value is written as items rather than under a heading.
fn is_small(value: &Value) -> bool {
    match &*value.opened() {
        Value::Null => true,
        Value::Folded(_) => false,
        Value::Text(text) => is_short(text),
        Value::List(elements) => joined_scalars(elements).is_some_and(|text| is_short(&text)),
        Value::Map(entries) => {
            entries.iter().filter(|(key, _)| key != COMMENT).count() <= SMALL
                && entries
                    .iter()
                    .all(|(_, value)| value.scalar().is_some_and(|text| is_short(&text)))
        }
    }
}

fn is_short(text: &str) -> bool {
    text.chars().take(SHORT + 1).count() <= SHORT && !text.trim().contains('\n')
}

/// Writes a value as items; the comment on it stands beside it, as in the file.
fn small(page: &mut Writer, path: &str, value: &Value, comment: &str) {
    match &*value.opened() {
        Value::Map(entries) if !entries.is_empty() => {
            page.paragraph(comment);
            let entries: Vec<Entry> =
                entries.iter().map(|(key, value)| (key.as_str(), value)).collect();
            let (entries, last) = commented(&entries);
            for (key, value, comment) in entries {
                small(page, &joined(path, key), value, &comment);
            }
            page.paragraph(&last);
        }
        Value::List(elements) => {
            let text = joined_scalars(elements).unwrap_or_default();
            noted(page, path, &text, comment);
        }
        single => noted(page, path, &single.scalar().unwrap_or_default(), comment),
    }
}

/// Writes a key with a text and the comment on it.
fn noted(page: &mut Writer, path: &str, text: &str, comment: &str) {
    if comment.is_empty() {
        entry(page, path, text);
    } else if is_short(text) && is_short(comment) {
        entry(page, path, &format!("{text} # {comment}"));
    } else {
        page.paragraph(comment);
        entry(page, path, text);
    }
}

/// Writes a key with a text: an item if it is short, else paragraphs.
fn entry(page: &mut Writer, path: &str, text: &str) {
    let text = cut_words(text);
    if is_short(&text) {
        let text = tidy(&text);
        match (path.is_empty(), text.is_empty()) {
            (true, true) => {}
            (true, false) => page.item(0, "-", &text),
            (false, true) => page.item(0, "-", &format!("{path}:")),
            (false, false) => page.item(0, "-", &format!("{path}: {text}")),
        }
        return;
    }
    let mut text = Cow::Borrowed(text.trim());
    if text.contains("\r\n") {
        text = text.replace("\r\n", "\n").into();
    }
    for (index, paragraph) in text.split("\n\n").enumerate() {
        if index == 0 && !path.is_empty() {
            page.named_paragraph(&format!("{path}:"), paragraph);
        } else {
            page.paragraph(paragraph);
        }
    }
}

/// Shortens words that no one reads, such as encoded pictures.
fn cut_words(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_WORD || text.split_whitespace().all(|word| word.len() <= LONGEST_WORD)
    {
        return text.into();
    }
    let mut found = String::with_capacity(text.len());
    for part in text.split_inclusive(['\n', ' ']) {
        let word = part.strip_suffix(['\n', ' ']).unwrap_or(part);
        let is_spaced_script = word.is_ascii();
        match word.char_indices().nth(40) {
            Some((at, _)) if word.len() > LONGEST_WORD && is_spaced_script => {
                found.push_str(&format!("{}… ({} characters)", &word[..at], word.len()));
                found.push_str(&part[word.len()..]);
            }
            _ => found.push_str(part),
        }
    }
    found.into()
}

/// Returns single values and lists of them in one line, or `None` if there is another structure among them.
fn joined_scalars(elements: &[Value]) -> Option<String> {
    let mut text = String::new();
    for (index, element) in elements.iter().enumerate() {
        let element = element.opened();
        let scalar = match &*element {
            Value::List(inner) if inner.len() <= MOST_JOINED => {
                let inner: Option<Vec<_>> = inner.iter().map(Value::scalar).collect();
                format!("[{}]", inner?.join(", ")).into()
            }
            single => single.scalar()?,
        };
        if index == MOST_JOINED {
            text.push_str(&format!(", … ({} more)", elements.len() - index));
            break;
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&scalar);
    }
    Some(text)
}

fn list(page: &mut Writer, level: usize, path: &str, elements: &[Value]) {
    if records::write(page, level, elements) {
        return;
    }
    let are_numbers =
        elements.iter().all(|it| matches!(it.scalar(), Some(text) if text.parse::<f64>().is_ok()));
    if are_numbers && let Some(text) = joined_scalars(elements) {
        return entry(page, path, &text);
    }
    if elements.iter().any(|element| matches!(&*element.opened(), Value::Map(_))) {
        return records(page, level, path, elements, "Entry");
    }
    for element in elements.iter().take(MOST_ELEMENTS) {
        match &*element.opened() {
            Value::List(inner) => match joined_scalars(inner) {
                Some(text) => entry(page, path, &text),
                None => list(page, level, path, inner),
            },
            other => write(page, level, path, other),
        }
    }
    left_out(page, elements.len());
}

/// Returns the entries without the first with this key.
fn others<'v, 'a>(entries: &'v [(String, Value<'a>)], key: &str) -> Vec<Entry<'v, 'a>> {
    let at = entries.iter().position(|(known, _)| known == key);
    let kept = entries.iter().enumerate().filter(|(index, _)| Some(*index) != at);
    kept.map(|(_, (key, value))| (key.as_str(), value)).collect()
}

fn left_out(page: &mut Writer, total: usize) {
    if total > MOST_ELEMENTS {
        let (all, given) = (counted(total, "entry"), counted(MOST_ELEMENTS, "entry"));
        let entries = |told: String| told.replace("entrys", "entries");
        page.paragraph(&entries(format!("Of {all} only the first {given} are given here.")));
        let rest = counted(total - MOST_ELEMENTS, "entry");
        page.leave_out(entries(format!("{rest} of {all}")));
    }
}

/// Writes elements as sections, each headed by what names it, else by `noun` and its number.
///
/// `path` is the path of keys to them below the last heading.
pub(crate) fn records(page: &mut Writer, level: usize, path: &str, elements: &[Value], noun: &str) {
    if records::write(page, level, elements) {
        return;
    }
    // Without a heading of its own, a record would belong to that of the record before.
    let are_small = elements.iter().all(is_small);
    let head = |page: &mut Writer, words: &str| {
        let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
        page.heading(level.min(6), &format!("{path}{words}"));
    };
    for (index, element) in elements.iter().enumerate().take(MOST_ELEMENTS) {
        if page.left() == 0 {
            break;
        }
        let element = &*element.opened();
        if are_small {
            small(page, path, element, "");
            // Records of several values stay apart.
            if element.count() > 2 {
                page.end_list();
            }
            continue;
        }
        let named =
            element.name(&["title", "name", "headline", "label", "id", "key", "_id", "uri", "url"]);
        let named = named.filter(|(_, name)| is_short(name) && !name.trim().is_empty());
        match (named, element) {
            (Some((key, name)), Value::Map(entries)) => {
                let titles = ["title", "name", "headline", "label"];
                let is_title = titles.contains(&key.to_lowercase().as_str());
                let heading = if is_title { name.to_owned() } else { format!("{key}: {name}") };
                head(page, &heading);
                map(page, level + 1, "", &others(entries, key));
            }
            _ => {
                head(page, &format!("{noun} {}", index + 1));
                write(page, level + 1, "", element);
            }
        }
    }
    left_out(page, elements.len());
}

#[cfg(test)]
mod tests;
