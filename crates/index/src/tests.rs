//! Compares the indexes with slower, simpler implementations.

use std::cell::Cell;

use proptest::prelude::*;
use rusqlite::{Connection, params};

use super::*;
use text::Language;

/// A deterministic pseudo-random generator.
struct Chance(Cell<u64>);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    fn next(&self) -> u64 {
        let mut x = self.0.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.set(x);
        x >> 11
    }

    fn below(&self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Approximately normal, with mean 0 and standard deviation 1.
    fn normal(&self) -> f32 {
        let sum: f64 = (0..12).map(|_| self.next() as f64 / (1u64 << 53) as f64).sum();
        (sum - 6.0) as f32
    }
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

/// Vectors in clusters, like those of texts.
fn clustered(chance: &Chance, rows: usize, dimensions: usize, clusters: usize) -> Vec<Vec<f32>> {
    let centres: Vec<Vec<f32>> =
        (0..clusters).map(|_| unit((0..dimensions).map(|_| chance.normal()).collect())).collect();
    let around = |centre: &Vec<f32>| {
        let spread = 0.7 / (dimensions as f32).sqrt();
        unit(centre.iter().map(|value| value + spread * chance.normal()).collect())
    };
    (0..rows).map(|_| around(&centres[chance.below(clusters)])).collect()
}

fn exact(vectors: &[Vec<f32>], query: &[f32], k: usize, keep: impl Fn(usize) -> bool) -> Vec<i64> {
    let cosine = |vector: &[f32]| -> f64 {
        vector.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let mut all: Vec<(f64, i64)> = vectors
        .iter()
        .enumerate()
        .filter(|(row, _)| keep(*row))
        .map(|(row, vector)| (cosine(vector), row as i64))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(k).map(|(_, id)| id).collect()
}

fn held(vectors: &[Vec<f32>]) -> impl Fn(&[i64]) -> Result<Vec<Vec<f32>>, IndexError> + '_ {
    |ids| Ok(ids.iter().map(|id| vectors[*id as usize].clone()).collect())
}

fn dense(dimensions: usize, vectors: &[Vec<f32>], owner: impl Fn(usize) -> u32) -> Dense {
    let rows = vectors.iter().enumerate().map(|(row, vector)| (row as i64, owner(row), vector));
    Dense::build(dimensions, rows).unwrap()
}

fn ids<S>(scored: &[Scored<S>]) -> Vec<i64> {
    scored.iter().map(|scored| scored.id).collect()
}

// proves: A3
#[test]
fn the_nearest_vectors_are_those_of_an_exact_search_in_any_number_of_dimensions() {
    let chance = Chance::new(1);
    for dimensions in [1, 3, 17, 64, 100, 384] {
        let vectors = clustered(&chance, 600, dimensions, 20);
        let index = dense(dimensions, &vectors, |row| row as u32 % 3);
        for query in vectors.iter().take(10) {
            let kept = |owner: u32| owner != 1;
            let found = index.search(query, 5, kept, held(&vectors)).unwrap();
            let wanted = exact(&vectors, query, 5, |row| row % 3 != 1);
            let far = |id: i64| -> f32 {
                vectors[id as usize].iter().zip(query).map(|(a, b)| a * b).sum()
            };
            // In one dimension nearly all are equal: only their distance counts.
            for (near, wanted) in found.iter().zip(&wanted) {
                assert!(
                    (near.score - far(*wanted)).abs() < 1e-5,
                    "{dimensions}: {found:?} {wanted:?}"
                );
                assert_ne!(near.id % 3, 1);
            }
            assert_eq!(found.len(), 5);
            if dimensions > 17 {
                assert_eq!(ids(&found), wanted);
            }
        }
    }
}

// proves: A3
#[test]
fn among_many_vectors_none_of_the_nearest_is_lost_however_they_lie() {
    let chance = Chance::new(2);
    // In clusters the sketches discriminate enough; without clusters they do not.
    for (clusters, sketched) in [(80, true), (4_000, false)] {
        let vectors = clustered(&chance, 4_000, 256, clusters);
        let index = dense(256, &vectors, |row| row as u32 % 2);
        assert_eq!(index.bytes() > 4_000 * (256 + 16 + 4), sketched, "{clusters} clusters");
        let (mut hits, mut wanted) = (0, 0);
        for query in vectors.iter().step_by(200) {
            for keep in [|_: u32| true, |owner: u32| owner == 1] {
                let found = ids(&index.search(query, 10, keep, held(&vectors)).unwrap());
                let nearest = exact(&vectors, query, 10, |row| keep(row as u32 % 2));
                hits += nearest.iter().filter(|id| found.contains(id)).count();
                wanted += nearest.len();
            }
        }
        assert!(hits * 1_000 >= wanted * 999, "{clusters} clusters: {hits} of {wanted}");
    }
}

#[test]
fn copies_pass_the_first_look_together_and_come_by_id() {
    let chance = Chance::new(3);
    let mut vectors = clustered(&chance, 4_000, 128, 80);
    let copy = vectors[3_500].clone();
    for vector in vectors.iter_mut().take(150) {
        vector.clone_from(&copy);
    }
    let index = dense(128, &vectors, |_| 0);
    assert!(index.bytes() > 4_000 * (128 + 16 + 4));
    let found = index.search(&copy, 5, |_| true, held(&vectors)).unwrap();
    assert_eq!(ids(&found), [0, 1, 2, 3, 4]);
}

#[test]
fn equal_scores_are_ordered_by_id_in_whatever_order_the_rows_came() {
    let rows = [(9, 0, [1.0f32, 0.0]), (3, 0, [1.0, 0.0]), (5, 0, [0.0, 0.0]), (4, 0, [1.0, 0.0])];
    let index = Dense::build(2, rows).unwrap();
    let vectors = |ids: &[i64]| {
        let of = |id: &i64| rows.iter().find(|row| row.0 == *id).unwrap().2.to_vec();
        Ok::<_, IndexError>(ids.iter().map(of).collect())
    };
    assert_eq!(ids(&index.search(&[1.0, 0.0], 2, |_| true, vectors).unwrap()), [3, 4]);
    let zero = index.search(&[0.0, 0.0], 9, |_| true, vectors).unwrap();
    assert_eq!(ids(&zero), [3, 4, 5, 9]);
    assert!(zero.iter().all(|near| near.score == 0.0));
}

#[test]
fn a_row_without_an_exact_vector_is_left_out() {
    let index = Dense::build(2, [(1, 0, [1.0f32, 0.0]), (2, 0, [0.0, 1.0])]).unwrap();
    let gone = |ids: &[i64]| {
        let of = |id: &i64| if *id == 1 { vec![] } else { vec![0.0, 1.0] };
        Ok::<_, IndexError>(ids.iter().map(of).collect())
    };
    assert_eq!(ids(&index.search(&[1.0, 0.0], 2, |_| true, gone).unwrap()), [2]);
}

// proves: A7
#[test]
fn vectors_that_cannot_be_compared_are_refused_with_the_row() {
    let refused = |vector: &[f32]| Dense::build(2, [(8, 0, vector)]).err().unwrap().to_string();
    assert!(refused(&[1.0]).starts_with("the vector of row 8 has 1 numbers, the index 2"));
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(
            refused(&[1.0, value]).starts_with("the vector of row 8 contains a value that is not")
        );
    }
    let index = Dense::build(2, [(8, 0, [f32::MIN_POSITIVE / 4.0, 0.0])]).unwrap();
    let asked = |query: &[f32]| index.candidates(query, 1, |_| true);
    assert_eq!(asked(&[1.0]), Err(IndexError::Query { found: 1, wanted: 2 }));
    assert_eq!(asked(&[f32::NAN, 0.0]), Err(IndexError::QueryNotFinite));
    assert_eq!(asked(&[1.0, 0.0]), Ok(vec![8]));
    assert!(Dense::build(200_000, [(1, 0, [0.0f32])]).is_err());
    assert_eq!(Dense::build::<Vec<f32>>(0, []).unwrap().candidates(&[], 3, |_| true), Ok(vec![]));
    assert_eq!(Dense::build(0, [(1, 0, [0.0f32; 0])]).unwrap().len(), 1);
}

