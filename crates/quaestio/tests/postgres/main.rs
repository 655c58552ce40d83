//! Moving house between data folders and a real PostgreSQL server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../it/stand.rs"]
#[expect(dead_code, reason = "not every target needs all of it")]
mod stand;

use std::path::Path;
use std::time::{Duration, Instant};

use conformance::server::{Database, connect};
use conformance::story::{Story, USER};
use run::log::{Listing, Log, Status, Wait};
use run::moving::Movable;
use serde_json::Value;
use store::Store;

use stand::{QUESTION, Stand, Told, examples, make_database};

fn build_stand() -> Stand {
    Stand::new().variable("QUAESTIO_DATABASE", "")
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    folder.canonicalize().unwrap().to_str().unwrap().to_owned()
}

/// Makes runs of several methods, and what they were made of, without any model.
fn furnish(stand: &Stand) {
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let run = |codes: &[i32], args: &[&str]| {
        let told = stand.run(args);
        assert!(codes.contains(&told.code), "{args:?}: {told:?}");
    };
    run(&[0], &["ingest", docs, "--collection", "cholera"]);
    run(&[0], &["ask", QUESTION, "--collection", "cholera"]);
    run(&[0, 4], &["deep", QUESTION, "--docs", docs, "--own-documents"]);
    run(
        &[5],
        &["market", "Software for law firms", "--docs", &example("market"), "--own-documents"],
    );
    run(&[0], &["survey", "add", "buses", &example("survey")]);
    run(&[0, 4], &["brief", "How satisfied are passengers?", "--survey", "buses"]);
    run(&[0, 3, 4], &["hypothesize", QUESTION, "--docs", docs, "--own-documents"]);
    run(&[0], &["contexts", "add", "--name", "Legal AI"]);
}

/// Returns what is seen of everything at a place.
fn look(stand: &Stand, place: &[&str]) -> Vec<String> {
    let seen = |args: &[&str]| {
        let told = stand.run(&[args, place].concat());
        assert_eq!(told.code, 0, "{args:?}: {told:?}");
        told.out
    };
    let list = seen(&["runs", "list", "--json"]);
    let runs: Value = serde_json::from_str(&list).unwrap();
    let mut all =
        vec![list.clone(), seen(&["contexts", "list", "--json"]), seen(&["survey", "list"])];
    for run in runs.as_array().unwrap() {
        let run = run["run_id"].as_str().unwrap();
        all.push(seen(&["runs", "export", run, "--format", "json"]));
        all.push(seen(&["runs", "events", run]));
    }
    all
}

fn copy(stand: &Stand, from: &str, to: &str) -> Told {
    stand.run(&["db", "copy", from, to])
}

// proves: S2, C1, C5, A6, F6
#[test]
fn runs_of_every_method_are_the_same_in_a_folder_in_postgresql_and_in_another_folder() {
    let stand = build_stand();
    let database = make_database();
    furnish(&stand);
    for (from, to) in [("data", database.url.as_str()), (&database.url, "new")] {
        let told = copy(&stand, from, to);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.out.starts_with("copied 5 runs"), "{told:?}");
        let again = copy(&stand, from, to);
        assert_eq!(again.code, 0, "{again:?}");
        assert!(again.out.starts_with("copied 0 runs with 0 entries, 0 collections with 0 documents, 0 startup contexts, 0 files, 0 surveys"));
    }
    let there = ["--database", &database.url];
    let old = look(&stand, &["--data-dir", "data"]);
    assert_eq!(old.len(), 13);
    assert_eq!(look(&stand, &there), old);
    assert_eq!(look(&stand, &["--data-dir", "new"]), old);

    for place in [&there[..], &["--data-dir", "new"]] {
        let checked = stand.run(&[&["db", "check"], place].concat());
        assert_eq!(checked.code, 0, "{checked:?}");
        let asked = [&["ask", QUESTION, "--collection", "cholera"], place].concat();
        assert!(stand.run(&asked).out.contains("8 September 1854"));
        // What is made later is not taken for what was moved.
        let documents = example("market");
        let more = [&["ingest", &documents, "--collection", "more"], place].concat();
        assert_eq!(stand.run(&more).code, 0);
    }
    assert_eq!(copy(&stand, "new", &database.url).code, 1, "two collections have one id");
}

// proves: S1, S2, C1, C5
#[test]
fn runs_of_a_folder_of_an_older_layout_are_the_same_after_the_upgrade_in_postgresql_and_back() {
    let stand = build_stand();
    let database = make_database();
    furnish(&stand);
    let old = look(&stand, &["--data-dir", "data"]);
    let before = rusqlite::Connection::open(stand.data().join("quaestio.db")).unwrap();
    for changes in [
        include_str!("../../../store/tests/data/to-layout-8.sql"),
        include_str!("../../../store/tests/data/to-layout-7.sql"),
        include_str!("../../../store/tests/data/to-layout-6.sql"),
        include_str!("../../../store/tests/data/to-layout-5.sql"),
    ] {
        before.execute_batch(changes).unwrap();
    }
    let version = |path: &Path| -> u32 {
        let file = rusqlite::Connection::open(path).unwrap();
        file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    drop(before);
    assert_eq!(version(&stand.data().join("quaestio.db")), 5);

    for (from, to) in [("data", database.url.as_str()), (&database.url, "new")] {
        let told = copy(&stand, from, to);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.out.starts_with("copied 5 runs"), "{told:?}");
    }
    // As it was before, it is kept beside the upgraded one.
    assert_eq!(version(&stand.data().join("quaestio.db.layout-5")), 5);
    for place in [["--data-dir", "data"], ["--database", &database.url], ["--data-dir", "new"]] {
        assert_eq!(look(&stand, &place), old, "{place:?}");
        let checked = stand.run(&[&["db", "check"], &place[..]].concat());
        assert_eq!(checked.code, 0, "{checked:?}");
    }
}

