//! Files into a collection: walked, read, cut, given vectors, stored; what cannot be read is named at the end.
//!
//! The work flows through stages that overlap: while some files are read, the vectors of those before them are made and
//! those before these are stored. What is stored together was read together: whole documents, as many as make a good
//! batch of chunks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, Stream, StreamExt};
use run::analysis::Analyzer;
use run::embedding::{Embedder, Purpose};
use run::evidence::{EvidenceKind, Page};
use run::library::{Library, Manifest, NewChunk, NewDocument, Put, StoredDocument};
use run::ports::PortError;
use serde::Serialize;

use crate::{
    ChunkSize, Document, Limits, ReadError, Skip, WalkError, Walked, Worker, chunk, load, read,
    sha256, sniff, walk,
};

/// Chunks that are embedded and stored together, if a single document has no more.
const BATCH_CHUNKS: usize = 128;
/// Files that are read at the same time.
const READING: usize = 4;
/// Batches whose vectors are made at the same time.
const EMBEDDING: usize = 3;
/// Batches that wait for the store.
const STORING: usize = 2;

/// What is ingested, and how.
pub struct Order<'a> {
    pub user: &'a str,
    pub collection: &'a str,
    pub paths: &'a [PathBuf],
    pub manifest: Manifest,
    pub limits: Limits,
    /// Turns a file's bytes into a document.
    pub reader: Arc<dyn Reader>,
    /// Laid over what the files say of themselves.
    pub metadata: BTreeMap<String, String>,
    /// Whether documents that are no longer among the files are removed.
    pub prune: bool,
}

/// Whatever turns the bytes of a file into a document: [`read`](crate::read) in this process, or a worker.
pub trait Reader: Send + Sync {
    /// May take its time; it is called where that does no harm.
    fn read(&self, name: &Path, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError>;
}

impl<F> Reader for F
where
    F: Fn(&Path, &[u8], &Limits) -> Result<Document, ReadError> + Send + Sync,
{
    fn read(&self, name: &Path, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        self(name, bytes, limits)
    }
}

/// Reads what is plainly text in this process, and what has to be unpacked first in others: see [`Worker`].
///
/// Processes that have nothing to do are kept for whoever comes next, and end with this value.
#[derive(Debug)]
pub struct Workers {
    program: PathBuf,
    arguments: Vec<String>,
    idle: Mutex<Vec<Worker>>,
}

impl Workers {
    /// Returns workers whose processes are `program` with `arguments`, as [`Worker::new`] takes them.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = String>) -> Self {
        let arguments = arguments.into_iter().collect();
        Self { program: program.into(), arguments, idle: Mutex::default() }
    }
}

impl Reader for Workers {
    fn read(&self, name: &Path, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        if !sniff::may_be_packed(bytes) {
            return read(name, bytes, limits);
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut worker = kept
            .unwrap_or_else(|| Worker::new(self.program.clone(), self.arguments.iter().cloned()));
        let document = worker.read(name, bytes, limits);
        idle().push(worker);
        document
    }
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub added: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub chunks: u64,
    /// Files that were left out, and why.
    pub problems: Vec<Problem>,
}

/// A file that was left out.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
}

impl Report {
    /// Returns how many of the files now stand in the collection.
    pub fn stored(&self) -> u64 {
        self.added + self.replaced + self.unchanged
    }

    fn leave_out(&mut self, path: String, reason: impl Into<String>) {
        self.problems.push(Problem { path, reason: reason.into() });
    }
}

/// Why nothing more is ingested. What was stored before stays.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error(transparent)]
    Port(#[from] PortError),
}

/// A document on its way into the store.
struct Prepared {
    /// The file, as problems name it.
    path: String,
    document: NewDocument,
}

enum Parsed {
    Unchanged,
    Unreadable { path: String, reason: String },
    Prepared(Box<Prepared>),
}

/// Ingests the order's files. `seen` hears of each file before it is read: how many are done, of how many.
pub async fn ingest(
    library: &dyn Library,
    embedder: Option<&dyn Embedder>,
    order: &Order<'_>,
    mut seen: impl FnMut(usize, usize, &str) + Send,
) -> Result<Report, IngestError> {
    let mut report = Report::default();
    let (files, unread) = list(order.paths, &mut report)?;
    let embedder = embedder.filter(|_| order.manifest.embedder.is_some());
    if let Some(embedder) = embedder {
        order.manifest.comparable(order.collection, Some(embedder.embedding()))?;
    }
    library.open(order.user, order.collection, &order.manifest).await?;
    let known = library.documents(order.user, order.collection).await?;
    let known: HashMap<String, StoredDocument> =
        known.into_iter().map(|document| (document.path.clone(), document)).collect();
    let names: HashSet<String> = files.iter().map(|file| file.name.clone()).collect();

    let all = files.len();
    {
        let parsed = stream::iter(files.into_iter().enumerate()).map(|(done, file)| {
            seen(done, all, &file.name);
            parse(file, order, embedder.is_some(), &known)
        });
        let stored = batches(parsed.buffered(READING))
            .map(|batch| embedded(embedder, batch))
            .buffered(EMBEDDING)
            .map(|batch| store(library, order, batch))
            .buffered(STORING);
        let mut stored = std::pin::pin!(stored);
        while let Some(batch) = stored.next().await {
            batch?.enter(&mut report);
        }
    }
    seen(all, all, "");
    if order.prune && names.is_empty() {
        let reason =
            "nothing is removed: no files were found; `collections remove` removes everything";
        report.leave_out("--prune".into(), reason);
    } else if order.prune && unread {
        report.leave_out("--prune".into(), "nothing is removed: a folder could not be read");
    } else if order.prune {
        // What was fetched has no file that could be gone.
        let files = known.into_values().filter(|known| known.kind == EvidenceKind::Rag);
        let mut gone: Vec<String> =
            files.map(|known| known.path).filter(|path| !names.contains(path)).collect();
        gone.sort();
        report.removed = library.remove_paths(order.user, order.collection, &gone).await?;
    }
    Ok(report)
}

