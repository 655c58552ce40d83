//! Reports as Word documents: the words of the Markdown, and a form that no text changes.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use docx::Meta;
use pulldown_cmark::{Event, Options, Parser};
use render::{Block, Document};

use super::*;

/// Returns the parts of a report's document that hold its text: the body without its table of contents, and the footnotes.
pub(crate) fn parts(report: &Document) -> [String; 2] {
    let file = docx::write(report, &Meta::default()).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let mut read = |name: &str| {
        let mut xml = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut xml).unwrap();
        xml
    };
    let (body, footnotes) = (read("word/document.xml"), read("word/footnotes.xml"));
    let body = match (body.find("<w:sdt>"), body.find("</w:sdt>")) {
        (Some(start), Some(end)) => format!("{}{}", &body[..start], &body[end..]),
        _ => body,
    };
    [body, footnotes]
}

/// Returns the words of what XML shows.
pub(crate) fn words_of(xml: &str) -> String {
    let mut text = String::new();
    for piece in xml.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap();
        match tag.split([' ', '/']).next() {
            Some("w:t") => text.push_str(content),
            Some("w:p" | "w:br" | "w:tab") => text.push(' '),
            _ => {}
        }
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&")
}

/// Returns the words of a report's Markdown as a viewer shows it.
pub(crate) fn words_of_markdown(report: &Document) -> String {
    let markdown = render::markdown::write(report);
    let options = Options::ENABLE_TABLES;
    let mut text = String::new();
    for event in Parser::new_ext(&markdown, options) {
        match event {
            Event::Text(more) | Event::Code(more) => text.push_str(&more),
            Event::SoftBreak | Event::HardBreak | Event::End(_) => text.push(' '),
            _ => {}
        }
    }
    text
}

/// Counts words: what stands between white space and punctuation.
pub(crate) fn count(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// Returns the report as a document with pictures and footnotes has it: captions in place of tables of what is drawn, each note with its
/// source, and no heading over sources that are all below the text.
pub(crate) fn as_laid_out(report: &Document) -> Document {
    let body = Document {
        title: report.title.clone(),
        blocks: report
            .blocks
            .iter()
            .filter(|one| !matches!(one, Block::Notes(_)))
            .cloned()
            .collect(),
    };
    let cited = body.numbers();
    let mut laid_out = Document { title: report.title.clone(), blocks: vec![] };
    for block in &report.blocks {
        match block {
            Block::Picture(picture) if !picture.figures.is_empty() => {
                laid_out.paragraph(picture.heading.as_str());
                laid_out.paragraph(picture.words.as_str());
                for figure in &picture.figures {
                    laid_out.paragraph(format!("{} {}", figure.caption(), figure.measure));
                    laid_out.paragraph(figure.key.as_str());
                }
            }
            Block::Notes(notes) => {
                if !notes.notes().all(|note| cited.contains(&note.number)) {
                    laid_out.heading(notes.title.clone());
                }
                let lines = notes.notes().map(|note| Block::Hanging(note.lines.clone()));
                laid_out.blocks.extend(lines);
            }
            block => laid_out.blocks.push(block.clone()),
        }
    }
    laid_out
}

pub(crate) fn all_reports() -> Vec<(String, Document)> {
    let named = |method: &str, all: &[(&'static str, Value)]| {
        let built = all.iter().map(|(name, envelope)| {
            (format!("{method} {name}"), methods::report::build(&methods::all(), envelope))
        });
        built.collect::<Vec<_>>()
    };
    let mut reports = named("brief", &super::brief::sample::envelopes());
    reports.extend(named("debate", &super::debate::sample::envelopes()));
    reports.extend(named("hypothesize", &super::hypothesize::sample::envelopes()));
    reports.extend(named("market", &super::market::sample::envelopes()));
    reports
}

// proves: F6
#[test]
fn a_document_has_every_word_of_the_markdown_once() {
    for (name, report) in all_reports() {
        let [body, footnotes] = parts(&report);
        let shown = count(&format!("{} {}", words_of(&body), words_of(&footnotes)));
        let wanted = count(&words_of_markdown(&as_laid_out(&report)));
        let differing: Vec<_> = shown
            .keys()
            .chain(wanted.keys())
            .filter(|word| shown.get(*word) != wanted.get(*word))
            .map(|word| (word, shown.get(word), wanted.get(word)))
            .collect();
        assert_eq!(differing, [], "{name}: in the document, in the Markdown");
    }
}

// proves: F6
#[test]
fn what_a_report_cites_is_in_its_footnotes_with_the_quote() {
    let (_, complete) = super::market::sample::envelopes().into_iter().next().unwrap();
    let report = methods::report::build(&methods::all(), &complete);
    let [body, footnotes] = parts(&report);
    assert!(
        words_of(&footnotes).contains(
            "[1] Lawyers — \"In 2023 Texas had 120,000 lawyers.\" — https://example.org/a"
        )
    );
    assert!(!words_of(&body).contains("In 2023 Texas had"), "a quote stands in its note alone");
}

// proves: F6
#[test]
fn no_text_changes_the_form_of_a_document() {
    let fills = [
        super::brief::sample::filled,
        super::debate::sample::filled,
        super::hypothesize::sample::filled,
        super::market::sample::filled,
    ];
    for filled in fills {
        let elements = |text: &str| {
            let xml = parts(&methods::report::build(&methods::all(), &filled(text)));
            let names = xml.iter().flat_map(|part| part.split('<').skip(1)).map(|piece| {
                let name = piece.split(['>', ' ']).next().unwrap_or_default();
                name.to_owned()
            });
            // Text and breaks within it come and go with the text.
            let inline = ["w:r", "/w:r", "w:t", "/w:t", "w:br/", "w:tab/"];
            names.filter(|name| !inline.contains(&name.as_str())).collect::<Vec<String>>()
        };
        let plain = elements("plain");
        for text in ["<w:p/>", "</w:t></w:r></w:p>", "]]>", "&amp;#0;", "<!--", "a\u{b}b\u{ffff}"] {
            assert!(elements(text) == plain, "{text:?} changes the form");
        }
    }
}
