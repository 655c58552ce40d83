//! The library on PostgreSQL: what every library must do, and what belongs to a server that several processes share.

mod large;

use std::collections::BTreeMap;
use std::sync::Arc;

use conformance::library::{document, embedding, manifest};
use postgres::Postgres;
use run::embedding::Embedding;
use run::library::{Found, Library, Manifest, NewDocument, Put, QueryVector, Retrieval, Search};
use store::Store;

use conformance::server::{Database, connect};

async fn open() -> (Arc<dyn Library>, Database) {
    let (postgres, database) = crate::open_own().await;
    (Arc::new(postgres), database)
}

// proves: A3, A5, A6, A7, C13, F8, S1, S2
conformance::library_tests!(open);

fn asked(question: &str, retrieval: Retrieval) -> Search {
    Search {
        collection: "kb".into(),
        question: question.into(),
        filter: BTreeMap::new(),
        top_k: 100,
        retrieval,
    }
}

/// Returns the number of rows in each table of the library.
async fn count_rows(database: &Database) -> [i64; 3] {
    let client = connect(&database.url).await;
    let mut rows = [0; 3];
    for (rows, table) in rows.iter_mut().zip(["collections", "documents", "chunks"]) {
        let query = format!("SELECT count(*) FROM {table}");
        *rows = client.query_one(&query, &[]).await.unwrap().get(0);
    }
    rows
}

// proves: A6, S2
#[tokio::test]
async fn a_removed_collection_leaves_nothing_behind() {
    let (library, database) = crate::open_own().await;
    conformance::library::opened(&library, vec![document("a.md", "Gulls.\n\nTerns.")]).await;
    assert_eq!(count_rows(&database).await, [1, 1, 2]);
    library.search("ada", &asked("gulls", Retrieval::Auto), None).await.unwrap();
    library.remove("ada", "kb").await.unwrap();
    assert_eq!(count_rows(&database).await, [0, 0, 0]);
}

// proves: A6, S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_search_sees_a_collection_before_or_after_a_change_and_never_between() {
    let database = Database::make().await;
    let writer = Postgres::open(&database.url).await.unwrap();
    let reader = Postgres::open(&database.url).await.unwrap();
    change_while_searching(&writer, &reader).await;
}

