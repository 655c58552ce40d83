//! Checks, in SQLite's steps, that what a call reads does not grow with what is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::join_all;
use jiff::Timestamp;
use run::budget::Spend;
use run::entry::{Entry, Event, Head};
use run::evidence::EvidenceKind;
use run::history::{History, Labelling};
use run::library::{Library, Manifest, NewChunk, NewDocument, Part};
use run::log::{Append, Fence, Listing, Log, NewRun, Sealed, Status, Wait};
use run::usage::{Day, Usage, UsageStore};
use text::Language;

use crate::Store;
use crate::file::connect;

const USER: &str = "ada";
/// The number of rows requested; the store holds more.
const FEW: u32 = 10;

/// The steps that SQLite takes for a store, over all its connections.
struct Steps {
    store: Store,
    taken: Arc<AtomicU64>,
}

impl Steps {
    async fn of(store: Store) -> Steps {
        let taken = Arc::new(AtomicU64::new(0));
        let count = |taken: &Arc<AtomicU64>| {
            let taken = Arc::clone(taken);
            move || {
                taken.fetch_add(1, Ordering::Relaxed);
                false
            }
        };
        let reader = connect(store.database()).unwrap();
        reader.progress_handler(1, Some(count(&taken))).unwrap();
        *store.shared.readers.lock().unwrap() = vec![reader];
        let each = count(&taken);
        store.shared.writer.run(|writer| writer.progress_handler(1, Some(each))).await.unwrap();
        Steps { store, taken }
    }

    /// Returns the steps of a call after a first one that prepares its statements.
    async fn count(&self, call: impl AsyncFn(&Store)) -> u64 {
        call(&self.store).await;
        let before = self.taken.load(Ordering::Relaxed);
        call(&self.store).await;
        self.taken.load(Ordering::Relaxed) - before
    }
}

fn made(run: &str, status: Status) -> Append {
    let (entry, body) = Entry::seal(
        &Head::default(),
        Timestamp::UNIX_EPOCH,
        Event::Said { line: "once upon a time".into() },
    );
    let new = NewRun {
        method: "ask".into(),
        question: format!("How do the gulls of {run} feed?"),
        owner: None,
        key: None,
        at_most: None,
    };
    Append {
        user: USER.into(),
        run: run.into(),
        entries: vec![Sealed { seq: entry.seq, hash: entry.hash, body }],
        at: Timestamp::UNIX_EPOCH,
        status,
        spent: Spend::default(),
        fence: Fence::New(new),
        wait: Wait::Durable,
    }
}

fn manifest() -> Manifest {
    let language = Language::English;
    Manifest {
        embedder: None,
        language,
        languages: None,
        chunk_tokens: 200,
        smallest_chunk_tokens: 40,
    }
}

fn build_document(path: &str) -> NewDocument {
    let text = format!("Gulls nest in {path}.");
    let chunk = NewChunk {
        section: String::new(),
        start: 0,
        end: text.len() as u64,
        terms: format!("gull nest {path}"),
        pages: vec![],
        vector: vec![],
    };
    NewDocument {
        path: path.into(),
        kind: EvidenceKind::Rag,
        work: None,
        title: path.into(),
        format: "text".into(),
        reader_version: 0,
        file_sha256: path.into(),
        text_sha256: path.into(),
        text,
        metadata: Default::default(),
        chunks: vec![chunk],
        original: None,
    }
}

/// Returns a store with `many` ended runs, `many` documents in one collection, and `many` collections of runs.
async fn stocked(folder: &std::path::Path, many: u32) -> Store {
    let store = Store::open(folder).unwrap();
    let runs = (0..many).map(|number| store.append(made(&format!("r{number}"), Status::Completed)));
    assert!(join_all(runs).await.into_iter().all(|stored| stored.is_ok()));
    store.open(USER, "kb", &manifest()).await.unwrap();
    let documents = (0..many).map(|number| build_document(&format!("{number}.md"))).collect();
    store.put(USER, "kb", documents).await.unwrap();
    for number in 0..many {
        store.open(USER, &format!("run-{number}"), &manifest()).await.unwrap();
    }
    store
}

