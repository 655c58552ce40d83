//! Tests of the requests, against a scripted server.

use std::time::Duration;

use fakes::{FakeModel, Say, Seen};
use futures::stream;
use serde_json::{Value, json};

use super::*;
use crate::report::Report;

fn load_report() -> Report {
    serde_json::from_str(include_str!("../../tests/mlflow/report.json")).unwrap()
}

fn said(status: u16, body: &Value) -> Say {
    Say::Status {
        status,
        headers: vec![],
        content_type: "application/json",
        body: body.to_string(),
    }
}

fn refused(status: u16, code: &str) -> Say {
    said(status, &json!({ "error_code": code, "message": "no" }))
}

fn page(status: u16) -> Say {
    let body = "<!doctype html><title>404 Not Found</title>".to_owned();
    Say::Status { status, headers: vec![], content_type: "text/html", body }
}

/// Answers like an empty MLflow that stores nothing.
fn mlflow(seen: &Seen) -> Say {
    let path = seen.path.trim_start_matches("/v1/");
    match path.split('?').next().unwrap_or_default() {
        "api/2.0/mlflow/experiments/get-by-name" => refused(404, "RESOURCE_DOES_NOT_EXIST"),
        "api/2.0/mlflow/experiments/create" => said(200, &json!({ "experiment_id": "7" })),
        "api/2.0/mlflow/runs/search" => said(200, &json!({})),
        "api/2.0/mlflow/runs/create" => {
            let id = format!("r{}", seen.number);
            let artifact_uri = format!("mlflow-artifacts:/7/{id}/artifacts");
            said(200, &json!({ "run": { "info": { "run_id": id, "artifact_uri": artifact_uri } } }))
        }
        path if path.ends_with("/assessments") => said(200, &json!({ "assessment": {} })),
        path if path.starts_with("api/3.0/mlflow/traces/") => said(200, &json!({ "trace": {} })),
        _ => said(200, &json!({})),
    }
}

/// Answers like MLflow, except for paths that end in `path`.
fn but(path: &'static str, say: impl Fn() -> Say + Send + Sync + 'static) -> FakeModel {
    FakeModel::start(move |seen| match seen.path.split('?').next() {
        Some(asked) if asked.ends_with(path) => say(),
        _ => mlflow(seen),
    })
}

fn settings(server: &FakeModel) -> Settings {
    Settings {
        base_url: server.base_url(),
        experiment: "tests".into(),
        access: None,
        timeout: Duration::from_mins(1),
    }
}

fn trace() -> Trace {
    let event = run::entry::Event::Said { line: "working".into() };
    let (entry, _) = Entry::seal(&run::entry::Head::default(), Timestamp::UNIX_EPOCH, event);
    Trace { run: "run-rag".into(), entries: vec![entry] }
}

async fn mirror_with(settings: &Settings, report: &Report) -> Result<Mirrored, MlflowError> {
    let files = [("report.md".to_owned(), b"# It".to_vec())];
    let mut mirror = Mirror::new(settings)?;
    mirror.client.first_delay = Duration::from_millis(1);
    mirror.client.longest_answer = 1024 * 1024;
    mirror.mirror(report, &files, stream::iter([trace()])).await
}

async fn mirrored(server: &FakeModel) -> Result<Mirrored, MlflowError> {
    mirror_with(&settings(server), &load_report()).await
}

fn asked(server: &FakeModel, path: &str) -> Vec<Seen> {
    server.seen().into_iter().filter(|seen| seen.path.ends_with(path)).collect()
}

#[tokio::test]
async fn every_run_is_made_logged_and_ended_once() {
    let server = FakeModel::start(mlflow);
    let done = mirrored(&server).await.unwrap();
    assert_eq!((done.traces, done.notes), (1, vec![]));
    assert_eq!(asked(&server, "/runs/create").len(), 3);
    assert_eq!(asked(&server, "/runs/update").len(), 3);
    assert!(done.run_url.ends_with(&format!("#/experiments/7/runs/{}", done.run_id)));
    let file = format!("/api/2.0/mlflow-artifacts/artifacts/7/{}/artifacts/report.md", done.run_id);
    assert_eq!(asked(&server, &file).len(), 1);
    let trace = &asked(&server, "/v1/traces")[0];
    assert_eq!(trace.header("x-mlflow-experiment-id"), Some("7"));
    assert_eq!(trace.header("x-mlflow-run-id"), Some(done.runs["rag"].as_str()));
}

