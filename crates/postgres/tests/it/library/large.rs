//! Collections that are searched in the database: everything that holds for those in memory, and the indexes behind them.
//!
//! Without the extension pgvector the collections with vectors are searched in memory, and the tests of their indexes have nothing to look
//! at.

use conformance::server::connect;
use run::moving::Movable;

use super::*;

async fn open() -> (Arc<dyn Library>, Database) {
    let (postgres, database) = crate::open_large().await;
    (Arc::new(postgres), database)
}

// proves: A3, A5, A6, A7, C13, F8, S1, S2
conformance::library_tests!(open);

// proves: S2
mod moved {
    conformance::moving_tests!(crate::open_large);
}

/// Tells whether the server of these tests has the extension.
async fn has_extension(database: &Database) -> bool {
    let client = connect(&database.url).await;
    let sql = "SELECT FROM pg_available_extensions WHERE name = 'vector'";
    client.query_opt(sql, &[]).await.unwrap().is_some()
}

/// Returns the number of indexes and of the tables that belong to them.
async fn count_indexes(database: &Database) -> [i64; 2] {
    let client = connect(&database.url).await;
    let mut counted = [0; 2];
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename ~ '^(postings|vectors)_'";
    for (counted, sql) in counted.iter_mut().zip(["SELECT count(*) FROM search_indexes", tables]) {
        *counted = client.query_one(sql, &[]).await.unwrap().get(0);
    }
    counted
}

/// Returns what does not fit together in a database.
async fn find_faults(postgres: &Postgres) -> Vec<String> {
    postgres.orphans(10).await.unwrap().into_iter().map(|orphan| orphan.what).collect()
}

/// Returns every search of the database in memory, whatever the size of its collections.
async fn in_memory(database: &Database) -> Postgres {
    crate::open_from(database, u64::MAX).await
}

/// Checks that both found nearly the same: in memory the last ones of a ranking by meaning that is fused with another are in the order of
/// rounded vectors.
fn assert_alike(here: &Found, there: &Found, about: &str) {
    assert_eq!((&here.terms, here.chunks), (&there.terms, there.chunks), "{about}");
    assert_eq!(here.passages.len(), there.passages.len(), "{about}");
    let known = comparable(there);
    let others = comparable(here).iter().filter(|passage| !known.contains(passage)).count();
    assert!(others <= 1, "{about}: {others} others");
    for (here, there) in here.passages.iter().zip(&there.passages) {
        assert!((here.score - there.score).abs() < 1e-3, "{about}: {} {}", here.score, there.score);
    }
}

/// Checks that the same is found in the database and in memory.
async fn assert_same_ranking(large: &Postgres, small: &Postgres, questions: &[Question]) {
    for asked in questions {
        let (here, there) = (asked.put(large).await, asked.put(small).await);
        let is_fused = here.cosines.is_some() && asked.search.retrieval != Retrieval::Dense;
        match is_fused && asked.search.top_k < 100 {
            true => assert_alike(&here, &there, &asked.to_string()),
            false => assert_same(&here, &there, &asked.to_string()),
        }
    }
}

// proves: A7, S2
#[tokio::test(flavor = "multi_thread")]
async fn the_same_is_found_in_the_same_order_as_in_memory() {
    let (large, database) = crate::open_large().await;
    let small = in_memory(&database).await;
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    fill(&large, &make_documents(&mut chance)).await;
    let indexed = 1 + i64::from(has_extension(&database).await);
    assert_eq!(count_indexes(&database).await, [indexed, 2 * indexed - 1]);
    assert_same_ranking(&large, &small, &make_questions(&mut chance)).await;
    assert_eq!(find_faults(&large).await, Vec::<String>::new());
}

