//! Empty elements among words, which an attribute stands for.

use crate::xml::{Element, Node};
use crate::xml_text::names::{Role, role};

/// How many nodes are looked at for words beside an empty element.
const MOST_BESIDE: usize = 200;

/// Returns the attribute that stands for an empty element among words: `set <option name="read only"/> to yes`.
pub(super) fn stands_for<'a>(element: &'a Element, beside: &[Node]) -> Option<&'a str> {
    let has_words =
        |node: &Node| matches!(node, Node::Text(text) if text.contains(char::is_alphabetic));
    let marks_place = matches!(
        &*element.name,
        "a" | "anchor" | "bookmark" | "target" | "param" | "meta" | "mark" | "index" | "ptr"
    );
    if !element.children.is_empty()
        || role(&element.name) != Role::Other
        || marks_place
        || !beside.iter().take(MOST_BESIDE).any(has_words)
    {
        return None;
    }
    if let Some(name) = element.attribute("name") {
        return Some(name);
    }
    let mut said = element.named_attributes().map(|(_, value)| value.trim());
    let only = said.next().filter(|_| said.next().is_none())?;
    let is_words = only.contains(' ')
        && only.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || "-',.".contains(c));
    is_words.then_some(only)
}
