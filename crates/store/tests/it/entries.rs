//! What stands in the log: old entries, damaged ones, and data that looks like something else.

use std::path::Path;

use run::entry::{Entry, Event, Fault, Hash, Head, Origin, verify};
use run::log::{Fence, Log, LogError, Sealed, Status, Wait};
use run::views::{self, PlanState};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use store::Store;

use conformance::story::{Story, USER, at};

/// A log as the first version wrote it: one line for each kind of event, then the digest of the last.
const OLD: &str = include_str!("../data/log-1.jsonl");

/// A log with plans, as the first version that knew them wrote it.
const PLANS: &str = include_str!("../data/log-2.jsonl");

/// Chains bodies that are there already.
fn chained<'a>(bodies: impl IntoIterator<Item = &'a str>) -> Vec<Sealed> {
    let mut head = Head::default();
    let chain = |body: &str| {
        let bytes = [head.hash.0.as_slice(), body.as_bytes()].concat();
        head = Head { seq: head.seq + 1, hash: Hash::of(&bytes) };
        Sealed { seq: head.seq, hash: head.hash, body: body.as_bytes().to_vec() }
    };
    bodies.into_iter().map(chain).collect()
}

async fn stored(store: &Store, run: &str, entries: Vec<Sealed>) {
    let mut story = Story::new(run);
    let create = story.create(Some(store.owner()));
    let Fence::New(new) = create.fence else { unreachable!("a story begins with a new run") };
    let append = story.append(entries, Status::Running, Fence::New(new), Wait::Durable);
    store.append(append).await.unwrap();
}

