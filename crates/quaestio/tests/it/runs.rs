//! What can be done with a run afterwards.

use fakes::{FakeModel, Say};
use serde_json::{Value, json};

use crate::serve::Served;
use crate::stand::{QUESTION, Stand, honest};

fn last(stand: &Stand) -> String {
    stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].as_str().unwrap().to_owned()
}

// proves: C5, C9
#[test]
fn everything_that_happened_stands_in_the_log() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    stand.ask(QUESTION, &[]);
    let told = stand.run(&["runs", "events", "last"]);
    let entries: Vec<Value> =
        told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry["event"].as_str().unwrap()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("started", "finished"));
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(entry["seq"], index as u64 + 1);
    }
    let call = entries
        .iter()
        .find(|entry| entry["step"] == "writer #1" && entry["event"] == "called")
        .unwrap();
    assert_eq!(
        (&call["asking"]["prompt"], &call["asking"]["prompt_version"]),
        (&json!("ask/writer"), &json!(3))
    );
    assert_eq!(call["asking"]["prompt_hash"].as_str().unwrap().len(), 64);
    assert!(call["reserved"]["tokens"].as_u64().unwrap() > 0);
    let shown = stand.run(&["runs", "show", "last"]).out;
    for part in ["log: intact", "writer #1", "quoted:", "status: completed"] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    let after = stand.run(&["runs", "events", "last", "--after", "3"]).out;
    assert_eq!(after.lines().count(), entries.len() - 3);
}

// proves: C5
#[test]
fn a_log_that_was_changed_is_not_gone_on_with() {
    let stand = Stand::new();
    stand.ask(QUESTION, &[]);
    let database = rusqlite::Connection::open(stand.data().join("quaestio.db")).unwrap();
    let forged =
        "UPDATE entries SET body = replace(body, 'Broad Street', 'Brode Street') WHERE seq = 1";
    assert_eq!(database.execute(forged, []).unwrap(), 1);
    stand.run(&["runs", "replay", "last"]).fails(1, "does not follow");
    assert!(stand.run(&["runs", "show", "last"]).out.contains("was changed after it was written"));
}

// proves: C15
#[test]
fn a_replay_is_the_deliverable_to_the_byte_with_no_model_and_no_documents() {
    for model in [true, false] {
        let server = FakeModel::start(honest);
        let stand = if model { Stand::with_model(&server.base_url()) } else { Stand::new() };
        let first = stand.ask(QUESTION, &["--format", "json"]);
        let calls = server.seen().len();
        let collection = format!("run-{}", last(&stand));
        assert_eq!(stand.run(&["collections", "remove", &collection, "--yes"]).code, 0);
        let again = stand.run(&["runs", "replay", "last", "--format", "json"]);
        assert_eq!(again.code, 0, "{again:?}");
        assert_eq!(again.out, first.out);
        assert_eq!(stand.run(&["runs", "export", "last"]).out, first.out);
        assert_eq!(server.seen().len(), calls);
    }
}

// proves: C12
#[test]
fn a_fork_keeps_the_steps_before_and_goes_its_own_way_after() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    let first = stand.ask(QUESTION, &["--format", "json"]).json();
    let other = FakeModel::start(honest);
    let told = stand.run(&[
        "runs",
        "fork",
        "last",
        "--from",
        "writer",
        "--model",
        "other/model",
        "--base-url",
        &other.base_url(),
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let fork = told.json();
    assert_ne!(fork["run_id"], first["run_id"]);
    assert_eq!(fork["answer"], first["answer"]);
    assert_eq!((server.seen().len(), other.seen().len()), (1, 1));
    let events = stand.run(&["runs", "events", fork["run_id"].as_str().unwrap()]).out;
    assert_eq!(
        events.matches("\"step\":\"retrieve #1\"").count(),
        2,
        "retrieval is kept, not done anew: {events}"
    );
    assert_eq!(fork["usage"]["calls"], 1);

    let narrow = stand.run(&[
        "runs",
        "fork",
        "last",
        "--from",
        "retrieve",
        "--set",
        "ask.top_k=1",
        "--format",
        "json",
    ]);
    assert_eq!(narrow.code, 0, "{narrow:?}");
    assert_eq!(narrow.json()["citations"].as_array().unwrap().len(), 1);
    stand.run(&["runs", "fork", "last", "--from", "nowhere"]).fails(2, "no step 'nowhere'");
    stand
        .run(&["runs", "fork", "last", "--from", "writer", "--set", "ask.nonsense=1"])
        .fails(2, "no setting ask.nonsense");
}

// proves: C2, C3
#[test]
fn replies_that_stay_unusable_leave_an_answer_of_the_program() {
    let server = FakeModel::start(|_| Say::text("<think>I would rather not.</think>"));
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert!(result["answer"].as_str().unwrap().contains("8 September 1854"), "{result}");
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("no usable reply from the model"), "{warnings}");
    assert!(!told.err.contains("nothing else"), "that is for the model: {told:?}");
    assert_eq!(server.seen().len(), 3, "the call, one repair, the call once more");
    assert!(server.seen()[1].prompt().contains("cannot be used"));
    assert!(server.seen()[2].prompt().contains("earlier attempt failed"));
    assert_eq!(stand.run(&["runs", "replay", "last", "--format", "json"]).out, told.out);
}

