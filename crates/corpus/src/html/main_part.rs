//! The main part of a page, and how much of it an extractor kept.
//!
//! Readability looks for an article and takes tables, lists of options and whole sections of other pages for furniture. So its result is
//! compared with what the page itself marks as its main part, without the boilerplate that every page has around its text.

use std::collections::HashMap;

use dom_query::{Document, NodeRef};
use formats::html::{holds_data, is_block, is_hidden, is_unreadable, markdown};

use super::furniture::{self, Authors};
use super::narrow::{has_prose, narrow};

/// Site navigation, by its element, its role or the class that manual generators give it.
const NAVIGATION: &str = "nav, [role=navigation], [role=banner], [role=contentinfo], [role=search], \
    body > header, body > footer, .navheader, .navfooter, .sphinxsidebar";
/// Elements hidden from visitors; they are not part of a web page.
const INVISIBLE: &str = r#"[style*="display:none" i], [style*="display: none" i],
    [style*="visibility:hidden" i], [style*="visibility: hidden" i]"#;
/// The least text that is seen, in bytes, of a page that hides more than that.
const SEEN: usize = 600;
/// Elements that mark the main part of a page.
const MAIN: &str = "main, [role=main]";
const ARTICLE: &str = "article";
/// Elements that are not part of the text of a page.
const BESIDES: &[&str] = &["button", "form", "select", "textarea"];
/// Elements that are dropped whole if more than half of their text is links.
#[rustfmt::skip]
const JUDGED: &[&str] = &["div", "dl", "ol", "p", "section", "table", "td", "ul"];

/// Elements that are removed if nearly all of their text is links to other pages.
#[rustfmt::skip]
const GATHERS: &[&str] = &[
    "aside", "div", "footer", "form", "header", "ol", "section", "table", "td", "tr", "ul",
];
/// Elements that a visitor fills in.
const FIELDS: &[&str] = &["select", "textarea"];
/// The fewest links of a block of links.
const LINKS: usize = 3;
/// The least text of a block that is a sentence, in bytes without white space.
const PASSAGE: usize = 60;
/// The words that a page without a marked main part has at least, if it is more than a list of links.
const FEW: usize = 100;

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
    /// It, without its furniture, as Markdown.
    pub(crate) markdown: String,
    /// All its words, those of its furniture too.
    all: Words,
    /// The words that must be kept.
    needed: Words,
}

impl MainPart {
    /// Returns the main part of a page: what it marks as such, else everything but its navigation.
    pub(crate) fn of(document: &Document, source: Source) -> MainPart {
        remove_navigation(document);
        if source != Source::Own {
            let (all, hidden) = (count(&document.root(), false), count(&document.root(), true));
            // A page may hide its text until a program shows it.
            if all - hidden >= SEEN.min(hidden) {
                remove(document, INVISIBLE);
            }
        }
        let root = document.root();
        let marked = only(document, MAIN);
        let part = marked.unwrap_or(root);
        let article = match source {
            Source::Own => None,
            // A page of teasers has several articles, and none of them is its main part.
            Source::Web | Source::Published => only_article(&part),
        };
        let part = article.unwrap_or(part);
        let whole = markdown(&part);
        let all = Words::of(&whole);
        if source == Source::Own {
            return MainPart { needed: all.clone(), all, markdown: whole };
        }
        drop(whole);
        let kept = match source {
            Source::Own => Kept::Words,
            Source::Published => Kept::Data,
            Source::Web if marked.or(article).is_some() || is_of_a_manual(&part) => Kept::Words,
            Source::Web => Kept::Passages,
        };
        let in_manual = marked.or(article).is_none() && kept == Kept::Words;
        furniture::clear(document, Authors::Remove);
        let rest = Words::of(&markdown(&part));
        let some = Words::of(&content(&part, Kept::Words)).count();
        // A page that is a list of links is about those links.
        let of_links = some * 2 < rest.count()
            && (kept == Kept::Words || some < FEW || some * 8 < rest.count())
            && (in_manual || !has_prose(&part));
        if !of_links {
            remove_links(&part);
            if !in_manual {
                narrow(&part);
            }
        }
        let needed = match kept {
            Kept::Words | Kept::Passages if of_links => rest,
            _ => Words::of(&content(&part, kept)),
        };
        MainPart { markdown: markdown(&part), needed, all }
    }

