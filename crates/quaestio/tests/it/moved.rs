//! Moving house from folder to folder, and checking that what a folder holds fits together.

use std::path::Path;

use conformance::story::Story;
use run::log::{Fence, Log, NewRun, RequestKey, Status, Wait};
use run::moving::{Expected, MOST_ENTRIES, Movable, RunRow};
use rusqlite::Connection;
use serde_json::Value;
use store::Store;

use crate::stand::{QUESTION, Stand, Told, examples, read_output};

/// A stand whose data are in its folder, wherever those of other stands are.
fn build_stand() -> Stand {
    Stand::new().variable("QUAESTIO_DATABASE", "")
}

fn run_as(stand: &Stand, user: &str, args: &[&str]) -> Told {
    read_output(&stand.command(args).env("QUAESTIO_USER", user).output().unwrap())
}

/// Asks, ingests, and keeps a startup and a survey.
fn furnish(stand: &Stand) {
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let survey = docs.replace("cholera", "survey");
    assert_eq!(stand.run(&["ingest", docs, "--collection", "cholera"]).code, 0);
    assert_eq!(stand.run(&["ask", QUESTION, "--collection", "cholera"]).code, 0);
    assert_eq!(stand.run(&["ask", QUESTION, "--plan", "--collection", "cholera"]).code, 5);
    assert_eq!(stand.ask("Who removed it?", &[]).code, 0);
    assert_eq!(run_as(stand, "Bob", &["ingest", docs]).code, 0);
    assert_eq!(run_as(stand, "Bob", &["ask", QUESTION]).code, 0);
    assert_eq!(stand.run(&["contexts", "add", "--name", "Legal AI"]).code, 0);
    assert_eq!(run_as(stand, "Bob", &["survey", "add", "buses", &survey]).code, 0);
}

/// Returns what a user sees of everything.
fn look(stand: &Stand, user: &str, folder: &str) -> Vec<String> {
    let seen = |args: &[&str]| {
        let told = run_as(stand, user, &[args, &["--data-dir", folder]].concat());
        assert_eq!(told.code, 0, "{args:?}: {told:?}");
        told.out
    };
    let mut all = vec![
        seen(&["runs", "list", "--json"]),
        seen(&["collections", "list", "--all", "--json"]),
        seen(&["contexts", "list", "--json"]),
        seen(&["survey", "list"]),
    ];
    let runs: Value = serde_json::from_str(&all[0]).unwrap();
    for run in runs.as_array().unwrap() {
        let run = run["run_id"].as_str().unwrap();
        all.push(seen(&["runs", "export", run, "--format", "json"]));
        all.push(seen(&["runs", "events", run]));
    }
    let collections: Value = serde_json::from_str(&all[1]).unwrap();
    for collection in collections.as_array().unwrap() {
        let name = collection["name"].as_str().unwrap();
        all.push(seen(&["collections", "show", name, "--json"]));
    }
    all
}

fn copy(stand: &Stand, to: &str) -> Told {
    stand.run(&["db", "copy", "data", to])
}

// proves: S2, C1, C5, A6, B9, W5
#[test]
fn everything_of_all_users_moves_from_folder_to_folder_and_once() {
    let stand = build_stand();
    furnish(&stand);
    let told = copy(&stand, "new");
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.err.contains("copying the data of Bob\n"), "{told:?}");
    assert!(told.err.contains("copying the data of local\n"), "{told:?}");
    assert!(told.out.starts_with("copied 4 runs with "), "{told:?}");
    assert!(told.out.contains("1 startup contexts, 5 files, 1 surveys; already there: 0 runs"));
    for user in ["local", "Bob"] {
        let (old, new) = (look(&stand, user, "data"), look(&stand, user, "new"));
        assert!(old.len() > 5, "{old:?}");
        assert_eq!(old, new);
    }

    let copied = told.out.split_once("copied ").unwrap().1.split_once(';').unwrap().0.to_owned();
    let again = copy(&stand, "new");
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(again.out.trim_end().split_once("already there: ").unwrap().1, copied);
    assert!(again.out.starts_with("copied 0 runs with 0 entries, 0 collections with 0 documents"));

    // What is asked there finds what was moved, by its index.
    let asked = ["ask", QUESTION, "--collection", "cholera", "--data-dir", "new"];
    assert!(stand.run(&asked).out.contains("8 September 1854"));
    let checked = stand.run(&["db", "check", "--data-dir", "new"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.out.starts_with("0 problems in 5 runs with "), "{checked:?}");
    assert_eq!(copy(&stand, "new").code, 0, "what is more there is in nobody's way");
}

