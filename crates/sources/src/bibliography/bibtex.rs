//! BibTeX.
//!
//! Values are UTF-8 on one line within braces. What TeX gives a meaning to is escaped, so that a value is shown as it is and can never end
//! before its brace.

use std::collections::HashSet;

use run::paper::{Author, Date, Kind, Paper};
use unicode_normalization::UnicodeNormalization;

use super::item::is_arxiv_preprint;
use super::normalise::{is_hidden, plain};

/// Words with which no key is made.
const PLAIN_WORDS: [&str; 14] =
    ["a", "an", "and", "at", "for", "from", "how", "in", "is", "of", "on", "the", "to", "with"];

/// Returns papers as BibTeX entries, in their order.
///
/// A key is the first author's family name, the year, and the title's first word that says something: `vaswani2017attention`. Where two would
/// be the same, the later gets `-2`.
pub fn bibtex(papers: &[Paper]) -> String {
    let entries = papers.iter().zip(keys(papers)).map(|(paper, key)| entry(paper, &key));
    entries.collect::<Vec<String>>().join("\n")
}

/// Returns a key for each paper, no two the same.
pub(super) fn keys(papers: &[Paper]) -> Vec<String> {
    let mut taken = HashSet::new();
    let unique = |key: String| {
        let mut candidates = (1_usize..).map(|number| match number {
            1 => key.clone(),
            number => format!("{key}-{number}"),
        });
        candidates.find(|key| taken.insert(key.clone())).unwrap_or(key)
    };
    papers.iter().map(key).map(unique).collect()
}

fn key(paper: &Paper) -> String {
    let author = paper.authors.iter().map(|author| match author {
        Author::Person { family, .. } => folded(family),
        Author::Named { name } => name.split_whitespace().map(folded).next().unwrap_or_default(),
    });
    let author = author.into_iter().find(|author| !author.is_empty());
    let words =
        paper.title.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).map(folded);
    let word =
        words.into_iter().find(|word| !word.is_empty() && !PLAIN_WORDS.contains(&word.as_str()));
    let year = paper.year().map(|year| year.to_string()).unwrap_or_default();
    let key: String = [author.unwrap_or_default(), year, word.unwrap_or_default()].concat();
    if key.is_empty() { "work".to_owned() } else { key }
}

