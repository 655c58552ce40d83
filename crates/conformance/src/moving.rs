//! What every database that can be moved must do.

use std::collections::BTreeMap;

use run::entry::Hash;
use run::error::PortError;
use run::history::Share;
use run::library::{
    Collection, Library, Manifest, NewDocument, Original, StoredDocument, chunk_name, document_id,
};
use run::log::{Fence, Listing, Log, NewRun, RequestKey, Sealed, Status, Wait};
use run::moving::{
    CollectionRow, Expected, MOST_BYTES, MOST_ENTRIES, Movable, RunRow, WholeChunk, WholeDocument,
    is_same_document,
};

use crate::library::{document, embedding, manifest};
use crate::story::{Story, USER, at, said};

const OTHER: &str = "bob";

/// A database that can be moved.
pub trait House: Movable + Library + Log {}

impl<D: Movable + Library + Log> House for D {}

/// Stores a run of this many entries, and returns its row and its log.
async fn write_run(house: &impl House, run: &str, entries: u64) -> (RunRow, Vec<Sealed>) {
    let mut story = Story::new(run);
    let mut log = vec![story.seal(said("once upon a time"))];
    log.extend((1..entries).map(|number| story.seal(said(&format!("line {number}")))));
    let request = RequestKey { key: format!("key of {run}"), request: Hash::of(run.as_bytes()) };
    let new = NewRun {
        method: "ask".into(),
        question: "Müssen Möwen füttern?\0".into(),
        owner: None,
        key: Some(request),
        at_most: None,
    };
    let append = story.append(log.clone(), Status::Queued, Fence::New(new), Wait::Durable);
    house.append(append).await.unwrap();
    (house.run_row(USER, run).await.unwrap().unwrap(), log)
}

async fn read_log(house: &impl House, user: &str, run: &str) -> Vec<(u64, Hash, Vec<u8>)> {
    let log = house.sealed(user, run, 0).await.unwrap();
    log.into_iter().map(|one| (one.seq, one.hash, one.body)).collect()
}

pub async fn a_run_is_put_where_it_stands_as_expected(house: &impl House) {
    let (row, log) = write_run(house, "r", 6).await;
    assert_eq!((row.last_seq, row.status, row.attempt), (6, Status::Queued, 0));
    assert_eq!(row.key.as_ref().unwrap().key, "key of r");
    let put = async |row: &RunRow, expected, entries: &[Sealed]| {
        house.put_run(row, expected, entries).await.unwrap()
    };
    let whole = RunRow { user: OTHER.into(), status: Status::Partial, attempt: 3, ..row.clone() };
    let part = RunRow { status: Status::Waiting, last_seq: 4, ..whole.clone() };
    assert!(!put(&part, Expected::At(0), &log[..4]).await, "it is not there");
    assert!(put(&part, Expected::Absent, &log[..4]).await);
    assert!(!put(&part, Expected::Absent, &log[..4]).await, "it is there");
    assert!(!put(&whole, Expected::At(3), &log[3..]).await);
    assert!(house.run_row(OTHER, "r").await.unwrap().unwrap().says_same(&part));
    assert!(put(&whole, Expected::At(4), &log[4..]).await);
    let there = house.run_row(OTHER, "r").await.unwrap().unwrap();
    assert!(there.says_same(&whole), "{there:?}");
    assert_eq!(there.attempt, 3);
    assert_eq!(read_log(house, OTHER, "r").await, read_log(house, USER, "r").await);
    let summary = house.summary(OTHER, "r").await.unwrap();
    assert_eq!(summary.question, "Müssen Möwen füttern?\0");
    let listing = Listing { text: Some("MÜSSEN".into()), ..Listing::default() };
    assert_eq!(house.list(OTHER, &listing).await.unwrap(), [summary]);
    let ended = house.ended_before(Some(OTHER), at(1_000), 9).await.unwrap();
    assert_eq!(ended, [(OTHER.to_owned(), "r".to_owned())]);
    assert_eq!(house.users().await.unwrap(), [USER, OTHER]);
}

