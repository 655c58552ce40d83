//! What every library must do with vectors, and with whoever asks it again and again.

use std::collections::BTreeMap;

use run::embedding::Embedding;
use run::error::PortError;
use run::library::{
    Cosines, Found, Library, Manifest, NewDocument, QueryVector, Retrieval, Search, content_hash,
};

use crate::library::{document, embedding, manifest};

const USER: &str = "ada";
const KB: &str = "kb";

fn made_by(model: &str) -> Manifest {
    Manifest { embedder: Some(embedding(model, 2)), ..manifest() }
}

/// A document of one chunk that points in a direction.
fn pointing(path: &str, text: &str, degrees: f32) -> NewDocument {
    let mut new = document(path, text);
    new.chunks[0].vector = vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
    new
}

fn toward(degrees: f32, embedding: Embedding) -> QueryVector {
    let radians = degrees.to_radians();
    QueryVector { embedding, vector: vec![radians.cos(), radians.sin()] }
}

fn asked(question: &str, retrieval: Retrieval) -> Search {
    let filter = BTreeMap::new();
    Search { collection: KB.into(), question: question.into(), filter, top_k: 3, retrieval }
}

async fn shore(library: &dyn Library) {
    library.open(USER, KB, &made_by("compass")).await.unwrap();
    let documents = vec![
        pointing("gulls.md", "Gulls nest on cliffs.", 0.0),
        pointing("terns.md", "Terns dive for fish.", 40.0),
        pointing("crabs.md", "Crabs hide under stones.", 90.0),
        pointing("kelp.md", "Kelp grows in cold water.", 180.0),
    ];
    library.put(USER, KB, documents).await.unwrap();
}

fn sources(found: &Found) -> Vec<&str> {
    found.passages.iter().map(|passage| passage.source_uri.rsplit('/').next().unwrap()).collect()
}

async fn find(library: &dyn Library, question: &str, degrees: f32, way: Retrieval) -> Found {
    let query = toward(degrees, embedding("compass", 2));
    library.search(USER, &asked(question, way), Some(&query)).await.unwrap()
}

pub async fn a_document_gives_its_vectors_by_what_was_embedded(library: &dyn Library) {
    shore(library).await;
    let terns = pointing("terns.md", "Terns dive for fish.", 40.0);
    let chunk = &terns.chunks[0];
    let text = &terns.text[chunk.start as usize..chunk.end as usize];
    let known = library.vectors(USER, KB, "terns.md").await.unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!(known[&content_hash(&chunk.section, text)], chunk.vector);
    for (user, collection, path) in
        [(USER, KB, "owls.md"), ("eve", KB, "terns.md"), (USER, "none", "terns.md")]
    {
        assert!(library.vectors(user, collection, path).await.unwrap().is_empty());
    }
}

pub async fn vectors_find_what_no_word_does(library: &dyn Library) {
    shore(library).await;
    let found = find(library, "seabird", 30.0, Retrieval::Dense).await;
    assert_eq!(sources(&found), ["terns.md", "gulls.md", "crabs.md"]);
    let Cosines { best: nearest, mean } = found.cosines.unwrap();
    let usual = [30_f64, 10.0, 60.0, 150.0].map(|apart| apart.to_radians().cos());
    assert!((mean - usual.iter().sum::<f64>() / 4.0).abs() < 1e-6, "{mean}");
    assert!((nearest - f64::from(10_f32.to_radians().cos())).abs() < 1e-6, "{nearest}");
    assert_eq!(found.passages[0].score, nearest);
    // Words and meaning agree on the gulls, and disagree on the rest.
    let found = find(library, "Where do gulls nest?", 85.0, Retrieval::Auto).await;
    assert_eq!(sources(&found)[0], "gulls.md");
    assert!(sources(&found).contains(&"crabs.md"));
    let lexical = asked("Where do gulls nest?", Retrieval::Lexical);
    let found = library.search(USER, &lexical, None).await.unwrap();
    assert_eq!((sources(&found), found.cosines), (vec!["gulls.md"], None));
}

pub async fn vectors_of_another_making_are_refused(library: &dyn Library) {
    shore(library).await;
    let refused = |query: Option<QueryVector>| async move {
        match library.search(USER, &asked("gulls", Retrieval::Hybrid), query.as_ref()).await {
            Err(PortError::Invalid { what }) => what,
            other => panic!("{other:?}"),
        }
    };
    let prefixed = Embedding { query_prefix: "query: ".into(), ..embedding("compass", 2) };
    for (query, part) in [
        (None, "made with the embedding model compass, and none is configured"),
        (Some(toward(0.0, embedding("sextant", 2))), "model 'compass' instead of 'sextant'"),
        (Some(toward(0.0, prefixed)), "query prefix '' instead of 'query: '"),
    ] {
        let what = refused(query).await;
        assert!(what.contains(part), "{what}");
    }
    library.open(USER, "plain", &manifest()).await.unwrap();
    let plain = Search { collection: "plain".into(), ..asked("gulls", Retrieval::Dense) };
    let query = toward(0.0, embedding("compass", 2));
    match library.search(USER, &plain, Some(&query)).await {
        Err(PortError::Invalid { what }) => assert!(what.contains("has no vectors"), "{what}"),
        other => panic!("{other:?}"),
    }
    let mut short = document("short.md", "No direction.");
    for vector in [vec![], vec![1.0], vec![f32::NAN, 0.0]] {
        short.chunks[0].vector = vector;
        let refused = library.put(USER, KB, vec![short.clone()]).await;
        assert!(matches!(refused, Err(PortError::Invalid { .. })), "{refused:?}");
    }
}

