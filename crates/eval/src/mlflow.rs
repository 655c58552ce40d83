//! Mirrors an evaluation in MLflow: one run for it, a child run for each arm, and a trace for each run of a case.
//!
//! The evaluation's own files come first and do not depend on the mirror. What is already there is found by its tags, so mirroring an
//! evaluation again adds what is missing and updates what changed, without duplicate runs.

mod client;
mod rows;
mod settings;
#[cfg(test)]
mod tests;
mod traces;

use std::collections::BTreeMap;

use futures::Stream;
use jiff::Timestamp;
use run::entry::Entry;
use run::error::PortError;
use serde_json::{Value, json};

use crate::report::Report;
use client::{Body, Client, Said};
use rows::Rows;

pub use settings::{Access, Settings, Variables};

/// The tags that identify what was mirrored.
const EVALUATION: &str = "quaestio.evaluation";
const ARM: &str = "quaestio.arm";

/// Why an evaluation is not, or only partly, mirrored. The messages name the server, never a key.
#[derive(Debug, thiserror::Error)]
pub enum MlflowError {
    #[error("{what}")]
    Settings { what: String },
    #[error(
        "{server} refuses access with status {status}. Set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and \
         MLFLOW_TRACKING_PASSWORD"
    )]
    NoAccess { server: String, status: u16 },
    #[error(
        "the experiment '{name}' of {server} was deleted. Restore it there (`mlflow experiments restore --experiment-id \
         {id}`), or name another one"
    )]
    Deleted { server: String, name: String, id: String },
    #[error("{server} does not answer like MLflow: {what}")]
    NotMlflow { server: String, what: String },
    #[error(transparent)]
    Call(#[from] PortError),
}

/// The log of a run that the report names.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    pub run: String,
    pub entries: Vec<Entry>,
}

/// The state of the mirror in MLflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Mirrored {
    pub experiment_id: String,
    /// The address of the evaluation for a browser.
    pub run_url: String,
    /// The run of the evaluation.
    pub run_id: String,
    /// The run of each arm.
    pub runs: BTreeMap<String, String>,
    /// The number of traces sent.
    pub traces: u64,
    /// What is missing, and why; for the user.
    pub notes: Vec<String>,
}

/// A tracking server in which evaluations are mirrored.
pub struct Mirror {
    client: Client,
    experiment: String,
}

/// A run in MLflow.
struct Place {
    run_id: String,
    artifact_uri: String,
    /// The parameters already logged there.
    params: BTreeMap<String, String>,
    metrics: BTreeMap<String, (f64, i64)>,
}

impl Mirror {
    /// Fails if the settings are invalid; sends no request.
    pub fn new(settings: &Settings) -> Result<Mirror, MlflowError> {
        Ok(Mirror { client: Client::new(settings)?, experiment: settings.experiment.clone() })
    }

    /// Mirrors an evaluation with its files (name and content) and the logs of its runs.
    ///
    /// Fails if the server is unreachable, refuses, or sends an invalid answer; what was mirrored until then stays and is found again. What
    /// a server does not support, such as traces before MLflow 3, is left out and noted in [`Mirrored::notes`].
    pub async fn mirror(
        &self,
        report: &Report,
        files: &[(String, Vec<u8>)],
        logs: impl Stream<Item = Trace> + Send,
    ) -> Result<Mirrored, MlflowError> {
        let experiment = self.experiment().await?;
        let mut known = self.known(&experiment, report).await?;
        let mut notes = Vec::new();

        let tags = rows::evaluation_tags(report);
        let whole = self.place(&experiment, &mut known, "", &report.id, report, tags).await?;
        self.log(&whole, &rows::of_evaluation(report), report, &mut notes).await?;
        let mut runs = BTreeMap::new();
        for arm in &report.arms {
            let tags = rows::arm_tags(report, arm, &whole.run_id);
            let place =
                self.place(&experiment, &mut known, &arm.name, &arm.name, report, tags).await?;
            self.log(&place, &rows::of_arm(report, arm), report, &mut notes).await?;
            runs.insert(arm.name.clone(), place.run_id);
        }
        self.put_files(&whole, files, &mut notes).await?;
        let sent = traces::send(&self.client, &experiment, &runs, report, logs).await?;
        notes.extend(sent.notes);
        for run_id in runs.values().chain([&whole.run_id]) {
            let end = Timestamp::now().as_millisecond();
            let body = json!({ "run_id": run_id, "status": "FINISHED", "end_time": end });
            self.post("runs/update", &body).await?;
        }
        let run_url = self.client.page(&experiment, &whole.run_id);
        let traces = sent.count;
        let run_id = whole.run_id;
        Ok(Mirrored { experiment_id: experiment, run_url, run_id, runs, traces, notes })
    }

