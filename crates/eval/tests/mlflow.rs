//! The mirror against a real MLflow server, checked through MLflow's own API.

#![expect(clippy::unwrap_used, reason = "a test ends at what it does not expect")]

#[path = "mlflow/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::time::Duration;

use eval::mlflow::{Mirror, Mirrored, MlflowError, Settings, Trace};
use eval::report::Report;
use futures::stream;
use jiff::Timestamp;
use run::entry::{Entry, Event, Head};
use serde::Deserialize;
use serde_json::{Value, json};
use server::Server;

fn build_report() -> Report {
    serde_json::from_str(include_str!("mlflow/report.json")).unwrap()
}

fn entries(log: &str) -> Vec<Entry> {
    #[derive(Deserialize)]
    struct Line {
        at: Timestamp,
        #[serde(flatten)]
        event: Event,
    }
    let mut head = Head::default();
    let seal = |line: &str| {
        let Line { at, event } = serde_json::from_str(line).unwrap();
        let (entry, _) = Entry::seal(&head, at, event);
        head = Head { seq: entry.seq, hash: entry.hash };
        entry
    };
    log.lines().map(seal).collect()
}

fn traces() -> Vec<Trace> {
    vec![
        Trace { run: "run-rag".into(), entries: entries(include_str!("mlflow/log.jsonl")) },
        Trace { run: "run-direct".into(), entries: entries(include_str!("mlflow/direct.jsonl")) },
    ]
}

fn files() -> Vec<(String, Vec<u8>)> {
    vec![
        ("report.json".into(), br#"{"version":1}"#.to_vec()),
        ("report.md".into(), "# Größe\n".as_bytes().to_vec()),
        ("report.html".into(), b"<!doctype html><p>\0\xff".to_vec()),
        ("cases.jsonl".into(), b"{}\n".to_vec()),
    ]
}

fn build_mirror(server: &Server, experiment: &str) -> Mirror {
    let settings = Settings {
        base_url: server.base_url(),
        experiment: experiment.into(),
        access: None,
        timeout: Duration::from_mins(1),
    };
    Mirror::new(&settings).unwrap()
}

async fn mirror_report(server: &Server, experiment: &str, report: &Report) -> Mirrored {
    let mirror = build_mirror(server, experiment);
    let mirrored = mirror.mirror(report, &files(), stream::iter(traces())).await.unwrap();
    assert_eq!(mirrored.notes, Vec::<String>::new());
    mirrored
}

async fn run(server: &Server, id: &str) -> Value {
    let said = server.get(&format!("api/2.0/mlflow/runs/get?run_id={id}")).await;
    said["run"].clone()
}

fn pairs(list: &Value) -> BTreeMap<String, Value> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| (item["key"].as_str().unwrap().to_owned(), item["value"].clone())).collect()
}

async fn search_traces(server: &Server, experiment: &str, run: &str) -> Vec<Value> {
    let body = json!({
        "locations": [{ "type": "MLFLOW_EXPERIMENT", "mlflow_experiment": { "experiment_id": experiment } }],
        "filter": format!("attributes.run_id = '{run}'"),
        "max_results": 100,
    });
    let said = server.post("api/3.0/mlflow/traces/search", &body).await;
    said["traces"].as_array().cloned().unwrap_or_default()
}

/// The attributes of a span, as OTLP writes them.
fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let items = span["attributes"].as_array().into_iter().flatten();
    let value = |value: &Value| value.as_object().unwrap().values().next().cloned();
    items
        .map(|item| {
            (item["key"].as_str().unwrap().to_owned(), value(&item["value"]).unwrap_or_default())
        })
        .collect()
}

// proves: A8
#[tokio::test]
async fn an_evaluation_stands_in_mlflow_as_it_was_reported() {
    let server = Server::start().await;
    let report = build_report();
    let mirrored = mirror_report(&server, "quaestio tests", &report).await;
    assert_eq!(mirrored.traces, 2);

    the_runs(&server, &mirrored).await;
    the_files(&server, &mirrored).await;
    the_traces(&server, &mirrored).await;
    a_second_mirror_adds_nothing(&server, &report, &mirrored).await;
    what_changed_is_brought_up_to_date(&server, &report, &mirrored).await;
    a_deleted_experiment_is_told(&server, &report, &mirrored).await;
}

