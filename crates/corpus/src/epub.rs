//! An EPUB becomes Markdown: its chapters in spine order.

use std::collections::{BTreeMap, HashMap};

use formats::{Archive, Element, Format, parse_xml, resolved};

use crate::document::{Document, one_line};
use crate::read::{Limits, ReadError};
use crate::{decode, html, markdown};

const EPUB: &str = "EPUB";
const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";
/// Algorithms that only obfuscate fonts; the text stays readable.
const FONT_OBFUSCATION: [&str; 2] =
    ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// Returns the document in the bytes of an EPUB.
pub(crate) fn read(bytes: &[u8], stem: &str, limits: &Limits) -> Result<Document, ReadError> {
    let damaged = || ReadError::Damaged { format: EPUB.to_owned() };
    let mut archive = Archive::open(bytes, EPUB, &limits.bounds())?;
    if let Some(list) = archive.file(ENCRYPTION)?
        && parse_xml(&list, EPUB)?.all("EncryptedData").into_iter().any(locks_text)
    {
        return Err(ReadError::Encrypted { format: EPUB.to_owned() });
    }
    let container = parse_xml(&archive.needed(CONTAINER)?, EPUB)?;
    let root = container.all("rootfile").into_iter().find_map(|file| file.attribute("full-path"));
    let root = resolved("", root.ok_or_else(damaged)?);
    let package = parse_xml(&archive.needed(&root)?, EPUB)?;
    let (title, metadata) = known(&package);
    let mut text = String::new();
    for chapter in chapters(&package, &root).ok_or_else(damaged)? {
        let Some(bytes) = archive.file(&chapter)? else { continue };
        let page = match decode::decode(&bytes, true, None) {
            Ok(decoded) => decoded.text,
            Err(_) => continue,
        };
        let words = html::whole(&opened(&page))?;
        if words.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&words);
        let bytes = text.len() as u64;
        if bytes > limits.text_bytes {
            return Err(ReadError::TooLarge { bytes, limit: limits.text_bytes });
        }
    }
    let (title, sections, _) = markdown::outline(&text, title.as_deref(), stem);
    Ok(Document::new(Format::Epub, title, text, sections, metadata))
}

fn locks_text(data: &Element) -> bool {
    let method = data.child("EncryptionMethod").and_then(|method| method.attribute("Algorithm"));
    method.is_none_or(|method| !FONT_OBFUSCATION.contains(&method))
}

/// Returns the title and the other metadata of the book.
fn known(package: &Element) -> (Option<String>, BTreeMap<String, String>) {
    let mut found = BTreeMap::new();
    let Some(metadata) = package.child("metadata") else { return (None, found) };
    let said = |name: &str| -> Vec<String> {
        let elements = metadata.all(name).into_iter().map(|it| one_line(&it.text()));
        elements.filter(|text| !text.is_empty()).collect()
    };
    let author = said("creator").join(", ");
    if !author.is_empty() {
        found.insert("author".to_owned(), one_line(&author));
    }
    for (name, key) in [("language", "lang"), ("date", "published"), ("publisher", "publisher")] {
        let first = said(name).into_iter().next();
        found.extend(first.map(|value| (key.to_owned(), value)));
    }
    (said("title").into_iter().next(), found)
}

/// Returns the names of the files that hold the text, in reading order; `None` if the package does not say.
fn chapters(package: &Element, root: &str) -> Option<Vec<String>> {
    let items: HashMap<&str, &Element> = package
        .child("manifest")?
        .elements()
        .filter_map(|item| Some((item.attribute("id")?, item)))
        .collect();
    let order = package.child("spine")?.elements().filter_map(|it| it.attribute("idref"));
    let pages = order.filter_map(|id| items.get(id)).filter(|item| {
        let lists = item.attribute("properties").unwrap_or_default();
        let kind = item.attribute("media-type").unwrap_or_default();
        !lists.split_whitespace().any(|property| property == "nav") && kind.contains("html")
    });
    Some(pages.filter_map(|item| Some(resolved(root, item.attribute("href")?))).collect())
}

/// Elements that have no end tag in HTML either.
#[rustfmt::skip]
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
];

/// Returns XHTML with each `<title/>` written as `<title></title>`: HTML would take what follows as the title.
fn opened(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>")];
        let skipped = skipped.into_iter().find(|(open, _)| rest.starts_with(open));
        let end = match skipped {
            Some((_, close)) => rest.find(close).map(|at| at + close.len()),
            None => tag_end(rest),
        };
        let Some(end) = end else { break };
        let (tag, after) = rest.split_at(end);
        rest = after;
        let name: String =
            tag[1..].chars().take_while(|c| c.is_alphanumeric() || *c == ':').collect();
        match tag.strip_suffix("/>").filter(|_| skipped.is_none() && !name.is_empty()) {
            Some(open) if !VOID.contains(&name.as_str()) => {
                text.push_str(open);
                text.push_str("></");
                text.push_str(&name);
                text.push('>');
            }
            _ => text.push_str(tag),
        }
    }
    text.push_str(rest);
    text
}

/// Returns where the tag at the start of `text` ends.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
