//! Moving house: what an operator reads of one database and writes to another, and what a check of a database reads.
//!
//! These ports cover all users. What is read is what is stored, so that what is written is the same: ids, bodies, hashes and times.
//! Writing adds what is missing, and changes or removes nothing else. Lists come in parts, so that memory does not grow with them.
//!
//! A stored value that cannot be read is [`PortError::Invalid`], and what else is stored can still be read. Any other error is the
//! store's own.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::budget::Spend;
use crate::entry::{Entry, Hash, Head, verify_from};
use crate::error::PortError;
use crate::evidence::Page;
use crate::files::{FileRef, StoredFiles};
use crate::history::Share;
use crate::library::{
    Collection, Manifest, NewChunk, NewDocument, Original, StoredDocument, document_id,
};
use crate::log::{RequestKey, Sealed, Status};

/// The maximum number of entries in a part of a log.
pub const MOST_ENTRIES: u32 = 1_000;
/// With this many bytes of entries a part of a log ends; the entry that reaches it belongs to it.
pub const MOST_BYTES: u64 = 4 << 20;

/// The row of a run as it is stored, without who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub user: String,
    pub run: String,
    /// Its place among the runs of its user, in the order of their creation. Another database gives it another number.
    pub number: i64,
    pub method: String,
    pub question: String,
    pub status: Status,
    pub attempt: u32,
    /// The number of entries in its log.
    pub last_seq: u64,
    pub spent: Spend,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub key: Option<RequestKey>,
    pub title: Option<String>,
    pub pinned: bool,
    /// The links by which others read it, the oldest first.
    pub shares: Vec<Share>,
}

impl RunRow {
    /// Returns whether something that its user made of the run is missing in the other row: a title, a pin, or a link.
    pub fn is_labelled_beyond(&self, other: &RunRow) -> bool {
        let is_there = |share: &Share| other.shares.iter().any(|known| known.id == share.id);
        (self.title.is_some() && other.title.is_none())
            || (self.pinned && !other.pinned)
            || !self.shares.iter().all(is_there)
    }

    /// Returns the row as it is where nobody works on the run: one that was running is queued.
    pub fn at_rest(self) -> RunRow {
        let status = if self.status == Status::Running { Status::Queued } else { self.status };
        RunRow { status, ..self }
    }

    /// Returns whether both rows are of the same run, whatever has been done of it.
    pub fn is_same_run(&self, other: &RunRow) -> bool {
        (&self.user, &self.run, &self.method, &self.question, &self.key)
            == (&other.user, &other.run, &other.method, &other.question, &other.key)
            && same_moment(self.created_at, other.created_at)
    }

    /// Returns whether both rows say the same of the run, apart from its number, its attempt, who works on it, and what its user made of
    /// it.
    pub fn says_same(&self, other: &RunRow) -> bool {
        let (one, other) = (self.clone().at_rest(), other.clone().at_rest());
        one.is_same_run(&other)
            && (one.status, one.last_seq, one.spent) == (other.status, other.last_seq, other.spent)
            && same_moment(one.updated_at, other.updated_at)
    }
}

/// Returns whether two instants are the same where not every database keeps nanoseconds.
pub fn same_moment(one: Timestamp, other: Timestamp) -> bool {
    one.duration_since(other).abs() < SignedDuration::from_micros(1)
}

/// Where a run must stand for its row to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// There is no such run.
    Absent,
    /// Its log ends with this entry, and nobody works on it.
    At(u64),
}

/// A collection with its id, from which the ids of its documents follow.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionRow {
    pub id: i64,
    pub user: String,
    pub collection: Collection,
}

impl CollectionRow {
    /// Returns whether both are the same collection, whatever documents it has.
    pub fn is_same(&self, other: &CollectionRow) -> bool {
        (self.id, &self.user, &self.collection.name, &self.collection.manifest)
            == (other.id, &other.user, &other.collection.name, &other.collection.manifest)
            && same_moment(self.collection.created_at, other.collection.created_at)
    }
}

/// A document with everything that is stored of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeDocument {
    pub about: StoredDocument,
    pub text: String,
    /// By number.
    pub chunks: Vec<WholeChunk>,
    /// The file that it was read from, if that is kept.
    pub original: Option<Vec<u8>>,
}

/// A chunk with everything that is stored of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeChunk {
    /// Its place in its document, counted from 1.
    pub number: i64,
    pub section: String,
    pub start: u64,
    pub end: u64,
    pub text: String,
    /// `None` if the index lacks the chunk.
    pub terms: Option<String>,
    pub pages: Vec<Page>,
    /// `None` if the chunk has no vector.
    pub vector: Option<Vec<f32>>,
}

/// Returns whether the rows of two documents say the same.
pub fn is_same_document(one: &StoredDocument, other: &StoredDocument) -> bool {
    let ingested_at = one.ingested_at;
    same_moment(ingested_at, other.ingested_at)
        && *one == StoredDocument { ingested_at, ..other.clone() }
}

