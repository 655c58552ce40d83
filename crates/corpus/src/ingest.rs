//! Files enter a collection: listed, read, chunked, embedded, stored. Files that cannot be read are reported at the end.
//!
//! The work flows through [`stages`] that overlap; fetched documents pass through the same ones.

mod named;
mod reader;
pub(crate) mod stages;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, StreamExt};
use run::embedding::Embedder;
use run::error::PortError;
use run::evidence::EvidenceKind;
use run::library::{Library, Manifest, Put, StoredDocument};
use serde::Serialize;

pub use named::{ENDINGS, NameError, Named, TakeError, TakenFile, label_of, take_file};
pub use reader::{Reader, Workers};

use crate::{Label, Limits, Skip, WalkError, Walked, load, sha256, walk};
use stages::{CollectionWriter, Fate, Item, Origin, READING, State};

/// The files to ingest, and how.
pub struct Order<'a> {
    pub user: &'a str,
    pub collection: &'a str,
    pub paths: &'a [PathBuf],
    pub manifest: Manifest,
    pub limits: Limits,
    /// Turns a file's bytes into a document.
    pub reader: Arc<dyn Reader>,
    /// Overrides what the files say about themselves.
    pub metadata: BTreeMap<String, String>,
    /// Whether to remove documents whose files are gone.
    pub prune: bool,
    /// Whether to keep the files beside their texts.
    pub keep_originals: bool,
}

/// The outcome of an order.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub added: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub chunks: u64,
    /// Files that were left out, and why.
    pub problems: Vec<Problem>,
    /// Documents stored without everything they should have, and why.
    pub incomplete: Vec<Problem>,
    /// Documents with pages that OCR read badly or not at all, and which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<Problem>,
}

/// A file that was left out or is incomplete.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
}

impl Report {
    /// Returns how many of the files are now in the collection.
    pub fn stored(&self) -> u64 {
        self.added + self.replaced + self.unchanged
    }

    fn enter(&mut self, name: String, fate: Fate) {
        match fate {
            Fate::Same => self.unchanged += 1,
            Fate::LeftOut { reason } => self.leave_out(name, reason),
            Fate::Kept(kept) => {
                if let Some(reason) = kept.doubt {
                    self.doubtful.push(Problem { path: name, reason });
                }
                match kept.put {
                    Put::Unchanged => self.unchanged += 1,
                    Put::Added => self.added += 1,
                    Put::Replaced => self.replaced += 1,
                }
                self.chunks += if kept.put == Put::Unchanged { 0 } else { kept.chunks };
            }
        }
    }

    fn leave_out(&mut self, path: String, reason: impl Into<String>) {
        self.problems.push(Problem { path, reason: reason.into() });
    }
}

/// Why ingestion stopped. What was stored before stays.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error(transparent)]
    Port(#[from] PortError),
}

/// How far an order is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that are settled: stored, unchanged or left out.
    pub done: usize,
    /// Files there are.
    pub all: usize,
    /// Passages that were indexed.
    pub passages: u64,
    /// The file that is read now.
    pub file: String,
}

