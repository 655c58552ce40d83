//! Reads how the lists of a DOCX are labelled.

use std::collections::HashMap;

use crate::numbering::{Level, List, Numbering, Shape};
use crate::numeral::Numeral;
use crate::ooxml::is_on;
use crate::xml::Element;

/// The most characters of a label, before its numbers are set in.
const LONGEST_LABEL: usize = 80;

/// Returns how the lists of a numbering part are labelled.
pub(super) fn lists(part: &Element) -> Numbering {
    let mut found = Numbering::default();
    for shape in part.elements().filter(|it| &*it.name == "abstractNum") {
        let Some(id) = shape.attribute("abstractNumId") else { continue };
        let mut own = Shape {
            style: value(shape, "styleLink").map(str::to_owned),
            stands_in: value(shape, "numStyleLink").map(str::to_owned),
            ..Shape::default()
        };
        for level in shape.elements().filter(|it| &*it.name == "lvl") {
            let depth = depth_of(level);
            own.levels.insert(depth, level_of(level));
            if let Some(style) = value(level, "pStyle") {
                own.by_style.insert(style.to_owned(), depth);
            }
        }
        found.shapes.insert(id.to_owned(), own);
    }
    let named = found.shapes.iter();
    let named = named.filter_map(|(id, shape)| Some((shape.style.clone()?, id.clone())));
    let named: HashMap<String, String> = named.collect();
    for list in part.elements().filter(|it| &*it.name == "num") {
        let (Some(id), Some(shape)) = (list.attribute("numId"), value(list, "abstractNumId"))
        else {
            continue;
        };
        let linked = found.shapes.get(shape).and_then(|it| named.get(it.stands_in.as_ref()?));
        let shape = linked.map_or(shape, String::as_str).to_owned();
        let mut own = List { shape, ..List::default() };
        for changed in list.elements().filter(|it| &*it.name == "lvlOverride") {
            let depth = depth_of(changed);
            if let Some(level) = changed.child("lvl") {
                own.own.insert(depth, level_of(level));
            }
            if let Some(start) = value(changed, "startOverride").and_then(|it| it.parse().ok()) {
                own.starts.insert(depth, start);
            }
        }
        found.lists.insert(id.to_owned(), own);
    }
    found
}

fn value<'a>(parent: &'a Element, name: &str) -> Option<&'a str> {
    parent.child(name)?.attribute("val")
}

fn depth_of(level: &Element) -> usize {
    level.attribute("ilvl").and_then(|depth| depth.parse().ok()).unwrap_or(0)
}

fn level_of(level: &Element) -> Level {
    let legal = level.child("isLgl");
    Level {
        numeral: Numeral::of_word(value(level, "numFmt").unwrap_or("decimal")),
        first: value(level, "start").and_then(|start| start.parse().ok()).unwrap_or(0),
        label: value(level, "lvlText").map(|label| label.chars().take(LONGEST_LABEL).collect()),
        legal: is_on(legal),
        goes_on: value(level, "lvlRestart") == Some("0"),
    }
}