impl WholeDocument {
    /// Returns what is wrong with the document in a collection with this id and manifest; empty if nothing is.
    pub fn faults(&self, collection: i64, manifest: &Manifest) -> Vec<String> {
        let about = &self.about;
        let mut faults = Vec::new();
        if document_id(collection, &about.path) != about.document_id {
            faults.push("its id is not that of its path".to_owned());
        }
        if Hash::of(self.text.as_bytes()).to_string() != about.text_sha256 {
            faults.push("its text was changed after it was stored: the digests differ".to_owned());
        }
        if let Some(original) = &self.original
            && Hash::of(original).to_string() != about.file_sha256
        {
            faults.push("its file was changed after it was stored: the digests differ".to_owned());
        }
        if about.chunks != self.chunks.len() as u64 {
            let found = self.chunks.len();
            faults.push(format!("it has {found} chunks, and its row counts {}", about.chunks));
        }
        for (place, chunk) in (1..).zip(&self.chunks) {
            let wrong = chunk.fault(place, &self.text, manifest);
            faults.extend(wrong.map(|wrong| format!("chunk {}: {wrong}", chunk.number)));
        }
        faults
    }

    /// Returns the document as one to store, with the instant at which it was first stored.
    pub fn into_new(self) -> (NewDocument, Timestamp) {
        let WholeDocument { about, text, chunks, original } = self;
        let chunks = chunks.into_iter().map(|chunk| NewChunk {
            section: chunk.section,
            start: chunk.start,
            end: chunk.end,
            terms: chunk.terms.unwrap_or_default(),
            pages: chunk.pages,
            vector: chunk.vector.unwrap_or_default(),
        });
        let new = NewDocument {
            path: about.path,
            kind: about.kind,
            work: about.work,
            title: about.title,
            format: about.format,
            reader_version: about.reader_version,
            file_sha256: about.file_sha256,
            text,
            text_sha256: about.text_sha256,
            metadata: about.metadata,
            chunks: chunks.collect(),
            original: original.map(Original::Bytes),
        };
        (new, about.ingested_at)
    }
}

impl WholeChunk {
    /// Returns what is wrong with the chunk at this place of a document with this text.
    fn fault(&self, place: i64, text: &str, manifest: &Manifest) -> Option<String> {
        let dimensions = manifest.dimensions();
        let found = self.vector.as_ref().map_or(0, Vec::len);
        if self.number != place {
            Some(format!("it is at place {place}"))
        } else if text.get(self.start as usize..self.end as usize) != Some(&self.text) {
            let (start, end) = (self.start, self.end);
            Some(format!("its text is not that of bytes {start} to {end} of the document"))
        } else if self.terms.is_none() {
            Some("the index lacks it".to_owned())
        } else if found != dimensions {
            Some(format!(
                "its vector has {found} dimensions, and the collection's have {dimensions}"
            ))
        } else if self.vector.iter().flatten().any(|number| !number.is_finite()) {
            Some("its vector contains a value that is not a number".to_owned())
        } else {
            None
        }
    }
}

/// Returns the end of a log that was read up to `head` and goes on with these entries, and the entries; or what is wrong with it, for a
/// person.
pub fn follow(head: Head, sealed: &[Sealed]) -> Result<(Head, Vec<Entry>), String> {
    let mut entries = Vec::with_capacity(sealed.len());
    for one in sealed {
        let unreadable = |reason| format!("could not read entry {}: {reason}", one.seq);
        let entry = Entry::read(&one.body, one.hash).map_err(unreadable)?;
        // The hash may cover another spelling of the same entry.
        if entry.seq != one.seq || entry.body() != one.body {
            return Err(format!("the row of entry {} contains a different entry", one.seq));
        }
        entries.push(entry);
    }
    let broken = |seq| format!("entry {seq} does not follow from those before it");
    Ok((verify_from(head, &entries).map_err(broken)?, entries))
}

/// Something that is stored and belongs to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// Whose it is; empty if nobody's.
    pub user: String,
    /// What it is, for a person.
    pub what: String,
}