    /// Returns the id of the experiment, creating it if it does not exist.
    async fn experiment(&self) -> Result<String, MlflowError> {
        if let Some(id) = self.find_experiment().await? {
            return Ok(id);
        }
        let made =
            self.client.post("experiments/create", &json!({ "name": self.experiment })).await?;
        match made {
            Said::Yes(body) => self.client.text(&body, "/experiment_id"),
            // Another client created it meanwhile.
            Said::No { code, .. } if code == "RESOURCE_ALREADY_EXISTS" => {
                let found = self.find_experiment().await?;
                found
                    .ok_or_else(|| self.client.not_mlflow("an experiment that is there and is not"))
            }
            Said::No { error, .. } => Err(error),
        }
    }

    async fn find_experiment(&self) -> Result<Option<String>, MlflowError> {
        let query = [("experiment_name", self.experiment.as_str())];
        let found = match self.client.get("api/2.0/mlflow/experiments/get-by-name", &query).await? {
            Said::Yes(body) => body,
            Said::No { code, .. } if code == "RESOURCE_DOES_NOT_EXIST" => return Ok(None),
            Said::No { error, .. } => return Err(error),
        };
        let id = self.client.text(&found, "/experiment/experiment_id")?;
        let stage = found.pointer("/experiment/lifecycle_stage").and_then(Value::as_str);
        if stage == Some("deleted") {
            let (server, name) = (self.client.server.clone(), self.experiment.clone());
            return Err(MlflowError::Deleted { server, name, id });
        }
        Ok(Some(id))
    }

    /// Returns the existing runs of this evaluation by arm; its own under the empty name.
    async fn known(
        &self,
        experiment: &str,
        report: &Report,
    ) -> Result<BTreeMap<String, Place>, MlflowError> {
        let filter = format!("tags.`{EVALUATION}` = '{}'", report.id.replace('\'', ""));
        let body = json!({ "experiment_ids": [experiment], "filter": filter, "max_results": 1000 });
        let found = self.post("runs/search", &body).await?;
        let runs = found.get("runs").and_then(Value::as_array).map(Vec::as_slice);
        let mut known = BTreeMap::new();
        for run in runs.unwrap_or_default() {
            let tags = pairs(run.pointer("/data/tags"));
            // Do not trust the server's filter: another evaluation's run must not be written to.
            if tags.get(EVALUATION).is_some_and(|id| *id == report.id) {
                let arm = tags.get(ARM).cloned().unwrap_or_default();
                known.entry(arm).or_insert(self.read_place(run)?);
            }
        }
        Ok(known)
    }

    fn read_place(&self, run: &Value) -> Result<Place, MlflowError> {
        let metrics = run.pointer("/data/metrics").and_then(Value::as_array);
        let metrics = metrics.into_iter().flatten().filter_map(|metric| {
            let value = metric.get("value")?.as_f64()?;
            let at = metric.get("timestamp").and_then(Value::as_i64).unwrap_or_default();
            Some((metric.get("key")?.as_str()?.to_owned(), (value, at)))
        });
        Ok(Place {
            run_id: self.client.text(run, "/info/run_id")?,
            artifact_uri: self.client.text(run, "/info/artifact_uri")?,
            params: pairs(run.pointer("/data/params")),
            metrics: metrics.collect(),
        })
    }

    /// Returns the run of this arm, creating it if it does not exist.
    async fn place(
        &self,
        experiment: &str,
        known: &mut BTreeMap<String, Place>,
        arm: &str,
        name: &str,
        report: &Report,
        tags: BTreeMap<String, String>,
    ) -> Result<Place, MlflowError> {
        if let Some(place) = known.remove(arm) {
            for chunk in rows::listed(&tags).chunks(rows::TAGS_AT_ONCE) {
                let body = json!({ "run_id": place.run_id, "tags": chunk });
                self.post("runs/log-batch", &body).await?;
            }
            return Ok(place);
        }
        let body = json!({
            "experiment_id": experiment,
            "run_name": name,
            "start_time": report.created_at.as_millisecond(),
            "tags": rows::listed(&tags),
        });
        // Never retried: that could create a second run.
        let made = self.client.post_once("runs/create", &body).await?.or_fail()?;
        self.read_place(made.get("run").unwrap_or(&Value::Null))
    }

