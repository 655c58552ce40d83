//! The folder as a file descriptor.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::{a_link, no_folder};

/// The modes of new folders and files, before the process's umask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);

pub(in crate::context_files) struct Folder {
    held: File,
}

/// Opens the root that the user has chosen, which may be a link.
fn open_root(root: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, root, flags, Mode::empty())?.into())
}

/// Opens a folder in `root`; `None` if it does not exist.
fn open_in(root: &File, name: &str) -> io::Result<Option<Folder>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(root, name, flags, Mode::empty()) {
        Ok(held) => Ok(Some(Folder { held: held.into() })),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => Err(no_folder()),
        Err(error) => Err(error.into()),
    }
}

impl Folder {
    /// Opens the folder `name`; `None` if it does not exist.
    pub(in crate::context_files) fn open(root: &Path, name: &str) -> io::Result<Option<Folder>> {
        match open_root(root) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            root => open_in(&root?, name),
        }
    }

    /// Creates the folder `name` if it does not exist.
    pub(in crate::context_files) fn make(root: &Path, name: &str) -> io::Result<()> {
        if !root.is_dir() {
            std::fs::create_dir_all(root)?;
            if let Some(above) = root.parent().filter(|above| !above.as_os_str().is_empty()) {
                open_root(above)?.sync_all()?;
            }
        }
        let root = open_root(root)?;
        match mkdirat(&root, name, FOLDER_MODE) {
            Ok(()) => root.sync_all(),
            Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn open_with(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // Opening a pipe without a writer would block.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&self.held, name, flags, FILE_MODE) {
            Ok(file) => Ok(file.into()),
            Err(Errno::LOOP) => Err(a_link()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn open_to_read(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OFlags::RDONLY)
    }

    pub(super) fn open_or_make(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OFlags::RDWR | OFlags::CREATE)
    }

    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        self.open_with(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    pub(in crate::context_files) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.held)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    pub(in crate::context_files) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.held, from, &self.held, to)?)
    }

    pub(in crate::context_files) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.held, name, AtFlags::empty())?)
    }

    /// Waits until the names are on disk.
    pub(in crate::context_files) fn sync(&self) -> io::Result<()> {
        self.held.sync_all()
    }
}
