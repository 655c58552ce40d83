//! Fetched documents enter a collection: read, chunked, embedded, stored, as files are.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use papers::{Kind, Paper};
use run::embedding::Embedders;
use run::error::PortError;
use run::library::{Library, Manifest, Put, StoredDocument};
use run::sources::{Body, Intake, Material, Reading, TakenIn};

use crate::document::one_line;
use crate::ingest::Reader;
use crate::ingest::stages::{self, CollectionWriter, Fate, Item, Kept, Origin, State};
use crate::{Document, Format, Label, Limits, ReadError, read, sha256};

/// Takes fetched documents into the collections of a library.
///
/// The work given with a material is kept with the document; otherwise it is what the page says about itself. A material that is text
/// becomes the document's text byte for byte. If several materials of one call have the same address, the first that can be read is kept.
/// An abstract that stands in for an unavailable full text does not replace a full text stored before.
pub struct DocumentIndexer {
    pub library: Arc<dyn Library>,
    /// Opened when something is taken in; `None` for collections without vectors.
    pub embedders: Option<Arc<dyn Embedders>>,
    /// How collections are made; its embedder is replaced by that of `embedders`.
    pub manifest: Manifest,
    pub limits: Limits,
    /// Turns bytes into documents.
    pub reader: Arc<dyn Reader>,
}

#[async_trait]
impl Intake for DocumentIndexer {
    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        materials: Vec<Material>,
    ) -> Result<Vec<TakenIn>, PortError> {
        let embedder = match &self.embedders {
            Some(embedders) => Some(embedders.open().await?),
            None => None,
        };
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding().clone());
        let manifest = Manifest { embedder: embedding, ..self.manifest.clone() };
        let (library, embedder) = (self.library.as_ref(), embedder.as_deref());
        let writer = CollectionWriter { library, embedder, user, collection };
        let manifest = writer.open(&manifest).await?;
        let paths: Vec<String> =
            materials.iter().map(|material| material.source_uri.clone()).collect();
        let mut known = writer.standing(&paths).await?;
        let mut first = First::default();
        let (manifest, writer) = (&manifest, &writer);
        let read = stream::iter(materials).map(|material| {
            let known = known.remove(&material.source_uri);
            async move {
                match known.as_ref().filter(|known| is_fuller(known, &material)) {
                    Some(fuller) => stays(writer, fuller).await,
                    None => self.read(material, manifest, known).await,
                }
            }
        });
        let read = read.buffered(stages::readers()).map(|item| first.only(item));
        let mut kept = std::pin::pin!(writer.keep(read));
        let mut taken = Vec::new();
        while let Some(settled) = kept.next().await {
            taken.extend(settled?.into_iter().map(told));
        }
        Ok(taken)
    }
}

impl DocumentIndexer {
    /// Reads a material and prepares it for the index.
    fn read(
        &self,
        material: Material,
        manifest: &Manifest,
        known: Option<StoredDocument>,
    ) -> impl Future<Output = Item> + use<> {
        let (limits, reader) = (self.limits.clone(), Arc::clone(&self.reader));
        let (manifest, vectors) = (manifest.clone(), self.embedders.is_some());
        let name = material.source_uri.clone();
        let reading = stages::reading(move || {
            if let Some(reason) = unfit(&material.source_uri) {
                return Ok(State::left_out(reason));
            }
            let Material { source_uri: path, kind, work, body, .. } = material;
            let (file_sha256, mut document) = open(body, &path, reader.as_ref(), &limits)?;
            let told = work.is_some();
            let work = work.map(Box::new).or(document.work.take());
            let work = work.map(|work| Box::new(Paper { summary: None, ..*work }));
            let mut metadata = std::mem::take(&mut document.metadata);
            if let Some(work) = &work {
                document.retitle(&work.title);
                metadata.extend(facts(work));
            }
            let work = if told { work } else { work.map(|work| Box::new(claimed(*work))) };
            let (knows_language, original) = (false, None);
            let origin =
                Origin { path, kind, work, file_sha256, metadata, knows_language, original };
            let new = Box::new(stages::prepare(origin, document, &manifest));
            Ok(CollectionWriter::weigh(vectors, known.as_ref(), new))
        });
        async move { Item { name, state: reading.await.unwrap_or_else(State::left_out) } }
    }
}

