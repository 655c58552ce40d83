//! Where the file of an attachment is.

use std::fs::canonicalize;
use std::path::{Component, Path, PathBuf};

use crate::Linked;

/// The folders that paths in a database begin with.
pub(crate) struct Places<'a> {
    /// The data folder.
    pub(crate) folder: &'a Path,
    pub(crate) linked: &'a Linked<'a>,
}

/// How a file belongs to a library, as the database numbers it.
const LINKED_URL: i64 = 3;
const EMBEDDED_IMAGE: i64 = 4;

impl Places<'_> {
    /// Returns the path of an attachment's file; `None` for an attachment that has none, such as a link to a page.
    ///
    /// # Errors
    ///
    /// If what the database says leads to no file, or to one that may not be read, and why.
    pub(crate) fn resolve(
        &self,
        key: &str,
        link_mode: i64,
        path: &str,
    ) -> Result<Option<PathBuf>, String> {
        if path.is_empty() || matches!(link_mode, LINKED_URL | EMBEDDED_IMAGE) {
            return Ok(None);
        }
        if let Some(name) = path.strip_prefix("storage:") {
            if !is_within(name) || !is_within(key) {
                return Err(format!("its path '{path}' leads out of the library"));
            }
            // A library that was itself asked for may keep its files on another disk.
            let storage = self.folder.join("storage");
            let root = if self.linked.anywhere { &storage } else { self.folder };
            let file = storage.join(key).join(name);
            return match is_below(&file, &storage) && is_below(&storage, root) {
                true => Ok(Some(file)),
                false => Err(format!("its path '{path}' leads out of the library")),
            };
        }
        if let Some(rest) = path.strip_prefix("attachments:") {
            let rest = rest.replace('\\', "/");
            let Some(folder) = self.linked.folder else {
                return Err(format!(
                    "it is linked as '{rest}' below a folder that only Zotero's settings name; give that folder with --linked-files"
                ));
            };
            let file = folder.join(&rest);
            return match is_within(&rest) && is_below(&file, folder) {
                true => Ok(Some(file)),
                false => Err(format!("its path '{path}' leads out of the folder")),
            };
        }
        let file = PathBuf::from(path);
        if !file.is_absolute() {
            return Err(format!("its path '{path}' is of another machine"));
        }
        if !self.linked.anywhere {
            return Err(format!(
                "its file {path} lies outside of the library; name the library with zotero: before its folder to read it"
            ));
        }
        let (own, folder) = (whole(&file), whole(self.folder));
        // What both are in may be hidden.
        let shared = own.components().zip(folder.components());
        let shared = shared.take_while(|(own, other)| own == other).count();
        match own.components().skip(shared).any(is_hidden) {
            true => Err(format!("its file {path} lies in a hidden folder")),
            false => Ok(Some(file)),
        }
    }
}

/// Returns where a file is, links followed; of one that is not there, where it is said to be.
fn whole(path: &Path) -> PathBuf {
    canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns whether a file is in a folder, links followed, and in no hidden one below it. One that is not there may be.
fn is_below(file: &Path, folder: &Path) -> bool {
    let (Ok(file), Ok(folder)) = (canonicalize(file), canonicalize(folder)) else { return true };
    file.strip_prefix(folder).is_ok_and(|rest| !rest.components().any(is_hidden))
}

fn is_hidden(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b"."))
}

/// Returns the last part of a path in a database, whichever machine wrote it.
pub(crate) fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    ["storage:", "attachments:"].iter().find_map(|scheme| name.strip_prefix(scheme)).unwrap_or(name)
}

/// Returns whether a path stays in the folder that it is below.
fn is_within(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_file_is_found_by_how_it_is_attached() {
        let folder = Path::new("/z");
        let linked = Linked { folder: Some(Path::new("/linked")), anywhere: true };
        let places = Places { folder, linked: &linked };
        let found = |mode, path: &str| places.resolve("AB12CD34", mode, path);
        let at = |path: &str| Ok(Some(PathBuf::from(path)));
        assert_eq!(found(0, "storage:a b.pdf"), at("/z/storage/AB12CD34/a b.pdf"));
        assert_eq!(found(1, "storage:index.html"), at("/z/storage/AB12CD34/index.html"));
        assert_eq!(found(2, "attachments:sub\\a.pdf"), at("/linked/sub/a.pdf"));
        assert_eq!(found(2, "/home/ann/a.pdf"), at("/home/ann/a.pdf"));
        assert_eq!(found(3, ""), Ok(None));
        assert_eq!(found(4, "storage:image.png"), Ok(None));
        for out in ["storage:../../secret", "storage:/etc/passwd", "attachments:../a", "storage:"] {
            assert!(found(0, out).is_err(), "{out}");
        }
        let linked = Linked::default();
        let none = Places { folder, linked: &linked };
        assert!(none.resolve("K", 2, "attachments:a.pdf").unwrap_err().contains("--linked-files"));
        assert!(none.resolve("K", 2, "C:\\a.pdf").unwrap_err().contains("another machine"));
    }
    // proves: A6
    #[cfg(unix)]
    #[test]
    fn a_library_brings_no_file_that_it_may_not() {
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in ["z/storage/AAAA/a.pdf", "z/storage/BBBB/b.pdf", "out/c.pdf", "out/.keys/d"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "x").unwrap();
        }
        symlink(at("out/c.pdf"), at("z/storage/AAAA/link.pdf")).unwrap();
        symlink(at("out"), at("z/storage/CCCC")).unwrap();
        symlink(at("z/storage/BBBB/b.pdf"), at("z/storage/AAAA/within.pdf")).unwrap();
        symlink(at("out/.keys"), at("out/open")).unwrap();
        let (folder, base) = (at("z"), at("out"));
        let told = |anywhere, key: &str, path: &str| {
            let linked = Linked { folder: Some(&base), anywhere };
            Places { folder: &folder, linked: &linked }.resolve(key, 2, path).err()
        };
        let linked = |name: &str| at(name).display().to_string();
        for anywhere in [false, true] {
            for (key, name) in [("AAAA", "a.pdf"), ("AAAA", "within.pdf"), ("AAAA", "lost.pdf")] {
                assert_eq!(told(anywhere, key, &format!("storage:{name}")), None);
            }
            for (key, name) in [("AAAA", "link.pdf"), ("CCCC", "c.pdf")] {
                let why = told(anywhere, key, &format!("storage:{name}")).unwrap();
                assert!(why.contains("leads out of the library"), "{why}");
            }
            assert_eq!(told(anywhere, "K", "attachments:c.pdf"), None);
            assert!(told(anywhere, "K", "attachments:open/d").is_some());
            assert!(told(anywhere, "K", &linked("out/open/d")).is_some());
        }
        assert_eq!(told(true, "K", &linked("out/c.pdf")), None);
        assert!(told(true, "K", &linked("out/.keys/d")).unwrap().contains("hidden folder"));
        assert!(told(false, "K", &linked("out/c.pdf")).unwrap().contains("zotero: before"));
        // The whole storage may be elsewhere only if the library was asked for.
        std::fs::rename(at("z/storage"), at("moved")).unwrap();
        symlink(at("moved"), at("z/storage")).unwrap();
        assert_eq!(told(true, "AAAA", "storage:a.pdf"), None);
        assert!(told(false, "AAAA", "storage:a.pdf").is_some());
    }
}