/// A run with this many entries, as its worker wrote it.
async fn write_run(store: &Store, run: &str, lines: u64) -> Story {
    let mut story = Story::new(run);
    store.append(story.create(Some(store.owner()))).await.unwrap();
    for line in 1..lines {
        store.append(story.say(&format!("line {line}"), Wait::Durable)).await.unwrap();
    }
    story
}

fn open(stand: &Stand, folder: &str) -> Store {
    Store::open(&stand.path(folder)).unwrap()
}

fn sql(stand: &Stand, folder: &str, statement: &str) -> usize {
    let file = Connection::open(stand.path(folder).join("quaestio.db")).unwrap();
    file.pragma_update(None, "foreign_keys", "OFF").unwrap();
    file.execute(statement, []).unwrap()
}

// proves: S2, C1
#[tokio::test]
async fn a_run_at_work_arrives_in_the_queue_and_is_brought_up_to_date_by_another_copy() {
    let stand = build_stand();
    let (here, there) = (open(&stand, "data"), open(&stand, "new"));
    let mut story = write_run(&here, "r", 3).await;
    let mut second = Story::new("s");
    let entry = second.seal(conformance::story::said("ordered"));
    let key = RequestKey { key: "k".into(), request: run::entry::Hash::of(b"request") };
    let (method, question) = ("debate".to_owned(), "Why?".to_owned());
    let new = NewRun { method, question, owner: None, key: Some(key.clone()), at_most: None };
    let ordered = second.append(vec![entry], Status::Queued, Fence::New(new), Wait::Durable);
    here.append(ordered).await.unwrap();
    assert_eq!(copy(&stand, "new").code, 0);
    let user = conformance::story::USER;
    let row = there.summary(user, "r").await.unwrap();
    assert_eq!((row.status, row.entries), (Status::Queued, 3));
    let known = there.keyed(user, "k").await.unwrap();
    assert_eq!(known, Some(("s".to_owned(), key.request)));

    here.append(story.say("on", Wait::Durable)).await.unwrap();
    here.append(story.turn("done", Status::Completed, Wait::Durable)).await.unwrap();
    let told = copy(&stand, "new");
    assert!(told.out.starts_with("copied 1 runs with 2 entries"), "{told:?}");
    let (old, new) = (here.summary(user, "r").await, there.summary(user, "r").await);
    assert_eq!(old.unwrap(), new.unwrap());
    assert_eq!(
        here.entries(user, "r", 0).await.unwrap(),
        there.entries(user, "r", 0).await.unwrap()
    );
    // The attempt that wrote it here has no successor with its number there.
    assert_eq!(there.claim(user, "s", there.owner()).await.unwrap(), 1);
    let refused = there.append(story.say("late", Wait::Durable)).await;
    assert!(refused.is_err(), "nobody holds it there");
}

// proves: S2, C1
#[tokio::test]
async fn a_long_run_of_which_half_is_there_is_completed_and_waits_till_then() {
    let stand = build_stand();
    let (here, there) = (open(&stand, "data"), open(&stand, "new"));
    let user = conformance::story::USER;
    let mut story = write_run(&here, "r", 1).await;
    let lines = u64::from(MOST_ENTRIES) * 2 + 100;
    let lines = (1..lines).map(|line| here.append(story.say(&format!("line {line}"), Wait::Soon)));
    for stored in futures::future::join_all(lines.collect::<Vec<_>>()).await {
        stored.unwrap();
    }
    // As a copy leaves it that is killed after the first part.
    let row = here.run_row(user, "r").await.unwrap().unwrap();
    let first = here.sealed(user, "r", 0).await.unwrap();
    let half = RunRow { status: Status::Waiting, last_seq: first.len() as u64, ..row.clone() };
    assert!(half.last_seq < row.last_seq);
    assert!(there.put_run(&half, Expected::Absent, &first).await.unwrap());
    assert!(there.claim(user, "r", there.owner()).await.is_err(), "nobody takes it up");

    let told = copy(&stand, "new");
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with("copied 1 runs with 1100 entries"), "{told:?}");
    assert!(there.run_row(user, "r").await.unwrap().unwrap().says_same(&row));
    assert_eq!(copy(&stand, "whole").code, 0);
    let whole = open(&stand, "whole");
    let entries = here.entries(user, "r", 0).await.unwrap();
    assert_eq!(there.entries(user, "r", 0).await.unwrap(), entries);
    assert_eq!(whole.entries(user, "r", 0).await.unwrap(), entries);
}

