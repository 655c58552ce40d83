use std::path::Path;
use std::sync::Mutex;

use jiff::Timestamp;
use papers::{Author, Date, Ids, Kind};
use run::embedding::{Embedder, Embedding, Purpose};
use run::entry::Hash;
use run::evidence::{EvidenceKind, Passage};
use run::library::{
    Collection, Found, NewChunk, NewDocument, Part, Put, QueryVector, Search, content_hash,
};
use run::sources::Fetched;
use text::Language;

use super::*;

/// A library of one collection that counts how often it was written to and how many documents were read.
#[derive(Default)]
pub(crate) struct Memory {
    made: Mutex<Option<Manifest>>,
    pub(crate) documents: Mutex<Vec<NewDocument>>,
    written: Mutex<usize>,
    read: Mutex<usize>,
}

fn stored(collection: &str, document: &NewDocument) -> StoredDocument {
    let original = document.original_bytes().map(|original| original.len() as u64);
    let document = document.clone();
    StoredDocument {
        document_id: document.path.clone(),
        collection: collection.to_owned(),
        path: document.path,
        kind: document.kind,
        work: document.work,
        title: document.title,
        format: document.format,
        reader_version: document.reader_version,
        file_sha256: document.file_sha256,
        text_sha256: document.text_sha256,
        metadata: document.metadata,
        chunks: document.chunks.len() as u64,
        original_bytes: original,
        ingested_at: Timestamp::UNIX_EPOCH,
    }
}

impl Memory {
    fn get(&self, path: &str) -> Option<NewDocument> {
        self.documents.lock().unwrap().iter().find(|document| document.path == path).cloned()
    }
}

#[async_trait]
impl Library for Memory {
    async fn open(&self, _: &str, _: &str, manifest: &Manifest) -> Result<(), PortError> {
        let mut made = self.made.lock().unwrap();
        if made.get_or_insert_with(|| manifest.clone()) == manifest {
            return Ok(());
        }
        Err(PortError::Invalid { what: "the collection was made in another way".into() })
    }

    async fn put(
        &self,
        _: &str,
        _: &str,
        documents: Vec<NewDocument>,
    ) -> Result<Vec<Put>, PortError> {
        *self.written.lock().unwrap() += 1;
        let mut stored = self.documents.lock().unwrap();
        let put = documents.into_iter().map(|new| {
            let place = stored.iter().position(|old| old.path == new.path);
            match place.and_then(|place| stored.get_mut(place)) {
                Some(old) if old.text == new.text && old.work == new.work => {
                    old.reader_version = new.reader_version;
                    Put::Unchanged
                }
                Some(old) => {
                    *old = new;
                    Put::Replaced
                }
                None => {
                    stored.push(new);
                    Put::Added
                }
            }
        });
        Ok(put.collect())
    }

    async fn documents_at(
        &self,
        _: &str,
        collection: &str,
        paths: &[String],
    ) -> Result<Vec<StoredDocument>, PortError> {
        let documents = self.documents.lock().unwrap();
        let wanted = documents.iter().filter(|document| paths.contains(&document.path));
        *self.read.lock().unwrap() += wanted.clone().count();
        Ok(wanted.map(|document| stored(collection, document)).collect())
    }

    async fn documents_part(
        &self,
        _: &str,
        collection: &str,
        part: &Part,
    ) -> Result<Vec<StoredDocument>, PortError> {
        let documents = self.documents.lock().unwrap();
        let mut found: Vec<StoredDocument> = documents
            .iter()
            .filter(|document| part.after.as_ref().is_none_or(|after| document.path > *after))
            .map(|document| stored(collection, document))
            .collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found.truncate(part.limit as usize);
        *self.read.lock().unwrap() += found.len();
        Ok(found)
    }

