//! Checks that what a database holds fits together.

use run::error::PortError;
use run::library::Part;
use run::log::Status;
use run::moving::{CollectionRow, RunRow};
use serde::Serialize;

use super::log::{End, verify};
use super::{LOT, MoveError, Place};

/// The number of things of each kind that belong to nothing and are named.
const MOST_ORPHANS: u32 = 1_000;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whose it is; empty if nobody's.
    pub user: String,
    /// What it is about: `run ID`, `collection NAME`, `document ID of NAME`; empty if it is about nothing that can be named.
    pub what: String,
    pub wrong: String,
}

/// The number of things that were checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Checked {
    pub runs: u64,
    pub entries: u64,
    pub collections: u64,
    pub documents: u64,
    pub chunks: u64,
    pub files: u64,
    pub problems: u64,
}

/// Checks every log to its last entry, the rows of runs against their logs, and the rows of collections and documents against what
/// they consist of; finds what belongs to nothing, and files and startup contexts that are damaged. Calls `hear` with each problem.
///
/// The database may be in use: what is written meanwhile is not taken for a problem.
///
/// # Errors
///
/// If the database fails. Something in it that cannot be read is a problem and no error.
pub async fn check(
    place: &Place,
    hear: &mut (dyn FnMut(Problem) + Send),
) -> Result<Checked, MoveError> {
    let mut checking = Checking { place, checked: Checked::default(), hear };
    for user in place.movable.users().await? {
        checking.check_runs(&user).await?;
        checking.check_collections(&user).await?;
        if let Err(error) = place.contexts.list(&user).await {
            checking.tell(&user, "startup contexts".to_owned(), error.to_string());
        }
    }
    for user in place.files.users_of_files().await? {
        checking.check_files(&user).await?;
    }
    for orphan in place.movable.orphans(MOST_ORPHANS).await? {
        checking.tell(&orphan.user, String::new(), orphan.what);
    }
    Ok(checking.checked)
}

struct Checking<'a> {
    place: &'a Place,
    checked: Checked,
    hear: &'a mut (dyn FnMut(Problem) + Send),
}

