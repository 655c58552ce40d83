//! Reading files into a collection, for `ingest` and `ask --docs`.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use corpus::{IngestError, Order, Problem, Report};

use super::CliContext;
use crate::catalogues::{self, Sorted};
use crate::failure::Failure;
use crate::names::check_name;
use crate::reading::ReadingLine;

/// What to do where no file could be read.
pub(super) const FORMATS_HINT: &str = "give files in one of the usual formats, such as PDF, DOCX, PPTX, XLSX, HTML, Markdown or text (the manual lists all, under “Answer from your documents”)";

/// What is read into a collection.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted<'a> {
    pub(super) collection: &'a str,
    /// Files, folders and Zotero libraries.
    pub(super) paths: &'a [PathBuf],
    /// Those of the paths that were named as Zotero libraries.
    pub(super) libraries: &'a [PathBuf],
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) prune: bool,
    /// Zotero's folder for linked files.
    pub(super) linked_files: Option<&'a Path>,
}

/// Reads files, folders and Zotero libraries into a collection.
pub(super) async fn collect(
    context: &CliContext<'_>,
    wanted: Wanted<'_>,
) -> Result<Report, Failure> {
    let Wanted { collection, paths, libraries, metadata, prune, linked_files } = wanted;
    check_name("collection", collection)?;
    let corpus = &context.config.corpus;
    let embedder = match &context.tools.embedder {
        Some(embedders) => Some(embedders.open().await?),
        None => None,
    };
    if let Some(embedder) = &embedder {
        let slow = cfg!(debug_assertions) && embedder.embedding().fingerprint.is_some();
        let hint =
            if slow { "; a debug build is a hundred times slower: use --release" } else { "" };
        context.note(&format!("embedding passages with {}{hint}", embedder.embedding().model));
    }
    let Sorted { paths: files, catalogues, problems } =
        catalogues::sort(paths, libraries, linked_files).await?;
    for catalogue in &catalogues {
        let count = catalogue.references.len();
        context.note(&format!("reading {count} entries of the library {}", catalogue.name));
    }
    let order = Order {
        user: &context.config.user,
        collection,
        paths: &files,
        catalogues: &catalogues,
        manifest: corpus.manifest(embedder.as_ref().map(|embedder| embedder.embedding().clone())),
        limits: corpus.limits(),
        reader: Arc::clone(&context.tools.reader),
        metadata,
        prune: prune && problems.is_empty(),
        keep_originals: corpus.keep_originals,
    };
    let line = ReadingLine::of(&context.face.err, context.common.quiet);
    let (library, embedder) = (&*context.database.library, embedder.as_deref());
    let reading = ::corpus::ingest(library, embedder, &order, |progress| line.hear(progress));
    let report = line.beside(reading).await;
    let mut report = report.map_err(|error| match error {
        IngestError::Walk(error) => Failure::usage(error.to_string(), "check the path"),
        IngestError::Port(error) => Failure::from(error),
    })?;
    if prune && !problems.is_empty() {
        let reason = "nothing was removed, because a library could not be read".to_owned();
        report.problems.push(Problem { path: "--prune".to_owned(), reason });
    }
    report.problems.extend(problems);
    if !prune && report.stored() == 0 && report.problems.is_empty() {
        let named = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        return Err(Failure::new(
            run::grounding::clean(&format!("found no documents in {}", named.join(", "))),
            format!("hidden files are skipped; {FORMATS_HINT}"),
        ));
    }
    Ok(report)
}

/// Reads a small text file whole; the error says why it cannot be read, or that it has more than `most` bytes.
pub(super) fn bounded(path: &Path, most: u64) -> Result<String, String> {
    let mut text = String::new();
    // A device reports no size.
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(most + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    Ok(text)
}

/// Reads documents for one run alone; fails if none can be read.
pub(super) async fn read_documents(
    context: &CliContext<'_>,
    docs: &[PathBuf],
    collection: &str,
) -> Result<(), Failure> {
    let wanted = Wanted { collection, paths: docs, ..Wanted::default() };
    let report = collect(context, wanted).await?;
    left_out(context, &report)?;
    context.note(&format!("read {} documents, {} passages", report.stored(), report.chunks));
    Ok(())
}

/// Reports what was left out, and what documents lack; fails if nothing was read.
pub(super) fn left_out(context: &CliContext<'_>, report: &Report) -> Result<(), Failure> {
    let left_out = report.problems.iter().map(|problem| ("left out", problem));
    let incomplete = report.incomplete.iter().map(|problem| ("incomplete", problem));
    for (what, problem) in left_out.chain(incomplete) {
        context
            .face
            .err
            .line(&run::grounding::clean(&format!("{what}: {}: {}", problem.path, problem.reason)));
    }
    if report.stored() == 0 {
        return Err(Failure::new("none of the documents could be read", FORMATS_HINT));
    }
    Ok(())
}

/// Parses `key=value` pairs from the command line.
pub(super) fn pairs(flag: &str, given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |text: &String| {
        let (key, value) =
            text.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                Failure::usage(
                    format!("'{text}' is not key=value"),
                    format!("write KEY=VALUE, for example {flag} topic=treatment"),
                )
            })?;
        Ok((key.trim().to_lowercase(), value.trim().to_owned()))
    };
    given.iter().map(pair).collect()
}
