//! The folder as a path, for systems where a folder cannot be held open: each step checks for links first.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{a_link, no_file, no_folder};

pub(in crate::context_files) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the folder `name`; `None` if it does not exist.
    pub(in crate::context_files) fn open(root: &Path, name: &str) -> io::Result<Option<Folder>> {
        let path = root.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => Ok(Some(Folder { path })),
            Ok(_) => Err(no_folder()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates the folder `name` if it does not exist.
    pub(in crate::context_files) fn make(root: &Path, name: &str) -> io::Result<()> {
        std::fs::create_dir_all(root)?;
        match std::fs::create_dir(root.join(name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    fn open_with(&self, name: &str, options: &OpenOptions) -> io::Result<File> {
        let path = self.path.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => Err(a_link()),
            Ok(found) if !found.is_file() => Err(no_file()),
            _ => options.open(path),
        }
    }

    pub(super) fn open_to_read(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OpenOptions::new().read(true))
    }

    pub(super) fn open_or_make(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OpenOptions::new().read(true).write(true).create(true).truncate(false))
    }

    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OpenOptions::new().write(true).create_new(true))
    }

    pub(in crate::context_files) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    pub(in crate::context_files) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    pub(in crate::context_files) fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    /// Does nothing: where folders cannot be opened, names are written together with their files.
    pub(in crate::context_files) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