impl Checking<'_> {
    fn tell(&mut self, user: &str, what: String, wrong: String) {
        self.checked.problems += 1;
        (self.hear)(Problem { user: user.to_owned(), what, wrong });
    }

    /// Returns what was read, or `None` after telling that it cannot be read.
    fn readable<T>(
        &mut self,
        user: &str,
        what: &str,
        read: Result<T, PortError>,
    ) -> Result<Option<T>, MoveError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(PortError::Invalid { what: wrong }) => {
                self.tell(user, what.to_owned(), wrong);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn check_runs(&mut self, user: &str) -> Result<(), MoveError> {
        let movable = &self.place.movable;
        let mut after = 0;
        loop {
            let rows = movable.run_rows(user, after, LOT).await;
            let Some(rows) = self.readable(user, "runs", rows)? else { return Ok(()) };
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.number;
            for row in rows {
                self.checked.runs += 1;
                self.checked.entries += row.last_seq;
                let what = format!("run {}", row.run);
                let wrong = find_fault(self.place, &row).await;
                if let Some(Some(wrong)) = self.readable(user, &what, wrong)? {
                    self.tell(user, what, wrong);
                }
            }
        }
    }

    async fn check_collections(&mut self, user: &str) -> Result<(), MoveError> {
        let mut after: Option<String> = None;
        loop {
            let rows = self.place.movable.collection_rows(user, after.as_deref(), LOT).await;
            let Some(rows) = self.readable(user, "collections", rows)? else { return Ok(()) };
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(last.collection.name.clone());
            for row in rows {
                self.checked.collections += 1;
                self.check_collection(&row).await?;
            }
        }
    }

    async fn check_collection(&mut self, row: &CollectionRow) -> Result<(), MoveError> {
        let (user, name) = (&row.user, &row.collection.name);
        let what = format!("collection {name}");
        let (mut documents, mut chunks) = (0, 0);
        let mut after: Option<String> = None;
        loop {
            let part = Part { after, limit: LOT };
            let listed = self.place.library.documents_part(user, name, &part).await;
            let is_there = self.place.movable.collection_row(row.id).await?.is_some();
            if !is_there {
                return Ok(());
            }
            let Some(listed) = self.readable(user, &what, listed)? else { return Ok(()) };
            let Some(last) = listed.last() else { break };
            after = Some(last.path.clone());
            for about in listed {
                documents += 1;
                chunks += self.check_document(row, &about.document_id).await?;
            }
        }
        self.checked.documents += documents;
        self.checked.chunks += chunks;
        let counted = (row.collection.documents, row.collection.chunks);
        // What was added or removed meanwhile is not counted.
        let now = self.place.movable.collection_row(row.id).await?;
        if now.as_ref() == Some(row) && counted != (documents, chunks) {
            let wrong = format!(
                "it has {documents} documents with {chunks} passages, but its row says {} with {}",
                counted.0, counted.1
            );
            self.tell(user, what, wrong);
        }
        Ok(())
    }

    /// Checks a document; returns the number of its chunks.
    async fn check_document(&mut self, row: &CollectionRow, id: &str) -> Result<u64, MoveError> {
        let (user, name) = (&row.user, &row.collection.name);
        let what = format!("document {id} of {name}");
        let found = self.place.movable.whole_document(user, id).await;
        // It may have been removed since it was listed.
        let Some(Some(document)) = self.readable(user, &what, found)? else { return Ok(0) };
        for wrong in document.faults(row.id, &row.collection.manifest) {
            self.tell(user, what.clone(), wrong);
        }
        Ok(document.chunks.len() as u64)
    }

    async fn check_files(&mut self, user: &str) -> Result<(), MoveError> {
        let files = &self.place.files;
        let mut after: Option<String> = None;
        loop {
            let part = files.files_part(user, after.as_deref(), LOT).await?;
            let Some(last) = part.last() else { break };
            after = Some(last.sha256.clone());
            for file in part {
                self.checked.files += 1;
                if let Err(error) = files.read(user, &file).await {
                    self.tell(user, format!("file {}", file.sha256), error.to_string());
                }
            }
        }
        let sets = match files.sets(user).await {
            Ok(sets) => sets,
            Err(error) => {
                self.tell(user, "surveys".to_owned(), error.to_string());
                return Ok(());
            }
        };
        for set in sets {
            for file in &set.files {
                if let Err(error) = files.read(user, file).await {
                    self.tell(user, format!("survey {}", set.name), error.to_string());
                }
            }
        }
        Ok(())
    }
}

/// Returns what is wrong with a run: its log, or its row against its log.
async fn find_fault(place: &Place, row: &RunRow) -> Result<Option<String>, PortError> {
    let (user, run) = (&row.user, &row.run);
    let end = verify(&*place.movable, user, run, row.last_seq).await?;
    let beyond = place.movable.sealed(user, run, row.last_seq).await?;
    let wrong = match end {
        Err(wrong) => Some(format!("its log is damaged: {wrong}")),
        Ok(_) if !beyond.is_empty() => {
            let last = beyond.last().map_or(0, |last| last.seq);
            Some(format!("its log ends at entry {last}, but its row says {}", row.last_seq))
        }
        Ok(end) => contradiction(row.status, &end),
    };
    if wrong.is_none() {
        return Ok(None);
    }
    // It may have gone on, or have been removed, since its row was read.
    let now = place.movable.run_row(user, run).await?;
    let is_as_it_was =
        now.is_some_and(|now| (now.last_seq, now.status) == (row.last_seq, row.status));
    Ok(wrong.filter(|_| is_as_it_was))
}

/// Returns how a status contradicts the log.
fn contradiction(status: Status, end: &End) -> Option<String> {
    match end.status {
        Some(ended) if ended != status => {
            Some(format!("its log says {}, but its row says {}", ended.name(), status.name()))
        }
        None if status.is_final() => {
            Some(format!("its row says {}, but its log does not end", status.name()))
        }
        None if status == Status::Waiting && !end.asks() => {
            Some("its row says that it waits, but its log asks nothing".to_owned())
        }
        _ => None,
    }
}
