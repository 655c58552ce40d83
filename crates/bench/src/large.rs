//! What a search of a large collection over PostgreSQL takes: by its indexes in the database, and in memory.
//!
//! The collection is made up, and the same each time: words as frequent as in a language, each fifth one about the subject of the document,
//! and vectors around those of the subjects.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use index::nearest;
use postgres::{Options, Postgres};
use run::database::Storage;
use run::embedding::Embedding;
use run::evidence::EvidenceKind;
use run::library::{
    Found, Library, Manifest, NewChunk, NewDocument, QueryVector, Retrieval, Search,
};
use text::Language;

use crate::{Failure, machine, name_run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A PostgreSQL database; what was there before stays there.
    #[arg(long)]
    database: String,
    #[arg(long, default_value_t = 10_000)]
    chunks: usize,
    #[arg(long, default_value_t = 384)]
    dimensions: usize,
    #[arg(long, default_value_t = 100)]
    questions: usize,
    /// Measures the search in the database alone.
    #[arg(long)]
    without_memory: bool,
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,
}

const USER: &str = "bench";
/// The number of different words.
const WORDS: f64 = 200_000.0;
const SUBJECTS: u64 = 1_000;
const CHUNKS_OF_A_DOCUMENT: usize = 20;
const DOCUMENTS_AT_ONCE: usize = 50;
const TOP_K: usize = 10;
/// Searches of each kind before those that are measured.
const WARMUP: usize = 5;
/// The number of vectors that are compared with the questions at once.
const PORTION: usize = 10_000;

const WAYS: [(&str, Retrieval); 3] =
    [("feedback", Retrieval::Feedback), ("dense", Retrieval::Dense), ("hybrid", Retrieval::Hybrid)];

pub(crate) async fn measure(args: &Args) -> Result<Value, Failure> {
    let collection = name_run("large", 0);
    let in_memory = open(args, u64::MAX).await?;
    let before = in_memory.bytes().await?;
    let (subjects, questions) = (make_subjects(args.dimensions), make_questions(args));
    let began = Instant::now();
    store(&in_memory, args, &collection, &subjects).await?;
    let stored_s = began.elapsed().as_secs_f64();
    let without_index = in_memory.bytes().await?;
    let exact = find_exact(args, &subjects, &questions);

    let in_database = open(args, 1).await?;
    let bench = Bench { args, collection: &collection, questions: &questions, exact: &exact };
    let by_index = bench.measure(&in_database).await?;
    let with_index = in_memory.bytes().await?;
    let by_memory = match args.without_memory {
        true => Value::Null,
        false => bench.measure(&in_memory).await?,
    };
    in_memory.remove(USER, &collection).await?;
    Ok(json!({
        "chunks": args.chunks, "dimensions": args.dimensions, "questions": args.questions,
        "stored_s": stored_s,
        "documents_mb": megabytes(without_index.saturating_sub(before)),
        "index_mb": megabytes(with_index.saturating_sub(without_index)),
        "in_database": by_index, "in_memory": by_memory,
    }))
}

async fn open(args: &Args, large_chunks: u64) -> Result<Postgres, Failure> {
    let options = Options { large_chunks, ..Options::default() };
    Ok(Postgres::open_with(&args.database, &options).await?)
}

fn megabytes(bytes: u64) -> u64 {
    bytes >> 20
}

struct Bench<'a> {
    args: &'a Args,
    collection: &'a str,
    questions: &'a [Question],
    /// The paths and numbers of the chunks nearest to each question.
    exact: &'a [Vec<usize>],
}

