//! What every library must do.

use std::collections::BTreeMap;

use papers::{Ids, Paper};
use run::embedding::Embedding;
use run::entry::Hash;
use run::error::PortError;
use run::evidence::{EvidenceKind, Passage};
use run::library::{
    Found, Library, Manifest, NewChunk, NewDocument, Original, Put, Retrieval, Search,
};
use text::{Language, terms};

const USER: &str = "ada";
const KB: &str = "kb";

pub fn manifest() -> Manifest {
    Manifest {
        embedder: None,
        language: Language::English,
        languages: Some(Default::default()),
        chunk_tokens: 200,
        smallest_chunk_tokens: 40,
    }
}

pub fn embedding(model: &str, dimensions: u32) -> Embedding {
    Embedding {
        model: model.into(),
        fingerprint: None,
        dimensions,
        dtype: None,
        pooling: None,
        passage_prefix: String::new(),
        query_prefix: String::new(),
        max_tokens: None,
    }
}

/// A document whose paragraphs are its chunks.
pub fn document(path: &str, text: &str) -> NewDocument {
    let mut start = 0;
    let chunks = text.split_inclusive("\n\n").map(|paragraph| {
        let (from, to) = (start, start + paragraph.len());
        start = to;
        NewChunk {
            section: "Title > Section".into(),
            start: from as u64,
            end: to as u64,
            terms: terms(paragraph, Language::English).join(" "),
            pages: Vec::new(),
            vector: Vec::new(),
        }
    });
    NewDocument {
        path: path.into(),
        kind: EvidenceKind::Rag,
        work: None,
        title: "Title".into(),
        format: "text".into(),
        reader_version: 0,
        file_sha256: Hash::of(format!("file {text}").as_bytes()).to_string(),
        text: text.into(),
        text_sha256: Hash::of(text.as_bytes()).to_string(),
        metadata: BTreeMap::new(),
        chunks: chunks.collect(),
        original: None,
    }
}

fn about(path: &str, text: &str, metadata: &[(&str, &str)]) -> NewDocument {
    NewDocument { metadata: map(metadata), ..document(path, text) }
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
}

fn question(text: &str) -> Search {
    Search {
        collection: KB.into(),
        question: text.into(),
        filter: BTreeMap::new(),
        top_k: 10,
        retrieval: Retrieval::Lexical,
    }
}

pub async fn opened(library: &dyn Library, documents: Vec<NewDocument>) {
    library.open(USER, KB, &manifest()).await.unwrap();
    for document in documents {
        library.put(USER, KB, vec![document]).await.unwrap();
    }
}

async fn ask(library: &dyn Library, text: &str) -> Found {
    library.search(USER, &question(text), None).await.unwrap()
}

fn sources(found: &Found) -> Vec<&str> {
    found.passages.iter().map(|passage| passage.source_uri.as_str()).collect()
}

fn gulls() -> Vec<NewDocument> {
    vec![
        document(
            "gulls.md",
            "Gulls feed their chicks at the nest.\n\nThe red spot on a gull's bill releases pecking.",
        ),
        document(
            "terns.md",
            "Terns dive for fish.\n\nA tern carries one fish at a time to its nest.",
        ),
        document(
            "tides.md",
            "The moon pulls the sea.\n\nSpring tides follow the new moon by two days.",
        ),
        document("crabs.md", "Crabs hide under stones.\n\nThey come out when the water rises."),
        document(
            "geology.md",
            "Granite cools slowly.\n\nBasalt cools fast and its crystals stay small.",
        ),
    ]
}

/// The manifest once a document in English is in the collection.
fn with_english() -> Manifest {
    Manifest { languages: Some([Language::English].into()), ..manifest() }
}

pub async fn a_collection_is_made_once_and_opened_again(library: &dyn Library) {
    opened(library, gulls()).await;
    let before = library.collections(USER).await.unwrap();
    library.open(USER, KB, &manifest()).await.unwrap();
    assert_eq!(library.collections(USER).await.unwrap(), before);
    let [kb] = before.as_slice() else { panic!("{before:?}") };
    assert_eq!((kb.name.as_str(), kb.documents, kb.chunks), (KB, 5, 10));
    assert_eq!(kb.manifest, with_english());
    assert!(kb.updated_at >= kb.created_at);
}

