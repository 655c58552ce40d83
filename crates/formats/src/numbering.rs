//! The labels of list items in the files of Office, counted as they print.

use std::collections::{HashMap, HashSet};

use crate::numeral::Numeral;

/// The levels of a list.
const LEVELS: usize = 9;

/// How the items of lists are labelled, and how far each list has counted.
#[derive(Default)]
pub(crate) struct Numbering {
    pub(crate) shapes: HashMap<String, Shape>,
    pub(crate) lists: HashMap<String, List>,
    /// The last number of each level, by shape: lists of one shape go on counting.
    counts: HashMap<String, [Option<u64>; LEVELS]>,
    /// The lists and levels that began with a number of their own.
    begun: HashSet<(String, usize)>,
}

#[derive(Default)]
pub(crate) struct Shape {
    pub(crate) levels: HashMap<usize, Level>,
    /// The level of the paragraphs of a style.
    pub(crate) by_style: HashMap<String, usize>,
    /// The style that gives its name to this shape.
    pub(crate) style: Option<String>,
    /// The style whose shape stands in for this one.
    pub(crate) stands_in: Option<String>,
}

#[derive(Default, Clone)]
pub(crate) struct Level {
    pub(crate) numeral: Option<Numeral>,
    pub(crate) first: u64,
    /// `%1.%2` with the numbers of the levels, counted from 1.
    pub(crate) label: Option<String>,
    /// Whether all numbers are shown as digits.
    pub(crate) legal: bool,
    /// Whether it goes on counting when a level above changes.
    pub(crate) goes_on: bool,
}

#[derive(Default)]
pub(crate) struct List {
    pub(crate) shape: String,
    /// Levels that differ from the shape.
    pub(crate) own: HashMap<usize, Level>,
    /// The numbers that levels begin with, at the list's first item.
    pub(crate) starts: HashMap<usize, u64>,
}

impl Numbering {
    /// Returns the level of the paragraphs of a style in a list.
    pub(crate) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        self.shapes.get(&self.lists.get(list)?.shape)?.by_style.get(style).copied()
    }

    /// Counts one more item of a list and returns its label; empty for bullets.
    pub(crate) fn label(&mut self, id: &str, depth: usize) -> String {
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