#[tokio::test]
async fn what_is_logged_stays_within_the_limits_of_a_request_and_of_a_value() {
    let server = FakeModel::start(mlflow);
    let mut report = load_report();
    report.parameters = (0..250).map(|at| (format!("p@{at}"), "ü".repeat(7_000))).collect();
    mirror_with(&settings(&server), &report).await.unwrap();
    let mut most = 0;
    let mut keys = 0;
    for batch in asked(&server, "/runs/log-batch") {
        let params = batch.body["params"].as_array().cloned().unwrap_or_default();
        most = most.max(params.len());
        for param in &params {
            let (key, value) = (param["key"].as_str().unwrap(), param["value"].as_str().unwrap());
            assert!(value.chars().count() <= 6_000 && !key.contains('@'), "{key}");
            keys += usize::from(key.starts_with("p_"));
        }
    }
    assert_eq!((most, keys), (100, 750));
}

#[tokio::test]
async fn a_server_that_is_down_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let settings =
        Settings { base_url: format!("http://{address}"), ..settings(&FakeModel::start(mlflow)) };
    let error = mirror_with(&settings, &load_report()).await.unwrap_err().to_string();
    assert!(
        error.contains(&format!("could not reach the MLflow server at http://{address}/")),
        "{error}"
    );
}

#[tokio::test]
async fn a_refused_key_is_told_without_the_key() {
    let server = FakeModel::start(|seen| {
        let echo = seen.header("authorization").unwrap_or_default();
        said(401, &json!({ "message": format!("{echo} hunter2 will not do") }))
    });
    let token = Access::Token("tok-canary".to_owned().into());
    let password = Access::Password { user: "ada".into(), password: "hunter2".to_owned().into() };
    for (access, header) in [(token, "Bearer tok-canary"), (password, "Basic YWRhOmh1bnRlcjI=")] {
        let settings = Settings { access: Some(access), ..settings(&server) };
        let error = mirror_with(&settings, &load_report()).await.unwrap_err();
        assert!(matches!(error, MlflowError::NoAccess { status: 401, .. }), "{error}");
        assert!(error.to_string().contains("MLFLOW_TRACKING_TOKEN"));
        assert_eq!(server.seen().last().unwrap().header("authorization"), Some(header));
    }
}

#[tokio::test]
async fn no_error_repeats_a_key_that_a_server_repeats() {
    let server = FakeModel::start(|seen| {
        let echo = seen.header("authorization").unwrap_or_default();
        said(400, &json!({ "message": format!("no: {echo}, hunter2") }))
    });
    let password = Access::Password { user: "ada".into(), password: "hunter2".to_owned().into() };
    let settings = Settings { access: Some(password), ..settings(&server) };
    let error = mirror_with(&settings, &load_report()).await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains("no: Basic ***, ***"), "{text}");
    assert!(!text.contains("hunter2") && !text.contains("YWRhOmh1bnRlcjI="), "{text}");
}

