//! The stages between something being read and its document being in a collection. Files and fetched documents pass through the
//! same ones.
//!
//! They overlap: while some items are read, earlier ones get their vectors and still earlier ones are stored. A batch consists of whole
//! documents that were read together, as many as make a good number of chunks.

use std::collections::{BTreeMap, HashMap};

use futures::stream::{self, Stream, StreamExt};
use papers::Paper;
use run::embedding::{Embedder, Purpose};
use run::error::PortError;
use run::evidence::{EvidenceKind, Page};
use run::library::{
    Library, Manifest, NewChunk, NewDocument, Original, Put, StoredDocument, content_hash,
};
use text::{Analyzer, Language};

use super::around::Around;
use crate::{ChunkSize, Document, ReadError, chunk, ocr, sha256};

/// Chunks that are embedded and stored together, unless a single document has more.
const BATCH_CHUNKS: usize = 128;
/// With this many bytes of texts and kept files a batch ends: they are in memory until it is stored.
const BATCH_BYTES: usize = 16 << 20;
/// The number of batches embedded concurrently.
const EMBEDDING: usize = 3;
/// The number of batches stored concurrently.
const STORING: usize = 2;

/// An item on its way into the store.
pub(crate) struct Item {
    /// Its name in reports: a file's path, an address.
    pub(crate) name: String,
    pub(crate) state: State,
}

pub(crate) enum State {
    Ready(Box<NewDocument>),
    Settled(Fate),
}

/// The outcome for an item.
pub(crate) enum Fate {
    /// It is stored with the same bytes and was not parsed.
    Same {
        /// What the stored document lacks.
        lack: Option<String>,
    },
    LeftOut {
        reason: String,
    },
    Kept(Kept),
}

/// A document that is in the collection.
pub(crate) struct Kept {
    pub(crate) put: Put,
    pub(crate) title: String,
    pub(crate) text_sha256: String,
    pub(crate) text_bytes: u64,
    pub(crate) chunks: u64,
    /// What OCR could not read of it.
    pub(crate) doubt: Option<String>,
    /// What else of the file it lacks.
    pub(crate) lack: Option<String>,
}

impl State {
    pub(crate) fn left_out(reason: impl Into<String>) -> State {
        State::Settled(Fate::LeftOut { reason: reason.into() })
    }
}

impl Kept {
    pub(crate) fn of(document: &NewDocument) -> Kept {
        Kept {
            put: Put::Unchanged,
            title: document.title.clone(),
            text_sha256: document.text_sha256.clone(),
            text_bytes: document.text.len() as u64,
            chunks: document.chunks.len() as u64,
            doubt: ocr::doubt(&document.metadata),
            lack: lack(&document.metadata),
        }
    }
}

/// Returns the number of items that are read concurrently: as many as there are cores, and two at least, as one may wait for a disk.
pub(crate) fn readers() -> usize {
    const MOST: usize = 16;
    std::thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST)
}

/// Returns what a document with such metadata lacks of its file, in words for a report.
pub(crate) fn lack(metadata: &BTreeMap<String, String>) -> Option<String> {
    metadata.get(formats::LEFT_OUT).map(|what| format!("left out: {what}"))
}

/// Runs `work` on a blocking thread. Returns why it failed or panicked in words for a report.
pub(crate) fn reading<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> impl Future<Output = Result<T, String>> {
    let work = tokio::task::spawn_blocking(work);
    async move {
        match work.await {
            Ok(read) => read.map_err(|error| error.to_string()),
            Err(_) => Err("its reader failed".to_owned()),
        }
    }
}

/// Where a document comes from, and what is known about it besides its text.
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) kind: EvidenceKind,
    pub(crate) work: Option<Box<Paper>>,
    pub(crate) file_sha256: String,
    pub(crate) metadata: BTreeMap<String, String>,
    /// Whether whoever ingests it says its language, and not only the document itself.
    pub(crate) knows_language: bool,
    /// The file, if it is to be kept.
    pub(crate) original: Option<Original>,
}

/// The metadata that says which language a document is in, and that which keeps what it says itself where its text shows another.
const LANG: &str = "lang";
const DECLARED_LANG: &str = "declared_lang";

/// Sets the language of a document in its metadata: as it declares it, unless a long text is surely in another, as under a template's
/// `lang="en"`; else as its text shows it.
fn tell_language(metadata: &mut BTreeMap<String, String>, text: &str) {
    let declared = metadata.get(LANG).and_then(|said| Language::named(said));
    let told = match declared {
        Some(declared) => text::contradicts(text, declared),
        None => text::detect(text),
    };
    if let Some(code) = told {
        let before = metadata.insert(LANG.into(), code.into());
        metadata.extend(before.map(|before| (DECLARED_LANG.into(), before)));
    }
}