    /// Logs what is not logged yet.
    async fn log(
        &self,
        place: &Place,
        rows: &Rows,
        report: &Report,
        notes: &mut Vec<String>,
    ) -> Result<(), MlflowError> {
        let run_id = &place.run_id;
        let mut params = BTreeMap::new();
        for (key, value) in &rows.params {
            match place.params.get(key) {
                None => {
                    params.insert(key.clone(), value.clone());
                }
                Some(there) if there == value => {}
                Some(there) => notes.push(format!(
                    "MLflow does not let parameters change: '{key}' of run {run_id} stays '{there}', although it is now \
                     '{value}'"
                )),
            }
        }
        for chunk in rows::listed(&params).chunks(rows::PARAMS_AT_ONCE) {
            self.post("runs/log-batch", &json!({ "run_id": run_id, "params": chunk })).await?;
        }
        let created = report.created_at.as_millisecond();
        let changed = rows.metrics.iter().filter_map(|(key, value)| {
            // MLflow shows the last value of a metric.
            let at = match place.metrics.get(key) {
                Some((there, _)) if there == value => return None,
                Some((_, at)) => created.max(at.saturating_add(1)),
                None => created,
            };
            Some(json!({ "key": key, "value": value, "timestamp": at, "step": 0 }))
        });
        let changed: Vec<Value> = changed.collect();
        for chunk in changed.chunks(rows::METRICS_AT_ONCE) {
            self.post("runs/log-batch", &json!({ "run_id": run_id, "metrics": chunk })).await?;
        }
        let dataset = rows::dataset(report);
        let body = json!({ "run_id": run_id, "datasets": [dataset] });
        match self.client.post("runs/log-inputs", &body).await? {
            Said::Yes(_) => {}
            Said::No { error, status, .. } => {
                if status != 404 {
                    return Err(error);
                }
                notes.push("this MLflow server does not support datasets (new in 2.4)".to_owned());
            }
        }
        Ok(())
    }

    async fn put_files(
        &self,
        place: &Place,
        files: &[(String, Vec<u8>)],
        notes: &mut Vec<String>,
    ) -> Result<(), MlflowError> {
        let Some(folder) = place.artifact_uri.strip_prefix("mlflow-artifacts:") else {
            notes.push(format!(
                "the files were not sent: this MLflow server keeps artifacts at {} and does not accept uploads. Start it with \
                 `mlflow server --artifacts-destination`",
                transport::without_userinfo(&place.artifact_uri)
            ));
            return Ok(());
        };
        // `mlflow-artifacts://host:port/…` names the server itself.
        let folder = match folder.strip_prefix("//") {
            Some(rest) => rest.split_once('/').map_or("", |(_, path)| path),
            None => folder,
        };
        let folder = folder.trim_matches('/');
        for (name, bytes) in files {
            let path = format!("api/2.0/mlflow-artifacts/artifacts/{folder}/{name}");
            let refused = match self.client.put(&path, Body::File { name, bytes }).await {
                Ok(Said::Yes(_)) => continue,
                // MLflow itself answers 503 if it does not proxy artifacts; a proxy in front of it answers otherwise.
                Ok(Said::No { error, status: 404 | 405 | 501, .. })
                | Err(error @ MlflowError::Call(PortError::Failed { status: 503, .. })) => error,
                Ok(Said::No { error, .. }) | Err(error) => return Err(error),
            };
            notes.push(format!("the files were not sent: {refused}"));
            return Ok(());
        }
        Ok(())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, MlflowError> {
        self.client.post(path, body).await?.or_fail()
    }
}

/// Reads a list of keys and values.
fn pairs(list: Option<&Value>) -> BTreeMap<String, String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |item: &Value| {
        Some((item.get("key")?.as_str()?.to_owned(), item.get("value")?.as_str()?.to_owned()))
    };
    items.filter_map(pair).collect()
}
