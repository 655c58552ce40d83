//! The words of HTML of which no tree can be built: without its tags, whatever they are, in one pass.

use super::seen::is_block;
use crate::tidy;

/// Elements whose text is not read.
const UNREAD: &[&str] = &["script", "style", "title", "textarea", "noframes"];
/// The longest name of an element that is known, in bytes.
const LONGEST_NAME: usize = 20;

/// Returns the text of `html`, a line for each block.
pub(super) fn lines(html: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&htmlize::unescape(&rest[..at]));
        let inner = &rest[at + 1..];
        rest = match inner.trim_start_matches('/').chars().next() {
            Some('!') if inner.starts_with("!--") => after(&inner[3..], "-->"),
            Some('!' | '?') => after(inner, ">"),
            Some(c) if c.is_ascii_alphabetic() => {
                let named = inner.trim_start_matches('/');
                let end = named.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(named.len());
                let name = named[..end.min(LONGEST_NAME)].to_ascii_lowercase();
                if is_block(&name) {
                    text.push('\n');
                }
                let following = after(inner, ">");
                let is_unread = !inner.starts_with('/') && UNREAD.contains(&name.as_str());
                if is_unread { after_element(&name, following) } else { following }
            }
            _ => {
                text.push('<');
                inner
            }
        };
    }
    text.push_str(&htmlize::unescape(rest));
    text.split('\n').map(tidy).filter(|line| !line.is_empty()).collect()
}

/// Returns what follows `end` in a text: nothing, if it is not there.
fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// Returns what follows the end tag of an element whose content is not HTML.
fn after_element<'a>(name: &str, text: &'a str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name)) {
            return after(rest, ">");
        }
    }
    ""
}