pub async fn a_run_that_is_put_takes_no_key_and_no_run_from_its_worker(house: &impl House) {
    let (row, log) = write_run(house, "r", 3).await;
    let named_so = RunRow { run: "s".into(), ..row.clone() };
    assert!(!house.put_run(&named_so, Expected::Absent, &log).await.unwrap());
    assert_eq!(house.run_row(USER, "s").await.unwrap(), None);
    assert_eq!(house.sealed(USER, "s", 0).await.unwrap().len(), 0);

    let attempt = house.claim(USER, "r", "somebody").await.unwrap();
    let held = house.run_row(USER, "r").await.unwrap().unwrap();
    assert_eq!((held.status, held.attempt), (Status::Running, attempt));
    assert_eq!(held.at_rest().status, Status::Queued);
    let ended = RunRow { status: Status::Completed, attempt: 9, ..row };
    assert!(!house.put_run(&ended, Expected::At(3), &[]).await.unwrap());
    house.release(USER, "r", "somebody").await.unwrap();
    assert!(house.put_run(&ended, Expected::At(3), &[]).await.unwrap());
    assert_eq!(house.summary(USER, "r").await.unwrap().status, Status::Completed);
}

pub async fn what_a_user_made_of_a_run_is_put_where_it_is_missing(house: &impl House) {
    let (row, log) = write_run(house, "r", 3).await;
    let link = |id: &str| Share { id: id.into(), secret: Hash::of(b"s"), created_at: at(7) };
    let labelled = RunRow {
        user: OTHER.into(),
        title: Some("Möwen\0".into()),
        pinned: true,
        shares: vec![link("one")],
        ..row.clone()
    };
    let bare = RunRow { user: OTHER.into(), ..row };
    assert!(labelled.is_labelled_beyond(&bare) && !bare.is_labelled_beyond(&labelled));
    assert!(house.put_run(&labelled, Expected::Absent, &log).await.unwrap());
    let there = async || house.run_row(OTHER, "r").await.unwrap().unwrap();
    assert!(there().await.says_same(&labelled) && !labelled.is_labelled_beyond(&there().await));
    assert_eq!(there().await.shares, [link("one")]);
    let found = Listing { text: Some("MÖWEN".into()), ..Listing::default() };
    assert_eq!(house.list(OTHER, &found).await.unwrap().len(), 1);
    // What is there is not taken away, and what came is added.
    let since = RunRow {
        title: Some("other".into()),
        pinned: false,
        shares: vec![link("two")],
        ..labelled.clone()
    };
    assert!(house.put_run(&since, Expected::At(3), &[]).await.unwrap());
    let now = there().await;
    assert_eq!((now.title.as_deref(), now.pinned), (Some("Möwen\0"), true));
    assert_eq!(now.shares, [link("one"), link("two")]);
    assert_eq!(house.run_row(USER, "r").await.unwrap().unwrap().shares, []);
}

pub async fn runs_are_listed_in_the_order_in_which_they_were_put(house: &impl House) {
    let (row, log) = write_run(house, "any", 1).await;
    let ids = ["c", "a", "d", "b"];
    for run in ids {
        let put = RunRow { user: OTHER.into(), run: run.into(), key: None, ..row.clone() };
        assert!(house.put_run(&put, Expected::Absent, &log).await.unwrap());
    }
    let mut found = Vec::new();
    let mut after = 0;
    loop {
        let rows = house.run_rows(OTHER, after, 3).await.unwrap();
        let Some(last) = rows.last() else { break };
        assert!(last.number > after && rows.len() <= 3);
        after = last.number;
        found.extend(rows.into_iter().map(|row| row.run));
    }
    assert_eq!(found, ids);
    let listed = house.list(OTHER, &Listing::default()).await.unwrap();
    let listed: Vec<String> = listed.into_iter().rev().map(|row| row.run_id).collect();
    assert_eq!(listed, ids);
    assert_eq!(house.run_rows("nobody", 0, 3).await.unwrap(), []);
}

