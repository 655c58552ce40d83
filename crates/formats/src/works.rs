//! The works of a bibliography, one section for each, as reference managers show them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Bounds, Format, Parsed, Writer, bibtex, csl, html, ris, tidy};

/// The most fields of a work, and the most paragraphs.
pub(crate) const MOST_FIELDS: usize = 100;

/// A work, as far as its record tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// The type as the record calls it, such as `article`; may be empty.
    pub kind: String,
    /// The key by which manuscripts cite it; may be empty.
    pub key: String,
    pub title: String,
    /// Names to show, first name first.
    pub authors: Vec<String>,
    /// What else to show, with its label, in order.
    pub fields: Vec<(&'static str, String)>,
    pub doi: String,
    pub keywords: Vec<String>,
    /// The abstract; may be empty.
    pub summary: String,
    /// Notes.
    pub paragraphs: Vec<String>,
    /// The files that belong to it: the title, which may be empty, and the path as the record has it.
    pub files: Vec<(String, String)>,
}

impl Work {
    /// Returns the value of a field, the first one.
    pub fn field(&self, label: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| *known == label);
        found.map(|(_, value)| value.as_str())
    }

    /// Adds a file unless its path is blank, an address, or there already.
    pub(crate) fn add_file(&mut self, title: &str, path: &str) {
        let (title, path) = (tidy(title), path.trim());
        let path = path.strip_prefix("file://").unwrap_or(path);
        let is_address = path.contains("://");
        let is_known = self.files.iter().any(|(_, known)| known == path);
        if !(path.is_empty() || is_address || is_known || self.files.len() >= MOST_FIELDS) {
            self.files.push((title, path.to_owned()));
        }
    }

    /// Adds a field unless its value is blank or there already.
    pub(crate) fn add(&mut self, label: &'static str, value: &str) {
        let value = tidy(value);
        let is_known = |known: &(&str, String)| known.0 == label && known.1 == value;
        if !value.is_empty() && self.fields.len() < MOST_FIELDS && !self.fields.iter().any(is_known)
        {
            self.fields.push((label, value));
        }
    }

    fn write(&self, page: &mut Writer) {
        let authors = self.authors.join(", ");
        let title = without_tags(&self.title);
        page.heading(2, if title.trim().is_empty() { &authors } else { &title });
        page.item(0, "-", &labelled("Authors", &authors));
        for (label, value) in &self.fields {
            page.item(0, "-", &labelled(label, value));
        }
        let doi = tidy(&self.doi);
        if !doi.is_empty() {
            page.item(
                0,
                "-",
                &format!("DOI: [{doi}](https://doi.org/{})", doi.replace(' ', "%20")),
            );
        }
        page.item(0, "-", &labelled("Keywords", &self.keywords.join(", ")));
        for paragraph in std::iter::once(&self.summary).chain(&self.paragraphs) {
            page.paragraph(&without_tags(paragraph));
        }
    }
}

/// Returns the works that a bibliography lists: BibTeX, RIS, or the JSON of a reference manager. `None` for anything else.
pub fn read_works(format: Format, bytes: &[u8]) -> Option<Vec<Work>> {
    let text = String::from_utf8_lossy(bytes);
    match format {
        Format::Bibtex => bibtex::read(&text, Bounds::default().text_bytes),
        Format::Ris => Some(ris::read(&text)).filter(|works| !works.is_empty()),
        Format::Json => csl::read(&text),
        _ => None,
    }
}

/// Returns the label and the value, or nothing if the value is blank.
fn labelled(label: &str, value: &str) -> String {
    if value.trim().is_empty() { String::new() } else { format!("{label}: {value}") }
}

/// Returns a text without the tags that publishers and reference managers leave in titles, abstracts and notes.
fn without_tags(text: &str) -> Cow<'_, str> {
    if text.contains("</") { html::words(text).into() } else { text.into() }
}

/// Returns a DOI without the address before it.
pub(crate) fn bare_doi(doi: &str) -> &str {
    let doi = doi.trim();
    match doi.find("10.") {
        Some(at) if doi[..at].to_lowercase().contains("doi") => &doi[at..],
        _ => doi,
    }
}

/// Returns the bibliography as Markdown.
pub(crate) fn written(works: &[Work], bounds: &Bounds) -> Parsed {
    let mut page = Writer::new(bounds.text_bytes);
    for work in works {
        work.write(&mut page);
    }
    let title = match works {
        [] => None,
        [work] => Some(tidy(&work.title)).filter(|title| !title.is_empty()),
        works => Some(format!("Bibliography of {} works", works.len())),
    };
    let metadata = BTreeMap::from([("works".to_owned(), works.len().to_string())]);
    Parsed { title, text: page.finish(), metadata, ..Parsed::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn tags_in_a_title_or_an_abstract_are_not_shown() {
        let work = Work {
            title: "Growth of <i>E. coli</i> at 3 < 4".to_owned(),
            paragraphs: vec![
                "<jats:p>We saw H<sub>2</sub>O.</jats:p><jats:p>So.</jats:p>".to_owned(),
            ],
            ..Work::default()
        };
        let text = written(&[work], &Bounds::default()).text;
        assert_eq!(text, "## Growth of E. coli at 3 < 4\n\nWe saw H2O. So.");
    }
}