async fn change_while_searching(writer: &Postgres, reader: &Postgres) {
    writer.open("ada", "kb", &manifest()).await.unwrap();
    let changes = async {
        for round in 0..40 {
            let text = "A gull.\n\n".repeat(round % 5 + 1);
            writer.put("ada", "kb", vec![document("a.md", &text)]).await.unwrap();
            if round % 8 == 7 {
                writer.remove("ada", "kb").await.unwrap();
                writer.open("ada", "kb", &manifest()).await.unwrap();
            }
        }
    };
    let searches = async {
        loop {
            match reader.search("ada", &asked("gull", Retrieval::Lexical), None).await {
                Ok(found) => {
                    assert_eq!(found.passages.len() as u64, found.chunks);
                    assert_eq!(found.terms, [("gull".to_owned(), found.chunks)]);
                }
                // Between its removal and its making it is not there, and nothing else is wrong.
                Err(error) => {
                    assert!(error.to_string().contains("there is no collection"), "{error}");
                }
            }
        }
    };
    tokio::select! {
        () = changes => {}
        () = searches => {}
    }
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_change_one_collection_at_once_count_right() {
    let database = Database::make().await;
    let one = Postgres::open(&database.url).await.unwrap();
    let two = Postgres::open(&database.url).await.unwrap();
    let change = async |library: &Postgres, name: &str| {
        library.open("ada", "kb", &manifest()).await.unwrap();
        let mut added = 0;
        for round in 0..20 {
            let own = document(&format!("{name} {round}.md"), "A gull.\n\nA tern.");
            let shared = document(&format!("{round}.md"), "A crab.");
            let put = library.put("ada", "kb", vec![own.clone(), shared]).await.unwrap();
            added += u32::from(put[1] == Put::Added);
            if round % 4 == 3 {
                let removed = library.remove_paths("ada", "kb", &[own.path]).await;
                assert_eq!(removed, Ok(1));
            }
        }
        added
    };
    let (first, second) = futures::future::join(change(&one, "one"), change(&two, "two")).await;
    assert_eq!(first + second, 20, "of two who add one document, one does");
    let kb = one.collection("ada", "kb").await.unwrap().unwrap();
    assert_eq!((kb.documents, kb.chunks), (30 + 20, 60 + 20));
    assert_eq!(count_rows(&database).await, [1, 50, 80]);
    let found = two.search("ada", &asked("crab", Retrieval::Lexical), None).await.unwrap();
    assert_eq!((found.passages.len(), found.chunks), (20, 80));
}

// proves: S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn many_who_search_while_others_write_are_all_answered() {
    let (library, _database) = crate::open_own().await;
    conformance::library::opened(&library, vec![document("a.md", "A gull.")]).await;
    let search = async || {
        let found = library.search("ada", &asked("gull", Retrieval::Auto), None).await.unwrap();
        assert!(!found.passages.is_empty());
    };
    let searches = futures::future::join_all((0..100).map(|_| search()));
    let writes = futures::future::join_all((0..20).map(|number| {
        library.put("ada", "kb", vec![document(&format!("{number}.md"), "A gull.")])
    }));
    let (_, written) = futures::future::join(searches, writes).await;
    assert!(written.into_iter().all(|put| put == Ok(vec![Put::Added])));
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn another_user_finds_nothing_in_what_is_in_memory() {
    let (library, _database) = crate::open_own().await;
    conformance::library::opened(&library, vec![document("a.md", "A gull.\n\nA tern.")]).await;
    let search = asked("gull", Retrieval::Auto);
    let found = library.search("ada", &search, None).await.unwrap();
    let passage = &found.passages[0];
    for user in ["eve", "", "ADA", "ada\0", "%", "ada' OR '1'='1"] {
        assert!(library.search(user, &search, None).await.is_err());
        assert_eq!(library.passage(user, &passage.chunk_id).await.unwrap(), None);
        assert_eq!(library.document(user, &passage.place.document_id).await.unwrap(), None);
        assert_eq!(library.collection(user, "kb").await.unwrap(), None);
        assert!(library.vectors(user, "kb", "a.md").await.unwrap().is_empty());
        // One of the same name has an index of its own.
        library.open(user, "kb", &manifest()).await.unwrap();
        let hers = library.search(user, &search, None).await.unwrap();
        assert_eq!((hers.passages, hers.chunks), (vec![], 0));
    }
    assert_eq!(library.search("ada", &search, None).await.unwrap(), found);
}

/// Numbers that look like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// Few words are common and many rare, as in a language.
    fn words(&mut self, count: u64) -> String {
        let word = |chance: &mut Chance| {
            let rarity = chance.below(6) + 1;
            format!("word{}", chance.below(rarity * rarity * 3))
        };
        (0..count).map(|_| word(self)).collect::<Vec<_>>().join(" ")
    }

    fn vector(&mut self) -> Vec<f32> {
        let vector: Vec<f32> = (0..16).map(|_| self.below(2_001) as f32 - 1_000.0).collect();
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.into_iter().map(|number| number / length).collect()
    }

    /// A document of a few chunks, of which some documents have the same.
    fn document(&mut self, number: u64) -> NewDocument {
        let paragraphs = self.below(5) + 1;
        let text: Vec<String> = (0..paragraphs)
            .map(|_| {
                let count = self.below(30) + 1;
                self.words(count)
            })
            .collect();
        let text = if number % 10 == 9 { "word1 word2 word3".into() } else { text.join("\n\n") };
        let mut new = document(&format!("{}/{number}\0.md", self.below(9)), &text);
        new.metadata.insert("Part".into(), ["One", "Two"][number as usize % 2].into());
        new
    }
}