// proves: S2, C1, C5
#[tokio::test]
async fn what_is_there_and_differs_is_named_and_left_and_the_rest_is_copied() {
    let stand = build_stand();
    let here = open(&stand, "data");
    for run in ["same", "longer", "tampered", "other", "damaged"] {
        write_run(&here, run, 4).await;
    }
    stand.run(&["contexts", "add", "--name", "Legal AI", "--id", "legal"]);
    stand.run(&["ingest", examples().to_str().unwrap()]);
    assert_eq!(copy(&stand, "new").code, 0);
    let there = open(&stand, "new");
    let user = conformance::story::USER;
    let mut longer = Story::new("longer");
    longer.attempt = there.claim(user, "longer", there.owner()).await.unwrap();
    longer.head = {
        let last = there.entries(user, "longer", 3).await.unwrap();
        run::entry::Head { seq: last[0].seq, hash: last[0].hash }
    };
    there.append(longer.turn("its own way", Status::Queued, Wait::Durable)).await.unwrap();
    let change = |folder: &str, statement: &str| {
        assert!(sql(&stand, folder, statement) > 0, "{statement}");
    };
    let body =
        "UPDATE entries SET body = replace(body, 'line 2', 'lime 2') WHERE seq = 3 AND run_id = ";
    change("new", &format!("{body}'tampered'"));
    change("new", "UPDATE runs SET question = 'Another?' WHERE id = 'other'");
    change("new", "DELETE FROM runs WHERE id = 'damaged'");
    change("data", &format!("{body}'damaged'"));
    change("new", "UPDATE documents SET title = 'Another' WHERE path LIKE '%1854%'");
    change("new", "UPDATE contexts SET body = replace(body, 'Legal', 'Other')");
    drop(open(&stand, "data").append(Story::new("late").create(None)).await);

    let told = copy(&stand, "new");
    told.fails(1, "5 items could not be copied, as listed above");
    for line in [
        "not copied: run tampered of ada: the target has it already, and it differs from entry 3 on",
        "not copied: run other of ada: the target has another run with its id",
        "not copied: run damaged of ada: its log is damaged: entry 3 does not follow",
        "not copied: startup context legal of local: the target has it already, with other contents",
        "broad-street-outbreak-1854.md of local: the target has it already, with other contents",
    ] {
        assert!(told.err.contains(line), "'{line}' is not in {told:?}");
    }
    assert!(told.out.starts_with("copied 1 runs with 1 entries"), "{told:?}");
    assert_eq!(there.summary(user, "longer").await.unwrap().entries, 5);
    assert!(there.summary(user, "damaged").await.is_err());
    let titles = stand.run(&["collections", "show", "default", "--data-dir", "new"]).out;
    assert!(titles.contains("Another"), "nothing there is written over");

    // An id of a collection that is another's there.
    let own = open(&stand, "own");
    own.append(Story::new("r").create(None)).await.unwrap();
    stand.run(&["ingest", examples().to_str().unwrap(), "--collection", "kb", "--data-dir", "own"]);
    copy(&stand, "own").fails(1, "belongs to the collection kb of local at the target");
}

// proves: S2
#[test]
fn a_copy_says_what_is_no_place() {
    let stand = build_stand();
    copy(&stand, "new").fails(1, "there is no database in the folder data");
    assert!(!stand.path("data").exists() && !stand.path("new").exists());
    stand.run(&["db", "check"]).fails(1, "there is no database in the folder");
    drop(open(&stand, "data"));
    copy(&stand, "./data").fails(2, "are the same place");
    copy(&stand, "mysql://root@localhost/x").fails(2, "mysql:// is not a database address");
    copy(&stand, "postgres://nobody@127.0.0.1:1/none").fails(1, "could not use the database");
}

