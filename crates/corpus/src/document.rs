//! What a file becomes: a text, the positions of its sections, and its metadata.

use std::collections::BTreeMap;
use std::ops::Range;

use formats::Format;
use papers::Paper;
use serde::{Deserialize, Serialize};

use crate::read::ReadError;

/// A file as text, with its sections and metadata.
///
/// The text of a plain or Markdown file is the file's own; that of any other is its content as Markdown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub format: Format,
    pub title: String,
    pub text: String,
    /// In text order, without overlaps. Together they cover everything except white space and front matter.
    pub sections: Vec<Section>,
    /// All pages in order, including those without text; empty if the format has no pages of its own.
    #[serde(default)]
    pub pages: Vec<Page>,
    /// What the file says about itself (`author`, `company`, `published`, …) and how it was read (`encoding`, `named`).
    pub metadata: BTreeMap<String, String>,
    /// The work that a fetched document says it is; `None` for a file.
    #[serde(default)]
    pub work: Option<Box<Paper>>,
    /// The files within: attachments, members of an archive. A document with some may have no text of its own.
    #[serde(default)]
    pub inner: Vec<Inner>,
}

/// A file within a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    /// Its path within, parts joined with `/`.
    pub name: String,
    pub file_sha256: String,
    pub document: Result<Document, ReadError>,
}

impl Document {
    /// Returns a document without pages.
    pub(crate) fn new(
        format: Format,
        title: String,
        text: String,
        sections: Vec<Section>,
        metadata: BTreeMap<String, String>,
    ) -> Document {
        let (pages, inner) = (Vec::new(), Vec::new());
        Document { format, title, text, sections, pages, metadata, work: None, inner }
    }

    /// Gives the document another title, which then heads the paths of its sections.
    pub(crate) fn retitle(&mut self, title: &str) {
        let title = one_line(title);
        if title.is_empty() || title == self.title {
            return;
        }
        for Section { path, .. } in &mut self.sections {
            if let Some(first) = path.first_mut() {
                first.clone_from(&title);
            }
            // A heading that repeats the title adds nothing to the path.
            if path.get(1) == Some(&title) {
                path.remove(1);
            }
        }
        self.title = title;
    }

    /// Returns the pages that the bytes `range` of the text stand on; the first is the one that holds its start.
    ///
    /// Empty if the format has no pages. An empty range stands on one page.
    pub fn pages_of(&self, range: Range<usize>) -> Vec<Page> {
        let first = self.pages.partition_point(|page| page.start <= range.start).saturating_sub(1);
        let ends = self.pages.iter().skip(1).map(|next| next.start).chain([self.text.len()]);
        let pages = self.pages.iter().zip(ends).enumerate().skip(first);
        pages
            .take_while(|(index, (page, _))| *index == first || page.start < range.end)
            .filter(|(index, (page, end))| *index == first || page.start < *end)
            .map(|(_, (page, _))| *page)
            .collect()
    }
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Counted from 1, whatever is printed on the page.
    pub number: u32,
    /// In bytes of the document's text; a page without text starts where the next one does.
    pub start: usize,
}

/// A stretch of the text under one heading, including the heading's own line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The document's title, then the headings down to this section.
    pub path: Vec<String>,
    /// Where it begins, in bytes of the document's text.
    pub start: usize,
    /// Where it ends, in bytes of the document's text.
    pub end: usize,
}

/// A heading, as found by the reader of some format.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// 1 for the highest.
    pub(crate) level: usize,
    /// Where its line begins.
    pub(crate) start: usize,
    /// Where the text under it begins, at the latest at the next heading's start.
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// Returns the sections that `headings` cut out of `body`, a part of `text`.
///
/// A heading directly followed by a deeper one starts that one's section, so no section is a bare heading only because another
/// follows. A heading that repeats the title adds nothing to the path.
pub(crate) fn cut_sections(
    text: &str,
    body: Range<usize>,
    title: &str,
    headings: &[Heading],
) -> Vec<Section> {
    let mut found = Vec::new();
    let mut above: Vec<&Heading> = Vec::new();
    let mut start = headings.first().map_or(body.end, |heading| heading.start);
    push(&mut found, text, body.start..start, title, &above);
    for (index, heading) in headings.iter().enumerate() {
        let next = headings.get(index + 1);
        let end = next.map_or(body.end, |next| next.start);
        above.retain(|open| open.level < heading.level);
        above.push(heading);
        let bare = text[heading.end..end].trim().is_empty();
        if bare && next.is_some_and(|next| next.level > heading.level) {
            continue;
        }
        push(&mut found, text, start..end, title, &above);
        start = end;
    }
    found
}

