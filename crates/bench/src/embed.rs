//! Measures a local embedder: opens a model, embeds the texts of a file and writes their vectors.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use models::{LocalEmbedder, LocalSettings};
use run::embedding::{Embedder, Purpose};

use crate::{Failure, machine};

/// Embeds texts with a model on this machine and tells what it took.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the model, or its name in the hub's cache.
    #[arg(long)]
    model: PathBuf,
    /// One JSON object a line, with the key `text`.
    #[arg(long)]
    texts: PathBuf,
    /// Where the vectors go: little-endian f32, one text after another.
    #[arg(long)]
    out: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Embeds the texts as queries instead of passages.
    #[arg(long)]
    queries: bool,
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

/// Returns the measurements; `cpu_s` and `wall_s` cover the embedding alone, without opening the model.
pub(crate) fn measure(args: &Args) -> Result<Value, Failure> {
    let file = fs::read_to_string(&args.texts)?;
    let lines: Vec<Line> =
        file.lines().map(serde_json::from_str).collect::<Result<_, serde_json::Error>>()?;
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let began = Instant::now();
    let settings = LocalSettings { threads: Some(args.threads.max(1)), ..LocalSettings::default() };
    let embedder = LocalEmbedder::open(&args.model, &settings)?;
    let open_s = began.elapsed().as_secs_f64();
    let rss_open = machine::status_kb("VmRSS:");
    let purpose = if args.queries { Purpose::Query } else { Purpose::Passage };
    let (cpu, began) = (machine::cpu_seconds(), Instant::now());
    let vectors = embedder.embed_blocking(&texts, purpose)?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), machine::cpu_seconds() - cpu);
    if let Some(out) = &args.out {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(out, bytes)?;
    }
    Ok(json!({
        "texts": texts.len(), "threads": args.threads, "wall_s": wall, "cpu_s": cpu, "open_s": open_s,
        "rss_open_kb": rss_open, "rss_peak_kb": machine::status_kb("VmHWM:"),
        "embedding": embedder.embedding(),
    }))
}
