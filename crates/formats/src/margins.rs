//! The headers and footers of pages, which are said once, after the text.
//!
//! Each is a line such as `Header: ACME Ltd; Draft 3`. It has no heading, because a heading would name a document that has no other.
//! Page numbers and the words around them are left out.

use std::collections::HashSet;

use crate::Writer;
use crate::writer::tidy;

/// The most headers and footers that are kept, and the most characters of one.
const MOST: usize = 20;
const LONGEST: usize = 2_000;
/// The most words, and the most letters of each, that belong to the number of a page: `Page 3 of 7`.
const NUMBER_WORDS: usize = 2;
const NUMBER_LETTERS: usize = 8;

/// A part of a header or footer: what stands between tabs, or in a paragraph or cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) words: String,
    /// Whether the number of the page stands in it.
    pub(crate) is_numbered: bool,
}

impl Part {
    fn says_something(&self) -> bool {
        let mut words = self.words.split(|c: char| !c.is_alphabetic()).filter(|it| !it.is_empty());
        if self.is_numbered {
            let is_short = |word: &str| word.chars().count() <= NUMBER_LETTERS;
            let count = words.clone().count();
            return count > NUMBER_WORDS || !words.all(is_short);
        }
        // A number alone is that of a page, a longer one a date or a telephone's.
        words.next().is_some() || self.words.bytes().filter(u8::is_ascii_digit).count() > 4
    }
}

/// The headers and footers of a document.
#[derive(Debug, Default)]
pub(crate) struct Margins {
    lines: Vec<String>,
    seen: HashSet<String>,
}

impl Margins {
    /// Adds a header or footer, unless one says the same; `kind` is `Header` or `Footer`.
    pub(crate) fn add(&mut self, kind: &str, parts: &[Part]) {
        let said = parts.iter().filter(|part| part.says_something());
        let said: Vec<String> = said.map(|part| tidy(&part.words)).collect();
        let line: String = said.join("; ").chars().take(LONGEST).collect();
        if !line.is_empty() && self.lines.len() < MOST && self.seen.insert(line.clone()) {
            self.lines.push(format!("{kind}: {line}"));
        }
    }

    /// Writes them after the text.
    pub(crate) fn write(&self, text: &mut Writer) {
        for line in &self.lines {
            text.paragraph(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_header_is_said_once_and_page_numbers_never() {
        let part = |words: &str, is_numbered| Part { words: words.to_owned(), is_numbered };
        let mut margins = Margins::default();
        margins.add("Header", &[part("ACME  Ltd", false), part("Page  of ", true)]);
        margins.add("Header", &[part("ACME Ltd", false)]);
        margins.add("Footer", &[part(" - 3 - ", false), part("Seite ", true), part("", false)]);
        margins.add("Footer", &[part("Report of the tea commission, page ", true)]);
        margins.add("Footer", &[part("12.03.2026", false)]);
        let mut text = Writer::new(1000);
        margins.write(&mut text);
        assert_eq!(
            text.finish(),
            "Header: ACME Ltd\n\nFooter: Report of the tea commission, page\n\nFooter: 12.03.2026"
        );
    }
}
