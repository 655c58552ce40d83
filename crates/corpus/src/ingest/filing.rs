//! Files are read and become documents, with what is known of them beside their bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use papers::Paper;
use run::evidence::EvidenceKind;
use run::library::{Manifest, NewDocument, Original, StoredDocument};

use super::Reader;
use super::catalogue;
use super::stages::{self, CollectionWriter, Fate, Item, Origin, State};
use crate::document::one_line;
use crate::markdown::vault;
use crate::{Document, Format, Inner, Label, Limits, load, sha256};

/// What a document is made of.
pub(super) struct Source {
    pub(super) found: crate::Found,
    /// The text of the document, if it is not that of a file.
    pub(super) text: Option<String>,
    pub(super) about: Option<Arc<About>>,
}

impl Source {
    pub(super) fn file(found: crate::Found) -> Source {
        Source { found, text: None, about: None }
    }
}

/// What is known of a document beside its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct About {
    pub(super) title: String,
    pub(super) work: Option<Box<Paper>>,
    pub(super) metadata: BTreeMap<String, String>,
}

impl About {
    /// Returns whether a stored document has what is known, and nothing that was known before.
    fn stands_in(&self, known: &StoredDocument) -> bool {
        let same = |key: &&str| known.metadata.get(*key) == self.metadata.get(*key);
        let title = one_line(&self.title);
        (title.is_empty() || known.title == title)
            && known.work == self.work
            && catalogue::KEYS.iter().all(same)
    }
}

/// How files become documents.
pub(super) struct FromDisk<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) limits: &'a Limits,
    pub(super) reader: &'a Arc<dyn Reader>,
    pub(super) metadata: &'a BTreeMap<String, String>,
    /// Whether chunks get vectors.
    pub(super) vectors: bool,
    /// Whether the files are kept.
    pub(super) keep_originals: bool,
}

/// A file that was read.
pub(super) struct ReadFile {
    /// The path of its document.
    pub(super) path: String,
    pub(super) items: Vec<Item>,
    /// The paths of the documents within; `None` if it was not opened or could not be read.
    pub(super) within: Option<Vec<String>>,
    /// Whether it was not opened, as it has not changed, and may hold files.
    pub(super) is_closed: bool,
}

/// Reads a file and prepares it, and the files within, for the index.
///
/// `known` is its document as it was stored before. A file with the same bytes is not read again, unless its reader has changed since.
pub(super) fn parse(
    source: Source,
    how: &FromDisk<'_>,
    known: Option<StoredDocument>,
) -> impl Future<Output = ReadFile> + use<> {
    let Source { found: file, text, about } = source;
    let (limits, reader, vectors) = (how.limits.clone(), Arc::clone(how.reader), how.vectors);
    let (manifest, given) = (how.manifest.clone(), how.metadata.clone());
    let keep = how.keep_originals && text.is_none();
    let (name, path) = (file.path.display().to_string(), file.name.clone());
    let shown = name.clone();
    let reading = stages::reading(move || {
        let mut bytes = match text {
            Some(text) => text.into_bytes(),
            None => load(&file.path, &limits)?,
        };
        let file_sha256 = sha256(&bytes);
        let same = known.as_ref().filter(|known| known.file_sha256 == file_sha256);
        let same = same.filter(|same| is_current(same) && (same.original_bytes.is_some() || !keep));
        let same = same.filter(|same| match &about {
            Some(about) => about.stands_in(same),
            None => same.work.is_none(),
        });
        if let Some(same) = same.filter(|_| given.is_empty()) {
            let state = State::Settled(Fate::Same { lack: stages::lack(&same.metadata) });
            let format = Format::by_name(&same.format);
            let read = (vec![Item { name: shown, state }], None);
            return Ok((read, format.is_some_and(Format::holds_files)));
        }
        let label = Label::File { name: PathBuf::from(&file.name) };
        let note =
            is_markdown(&file.name).then(|| std::str::from_utf8(&bytes)).and_then(Result::ok);
        let note = note.filter(|_| vault::holds(&file.path)).map(vault::shown);
        let read = note.as_deref().map_or(&*bytes, str::as_bytes);
        let mut document = reader.read(&label, read, &limits)?;
        drop(note);
        let inner = std::mem::take(&mut document.inner);
        // The documented layout keeps each company's documents in a folder of its name.
        let company = file.name.split_once('/').filter(|_| about.is_none());
        let company = company.map(|(company, _)| company.to_owned());
        if let Some(about) = &about {
            document.retitle(&about.title);
        }
        let (items, within) = (Vec::new(), Vec::new());
        let mut filing = Filing { manifest, given, about, company, items, within };
        if !document.text.is_empty() {
            let is_text = document.text.as_bytes() == bytes;
            let original = match (keep, is_text) {
                (false, _) => None,
                (true, true) => Some(Original::Text),
                (true, false) => Some(Original::Bytes(std::mem::take(&mut bytes))),
            };
            drop(bytes);
            let new = filing.prepare(&file.name, file_sha256, document, original);
            let state = CollectionWriter::weigh(vectors, known.as_ref(), new);
            filing.items.push(Item { name: shown.clone(), state });
        }
        filing.file(&shown, &file.name, inner);
        Ok(((filing.items, Some(filing.within)), false))
    });
    async move {
        let ((items, within), is_closed) = reading.await.unwrap_or_else(|reason| {
            ((vec![Item { name, state: State::left_out(reason) }], None), false)
        });
        ReadFile { path, items, within, is_closed }
    }
}

