//! How well the store ranks: test collections with known answers.
//!
//! Each folder below the given one is a collection in BEIR's layout: `corpus.jsonl`, `queries.jsonl` and
//! `qrels/PART.tsv`. One JSON object a line goes to the output, a table to where progress goes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::json;

use models::{LocalEmbedder, LocalSettings};
use run::analysis::{self, Language};
use run::embedding::Purpose;
use store::index::{self, Dense, Feedback, Lexical, Query, Rules, search};

use crate::Failure;
use crate::search::Memory;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of test collections.
    #[arg(long)]
    ir: PathBuf,
    /// A folder that holds, for each collection, COLLECTION.f32: the vectors of the corpus and then of the
    /// questions, in the order of their files, as rows of little-endian numbers of four bytes.
    #[arg(long, conflicts_with = "model")]
    vectors: Option<PathBuf>,
    /// The folder of a local embedder, or its name in the hub's cache, that makes the vectors.
    #[arg(long)]
    model: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "test")]
    part: Part,
    /// Rows of each ranking that are fused.
    #[arg(long)]
    depth: Option<usize>,
    /// First hits whose words widen a question.
    #[arg(long)]
    feedback_documents: Option<usize>,
    #[arg(long)]
    feedback_terms: Option<usize>,
    /// What the question's own words keep, 0 to 1.
    #[arg(long)]
    original_weight: Option<f64>,
    /// Words in more than this share of the rows, 0 to 1, do not widen a question.
    #[arg(long)]
    most_common_share: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Part {
    Train,
    Test,
    All,
}

impl Part {
    /// The files of a collection's judgements.
    fn files(self) -> &'static [&'static str] {
        match self {
            Part::Train => &["train"],
            Part::Test => &["test"],
            Part::All => &["train", "test"],
        }
    }
}

