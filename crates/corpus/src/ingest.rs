//! Files enter a collection: listed, read, chunked, embedded, stored. Files that cannot be read are reported at the end.
//!
//! The work flows through [`stages`] that overlap; fetched documents pass through the same ones.

mod bibliography;
mod catalogue;
mod filing;
mod named;
mod reader;
pub(crate) mod stages;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, StreamExt};
use run::embedding::Embedder;
use run::error::PortError;
use run::evidence::EvidenceKind;
use run::library::{Library, Manifest, Put, StoredDocument};
use serde::Serialize;
use text::Language;

pub use catalogue::Catalogue;
pub use named::{NameError, Named, TakeError, TakenFile, endings, label_of, take_file};
pub use reader::{Reader, Workers};

use crate::{Format, Limits, Skip, WalkError, Walked, walk};
use filing::{FromDisk, parse};
use stages::{CollectionWriter, Fate, Item, READING, State};

/// The files to ingest, and how.
pub struct Order<'a> {
    pub user: &'a str,
    pub collection: &'a str,
    pub paths: &'a [PathBuf],
    /// References with their files. What is no longer in a catalogue is removed from the collection.
    pub catalogues: &'a [Catalogue],
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
    /// Why it is worth making the collection anew, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// A file that was left out or is incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
}

impl Report {
    /// Returns how many of the files are now in the collection.
    pub fn stored(&self) -> u64 {
        self.added + self.replaced + self.unchanged
    }

    /// Adds what became of other files.
    pub fn add(&mut self, other: Report) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.chunks += other.chunks;
        self.problems.extend(other.problems);
        self.incomplete.extend(other.incomplete);
        self.advice = self.advice.take().or(other.advice);
    }

    /// Returns whether anything happened.
    pub fn is_change(&self) -> bool {
        self.added + self.replaced + self.removed > 0 || !self.problems.is_empty()
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
    let (mut sources, mut expected) =
        bibliography::expand(&files, order.paths, &order.limits, &mut report);
    for catalogue in order.catalogues {
        sources.extend(catalogue.sources(&mut expected, &mut report));
    }
    let embedder = embedder.filter(|_| order.manifest.embedder.is_some());
    let Order { user, collection, .. } = *order;
    let writer = CollectionWriter { library, embedder, user, collection };
    let manifest = writer.open(&order.manifest).await?;
    let names: Vec<String> = sources.iter().map(|source| source.found.name.clone()).collect();
    let known = writer.standing(&names).await?;
    let names: HashSet<String> = names.into_iter().chain(expected.there).collect();

    let how = FromDisk {
        manifest: &manifest,
        limits: &order.limits,
        reader: &order.reader,
        metadata: &order.metadata,
        vectors: embedder.is_some(),
        keep_originals: order.keep_originals,
    };
    let told = Mutex::new((Progress { all: sources.len(), ..Progress::default() }, seen));
    let tell = |change: &dyn Fn(&mut Progress)| {
        let (progress, seen) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        change(progress);
        seen(progress);
    };
    let is_foreign = |item: &Item| match &item.state {
        State::Ready(new) => {
            let told = new.metadata.get("lang").map(|code| Language::of_code(code));
            told.is_some_and(|language| language != manifest.language)
        }
        State::Settled(_) => false,
    };
    let foreign = AtomicBool::new(false);
    // The paths of the documents within files, and the files that were opened.
    let within = Mutex::new((HashSet::new(), expected.opened));
    {
        let read = stream::iter(sources).map(|source| {
            tell(&|progress| progress.file.clone_from(&source.found.name));
            parse(source, &how, &known)
        });
        let read = read.buffered(READING).flat_map(|file| {
            if manifest.languages.is_none() && file.items.iter().any(is_foreign) {
                foreign.store(true, Ordering::Relaxed);
            }
            tell(&|progress| progress.all = (progress.all + file.items.len()).saturating_sub(1));
            if let Some(inside) = file.within {
                let (paths, opened) = &mut *within.lock().unwrap_or_else(PoisonError::into_inner);
                paths.extend(inside);
                opened.insert(file.path);
            }
            stream::iter(file.items)
        });
        let mut kept = std::pin::pin!(writer.keep(read));
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
    report.advice = foreign.into_inner().then(|| {
        let language = manifest.language;
        format!(
            "the collection was made by an earlier version, and documents in any language are read as {language}. To have each read in its \
             own, remove the collection and ingest again"
        )
    });
    let mut prunes = order.prune;
    if order.prune && names.is_empty() {
        let reason = "nothing was removed, because no files were found. To remove everything, use `quaestio collections remove`";
        report.leave_out("--prune".into(), reason);
        prunes = false;
    } else if order.prune && unread {
        report
            .leave_out("--prune".into(), "nothing was removed, because a folder could not be read");
        prunes = false;
    }
    let (paths, opened) = within.into_inner().unwrap_or_else(PoisonError::into_inner);
    let catalogued: HashSet<&str> =
        order.catalogues.iter().map(|catalogue| catalogue.name.as_str()).collect();
    if prunes || !catalogued.is_empty() || opened.iter().any(|path| may_hold_files(path)) {
        let is_gone = |stored: &StoredDocument| {
            let path = &stored.path;
            let library = stored.metadata.get(catalogue::LIBRARY);
            let prunes = prunes || library.is_some_and(|name| catalogued.contains(name.as_str()));
            let mut around = path.match_indices('/').map(|(at, _)| &path[..at]);
            // What is in a file that was not opened this time is taken to be there still.
            let file = around.find(|file| names.contains(*file));
            let is_there = names.contains(path) || paths.contains(path);
            !is_there && file.map_or(prunes, |file| opened.contains(file))
        };
        // Fetched documents have no file that could be gone.
        let stored = library.documents(user, collection).await?;
        let files = stored.into_iter().filter(|stored| stored.kind == EvidenceKind::Rag);
        let gone: Vec<String> = files.filter(is_gone).map(|stored| stored.path).collect();
        if prunes || !gone.is_empty() {
            report.removed = library.remove_paths(order.user, order.collection, &gone).await?;
        }
    }
    Ok(report)
}

/// Returns whether a file with this name may have held other files when it was read before.
fn may_hold_files(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let format = Format::by_extension(ending);
    ending == "gz" || format.is_some_and(Format::holds_files) || bibliography::may_be_one(path)
}

/// Lists the files, each name once; fails only if a single path is given. Also returns whether a folder could not be read: files that were not found may still be there.
fn list(paths: &[PathBuf], report: &mut Report) -> Result<(Vec<crate::Found>, bool), WalkError> {
    let mut files: Vec<crate::Found> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut unread = false;
    for path in paths {
        let Walked { files: found, skipped } = match walk(path) {
            Ok(walked) => walked,
            // The other paths are read all the same.
            Err(error) if paths.len() > 1 => {
                unread = true;
                report.leave_out(
                    run::grounding::clean(&path.display().to_string()),
                    error.to_string(),
                );
                continue;
            }
            Err(error) => return Err(error),
        };
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