pub async fn a_collection_made_another_way_is_refused_and_the_difference_named(
    library: &dyn Library,
) {
    opened(library, gulls()).await;
    let others = [
        (
            Manifest { embedder: Some(embedding("bge", 4)), ..manifest() },
            "no embedding model instead of bge",
        ),
        (
            Manifest { language: Language::German, ..manifest() },
            "language English instead of German",
        ),
        (Manifest { chunk_tokens: 300, ..manifest() }, "passages of 200 tokens instead of 300"),
        (
            Manifest { smallest_chunk_tokens: 41, ..manifest() },
            "passages of at least 40 tokens instead of 41",
        ),
    ];
    for (other, difference) in others {
        match library.open(USER, KB, &other).await {
            Err(PortError::Invalid { what }) => {
                assert!(what.contains(difference) && what.contains("'kb'"), "{what}");
            }
            opened => panic!("{opened:?}"),
        }
    }
    assert_eq!(library.collections(USER).await.unwrap()[0].manifest, with_english());
}

pub async fn a_document_is_added_left_alone_or_replaced_index_and_all(library: &dyn Library) {
    opened(library, vec![]).await;
    let put = async |document| library.put(USER, KB, vec![document]).await.map(|put| put[0]);
    let old = about("a.md", "Kittiwakes nest on cliffs.\n\nThey rarely walk.", &[("year", "1990")]);
    assert_eq!(put(old.clone()).await, Ok(Put::Added));
    let id = library.documents(USER, KB).await.unwrap()[0].document_id.clone();
    assert_eq!(put(old.clone()).await, Ok(Put::Unchanged));
    let changes = [
        NewDocument { metadata: map(&[("year", "1991")]), ..old.clone() },
        NewDocument { title: "Another title".into(), ..old.clone() },
        NewDocument { format: "html".into(), ..old.clone() },
        about("a.md", "Puffins dig burrows.", &[("year", "1990")]),
    ];
    for change in changes {
        assert_eq!(put(change.clone()).await, Ok(Put::Replaced), "{change:?}");
        assert_eq!(put(change).await, Ok(Put::Unchanged));
    }
    let gone = ask(library, "kittiwakes cliffs walk").await;
    assert_eq!(gone.passages, []);
    assert!(gone.terms.iter().all(|(_, chunks)| *chunks == 0), "{:?}", gone.terms);
    assert_eq!(gone.chunks, 1);
    assert_eq!(ask(library, "puffins").await.passages.len(), 1);

    // Another file with the same text: nothing to index, and its digest is known from then on.
    let mut resaved = about("a.md", "Puffins dig burrows.", &[("year", "1990")]);
    resaved.file_sha256 = "another file".into();
    assert_eq!(put(resaved).await, Ok(Put::Unchanged));
    let documents = library.documents(USER, KB).await.unwrap();
    assert_eq!(documents[0].file_sha256, "another file");
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].document_id, id, "its id stays when its content changes");
    assert_eq!(documents[0].reader_version, 0);

    // Read again by a later reader, to the same text: nothing to index, and its reader is known from then on.
    let reread = NewDocument {
        reader_version: 2,
        file_sha256: "another file".into(),
        ..about("a.md", "Puffins dig burrows.", &[("year", "1990")])
    };
    assert_eq!(put(reread.clone()).await, Ok(Put::Unchanged));
    assert_eq!(library.documents(USER, KB).await.unwrap()[0].reader_version, 2);
    let rewritten = NewDocument { reader_version: 3, title: "Yet another".into(), ..reread };
    assert_eq!(put(rewritten).await, Ok(Put::Replaced));
    let at = library.documents_at(USER, KB, &["a.md".into()]).await.unwrap();
    assert_eq!(at[0].reader_version, 3);
    assert_eq!(library.document(USER, &id).await.unwrap().unwrap().0, at[0]);
}

