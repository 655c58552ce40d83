//! The library on SQLite: what every library must do, and what belongs to the file.

use std::sync::Arc;

use conformance::library::{document, manifest};
use run::library::{Library, Retrieval, Search};
use rusqlite::Connection;
use store::Store;

async fn open() -> (Arc<dyn Library>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Arc::new(Store::open(folder.path()).unwrap()), folder)
}

// proves: A3, A5, A6, A7, C13, F8, S1
conformance::library_tests!(open);

// proves: A6
#[tokio::test]
async fn a_removed_collection_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let tables = || {
        let file = Connection::open(folder.path().join("quaestio.db")).unwrap();
        let query =
            "SELECT count(*) FROM sqlite_master WHERE name LIKE 'terms_%' OR name LIKE 'vectors_%'";
        file.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(tables(), 0);
    conformance::library::opened(&store, vec![document("a.md", "Gulls.\n\nTerns.")]).await;
    assert!(tables() > 0);
    store.remove("ada", "kb").await.unwrap();
    assert_eq!(tables(), 0);
    let file = Connection::open(folder.path().join("quaestio.db")).unwrap();
    for table in ["collections", "documents", "chunks"] {
        let rows: i64 =
            file.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

// proves: A6, S1
#[tokio::test(flavor = "multi_thread")]
async fn a_search_sees_a_collection_before_or_after_a_change_and_never_between() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, reader) =
        (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
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
        true
    };
    let searches = async {
        let asked = Search {
            collection: "kb".into(),
            question: "gull".into(),
            filter: std::collections::BTreeMap::new(),
            top_k: 100,
            retrieval: Retrieval::Lexical,
        };
        loop {
            match reader.search("ada", &asked, None).await {
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
        done = changes => assert!(done),
        () = searches => {}
    }
}
