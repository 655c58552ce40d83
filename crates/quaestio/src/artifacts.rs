//! The folder of plain files that every run leaves: answer, contexts, judgments, events, manifest; for a brief also summary, counts,
//! audit trail and banner tables.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use run::Methods;
use run::entry::Entry;
use run::files::Files;
use run::views;

use crate::cli::Format;
use crate::failure::Failure;
use crate::output::render;
use crate::tables;

/// What was written.
pub(crate) struct Left {
    pub(crate) folder: PathBuf,
    /// What is missing from it, and why.
    pub(crate) remark: Option<String>,
}

/// Writes the artifacts of a run below `data`.
///
/// `run` is an id that this program made, so it is safe as a file name.
pub(crate) async fn write(
    data: &Path,
    methods: &Methods,
    files: &dyn Files,
    run: &str,
    entries: &[Entry],
    envelope: &Value,
) -> std::io::Result<Left> {
    let tables = tables::made(files, run, entries).await;
    let (data, methods, run) = (data.to_owned(), methods.clone(), run.to_owned());
    let (entries, envelope) = (entries.to_vec(), envelope.clone());
    let work = move || write_now(&data, &methods, &run, &entries, &envelope, tables);
    let broken_off = |_| Err(std::io::Error::other("writing them was interrupted"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(broken_off)
}

fn write_now(
    data: &Path,
    methods: &Methods,
    run: &str,
    entries: &[Entry],
    envelope: &Value,
    tables: Result<Option<Vec<u8>>, Failure>,
) -> std::io::Result<Left> {
    let folder = locate_folder(data, run);
    fs::create_dir_all(&folder)?;
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    fs::write(folder.join("answer.md"), render(methods, envelope, Format::Md))?;
    fs::write(folder.join("result.json"), render(methods, envelope, Format::Json))?;
    fs::write(folder.join("contexts.json"), pretty(&json!(views::evidence(entries))))?;
    fs::write(folder.join("judgments.json"), pretty(&json!(views::ledger(entries))))?;
    let mut events = std::io::BufWriter::new(fs::File::create(folder.join("events.jsonl"))?);
    for entry in entries {
        serde_json::to_writer(&mut events, entry)?;
        events.write_all(b"\n")?;
    }
    events.flush()?;
    let start = views::start(entries);
    let manifest = json!({
        "run_id": run,
        "method": start.as_ref().map(|start| start.method),
        "method_version": start.as_ref().map(|start| start.version),
        "settings": start.as_ref().map(|start| start.settings),
        "quaestio_version": env!("CARGO_PKG_VERSION"),
        "entries": entries.len(),
        "last_hash": entries.last().map(|entry| entry.hash),
        "prompts": prompts(entries),
    });
    fs::write(folder.join("manifest.json"), pretty(&manifest))?;
    let mut remark = None;
    if let Some(brief) = tables::delivered(entries)
        && start.is_some_and(|start| start.method == tables::BRIEF)
    {
        for (name, part) in [
            ("summary.json", json!(brief.summary)),
            ("pipeline_stats.json", json!(brief.pipeline_stats)),
            ("audit_trail.json", json!(brief.history)),
        ] {
            fs::write(folder.join(name), pretty(&part))?;
        }
        match tables {
            Ok(Some(workbook)) => fs::write(folder.join("tables.xlsx"), workbook)?,
            Ok(None) => {}
            Err(failure) => remark = Some(format!("no tables.xlsx: {}", failure.what)),
        }
    }
    Ok(Left { folder, remark })
}

/// Removes the artifacts of a run, if it left any. `run` is an id that this program made, so it is safe as a file name.
pub(crate) fn remove(data: &Path, run: &str) -> std::io::Result<()> {
    match fs::remove_dir_all(locate_folder(data, run)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn locate_folder(data: &Path, run: &str) -> PathBuf {
    data.join("artifacts").join("runs").join(run)
}

/// Returns the prompts that were used, each with its version and digest.
fn prompts(entries: &[Entry]) -> Vec<Value> {
    let mut used: Vec<Value> = Vec::new();
    for entry in entries {
        if let run::Event::Called { asking: Some(asking), .. } = &entry.event {
            let prompt = json!({ "prompt": asking.prompt, "version": asking.prompt_version, "hash": asking.prompt_hash });
            if !used.contains(&prompt) {
                used.push(prompt);
            }
        }
    }
    used
}
