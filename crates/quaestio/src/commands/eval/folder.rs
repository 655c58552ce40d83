//! The folder of an evaluation: its manifest, the runs that it began, and its results.
//!
//! Each run is listed before it begins, so that an evaluation that was killed knows what it has spent and which runs are its own.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use run::entry::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::new_id;
use crate::failure::Failure;
use crate::names::check_name;

const MANIFEST: &str = "manifest.json";
const RUNS: &str = "runs.jsonl";
const LOCK: &str = "lock";
pub(super) const REPORT: &str = "report.json";

/// What an evaluation is, and its state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) id: String,
    pub(super) state: State,
    /// A digest of everything that decides what is asked: the same order continues an evaluation that did not finish.
    pub(super) order: Hash,
    pub(super) created_at: Timestamp,
    #[serde(default)]
    pub(super) ended_at: Option<Timestamp>,
    pub(super) quaestio_version: String,
    pub(super) dataset: DatasetEntry,
    /// The names of the arms, the control's last.
    pub(super) arms: Vec<String>,
    /// Everything else that was ordered, and the configuration that was used.
    pub(super) configuration: Value,
    /// The outcome; null before the end.
    #[serde(default)]
    pub(super) outcome: Value,
    #[serde(default)]
    pub(super) runs: Vec<RunEntry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// In progress, or broken off.
    Begun,
    /// Everything was run.
    Completed,
    /// Not everything was run.
    Partial,
    /// A person stopped it.
    Cancelled,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            State::Begun => "begun",
            State::Completed => "completed",
            State::Partial => "partial",
            State::Cancelled => "cancelled",
        }
    }

    /// Returns whether the same order continues it.
    fn is_open(self) -> bool {
        matches!(self, State::Begun | State::Cancelled)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DatasetEntry {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) digest: Hash,
    pub(super) cases: u64,
    pub(super) documents: Option<Hash>,
}

/// A run of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunEntry {
    pub(super) run: String,
    pub(super) case: String,
    /// The arm, `judge` or `report_judge`.
    pub(super) purpose: String,
}

/// The folder of one evaluation.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) id: String,
    path: PathBuf,
}

/// Returns the folder of all evaluations.
fn evaluations(data: &Path) -> PathBuf {
    data.join("artifacts").join("evals")
}