pub async fn a_log_comes_in_parts_of_bounded_size(house: &impl House) {
    let many = u64::from(MOST_ENTRIES) + 5;
    write_run(house, "long", many).await;
    let first = house.sealed(USER, "long", 0).await.unwrap();
    assert_eq!(first.len(), MOST_ENTRIES as usize);
    let rest = house.sealed(USER, "long", first.last().unwrap().seq).await.unwrap();
    assert_eq!(
        rest.iter().map(|one| one.seq).collect::<Vec<_>>(),
        (many - 4..=many).collect::<Vec<_>>()
    );

    let mut story = Story::new("large");
    house.append(story.create(None)).await.unwrap();
    story.attempt = house.claim(USER, "large", "somebody").await.unwrap();
    let line = "x".repeat(MOST_BYTES as usize * 2 / 3);
    for _ in 0..3 {
        house.append(story.say(&line, Wait::Durable)).await.unwrap();
    }
    let numbers = async |after: u64| {
        let part = house.sealed(USER, "large", after).await.unwrap();
        part.iter().map(|one| one.seq).collect::<Vec<_>>()
    };
    assert_eq!(numbers(1).await, [2, 3]);
    assert_eq!(numbers(3).await, [4]);
    assert_eq!(numbers(4).await, Vec::<u64>::new());
}

fn build_row(id: i64, user: &str, name: &str, manifest: &Manifest) -> CollectionRow {
    let collection = Collection {
        name: name.into(),
        manifest: manifest.clone(),
        documents: 0,
        chunks: 0,
        original_bytes: 0,
        created_at: at(1),
        updated_at: at(2),
    };
    CollectionRow { id, user: user.into(), collection }
}

pub async fn a_collection_keeps_its_id_and_no_later_one_gets_it(house: &impl House) {
    assert_eq!(house.last_collection_id().await.unwrap(), 0);
    let row = build_row(41, OTHER, "kb", &manifest());
    assert!(house.put_collection(&row).await.unwrap());
    for taken in [
        row.clone(),
        build_row(41, USER, "other", &manifest()),
        build_row(42, OTHER, "kb", &manifest()),
    ] {
        assert!(!house.put_collection(&taken).await.unwrap(), "{taken:?}");
    }
    assert_eq!(house.collection_row(41).await.unwrap(), Some(row.clone()));
    assert_eq!(house.collection_row(42).await.unwrap(), None);
    // Lower ones are taken too, as they come.
    assert!(house.put_collection(&build_row(7, OTHER, "a", &manifest())).await.unwrap());
    assert_eq!(house.last_collection_id().await.unwrap(), 41);
    house.open(USER, "made", &manifest()).await.unwrap();
    let id = async |user: &str, name: &str| {
        let rows = house.collection_rows(user, None, 9).await.unwrap();
        rows.into_iter().find(|row| row.collection.name == name).map(|row| row.id)
    };
    assert!(id(USER, "made").await.unwrap() > 41);
    house.pass_collection_ids(1_000).await.unwrap();
    house.pass_collection_ids(500).await.unwrap();
    assert_eq!(house.last_collection_id().await.unwrap(), 1_000);
    house.open(USER, "later", &manifest()).await.unwrap();
    assert!(id(USER, "later").await.unwrap() > 1_000);
    let rows = house.collection_rows(OTHER, Some("a"), 9).await.unwrap();
    assert_eq!(rows, [row]);
    assert_eq!(house.collection_rows(OTHER, None, 1).await.unwrap()[0].collection.name, "a");
}