impl Bench<'_> {
    /// Measures the first search, which builds what is missing, and then many of each kind.
    async fn measure(&self, library: &Postgres) -> Result<Value, Failure> {
        let memory_before = machine::status_kb("VmRSS:");
        let Some(first) = self.questions.first() else { return Ok(Value::Null) };
        let began = Instant::now();
        self.search(library, first, Retrieval::Hybrid).await?;
        let mut report = json!({ "first_s": began.elapsed().as_secs_f64() });
        for (name, way) in WAYS {
            for question in self.questions.iter().take(WARMUP) {
                self.search(library, question, way).await?;
            }
            let (mut times, mut hits) = (Vec::new(), 0);
            for (question, exact) in self.questions.iter().zip(self.exact) {
                let began = Instant::now();
                let found = self.search(library, question, way).await?;
                times.push(began.elapsed().as_secs_f64() * 1e3);
                let numbers =
                    found.passages.iter().filter_map(|one| number(&one.chunk_id, &one.source_uri));
                hits += numbers.filter(|number| exact.contains(number)).count();
            }
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times.get(((times.len() - 1) as f64 * share).round() as usize);
            report[name] = json!({ "p50_ms": at(0.5), "p95_ms": at(0.95) });
            if way == Retrieval::Dense {
                let wanted = (self.questions.len() * TOP_K.min(self.args.chunks)).max(1);
                report["recall_at_10"] = (hits as f64 / wanted as f64).into();
            }
        }
        let memory = machine::status_kb("VmRSS:").saturating_sub(memory_before);
        report["memory_mb"] = (memory >> 10).into();
        Ok(report)
    }

    async fn search(
        &self,
        library: &Postgres,
        question: &Question,
        retrieval: Retrieval,
    ) -> Result<Found, Failure> {
        let search = Search {
            collection: self.collection.to_owned(),
            question: question.text.clone(),
            filter: BTreeMap::new(),
            top_k: TOP_K as u32,
            retrieval,
        };
        let vector = question.vector.clone();
        let query = QueryVector { embedding: embedding(self.args.dimensions), vector };
        Ok(library.search(USER, &search, Some(&query)).await?)
    }
}

/// Returns the number of a chunk in the collection, from 0.
fn number(chunk_id: &str, source_uri: &str) -> Option<usize> {
    let document: usize = source_uri.rsplit_once('/')?.1.parse().ok()?;
    let place: usize = chunk_id.rsplit_once('-')?.1.parse().ok()?;
    Some(document * CHUNKS_OF_A_DOCUMENT + place - 1)
}

fn embedding(dimensions: usize) -> Embedding {
    Embedding {
        model: "made-up".into(),
        fingerprint: None,
        dimensions: dimensions as u32,
        dtype: None,
        pooling: None,
        passage_prefix: String::new(),
        query_prefix: String::new(),
        max_tokens: None,
    }
}

async fn store(
    library: &Postgres,
    args: &Args,
    collection: &str,
    subjects: &[Vec<f32>],
) -> Result<(), Failure> {
    let manifest = Manifest {
        embedder: Some(embedding(args.dimensions)),
        language: Language::Other,
        languages: Some(Default::default()),
        chunk_tokens: 200,
        smallest_chunk_tokens: 40,
    };
    library.open(USER, collection, &manifest).await?;
    let documents: Vec<usize> = (0..args.chunks.div_ceil(CHUNKS_OF_A_DOCUMENT)).collect();
    for some in documents.chunks(DOCUMENTS_AT_ONCE) {
        let some = some.iter().map(|document| make_document(args, *document, subjects)).collect();
        library.put(USER, collection, some).await?;
    }
    Ok(())
}

