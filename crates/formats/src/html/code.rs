//! The text of code and of other preformatted elements, without what programs add to it.

use dom_query::NodeRef;

use super::seen::{is_block, is_unreadable};

/// Returns the text of a preformatted element, line for line, without numbers of lines and without buttons.
pub(super) fn text(node: &NodeRef) -> String {
    let mut text = String::new();
    write(node, &mut text);
    text
}

fn write(node: &NodeRef, text: &mut String) {
    for child in node.children_it(false) {
        if child.is_text() {
            text.push_str(&child.text());
            continue;
        }
        let name = child.node_name();
        let name = name.as_deref().unwrap_or_default();
        if !child.is_element()
            || is_unreadable(&child, name)
            || name == "button"
            || is_line_number(&child)
        {
            continue;
        }
        let is_line = is_block(name) && !matches!(name, "td" | "th");
        if is_line && name != "br" {
            end_line(text);
        }
        write(&child, text);
        if name == "br" {
            text.push('\n');
        } else if is_line {
            end_line(text);
        }
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Returns whether an element is the number of a line of code, as its class says.
pub(super) fn is_line_number(node: &NodeRef) -> bool {
    let Some(class) = node.attr("class") else { return node.has_attr("data-line-number") };
    let class = class.to_ascii_lowercase();
    let is_named = class.split_whitespace().any(|name| {
        let name: String = name.chars().filter(char::is_ascii_alphabetic).collect();
        matches!(name.as_str(), "ln" | "lineno" | "linenos" | "linenr" | "blobnum")
            || name.contains("linenumber")
            || name.contains("gutter")
            || name.contains("lnnumber")
    });
    is_named && numbers(&node.text()).is_some()
}

/// Returns how many numbers a text is made of, each one more than the one before; `None` if it has other words. A blank text has none.
pub(super) fn numbers(text: &str) -> Option<usize> {
    let mut before: Option<u64> = None;
    let mut count = 0;
    for word in text.split_whitespace() {
        let number = word.parse().ok()?;
        if before.is_some_and(|before| number != before.saturating_add(1)) {
            return None;
        }
        before = Some(number);
        count += 1;
    }
    Some(count)
}
