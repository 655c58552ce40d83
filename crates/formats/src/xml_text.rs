//! XML becomes Markdown: prose with its headings, feeds with their entries, records as tables, and other data as `path.to.name: value`.
//!
//! What the elements are decides, not the vocabulary's name: an element with words of its own is a paragraph, one with a title is a
//! section, siblings with the same parts are the rows of a table. Names that DocBook, TEI, JATS, DITA and others share for lists, tables
//! and code are known.

mod entities;
mod feed;
mod names;
mod prose;
mod records;

use crate::data::Value;
use crate::writer::tidy;
use crate::xml::{Element, Node, parse as parse_xml};
use crate::{Bounds, Fault, Parsed, Writer};

const XML: &str = "XML";

/// Returns what XML says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = entities::resolved(&decoded(bytes), bounds.text_bytes);
    let root = parse_xml(text.as_bytes(), XML)?;
    drop(text);
    match &*root.name {
        "rss" | "feed" | "RDF" if feed::is_feed(&root) => return Ok(feed::parsed(&root, bounds)),
        "plist" => {
            let values: Vec<Value> = root.elements().map(property).collect();
            return Ok(crate::data::parsed(&values, "Entry", bounds));
        }
        "svg" => return Ok(drawing(&root, bounds)),
        "opml" => return Ok(outline(&root, bounds)),
        _ => {}
    }
    let mut page = Writer::new(bounds.text_bytes);
    if names::is_prose(&root) {
        return Ok(prose::parsed(&root, page));
    }
    records::write(&mut page, 1, "", root);
    Ok(Parsed { text: page.finish(), ..Parsed::default() })
}

/// Returns whether a text is XML and not HTML.
pub(crate) fn recognize(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let has_declaration = text.starts_with("<?xml ");
    let mut rest = text;
    let mut has_type = false;
    // What may stand before the root.
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<?") {
            rest.find("?>").map(|end| end + 2)
        } else if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            has_type = true;
            let name = rest[9..].trim_start();
            if name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html")) {
                return false;
            }
            let close =
                if rest.find('[') < rest.find('>') && rest.contains('[') { "]>" } else { ">" };
            rest.find(close).map(|end| end + close.len())
        } else {
            break;
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => return false,
        }
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    let name: &str =
        tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
    let is_page = matches!(local.to_ascii_lowercase().as_str(), "html" | "head" | "body");
    if !is_name || is_page {
        return false;
    }
    let head = &tag[..tag.find('>').unwrap_or(tag.len())];
    let closes = text.ends_with(&format!("</{name}>")) || head.ends_with('/');
    let ends = text.ends_with('>');
    ends && (has_declaration || head.contains("xmlns") || has_type && closes)
        && !head.contains("http://www.w3.org/1999/xhtml")
}

/// Returns the text of bytes in the encoding that they declare.
fn decoded(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let opening = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let declared = opening.split_once("encoding=").and_then(|(_, rest)| {
        let label = rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
        encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())
    });
    match declared {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Returns a value of a property list.
fn property(element: &Element) -> Value<'static> {
    match &*element.name {
        "dict" => {
            let mut entries = Vec::new();
            let mut key = String::new();
            for child in element.elements() {
                if &*child.name == "key" {
                    key = tidy(&child.text());
                } else {
                    entries.push((std::mem::take(&mut key), property(child)));
                }
            }
            Value::Map(entries)
        }
        "array" => Value::List(element.elements().map(property).collect()),
        "true" | "false" => Value::Text(element.name.to_string().into()),
        "data" => Value::Text(element.text().split_whitespace().collect::<String>().into()),
        _ => Value::Text(element.text().trim().to_owned().into()),
    }
}

/// Returns the words of a drawing.
fn drawing(root: &Element, bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    let words =
        |name: &str| root.child(name).map(|it| tidy(&it.text())).filter(|it| !it.is_empty());
    let title = words("title");
    page.heading(1, title.as_deref().unwrap_or_default());
    let mut open: Vec<&Element> = vec![root];
    while let Some(element) = open.pop() {
        let is_title = &*element.name == "title"
            && std::ptr::eq(element, root.child("title").unwrap_or(element));
        match &*element.name {
            "style" | "script" | "metadata" | "symbol" => {}
            "title" if is_title && title.is_some() => {}
            "title" | "desc" | "text" | "flowRoot" => {
                // Lines of a text are elements of their own.
                let lines: Vec<String> = element.children.iter().map(node_text).collect();
                let is_lines = element.elements().count() > 1;
                page.paragraph(&tidy(&lines.join(if is_lines { " " } else { "" })));
            }
            "foreignObject" => page.paragraph(&tidy(&element.text())),
            _ => {
                let before = open.len();
                open.extend(element.elements());
                open[before..].reverse();
            }
        }
    }
    Parsed { title, text: page.finish(), ..Parsed::default() }
}

fn node_text(node: &Node) -> String {
    match node {
        Node::Text(text) => text.clone(),
        Node::Element(element) => element.text(),
    }
}

/// Returns an outline as a list.
fn outline(root: &Element, bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    let head = root.child("head");
    let said = |name: &str| {
        head.and_then(|head| head.child(name))
            .map(|it| tidy(&it.text()))
            .filter(|it| !it.is_empty())
    };
    let title = said("title");
    page.heading(1, title.as_deref().unwrap_or_default());
    let mut open: Vec<(usize, &Element)> = Vec::new();
    if let Some(body) = root.child("body") {
        let children: Vec<&Element> = body.elements().collect();
        open.extend(children.into_iter().rev().map(|child| (0, child)));
    }
    while let Some((depth, element)) = open.pop() {
        let text = element.attribute("text").or(element.attribute("title")).unwrap_or_default();
        let address = element
            .attribute("xmlUrl")
            .or(element.attribute("htmlUrl"))
            .or(element.attribute("url"));
        let note = element.attribute("_note").unwrap_or_default();
        let parts = [text, note, address.unwrap_or_default()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        page.item(depth, "-", &tidy(&parts.join(": ")));
        let children: Vec<&Element> = element.elements().collect();
        open.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
    }
    let mut metadata = std::collections::BTreeMap::new();
    metadata.extend(said("ownerName").map(|author| ("author".to_owned(), author)));
    Parsed { title, text: page.finish(), metadata, ..Parsed::default() }
}

#[cfg(test)]
mod tests;
