//! The folder of plain files that every run leaves: answer, contexts, judgments, events, manifest.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use run::entry::Entry;
use run::views;

use crate::cli::Format;
use crate::render::render;

/// Writes the artifacts of a run below `data`; returns their folder.
///
/// `run` is an id of ours and safe as a name.
pub(crate) fn write(
    data: &Path,
    run: &str,
    entries: &[Entry],
    envelope: &Value,
) -> std::io::Result<PathBuf> {
    let folder = data.join("artifacts").join("runs").join(run);
    fs::create_dir_all(&folder)?;
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    fs::write(folder.join("answer.md"), render(envelope, Format::Md))?;
    fs::write(folder.join("result.json"), render(envelope, Format::Json))?;
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
    Ok(folder)
}

/// The prompts that were used, each with its version and digest.
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