/// Returns whether a document has the full text that a material lacks.
fn is_fuller(known: &StoredDocument, material: &Material) -> bool {
    material.lacking.is_some() && known.format != Format::Markdown.name()
}

/// Leaves a stored document unchanged.
async fn stays(writer: &CollectionWriter<'_>, known: &StoredDocument) -> Item {
    let stored = writer.library.document(writer.user, &known.document_id).await;
    let state = match stored {
        Ok(Some((document, text))) => State::Settled(Fate::Kept(Kept {
            put: Put::Unchanged,
            title: document.title,
            text_sha256: document.text_sha256,
            text_bytes: text.len() as u64,
            chunks: document.chunks,
            doubt: None,
            lack: None,
        })),
        Ok(None) => State::left_out("it was removed while it was being read"),
        Err(error) => State::left_out(error.to_string()),
    };
    Item { name: known.path.clone(), state }
}

/// Returns why nothing can be cited as `source_uri`, if so.
fn unfit(source_uri: &str) -> Option<&'static str> {
    match source_uri {
        _ if source_uri.trim().is_empty() => Some("it has no address to cite"),
        _ if source_uri.contains(char::is_control) => {
            Some("its address contains control characters")
        }
        _ => None,
    }
}

/// Returns the SHA-256 of the body, and the document in it.
fn open(
    body: Body,
    path: &str,
    reader: &dyn Reader,
    limits: &Limits,
) -> Result<(String, Document), ReadError> {
    match body {
        Body::Text(text) => Ok((sha256(text.as_bytes()), read::markdown(text, path, limits)?)),
        Body::Fetched(fetched) => {
            let run::sources::Fetched { url, media_type, charset, bytes } = fetched;
            let label = Label::Fetched { url, media_type, charset };
            let document = reader.read(&label, &bytes, limits)?;
            if document.text.is_empty() {
                let what = "it is an archive; download it, and ingest the file".to_owned();
                return Err(ReadError::Failed { what });
            }
            Ok((sha256(&bytes), document))
        }
    }
}

/// Returns a work as a mere web page if only its own page describes it: the author of a page can write any journal's name and DOI into it,
/// and a reference must lead to where the quote stands.
fn claimed(work: Paper) -> Paper {
    let Paper { title, authors, published, venue, language, url, .. } = work;
    Paper {
        kind: Kind::WebPage,
        title,
        authors,
        published,
        venue,
        language,
        url,
        ..Paper::default()
    }
}

/// Returns the metadata of a work that a search can filter by.
pub(crate) fn facts(work: &Paper) -> BTreeMap<String, String> {
    let facts = [
        ("year", work.year().map(|year| year.to_string())),
        ("venue", work.venue.as_deref().map(one_line)),
        ("doi", work.ids.doi.clone()),
        ("arxiv", work.ids.arxiv.clone()),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}

/// The materials of one call that could be read: the hash of each one's text, by address.
#[derive(Default)]
struct First(HashMap<String, String>);

impl First {
    /// Passes an address once. A second material with the same text needs nothing more; one with another text is left out.
    fn only(&mut self, item: Item) -> Item {
        let text_sha256 = match &item.state {
            State::Ready(document) => &document.text_sha256,
            State::Settled(Fate::Kept(kept)) => &kept.text_sha256,
            State::Settled(_) => return item,
        };
        let Some(first) = self.0.get(&item.name) else {
            self.0.insert(item.name.clone(), text_sha256.clone());
            return item;
        };
        let state = match item.state {
            State::Ready(document) if *first == document.text_sha256 => {
                State::Settled(Fate::Kept(Kept::of(&document)))
            }
            State::Settled(Fate::Kept(kept)) if *first == kept.text_sha256 => {
                State::Settled(Fate::Kept(kept))
            }
            _ => State::left_out("another item of this call has the same address"),
        };
        Item { state, ..item }
    }
}

fn told((name, fate): (String, Fate)) -> TakenIn {
    let outcome = match fate {
        Fate::Kept(kept) => Reading::Kept {
            title: kept.title,
            text_sha256: kept.text_sha256,
            text_bytes: kept.text_bytes,
            chunks: kept.chunks,
            put: kept.put,
        },
        Fate::LeftOut { reason } => Reading::Unreadable { reason },
        Fate::Same { .. } => Reading::Unreadable { reason: "it was not read".into() },
    };
    TakenIn { source_uri: run::grounding::clean(&name), outcome }
}

#[cfg(test)]
pub(crate) mod tests;
