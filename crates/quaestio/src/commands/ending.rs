//! How a run ends for who ordered it: its result, where its files are, and what can be done next.

use std::path::PathBuf;

use run::Entry;
use run::budget::dollars;
use run::grounding::clean;
use run::log::Status;
use run::views::{self, StepState};
use serde_json::Value;

use super::delivery::Delivery;
use super::{CliContext, Shows, gates};
use crate::artifacts::{self, Left};
use crate::cli::Format;
use crate::failure::{Exit, Failure};
use crate::{listing, output, places, wire};

impl CliContext<'_> {
    /// Writes a run's folder of plain files and returns its path.
    pub(super) async fn leave_artifacts(
        &self,
        run: &str,
        entries: &[Entry],
        envelope: &Value,
    ) -> Result<std::io::Result<PathBuf>, Failure> {
        let data = wire::data_folder(&self.config)?;
        let (methods, files) = (&self.methods, &*self.database.files);
        let left = artifacts::write(&data, methods, files, run, entries, envelope).await;
        Ok(left.map(|Left { folder, remark }| {
            if let Some(remark) = remark {
                self.note(&clean(&format!("warning: {remark}")));
            }
            folder
        }))
    }

    /// Prints or writes a run's result, writes its artifacts, and returns how it ended.
    pub(super) async fn deliver(&self, run: &str, delivery: &Delivery) -> Result<Exit, Failure> {
        let entries = self.entries(run).await?;
        let envelope = views::envelope(run, &entries, &self.bibliography);
        let folder = self.keep_files(run, &entries, &envelope).await?;
        // Where nobody reads along, what is told comes before the result.
        let is_watched = self.face.err.is_terminal();
        if !is_watched && let Some(folder) = &folder {
            self.note(&format!("artifacts: {}", folder.display()));
        }
        let status = views::status(&entries);
        match (delivery, self.shows) {
            (Delivery::Save(target), _) => self.save(run, &entries, status, target).await?,
            (_, Shows::Telling) if is_watched => {}
            (_, Shows::Telling) => {
                self.note(&format!(
                    "run {run}; its report: quaestio runs export {run} --format md"
                ));
            }
            (_, Shows::Sentences) => self.face.out.put(&output::sentences(&envelope)),
            (Delivery::Print(Some(format)), Shows::Result) => {
                self.face.out.put(&output::render(&self.methods, &envelope, *format));
            }
            // A person is about to be asked again, or told how to answer.
            (Delivery::Print(None), Shows::Result)
                if status == Status::Waiting && self.face.out.is_terminal() => {}
            (Delivery::Print(None), Shows::Result) => {
                if is_watched {
                    self.note("");
                }
                self.show(&entries, envelope.clone()).await?;
            }
        }
        if is_watched {
            self.sum_up(run, &entries, folder.as_ref());
        }
        for gate in views::open_gates(&entries) {
            let invitation = clean(&gates::invitation(run, &gate));
            self.face.err.line_about(run, &invitation);
        }
        if status == Status::Cancelled {
            self.note(&clean(&what_is_kept(run, &entries)));
        }
        if let Some(error) = envelope.get("error") {
            let failure = explain(run, &entries, error);
            self.face.err.line_about(run, &clean(&failure.to_string()));
        }
        Ok(match (status, views::outcome(&entries)) {
            (Status::Completed, Some(outcome)) => Exit::of(outcome),
            (Status::Partial, _) => Exit::Partial,
            (Status::Waiting, _) => Exit::Waiting,
            (Status::Cancelled, _) => Exit::Cancelled,
            _ => Exit::Failed,
        })
    }

    /// Writes the artifacts if they are wanted, and returns where they are.
    async fn keep_files(
        &self,
        run: &str,
        entries: &[Entry],
        envelope: &Value,
    ) -> Result<Option<PathBuf>, Failure> {
        if !self.config.artifacts {
            return Ok(None);
        }
        Ok(match self.leave_artifacts(run, entries, envelope).await? {
            Ok(folder) => Some(folder),
            Err(error) => {
                let line = format!("warning: the artifacts could not be written: {error}");
                self.face.err.line_about(run, &line);
                None
            }
        })
    }

    /// Prints a result for a person at a terminal, and anywhere else as Markdown.
    async fn show(&self, entries: &[Entry], mut envelope: Value) -> Result<(), Failure> {
        let out = &self.face.out;
        if !out.is_terminal() && !out.is_styled() {
            out.put(&output::render(&self.methods, &envelope, Format::Md));
            return Ok(());
        }
        let (library, user) = (&*self.database.library, &self.config.user);
        let places = places::locate(library, user, entries, &self.docs, &mut envelope).await?;
        out.put(&output::shown(&self.methods, &envelope, out, places));
        Ok(())
    }

    /// Tells a person at the terminal what run that was, where its files are, and how to keep its report.
    fn sum_up(&self, run: &str, entries: &[Entry], folder: Option<&PathBuf>) {
        let status = views::status(entries);
        let cost = views::cost(entries).cost_usd_micros;
        let mut line = format!("run {run}: {}", status.name());
        if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
            let seconds = last.at.duration_since(first.at).as_secs().max(0);
            line.push_str(&format!(" after {}", listing::duration(seconds.unsigned_abs())));
        }
        if cost > 0 {
            line.push_str(&format!(", ${:.4}", dollars(cost)));
        }
        self.note("");
        self.note(&line);
        if let Some(folder) = folder {
            self.note(&format!("files: {}", listing::path(&self.face.err, folder)));
        }
        if matches!(status, Status::Completed | Status::Partial) {
            self.note(&format!("save the report: quaestio runs export {run} -o report.html"));
        }
    }
}

/// Returns what a cancelled run still has, and the command that goes on from there.
fn what_is_kept(run: &str, entries: &[Entry]) -> String {
    let steps = views::timeline(entries);
    let done = steps.iter().filter(|step| step.state == StepState::Done).count();
    let Some(last) = steps.last() else {
        return "stopped before the first step; nothing was kept but the question".to_owned();
    };
    let next = steps.iter().find(|step| step.state != StepState::Done).unwrap_or(last);
    format!(
        "stopped; {} kept\ncontinue from there: quaestio runs fork {run} --from '{}'",
        if done == 1 {
            "1 finished step is".to_owned()
        } else {
            format!("{done} finished steps are")
        },
        next.step
    )
}

/// Returns why a run broke off, and the command that does the step again.
fn explain(run: &str, entries: &[Entry], error: &Value) -> Failure {
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    // A stage that is not itself a step, such as a final check, is forked from the step before it.
    let stage = text("stage");
    let last = views::timeline(entries).pop().map(|line| line.step).unwrap_or_default();
    let is_step = run::work::beginning(entries, stage).is_some();
    let from = if is_step { stage } else { &last };
    Failure::new(
        format!("step '{stage}' of run {run} failed: {}", text("message")),
        format!(
            "what it has is kept; `quaestio runs fork {run} --from '{from}'` does that step anew"
        ),
    )
}
