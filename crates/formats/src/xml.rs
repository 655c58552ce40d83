//! XML as a small tree of local names, as far as files that are made of it need it, with limits on its size.
//!
//! Only XML's five predefined entities and character references are resolved, so none can expand.

use std::borrow::Cow;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::Fault;

/// How deep elements may be nested.
const DEPTH: usize = 256;
/// The most elements, attributes and text nodes in a part, taken together.
const NODES: usize = 2_000_000;

/// An element without its namespace prefix.
#[derive(Debug, Default)]
pub struct Element {
    pub name: Box<str>,
    attributes: Vec<(Box<str>, Box<str>)>,
    pub children: Vec<Node>,
}

#[derive(Debug)]
pub enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// Returns the value of an attribute, by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| &**known == name).map(|(_, value)| &**value)
    }

    /// Returns the names, without prefix, and values of the attributes, without namespace declarations.
    pub fn named_attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the values of all attributes with this name, which may differ in their prefix.
    pub fn attributes(&self, name: &str) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(move |(known, _)| &**known == name).map(|(_, value)| &**value)
    }

    pub fn elements(&self) -> impl Iterator<Item = &Element> + Clone {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| &*element.name == name)
    }

    /// Returns all elements with this name at any depth, in order.
    pub fn all<'a>(&'a self, name: &str) -> Vec<&'a Element> {
        let mut found = Vec::new();
        let mut open: Vec<&Element> = vec![self];
        while let Some(element) = open.pop() {
            if &*element.name == name {
                found.push(element);
            }
            let before = open.len();
            open.extend(element.elements());
            open[before..].reverse();
        }
        found
    }

    /// Returns all text within, in order.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut open: Vec<&Node> = self.children.iter().rev().collect();
        while let Some(node) = open.pop() {
            match node {
                Node::Text(part) => text.push_str(part),
                Node::Element(element) => open.extend(element.children.iter().rev()),
            }
        }
        text
    }
}

/// Returns the root element of the XML in `bytes`; `format` names the format in errors.
pub fn parse(bytes: &[u8], format: &str) -> Result<Element, Fault> {
    let damaged = || Fault::Damaged { format: format.to_owned() };
    let text = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0,
        None => String::from_utf8_lossy(bytes),
    };
    let mut reader = Reader::from_str(&text);
    let mut nodes = 0;
    let mut open: Vec<Element> = vec![Element::default()];
    let too_complex = |what: String| Err(Fault::TooComplex { what });
    loop {
        let event = reader.read_event().map_err(|_| damaged())?;
        match event {
            Event::Start(start) => {
                let element = build_element(&start, &mut nodes);
                open.push(element);
            }
            Event::Empty(start) => {
                let element = build_element(&start, &mut nodes);
                append(&mut open, Node::Element(element));
            }
            Event::End(_) => {
                let Some(mut element) = open.pop().filter(|_| !open.is_empty()) else {
                    return Err(damaged());
                };
                element.children.shrink_to_fit();
                append(&mut open, Node::Element(element));
            }
            Event::Text(part) => say(&mut open, &part.xml10_content(), &mut nodes),
            Event::CData(part) => say(&mut open, &part.xml10_content(), &mut nodes),
            Event::GeneralRef(entity) => {
                let meant = resolve(&entity);
                say(&mut open, meant.as_deref().unwrap_or("\u{fffd}"), &mut nodes);
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        if open.len() > DEPTH {
            return too_complex(format!("elements nested more than {DEPTH} deep"));
        }
        if nodes > NODES {
            return too_complex(format!("more than {NODES} elements in one part"));
        }
    }
    // Elements still open mean that the file was cut short.
    if open.len() > 1 {
        return Err(damaged());
    }
    let root = open.pop().and_then(|top| {
        top.children.into_iter().find_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    });
    root.ok_or_else(damaged)
}

/// Returns what a reference stands for: a character, or one of XML's five entities.
pub(crate) fn resolve(reference: &BytesRef) -> Option<Cow<'static, str>> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Some(character.to_string().into()),
        _ => resolve_predefined_entity(&reference.xml10_content()).map(Cow::Borrowed),
    }
}

fn build_element(start: &BytesStart, nodes: &mut usize) -> Element {
    *nodes += 1;
    let mut attributes = Vec::new();
    for attribute in start.attributes().with_checks(false).flatten() {
        let key: &str = attribute.key.as_ref();
        if key == "xmlns" || key.starts_with("xmlns:") {
            continue;
        }
        *nodes += 1;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_default();
        attributes.push((attribute.key.local_name().as_ref().into(), value.into()));
    }
    attributes.shrink_to_fit();
    Element { name: start.local_name().as_ref().into(), attributes, children: Vec::new() }
}

fn append(open: &mut [Element], node: Node) {
    if let Some(element) = open.last_mut() {
        element.children.push(node);
    }
}

fn say(open: &mut [Element], text: &str, nodes: &mut usize) {
    let Some(element) = open.last_mut() else { return };
    if let Some(Node::Text(before)) = element.children.last_mut() {
        before.push_str(text);
    } else if !text.is_empty() {
        *nodes += 1;
        element.children.push(Node::Text(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_keeps_local_names_and_resolves_only_what_cannot_grow() {
        let xml = r#"<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xxxxxxxx">]><w:a xmlns:w="u" w:b="1 &lt; 2">t&#233;a &amp; &x;<c/><![CDATA[<d>]]></w:a>"#;
        let root = parse(xml.as_bytes(), "DOCX").unwrap();
        assert_eq!((&*root.name, root.attribute("b")), ("a", Some("1 < 2")));
        assert_eq!(root.text(), "téa & \u{fffd}<d>");
        assert!(root.child("c").is_some());
    }

    // proves: A6
    #[test]
    fn what_is_cut_short_or_too_deep_is_refused() {
        assert!(matches!(parse(b"<a><b>", "DOCX"), Err(Fault::Damaged { .. })));
        assert!(matches!(parse(b"", "DOCX"), Err(Fault::Damaged { .. })));
        assert!(matches!(parse(b"<a></b>", "DOCX"), Err(Fault::Damaged { .. })));
        let deep = "<a>".repeat(100_000);
        assert!(matches!(parse(deep.as_bytes(), "DOCX"), Err(Fault::TooComplex { .. })));
    }
}
