//! Writing what was chosen into the user's file of settings.

use super::Chosen;
use super::questions::read;
use crate::Face;
use crate::config::{Change, Layers, UserFile};
use crate::failure::Failure;

/// The settings that the answers decide, with their values.
fn wanted(chosen: &Chosen) -> Vec<(&'static str, &str)> {
    let model = chosen.model.as_ref();
    let mut wanted = vec![
        ("models.main", model.map_or("", |offer| offer.model.as_str())),
        ("models.base_url", model.map_or("", |offer| offer.base_url.as_str())),
        ("sources.web.engine", chosen.web.as_ref().map_or("", |web| web.engine.name())),
        ("sources.web.base_url", chosen.web.as_ref().map_or("", |web| web.base_url.as_str())),
    ];
    wanted.extend(chosen.light_model.as_deref().map(|model| ("models.light", model)));
    wanted.extend(chosen.embedder.as_deref().map(|name| ("embedder.model", name)));
    wanted
}

/// Returns whether a setting is what was chosen, wherever that comes from. An address means nothing without what it is for.
fn is_so(key: &str, value: &str, chosen: &Chosen, layers: &Layers) -> bool {
    let is_moot = match key {
        "models.base_url" => chosen.model.is_none(),
        "sources.web.base_url" => chosen.web.is_none(),
        _ => false,
    };
    is_moot || layers.value(key).as_str() == Some(value)
}

/// Writes the settings that are not so already; returns whether the person agreed.
///
/// A file that exists is changed only after a yes.
pub(super) async fn write(
    mut file: UserFile,
    chosen: &Chosen,
    layers: &Layers,
    is_agreed: bool,
    face: &Face,
) -> Result<bool, Failure> {
    for (key, value) in wanted(chosen) {
        // What the environment sets is left to it.
        if !is_so(key, value, chosen, layers) && !is_above(&layers.origin(key)) {
            file.set(key, value)?;
        }
    }
    let path = file.path.display().to_string();
    if file.changes().is_empty() && file.is_new() {
        file.save()?;
        face.err.line(&run::grounding::clean(&format!(
            "Settings: {path} written; every setting has its default."
        )));
        return Ok(true);
    }
    if file.changes().is_empty() {
        face.err.line(&run::grounding::clean(&format!("Settings: {path} needs no change.")));
        return Ok(true);
    }
    let lines: Vec<String> = file.changes().iter().map(line).collect();
    let lines = run::grounding::clean(&lines.join("\n"));
    if file.is_new() {
        file.save()?;
        face.err.line(&format!("Settings: {} written:\n{lines}", run::grounding::clean(&path)));
        return Ok(true);
    }
    face.err
        .line(&format!("{} exists. These settings change:\n{lines}", run::grounding::clean(&path)));
    if !is_agreed {
        let answer = read("Type y to write them. Enter leaves the file as it is.\n> ", face).await;
        let is_yes = answer.is_some_and(|answer| {
            answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")
        });
        if !is_yes {
            return Ok(false);
        }
    }
    file.save()?;
    face.err.line("Written. Everything else in the file is as it was.");
    Ok(true)
}

fn line(change: &Change) -> String {
    let Change { key, from, to } = change;
    match from {
        None => format!("  {key} = {to}"),
        Some(from) => format!("  {key} = {to}  (was {from})"),
    }
}

/// Returns whether a layer wins over the user's file.
fn is_above(layer: &str) -> bool {
    layer.starts_with("environment ")
        || layer.starts_with("command line")
        || layer.starts_with("profile ")
        || layer.starts_with("project file")
}

/// Says which settings have another value than the chosen one, and why.
pub(super) fn tell_what_wins(chosen: &Chosen, layers: &Layers, face: &Face) {
    for (key, value) in wanted(chosen) {
        if !is_so(key, value, chosen, layers) {
            let line = format!(
                "warning: {key} is set by {}, which wins over the file",
                layers.origin(key)
            );
            face.err.line(&run::grounding::clean(&line));
        }
    }
}