fn made() -> Embedding {
    embedding("compass", 16)
}

/// What has no number of its database in it.
fn comparable(found: &Found) -> Vec<(&str, &str, &str, &str)> {
    let passages = found.passages.iter();
    passages
        .map(|one| {
            let (_, number) = one.chunk_id.rsplit_once('-').unwrap();
            (one.source_uri.as_str(), number, one.text.as_str(), one.place.section.as_str())
        })
        .collect()
}

/// Checks that two libraries found the same.
fn assert_same(here: &Found, there: &Found, about: &str) {
    assert_eq!(comparable(here), comparable(there), "{about}");
    assert_eq!((&here.terms, here.chunks), (&there.terms, there.chunks), "{about}");
    assert_eq!(here.language, there.language);
    for (here, there) in here.passages.iter().zip(&there.passages) {
        assert!((here.score - there.score).abs() < 1e-9, "{about}: {} {}", here.score, there.score);
        assert_eq!(here.metadata, there.metadata);
    }
    let near = |found: &Found| found.cosines.map(|near| [near.best, near.mean]);
    match (near(here), near(there)) {
        (Some(here), Some(there)) => {
            assert!(here.iter().zip(there).all(|(a, b)| (a - b).abs() < 1e-6), "{about}");
        }
        (here, there) => assert_eq!(here, there, "{about}"),
    }
}

// proves: A7, S2
#[tokio::test(flavor = "multi_thread")]
async fn the_same_is_found_in_the_same_order_as_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Store::open(folder.path()).unwrap();
    let (postgres, _database) = crate::open_own().await;
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let documents = make_documents(&mut chance);
    for library in [&postgres as &dyn Library, &sqlite] {
        fill(library, &documents).await;
    }
    let mut found_any = 0;
    for asked in make_questions(&mut chance) {
        let here = asked.put(&postgres).await;
        // SQLite answers the first time from its file, and then from memory.
        for _ in 0..2 {
            assert_same(&here, &asked.put(&sqlite).await, &asked.to_string());
        }
        if !asked.search.retrieval.needs_vectors() && asked.search.retrieval != Retrieval::Auto {
            assert_eq!(here.cosines, None, "vectors that are in memory are left alone");
        }
        found_any += usize::from(!here.passages.is_empty());
    }
    assert!(found_any > 150, "{found_any} questions found something");
}

/// Returns documents without vectors and the same ones with them.
fn make_documents(chance: &mut Chance) -> [Vec<NewDocument>; 2] {
    let plain: Vec<NewDocument> = (0..60).map(|number| chance.document(number)).collect();
    let mut with_vectors = plain.clone();
    for chunk in with_vectors.iter_mut().flat_map(|new| &mut new.chunks) {
        chunk.vector = chance.vector();
    }
    [plain, with_vectors]
}

/// Puts the documents into the collections `kb` and `near`, some of them again.
async fn fill(library: &dyn Library, [plain, with_vectors]: &[Vec<NewDocument>; 2]) {
    let collections = [
        ("kb", manifest(), plain),
        ("near", Manifest { embedder: Some(made()), ..manifest() }, with_vectors),
    ];
    for (name, manifest, documents) in collections {
        library.open("ada", name, &manifest).await.unwrap();
        for lot in documents.chunks(25) {
            library.put("ada", name, lot.to_vec()).await.unwrap();
        }
        let again = documents
            .iter()
            .step_by(7)
            .cloned()
            .map(|new| NewDocument { title: "Other".into(), ..new });
        library.put("ada", name, again.collect()).await.unwrap();
    }
}

/// A question to one of the collections.
struct Question {
    search: Search,
    query: Option<QueryVector>,
}