async fn steps(many: u32) -> Vec<(&'static str, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let steps = Steps::of(stocked(folder.path(), many).await).await;
    let listed = async |listing: Listing| {
        let limit = if listing.status == Some(Status::Queued) { 1_000 } else { FEW };
        steps
            .count(async |store| {
                store.list(USER, &Listing { limit, ..listing.clone() }).await.unwrap();
            })
            .await
    };
    let all = Listing::default;
    let status = |status| Listing { status: Some(status), ..all() };
    let method = |method: &str| Listing { method: Some(method.into()), ..all() };
    let text = |text: &str| Listing { text: Some(text.into()), ..all() };
    let made_now = AtomicU64::new(0);
    let next = || made_now.fetch_add(1, Ordering::Relaxed);
    let part = |after: Option<&str>| Part { after: after.map(str::to_owned), limit: FEW };
    vec![
        ("the newest runs", listed(all()).await),
        ("older runs", listed(Listing { before: Some("r15".into()), ..all() }).await),
        ("what waits, before one more is ordered", listed(status(Status::Queued)).await),
        ("runs that ended so", listed(status(Status::Completed)).await),
        ("runs of a method that there are none of", listed(method("market")).await),
        (
            "runs of a method that did not end so",
            listed(Listing { method: Some("ask".into()), ..status(Status::Partial) }).await,
        ),
        ("a text that all hold", listed(text("GULLS of")).await),
        ("a text that none holds", listed(text("kelp")).await),
        (
            "a text that none holds, of runs that ended so",
            listed(Listing { text: Some("kelp".into()), ..status(Status::Completed) }).await,
        ),
        ("pinned runs", listed(Listing { pinned: Some(true), ..all() }).await),
        ("runs that are not pinned", listed(Listing { pinned: Some(false), ..all() }).await),
        (
            "runs that are found by no text yet",
            steps.count(async |store| drop(store.without_text(FEW).await.unwrap())).await,
        ),
        (
            "a link that there is not",
            steps.count(async |store| assert_eq!(store.shared("x").await.unwrap(), None)).await,
        ),
        (
            "a title",
            steps
                .count(async |store| {
                    let title = Some("The gulls".to_owned());
                    let labelling = Labelling { title, pinned: None };
                    store.label(USER, "r3", &labelling).await.unwrap();
                })
                .await,
        ),
        (
            "the beginning of an id",
            steps.count(async |store| drop(store.find(USER, "r1").await.unwrap())).await,
        ),
        (
            "how many runs have not ended",
            steps.count(async |store| assert_eq!(store.tally().await.unwrap().waiting, 0)).await,
        ),
        (
            "what was used in a day",
            steps
                .count(async |store| {
                    let today = Day::of(Timestamp::from_second(1_767_225_600).unwrap());
                    assert_eq!(store.usage(USER, today).await.unwrap(), Usage::default());
                })
                .await,
        ),
        (
            "a run more",
            steps
                .count(async |store| {
                    store.append(made(&format!("new-{}", next()), Status::Queued)).await.unwrap();
                })
                .await,
        ),
        (
            "a document more",
            steps
                .count(async |store| {
                    let document = build_document(&format!("new-{}.md", next()));
                    store.put(USER, "kb", vec![document]).await.unwrap();
                })
                .await,
        ),
        (
            "the document at a path",
            steps
                .count(async |store| {
                    let paths = ["7.md".to_owned()];
                    assert_eq!(store.documents_at(USER, "kb", &paths).await.unwrap().len(), 1);
                })
                .await,
        ),
        (
            "documents after one",
            steps
                .count(async |store| {
                    let part = part(Some("10.md"));
                    let found = store.documents_part(USER, "kb", &part).await.unwrap();
                    assert_eq!(found.len(), FEW as usize);
                })
                .await,
        ),
        (
            "a collection",
            steps.count(async |store| drop(store.collection(USER, "kb").await.unwrap())).await,
        ),
        (
            "collections that are of no run",
            steps
                .count(async |store| {
                    let found = store.collections_part(USER, false, &part(None)).await.unwrap();
                    assert_eq!(found.len(), 1);
                })
                .await,
        ),
    ]
}

// proves: S1
#[tokio::test]
async fn what_a_call_reads_does_not_grow_with_what_is_stored() {
    let (few, many) = (steps(2 * FEW).await, steps(20 * FEW).await);
    for ((call, among_few), (_, among_many)) in few.into_iter().zip(many) {
        // The index levels to search grow with the logarithm of what is stored.
        assert!(
            among_many < 2 * among_few,
            "{call}: {among_few} steps with {} of each kind stored, {among_many} with {}",
            2 * FEW,
            20 * FEW
        );
    }
}