async fn the_runs(server: &Server, mirrored: &Mirrored) {
    let whole = run(server, &mirrored.run_id).await;
    assert_eq!(whole["info"]["status"], "FINISHED");
    assert_eq!(whole["info"]["run_name"], "eval-20260504-1");
    let params = pairs(&whole["data"]["params"]);
    assert_eq!(params["models.main"], "openai/small-1");
    assert_eq!(params["retrieval_query"], "auto", "a letter that MLflow refuses is replaced");
    let metrics = pairs(&whole["data"]["metrics"]);
    assert_eq!(metrics["judge_score_agreement"], 0.5);
    assert_eq!(metrics["judge_cost_usd"], 0.0025);
    assert!(!metrics.contains_key("judge_preference_agreement"), "it is not known");
    let tags = pairs(&whole["data"]["tags"]);
    assert_eq!(tags["quaestio.evaluation"], "eval-20260504-1");
    assert_eq!(tags["quaestio.dataset"], "cholera");
    let note = tags["mlflow.note.content"].as_str().unwrap();
    assert!(note.contains("The control could not speak.") && note.contains("agrees with itself"));

    let rag = run(server, &mirrored.runs["rag"]).await;
    let metrics = pairs(&rag["data"]["metrics"]);
    for (key, value) in [
        ("exact_match", 1.0),
        ("ndcg_at_10", 0.8125),
        ("ndcg_at_10_low", 0.75),
        ("ndcg_at_10_high", 0.875),
        ("exact_match_less_direct", 0.5),
        ("exact_match_less_direct_low", 0.25),
        ("exact_match_less_direct_high", 0.75),
        ("preferred_to_direct", 0.625),
        ("preferred_to_direct_wins", 3.0),
        ("cases_completed", 1.0),
    ] {
        assert_eq!(metrics[key], value, "{key}");
    }
    assert!(!metrics.contains_key("exact_match_low"), "an open end is no figure");
    let tags = pairs(&rag["data"]["tags"]);
    assert_eq!(tags["mlflow.parentRunId"], mirrored.run_id);
    assert_eq!(tags["mlflow.source.name"], "quaestio");
    assert_eq!(tags["quaestio.runs"], "run-rag");
    let input = &rag["inputs"]["dataset_inputs"][0];
    assert_eq!(input["dataset"]["name"], "cholera");
    assert_eq!(input["dataset"]["digest"], "ab".repeat(18));
    assert_eq!(input["tags"][0]["value"], "evaluation");
    let direct = run(server, &mirrored.runs["direct"]).await;
    assert_eq!(pairs(&direct["data"]["metrics"])["cases_failed"], 1.0);
    assert_eq!(pairs(&direct["data"]["params"])["control"], "true");
}

async fn the_files(server: &Server, mirrored: &Mirrored) {
    let listed = format!("api/2.0/mlflow/artifacts/list?run_id={}", mirrored.run_id);
    let listed = server.get(&listed).await;
    let names: Vec<_> = listed["files"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    assert_eq!(names, ["cases.jsonl", "report.html", "report.json", "report.md"]);
    for (name, bytes) in files() {
        let path = format!("get-artifact?run_id={}&path={name}", mirrored.run_id);
        assert_eq!(server.bytes(&path).await, bytes, "{name}");
    }
}

async fn the_traces(server: &Server, mirrored: &Mirrored) {
    let found = search_traces(server, &mirrored.experiment_id, &mirrored.runs["rag"]).await;
    let [trace] = found.as_slice() else { panic!("one trace, not {found:?}") };
    assert_eq!(trace["state"], "OK");
    assert_eq!(trace["tags"]["quaestio.case"], "handle");
    assert_eq!(trace["tags"]["quaestio.run"], "run-rag");
    assert_eq!(trace["request_time"], "2026-05-04T10:00:00Z");
    assert_eq!(trace["execution_duration"], "3.100s");
    let usage = trace["trace_metadata"]["mlflow.trace.tokenUsage"].as_str().unwrap();
    let usage: Value = serde_json::from_str(usage).unwrap();
    assert_eq!(
        (&usage["input_tokens"], &usage["output_tokens"]),
        (&json!(1850), &json!(45)),
        "of the try that failed and of the one that did not"
    );
    let cost = trace["trace_metadata"]["mlflow.trace.cost"].as_str().unwrap();
    let cost: Value = serde_json::from_str(cost).unwrap();
    assert!((cost["total_cost"].as_f64().unwrap() - 0.00135).abs() < 1e-12, "{cost}");

    let id = trace["trace_id"].as_str().unwrap();
    let whole = server.get(&format!("api/3.0/mlflow/traces/get?trace_id={id}")).await;
    let [judged] = whole["trace"]["trace_info"]["assessments"].as_array().unwrap().as_slice()
    else {
        panic!("one assessment")
    };
    assert_eq!(judged["assessment_name"], "judge_score");
    assert_eq!(judged["feedback"]["value"], 4.5);
    assert_eq!(
        judged["source"],
        json!({ "source_type": "LLM_JUDGE", "source_id": "openai/judge-1" })
    );
    assert_eq!(judged["metadata"]["rubric_version"], "2");

    let spans = whole["trace"]["spans"].as_array().unwrap();
    let named =
        |name: &str| -> Vec<&Value> { spans.iter().filter(|span| span["name"] == name).collect() };
    let [root] = named("invoke_agent ask")[..] else { panic!("one root") };
    let [scope] = named("answer")[..] else { panic!("one scope") };
    let [retrieval] = named("retrieve #1")[..] else { panic!("one retrieval") };
    let [step] = named("answer/writer #1")[..] else { panic!("one step") };
    let mut calls = named("chat small-1");
    calls.retain(|call| call["parent_span_id"] == step["span_id"]);
    let [failed, done] = calls[..] else { panic!("two tries") };
    assert_eq!(scope["parent_span_id"], root["span_id"]);
    assert_eq!(step["parent_span_id"], scope["span_id"]);
    assert_eq!(retrieval["parent_span_id"], root["span_id"]);
    assert_eq!(failed["status"]["code"], "STATUS_CODE_ERROR");
    assert_eq!(failed["status"]["message"], "the reply is no JSON");
    let chat = attributes(done);
    assert_eq!(chat["gen_ai.request.model"], "small-1");
    assert_eq!(chat["mlflow.spanType"], "CHAT_MODEL");
    let found = attributes(retrieval);
    assert_eq!(found["mlflow.spanType"], "RETRIEVER");
    assert!(found["mlflow.spanOutputs"].to_string().contains("doc://cholera/pump.md"));
    assert!(attributes(root)["gen_ai.input.messages"].to_string().contains("When was the handle"));

    let failed = search_traces(server, &mirrored.experiment_id, &mirrored.runs["direct"]).await;
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["state"], "ERROR");
}

