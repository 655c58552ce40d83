//! `quaestio ingest`, `collections` and `documents`.

use ::corpus::{Problem, Report};
use std::io::IsTerminal;

use serde_json::json;

use run::library::{Collection, Part};

use super::CliContext;
use super::collect::{collect, pairs};
use super::fetched::Given;
use crate::cli::{CollectionsCommand, DocumentsCommand, IngestArgs};
use crate::failure::{Exit, Failure};
use crate::names::check_name;
use crate::output;

pub(super) async fn ingest(context: &CliContext<'_>, args: &IngestArgs) -> Result<Exit, Failure> {
    let metadata = pairs("--meta", &args.metadata)?;
    let given = Given::of(&args.targets)?;
    if given.paths.is_empty() && (args.prune || !metadata.is_empty()) {
        return Err(Failure::usage(
            "--prune and --meta apply to files, and no file is given",
            "leave them out for web pages and papers",
        ));
    }
    let mut report = match given.paths.is_empty() {
        true => Report::default(),
        false => collect(context, &args.collection, &given.paths, metadata, args.prune).await?,
    };
    if given.anything_outside() {
        given.fetch(context, &args.collection, args.abstracts, &mut report).await?;
    }
    context.face.out.line(&format!(
        "{}: {} added, {} replaced, {} unchanged, {} removed; {} chunks indexed",
        args.collection,
        report.added,
        report.replaced,
        report.unchanged,
        report.removed,
        report.chunks
    ));
    if report.problems.is_empty() && report.incomplete.is_empty() {
        return Ok(Exit::Done);
    }
    for (what, problems) in [
        ("without their full text; the same command fetches it later", &report.incomplete),
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
    if report.problems.iter().any(|problem| problem.reason.contains("raise the limit")) {
        context
            .face
            .err
            .line("the limits are the settings corpus.file_bytes, corpus.file_seconds and corpus.file_memory_bytes");
    }
    if report.stored() == 0 {
        return Err(Failure::new("nothing could be read", "the lines above say why"));
    }
    Ok(Exit::Partial)
}

pub(super) async fn collections(
    context: &CliContext<'_>,
    command: CollectionsCommand,
) -> Result<Exit, Failure> {
    let user = &context.config.user;
    match command {
        CollectionsCommand::List { all, json } => {
            let whole = Part { after: None, limit: u32::MAX };
            let collections = context.database.library.collections_part(user, all, &whole).await?;
            if json {
                context.face.out.line(&output::json(&collections));
                return Ok(Exit::Done);
            }
            if collections.is_empty() {
                context.note(
                    "no collections yet; make one with `quaestio ingest PATH --collection NAME`",
                );
            }
            for Collection { name, documents, chunks, updated_at, .. } in collections {
                context.face.out.line(&format!(
                    "{name}  {documents} documents  {chunks} chunks  updated {updated_at}"
                ));
            }
        }
        CollectionsCommand::Show { name, json } => {
            check_name("collection", &name)?;
            let documents = context.database.library.documents(user, &name).await?;
            let collection = context.database.library.collection(user, &name).await?;
            if json {
                let page = json!({ "collection": collection, "documents": documents });
                context.face.out.line(&output::json(&page));
                return Ok(Exit::Done);
            }
            if let Some(Collection { manifest, chunks, created_at, updated_at, .. }) = collection {
                let embedder = manifest.embedder.map_or_else(
                    || "none; searched by words only".to_owned(),
                    |embedder| format!("{} ({} dimensions)", embedder.model, embedder.dimensions),
                );
                let line = format!(
                    "{name}: {} documents, {chunks} chunks\nembedder: {embedder}\nlanguage: {:?}\n\
                     chunks of up to {} tokens\ncreated {created_at}, updated {updated_at}",
                    documents.len(),
                    manifest.language,
                    manifest.chunk_tokens
                );
                context.face.out.line(&run::grounding::clean(&line));
            }
            for document in documents {
                let line = format!(
                    "{}  {}  {}  {} chunks",
                    document.document_id, document.path, document.title, document.chunks
                );
                context.face.out.line(&run::grounding::clean(&line));
            }
        }
        CollectionsCommand::Remove { name } => {
            check_name("collection", &name)?;
            if !context.database.library.remove(user, &name).await? {
                return Err(Failure::new(
                    format!("there is no collection '{name}'"),
                    "list the collections with `quaestio collections list`",
                ));
            }
            context.face.out.line(&format!("{name} removed"));
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
            if json {
                context.face.out.line(&output::json(&documents));
                return Ok(Exit::Done);
            }
            for document in documents {
                let line =
                    format!("{}  {}  {}", document.document_id, document.path, document.title);
                context.face.out.line(&run::grounding::clean(&line));
            }
        }
        DocumentsCommand::Show { id, text: whole, span } => {
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
                    context.face.out.line(&shown(part));
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
