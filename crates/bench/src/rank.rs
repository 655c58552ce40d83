//! How well the store's indexes rank: test collections with known answers, one row per document.
//!
//! `quaestio eval FOLDER --retrieval …` measures what a user gets, chunks and all; this tests the indexes alone, with other settings. Each
//! folder below the given one is a collection in BEIR's layout. Results go to stdout as one JSON object per line, a table to stderr.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use eval::dataset::{self, Case, Dataset, Document, Split};
use eval::retrieval::Scores;
use index::{self, Dense, Feedback, Lexical, Query, Rules, search};
use models::{LocalEmbedder, LocalSettings};
use run::embedding::Purpose;
use text::Language;

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
    #[arg(long, default_value = "test", value_name = "train|dev|test|all")]
    part: Split,
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

#[derive(Deserialize)]
struct Question {
    _id: String,
}

/// A test collection; its rows are the documents, numbered in their order.
struct Collection {
    name: String,
    /// The ids of the documents.
    ids: Vec<String>,
    terms: Vec<String>,
    /// The questions that have an answer.
    questions: Vec<Asked>,
    vectors: Option<Vec<Vec<f32>>>,
}

struct Asked {
    terms: Vec<(String, f32)>,
    vector: Option<Vec<f32>>,
    /// The documents that answer it, with their grades.
    answers: BTreeMap<String, u32>,
}

/// The figures of one method, as means over the questions.
#[derive(Clone, Copy, Default)]
struct Figures {
    ndcg_10: f64,
    recall_100: f64,
    mrr: f64,
}

#[expect(clippy::print_stderr, reason = "a table beside the program's result")]
pub(crate) fn rank(args: &Args) -> Result<(), Failure> {
    let folders = dataset::folders(&args.ir)?;
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
        ..usual
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
            let mut meaning = meaning.map(|dense: &Dense| dense.keeping(|_| true));
            let hits = search(words.as_mut(), meaning.as_mut(), query, &rules, rows)?;
            let names = hits.iter().filter_map(|hit| collection.ids.get(hit.id as usize));
            let names: Vec<String> = names.cloned().collect();
            all.push(Figures::from(Scores::of(&names, answers)));
        }
        found.push((method, mean(&all)));
    }
    Ok(found)
}

impl From<Scores> for Figures {
    fn from(scores: Scores) -> Figures {
        let Scores { ndcg_at_10: ndcg_10, recall_at_100: recall_100, reciprocal_rank: mrr } =
            scores;
        Figures { ndcg_10, recall_100, mrr }
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
    let Dataset { name, cases, documents, .. } = dataset::read(folder, args.part)?;
    // All questions have vectors, whether this part judges them or not.
    let questions: Vec<Question> = lines(&folder.join("queries.jsonl"))?;
    let mut vectors = match (&args.vectors, embedder) {
        (Some(folder), _) => {
            let file = folder.join(format!("{name}.f32"));
            let mut all = vectors(&file, documents.len() + questions.len())?;
            let asked = all.split_off(documents.len());
            let ids = questions.into_iter().map(|question| question._id);
            Some((all, ids.zip(asked).collect()))
        }
        (None, Some(embedder)) => Some(embedded(embedder, &documents, &cases)?),
        (None, None) => None,
    };
    let judged = cases.into_iter().map(|case| Asked {
        terms: weighted(&case.question),
        vector: vectors.as_mut().and_then(|(_, asked)| asked.remove(&case.id)),
        answers: case.relevant,
    });
    let judged = judged.collect();
    let vectors = vectors.map(|(documents, _)| documents);
    let terms = |document: &Document| {
        let text = format!("{} {}", document.title, document.text);
        text::terms(&text, Language::English).join(" ")
    };
    let terms = documents.iter().map(terms).collect();
    let ids = documents.into_iter().map(|document| document.id).collect();
    Ok(Collection { name, ids, terms, questions: judged, vectors })
}

/// The vectors of the documents in their order, and of the questions by id.
type Vectors = (Vec<Vec<f32>>, HashMap<String, Vec<f32>>);

fn embedded(
    embedder: &LocalEmbedder,
    documents: &[Document],
    cases: &[Case],
) -> Result<Vectors, Failure> {
    let texts: Vec<String> =
        documents.iter().map(|one| format!("{} {}", one.title, one.text)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed_blocking(&texts, Purpose::Passage)?;
    let texts: Vec<&str> = cases.iter().map(|case| case.question.as_str()).collect();
    let asked = embedder.embed_blocking(&texts, Purpose::Query)?;
    Ok((vectors, cases.iter().map(|case| case.id.clone()).zip(asked).collect()))
}

/// Returns the weighted terms of a question.
pub(crate) fn weighted(question: &str) -> Vec<(String, f32)> {
    index::asked_for(question, Language::English, usize::MAX)
}

pub(crate) fn read_text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file)
        .map_err(|reason| format!("{} cannot be read: {reason}", file.display()).into())
}

fn lines<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = read_text(file)?;
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|reason| format!("{}, line {}: {reason}", file.display(), index + 1).into())
    };
    text.lines().enumerate().map(parse).collect()
}

/// Reads `rows` rows of little-endian four-byte numbers.
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
