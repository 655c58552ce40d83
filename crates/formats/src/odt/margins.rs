//! The headers and footers of the pages of an OpenDocument text.

use std::collections::HashSet;

use crate::margins::{Margins, Part};
use crate::xml::{Element, Node};

/// The usual page.
const STANDARD: &str = "Standard";

/// Returns the headers and footers of the pages that the text uses.
pub(super) fn read(parts: &[Element]) -> Margins {
    let masters = parts.iter().filter_map(|part| part.child("master-styles"));
    let masters: Vec<&Element> =
        masters.flat_map(Element::elements).filter(|it| &*it.name == "master-page").collect();
    let named = |master: &Element| master.attribute("name").unwrap_or_default().to_owned();
    let styles = parts.first().and_then(|content| content.child("automatic-styles"));
    let styles = styles.into_iter().flat_map(Element::elements);
    let mut used: HashSet<String> =
        styles.filter_map(|it| it.attribute("master-page-name")).map(str::to_owned).collect();
    let usual = masters.iter().find(|it| named(it) == STANDARD).or(masters.first());
    used.extend(usual.map(|master| named(master)));
    // A page may be followed by another kind.
    let next = masters.iter().filter(|it| used.contains(&named(it)));
    let next: Vec<String> =
        next.filter_map(|it| it.attribute("next-style-name")).map(str::to_owned).collect();
    used.extend(next);
    let mut found = Margins::default();
    for master in masters.into_iter().filter(|it| used.contains(&named(it))) {
        for margin in master.elements() {
            let kind = match &*margin.name {
                "header" | "header-first" => "Header",
                "footer" | "footer-first" => "Footer",
                _ => continue,
            };
            if margin.attribute("display") != Some("false") {
                let mut said = Vec::new();
                read_parts(margin, &mut said);
                found.add(kind, &said);
            }
        }
    }
    found
}

fn read_parts(parent: &Element, parts: &mut Vec<Part>) {
    for node in &parent.children {
        let element = match node {
            Node::Text(text) => {
                if let Some(last) = parts.last_mut() {
                    last.words.push_str(text);
                }
                continue;
            }
            Node::Element(element) => element,
        };
        match &*element.name {
            "page-number" | "page-count" => {
                if let Some(last) = parts.last_mut() {
                    last.is_numbered = true;
                }
            }
            "s" => {
                if let Some(last) = parts.last_mut() {
                    last.words.push(' ');
                }
            }
            "annotation" | "desc" | "tracked-changes" | "hidden-text" | "script"
            | "event-listeners" => {}
            "p" | "h" | "tab" | "line-break" => {
                parts.push(Part::default());
                read_parts(element, parts);
            }
            _ => read_parts(element, parts),
        }
    }
}
