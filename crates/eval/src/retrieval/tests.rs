use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use async_trait::async_trait;
use run::entry::Hash;
use run::evidence::{EvidenceKind, Passage, Place};
use run::library::{Collection as Stored, Manifest, NewDocument, Part, Put, StoredDocument};
use text::Language;

use super::*;

/// A library with scripted results that records the searches.
struct Told {
    /// The documents of the found chunks, by way.
    found: BTreeMap<&'static str, Vec<&'static str>>,
    asked: Mutex<Vec<Search>>,
}

#[async_trait]
impl Library for Told {
    async fn open(&self, _: &str, _: &str, _: &Manifest) -> Result<(), PortError> {
        Ok(())
    }
    async fn manifest(&self, _: &str, _: &str) -> Result<Manifest, PortError> {
        let language = Language::English;
        Ok(Manifest {
            embedder: None,
            language,
            languages: None,
            chunk_tokens: 220,
            smallest_chunk_tokens: 40,
        })
    }
    async fn put(&self, _: &str, _: &str, _: Vec<NewDocument>) -> Result<Vec<Put>, PortError> {
        Ok(vec![])
    }
    async fn remove_paths(&self, _: &str, _: &str, _: &[String]) -> Result<u64, PortError> {
        Ok(0)
    }
    async fn remove_document(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }
    async fn remove(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }
    async fn collection(&self, _: &str, _: &str) -> Result<Option<Stored>, PortError> {
        Ok(None)
    }
    async fn collections_part(&self, _: &str, _: bool, _: &Part) -> Result<Vec<Stored>, PortError> {
        Ok(vec![])
    }
    async fn documents_part(
        &self,
        _: &str,
        _: &str,
        _: &Part,
    ) -> Result<Vec<StoredDocument>, PortError> {
        Ok(vec![])
    }
    async fn documents_at(
        &self,
        _: &str,
        _: &str,
        _: &[String],
    ) -> Result<Vec<StoredDocument>, PortError> {
        Ok(vec![])
    }
    async fn document(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        Ok(None)
    }
    async fn original(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, PortError> {
        Ok(None)
    }
    async fn vectors(
        &self,
        _: &str,
        _: &str,
        _: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError> {
        unreachable!("nothing is ingested")
    }
    async fn passage(&self, _: &str, _: &str) -> Result<Option<Passage>, PortError> {
        Ok(None)
    }
    async fn search(
        &self,
        _: &str,
        search: &Search,
        _: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        self.asked.lock().unwrap().push(search.clone());
        let found = self.found.get(page::name(search.retrieval)).cloned().unwrap_or_default();
        Ok(Found {
            passages: found.into_iter().map(|path| passage(&search.collection, path)).collect(),
            terms: vec![],
            cosines: None,
            chunks: 9,
            language: Language::English,
            ..Found::default()
        })
    }
}

fn passage(collection: &str, path: &str) -> Passage {
    Passage {
        text: String::new(),
        source_uri: EvidenceKind::Rag.source_uri(collection, path),
        kind: EvidenceKind::Rag,
        chunk_id: String::new(),
        score: 0.0,
        metadata: BTreeMap::new(),
        work: None,
        place: Place {
            document_id: String::new(),
            title: String::new(),
            section: String::new(),
            start: 0,
            end: 0,
            source_sha256: String::new(),
            pages: vec![],
        },
    }
}

fn case(id: &str, relevant: &[(&str, u32)]) -> Case {
    let relevant = relevant.iter().map(|(document, grade)| ((*document).to_owned(), *grade));
    Case {
        id: id.into(),
        question: format!("{id}?"),
        relevant: relevant.collect(),
        ..Case::default()
    }
}

async fn measured(
    cases: &[Case],
    ways: &[Retrieval],
    passages: Option<u32>,
) -> (Vec<Way>, Vec<Search>) {
    let found =
        BTreeMap::from([("lexical", vec!["b", "a", "a", "c"]), ("feedback", vec!["a", "b"])]);
    let told = Told { found, asked: Mutex::default() };
    let target = SearchTarget {
        library: &told,
        embedder: None,
        user: "local",
        collection: "notes",
        passages,
    };
    let ways = measure(&target, cases, ways).await.unwrap();
    (ways, told.asked.into_inner().unwrap())
}

// proves: A8
#[tokio::test]
async fn a_document_stands_where_its_best_chunk_does() {
    let cases = [case("one", &[("a", 1), ("c", 1)]), case("nobody judged", &[])];
    let (ways, asked) = measured(&cases, &[Retrieval::Lexical, Retrieval::Auto], None).await;
    assert_eq!(asked.len(), 2, "a question without judgements is not asked");
    assert_eq!(asked[0].question, "one?");
    assert_eq!(ways[1].retrieval, Retrieval::Feedback, "auto is told as what it is here");
    // Ranked b, a, c: relevant at 2 and 3.
    let ideal = 1.0 + 1.0 / 3_f64.log2();
    let scores = ways[0].scores[0];
    let gained = 1.0 / 3_f64.log2() + 1.0 / 4_f64.log2();
    assert!((scores.ndcg_at_10 - gained / ideal).abs() < 1e-12, "{scores:?}");
    assert_eq!((scores.recall_at_100, scores.reciprocal_rank), (1.0, 0.5));
    // Ranked a, b: relevant at 1, and one is missing.
    let scores = ways[1].scores[0];
    assert!((scores.ndcg_at_10 - 1.0 / ideal).abs() < 1e-12, "{scores:?}");
    assert_eq!((scores.recall_at_100, scores.reciprocal_rank), (0.5, 1.0));
    assert_eq!(asked[0].top_k, 200);
    let (_, asked) = measured(&cases, &[Retrieval::Lexical], Some(8)).await;
    assert_eq!(asked[0].top_k, 8, "what a reader gets");
}

// proves: A8
#[tokio::test]
async fn vectors_are_not_compared_without_the_embedder_that_made_them() {
    let shelf_of_words = measure_dense().await.unwrap_err();
    assert!(shelf_of_words.to_string().contains("no vectors"), "{shelf_of_words}");
}

async fn measure_dense() -> Result<Vec<Way>, PortError> {
    let told = Told { found: BTreeMap::new(), asked: Mutex::default() };
    let target = SearchTarget {
        library: &told,
        embedder: None,
        user: "local",
        collection: "notes",
        passages: None,
    };
    measure(&target, &[case("one", &[("a", 1)])], &[Retrieval::Dense]).await
}

fn way(retrieval: Retrieval, ndcg: &[f64]) -> Way {
    let scores = ndcg.iter().map(|ndcg| Scores {
        ndcg_at_10: *ndcg,
        recall_at_100: 1.0,
        reciprocal_rank: 0.5,
    });
    Way { retrieval, scores: scores.collect() }
}

fn collection(name: &str, ways: &[Way]) -> Collection {
    Collection {
        name: name.into(),
        digest: Hash::of(name.as_bytes()),
        documents: 4,
        chunks: 9,
        questions: 4,
        figures: Figures::of(ways),
        notes: vec![],
    }
}

// proves: A8
#[test]
fn hybrid_is_held_against_each_part_question_by_question_and_collections_count_alike() {
    let dense: Vec<f64> = (0..12).map(|place| f64::from(place) * 0.05).collect();
    let gains = |place: usize| if place.is_multiple_of(2) { 0.15 } else { 0.25 };
    let hybrid: Vec<f64> = dense.iter().enumerate().map(|(at, one)| one + gains(at)).collect();
    let words: Vec<f64> = hybrid.iter().rev().copied().collect();
    let ways = |dense: &[f64], words: &[f64], hybrid: &[f64]| {
        [
            way(Retrieval::Dense, dense),
            way(Retrieval::Lexical, words),
            way(Retrieval::Hybrid, hybrid),
        ]
    };
    let first = collection("first", &ways(&dense, &words, &hybrid));
    let [against_dense, against_words] = &first.figures.differences[..] else { panic!() };
    // The gain per question is steady, however far apart the questions are.
    let ndcg = against_dense.figures[0].value;
    assert!((ndcg.value - 0.2).abs() < 1e-12 && ndcg.is_told_apart(), "{ndcg:?}");
    assert!(ndcg.low > 0.14 && ndcg.high < 0.26, "{ndcg:?}");
    let ndcg = against_words.figures[0].value;
    assert!(ndcg.value.abs() < 1e-12 && !ndcg.is_told_apart(), "{ndcg:?}");

    let long: Vec<f64> = (0..40).map(|place| 0.8 + f64::from(place % 2) * 0.2).collect();
    let second = collection("second", &ways(&long, &long, &long));
    let report = RetrievalReport::of("all", BTreeMap::new(), vec![first, second]);
    let dense = &report.mean.ways[0].figures[0].value;
    assert!((dense.value - (0.275 + 0.9) / 2.0).abs() < 1e-12, "{dense:?}");
    assert_eq!(dense.of, 52);
    assert!(dense.low < dense.value && dense.value < dense.high, "{dense:?}");
    let page = markdown(&report);
    assert!(page.contains("| hybrid less dense | +0.200 [+0.1"), "{page}");
    assert!(page.contains("(may be chance)") && page.contains("## Mean over the collections"));
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<RetrievalReport>(&text).unwrap(), report);
}

// proves: A8
#[test]
fn means_of_samples_of_their_own_vary_less_than_each_of_them() {
    let one = collection("one", &[way(Retrieval::Lexical, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.5])]);
    let other = Collection { name: "other".into(), ..one.clone() };
    let report = RetrievalReport::of("all", BTreeMap::new(), vec![one.clone(), other]);
    let width = |figures: &Figures| {
        let ndcg = figures.ways[0].figures[0].value;
        ndcg.high - ndcg.low
    };
    let (single, both) = (width(&one.figures), width(&report.mean));
    assert!((both - single / 2_f64.sqrt()).abs() < 1e-9, "{single} {both}");
}
