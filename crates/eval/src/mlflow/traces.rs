//! The logs of the runs as traces, with the judge's scores.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;

use futures::{Stream, StreamExt};
use run::views::spans::{self, Attribute, Span, Texts, TraceId};
use serde_json::{Value, json};

use super::client::{Client, Said};
use super::{EVALUATION, MlflowError, Trace};
use crate::otlp;
use crate::report::{ArmLine, CaseLine, Group, Report};

/// The number of traces sent concurrently.
const AT_ONCE: usize = 4;

/// The result of sending the traces.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) count: u64,
    pub(super) notes: Vec<String>,
}

/// The outcome of sending one trace.
enum Outcome {
    Sent,
    /// The trace was sent, but not the judge's scores.
    Unjudged(String),
    Refused(String),
    /// The server does not accept traces.
    NoTraces,
}

/// The case and the arm of each run.
type Lines<'r> = HashMap<&'r str, (&'r CaseLine, &'r ArmLine)>;

/// Sends the traces of the runs that the report names, each linked to the run of its arm.
pub(super) async fn send(
    client: &Client,
    experiment: &str,
    runs: &BTreeMap<String, String>,
    report: &Report,
    logs: impl Stream<Item = Trace> + Send,
) -> Result<Sent, MlflowError> {
    let lines = index_lines(report);
    let mut sent = Sent::default();
    let mut refused: Vec<(String, String)> = Vec::new();
    let mut unjudged: Vec<(String, String)> = Vec::new();
    let sending = logs.map(|trace| {
        let line = lines.get(trace.run.as_str()).copied();
        async move {
            let outcome = match line {
                Some(line) => one(client, experiment, runs, report, line, &trace).await?,
                None => Outcome::Refused("the report contains no such run".to_owned()),
            };
            Ok::<_, MlflowError>((trace.run, outcome))
        }
    });
    let mut outcomes = pin!(sending.buffer_unordered(AT_ONCE));
    while let Some(outcome) = outcomes.next().await {
        let (run, outcome) = outcome?;
        match outcome {
            Outcome::Sent => sent.count += 1,
            Outcome::Unjudged(why) => {
                sent.count += 1;
                unjudged.push((run, why));
            }
            Outcome::Refused(why) => refused.push((run, why)),
            Outcome::NoTraces => {
                let note = "no traces were sent: this MLflow server does not accept them (`/v1/traces` is new in MLflow 3)";
                sent.notes.push(note.to_owned());
                break;
            }
        }
    }
    sent.notes.extend(told("traces were not accepted", refused));
    sent.notes.extend(told("traces were sent without the judge's assessment", unjudged));
    Ok(sent)
}

fn index_lines(report: &Report) -> Lines<'_> {
    let pairs = report.cases.iter().flat_map(|case| {
        case.arms.iter().map(move |line| (line.observation.run.as_str(), (case, line)))
    });
    pairs.filter(|(run, _)| !run.is_empty()).collect()
}

/// Returns a note with their number, and the reason for the first.
fn told(what: &str, runs: Vec<(String, String)>) -> Option<String> {
    let count = runs.len();
    let (run, why) = runs.into_iter().min()?;
    Some(format!("{count} {what}; run {run}: {why}"))
}

async fn one(
    client: &Client,
    experiment: &str,
    runs: &BTreeMap<String, String>,
    report: &Report,
    (case, line): (&CaseLine, &ArmLine),
    trace: &Trace,
) -> Result<Outcome, MlflowError> {
    let mut spans = spans::spans(&trace.run, experiment, &trace.entries, Texts::Included);
    let Some(root) = spans.first_mut() else {
        return Ok(Outcome::Refused("its log is empty".to_owned()));
    };
    tag(root, report, case, line);
    spans.iter_mut().for_each(translate);
    let mut headers = vec![("x-mlflow-experiment-id", experiment)];
    if let Some(run) = runs.get(&line.observation.arm) {
        headers.push(("x-mlflow-run-id", run));
    }
    match client.post_to("v1/traces", &headers, &otlp::export(&spans), false).await? {
        Said::Yes(_) => {}
        Said::No { status: 404 | 405 | 501, code, .. } if code.is_empty() => {
            return Ok(Outcome::NoTraces);
        }
        Said::No { error: error @ MlflowError::NoAccess { .. }, .. } => return Err(error),
        Said::No { error, .. } => return Ok(Outcome::Refused(error.to_string())),
    }
    let id = format!("tr-{}", TraceId::of(&trace.run, experiment));
    judge(client, &id, report, line).await
}

