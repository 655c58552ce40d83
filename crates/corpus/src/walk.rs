//! The files under a folder, always in the same order, and never one from outside it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// A file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path to open: the target, if it was reached by a symbolic link.
    pub path: PathBuf,
    /// Its path below the folder, parts joined with `/`.
    pub name: String,
}

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: PathBuf,
    pub reason: Skip,
}

/// Why something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// A symbolic link to something outside the folder.
    LeadsOutside,
    /// A symbolic link to something hidden.
    LeadsToHidden,
    /// A symbolic link to a folder that is already listed through another link, or that contains the link itself.
    LeadsBack,
    /// A pipe, socket or device.
    NotAFile,
    /// A name that is not UTF-8.
    UnreadableName,
    /// The system refused access.
    Unreadable { why: String },
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeadsOutside => f.write_str("a link that leads outside the folder"),
            Self::LeadsToHidden => f.write_str("a link that leads to a hidden file"),
            Self::LeadsBack => f.write_str("a link to a folder that is already listed"),
            Self::NotAFile => f.write_str("a pipe, socket or device, not a file"),
            Self::UnreadableName => f.write_str("a name that is not UTF-8; rename it"),
            Self::Unreadable { why } => write!(f, "could not read it: {why}"),
        }
    }
}

/// What a walk found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Ordered by name.
    pub files: Vec<Found>,
    /// Ordered by path. Hidden files and folders are left out silently.
    pub skipped: Vec<Skipped>,
}

/// Why nothing could be listed.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    #[error("there is no file or folder {}", path.display())]
    Missing { path: PathBuf },
    #[error("{} is neither a file nor a folder", path.display())]
    NeitherFileNorFolder { path: PathBuf },
    #[error("the name of {} is not UTF-8; rename it", path.display())]
    UnreadableName { path: PathBuf },
    #[error("could not read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

/// Lists the files under `root`, or `root` itself if it is a file. Opens none of them.
///
/// Follows symbolic links to targets inside the folder that are not hidden. Lists each folder at most twice, once as itself and once
/// through a link, so that circular links end.
pub fn walk(root: &Path) -> Result<Walked, WalkError> {
    let path = root.to_owned();
    let top = match fs::canonicalize(root) {
        Ok(top) => top,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(WalkError::Missing { path });
        }
        Err(source) => return Err(WalkError::Unreadable { path, source }),
    };
    let kind = fs::metadata(&top);
    let kind = kind.map_err(|source| WalkError::Unreadable { path: path.clone(), source })?;
    if kind.is_file() {
        let name = root.file_name().or(top.file_name()).and_then(OsStr::to_str);
        let name = name.ok_or(WalkError::UnreadableName { path })?.to_owned();
        return Ok(Walked { files: vec![Found { path: top, name }], skipped: Vec::new() });
    }
    if !kind.is_dir() {
        return Err(WalkError::NeitherFileNorFolder { path });
    }
    fs::read_dir(&top).map_err(|source| WalkError::Unreadable { path, source })?;
    let mut walk = Walk {
        root: top.clone(),
        folders: Vec::new(),
        linked: HashSet::new(),
        found: Walked::default(),
    };
    walk.folders.push(Folder { path: top, name: String::new(), by_link: false });
    while let Some(folder) = walk.folders.pop() {
        walk.list(&folder);
    }
    walk.found.files.sort_by(|left, right| left.name.cmp(&right.name));
    walk.found.skipped.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(walk.found)
}

struct Walk {
    root: PathBuf,
    folders: Vec<Folder>,
    linked: HashSet<PathBuf>,
    found: Walked,
}

struct Folder {
    path: PathBuf,
    name: String,
    by_link: bool,
}

