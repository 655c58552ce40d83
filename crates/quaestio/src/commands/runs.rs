//! `quaestio runs`.

mod list;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use app::Forked;
use bundle::Extent;
use run::database::Database;
use run::entry::Entry;
use run::log::{LogError, Status};
use run::views::{self, Start};
use run::work::{self, NewFork, Seen, Stopping};
use run::world::World;
use run::{Method, Settings};

use super::beforehand::Beforehand;
use super::delivery::{self, Delivery, read_delivery};
use super::start::new_id;
use super::{CliContext, diff, gates};
use crate::cli::RunsCommand;
use crate::failure::{Exit, Failure};
use crate::forking::change_settings;
use crate::submission::{self, Kind, Origin};
use crate::{artifacts, listing, output, saving, wire};

/// Writes requested output to a file.
pub(super) fn save_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    saving::save(path, bytes).map_err(|error| {
        let shown = run::grounding::clean(&path.display().to_string());
        Failure::new(format!("could not write {shown}: {error}"), "choose another file")
    })
}

pub(super) async fn runs(context: &CliContext<'_>, command: RunsCommand) -> Result<Exit, Failure> {
    match command {
        RunsCommand::List { limit, offset, all, json } => {
            list::list(context, &list::Wanted { limit, offset, all }, json.is_wanted()).await
        }
        RunsCommand::Show { run, json } => {
            list::show(context, &named(context, &run).await?, json.is_wanted()).await
        }
        RunsCommand::Events { run, after, follow } => {
            events(context, &named(context, &run).await?, after, follow).await
        }
        RunsCommand::Export { run, format, style, passages_only, paper, place } => {
            let extent = if passages_only { Extent::Passages } else { Extent::Sources };
            let run = named(context, &run).await?;
            delivery::export(context, &run, format, style.as_deref(), extent, paper, &place).await
        }
        RunsCommand::Artifacts { run, json } => {
            let run = named(context, &run).await?;
            let entries = context.entries(&run).await?;
            let envelope = views::envelope(&run, &entries, &context.bibliography);
            let left = context.leave_artifacts(&run, &entries, &envelope).await?;
            let left = left.map_err(|error| {
                Failure::new(
                    format!("could not write the artifacts of run {run}: {error}"),
                    "check the data folder's permissions and free space",
                )
            })?;
            match json.is_wanted() {
                true => {
                    context.face.out.line(&output::json(&json!({ "run_id": run, "folder": left })));
                }
                false => context.face.out.line(&listing::path(&context.face.out, &left)),
            }
            Ok(Exit::Done)
        }
        RunsCommand::Resume { run, said, output } => {
            let said = Beforehand::of(&said)?;
            let run = named(context, &run).await?;
            let delivery = read_delivery(context, &run, &output).await?;
            resume(context, &run, &said, &delivery).await
        }
        RunsCommand::Cancel { run, json } => {
            let run = named(context, &run).await?;
            let (user, worker) = (&context.config.user, &context.worker);
            let (said, state) =
                match work::stop(worker.world(), user, &run, worker.owner(), user).await? {
                    Stopping::Asked => ("is asked to stop", "stopping"),
                    Stopping::Cancelled => (Status::Cancelled.name(), Status::Cancelled.name()),
                    Stopping::Ended(status) => {
                        let what = format!("run {run} is already {}", status.name());
                        return Err(Failure::new(what, ""));
                    }
                };
            told_of(context, &run, said, state, json.is_wanted());
            Ok(Exit::Done)
        }
        RunsCommand::Remove { runs, json } => {
            for run in runs {
                let run = named(context, &run).await?;
                work::remove(context.worker.world(), &context.config.user, &run).await.map_err(
                    |error| match error {
                        LogError::Busy { .. } => Failure::new(
                            error.to_string(),
                            format!("stop it first with `quaestio runs cancel {run}`"),
                        ),
                        error => error.into(),
                    },
                )?;
                removed(context, &run, json.is_wanted());
            }
            Ok(Exit::Done)
        }
        RunsCommand::Prune { older_than, dry_run, json } => {
            prune(context, older_than, dry_run, json.is_wanted()).await
        }
        RunsCommand::Fork { run, from, output } => {
            let run = named(context, &run).await?;
            let delivery = read_delivery(context, &run, &output).await?;
            let entries = context.entries(&run).await?;
            let forked = Forked::of((&context.config.user, &run), &entries, &from);
            let forked = forked.ok_or_else(|| LogError::NoSuchRun { run: run.clone() })?;
            let settings = told(context, &forked)?;
            let (world, method) =
                (context.world(settings.models.as_ref())?, context.method(forked.method)?);
            priced(&world, &settings)?;
            let user = context.config.user.clone();
            let fork = NewFork {
                run: new_id(),
                user: user.clone(),
                from: run,
                step: from,
                version: Some(method.version),
                settings,
                owner: Some(context.worker.owner().to_owned()),
                key: None,
                at_most: (Kind::find(method.name).at_most)(&context.config),
            };
            let id = fork.run.clone();
            work::fork(&world, fork).await?;
            let work = context.worker.work(&world, &method, (&user, &id), work::FIRST_ATTEMPT);
            let status = context.attend(&id, work).await?;
            context.conclude(&world, &id, status, &Beforehand::default(), &delivery).await
        }
        RunsCommand::Replay { run, format } => {
            let run = named(context, &run).await?;
            let entries = context.entries(&run).await?;
            let method = context.method(started(&run, &entries)?.method)?;
            let replayed = work::replay(&context.world(None)?, &method, &run, &entries).await?;
            let envelope = views::envelope(&run, &replayed.entries, &context.bibliography);
            context.face.out.put(&output::render(&context.methods, &envelope, format));
            if let Some(version) = replayed.recorded_by {
                context.note(&format!(
                    "version {version} of the method wrote this run, and this version would not write the same; above is the \
                     deliverable as it was recorded, in a log that is intact"
                ));
                return Ok(Exit::Done);
            }
            if !replayed.same {
                return Err(Failure::new(
                    format!("the replay of run {run} differs from the recorded result"),
                    "the run was made with another version of the method or of a prompt",
                ));
            }
            context.note("the replay matches the recorded result, byte for byte");
            Ok(Exit::Done)
        }
        RunsCommand::Diff { from, to, json } => {
            diff::compare(context, &from, &to, json.is_wanted()).await
        }
        RunsCommand::Answer { run, answer, gate, said, output } => {
            let (run, said) = (named(context, &run).await?, Beforehand::of(&said)?);
            let delivery = read_delivery(context, &run, &output).await?;
            gates::answer(context, &run, gate.as_deref(), answer.as_deref(), &said, &delivery).await
        }
        RunsCommand::Plan { run, gate, edit, json } => {
            let run = named(context, &run).await?;
            let json = json.is_wanted();
            gates::plan(context, &run, gate.as_deref(), edit.as_deref(), json).await
        }
        RunsCommand::Approve { run, gate, revision, plan_hash, output } => {
            let run = named(context, &run).await?;
            let delivery = read_delivery(context, &run, &output).await?;
            let seen = revision.zip(plan_hash);
            let seen = seen.map(|(revision, plan_hash)| Seen { revision, plan_hash });
            gates::approve(context, &run, gate.as_deref(), seen, &delivery).await
        }
        RunsCommand::Reject { run, gate, reason, json } => {
            let run = named(context, &run).await?;
            gates::reject(context, &run, gate.as_deref(), &reason, json.is_wanted()).await
        }
    }
}

