//! `quaestio contexts`.

mod import;

use std::path::Path;

use jiff::Timestamp;
use run::contexts::{Added, ContextError, Contexts, Learned, Lesson, StartupContext, edit};
use serde_json::{Value, json};

use super::CliContext;
use super::runs::named;
use crate::cli::{ContextFields, ContextsCommand, Json};
use crate::failure::{Exit, Failure};
use crate::listing::{self, Listing};
use crate::output;

pub(super) async fn contexts(
    context: &CliContext<'_>,
    command: ContextsCommand,
) -> Result<Exit, Failure> {
    let kept = &context.database.contexts;
    match command {
        ContextsCommand::List { json } => list(context, &**kept, json.is_wanted()).await?,
        ContextsCommand::Show { id, json } => {
            let startup = find(context, &**kept, &id).await?;
            match json.is_wanted() {
                true => context.face.out.line(&output::json(&startup)),
                false => context.face.out.put(&run::grounding::clean(&page(&startup))),
            }
        }
        ContextsCommand::Add { id, from_run, fields, json } => {
            let learned = match from_run {
                None if fields.name.is_none() => {
                    return Err(Failure::usage(
                        "a startup context needs a name",
                        "give --name NAME, or --from-run RUN",
                    ));
                }
                None => Learned::default(),
                Some(name) => {
                    let run = named(context, &name).await?;
                    learned(context, &run).await?
                }
            };
            let begun = StartupContext::begun(&context.config.user, learned, read_clock(context));
            let id = changed(begun, &fields)?.keep_new(&**kept, id).await?;
            tell(context, json, &format!("{id} added"), &id, "added");
        }
        ContextsCommand::Edit { id, fields, json } => {
            if fields.is_empty() {
                return Err(Failure::usage(
                    "there is nothing to change",
                    "give a new value, for example --industry law",
                ));
            }
            let now = read_clock(context);
            let change = |startup: StartupContext| {
                let last_accessed = startup.last_accessed.max(now);
                changed(StartupContext { last_accessed, ..startup }, &fields)
            };
            edit(&**kept, &context.config.user, &id, change).await?;
            tell(context, json, &format!("{id} changed"), &id, "changed");
        }
        ContextsCommand::Undo { id, json } => {
            let back =
                |startup: StartupContext| startup.untaught().ok_or_else(|| nothing_taught(&id));
            edit(&**kept, &context.config.user, &id, back).await?;
            let text = format!("{id}: undid what the last analysis added");
            tell(context, json, &text, &id, "undone");
        }
        ContextsCommand::Remove { id, json } => {
            kept.remove(&context.config.user, &id).await?;
            tell(context, json, &format!("{id} removed"), &id, "removed");
        }
        ContextsCommand::Import { file, replace, json } => {
            import::import(context, &**kept, &file, replace, json).await?;
        }
        ContextsCommand::Export { id, output } => {
            let page = match id {
                Some(id) => output::json(&find(context, &**kept, &id).await?),
                None => output::json(&kept.list(&context.config.user).await?),
            };
            match output {
                None => context.face.out.line(&page),
                Some(path) => write(&path, &page)?,
            }
        }
    }
    Ok(Exit::Done)
}

/// Prints what became of a startup context.
fn tell(context: &CliContext<'_>, json: Json, text: &str, id: &str, state: &str) {
    context.face.out.line(&match json.is_wanted() {
        true => output::json_line(&json!({ "context": id, "state": state })),
        false => text.to_owned(),
    });
}

fn read_clock(context: &CliContext<'_>) -> Timestamp {
    context.worker.world().clock.now()
}

async fn find(
    context: &CliContext<'_>,
    kept: &dyn Contexts,
    id: &str,
) -> Result<StartupContext, Failure> {
    let found = kept.get(&context.config.user, id).await?;
    found.ok_or_else(|| ContextError::no_such(id).into())
}

async fn learned(context: &CliContext<'_>, run: &str) -> Result<Learned, Failure> {
    let entries = context.entries(run).await?;
    Learned::of(run, &entries).map_err(|error| {
        Failure::new(error.to_string(), format!("see its state with `quaestio runs show {run}`"))
    })
}

