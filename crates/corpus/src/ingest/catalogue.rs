//! References with their files, as a reference manager keeps them, become documents.
//!
//! Each work is a document of its own: what is known of it, its abstract, the notes and the marks of its readers. Each of its files is one
//! too, titled and cited as the work is.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use formats::{Writer, tidy};
use papers::{AttachedFile, Highlight, Paper, Reference};
use run::grounding::clean;

use super::Report;
use super::filing::{About, Source};
use crate::shelving::facts;
use crate::{Found, Label, Limits};

/// The metadata of a document that names its catalogue.
pub(super) const LIBRARY: &str = "library";
/// The metadata that references give their documents.
pub(super) const KEYS: [&str; 13] = [
    "arxiv",
    "author",
    "citation_key",
    "collections",
    "doi",
    "group",
    "item_type",
    LIBRARY,
    "published",
    "reference",
    "tags",
    "venue",
    "year",
];
/// The most bytes of a part of a document's name.
const LONGEST_NAME: usize = 120;

/// References with their files, as a reference manager keeps them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalogue {
    /// Names it in the metadata of its documents, as `library`.
    pub name: String,
    pub references: Vec<Reference>,
}

/// Documents that are there although they are not read this time.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Their paths.
    pub(super) there: HashSet<String>,
    /// The files that hold other documents and were opened.
    pub(super) opened: HashSet<String>,
}

impl Catalogue {
    /// Returns what the documents of the references are made of, and reports files that are missing.
    pub(super) fn sources(&self, expected: &mut Expected, report: &mut Report) -> Vec<Source> {
        let mut sources = Vec::new();
        let mut names = HashSet::new();
        for reference in &self.references {
            let group = reference.group.as_deref().map(|group| format!("{}/", part(group)));
            let called = format!("{} ({})", part(&reference.short_name()), part(&reference.key));
            let folder = format!("{}{}", group.unwrap_or_default(), called.trim());
            let mut metadata = describe(reference);
            metadata.insert(LIBRARY.to_owned(), self.name.clone());
            sources.extend(written(reference, &format!("{folder}.md"), &metadata));
            for file in &reference.files {
                let name = file.path.file_name().map(|name| part(&name.to_string_lossy()));
                let name = name.unwrap_or_default();
                let mut path = format!("{folder}/{name}");
                if !names.insert(path.clone()) {
                    path = format!("{folder}/{}/{name}", part(&file.key));
                }
                let found = Found { path: file.path.clone(), name: path };
                sources.extend(attached(reference, file, found, &metadata, expected, report));
            }
        }
        sources
    }
}

/// Returns the document about a work; `None` for a file that is no work and of which nothing was written.
pub(super) fn written(
    reference: &Reference,
    name: &str,
    metadata: &BTreeMap<String, String>,
) -> Option<Source> {
    let is_file = reference.item_type == "attachment";
    if is_file && reference.notes.is_empty() && reference.highlights.is_empty() {
        return None;
    }
    let found = Found { path: name.into(), name: name.to_owned() };
    let about = Arc::new(make_about(reference, metadata.clone()));
    Some(Source { found, text: Some(write(reference)), about: Some(about) })
}

/// Returns a file of a work; if it is missing or cannot be read, that is reported, and its document stays.
pub(super) fn attached(
    reference: &Reference,
    file: &AttachedFile,
    found: Found,
    metadata: &BTreeMap<String, String>,
    expected: &mut Expected,
    report: &mut Report,
) -> Option<Source> {
    let missing = || {
        let path = file.path.display();
        format!("its file {path} is not there; fetch it in the program that keeps the library")
    };
    let is_missing = file.problem.is_none() && !file.path.is_file();
    if let Some(reason) = file.problem.clone().or_else(|| is_missing.then(missing)) {
        let whose = reference.full_name();
        report.leave_out(if whose.is_empty() { found.name.clone() } else { whose }, reason);
        expected.there.insert(found.name);
        return None;
    }
    let mut metadata = metadata.clone();
    if !file.tags.is_empty() {
        let mut tags = reference.tags.clone();
        tags.extend(file.tags.iter().filter(|tag| !reference.tags.contains(tag)).cloned());
        metadata.insert("tags".to_owned(), joined(&tags));
    }
    let about = make_about(reference, metadata);
    Some(Source { found, text: None, about: Some(Arc::new(about)) })
}

fn make_about(reference: &Reference, metadata: BTreeMap<String, String>) -> About {
    let is_work = !matches!(&*reference.item_type, "note" | "attachment");
    let work = Paper { summary: None, ..reference.paper.clone() };
    About { title: reference.full_name(), work: is_work.then(|| Box::new(work)), metadata }
}

