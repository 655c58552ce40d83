//! Writes files whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Writes a file. A crash on the way leaves what was there before.
///
/// A link is followed. What is no regular file, such as a pipe, is written to as it is.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let earlier = fs::metadata(&target).ok();
    if earlier.as_ref().is_some_and(|earlier| !earlier.is_file() && !earlier.is_dir()) {
        return File::options().write(true).open(&target)?.write_all(bytes);
    }
    let permissions = earlier.filter(fs::Metadata::is_file).map(|earlier| earlier.permissions());
    let mut file = open_beside(&target, permissions)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target).map(drop).map_err(|failed| failed.error)
}

/// Writes a file that its owner alone may read. A crash on the way leaves what was there before.
pub(crate) fn save_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_beside(path, private())?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|failed| failed.error)
}

/// Checks that a file can be written there, and leaves nothing behind.
pub(crate) fn check_file(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Err("it is a folder".into());
    }
    if !folder_of(path).is_dir() {
        return Err("its folder is not there".into());
    }
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    if fs::metadata(path).is_ok_and(|earlier| earlier.permissions().readonly()) {
        return Err("it is read-only".into());
    }
    open_beside(path, None).map(drop).map_err(|error| error.to_string())
}

/// Checks that files can be written into a folder, which need not be there yet, and leaves nothing behind.
pub(crate) fn check_folder(path: &Path) -> Result<(), String> {
    let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
    let nearest = path.ancestors().find(is_there).unwrap_or(path);
    if !nearest.as_os_str().is_empty() && !nearest.is_dir() {
        return Err(format!("{} is not a folder", nearest.display()));
    }
    open_beside(&nearest.join("file"), None).map(drop).map_err(|error| error.to_string())
}

/// Opens a new file in the folder of `path`. It is removed again unless it gets a name.
fn open_beside(path: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".quaestio-").suffix(".part");
    let permissions = permissions.or_else(usual);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder_of(path))
}

#[cfg(unix)]
fn private() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn private() -> Option<Permissions> {
    None
}

/// Returns the permissions of a new file, from which the system takes what the user's mask forbids.
#[cfg(unix)]
fn usual() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<Permissions> {
    None
}

fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F6
    #[test]
    fn a_file_is_written_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.md");
        let names = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name());
            names.collect::<Vec<_>>()
        };
        check_file(&path).unwrap();
        assert!(names().is_empty(), "a check leaves nothing");
        save(&path, b"one").unwrap();
        save(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(), ["report.md"]);
        assert!(save(&folder.path().join("nowhere/report.md"), b"one").is_err());
        assert!(save(folder.path(), b"one").is_err());
    }

    // proves: F6
    #[test]
    fn a_place_that_cannot_be_written_is_told_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let told = |path: &str| check_file(&folder.path().join(path)).unwrap_err();
        assert_eq!(told("nowhere/report.md"), "its folder is not there");
        assert_eq!(told("file/report.md"), "its folder is not there");
        assert_eq!(told(""), "it is a folder");
        check_folder(&folder.path().join("new/newer")).unwrap();
        assert!(!folder.path().join("new").exists());
        assert!(check_folder(&file.join("new")).unwrap_err().ends_with("file is not a folder"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let new = folder.path().join("new");
        save(&new, b"one").unwrap();
        let made = folder.path().join("made");
        fs::write(&made, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&new), mode(&made), "as any other program makes them");
    }
}
