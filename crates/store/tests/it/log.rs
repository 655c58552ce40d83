//! The log on SQLite: what every log must do, and what belongs to the file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use run::entry::Hash;
use run::library::{Library, Retrieval, Search};
use run::log::{CancelRequest, Fence, Listing, Log, LogError, RequestKey, Status, Wait};
use rusqlite::Connection;
use store::{Fault, OpenError, Store};

use crate::child::Process;

use conformance::story::{Story, USER};

async fn open() -> (Arc<dyn Log>, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let owner = store.owner().to_owned();
    (Arc::new(store), owner, folder)
}

// proves: C1, C5, C7, C11, D6, F2, F8, S1, S3
conformance::log_tests!(open);

fn sql(folder: &Path) -> Connection {
    Connection::open(folder.join("quaestio.db")).unwrap()
}

fn busy(run: &str, owner: &str) -> Result<u32, LogError> {
    Err(LogError::Busy { run: run.into(), owner: owner.into() })
}

// proves: S1
#[tokio::test]
async fn two_stores_on_one_file_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
    assert_ne!(one.owner(), two.owner());
    let mut story = Story::new("r");
    one.append(story.create(Some(one.owner()))).await.unwrap();
    assert_eq!(two.claim(USER, "r", two.owner()).await, busy("r", one.owner()));
    two.request_cancel(USER, "r", "ada").await.unwrap();
    let asked = CancelRequest { user: USER.into(), run: "r".into(), by: "ada".into() };
    assert_eq!(one.cancel_requests(one.owner()).await.unwrap(), [asked]);
    assert_eq!(two.cancel_requests(two.owner()).await.unwrap(), []);
    let stored = one.append(story.say("soon", Wait::Soon));
    let called = Instant::now();
    while two.entries(USER, "r", 1).await.unwrap().is_empty() {
        assert!(called.elapsed() < Duration::from_secs(2), "what one wrote does not reach two");
    }
    stored.await.unwrap();

    // A run whose attempt one lost to two is closed to one, whatever one still has under way.
    drop(one.append(story.turn("handed over", Status::Queued, Wait::Soon)));
    one.append(Story::new("s").create(None)).await.unwrap();
    let mut late = story.clone();
    story.attempt = two.claim(USER, "r", two.owner()).await.unwrap();
    drop(one.append(late.say("late", Wait::Soon)));
    two.append(story.turn("asking", Status::Waiting, Wait::Durable)).await.unwrap();
    assert!(one.append(late.say("later", Wait::Durable)).await.is_err());
    // A person may answer through either.
    one.append(story.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
}

// proves: C1
#[tokio::test]
async fn a_run_whose_process_was_killed_is_taken_up_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut process = Process::play("hold r", folder.path());
    let holder = process.hear().unwrap();
    assert_eq!(store.claim(USER, "r", store.owner()).await, busy("r", &holder));
    process.kill();
    let asked = Instant::now();
    // Of eight who come at once one has it, and none is told that the dead one does.
    let stores: Vec<Store> = (0..8).map(|_| Store::open(folder.path()).unwrap()).collect();
    let claims = stores.iter().map(|store| store.claim(USER, "r", store.owner()));
    let claims = futures::future::join_all(claims).await;
    assert_eq!(claims.iter().filter(|claim| **claim == Ok(2)).count(), 1, "{claims:?}");
    assert!(!claims.contains(&busy("r", &holder)), "the dead do not hold runs");
    assert!(asked.elapsed() < Duration::from_secs(5));
}

// proves: C1
#[tokio::test]
async fn a_lease_that_ran_out_can_be_taken_and_one_that_is_renewed_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
    let mut story = Story::new("r");
    one.append(story.create(Some(one.owner()))).await.unwrap();
    let silent = "UPDATE runs SET lease_until_ms = lease_until_ms - 120000";
    sql(folder.path()).execute(silent, []).unwrap();
    one.renew(one.owner()).await.unwrap();
    assert_eq!(two.claim(USER, "r", two.owner()).await, busy("r", one.owner()));
    sql(folder.path()).execute(silent, []).unwrap();
    assert_eq!(two.claim(USER, "r", two.owner()).await, Ok(2));
    let fenced = LogError::Fenced { run: "r".into() };
    assert_eq!(one.append(story.say("late", Wait::Durable)).await, Err(fenced));
    one.renew(one.owner()).await.unwrap();
    assert_eq!(one.claim(USER, "r", one.owner()).await, busy("r", two.owner()));
}