/// Returns what the documents of a work say about it in their metadata.
pub(super) fn describe(reference: &Reference) -> BTreeMap<String, String> {
    let Reference { paper, citation_key, .. } = reference;
    let names: Vec<String> = paper.authors.iter().map(ToString::to_string).collect();
    let known = [
        ("author", Some(names.join(", "))),
        ("published", paper.published.map(|date| date.to_string())),
        ("citation_key", citation_key.clone()),
        ("item_type", Some(reference.item_type.clone())),
        ("reference", Some(reference.key.clone())),
        ("group", reference.group.clone()),
        ("tags", Some(joined(&reference.tags))),
        ("collections", Some(joined(&reference.collections))),
    ];
    let mut metadata = facts(paper);
    for (key, value) in known {
        let value = value.map(|value| tidy(&clean(&value))).filter(|value| !value.is_empty());
        metadata.extend(value.map(|value| (key.to_owned(), value)));
    }
    metadata
}

/// Returns a list in one value, items joined by commas.
fn joined(items: &[String]) -> String {
    items.iter().map(|item| item.replace(',', ";")).collect::<Vec<_>>().join(", ")
}

/// Returns a text as a part of a path: without separators, signs that do not show, and dots before it.
pub(super) fn part(text: &str) -> String {
    let shown = tidy(&clean(text).replace(['/', '\\'], "-"));
    let shown = shown.trim_start_matches('.').trim();
    let end = shown.floor_char_boundary(LONGEST_NAME);
    match shown.rsplit_once('.').filter(|(_, ending)| end < shown.len() && ending.len() < 10) {
        Some((stem, ending)) => {
            let end = stem.floor_char_boundary(LONGEST_NAME - ending.len() - 1);
            format!("{}.{ending}", &stem[..end])
        }
        None => shown[..end].to_owned(),
    }
}

/// Returns what is known of a work, and what was written about it, as Markdown.
fn write(reference: &Reference) -> String {
    let Reference { paper, .. } = reference;
    let mut page = Writer::new(Limits::default().text_bytes);
    page.heading(1, &reference.full_name());
    let people = |people: &[papers::Author]| {
        people.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let doi = |doi: &String| format!("[{doi}](https://doi.org/{})", doi.replace(' ', "%20"));
    let arxiv = |id: &String| format!("[arXiv:{id}](https://arxiv.org/abs/{id})");
    for (label, value) in [
        ("Authors", people(&paper.authors)),
        ("Editors", people(&paper.editors)),
        ("Date", paper.published.map(|date| date.to_string()).unwrap_or_default()),
        ("In", own(&paper.venue)),
        ("Series", own(&paper.series)),
        ("Volume", own(&paper.volume)),
        ("Issue", own(&paper.issue)),
        ("Pages", own(&paper.pages)),
        ("Edition", own(&paper.edition)),
        ("Publisher", own(&paper.publisher)),
        ("Place", own(&paper.publisher_place)),
        ("DOI", paper.ids.doi.as_ref().map(doi).unwrap_or_default()),
        ("Preprint", paper.ids.arxiv.as_ref().map(arxiv).unwrap_or_default()),
        ("ISBN", paper.ids.isbn.join(", ")),
        ("ISSN", paper.ids.issn.join(", ")),
        ("Address", own(&paper.url)),
        ("Language", own(&paper.language)),
        ("Citation key", own(&reference.citation_key)),
        ("Tags", reference.tags.join(", ")),
        ("Collections", reference.collections.join(", ")),
        ("Group", own(&reference.group)),
    ] {
        item(&mut page, label, &value);
    }
    for (label, value) in &reference.details {
        item(&mut page, label, value);
    }
    if let Some(summary) = &paper.summary {
        page.heading(2, "Abstract");
        for paragraph in summary.split("\n\n") {
            page.paragraph(paragraph);
        }
    }
    let notes: Vec<String> = reference.notes.iter().filter_map(|note| read_note(note)).collect();
    if !notes.is_empty() {
        page.heading(2, "Notes");
        notes.iter().for_each(|note| page.block(note));
    }
    write_highlights(&mut page, &reference.highlights);
    page.finish()
}

fn item(page: &mut Writer, label: &str, value: &str) {
    if !value.trim().is_empty() {
        page.item(0, "-", &format!("{label}: {value}"));
    }
}

fn write_highlights(page: &mut Writer, highlights: &[Highlight]) {
    let mut last = None;
    for Highlight { file, page: number, text, comment } in highlights {
        if last != Some(file) {
            page.heading(2, &format!("Highlights in {file}"));
            last = Some(file);
        }
        let place = if number.is_empty() { String::new() } else { format!("Page {number}: ") };
        match (text.trim(), comment.trim()) {
            ("", comment) => page.item(0, "-", &format!("{place}{comment}")),
            (text, "") => page.item(0, "-", &format!("{place}{text}")),
            (text, comment) => {
                page.item(0, "-", &format!("{place}{text}"));
                page.item(1, "-", &format!("Comment: {comment}"));
            }
        }
    }
}

/// Returns a note as Markdown with its headings below those of the page, or `None` if it says nothing.
fn read_note(html: &str) -> Option<String> {
    let label = Label::File { name: "note.html".into() };
    let page = format!("<html><body><main>{html}</main></body></html>");
    let document = crate::read_as(&label, page.as_bytes(), &Limits::default()).ok()?;
    let mut text = String::new();
    for line in document.text.lines() {
        if line.starts_with('#') {
            text.push_str("##");
        }
        text.push_str(line);
        text.push('\n');
    }
    Some(text)
}
