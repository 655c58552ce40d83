//! The stages between something that is read and a document that stands in a collection: files and what was fetched pass
//! through the same ones.
//!
//! They overlap: while some things are read, the vectors of those before them are made and those before these are stored.
//! What is stored together was read together: whole documents, as many as make a good batch of chunks.

use std::collections::{BTreeMap, HashMap};

use futures::stream::{self, Stream, StreamExt};
use papers::Paper;
use run::embedding::{Embedder, Purpose};
use run::evidence::{EvidenceKind, Page};
use run::library::{Library, Manifest, NewChunk, NewDocument, Put, StoredDocument, content_hash};
use run::ports::PortError;
use text::{Analyzer, Block, split_blocks};

use crate::{ChunkSize, Document, ReadError, chunk, sha256};

/// Chunks that are embedded and stored together, if a single document has no more.
const BATCH_CHUNKS: usize = 128;
/// Things that are read at the same time.
pub(crate) const READING: usize = 4;
/// Batches whose vectors are made at the same time.
const EMBEDDING: usize = 3;
/// Batches that wait for the store.
const STORING: usize = 2;

/// Something on its way into the store.
pub(crate) struct Item {
    /// What it is called where it has to be named: a file's path, an address.
    pub(crate) name: String,
    pub(crate) state: State,
}

pub(crate) enum State {
    Ready(Box<NewDocument>),
    Settled(Fate),
}

/// What becomes of it in the end.
pub(crate) enum Fate {
    /// It stands there with the same bytes, and was not even read.
    Same,
    LeftOut {
        reason: String,
    },
    Kept(Kept),
}

/// A document that stands in the collection.
pub(crate) struct Kept {
    pub(crate) put: Put,
    pub(crate) title: String,
    pub(crate) text_sha256: String,
    pub(crate) text_bytes: u64,
    pub(crate) chunks: u64,
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
        }
    }
}

/// Reads where parsers may take their time; one that breaks down breaks nothing else.
pub(crate) fn reading(
    name: String,
    work: impl FnOnce() -> Result<State, ReadError> + Send + 'static,
) -> impl Future<Output = Item> {
    let work = tokio::task::spawn_blocking(work);
    async move {
        let state = match work.await {
            Ok(Ok(state)) => state,
            Ok(Err(error)) => State::left_out(error.to_string()),
            Err(_) => State::left_out("its reader broke down"),
        };
        Item { name, state }
    }
}

/// Where a document comes from, and what is known of it besides its text.
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) kind: EvidenceKind,
    pub(crate) work: Option<Box<Paper>>,
    pub(crate) file_sha256: String,
    pub(crate) metadata: BTreeMap<String, String>,
}

/// Returns the terms that are being defined where a chunk begins, outermost first: those that stand before it.
fn terms_around(text: &str, blocks: &[Block], at: usize) -> Vec<String> {
    let begun = blocks.partition_point(|block| block.lines.end <= at);
    let mut around = Vec::new();
    let mut term = blocks.get(begun).and_then(|block| block.term);
    while let Some(block) = term.and_then(|term| blocks.get(term)) {
        if block.lines.start < at {
            around.push(text.get(block.span.clone()).unwrap_or_default().to_owned());
        }
        term = block.term;
    }
    around.reverse();
    around
}

/// Cuts a document into chunks and analyses them.
pub(crate) fn prepare(origin: Origin, document: Document, manifest: &Manifest) -> NewDocument {
    let size = ChunkSize {
        target_tokens: manifest.chunk_tokens as usize,
        smallest_tokens: manifest.smallest_chunk_tokens as usize,
    };
    let mut analyzer = Analyzer::new(manifest.language);
    let blocks = split_blocks(&document.text);
    let chunks = chunk(&document, &size).into_iter().map(|chunk| {
        let section = document.sections.get(chunk.section);
        let mut path = section.map_or_else(Vec::new, |section| section.path.clone());
        path.extend(terms_around(&document.text, &blocks, chunk.start));
        let section = path.join(" > ");
        let text = document.text.get(chunk.start..chunk.end).unwrap_or_default();
        let mut terms = analyzer.terms(&section);
        terms.extend(analyzer.terms(text));
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
    let Origin { path, kind, work, file_sha256, metadata } = origin;
    NewDocument {
        path,
        kind,
        work,
        title: document.title,
        format: document.format.name().to_owned(),
        file_sha256,
        text_sha256: sha256(document.text.as_bytes()),
        text: document.text,
        metadata,
        chunks,
    }
}

/// A collection that things are put into.
pub(crate) struct CollectionWriter<'a> {
    pub(crate) library: &'a dyn Library,
    pub(crate) embedder: Option<&'a dyn Embedder>,
    pub(crate) user: &'a str,
    pub(crate) collection: &'a str,
}

impl CollectionWriter<'_> {
    /// Makes the collection, or checks that it was made this way.
    pub(crate) async fn open(&self, manifest: &Manifest) -> Result<(), PortError> {
        if let Some(embedder) = self.embedder {
            manifest.comparable(self.collection, Some(embedder.embedding()))?;
        }
        self.library.open(self.user, self.collection, manifest).await
    }

    /// Returns the documents that stand at these paths already, by path.
    pub(crate) async fn standing(
        &self,
        paths: &[String],
    ) -> Result<HashMap<String, StoredDocument>, PortError> {
        let standing = self.library.documents_at(self.user, self.collection, paths).await?;
        Ok(standing.into_iter().map(|document| (document.path.clone(), document)).collect())
    }

    /// Tells a document that stands there already from a new one, where vectors are made: in the store it would be too late,
    /// after they were made and perhaps paid for.
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

    /// Gives what was read its vectors and stores it; returns the name and the fate of each, in their order.
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

    /// Gives the chunks of a batch their vectors: those that the document had before, where a chunk has not changed. A document whose texts
    /// the embedder refuses is left out.
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
        // One of them is to blame; the others need not suffer.
        let (mut any, mut last) = (false, None);
        for item in &mut batch {
            let Some(document) = ready(item) else { continue };
            match embed(embedder, &mut [document]).await {
                Ok(()) => any = true,
                Err(error) if may_be_a_text_s_fault(&error) => {
                    item.state =
                        State::left_out(format!("its text could not be embedded: {error}"));
                    last = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match last {
            // So many cannot all be to blame.
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

/// Tells whether the document stands in the library as it is.
fn stands(known: &StoredDocument, new: &NewDocument) -> bool {
    known.text_sha256 == new.text_sha256
        && known.metadata == new.metadata
        && known.title == new.title
        && known.format == new.format
        && known.kind == new.kind
        && known.work == new.work
}

fn batches(read: impl Stream<Item = Item>) -> impl Stream<Item = Vec<Item>> {
    let chunks = |item: &Item| match &item.state {
        State::Ready(document) => document.chunks.len(),
        State::Settled(_) => 0,
    };
    stream::unfold(Box::pin(read), move |mut read| async move {
        let mut batch = vec![read.next().await?];
        let mut gathered: usize = batch.iter().map(chunks).sum();
        while gathered < BATCH_CHUNKS {
            let Some(next) = read.next().await else { break };
            gathered += chunks(&next);
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

/// Tells a text that the embedder will not take from a key or an address that is wrong for all.
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

/// Returns the text of a chunk; what is embedded is it, under its headings.
fn text_of<'a>(chunk: &NewChunk, text: &'a str) -> &'a str {
    text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default()
}
