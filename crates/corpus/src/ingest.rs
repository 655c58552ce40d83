//! Files enter a collection: listed, read, chunked, embedded, stored. Files that cannot be read are reported at the end.
//!
//! The work flows through [`stages`] that overlap; fetched documents pass through the same ones.

mod around;
mod bibliography;
mod catalogue;
mod filing;
mod named;
mod reader;
mod report;
pub(crate) mod stages;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, StreamExt};
use run::embedding::Embedder;
use run::error::PortError;
use run::evidence::EvidenceKind;
use run::library::{Library, Manifest, Part, StoredDocument};
use text::Language;

pub use catalogue::Catalogue;
pub use named::{NameError, Named, TakeError, TakenFile, endings, label_of, take_file};
pub use reader::{Reader, Workers};
pub use report::{Problem, Report};

use crate::{Format, Limits, Skip, WalkError, Walked, walk};
use filing::{FromDisk, parse};
use stages::{CollectionWriter, Fate, Item, State};

/// How many files are looked up among the documents stored before at a time: only what is known of these is in memory.
const LOT: usize = 1_000;

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

/// Why ingestion stopped. What was stored before stays.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error(transparent)]
    Port(#[from] PortError),
}

/// How far an order is. Files within files are not counted.
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
    let manifest = writer.open(&order.manifest).await?;
    let expand = bibliography::expand(&files, order.paths, &order.limits, &writer, &mut report);
    let (mut sources, mut expected) = expand.await?;
    for catalogue in order.catalogues {
        sources.extend(catalogue.sources(&mut expected, &mut report));
    }
    let names = sources.iter().map(|source| source.found.name.clone());
    let names: HashSet<String> = names.chain(expected.there).collect();
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
    let mut opened = Opened { files: expected.opened, ..Opened::default() };
    let mut sources = sources.into_iter().peekable();
    while sources.peek().is_some() {
        let lot: Vec<_> = sources.by_ref().take(LOT).collect();
        let paths: Vec<String> = lot.iter().map(|source| source.found.name.clone()).collect();
        let mut known = writer.standing(&paths).await?;
        drop(paths);
        let read = stream::iter(lot).map(|source| {
            tell(&|progress| progress.file.clone_from(&source.found.name));
            let known = known.remove(&source.found.name);
            parse(source, &how, known)
        });
        // The files whose items are on their way into the store.
        let under_way = Mutex::new(UnderWay::default());
        let items = read.buffer_unordered(stages::readers()).flat_map(|file| {
            if manifest.languages.is_none() && file.items.iter().any(is_foreign) {
                foreign.store(true, Ordering::Relaxed);
            }
            let under_way = &mut *under_way.lock().unwrap_or_else(PoisonError::into_inner);
            under_way.files.push_back(file.items.len());
            if let Some(item) = file.items.first().filter(|_| file.is_closed) {
                under_way.opened.closed.insert(file.path.clone(), item.name.clone());
            }
            if let Some(within) = file.within {
                under_way.opened.paths.extend(within);
                under_way.opened.files.insert(file.path);
            }
            stream::iter(file.items)
        });
        let settle =
            |items: usize| under_way.lock().unwrap_or_else(PoisonError::into_inner).settle(items);
        {
            let mut kept = std::pin::pin!(writer.keep(items));
            while let Some(settled) = kept.next().await {
                let settled = settled?;
                let files = settle(settled.len());
                for (name, fate) in settled {
                    report.enter(name, fate);
                }
                let chunks = report.chunks;
                tell(&|progress| {
                    progress.done += files;
                    progress.passages = chunks;
                });
            }
        }
        let rest = settle(0);
        tell(&|progress| progress.done += rest);
        let lot = under_way.into_inner().unwrap_or_else(PoisonError::into_inner).opened;
        opened.paths.extend(lot.paths);
        opened.files.extend(lot.files);
        opened.closed.extend(lot.closed);
    }
    if !opened.closed.is_empty() {
        enter_within(&writer, &opened.closed, &mut report).await?;
    }
    report.sort();
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
    let catalogued: HashSet<&str> =
        order.catalogues.iter().map(|catalogue| catalogue.name.as_str()).collect();
    let may_be_gone = opened.files.iter().any(|path| may_hold_files(path));
    if prunes || !catalogued.is_empty() || may_be_gone {
        let gone = find_gone(library, user, collection, |stored| {
            let path = &stored.path;
            let library = stored.metadata.get(catalogue::LIBRARY);
            let prunes = prunes || library.is_some_and(|name| catalogued.contains(name.as_str()));
            let mut around = path.match_indices('/').map(|(at, _)| &path[..at]);
            // What is in a file that was not opened this time is taken to be there still.
            let file = around.find(|file| names.contains(*file));
            let is_there = names.contains(path) || opened.paths.contains(path);
            !is_there && file.map_or(prunes, |file| opened.files.contains(file))
        });
        let gone = gone.await?;
        if prunes || !gone.is_empty() {
            report.removed = library.remove_paths(order.user, order.collection, &gone).await?;
        }
    }
    Ok(report)
}