/// Lists the files, each name once; tells whether a folder could not be looked into: what is not found may still be there.
fn list(paths: &[PathBuf], report: &mut Report) -> Result<(Vec<crate::Found>, bool), WalkError> {
    let mut files: Vec<crate::Found> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut unread = false;
    for path in paths {
        let Walked { files: found, skipped } = walk(path)?;
        for skipped in skipped {
            unread |= matches!(skipped.reason, Skip::Unreadable { .. });
            report.leave_out(skipped.path.display().to_string(), skipped.reason.to_string());
        }
        for file in found {
            if file.name.contains(char::is_control) {
                let path = run::grounding::clean(&file.name);
                report.leave_out(path, "its name holds control characters; rename it");
            } else if names.insert(file.name.clone()) {
                files.push(file);
            } else {
                let reason =
                    format!("another file of this call is stored as '{}' already", file.name);
                report.leave_out(file.path.display().to_string(), reason);
            }
        }
    }
    Ok((files, unread))
}

/// Reads a file and prepares it for the index, where parsers may take their time.
///
/// With `vectors` a document that stands there already is told from a new one here: in the store it would be too late,
/// after its vectors were made and perhaps paid for.
fn parse(
    file: crate::Found,
    order: &Order<'_>,
    vectors: bool,
    known: &HashMap<String, StoredDocument>,
) -> impl Future<Output = Parsed> + use<> {
    let known = known.get(&file.name).cloned();
    let (limits, reader) = (order.limits.clone(), Arc::clone(&order.reader));
    let (manifest, metadata) = (order.manifest.clone(), order.metadata.clone());
    let path = file.path.display().to_string();
    let work = move || {
        let bytes = load(&file.path, &limits)?;
        let file_sha256 = sha256(&bytes);
        let same_file = known.as_ref().is_some_and(|known| known.file_sha256 == file_sha256);
        if same_file && metadata.is_empty() {
            return Ok(None);
        }
        let document = reader.read(Path::new(&file.name), &bytes, &limits)?;
        let new = prepare(file.name, file_sha256, document, &manifest, metadata);
        let stands = known.is_some_and(|known| stands(&known, &new));
        Ok(Some(new).filter(|_| !(vectors && stands)))
    };
    let work = tokio::task::spawn_blocking(work);
    async move {
        let unreadable = |reason: String| Parsed::Unreadable { path: path.clone(), reason };
        match work.await {
            Ok(Ok(Some(document))) => Parsed::Prepared(Box::new(Prepared { path, document })),
            Ok(Ok(None)) => Parsed::Unchanged,
            Ok(Err::<_, ReadError>(error)) => unreadable(error.to_string()),
            Err(_) => unreadable("its reader broke down".into()),
        }
    }
}

/// Tells whether the document stands in the library as it is.
fn stands(known: &StoredDocument, new: &NewDocument) -> bool {
    known.text_sha256 == new.text_sha256
        && known.metadata == new.metadata
        && known.title == new.title
        && known.format == new.format
}

/// Cuts a document into chunks and analyses them.
fn prepare(
    path: String,
    file_sha256: String,
    document: Document,
    manifest: &Manifest,
    given: BTreeMap<String, String>,
) -> NewDocument {
    let size = ChunkSize {
        target_tokens: manifest.chunk_tokens as usize,
        smallest_tokens: manifest.smallest_chunk_tokens as usize,
    };
    let mut analyzer = Analyzer::new(manifest.language);
    let chunks = chunk(&document, &size).into_iter().map(|chunk| {
        let section = document.sections.get(chunk.section);
        let section = section.map_or_else(String::new, |section| section.path.join(" > "));
        let text = document.text.get(chunk.start..chunk.end).unwrap_or_default();
        let mut terms = analyzer.terms(&section);
        terms.extend(analyzer.terms(text));
        let pages = document.pages_of(chunk.start..chunk.end).into_iter();
        let pages = pages.map(|page| Page { number: page.number, start: page.start as u64 });
        NewChunk {
            section,
            start: chunk.start as u64,
            end: chunk.end as u64,
            terms,
            pages: pages.collect(),
            vector: Vec::new(),
        }
    });
    let chunks = chunks.collect();
    let mut metadata = document.metadata;
    // The documented layout keeps each company's documents in a folder of its name.
    if let Some((company, _)) = path.split_once('/') {
        metadata.entry("company".into()).or_insert_with(|| company.to_owned());
    }
    metadata.extend(given);
    NewDocument {
        path,
        kind: EvidenceKind::Rag,
        work: None,
        title: document.title,
        format: document.format.name().to_owned(),
        file_sha256,
        text_sha256: sha256(document.text.as_bytes()),
        text: document.text,
        metadata,
        chunks,
    }
}