#[tokio::test]
async fn whoever_is_no_mlflow_is_told_so() {
    for (say, what) in [
        (page(404), "404"),
        (page(200), "an HTML page titled"),
        (
            Say::Raw(
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n"
                    .into(),
            ),
            "redirect",
        ),
        (said(200, &json!({ "experiment": {} })), "/experiment/experiment_id"),
        (said(200, &json!([1, 2])), "/experiment/experiment_id"),
    ] {
        let server = FakeModel::start(move |_| say.clone());
        let error = mirrored(&server).await.unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[tokio::test]
async fn an_answer_without_end_and_one_that_never_comes_are_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[".to_owned();
    let server =
        but("/runs/search", move || Say::Flood { head: head.clone(), piece: "1,".repeat(30_000) });
    // Four attempts, each within its limit of bytes.
    let error = mirrored(&server).await.unwrap_err().to_string();
    assert!(error.contains("far more data than was asked for"), "{error}");
    let server = FakeModel::start(|_| Say::NoopListener);
    let settings = Settings { timeout: Duration::from_millis(50), ..settings(&server) };
    let error = mirror_with(&settings, &load_report()).await.unwrap_err().to_string();
    assert!(error.contains("did not answer"), "{error}");
}

#[tokio::test]
async fn an_old_server_gets_everything_but_traces() {
    for say in [page(404), page(405)] {
        let server = but("/v1/traces", move || say.clone());
        let done = mirrored(&server).await.unwrap();
        assert_eq!(done.traces, 0);
        assert!(done.notes[0].contains("does not accept them"), "{:?}", done.notes);
        assert_eq!(asked(&server, "/runs/update").len(), 3);
    }
}

#[tokio::test]
async fn a_trace_or_a_judgement_that_is_not_taken_is_told_and_stops_nothing() {
    let server = but("/v1/traces", || refused(422, ""));
    let done = mirrored(&server).await.unwrap();
    assert!(
        done.notes[0].starts_with("1 traces were not accepted; run run-rag:"),
        "{:?}",
        done.notes
    );
    let server = but("/assessments", || page(404));
    let done = mirrored(&server).await.unwrap();
    assert_eq!(done.traces, 1);
    assert!(done.notes[0].contains("without the judge's assessment"), "{:?}", done.notes);
}

#[tokio::test]
async fn files_stay_where_they_are_if_the_server_hands_none_through() {
    let server = FakeModel::start(|seen| {
        if !seen.path.ends_with("/runs/create") {
            return mlflow(seen);
        }
        let id = format!("r{}", seen.number);
        said(
            200,
            &json!({ "run": { "info": { "run_id": id, "artifact_uri": "s3://ada:hunter2@bucket/x" } } }),
        )
    });
    let done = mirrored(&server).await.unwrap();
    assert!(done.notes[0].contains("s3://***@bucket/x"), "{:?}", done.notes);
    assert_eq!(asked(&server, "report.md").len(), 0);
}

#[tokio::test]
async fn files_that_are_not_taken_are_told_and_stop_nothing() {
    for status in [404, 503] {
        let server = but("report.md", move || refused(status, ""));
        let done = mirrored(&server).await.unwrap();
        assert!(done.notes[0].starts_with("the files were not sent"), "{:?}", done.notes);
        assert_eq!(done.traces, 1);
    }
}

#[tokio::test]
async fn a_folder_for_files_leads_nowhere_else() {
    let server = FakeModel::start(|seen| {
        if !seen.path.ends_with("/runs/create") {
            return mlflow(seen);
        }
        let uri = "mlflow-artifacts:/../../../api/2.0/mlflow/runs/delete?x=/#y";
        said(
            200,
            &json!({ "run": { "info": { "run_id": format!("r{}", seen.number), "artifact_uri": uri } } }),
        )
    });
    mirrored(&server).await.unwrap();
    let put = &asked(&server, "report.md")[0];
    assert!(put.path.starts_with("/v1/api/2.0/mlflow-artifacts/artifacts/"), "{}", put.path);
    assert!(!put.path.contains("..") && !put.path.contains('?'), "{}", put.path);
}

#[tokio::test]
async fn an_experiment_that_somebody_makes_meanwhile_is_used() {
    let server = FakeModel::start(|seen| match seen.path.split('?').next().unwrap_or_default() {
        path if path.ends_with("/get-by-name") && seen.number > 1 => said(
            200,
            &json!({ "experiment": { "experiment_id": "9", "lifecycle_stage": "active" } }),
        ),
        path if path.ends_with("/experiments/create") => refused(400, "RESOURCE_ALREADY_EXISTS"),
        _ => mlflow(seen),
    });
    assert_eq!(mirrored(&server).await.unwrap().experiment_id, "9");
}

#[tokio::test]
async fn only_runs_of_this_evaluation_are_written_to() {
    let server = but("/runs/search", || {
        let run = |id: &str, evaluation: &str| {
            json!({
                "info": { "run_id": id, "artifact_uri": "mlflow-artifacts:/7/x/artifacts" },
                "data": { "tags": [{ "key": EVALUATION, "value": evaluation }],
                          "params": [{ "key": "mode", "value": "offline" }] },
            })
        };
        said(200, &json!({ "runs": [run("foreign", "another"), run("ours", "eval-20260504-1")] }))
    });
    let done = mirrored(&server).await.unwrap();
    assert_eq!(done.run_id, "ours");
    assert_eq!(asked(&server, "/runs/create").len(), 2, "the arms' own");
    assert!(done.notes[0].contains("'mode' of run ours stays 'offline'"), "{:?}", done.notes);
    assert!(server.seen().iter().all(|seen| !seen.body.to_string().contains("foreign")));
}

#[tokio::test]
async fn a_server_that_fails_for_a_moment_is_asked_again() {
    let server = FakeModel::start(|seen| if seen.number == 1 { page(503) } else { mlflow(seen) });
    mirrored(&server).await.unwrap();
    assert_eq!(server.seen()[0].path, server.seen()[1].path);
}

#[test]
fn what_is_no_server_is_refused_before_anybody_is_asked() {
    let fitting = Settings {
        base_url: "https://mlflow.example".into(),
        experiment: "tests".into(),
        access: None,
        timeout: Duration::from_secs(1),
    };
    assert!(Mirror::new(&fitting).is_ok());
    for (base_url, what) in [
        ("sqlite:///mlflow.db", "not the address of an MLflow server"),
        ("./mlruns", "not the address of an MLflow server"),
        ("databricks", "not the address of an MLflow server"),
        ("https://ada:hunter2@mlflow.example", "environment variable"),
    ] {
        let settings = Settings { base_url: base_url.into(), ..fitting.clone() };
        let error = Mirror::new(&settings).err().unwrap().to_string();
        assert!(error.contains(what) && !error.contains("hunter2"), "{error}");
    }
    let nameless = Settings { experiment: " ".into(), ..fitting.clone() };
    assert!(Mirror::new(&nameless).is_err());
    let token = Access::Token("line\nbreak".to_owned().into());
    assert!(Mirror::new(&Settings { access: Some(token), ..fitting }).is_err());
}

#[test]
fn what_users_of_mlflow_set_is_read() {
    let of = |pairs: &[(&str, &str)]| {
        Variables::of(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    };
    let token = ("MLFLOW_TRACKING_TOKEN", "tok");
    assert_eq!(of(&[("PATH", "/bin")]), Variables::default());
    let found = of(&[("MLFLOW_TRACKING_URI", " http://x "), ("MLFLOW_EXPERIMENT_NAME", ""), token]);
    assert_eq!(found.base_url.as_deref(), Some("http://x"));
    assert_eq!(found.experiment, None);
    assert_eq!(found.access, Some(Access::Token("tok".to_owned().into())));
    let both =
        of(&[token, ("MLFLOW_TRACKING_USERNAME", "ada"), ("MLFLOW_TRACKING_PASSWORD", "pw")]);
    assert!(matches!(both.access, Some(Access::Password { user, .. }) if user == "ada"));
    // A user without a password does not count.
    let half = of(&[token, ("MLFLOW_TRACKING_USERNAME", "ada")]);
    assert!(matches!(half.access, Some(Access::Token(_))));
}

proptest::proptest! {
    #[test]
    fn every_name_becomes_one_that_mlflow_takes(name in "\\PC{0,300}") {
        let key = rows::key(&name);
        proptest::prop_assert!(!key.is_empty() && key.len() <= 250, "{key}");
        let fits = |it: char| it.is_ascii_alphanumeric() || "_-. :/".contains(it);
        proptest::prop_assert!(key.chars().all(fits), "{key}");
        proptest::prop_assert!(key != "." && key != "..");
    }
}
