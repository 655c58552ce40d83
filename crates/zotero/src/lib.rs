//! A Zotero library as references with their files.
//!
//! Plain functions over the database that Zotero keeps in its data folder (Zotero 5 and later), which is only read, even while Zotero has
//! it open. Group libraries are read too; feeds, and what lies in the bin, are not.
//!
//! ```
//! use std::path::Path;
//!
//! assert!(matches!(zotero::find(Path::new("/nowhere")), Ok(None)));
//! let linked = zotero::Linked::default();
//! let error = zotero::read(Path::new("/nowhere/zotero.sqlite"), &linked).unwrap_err();
//! assert!(error.to_string().starts_with("could not read the Zotero database"));
//! ```

mod database;
mod fields;
mod files;
mod items;

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use papers::Reference;

/// The name of the database in a data folder.
const DATABASE: &str = "zotero.sqlite";
/// What every database of SQLite begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What a library holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    /// Names it, wherever its folder is moved.
    pub name: String,
    /// In the order in which they were added. Notes and files without a work are references of their own.
    pub references: Vec<Reference>,
}

/// Which files outside of a library are read with it. None in a hidden folder is, unless the library is in it too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Linked<'a> {
    /// Zotero's folder for linked files whose paths are relative, if it has one.
    pub folder: Option<&'a Path>,
    /// Whether files may be linked from anywhere. A library that was not itself asked for must not fetch what it names.
    pub anywhere: bool,
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
/// A file counts by its first bytes, whatever its name. One that does not bear the name of Zotero's database must have its tables; for
/// one that does, [`read()`] looks.
///
/// # Errors
///
/// If the file bears the name of Zotero's database and is none, or is a database and cannot be read now.
pub fn find(path: &Path) -> Result<Option<PathBuf>, ReadError> {
    let database = if path.is_dir() { path.join(DATABASE) } else { path.to_owned() };
    let is_called_so = database.file_name().is_some_and(|name| name == DATABASE);
    let unreadable = |why: String| ReadError::Unreadable { path: database.clone(), why };
    match std::fs::metadata(&database) {
        Ok(about) if about.is_file() => {}
        Err(error) if is_called_so && error.kind() != ErrorKind::NotFound => {
            return Err(unreadable(error.to_string()));
        }
        _ => return Ok(None),
    }
    let mut start = [0; MAGIC.len()];
    match File::open(&database).and_then(|mut file| file.read_exact(&mut start)) {
        Ok(()) if start == *MAGIC => {}
        Err(error) if is_called_so && error.kind() != ErrorKind::UnexpectedEof => {
            return Err(unreadable(error.to_string()));
        }
        Ok(()) | Err(_) if is_called_so => {
            return Err(unreadable("it is not a database".to_owned()));
        }
        _ => return Ok(None),
    }
    // What is read next anyway is not looked into twice: while Zotero runs, each look copies the database.
    if is_called_so {
        return Ok(Some(database));
    }
    match database::read(&database, |connection| items::check(connection, &database)) {
        Ok(()) => Ok(Some(database)),
        Err(ReadError::NotZotero { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the library in `database`.
///
/// Of the files themselves only the places are looked at. One that may not be read, or cannot be found by what the database says, has a
/// `problem`.
///
/// # Errors
///
/// If the file is no database of Zotero, is damaged, or changed all the while.
pub fn read(database: &Path, linked: &Linked<'_>) -> Result<Library, ReadError> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let places = files::Places { folder, linked };
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