// proves: C1, S1
#[tokio::test]
async fn a_run_whose_lease_ran_out_or_whose_process_was_killed_may_be_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
    one.append(Story::new("r").create(Some(one.owner()))).await.unwrap();
    let mut process = Process::play("hold k", folder.path());
    process.hear().unwrap();
    // Both live, whoever looks.
    for store in [&one, &two] {
        assert_eq!(store.unfinished(10).await.unwrap(), []);
    }
    process.kill();
    let killed = (USER.to_owned(), "k".to_owned());
    assert_eq!(two.unfinished(10).await.unwrap(), std::slice::from_ref(&killed));
    let silent = "UPDATE runs SET lease_until_ms = lease_until_ms - 120000 WHERE id = 'r'";
    sql(folder.path()).execute(silent, []).unwrap();
    let mut both = two.unfinished(10).await.unwrap();
    both.sort();
    assert_eq!(both, [killed.clone(), (USER.to_owned(), "r".to_owned())]);
    one.renew(one.owner()).await.unwrap();
    assert_eq!(two.unfinished(10).await.unwrap(), [killed]);
    two.claim(USER, "k", two.owner()).await.unwrap();
    assert_eq!(one.unfinished(10).await.unwrap(), []);
    drop(one);
    // It went in good order, and left its run behind.
    assert_eq!(two.unfinished(10).await.unwrap(), [(USER.to_owned(), "r".to_owned())]);
}

// proves: C1
#[tokio::test]
async fn a_run_that_is_not_running_has_no_owner() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let owner = |run: &str| {
        let query = "SELECT owner FROM runs WHERE id = ?1";
        sql(folder.path()).query_row(query, [run], |row| row.get::<_, Option<String>>(0)).unwrap()
    };
    let ends = [Status::Queued, Status::Waiting, Status::Completed, Status::Partial];
    for status in ends.into_iter().chain([Status::Cancelled]) {
        let run = status.name();
        let mut story = Story::new(run);
        store.append(story.create(Some(store.owner()))).await.unwrap();
        store.append(story.say("two", Wait::Durable)).await.unwrap();
        assert_eq!(owner(run).as_deref(), Some(store.owner()));
        store.append(story.turn("three", status, Wait::Durable)).await.unwrap();
        assert_eq!(owner(run), None, "{run}");
    }
}

// proves: C1
#[tokio::test]
async fn what_was_queued_when_the_store_is_dropped_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut story = Story::new("r");
    {
        let store = Store::open(folder.path()).unwrap();
        store.append(story.create(Some(store.owner()))).await.unwrap();
        for _ in 0..100 {
            drop(store.append(story.say("soon", Wait::Soon)));
        }
    }
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.entries(USER, "r", 0).await.unwrap().len(), 101);
    // The one who held it has gone in good order.
    assert_eq!(store.claim(USER, "r", store.owner()).await, Ok(2));
}

// proves: C1
#[tokio::test]
async fn nothing_is_acknowledged_once_the_file_was_deleted_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let mut story = Story::new("r");
    store.append(story.create(Some(store.owner()))).await.unwrap();
    std::fs::rename(folder.path().join("quaestio.db"), folder.path().join("moved.db")).unwrap();
    let gone = store.append(story.clone().say("two", Wait::Durable)).await.unwrap_err();
    assert!(gone.to_string().contains("deleted or replaced"), "{gone}");
    assert!(store.entries(USER, "r", 0).await.is_err());
    assert!(store.claim(USER, "r", store.owner()).await.is_err());
    let other = tempfile::tempdir().unwrap();
    drop(Store::open(other.path()).unwrap());
    std::fs::copy(other.path().join("quaestio.db"), folder.path().join("quaestio.db")).unwrap();
    assert!(store.append(story.clone().say("two", Wait::Durable)).await.is_err());
    assert!(store.entries(USER, "r", 0).await.is_err());
    std::fs::rename(folder.path().join("moved.db"), folder.path().join("quaestio.db")).unwrap();
    store.append(story.say("two", Wait::Durable)).await.unwrap();
    assert_eq!(store.entries(USER, "r", 0).await.unwrap().len(), 2);
}

// proves: S3
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_readers_do_not_open_the_file_a_thousand_times() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.append(Story::new("r").create(None)).await.unwrap();
    let reads = (0..1_000).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.entries(USER, "r", 0).await })
    });
    for read in futures::future::join_all(reads).await {
        assert_eq!(read.unwrap().unwrap().len(), 1);
    }
    let open = std::fs::read_dir("/proc/self/fd").unwrap().filter(|file| {
        let target = std::fs::read_link(file.as_ref().unwrap().path());
        target.is_ok_and(|target| target == store.database())
    });
    // One that writes, and the readers.
    assert!(open.count() <= 17);
}