// proves: A7, S2
#[tokio::test(flavor = "multi_thread")]
async fn an_index_follows_every_change_of_its_collection() {
    let (large, database) = crate::open_large().await;
    let small = in_memory(&database).await;
    let mut chance = Chance(11);
    let documents = make_documents(&mut chance);
    fill(&large, &documents).await;
    let questions = make_questions(&mut chance);
    let [plain, with_vectors] = documents;
    for round in 0..6 {
        for (collection, documents) in [("kb", &plain), ("near", &with_vectors)] {
            // Some paths get the content of others, some go, and some come back. Processes for which nothing is large take part.
            let library = if chance.below(2) == 0 { &large } else { &small };
            let mut changed = Vec::new();
            for _ in 0..4 {
                let [to, from] = [0, 1].map(|_| documents[chance.below(60) as usize].clone());
                changed.push(NewDocument { path: to.path, ..from });
            }
            library.put("ada", collection, changed).await.unwrap();
            let gone = (0..5).map(|_| documents[chance.below(60) as usize].path.clone());
            let gone: Vec<String> = gone.collect();
            library.remove_paths("ada", collection, &gone).await.unwrap();
            let listed = library.documents("ada", collection).await.unwrap();
            let id = &listed[chance.below(listed.len() as u64) as usize].document_id;
            assert_eq!(library.remove_document("ada", id).await, Ok(true));
        }
        assert_eq!(find_faults(&large).await, Vec::<String>::new());
        assert_same_ranking(&large, &small, &questions[round * 35..(round + 1) * 35]).await;
    }
    for collection in ["kb", "near"] {
        let paths = large.documents("ada", collection).await.unwrap();
        let paths: Vec<String> = paths.into_iter().map(|document| document.path).collect();
        large.remove_paths("ada", collection, &paths).await.unwrap();
    }
    assert_eq!(find_faults(&large).await, Vec::<String>::new());
    let client = connect(&database.url).await;
    let kb = large.collections("ada").await.unwrap();
    assert!(kb.iter().all(|collection| collection.chunks == 0));
    let row =
        client.query_one("SELECT sum(chunks)::bigint, sum(terms)::bigint FROM search_indexes", &[]);
    let row = row.await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (0, 0));
    for collection in ["kb", "near"] {
        large.remove("ada", collection).await.unwrap();
    }
    assert_eq!(count_indexes(&database).await, [0, 0]);
}