/// The files that were opened, and the paths of the documents within them.
#[derive(Default)]
struct Opened {
    files: HashSet<String>,
    paths: HashSet<String>,
    /// The paths of those that were not, since they have not changed and may hold files, with their names in reports.
    closed: HashMap<String, String>,
}

/// Files that were read and are not settled yet.
#[derive(Default)]
struct UnderWay {
    /// The number of items of each file, in the order in which they are stored.
    files: VecDeque<usize>,
    opened: Opened,
}

impl UnderWay {
    /// Takes off the next `items`; returns how many files are settled with them.
    fn settle(&mut self, mut items: usize) -> usize {
        let mut settled = 0;
        while let Some(first) = self.files.front_mut() {
            if *first > items {
                *first -= items;
                break;
            }
            items -= *first;
            self.files.pop_front();
            settled += 1;
        }
        settled
    }
}

/// Reports the documents within files that have not changed: like these, they were not read.
async fn enter_within(
    writer: &CollectionWriter<'_>,
    closed: &HashMap<String, String>,
    report: &mut Report,
) -> Result<(), PortError> {
    let see = |stored: StoredDocument| {
        let path = &stored.path;
        let mut around = path.match_indices('/').map(|(at, _)| path.split_at(at));
        let name = around.find_map(|(file, inside)| Some(format!("{}{inside}", closed.get(file)?)));
        if let Some(name) = name {
            report.enter(name, Fate::Same { lack: stages::lack(&stored.metadata) });
        }
    };
    each_file_of(writer.library, writer.user, writer.collection, see).await
}

/// Returns the paths of the documents whose files are gone.
async fn find_gone(
    library: &dyn Library,
    user: &str,
    collection: &str,
    is_gone: impl Fn(&StoredDocument) -> bool,
) -> Result<Vec<String>, PortError> {
    let mut gone = Vec::new();
    let see = |stored: StoredDocument| gone.extend(is_gone(&stored).then_some(stored.path));
    each_file_of(library, user, collection, see).await?;
    Ok(gone)
}

/// Calls `see` with each document that comes from a file; fetched documents have none.
async fn each_file_of(
    library: &dyn Library,
    user: &str,
    collection: &str,
    mut see: impl FnMut(StoredDocument),
) -> Result<(), PortError> {
    let mut after = None;
    loop {
        let part = Part { after, limit: LOT as u32 };
        let stored = library.documents_part(user, collection, &part).await?;
        after = stored.last().map(|last| last.path.clone());
        let is_last = stored.len() < LOT;
        stored.into_iter().filter(|stored| stored.kind == EvidenceKind::Rag).for_each(&mut see);
        if is_last {
            return Ok(());
        }
    }
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

#[cfg(test)]
mod tests;