/// Stores many runs of several entries.
async fn write_runs(store: &Store, count: usize) {
    let mut written = Vec::new();
    for number in 0..count {
        let mut story = Story::new(&format!("r{number:05}"));
        written.push(store.append(story.create(Some(store.owner()))));
        for line in 0..8 {
            written.push(store.append(story.say(&format!("line {line}"), Wait::Soon)));
        }
        written.push(store.append(story.turn("to be continued", Status::Queued, Wait::Soon)));
    }
    for stored in futures::future::join_all(written).await {
        stored.unwrap();
    }
}

async fn count_runs(database: &Database) -> i64 {
    let client = connect(&database.url).await;
    // The tables may not be there yet.
    let counted = client.query_one("SELECT count(*) FROM runs", &[]).await;
    counted.map_or(0, |row| row.get(0))
}

// proves: S2, C1
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_was_killed_goes_on_when_it_is_started_again() {
    let stand = build_stand();
    let database = Database::make().await;
    let store = Store::open(&stand.data()).unwrap();
    const RUNS: usize = 3_000;
    write_runs(&store, RUNS).await;
    let args = ["db", "copy", "data", &database.url, "--quiet"];
    let mut begun = stand.command(&args).spawn().unwrap();
    let since = Instant::now();
    while count_runs(&database).await < 20 {
        assert!(since.elapsed() < Duration::from_secs(60), "it copies nothing");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    begun.kill().unwrap();
    begun.wait().unwrap();
    let before = count_runs(&database).await as usize;
    assert!((20..RUNS).contains(&before), "{before}");

    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    let counted = told.out.strip_prefix("copied ").and_then(|rest| rest.split_once(" runs"));
    let copied: usize = counted.unwrap().0.parse().unwrap();
    assert!(copied < RUNS && copied > 0, "{told:?}");
    let there = postgres::Postgres::open(&database.url).await.unwrap();
    let all = Listing { limit: u32::MAX, ..Listing::default() };
    let (old, new) = (store.list(USER, &all).await.unwrap(), there.list(USER, &all).await.unwrap());
    assert_eq!(old.len(), RUNS);
    assert!(old == new, "the same runs in the same order");
    let sealed = async |movable: &dyn Movable, run: &str| {
        let sealed = movable.sealed(USER, run, 0).await.unwrap();
        sealed.into_iter().map(|one| (one.seq, one.hash, one.body)).collect::<Vec<_>>()
    };
    for row in old.iter().step_by(100) {
        assert_eq!(sealed(&store, &row.run_id).await, sealed(&there, &row.run_id).await);
    }
    let checked = stand.run(&["db", "check", "--database", &database.url]);
    assert!(checked.out.starts_with("0 problems in 3000 runs with 30000 entries"));
}

// proves: S2, C1, C5
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_differs_in_postgresql_is_named_and_left() {
    let stand = build_stand();
    let database = Database::make().await;
    let store = Store::open(&stand.data()).unwrap();
    write_runs(&store, 3).await;
    assert_eq!(copy(&stand, "data", &database.url).code, 0);
    let client = connect(&database.url).await;
    let statements = "
        UPDATE entries SET body = replace(body, 'line 1', 'line X') WHERE run_id = 'r00000';
        UPDATE runs SET tokens = tokens + 1 WHERE id = 'r00001';
        DELETE FROM runs WHERE id = 'r00002'";
    client.batch_execute(statements).await.unwrap();
    let checked = stand.run(&["db", "check", "--database", &database.url]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.out.contains("run r00000 of ada: its log is damaged: entry 3 does not follow"));
    assert!(checked.out.contains("of ada: 10 entries of the run r00002, which is not there"));

    let told = copy(&stand, "data", &database.url);
    told.fails(1, "2 items could not be copied");
    assert!(
        told.err.contains(
            "run r00000 of ada: the target has it already, and it differs from entry 3 on"
        )
    );
    assert!(told.err.contains(
        "run r00001 of ada: the target has it already with the same log, but its row differs"
    ));
    assert!(told.out.starts_with("copied 1 runs with 10 entries"), "{told:?}");
    let there = postgres::Postgres::open(&database.url).await.unwrap();
    let kept = there.entries(USER, "r00000", 2).await.unwrap();
    assert!(format!("{:?}", kept[0].event).contains("line X"), "it stays as it is");
}
