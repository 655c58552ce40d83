//! Folders that are read once, and again.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use text::Language;

use super::*;
use crate::shelving::tests::{Lengths, Memory, lengths};
use crate::zipped::zipped;

/// A folder, and how often files of it were read.
struct Folder {
    at: tempfile::TempDir,
    library: Memory,
    reads: Arc<AtomicUsize>,
}

impl Folder {
    fn of(files: &[(&str, &[u8])]) -> Folder {
        let at = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(at.path().join(name), content).unwrap();
        }
        Folder { at, library: Memory::default(), reads: Arc::default() }
    }

    async fn ingest(&self, embedder: Option<&Lengths>) -> (Report, Vec<Progress>) {
        let paths = [self.at.path().to_owned()];
        let reads = Arc::clone(&self.reads);
        let order = Order {
            user: "me",
            collection: "c",
            paths: &paths,
            catalogues: &[],
            manifest: manifest(embedder),
            limits: Limits::default(),
            reader: Arc::new(move |name: &Path, bytes: &[u8], limits: &Limits| {
                reads.fetch_add(1, Ordering::Relaxed);
                crate::read(name, bytes, limits)
            }),
            metadata: BTreeMap::new(),
            prune: false,
            keep_originals: false,
        };
        let mut seen = Vec::new();
        let embedder = embedder.map(|embedder| embedder as &dyn Embedder);
        let hear = |progress: &Progress| seen.push(progress.clone());
        let report = ingest(&self.library, embedder, &order, hear).await.unwrap();
        (report, seen)
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }
}

fn manifest(embedder: Option<&Lengths>) -> Manifest {
    Manifest {
        embedder: embedder.map(|embedder| embedder.embedding().clone()),
        language: Language::English,
        languages: None,
        chunk_tokens: 256,
        smallest_chunk_tokens: 40,
    }
}

fn rows(count: usize) -> Vec<u8> {
    let rows = (0..count).map(|row| format!("gull {row},{}\n", row * 7));
    format!("bird,weight\n{}", rows.collect::<String>()).into_bytes()
}

// proves: A6
#[tokio::test]
async fn a_file_of_the_same_bytes_is_read_again_only_if_its_reader_has_changed() {
    let model = lengths();
    let mail = b"From: a@b.org\nTo: c@d.org\nSubject: Gulls\nMessage-ID: <1@b.org>\n\nTwo gulls sat there.\n";
    for embedder in [None, Some(&model)] {
        let folder = Folder::of(&[("a.md", b"Two birds sat there."), ("b.eml", mail)]);
        let (report, _) = folder.ingest(embedder).await;
        assert_eq!((report.added, folder.reads()), (2, 2));
        let (report, _) = folder.ingest(embedder).await;
        assert_eq!((report.unchanged, folder.reads()), (2, 2));
        let versions = || -> Vec<u32> {
            let documents = folder.library.documents.lock().unwrap();
            documents.iter().map(|document| document.reader_version).collect()
        };
        let current = versions();
        assert!(current.iter().all(|version| *version > 0));
        // As an earlier version of the program left it.
        folder.library.documents.lock().unwrap()[0].reader_version = 0;
        let (report, _) = folder.ingest(embedder).await;
        assert_eq!((report.unchanged, folder.reads(), versions()), (2, 3, current));
        let (report, _) = folder.ingest(embedder).await;
        assert_eq!((report.unchanged, folder.reads()), (2, 3));
    }
}

// proves: A6
#[tokio::test]
async fn what_is_unchanged_is_counted_with_the_files_within() {
    let rows = String::from_utf8(rows(2_500)).unwrap();
    let mail = format!(
        "From: a@b.org\nSubject: Gulls\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nTwo gulls sat.\n\
         --x\nContent-Type: text/csv; name=long.csv\nContent-Disposition: attachment; filename=long.csv\n\n{rows}\n--x--\n"
    );
    let archive = zipped(&[("c.md", "Three birds sat."), ("d.md", "Four birds sat.")]);
    let folder = Folder::of(&[
        ("a.md", b"A bird sat there."),
        ("b.eml", mail.as_bytes()),
        ("c.zip", &archive),
        ("empty.zip", &zipped(&[("nothing.md", "")])),
    ]);
    let (first, _) = folder.ingest(None).await;
    assert_eq!((first.added, first.unchanged, first.incomplete.len()), (5, 0, 1), "{first:?}");
    let (again, _) = folder.ingest(None).await;
    assert_eq!((again.added, again.unchanged), (0, 5), "{again:?}");
    assert_eq!(again.incomplete, first.incomplete);
}

// proves: A6
#[tokio::test]
async fn a_note_of_a_vault_is_read_as_its_program_shows_it() {
    let note = b"# Tea\n\nTea is hot. %%ask Ann%% ^tea-01\n";
    let folder = Folder::of(&[("tea.md", note)]);
    let said = || folder.library.documents.lock().unwrap()[0].text.clone();
    folder.ingest(None).await;
    assert_eq!(said().as_bytes(), note);
    std::fs::create_dir(folder.at.path().join(".obsidian")).unwrap();
    std::fs::write(folder.at.path().join("tea.md"), [&note[..], b"\nMilk."].concat()).unwrap();
    folder.ingest(None).await;
    assert_eq!(said(), "# Tea\n\nTea is hot.\n\nMilk.");
}