    async fn manifest(&self, _: &str, _: &str) -> Result<Manifest, PortError> {
        Ok(self.made.lock().unwrap().clone().unwrap())
    }
    async fn remove_paths(&self, _: &str, _: &str, paths: &[String]) -> Result<u64, PortError> {
        let mut stored = self.documents.lock().unwrap();
        let before = stored.len();
        stored.retain(|document| !paths.contains(&document.path));
        Ok((before - stored.len()) as u64)
    }
    async fn remove_document(&self, _: &str, _: &str) -> Result<bool, PortError> {
        unreachable!("nothing was removed")
    }
    async fn remove(&self, _: &str, _: &str) -> Result<bool, PortError> {
        unreachable!("nothing was removed")
    }
    async fn collection(&self, _: &str, _: &str) -> Result<Option<Collection>, PortError> {
        unreachable!("nobody asks for it")
    }
    async fn collections_part(
        &self,
        _: &str,
        _: bool,
        _: &Part,
    ) -> Result<Vec<Collection>, PortError> {
        unreachable!("nobody asks for them")
    }
    async fn document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        let stored = self.documents(user, "c").await?.into_iter().find(|it| it.document_id == id);
        Ok(stored.zip(self.get(id).map(|document| document.text)))
    }
    async fn original(&self, _: &str, id: &str) -> Result<Option<Vec<u8>>, PortError> {
        Ok(self.get(id).and_then(|document| document.original_bytes().map(<[u8]>::to_vec)))
    }
    async fn vectors(
        &self,
        _: &str,
        _: &str,
        path: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError> {
        let Some(document) = self.get(path) else { return Ok(HashMap::new()) };
        let vector = |chunk: &NewChunk| {
            let text = &document.text[chunk.start as usize..chunk.end as usize];
            (content_hash(&chunk.section, text), chunk.vector.clone())
        };
        Ok(document.chunks.iter().map(vector).collect())
    }
    async fn passage(&self, _: &str, _: &str) -> Result<Option<Passage>, PortError> {
        unreachable!("nobody asks for one")
    }
    async fn search(
        &self,
        _: &str,
        _: &Search,
        _: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        unreachable!("nobody searches")
    }
}

/// Embeds every text as its length; refuses texts that say so.
#[derive(Clone)]
pub(crate) struct Lengths(Embedding, Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Embedder for Lengths {
    fn embedding(&self) -> &Embedding {
        &self.0
    }

    async fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        if texts.iter().any(|text| text.contains("unspeakable")) {
            return Err(PortError::Invalid { what: "this cannot be said".into() });
        }
        self.1.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
    }
}

pub(crate) fn lengths() -> Lengths {
    let embedding = Embedding {
        model: "test/lengths".into(),
        fingerprint: None,
        dimensions: 1,
        dtype: None,
        pooling: None,
        passage_prefix: String::new(),
        query_prefix: String::new(),
        max_tokens: None,
    };
    Lengths(embedding, Arc::default())
}

fn build_indexer(library: &Arc<Memory>, embedder: Option<&Lengths>) -> DocumentIndexer {
    DocumentIndexer {
        library: Arc::clone(library) as Arc<dyn Library>,
        embedders: embedder.map(|embedder| Arc::new(embedder.clone()) as Arc<dyn Embedders>),
        manifest: Manifest {
            embedder: None,
            language: Language::English,
            languages: Some(Default::default()),
            chunk_tokens: 256,
            smallest_chunk_tokens: 40,
        },
        limits: Limits::default(),
        reader: Arc::new(crate::read),
    }
}

const PAGE: &str = r#"<!doctype html><html lang="en"><head><title>The tea study</title>
    <meta property="og:site_name" content="Leaf Weekly"><meta name="author" content="By Jane Doe and John Smith">
    <meta property="article:published_time" content="2024-05-08T12:00:00Z"></head>
    <body><article><h1>The tea study</h1><p>We asked 1,204 adults, all over the country, what they drink in the morning, and why.</p>
    <h2>Results</h2><p>Most of them drink tea, many drink coffee, and some drink neither of the two.</p></article></body></html>"#;

fn page(url: &str, html: &str) -> Material {
    let fetched = Fetched {
        url: url.into(),
        media_type: "text/html".into(),
        charset: Some("utf-8".into()),
        bytes: html.as_bytes().to_vec(),
    };
    let body = Body::Fetched(fetched);
    Material { source_uri: url.into(), kind: EvidenceKind::Web, work: None, body, lacking: None }
}

fn paper(text: &str) -> Material {
    let work = Paper {
        kind: Kind::Preprint,
        title: "Tea at Large".into(),
        authors: vec![Author::Person { family: "Leaf".into(), given: "Ann".into() }],
        published: Some(Date { year: 2020, month: Some(5), day: None }),
        venue: Some("Journal of Tea".into()),
        summary: Some("Tea is drunk.".into()),
        ids: Ids {
            doi: Some("10.1000/tea".into()),
            arxiv: Some("2005.11401".into()),
            ..Ids::default()
        },
        ..Paper::default()
    };
    let (source_uri, kind) = (work.source_uri(), EvidenceKind::Scholarly);
    let body = Body::Text(text.into());
    Material { source_uri, kind, work: Some(work), body, lacking: None }
}

fn unreadable(taken: &TakenIn) -> &str {
    match &taken.outcome {
        Reading::Unreadable { reason } | Reading::Unreached { reason } => reason,
        Reading::Kept { .. } => panic!("{taken:?}"),
    }
}