#[derive(Deserialize)]
struct Document {
    _id: String,
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct Question {
    _id: String,
    text: String,
}

/// One test collection; rows are documents, numbered in their order.
struct Collection {
    name: String,
    terms: Vec<String>,
    /// Those that have an answer.
    questions: Vec<Asked>,
    vectors: Option<Vec<Vec<f32>>>,
}

struct Asked {
    terms: Vec<(String, f32)>,
    vector: Option<Vec<f32>>,
    /// The rows that answer it.
    answers: HashSet<i64>,
}

/// Figures of one method, means over the questions.
#[derive(Clone, Copy, Default)]
struct Figures {
    ndcg_10: f64,
    recall_100: f64,
    mrr: f64,
}

/// Returns the test collections below a folder.
pub(crate) fn folders(ir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |reason| format!("{} cannot be read: {reason}", ir.display());
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(ir).map_err(unreadable)? {
        let path = entry?.path();
        if path.join("corpus.jsonl").is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    if folders.is_empty() {
        return Err(format!("{} holds no folder with a corpus.jsonl", ir.display()).into());
    }
    Ok(folders)
}

/// Returns id, title and text of each document of a collection.
pub(crate) fn documents(folder: &Path) -> Result<Vec<(String, String, String)>, Failure> {
    let documents: Vec<Document> = lines(&folder.join("corpus.jsonl"))?;
    Ok(documents.into_iter().map(|one| (one._id, one.title, one.text)).collect())
}

/// Returns the questions of a part of a collection.
pub(crate) fn questions(folder: &Path, part: Part) -> Result<Vec<String>, Failure> {
    let mut judged = HashSet::new();
    for part in part.files() {
        for line in text(&folder.join("qrels").join(format!("{part}.tsv")))?.lines().skip(1) {
            judged.extend(line.split('\t').next().map(str::to_owned));
        }
    }
    let questions: Vec<Question> = lines(&folder.join("queries.jsonl"))?;
    let asked = questions.into_iter().filter(|question| judged.contains(&question._id));
    Ok(asked.map(|question| question.text).collect())
}

#[expect(clippy::print_stderr, reason = "a table beside the program's result")]
pub(crate) fn rank(args: &Args) -> Result<(), Failure> {
    let folders = folders(&args.ir)?;
    let embedder = match &args.model {
        Some(model) => Some(LocalEmbedder::open(model, &LocalSettings::default())?),
        None => None,
    };
    let mut means: BTreeMap<usize, (&str, Vec<Figures>)> = BTreeMap::new();
    for folder in &folders {
        let collection = read(folder, args, embedder.as_ref())?;
        for (order, (method, figures)) in measure(&collection, args)?.into_iter().enumerate() {
            print_line(&collection.name, method, collection.questions.len(), figures);
            means.entry(order).or_insert((method, Vec::new())).1.push(figures);
        }
    }
    eprintln!("{:<16}{:>9}{:>12}{:>8}", "mean", "nDCG@10", "recall@100", "MRR");
    for (method, all) in means.values() {
        let figures = mean(all);
        print_line("mean", method, all.len(), figures);
        let Figures { ndcg_10, recall_100, mrr } = figures;
        eprintln!("{method:<16}{ndcg_10:>9.4}{recall_100:>12.4}{mrr:>8.4}");
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program whose output is its result")]
fn print_line(collection: &str, method: &str, questions: usize, figures: Figures) {
    println!(
        "{}",
        json!({
            "collection": collection, "method": method, "of": questions,
            "ndcg_10": figures.ndcg_10, "recall_100": figures.recall_100, "mrr": figures.mrr,
        })
    );
}

fn measure(collection: &Collection, args: &Args) -> Result<Vec<(&'static str, Figures)>, Failure> {
    let lexical = Lexical::build((0..).zip(&collection.terms).map(|(row, terms)| (row, 0, terms)));
    let dense = match &collection.vectors {
        Some(vectors) => {
            let dimensions = vectors.first().map_or(0, Vec::len);
            let rows = (0..).zip(vectors).map(|(row, vector)| (row, 0, vector));
            Some(Dense::build(dimensions, rows)?)
        }
        None => None,
    };
    let usual = Feedback::default();
    let feedback = Some(Feedback {
        documents: args.feedback_documents.unwrap_or(usual.documents),
        terms: args.feedback_terms.unwrap_or(usual.terms),
        original_weight: args.original_weight.unwrap_or(usual.original_weight),
        most_common_share: args.most_common_share.unwrap_or(usual.most_common_share),
    });
    let (words, meaning) = (Some(&lexical), dense.as_ref());
    let mut methods = vec![("lexical", words, None, None), ("rm3", words, None, feedback)];
    if meaning.is_some() {
        methods.push(("dense", None, meaning, None));
        methods.push(("lexical+dense", words, meaning, None));
        methods.push(("hybrid", words, meaning, feedback));
    }
    let mut found = Vec::new();
    for (method, words, meaning, feedback) in methods {
        let usual = Rules::best(100);
        let rules = Rules { depth: args.depth.unwrap_or(usual.depth), feedback, ..usual };
        let mut all = Vec::new();
        for Asked { terms, vector, answers } in &collection.questions {
            let query = Query { terms, vector: vector.as_deref() };
            let vectors = collection.vectors.as_deref().unwrap_or_default();
            let rows = &mut Memory { terms: &collection.terms, vectors };
            let mut words = words.map(|words: &Lexical| words.keeping(|_| true));
            let hits = search(words.as_mut(), meaning, query, &rules, |_| true, rows)?;
            let ids: Vec<i64> = hits.iter().map(|hit| hit.id).collect();
            all.push(figures(&ids, answers));
        }
        found.push((method, mean(&all)));
    }
    Ok(found)
}

/// Any judged row is as good as another: nDCG with gains of 0 and 1.
fn figures(ranking: &[i64], answers: &HashSet<i64>) -> Figures {
    let discount = |index: usize| 1.0 / (index as f64 + 2.0).log2();
    let right = |(_, id): &(usize, &i64)| answers.contains(id);
    let ideal: f64 = (0..answers.len().min(10)).map(discount).sum();
    let gained: f64 =
        ranking.iter().enumerate().take(10).filter(right).map(|(index, _)| discount(index)).sum();
    let found = ranking.iter().enumerate().take(100).filter(right).count();
    let first =
        ranking.iter().enumerate().find(right).map_or(0.0, |(index, _)| 1.0 / (index + 1) as f64);
    Figures {
        ndcg_10: gained / ideal,
        recall_100: found as f64 / answers.len().max(1) as f64,
        mrr: first,
    }
}

fn mean(all: &[Figures]) -> Figures {
    let of =
        |value: fn(&Figures) -> f64| all.iter().map(value).sum::<f64>() / all.len().max(1) as f64;
    Figures {
        ndcg_10: of(|figures| figures.ndcg_10),
        recall_100: of(|figures| figures.recall_100),
        mrr: of(|figures| figures.mrr),
    }
}

fn read(
    folder: &Path,
    args: &Args,
    embedder: Option<&LocalEmbedder>,
) -> Result<Collection, Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let documents: Vec<Document> = lines(&folder.join("corpus.jsonl"))?;
    let questions: Vec<Question> = lines(&folder.join("queries.jsonl"))?;
    let rows: HashMap<&str, i64> =
        (0..).zip(&documents).map(|(row, document)| (document._id.as_str(), row)).collect();
    let mut answers: HashMap<String, HashSet<i64>> = HashMap::new();
    for part in args.part.files() {
        for line in text(&folder.join("qrels").join(format!("{part}.tsv")))?.lines().skip(1) {
            let mut fields = line.split('\t');
            let (Some(question), Some(document)) = (fields.next(), fields.next()) else { continue };
            if let Some(row) = rows.get(document) {
                answers.entry(question.to_owned()).or_default().insert(*row);
            }
        }
    }
    let mut vectors = match (&args.vectors, embedder) {
        (Some(folder), _) => {
            let file = folder.join(format!("{name}.f32"));
            Some(vectors(&file, documents.len() + questions.len())?)
        }
        (None, Some(embedder)) => Some(embedded(embedder, &documents, &questions)?),
        (None, None) => None,
    };
    let mut asked = vectors.as_mut().map(|vectors| vectors.split_off(documents.len()).into_iter());
    let mut judged = Vec::new();
    for question in questions {
        let vector = asked.as_mut().and_then(Iterator::next);
        if let Some(answers) = answers.remove(&question._id) {
            judged.push(Asked { terms: weighted(&question.text), vector, answers });
        }
    }
    let terms = |document: &Document| {
        let text = format!("{} {}", document.title, document.text);
        analysis::terms(&text, Language::English).join(" ")
    };
    let terms = documents.iter().map(terms).collect();
    Ok(Collection { name, terms, questions: judged, vectors })
}

/// Returns the vectors of the documents and then of the questions.
fn embedded(
    embedder: &LocalEmbedder,
    documents: &[Document],
    questions: &[Question],
) -> Result<Vec<Vec<f32>>, Failure> {
    let texts: Vec<String> =
        documents.iter().map(|one| format!("{} {}", one.title, one.text)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut vectors = embedder.embed_blocking(&texts, Purpose::Passage)?;
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    vectors.extend(embedder.embed_blocking(&texts, Purpose::Query)?);
    Ok(vectors)
}

/// Returns the terms of a question, weighted.
pub(crate) fn weighted(question: &str) -> Vec<(String, f32)> {
    index::weighted(analysis::terms(question, Language::English), usize::MAX)
}

pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file)
        .map_err(|reason| format!("{} cannot be read: {reason}", file.display()).into())
}

fn lines<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = text(file)?;
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|reason| format!("{}, line {}: {reason}", file.display(), index + 1).into())
    };
    text.lines().enumerate().map(parse).collect()
}

/// Reads so many rows of little-endian numbers of four bytes.
pub(crate) fn vectors(file: &Path, rows: usize) -> Result<Vec<Vec<f32>>, Failure> {
    let bytes = std::fs::read(file)
        .map_err(|reason| format!("{} cannot be read: {reason}", file.display()))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    if rows == 0 || numbers.is_empty() || !rest.is_empty() || !numbers.len().is_multiple_of(rows) {
        let size = bytes.len();
        return Err(
            format!("{} has {size} bytes, which is not {rows} vectors", file.display()).into()
        );
    }
    let row = |row: &[[u8; 4]]| row.iter().map(|number| f32::from_le_bytes(*number)).collect();
    Ok(numbers.chunks_exact(numbers.len() / rows).map(row).collect())
}
