//! The named characters and texts of XML that its parser does not know: those of HTML, and those that the file declares.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::escape::resolve_xml_entity;

/// The most declarations that are read.
const MOST_DECLARED: usize = 10_000;
/// The most bytes that a declared text has.
const LONGEST: usize = 1_000;

/// Returns `text` with references to names replaced by what they stand for, as far as no more than `most` bytes are added.
///
/// A declared text is not looked through for references again, so that nothing can expand.
pub(super) fn resolved(text: &str, most: u64) -> String {
    let (declared, body) = read_declarations(text);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut found = String::with_capacity(body.len());
    let mut rest = body;
    let mut added = 0_usize;
    while let Some(at) = rest.find(['&', '<']) {
        found.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(within) = rest.strip_prefix("<![CDATA[") {
            let end = within.find("]]>").map_or(rest.len(), |end| end + 12);
            found.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let name = rest.strip_prefix('&').and_then(|after| {
            let end = after.bytes().take(64).position(|byte| byte == b';')?;
            let name = after.get(..end)?;
            is_name(name.strip_prefix('#').unwrap_or(name)).then_some(name)
        });
        let is_known =
            name.is_none_or(|name| name.starts_with('#') || resolve_xml_entity(name).is_some());
        let replacement = name.filter(|_| !is_known).and_then(|name| {
            declared.get(name).map(|text| Cow::Borrowed(text.as_str())).or_else(|| of_html(name))
        });
        match (name, replacement) {
            (Some(name), Some(replacement)) if added < most => {
                added += replacement.len();
                found.push_str(&replacement);
                rest = &rest[name.len() + 2..];
            }
            // An ampersand that stands for itself.
            (None, _) if rest.starts_with('&') => {
                found.push_str("&amp;");
                rest = &rest[1..];
            }
            // A part of the document in another file, which is not read.
            (Some(name), None) if !is_known => rest = &rest[name.len() + 2..],
            _ => {
                found.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    found.push_str(rest);
    found
}

/// Returns the character that HTML calls `name`.
fn of_html(name: &str) -> Option<Cow<'static, str>> {
    let written = format!("&{name};");
    let read = htmlize::unescape(&written);
    (read != written && !read.ends_with(';')).then(|| Cow::Owned(read.into_owned()))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
}

/// Returns the texts that the document type declares, and the document without the declaration.
fn read_declarations(text: &str) -> (HashMap<&str, String>, &str) {
    let mut known = HashMap::new();
    let Some(start) = text.find("<!DOCTYPE") else { return (known, text) };
    // The declaration stands before the root.
    let is_before_root = text[..start]
        .match_indices('<')
        .all(|(at, _)| text[at..].starts_with("<?") || text[at..].starts_with("<!"));
    let rest = &text[start..];
    let Some(close) = rest.find('>').filter(|_| is_before_root) else { return (known, text) };
    let Some(open) = rest.find('[').filter(|open| *open < close) else {
        return (known, &rest[close + 1..]);
    };
    let Some(end) = subset_end(&rest[open..]) else { return (known, text) };
    let subset = &rest[open..open + end];
    for declaration in subset.split("<!ENTITY").skip(1).take(MOST_DECLARED) {
        let declaration = declaration.trim_start();
        let Some((name, value)) = declaration.split_once(char::is_whitespace) else { continue };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let text = quote.and_then(|quote| value.get(1..)?.split(quote).next());
        if let Some(text) = text.filter(|text| text.len() <= LONGEST && !text.contains('<')) {
            known.insert(
                name,
                if text.contains('&') && !is_reference(text) {
                    String::new()
                } else {
                    text.to_owned()
                },
            );
        }
    }
    let after = &rest[open + end..];
    (known, after.find('>').map_or(after, |at| &after[at + 1..]))
}

/// Returns whether a text is a reference to one character, which the parser resolves.
fn is_reference(text: &str) -> bool {
    text.starts_with("&#") && text.ends_with(';') && text.matches('&').count() == 1
}

/// Returns where the declarations in brackets end, after the closing bracket.
fn subset_end(text: &str) -> Option<usize> {
    let mut quote: Option<u8> = None;
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if text.get(at..at + 4) == Some("<!--") => {
                at += text[at..].find("-->")? + 2;
            }
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte == b']' => return Some(at + 1),
            None => {}
        }
        at += 1;
    }
    None
}