// proves: A2
#[tokio::test]
async fn a_page_is_kept_with_what_it_says_of_itself() {
    let library = Arc::new(Memory::default());
    let taken = build_indexer(&library, None)
        .take_in("me", "c", vec![page("https://a.org/tea", PAGE)])
        .await
        .unwrap();
    let stored = library.get("https://a.org/tea").unwrap();
    let Reading::Kept { title, text_sha256, text_bytes, put, chunks } = &taken[0].outcome else {
        panic!("{taken:?}");
    };
    assert_eq!(
        (title.as_str(), *put, *chunks),
        ("The tea study", Put::Added, stored.chunks.len() as u64)
    );
    assert_eq!(
        (text_sha256, *text_bytes),
        (&sha256(stored.text.as_bytes()), stored.text.len() as u64)
    );
    assert_eq!((stored.kind, stored.format.as_str()), (EvidenceKind::Web, "html"));
    let work = stored.work.unwrap();
    let authors: Vec<String> = work.authors.iter().map(ToString::to_string).collect();
    assert_eq!(authors, ["Jane Doe", "John Smith"]);
    assert_eq!(work.kind, Kind::WebPage);
    assert_eq!(work.title, "The tea study");
    assert_eq!(work.published.unwrap().to_string(), "2024-05-08");
    assert_eq!(work.venue.as_deref(), Some("Leaf Weekly"));
    assert_eq!(work.url.as_deref(), Some("https://a.org/tea"));
    assert_eq!(work.language.as_deref(), Some("en"));
    assert_eq!(stored.metadata["year"], "2024");
    // That rule applies only to folders of files.
    assert_eq!(stored.metadata.get("company"), None);
}

// proves: H2, A6
#[tokio::test]
async fn a_paper_is_kept_to_the_byte_under_its_id_and_found_by_what_is_known_of_it() {
    let text = "\u{feff}# Tea at Large\n\nTea is drunk.\r\n\r\n  By many.\n";
    let library = Arc::new(Memory::default());
    build_indexer(&library, None).take_in("me", "c", vec![paper(text)]).await.unwrap();
    let stored = library.get("arxiv:2005.11401").unwrap();
    assert_eq!(stored.text, text);
    assert_eq!(stored.text_sha256, sha256(text.as_bytes()));
    for chunk in &stored.chunks {
        assert!(stored.text.is_char_boundary(chunk.start as usize));
        assert!(chunk.section.starts_with("Tea at Large"), "{}", chunk.section);
    }
    assert_eq!((stored.kind, stored.title.as_str()), (EvidenceKind::Scholarly, "Tea at Large"));
    let work = stored.work.unwrap();
    assert_eq!((work.summary, work.venue.as_deref()), (None, Some("Journal of Tea")));
    for (name, value) in [
        ("year", "2020"),
        ("venue", "Journal of Tea"),
        ("doi", "10.1000/tea"),
        ("arxiv", "2005.11401"),
    ] {
        assert_eq!(stored.metadata[name], value);
    }
}

// proves: A6
#[tokio::test]
async fn what_cannot_be_read_spoils_nothing_and_each_is_told_of_in_order() {
    let library = Arc::new(Memory::default());
    let mut archive = page("https://a.org/api", "PK");
    if let Body::Fetched(fetched) = &mut archive.body {
        fetched.media_type = "application/zip".into();
    }
    let wall = "<title>Just a moment...</title><body>Verifying you are human.";
    let materials = vec![
        page("https://a.org/wall", wall),
        page("https://a.org/tea", PAGE),
        archive,
        page("https://a.org/\u{1b}[2J", PAGE),
        paper("# Tea at Large\n\nTea is drunk."),
        page(" ", PAGE),
    ];
    let taken = build_indexer(&library, None).take_in("me", "c", materials).await.unwrap();
    let uris: Vec<&str> = taken.iter().map(|taken| taken.source_uri.as_str()).collect();
    assert_eq!(
        uris,
        [
            "https://a.org/wall",
            "https://a.org/tea",
            "https://a.org/api",
            "https://a.org/[2J",
            "arxiv:2005.11401",
            " "
        ]
    );
    assert!(unreadable(&taken[0]).contains("a robot check"));
    assert!(unreadable(&taken[2]).contains("an archive is not supported yet"));
    assert!(unreadable(&taken[3]).contains("control characters"));
    assert!(unreadable(&taken[5]).contains("no address"));
    assert_eq!(library.documents.lock().unwrap().len(), 2);
}