/// Runs, collections and documents of all users, as they are stored.
#[async_trait]
pub trait Movable: Send + Sync {
    /// Returns the users who have runs, collections or startup contexts, sorted.
    async fn users(&self) -> Result<Vec<String>, PortError>;
    /// Returns the first `limit` rows of a user's runs after number `after`, by number. All numbers are greater than 0.
    async fn run_rows(&self, user: &str, after: i64, limit: u32) -> Result<Vec<RunRow>, PortError>;
    /// Returns the row of a run; `None` if there is no such run.
    async fn run_row(&self, user: &str, run: &str) -> Result<Option<RunRow>, PortError>;
    /// Returns the entries of a run after number `after`, in order: up to [`MOST_ENTRIES`] and about [`MOST_BYTES`], but at least one if
    /// there is one.
    async fn sealed(&self, user: &str, run: &str, after: u64) -> Result<Vec<Sealed>, PortError>;
    /// Stores a run's row and its next entries, together; returns whether the run stood as expected. A run whose key another run has is
    /// not as expected.
    ///
    /// A new run gets the next number of its user. Nobody works on the run afterwards, and its attempt never goes back. An entry that is
    /// there stays as it is.
    async fn put_run(
        &self,
        row: &RunRow,
        expected: Expected,
        entries: &[Sealed],
    ) -> Result<bool, PortError>;
    /// Returns the first `limit` collections of a user after the one named `after`, by name.
    async fn collection_rows(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<CollectionRow>, PortError>;
    /// Returns the collection with this id, of whatever user.
    async fn collection_row(&self, id: i64) -> Result<Option<CollectionRow>, PortError>;
    /// Makes an empty collection with this id, name, manifest and times; returns whether it did: neither id nor name may be taken.
    async fn put_collection(&self, row: &CollectionRow) -> Result<bool, PortError>;
    /// Returns the highest id that a collection has or had; 0 if there was none.
    async fn last_collection_id(&self) -> Result<i64, PortError>;
    /// Lets no collection that is made later have an id up to this one.
    async fn pass_collection_ids(&self, last: i64) -> Result<(), PortError>;
    /// Returns a document with everything that is stored of it; `None` if there is no such document in any collection.
    async fn whole_document(
        &self,
        user: &str,
        id: &str,
    ) -> Result<Option<WholeDocument>, PortError>;
    /// Stores a document in the collection with this id; returns whether it did: no document may be at its path.
    ///
    /// Fails with [`PortError::Invalid`] if there is no such collection, or if the document does not fit it.
    async fn put_whole_document(
        &self,
        user: &str,
        collection: i64,
        document: WholeDocument,
    ) -> Result<bool, PortError>;
    /// Returns what belongs to nothing: entries without run, chunks without document, documents without collection, and what an adapter
    /// keeps besides. Of each kind it returns the first `limit`.
    async fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, PortError>;
}

/// Files of all users.
#[async_trait]
pub trait MovableFiles: StoredFiles {
    /// Returns the users who have files or sets of files, sorted.
    async fn users_of_files(&self) -> Result<Vec<String>, PortError>;
    /// Returns the first `limit` files of a user after the one with the digest `after`, by digest. Their names are their digests.
    async fn files_part(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<FileRef>, PortError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Event;

    fn sealed(lines: &[&str]) -> Vec<Sealed> {
        let mut head = Head::default();
        let lines = lines.iter().map(|line| {
            let event = Event::Said { line: (*line).to_owned() };
            let (entry, body) = Entry::seal(&head, Timestamp::UNIX_EPOCH, event);
            head = Head { seq: entry.seq, hash: entry.hash };
            Sealed { seq: entry.seq, hash: entry.hash, body }
        });
        lines.collect()
    }

    // proves: C5
    #[test]
    fn a_log_is_followed_in_parts_to_the_byte() {
        let whole = sealed(&["one", "two", "three"]);
        let (head, entries) = follow(Head::default(), &whole[..2]).unwrap();
        assert_eq!((head.seq, entries.len()), (2, 2));
        let (head, _) = follow(head, &whole[2..]).unwrap();
        assert_eq!((head.seq, head.hash), (3, whole[2].hash));
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            let text = String::from_utf8(changed[place].body.clone()).unwrap();
            changed[place].body = text.replace("line\":\"", "line\":\"not ").into_bytes();
            let refused = follow(Head::default(), &changed).unwrap_err();
            assert_eq!(
                refused,
                format!("entry {} does not follow from those before it", place + 1)
            );
        }
        let mut spaced = whole.clone();
        spaced[1].body.push(b' ');
        assert!(
            follow(Head::default(), &spaced).unwrap_err().contains("contains a different entry")
        );
        let mut cut = whole;
        cut[1].body.truncate(4);
        assert!(follow(Head::default(), &cut).unwrap_err().contains("could not read entry 2"));
    }

    #[test]
    fn rows_are_compared_where_nobody_works_and_not_to_the_nanosecond() {
        let row = RunRow {
            user: "ada".into(),
            run: "r".into(),
            number: 1,
            method: "ask".into(),
            question: "q".into(),
            status: Status::Running,
            attempt: 1,
            last_seq: 3,
            spent: Spend::default(),
            created_at: Timestamp::from_nanosecond(1_234_567).unwrap(),
            updated_at: Timestamp::UNIX_EPOCH,
            key: None,
            title: None,
            pinned: false,
            shares: vec![],
        };
        let elsewhere = RunRow {
            number: 9,
            status: Status::Queued,
            attempt: 2,
            created_at: Timestamp::from_nanosecond(1_234_000).unwrap(),
            ..row.clone()
        };
        assert!(row.says_same(&elsewhere));
        assert!(!row.says_same(&RunRow { last_seq: 4, ..elsewhere.clone() }));
        assert!(!row.is_same_run(&RunRow { question: "other".into(), ..elsewhere }));
    }
}
