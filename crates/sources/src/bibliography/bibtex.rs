//! BibTeX.
//!
//! Values are UTF-8 on one line within braces. TeX's special characters are escaped, so that a value is shown as it is. BibTeX counts
//! braces even after a backslash, so escaping cannot keep one from ending a value: only braces with a partner are written.

use std::collections::HashSet;

use papers::{Author, Paper};
use unicode_normalization::UnicodeNormalization;

use super::item::{Item, Name, is_arxiv_preprint};
use super::normalise::{is_hidden, plain};

/// Words that are skipped in keys.
const PLAIN_WORDS: [&str; 14] =
    ["a", "an", "and", "at", "for", "from", "how", "in", "is", "of", "on", "the", "to", "with"];

/// Returns papers as BibTeX entries, in order.
///
/// A key is the first author's family name, the year, and the first significant word of the title: `vaswani2017attention`. If two would
/// be the same, the later one gets `-2`.
pub fn bibtex(papers: &[Paper]) -> String {
    let entries = papers.iter().zip(keys(papers)).map(|(paper, key)| entry(paper, &key));
    entries.collect::<Vec<String>>().join("\n")
}

/// Returns a unique key for each paper.
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

/// Returns the ASCII letters and digits of a text, in lower case and without accents.
fn folded(text: &str) -> String {
    let letters = text.nfkd().filter(char::is_ascii_alphanumeric).take(40);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Writes the fields that citation styles and CSL-JSON have, and the arXiv number.
fn entry(paper: &Paper, key: &str) -> String {
    let item = Item::of(paper, key);
    let (kind, venue_field) = match item.kind.as_str() {
        "article-journal" | "article-newspaper" => ("article", "journal"),
        "paper-conference" => ("inproceedings", "booktitle"),
        "book" => ("book", "series"),
        "chapter" => ("incollection", "booktitle"),
        "thesis" => ("phdthesis", "howpublished"),
        "report" => ("techreport", "howpublished"),
        _ => ("misc", "howpublished"),
    };
    let publisher_field = match kind {
        "phdthesis" => "school",
        "techreport" => "institution",
        _ => "publisher",
    };
    let arxiv = paper.ids.arxiv.as_deref();
    // A work published under an arXiv number has it as its eprint.
    let article_number = item.number.as_deref().filter(|_| !is_arxiv_preprint(paper));
    let number = item.issue.as_deref().or(article_number.filter(|_| kind == "techreport"));
    let pages = item.page.as_deref().or(article_number.filter(|_| kind != "techreport"));
    let text = |text: &Option<String>| text.as_deref().map(escaped);
    let fields = [
        // The inner braces preserve capitals.
        ("title", some(&item.title).map(|title| format!("{{{}}}", escaped(title)))),
        ("author", people(&item.author)),
        ("editor", people(&item.editor)),
        ("year", item.issued.map(|date| date.year.to_string())),
        ("month", item.issued.and_then(|date| date.month).map(|month| month.to_string())),
        (venue_field, text(&item.container_title)),
        ("volume", text(&item.volume)),
        ("number", number.map(escaped)),
        ("pages", pages.map(dashed)),
        ("edition", text(&item.edition)),
        (publisher_field, text(&item.publisher)),
        ("doi", item.doi.as_deref().map(verbatim)),
        ("eprint", arxiv.map(verbatim)),
        ("archiveprefix", arxiv.and_then(some).map(|_| "arXiv".to_owned())),
        ("issn", text(&item.issn)),
        ("isbn", text(&item.isbn)),
        ("url", item.url.as_deref().map(verbatim)),
        ("language", text(&item.language)),
        ("note", text(&item.status)),
        ("abstract", text(&item.summary)),
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

/// Returns names separated by ` and `; a name known as a whole gets its own braces, so that it is not split.
fn people(people: &[Name]) -> Option<String> {
    let part = |part: &Option<String>| part.as_deref().map(person_part).unwrap_or_default();
    let names = people.iter().filter_map(|person| {
        if let Some(name) = &person.literal {
            return Some(escaped(name))
                .filter(|name| !name.is_empty())
                .map(|name| format!("{{{name}}}"));
        }
        let (family, given) = (part(&person.family), part(&person.given));
        match (family.is_empty(), given.is_empty()) {
            (true, true) => None,
            (false, true) => Some(format!("{{{family}}}")),
            (true, false) => Some(format!("{{{given}}}")),
            (false, false) => Some(format!("{family}, {given}")),
        }
    });
    Some(names.collect::<Vec<String>>().join(" and ")).filter(|names| !names.is_empty())
}

/// Protects a comma or an "and" in part of a name, which would split it in two.
fn person_part(text: &str) -> String {
    let text = readable(text);
    let parts = text.split(' ').map(|word| match word.to_lowercase().as_str() {
        "and" | "others" => format!("{{{}}}", shown(word)),
        _ if word.contains(',') => format!("{{{}}}", shown(word)),
        _ => shown(word),
    });
    parts.collect::<Vec<String>>().join(" ")
}

/// Returns a text on one line, without unmatched braces.
fn readable(text: &str) -> String {
    let mut open = Vec::new();
    let mut alone = HashSet::new();
    for (at, c) in text.char_indices() {
        if c == '{' {
            open.push(at);
        } else if c == '}' && open.pop().is_none() {
            alone.insert(at);
        }
    }
    alone.extend(open);
    let paired = text.char_indices().filter(|(at, _)| !alone.contains(at)).map(|(_, c)| c);
    plain(&paired.collect::<String>())
}

/// Writes a text so that TeX shows it as it is, without unmatched braces.
fn escaped(text: &str) -> String {
    shown(&readable(text))
}

/// Writes the output of [`readable`], or part of it, so that TeX shows it as it is.
fn shown(text: &str) -> String {
    let mut value = String::new();
    for c in text.chars() {
        // Two hyphens would become a dash, two apostrophes a quotation mark.
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

/// Writes an address or an id, which programs read without TeX: unchanged, except for characters that would end or break the value.
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
    let pages = readable(pages);
    let parts =
        pages.split(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']);
    let parts = parts.map(str::trim).filter(|part| !part.is_empty()).map(shown);
    parts.collect::<Vec<String>>().join("--")
}