/// Ingests the order's files. Calls `seen` before each file is read, and after files are stored.
pub async fn ingest(
    library: &dyn Library,
    embedder: Option<&dyn Embedder>,
    order: &Order<'_>,
    seen: impl FnMut(&Progress) + Send,
) -> Result<Report, IngestError> {
    let mut report = Report::default();
    let (files, unread) = list(order.paths, &mut report)?;
    let embedder = embedder.filter(|_| order.manifest.embedder.is_some());
    let Order { user, collection, .. } = *order;
    let writer = CollectionWriter { library, embedder, user, collection };
    writer.open(&order.manifest).await?;
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let known = writer.standing(&names).await?;
    let names: HashSet<String> = names.into_iter().collect();

    let how = FromDisk {
        manifest: &order.manifest,
        limits: &order.limits,
        reader: &order.reader,
        metadata: &order.metadata,
        vectors: embedder.is_some(),
        keep_originals: order.keep_originals,
    };
    let told = Mutex::new((Progress { all: files.len(), ..Progress::default() }, seen));
    let tell = |change: &dyn Fn(&mut Progress)| {
        let (progress, seen) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        change(progress);
        seen(progress);
    };
    {
        let read = stream::iter(files).map(|file| {
            tell(&|progress| progress.file.clone_from(&file.name));
            parse(file, &how, &known)
        });
        let mut kept = std::pin::pin!(writer.keep(read.buffered(READING)));
        while let Some(settled) = kept.next().await {
            let settled = settled?;
            let count = settled.len();
            for (name, fate) in settled {
                report.enter(name, fate);
            }
            tell(&|progress| {
                progress.done += count;
                progress.passages = report.chunks;
            });
        }
    }
    if order.prune && names.is_empty() {
        let reason = "nothing was removed, because no files were found. To remove everything, use `quaestio collections remove`";
        report.leave_out("--prune".into(), reason);
    } else if order.prune && unread {
        report
            .leave_out("--prune".into(), "nothing was removed, because a folder could not be read");
    } else if order.prune {
        // Fetched documents have no file that could be gone.
        let stored = library.documents(user, collection).await?;
        let files = stored.into_iter().filter(|stored| stored.kind == EvidenceKind::Rag);
        let gone: Vec<String> =
            files.map(|stored| stored.path).filter(|path| !names.contains(path)).collect();
        report.removed = library.remove_paths(order.user, order.collection, &gone).await?;
    }
    Ok(report)
}

/// Lists the files, each name once. Also returns whether a folder could not be read: files that were not found may still be there.
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
                report.leave_out(path, "its name contains control characters; rename it");
            } else if names.insert(file.name.clone()) {
                files.push(file);
            } else {
                let reason = format!(
                    "another file of this call is already stored as '{}'; rename one of them",
                    file.name
                );
                report.leave_out(file.path.display().to_string(), reason);
            }
        }
    }
    Ok((files, unread))
}

/// How files become documents.
struct FromDisk<'a> {
    manifest: &'a Manifest,
    limits: &'a Limits,
    reader: &'a Arc<dyn Reader>,
    metadata: &'a BTreeMap<String, String>,
    /// Whether chunks get vectors.
    vectors: bool,
    /// Whether the files are kept.
    keep_originals: bool,
}

/// Reads a file and prepares it for the index.
fn parse(
    file: crate::Found,
    how: &FromDisk<'_>,
    known: &HashMap<String, StoredDocument>,
) -> impl Future<Output = Item> + use<> {
    let known = known.get(&file.name).cloned();
    let (limits, reader, vectors) = (how.limits.clone(), Arc::clone(how.reader), how.vectors);
    let (manifest, given, keep) = (how.manifest.clone(), how.metadata.clone(), how.keep_originals);
    stages::reading(file.path.display().to_string(), move || {
        let bytes = load(&file.path, &limits)?;
        let file_sha256 = sha256(&bytes);
        let same_file = known.as_ref().is_some_and(|known| known.file_sha256 == file_sha256);
        let is_kept = known.as_ref().is_some_and(|known| known.original_bytes.is_some());
        if same_file && given.is_empty() && (is_kept || !keep) {
            return Ok(State::Settled(Fate::Same));
        }
        let label = Label::File { name: PathBuf::from(&file.name) };
        let mut document = reader.read(&label, &bytes, &limits)?;
        let original = keep.then_some(bytes);
        let mut metadata = std::mem::take(&mut document.metadata);
        // The documented layout keeps each company's documents in a folder of its name.
        if let Some((company, _)) = file.name.split_once('/') {
            metadata.entry("company".into()).or_insert_with(|| company.to_owned());
        }
        metadata.extend(given);
        let (path, kind) = (file.name, EvidenceKind::Rag);
        let origin = Origin { path, kind, work: None, file_sha256, metadata, original };
        let new = Box::new(stages::prepare(origin, document, &manifest));
        Ok(CollectionWriter::weigh(vectors, known.as_ref(), new))
    })
}