impl Folder {
    /// Finds the folder for an order: that of the name, else of an unfinished evaluation of the same order, else a new one.
    ///
    /// Also returns the manifest of the evaluation that is continued; `None` if a new one begins.
    pub(super) fn open(
        data: &Path,
        name: Option<&str>,
        order: Hash,
    ) -> Result<(Folder, Option<Manifest>), Failure> {
        let known = match name {
            Some(name) => {
                check_name("evaluation", name)?;
                let known = Folder::at(data, name).manifest();
                if let Some(known) = &known
                    && known.order != order
                {
                    return Err(Failure::usage(
                        format!(
                            "the evaluation '{name}' exists already, with another dataset or other settings"
                        ),
                        "choose another name with --name",
                    ));
                }
                known
            }
            None => all(data).into_iter().find(|one| one.order == order && one.state.is_open()),
        };
        let id = match (&known, name) {
            (Some(known), _) => known.id.clone(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => new_id(),
        };
        let folder = Folder::at(data, &id);
        Ok((folder, known.filter(|known| known.state.is_open())))
    }

    /// Creates the folder and locks it while the returned file lives: two processes working on one evaluation would each spend up to its
    /// caps. Unless the evaluation is continued, the list of runs is emptied: they belong to one that is over.
    pub(super) fn make(&self, goes_on: bool) -> Result<File, Failure> {
        fs::create_dir_all(&self.path).map_err(|error| self.unwritable(&error))?;
        let lock = File::create(self.path.join(LOCK)).map_err(|error| self.unwritable(&error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(
                    format!("another process is working on the evaluation '{}'", self.id),
                    "wait until it ends, or choose another name with --name",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(self.unwritable(&error)),
        }
        if !goes_on {
            self.write(RUNS, b"")?;
        }
        Ok(lock)
    }

    fn at(data: &Path, id: &str) -> Folder {
        Folder { id: id.to_owned(), path: evaluations(data).join(id) }
    }

    /// Returns the folder of the evaluation that the user names.
    pub(super) fn named(data: &Path, name: &str) -> Result<Folder, Failure> {
        let hint = "`quaestio eval list` shows those there are";
        if name == "last" {
            let last = all(data).into_iter().find(|one| Folder::at(data, &one.id).has_report());
            let last = last.ok_or_else(|| {
                Failure::new(
                    "there are no evaluations yet",
                    "start one with `quaestio eval DATASET`",
                )
            })?;
            return Ok(Folder::at(data, &last.id));
        }
        check_name("evaluation", name)?;
        let folder = Folder::at(data, name);
        match folder.manifest() {
            None => Err(Failure::new(format!("there is no evaluation '{name}'"), hint)),
            Some(manifest) if !folder.has_report() => Err(Failure::new(
                format!("the evaluation '{name}' is {} and has no report", manifest.state.name()),
                "run the command that started it again",
            )),
            Some(_) => Ok(folder),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn has_report(&self) -> bool {
        self.path.join(REPORT).is_file()
    }

    fn manifest(&self) -> Option<Manifest> {
        let bytes = fs::read(self.path.join(MANIFEST)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(super) fn write_manifest(&self, manifest: &Manifest) -> Result<(), Failure> {
        let text = serde_json::to_vec_pretty(manifest);
        self.write(MANIFEST, &text.map_err(|error| Failure::new(error.to_string(), ""))?)
    }

    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let path = self.path.join(name);
        fs::read(&path).map_err(|error| {
            let what = format!("could not read {}: {error}", path.display());
            Failure::new(what, "run the evaluation again; finished work is reused")
        })
    }

    /// Writes a file, whole or not at all.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let (path, beside) = (self.path.join(name), self.path.join(format!(".{name}.new")));
        let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &path));
        written.map_err(|error| self.unwritable(&error))
    }

    /// Records a run that is about to begin.
    pub(super) fn begins(&self, entry: &RunEntry) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let file = fs::OpenOptions::new().append(true).create(true).open(self.path.join(RUNS));
        file?.write_all(&line)
    }

    /// Returns the runs that were begun, each once, in order.
    pub(super) fn begun(&self) -> Vec<RunEntry> {
        let text = fs::read_to_string(self.path.join(RUNS)).unwrap_or_default();
        let mut begun: Vec<RunEntry> = Vec::new();
        // A line that was cut off when the process was killed began no run.
        for entry in text.lines().filter_map(|line| serde_json::from_str::<RunEntry>(line).ok()) {
            if begun.iter().all(|known| known.run != entry.run) {
                begun.push(entry);
            }
        }
        begun
    }

    fn unwritable(&self, error: &std::io::Error) -> Failure {
        Failure::new(
            format!("could not write {}: {error}", self.path.display()),
            "check the data folder's permissions and free space",
        )
    }
}

/// Returns the manifests of all evaluations, newest first.
pub(super) fn all(data: &Path) -> Vec<Manifest> {
    let folders = fs::read_dir(evaluations(data)).into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| folder.file_name().into_string().ok());
    let mut all: Vec<Manifest> =
        ids.filter_map(|id| Folder::at(data, &id).manifest().filter(|one| one.id == id)).collect();
    all.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(id: &str, state: State, order: Hash, second: i64) -> Manifest {
        Manifest {
            id: id.into(),
            state,
            order,
            created_at: Timestamp::from_second(second).unwrap(),
            ended_at: None,
            quaestio_version: "0".into(),
            dataset: DatasetEntry {
                path: "q.jsonl".into(),
                name: "q".into(),
                digest: order,
                cases: 1,
                documents: None,
            },
            arms: vec!["direct".into()],
            configuration: Value::Null,
            outcome: Value::Null,
            runs: vec![],
        }
    }

    fn entry(run: &str) -> RunEntry {
        RunEntry { run: run.into(), case: "a".into(), purpose: "rag".into() }
    }

    // proves: A8
    #[test]
    fn the_same_order_goes_on_with_what_broke_off_and_begins_anew_after_what_ended() {
        let data = tempfile::tempdir().unwrap();
        let (one, other) = (Hash::of(b"one"), Hash::of(b"other"));
        let (folder, before) = Folder::open(data.path(), None, one).unwrap();
        assert!(before.is_none() && !folder.path().exists());
        let held = folder.make(false).unwrap();
        let refused = folder.make(true).unwrap_err();
        assert!(refused.what.contains("another process is working on"), "{refused}");
        drop(held);
        folder.write_manifest(&manifest(&folder.id, State::Begun, one, 1)).unwrap();
        folder.begins(&entry("r1")).unwrap();
        folder.begins(&entry("r1")).unwrap();

        let (elsewhere, before) = Folder::open(data.path(), None, other).unwrap();
        assert!(before.is_none() && elsewhere.id != folder.id);
        let (again, before) = Folder::open(data.path(), None, one).unwrap();
        assert_eq!((&again.id, before.is_some()), (&folder.id, true));
        again.make(true).unwrap();
        assert_eq!(again.begun(), [entry("r1")]);

        folder.write_manifest(&manifest(&folder.id, State::Completed, one, 1)).unwrap();
        let (new, before) = Folder::open(data.path(), None, one).unwrap();
        assert!(before.is_none() && new.id != folder.id);
        // Under the same name it is done again, and none of its runs count as begun.
        let (same, before) = Folder::open(data.path(), Some(&folder.id), one).unwrap();
        assert!(before.is_none());
        same.make(false).unwrap();
        assert!(same.begun().is_empty());
        let refused = Folder::open(data.path(), Some(&folder.id), other).unwrap_err();
        assert!(refused.what.contains("with another dataset"), "{refused}");
    }

    #[test]
    fn names_are_no_paths_and_the_last_is_the_newest_with_a_report() {
        let data = tempfile::tempdir().unwrap();
        for wrong in ["../x", "a/b", ""] {
            assert!(Folder::open(data.path(), Some(wrong), Hash::of(b"")).is_err(), "{wrong}");
            assert!(Folder::named(data.path(), wrong).is_err(), "{wrong}");
        }
        assert!(Folder::named(data.path(), "last").is_err());
        for (id, second) in [("old", 1), ("new", 3), ("broken", 4)] {
            let (folder, _) = Folder::open(data.path(), Some(id), Hash::of(b"")).unwrap();
            folder.make(false).unwrap();
            let state = if id == "broken" { State::Begun } else { State::Completed };
            folder.write_manifest(&manifest(id, state, Hash::of(b""), second)).unwrap();
            if state == State::Completed {
                folder.write(REPORT, b"{}").unwrap();
            }
        }
        let ids: Vec<String> = all(data.path()).into_iter().map(|one| one.id).collect();
        assert_eq!(ids, ["broken", "new", "old"]);
        assert_eq!(Folder::named(data.path(), "last").unwrap().id, "new");
        assert!(Folder::named(data.path(), "broken").unwrap_err().what.contains("has no report"));
        assert!(Folder::named(data.path(), "none").unwrap_err().what.contains("no evaluation"));
    }
}