/// Runs that are removed in one batch.
const LOT: u32 = 100;

async fn prune(
    context: &CliContext<'_>,
    age: Duration,
    dry_run: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let world = context.worker.world();
    let user = Some(context.config.user.as_str());
    if dry_run {
        let before = world.clock.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        for (_, run) in context.database.log.ended_before(user, before, u32::MAX).await? {
            told_of(context, &run, "would be removed", "to_remove", json);
        }
        return Ok(Exit::Done);
    }
    let mut count = 0;
    loop {
        let lot = work::prune(world, user, age, LOT).await?;
        if lot.is_empty() {
            context.note(&format!("{count} runs removed"));
            return Ok(Exit::Done);
        }
        count += lot.len();
        lot.iter().for_each(|(_, run)| removed(context, run, json));
    }
}

/// Removes the artifacts of a removed run, and reports its removal.
fn removed(context: &CliContext<'_>, run: &str, json: bool) {
    let artifacts = wire::data_folder(&context.config)
        .map_err(|failure| failure.what)
        .and_then(|data| artifacts::remove(&data, run).map_err(|error| error.to_string()));
    if let Err(why) = artifacts {
        let line = format!("warning: could not remove the artifacts of run {run}: {why}");
        context.face.err.line_about(run, &run::grounding::clean(&line));
    }
    told_of(context, run, "removed", "removed", json);
}

/// Tells what became of a run; a program gets an object on a line of its own.
pub(super) fn told_of(context: &CliContext<'_>, run: &str, words: &str, state: &str, json: bool) {
    context.face.out.line(&match json {
        true => output::json_line(&json!({ "run_id": run, "state": state })),
        false => format!("{run} {words}"),
    });
}

/// Returns what a run was started with.
pub(super) fn started<'a>(run: &str, entries: &'a [Entry]) -> Result<Start<'a>, Failure> {
    views::start(entries).ok_or_else(|| LogError::NoSuchRun { run: run.to_owned() }.into())
}

/// Returns the id of the run that `name` means: an id, its beginning, or `last`.
pub(super) async fn named(context: &CliContext<'_>, name: &str) -> Result<String, Failure> {
    found(&context.database, &context.config.user, name).await
}