// proves: S1
#[tokio::test]
async fn a_folder_that_can_only_be_read_shows_what_it_holds_and_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    {
        let store = Store::open(folder.path()).unwrap();
        store.append(Story::new("r").create(None)).await.unwrap();
    }
    let names = || {
        let files = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    {
        let store = Store::open_to_read(folder.path()).unwrap();
        let text = Listing { text: Some("gulls".into()), ..Listing::default() };
        assert_eq!(store.list(USER, &text).await.unwrap().len(), 1);
        let refused = LogError::Store {
            action: "be written".into(),
            reason: "the data folder is read-only".into(),
        };
        assert_eq!(store.append(Story::new("s").create(None)).await, Err(refused.clone()));
        assert_eq!(store.writable().await, Err(refused));
        assert_eq!(names(), before, "no file is made, and none is missed");
    }
    assert_eq!(names(), before);
    // Beside one who writes it reads what was written last.
    let writer = Store::open(folder.path()).unwrap();
    writer.append(Story::new("s").create(None)).await.unwrap();
    let reader = Store::open_to_read(folder.path()).unwrap();
    assert_eq!(reader.list(USER, &Listing::default()).await.unwrap().len(), 2);
    let nowhere = folder.path().join("nowhere");
    assert!(matches!(Store::open_to_read(&nowhere).err(), Some(OpenError::Database { .. })));
    assert!(!nowhere.exists());
}

// proves: S1
#[tokio::test]
async fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    sql(folder.path()).pragma_update(None, "user_version", 99).unwrap();
    match Store::open(folder.path()).err() {
        Some(OpenError::Newer { found: 99, known: 9, .. }) => {}
        other => panic!("{other:?}"),
    }
    std::fs::write(folder.path().join("quaestio.db"), "no database ".repeat(100)).unwrap();
    let damaged = Store::open(folder.path()).err();
    assert!(matches!(damaged, Some(OpenError::Database { fault: Fault::Damaged, .. })));
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(Store::open(&file).err(), Some(OpenError::Folder { .. })));
}

/// Takes from a new file what layout 8 did not have.
const TO_LAYOUT_8: &str = include_str!("../data/to-layout-8.sql");
/// And layout 7.
const TO_LAYOUT_7: &str = include_str!("../data/to-layout-7.sql");
/// And layout 6.
const TO_LAYOUT_6: &str = include_str!("../data/to-layout-6.sql");
/// And layout 5.
const TO_LAYOUT_5: &str = include_str!("../data/to-layout-5.sql");
/// And layout 4.
const TO_LAYOUT_4: &str = "DROP TABLE contexts; PRAGMA user_version = 4;";
/// And layout 3.
const TO_LAYOUT_3: &str =
    "DROP INDEX runs_by_key; DROP INDEX runs_by_age; DROP INDEX runs_unfinished;
     ALTER TABLE runs DROP COLUMN request_key; ALTER TABLE runs DROP COLUMN request_hash;
     PRAGMA user_version = 3;";
/// And, of documents, layout 2.
const TO_LAYOUT_2: &str =
    "ALTER TABLE documents DROP COLUMN kind; ALTER TABLE documents DROP COLUMN work;
     PRAGMA user_version = 2;";
/// And layout 1.
const TO_LAYOUT_1: &str =
    "ALTER TABLE collections DROP COLUMN chunks; ALTER TABLE collections DROP COLUMN changes;
     ALTER TABLE chunks DROP COLUMN pages; PRAGMA user_version = 1;";

/// From a new file down to the oldest, step by step.
const TO_LAYOUTS: [&str; 8] = [
    TO_LAYOUT_8,
    TO_LAYOUT_7,
    TO_LAYOUT_6,
    TO_LAYOUT_5,
    TO_LAYOUT_4,
    TO_LAYOUT_3,
    TO_LAYOUT_2,
    TO_LAYOUT_1,
];