async fn list(context: &CliContext<'_>, kept: &dyn Contexts, json: bool) -> Result<(), Failure> {
    let contexts = kept.list(&context.config.user).await?;
    if json {
        context.face.out.line(&output::json(&contexts));
        return Ok(());
    }
    if contexts.is_empty() {
        context.note("no startup contexts yet; keep one with `quaestio contexts add --name NAME`");
    }
    let mut table = Listing::new(["Context", "Last used", "Name", "Industry"]);
    for StartupContext { id, name, industry, last_accessed, .. } in contexts {
        let name: String = words(&name).chars().take(60).collect();
        let industry: String = words(&industry).chars().take(40).collect();
        table.row([id, listing::time(last_accessed), name, industry]);
    }
    table.write(&context.face.out);
    Ok(())
}

fn nothing_taught(id: &str) -> Failure {
    Failure::usage(
        format!("no analysis has added anything to the startup context '{id}'"),
        "change your own entries with `quaestio contexts edit`",
    )
}

/// Returns a text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a context as text for a person, without its empty fields.
fn page(startup: &StartupContext) -> String {
    let mut page = format!("{}: {}\n", startup.id, words(&startup.name));
    let terms = startup.search_terms.join(", ");
    for (what, text) in [
        ("description", &startup.description),
        ("industry", &startup.industry),
        ("search terms", &terms),
        ("where", &startup.geographical_scope),
    ] {
        if !text.is_empty() {
            page.push_str(&format!("{what}: {text}\n"));
        }
    }
    let lessons = startup.lessons();
    for Lesson { run_id, at, found, sources, added } in &lessons {
        page.push_str(&format!("learned from run {run_id}, {}\n", listing::time(*at)));
        let Added { description, industry, geographical_scope, search_terms } = added;
        let texts = [description, industry, geographical_scope].into_iter().chain(search_terms);
        let added = texts.filter(|text| !text.is_empty()).map(|text| ("added", text));
        let found = found.iter().map(|text| ("found", text));
        for (what, text) in added.chain(found).chain(sources.iter().map(|uri| ("source", uri))) {
            page.push_str(&format!("  {what}: {}\n", words(text)));
        }
    }
    let own = |(key, _): &(&String, &Value)| lessons.is_empty() || *key != Lesson::KEY;
    for (key, value) in startup.metadata.iter().filter(own) {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        page.push_str(&format!("{key} = {value}\n"));
    }
    page.push_str(&format!(
        "created {}, last used {}\n",
        listing::time(startup.created_at),
        listing::time(startup.last_accessed)
    ));
    page
}

impl ContextFields {
    fn is_empty(&self) -> bool {
        let ContextFields {
            name,
            description,
            industry,
            search_terms,
            geographical_scope,
            metadata,
        } = self;
        let texts = [name, description, industry, geographical_scope];
        texts.iter().all(|text| text.is_none()) && search_terms.is_empty() && metadata.is_empty()
    }
}

/// Returns a context with the given fields replaced.
fn changed(mut startup: StartupContext, fields: &ContextFields) -> Result<StartupContext, Failure> {
    for (place, given) in [
        (&mut startup.name, &fields.name),
        (&mut startup.description, &fields.description),
        (&mut startup.industry, &fields.industry),
        (&mut startup.geographical_scope, &fields.geographical_scope),
    ] {
        if let Some(given) = given {
            place.clone_from(given);
        }
    }
    if !fields.search_terms.is_empty() {
        startup.search_terms.clone_from(&fields.search_terms);
        startup.search_terms.retain(|term| !term.trim().is_empty());
    }
    for pair in &fields.metadata {
        let (key, value) =
            pair.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                Failure::usage(
                    format!("'{pair}' is not key=value"),
                    "write KEY=VALUE, for example --meta stage=seed",
                )
            })?;
        match value {
            "" => startup.metadata.remove(key.trim()),
            value => startup.metadata.insert(key.trim().to_owned(), Value::from(value)),
        };
    }
    Ok(startup)
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    crate::saving::save(path, format!("{page}\n").as_bytes()).map_err(|error| {
        Failure::new(
            format!("could not write {}: {error}", path.display()),
            "choose another file with --output",
        )
    })
}
