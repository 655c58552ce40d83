//! Data in XML: uniform siblings are tables, other elements sections or `path.to.name: value`.

use crate::Writer;
use crate::data::{self, Value};
use crate::writer::tidy;
use crate::xml::{Element, Node};

/// How deep elements are followed as structures.
const DEEPEST: usize = 100;

/// Writes an element and what it holds.
pub(super) fn write(page: &mut Writer, level: usize, path: &str, element: Element) {
    let name = element.name.to_string();
    match value(element, 0) {
        Value::Map(entries) => data::write(page, level, path, &Value::Map(entries)),
        Value::List(elements) => data::records(page, level, "", &elements, &name),
        single => data::write(page, level, &name, &single),
    }
}

/// Returns an element as a value: attributes and children by their names, siblings of one name as a list.
fn value(element: Element, depth: usize) -> Value<'static> {
    let words = || {
        let own = element.children.iter().filter_map(|child| match child {
            Node::Text(text) => Some(text.as_str()),
            Node::Element(_) => None,
        });
        tidy(&own.collect::<Vec<_>>().join(" "))
    };
    if is_mixed(&element) || depth > DEEPEST {
        return Value::Text(tidy(&element.text()).into());
    }
    let attributes: Vec<(String, Value<'static>)> = element
        .named_attributes()
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| (name.to_owned(), Value::Text(value.trim().to_owned().into())))
        .collect();
    let words = words();
    if element.elements().next().is_none() {
        if attributes.is_empty() {
            let text = element.text();
            // Lines stay lines where paragraphs stand in one element.
            let text = if text.contains("\n\n") { text.trim().to_owned() } else { words };
            return if text.is_empty() { Value::Null } else { Value::Text(text.into()) };
        }
        let mut entries = attributes;
        if !words.is_empty() {
            entries.push((element.name.to_string(), Value::Text(words.into())));
        }
        return Value::Map(entries);
    }
    let mut entries = attributes;
    let mut places: std::collections::HashMap<Box<str>, usize> = std::collections::HashMap::new();
    let mut children = 0;
    for child in element.children {
        let Node::Element(child) = child else { continue };
        children += 1;
        let name = child.name.clone();
        let found = value(child, depth + 1);
        match places.get(&name) {
            Some(at) => {
                let Some((_, before)) = entries.get_mut(*at) else { continue };
                match before {
                    Value::List(elements) => elements.push(found),
                    other => {
                        *other = Value::List(vec![std::mem::replace(other, Value::Null), found]);
                    }
                }
            }
            None => {
                places.insert(name.clone(), entries.len());
                // A list of lists stays one value.
                let found =
                    if matches!(found, Value::List(_)) { Value::List(vec![found]) } else { found };
                entries.push((name.into_string(), found));
            }
        }
    }
    for (name, list) in &mut entries {
        if let Value::List(elements) = list {
            alike(name, elements);
        }
    }
    // A wrapper of siblings of one name is their list.
    let is_wrapper = entries.len() == 1 && children > 1;
    match entries.pop() {
        Some((_, list @ Value::List(_))) if is_wrapper => list,
        Some(last) => {
            entries.push(last);
            Value::Map(entries)
        }
        None => Value::Null,
    }
}

/// Names the words of elements without attributes as those of their siblings with attributes are named, so that all are records.
fn alike(name: &str, elements: &mut [Value<'static>]) {
    let is_named = |element: &Value| matches!(element, Value::Map(entries) if entries.iter().any(|(key, _)| key == name));
    if !elements.iter().any(is_named) {
        return;
    }
    for element in elements {
        if let Value::Text(_) = element {
            let text = std::mem::replace(element, Value::Null);
            *element = Value::Map(vec![(name.to_owned(), text)]);
        }
    }
}

/// Returns whether an element has words between its children.
fn is_mixed(element: &Element) -> bool {
    let has_words = element
        .children
        .iter()
        .any(|child| matches!(child, Node::Text(text) if !text.trim().is_empty()));
    has_words && element.elements().next().is_some()
}
