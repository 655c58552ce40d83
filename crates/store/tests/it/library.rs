//! The library on SQLite: what every library must do, and what belongs to the file.

use std::sync::Arc;

use run::library::{Library, Retrieval, Search};
use rusqlite::Connection;
use store::Store;

use crate::conformance::{self, library::document, library::manifest};

/// One test for each thing that every library must do, on a library of its own.
macro_rules! conforms {
    ($part:ident: $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let folder = tempfile::tempdir().unwrap();
            let library: Arc<dyn Library> = Arc::new(Store::open(folder.path()).unwrap());
            conformance::$part::$name(&*library).await;
        }
    )*};
}

// proves: A3, A5, A6, A7, C13, F8, S1
conforms! {
    library:
    a_collection_is_made_once_and_opened_again
    a_collection_made_another_way_is_refused_and_the_difference_named
    a_document_is_added_left_alone_or_replaced_index_and_all
    a_library_ranks_alike_whatever_was_in_it_before
    documents_are_removed_by_path
    a_collection_is_removed_with_everything_in_it
    a_document_comes_back_to_the_byte
    a_passage_is_found_again_by_the_id_that_a_search_gave_it
    a_document_is_removed_by_its_id_index_and_all
    what_is_found_is_what_was_asked_for_best_first
    terms_are_counted_in_the_chunks_of_the_collection
    every_passage_is_the_stretch_of_its_document_that_it_says
    a_chunk_that_is_no_stretch_of_the_text_is_refused
    a_filter_takes_metadata_without_regard_to_case
    the_collection_of_another_user_is_not_there
    a_second_collection_does_not_influence_the_scores
    no_question_is_an_error
    a_question_as_long_as_a_book_is_answered_like_another
    names_and_paths_may_be_any_text
    what_is_not_there_is_said_to_be_missing
    what_was_fetched_is_cited_as_where_it_came_from
}

// proves: A7
conforms! {
    vectors:
    vectors_find_what_no_word_does
    a_document_gives_its_vectors_by_what_was_embedded
    vectors_of_another_making_are_refused
    vectors_go_with_their_documents_and_pass_the_filter
    documents_are_stored_together_or_not_at_all
    asking_again_finds_the_same
    an_empty_collection_may_be_made_another_way
    scripts_without_spaces_are_found_by_pairs_of_characters
}

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
