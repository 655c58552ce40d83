//! Reads how the lists of an RTF are labelled.

use crate::numbering::{Level, List, Numbering, Shape};
use crate::numeral::Numeral;

/// The levels of a list.
const LEVELS: usize = 9;

/// The lists so far and the one being read.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) numbering: Numbering,
    levels: Vec<Level>,
    /// The list that paragraphs are being given, and the numbers that its levels begin with.
    id: i32,
    starts: Vec<Option<u64>>,
}

impl Lists {
    /// Follows a word in the table of lists.
    pub(super) fn word(&mut self, name: &str, value: i32) {
        let number = u64::try_from(value).unwrap_or(0);
        match name {
            "list" => self.levels.clear(),
            "listlevel" if self.levels.len() < LEVELS => {
                self.levels.push(Level { numeral: Some(Numeral::Decimal), ..Level::default() });
            }
            "levelnfc" | "levelnfcn" => {
                if let Some(level) = self.levels.last_mut() {
                    level.numeral = numeral(value);
                }
            }
            "levelstartat" => {
                if let Some(level) = self.levels.last_mut() {
                    level.first = number;
                }
            }
            "levellegal" => {
                if let Some(level) = self.levels.last_mut() {
                    level.legal = value != 0;
                }
            }
            "listid" => {
                let levels = std::mem::take(&mut self.levels).into_iter().enumerate().collect();
                self.numbering
                    .shapes
                    .insert(value.to_string(), Shape { levels, ..Shape::default() });
            }
            _ => {}
        }
    }

    /// Sets the label of the open level: its length, then its characters, of which those below 9 stand for the numbers of levels.
    pub(super) fn label(&mut self, said: &str) {
        let mut signs = said.chars();
        let length = signs.next().map_or(0, |length| length as usize);
        let mut label = String::new();
        for sign in signs.take(length.min(80)) {
            match u8::try_from(sign) {
                Ok(depth) if usize::from(depth) < LEVELS => {
                    label.push('%');
                    label.push(char::from(b'1' + depth));
                }
                _ => label.push(sign),
            }
        }
        if let Some(level) = self.levels.last_mut() {
            level.label = Some(label);
        }
    }

    /// Follows a word in the table of the paragraphs' lists.
    pub(super) fn override_word(&mut self, name: &str, value: i32) {
        match name {
            "listoverride" => self.starts.clear(),
            "listid" => self.id = value,
            "lfolevel" if self.starts.len() < LEVELS => self.starts.push(None),
            "levelstartat" => {
                if let Some(start) = self.starts.last_mut() {
                    *start = u64::try_from(value).ok();
                }
            }
            "ls" => {
                let starts = self.starts.iter().enumerate();
                let starts = starts.filter_map(|(depth, start)| Some((depth, (*start)?)));
                let list = List {
                    shape: self.id.to_string(),
                    starts: starts.collect(),
                    ..List::default()
                };
                self.numbering.lists.insert(value.to_string(), list);
            }
            _ => {}
        }
    }
}

fn numeral(kind: i32) -> Option<Numeral> {
    match kind {
        1 => Some(Numeral::UpperRoman),
        2 => Some(Numeral::LowerRoman),
        3 => Some(Numeral::UpperLetter),
        4 => Some(Numeral::LowerLetter),
        5 => Some(Numeral::Ordinal),
        22 => Some(Numeral::Padded),
        23 | 255 => None,
        _ => Some(Numeral::Decimal),
    }
}