    /// Returns the share of the words that must be kept that `text` has, 0 to 1.
    pub(crate) fn needed_in(&self, text: &str) -> f64 {
        self.needed.share_in(&Words::of(text))
    }

    /// Returns the share of all its words that `text` has, 0 to 1.
    pub(crate) fn share_in(&self, text: &str) -> f64 {
        self.all.share_in(&Words::of(text))
    }
}

pub(super) fn remove_navigation(document: &Document) {
    remove(document, NAVIGATION);
}

pub(super) fn remove(document: &Document, selector: &str) {
    for node in document.select(selector).nodes() {
        node.remove_from_parent();
    }
}

/// Returns the bytes of text below `node`, without white space: all of them, or those within hidden elements.
fn count(node: &NodeRef, only_hidden: bool) -> usize {
    let mut bytes = 0;
    for child in node.children_it(false) {
        if child.is_text() && !only_hidden {
            bytes += child.text().split_whitespace().map(str::len).sum::<usize>();
        } else if child.is_element()
            && !is_unreadable(&child, child.node_name().as_deref().unwrap_or_default())
        {
            bytes += count(&child, only_hidden && !is_hidden(&child));
        }
    }
    bytes
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

/// Removes blocks with nothing but links to other pages, and fields.
fn remove_links(part: &NodeRef) {
    let mut found = Vec::new();
    find_links(part, false, &mut found);
    for node in found {
        node.remove_from_parent();
    }
}

/// The text below a node, in bytes without white space, how much of it is in links to other pages, and how many these are.
#[derive(Default)]
struct Linked {
    bytes: usize,
    in_links: usize,
    links: usize,
}

fn find_links<'a>(node: &NodeRef<'a>, in_link: bool, found: &mut Vec<NodeRef<'a>>) -> Linked {
    let mut all = Linked::default();
    let mut after_heading = false;
    for child in node.children_it(false) {
        if child.is_text() {
            let length = child.text().split_whitespace().map(str::len).sum::<usize>();
            all.bytes += length;
            all.in_links += if in_link { length } else { 0 };
            continue;
        }
        let name = child.node_name();
        let name = name.as_deref().unwrap_or_default();
        if !child.is_element() || is_unreadable(&child, name) {
            continue;
        }
        let leads = name == "a" && leads_elsewhere(&child);
        let before = found.len();
        let below = find_links(&child, in_link || leads, found);
        all.bytes += below.bytes;
        all.in_links += below.in_links;
        all.links += below.links + usize::from(leads);
        let of_links = below.links >= LINKS && below.in_links * 3 > below.bytes * 2;
        let gone = FIELDS.contains(&name)
            || of_links && GATHERS.contains(&name) && !(lists(name) && after_heading);
        if gone && !(name == "table" && holds_data(&child)) {
            found.truncate(before);
            found.push(child);
        }
        after_heading = heads(name);
    }
    all
}

/// Returns whether hardly anything on a page leads to other pages than those beside it, so that it has no menus.
fn is_of_a_manual(part: &NodeRef) -> bool {
    let size = find_links(part, false, &mut Vec::new());
    size.in_links * 20 < size.bytes
}

fn heads(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn lists(name: &str) -> bool {
    matches!(name, "ul" | "ol")
}

/// Returns the lines of a text that are long enough to be sentences.
fn passages(text: &str) -> String {
    let long = |line: &&str| line.split_whitespace().map(str::len).sum::<usize>() >= PASSAGE;
    text.lines().filter(long).collect::<Vec<_>>().join("\n")
}

/// Which text of a part is collected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Words,
    /// Sentences, headings, lists without links, and data as below. What else is short is a menu or a label.
    Passages,
    /// Tables, definition lists and code.
    Data,
}

