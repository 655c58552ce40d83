//! How fast the store ranks many given rows.
//!
//! The indexes are built once; then each line of the input, `METHOD TURNS`, asks all questions TURNS times and is answered with one JSON
//! object, so that a driver can measure other programs in between.

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use index::{Dense, Feedback, Lexical, Query, Rows, Rules, search as find};
use text::Language;

use crate::rank::{read_text, vectors, weighted};
use crate::{Failure, machine};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder with texts.txt and questions.txt, one a line, and their vectors, texts.f32 and questions.f32,
    /// as rows of little-endian numbers of four bytes.
    #[arg(long)]
    data: PathBuf,
    /// The database for what memory does not hold; it is made anew.
    #[arg(long)]
    db: PathBuf,
    #[arg(long, default_value_t = 10)]
    top_k: usize,
}

const METHODS: [(&str, Method); 7] = [
    ("dense", Method { lexical: false, dense: true, feedback: false, table: false }),
    ("dense-table", Method { lexical: false, dense: true, feedback: false, table: true }),
    ("lexical", Method { lexical: true, dense: false, feedback: false, table: true }),
    ("rm3-table", Method { lexical: true, dense: false, feedback: true, table: true }),
    ("hybrid-table", Method { lexical: true, dense: true, feedback: false, table: true }),
    ("hybrid-rm3", Method { lexical: true, dense: true, feedback: true, table: false }),
    ("hybrid-rm3-table", Method { lexical: true, dense: true, feedback: true, table: true }),
];

/// The indexes that rank, and whether texts and exact vectors are read from the database.
#[derive(Clone, Copy)]
struct Method {
    lexical: bool,
    dense: bool,
    feedback: bool,
    table: bool,
}

/// Texts and exact vectors in memory, by row.
pub(crate) struct Memory<'a> {
    pub(crate) terms: &'a [String],
    pub(crate) vectors: &'a [Vec<f32>],
}

impl Rows for Memory<'_> {
    type Error = Failure;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, Failure> {
        Ok(ids.iter().map(|id| self.terms.get(*id as usize).cloned().unwrap_or_default()).collect())
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, Failure> {
        let of = |id: &i64| self.vectors.get(*id as usize).cloned().unwrap_or_default();
        Ok(ids.iter().map(of).collect())
    }
}

struct Table<'a>(&'a Connection);

impl Rows for Table<'_> {
    type Error = Failure;

    fn terms(&mut self, ids: &[i64]) -> Result<Vec<String>, Failure> {
        let mut query = self.0.prepare_cached("SELECT terms FROM terms WHERE id = ?1")?;
        ids.iter().map(|id| Ok(query.query_row([id], |row| row.get(0))?)).collect()
    }

    fn vectors(&mut self, ids: &[i64]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut query = self.0.prepare_cached("SELECT vector FROM vectors WHERE id = ?1")?;
        let read = |row: &rusqlite::Row<'_>| {
            let (numbers, _) = row.get_ref(0)?.as_blob()?.as_chunks::<4>();
            Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
        };
        ids.iter().map(|id| Ok(query.query_row([id], read)?)).collect()
    }
}

/// The weighted terms of a question, and its vector.
type Question = (Vec<(String, f32)>, Vec<f32>);

struct SearchBench {
    lexical: Lexical,
    dense: Dense,
    terms: Vec<String>,
    vectors: Vec<Vec<f32>>,
    questions: Vec<Question>,
    database: Connection,
    top_k: usize,
}

#[expect(clippy::print_stdout, reason = "a program whose output is its result")]
pub(crate) fn search(args: &Args) -> Result<(), Failure> {
    let (mut bench, report) = prepare(args)?;
    println!("{report}");
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, turns) = line.split_once(' ').ok_or("a line must hold METHOD TURNS")?;
        let method = METHODS.iter().find(|(known, _)| *known == name);
        let (_, method) = method.ok_or_else(|| format!("{name} is no method"))?;
        println!("{}", bench.measure(name, *method, turns.trim().parse()?)?);
    }
    Ok(())
}