pub async fn a_file_is_kept_with_its_document_and_goes_with_it(library: &dyn Library) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(2_500_000).collect();
    let kept = |path: &str, text: &str, file: &[u8]| NewDocument {
        file_sha256: Hash::of(file).to_string(),
        original: Some(Original::Bytes(file.to_vec())),
        ..document(path, text)
    };
    opened(library, vec![document("a.pdf", "A gull."), kept("b.pdf", "A tern.", b"")]).await;
    let put = async |new| library.put(USER, KB, vec![new]).await.unwrap()[0];
    let known = async |index: usize| library.documents(USER, KB).await.unwrap().remove(index);
    let total = async || library.collection(USER, KB).await.unwrap().map(|kb| kb.original_bytes);
    let (a, b) = (known(0).await.document_id, known(1).await.document_id);
    let file = async |id: &str| library.original(USER, id).await.unwrap();
    assert_eq!((known(0).await.original_bytes, known(1).await.original_bytes), (None, Some(0)));
    assert_eq!((file(&a).await, file(&b).await, total().await), (None, Some(vec![]), Some(0)));
    // What was read before and is the same gets its file; another file of the same text replaces that.
    assert_eq!(put(kept("a.pdf", "A gull.", &every_byte)).await, Put::Unchanged);
    assert_eq!(file(&a).await, Some(every_byte.clone()));
    assert_eq!(known(0).await.original_bytes, Some(2_500_000));
    assert_eq!(library.document(USER, &a).await.unwrap().unwrap().0, known(0).await);
    assert_eq!(put(kept("a.pdf", "A gull.", b"resaved")).await, Put::Unchanged);
    assert_eq!((file(&a).await, total().await), (Some(b"resaved".to_vec()), Some(7)));
    // Read again without being kept: the file of the same bytes stays, that of others goes.
    let unkept = NewDocument { original: None, ..kept("a.pdf", "A gull.", b"resaved") };
    assert_eq!(put(unkept).await, Put::Unchanged);
    let reread =
        NewDocument { reader_version: 2, original: None, ..kept("a.pdf", "A gull.", b"resaved") };
    assert_eq!(put(reread).await, Put::Unchanged);
    assert_eq!(file(&a).await, Some(b"resaved".to_vec()));
    assert_eq!(put(document("a.pdf", "A gull.")).await, Put::Unchanged);
    assert_eq!((file(&a).await, total().await), (None, Some(0)));
    // A file that is its text.
    let text = NewDocument { original: Some(Original::Text), ..document("a.pdf", "A gull.") };
    assert_eq!(put(text).await, Put::Unchanged);
    assert_eq!((file(&a).await, total().await), (Some(b"A gull.".to_vec()), Some(7)));
    assert_eq!(put(kept("a.pdf", "Two gulls.", b"two")).await, Put::Replaced);
    assert_eq!(put(kept("b.pdf", "Two terns.", b"more")).await, Put::Replaced);
    assert_eq!(total().await, Some(7));
    assert_eq!(library.original("bob", &a).await.unwrap(), None, "another user has none of it");
    assert!(library.remove_document(USER, &a).await.unwrap());
    assert_eq!((file(&a).await, total().await), (None, Some(4)));
    assert_eq!(library.remove_paths(USER, KB, &["b.pdf".into()]).await, Ok(1));
    assert_eq!((file(&b).await, total().await), (None, Some(0)));
    assert_eq!(put(kept("a.pdf", "A gull.", b"again")).await, Put::Added);
    let id = known(0).await.document_id;
    assert!(library.remove(USER, KB).await.unwrap());
    assert_eq!(library.original(USER, &id).await.unwrap(), None);
}

pub async fn a_library_ranks_alike_whatever_was_in_it_before(library: &dyn Library) {
    let wanted = "How do gulls feed chicks at the nest under the moon?";
    opened(library, gulls()).await;
    let fresh = ask(library, wanted).await;
    assert!(fresh.passages.len() >= 3);
    for round in 0..20 {
        let text = format!("Nest chicks moon gulls in round {round}.\n\nFeed again.\n\nGranite.");
        for path in ["gulls.md", "visitor.md"] {
            library.put(USER, KB, vec![document(path, &text)]).await.unwrap();
        }
    }
    library.remove_paths(USER, KB, &["visitor.md".into()]).await.unwrap();
    for document in gulls().into_iter().rev() {
        library.put(USER, KB, vec![document]).await.unwrap();
    }
    assert_eq!(ask(library, wanted).await, fresh);
}

pub async fn documents_are_removed_by_path(library: &dyn Library) {
    opened(library, gulls()).await;
    let gone: Vec<String> = ["gulls.md", "never.md", "gulls.md", "'; DROP TABLE documents; --"]
        .map(str::to_owned)
        .into();
    assert_eq!(library.remove_paths(USER, KB, &gone).await, Ok(1));
    assert_eq!(library.remove_paths(USER, KB, &[]).await, Ok(0));
    assert!(!sources(&ask(library, "gulls").await).contains(&"doc://kb/gulls.md"));
    let documents = library.documents(USER, KB).await.unwrap();
    let paths: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    assert_eq!(paths, ["crabs.md", "geology.md", "terns.md", "tides.md"]);
    let kb = &library.collections(USER).await.unwrap()[0];
    assert_eq!((kb.documents, kb.chunks), (4, 8));
}