/// Returns the plain small letters and digits of a text; accents are left out.
fn folded(text: &str) -> String {
    let letters = text.nfkd().filter(char::is_ascii_alphanumeric).take(40);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn entry(paper: &Paper, key: &str) -> String {
    let arxiv = is_arxiv_preprint(paper);
    let venue = paper.venue.as_deref().filter(|_| !arxiv);
    let (kind, venue_field) = match paper.kind {
        _ if arxiv => ("misc", "howpublished"),
        Kind::Article | Kind::NewsArticle => ("article", "journal"),
        Kind::ProceedingsArticle => ("inproceedings", "booktitle"),
        Kind::Book => ("book", "series"),
        Kind::Chapter => ("incollection", "booktitle"),
        Kind::Thesis => ("phdthesis", "howpublished"),
        Kind::Report => ("techreport", "howpublished"),
        Kind::Other if paper.volume.is_some() || paper.issue.is_some() => ("article", "journal"),
        Kind::Preprint | Kind::Dataset | Kind::Software | Kind::WebPage | Kind::Other => {
            ("misc", "howpublished")
        }
    };
    let publisher_field = match kind {
        "phdthesis" => "school",
        "techreport" => "institution",
        _ => "publisher",
    };
    let number =
        paper.issue.as_deref().or(paper.article_number.as_deref().filter(|_| kind == "techreport"));
    let pages =
        paper.pages.as_deref().or(paper.article_number.as_deref().filter(|_| kind != "techreport"));
    let ids = &paper.ids;
    let note = (paper.retracted == Some(true)).then(|| "Retracted".to_owned());
    let fields = [
        // The inner braces keep capitals as they are.
        ("title", some(&paper.title).map(|title| format!("{{{}}}", escaped(title)))),
        ("author", people(&paper.authors)),
        ("editor", people(&paper.editors)),
        ("year", paper.year().map(|year| year.to_string())),
        ("month", paper.published.and_then(month)),
        (venue_field, venue.and_then(some).map(escaped)),
        ("volume", paper.volume.as_deref().and_then(some).map(escaped)),
        ("number", number.and_then(some).map(escaped)),
        ("pages", pages.and_then(some).map(dashed)),
        ("edition", paper.edition.as_deref().and_then(some).map(escaped)),
        (publisher_field, paper.publisher.as_deref().and_then(some).map(escaped)),
        ("doi", ids.doi.as_deref().and_then(some).map(verbatim)),
        ("eprint", ids.arxiv.as_deref().and_then(some).map(verbatim)),
        ("archiveprefix", ids.arxiv.as_ref().map(|_| "arXiv".to_owned())),
        ("issn", ids.issn.first().map(escaped)),
        ("isbn", ids.isbn.first().map(escaped)),
        ("url", paper.url.as_deref().and_then(some).map(verbatim)),
        ("language", paper.language.as_deref().and_then(some).map(escaped)),
        ("note", note),
        ("abstract", paper.summary.as_deref().and_then(some).map(escaped)),
    ];
    let mut entry = format!("@{kind}{{{key}");
    for (name, value) in fields {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            entry.push_str(&format!(",\n  {name} = {{{value}}}"));
        }
    }
    entry.push_str("\n}\n");
    entry
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns names parted by ` and `; one that is known in one piece stands in braces of its own, so that nobody takes it apart.
fn people(people: &[Author]) -> Option<String> {
    let names = people.iter().filter_map(|person| match person {
        Author::Named { name } => some(name).map(|name| format!("{{{}}}", escaped(name))),
        Author::Person { family, given } => {
            let (family, given) = (person_part(family), person_part(given));
            match (family.is_empty(), given.is_empty()) {
                (true, true) => None,
                (false, true) => Some(format!("{{{family}}}")),
                (true, false) => Some(format!("{{{given}}}")),
                (false, false) => Some(format!("{family}, {given}")),
            }
        }
    });
    Some(names.collect::<Vec<String>>().join(" and ")).filter(|names| !names.is_empty())
}

/// A comma or an "and" within a part of a name would make two of it.
fn person_part(text: &str) -> String {
    let text = plain(text);
    let parts = text.split(' ').map(|word| match word.to_lowercase().as_str() {
        "and" | "others" => format!("{{{}}}", escaped(word)),
        _ if word.contains(',') => format!("{{{}}}", escaped(word)),
        _ => escaped(word),
    });
    parts.collect::<Vec<String>>().join(" ")
}

/// Writes a text so that TeX shows it as it is.
fn escaped(text: impl AsRef<str>) -> String {
    let mut value = String::new();
    for c in plain(text.as_ref()).chars() {
        // Two hyphens would be a dash, two apostrophes a quotation mark.
        if matches!(c, '-' | '\'' | '`') && value.ends_with(c) {
            value.push_str("{}");
        }
        match c {
            '{' | '}' | '%' | '&' | '$' | '#' | '_' => value.extend(['\\', c]),
            '~' => value.push_str("\\textasciitilde{}"),
            '^' => value.push_str("\\textasciicircum{}"),
            '\\' => value.push_str("\\textbackslash{}"),
            c => value.push(c),
        }
    }
    value
}

/// Writes an address or an id, which programs read without TeX: as it is, but for what would end or upset the value.
fn verbatim(text: &str) -> String {
    let mut value = String::new();
    for c in text.trim().chars().filter(|c| !is_hidden(*c)) {
        if matches!(c, '{' | '}' | '\\') || c.is_whitespace() || c.is_control() {
            let mut bytes = [0; 4];
            value.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            value.push(c);
        }
    }
    value
}

/// Writes ranges with two hyphens, as BibTeX does.
fn dashed(pages: &str) -> String {
    let pages = plain(pages);
    let parts =
        pages.split(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']);
    let parts = parts.map(str::trim).filter(|part| !part.is_empty()).map(escaped);
    parts.collect::<Vec<String>>().join("--")
}

fn month(date: Date) -> Option<String> {
    date.month.map(|month| month.to_string())
}