// proves: A6
#[tokio::test]
async fn of_one_address_the_first_that_can_be_read_is_kept() {
    let library = Arc::new(Memory::default());
    let other = PAGE.replace("tea", "coffee");
    let materials = ["<script>x()</script>", PAGE, PAGE, &other];
    let materials = materials.map(|html| page("https://a.org/tea", html)).to_vec();
    let taken = build_indexer(&library, None).take_in("me", "c", materials).await.unwrap();
    assert!(unreadable(&taken[0]).contains("no text"));
    assert!(matches!(taken[1].outcome, Reading::Kept { put: Put::Added, .. }));
    assert!(matches!(taken[2].outcome, Reading::Kept { put: Put::Unchanged, .. }));
    assert!(unreadable(&taken[3]).contains("the same address"));
    assert!(library.get("https://a.org/tea").unwrap().text.contains("drink tea"));
}

// proves: A6
#[tokio::test]
async fn vectors_are_made_once_and_a_text_that_has_none_is_left_out() {
    let (library, embedder) = (Arc::new(Memory::default()), lengths());
    let shelving = build_indexer(&library, Some(&embedder));
    let materials = || {
        let bad = page("https://a.org/bad", &PAGE.replace("coffee", "unspeakable drinks"));
        vec![bad, page("https://a.org/tea", PAGE)]
    };
    let taken = shelving.take_in("me", "c", materials()).await.unwrap();
    assert!(unreadable(&taken[0]).contains("could not embed its text: this cannot be said"));
    let stored = library.get("https://a.org/tea").unwrap();
    assert!(!stored.chunks.is_empty());
    assert!(stored.chunks.iter().all(|chunk| chunk.vector.len() == 1));
    assert_eq!(library.made.lock().unwrap().as_ref().unwrap().embedder, Some(embedder.0.clone()));

    let (embedded, written) = (embedder.1.lock().unwrap().len(), *library.written.lock().unwrap());
    let again = shelving.take_in("me", "c", materials()).await.unwrap();
    assert!(matches!(again[1].outcome, Reading::Kept { put: Put::Unchanged, .. }));
    assert_eq!(embedder.1.lock().unwrap().len(), embedded);
    assert_eq!(*library.written.lock().unwrap(), written);
}

// proves: A6
#[tokio::test]
async fn of_a_document_that_changed_only_the_chunks_that_did_get_new_vectors() {
    let (library, embedder) = (Arc::new(Memory::default()), lengths());
    let shelving = build_indexer(&library, Some(&embedder));
    let section = |name: &str| {
        let sentence = format!("Of the {name} drinkers nobody was asked twice in this study. ");
        format!("## {name}\n\n{}\n\n", sentence.repeat(8))
    };
    let text =
        ["# Drinks\n\n".to_owned(), section("Tea"), section("Coffee"), section("Milk")].concat();
    let take = async |text: &str| {
        embedder.1.lock().unwrap().clear();
        shelving.take_in("me", "c", vec![paper(text)]).await.unwrap();
        embedder.1.lock().unwrap().clone()
    };
    assert_eq!(take(&text).await.len(), 3);
    let anew = take(&text.replace("Of the Coffee", "Of all Coffee")).await;
    assert_eq!(anew.len(), 1);
    assert!(anew[0].contains("Of all Coffee"), "{anew:?}");
    // A chunk that moved is the same chunk, and each chunk has its own vector.
    let moved = [section("Tea"), section("Milk"), section("Water")].concat();
    assert_eq!(take(&format!("# Drinks\n\n{moved}")).await.len(), 1);
    let stored = library.documents.lock().unwrap()[0].clone();
    for chunk in &stored.chunks {
        let text = &stored.text[chunk.start as usize..chunk.end as usize];
        assert_eq!(chunk.vector, [format!("{}\n{text}", chunk.section).len() as f32]);
    }
}

// proves: A2
#[tokio::test]
async fn an_abstract_does_not_take_the_place_of_a_full_text_that_was_had() {
    let library = Arc::new(Memory::default());
    let shelving = build_indexer(&library, None);
    let fetched = |body: Body| Material { body, ..paper("") };
    let full = Fetched {
        url: "https://a.org/x.html".into(),
        media_type: "text/html".into(),
        charset: None,
        bytes: b"<p>People drink tea in the morning.".to_vec(),
    };
    shelving.take_in("me", "c", vec![fetched(Body::Fetched(full))]).await.unwrap();
    let lacking = Some("not reached".to_owned());
    let summary = || Material { lacking: lacking.clone(), ..paper("# Tea\n\nTea is drunk.\n") };
    let taken = shelving.take_in("me", "c", vec![summary()]).await.unwrap();
    assert!(matches!(&taken[0].outcome, Reading::Kept { put: Put::Unchanged, .. }), "{taken:?}");
    assert!(library.documents.lock().unwrap()[0].text.contains("in the morning"));
    // A caller that asks for the abstract alone gets it.
    let wanted = Material { lacking: None, ..summary() };
    let taken = shelving.take_in("me", "c", vec![wanted]).await.unwrap();
    assert!(matches!(&taken[0].outcome, Reading::Kept { put: Put::Replaced, .. }), "{taken:?}");
}

