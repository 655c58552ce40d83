//! Pages that were read from pictures join those that have text.

use std::collections::BTreeMap;

use super::words::ReadPage;
use crate::document::{Document, Page};
use crate::markdown;

/// A page whose confidence is less is doubtful, of 100.
const FLOOR: f64 = 60.0;

/// What came of the pages that were read from pictures, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Pages with words.
    pub(super) read: BTreeMap<u32, ReadPage>,
    /// Pages that could not be read, and why.
    pub(super) failed: BTreeMap<u32, String>,
    /// How many pages behind the last that may be read were left out.
    pub(super) left_out: u32,
}

/// Returns the number of characters on each page of a document that are no white space.
pub(super) fn characters(document: &Document) -> Vec<(u32, usize)> {
    let parts = slices(document);
    let count = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    parts.map(|(number, text)| (number, count(text))).collect()
}

fn slices(document: &Document) -> impl Iterator<Item = (u32, &str)> {
    let Document { pages, text, .. } = document;
    let ends = pages.iter().skip(1).map(|next| next.start).chain([text.len()]);
    pages
        .iter()
        .zip(ends)
        .map(|(page, end)| (page.number, text.get(page.start..end).unwrap_or_default()))
}

/// Puts the pages of `outcome` in their places in `document`, instead of what little text they had.
///
/// `program` is its name and version, `languages` those that it was asked to read.
pub(super) fn merge(
    document: Document,
    outcome: &Outcome,
    program: &str,
    languages: &str,
) -> Document {
    let mut text = String::with_capacity(document.text.len());
    let mut pages = Vec::with_capacity(document.pages.len());
    let mut apart = false;
    for (number, own) in slices(&document) {
        let read = outcome.read.get(&number).map(|read| read.text.as_str());
        if !text.is_empty() && (apart || read.is_some()) {
            let ends = text.len() - text.trim_end_matches('\n').len();
            text.push_str(&"\n\n"[ends.min(2)..]);
        }
        pages.push(Page { number, start: text.len() });
        text.push_str(read.unwrap_or(if apart { own.trim_start() } else { own }));
        apart = read.is_some() || apart && own.trim().is_empty();
    }
    text.truncate(text.trim_end().len());
    for page in &mut pages {
        page.start = page.start.min(text.len());
    }
    let (title, sections, _) = markdown::outline(&text, Some(&document.title), &document.title);
    let mut metadata = document.metadata.clone();
    metadata.extend(notes(outcome, program, languages));
    let merged = Document { title, text, sections, pages, metadata, ..document };
    with_bare_pages(merged)
}

/// Corrects how many pages of a document have no text.
fn with_bare_pages(mut document: Document) -> Document {
    let bare = characters(&document).iter().filter(|(_, count)| *count == 0).count();
    if bare == 0 {
        document.metadata.remove("pages_without_text");
    } else {
        document.metadata.insert("pages_without_text".to_owned(), bare.to_string());
    }
    document
}

/// Returns what is said about the pages that were read from pictures.
fn notes(outcome: &Outcome, program: &str, languages: &str) -> BTreeMap<String, String> {
    let Outcome { read, failed, left_out } = outcome;
    let sure: Vec<(u32, f64)> =
        read.iter().filter_map(|(number, page)| Some((*number, page.confidence()?))).collect();
    let characters: u64 = read.values().map(|page| page.characters).sum();
    let sureness: f64 = read.values().map(|page| page.sureness).sum();
    let low = sure.iter().filter(|(_, sure)| *sure < FLOOR).map(|(number, _)| *number);
    let by_page: Vec<String> =
        sure.iter().map(|(number, sure)| format!("{number}: {sure:.0}")).collect();
    let mut notes = BTreeMap::new();
    let mut note = |key: &str, value: String| {
        if !value.is_empty() {
            notes.insert(key.to_owned(), value);
        }
    };
    note("ocr", program.to_owned());
    note("ocr_languages", languages.to_owned());
    note("ocr_pages", ranges(read.keys().copied()));
    if characters > 0 {
        note("ocr_confidence", format!("{:.0}", sureness / characters as f64));
    }
    note("ocr_page_confidence", by_page.join(", "));
    note("ocr_doubtful_pages", ranges(low));
    note("ocr_failed_pages", ranges(failed.keys().copied()));
    note("ocr_failure", failed.values().next().cloned().unwrap_or_default());
    if *left_out > 0 {
        note("ocr_pages_left_out", left_out.to_string());
    }
    notes
}

