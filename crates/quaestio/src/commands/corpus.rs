//! `quaestio ingest`, `collections` and `documents`.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use ::corpus::{Problem, Report};

use serde_json::json;

use run::library::{Collection, Part};

use super::CliContext;
use super::collect::{FORMATS_HINT, Wanted, collect, pairs};
use super::fetched::Given;
use super::gates::read_line;
use super::git::Revision;
use super::stoppable;
use super::watch::Snapshot;
use crate::cli::{CollectionsCommand, DocumentsCommand, IngestArgs};
use crate::failure::{Exit, Failure};
use crate::listing::{self, Listing};
use crate::names::{check_name, is_of_evaluation};
use crate::output;

pub(super) async fn ingest(context: &CliContext<'_>, args: &IngestArgs) -> Result<Exit, Failure> {
    let metadata = pairs("--meta", &args.metadata)?;
    let given = Given::of(&args.targets)?;
    if args.watch && given.paths.is_empty() {
        return Err(Failure::usage(
            "--watch applies to files, and no file is given",
            "name the files or folders to watch",
        ));
    }
    if args.prune && given.repositories.len() + usize::from(!given.paths.is_empty()) > 1 {
        return Err(Failure::usage(
            "--prune would remove what the other targets of this command bring",
            "prune with files alone, or with one repository; give each repository a collection of its own",
        ));
    }
    let (paths, libraries) = (given.paths.clone(), given.libraries.clone());
    let wanted = Wanted {
        collection: &args.collection,
        paths: &paths,
        libraries: &libraries,
        metadata,
        // What is gone cannot be told from what was not found.
        prune: args.prune && given.unknown.is_empty(),
        linked_files: args.linked_files.as_deref(),
    };
    let before = args.watch.then(|| Snapshot::of(&paths));
    let mut taken = None;
    let read = stoppable(async {
        let report = read_all(context, args, given, &wanted).await?;
        taken = Some(report.added + report.replaced);
        tell(context, args, &report)
    })
    .await;
    if let Ok(Exit::Cancelled) = read {
        tell_what_is_kept(context, args).await?;
    }
    let (Some(before), Some(mut taken)) = (before, taken) else { return read };
    if let Err(failure) = read {
        context.note(&failure.what);
    }
    stoppable(watch(context, args, &wanted, before, &mut taken)).await?;
    let s = if taken == 1 { "" } else { "s" };
    context.note(&format!("stopped; {taken} document{s} taken"));
    Ok(Exit::Done)
}

/// Reads all that was given.
async fn read_all(
    context: &CliContext<'_>,
    args: &IngestArgs,
    mut given: Given,
    wanted: &Wanted<'_>,
) -> Result<Report, Failure> {
    let metadata = &wanted.metadata;
    given.add_sitemaps(context, &args.collection, &args.sitemap, args.most_pages).await?;
    let has_files = !given.paths.is_empty() || !given.repositories.is_empty();
    if !has_files && (args.prune || !metadata.is_empty()) {
        return Err(Failure::usage(
            "--prune and --meta apply to files, and no file is given",
            "leave them out for web pages and papers",
        ));
    }
    let mut report = match wanted.paths.is_empty() {
        true => Report::default(),
        false => collect(context, wanted.clone()).await?,
    };
    for revision in std::mem::take(&mut given.repositories) {
        report.add(collect_revision(context, args, revision, metadata).await?);
    }
    if args.prune && !wanted.prune {
        let reason = "nothing was removed, because not all that was named is there".to_owned();
        report.problems.push(Problem { path: "--prune".to_owned(), reason });
    }
    report.problems.extend(given.unknown.iter().cloned());
    if given.anything_outside() {
        given.fetch(context, &args.collection, args.abstracts, &mut report).await?;
    }
    Ok(report)
}

/// Reads the wanted files again whenever they differ from those of `read`, and counts in `taken` the documents that this brings.
/// Does not end by itself.
async fn watch(
    context: &CliContext<'_>,
    args: &IngestArgs,
    wanted: &Wanted<'_>,
    mut read: Snapshot,
    taken: &mut u64,
) -> Result<Exit, Failure> {
    let names: Vec<String> = wanted.paths.iter().map(|path| path.display().to_string()).collect();
    context.note(&run::grounding::clean(&format!("watching {}; Ctrl-C stops", names.join(", "))));
    loop {
        read = read.next(wanted.paths).await;
        match collect(context, wanted.clone()).await {
            Ok(report) if report.is_change() => {
                *taken += report.added + report.replaced;
                let _ = tell(context, args, &report);
            }
            Ok(_) => {}
            // A folder may be away for a moment.
            Err(failure) => context.note(&format!("not read: {}", failure.what)),
        }
    }
}