// proves: A6
#[tokio::test]
async fn a_page_is_read_in_the_language_that_it_surely_shows() {
    let german = "<p>Der Griff der Pumpe wurde am folgenden Tag entfernt, und der Ausbruch ging zu Ende.</p>";
    let page = |body: &str| format!("<html lang='en'><body><h1>Pumpe</h1>{body}</body></html>");
    let folder = Folder::of(&[
        ("long.html", page(&german.repeat(20)).as_bytes()),
        ("short.html", page(german).as_bytes()),
    ]);
    folder.ingest(None).await;
    let documents = folder.library.documents.lock().unwrap();
    let said = |name: &str, key: &str| {
        let document = documents.iter().find(|it| it.path.ends_with(name)).unwrap();
        document.metadata.get(key).cloned().unwrap_or_default()
    };
    assert_eq!(
        (said("long.html", "lang"), said("long.html", "declared_lang")),
        ("de".into(), "en".into())
    );
    assert_eq!(
        (said("short.html", "lang"), said("short.html", "declared_lang")),
        ("en".into(), String::new())
    );
}

// proves: A6
#[tokio::test]
async fn what_documents_lack_of_their_files_is_told_each_time() {
    let folder = Folder::of(&[("whole.csv", &rows(20)), ("long.csv", &rows(2_500))]);
    for stored in ["added", "unchanged"] {
        let (report, _) = folder.ingest(None).await;
        let count = if stored == "added" { report.added } else { report.unchanged };
        assert_eq!((count, report.problems.len()), (2, 0), "{report:?}");
        let [lacking] = report.incomplete.as_slice() else { panic!("{report:?}") };
        assert!(lacking.path.ends_with("long.csv"), "{lacking:?}");
        assert_eq!(lacking.reason, "left out: 500 rows of a table of 2,500 rows");
    }
    let named = Named {
        user: "me",
        collection: "c",
        path: &folder.at.path().join("long.csv"),
        name: "upload.csv",
        manifest: manifest(None),
        limits: Limits::default(),
        reader: Arc::new(crate::read),
        metadata: BTreeMap::new(),
        keep_originals: false,
    };
    for _ in 0..2 {
        let taken = take_file(&folder.library, None, &named).await.unwrap();
        let [lacking] = taken.problems.as_slice() else { panic!("{taken:?}") };
        assert_eq!(lacking.path, "upload.csv");
        assert!(lacking.reason.starts_with("left out: 500 rows"), "{lacking:?}");
        assert_eq!(taken.document.metadata["left_out"], "500 rows of a table of 2,500 rows");
    }
}

// proves: A6
#[tokio::test]
async fn progress_counts_files_and_not_the_files_within() {
    let many: Vec<(String, String)> =
        (0..40).map(|number| (format!("{number}.md"), format!("Bird {number} sat."))).collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = Folder::of(&[
        ("a.zip", &zipped(&many)),
        ("b.md", b"Two birds sat there."),
        ("broken.pdf", b"not a PDF"),
        ("empty.zip", &zipped(&[("nothing.md", "")])),
    ]);
    let (report, seen) = folder.ingest(None).await;
    assert_eq!((report.added, report.problems.len()), (41, 2), "{report:?}");
    assert!(seen.iter().all(|progress| progress.all == 4 && progress.done <= 4), "{seen:?}");
    assert!(seen.is_sorted_by_key(|progress| progress.done));
    assert_eq!(seen.last().unwrap().done, 4);
}

#[test]
fn a_file_is_settled_with_the_last_of_its_items() {
    let mut under_way = UnderWay { files: [2, 0, 1, 3].into(), ..UnderWay::default() };
    assert_eq!(under_way.settle(1), 0);
    assert_eq!(under_way.settle(1), 2);
    assert_eq!(under_way.settle(3), 1);
    assert_eq!(under_way.settle(1), 1);
    assert_eq!(under_way.settle(0), 0);
}

// proves: A6
#[tokio::test]
async fn works_whose_files_are_away_keep_their_documents() {
    let bib = b"@misc{a1,\n title = {Lamps of the coast},\n file = {a.md},\n}\n";
    let folder =
        Folder::of(&[("refs.bib", bib), ("a.md", b"---\nauthor: Ann Lee\n---\nTwo lamps.\n")]);
    let (report, _) = folder.ingest(None).await;
    assert_eq!((report.added, folder.reads()), (2, 2), "{report:?}");
    // What the file says of its author does not make it another.
    let (report, _) = folder.ingest(None).await;
    assert_eq!((report.unchanged, folder.reads()), (2, 2), "{report:?}");
    std::fs::remove_file(folder.at.path().join("a.md")).unwrap();
    let (report, _) = folder.ingest(None).await;
    assert_eq!((report.added, report.removed, report.problems.len()), (0, 0, 1), "{report:?}");
    let documents = folder.library.documents.lock().unwrap();
    let paths: Vec<_> = documents.iter().map(|it| it.path.rsplit('/').next().unwrap()).collect();
    assert!(paths.contains(&"a.md") && paths.contains(&"a1.md"), "{paths:?}");
}