impl Walk {
    fn list(&mut self, folder: &Folder) {
        let entries = match fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable(&folder.path, &error),
        };
        let mut paths = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(error) => self.unreadable(&folder.path, &error),
            }
        }
        // The order decides which of two links to one folder is followed.
        paths.sort();
        for path in paths {
            let Some(file_name) = path.file_name().filter(|name| !hidden(name)) else { continue };
            match file_name.to_str() {
                Some(name) if folder.name.is_empty() => self.visit(&path, name.to_owned(), folder),
                Some(name) => self.visit(&path, format!("{}/{name}", folder.name), folder),
                None => self.skip(&path, Skip::UnreadableName),
            }
        }
    }

    fn visit(&mut self, path: &Path, name: String, folder: &Folder) {
        let kind = match fs::symlink_metadata(path) {
            Ok(kind) => kind,
            Err(error) => return self.unreadable(path, &error),
        };
        if kind.is_symlink() {
            return self.follow(path, name);
        }
        if kind.is_dir() {
            self.enter(path, Folder { path: path.to_owned(), name, by_link: folder.by_link });
        } else if kind.is_file() {
            self.found.files.push(Found { path: path.to_owned(), name });
        } else {
            self.skip(path, Skip::NotAFile);
        }
    }

    fn follow(&mut self, path: &Path, name: String) {
        let target = fs::canonicalize(path).and_then(|target| Ok((fs::metadata(&target)?, target)));
        let (kind, target) = match target {
            Ok(target) => target,
            Err(error) => return self.unreadable(path, &error),
        };
        let Ok(inside) = target.strip_prefix(&self.root) else {
            return self.skip(path, Skip::LeadsOutside);
        };
        if inside.iter().any(hidden) {
            return self.skip(path, Skip::LeadsToHidden);
        }
        if kind.is_file() {
            self.found.files.push(Found { path: target, name });
        } else if !kind.is_dir() {
            self.skip(path, Skip::NotAFile);
        } else if path.starts_with(&target) {
            self.skip(path, Skip::LeadsBack);
        } else {
            self.enter(path, Folder { path: target, name, by_link: true });
        }
    }

    fn enter(&mut self, path: &Path, folder: Folder) {
        if folder.by_link && !self.linked.insert(folder.path.clone()) {
            return self.skip(path, Skip::LeadsBack);
        }
        self.folders.push(folder);
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        self.skip(path, Skip::Unreadable { why: error.to_string() });
    }

    fn skip(&mut self, path: &Path, reason: Skip) {
        self.found.skipped.push(Skipped { path: path.to_owned(), reason });
    }
}

fn hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn names(walked: &Walked) -> Vec<&str> {
        walked.files.iter().map(|found| found.name.as_str()).collect()
    }

    // proves: A6
    #[test]
    fn a_folder_is_listed_in_order_and_never_left() {
        let all = tempfile::tempdir().unwrap();
        let root = all.path().join("root");
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        for file in ["z.md", "b/a.md", "b/deep/c.md", ".hidden.md", ".git/config", "../secret.md"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink("../secret.md", root.join("escape.md")).unwrap();
        symlink("..", root.join("b/up")).unwrap();
        symlink("/", root.join("slash")).unwrap();
        symlink(".git/config", root.join("config.md")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        symlink("z.md", root.join("latest.md")).unwrap();
        symlink("b/deep", root.join("short")).unwrap();
        symlink("b/deep", root.join("shorter")).unwrap();
        symlink("../../b", root.join("b/deep/loop")).unwrap();
        fs::write(root.join(OsStr::from_bytes(b"\xff.md")), "x").unwrap();
        let _socket = UnixListener::bind(root.join("socket")).unwrap();
        let walked = walk(&root).unwrap();
        let expected = ["b/a.md", "b/deep/c.md", "latest.md", "short/c.md", "z.md"];
        assert_eq!(names(&walked), expected);
        let top = fs::canonicalize(&root).unwrap();
        assert!(walked.files.iter().all(|found| found.path.starts_with(&top)));
        let reasons: Vec<String> = walked.skipped.iter().map(|it| it.reason.to_string()).collect();
        for reason in ["outside", "hidden", "already", "socket", "UTF-8", "could not read it"] {
            assert!(reasons.iter().any(|said| said.contains(reason)), "{reason}: {reasons:?}");
        }
    }

    #[test]
    fn links_that_multiply_come_to_an_end() {
        let all = tempfile::tempdir().unwrap();
        for n in 0..30 {
            let folder = all.path().join(format!("d{n}"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("a.md"), "x").unwrap();
            symlink(format!("../d{}", n + 1), folder.join("one")).unwrap();
            symlink(format!("../d{}", n + 1), folder.join("two")).unwrap();
        }
        assert!(walk(all.path()).unwrap().files.len() <= 60);
    }

    #[test]
    fn a_file_is_listed_under_its_own_name_and_nothing_is_an_error() {
        let all = tempfile::tempdir().unwrap();
        let file = all.path().join(".notes.md");
        fs::write(&file, "x").unwrap();
        assert_eq!(names(&walk(&file).unwrap()), [".notes.md"]);
        assert!(matches!(walk(&all.path().join("none")), Err(WalkError::Missing { .. })));
    }
}
