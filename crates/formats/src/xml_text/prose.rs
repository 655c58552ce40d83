//! Documents of prose: sections with titles, paragraphs, lists, tables, code and notes.

mod empty;
mod table;

use std::collections::BTreeMap;

use super::names::{Role, role};
use crate::script::subscript;
use crate::struck::strike;
use crate::writer::tidy;
use crate::xml::{Element, Node};
use crate::{Parsed, Writer, superscript};
use empty::stands_for;
use table::table;

/// How deep lists and blocks within them are followed.
const DEEPEST: usize = 64;

pub(super) fn parsed(root: &Element, mut page: Writer) -> Parsed {
    let title = title_of(root);
    let mut metadata = BTreeMap::new();
    let mut add = |key: &str, value: Option<String>| {
        metadata.extend(value.map(|value| (key.to_owned(), value)));
    };
    let lang = root.attribute("lang").map(str::to_owned);
    add("lang", lang);
    let info = root.elements().find(|it| is_about(&it.name)).unwrap_or(root);
    let authors: Vec<String> = info.all("author").iter().take(20).map(|it| spaced(it)).collect();
    add("author", (!authors.is_empty()).then(|| authors.join(", ")));
    blocks(&mut page, 1, root, 0);
    Parsed { title, text: page.finish(), metadata, ..Parsed::default() }
}

fn is_about(name: &str) -> bool {
    name == "info"
        || name.ends_with("info")
        || matches!(name, "front" | "teiHeader" | "prolog" | "metadata")
}

/// Returns the title of a document: its own, or the one in what describes it.
fn title_of(root: &Element) -> Option<String> {
    let own = root.elements().find(|it| role(&it.name) == Role::Title);
    let described = || root.elements().find(|it| is_about(&it.name)).and_then(described_title);
    let title = own.or_else(described).map(|title| tidy(&inline(title, &mut Vec::new())));
    title.filter(|title| !title.is_empty() && title.chars().count() <= 300)
}

/// Writes what an element holds; titles within it are headings of `level`.
pub(super) fn blocks(page: &mut Writer, level: usize, element: &Element, depth: usize) {
    if depth > DEEPEST {
        return page.paragraph(&tidy(&element.text()));
    }
    // Words between blocks are gathered to a paragraph.
    let mut line = String::new();
    let mut notes: Vec<String> = Vec::new();
    let mut below = level;
    for (index, child) in element.children.iter().enumerate() {
        match child {
            Node::Text(text) => line.push_str(text),
            Node::Element(child) if is_block(child) => {
                flush(page, &mut line, &mut notes);
                block(page, &mut below, child, depth + 1);
            }
            Node::Element(child) => {
                let start = line.len();
                line.push_str(&inline(child, &mut notes));
                line.push_str(stands_for(child, &element.children).unwrap_or_default());
                lower(child, &mut line, start, &element.children[index + 1..]);
            }
        }
    }
    flush(page, &mut line, &mut notes);
}

/// Returns whether an element stands on lines of its own.
fn is_block(element: &Element) -> bool {
    if is_about(&element.name) || matches!(&*element.name, "refmeta" | "refnamediv") {
        return true;
    }
    match role(&element.name) {
        Role::Other => {
            // An unknown element that only holds elements is a block if one of them is.
            let has_words = element
                .children
                .iter()
                .any(|child| matches!(child, Node::Text(text) if !text.trim().is_empty()));
            !has_words && element.elements().any(is_block)
        }
        Role::Note | Role::Hidden => false,
        Role::Picture => &*element.name == "mediaobject" || &*element.name == "graphic",
        _ => true,
    }
}

fn flush(page: &mut Writer, line: &mut String, notes: &mut Vec<String>) {
    page.paragraph(&tidy(line));
    line.clear();
    for note in notes.drain(..) {
        page.paragraph(&note);
    }
}