/// Returns whether a file is Markdown, as its name says.
fn is_markdown(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    Format::by_extension(ending) == Some(Format::Markdown)
}

/// Returns whether a document was read by the reader that would read its file now.
fn is_current(known: &StoredDocument) -> bool {
    Format::by_name(&known.format)
        .is_some_and(|format| format.reader_version() == known.reader_version)
}

/// Makes documents of a file and the files within.
struct Filing {
    manifest: Manifest,
    /// Overrides what the files say about themselves.
    given: BTreeMap<String, String>,
    /// What is known of them, which does so too.
    about: Option<Arc<About>>,
    /// The company of files that name none.
    company: Option<String>,
    items: Vec<Item>,
    /// The paths of the documents within.
    within: Vec<String>,
}

impl Filing {
    fn prepare(
        &self,
        path: &str,
        file_sha256: String,
        mut document: Document,
        original: Option<Original>,
    ) -> Box<NewDocument> {
        let mut metadata = std::mem::take(&mut document.metadata);
        if self.about.is_some() {
            // What a file says of these itself could not be told from what its work said before.
            metadata.retain(|key, _| !catalogue::KEYS.contains(&key.as_str()));
        }
        if let Some(company) = &self.company {
            metadata.entry("company".into()).or_insert_with(|| company.clone());
        }
        let about = self.about.as_deref();
        metadata.extend(about.into_iter().flat_map(|about| about.metadata.clone()));
        metadata.extend(self.given.clone());
        let (path, kind) = (path.to_owned(), EvidenceKind::Rag);
        let work = about.and_then(|about| about.work.clone());
        let knows_language = self.given.contains_key("lang");
        let origin = Origin { path, kind, work, file_sha256, metadata, knows_language, original };
        Box::new(stages::prepare(origin, document, &self.manifest))
    }

    /// Takes up the files within the file at `path`, which reports call `name`.
    fn file(&mut self, name: &str, path: &str, inner: Vec<Inner>) {
        for Inner { name: inside, file_sha256, document } in inner {
            let (name, path) = (format!("{name}/{inside}"), format!("{path}/{inside}"));
            let mut document = match document {
                Ok(document) => document,
                Err(error) => {
                    let state = State::left_out(error.to_string());
                    self.items.push(Item { name, state });
                    self.within.push(path);
                    continue;
                }
            };
            let deeper = std::mem::take(&mut document.inner);
            if !document.text.is_empty() {
                let state = State::Ready(self.prepare(&path, file_sha256, document, None));
                self.items.push(Item { name: name.clone(), state });
                self.within.push(path.clone());
            }
            self.file(&name, &path, deeper);
        }
    }
}
