//! Startup contexts from a file that `export` wrote.

use std::path::Path;

use run::contexts::{ContextError, Contexts, Existing, StartupContext};
use serde::Deserialize;
use serde_json::{Value, json};

use super::CliContext;
use crate::cli::Json;
use crate::failure::Failure;
use crate::output;

pub(super) async fn import(
    context: &CliContext<'_>,
    kept: &dyn Contexts,
    file: &Path,
    replace: bool,
    json: Json,
) -> Result<(), Failure> {
    let user = &context.config.user;
    let mut contexts = read(file)?;
    let mut said = Vec::new();
    for startup in &mut contexts {
        if startup.user_id != *user {
            let owner: String = startup.user_id.chars().take(64).collect();
            said.push(format!("{}: belonged to {owner}, now belongs to {user}", startup.id));
            startup.user_id.clone_from(user);
        }
    }
    let existing = if replace { Existing::Replaced } else { Existing::Stays };
    kept.keep(&contexts, existing).await.map_err(|error| match error {
        ContextError::Taken { .. } => Failure::new(
            format!("{error}; nothing was imported"),
            "use --replace to replace existing startup contexts",
        ),
        ContextError::Wrong { what } => unusable(file, &what),
        other => other.into(),
    })?;
    for line in said {
        context.face.err.line(&run::grounding::clean(&line));
    }
    let ids: Vec<&str> = contexts.iter().map(|startup| startup.id.as_str()).collect();
    context.face.out.line(&match json.is_wanted() {
        true => output::json_line(&json!({ "contexts": ids, "state": "imported" })),
        false => format!("{} imported", ids.len()),
    });
    Ok(())
}

fn unusable(file: &Path, what: &str) -> Failure {
    Failure::usage(
        format!("could not import {}: {what}", file.display()),
        "nothing was imported; see the format with `quaestio contexts export`",
    )
}

/// Reads one context or a list of them.
fn read(file: &Path) -> Result<Vec<StartupContext>, Failure> {
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::usage(
            format!("could not read {}: {error}", file.display()),
            "check the path and its permissions",
        )
    })?;
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| unusable(file, &error.to_string()))?;
    let (items, is_list) = match value {
        Value::Array(items) => (items, true),
        one => (vec![one], false),
    };
    let startup = |(index, item): (usize, Value)| {
        StartupContext::deserialize(item).map_err(|error| match is_list {
            true => unusable(file, &format!("entry {}: {error}", index + 1)),
            false => unusable(file, &error.to_string()),
        })
    };
    items.into_iter().enumerate().map(startup).collect()
}