// proves: A7, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_term_too_long_for_a_key_is_found_like_another() {
    let (large, database) = crate::open_large().await;
    let small = in_memory(&database).await;
    let long = [format!("{}x", "z".repeat(3_000)), format!("{}y", "z".repeat(3_000))];
    let documents = vec![
        document("a.md", &format!("Gulls {} nest.", long[0])),
        document("b.md", &format!("Terns {} dive.", long[1])),
        document("c.md", "Crabs hide."),
    ];
    conformance::library::opened(&large, documents).await;
    for (question, path) in long.iter().zip(["a.md", "b.md"]) {
        let asked = asked(question, Retrieval::Lexical);
        let found = large.search("ada", &asked, None).await.unwrap();
        assert_eq!(found.passages.len(), 1);
        assert!(found.passages[0].source_uri.ends_with(path));
        assert_eq!(found, small.search("ada", &asked, None).await.unwrap());
    }
    large.remove_paths("ada", "kb", &["a.md".to_owned()]).await.unwrap();
    assert_eq!(find_faults(&large).await, Vec::<String>::new());
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_built_when_a_collection_becomes_large_and_once_for_all_processes() {
    let database = Database::make().await;
    let one = crate::open_from(&database, 20).await;
    let two = crate::open_from(&database, 20).await;
    one.open("ada", "kb", &manifest()).await.unwrap();
    let put = async |library: &Postgres, name: &str, count: usize| {
        for number in 0..count {
            let new = document(&format!("{name} {number}.md"), "A gull.\n\nA tern.");
            library.put("ada", "kb", vec![new]).await.unwrap();
        }
    };
    put(&one, "first", 9).await;
    let search = asked("gull", Retrieval::Auto);
    one.search("ada", &search, None).await.unwrap();
    assert_eq!(count_indexes(&database).await, [0, 0]);
    let searches = async {
        for _ in 0..40 {
            let found = two.search("ada", &search, None).await.unwrap();
            assert_eq!(found.terms, [("gull".to_owned(), found.chunks / 2)]);
            assert_eq!(found.passages.len() as u64, (found.chunks / 2).min(100));
        }
    };
    futures::future::join3(put(&one, "one", 15), put(&two, "two", 15), searches).await;
    assert_eq!(count_indexes(&database).await, [1, 1]);
    assert_eq!(find_faults(&one).await, Vec::<String>::new());
    let small = in_memory(&database).await;
    let found = one.search("ada", &search, None).await.unwrap();
    assert_eq!((found.chunks, found.passages.len()), (78, 39));
    assert_eq!(found, small.search("ada", &search, None).await.unwrap());
    // What was there before the setting is indexed by whoever asks first, even if many do.
    let client = connect(&database.url).await;
    let sql = "DELETE FROM search_indexes; DROP TABLE postings_1";
    client.batch_execute(sql).await.unwrap();
    let search = &search;
    let all = futures::future::join_all(
        [&one, &two, &one, &two]
            .map(|library| async move { library.search("ada", search, None).await.unwrap() }),
    );
    assert!(all.await.iter().all(|again| *again == found));
    assert_eq!(count_indexes(&database).await, [1, 1]);
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_does_not_hold_its_collection_is_told_and_built_anew() {
    let (large, database) = crate::open_large().await;
    conformance::library::opened(&large, vec![document("a.md", "A gull.\n\nA tern.")]).await;
    let search = asked("gull", Retrieval::Auto);
    let found = large.search("ada", &search, None).await.unwrap();
    let client = connect(&database.url).await;
    client.batch_execute("DELETE FROM postings_1 WHERE term = 'gull'").await.unwrap();
    let faults = find_faults(&large).await;
    assert_eq!(faults, ["the index of the collection kb contains 1 terms instead of 2"]);
    client.batch_execute("UPDATE search_indexes SET chunks = 1").await.unwrap();
    let faults = find_faults(&large).await;
    assert_eq!(faults[0], "the index of the collection kb contains 1 chunks instead of 2");
    assert_eq!(large.search("ada", &search, None).await.unwrap(), found);
    assert_eq!(find_faults(&large).await, Vec::<String>::new());
}

// proves: A6, S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_search_sees_a_large_collection_before_or_after_a_change_and_never_between() {
    let (writer, database) = crate::open_large().await;
    let reader = crate::open_from(&database, 1).await;
    change_while_searching(&writer, &reader).await;
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_may_not_have_the_extension_leaves_vectors_to_memory() {
    let database = Database::make().await;
    let role = database.url.rsplit_once('/').unwrap().1.to_owned();
    let client = connect(&database.url).await;
    let sql = format!("CREATE ROLE {role} LOGIN; ALTER SCHEMA public OWNER TO {role}");
    client.batch_execute(&sql).await.unwrap();
    let database_of_role = database.url.replace("postgres@", &format!("{role}@"));
    let options = postgres::Options { large_chunks: 1, ..postgres::Options::default() };
    let large = Postgres::open_with(&database_of_role, &options).await.unwrap();
    let small = Postgres::open(&database_of_role).await.unwrap();
    let mut chance = Chance(5);
    fill(&large, &make_documents(&mut chance)).await;
    assert_eq!(count_indexes(&database).await, [1, 1], "words need no extension");
    assert_same_ranking(&large, &small, &make_questions(&mut chance)[..21]).await;
    let about = run::database::Storage::check(&large).await.unwrap();
    assert!(about.contains("collections with vectors are searched in memory"), "{about}");
    drop((large, small));
    let sql = format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}");
    client.batch_execute(&sql).await.unwrap();
}