/// Reads the files of a Git repository as of a revision; each document's metadata names the commit.
async fn collect_revision(
    context: &CliContext<'_>,
    args: &IngestArgs,
    revision: Revision,
    metadata: &BTreeMap<String, String>,
) -> Result<Report, Failure> {
    let checkout = tokio::task::spawn_blocking(move || revision.check_out()).await;
    let checkout = checkout.map_err(|error| Failure::new(error.to_string(), "try it again"))??;
    let mut metadata = metadata.clone();
    metadata.insert("commit".to_owned(), checkout.commit.clone());
    metadata.insert("repository".to_owned(), checkout.repository.clone());
    let (collection, paths) = (&*args.collection, [checkout.tree().to_owned()]);
    let (paths, prune) = (paths.as_slice(), args.prune);
    let wanted = Wanted { collection, paths, metadata, prune, ..Wanted::default() };
    let mut report = collect(context, wanted).await?;
    let tree = checkout.tree().display().to_string();
    for problem in &mut report.problems {
        problem.path = problem.path.replacen(&tree, &checkout.repository, 1);
    }
    Ok(report)
}

/// Prints what became of the files.
fn tell(context: &CliContext<'_>, args: &IngestArgs, report: &Report) -> Result<Exit, Failure> {
    if args.json.is_wanted() {
        let page = json!({ "collection": args.collection, "report": report });
        context.face.out.line(&output::json(&page));
    } else {
        context.face.out.line(&format!(
            "{}: {} added, {} replaced, {} unchanged, {} removed; {} passages indexed",
            args.collection,
            report.added,
            report.replaced,
            report.unchanged,
            report.removed,
            report.chunks
        ));
    }
    for (what, problems) in [
        ("that are scans, read with doubts", &report.doubtful),
        ("incomplete, stored without a part of their file", &report.incomplete),
        ("left out", &report.problems),
    ] {
        if problems.is_empty() {
            continue;
        }
        context.face.err.line(&format!("{} {what}:", problems.len()));
        for Problem { path, reason } in problems {
            context.face.err.line(&run::grounding::clean(&format!("  {path}: {reason}")));
        }
    }
    if let Some(advice) = &report.advice {
        context.note(&run::grounding::clean(advice));
    }
    if report.problems.is_empty() && report.incomplete.is_empty() {
        return Ok(Exit::Done);
    }
    if report.problems.iter().any(|problem| problem.reason.contains("raise the limit")) {
        context
            .face
            .err
            .line("the limits are the settings corpus.file_bytes, corpus.file_seconds and corpus.file_memory_bytes");
    }
    if report.stored() == 0 {
        return Err(Failure::new("nothing could be read", FORMATS_HINT));
    }
    Ok(Exit::Partial)
}

/// Tells after an interrupt what is in the collection, and how to read the rest.
async fn tell_what_is_kept(context: &CliContext<'_>, args: &IngestArgs) -> Result<(), Failure> {
    let (library, name) = (&context.database.library, &args.collection);
    let kept = library.collection(&context.config.user, name).await?;
    let documents = kept.map_or(0, |collection| collection.documents);
    context.note(&format!(
        "stopped; the collection '{name}' has {documents} documents, which are kept\n\
         run the same command again to read the rest"
    ));
    Ok(())
}

/// Asks at the terminal whether a collection is to be removed; without a terminal `--yes` is needed.
async fn agreed_to_remove(
    context: &CliContext<'_>,
    name: &str,
    documents: u64,
) -> Result<bool, Failure> {
    if !context.face.terminal {
        return Err(Failure::usage(
            format!("removing '{name}' deletes its {documents} documents and cannot be undone"),
            format!("confirm it: `quaestio collections remove {name} --yes`"),
        ));
    }
    context.face.err.put(&format!(
        "Remove the collection '{name}' with its {documents} documents? This cannot be undone.\n\
         Type y to remove it; anything else keeps it.\n> "
    ));
    let typed = read_line().await.unwrap_or_default();
    Ok(matches!(typed.trim().to_lowercase().as_str(), "y" | "yes"))
}