/// Some files, read: what will be stored together, and what is said of the others.
#[derive(Default)]
struct Batch {
    unchanged: u64,
    problems: Vec<Problem>,
    documents: Vec<Prepared>,
}

impl Batch {
    fn chunks(&self) -> usize {
        self.documents.iter().map(|one| one.document.chunks.len()).sum()
    }

    fn take(&mut self, parsed: Parsed) {
        match parsed {
            Parsed::Unchanged => self.unchanged += 1,
            Parsed::Unreadable { path, reason } => self.problems.push(Problem { path, reason }),
            Parsed::Prepared(prepared) => self.documents.push(*prepared),
        }
    }
}

fn batches(parsed: impl Stream<Item = Parsed>) -> impl Stream<Item = Batch> {
    stream::unfold(Box::pin(parsed), |mut parsed| async move {
        let mut batch = Batch::default();
        batch.take(parsed.next().await?);
        while batch.chunks() < BATCH_CHUNKS {
            let Some(next) = parsed.next().await else { break };
            batch.take(next);
        }
        Some((batch, parsed))
    })
}

/// Gives the chunks of a batch their vectors. A document whose texts the embedder refuses is left out.
async fn embedded(embedder: Option<&dyn Embedder>, mut batch: Batch) -> Result<Batch, PortError> {
    let Some(embedder) = embedder else { return Ok(batch) };
    match embed(embedder, &mut batch.documents).await {
        Err(error) if may_be_a_text_s_fault(&error) => {}
        done => return done.map(|()| batch),
    }
    // One of them is to blame; the others need not suffer.
    let all = std::mem::take(&mut batch.documents);
    let (several, mut last) = (all.len() > 1, None);
    for mut one in all {
        match embed(embedder, std::slice::from_mut(&mut one)).await {
            Ok(()) => batch.documents.push(one),
            Err(error) if may_be_a_text_s_fault(&error) => {
                let reason = format!("its text could not be embedded: {error}");
                batch.problems.push(Problem { path: one.path, reason });
                last = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    match last {
        // So many cannot all be to blame.
        Some(error) if several && batch.documents.is_empty() => Err(error),
        _ => Ok(batch),
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

async fn embed(embedder: &dyn Embedder, documents: &mut [Prepared]) -> Result<(), PortError> {
    let texts: Vec<String> = documents.iter().flat_map(|one| texts(&one.document)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let vectors = embedder.embed(&texts, Purpose::Passage).await?;
    let chunks = documents.iter_mut().flat_map(|one| &mut one.document.chunks);
    for (chunk, vector) in chunks.zip(vectors) {
        chunk.vector = vector;
    }
    Ok(())
}

/// Returns what is embedded of each chunk: it, under its headings.
fn texts(document: &NewDocument) -> impl Iterator<Item = String> {
    document.chunks.iter().map(|chunk| {
        let text = document.text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default();
        format!("{}\n{text}", chunk.section)
    })
}

/// A batch that was stored.
struct Stored {
    unchanged: u64,
    problems: Vec<Problem>,
    chunks: u64,
    put: Vec<Put>,
}

impl Stored {
    fn enter(self, report: &mut Report) {
        report.unchanged += self.unchanged;
        report.problems.extend(self.problems);
        report.chunks += self.chunks;
        for put in self.put {
            match put {
                Put::Added => report.added += 1,
                Put::Replaced => report.replaced += 1,
                Put::Unchanged => report.unchanged += 1,
            }
        }
    }
}

async fn store(
    library: &dyn Library,
    order: &Order<'_>,
    batch: Result<Batch, PortError>,
) -> Result<Stored, PortError> {
    let Batch { unchanged, problems, documents } = batch?;
    let documents: Vec<NewDocument> = documents.into_iter().map(|one| one.document).collect();
    let chunks: Vec<u64> = documents.iter().map(|document| document.chunks.len() as u64).collect();
    let put = if documents.is_empty() {
        Vec::new()
    } else {
        library.put(order.user, order.collection, documents).await?
    };
    let indexed = chunks.iter().zip(&put).filter(|(_, put)| **put != Put::Unchanged);
    let chunks = indexed.map(|(chunks, _)| chunks).sum();
    Ok(Stored { unchanged, problems, chunks, put })
}