fn block(page: &mut Writer, level: &mut usize, element: &Element, depth: usize) {
    match &*element.name {
        "refmeta" => {
            page.heading(*level, &manual_page(element));
            *level += 1;
            let others = element.elements().filter(|it| &*it.name == "refmiscinfo");
            return page.paragraph(&others.map(spaced).collect::<Vec<_>>().join(", "));
        }
        "refnamediv" => {
            let said = |name: &str| {
                let found = element.elements().filter(|it| &*it.name == name);
                found.map(|it| tidy(&it.text())).collect::<Vec<_>>().join(", ")
            };
            return page.paragraph(&format!("{} – {}", said("refname"), said("refpurpose")));
        }
        name if is_about(name) => return about(page, level, element, depth),
        _ => {}
    }
    match role(&element.name) {
        Role::Title => {
            let mut notes = Vec::new();
            let words = inline(element, &mut notes);
            if matches!(&*element.name, "subtitle" | "titleabbrev") {
                page.paragraph(&tidy(&words));
            } else {
                page.heading(*level, &words);
                // What follows a title is below it.
                *level += 1;
            }
            for note in notes {
                page.paragraph(&note);
            }
        }
        Role::List | Role::NumberedList => list(page, element, 0, depth),
        Role::Terms => terms(page, *level, element, depth),
        Role::Table => table(page, element, *level, depth),
        Role::Code => page.code(element.attribute("language").unwrap_or_default(), &element.text()),
        Role::Picture => page.paragraph(&picture(element)),
        Role::Paragraph if !element.elements().any(is_block) => {
            let mut notes = Vec::new();
            let words =
                if is_spaced(element) { spaced(element) } else { inline(element, &mut notes) };
            page.paragraph(&tidy(&words));
            for note in notes {
                page.paragraph(&note);
            }
        }
        _ => blocks(page, *level, element, depth),
    }
}

/// Returns the name of a manual page with its section: `passwd(5)`.
fn manual_page(element: &Element) -> String {
    let said = |name: &str| element.child(name).map(|it| tidy(&it.text())).unwrap_or_default();
    match (said("refentrytitle"), said("manvolnum")) {
        (title, number) if number.is_empty() => title,
        (title, number) => format!("{title}({number})"),
    }
}

/// Writes what describes a document: its title as a heading, then a paragraph for each of its parts.
fn about(page: &mut Writer, level: &mut usize, element: &Element, depth: usize) {
    let title = described_title(element);
    if let Some(title) = title {
        page.heading(*level, &inline(title, &mut Vec::new()));
        *level += 1;
    }
    if depth > DEEPEST {
        return page.paragraph(&spaced(element));
    }
    let mut open: Vec<&Element> = element.elements().collect();
    open.reverse();
    while let Some(part) = open.pop() {
        if title.is_some_and(|title| std::ptr::eq(title, part)) {
            continue;
        }
        let is_title = |it: &Element| title.is_some_and(|title| std::ptr::eq(title, it));
        let has_parts = part.elements().any(|it| it.elements().next().is_some() || is_title(it));
        let is_person = matches!(
            &*part.name,
            "author" | "editor" | "contrib" | "othercredit" | "copyright" | "revision"
        );
        match role(&part.name) {
            Role::Hidden => {}
            Role::Other if has_parts && !is_person => {
                let before = open.len();
                open.extend(part.elements());
                open[before..].reverse();
            }
            Role::Other => page.paragraph(&spaced(part)),
            _ => block(page, &mut (*level).max(2), part, depth + 1),
        }
    }
}

fn described_title(element: &Element) -> Option<&Element> {
    ["article-title", "title"].iter().find_map(|name| element.all(name).into_iter().next())
}

/// Returns whether an element holds words only in its children, as a reference holds its author and year.
fn is_spaced(element: &Element) -> bool {
    element.elements().count() > 1
        && element.children.iter().all(|child| match child {
            Node::Text(text) => text.trim().is_empty(),
            Node::Element(_) => true,
        })
}

/// Returns the words within, those of neighbouring elements apart.
fn spaced(element: &Element) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut open: Vec<&Node> = element.children.iter().rev().collect();
    while let Some(node) = open.pop() {
        match node {
            Node::Text(text) => parts.push(text.clone()),
            Node::Element(element) if role(&element.name) == Role::Hidden => {}
            Node::Element(element) => open.extend(element.children.iter().rev()),
        }
    }
    tidy(&parts.join(" "))
}

