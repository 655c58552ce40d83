//! Named sets of files: what a survey consists of, `{data}/surveys/{user}/{name}.json`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use run::files::FileRef;
use serde::{Deserialize, Serialize};
use store::folder_of;

use super::{FileStore, place, sync, unwritten};
use crate::failure::Failure;
use crate::names::check_name;

/// Bytes of a manifest that are read; this program writes none that is larger.
const LARGEST: u64 = 8 << 20;
const ENDING: &str = ".json";

/// Files that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) files: Vec<FileRef>,
}

impl FileStore {
    /// Stores files under a name, replacing those that had it; returns whether there were any.
    pub(crate) fn name(
        &self,
        user: &str,
        name: &str,
        files: Vec<FileRef>,
    ) -> Result<bool, Failure> {
        let (folder, file) = self.set_file(user, name)?;
        let path = folder.join(&file);
        let was_there = path.exists();
        let set = Set { name: name.to_owned(), files };
        let page =
            serde_json::to_vec_pretty(&set).map_err(|error| unwritten(&path, &error.into()))?;
        place(&folder, &file, &page).map_err(|error| unwritten(&path, &error))?;
        Ok(was_there)
    }

    /// Returns the files under a name; `None` if the name is unknown.
    pub(crate) fn set(&self, user: &str, name: &str) -> Result<Option<Vec<FileRef>>, Failure> {
        let (folder, file) = self.set_file(user, name)?;
        Ok(set_of(&folder.join(file))?.map(|set| set.files))
    }

    /// Returns the files under a name, which must be known.
    pub(crate) fn manifest(&self, user: &str, name: &str) -> Result<Vec<FileRef>, Failure> {
        self.set(user, name)?.ok_or_else(|| no_such(name))
    }

    /// Returns the named sets of a user, sorted by name.
    pub(crate) fn sets(&self, user: &str) -> Result<Vec<Set>, Failure> {
        let folder = self.folder("surveys", user)?;
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            entries => entries.map_err(|error| unreadable(&folder, &error))?,
        };
        let mut sets = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| unreadable(&folder, &error))?.file_name();
            // Names that begin with a dot are half written, or another program's.
            let is_set = |name: &str| !name.starts_with('.') && name.ends_with(ENDING);
            if name.to_str().is_some_and(is_set) {
                sets.extend(set_of(&folder.join(name))?);
            }
        }
        sets.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(sets)
    }

    /// Forgets a name. The files stay, since a run may name them.
    pub(crate) fn forget(&self, user: &str, name: &str) -> Result<(), Failure> {
        let (folder, file) = self.set_file(user, name)?;
        let path = folder.join(file);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(no_such(name)),
            removed => {
                removed.and_then(|()| sync(&folder)).map_err(|error| unwritten(&path, &error))
            }
        }
    }

    /// Returns the folder and the file of a set.
    fn set_file(&self, user: &str, name: &str) -> Result<(PathBuf, String), Failure> {
        check_name("survey", name)?;
        // As for users: names that differ only in case are two files on every platform.
        let file = folder_of(name).unwrap_or_else(|| name.to_owned());
        Ok((self.folder("surveys", user)?, format!("{file}{ENDING}")))
    }
}

/// Reads a manifest; `None` if there is none.
fn set_of(path: &Path) -> Result<Option<Set>, Failure> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| unreadable(path, &error))?,
    };
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    let set = serde_json::from_slice(&bytes).map_err(|error| unreadable(path, &error.into()))?;
    Ok(Some(set))
}

fn no_such(name: &str) -> Failure {
    Failure::new(
        format!("there is no survey '{}'", run::grounding::clean(name)),
        "`quaestio survey list` shows them; `quaestio survey add NAME PATH` keeps one",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("{} could not be read: {error}", path.display()),
        "add the survey again with `quaestio survey add`, or move the file away",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: B9
    #[test]
    fn a_survey_is_kept_under_its_name_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file_store = FileStore::new(folder.path().to_owned());
        assert_eq!(file_store.sets("ada").unwrap(), []);
        let one = file_store.put("ada", "a.csv", b"1").unwrap();
        let two = file_store.put("ada", "b.csv", b"2").unwrap();
        assert!(!file_store.name("ada", "buses", vec![one.clone()]).unwrap());
        assert!(!file_store.name("ada", "Buses", vec![two.clone()]).unwrap());
        assert!(file_store.name("ada", "buses", vec![one.clone(), two.clone()]).unwrap());
        assert_eq!(file_store.manifest("ada", "buses").unwrap(), [one, two.clone()]);
        assert_eq!(file_store.manifest("ada", "Buses").unwrap(), [two]);
        let names: Vec<String> =
            file_store.sets("ada").unwrap().into_iter().map(|set| set.name).collect();
        assert_eq!(names, ["Buses", "buses"]);
        assert_eq!(file_store.sets("bob").unwrap(), []);
        assert!(
            file_store.manifest("bob", "buses").unwrap_err().what.contains("no survey 'buses'")
        );
        file_store.forget("ada", "buses").unwrap();
        assert!(file_store.forget("ada", "buses").unwrap_err().what.contains("no survey 'buses'"));
        assert_eq!(file_store.sets("ada").unwrap().len(), 1);
    }

    #[test]
    fn a_name_is_no_path_and_a_broken_manifest_says_which_file_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file_store = FileStore::new(folder.path().to_owned());
        for name in ["", "..", "a/b", "a b", ".next"] {
            assert_eq!(file_store.name("ada", name, vec![]).unwrap_err().exit.code(), 2, "{name}");
        }
        file_store.name("ada", "buses", vec![]).unwrap();
        fs::write(folder.path().join("surveys/ada/buses.json"), "{\"name\":").unwrap();
        let error = file_store.sets("ada").unwrap_err();
        assert!(error.what.contains("buses.json could not be read"), "{error}");
    }
}