/// Cuts a document into chunks and analyses them in its language.
pub(crate) fn prepare(origin: Origin, document: Document, manifest: &Manifest) -> NewDocument {
    let size = ChunkSize {
        target_tokens: manifest.chunk_tokens as usize,
        smallest_tokens: manifest.smallest_chunk_tokens as usize,
    };
    let mut metadata = origin.metadata;
    if !origin.knows_language {
        tell_language(&mut metadata, &document.text);
    }
    let mut analyzer = Analyzer::new(manifest.language_of(&metadata));
    let around = Around::of(&document.text);
    // The other names of a note stand in its front matter, which is not part of its text.
    let aliases = document.metadata.get("aliases").map(|names| analyzer.terms(names));
    let aliases = aliases.or_else(|| Some(analyzer.terms(metadata.get("aliases")?)));
    let aliases = aliases.unwrap_or_default();
    let chunks = chunk(&document, &size).into_iter().map(|chunk| {
        let section = document.sections.get(chunk.section);
        let mut path = section.map_or_else(Vec::new, |section| section.path.clone());
        path.extend(around.terms(chunk.start));
        path.extend(around.leads(chunk.start..chunk.end));
        let section = path.join(" > ");
        let text = document.text.get(chunk.start..chunk.end).unwrap_or_default();
        let mut terms = analyzer.terms(&section);
        terms.extend(analyzer.terms(text));
        terms.extend(aliases.iter().cloned());
        let pages = document.pages_of(chunk.start..chunk.end).into_iter();
        let pages = pages.map(|page| Page { number: page.number, start: page.start as u64 });
        NewChunk {
            section,
            start: chunk.start as u64,
            end: chunk.end as u64,
            terms: terms.join(" "),
            pages: pages.collect(),
            vector: Vec::new(),
        }
    });
    let chunks = chunks.collect();
    let Origin { path, kind, work, file_sha256, original, .. } = origin;
    NewDocument {
        path,
        kind,
        work,
        title: document.title,
        format: document.format.name().to_owned(),
        reader_version: document.format.reader_version(),
        file_sha256,
        text_sha256: sha256(document.text.as_bytes()),
        text: document.text,
        metadata,
        chunks,
        original,
    }
}

/// A collection that is written to.
pub(crate) struct CollectionWriter<'a> {
    pub(crate) library: &'a dyn Library,
    pub(crate) embedder: Option<&'a dyn Embedder>,
    pub(crate) user: &'a str,
    pub(crate) collection: &'a str,
}

