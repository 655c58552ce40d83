//! Runs that a former version wrote are shown, exported and replayed as they were.

use serde_json::Value;

use crate::stand::Stand;

const RUN: &str = "20261123-hdi752be";
/// A log that version 2 of `ask` wrote, an entry a line.
const ENTRIES: &str = include_str!("former/ask-2.jsonl");
const QUESTION: &str = "When was the handle removed?";

/// A stand whose database has the run and nothing else: neither its documents nor its model.
fn open_stand() -> Stand {
    let stand = Stand::new();
    assert_eq!(stand.run(&["runs", "list"]).code, 0);
    let database = rusqlite::Connection::open(stand.data().join("quaestio.db")).unwrap();
    let entries: Vec<Value> =
        ENTRIES.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let at = "2026-11-23T03:01:33.119000000Z";
    database
        .execute(
            "INSERT INTO runs (user_id, id, method, question, status, attempt, last_seq, created_at, updated_at)
             VALUES ('local', ?1, 'ask', ?2, 'completed', 1, ?3, ?4, ?4)",
            (RUN, QUESTION, entries.len() as i64, at),
        )
        .unwrap();
    for entry in &entries {
        let (hash, body) = (entry["hash"].as_str().unwrap(), entry["body"].as_str().unwrap());
        database
            .execute(
                "INSERT INTO entries (user_id, run_id, seq, hash, body) VALUES ('local', ?1, ?2, unhex(?3), ?4)",
                (RUN, entry["seq"].as_i64().unwrap(), hash, body),
            )
            .unwrap();
    }
    stand
}

// proves: A9, C5, C15
#[test]
fn a_log_of_the_former_layout_is_shown_exported_and_replayed_as_it_was() {
    let stand = open_stand();
    for (args, expected) in [
        (["runs", "export", RUN, "--format", "json"], include_str!("former/ask-2.json")),
        (["runs", "export", RUN, "--format", "md"], include_str!("former/ask-2.md")),
        (["runs", "replay", RUN, "--format", "json"], include_str!("former/ask-2.json")),
        (["runs", "replay", RUN, "--format", "md"], include_str!("former/ask-2.md")),
    ] {
        let told = stand.run(&args);
        assert_eq!((told.code, told.out.as_str()), (0, expected), "{told:?}");
    }
    let replayed = stand.run(&["runs", "replay", RUN]);
    assert!(replayed.err.contains("version 2 of the method wrote this run"), "{replayed:?}");
    let shown = stand.run(&["runs", "show", RUN]);
    // When it was is told in the time of the place, and how long ago.
    let lines = shown.out.lines().filter(|line| !line.starts_with("started: 2026-11-23 "));
    let shown_whenever: Vec<&str> = lines.collect();
    let expected: Vec<&str> = include_str!("former/ask-2.txt").lines().collect();
    assert_eq!((shown.code, shown_whenever), (0, expected));
}

// proves: C5
#[test]
fn a_former_log_that_was_changed_is_not_shown_as_it_was() {
    let stand = open_stand();
    let database = rusqlite::Connection::open(stand.data().join("quaestio.db")).unwrap();
    let forged = "UPDATE entries SET body = replace(body, '1854', '1855') WHERE seq > 5";
    assert!(database.execute(forged, []).unwrap() > 1);
    stand.run(&["runs", "replay", RUN]).fails(1, "does not follow");
}
