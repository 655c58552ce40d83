//! Narrows a page that marks no main part down to the element that holds its text.
//!
//! From the outermost element on, one that holds nearly all passages is entered, and what stands beside it is removed: labels, menus,
//! notices at the foot. What stands before it may be the beginning of the text, so that only labels are removed there, and no heading.

use std::collections::HashMap;

use dom_query::{NodeId, NodeRef};
use formats::html::{holds_data, is_block, is_unreadable};

use super::main_part::{is_aside, leads_elsewhere};

/// The share of the passages that an element holds in which the search goes on, in per cent.
const NEARLY_ALL: usize = 85;
/// The fewest bytes of passages of a text.
const LEAST: usize = 600;
/// The fewest bytes of paragraphs beside each other of a page that is not about its links.
const PROSE: usize = 1200;
/// The least text of a passage, in bytes without white space and links.
const PASSAGE: usize = 60;

/// Returns whether one element holds so many paragraphs that a page is about them, however many links surround it.
pub(super) fn has_prose(part: &NodeRef) -> bool {
    let mut sizes = Sizes::default();
    let whole = sizes.measure(part, false);
    let most = sizes.0.values().map(|size| size.prose).max().unwrap_or(0);
    most >= PROSE && most * 3 >= whole.passages
}

/// Removes from `part` what stands around its text.
pub(super) fn narrow(part: &NodeRef) {
    let mut sizes = Sizes::default();
    sizes.measure(part, false);
    let mut removed = Vec::new();
    let mut open = *part;
    while let Some((child, beside)) = sizes.enter(&open) {
        removed.extend(beside);
        open = child;
    }
    for node in removed {
        node.remove_from_parent();
    }
}

/// What stands below a node.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Bytes of passages and data.
    passages: usize,
    /// Bytes of the passages that stand in the element itself, or in paragraphs in it.
    prose: usize,
    /// Bytes of the line that is still open, outside links.
    line: usize,
    /// Bytes of all text, outside links.
    text: usize,
    links: usize,
    /// Whether it holds or is a heading of the page.
    headed: bool,
}

impl Size {
    fn end_line(&mut self) {
        if self.line >= PASSAGE {
            self.passages += self.line;
            self.prose += self.line;
        }
        self.line = 0;
    }
}

#[derive(Default)]
struct Sizes(HashMap<NodeId, Size>);

impl Sizes {
    fn measure(&mut self, node: &NodeRef, in_link: bool) -> Size {
        let mut size = Size::default();
        for child in node.children_it(false) {
            if child.is_text() {
                let length = child.text().split_whitespace().map(str::len).sum::<usize>();
                if !in_link {
                    size.line += length;
                    size.text += length;
                }
                continue;
            }
            let name = child.node_name();
            let name = name.as_deref().unwrap_or_default();
            if !child.is_element() || is_unreadable(&child, name) || is_aside(&child, name) {
                continue;
            }
            let leads = name == "a" && leads_elsewhere(&child);
            let below = self.measure(&child, in_link || leads);
            if is_block(name) {
                size.end_line();
            }
            size.line += below.line;
            size.passages += below.passages;
            size.prose += if !is_block(name) || name == "p" { below.prose } else { 0 };
            size.text += below.text;
            size.links += below.links + usize::from(leads);
            size.headed |= below.headed || name == "h1";
            if is_block(name) {
                size.end_line();
            }
        }
        let name = node.node_name();
        let name = name.as_deref().unwrap_or_default();
        let is_data = match name {
            "dl" | "pre" => true,
            "ul" | "ol" => size.links == 0,
            "table" => holds_data(node),
            _ => false,
        };
        if is_data {
            size.passages = size.text;
            size.line = 0;
        } else if is_block(name) {
            size.end_line();
        }
        self.0.insert(node.id, size);
        size
    }

    fn of(&self, node: &NodeRef) -> Size {
        self.0.get(&node.id).copied().unwrap_or_default()
    }

    /// Returns the child that holds nearly all passages of `node`, and what stands beside it and is no part of the text.
    fn enter<'a>(&self, node: &NodeRef<'a>) -> Option<(NodeRef<'a>, Vec<NodeRef<'a>>)> {
        let whole = self.of(node);
        // All of an article is its text.
        if whole.passages < LEAST || node.has_name("article") {
            return None;
        }
        let children: Vec<NodeRef<'a>> = node.children_it(false).collect();
        let holds = |child: &NodeRef| self.of(child).passages * 100 >= whole.passages * NEARLY_ALL;
        let at = children.iter().position(holds)?;
        let child = children[at];
        let sum = |nodes: &[NodeRef]| nodes.iter().map(|it| self.of(it).passages).sum::<usize>();
        let (before, after) = (&children[..at], &children[at + 1..]);
        let own = whole.passages.saturating_sub(sum(&children));
        let starts_before = sum(before) > 0 && !self.of(&child).headed;
        let kind = |it: &NodeRef| (it.node_name(), it.attr("class"));
        let goes_on = after
            .iter()
            .any(|it| self.of(it).passages > 0 && (it.has_name("p") || kind(it) == kind(&child)));
        if own > 0 || starts_before || goes_on {
            return None;
        }
        let is_heading = |it: &NodeRef| {
            let size = self.of(it);
            size.headed || it.node_name().is_some_and(|name| matches!(&*name, "h1" | "h2" | "h3"))
        };
        let beside = before.iter().filter(|it| !is_heading(it)).chain(after);
        Some((child, beside.copied().collect()))
    }
}

#[cfg(test)]
mod tests {
    use formats::html::{markdown, parse};

    use super::*;

    fn narrowed(body: &str) -> String {
        let document = parse(&format!("<body>{body}")).unwrap();
        narrow(&document.root());
        markdown(&document.root())
    }

    // proves: A6
    #[test]
    fn what_surrounds_the_text_is_removed_and_no_part_of_it() {
        let passage =
            "Most of them drink tea, many drink coffee, and some drink neither, whatever the hour.";
        let prose = format!("<p>{passage}</p>").repeat(10);
        let labels =
            "<ul><li><a href='/1'>Start</a><li><a href='/2'>News</a></ul><div>Font size</div>";
        let notice = format!("<div class=legal>{passage}</div>");
        let text = markdown(&parse(&format!("<h1>Tea</h1>{prose}")).unwrap().root());
        for page in [
            format!("<div>{labels}</div><div class=a><h1>Tea</h1>{prose}</div>{notice}"),
            format!("<div><h1>Tea</h1></div><div class=a><div>{prose}</div><div>Print</div></div>"),
            format!("{notice}<div class=a><h1>Tea</h1>{prose}</div>"),
            format!("<div class=a><h1>Tea</h1>{prose}</div><aside>{notice}{notice}</aside>"),
        ] {
            assert_eq!(narrowed(&page), text, "{page}");
        }
        for whole in [
            // The beginning may stand before the rest.
            format!("{notice}<div>{prose}</div>"),
            // It goes on in another paragraph, or in a box of the same kind.
            format!("<div>{prose}</div><p>{passage}</p>"),
            format!("<div class=legal>{prose}</div>{notice}"),
            format!(
                "<article><section>{prose}</section><section class=end>{passage}</section></article>"
            ),
            // Short lines of a list, and data.
            format!(
                "<div>{prose}</div><table class=legal><tr><th>Drink<th>Share of all guests<tr><td>Tea<td>54 % of those who came</table><ul>{}</ul>",
                "<li>Green tea, two minutes.".repeat(9)
            ),
        ] {
            let document = parse(&whole).unwrap();
            assert_eq!(narrowed(&whole), markdown(&document.root()), "{whole}");
        }
    }
}
