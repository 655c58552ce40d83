//! Named sets of files, a JSON file each.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use run::error::PortError;
use run::files::{FileRef, FileSet, check_name};

use super::{FileStore, failed, make, names, place, sync};
use crate::context_files::folder_of;

/// Bytes of a set's file that are read; this program writes none that is larger.
const LARGEST: u64 = 8 << 20;
const ENDING: &str = ".json";
/// The file whose lock a process holds while it changes the sets of a user.
const LOCK: &str = ".lock";

impl FileStore {
    pub(super) fn find_set(
        &self,
        user: &str,
        name: &str,
    ) -> Result<Option<Vec<FileRef>>, PortError> {
        let (folder, file) = self.locate_set(user, name)?;
        Ok(read_set(&folder.join(file))?.map(|set| set.files))
    }

    pub(super) fn list_sets(&self, user: &str) -> Result<Vec<FileSet>, PortError> {
        let folder = self.folder("surveys", user)?;
        let mut sets = Vec::new();
        for name in names(&folder)? {
            // Names that begin with a dot are half written, or another program's.
            if !name.starts_with('.') && name.ends_with(ENDING) {
                sets.extend(read_set(&folder.join(name))?);
            }
        }
        sets.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(sets)
    }

    pub(super) fn exchange_set(
        &self,
        user: &str,
        read: Option<&[FileRef]>,
        set: &FileSet,
    ) -> Result<bool, PortError> {
        let (folder, file) = self.locate_set(user, &set.name)?;
        let path = folder.join(&file);
        let unwritten = |error: io::Error| failed("write", &path, &error);
        make(&folder).map_err(unwritten)?;
        let _lock = lock(&folder).map_err(unwritten)?;
        let stored = read_set(&path)?.map(|set| set.files);
        if stored.as_deref() != read {
            return Ok(false);
        }
        let page = serde_json::to_vec_pretty(set).map_err(|error| unwritten(error.into()))?;
        place(&folder, &file, &page).map_err(unwritten)?;
        Ok(true)
    }

    pub(super) fn forget_set(&self, user: &str, name: &str) -> Result<bool, PortError> {
        let (folder, file) = self.locate_set(user, name)?;
        let path = folder.join(file);
        if !path.exists() {
            return Ok(false);
        }
        let unwritten = |error: io::Error| failed("remove", &path, &error);
        let _lock = lock(&folder).map_err(unwritten)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.and_then(|()| sync(&folder)).map(|()| true).map_err(unwritten),
        }
    }

    /// Returns the folder and the file of a set.
    fn locate_set(&self, user: &str, name: &str) -> Result<(PathBuf, String), PortError> {
        check_name("survey", name)?;
        // As for users: names that differ only in case are two files on every platform.
        let file = folder_of(name).unwrap_or_else(|| name.to_owned());
        Ok((self.folder("surveys", user)?, format!("{file}{ENDING}")))
    }
}

/// Waits until no other process changes the sets in a folder.
fn lock(folder: &Path) -> io::Result<fs::File> {
    let file = fs::OpenOptions::new().create(true).append(true).open(folder.join(LOCK))?;
    file.lock()?;
    Ok(file)
}

/// Reads a set; `None` if there is none.
fn read_set(path: &Path) -> Result<Option<FileSet>, PortError> {
    let unreadable = |error: io::Error| {
        let mend = "add the survey again with `quaestio survey add`, or move the file away";
        failed("read", path, &io::Error::other(format!("{error}; {mend}")))
    };
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| unreadable(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: B9
    #[test]
    fn a_broken_set_says_which_file_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file_store = FileStore::new(folder.path());
        let set = FileSet { name: "buses".into(), files: vec![] };
        assert!(file_store.exchange_set("ada", None, &set).unwrap());
        fs::write(folder.path().join("surveys/ada/buses.json"), "{\"name\":").unwrap();
        let error = file_store.list_sets("ada").unwrap_err().to_string();
        assert!(error.contains("read") && error.contains("buses.json"), "{error}");
        assert!(error.contains("add the survey again"), "{error}");
    }
}