fn push(
    found: &mut Vec<Section>,
    text: &str,
    range: Range<usize>,
    title: &str,
    above: &[&Heading],
) {
    let Range { start, end } = trimmed(text, range);
    if start == end {
        return;
    }
    let headings = above.iter().map(|heading| heading.text.as_str());
    let headings = headings.filter(|text| !text.is_empty() && *text != title);
    let path = std::iter::once(title).chain(headings).map(str::to_owned).collect();
    found.push(Section { path, start, end });
}

/// Returns `range` without the white space at its ends.
pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// Returns `text` on one line, cut to the maximum length of a heading.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(LONGEST_LINE));
        if line.len() > LONGEST_LINE {
            break;
        }
    }
    line.truncate(line.floor_char_boundary(LONGEST_LINE));
    line
}

const LONGEST_LINE: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(text: &str, level: usize, line: &str) -> Heading {
        let start = text.find(line).expect("the line stands in the text");
        let name = line.trim_start_matches(['#', ' ']).to_owned();
        Heading { level, start, end: start + line.len(), text: name }
    }

    // proves: A6
    #[test]
    fn a_bare_heading_opens_the_section_of_the_deeper_one_that_follows() {
        let text = "before\n# A\n## B\nunder b\n# C\n# D\nunder d";
        let lines = [(1, "# A"), (2, "## B"), (1, "# C"), (1, "# D")];
        let headings = lines.map(|(level, line)| heading(text, level, line));
        let found: Vec<_> = cut_sections(text, 0..text.len(), "T", &headings)
            .into_iter()
            .map(|section| (section.path.join("/"), text[section.start..section.end].to_owned()))
            .collect();
        let expected = [
            ("T", "before"),
            ("T/A/B", "# A\n## B\nunder b"),
            ("T/C", "# C"),
            ("T/D", "# D\nunder d"),
        ];
        assert_eq!(found, expected.map(|(path, part)| (path.to_owned(), part.to_owned())));
    }

    // proves: A6
    #[test]
    fn a_range_names_the_pages_it_stands_on() {
        let page = |number, start| Page { number, start };
        let document = Document {
            format: Format::Pdf,
            title: "T".to_owned(),
            text: "first page, third page, fourth".to_owned(),
            sections: Vec::new(),
            pages: vec![page(1, 0), page(2, 12), page(3, 12), page(4, 24)],
            metadata: BTreeMap::new(),
            work: None,
            inner: Vec::new(),
        };
        let numbers = |range: Range<usize>| -> Vec<u32> {
            document.pages_of(range).iter().map(|page| page.number).collect()
        };
        assert_eq!(numbers(0..12), [1]);
        assert_eq!(numbers(6..13), [1, 3]);
        assert_eq!(numbers(12..12), [3]);
        assert_eq!(numbers(0..30), [1, 3, 4]);
        assert_eq!(numbers(29..30), [4]);
        let plain = Document { pages: Vec::new(), ..document.clone() };
        assert!(plain.pages_of(0..3).is_empty());
    }

    // proves: A6
    #[test]
    fn another_title_stands_above_all_sections_and_only_once() {
        let section = |path: &[&str]| Section {
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            start: 0,
            end: 1,
        };
        let sections =
            vec![section(&["2005"]), section(&["2005", "Tea"]), section(&["2005", "End"])];
        let known = ("2005".to_owned(), "x".to_owned(), BTreeMap::new());
        let mut document = Document::new(Format::Pdf, known.0, known.1, sections, known.2);
        document.retitle(" ");
        assert_eq!(document.title, "2005");
        document.retitle(" Tea\n");
        assert_eq!(document.title, "Tea");
        assert_eq!(
            document.sections,
            [section(&["Tea"]), section(&["Tea"]), section(&["Tea", "End"])]
        );
    }

    #[test]
    fn a_heading_of_any_length_fits_on_a_line() {
        assert_eq!(one_line(" a \n b\t"), "a b");
        assert!(one_line(&"é".repeat(1_000_000)).len() <= LONGEST_LINE);
    }
}