/// Returns a document as it is stored in the collection `kb` with this id.
fn whole(collection: i64, new: NewDocument, dimensions: usize) -> WholeDocument {
    let original = new.original_bytes().map(<[u8]>::to_vec);
    let chunks = (1..).zip(new.chunks).map(|(number, chunk)| WholeChunk {
        number,
        text: new.text[chunk.start as usize..chunk.end as usize].to_owned(),
        section: chunk.section,
        start: chunk.start,
        end: chunk.end,
        terms: Some(chunk.terms),
        pages: vec![run::evidence::Page { number: 3, start: 0 }],
        vector: (dimensions > 0).then(|| vec![0.6; dimensions]),
    });
    let chunks: Vec<WholeChunk> = chunks.collect();
    let about = StoredDocument {
        document_id: document_id(collection, &new.path),
        collection: "kb".into(),
        path: new.path,
        kind: new.kind,
        work: new.work,
        title: new.title,
        format: new.format,
        reader_version: new.reader_version,
        file_sha256: new.file_sha256,
        text_sha256: new.text_sha256,
        metadata: BTreeMap::from([("topic".into(), "gulls\0".into())]),
        chunks: chunks.len() as u64,
        original_bytes: original.as_ref().map(|original| original.len() as u64),
        ingested_at: at(3),
    };
    WholeDocument { about, text: new.text, chunks, original }
}

pub async fn a_document_arrives_with_its_index_to_the_byte(house: &impl House) {
    let manifest = Manifest { embedder: Some(embedding("any", 4)), ..manifest() };
    let row = build_row(5, USER, "kb", &manifest);
    assert!(house.put_collection(&row).await.unwrap());
    let text = "Möwen füttern.\0\n\nTerns dive for fish.";
    let file = b"the file\0".to_vec();
    let file_sha256 = run::entry::Hash::of(&file).to_string();
    let new = NewDocument {
        file_sha256,
        original: Some(Original::Bytes(file)),
        reader_version: 3,
        ..document("a/b.md", text)
    };
    let given = whole(5, new, 4);
    assert_eq!(given.faults(5, &manifest), Vec::<String>::new());
    let put = async || house.put_whole_document(USER, 5, given.clone()).await.unwrap();
    assert!(put().await);
    assert!(!put().await, "it is there");
    let id = &given.about.document_id;
    assert_eq!(house.whole_document(USER, id).await.unwrap(), Some(given.clone()));
    assert_eq!(house.whole_document(OTHER, id).await.unwrap(), None);
    let listed = house.documents(USER, "kb").await.unwrap();
    assert!(is_same_document(&listed[0], &given.about) && listed.len() == 1);
    let passage = house.passage(USER, &chunk_name(id, 2)).await.unwrap().unwrap();
    assert_eq!(passage.text, "Terns dive for fish.");
    let collection = house.collection_row(5).await.unwrap().unwrap();
    assert!(collection.is_same(&row));
    let Collection { documents, chunks, original_bytes, updated_at, .. } = collection.collection;
    assert_eq!((documents, chunks, original_bytes, updated_at), (1, 2, 9, at(3)));
    // It is found, and replaced like any other.
    let search = run::library::Search {
        collection: "kb".into(),
        question: "terns".into(),
        filter: BTreeMap::new(),
        top_k: 9,
        retrieval: run::library::Retrieval::Lexical,
    };
    let found = house.search(USER, &search, None).await.unwrap();
    assert_eq!(found.passages[0].chunk_id, chunk_name(id, 2));
    assert!(house.remove_document(USER, id).await.unwrap());
    assert_eq!(house.whole_document(USER, id).await.unwrap(), None);
    assert_eq!(house.orphans(9).await.unwrap(), []);
}

pub async fn a_document_that_does_not_fit_is_refused(house: &impl House) {
    assert!(house.put_collection(&build_row(5, USER, "kb", &manifest())).await.unwrap());
    let fitting = || whole(5, document("a.md", "Gulls.\n\nTerns."), 0);
    let mut beyond = fitting();
    beyond.chunks[1].end = 100;
    for (user, collection, document) in [
        (USER, 6, fitting()),
        (OTHER, 5, fitting()),
        (USER, 5, whole(5, document("a.md", "Gulls."), 4)),
        (USER, 5, beyond),
    ] {
        let put = house.put_whole_document(user, collection, document).await;
        assert!(matches!(put, Err(PortError::Invalid { .. })), "{put:?}");
    }
    assert_eq!(house.documents(USER, "kb").await.unwrap(), []);
    assert_eq!(house.collection_row(5).await.unwrap().unwrap().collection.documents, 0);
}
