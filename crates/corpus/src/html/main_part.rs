//! The main part of a page, and how much of it an extractor kept.
//!
//! Readability looks for an article and takes tables, lists of options and whole sections of other pages for furniture. So its result is
//! compared with what the page itself marks as its main part, without the boilerplate that every page has around its text.

use std::collections::HashMap;

use dom_query::{Document, NodeRef};

use crate::render;

/// Site navigation, by its element, its role or the class that manual generators give it.
const NAVIGATION: &str = "nav, [role=navigation], [role=banner], [role=contentinfo], [role=search], \
    body > header, body > footer, .navheader, .navfooter, .sphinxsidebar";
/// Elements hidden from visitors; they are not part of a web page.
const INVISIBLE: &str = r#"[style*="display:none" i], [style*="display: none" i],
    [style*="visibility:hidden" i], [style*="visibility: hidden" i]"#;
/// Elements that mark the main part of a page.
const MAIN: &str = "main, [role=main]";
const ARTICLE: &str = "article";
/// Elements that are not part of the text of a page.
const BESIDES: &[&str] = &["aside", "button", "footer", "form", "select", "textarea"];
/// Elements that are dropped whole if more than half of their text is links.
#[rustfmt::skip]
const JUDGED: &[&str] = &["div", "dl", "ol", "p", "section", "table", "td", "ul"];

/// The origin of a page, which decides what is kept of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file of the user's: everything but its navigation.
    Own,
    /// A page that was fetched or saved: its main part.
    Web,
    /// A page of either kind that says it was published as an article: what an article extractor finds, and all its data.
    Published,
}

/// The main part of a page.
pub(crate) struct MainPart {
    /// All of it, as Markdown.
    pub(crate) markdown: String,
    /// The words that must be kept.
    needed: Words,
}

impl MainPart {
    /// Returns the main part of a page: what it marks as such, else everything but its navigation.
    pub(crate) fn of(document: &Document, source: Source) -> MainPart {
        remove(document, NAVIGATION);
        if source != Source::Own {
            remove(document, INVISIBLE);
        }
        let root = document.root();
        let part = only(document, MAIN).unwrap_or(root);
        let part = match source {
            Source::Own => part,
            // A page of teasers has several articles, and none of them is its main part.
            Source::Web | Source::Published => only_article(&part).unwrap_or(part),
        };
        let markdown = render::part(&part);
        let needed = match source {
            Source::Own => Words::of(&markdown),
            Source::Published => Words::of(&content(&part, Kept::Data)),
            Source::Web => {
                let (all, some) = (Words::of(&markdown), Words::of(&content(&part, Kept::Words)));
                // A page that is a list of links is about those links.
                if some.count() * 2 < all.count() { all } else { some }
            }
        };
        MainPart { markdown, needed }
    }

    /// Returns the share of the words that must be kept that `text` has, 0 to 1.
    pub(crate) fn needed_in(&self, text: &str) -> f64 {
        self.needed.share_in(&Words::of(text))
    }

    /// Returns the share of all its words that `text` has, 0 to 1.
    pub(crate) fn share_in(&self, text: &str) -> f64 {
        Words::of(&self.markdown).share_in(&Words::of(text))
    }
}

fn remove(document: &Document, selector: &str) {
    for node in document.select(selector).nodes() {
        node.remove_from_parent();
    }
}

/// Returns the element of `document` that a selector matches, if it is the only one.
fn only<'a>(document: &'a Document, selector: &str) -> Option<NodeRef<'a>> {
    match document.select(selector).nodes() {
        [only] => Some(*only),
        _ => None,
    }
}

/// Returns the article in `part` that contains all others.
fn only_article<'a>(part: &NodeRef<'a>) -> Option<NodeRef<'a>> {
    let mut outermost = None;
    let mut open: Vec<NodeRef<'a>> = part.children_it(true).collect();
    while let Some(node) = open.pop() {
        if !node.has_name(ARTICLE) {
            open.extend(node.children_it(true));
        } else if outermost.replace(node).is_some() {
            return None;
        }
    }
    outermost
}

/// Which text of a part is collected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Words,
    /// Tables, definition lists and code.
    Data,
}

/// Returns the text of `part` without forms, asides and blocks that are mostly links.
fn content(part: &NodeRef, kept: Kept) -> String {
    let mut text = String::new();
    let place = Place { in_link: false, taken: kept == Kept::Words };
    gather(part, place, &mut text);
    text
}

/// The surroundings of a node.
#[derive(Clone, Copy)]
struct Place {
    in_link: bool,
    /// Whether its text is collected.
    taken: bool,
}

/// Appends the text below `node`; returns how many bytes it has, and how many of them are in links.
fn gather(node: &NodeRef, place: Place, text: &mut String) -> (usize, usize) {
    let (mut bytes, mut linked) = (0, 0);
    for child in node.children_it(false) {
        if child.is_text() {
            let words = child.text();
            let length = words.split_whitespace().map(str::len).sum::<usize>();
            bytes += length;
            linked += if place.in_link { length } else { 0 };
            if place.taken {
                text.push_str(&words);
            }
            continue;
        }
        let name = child.node_name();
        let name = name.as_deref().unwrap_or_default();
        if !child.is_element() || beside(&child, name) {
            continue;
        }
        let before = text.len();
        let data = matches!(name, "dl" | "pre") || name == "table" && render::holds_data(&child);
        let leads = name == "a" && leads_elsewhere(&child);
        let below = Place { in_link: place.in_link || leads, taken: place.taken || data };
        let (of_child, of_links) = gather(&child, below, text);
        if JUDGED.contains(&name) && of_links * 2 > of_child {
            text.truncate(before);
        }
        text.push(' ');
        bytes += of_child;
        linked += of_links;
    }
    (bytes, linked)
}

/// Returns whether a link leads away from the pages around its own: a table of contents is part of a manual, a list of other news is not
/// part of an article. A link whose text is the URL itself is a reference and is meant to be read.
fn leads_elsewhere(link: &NodeRef) -> bool {
    link.attr("href").is_some_and(|to| to.trim_start().starts_with('/') || to.contains("//"))
        && !link.text().contains("://")
}

/// Returns whether a node is a note to the text, as manuals mark their footnotes, or an abstract.
fn is_note(node: &NodeRef) -> bool {
    node.attr("role").is_some_and(|it| ["note", "doc-footnote", "doc-endnotes"].contains(&&*it))
        || node.has_class("topic")
}

fn beside(node: &NodeRef, name: &str) -> bool {
    BESIDES.contains(&name)
        && !is_note(node)
        && !node.children_it(false).any(|child| is_note(&child))
        || render::is_unreadable(node, name)
        || node.attr("aria-hidden").is_some_and(|it| &*it == "true")
        || node.attr("role").is_some_and(|it| &*it == "complementary")
}

/// How often each word occurs in a text.
struct Words(HashMap<String, usize>);

impl Words {
    fn of(text: &str) -> Words {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        Words(counts)
    }

    fn count(&self) -> usize {
        self.0.values().sum()
    }

    /// Returns the share of these words that `text` also has, counting repeats, 0 to 1.
    fn share_in(&self, text: &Words) -> f64 {
        let has =
            |(word, count): (&String, &usize)| text.0.get(word).copied().unwrap_or(0).min(*count);
        let common: usize = self.0.iter().map(has).sum();
        match self.count() {
            0 => 1.0,
            all => common as f64 / all as f64,
        }
    }
}