/// What the file is made of: every table and every index, as it is declared, without regard to spaces, comments and the
/// order of columns.
fn made_of(folder: &Path) -> Vec<(String, Vec<String>)> {
    let file = sql(folder);
    let mut query = file
        .prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name")
        .unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).unwrap();
    rows.map(|row| {
        let (name, sql): (String, String) = row.unwrap();
        let lines = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
        let words = lines.collect::<Vec<_>>().join(" ");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "");
        let mut parts: Vec<String> =
            words.split([',', '(', ')']).map(|part| part.trim().to_owned()).collect();
        parts.retain(|part| !part.is_empty());
        parts.sort();
        (name, parts)
    })
    .collect()
}

// proves: S1
#[tokio::test]
async fn files_of_every_older_layout_come_to_the_layout_of_a_new_one() {
    let fresh = tempfile::tempdir().unwrap();
    drop(Store::open(fresh.path()).unwrap());
    let steps = TO_LAYOUTS;
    for back in 1..=steps.len() {
        let folder = tempfile::tempdir().unwrap();
        let mut story = Story::new("r");
        {
            let store = Store::open(folder.path()).unwrap();
            store.append(story.create(None)).await.unwrap();
        }
        for step in &steps[..back] {
            sql(folder.path()).execute_batch(step).unwrap();
        }
        assert_ne!(made_of(folder.path()), made_of(fresh.path()));
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(made_of(folder.path()), made_of(fresh.path()));
        // As it was before, it is kept beside it.
        let before = folder.path().join(format!("quaestio.db.layout-{}", steps.len() + 1 - back));
        let count = "SELECT count(*) FROM runs";
        let runs = Connection::open(before).unwrap().query_row(count, [], |row| row.get(0));
        assert_eq!(runs, Ok(1));
        // What was there is there, and what is new works.
        assert_eq!(store.entries(USER, "r", 0).await.unwrap().len(), 1);
        assert_eq!(store.unfinished(10).await.unwrap(), [(USER.to_owned(), "r".to_owned())]);
        let row = store.summary(USER, "r").await.unwrap();
        for text in [None, Some("GULLS".to_owned())] {
            let listing = Listing { text, ..Listing::default() };
            assert_eq!(store.list(USER, &listing).await.unwrap(), std::slice::from_ref(&row));
        }
        let keyed = |run: &str| {
            let mut append = Story::new(run).create(None);
            if let Fence::New(new) = &mut append.fence {
                new.key = Some(RequestKey { key: "k".into(), request: Hash::of(b"asked") });
            }
            append
        };
        store.append(keyed("keyed")).await.unwrap();
        let taken = LogError::KeyTaken { key: "k".into(), run: "keyed".into() };
        assert_eq!(store.append(keyed("again")).await, Err(taken));
        drop(store);
        drop(Store::open(folder.path()).unwrap());
    }
}

// proves: S1
#[tokio::test]
async fn a_file_of_an_older_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    for step in TO_LAYOUTS {
        sql(folder.path()).execute_batch(step).unwrap();
    }
    sql(folder.path())
        .execute_batch(
            "INSERT INTO collections VALUES (1, 'ada', 'kb',
                '{\"embedder\":\"none\",\"dimensions\":0,\"language\":\"english\",\"chunk_tokens\":220,\"smallest_chunk_tokens\":40}',
                '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
             CREATE VIRTUAL TABLE terms_1 USING fts5(terms);
             INSERT INTO terms_1 (rowid, terms) VALUES (1, 'gull nest o''brien');
             INSERT INTO documents VALUES ('d1', 'ada', 1, 'gulls.md', 'Gulls', 'text', 'f', 't', '{}', 'Gulls nest.',
                '2026-01-01T00:00:00Z');
             INSERT INTO chunks VALUES (1, 'ada', 'd1', 1, 'Gulls', 0, 11, 'Gulls nest.');",
        )
        .unwrap();
    let store = Store::open(folder.path()).unwrap();
    let collections = store.collections("ada").await.unwrap();
    assert_eq!((collections[0].chunks, &collections[0].manifest.embedder), (1, &None));
    let documents = store.documents("ada", "kb").await.unwrap();
    assert_eq!((collections[0].documents, documents[0].chunks), (1, 1));
    let search = Search {
        collection: "kb".into(),
        question: "nests".into(),
        filter: BTreeMap::new(),
        top_k: 1,
        retrieval: Retrieval::Auto,
    };
    let found = store.search("ada", &search, None).await.unwrap();
    assert_eq!(found.passages[0].text, "Gulls nest.");
    // The index that was there took terms apart at quotation marks.
    let search = Search { question: "O'Brien?".into(), ..search };
    assert_eq!(store.search("ada", &search, None).await.unwrap().terms, [("o'brien".into(), 1)]);
}