/// Returns the text of `part` without forms, asides and blocks that are mostly links, a line for each block.
fn content(part: &NodeRef, kept: Kept) -> String {
    let mut text = Text::default();
    gather(part, kept, false, &mut text);
    match kept {
        Kept::Words => text.words + &text.data,
        Kept::Passages => passages(&text.words) + "\n" + &text.data,
        Kept::Data => text.data,
    }
}

/// The text of a part, and what of it is data.
#[derive(Default)]
struct Text {
    words: String,
    /// What is kept however short it is.
    data: String,
}

/// Appends the text below `node`; returns how many bytes it has, and how many of them are in links.
fn gather(node: &NodeRef, kept: Kept, in_link: bool, text: &mut Text) -> (usize, usize) {
    let (mut bytes, mut linked) = (0, 0);
    for child in node.children_it(false) {
        if child.is_text() {
            for word in child.text().split_whitespace() {
                bytes += word.len();
                linked += if in_link { word.len() } else { 0 };
                text.words.push_str(word);
                text.words.push(' ');
            }
            continue;
        }
        let name = child.node_name();
        let name = name.as_deref().unwrap_or_default();
        if !child.is_element() || beside(&child, name) {
            continue;
        }
        let (words, data) = (text.words.len(), text.data.len());
        let leads = name == "a" && leads_elsewhere(&child);
        if is_block(name) {
            text.words.push('\n');
        }
        let (of_child, of_links) = gather(&child, kept, in_link || leads, text);
        if JUDGED.contains(&name) && of_links * 2 > of_child {
            text.words.truncate(words);
            text.data.truncate(data);
        } else if matches!(name, "dl" | "pre")
            || kept == Kept::Passages && (heads(name) || lists(name) && of_links == 0)
            || name == "table" && holds_data(&child)
        {
            let taken = text.words.split_off(words);
            text.data.push_str(&taken);
        }
        if is_block(name) {
            text.words.push('\n');
        }
        bytes += of_child;
        linked += of_links;
    }
    (bytes, linked)
}

/// Returns whether a link leads away from the pages around its own: a table of contents is part of a manual, a list of other news is not
/// part of an article. A link whose text is the URL itself is a reference and is meant to be read.
pub(super) fn leads_elsewhere(link: &NodeRef) -> bool {
    link.attr("href").is_some_and(|to| to.trim_start().starts_with('/') || to.contains("//"))
        && !link.text().contains("://")
}

/// Returns whether a node is a note to the text, as manuals mark their footnotes, or an abstract.
fn is_note(node: &NodeRef) -> bool {
    node.attr("role").is_some_and(|it| ["note", "doc-footnote", "doc-endnotes"].contains(&&*it))
        || node.has_class("topic")
}

fn beside(node: &NodeRef, name: &str) -> bool {
    is_aside(node, name)
        || BESIDES.contains(&name)
        || is_unreadable(node, name)
        || node.attr("aria-hidden").is_some_and(|it| &*it == "true")
}

/// Returns whether a node stands beside the text, and is no note to it.
pub(super) fn is_aside(node: &NodeRef, name: &str) -> bool {
    matches!(name, "aside" | "footer")
        && !is_note(node)
        && !node.children_it(false).any(|child| is_note(&child))
        || node.attr("role").is_some_and(|it| &*it == "complementary")
}

/// Returns whether `c` is of the scripts of Thailand, Laos, Burma, Cambodia, China or Japan.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// How often each word occurs in a text.
#[derive(Clone)]
struct Words(HashMap<String, usize>);

impl Words {
    fn of(text: &str) -> Words {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut count = |word: &str| *counts.entry(word.to_lowercase()).or_default() += 1;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            // Scripts without spaces: a sentence that were one word would weigh as much as a label.
            if word.contains(is_written_without_spaces) {
                let mut letter = [0; 4];
                word.chars().for_each(|c| count(c.encode_utf8(&mut letter)));
            } else {
                count(word);
            }
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
