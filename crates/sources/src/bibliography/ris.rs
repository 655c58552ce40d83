//! RIS, which EndNote, Mendeley and Zotero read: a tag, two spaces, a hyphen, a space and a value on each line.

use run::paper::{Author, Date, Kind, Paper};

use super::item::is_arxiv_preprint;
use super::normalise::plain;

/// Returns papers as RIS records, in their order; lines end with CR LF.
pub fn ris(papers: &[Paper]) -> String {
    papers.iter().map(record).collect::<Vec<String>>().join("\r\n")
}

fn record(paper: &Paper) -> String {
    let arxiv = is_arxiv_preprint(paper);
    let kind = match paper.kind {
        _ if arxiv => "UNPB",
        Kind::Article => "JOUR",
        Kind::Preprint => "UNPB",
        Kind::ProceedingsArticle => "CPAPER",
        Kind::Book => "BOOK",
        Kind::Chapter => "CHAP",
        Kind::Thesis => "THES",
        Kind::Report => "RPRT",
        Kind::Dataset => "DATA",
        Kind::Software => "COMP",
        Kind::NewsArticle => "NEWS",
        Kind::WebPage => "ELEC",
        Kind::Other => "GEN",
    };
    let mut record = Record(String::new());
    record.add("TY", kind);
    record.add("TI", &paper.title);
    paper.authors.iter().for_each(|author| record.add("AU", &name(author)));
    paper.editors.iter().for_each(|editor| record.add("ED", &name(editor)));
    if let Some(date) = paper.published {
        record.add("PY", &date.year.to_string());
        record.add("DA", &dated(date));
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    if !arxiv {
        record.add("T2", &text(&paper.venue));
    }
    record.add("VL", &text(&paper.volume));
    record.add("IS", &text(&paper.issue));
    let pages = plain(&text(&paper.pages));
    let dashes = ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}'];
    match pages.split_once(dashes) {
        Some((first, last)) => {
            record.add("SP", first);
            record.add("EP", last.trim_start_matches(dashes));
        }
        None => record.add("SP", &pages),
    }
    record.add("C7", &text(&paper.article_number));
    record.add("ET", &text(&paper.edition));
    record.add("PB", if arxiv { "arXiv" } else { paper.publisher.as_deref().unwrap_or_default() });
    let arxiv_number = paper.ids.arxiv.as_ref().map(|id| format!("arXiv:{id}"));
    record.add("M1", &arxiv_number.unwrap_or_default());
    record.add("DO", &text(&paper.ids.doi));
    record.add("UR", &text(&paper.url));
    record.add("L1", &text(&paper.pdf_url));
    paper.ids.issn.iter().chain(&paper.ids.isbn).for_each(|number| record.add("SN", number));
    record.add("LA", &text(&paper.language));
    paper.subjects.iter().for_each(|subject| record.add("KW", subject));
    if paper.retracted == Some(true) {
        record.add("N1", "Retracted");
    }
    record.add("AB", &text(&paper.summary));
    record.0.push_str("ER  - \r\n");
    record.0
}

struct Record(String);

impl Record {
    /// Adds a line; a value of nothing adds none.
    fn add(&mut self, tag: &str, value: &str) {
        let value = plain(value);
        if !value.is_empty() {
            self.0.push_str(&format!("{tag}  - {value}\r\n"));
        }
    }
}

/// `Family, Given`. A comma within the family name would make a given name of its end.
fn name(author: &Author) -> String {
    match author {
        Author::Named { name } => name.clone(),
        Author::Person { family, given } if given.trim().is_empty() => family.clone(),
        Author::Person { family, given } => format!("{}, {given}", family.replace(',', " ")),
    }
}

/// `2024/05/08/`
fn dated(date: Date) -> String {
    let part = |part: Option<u8>| part.map(|part| format!("{part:02}")).unwrap_or_default();
    format!("{:04}/{}/{}/", date.year, part(date.month), part(date.day))
}
