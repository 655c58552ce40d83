//! `quaestio prompts`: what agents are told, with the digests that logs and bundles name.

use std::collections::BTreeSet;
use std::path::Path;

use run::Agent;
use run::grounding::clean;
use run::prompt::{Prompt, Prompts};
use run::settings::Tier;
use serde_json::json;

use crate::cli::{Common, PromptsCommand, TextOrJson};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::{Face, output, saving, wire};

/// Characters of a digest in a list.
const SHORT: usize = 12;

pub(super) fn prompts(
    common: &Common,
    command: &PromptsCommand,
    face: &Face,
) -> Result<Exit, Failure> {
    match command {
        PromptsCommand::List { format } => list(&wire::configure(common)?.config, *format, face),
        PromptsCommand::Show { name, shipped } => {
            show(&wire::configure(common)?.config, name, *shipped, face)
        }
        PromptsCommand::Export { folder, names, force } => export(folder, names, *force, face),
    }
}

/// Returns every prompt that ships: those of the methods, and those of the judges of evaluations.
fn shipped() -> Vec<Agent> {
    let of_methods = methods::prompts().map(|(prompt, text)| {
        let name = prompt.rsplit('/').next().unwrap_or(prompt);
        Agent { name, prompt, text }
    });
    let judges =
        [::eval::judge::JUDGE, ::eval::report_judge::CRITERIA, ::eval::report_judge::JUDGE];
    let mut all: Vec<Agent> = of_methods.chain(judges).collect();
    all.sort_by_key(|agent| agent.prompt);
    all
}

fn find(name: &str) -> Result<Agent, Failure> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    shipped().into_iter().find(|agent| agent.prompt == name).ok_or_else(|| {
        let shown: String = clean(name).chars().take(64).collect();
        Failure::usage(
            format!("there is no prompt '{shown}'"),
            "`quaestio prompts list` lists them",
        )
    })
}

/// Returns a prompt as it is used.
fn used(prompts: &Prompts, agent: &Agent) -> Result<std::sync::Arc<Prompt>, Failure> {
    prompts.of(agent).map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))
}

fn list(config: &Config, format: TextOrJson, face: &Face) -> Result<Exit, Failure> {
    let prompts = wire::prompts(config)?;
    let agents = shipped();
    let mut rows = Vec::new();
    for agent in &agents {
        let prompt = used(&prompts, agent)?;
        let is_own = prompts.find_file(agent.prompt).is_some();
        rows.push((agent.prompt, prompt, is_own));
    }
    if format == TextOrJson::Json {
        let lines: Vec<_> = rows
            .iter()
            .map(|(name, prompt, is_own)| {
                json!({
                    "name": name, "version": prompt.version, "model": tier(prompt.tier),
                    "max_tokens": prompt.max_tokens, "temperature": prompt.temperature,
                    "sha256": prompt.hash, "from": if *is_own { "folder" } else { "shipped" },
                })
            })
            .collect();
        face.out.line(&output::json(&lines));
    } else {
        let width = rows.iter().map(|(name, _, _)| name.len()).max().unwrap_or(0);
        for (name, prompt, is_own) in &rows {
            let digest: String = prompt.hash.to_string().chars().take(SHORT).collect();
            let from = if *is_own { "yours" } else { "shipped" };
            face.out.line(&format!(
                "{name:width$}  v{:<2} {:6} {digest}  {from}",
                prompt.version,
                tier(prompt.tier)
            ));
        }
    }
    let known: BTreeSet<&str> = agents.iter().map(|agent| agent.prompt).collect();
    for name in prompts.file_names().filter(|name| !known.contains(name)) {
        face.err.line(&clean(&format!(
            "warning: {name}.md in the prompts folder replaces nothing: no prompt has that name"
        )));
    }
    Ok(Exit::Done)
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Light => "light",
        Tier::Main => "main",
        Tier::Reader => "reader",
    }
}

fn show(config: &Config, name: &str, is_shipped: bool, face: &Face) -> Result<Exit, Failure> {
    let agent = find(name)?;
    let prompts = if is_shipped { Prompts::default() } else { wire::prompts(config)? };
    let prompt = used(&prompts, &agent)?;
    let own = prompts.find_file(agent.prompt);
    face.out.line(&clean(own.unwrap_or(agent.text).trim_end()));
    let folder = match config.prompts.folder.as_str() {
        "" => "FOLDER",
        folder => folder,
    };
    let from = if own.is_some() { "yours, from the prompts folder" } else { "the one that ships" };
    face.err.line(&clean(&format!(
        "{}: {from}, sha256 {}\nReplace it with {folder}/{}.md and prompts.folder = \"{folder}\". `quaestio prompts export {folder} {}` writes a copy to edit.",
        agent.prompt, prompt.hash, agent.prompt, agent.prompt
    )));
    Ok(Exit::Done)
}

fn export(folder: &Path, names: &[String], force: bool, face: &Face) -> Result<Exit, Failure> {
    let agents = match names {
        [] => shipped(),
        names => names.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    let paths: Vec<_> =
        agents.iter().map(|agent| folder.join(format!("{}.md", agent.prompt))).collect();
    if let Some(path) = paths.iter().find(|path| !force && path.exists()) {
        return Err(Failure::usage(
            format!("{} exists; nothing was written", path.display()),
            "replace it with --force, or choose another folder",
        ));
    }
    for (agent, path) in agents.iter().zip(&paths) {
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| saving::save(path, agent.text.as_bytes()))
            .map_err(|error| {
                Failure::new(
                    format!("could not write {}: {error}", path.display()),
                    "check the folder's permissions and free space",
                )
            })?;
    }
    let shown = clean(&folder.display().to_string());
    let prompts = if agents.len() == 1 { "1 prompt" } else { &format!("{} prompts", agents.len()) };
    face.out.line(&format!("{prompts} written to {shown}"));
    face.err.line(&format!(
        "Use them with `--set prompts.folder={shown}`, or set prompts.folder. Delete the ones that you do not change: a newer version improves only those that ship."
    ));
    Ok(Exit::Done)
}
