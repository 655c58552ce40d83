//! The steps that look something up: collections, papers, pages.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use papers::{Paper, ServerName, Source};

use super::{Result, Run, Shared};
use crate::consult::{self, Consulted, Wanted};
use crate::embedding::Purpose;
use crate::error::PortError;
use crate::evidence::Passage;
use crate::library::{Found, Manifest, QueryVector, Search};
use crate::sources::{self, Hit, Query, Reading, Searched, Served, Sources, TakenIn, Target};
use crate::stands::{self, Quoted};
use crate::windows;
use crate::world::World;

impl Run {
    /// Returns whether the user has a collection of this name.
    pub async fn has_collection(&self, name: &str) -> Result<bool> {
        self.step("collections", &name, async || {
            let Shared { user, world, .. } = &*self.shared;
            let Some(library) = &world.library else { return Ok(false) };
            Ok(library.collection(user, name).await?.is_some())
        })
        .await
    }

    /// Searches the user's documents. Warns if they are in other languages than the question and only words are compared.
    pub async fn retrieve(&self, search: &Search) -> Result<Found> {
        let found = self
            .step("retrieve", search, async || {
                let Shared { user, world, .. } = &*self.shared;
                world.search(user, search).await
            })
            .await?;
        if let Some(warning) = found.language_warning() {
            self.warn(warning);
        }
        Ok(found)
    }

    /// Extends passages, best first, through the rest of their sections, as long as that is short and fits into `room`, the bytes for
    /// all of them together; passages that then touch are merged.
    pub async fn read_on(&self, passages: &[Passage], room: usize) -> Result<Vec<Passage>> {
        let at: Vec<_> = passages
            .iter()
            .map(|one| (&one.place.document_id, one.place.start, one.place.end))
            .collect();
        let windows = self
            .step("read_on", &(&at, room), async || {
                let Shared { user, world, .. } = &*self.shared;
                let mut texts = BTreeMap::new();
                for (id, ..) in &at {
                    if !texts.contains_key(*id)
                        && let Some(library) = &world.library
                        && let Some((_, text)) = library.document(user, id).await?
                    {
                        texts.insert((*id).clone(), text);
                    }
                }
                Ok(windows::read_on(passages, &texts, room))
            })
            .await?;
        Ok(windows::through(windows, passages))
    }

    /// Returns for each quote whether it is still in its source, as it is now in one of the collections or its own; `None` if the
    /// source was not read again.
    pub async fn still_stand(
        &self,
        collections: &[String],
        quotes: &[Quoted],
    ) -> Result<Vec<Option<bool>>> {
        self.step("still_stand", &(collections, quotes), async || {
            let Shared { user, world, .. } = &*self.shared;
            let Some(library) = &world.library else { return Ok(vec![None; quotes.len()]) };
            stands::still_stand(&**library, user, collections, quotes).await
        })
        .await
    }

    /// Looks up claims in a user's collection: the statements that they cite, or those nearest to them.
    pub async fn consult(&self, collection: &str, wanted: &[Wanted]) -> Result<Consulted> {
        self.step("consult", &(collection, wanted), async || {
            let Shared { user, world, .. } = &*self.shared;
            let library = world.library.as_ref().ok_or_else(|| PortError::Invalid {
                what: "this run has no documents to search".into(),
            })?;
            consult::consult(&**library, user, collection, wanted).await
        })
        .await
    }

    /// Returns the pairwise cosines of the texts, in their order; `None` if there is no embedder.
    pub async fn cosines(&self, texts: &[String]) -> Result<Option<Vec<Vec<f64>>>> {
        let world = &self.shared.world;
        self.step("cosines", &texts, async || {
            let Some(embedders) = &world.embedder else { return Ok(None) };
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let vectors = embedders.open().await?.embed(&texts, Purpose::Passage).await?;
            let row = |one: &Vec<f32>| vectors.iter().map(|other| cosine(one, other)).collect();
            Ok(Some(vectors.iter().map(row).collect()))
        })
        .await
    }

    /// Returns the cosine of each text with a question; `None` if there is no embedder.
    pub async fn nearness(&self, question: &str, texts: &[String]) -> Result<Option<Vec<f64>>> {
        let world = &self.shared.world;
        self.step("nearness", &(question, texts), async || {
            let Some(embedders) = &world.embedder else { return Ok(None) };
            let embedder = embedders.open().await?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let asked = embedder.embed(&[question], Purpose::Query).await?;
            let vectors = embedder.embed(&texts, Purpose::Passage).await?;
            Ok(asked.first().map(|asked| vectors.iter().map(|one| cosine(asked, one)).collect()))
        })
        .await
    }