/// Runs of the experiment, and of each how many values all of its metrics have.
async fn runs_and_values(server: &Server, experiment: &str) -> (usize, usize) {
    let body = json!({ "experiment_ids": [experiment], "max_results": 100 });
    let said = server.post("api/2.0/mlflow/runs/search", &body).await;
    let runs = said["runs"].as_array().unwrap();
    let mut values = 0;
    for run in runs {
        for key in pairs(&run["data"]["metrics"]).keys() {
            let id = run["info"]["run_id"].as_str().unwrap();
            let path = format!("api/2.0/mlflow/metrics/get-history?run_id={id}&metric_key={key}");
            values += server.get(&path).await["metrics"].as_array().unwrap().len();
        }
    }
    (runs.len(), values)
}

async fn assessments(server: &Server, mirrored: &Mirrored) -> Vec<Value> {
    let found = search_traces(server, &mirrored.experiment_id, &mirrored.runs["rag"]).await;
    assert_eq!(found.len(), 1);
    found[0]["assessments"].as_array().unwrap().clone()
}

async fn a_second_mirror_adds_nothing(server: &Server, report: &Report, first: &Mirrored) {
    let before = runs_and_values(server, &first.experiment_id).await;
    let second = mirror_report(server, "quaestio tests", report).await;
    assert_eq!(second, *first);
    assert_eq!(runs_and_values(server, &first.experiment_id).await, before);
    assert_eq!(before.0, 3);
    assert_eq!(assessments(server, first).await.len(), 1);
}

async fn what_changed_is_brought_up_to_date(server: &Server, report: &Report, first: &Mirrored) {
    let mut changed = report.clone();
    changed.arms[0].means.get_mut("ndcg_at_10").unwrap().value = 0.5;
    changed.cases[0].arms[0].metrics.insert("judge_score".into(), 2.0);
    let second = mirror_report(server, "quaestio tests", &changed).await;
    assert_eq!(second.runs, first.runs);
    let rag = run(server, &first.runs["rag"]).await;
    assert_eq!(pairs(&rag["data"]["metrics"])["ndcg_at_10"], 0.5, "the last value is shown");
    let said = assessments(server, first).await;
    let valid: Vec<_> = said.iter().filter(|one| one["valid"] == true).collect();
    assert_eq!(valid.len(), 1);
    assert_eq!(valid[0]["feedback"]["value"], 2.0);
}

async fn a_deleted_experiment_is_told(server: &Server, report: &Report, first: &Mirrored) {
    let body = json!({ "experiment_id": first.experiment_id });
    server.post("api/2.0/mlflow/experiments/delete", &body).await;
    let mirror = build_mirror(server, "quaestio tests");
    let error = mirror.mirror(report, &files(), stream::iter(traces())).await.unwrap_err();
    assert!(matches!(&error, MlflowError::Deleted { id, .. } if *id == first.experiment_id));
    assert!(error.to_string().contains("mlflow experiments restore"), "{error}");
    // The same evaluation in another experiment has traces of its own.
    let other = mirror_report(server, "quaestio tests, again", report).await;
    assert_ne!(other.experiment_id, first.experiment_id);
    assert_eq!(search_traces(server, &other.experiment_id, &other.runs["rag"]).await.len(), 1);
}