impl CollectionWriter<'_> {
    /// Makes the collection, or checks that the existing one was made the same way. Returns how it was made.
    pub(crate) async fn open(&self, manifest: &Manifest) -> Result<Manifest, PortError> {
        if let Some(embedder) = self.embedder {
            manifest.comparable(self.collection, Some(embedder.embedding()))?;
        }
        self.library.open(self.user, self.collection, manifest).await?;
        self.library.manifest(self.user, self.collection).await
    }

    /// Returns the documents already stored at these paths, by path.
    pub(crate) async fn standing(
        &self,
        paths: &[String],
    ) -> Result<HashMap<String, StoredDocument>, PortError> {
        let standing = self.library.documents_at(self.user, self.collection, paths).await?;
        Ok(standing.into_iter().map(|document| (document.path.clone(), document)).collect())
    }

    /// Recognises a document that is already stored, if vectors are made. The store would recognise it too late, after they were made and
    /// perhaps paid for.
    pub(crate) fn weigh(
        vectors: bool,
        known: Option<&StoredDocument>,
        new: Box<NewDocument>,
    ) -> State {
        if vectors && known.is_some_and(|known| stands(known, &new)) {
            State::Settled(Fate::Kept(Kept::of(&new)))
        } else {
            State::Ready(new)
        }
    }

    /// Gives what was read its vectors and stores it; returns each item's name and fate, in order.
    pub(crate) fn keep<'s>(
        &'s self,
        read: impl Stream<Item = Item> + 's,
    ) -> impl Stream<Item = Result<Vec<(String, Fate)>, PortError>> + 's {
        batches(read)
            .map(|batch| self.embedded(batch))
            .buffered(EMBEDDING)
            .map(|batch| self.stored(batch))
            .buffered(STORING)
    }

    /// Gives the chunks of a batch their vectors. An unchanged chunk keeps the vector that it had. A document whose texts the embedder
    /// refuses is left out.
    async fn embedded(&self, mut batch: Vec<Item>) -> Result<Vec<Item>, PortError> {
        let Some(embedder) = self.embedder else { return Ok(batch) };
        for document in batch.iter_mut().filter_map(ready) {
            let known = self.library.vectors(self.user, self.collection, &document.path).await?;
            let NewDocument { text, chunks, .. } = document;
            for chunk in chunks {
                let hash = content_hash(&chunk.section, text_of(chunk, text));
                chunk.vector = known.get(&hash).cloned().unwrap_or_default();
            }
        }
        let mut documents: Vec<&mut NewDocument> = batch.iter_mut().filter_map(ready).collect();
        let several = documents.len() > 1;
        match embed(embedder, &mut documents).await {
            Err(error) if may_be_a_text_s_fault(&error) => {}
            done => return done.map(|()| batch),
        }
        // At least one document is at fault; the others need not suffer.
        let (mut any, mut last) = (false, None);
        for item in &mut batch {
            let Some(document) = ready(item) else { continue };
            match embed(embedder, &mut [document]).await {
                Ok(()) => any = true,
                Err(error) if may_be_a_text_s_fault(&error) => {
                    item.state = State::left_out(format!("could not embed its text: {error}"));
                    last = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match last {
            // It is unlikely that all of them are at fault.
            Some(error) if several && !any => Err(error),
            _ => Ok(batch),
        }
    }

    async fn stored(
        &self,
        batch: Result<Vec<Item>, PortError>,
    ) -> Result<Vec<(String, Fate)>, PortError> {
        let batch = batch?;
        let mut settled = Vec::with_capacity(batch.len());
        let (mut places, mut documents) = (Vec::new(), Vec::new());
        for (place, Item { name, state }) in batch.into_iter().enumerate() {
            let fate = match state {
                State::Settled(fate) => fate,
                State::Ready(document) => {
                    let kept = Kept::of(&document);
                    places.push(place);
                    documents.push(*document);
                    Fate::Kept(kept)
                }
            };
            settled.push((name, fate));
        }
        if documents.is_empty() {
            return Ok(settled);
        }
        let put = self.library.put(self.user, self.collection, documents).await?;
        for (place, put) in places.into_iter().zip(put) {
            if let Some((_, Fate::Kept(kept))) = settled.get_mut(place) {
                kept.put = put;
            }
        }
        Ok(settled)
    }
}

/// Returns whether the document is stored unchanged.
fn stands(known: &StoredDocument, new: &NewDocument) -> bool {
    known.text_sha256 == new.text_sha256
        && known.metadata == new.metadata
        && known.title == new.title
        && known.format == new.format
        && known.reader_version == new.reader_version
        && known.kind == new.kind
        && known.work == new.work
        && (new.original.is_none()
            || (known.original_bytes.is_some() && known.file_sha256 == new.file_sha256))
}

/// Returns the number of chunks of an item, and the bytes that it holds.
fn size(item: &Item) -> (usize, usize) {
    let State::Ready(document) = &item.state else { return (0, 0) };
    let original = match &document.original {
        Some(Original::Bytes(bytes)) => bytes.len(),
        Some(Original::Text) | None => 0,
    };
    (document.chunks.len(), document.text.len() + original)
}

fn batches(read: impl Stream<Item = Item>) -> impl Stream<Item = Vec<Item>> {
    stream::unfold(Box::pin(read), |mut read| async move {
        let mut batch = vec![read.next().await?];
        let (mut chunks, mut bytes) = batch.first().map(size).unwrap_or_default();
        while chunks < BATCH_CHUNKS && bytes < BATCH_BYTES {
            let Some(next) = read.next().await else { break };
            let more = size(&next);
            (chunks, bytes) = (chunks + more.0, bytes + more.1);
            batch.push(next);
        }
        Some((batch, read))
    })
}

fn ready(item: &mut Item) -> Option<&mut NewDocument> {
    match &mut item.state {
        State::Ready(document) => Some(document),
        State::Settled(_) => None,
    }
}

/// Returns whether the embedder may have refused a text, and not failed on a wrong key or address, which would fail for all.
fn may_be_a_text_s_fault(error: &PortError) -> bool {
    match error {
        PortError::Refused { status, .. } => matches!(status, 400 | 413 | 422),
        PortError::Invalid { .. } => true,
        _ => false,
    }
}

async fn embed(
    embedder: &dyn Embedder,
    documents: &mut [&mut NewDocument],
) -> Result<(), PortError> {
    let texts: Vec<String> = documents
        .iter()
        .flat_map(|document| {
            let lacking = document.chunks.iter().filter(|chunk| chunk.vector.is_empty());
            lacking.map(|chunk| format!("{}\n{}", chunk.section, text_of(chunk, &document.text)))
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let vectors = embedder.embed(&texts, Purpose::Passage).await?;
    let chunks = documents.iter_mut().flat_map(|document| &mut document.chunks);
    for (chunk, vector) in chunks.filter(|chunk| chunk.vector.is_empty()).zip(vectors) {
        chunk.vector = vector;
    }
    Ok(())
}

/// Returns the text of a chunk; it is embedded under its headings.
fn text_of<'a>(chunk: &NewChunk, text: &'a str) -> &'a str {
    text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default()
}
