//! When nothing is relevant: how close the questions of one test collection come to it and to another.
//!
//! Each collection is asked its own questions, which it should answer, and those of the others, which it cannot. A JSON object per question
//! and collection says whether the question is the collection's own, how much of it the passages and one statement cover, and the nearness.
//! From these one can read off what a rule would refuse or let through.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use eval::dataset::{self, Document, Split};
use methods::ask::{Coverage, measure_nearness};
use models::{LocalEmbedder, LocalSettings};
use run::embedding::{Embedder, Purpose};
use run::library::{Library, Manifest, NewChunk, NewDocument, QueryVector, Retrieval, Search};
use store::Store;
use text::{Language, terms};

use crate::Failure;

const USER: &str = "bench";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of test collections.
    #[arg(long)]
    ir: PathBuf,
    /// The folder of a local embedder; without one the collections are searched by words.
    #[arg(long)]
    model: Option<PathBuf>,
    #[arg(long, default_value = "train", value_name = "train|dev|test|all")]
    part: Split,
}

#[expect(clippy::print_stdout, reason = "a program whose output is its result")]
pub(crate) async fn measure(args: &Args) -> Result<(), Failure> {
    let embedder = match &args.model {
        Some(model) => Some(LocalEmbedder::open(model, &LocalSettings::default())?),
        None => None,
    };
    let scratch = crate::data_folder(None)?;
    let store = Store::open(&scratch)?;
    let folders = dataset::folders(&args.ir)?;
    for folder in &folders {
        ingest(&store, embedder.as_ref(), folder).await?;
    }
    for asked in &folders {
        for case in dataset::read(asked, args.part)?.cases {
            let question = case.question;
            let query = match &embedder {
                Some(embedder) => {
                    let vectors = embedder.embed(&[&question], Purpose::Query).await?;
                    let embedding = embedder.embedding().clone();
                    vectors.into_iter().next().map(|vector| QueryVector { embedding, vector })
                }
                None => None,
            };
            for folder in &folders {
                let search = Search {
                    collection: name(folder),
                    question: question.clone(),
                    filter: BTreeMap::new(),
                    top_k: 8,
                    retrieval: Retrieval::Auto,
                };
                let found = store.search(USER, &search, query.as_ref()).await?;
                let Coverage { passages, statement } = Coverage::of(&found);
                let line = json!({
                    "own": folder == asked, "collection": search.collection, "question": question,
                    "coverage": passages, "statement": statement, "nearness": measure_nearness(&found),
                });
                println!("{line}");
            }
        }
    }
    drop(store);
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Stores each document of a test collection as one chunk.
async fn ingest(
    store: &Store,
    embedder: Option<&LocalEmbedder>,
    folder: &Path,
) -> Result<(), Failure> {
    let manifest = Manifest {
        embedder: embedder.map(|embedder| embedder.embedding().clone()),
        language: Language::English,
        languages: Some(Default::default()),
        chunk_tokens: 220,
        smallest_chunk_tokens: 40,
    };
    store.open(USER, &name(folder), &manifest).await?;
    let documents = dataset::read(folder, Split::All)?.documents;
    let texts: Vec<String> =
        documents.iter().map(|one| format!("{}\n{}", one.title, one.text)).collect();
    let vectors = match embedder {
        Some(embedder) => {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            embedder.embed(&texts, Purpose::Passage).await?
        }
        None => vec![Vec::new(); texts.len()],
    };
    let documents = documents.into_iter().zip(texts).zip(vectors);
    let documents =
        documents.map(|((Document { id: path, title, text }, whole), vector)| NewDocument {
            kind: run::evidence::EvidenceKind::Rag,
            work: None,
            path,
            title: title.clone(),
            format: "text".into(),
            reader_version: 0,
            file_sha256: String::new(),
            text_sha256: corpus::sha256(text.as_bytes()),
            metadata: BTreeMap::new(),
            original: None,
            chunks: vec![NewChunk {
                section: title,
                start: 0,
                end: text.len() as u64,
                terms: terms(&whole, Language::English).join(" "),
                pages: Vec::new(),
                vector,
            }],
            text,
        });
    store.put(USER, &name(folder), documents.collect()).await?;
    Ok(())
}
