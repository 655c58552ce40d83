//! The work around answering from documents, without the answering: ingests a folder, with vectors from a server, and then searches it by
//! words and by meaning, as `ask` does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use corpus::Order;
use models::{Connection, EmbedderSettings, HttpEmbedder, Secret};
use run::embedding::{Embedder, Purpose};
use run::library::{Library, Manifest, QueryVector, Retrieval, Search};
use store::Store;
use text::Language;

use crate::{Failure, machine};

const USER: &str = "bench";
const COLLECTION: &str = "docs";
/// The number of passages of one search.
const TOP_K: u32 = 8;
/// The words of a document that become its question.
const QUESTION: std::ops::Range<usize> = 700..712;
/// The distance between the documents of successive questions.
const STRIDE: usize = 7;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, default_value = "http://127.0.0.1:8099")]
    base_url: String,
    /// Milliseconds to a reply, or any other profile that the server knows.
    #[arg(long, default_value = "0")]
    latency: String,
    /// A folder of text files.
    #[arg(long)]
    docs: PathBuf,
    #[arg(long, default_value_t = 100)]
    queries: usize,
    /// Names the data folder: this path with the ending `.data`. It is made, and removed at the end.
    #[arg(long)]
    db: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    pub(crate) threads: usize,
    /// Accepted for the drivers' sake: the output is always JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn measure(args: &Args) -> Result<Value, Failure> {
    let folder = crate::data_folder(args.db.as_ref())?;
    let store = Store::open(&folder)?;
    let base_url = format!("{}/l{}/v1/", args.base_url, args.latency);
    let mut connection = Connection::new(
        "fake/fake-embed",
        Some(&base_url),
        Some(Secret::from("sk-fake".to_owned())),
    )?;
    connection.idle_timeout = Duration::from_secs(30);
    let embedder = HttpEmbedder::connect(connection, EmbedderSettings::default()).await?;
    let (ready, rss_idle) = (machine::since_spawn(), machine::status_kb("VmRSS:"));

    let paths = [args.docs.clone()];
    let order = Order {
        user: USER,
        collection: COLLECTION,
        paths: &paths,
        catalogues: &[],
        manifest: Manifest {
            embedder: Some(embedder.embedding().clone()),
            language: Language::English,
            languages: Some(Default::default()),
            chunk_tokens: 220,
            smallest_chunk_tokens: 40,
        },
        limits: corpus::Limits::default(),
        reader: Arc::new(corpus::read),
        metadata: BTreeMap::new(),
        prune: false,
        keep_originals: false,
    };
    let (cpu, began) = (machine::cpu_seconds(), Instant::now());
    let report = corpus::ingest(&store, Some(&embedder), &order, |_| {}).await?;
    let (ingest, ingest_cpu) = (began.elapsed().as_secs_f64(), machine::cpu_seconds() - cpu);

    let questions = load_questions(args)?;
    let (mut times, mut hits) = (Vec::new(), 0);
    let cpu = machine::cpu_seconds();
    for (name, question) in &questions {
        let began = Instant::now();
        let vectors = embedder.embed(&[question], Purpose::Query).await?;
        let vector = vectors.into_iter().next().ok_or("no vector came back")?;
        let query = QueryVector { embedding: embedder.embedding().clone(), vector };
        let search = Search {
            collection: COLLECTION.into(),
            question: question.clone(),
            filter: BTreeMap::new(),
            top_k: TOP_K,
            retrieval: Retrieval::Auto,
        };
        let found = store.search(USER, &search, Some(&query)).await?;
        times.push(began.elapsed().as_secs_f64());
        let right = format!("doc://{COLLECTION}/{name}");
        hits += usize::from(found.passages.iter().any(|passage| passage.source_uri == right));
    }
    let cpu = machine::cpu_seconds() - cpu;
    times.sort_by(f64::total_cmp);
    let asked = times.len().max(1) as f64;
    let at =
        |share: f64| times.get(((asked - 1.0) * share).round() as usize).map(|time| time * 1e3);
    let bytes = std::fs::metadata(store.database()).map_or(0, |file| file.len());
    let result = json!({
        "peer": "quaestio", "variant": "hybrid, sqlite synchronous=FULL", "task": "ask",
        "docs": report.stored(), "chunks": report.chunks, "dims": embedder.embedding().dimensions,
        "ready_s": ready, "ingest_s": ingest, "ingest_cpu_s": ingest_cpu, "queries": times.len(),
        "query_p50_ms": at(0.5), "query_p99_ms": at(0.99), "query_cpu_ms": cpu / asked * 1e3,
        "hit_at_8": hits as f64 / asked, "rss_idle_kb": rss_idle, "rss_peak_kb": machine::status_kb("VmHWM:"),
        "store_bytes": bytes,
    });
    drop(store);
    std::fs::remove_dir_all(&folder)?;
    Ok(result)
}

/// Returns the questions, each with the name of its source file.
fn load_questions(args: &Args) -> Result<Vec<(String, String)>, Failure> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(&args.docs)?
        .map(|file| Ok(file?.path()))
        .collect::<std::io::Result<_>>()?;
    files.sort();
    let turns =
        (0..args.queries).filter_map(|turn| files.get((turn * STRIDE) % files.len().max(1)));
    let question = |file: &PathBuf| {
        let text = std::fs::read_to_string(file)?;
        let words = text.split_whitespace().skip(QUESTION.start).take(QUESTION.len());
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, words.collect::<Vec<_>>().join(" ")))
    };
    turns.map(question).collect()
}
