//! Files that are watched for changes.
//!
//! Their sizes and times are compared every few seconds: notifications of the system do not arrive from network drives, and differ between
//! systems.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often the files are looked at.
const PACE: Duration = Duration::from_secs(2);

/// The files under some paths: the size of each, and when it changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snapshot(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Snapshot {
    /// Looks at the files under `paths`. What cannot be listed counts as absent.
    pub(super) fn of(paths: &[PathBuf]) -> Snapshot {
        let walked = paths.iter().filter_map(|path| corpus::walk(path).ok());
        let files = walked.flat_map(|walked| walked.files);
        Snapshot(files.map(|file| (file.path.clone(), look(&file.path))).collect())
    }

    /// Waits until the files differ from these and have stopped changing, and returns the new ones.
    pub(super) async fn next(self, paths: &[PathBuf]) -> Snapshot {
        let mut last = self.clone();
        loop {
            tokio::time::sleep(PACE).await;
            let paths = paths.to_vec();
            let Ok(now) = tokio::task::spawn_blocking(move || Snapshot::of(&paths)).await else {
                continue;
            };
            // A file that is being written is not read before it is whole.
            if now != self && now == last {
                return now;
            }
            last = now;
        }
    }
}

fn look(path: &Path) -> (u64, Option<SystemTime>) {
    let metadata = std::fs::metadata(path).ok();
    let time = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    (metadata.map_or(0, |metadata| metadata.len()), time)
}
