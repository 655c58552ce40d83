//! Plain text: the few lines that are certainly its title and headings.

use std::ops::Range;

use crate::document::{Heading, Section, cut_sections, one_line, trimmed};

/// The maximum length of a heading, in characters.
const HEADING_CHARACTERS: usize = 80;
/// The maximum length of a title, in characters.
const TITLE_CHARACTERS: usize = 120;

/// What ends sentences in scripts that have no capitals. Sentences may follow each other there without a space.
const FOREIGN_STOPS: [char; 6] = ['。', '．', '｡', '।', '۔', '։'];

/// Returns the title of a plain text, or `otherwise` if none is found, and its sections.
///
/// A heading is an underlined line, or a line between blank lines that is in capitals or numbered (`2.1 Sample`).
pub(crate) fn outline(text: &str, otherwise: &str) -> (String, Vec<Section>) {
    let lines = split_lines(text);
    let first = lines.iter().position(|line| !line.is_empty());
    let title = first.filter(|index| title(text, &lines, *index));
    let title = title.map_or(otherwise.to_owned(), |index| one_line(&text[lines[index].clone()]));
    let found: Vec<Heading> =
        (0..lines.len()).filter_map(|index| heading(text, &lines, index)).collect();
    let sections = cut_sections(text, 0..text.len(), &title, &found);
    (title, sections)
}

/// Returns the lines of `text` without surrounding white space; a blank line is empty.
fn split_lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        found.push(trimmed(text, at..at + line.len()));
        at += line.len();
    }
    found
}

fn title(text: &str, lines: &[Range<usize>], index: usize) -> bool {
    let line = &text[lines[index].clone()];
    let alone = lines.get(index + 1).is_none_or(|next| next.is_empty());
    let short = line.len() <= TITLE_CHARACTERS * 4 && line.chars().count() <= TITLE_CHARACTERS;
    short
        && line.contains(char::is_alphabetic)
        && !line.ends_with(['.', ',', ';', ':'])
        && !line.contains(FOREIGN_STOPS)
        && !line.contains("://")
        && (alone || underline(text, lines, index).is_some())
}

fn heading(text: &str, lines: &[Range<usize>], index: usize) -> Option<Heading> {
    let range = &lines[index];
    let line = &text[range.clone()];
    let short = line.len() <= HEADING_CHARACTERS * 4 && line.chars().count() <= HEADING_CHARACTERS;
    let blank = |index: Option<usize>| {
        index.and_then(|index| lines.get(index)).is_none_or(|line| line.is_empty())
    };
    if line.is_empty() || !short || !blank(index.checked_sub(1)) {
        return None;
    }
    let heading =
        |level, end| Some(Heading { level, start: range.start, end, text: one_line(line) });
    if let Some(mark) = underline(text, lines, index) {
        return heading(if mark == '=' { 1 } else { 2 }, lines[index + 1].end);
    }
    let ends = line.ends_with(['.', ',', ';', ':', '?', '!']);
    if ends || line.contains(FOREIGN_STOPS) || !blank(Some(index + 1)) {
        return None;
    }
    if let Some(level) = numbered(line) {
        return heading(level, range.end);
    }
    if capitals(line) { heading(1, range.end) } else { None }
}

/// Returns the character that underlines the line at `index`, if the next line is nothing but an underline.
fn underline(text: &str, lines: &[Range<usize>], index: usize) -> Option<char> {
    let line = &text[lines[index].clone()];
    let under = &text[lines.get(index + 1)?.clone()];
    let mark = under.chars().next().filter(|c| "=-~".contains(*c))?;
    let long = under.len() >= 3 && under.len() * 2 >= line.chars().count();
    (long && under.chars().all(|c| c == mark) && line.contains(char::is_alphanumeric))
        .then_some(mark)
}

/// Returns the level of a heading such as `2.1 Sample`, 2 here.
pub(crate) fn numbered(line: &str) -> Option<usize> {
    let (number, name) = line.split_once(char::is_whitespace)?;
    let parts: Vec<&str> = number.strip_suffix('.').unwrap_or(number).split('.').collect();
    let digits =
        |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    let named = name.trim_start().starts_with(char::is_uppercase);
    (named && parts.len() <= 6 && parts.iter().all(digits)).then_some(parts.len())
}

pub(crate) fn capitals(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 4 && line.chars().all(|c| !c.is_alphabetic() || c.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let (_, sections) = outline(text, "stem");
        sections.iter().map(|section| section.path.join(" > ")).collect()
    }

    // proves: A6
    #[test]
    fn underlined_numbered_and_capital_lines_are_headings() {
        let text = "The tea study\r\n\r\nSome words.\r\n\r\nMethod\r\n======\r\n\r\nWe asked.\r\n\r\n1. Sample\r\n\r\nAdults.\r\n\r\n1.1 Weights\r\n\r\nRaked.\r\n\r\nRESULTS\r\n\r\nTea.";
        assert_eq!(
            paths(text),
            [
                "The tea study",
                "The tea study > Method",
                "The tea study > 1. Sample",
                "The tea study > 1. Sample > 1.1 Weights",
                "The tea study > RESULTS"
            ]
        );
    }

    #[test]
    fn ordinary_lines_are_no_headings() {
        let text = "We asked 1,204 adults about tea.\n\n1. Buy milk.\n2. Drink it\n\nTHIS IS SHOUTED.\n\n2024 Was a good year\n\nNASA\nand others";
        assert_eq!(paths(text), ["stem"]);
        assert_eq!(paths("灯塔建于1872年。灯塔高三十二米。"), ["stem"]);
    }
}