/// Returns the lines that a check prints of problems.
fn problems(stand: &Stand) -> Vec<String> {
    let told = stand.run(&["db", "check"]);
    let mut lines: Vec<String> = told.out.lines().map(str::to_owned).collect();
    let summary = lines.pop().unwrap();
    assert!(summary.starts_with(&format!("{} problems in ", lines.len())), "{told:?}");
    assert_eq!(told.code, i32::from(!lines.is_empty()), "{told:?}");
    lines
}

// proves: C5, A6, S2
#[tokio::test]
async fn a_check_names_all_that_does_not_fit_together() {
    let stand = build_stand();
    let docs = examples();
    stand.run(&["ingest", docs.to_str().unwrap()]);
    let survey = docs.to_str().unwrap().replace("cholera", "survey");
    stand.run(&["survey", "add", "buses", &survey]);
    let store = open(&stand, "data");
    for run in ["tampered", "gap", "short", "ended", "waits", "gone", "fine"] {
        write_run(&store, run, 5).await;
    }
    assert_eq!(problems(&stand), Vec::<String>::new());
    for statement in [
        "UPDATE entries SET body = replace(body, 'line 2', 'lime 2') WHERE run_id = 'tampered' AND seq = 3",
        "DELETE FROM entries WHERE run_id = 'gap' AND seq = 2",
        "DELETE FROM entries WHERE run_id = 'short' AND seq = 5",
        "UPDATE runs SET status = 'completed', owner = NULL WHERE id = 'ended'",
        "UPDATE runs SET status = 'waiting', owner = NULL WHERE id = 'waits'",
        "DELETE FROM runs WHERE id = 'gone'",
        "UPDATE runs SET last_seq = 4 WHERE id = 'fine'",
        "UPDATE collections SET chunks = chunks + 1",
        "UPDATE chunks SET text = 'x' || text WHERE number = 1 AND document_id = (SELECT min(id) FROM documents)",
        "DELETE FROM terms_1 WHERE rowid = (SELECT max(id) FROM chunks)",
        "INSERT INTO chunks (user_id, document_id, number, section, start_byte, end_byte, text)
              VALUES ('local', 'nowhere', 1, '', 0, 1, 'x')",
        "INSERT INTO documents SELECT 'lost', user_id, 99, path, title, format, file_sha256, text_sha256, metadata,
                ingested_at, kind, work, chunks, reader_version, text FROM documents LIMIT 1",
    ] {
        assert!(sql(&stand, "data", statement) > 0, "{statement}");
    }
    assert_eq!(stand.run(&["contexts", "add", "--name", "Legal AI"]).code, 0);
    assert!(sql(&stand, "data", "UPDATE contexts SET body = '{'") > 0);
    damage_a_file(&stand.data().join("files/local"));
    let found = problems(&stand);
    for line in [
        "run tampered of ada: its log is damaged: entry 3 does not follow from those before it",
        "run gap of ada: its log is damaged: entry 2 is missing",
        "run short of ada: its log is damaged: entry 5 is missing",
        "run ended of ada: its row says completed, but its log does not end",
        "run waits of ada: its row says that it waits, but its log asks nothing",
        "run fine of ada: its log ends at entry 5, but its row says 4",
        "of ada: 5 entries of the run gone, which is not there",
        "of local: 1 chunks of the document nowhere, which is not there",
        "of local: the document lost of the collection 99, which is not there",
        "chunk 1: its text is not that of bytes ",
        "the index lacks it",
        " passages, but its row says ",
        "its content was changed after it was kept",
        "the question of a run that is not there",
        "startup contexts of local: the startup contexts could not be read",
    ] {
        assert!(found.iter().any(|found| found.contains(line)), "'{line}' is not in {found:#?}");
    }
    let told = stand.run(&["db", "check", "--json"]);
    assert_eq!(told.code, 1);
    let page = told.json();
    assert_eq!(page["problems"].as_array().unwrap().len(), found.len());
    assert_eq!(page["checked"]["problems"], found.len());
    let gap = page["problems"].as_array().unwrap().iter().find(|one| one["what"] == "run gap");
    assert_eq!(gap.unwrap()["user"], "ada");
}

/// Changes a byte of the first file in a folder.
fn damage_a_file(folder: &Path) {
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&file, bytes).unwrap();
}
