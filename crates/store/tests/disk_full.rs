//! A disk that fills up while the store writes, and is grown again.
//!
//! The test runs itself once more in a mount namespace of its own, where a few megabytes of memory
//! are the disk. It needs Linux and either root or user namespaces.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use run::entry::{Head, verify};
use run::error::PortError;
use run::library::{Library, Manifest, NewChunk, NewDocument, Put, Retrieval, Search};
use run::log::{Fence, Listing, Log, LogError, Status, Wait};
use store::{OpenError, Store};
use text::{Language, terms};

use conformance::story::{Story, USER, lines, said};

const DISK: &str = "QUAESTIO_SMALL_DISK";
const SIZE: &str = "QUAESTIO_SMALL_DISK_SIZE";
/// Smaller than the write-ahead log may become, and larger.
const SIZES: [&str; 2] = ["3m", "12m"];
const GROWN: &str = "64m";

// proves: C1
#[test]
fn a_full_disk_stops_writes_and_not_reads_and_loses_nothing() {
    let Some(disk) = std::env::var_os(DISK).map(PathBuf::from) else {
        for size in SIZES {
            in_a_namespace(size);
        }
        return;
    };
    mount(&disk, &format!("size={}", std::env::var(SIZE).unwrap()));
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime.block_on(fill_and_grow(&disk));
    println!("the inner test has passed");
}

/// Runs this test again where it may mount.
fn in_a_namespace(size: &str) {
    let folder = tempfile::tempdir().unwrap();
    let test = "a_full_disk_stops_writes_and_not_reads_and_loses_nothing";
    let ran = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(DISK, folder.path())
        .env(SIZE, size)
        .output()
        .expect("util-linux has unshare");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    // A panic on any thread shows here, even one that was caught.
    let quiet = !err.contains("panicked") && out.contains("the inner test has passed");
    assert!(ran.status.success() && quiet, "with {size}: {out}\n{err}");
}

fn mount(disk: &Path, options: &str) {
    let done = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(disk)
        .status()
        .unwrap();
    assert!(done.success(), "mounting with {options}");
}

fn document(path: &str, text: &str) -> NewDocument {
    let chunk = NewChunk {
        section: String::new(),
        start: 0,
        end: text.len() as u64,
        terms: terms(text, Language::English).join(" "),
        pages: Vec::new(),
        vector: Vec::new(),
    };
    NewDocument {
        kind: run::evidence::EvidenceKind::Rag,
        work: None,
        path: path.into(),
        title: path.into(),
        format: "text".into(),
        reader_version: 0,
        file_sha256: path.into(),
        text: text.into(),
        text_sha256: text.len().to_string(),
        metadata: BTreeMap::new(),
        chunks: vec![chunk],
        original: None,
    }
}

/// What was acknowledged, and must be there.
#[derive(Default)]
struct Acknowledged {
    entries: BTreeMap<String, Vec<String>>,
    documents: Vec<String>,
}

impl Acknowledged {
    async fn all_there(&self, store: &Store) {
        for (run, expected) in &self.entries {
            let entries = store.entries(USER, run, 0).await.unwrap();
            assert!(verify(&entries).is_ok());
            assert_eq!(lines(&entries)[1..], *expected, "{run}");
            let row = store.summary(USER, run).await.unwrap();
            assert_eq!(row.entries, expected.len() as u64 + 1);
        }
        assert_eq!(store.list(USER, &Listing::default()).await.unwrap().len(), self.entries.len());
        assert_eq!(store.find(USER, "").await.unwrap().len(), self.entries.len());
        let paths: Vec<String> = store
            .documents(USER, "kb")
            .await
            .unwrap()
            .into_iter()
            .map(|document| document.path)
            .collect();
        assert_eq!(paths, self.documents);
        let found = store.search(USER, &question(), None).await.unwrap();
        assert_eq!(found.passages.len(), self.documents.len());
        assert_eq!(found.chunks, self.documents.len() as u64);
        for stored in store.documents(USER, "kb").await.unwrap() {
            assert!(store.document(USER, &stored.document_id).await.unwrap().is_some());
        }
    }
}

fn question() -> Search {
    Search {
        collection: "kb".into(),
        question: "gulls".into(),
        filter: BTreeMap::new(),
        top_k: u32::MAX,
        retrieval: Retrieval::Lexical,
    }
}

