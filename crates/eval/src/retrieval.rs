//! How well a collection is searched: judged questions, put through the same search that every run uses.
//!
//! A collection is searched for chunks and judged by documents: a document takes the rank of its best chunk. Each question is asked
//! verbatim in every compared way, so that two ways can be compared question by question.

mod page;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use run::embedding::{Embedder, Purpose};
use run::error::PortError;
use run::library::{Found, Library, QueryVector, Retrieval, Search};

pub use page::markdown;
pub use report::{Against, Collection, Figure, Figures, METRICS, RetrievalReport, Scores, WayLine};

use crate::dataset::Case;

/// The number of documents of a ranking that count.
pub const DEPTH: usize = 100;

/// The most chunks to ask for, however long the documents are.
const MOST_CHUNKS: u64 = 4000;

/// A collection, and the user who searches it.
pub struct SearchTarget<'a> {
    pub library: &'a dyn Library,
    /// The embedder that made the collection's vectors; `None` for lexical search only.
    pub embedder: Option<&'a dyn Embedder>,
    pub user: &'a str,
    pub collection: &'a str,
    /// How many passages to ask for, as a reader gets them; `None` for as many as [`DEPTH`] documents need.
    pub passages: Option<u32>,
}

/// The results of one way to search.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Never `Auto`.
    pub retrieval: Retrieval,
    /// In the order of the cases.
    pub scores: Vec<Scores>,
}

/// Asks every case in every way, and returns the results of the ways in their order.
///
/// Cases without relevant documents are skipped: they say nothing about a ranking. Fails if the search does, or if vectors are to be
/// compared and `embedder` is not the one that made them.
pub async fn measure(
    target: &SearchTarget<'_>,
    cases: &[Case],
    ways: &[Retrieval],
) -> Result<Vec<Way>, PortError> {
    let cases: Vec<&Case> = cases.iter().filter(|case| judged(case)).collect();
    let manifest = target.library.manifest(target.user, target.collection).await?;
    let ways: Vec<Retrieval> = ways.iter().map(|way| way.in_a(&manifest)).collect();
    let queries = match ways.iter().any(|way| way.needs_vectors()) {
        true => {
            let embedding = target.embedder.map(Embedder::embedding);
            manifest.comparable(target.collection, embedding)?;
            vectors(target.embedder, &cases).await?
        }
        false => Vec::new(),
    };
    let top_k = match target.passages {
        Some(passages) => passages,
        None => enough(target).await?,
    };
    let mut found = Vec::with_capacity(ways.len());
    for retrieval in ways {
        let mut scores = Vec::with_capacity(cases.len());
        for (index, case) in cases.iter().enumerate() {
            let search = Search {
                collection: target.collection.to_owned(),
                question: case.question.clone(),
                filter: BTreeMap::new(),
                top_k,
                retrieval,
            };
            let query = queries.get(index).filter(|_| retrieval.needs_vectors());
            let passages = target.library.search(target.user, &search, query).await?;
            let ranking = documents(target.collection, &passages);
            scores.push(Scores::of(&ranking, &case.relevant));
        }
        found.push(Way { retrieval, scores });
    }
    Ok(found)
}

/// Returns how many chunks to ask for to cover [`DEPTH`] documents: twice the average number of chunks of that many documents.
async fn enough(target: &SearchTarget<'_>) -> Result<u32, PortError> {
    let own = target.library.collection(target.user, target.collection).await?;
    let (documents, chunks) = own.map_or((1, 1), |own| (own.documents.max(1), own.chunks));
    let enough = (2 * DEPTH as u64 * chunks).div_ceil(documents);
    Ok(enough.clamp(2 * DEPTH as u64, MOST_CHUNKS) as u32)
}

/// Returns whether any document is known to be relevant.
fn judged(case: &Case) -> bool {
    case.relevant.values().any(|grade| *grade > 0)
}

/// Returns the questions' vectors.
async fn vectors(
    embedder: Option<&dyn Embedder>,
    cases: &[&Case],
) -> Result<Vec<QueryVector>, PortError> {
    let Some(embedder) = embedder else { return Ok(Vec::new()) };
    let questions: Vec<&str> = cases.iter().map(|case| case.question.as_str()).collect();
    let vectors = embedder.embed(&questions, Purpose::Query).await?;
    let embedding = embedder.embedding();
    let query = |vector| QueryVector { embedding: embedding.clone(), vector };
    Ok(vectors.into_iter().map(query).collect())
}

/// Returns the documents of a search, best first, each at the rank of its best chunk; at most [`DEPTH`] of them.
fn documents(collection: &str, found: &Found) -> Vec<String> {
    let below = format!("doc://{collection}/");
    let mut seen = BTreeSet::new();
    let names = found.passages.iter().map(|passage| {
        let uri = passage.source_uri.as_str();
        uri.strip_prefix(&below).unwrap_or(uri)
    });
    names.filter(|name| seen.insert(*name)).take(DEPTH).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
