//! What became of files: how many entered a collection, which were left out, and what others lack.

use run::library::Put;
use serde::Serialize;

use super::stages::Fate;

/// The outcome of an order.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub added: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub chunks: u64,
    /// Files that were left out, and why.
    pub problems: Vec<Problem>,
    /// Documents stored without everything their files have, and what they lack; also those left unchanged.
    pub incomplete: Vec<Problem>,
    /// Documents with pages that OCR read badly or not at all, and which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<Problem>,
    /// Why it is worth making the collection anew, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// A file that was left out or is incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
}

impl Report {
    /// Returns how many of the files are now in the collection.
    pub fn stored(&self) -> u64 {
        self.added + self.replaced + self.unchanged
    }

    /// Adds what became of other files.
    pub fn add(&mut self, other: Report) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.chunks += other.chunks;
        self.problems.extend(other.problems);
        self.incomplete.extend(other.incomplete);
        self.doubtful.extend(other.doubtful);
        self.advice = self.advice.take().or(other.advice);
    }

    /// Returns whether anything happened.
    pub fn is_change(&self) -> bool {
        self.added + self.replaced + self.removed > 0 || !self.problems.is_empty()
    }

    pub(super) fn enter(&mut self, name: String, fate: Fate) {
        match fate {
            Fate::Same { lack } => {
                self.unchanged += 1;
                self.miss(name, lack);
            }
            Fate::LeftOut { reason } => self.leave_out(name, reason),
            Fate::Kept(kept) => {
                if let Some(reason) = kept.doubt {
                    self.doubtful.push(Problem { path: name.clone(), reason });
                }
                self.miss(name, kept.lack);
                match kept.put {
                    Put::Unchanged => self.unchanged += 1,
                    Put::Added => self.added += 1,
                    Put::Replaced => self.replaced += 1,
                }
                self.chunks += if kept.put == Put::Unchanged { 0 } else { kept.chunks };
            }
        }
    }

    /// Puts what is told of files into the order of their paths: they are read side by side.
    pub(super) fn sort(&mut self) {
        for told in [&mut self.problems, &mut self.incomplete, &mut self.doubtful] {
            told.sort_by(|left, right| left.path.cmp(&right.path));
        }
    }

    fn miss(&mut self, path: String, lack: Option<String>) {
        self.incomplete.extend(lack.map(|reason| Problem { path, reason }));
    }

    pub(super) fn leave_out(&mut self, path: String, reason: impl Into<String>) {
        self.problems.push(Problem { path, reason: reason.into() });
    }
}