pub async fn a_collection_is_removed_with_everything_in_it(library: &dyn Library) {
    opened(library, gulls()).await;
    library.open(USER, "other", &manifest()).await.unwrap();
    library.put(USER, "other", vec![document("a.md", "Gulls again.")]).await.unwrap();
    // Of two that are made one after the other, the second is not taken for the first.
    library.open(USER, "brief", &manifest()).await.unwrap();
    library.put(USER, "brief", vec![document("a.md", "Gulls once.")]).await.unwrap();
    let brief = library.documents(USER, "brief").await.unwrap()[0].document_id.clone();
    library.remove(USER, "brief").await.unwrap();
    library.open("eve", "brief", &manifest()).await.unwrap();
    library.put("eve", "brief", vec![document("a.md", "Gulls twice.")]).await.unwrap();
    assert_eq!(library.document("eve", &brief).await.unwrap(), None);

    let id = library.documents(USER, KB).await.unwrap()[0].document_id.clone();
    assert_eq!(library.remove(USER, KB).await, Ok(true));
    assert_eq!(library.remove(USER, KB).await, Ok(false));
    assert_eq!(library.document(USER, &id).await.unwrap(), None);
    assert_eq!(library.collections(USER).await.unwrap().len(), 1);
    assert!(library.search(USER, &question("gulls"), None).await.is_err());

    // Made again, it is empty, and another in its place does not bring its documents back.
    library.open(USER, "new", &manifest()).await.unwrap();
    library.put(USER, "new", vec![document("crabs.md", "Something else.")]).await.unwrap();
    assert_eq!(library.document(USER, &id).await.unwrap(), None);
    opened(library, vec![]).await;
    assert_eq!(ask(library, "gulls").await.passages, []);
    let other = Search { collection: "other".into(), ..question("gulls") };
    assert_eq!(library.search(USER, &other, None).await.unwrap().passages.len(), 1);
}

pub async fn a_document_comes_back_to_the_byte(library: &dyn Library) {
    let texts = [
        String::new(),
        "\u{feff}begins with a mark\r\n\ttabs\u{0}nul\u{1b}[31m".into(),
        "Straße 海鸥 \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} e\u{301} \u{202e}".into(),
        "line\n".repeat(300_000),
    ];
    opened(library, vec![]).await;
    for (number, text) in texts.iter().enumerate() {
        let new = about(&format!("{number}.txt"), text, &[("k\"e'y", "v\\al\u{0}ue")]);
        library.put(USER, KB, vec![new.clone()]).await.unwrap();
        let stored = library.documents(USER, KB).await.unwrap();
        let stored = stored.iter().find(|stored| stored.path == new.path).unwrap();
        let (document, back) = library.document(USER, &stored.document_id).await.unwrap().unwrap();
        assert!(back == *text, "text {number} changed");
        assert_eq!(document, *stored);
        assert_eq!((document.path, document.title), (new.path, new.title));
        assert_eq!((document.metadata, document.format), (new.metadata, new.format));
        assert_eq!(document.file_sha256, new.file_sha256);
        assert_eq!(document.text_sha256, new.text_sha256);
        assert_eq!((document.collection.as_str(), document.chunks), (KB, new.chunks.len() as u64));
    }
    assert_eq!(library.document(USER, "d0000000000000000").await.unwrap(), None);
}

pub async fn a_passage_is_found_again_by_the_id_that_a_search_gave_it(library: &dyn Library) {
    opened(library, gulls()).await;
    let fetched = NewDocument {
        kind: EvidenceKind::Scholarly,
        work: Some(Box::new(Paper { title: "On nests".into(), ..Paper::default() })),
        ..about("doi:10.5555/nests", "A nest is built.\n\nA nest is left.", &[("year", "2024")])
    };
    library.put(USER, KB, vec![fetched]).await.unwrap();
    let found = ask(library, "gulls terns nest fish moon tide").await.passages;
    assert!(found.len() > 5);
    let mut names: Vec<&str> = found.iter().map(|passage| passage.chunk_id.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), found.len(), "no two passages have one id");
    for passage in &found {
        let again = library.passage(USER, &passage.chunk_id).await.unwrap().unwrap();
        assert_eq!(again, Passage { score: 0.0, ..passage.clone() });
        for user in ["eve", "", "ADA", "ada\0", "%"] {
            assert_eq!(library.passage(user, &passage.chunk_id).await.unwrap(), None);
        }
    }
    let known = found[0].place.document_id.clone();
    let wrong = ["0", "-1", "+1", "01", "1 ", " 1", "1-1", "", "99999999999999999999", "1\0", "%"];
    for number in wrong {
        let name = format!("{known}-{number}");
        assert_eq!(library.passage(USER, &name).await.unwrap(), None, "{name:?}");
    }
    for name in ["", "1", "-", "-1", &known, "d0000000000000000-1", "' OR 1 -- -1"] {
        assert_eq!(library.passage(USER, name).await.unwrap(), None, "{name:?}");
    }
    // It is what stands there now, and goes with its document.
    let first = ask(library, "red spot bill").await.passages.remove(0);
    library.put(USER, KB, vec![document("gulls.md", "Gone.\n\nA black spot.")]).await.unwrap();
    let now = library.passage(USER, &first.chunk_id).await.unwrap().unwrap();
    assert_eq!((now.text.as_str(), now.place.start), ("A black spot.", 7));
    library.remove_paths(USER, KB, &["gulls.md".to_owned()]).await.unwrap();
    assert_eq!(library.passage(USER, &first.chunk_id).await.unwrap(), None);
}