/// A point near one of a few hundred others, as texts are near their subjects.
fn clustered(chance: &mut Chance, dimensions: usize) -> Vec<f32> {
    let mut subject = Chance(1 + chance.below(200) * 7_919);
    let one = |chance: &mut Chance| chance.below(2_001) as f32 / 1_000.0 - 1.0;
    let vector: Vec<f32> = (0..dimensions).map(|_| one(&mut subject) + 0.7 * one(chance)).collect();
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

// proves: A7, S1, S2
#[tokio::test(flavor = "multi_thread")]
async fn the_graph_of_neighbours_misses_few_of_the_nearest() {
    let (large, database) = crate::open_large().await;
    if !has_extension(&database).await {
        return;
    }
    let small = in_memory(&database).await;
    let embedding = embedding("compass", 48);
    let manifest = Manifest { embedder: Some(embedding.clone()), ..manifest() };
    large.open("ada", "kb", &manifest).await.unwrap();
    let mut chance = Chance(77);
    let documents = (0..300).map(|number: usize| {
        let text = "A gull.\n\n".repeat(20);
        let mut new = document(&format!("{number}.md"), &text);
        new.chunks.iter_mut().for_each(|chunk| chunk.vector = clustered(&mut chance, 48));
        new.metadata.insert("half".into(), (number % 2).to_string());
        new.metadata.insert("few".into(), (number % 60).to_string());
        new
    });
    let documents: Vec<NewDocument> = documents.collect();
    for some in documents.chunks(100) {
        large.put("ada", "kb", some.to_vec()).await.unwrap();
    }
    // Rows that are gone, but still in the graph.
    let again =
        documents[..100].iter().map(|new| NewDocument { title: "New".into(), ..new.clone() });
    large.put("ada", "kb", again.collect()).await.unwrap();
    let mut recall = BTreeMap::new();
    for number in 0..40 {
        let vector = clustered(&mut chance, 48);
        let query = QueryVector { embedding: embedding.clone(), vector };
        for (key, value) in [("", ""), ("half", "1"), ("few", "7")] {
            let pair = Some((key.to_owned(), value.to_owned())).filter(|_| !key.is_empty());
            let filter: BTreeMap<String, String> = pair.into_iter().collect();
            let search = Search { top_k: 10, filter, ..asked("", Retrieval::Dense) };
            let here = large.search("ada", &search, Some(&query)).await.unwrap();
            let there = small.search("ada", &search, Some(&query)).await.unwrap();
            assert_eq!((here.passages.len(), there.passages.len()), (10, 10), "{number} {key}");
            let known: Vec<&str> = there.passages.iter().map(|one| one.chunk_id.as_str()).collect();
            let found = here.passages.iter().filter(|one| known.contains(&one.chunk_id.as_str()));
            *recall.entry(key).or_insert(0.0) += found.count() as f64 / 400.0;
        }
    }
    assert!(recall[""] > 0.97 && recall["half"] > 0.95, "{recall:?}");
    assert!(recall["few"] > 0.9999, "few rows are compared one by one: {recall:?}");
    // Built anew from all chunks at once, it holds the same.
    let client = connect(&database.url).await;
    let sql = "DELETE FROM search_indexes; DROP TABLE postings_1, vectors_1";
    client.batch_execute(sql).await.unwrap();
    let search = asked("gull", Retrieval::Lexical);
    let found = large.search("ada", &search, None).await.unwrap();
    assert_eq!(found, small.search("ada", &search, None).await.unwrap());
    assert_eq!((found.chunks, count_indexes(&database).await), (6_000, [1, 2]));
    assert_eq!(find_faults(&large).await, Vec::<String>::new());
    // The server counts now and then, so more is asked until it has.
    let sql = "SELECT sum(idx_scan)::bigint FROM pg_stat_user_indexes WHERE indexrelname LIKE 'vectors_1_vector%'";
    let query = QueryVector { embedding, vector: clustered(&mut chance, 48) };
    for _ in 0..600 {
        let search = asked("", Retrieval::Dense);
        large.search("ada", &search, Some(&query)).await.unwrap();
        let scans: Option<i64> = client.query_one(sql, &[]).await.unwrap().get(0);
        if scans > Some(0) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the graph was never asked");
}