/// Tags the trace with its evaluation, case, arm and run.
fn tag(root: &mut Span, report: &Report, case: &CaseLine, line: &ArmLine) {
    let tags = [
        (EVALUATION, report.id.as_str()),
        ("quaestio.case", &case.case.id),
        (super::ARM, &line.observation.arm),
        ("quaestio.run", &line.observation.run),
    ];
    for (name, value) in tags {
        let name = format!("mlflow.traceTag.{name}");
        root.attributes.insert(name, Attribute::Text(value.to_owned()));
    }
}

/// Adds what MLflow does not read from the conventions: the kind of a retrieval, its documents, and the cost of a call.
fn translate(span: &mut Span) {
    let mut put = |name: &str, value: Value| {
        span.attributes.insert(name.into(), Attribute::Text(value.to_string()))
    };
    if !span.documents.is_empty() {
        let documents = span.documents.iter().map(|found| {
            json!({
                "id": found.id,
                "page_content": found.text,
                "metadata": { "doc_uri": found.id, "score": found.score },
            })
        });
        let documents = Value::Array(documents.collect());
        put("mlflow.spanOutputs", documents);
    }
    let is = |name: &str| {
        span.attributes.get("gen_ai.operation.name") == Some(&Attribute::Text(name.to_owned()))
    };
    if is("retrieval") {
        span.attributes.insert("mlflow.spanType".into(), Attribute::Text("RETRIEVER".into()));
    } else if is("chat")
        && let Some(Attribute::Number(cost)) = span.attributes.get("quaestio.cost_usd").cloned()
    {
        let cost = json!({ "total_cost": cost }).to_string();
        span.attributes.insert("mlflow.llm.cost".into(), Attribute::Text(cost));
    }
}

/// Writes the judge's scores of the answer, except those already there.
async fn judge(
    client: &Client,
    trace: &str,
    report: &Report,
    line: &ArmLine,
) -> Result<Outcome, MlflowError> {
    let Some(judge) = &report.judge else { return Ok(Outcome::Sent) };
    let judged = report.metrics.iter().filter(|metric| metric.group == Group::Judge);
    let scores: Vec<(&str, f64)> = judged
        .filter_map(|metric| Some((metric.key.as_str(), *line.metrics.get(&metric.key)?)))
        .collect();
    if scores.is_empty() {
        return Ok(Outcome::Sent);
    }
    let path = format!("api/3.0/mlflow/traces/{trace}");
    let there = match client.get(&path, &[]).await? {
        Said::Yes(body) => body,
        Said::No { .. } => Value::Null,
    };
    let there = there.pointer("/trace/trace_info/assessments").and_then(Value::as_array);
    let there = there.map(Vec::as_slice).unwrap_or_default();
    for (key, score) in scores {
        // The name of an assessment cannot contain a dot.
        let name = key.replace('.', "_");
        let same = there.iter().rev().find(|one| {
            one.get("assessment_name").and_then(Value::as_str) == Some(&name)
                && one.pointer(&format!("/metadata/{EVALUATION}")).and_then(Value::as_str)
                    == Some(&report.id)
                && one.get("valid").and_then(Value::as_bool) != Some(false)
        });
        if same.and_then(|one| one.pointer("/feedback/value")?.as_f64()) == Some(score) {
            continue;
        }
        let mut assessment = json!({
            "assessment_name": name,
            "trace_id": trace,
            "source": { "source_type": "LLM_JUDGE", "source_id": judge.model },
            "feedback": { "value": score },
            "metadata": {
                EVALUATION: report.id,
                "rubric": judge.rubric,
                "rubric_version": judge.rubric_version.to_string(),
                "is_noise": judge.is_noise.to_string(),
            },
        });
        if judge.is_noise
            && let Some(fields) = assessment.as_object_mut()
        {
            fields.insert("rationale".into(), judge.verdict.as_str().into());
        }
        if let (Some(id), Some(fields)) =
            (same.and_then(|one| one.get("assessment_id")), assessment.as_object_mut())
        {
            fields.insert("overrides".into(), id.clone());
        }
        let body = json!({ "assessment": assessment });
        let path = format!("{path}/assessments");
        if let Said::No { error, .. } = client.post_to(&path, &[], &body, true).await? {
            return Ok(Outcome::Unjudged(error.to_string()));
        }
    }
    Ok(Outcome::Sent)
}