pub(super) async fn collections(
    context: &CliContext<'_>,
    command: CollectionsCommand,
) -> Result<Exit, Failure> {
    let user = &context.config.user;
    match command {
        CollectionsCommand::List { all, json } => {
            let whole = Part { after: None, limit: u32::MAX };
            let mut collections =
                context.database.library.collections_part(user, all, &whole).await?;
            collections.retain(|one| all || !is_of_evaluation(&one.name));
            if json.is_wanted() {
                context.face.out.line(&output::json(&collections));
                return Ok(Exit::Done);
            }
            if collections.is_empty() {
                context.note(
                    "no collections yet; make one with `quaestio ingest PATH --collection NAME`",
                );
            }
            let mut table = Listing::new(["Collection", "Documents#", "Passages#", "Updated"]);
            for Collection { name, documents, chunks, updated_at, .. } in collections {
                let updated = listing::time(updated_at);
                table.row([name, documents.to_string(), chunks.to_string(), updated]);
            }
            table.write(&context.face.out);
        }
        CollectionsCommand::Show { name, json } => {
            check_name("collection", &name)?;
            let documents = context.database.library.documents(user, &name).await?;
            let collection = context.database.library.collection(user, &name).await?;
            if json.is_wanted() {
                let page = json!({ "collection": collection, "documents": documents });
                context.face.out.line(&output::json(&page));
                return Ok(Exit::Done);
            }
            if let Some(Collection { manifest, chunks, created_at, updated_at, .. }) = collection {
                let embedder = manifest.embedder.map_or_else(
                    || "none; searched by words only".to_owned(),
                    |embedder| format!("{} ({} dimensions)", embedder.model, embedder.dimensions),
                );
                let languages = match &manifest.languages {
                    Some(languages) if languages.is_empty() => {
                        format!("of each document, or {}", manifest.language)
                    }
                    Some(languages) => {
                        let names: Vec<String> =
                            languages.iter().map(ToString::to_string).collect();
                        names.join(", ")
                    }
                    None => format!("{} for all (made by an earlier version)", manifest.language),
                };
                let line = format!(
                    "{name}: {} documents, {chunks} passages\nembedder: {embedder}\nlanguages: {languages}\n\
                     passages of up to {} tokens\ncreated {}, updated {}",
                    documents.len(),
                    manifest.chunk_tokens,
                    listing::time(created_at),
                    listing::time(updated_at)
                );
                context.face.out.line(&run::grounding::clean(&line));
            }
            let mut table = Listing::new(["Document", "Path", "Passages#", "Title"]);
            for document in documents {
                let passages = document.chunks.to_string();
                table.row([document.document_id, document.path, passages, document.title]);
            }
            table.write(&context.face.out);
        }
        CollectionsCommand::Remove { name, yes, json } => {
            check_name("collection", &name)?;
            if let Some(there) = context.database.library.collection(user, &name).await?
                && !yes
                && !agreed_to_remove(context, &name, there.documents).await?
            {
                context.note(&format!("{name} is kept"));
                return Ok(Exit::Cancelled);
            }
            if !context.database.library.remove(user, &name).await? {
                return Err(Failure::new(
                    format!("there is no collection '{name}'"),
                    "list the collections with `quaestio collections list`",
                ));
            }
            context.face.out.line(&match json.is_wanted() {
                true => output::json_line(&json!({ "collection": name, "state": "removed" })),
                false => format!("{name} removed"),
            });
        }
    }
    Ok(Exit::Done)
}

pub(super) async fn documents(
    context: &CliContext<'_>,
    command: DocumentsCommand,
) -> Result<Exit, Failure> {
    let user = &context.config.user;
    match command {
        DocumentsCommand::List { collection, json } => {
            check_name("collection", &collection)?;
            let documents = context.database.library.documents(user, &collection).await?;
            if json.is_wanted() {
                context.face.out.line(&output::json(&documents));
                return Ok(Exit::Done);
            }
            let mut table = Listing::new(["Document", "Path", "Language", "Read", "Title"]);
            for document in documents {
                let read = listing::time(document.ingested_at);
                let language = document.metadata.get("lang").cloned().unwrap_or_default();
                table.row([document.document_id, document.path, language, read, document.title]);
            }
            table.write(&context.face.out);
        }
        DocumentsCommand::Show { id, text: whole, span, json } => {
            check_name("document", &id)?;
            let Some((document, text)) = context.database.library.document(user, &id).await? else {
                return Err(Failure::new(
                    format!("there is no document {id}"),
                    "list the documents with `quaestio documents list`",
                ));
            };
            match span {
                Some(span) => {
                    let part = read_span(&span)
                        .and_then(|(start, end)| text.get(start..end))
                        .ok_or_else(|| {
                            Failure::usage(
                                format!(
                                    "'{span}' is not a span of this text, which has {} bytes",
                                    text.len()
                                ),
                                "write START..END in UTF-8 bytes, as in citations",
                            )
                        })?;
                    match json.is_wanted() {
                        true => {
                            let page = json!({ "document_id": id, "span": span, "text": part });
                            context.face.out.line(&output::json(&page));
                        }
                        false => context.face.out.line(&shown(part)),
                    }
                }
                None if whole && json.is_wanted() => {
                    let page = json!({ "document": document, "text": text });
                    context.face.out.line(&output::json(&page));
                }
                None if whole => context.face.out.put(&shown(&text)),
                None => {
                    context.face.out.line(&output::json(&document));
                }
            }
        }
    }
    Ok(Exit::Done)
}

fn read_span(span: &str) -> Option<(usize, usize)> {
    let (start, end) = span.split_once("..")?;
    Some((start.trim().parse().ok()?, end.trim().parse().ok()?))
}

/// Returns a text byte for byte, since offsets refer to it; on a terminal, without control characters.
fn shown(text: &str) -> String {
    if std::io::stdout().is_terminal() { run::grounding::clean(text) } else { text.to_owned() }
}
