//! YAML becomes Markdown: each document of the stream is a section.
//!
//! It is read event by event; an alias repeats what it names only as far as the limit on values allows, so none can expand without end.

mod indent;

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::comments::{COMMENT, Lines};
use super::tree::DEPTH;
use super::{Nodes, Value};
use crate::{Bounds, Fault, Parsed};

/// Returns what YAML says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut documents = match read_documents(text) {
        // Other programs read more than the standard allows.
        Err(Fault::Damaged { .. }) => read_documents(&indent::indented(text).ok_or_else(damaged)?)?,
        documents => documents?,
    };
    documents.retain(|document| *document != Value::Null);
    Ok(super::parsed(&documents, "Document", bounds))
}

fn damaged() -> Fault {
    Fault::Damaged { format: "YAML".to_owned() }
}

/// A list or map being read.
enum Open {
    List(Vec<Value<'static>>, usize),
    /// With the key whose value comes next.
    Map(Vec<(String, Value<'static>)>, Option<Value<'static>>, usize),
}

fn read_documents(text: &str) -> Result<Vec<Value<'static>>, Fault> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: HashMap<usize, Value<'static>> = HashMap::new();
    let mut nodes = Nodes::default();
    let lines = Lines::of(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|_| damaged())?;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_null = style == ScalarStyle::Plain
                    && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                (if is_null { Value::Null } else { Value::Text(text.into_owned().into()) }, anchor)
            }
            Event::Alias(anchor) => {
                let value = anchors.get(&anchor).ok_or_else(damaged)?;
                nodes.take(value.count())?;
                (value.clone(), 0)
            }
            Event::SequenceStart(anchor, _) => {
                open.push(Open::List(Vec::new(), anchor));
                if open.len() > DEPTH {
                    return Err(too_deep());
                }
                continue;
            }
            Event::MappingStart(anchor, _) => {
                open.push(Open::Map(Vec::new(), None, anchor));
                if open.len() > DEPTH {
                    return Err(too_deep());
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(elements, anchor)) => (Value::List(elements), anchor),
                Some(Open::Map(entries, _, anchor)) => (Value::Map(entries), anchor),
                None => return Err(damaged()),
            },
            Event::DocumentStart(_) => {
                anchors.clear();
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
        };
        nodes.take(1)?;
        if anchor > 0 {
            nodes.take(value.count())?;
            anchors.insert(anchor, value.clone());
        }
        match open.last_mut() {
            Some(Open::List(elements, _)) => elements.push(value),
            Some(Open::Map(entries, key, _)) => match key.take() {
                None => {
                    note(entries, &lines.above(span.start.line(), span.start.col()));
                    *key = Some(value);
                }
                Some(key) => {
                    if let Value::Text(_) = value {
                        note(entries, &lines.after(span.end.line(), span.end.col()));
                    }
                    add(entries, &key, value);
                }
            },
            None => found.push(value),
        }
    }
    Ok(found)
}

/// Adds a comment to a map, unless it is blank.
fn note(entries: &mut Vec<(String, Value<'static>)>, comment: &str) {
    if !comment.is_empty() {
        entries.push((COMMENT.to_owned(), Value::Text(comment.to_owned().into())));
    }
}

fn too_deep() -> Fault {
    Fault::TooComplex { what: format!("values nested more than {DEPTH} deep") }
}

/// Adds an entry to a map. The key `<<` adds the entries of the maps that it names.
fn add(entries: &mut Vec<(String, Value<'static>)>, key: &Value, value: Value<'static>) {
    let name = match key {
        Value::List(parts) => super::joined_scalars(parts).unwrap_or_else(|| "…".to_owned()),
        _ => key.scalar().map_or("…".to_owned(), std::borrow::Cow::into_owned),
    };
    if name != "<<" {
        // What a map says itself stands instead of what it merged.
        let merged =
            entries.iter().take(super::MOST_ELEMENTS).position(|(known, _)| *known == name);
        match merged.and_then(|at| entries.get_mut(at)) {
            Some(entry) => entry.1 = value,
            None => entries.push((name, value)),
        }
        return;
    }
    let merged = match value {
        Value::Map(merged) => merged,
        Value::List(maps) => maps
            .into_iter()
            .flat_map(|map| if let Value::Map(merged) = map { merged } else { Vec::new() })
            .collect(),
        Value::Null | Value::Text(_) | Value::Folded(_) => return,
    };
    for (key, value) in merged.into_iter().take(super::MOST_ELEMENTS) {
        if !entries.iter().take(super::MOST_ELEMENTS).any(|(known, _)| *known == key) {
            entries.push((key, value));
        }
    }
}