/// Returns the words of a part of a sentence; its footnotes are added to `notes`.
fn inline(element: &Element, notes: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut open: Vec<&Element> = Vec::new();
    inline_within(element, &mut text, notes, &mut open, 0);
    text
}

fn inline_within<'a>(
    element: &'a Element,
    text: &mut String,
    notes: &mut Vec<String>,
    open: &mut Vec<&'a Element>,
    depth: usize,
) {
    match role(&element.name) {
        Role::Hidden => return,
        _ if &*element.name == "citerefentry" => {
            text.push_str(&manual_page(element));
            return;
        }
        Role::Note => {
            let note = spaced(element);
            if !note.is_empty() {
                notes.push(note);
            }
            return;
        }
        Role::Picture => {
            text.push_str(&picture(element));
            return;
        }
        _ => {}
    }
    if depth > DEEPEST {
        text.push_str(&element.text());
        return;
    }
    if matches!(&*element.name, "br" | "lb" | "break" | "sbr" | "pb" | "cb")
        && element.children.is_empty()
    {
        text.push(' ');
    }
    let start = text.len();
    // Children that hold only elements, such as a name's parts, are set apart.
    let apart = is_spaced(element);
    open.push(element);
    for (index, child) in element.children.iter().enumerate() {
        match child {
            Node::Text(part) => text.push_str(part),
            Node::Element(child) => {
                let is_apart = apart || is_block(child);
                if is_apart {
                    text.push(' ');
                }
                let start = text.len();
                inline_within(child, text, notes, open, depth + 1);
                text.push_str(stands_for(child, &element.children).unwrap_or_default());
                lower(child, text, start, &element.children[index + 1..]);
                if is_apart {
                    text.push(' ');
                }
            }
        }
    }
    open.pop();
    if is_raised(element) {
        let said = text.split_off(start);
        text.push_str(&superscript(&said));
    } else if is_struck(element) {
        strike(text, start);
    }
}

/// Returns whether an element strikes its text through, in JATS, TEI, DITA or DocBook.
fn is_struck(element: &Element) -> bool {
    let says = |name: &str| {
        let said = element.attribute(name);
        said.is_some_and(|it| matches!(it, "strike" | "strikethrough" | "line-through"))
    };
    match &*element.name {
        "strike" | "del" | "line-through" => true,
        "hi" | "emphasis" | "phrase" | "ph" => {
            ["rend", "role", "outputclass"].into_iter().any(says)
        }
        _ => false,
    }
}

/// Returns whether an element raises its text.
fn is_raised(element: &Element) -> bool {
    match &*element.name {
        "sup" | "superscript" => true,
        "hi" => matches!(element.attribute("rend"), Some("sup" | "superscript" | "super")),
        _ => false,
    }
}

/// Rewrites what an element says from `start` on if it is lowered and `after` does not leave it plain.
fn lower(element: &Element, text: &mut String, start: usize, after: &[Node]) {
    let is_lowered = match &*element.name {
        "sub" | "subscript" => true,
        "hi" => matches!(element.attribute("rend"), Some("sub" | "subscript")),
        _ => false,
    };
    if !is_lowered {
        return;
    }
    let said = text.split_off(start);
    let next = match after.first() {
        Some(Node::Text(next)) => next.as_str(),
        _ => "",
    };
    let written = subscript(text, &said, next);
    text.push_str(&written);
}

/// Returns the description of a picture.
fn picture(element: &Element) -> String {
    let described = ["alt", "textobject", "caption", "phrase", "desc", "longdesc"];
    let found = described.iter().find_map(|name| {
        element.all(name).into_iter().map(|it| tidy(&it.text())).find(|it| !it.is_empty())
    });
    found.or_else(|| element.attribute("alt").map(tidy)).unwrap_or_default()
}

