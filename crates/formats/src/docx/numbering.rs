//! The labels of list items, counted as they print.

use std::collections::{HashMap, HashSet};

use crate::numeral::Numeral;
use crate::xml::Element;

/// The levels of a list.
const LEVELS: usize = 9;
/// The most characters of a label, before its numbers are set in.
const LONGEST_LABEL: usize = 80;

/// How the items of lists are labelled, and how far each list has counted.
#[derive(Default)]
pub(super) struct Numbering {
    shapes: HashMap<String, Shape>,
    lists: HashMap<String, List>,
    /// The last number of each level, by shape: lists of one shape go on counting.
    counts: HashMap<String, [Option<u64>; LEVELS]>,
    /// The lists and levels that began with a number of their own.
    begun: HashSet<(String, usize)>,
}

#[derive(Default)]
struct Shape {
    levels: HashMap<usize, Level>,
    /// The level of the paragraphs of a style.
    by_style: HashMap<String, usize>,
    /// The style that gives its name to this shape.
    style: Option<String>,
    /// The style whose shape stands in for this one.
    stands_in: Option<String>,
}

#[derive(Default, Clone)]
struct Level {
    numeral: Option<Numeral>,
    first: u64,
    /// `%1.%2` with the numbers of the levels, counted from 1.
    label: Option<String>,
    /// Whether all numbers are shown as digits.
    legal: bool,
    /// Whether it goes on counting when a level above changes.
    goes_on: bool,
}

#[derive(Default)]
struct List {
    shape: String,
    /// Levels that differ from the shape.
    own: HashMap<usize, Level>,
    /// The numbers that levels begin with, at the list's first item.
    starts: HashMap<usize, u64>,
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
        first: value(level, "start").and_then(|start| start.parse().ok()).unwrap_or(1),
        label: value(level, "lvlText").map(|label| label.chars().take(LONGEST_LABEL).collect()),
        legal: crate::ooxml::is_on(legal),
        goes_on: value(level, "lvlRestart") == Some("0"),
    }
}

impl Numbering {
    pub(super) fn of(part: &Element) -> Self {
        let mut found = Self::default();
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
                if let Some(start) = value(changed, "startOverride").and_then(|it| it.parse().ok())
                {
                    own.starts.insert(depth, start);
                }
            }
            found.lists.insert(id.to_owned(), own);
        }
        found
    }

    /// Returns the level of the paragraphs of a style in a list.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        self.shapes.get(&self.lists.get(list)?.shape)?.by_style.get(style).copied()
    }

    /// Counts one more item of a list and returns its label; empty for bullets.
    pub(super) fn label(&mut self, id: &str, depth: usize) -> String {
        let depth = depth.min(LEVELS - 1);
        let Some(list) = self.lists.get(id) else { return String::new() };
        let shape = self.shapes.get(&list.shape);
        let level = |depth: usize| list.own.get(&depth).or_else(|| shape?.levels.get(&depth));
        let Some(own) = level(depth) else { return String::new() };
        let counts = self.counts.entry(list.shape.clone()).or_default();
        let mut first = own.first;
        if let Some(start) = list.starts.get(&depth)
            && self.begun.insert((id.to_owned(), depth))
        {
            counts[depth] = None;
            first = *start;
        }
        let number = counts[depth].map_or(first, |last| last.saturating_add(1));
        counts[depth] = Some(number);
        // An item restarts the numbering of the levels under it.
        for (below, count) in counts.iter_mut().enumerate().skip(depth + 1) {
            if level(below).is_none_or(|level| !level.goes_on) {
                *count = None;
            }
        }
        let written = |depth: usize| {
            let level = level(depth)?;
            let numeral = if own.legal { Numeral::Decimal } else { level.numeral? };
            Some(numeral.write(counts[depth].unwrap_or(level.first)))
        };
        let Some(label) = &own.label else {
            return written(depth).map(|number| format!("{number}.")).unwrap_or_default();
        };
        // A bullet is a sign of a font of symbols.
        let bullet = own.numeral.is_none() && !label.contains('%');
        let letters = label.chars().filter(|it| it.is_alphabetic()).count();
        if bullet && letters < 2 {
            return String::new();
        }
        let mut shown = String::new();
        let mut signs = label.chars().peekable();
        while let Some(sign) = signs.next() {
            let digit = signs.peek().and_then(|it| it.to_digit(10)).filter(|_| sign == '%');
            match digit.and_then(|digit| (digit as usize).checked_sub(1)) {
                Some(depth) if depth < LEVELS => {
                    signs.next();
                    shown.push_str(&written(depth).unwrap_or_default());
                }
                _ => shown.push(sign),
            }
        }
        shown
    }
}
