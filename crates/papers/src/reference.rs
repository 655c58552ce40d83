//! A work in somebody's library: what is known of it, what they wrote about it, and its files.

use std::path::PathBuf;

use crate::{Author, Paper};

/// A work in a reference manager's library, or in a bibliography that it exported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// Its key in the library; it stays when the work is edited.
    pub key: String,
    /// The key by which manuscripts cite it.
    pub citation_key: Option<String>,
    /// The type as the library calls it: `journalArticle`, `book`.
    pub item_type: String,
    /// The work, with its abstract as plain text.
    pub paper: Paper,
    /// What else to show of it: a label and a value each.
    pub details: Vec<(String, String)>,
    /// The group that shares the library; `None` for a library of one's own.
    pub group: Option<String>,
    pub tags: Vec<String>,
    /// Each with the collections around it: `Thesis/Chapter 2`.
    pub collections: Vec<String>,
    /// Notes as HTML.
    pub notes: Vec<String>,
    /// What was marked or remarked in its files.
    pub highlights: Vec<Highlight>,
    pub files: Vec<AttachedFile>,
}

/// A passage that a reader marked, a remark, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlight {
    /// The file's title or name.
    pub file: String,
    /// As printed, such as `12` or `iv`; may be empty.
    pub page: String,
    /// The marked words; empty for a remark beside the text.
    pub text: String,
    pub comment: String,
}

/// A file that belongs to a work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// Its key in the library.
    pub key: String,
    pub path: PathBuf,
    /// Why it cannot be read, if that is known. Its path is then a name and no place.
    pub problem: Option<String>,
    /// As the library calls it; may be empty.
    pub title: String,
    pub tags: Vec<String>,
}

impl Reference {
    /// Returns how a reader would refer to the work: `Smith 2021`, `Smith & Lee 2021`, `Smith et al. 2021`; without authors, its title.
    pub fn short_name(&self) -> String {
        let Paper { authors, editors, title, .. } = &self.paper;
        let names = if authors.is_empty() { editors } else { authors };
        let who = match names.as_slice() {
            [] => cut(title, 40),
            [one] => family(one),
            [one, other] => format!("{} & {}", family(one), family(other)),
            [first, ..] => format!("{} et al.", family(first)),
        };
        match self.paper.year() {
            Some(year) if who.is_empty() => year.to_string(),
            Some(year) => format!("{who} {year}"),
            None => who,
        }
    }

    /// Returns a title that names the work and who wrote it when: `Smith 2021: Tea and sleep`.
    pub fn full_name(&self) -> String {
        let title = self.paper.title.trim();
        let is_anonymous = self.paper.authors.is_empty() && self.paper.editors.is_empty();
        match self.paper.year() {
            _ if title.is_empty() => self.short_name(),
            Some(year) if is_anonymous => format!("{title} ({year})"),
            None if is_anonymous => title.to_owned(),
            _ => format!("{}: {title}", self.short_name()),
        }
    }
}

fn family(author: &Author) -> String {
    match author {
        Author::Person { family, .. } => cut(family, 60),
        Author::Named { name } => cut(name, 60),
    }
}

/// Returns about the first `most` characters of a text, up to the end of a word.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let start = &text[..end];
    let whole = start.rsplit_once(' ').map_or(start, |(words, _)| words);
    format!("{}…", whole.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Date;

    // proves: A6
    #[test]
    fn a_work_is_called_by_its_authors_and_its_year() {
        let reference = |authors: &[&str], year: i64, title: &str| Reference {
            paper: Paper {
                title: title.to_owned(),
                authors: authors.iter().filter_map(|name| crate::author(name)).collect(),
                published: Date::of_parts(&[year]),
                ..Paper::default()
            },
            ..Reference::default()
        };
        for (authors, year, short, full) in [
            (&["Ann Smith"][..], 2021, "Smith 2021", "Smith 2021: Tea"),
            (&["Ann Smith", "Lee, Bo"], 2021, "Smith & Lee 2021", "Smith & Lee 2021: Tea"),
            (&["Ann Smith", "Lee, Bo", "C. Day"], 0, "Smith et al.", "Smith et al.: Tea"),
            (&[], 2021, "Tea 2021", "Tea (2021)"),
            (&[], 0, "Tea", "Tea"),
        ] {
            let reference = reference(authors, year, "Tea");
            assert_eq!(
                (reference.short_name().as_str(), reference.full_name().as_str()),
                (short, full)
            );
        }
        assert_eq!(
            reference(&[], 1, &"long words ".repeat(9)).short_name(),
            "long words long words long words long… 1"
        );
        assert_eq!(Reference::default().full_name(), "");
    }
}