fn list(page: &mut Writer, element: &Element, inward: usize, depth: usize) {
    let is_numbered = role(&element.name) == Role::NumberedList
        || matches!(element.attribute("list-type"), Some("order" | "arabic"))
        || matches!(
            element.attribute("rend").or(element.attribute("type")),
            Some("ordered" | "numbered")
        );
    let mut number = 0;
    for child in element.elements() {
        match role(&child.name) {
            Role::Title => page.paragraph(&format!("{}:", tidy(&child.text()))),
            Role::Hidden => {}
            Role::List | Role::NumberedList => list(page, child, inward, depth + 1),
            _ => {
                number += 1;
                let mark = if is_numbered { format!("{number}.") } else { "-".to_owned() };
                item(page, child, &mark, inward, depth + 1);
            }
        }
    }
}

/// Writes an item: its first words after the mark, then lists and blocks within it.
fn item(page: &mut Writer, element: &Element, mark: &str, inward: usize, depth: usize) {
    if depth > DEEPEST {
        return page.item(inward, mark, &tidy(&element.text()));
    }
    let mut notes = Vec::new();
    let mut line = String::new();
    let mut is_first = true;
    let mut say = |page: &mut Writer, line: &mut String, notes: &mut Vec<String>| {
        let words = tidy(line);
        line.clear();
        if !words.is_empty() {
            if is_first {
                page.item(inward, mark, &words);
            } else {
                page.paragraph(&words);
            }
            is_first = false;
        }
        for note in notes.drain(..) {
            page.paragraph(&note);
        }
    };
    for (index, child) in element.children.iter().enumerate() {
        match child {
            Node::Text(text) => line.push_str(text),
            Node::Element(child) => match role(&child.name) {
                Role::Paragraph | Role::Title if !child.elements().any(is_block) => {
                    say(page, &mut line, &mut notes);
                    line.push_str(&if is_spaced(child) {
                        spaced(child)
                    } else {
                        inline(child, &mut notes)
                    });
                    say(page, &mut line, &mut notes);
                }
                Role::List | Role::NumberedList => {
                    say(page, &mut line, &mut notes);
                    list(page, child, inward + 1, depth + 1);
                }
                _ if is_block(child) => {
                    say(page, &mut line, &mut notes);
                    block(page, &mut 6, child, depth + 1);
                }
                _ => {
                    let start = line.len();
                    line.push_str(&inline(child, &mut notes));
                    line.push_str(stands_for(child, &element.children).unwrap_or_default());
                    lower(child, &mut line, start, &element.children[index + 1..]);
                }
            },
        }
    }
    say(page, &mut line, &mut notes);
}

/// Writes a list of terms: each term before what it means.
fn terms(page: &mut Writer, level: usize, element: &Element, depth: usize) {
    let mut term = String::new();
    let mut entries: Vec<&Element> = Vec::new();
    for child in element.elements() {
        match &*child.name {
            "varlistentry" | "dlentry" | "def-item" | "glossentry" | "qandaentry" | "qandadiv"
            | "plentry" => {
                entries.extend(child.elements());
            }
            _ => entries.push(child),
        }
    }
    for entry in entries {
        match &*entry.name {
            "term" | "dt" | "glossterm" | "label" | "pt" => {
                let words = tidy(&inline(entry, &mut Vec::new()));
                term = if term.is_empty() { words } else { format!("{term}, {words}") };
            }
            "title" => page.paragraph(&format!("{}:", tidy(&entry.text()))),
            _ => {
                let mut words = tidy(&inline(entry, &mut Vec::new()));
                let is_simple = entry.elements().filter(|it| is_block(it)).count() <= 1
                    && !entry.elements().any(|it| it.elements().any(is_block))
                    && entry
                        .elements()
                        .all(|it| !is_block(it) || role(&it.name) == Role::Paragraph);
                if is_simple {
                    if !term.is_empty() {
                        words = format!("{term}: {words}");
                    }
                    page.item(0, "-", &words);
                } else {
                    if !term.is_empty() {
                        page.item(0, "-", &format!("{term}:"));
                    }
                    blocks(page, level, entry, depth + 1);
                }
                term.clear();
            }
        }
    }
    page.paragraph(&term);
}
