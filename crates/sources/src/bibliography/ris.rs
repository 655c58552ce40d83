//! RIS, which EndNote, Mendeley and Zotero read: a tag, two spaces, a hyphen, a space and a value on each line.

use papers::{Date, Paper};

use super::item::{Item, Name, is_arxiv_preprint};
use super::normalise::plain;

/// Returns papers as RIS records, in order; lines end with CR LF.
pub fn ris(papers: &[Paper]) -> String {
    papers.iter().map(record).collect::<Vec<String>>().join("\r\n")
}

/// Writes the fields that citation styles and CSL-JSON have, and those that only RIS has.
fn record(paper: &Paper) -> String {
    let item = Item::of(paper, "");
    let kind = match item.kind.as_str() {
        "article-journal" => "JOUR",
        "article" => "UNPB",
        "paper-conference" => "CPAPER",
        "book" => "BOOK",
        "chapter" => "CHAP",
        "thesis" => "THES",
        "report" => "RPRT",
        "dataset" => "DATA",
        "software" => "COMP",
        "article-newspaper" => "NEWS",
        "webpage" => "ELEC",
        _ => "GEN",
    };
    let mut record = Record(String::new());
    record.add("TY", kind);
    record.add("TI", &item.title);
    item.author.iter().for_each(|author| record.add("AU", &name(author)));
    item.editor.iter().for_each(|editor| record.add("ED", &name(editor)));
    if let Some(date) = item.issued {
        record.add("PY", &date.year.to_string());
        record.add("DA", &dated(date));
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    record.add("T2", &text(&item.container_title));
    record.add("VL", &text(&item.volume));
    record.add("IS", &text(&item.issue));
    let pages = plain(&text(&item.page));
    let dashes = ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}'];
    match pages.split_once(dashes) {
        Some((first, last)) => {
            record.add("SP", first);
            record.add("EP", last.trim_start_matches(dashes));
        }
        None => record.add("SP", &pages),
    }
    // A work published under an arXiv number has it as its M1.
    if !is_arxiv_preprint(paper) {
        record.add("C7", &text(&item.number));
    }
    record.add("ET", &text(&item.edition));
    record.add("PB", &text(&item.publisher));
    let arxiv_number = paper.ids.arxiv.as_ref().map(|id| format!("arXiv:{id}"));
    record.add("M1", &arxiv_number.unwrap_or_default());
    record.add("DO", &text(&item.doi));
    record.add("UR", &text(&item.url));
    record.add("L1", &text(&paper.pdf_url));
    // A journal in print and on the web has two numbers, and an item holds only the first.
    for (first, all) in [(&item.issn, &paper.ids.issn), (&item.isbn, &paper.ids.isbn)] {
        all.iter().filter(|_| first.is_some()).for_each(|number| record.add("SN", number));
    }
    record.add("LA", &text(&item.language));
    paper.subjects.iter().for_each(|subject| record.add("KW", subject));
    record.add("N1", &text(&item.status));
    record.add("AB", &text(&item.summary));
    record.0.push_str("ER  - \r\n");
    record.0
}

struct Record(String);

impl Record {
    /// Adds a line, unless the value is empty.
    fn add(&mut self, tag: &str, value: &str) {
        let value = plain(value);
        if !value.is_empty() {
            self.0.push_str(&format!("{tag}  - {value}\r\n"));
        }
    }
}

/// Formats a name as `Family, Given`. A comma within the family name would turn its end into a given name.
fn name(name: &Name) -> String {
    let (family, given) = (name.family.clone().unwrap_or_default(), name.given.as_ref());
    match (&name.literal, given) {
        (Some(name), _) => name.clone(),
        (None, None) => family,
        (None, Some(given)) => format!("{}, {given}", family.replace(',', " ")),
    }
}

/// Formats a date as `2024/05/08/`.
fn dated(date: Date) -> String {
    let part = |part: Option<u8>| part.map(|part| format!("{part:02}")).unwrap_or_default();
    format!("{:04}/{}/{}/", date.year, part(date.month), part(date.day))
}