// proves: C1, C5
#[tokio::test]
async fn a_log_of_the_first_version_still_reads() {
    let mut bodies: Vec<&str> = OLD.lines().collect();
    let last: Value = serde_json::from_str(bodies.pop().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    stored(&store, "r", chained(bodies.iter().copied())).await;
    let entries = store.entries(USER, "r", 0).await.unwrap();

    for (entry, body) in entries.iter().zip(&bodies) {
        assert_eq!(String::from_utf8(entry.body()).unwrap(), *body, "nothing is lost or added");
    }
    let head = verify(&entries).unwrap();
    assert_eq!(json!({"entries": head.seq, "hash": head.hash}), last);

    let mut kinds: Vec<String> = entries
        .iter()
        .map(|entry| serde_json::to_value(entry).unwrap()["event"].as_str().unwrap().to_owned())
        .collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(
        kinds,
        [
            "answered",
            "asked",
            "called",
            "cancelled",
            "cited",
            "failed",
            "finished",
            "forked",
            "resumed",
            "returned",
            "said",
            "started",
            "stopped"
        ]
    );
    match &entries[5].event {
        Event::Failed {
            step,
            attempt: 1,
            fault: Fault::Malformed,
            reply: Some(reply),
            usage,
            ..
        } => {
            assert_eq!((step.as_str(), reply.as_str()), ("writer #1", "Sure! Here is"));
            assert_eq!(usage.total(), 120);
        }
        other => panic!("{other:?}"),
    }
}

// proves: C1, C5, W3
#[tokio::test]
async fn a_log_with_plans_still_reads() {
    let mut bodies: Vec<&str> = PLANS.lines().collect();
    let last: Value = serde_json::from_str(bodies.pop().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    stored(&store, "r", chained(bodies.iter().copied())).await;
    let entries = store.entries(USER, "r", 0).await.unwrap();
    for (entry, body) in entries.iter().zip(&bodies) {
        assert_eq!(String::from_utf8(entry.body()).unwrap(), *body, "nothing is lost or added");
    }
    let head = verify(&entries).unwrap();
    assert_eq!(json!({"entries": head.seq, "hash": head.hash}), last);

    // What was approved is what had this hash then.
    let approved = views::plan(&entries[..4]).unwrap();
    let Event::Approved { revision: 2, plan_hash, .. } = &entries[3].event else { panic!() };
    assert_eq!(approved.proposal.plan.hash(), *plan_hash);
    assert_eq!(
        (approved.state, &*approved.proposal.plan.title),
        (PlanState::Approved, "Neap tides")
    );
    assert_eq!((approved.gate, approved.proposal.revision), ("plan", 2));
    let statuses = [
        Status::Queued,
        Status::Waiting,
        Status::Waiting,
        Status::Queued,
        Status::Waiting,
        Status::Cancelled,
        Status::Cancelled,
        Status::Cancelled,
    ];
    for (number, status) in statuses.into_iter().enumerate() {
        assert_eq!(views::status(&entries[..=number]), status, "{number}");
    }
    let open = |number: usize| views::open_gates(&entries[..number]).len();
    assert_eq!([1, 2, 3, 4, 5, 6, 8].map(open), [0, 1, 1, 0, 1, 0, 0]);
    assert_eq!(views::plan(&entries).unwrap().state, PlanState::Rejected);
    assert_eq!(views::plan(&entries[..1]), None);
}

// proves: C1
#[tokio::test]
async fn a_field_of_a_newer_version_is_passed_over_and_an_unknown_event_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let newer =
        r#"{"at":"2026-01-01T00:00:00Z","event":"said","line":"hello","mood":"cheerful","seq":1}"#;
    stored(&store, "r", chained([newer])).await;
    let entries = store.entries(USER, "r", 0).await.unwrap();
    assert_eq!(entries[0].event, Event::Said { line: "hello".into() });
    // It is read, and not taken for whole: what this version does not know it cannot vouch for.
    assert_eq!(verify(&entries), Err(1));

    let unknown = r#"{"at":"2026-01-01T00:00:00Z","event":"sang","line":"la","seq":1}"#;
    stored(&store, "u", chained([unknown])).await;
    match store.entries(USER, "u", 0).await {
        Err(LogError::Unreadable { run, seq: 1, reason }) => {
            assert!(run == "u" && reason.contains("sang"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

fn change(folder: &Path, seq: u64, column: &str, bytes: &[u8]) {
    let file = Connection::open(folder.join("quaestio.db")).unwrap();
    let value = if column == "body" { "CAST(?1 AS TEXT)" } else { "?1" };
    let changed = file
        .execute(
            &format!("UPDATE entries SET {column} = {value} WHERE seq = ?2"),
            params![bytes, seq as i64],
        )
        .unwrap();
    assert_eq!(changed, 1);
}

// proves: C5
#[tokio::test]
async fn a_flipped_bit_in_a_stored_entry_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut story = Story::new("r");
    store.append(story.create(Some(store.owner()))).await.unwrap();
    let value = json!({"score": 0.25, "count": 12, "text": "naïve", "none": null, "yes": true});
    let returned = Event::Returned {
        step: "rank #1".into(),
        origin: Origin::Model,
        value,
        usage: run::budget::Usage::default(),
        cost_usd_micros: 7,
    };
    let entry = story.seal(returned);
    let body = entry.body.clone();
    let append = story.append(vec![entry], Status::Running, Fence::Attempt(1), Wait::Durable);
    store.append(append).await.unwrap();
    store.append(story.say("three", Wait::Durable)).await.unwrap();
    let good = store.entries(USER, "r", 0).await.unwrap();
    assert!(verify(&good).is_ok());

    let notices = async |what: String| match store.entries(USER, "r", 0).await {
        Ok(entries) => assert_eq!(verify(&entries), Err(2), "{what}"),
        Err(LogError::Unreadable { seq: 2, .. }) => {}
        Err(other) => panic!("{what}: {other:?}"),
    };
    for index in 0..body.len() {
        let mut damaged = body.clone();
        damaged[index] ^= 1 << (index % 8);
        change(folder.path(), 2, "body", &damaged);
        notices(format!("byte {index}: {:?}", String::from_utf8_lossy(&damaged))).await;
    }
    for cut in [0, 1, body.len() / 2, body.len() - 1] {
        change(folder.path(), 2, "body", &body[..cut]);
        notices(format!("cut at {cut}")).await;
    }
    change(folder.path(), 2, "body", &body);
    let mut hash = good[1].hash.0;
    hash[31] ^= 1;
    change(folder.path(), 2, "hash", &hash);
    notices("its hash".into()).await;
    change(folder.path(), 2, "hash", &hash[..31]);
    notices("a short hash".into()).await;
    change(folder.path(), 2, "hash", &good[1].hash.0);
    assert_eq!(store.entries(USER, "r", 0).await.unwrap(), good);
}

// proves: C1, C5
#[tokio::test]
async fn data_that_looks_like_types_or_code_comes_back_to_the_byte() {
    let values = [
        r#"{"id":["langchain","llms","OpenAI"],"kwargs":{"key":"x"},"lc":1,"type":"constructor"}"#,
        r#"{"__class__":"os.system","__reduce__":["rm","-rf"],"py/object":"posix.system"}"#,
        r#"{"$type":"System.Diagnostics.Process","@type":"java.lang.Runtime","event":"finished","hash":"00","seq":9}"#,
        r#"["!!python/object/apply:os.system",{"__proto__":{"admin":true}},null,true,-0.5,1e+21,"\u0000\u001f\"\\"]"#,
        r#""{\"lc\":1,\"type\":\"constructor\"}""#,
    ];
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut story = Story::new("r");
    store.append(story.create(Some(store.owner()))).await.unwrap();
    for value in values {
        let entry = story.seal(Event::Returned {
            step: value.into(),
            origin: Origin::Port,
            value: serde_json::from_str(value).unwrap(),
            usage: run::budget::Usage::default(),
            cost_usd_micros: 0,
        });
        let append = story.append(vec![entry], Status::Running, Fence::Attempt(1), Wait::Durable);
        store.append(append).await.unwrap();
    }
    let entries: Vec<Entry> = store.entries(USER, "r", 1).await.unwrap();
    for (entry, wanted) in entries.iter().zip(values) {
        match &entry.event {
            Event::Returned { step, value, .. } => {
                assert_eq!(step, wanted);
                assert_eq!(String::from_utf8(run::canonical::canonical(value)).unwrap(), wanted);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(entries.len(), values.len());
    assert_eq!(entries[0].at, at(1));
    assert!(verify(&store.entries(USER, "r", 0).await.unwrap()).is_ok());
}