async fn fill_and_grow(disk: &Path) {
    let store = Store::open(disk).unwrap();
    let manifest = Manifest {
        embedder: None,
        language: Language::English,
        languages: Some(Default::default()),
        chunk_tokens: 200,
        smallest_chunk_tokens: 40,
    };
    store.open(USER, "kb", &manifest).await.unwrap();
    let mut known = Acknowledged::default();
    let mut stories: Vec<Story> = ["a", "b", "c"].map(Story::new).into();
    for story in &mut stories {
        store.append(story.create(Some(store.owner()))).await.unwrap();
        known.entries.insert(story.run.clone(), Vec::new());
    }

    let mut asking = Story::new("asking");
    store.append(asking.create(Some(store.owner()))).await.unwrap();
    store.append(asking.turn("which?", Status::Waiting, Wait::Durable)).await.unwrap();
    known.entries.insert("asking".into(), vec!["which?".into()]);

    let text = "gulls feed ".repeat(400);
    let line = |number: usize| format!("{number} {}", "x".repeat(4_000));
    let mut full = false;
    for number in 0..10_000 {
        if number % 5 == 0 {
            let path = format!("{number:05}.md");
            match store.put(USER, "kb", vec![document(&path, &text)]).await {
                Ok(put) => {
                    assert_eq!(put, [Put::Added]);
                    known.documents.push(path);
                }
                Err(PortError::DiskFull { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        let story = &mut stories[number % 3];
        let before = story.head;
        let line = line(number);
        match store.append(story.say(&line, Wait::Durable)).await {
            Ok(()) => known.entries.get_mut(&story.run).unwrap().push(line),
            Err(LogError::DiskFull) => {
                story.head = before;
                full = true;
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(full, "the disk never filled");
    assert_eq!(store.writable().await, Err(LogError::DiskFull));
    known.all_there(&store).await;

    // It stays full: every write is refused, every read is answered, from here and from another process's store.
    for number in 0..200 {
        let story = &mut stories[number % 3];
        let before = story.head;
        match store.append(story.say(&line(number), Wait::Durable)).await {
            Err(LogError::DiskFull) => story.head = before,
            // A refused transaction gives its place back, so a smaller one may fit in between.
            Ok(()) => known.entries.get_mut(&story.run).unwrap().push(line(number)),
            other => panic!("{other:?}"),
        }
        if number % 20 == 0 {
            let put = store.put(USER, "kb", vec![document("never.md", &text.repeat(20))]).await;
            assert!(matches!(put, Err(PortError::DiskFull { .. })), "{put:?}");
        }
    }
    known.all_there(&store).await;
    let other = Store::open(disk).unwrap();
    known.all_there(&other).await;
    drop(other);

    // An answer is refused too, and may be given again.
    let answer = asking.clone().answer(&"z".repeat(16_000_000), Status::Waiting, Status::Queued);
    assert_eq!(store.append(answer).await, Err(LogError::DiskFull));

    // An append that nobody waited for and that found no place stops its run's attempt, and no other.
    let mut lost = stories[2].clone();
    let huge = lost.seal(said(&"y".repeat(16_000_000)));
    drop(store.append(lost.append(vec![huge], Status::Running, Fence::Attempt(1), Wait::Soon)));
    let close = stories[2].append(vec![], Status::Partial, Fence::Attempt(1), Wait::Durable);
    assert_eq!(store.append(close.clone()).await, Err(LogError::DiskFull));

    mount(disk, &format!("remount,size={GROWN}"));
    assert_eq!(store.append(close).await, Err(LogError::DiskFull), "that attempt has a hole");
    assert_eq!(store.writable().await, Ok(()));
    for number in 0..100 {
        let story = &mut stories[number % 2];
        let line = line(number);
        store.append(story.say(&line, Wait::Durable)).await.unwrap();
        known.entries.get_mut(&story.run).unwrap().push(line);
    }
    assert_eq!(store.put(USER, "kb", vec![document("zzz.md", &text)]).await, Ok(vec![Put::Added]));
    known.documents.push("zzz.md".into());
    known.all_there(&store).await;
    store.append(asking.answer("blue", Status::Waiting, Status::Queued)).await.unwrap();
    known.entries.get_mut("asking").unwrap().push("blue".into());
    stories.push(asking);
    drop(store);

    let store = Store::open(disk).unwrap();
    for story in &mut stories {
        let entries = store.entries(USER, &story.run, 0).await.unwrap();
        let head: Head = verify(&entries).unwrap();
        let attempt = store.claim(USER, &story.run, store.owner()).await.unwrap();
        *story = Story { head, attempt, ..Story::new(&story.run) };
        store.append(story.turn("the end", Status::Completed, Wait::Durable)).await.unwrap();
        known.entries.get_mut(&story.run).unwrap().push("the end".into());
    }
    known.all_there(&store).await;
    store.check().await.unwrap();
    drop(store);

    // Where nothing can be written any more, what is there can still be read.
    mount(disk, "remount,ro");
    assert!(matches!(Store::open(disk).err(), Some(OpenError::ReadOnly { .. })));
    let store = Store::open_to_read(disk).unwrap();
    known.all_there(&store).await;
    let refused = store.put(USER, "kb", vec![document("never.md", &text)]).await;
    assert!(matches!(refused, Err(PortError::Store { .. })), "{refused:?}");
}
