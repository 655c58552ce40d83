//! Where the file of an attachment is.

use std::path::{Component, Path, PathBuf};

/// The folders that paths in a database begin with.
pub(crate) struct Places<'a> {
    /// The data folder.
    pub(crate) folder: &'a Path,
    /// The folder of linked files with relative paths.
    pub(crate) linked_files: Option<&'a Path>,
}

/// How a file belongs to a library, as the database numbers it.
const LINKED_URL: i64 = 3;
const EMBEDDED_IMAGE: i64 = 4;

impl Places<'_> {
    /// Returns the path of an attachment's file; `None` for an attachment that has none, such as a link to a page.
    ///
    /// # Errors
    ///
    /// If what the database says leads to no file, and why.
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
            return Ok(Some(self.folder.join("storage").join(key).join(name)));
        }
        if let Some(rest) = path.strip_prefix("attachments:") {
            let rest = rest.replace('\\', "/");
            return match self.linked_files {
                _ if !is_within(&rest) => Err(format!("its path '{path}' leads out of the folder")),
                Some(folder) => Ok(Some(folder.join(rest))),
                None => Err(format!(
                    "it is linked as '{rest}' below a folder that only Zotero's settings name; give that folder with --linked-files"
                )),
            };
        }
        let is_whole = Path::new(path).is_absolute();
        match is_whole {
            true => Ok(Some(PathBuf::from(path))),
            false => Err(format!("its path '{path}' is of another machine")),
        }
    }
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
        let places = Places { folder, linked_files: Some(Path::new("/linked")) };
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
        let none = Places { linked_files: None, ..places };
        assert!(none.resolve("K", 2, "attachments:a.pdf").unwrap_err().contains("--linked-files"));
        assert!(none.resolve("K", 2, "C:\\a.pdf").unwrap_err().contains("another machine"));
    }
}
