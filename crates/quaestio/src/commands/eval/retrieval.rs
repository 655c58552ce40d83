//! `quaestio eval FOLDER --retrieval …`: test collections are ingested and searched like a user's own documents.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use eval::dataset::{self, Dataset, DatasetError, Split};
use eval::retrieval::{self, Collection, Figures, RetrievalReport, SearchTarget};
use run::Methods;
use run::embedding::Embedder;
use run::ledger::one_line;
use run::library::{Manifest, Retrieval};

use super::super::CliContext;
use super::documents;
use super::show;
use crate::cli::{Common, EvalOrder, Format};
use crate::failure::{Exit, Failure};
use crate::{Face, output, wire};

/// Ingests the corpora, asks their questions in every way, and prints how well each way does.
///
/// A corpus stays in the database under a name made from its content and how it was ingested, so that it is ingested only once.
pub(super) async fn retrieval(
    order: &EvalOrder,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let config = wire::configure(common)?.config;
    let context =
        CliContext::of(face, common, config.clone(), wire::open(&config).await?, methods)?;
    let ways: Vec<Retrieval> = order.retrieval.iter().map(|way| (*way).into()).collect();
    let embedder = open_embedder(&context, &ways).await?;
    let embedding = embedder.as_ref().map(|embedder| embedder.embedding().clone());
    let manifest = context.config.corpus.manifest(embedding);
    let split = order.split.unwrap_or(Split::All);
    let mut collections = Vec::new();
    let folder = order.dataset.clone().unwrap_or_default();
    for folder in dataset::folders(&folder).map_err(|error| no_collection(&error))? {
        let mut dataset = read(&folder, split)?;
        if let Some(limit) = order.limit {
            dataset.cases.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        collections
            .push(measured(&context, embedder.as_deref(), &dataset, &ways, order.passages).await?);
    }
    let report =
        RetrievalReport::of(split.name(), parameters(&manifest, order.passages), collections);
    let page = match order.printed.format {
        Format::Json => format!("{}\n", output::json(&report)),
        _ => retrieval::markdown(&report),
    };
    show::put(&page, &order.printed, face)?;
    Ok(Exit::Done)
}

/// Opens the embedder if there is one, even for lexical search: a collection with vectors is searched by words like any other.
async fn open_embedder(
    context: &CliContext<'_>,
    ways: &[Retrieval],
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match &context.tools.embedder {
        Some(embedders) => Ok(Some(embedders.open().await?)),
        None if ways.iter().any(|way| way.needs_vectors()) => Err(Failure::usage(
            "dense and hybrid retrieval need an embedding model, and none is configured",
            "name one with --embedder, or use --retrieval lexical,feedback",
        )),
        None => Ok(None),
    }
}

fn no_collection(error: &DatasetError) -> Failure {
    Failure::usage(
        error.to_string(),
        "see docs/decisions/retrieval.md for the format of a test collection",
    )
}

fn read(folder: &Path, split: Split) -> Result<Dataset, Failure> {
    let dataset = dataset::read(folder, split).map_err(|error| no_collection(&error))?;
    if dataset.cases.iter().all(|case| case.relevant.is_empty()) {
        return Err(Failure::usage(
            format!("{} has no judged questions", folder.display()),
            "a file in qrels/ must name a relevant document for each question",
        ));
    }
    Ok(dataset)
}

/// Ingests a corpus and asks its questions.
async fn measured(
    context: &CliContext<'_>,
    embedder: Option<&dyn Embedder>,
    dataset: &Dataset,
    ways: &[Retrieval],
    passages: Option<u32>,
) -> Result<Collection, Failure> {
    let name = documents::corpus(context, dataset).await?;
    let user = &context.config.user;
    let library = &*context.database.library;
    let target = SearchTarget { library, embedder, user, collection: &name, passages };
    context.note(&format!("{}: {} questions", dataset.name, dataset.cases.len()));
    let ways = retrieval::measure(&target, &dataset.cases, ways).await?;
    let stored = context.database.library.collection(user, &name).await?;
    let (documents, chunks) = stored.map_or((0, 0), |one| (one.documents, one.chunks));
    let left_out = (dataset.documents.len() as u64).saturating_sub(documents);
    let mut notes: Vec<String> = dataset.notes.iter().map(|note| one_line(note)).collect();
    if left_out > 0 {
        notes.push(format!("left out: {left_out} documents without text"));
    }
    Ok(Collection {
        name: one_line(&dataset.name),
        digest: dataset.digest,
        documents,
        chunks,
        questions: ways.first().map_or(0, |way| way.scores.len() as u64),
        figures: Figures::of(&ways),
        notes,
    })
}

/// Returns the settings that decided the rankings, by the keys of `config show`.
fn parameters(manifest: &Manifest, passages: Option<u32>) -> BTreeMap<String, String> {
    let Manifest { embedder, language, chunk_tokens, smallest_chunk_tokens, languages: _ } =
        manifest;
    let embedder = embedder.as_ref().map_or("none", |embedder| embedder.model.as_str());
    let parameters = [
        ("embedder.model", one_line(embedder)),
        ("corpus.language", format!("{language:?}").to_lowercase()),
        ("corpus.chunk_tokens", chunk_tokens.to_string()),
        ("corpus.smallest_chunk_tokens", smallest_chunk_tokens.to_string()),
    ];
    let passages = passages.map(|passages| ("passages", passages.to_string()));
    let all = parameters.into_iter().chain(passages);
    all.map(|(key, value)| (key.to_owned(), value)).collect()
}