fn make_document(args: &Args, document: usize, subjects: &[Vec<f32>]) -> NewDocument {
    let mut chance = Chance::new(document as u64);
    let subject = chance.below(SUBJECTS);
    let mut text = String::new();
    let first = document * CHUNKS_OF_A_DOCUMENT;
    let chunks = (first..args.chunks.min(first + CHUNKS_OF_A_DOCUMENT)).map(|chunk| {
        let count = 60 + chance.below(80);
        let terms = make_words(&mut chance, subject, count);
        let start = text.len() as u64;
        text.push_str(&terms);
        text.push('\n');
        NewChunk {
            section: String::new(),
            start,
            end: text.len() as u64,
            terms,
            pages: Vec::new(),
            vector: make_vector(args.dimensions, chunk, subjects),
        }
    });
    let chunks = chunks.collect();
    NewDocument {
        path: document.to_string(),
        kind: EvidenceKind::Rag,
        work: None,
        title: format!("Document {document}"),
        format: "text".into(),
        reader_version: 0,
        file_sha256: document.to_string(),
        text_sha256: document.to_string(),
        text,
        metadata: BTreeMap::new(),
        chunks,
        original: None,
    }
}

/// Few words are common and many are rare, by Zipf's law; each fifth one is of the subject.
fn make_words(chance: &mut Chance, subject: u64, count: u64) -> String {
    let word = |_| match chance.below(5) {
        0 => format!("s{subject}x{}", chance.below(40)),
        _ => format!("w{}", WORDS.powf(chance.share()) as u64),
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn make_subjects(dimensions: usize) -> Vec<Vec<f32>> {
    let make = |subject| {
        let mut chance = Chance::new(u64::MAX - subject);
        (0..dimensions).map(|_| chance.number()).collect()
    };
    (0..SUBJECTS).map(make).collect()
}

/// Returns the vector of a chunk; its document is about the subject that [`make_document`] draws first.
fn make_vector(dimensions: usize, chunk: usize, subjects: &[Vec<f32>]) -> Vec<f32> {
    let subject = Chance::new((chunk / CHUNKS_OF_A_DOCUMENT) as u64).below(SUBJECTS);
    near_subject(dimensions, subject, subjects, &mut Chance::new(1 << 40 | chunk as u64))
}

fn near_subject(
    dimensions: usize,
    subject: u64,
    subjects: &[Vec<f32>],
    chance: &mut Chance,
) -> Vec<f32> {
    let center = subjects.get(subject as usize).map(Vec::as_slice).unwrap_or_default();
    let vector: Vec<f32> =
        center.iter().take(dimensions).map(|number| number + 0.8 * chance.number()).collect();
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

struct Question {
    text: String,
    vector: Vec<f32>,
}

fn make_questions(args: &Args) -> Vec<Question> {
    let subjects = make_subjects(args.dimensions);
    let make = |question| {
        let mut chance = Chance::new(1 << 50 | question);
        let subject = chance.below(SUBJECTS);
        let count = 4 + chance.below(6);
        let text = make_words(&mut chance, subject, count);
        Question { text, vector: near_subject(args.dimensions, subject, &subjects, &mut chance) }
    };
    (0..args.questions as u64).map(make).collect()
}

/// Returns the chunks nearest to each question, found by comparing all.
fn find_exact(args: &Args, subjects: &[Vec<f32>], questions: &[Question]) -> Vec<Vec<usize>> {
    let mut best = vec![Vec::new(); questions.len()];
    let all: Vec<usize> = (0..args.chunks).collect();
    for some in all.chunks(PORTION) {
        let vectors: Vec<(i64, Vec<f32>)> = some
            .iter()
            .map(|chunk| (*chunk as i64, make_vector(args.dimensions, *chunk, subjects)))
            .collect();
        for (question, best) in questions.iter().zip(&mut best) {
            let rows = vectors.iter().map(|(chunk, vector)| (*chunk, vector));
            best.extend(nearest(&question.vector, rows, TOP_K));
            best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
            best.truncate(TOP_K);
        }
    }
    let ids = |best: Vec<index::Scored<f32>>| best.iter().map(|one| one.id as usize).collect();
    best.into_iter().map(ids).collect()
}

/// Numbers that look like chance, the same each time (splitmix64).
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number from -1 to 1.
    fn number(&mut self) -> f32 {
        (self.share() * 2.0 - 1.0) as f32
    }
}