/// A full-text table like that of a collection: only white space and control characters separate its terms.
fn full_text(rows: &[(i64, String)]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE VIRTUAL TABLE t USING fts5(terms,
             tokenize=\"ascii tokenchars '!\"\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'\")",
        )
        .unwrap();
    for (id, terms) in rows {
        connection
            .execute("INSERT INTO t (rowid, terms) VALUES (?1, ?2)", params![id, terms])
            .unwrap();
    }
    connection
}

fn full_text_scores(connection: &Connection, query: &[&str]) -> Vec<(i64, f64)> {
    let quoted: Vec<String> =
        query.iter().map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect();
    let mut statement = connection
        .prepare("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?1 ORDER BY bm25(t), rowid")
        .unwrap();
    let rows = statement.query_map([quoted.join(" OR ")], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

const WORDS: [&str; 14] = [
    "gull", "nest", "3.5", "can't", "été", "海鸥", "c++", "e.g", "a_b", "co2", "x", "tern", "µm",
    "Gull",
];

fn in_memory_is_as_full_text(rows: &[(i64, String)], query: &[&str]) -> Result<(), TestCaseError> {
    let index = Lexical::build(rows.iter().map(|(id, terms)| (*id, 0, terms)));
    let weighted: Vec<(&str, f32)> = query.iter().map(|term| (*term, 1.0)).collect();
    let mut scratch = Scratch::default();
    let found = index.search(&weighted, rows.len(), |_| true, &mut scratch);
    let wanted = full_text_scores(&full_text(rows), query);
    prop_assert_eq!(found.len(), wanted.len());
    for (found, (id, score)) in found.iter().zip(&wanted) {
        prop_assert_eq!(found.id, *id);
        prop_assert!((found.score - score).abs() < 1e-6, "{} {}", found.score, score);
    }
    // The scratch is clean again: the same question finds the same rows.
    let again = index.search(&weighted, rows.len(), |_| true, &mut scratch);
    prop_assert_eq!(again, found);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: A3
    #[test]
    fn bm25_in_memory_scores_and_orders_as_the_full_text_table_does(
        texts in prop::collection::vec(prop::collection::vec(0usize..14, 0..30), 1..60),
        asked in prop::sample::subsequence(WORDS[..13].to_vec(), 1..6),
    ) {
        let terms = |text: &Vec<usize>| text.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let rows: Vec<(i64, String)> =
            texts.iter().enumerate().map(|(row, text)| (row as i64 * 3 + 1, terms(text))).collect();
        in_memory_is_as_full_text(&rows, &asked)?;
    }

    #[test]
    fn terms_of_any_characters_are_cut_as_the_full_text_table_cuts_them(
        texts in prop::collection::vec("[ -~\t\néßа中]{0,40}", 1..8),
    ) {
        let rows: Vec<(i64, String)> =
            texts.iter().enumerate().map(|(row, text)| (row as i64, text.clone())).collect();
        let index = Lexical::build(rows.iter().map(|(id, terms)| (*id, 0, terms)));
        let table = full_text(&rows);
        table.execute_batch("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)").unwrap();
        let mut statement = table.prepare("SELECT term, doc FROM v").unwrap();
        let vocabulary: Vec<(String, usize)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for (term, documents) in &vocabulary {
            prop_assert_eq!(index.holding(term), *documents, "{:?}", term);
        }
        prop_assert_eq!(index.postings_count(), vocabulary.iter().map(|(_, count)| count).sum::<usize>());
    }

    #[test]
    fn fusing_does_not_depend_on_the_order_of_the_rankings(
        first in Just((0i64..30).collect::<Vec<_>>()).prop_shuffle(),
        second in Just((10i64..40).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let one = fuse(&[&first, &second], RRF_K, 20);
        prop_assert_eq!(&one, &fuse(&[&second, &first], RRF_K, 20));
        prop_assert!(one.windows(2).all(|pair| pair[0].score > pair[1].score
            || pair[0].score == pair[1].score && pair[0].id < pair[1].id));
        prop_assert!(one.iter().all(|scored| scored.score <= 2.0 / 61.0));
    }

    #[test]
    fn the_weights_of_a_widened_question_sum_to_one(
        texts in prop::collection::vec("([a-e]{1,2} ){0,12}", 0..12),
        terms in prop::collection::vec("[a-h]{1,2}", 1..6),
    ) {
        let terms = asked_for(&terms.join(" "), Language::Other, usize::MAX);
        let said = |word: &str| terms.iter().any(|(term, _)| term == word);
        let documents: Vec<(f64, &str)> =
            texts.iter().enumerate().map(|(rank, text)| (20.0 - rank as f64, text.as_str())).collect();
        let query = rm3(&terms, &documents, &Feedback::default(), |words| words.iter().map(|word| *word == "a").collect());
        let total: f32 = query.iter().map(|(_, weight)| weight).sum();
        prop_assert!((total - 1.0).abs() < 1e-5, "{query:?}");
        prop_assert!(terms.iter().all(|(term, _)| query.iter().any(|(found, _)| found == term)));
        prop_assert!(query.iter().all(|(word, weight)| *weight > 0.0 && (word != "a" || said(word))));
    }
}

#[test]
fn bm25_in_memory_is_as_the_full_text_table_on_a_larger_collection() {
    let chance = Chance::new(4);
    // A few very common words, and many rare ones: as in language.
    let word = || format!("w{}", 1_000 / (1 + chance.below(1_000)));
    let rows: Vec<(i64, String)> = (0..2_000)
        .map(|row| {
            let words: Vec<String> = (0..20 + chance.below(100)).map(|_| word()).collect();
            (row, words.join(" "))
        })
        .collect();
    for query in [&["w1"][..], &["w2", "w40", "w333"], &["w1000", "w500", "absent", "w7", "w9"]] {
        in_memory_is_as_full_text(&rows, query).unwrap();
    }
}

#[test]
fn weights_count_and_rows_of_others_are_left_out() {
    let rows = [(1, 7, "gull gull"), (2, 8, "gull"), (3, 7, "tern"), (4, 9, "plover")];
    let index = Lexical::build(rows);
    let mut scratch = Scratch::default();
    let search = |query: &[(&str, f32)], scratch: &mut Scratch| {
        index.search(query, 10, |owner| owner != 8, scratch)
    };
    let once = search(&[("tern", 1.0)], &mut scratch);
    let twice = search(&[("tern", 2.0), ("gull", 0.0), ("plover", -1.0)], &mut scratch);
    assert_eq!(ids(&once), [3]);
    assert_eq!(ids(&twice), [3]);
    assert!((twice[0].score - 2.0 * once[0].score).abs() < 1e-12);
    assert_eq!(ids(&search(&[("gull", 1.0)], &mut scratch)), [1]);
    assert!(search(&[], &mut scratch).is_empty());
    assert!(Lexical::build::<&str>([]).search(&[("a", 1.0)], 3, |_| true, &mut scratch).is_empty());
}

#[test]
fn a_scratch_serves_indexes_of_any_size_one_after_the_other() {
    let small = Lexical::build([(1, 0, "a b"), (2, 0, "c"), (3, 0, "d")]);
    let large = Lexical::build((0..100).map(|id| (id, 0, if id == 50 { "a" } else { "z" })));
    let mut scratch = Scratch::default();
    for _ in 0..2 {
        assert_eq!(ids(&large.search(&[("a", 1.0)], 3, |_| true, &mut scratch)), [50]);
        assert_eq!(ids(&small.search(&[("a", 1.0)], 3, |_| true, &mut scratch)), [1]);
    }
}

#[test]
fn the_relevance_model_is_that_of_the_formula() {
    let terms = [("gull".to_owned(), 1.0)];
    let feedback = Feedback {
        documents: 2,
        terms: 2,
        original_weight: 0.5,
        most_common_share: 1.0,
        ..Feedback::default()
    };
    let none = |words: &[&str]| vec![false; words.len()];
    let all = |words: &[&str]| vec![true; words.len()];
    let documents = [(3.0, "gull nest nest sea"), (1.0, "gull cliff"), (1.0, "cliff cliff")];
    // The model of documents 1 and 2: of a total of 5, gull 3/5 · 1/4 + 1/5 · 1/2 = 0.25, nest 3/5 · 2/4 = 0.3.
    let query = rm3(&terms, &documents, &feedback, none);
    let expected = [("gull", 0.5 + 0.5 * 0.25 / 0.55), ("nest", 0.5 * 0.3 / 0.55)];
    assert_eq!(query.len(), 2);
    for ((word, weight), (wanted, share)) in query.iter().zip(expected) {
        assert_eq!(word, wanted);
        assert!((weight - share as f32).abs() < 1e-6, "{query:?}");
    }
    assert_eq!(rm3(&terms, &[], &feedback, none), [("gull".to_owned(), 1.0)]);
    assert_eq!(rm3(&terms, &documents, &feedback, all), [("gull".to_owned(), 1.0)]);
    // A term with three quarters of the question's weight has three quarters of the share that its own words keep.
    let terms = [("egg".to_owned(), 1.0), ("tern".to_owned(), 3.0)];
    let query = rm3(&terms, &documents, &feedback, none);
    let weight =
        |word: &str| query.iter().find(|(found, _)| found == word).map(|(_, share)| *share);
    assert_eq!((weight("tern"), weight("egg")), (Some(0.375), Some(0.125)));
}

#[test]
fn a_term_weighs_as_many_forms_as_the_question_has_of_it() {
    let said = |question: &str, most| asked_for(question, Language::English, most);
    let pairs = |all: &[(&str, f32)]| -> Vec<(String, f32)> {
        all.iter().map(|(term, forms)| ((*term).to_owned(), *forms)).collect()
    };
    let both = "Terns nest: do nesting terns feed, or a tern?";
    assert_eq!(said(both, 9), pairs(&[("feed", 1.0), ("nest", 2.0), ("tern", 2.0)]));
    assert_eq!(said(&[both; 3].join(" "), 9), said(both, 9), "said again it is the same question");
    assert_eq!(said(both, 1), pairs(&[("tern", 2.0)]), "the first ones, counted to the end");
    assert_eq!(said("", 9), []);
    assert_eq!(said("渡り鳥 渡り鳥", 9), said("渡り鳥", 9));
    let rows = [(1, 0, "egg"), (2, 0, "tern"), (3, 0, "x"), (4, 0, "y"), (5, 0, "z")];
    let index = Lexical::build(rows);
    let rules = Rules { feedback: None, ..Rules::best(2) };
    let rows = &mut Held { texts: vec![], vectors: vec![] };
    let mut find = |question: &str| {
        let mut words = index.keeping(|_| true);
        let query = Query { terms: &said(question, 9), vector: None };
        let hits = search(Some(&mut words), None::<&mut Infallible>, query, &rules, rows).unwrap();
        hits.iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(find("egg, tern"), [1, 2], "equals by id");
    assert_eq!(find("egg, tern and terns"), [2, 1]);
}

#[test]
fn ranks_are_fused_as_the_formula_says() {
    let fused = fuse(&[&[1, 2, 3], &[3, 1], &[4]], 60.0, 2);
    let expected =
        [(1, 1.0 / 61.0 + 1.0 / 62.0), (3, 1.0 / 61.0), (4, 1.0 / 61.0), (2, 1.0 / 62.0)];
    assert_eq!(fused.len(), 4);
    for (found, (id, score)) in fused.iter().zip(expected) {
        assert_eq!(found.id, id);
        assert!((found.score - score).abs() < 1e-12);
    }
}

/// A collection with its texts and vectors in memory.
struct Held {
    texts: Vec<&'static str>,
    vectors: Vec<Vec<f32>>,
}

impl Rows for Held {
    type Error = IndexError;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, IndexError> {
        Ok(ids.iter().map(|id| self.texts[*id as usize].to_owned()).collect())
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, IndexError> {
        Ok(ids.iter().map(|id| self.vectors[*id as usize].clone()).collect())
    }
}

// proves: A3
#[test]
fn words_meaning_and_both_decide_alone_and_together() {
    let texts =
        vec!["gull nest", "gull cliff egg", "seabird cliff", "tractor", "plough", "harvest"];
    let direction = |x: f32, y: f32| unit(vec![x, y]);
    let vectors = vec![
        direction(1.0, 0.1),
        direction(1.0, 0.3),
        direction(1.0, 0.0),
        direction(0.0, 1.0),
        direction(0.1, 1.0),
        direction(0.2, 1.0),
    ];
    let all = || (0..).zip(&texts).map(|(row, text)| (row, row as u32, *text));
    let lexical = Lexical::build(all());
    let index = dense(2, &vectors, |row| row as u32);
    let mut rows = Held { texts: texts.clone(), vectors: vectors.clone() };
    let terms = [("gull".to_owned(), 1.0), ("nest".to_owned(), 1.0)];
    let asked = direction(1.0, 0.0);
    let mut find = |lexical: Option<&Lexical>,
                    dense: Option<&Dense>,
                    vector,
                    feedback,
                    keep: &dyn Fn(u32) -> bool| {
        let query = Query { terms: &terms, vector };
        let rules = Rules { feedback, ..Rules::best(3) };
        let mut words = lexical.map(|index| index.keeping(keep));
        let mut dense = dense.map(|index| index.keeping(keep));
        search(words.as_mut(), dense.as_mut(), query, &rules, &mut rows).unwrap()
    };
    let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id).collect::<Vec<_>>();
    let vector = Some(asked.as_slice());
    let open = Feedback { most_common_share: 1.0, ..Feedback::default() };

    let plain = find(Some(&lexical), None, None, None, &|_| true);
    assert_eq!(ids(&plain), [0, 1]);
    assert!(plain.iter().all(|hit| hit.cosine.is_none()));
    // The second row's "cliff" leads to the third.
    let widened = find(Some(&lexical), None, None, Some(open), &|_| true);
    assert_eq!(ids(&widened), [0, 1, 2]);
    // The first hits of the question's own words stay first, wherever the added words lead.
    let mut texts = vec!["gull nest sea sand"];
    texts.extend(["gull cliff cliff", "gull cliff cliff egg", "cliff cliff gull cliff"]);
    texts.extend(["plough harvest"; 12]);
    texts.extend(["nest plough"; 5]);
    let cliffs = Lexical::build((0..).zip(&texts).map(|(row, text)| (row, row as u32, *text)));
    let found = |ahead| {
        let mut rows = Held { texts: texts.clone(), vectors: vec![] };
        let rules = Rules {
            feedback: Some(Feedback { ahead, original_weight: 0.1, ..open }),
            ..Rules::best(3)
        };
        let query = Query { terms: &terms, vector: None };
        let mut words = cliffs.keeping(&|_| true);
        ids(&search(Some(&mut words), None::<&mut Infallible>, query, &rules, &mut rows).unwrap())
    };
    assert_ne!(found(0)[0], 0);
    assert_eq!(found(1)[0], 0);
    assert_eq!(found(1)[1..], found(0)[..2]);
    let meant = find(None, Some(&index), vector, None, &|_| true);
    assert_eq!(ids(&meant), [2, 0, 1]);
    let both = find(Some(&lexical), Some(&index), vector, None, &|_| true);
    assert_eq!(ids(&both), [0, 1, 2]);
    for hit in &both {
        let cosine: f32 = vectors[hit.id as usize].iter().zip(&asked).map(|(a, b)| a * b).sum();
        assert!((hit.cosine.unwrap() - cosine).abs() < 1e-6);
    }
    assert_eq!(
        ids(&find(Some(&lexical), Some(&index), vector, Some(open), &|row| row != 0)),
        [1, 2, 5]
    );
    assert_eq!(ids(&find(Some(&lexical), Some(&index), None, None, &|_| true)), [0, 1]);
    assert!(find(None, None, vector, None, &|_| true).is_empty());
}

#[test]
fn an_error_of_whoever_holds_the_rows_comes_through() {
    #[derive(Debug, PartialEq)]
    struct Lost;
    impl From<IndexError> for Lost {
        fn from(_: IndexError) -> Self {
            Lost
        }
    }
    let index = Dense::build(1, [(1, 0, [1.0f32])]).unwrap();
    assert_eq!(index.search(&[1.0], 1, |_| true, |_| Err(Lost)), Err(Lost));
    assert_eq!(index.search(&[1.0, 0.0], 1, |_| true, |_| Ok(vec![])), Err(Lost));
}