impl Question {
    async fn put(&self, library: &dyn Library) -> Found {
        library.search("ada", &self.search, self.query.as_ref()).await.unwrap()
    }
}

impl std::fmt::Display for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Search { collection, question, retrieval, top_k, .. } = &self.search;
        write!(f, "{collection} {retrieval:?} {question:?} {top_k}")
    }
}

/// Returns questions of all kinds to both collections.
fn make_questions(chance: &mut Chance) -> Vec<Question> {
    let ways = [
        Retrieval::Lexical,
        Retrieval::Feedback,
        Retrieval::Dense,
        Retrieval::Hybrid,
        Retrieval::Auto,
    ];
    let mut questions = Vec::new();
    for number in 0..30 {
        let count = chance.below(6);
        let question = if number == 0 { "word1 word2 word3".into() } else { chance.words(count) };
        let query = QueryVector { embedding: made(), vector: chance.vector() };
        for (collection, way) in ways.iter().flat_map(|way| [("kb", *way), ("near", *way)]) {
            if collection == "kb" && way.needs_vectors() {
                continue;
            }
            let filter = match number % 3 {
                0 => BTreeMap::from([("PART".to_owned(), "two".to_owned())]),
                _ => BTreeMap::new(),
            };
            let top_k = [1, 7, 1_000][number as usize % 3];
            let search =
                Search { collection: collection.into(), filter, top_k, ..asked(&question, way) };
            let query = Some(query.clone()).filter(|_| collection == "near");
            questions.push(Question { search, query });
        }
    }
    questions
}

// proves: S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_chunks_are_stored_and_searched() {
    let (library, _database) = crate::open_own().await;
    library.open("ada", "kb", &Manifest { embedder: Some(made()), ..manifest() }).await.unwrap();
    let mut chance = Chance(7);
    let mut documents = Vec::new();
    for number in 0..50 {
        let text: Vec<String> = (0..50).map(|_| chance.words(100)).collect();
        let mut new = document(&format!("{number}.md"), &text.join("\n\n"));
        new.chunks.iter_mut().for_each(|chunk| chunk.vector = chance.vector());
        documents.push(new);
    }
    let most = documents[7].chunks[3].vector.clone();
    library.put("ada", "kb", documents).await.unwrap();
    let query = QueryVector { embedding: made(), vector: most };
    for way in [Retrieval::Dense, Retrieval::Hybrid] {
        let search = Search { top_k: 10, ..asked("word1 word2 word3", way) };
        let found = library.search("ada", &search, Some(&query)).await.unwrap();
        assert_eq!((found.passages.len(), found.chunks), (10, 2_500));
        assert!((found.cosines.unwrap().best - 1.0).abs() < 1e-6);
    }
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break_hold_up_neither_searches_nor_writes() {
    let (library, database) = crate::open_own().await;
    conformance::library::opened(&library, vec![document("a.md", &"A gull.\n\n".repeat(200))])
        .await;
    let client = connect(&database.url).await;
    let breaks = async {
        for _ in 0..40 {
            let query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                          WHERE datname = current_database() AND pid <> pg_backend_pid()";
            client.query(query, &[]).await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(15)).await;
        }
    };
    let writes = async {
        for number in 0..20 {
            let new = document(&format!("{number}.md"), &"A gull.\n\n".repeat(20));
            library.put("ada", "kb", vec![new]).await.unwrap();
        }
    };
    let searches = async {
        for _ in 0..40 {
            let search = asked("gull", Retrieval::Auto);
            let found = library.search("ada", &search, None).await.unwrap();
            assert_eq!(found.terms, [("gull".to_owned(), found.chunks)]);
        }
    };
    futures::future::join3(breaks, writes, searches).await;
    let kb = library.collection("ada", "kb").await.unwrap().unwrap();
    assert_eq!((kb.documents, kb.chunks), (21, 600));
    assert_eq!(count_rows(&database).await, [1, 21, 600]);
}