// proves: A6
#[tokio::test]
async fn a_collection_that_was_made_in_another_way_is_refused() {
    let library = Arc::new(Memory::default());
    let with = build_indexer(&library, Some(&lengths()));
    assert!(with.take_in("me", "c", Vec::new()).await.unwrap().is_empty());
    let error = build_indexer(&library, None).take_in("me", "c", Vec::new()).await.unwrap_err();
    assert!(error.to_string().contains("made in another way"));
}

// proves: A6
#[tokio::test]
async fn files_and_what_was_fetched_pass_through_the_same_stages() {
    let library = Arc::new(Memory::default());
    let shelving = build_indexer(&library, None);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tea.html"), PAGE).unwrap();
    shelving.take_in("me", "c", vec![page("https://a.org/tea.html", PAGE)]).await.unwrap();
    let paths = [folder.path().to_owned()];
    let order = crate::Order {
        user: "me",
        collection: "c",
        paths: &paths,
        catalogues: &[],
        manifest: shelving.manifest.clone(),
        limits: Limits::default(),
        reader: Arc::new(|name: &Path, bytes: &[u8], limits: &Limits| {
            crate::read(name, bytes, limits)
        }),
        metadata: BTreeMap::new(),
        prune: true,
        keep_originals: true,
    };
    let report = crate::ingest(&*library, None, &order, |_| {}).await.unwrap();
    assert_eq!((report.added, report.removed), (1, 0));
    let (file, fetched) =
        (library.get("tea.html").unwrap(), library.get("https://a.org/tea.html").unwrap());
    assert_eq!(file.original_bytes(), Some(PAGE.as_bytes()));
    assert_eq!(fetched.original, None);
    assert_eq!((file.text, file.chunks.len()), (fetched.text, fetched.chunks.len()));
    assert_eq!((file.kind, file.work), (EvidenceKind::Rag, None));
}

// proves: S1
#[tokio::test]
async fn what_an_upload_reads_does_not_grow_with_the_collection() {
    let library = Arc::new(Memory::default());
    let shelving = build_indexer(&library, None);
    let pages = (0..50).map(|number| page(&format!("https://a.org/{number}"), PAGE)).collect();
    shelving.take_in("me", "c", pages).await.unwrap();
    assert_eq!(*library.read.lock().unwrap(), 0, "none of them stood there");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("upload");
    std::fs::write(&path, PAGE).unwrap();
    let named = crate::Named {
        user: "me",
        collection: "c",
        path: &path,
        name: "tea.html",
        manifest: shelving.manifest.clone(),
        limits: Limits::default(),
        reader: Arc::new(|name: &Path, bytes: &[u8], limits: &Limits| {
            crate::read(name, bytes, limits)
        }),
        metadata: BTreeMap::new(),
        keep_originals: false,
    };
    // Reads the document itself once it is stored; the second time, also what stood there before.
    for (put, read) in [(Put::Added, 1), (Put::Unchanged, 3)] {
        let taken = crate::take_file(&*library, None, &named).await.unwrap();
        assert_eq!((taken.put, *library.read.lock().unwrap()), (put, read));
    }
}

// proves: C4
#[tokio::test]
async fn a_page_is_referenced_as_itself_whatever_journal_it_claims_to_be() {
    let library = Arc::new(Memory::default());
    let claims = PAGE.replacen(
        "<head>",
        "<head><meta name=\"citation_title\" content=\"Sugar is healthy\"><meta name=\"citation_author\" content=\"Albert Einstein\">\
         <meta name=\"citation_doi\" content=\"10.1038/x\"><meta name=\"citation_journal_title\" content=\"Nature\">\
         <meta name=\"citation_volume\" content=\"5\">",
        1,
    );
    assert_ne!(claims, PAGE);
    let materials = vec![page("https://a.org/sugar", &claims)];
    build_indexer(&library, None).take_in("me", "c", materials).await.unwrap();
    let work = library.get("https://a.org/sugar").unwrap().work.unwrap();
    assert_eq!((work.kind, work.title.as_str()), (Kind::WebPage, "Sugar is healthy"));
    assert_eq!(work.url.as_deref(), Some("https://a.org/sugar"));
    assert_eq!((work.ids.doi, work.volume), (None, None));
}