/// Like [`named`], for use before there is a context.
pub(super) async fn found(database: &Database, user: &str, name: &str) -> Result<String, Failure> {
    if name == "last" {
        let last = list::everyday(&*database.log, user, 0, 1).await?.into_iter().next();
        return last
            .map(|run| run.run_id)
            .ok_or_else(|| Failure::new("there are no runs yet", "start one with `quaestio ask`"));
    }
    let hint = "list the runs with `quaestio runs list`";
    match database.log.find(user, name).await?.as_slice() {
        [] => Err(Failure::new(format!("there is no run '{name}'"), hint)),
        [run] => Ok(run.clone()),
        several if several.iter().any(|run| run == name) => Ok(name.to_owned()),
        several => Err(Failure::usage(
            format!("'{name}' matches several runs: {}", several.join(", ")),
            "type more of the id",
        )),
    }
}

/// How often `events --follow` looks for new entries.
const FOLLOW: Duration = Duration::from_millis(200);

async fn events(
    context: &CliContext<'_>,
    run: &str,
    mut after: u64,
    follow: bool,
) -> Result<Exit, Failure> {
    let user = &context.config.user;
    loop {
        let summary = context.database.log.summary(user, run).await?;
        for entry in context.database.log.entries(user, run, after).await? {
            after = entry.seq;
            let line = output::json_line(&entry);
            if !context.face.out.deliver(&format!("{line}\n")) {
                return Ok(Exit::Done);
            }
        }
        if !follow || summary.status.is_final() {
            return Ok(Exit::Done);
        }
        tokio::time::sleep(FOLLOW).await;
    }
}

async fn resume(
    context: &CliContext<'_>,
    run: &str,
    said: &Beforehand,
    delivery: &Delivery,
) -> Result<Exit, Failure> {
    let (world, method) = equipped(context, run).await?;
    let user = &context.config.user;
    let waits = context.database.log.summary(user, run).await?.status == Status::Waiting;
    // A run that waits for a person is continued if there is one, or if answers were given beforehand.
    let status = if waits && (context.face.terminal || *said != Beforehand::default()) {
        Status::Waiting
    } else {
        context.attend(run, context.worker.resume(&world, &method, user, run)).await?
    };
    context.conclude(&world, run, status, said, delivery).await
}

/// Returns the world in which a run can be continued, and its method. The world has the models that the run was started with, unless
/// the command line names others.
pub(super) async fn equipped(
    context: &CliContext<'_>,
    run: &str,
) -> Result<(World, Method), Failure> {
    let entries = context.entries(run).await?;
    let Start { method, settings, .. } = started(run, &entries)?;
    let mut choice = settings.models.clone();
    if choice.is_none() && context.common.model.is_some() {
        return Err(Failure::usage(
            format!("run {run} was started without a model"),
            format!(
                "use a model with `quaestio runs fork {run} --from STEP --model PROVIDER/NAME`"
            ),
        ));
    }
    if let Some(choice) = &mut choice {
        if context.common.no_model {
            return Err(Failure::usage(
                format!("run {run} was started with the model {}", choice.main),
                format!(
                    "continue without a model with `quaestio runs fork {run} --from STEP --no-model`"
                ),
            ));
        }
        let told = &context.common;
        let light = told.light_model.as_ref().or(told.model.as_ref());
        choice.main = told.model.clone().unwrap_or_else(|| choice.main.clone());
        choice.light = light.cloned().unwrap_or_else(|| choice.light.clone());
        choice.base_url = context.common.base_url.clone().or(choice.base_url.take());
    }
    let world = context.world(choice.as_ref())?;
    priced(&world, settings)?;
    Ok((world, context.method(method)?))
}

/// Checks that the run's cost cap can hold for the models that continue it.
fn priced(world: &World, settings: &Settings) -> Result<(), Failure> {
    submission::priced(world.models.as_ref(), &settings.budget, Origin::CommandLine)
}

/// Returns the settings of a run with the command line's changes for its fork.
fn told(context: &CliContext<'_>, forked: &Forked<'_>) -> Result<Settings, Failure> {
    let common = context.common;
    let was = forked.settings.models.clone();
    let models = if common.no_model {
        None
    } else if common.model.is_some() || common.light_model.is_some() || common.base_url.is_some() {
        match (was, wire::choice(&context.config)) {
            (Some(mut was), Some(told)) => {
                if common.model.is_some() {
                    was.main = told.main;
                }
                if common.model.is_some() || common.light_model.is_some() {
                    was.light = told.light;
                }
                was.base_url = common.base_url.clone().or(was.base_url);
                Some(was)
            }
            (was, told) => told.or(was),
        }
    } else {
        was
    };
    let pair = |text: &String| text.split_once('=').map(|(key, value)| (key.into(), value.into()));
    let changes: Vec<(String, String)> = common.settings.iter().filter_map(pair).collect();
    let method = context.method(forked.method)?;
    let (config, origin) = (&context.config, Origin::CommandLine);
    change_settings(forked, &method, models, &changes, config, origin)
}