/// Returns what a person should know of a document with such metadata, if not all of it could be read well.
pub(crate) fn doubt(metadata: &BTreeMap<String, String>) -> Option<String> {
    let told = |key: &str| metadata.get(key);
    let failed = told("ocr_failed_pages").map(|pages| {
        let why = told("ocr_failure").map_or("", String::as_str);
        format!("OCR could not read its pages {pages}: {why}")
    });
    let doubtful = told("ocr_doubtful_pages")
        .map(|pages| format!("OCR is unsure of its pages {pages}; compare them with the file"));
    let left_out = told("ocr_pages_left_out")
        .map(|count| format!("its last {count} scanned pages were not read; split it"));
    let late = told("incomplete").map(|_| {
        "time was up before its last pages were read; split it or raise corpus.file_seconds"
            .to_owned()
    });
    let all: Vec<String> = [failed, doubtful, left_out, late].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Returns ascending numbers as in print: `1-3, 7`.
pub(super) fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let print = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(print).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use formats::Format;

    use super::*;

    fn read(text: &str, sureness: f64) -> ReadPage {
        let characters = text.len() as u64;
        let sureness = sureness * characters as f64;
        ReadPage { text: text.to_owned(), characters, sureness, sure_words: 1 }
    }

    fn write_document(pages: &[&str]) -> Document {
        let metadata = BTreeMap::from([("pages_without_text".to_owned(), "9".to_owned())]);
        let mut document =
            Document::new(Format::Pdf, "T".to_owned(), String::new(), Vec::new(), metadata);
        for (text, number) in pages.iter().zip(1..) {
            document.pages.push(Page { number, start: document.text.len() });
            document.text.push_str(text);
        }
        document
    }

    fn shown(document: &Document) -> Vec<(u32, &str)> {
        slices(document).collect()
    }

    // proves: A6
    #[test]
    fn pages_keep_their_text_and_those_without_get_what_was_read() {
        let document =
            write_document(&["# One\n\nfirst, and it ", "goes on.\n\n", "", "last\n\n", ""]);
        let outcome = Outcome {
            read: BTreeMap::from([(3, read("seen words", 90.0))]),
            failed: BTreeMap::from([(5, "why".to_owned())]),
            left_out: 0,
        };
        let merged = merge(document, &outcome, "tesseract 5", "eng");
        assert_eq!(
            shown(&merged),
            [
                (1, "# One\n\nfirst, and it "),
                (2, "goes on.\n\n"),
                (3, "seen words\n\n"),
                (4, "last"),
                (5, "")
            ]
        );
        assert_eq!(merged.sections[0].path, ["T", "One"]);
        let notes: Vec<String> =
            merged.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(
            notes,
            [
                "ocr=tesseract 5",
                "ocr_confidence=90",
                "ocr_failed_pages=5",
                "ocr_failure=why",
                "ocr_languages=eng",
                "ocr_page_confidence=3: 90",
                "ocr_pages=3",
                "pages_without_text=1"
            ]
        );
    }

    // proves: A6
    #[test]
    fn a_page_between_two_halves_of_a_sentence_stands_apart() {
        let outcome = Outcome {
            read: BTreeMap::from([(2, read("seen", 50.0)), (3, read("two", 95.0))]),
            left_out: 4,
            ..Outcome::default()
        };
        let merged =
            merge(write_document(&["half a ", "", "x", "    sentence"]), &outcome, "t", "e");
        assert_eq!(merged.text, "half a \n\nseen\n\ntwo\n\nsentence");
        assert_eq!(merged.metadata["ocr_doubtful_pages"], "2");
        assert_eq!(merged.metadata["ocr_pages_left_out"], "4");
        assert!(!merged.metadata.contains_key("pages_without_text"));
        assert_eq!(
            doubt(&merged.metadata).as_deref(),
            Some(
                "OCR is unsure of its pages 2; compare them with the file; its last 4 scanned pages were not read; split it"
            )
        );
        assert_eq!(doubt(&BTreeMap::new()), None);
    }

    #[test]
    fn numbers_are_printed_as_ranges() {
        assert_eq!(ranges([].into_iter()), "");
        assert_eq!(ranges([1, 2, 3, 5, 7, 8].into_iter()), "1-3, 5, 7-8");
    }
}
