//! The labels of list items and headings, counted as they print.

use crate::numeral::Numeral;
use crate::xml::Element;

/// The deepest level that is counted.
const LEVELS: usize = 10;
/// The most characters before or after a number.
const LONGEST_AFFIX: usize = 40;

/// How the levels of a list are labelled.
#[derive(Default)]
pub(super) struct ListStyle {
    levels: Vec<Level>,
}

#[derive(Default, Clone)]
struct Level {
    /// `None` for bullets and for levels without a label.
    numeral: Option<Numeral>,
    prefix: String,
    suffix: String,
    first: u64,
    /// How many levels the label shows.
    shown: usize,
}

impl ListStyle {
    pub(super) fn of(style: &Element) -> Self {
        let mut levels = vec![Level::default(); LEVELS];
        for level in style.elements() {
            let depth = level.attribute("level").and_then(|depth| depth.parse::<usize>().ok());
            let depth = depth.and_then(|depth| depth.checked_sub(1));
            let Some(own) = depth.and_then(|depth| levels.get_mut(depth)) else { continue };
            let sync = level.attribute("num-letter-sync") == Some("true");
            let said = |name: &str| -> String {
                level.attribute(name).unwrap_or_default().chars().take(LONGEST_AFFIX).collect()
            };
            let number = |name: &str| level.attribute(name).and_then(|it| it.parse().ok());
            *own = Level {
                numeral: match level.attribute("num-format").unwrap_or_default() {
                    "" => None,
                    "i" => Some(Numeral::LowerRoman),
                    "I" => Some(Numeral::UpperRoman),
                    "a" if sync => Some(Numeral::LowerLetter),
                    "A" if sync => Some(Numeral::UpperLetter),
                    "a" => Some(Numeral::LowerColumn),
                    "A" => Some(Numeral::UpperColumn),
                    _ => Some(Numeral::Decimal),
                },
                prefix: said("num-prefix"),
                suffix: said("num-suffix"),
                first: number("start-value").unwrap_or(1),
                shown: level
                    .attribute("display-levels")
                    .and_then(|shown| shown.parse().ok())
                    .unwrap_or(1),
            };
        }
        Self { levels }
    }

    fn level(&self, depth: usize) -> Option<&Level> {
        self.levels.get(depth.min(LEVELS - 1))
    }
}

/// The last number of each level.
#[derive(Default, Clone)]
pub(super) struct Counter {
    counts: Vec<Option<u64>>,
}

impl Counter {
    /// Counts one more item at `depth`, 0 for the outermost, and returns its label; empty for a bullet or no label.
    pub(super) fn label(&mut self, style: &ListStyle, depth: usize, set: Option<u64>) -> String {
        let depth = depth.min(LEVELS - 1);
        // An item restarts the numbering of the levels under it.
        self.counts.resize(depth + 1, None);
        let Some(level) = style.level(depth) else { return String::new() };
        let next = self.counts[depth].map_or(level.first, |last| last.saturating_add(1));
        let own = set.unwrap_or(next);
        self.counts[depth] = Some(own);
        let Some(numeral) = level.numeral else { return String::new() };
        let from = (depth + 1).saturating_sub(level.shown.max(1));
        let mut parts = Vec::new();
        for (above, count) in self.counts.iter().enumerate().take(depth).skip(from) {
            let Some(level) = style.level(above) else { continue };
            let first = count.unwrap_or(level.first);
            parts.extend(level.numeral.map(|numeral| numeral.write(first)));
        }
        parts.push(numeral.write(own));
        format!("{}{}{}", level.prefix, parts.join("."), level.suffix)
    }
}
