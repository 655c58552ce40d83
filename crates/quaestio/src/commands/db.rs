//! `quaestio db`.

use std::path::Path;
use std::time::Duration;

use app::moving::{Checked, Copied, Count, Problem, Report};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use store::BackupError;

use run::grounding::clean;

use crate::cli::{Common, DbCommand, Json};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::{Face, output, wire};

pub(super) async fn db(command: &DbCommand, common: &Common, face: &Face) -> Result<Exit, Failure> {
    match command {
        DbCommand::Backup { file, json } => {
            backup(file, *json, &wire::configure(common)?.config, face)
        }
        DbCommand::Copy { from, to, json } => Box::pin(copy(from, to, *json, common, face)).await,
        DbCommand::Check { json } => Box::pin(check(json.is_wanted(), common, face)).await,
    }
}

fn backup(file: &Path, json: Json, config: &Config, face: &Face) -> Result<Exit, Failure> {
    if wire::is_elsewhere(config) {
        return Err(Failure::usage(
            "`quaestio db backup` does not back up PostgreSQL",
            "use `pg_dump --format custom --file FILE URL`; see docs/manual/operating.md",
        ));
    }
    let bytes = store::backup(&wire::data_folder(config)?, file).map_err(|error| {
        let hint = match error {
            BackupError::Missing { .. } => "give the data folder with --data-dir FOLDER",
            BackupError::Exists { .. } => "choose another name; existing files are not overwritten",
            BackupError::Failed { .. } => "check the folder's permissions and free space",
        };
        Failure::new(clean(&error.to_string()), hint)
    })?;
    let shown = clean(&file.display().to_string());
    face.out.line(&match json.is_wanted() {
        true => output::json_line(&json!({ "file": shown, "bytes": bytes })),
        false => format!("{shown}: {bytes} bytes"),
    });
    Ok(Exit::Done)
}

async fn copy(
    from: &str,
    to: &str,
    json: Json,
    common: &Common,
    face: &Face,
) -> Result<Exit, Failure> {
    if is_same_place(from, to) {
        return Err(Failure::usage("FROM and TO are the same place", "give two places"));
    }
    let from = wire::open_to_copy(from).await?;
    let to = wire::open_to_fill(to).await?;
    let bar = build_spinner(common, face);
    let mut user_before = String::new();
    let mut hear = |report| match report {
        Report::At { user, what } => {
            if user != user_before && !common.quiet && bar.is_hidden() {
                face.err.line(&clean(&format!("copying the data of {user}")));
            }
            bar.set_message(clean(&format!("{user}: {what}")));
            user_before = user;
        }
        Report::Refused { user, what, reason } => {
            let line = clean(&format!("not copied: {what} of {user}: {reason}"));
            bar.suspend(|| face.err.line(&line));
        }
    };
    let copied = app::moving::copy(&from, &to, &mut hear).await;
    bar.finish_and_clear();
    let copied = copied?;
    face.out.line(&match json.is_wanted() {
        true => output::json_line(&list_copy(&copied)),
        false => summarize_copy(&copied),
    });
    match copied.refused {
        0 => Ok(Exit::Done),
        refused => Err(Failure::new(
            format!("{refused} items could not be copied, as listed above"),
            "existing items were not changed; remove those you want to replace at the target, and copy again",
        )),
    }
}

/// Returns whether both addresses are surely of the same place.
fn is_same_place(from: &str, to: &str) -> bool {
    let found = |address: &str| Path::new(address).canonicalize().ok();
    from == to || found(from).is_some_and(|folder| found(to) == Some(folder))
}

/// Returns what shows that the program is at work, hidden unless a person would see it.
fn build_spinner(common: &Common, face: &Face) -> ProgressBar {
    if !face.terminal || common.quiet {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

fn summarize_copy(copied: &Copied) -> String {
    let Copied { runs, entries, collections, documents, contexts, files, surveys, .. } = copied;
    let tell = |number: fn(&Count) -> u64| {
        format!(
            "{} runs with {} entries, {} collections with {} documents, {} startup contexts, {} files, {} surveys",
            number(runs),
            number(entries),
            number(collections),
            number(documents),
            number(contexts),
            number(files),
            number(surveys)
        )
    };
    format!("copied {}; already there: {}", tell(|count| count.copied), tell(|count| count.there))
}

/// Returns the numbers of a copy: what was copied, what was there, what was refused.
fn list_copy(copied: &Copied) -> Value {
    let Copied { runs, entries, collections, documents, contexts, files, surveys, .. } = copied;
    let tell = |number: fn(&Count) -> u64| {
        json!({
            "runs": number(runs), "entries": number(entries), "collections": number(collections), "documents": number(documents),
            "contexts": number(contexts), "files": number(files), "surveys": number(surveys),
        })
    };
    let (done, there) = (tell(|count| count.copied), tell(|count| count.there));
    json!({ "copied": done, "already_there": there, "refused": copied.refused })
}

async fn check(as_json: bool, common: &Common, face: &Face) -> Result<Exit, Failure> {
    let config = wire::configure(common)?.config;
    let (place, storage) = wire::open_to_check(&config).await?;
    let mut problems = Vec::new();
    let mut tell = |problem: Problem| match as_json {
        true => problems.push(problem),
        false => face.out.line(&clean(&describe(&problem))),
    };
    let engine = storage.check().await.err().map(|wrong| {
        tell(Problem { user: String::new(), what: String::new(), wrong });
    });
    let mut checked = app::moving::check(&place, &mut tell).await?;
    checked.problems += u64::from(engine.is_some());
    match as_json {
        true => {
            let page = json!({ "checked": checked, "problems": problems });
            face.out.line(&output::json(&page));
        }
        false => face.out.line(&summarize_check(&checked)),
    }
    Ok(if checked.problems == 0 { Exit::Done } else { Exit::Failed })
}

fn describe(problem: &Problem) -> String {
    let Problem { user, what, wrong } = problem;
    match (what.is_empty(), user.is_empty()) {
        (true, true) => wrong.clone(),
        (true, false) => format!("of {user}: {wrong}"),
        (false, true) => format!("{what}: {wrong}"),
        (false, false) => format!("{what} of {user}: {wrong}"),
    }
}

fn summarize_check(checked: &Checked) -> String {
    let Checked { runs, entries, collections, documents, chunks, files, problems } = checked;
    format!(
        "{problems} problems in {runs} runs with {entries} entries, {collections} collections with {documents} documents and {chunks} chunks, {files} files"
    )
}