pub async fn a_document_is_removed_by_its_id_index_and_all(library: &dyn Library) {
    opened(library, gulls()).await;
    // A collection without it, to compare with.
    library.open(USER, "without", &manifest()).await.unwrap();
    let rest: Vec<_> = gulls().into_iter().filter(|one| one.path != "gulls.md").collect();
    library.put(USER, "without", rest).await.unwrap();
    library.open("eve", KB, &manifest()).await.unwrap();
    library.put("eve", KB, gulls()).await.unwrap();

    let documents = library.documents(USER, KB).await.unwrap();
    let id = documents.iter().find(|one| one.path == "gulls.md").unwrap().document_id.clone();
    let before = library.collections(USER).await.unwrap().remove(0);
    for user in ["eve", "", "ADA", "%"] {
        assert_eq!(library.remove_document(user, &id).await, Ok(false));
    }
    for other in ["", "%", "gulls.md", "d0000000000000000", &format!("{id}\0")] {
        assert_eq!(library.remove_document(USER, other).await, Ok(false), "{other:?}");
    }
    assert_eq!(library.collections(USER).await.unwrap().remove(0), before);

    assert_eq!(library.remove_document(USER, &id).await, Ok(true));
    assert_eq!(library.remove_document(USER, &id).await, Ok(false));
    assert_eq!(library.document(USER, &id).await.unwrap(), None);
    let after = library.collections(USER).await.unwrap().remove(0);
    assert_eq!((after.documents, after.chunks), (before.documents - 1, before.chunks - 2));
    let asked = question("gulls feed at the nest");
    let found = library.search(USER, &asked, None).await.unwrap();
    let alone = Search { collection: "without".into(), ..asked.clone() };
    let alone = library.search(USER, &alone, None).await.unwrap();
    let scores = |found: &Found| found.passages.iter().map(|one| one.score).collect::<Vec<_>>();
    assert!(!found.passages.is_empty());
    assert_eq!((scores(&found), &found.terms), (scores(&alone), &alone.terms));
    assert_eq!(library.search("eve", &asked, None).await.unwrap().chunks, before.chunks);
    // Put back, it is the same document.
    let back = gulls().into_iter().filter(|one| one.path == "gulls.md").collect();
    assert_eq!(library.put(USER, KB, back).await.unwrap(), [Put::Added]);
    assert!(library.document(USER, &id).await.unwrap().is_some());
}

