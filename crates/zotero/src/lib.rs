//! A Zotero library as references with their files.
//!
//! Plain functions over the database that Zotero keeps in its data folder (Zotero 5 and later), which is only read, even while Zotero has
//! it open. Group libraries are read too; feeds, and what lies in the bin, are not.
//!
//! ```
//! use std::path::Path;
//!
//! assert_eq!(zotero::find(Path::new("/nowhere")), None);
//! let error = zotero::read(Path::new("/nowhere/zotero.sqlite"), None).unwrap_err();
//! assert!(error.to_string().starts_with("could not read the Zotero database"));
//! ```

mod database;
mod fields;
mod files;
mod items;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use papers::Reference;

/// The name of the database in a data folder.
const DATABASE: &str = "zotero.sqlite";

/// What a library holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    /// Names it, wherever its folder is moved.
    pub name: String,
    /// In the order in which they were added. Notes and files without a work are references of their own.
    pub references: Vec<Reference>,
    /// Attachments whose file cannot be found by what the database says, and why.
    pub unresolved: Vec<(String, String)>,
}

/// Why a library could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("could not read the Zotero database {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error(
        "{} is not a database of Zotero 5 or later: it has no table '{table}'",
        path.display()
    )]
    NotZotero { path: PathBuf, table: String },
    #[error("Zotero kept writing to {}; wait until it has finished syncing", path.display())]
    Busy { path: PathBuf },
}

/// Returns the database that a path names: itself, or the one in a data folder; `None` if there is none.
///
/// A file counts by its first bytes, whatever its name, and by the tables that it has.
pub fn find(path: &Path) -> Option<PathBuf> {
    let database = if path.is_dir() { path.join(DATABASE) } else { path.to_owned() };
    let mut start = [0; 16];
    let is_file = std::fs::metadata(&database).is_ok_and(|it| it.is_file());
    File::open(&database).ok().filter(|_| is_file)?.read_exact(&mut start).ok()?;
    let is_ours = start == *b"SQLite format 3\0"
        && database::read(&database, |connection| items::check(connection, &database)).is_ok();
    is_ours.then_some(database)
}

/// Reads the library in `database`. `linked_files`: Zotero's folder for linked files whose paths are relative, if it has one.
///
/// The files themselves are not looked at.
///
/// # Errors
///
/// If the file is no database of Zotero, is damaged, or changed all the while.
pub fn read(database: &Path, linked_files: Option<&Path>) -> Result<Library, ReadError> {
    let folder = database.parent().unwrap_or(Path::new("."));
    let places = files::Places { folder, linked_files };
    let keys = items::citation_keys(&folder.join("better-bibtex.sqlite"));
    database::read(database, |connection| {
        items::check(connection, database)?;
        items::read(connection, &places, &keys).map_err(|error| ReadError::Unreadable {
            path: database.to_owned(),
            why: error.to_string(),
        })
    })
}

#[cfg(test)]
mod tests;
