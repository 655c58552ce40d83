//! What reading a folder takes: on one core beside all there are, and again unchanged beside the first time.
//!
//! `cargo bench -p bench --bench ingest --profile dev` makes a folder of Markdown, pages, sheets and JSON, reads it on one core and on
//! all in turn, each time into a new data folder, and prints the ratios of their medians. It fails only if a document is missing or read
//! twice.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it is for")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use corpus::{Limits, Order, Report, Workers};
use run::library::Manifest;
use store::Store;
use text::Language;

/// How many files there are of each kind.
const FILES: usize = 60;
/// How often each is done.
const ROUNDS: usize = 3;
/// The argument with which this program is the process that reads files.
const SERVE: &str = "read-files";
const WORDS: &[&str] = &[
    "tide", "harbour", "rises", "falls", "twice", "every", "vessel", "keeps", "depth", "measured",
    "at", "the", "quay", "and", "gauge", "of", "moon", "spring", "neap", "water",
];

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(SERVE) => {
            return ExitCode::from(u8::from(corpus::worker::serve(&Limits::default()).is_err()));
        }
        // Tests build benches and start them without this.
        first
            if !first.into_iter().map(str::to_owned).chain(arguments).any(|it| it == "--bench") =>
        {
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("what reading a folder takes could not be measured: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what each takes.
fn compare() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let count = write_files(folder.path())?;
    let (mut on_one, mut on_all, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        if cfg!(target_os = "linux") {
            on_one.push(measure(folder.path(), count, Cores::One)?.0);
        }
        let (first, second) = measure(folder.path(), count, Cores::All)?;
        on_all.push(first);
        again.push(second);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (on_all, again) = (median(on_all), median(again));
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{count} files on {cores} cores: {:.0} ms", milliseconds(on_all));
    match on_one.is_empty() {
        true => println!("on one core: N/A"),
        false => {
            let on_one = median(on_one);
            let faster = on_one.as_secs_f64() / on_all.as_secs_f64();
            println!(
                "on one core: {:.0} ms; on all {faster:.2} times faster",
                milliseconds(on_one)
            );
        }
    }
    let share = again.as_secs_f64() / on_all.as_secs_f64();
    println!("again, unchanged: {:.0} ms, {share:.3} of the first time", milliseconds(again));
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cores {
    One,
    All,
}

/// Reads a folder into a new data folder, and once more; returns how long each took.
fn measure(folder: &Path, count: usize, cores: Cores) -> Result<(Duration, Duration), Failed> {
    let paths = [folder.to_owned()];
    // What a thread may run on, all that it starts may run on.
    let on_its_own = move || {
        if cores == Cores::One {
            keep_to_one_core()?;
        }
        let data = tempfile::tempdir()?;
        let store = Store::open(data.path())?;
        let workers = Workers::new(std::env::current_exe()?, [SERVE.to_owned()]);
        let order = read_all(&paths, workers);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let ingest = || -> Result<(Report, Duration), Failed> {
            let began = Instant::now();
            let report = runtime.block_on(corpus::ingest(&store, None, &order, |_| {}))?;
            Ok((report, began.elapsed()))
        };
        let (first, second) = (ingest()?, ingest()?);
        let (added, unchanged) = (first.0.added, second.0.unchanged);
        if (added, unchanged) != (count as u64, count as u64) {
            return Err(format!("of {count} files {added} were read, {unchanged} not again").into());
        }
        Ok((first.1, second.1))
    };
    let thread = std::thread::spawn(on_its_own);
    thread.join().map_err(|_| Failed::from("reading it broke"))?
}

#[cfg(target_os = "linux")]
fn keep_to_one_core() -> Result<(), Failed> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let allowed = sched_getaffinity(None)?;
    let first =
        (0..CpuSet::MAX_CPU).find(|core| allowed.is_set(*core)).ok_or("there is no core")?;
    let mut one = CpuSet::new();
    one.set(first);
    Ok(sched_setaffinity(None, &one)?)
}

#[cfg(not(target_os = "linux"))]
fn keep_to_one_core() -> Result<(), Failed> {
    Err("only Linux can do that".into())
}

/// Returns the order to read all files under these paths.
fn read_all(paths: &[PathBuf], workers: Workers) -> Order<'_> {
    Order {
        user: "bench",
        collection: "folder",
        paths,
        catalogues: &[],
        manifest: Manifest {
            embedder: None,
            language: Language::English,
            languages: Some(Default::default()),
            chunk_tokens: 220,
            smallest_chunk_tokens: 40,
        },
        limits: Limits::default(),
        reader: Arc::new(workers),
        metadata: BTreeMap::new(),
        prune: false,
        keep_originals: false,
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Writes the files; returns how many there are.
fn write_files(folder: &Path) -> Result<usize, Failed> {
    let mut count = 0;
    for number in 0..FILES {
        let sections: Vec<Vec<String>> = (0..8)
            .map(|section| (0..6).map(|at| sentence(number * 997 + section * 31 + at)).collect())
            .collect();
        let markdown = sections.iter().map(|it| format!("## {}\n\n{}\n", it[0], it.join(" ")));
        let page = sections.iter().map(|it| format!("<h2>{}</h2><p>{}</p>", it[0], it.join(" ")));
        let rows =
            sections.iter().enumerate().map(|(at, it)| format!("{at},{},{}\n", it[1], it[2]));
        let records = sections.iter().map(|it| serde_json::json!({"what": it[0], "text": it[3]}));
        let records: Vec<serde_json::Value> = records.collect();
        for (ending, text) in [
            ("md", format!("# Port {number}\n\n{}", markdown.collect::<String>())),
            (
                "html",
                format!(
                    "<!doctype html><title>Port {number}</title><main>{}</main>",
                    page.collect::<String>()
                ),
            ),
            ("csv", format!("number,what,note\n{}", rows.collect::<String>())),
            ("json", serde_json::to_string(&records)?),
        ] {
            std::fs::write(folder.join(format!("{number:03}.{ending}")), text)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Returns a sentence without a comma, another for each seed.
fn sentence(seed: usize) -> String {
    let word = |at: usize| WORDS[(seed * 7 + at * (seed % 11 + 3)) % WORDS.len()];
    let words: Vec<&str> = (0..14).map(word).collect();
    format!("{} {seed}.", words.join(" "))
}
