//! Files into a collection: walk, read, cut, store; what cannot be read is named at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use corpus::{ChunkSize, Limits, Skip};
use run::analysis;
use run::library::{Library, Manifest, NewChunk, NewDocument, Put};
use serde::Serialize;

use crate::failure::Failure;

pub(crate) const DEFAULT_COLLECTION: &str = "default";

/// What is ingested, and how.
pub(crate) struct Order<'a> {
    pub(crate) user: &'a str,
    pub(crate) collection: &'a str,
    pub(crate) paths: &'a [PathBuf],
    pub(crate) manifest: Manifest,
    pub(crate) limits: Limits,
    /// Laid over what the files say of themselves.
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) prune: bool,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) added: u64,
    pub(crate) replaced: u64,
    pub(crate) unchanged: u64,
    pub(crate) removed: u64,
    pub(crate) chunks: u64,
    /// Files that were left out, and why.
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    pub(crate) path: String,
    pub(crate) reason: String,
}

impl Report {
    pub(crate) fn stored(&self) -> u64 {
        self.added + self.replaced + self.unchanged
    }
}

/// Collection names and document ids never become paths, and look alike everywhere.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Failure> {
    let fits = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if fits {
        return Ok(());
    }
    let shown: String =
        name.chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect();
    Err(Failure::usage(
        format!("'{shown}' cannot be the name of a {what}"),
        "use up to 64 letters, digits, - and _, beginning with a letter or digit",
    ))
}

/// Ingests the order's files. `seen` hears of each file before it is read: how many are done, of how many.
pub(crate) async fn ingest(
    library: &dyn Library,
    order: &Order<'_>,
    mut seen: impl FnMut(usize, usize, &str),
) -> Result<Report, Failure> {
    check_name("collection", order.collection)?;
    let mut report = Report::default();
    let mut files: Vec<corpus::Found> = Vec::new();
    // Whether a folder could not be looked into: what is not found may still be there.
    let mut unread = false;
    for path in order.paths {
        let walked = corpus::walk(path)
            .map_err(|error| Failure::usage(error.to_string(), "check the path"))?;
        unread |=
            walked.skipped.iter().any(|skipped| matches!(skipped.reason, Skip::Unreadable { .. }));
        let skipped = walked.skipped.iter().map(|skipped| Problem {
            path: skipped.path.display().to_string(),
            reason: skipped.reason.to_string(),
        });
        report.problems.extend(skipped);
        files.extend(walked.files);
    }
    library.open(order.user, order.collection, &order.manifest).await?;
    let known = library.paths(order.user, order.collection).await?;
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (done, file) in files.iter().enumerate() {
        seen(done, files.len(), &file.name);
        if file.name.contains(char::is_control) {
            let path = run::grounding::clean(&file.name);
            report.problems.push(Problem {
                path,
                reason: "its name holds control characters; rename it".into(),
            });
            continue;
        }
        if !names.insert(file.name.clone()) {
            let reason = format!("another file of this call is stored as '{}' already", file.name);
            report.problems.push(Problem { path: file.path.display().to_string(), reason });
            continue;
        }
        match read(file, order, known.get(&file.name).map(String::as_str)).await {
            Ok(None) => report.unchanged += 1,
            Ok(Some(document)) => {
                report.chunks += document.chunks.len() as u64;
                match library.put(order.user, order.collection, document).await? {
                    Put::Added => report.added += 1,
                    Put::Replaced => report.replaced += 1,
                    Put::Unchanged => report.unchanged += 1,
                }
            }
            Err(reason) => {
                report.problems.push(Problem { path: file.path.display().to_string(), reason });
            }
        }
    }
    seen(files.len(), files.len(), "");
    if order.prune && unread {
        let reason = "nothing is removed: a folder could not be read".to_owned();
        report.problems.push(Problem { path: "--prune".into(), reason });
    } else if order.prune {
        let gone: Vec<String> = known.into_keys().filter(|path| !names.contains(path)).collect();
        report.removed = library.remove_paths(order.user, order.collection, &gone).await?;
    }
    Ok(report)
}

/// Reads a file and prepares it for the index; none if the same content stands there already.
async fn read(
    file: &corpus::Found,
    order: &Order<'_>,
    known: Option<&str>,
) -> Result<Option<NewDocument>, String> {
    let (path, limits) = (file.path.clone(), order.limits.clone());
    let name = file.name.clone();
    let known = known.map(str::to_owned);
    let fresh_metadata = !order.metadata.is_empty();
    // Parsers run where they may take their time.
    let parsed = tokio::task::spawn_blocking(move || {
        let bytes = corpus::load(&path, &limits).map_err(|error| error.to_string())?;
        let file_sha256 = corpus::sha256(&bytes);
        if known.as_deref() == Some(&file_sha256) && !fresh_metadata {
            return Ok(None);
        }
        let document =
            corpus::read(Path::new(&name), &bytes, &limits).map_err(|error| error.to_string())?;
        Ok(Some((document, file_sha256)))
    });
    let parsed: Result<_, String> =
        parsed.await.unwrap_or_else(|_| Err("its reader broke down".into()));
    let Some((document, file_sha256)) = parsed? else { return Ok(None) };
    let size = ChunkSize {
        target_tokens: order.manifest.chunk_tokens as usize,
        smallest_tokens: order.manifest.smallest_chunk_tokens as usize,
    };
    let chunks = corpus::chunk(&document, &size).into_iter().map(|chunk| {
        let section = document
            .sections
            .get(chunk.section)
            .map_or_else(String::new, |section| section.path.join(" > "));
        let text = document.text.get(chunk.start..chunk.end).unwrap_or_default();
        let terms = analysis::terms(&format!("{section}\n{text}"), order.manifest.language);
        NewChunk { section, start: chunk.start as u64, end: chunk.end as u64, terms }
    });
    let chunks = chunks.collect();
    let mut metadata = document.metadata.clone();
    // The documented layout keeps each company's documents in a folder of its name.
    if let Some((company, _)) = file.name.split_once('/') {
        metadata.entry("company".into()).or_insert_with(|| company.to_owned());
    }
    metadata.extend(order.metadata.clone());
    Ok(Some(NewDocument {
        path: file.name.clone(),
        title: document.title.clone(),
        format: serde_json::to_value(document.format)
            .ok()
            .and_then(|name| Some(name.as_str()?.to_owned()))
            .unwrap_or_default(),
        file_sha256,
        text_sha256: corpus::sha256(document.text.as_bytes()),
        text: document.text,
        metadata,
        chunks,
    }))
}

/// Reads `key=value` pairs as the command line gives them.
pub(crate) fn pairs(flag: &str, given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |text: &String| {
        let (key, value) =
            text.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                Failure::usage(
                    format!("'{text}' is not key=value"),
                    format!("write for example {flag} topic=treatment"),
                )
            })?;
        Ok((key.trim().to_lowercase(), value.trim().to_owned()))
    };
    given.iter().map(pair).collect()
}