    /// Searches scholarly sources in parallel; each work comes once.
    pub async fn papers(&self, sources: &[Source], query: &Query) -> Result<Searched> {
        let world = &self.shared.world;
        self.step("papers", &(sources, query), async || {
            self.patiently("the sources", world.sources()?.papers(sources, query)).await
        })
        .await
    }

    /// Searches the web.
    pub async fn pages(&self, query: &Query) -> Result<Vec<Hit>> {
        let world = &self.shared.world;
        self.step("pages", query, async || {
            self.patiently("the web search", world.sources()?.pages(query)).await
        })
        .await
    }

    /// Asks MCP servers in parallel for texts.
    pub async fn texts(&self, servers: &[ServerName], query: &Query) -> Result<Served> {
        let world = &self.shared.world;
        let sources: Vec<Source> = servers.iter().copied().map(Source::Mcp).collect();
        self.step("texts", &(&sources, query), async || {
            self.patiently("the MCP servers", world.sources()?.texts(servers, query)).await
        })
        .await
    }

    /// Reads a page, a paper or a server's text into the collection; if it is unreadable, returns the reason instead of failing.
    pub async fn read(&self, collection: &str, target: &Target) -> Result<TakenIn> {
        self.step("read", &(collection, target), async || {
            let Shared { user, world, .. } = &*self.shared;
            let read = |outcome: Reading| TakenIn { source_uri: target.source_uri(), outcome };
            let intake = world.intake.as_ref().ok_or_else(nothing_outside)?;
            let fetching = sources::material(&**world.sources()?, target);
            let material = match self.patiently(&target.source_uri(), fetching).await {
                Ok(material) => material,
                Err(error) => return Ok(read(Reading::of(&error))),
            };
            let taken = intake.take_in(user, collection, vec![material]).await?;
            let nothing = || read(Reading::Unreadable { reason: "it returned nothing".into() });
            Ok(taken.into_iter().next().unwrap_or_else(nothing))
        })
        .await
    }

    /// Returns the reference of each work, in the order of the works.
    pub async fn references(&self, works: &[&Paper]) -> Result<Vec<String>> {
        self.step("references", &works, async || {
            Ok(match &self.shared.world.bibliography {
                Some(bibliography) => bibliography.references(works),
                None => works.iter().map(|work| work.title.clone()).collect(),
            })
        })
        .await
    }

    /// Waits for an external service, but at most half of the run's remaining time, so that it can still answer from what it got.
    async fn patiently<T>(
        &self,
        service: &str,
        work: impl Future<Output = std::result::Result<T, PortError>>,
    ) -> std::result::Result<T, PortError> {
        let half = self.wall_left(&self.journal()).unwrap_or_default() / 2;
        let timed_out = || PortError::TimedOut {
            service: service.to_owned(),
            seconds: half.as_secs(),
            setting: "budget.max_wall_seconds",
        };
        tokio::time::timeout(half, work).await.unwrap_or_else(|_| Err(timed_out()))
    }
}

/// Returns the question of a search as a vector, if the search compares vectors.
async fn query_vector(
    world: &World,
    search: &Search,
    manifest: &Manifest,
) -> std::result::Result<Option<QueryVector>, PortError> {
    if !search.retrieval.in_a(manifest).needs_vectors() {
        return Ok(None);
    }
    let Some(embedders) = &world.embedder else {
        return manifest.comparable(&search.collection, None).map(|()| None);
    };
    let embedder = embedders.open().await?;
    manifest.comparable(&search.collection, Some(embedder.embedding()))?;
    let vectors = embedder.embed(&[&search.question], Purpose::Query).await?;
    let embedding = embedder.embedding().clone();
    Ok(vectors.into_iter().next().map(|vector| QueryVector { embedding, vector }))
}

/// Returns the cosine of two vectors of length 1.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn nothing_outside() -> PortError {
    PortError::Invalid { what: "this run has no sources to ask".into() }
}

impl World {
    /// Searches a user's documents, by vectors too if the retrieval compares them.
    pub async fn search(
        &self,
        user: &str,
        search: &Search,
    ) -> std::result::Result<Found, PortError> {
        let library = self.library.as_ref().ok_or_else(|| PortError::Invalid {
            what: "this run has no documents to search".into(),
        })?;
        let manifest = library.manifest(user, &search.collection).await?;
        let query = query_vector(self, search, &manifest).await?;
        library.search(user, search, query.as_ref()).await
    }

    fn sources(&self) -> std::result::Result<&Arc<dyn Sources>, PortError> {
        self.sources.as_ref().ok_or_else(nothing_outside)
    }
}