pub async fn what_is_found_is_what_was_asked_for_best_first(library: &dyn Library) {
    opened(library, gulls()).await;
    for (asked, best) in [
        ("What releases pecking on the bill?", "doc://kb/gulls.md"),
        ("spring tides and the new moon", "doc://kb/tides.md"),
        ("Where do CRABS hide?", "doc://kb/crabs.md"),
        ("basalt crystal", "doc://kb/geology.md"),
    ] {
        let found = ask(library, asked).await;
        assert_eq!(sources(&found)[0], best, "{asked}");
        assert!(found.passages.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert!(found.passages.iter().all(|passage| passage.score >= 0.0));
    }
    // Of two words the rarer one tells more.
    assert_eq!(sources(&ask(library, "fish bill").await)[0], "doc://kb/gulls.md");
    assert_eq!(ask(library, "quasars").await.passages, []);
    assert_eq!(ask(library, "the of and").await.terms, []);
    // The order of the words, and saying one twice, change nothing; another form of a word adds to it.
    let said = ask(library, "moon tides").await;
    assert_eq!(said, ask(library, "Tides! moon, moon; tides").await);
    let more = ask(library, "moon tides tide").await;
    assert_eq!(said.terms, more.terms);
    assert!(more.passages[0].score > said.passages[0].score);
    for top_k in [0, 1, 2, u32::MAX] {
        let asked = Search { top_k, ..question("nest fish moon") };
        let found = library.search(USER, &asked, None).await.unwrap();
        let all = ask(library, "nest fish moon").await;
        assert_eq!(found.passages[..], all.passages[..all.passages.len().min(top_k as usize)]);
        assert_eq!(found.terms, all.terms);
    }
}

pub async fn terms_are_counted_in_the_chunks_of_the_collection(library: &dyn Library) {
    opened(library, gulls()).await;
    let found = ask(library, "nest moon nest quasar").await;
    let counted: BTreeMap<_, _> = found.terms.into_iter().collect();
    assert_eq!(
        counted,
        [("moon", 2), ("nest", 2), ("quasar", 0)].map(|(t, n)| (t.into(), n)).into()
    );
    assert_eq!(found.chunks, 10);
    assert_eq!(found.language, Language::English);
}

pub async fn every_passage_is_the_stretch_of_its_document_that_it_says(library: &dyn Library) {
    let mut documents = gulls();
    documents.push(document(
        "straße.md",
        "Möwen über der Straße.\n\n海鸥吃鱼。 Nest \u{1F600}.\n\nfish",
    ));
    opened(library, documents).await;
    let found = ask(library, "nest fish moon gulls 海鸥 Straße crystals stones").await;
    assert!(found.passages.len() > 8);
    for passage in found.passages {
        let place = &passage.place;
        let (stored, text) = library.document(USER, &place.document_id).await.unwrap().unwrap();
        assert_eq!(text[place.start as usize..place.end as usize], passage.text);
        assert_eq!(place.source_sha256, Hash::of(text.as_bytes()).to_string());
        assert_eq!(passage.source_uri, format!("doc://kb/{}", stored.path));
        assert_eq!((place.title.as_str(), place.section.as_str()), ("Title", "Title > Section"));
        assert_eq!(passage.metadata, stored.metadata);
    }
}

pub async fn a_chunk_that_is_no_stretch_of_the_text_is_refused(library: &dyn Library) {
    opened(library, vec![document("a.md", "Straße und Möwe")]).await;
    for (start, end) in [(0, 99), (5, 4), (0, 5), (u64::MAX - 1, u64::MAX)] {
        let mut new = document("a.md", "Straße statt Möwe");
        new.chunks[0] = NewChunk { start, end, ..new.chunks[0].clone() };
        let refused = library.put(USER, KB, vec![new]).await;
        assert!(matches!(refused, Err(PortError::Invalid { .. })), "{start}..{end}: {refused:?}");
    }
    assert_eq!(ask(library, "und").await.passages.len(), 1, "what stood there still stands");
}

pub async fn a_filter_takes_metadata_without_regard_to_case(library: &dyn Library) {
    let pairs: &[(&str, &[(&str, &str)])] = &[
        ("a.md", &[("company", "Möwe & Straße"), ("Year", "1990")]),
        ("b.md", &[("company", "ΟΔΟΣ"), ("year", "1990")]),
        ("c.md", &[("company", "o'Brien \"x\""), ("year", "1991"), ("ключ", "ЗНАЧЕНИЕ")]),
        ("d.md", &[]),
    ];
    opened(library, pairs.iter().map(|(path, pairs)| about(path, "A nest.", pairs)).collect())
        .await;
    type Pairs = &'static [(&'static str, &'static str)];
    let cases: &[(Pairs, &[&str])] = &[
        (&[], &["a.md", "b.md", "c.md", "d.md"]),
        (&[("company", "möwe & straße")], &["a.md"]),
        (&[("COMPANY", "MÖWE & STRASSE")], &["a.md"]),
        (&[("company", "οδος")], &["b.md"]),
        (&[("company", "οδοσ")], &["b.md"]),
        (&[("company", "O'BRIEN \"X\"")], &["c.md"]),
        (&[("КЛЮЧ", "значение")], &["c.md"]),
        (&[("year", "1990")], &["a.md", "b.md"]),
        (&[("year", "1990"), ("company", "οδος")], &["b.md"]),
        (&[("year", "1991"), ("company", "οδος")], &[]),
        (&[("year", "1990"), ("YEAR", "1991")], &[]),
        (&[("year", "199")], &[]),
        (&[("year", "%")], &[]),
        (&[("$.year", "1990")], &[]),
        (&[("", "")], &[]),
        (&[("year", "1990' OR '1'='1")], &[]),
        (&[("\0", "\u{1F600}")], &[]),
    ];
    for (filter, expected) in cases {
        let asked = Search { filter: map(filter), ..question("nest") };
        let found = library.search(USER, &asked, None).await.unwrap();
        let expected: Vec<String> =
            expected.iter().map(|path| format!("doc://kb/{path}")).collect();
        assert_eq!(sources(&found), expected, "{filter:?}");
    }
    let many = (0..5_000).map(|number| (format!("key {number}"), "value".to_owned())).collect();
    let asked = Search { filter: many, ..question("nest") };
    assert_eq!(library.search(USER, &asked, None).await.unwrap().passages, []);
}

pub async fn the_collection_of_another_user_is_not_there(library: &dyn Library) {
    opened(library, gulls()).await;
    let before = (
        library.collections(USER).await.unwrap(),
        library.documents(USER, KB).await.unwrap(),
        ask(library, "nest").await,
    );
    let id = before.1[0].document_id.clone();
    for user in ["eve", "", "ADA", "ada\0", "%"] {
        // It answers as it does for one that nobody ever made.
        assert_eq!(library.collections(user).await.unwrap(), []);
        assert_eq!(library.document(user, &id).await.unwrap(), None);
        assert_eq!(library.remove(user, KB).await, Ok(false));
        assert!(library.documents(user, KB).await.is_err());
        assert!(library.documents(USER, "never").await.is_err());
        assert!(library.search(user, &question("nest"), None).await.is_err());
        assert!(library.put(user, KB, vec![document("a.md", "mine")]).await.is_err());
        let path = ["gulls.md".to_owned()];
        assert!(library.remove_paths(user, KB, &path).await.is_err());
    }
    // A collection of the same name and the same paths is another one.
    let german = Manifest { language: Language::German, ..manifest() };
    library.open("eve", KB, &german).await.unwrap();
    library.put("eve", KB, vec![document("gulls.md", "A nest of vipers.")]).await.unwrap();
    let hers = library.search("eve", &question("nest"), None).await.unwrap();
    assert_eq!((hers.passages.len(), hers.chunks), (1, 1));
    assert_eq!(library.remove("eve", KB).await, Ok(true));
    let now = (
        library.collections(USER).await.unwrap(),
        library.documents(USER, KB).await.unwrap(),
        ask(library, "nest").await,
    );
    assert_eq!(now, before);
}

pub async fn a_second_collection_does_not_influence_the_scores(library: &dyn Library) {
    opened(library, gulls()).await;
    let alone = ask(library, "gulls feed at the nest").await;
    for (user, name) in [(USER, "crowd"), ("eve", KB)] {
        library.open(user, name, &manifest()).await.unwrap();
        for number in 0..50 {
            let text = "gulls feed nest ".repeat(number % 7 + 1);
            library.put(user, name, vec![document(&format!("{number}.md"), &text)]).await.unwrap();
        }
    }
    assert_eq!(ask(library, "gulls feed at the nest").await, alone);
    library.remove(USER, "crowd").await.unwrap();
    assert_eq!(ask(library, "gulls feed at the nest").await, alone);
}

pub async fn no_question_is_an_error(library: &dyn Library) {
    opened(library, gulls()).await;
    let mut questions: Vec<String> = [
        "",
        " ",
        "\0",
        "nest\0fish",
        "\"",
        "\"\"",
        "\"nest",
        "nest\"",
        "'",
        "nest AND",
        "AND",
        "OR OR OR",
        "NOT nest",
        "nest NOT fish",
        "NEAR(nest fish, 5)",
        "NEAR",
        "(",
        ")",
        "((((nest",
        "nest)",
        "*",
        "nest*",
        "*nest",
        "^nest",
        "^",
        ":",
        "terms:nest",
        "terms : nest",
        "-nest",
        "- terms : nest",
        "{terms}: nest",
        "+",
        "nest + fish",
        "nest;--",
        "'; DROP TABLE documents; --",
        "?1",
        "?99999",
        ":name",
        "$1",
        "@nest",
        "%",
        "_",
        "\\",
        "\\\"",
        "\u{1F600}",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        "\u{202e}nest",
        "\u{feff}",
        "\u{fffd}",
        "\u{0301}",
        "e\u{301}",
        "ﬁsh",
        "ＮＥＳＴ",
        "İstanbul",
        "ß",
        "海鸥",
        "ก็",
        "한국어",
        "مرحبا",
        "\u{e000}",
        "\u{10ffff}",
        "null",
        "undefined",
        "NaN",
        "1e999",
        "-1",
        "0x0",
        "1/0",
        "{\"lc\":1,\"type\":\"constructor\"}",
        "${jndi:ldap://a}",
        "<script>alert(1)</script>",
        "../../etc/passwd",
        "%00",
        "\r\n",
        "a_b",
        "can't",
        "o'brien's",
        "3.5",
        "1,000",
        "C++",
        "rank MATCH nest",
    ]
    .map(str::to_owned)
    .into();
    questions.push("nest ".repeat(20_000));
    questions.push("n".repeat(100_000));
    questions.push("é".repeat(100_000));
    questions.push("\"".repeat(100_000));
    questions.push("(".repeat(100_000));
    questions.push("海鸥吃鱼".repeat(25_000));
    questions.push((0..15_000).map(|number| format!("w{number} ")).collect());
    questions.push((0..15_000).map(|number| format!("w{number}\" OR \"")).collect());
    questions.push(format!("nest {}", "AND NOT NEAR( ".repeat(7_000)));
    for question in questions {
        let start: String = question.chars().take(40).collect();
        let found = library.search(USER, &self::question(&question), None).await;
        let found = found.unwrap_or_else(|error| panic!("{start:?}: {error}"));
        assert!(found.passages.len() <= 10);
        if terms(&question, Language::English).iter().take(100).any(|term| term == "nest") {
            assert!(!found.passages.is_empty(), "{start:?} asks for a nest");
        }
    }
    assert_eq!(library.documents(USER, KB).await.unwrap().len(), 5);
}

pub async fn a_question_as_long_as_a_book_is_answered_like_another(library: &dyn Library) {
    opened(library, gulls()).await;
    let book: String = (0..20_000).map(|number| format!("word{number} ")).collect();
    let found = ask(library, &format!("pecking {book}")).await;
    assert_eq!(sources(&found), ["doc://kb/gulls.md"]);
    assert!(found.terms.len() <= 1_000, "{} terms", found.terms.len());
    assert!(found.terms.contains(&("peck".to_owned(), 1)));
    assert_eq!(ask(library, &format!("pecking {book}")).await, found);
}

pub async fn names_and_paths_may_be_any_text(library: &dyn Library) {
    let names = [
        "it's",
        "a \"b\" c",
        "海鸥/Straße",
        "..",
        "%",
        "a\0b",
        "'; DROP TABLE collections; --",
        " ",
    ];
    for name in names {
        library.open(USER, name, &manifest()).await.unwrap();
        for path in names {
            library.put(USER, name, vec![document(path, "A nest.")]).await.unwrap();
        }
    }
    for name in names {
        let asked = Search { collection: name.into(), top_k: 99, ..question("nest") };
        let found = library.search(USER, &asked, None).await.unwrap();
        let mut expected = names.map(|path| format!("doc://{name}/{path}"));
        expected.sort();
        assert_eq!(sources(&found), expected);
        let documents = library.documents(USER, name).await.unwrap();
        assert_eq!(documents.len(), names.len());
        let stored = |path: &str| documents.iter().any(|document| document.path == path);
        assert!(names.iter().all(|path| stored(path)));
        let removed = library.remove_paths(USER, name, &names.map(str::to_owned)).await;
        assert_eq!(removed, Ok(names.len() as u64));
    }
    assert_eq!(library.collections(USER).await.unwrap().len(), names.len());
}

pub async fn what_is_not_there_is_said_to_be_missing(library: &dyn Library) {
    let missing = [
        library.put(USER, "no such", vec![document("a.md", "text")]).await.map(|_| ()).unwrap_err(),
        library.documents(USER, "no such").await.map(|_| ()).unwrap_err(),
        library.remove_paths(USER, "no such", &[]).await.map(|_| ()).unwrap_err(),
        library
            .search(USER, &Search { collection: "no such".into(), ..question("nest") }, None)
            .await
            .map(|_| ())
            .unwrap_err(),
    ];
    for error in missing {
        assert!(
            matches!(&error, PortError::Invalid { what } if what.contains("'no such'")),
            "{error}"
        );
    }
}

// proves: A6
pub async fn what_was_fetched_is_cited_as_where_it_came_from(library: &dyn Library) {
    opened(library, vec![]).await;
    let work = Paper {
        title: "On gulls".into(),
        ids: Ids { doi: Some("10.1000/gulls".into()), ..Ids::default() },
        ..Paper::default()
    };
    let fetched = NewDocument {
        kind: EvidenceKind::Scholarly,
        work: Some(Box::new(work.clone())),
        ..document("doi:10.1000/gulls", "Gulls nest on cliffs.")
    };
    let put = async |new: &NewDocument| library.put(USER, KB, vec![new.clone()]).await.unwrap();
    assert_eq!(put(&fetched).await, [Put::Added]);
    assert_eq!(put(&fetched).await, [Put::Unchanged]);
    let found = ask(library, "gulls on cliffs").await;
    let passage = &found.passages[0];
    assert_eq!(passage.source_uri, "doi:10.1000/gulls");
    assert_eq!(passage.kind, EvidenceKind::Scholarly);
    assert_eq!(passage.work.as_deref(), Some(&work));
    let stored = library.documents(USER, KB).await.unwrap();
    assert_eq!((stored[0].kind, stored[0].work.as_deref()), (EvidenceKind::Scholarly, Some(&work)));
    // What is known of a work may grow while its text stays.
    let more = Paper { citation_count: Some(3), ..work };
    assert_eq!(put(&NewDocument { work: Some(Box::new(more)), ..fetched }).await, [Put::Replaced]);
}
