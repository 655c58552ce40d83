//! The mirror of an evaluation in MLflow.

use std::time::Duration;

use eval::mlflow::{Mirror, MlflowError, Settings, Trace, Variables};
use eval::report::Report;
use futures::StreamExt as _;
use futures::stream;

use super::super::CliContext;
use super::folder::{Folder, REPORT};
use super::results::{CASES, MARKDOWN, PAGE};
use crate::config::Config;
use crate::failure::Failure;

/// The name of the experiment if MLFLOW_EXPERIMENT_NAME is not set.
const EXPERIMENT: &str = "quaestio";
/// How long one request may take, retries included.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the MLflow server that evaluations are mirrored to; `None` if none is configured. Makes no request.
pub(super) fn mirror(config: &Config) -> Result<Option<Mirror>, Failure> {
    let base_url = config.eval.mlflow.trim();
    if base_url.is_empty() {
        return Ok(None);
    }
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let variables = Variables::of(std::env::vars_os().filter_map(text));
    // Credentials for one server are not sent to another.
    let elsewhere = variables.base_url.is_some_and(|usual| !same(&usual, base_url));
    let settings = Settings {
        base_url: base_url.to_owned(),
        experiment: variables.experiment.unwrap_or_else(|| EXPERIMENT.to_owned()),
        access: variables.access.filter(|_| !elsewhere),
        timeout: TIMEOUT,
    };
    Mirror::new(&settings).map(Some).map_err(|error| {
        Failure::usage(error.to_string(), "write for example --mlflow http://127.0.0.1:5000")
    })
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Mirrors an evaluation whose files have been written.
pub(super) async fn mirrored(
    context: &CliContext<'_>,
    mirror: &Mirror,
    folder: &Folder,
    report: &Report,
) -> Result<(), Failure> {
    let mut files = Vec::new();
    for name in [REPORT, MARKDOWN, PAGE, CASES] {
        files.push((name.to_owned(), folder.read(name)?));
    }
    let observations = report.cases.iter().flat_map(|case| &case.arms);
    let runs = observations.map(|arm| arm.observation.run.clone()).filter(|run| !run.is_empty());
    let runs: Vec<String> = runs.collect();
    let logs = stream::iter(runs).filter_map(async |run| {
        let entries = context.database.log.entries(&context.config.user, &run, 0).await.ok()?;
        Some(Trace { run, entries })
    });
    let mirrored =
        mirror.mirror(report, &files, logs).await.map_err(|error| untold(&error, folder))?;
    mirrored.notes.iter().for_each(|note| context.note(&format!("MLflow: {note}")));
    context.note(&format!("MLflow: {} traces, {}", mirrored.traces, mirrored.run_url));
    Ok(())
}

fn untold(error: &MlflowError, folder: &Folder) -> Failure {
    let hint = format!(
        "the files in {} are complete; run the same command with --name {} to record them on MLflow",
        folder.path().display(),
        folder.id
    );
    Failure::new(format!("could not record the evaluation on MLflow: {error}"), hint)
}