pub async fn vectors_go_with_their_documents_and_pass_the_filter(library: &dyn Library) {
    shore(library).await;
    let mut new = pointing("terns.md", "Terns dive.", 180.0);
    new.metadata = BTreeMap::from([("Zone".into(), "Shore".into())]);
    library.put(USER, KB, vec![new]).await.unwrap();
    library.remove_paths(USER, KB, &["gulls.md".into()]).await.unwrap();
    let found = find(library, "", 0.0, Retrieval::Dense).await;
    assert_eq!(sources(&found), ["crabs.md", "kelp.md", "terns.md"]);
    let filter = BTreeMap::from([("zone".into(), "SHORE".into())]);
    let query = toward(0.0, embedding("compass", 2));
    for way in [Retrieval::Dense, Retrieval::Hybrid] {
        let asked = Search { filter: filter.clone(), ..asked("crabs", way) };
        let found = library.search(USER, &asked, Some(&query)).await.unwrap();
        assert_eq!(sources(&found), ["terns.md"]);
    }
}

pub async fn documents_are_stored_together_or_not_at_all(library: &dyn Library) {
    shore(library).await;
    let good = pointing("good.md", "Good.", 10.0);
    let mut bad = pointing("bad.md", "Bad.", 10.0);
    bad.chunks[0].end = 99;
    assert!(library.put(USER, KB, vec![good.clone(), bad]).await.is_err());
    assert_eq!(library.documents(USER, KB).await.unwrap().len(), 4);
    let put = library.put(USER, KB, vec![good.clone(), good]).await.unwrap();
    assert_eq!(put, [run::library::Put::Added, run::library::Put::Unchanged]);
}

pub async fn asking_again_finds_the_same(library: &dyn Library) {
    library.open(USER, KB, &made_by("compass")).await.unwrap();
    // Letters in an order of their own, so that equals stand far apart.
    for number in [3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97] {
        let words = ["gull", "o'brien", "nest", "cliff", "egg"];
        let text: String =
            (0..number % 7 + 3).map(|at| format!("{} ", words[(at * number) % 5])).collect();
        let new = pointing(&format!("{number}.md"), text.trim(), number as f32);
        library.put(USER, KB, vec![new]).await.unwrap();
    }
    for way in [Retrieval::Lexical, Retrieval::Feedback, Retrieval::Dense, Retrieval::Hybrid] {
        for question in ["gull nest", "egg", "O'Brien", "nothing of the kind", ""] {
            let all = Search { top_k: 6, ..asked(question, way) };
            let query = toward(4.0, embedding("compass", 2));
            // A change makes the first search one that finds no index in memory.
            library.put(USER, KB, vec![pointing("new.md", "new", 0.0)]).await.unwrap();
            let first = library.search(USER, &all, Some(&query)).await.unwrap();
            for _ in 0..3 {
                let again = library.search(USER, &all, Some(&query)).await.unwrap();
                assert_eq!(sources(&again), sources(&first), "{way:?} {question}");
                assert_eq!(again.terms, first.terms);
                for (one, two) in again.passages.iter().zip(&first.passages) {
                    assert!((one.score - two.score).abs() < 1e-9, "{way:?} {question}");
                }
            }
            library.remove_paths(USER, KB, &["new.md".into()]).await.unwrap();
        }
    }
}

pub async fn an_empty_collection_may_be_made_another_way(library: &dyn Library) {
    library.open(USER, KB, &made_by("compass")).await.unwrap();
    library.open(USER, KB, &made_by("sextant")).await.unwrap();
    library.open(USER, KB, &manifest()).await.unwrap();
    assert_eq!(library.collections(USER).await.unwrap()[0].manifest, manifest());
    library.put(USER, KB, vec![document("a.md", "Gulls.")]).await.unwrap();
    assert!(library.open(USER, KB, &made_by("compass")).await.is_err());
}

pub async fn scripts_without_spaces_are_found_by_pairs_of_characters(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    let documents = vec![
        document("gulls.md", "海鸥在悬崖上筑巢。"),
        document("tea.md", "人们早上喝茶。"),
        document("fuji.md", "富士山の高さは3776メートルです。"),
        document("train.md", "電車は東京駅を出ます。"),
    ];
    library.put(USER, KB, documents).await.unwrap();
    for (question, source) in [
        ("海鸥在哪里筑巢？", "gulls.md"),
        ("谁喝茶", "tea.md"),
        ("富士山の高さは？", "fuji.md"),
        ("東京駅", "train.md"),
    ] {
        for way in [Retrieval::Lexical, Retrieval::Feedback] {
            // From the file, and from memory.
            for _ in 0..2 {
                let found = library.search(USER, &asked(question, way), None).await.unwrap();
                assert_eq!(sources(&found).first(), Some(&source), "{question} {way:?}");
            }
        }
    }
}