// proves: C2
#[test]
fn a_stage_that_fails_twice_ends_the_run_with_what_it_had_and_a_fork_goes_on() {
    let server = FakeModel::start(|_| Say::error(400, "no such thing"));
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(told.code, 4, "{told:?}");
    let result = told.json();
    assert_eq!(
        (&result["status"], &result["error"]["stage"]),
        (&json!("partial"), &json!("writer #1"))
    );
    assert_eq!(result["error"]["retry_attempted"], true);
    assert!(
        result["deliverable"]["stage_outputs"]["retrieve #1"]["passages"].as_array().unwrap().len()
            > 1
    );
    stand.run(&["runs", "resume", "last"]).fails(1, "runs fork");
    assert_eq!(stand.run(&["runs", "replay", "last", "--format", "json"]).out, told.out);

    let well = FakeModel::start(honest);
    let told = stand.run(&[
        "runs",
        "fork",
        "last",
        "--from",
        "writer",
        "--base-url",
        &well.base_url(),
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
}

// proves: C1
#[test]
fn runs_are_found_by_their_beginning_and_strangers_are_not_there() {
    let stand = Stand::new();
    stand.ask(QUESTION, &[]);
    let run = last(&stand);
    assert_eq!(stand.run(&["runs", "show", &run[..12]]).code, 0);
    for name in ["nothing", "../../etc/passwd", "", "%", "' OR 1=1 --"] {
        if !name.is_empty() {
            stand.run(&["runs", "show", name]).fails(1, "there is no run");
        }
    }
    let foreign = stand.run(&["runs", "show", &run, "--set", "user=mallory"]);
    foreign.fails(1, "there is no run");
    assert_eq!(stand.run(&["runs", "list", "--json", "--set", "user=mallory"]).json(), json!([]));
}

// proves: S1
#[test]
fn runs_are_removed_by_name_and_by_age_with_what_was_read_for_them() {
    let stand = Stand::new();
    stand.ask(QUESTION, &[]);
    stand.ask(QUESTION, &[]);
    let artifacts = |run: &str| stand.data().join("artifacts/runs").join(run);
    let newest = last(&stand);
    assert!(artifacts(&newest).exists());
    assert_eq!(stand.run(&["runs", "remove", &newest]).out, format!("{newest} removed\n"));
    assert!(!artifacts(&newest).exists());
    stand.run(&["runs", "show", &newest]).fails(1, "there is no run");
    let other = last(&stand);
    let prune = |age: &[&str]| stand.run(&[&["runs", "prune", "--older-than"], age].concat());
    assert_eq!(prune(&["1d"]).out, "");
    assert_eq!(prune(&["0d", "--dry-run"]).out, format!("{other} would be removed\n"));
    assert_eq!(prune(&["0d"]).out, format!("{other} removed\n"));
    assert!(!artifacts(&other).exists());
    assert_eq!(stand.run(&["runs", "list", "--json"]).json(), json!([]));
    assert_eq!(stand.run(&["collections", "list", "--all", "--json"]).json(), json!([]));
    prune(&["soon"]).fails(2, "30d");
}

// proves: C1
#[test]
fn a_backup_of_a_database_in_use_holds_every_run() {
    let stand = Stand::new();
    let served = Served::on(&stand, &[]);
    stand.ask(QUESTION, &[]);
    let runs = stand.run(&["runs", "list", "--json"]).json();
    std::fs::create_dir(stand.path("copy")).unwrap();
    let (folder, file) = (stand.path("copy"), stand.path("copy/quaestio.db"));
    let (folder, file) = (folder.to_str().unwrap(), file.to_str().unwrap());
    let told = stand.run(&["db", "backup", file]);
    assert_eq!(told.code, 0, "{told:?}");
    drop(served);
    assert_eq!(stand.run(&["runs", "list", "--json", "--data-dir", folder]).json(), runs);
    assert!(stand.run(&["runs", "show", "last", "--data-dir", folder]).out.contains("log: intact"));
    stand.run(&["db", "backup", file]).fails(1, "exists already");
    let nowhere = stand.path("nowhere");
    stand
        .run(&["db", "backup", "x.db", "--data-dir", nowhere.to_str().unwrap()])
        .fails(1, "there is no database");
    assert!(!nowhere.exists());
}