fn prepare(args: &Args) -> Result<(SearchBench, Value), Failure> {
    let texts = read_text(&args.data.join("texts.txt"))?;
    let terms: Vec<String> =
        texts.lines().map(|text| text::terms(text, Language::English).join(" ")).collect();
    let asked = read_text(&args.data.join("questions.txt"))?;
    let asked: Vec<&str> = asked.lines().collect();
    let held = vectors(&args.data.join("texts.f32"), terms.len())?;
    let of_questions = vectors(&args.data.join("questions.f32"), asked.len())?;
    let dimensions = held.first().map_or(0, Vec::len);
    let began = machine::cpu_seconds();
    let lexical = Lexical::build((0..).zip(&terms).map(|(row, terms)| (row, 0, terms)));
    let lexical_s = machine::cpu_seconds() - began;
    let began = machine::cpu_seconds();
    let dense = Dense::build(dimensions, (0..).zip(&held).map(|(row, vector)| (row, 0, vector)))?;
    let dense_s = machine::cpu_seconds() - began;
    let report = json!({
        "rows": terms.len(), "dimensions": dimensions, "questions": asked.len(),
        "lexical_build_cpu_s": lexical_s, "lexical_bytes": lexical.bytes(),
        "lexical_bytes_per_posting": lexical.bytes() as f64 / lexical.postings_count().max(1) as f64,
        "postings": lexical.postings_count(),
        "dense_build_cpu_s": dense_s, "dense_bytes": dense.bytes(),
    });
    let database = write(args, &terms, &held)?;
    let questions = asked.into_iter().map(weighted).zip(of_questions).collect();
    let top_k = args.top_k;
    Ok((SearchBench { lexical, dense, terms, vectors: held, questions, database, top_k }, report))
}

fn write(args: &Args, terms: &[String], vectors: &[Vec<f32>]) -> Result<Connection, Failure> {
    if args.db.exists() {
        std::fs::remove_file(&args.db)?;
    }
    let mut database = Connection::open(&args.db)?;
    database.execute_batch(
        "PRAGMA synchronous = OFF;
         CREATE TABLE terms (id INTEGER PRIMARY KEY, terms TEXT NOT NULL) STRICT;
         CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;",
    )?;
    let transaction = database.transaction()?;
    for (id, (terms, vector)) in (0i64..).zip(terms.iter().zip(vectors)) {
        let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut insert = transaction.prepare_cached("INSERT INTO terms VALUES (?1, ?2)")?;
        insert.execute(params![id, terms])?;
        let mut insert = transaction.prepare_cached("INSERT INTO vectors VALUES (?1, ?2)")?;
        insert.execute(params![id, bytes])?;
    }
    transaction.commit()?;
    Ok(database)
}

impl SearchBench {
    fn measure(&mut self, name: &str, method: Method, turns: usize) -> Result<Value, Failure> {
        let lexical = method.lexical.then_some(&self.lexical);
        let dense = method.dense.then_some(&self.dense);
        let feedback = method.feedback.then(Feedback::default);
        let rules = Rules { feedback, ..Rules::best(self.top_k) };
        let mut found = Vec::new();
        let (cpu, began) = (machine::cpu_seconds(), Instant::now());
        for _ in 0..turns {
            found.clear();
            // One transaction reads a consistent snapshot, as in the store.
            let moment = self.database.unchecked_transaction()?;
            for (terms, vector) in &self.questions {
                let query = Query { terms, vector: Some(vector) };
                let mut words = lexical.map(|words| words.keeping(|_| true));
                let mut near = dense.map(|dense| dense.keeping(|_| true));
                let hits = if method.table {
                    let rows = &mut Table(&moment);
                    find(words.as_mut(), near.as_mut(), query, &rules, rows)?
                } else {
                    let rows = &mut Memory { terms: &self.terms, vectors: &self.vectors };
                    find(words.as_mut(), near.as_mut(), query, &rules, rows)?
                };
                found.push(hits.iter().map(|hit| hit.id).collect::<Vec<_>>());
            }
        }
        let asked = (turns * self.questions.len()).max(1) as f64;
        let milliseconds = |seconds: f64| seconds * 1e3 / asked;
        Ok(json!({
            "method": name,
            "cpu_ms": milliseconds(machine::cpu_seconds() - cpu),
            "wall_ms": milliseconds(began.elapsed().as_secs_f64()),
            "found": found,
        }))
    }
}
