//! Libraries of Zotero among the paths that are read.

use std::path::{Path, PathBuf};

use corpus::{Catalogue, Problem};
use run::grounding::clean;

use crate::failure::Failure;

/// What there is to read: files and folders, and the libraries of a reference manager.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) catalogues: Vec<Catalogue>,
    /// Libraries that could not be read.
    pub(crate) problems: Vec<Problem>,
}

/// Reads the Zotero libraries among `paths`. Those in `named` were asked for as libraries, and may link files from anywhere. `linked_files`: Zotero's folder for linked files whose paths are relative.
///
/// # Errors
///
/// If the only path is a library that cannot be read.
pub(crate) async fn sort(
    paths: &[PathBuf],
    named: &[PathBuf],
    linked_files: Option<&Path>,
) -> Result<Sorted, Failure> {
    let (given, named) = (paths.to_vec(), named.to_vec());
    let linked = linked_files.map(Path::to_owned);
    let read =
        tokio::task::spawn_blocking(move || read_libraries(&given, &named, linked.as_deref()));
    let sorted = read.await.map_err(|error| Failure::new(error.to_string(), "try it again"))?;
    match (paths, sorted.problems.as_slice()) {
        ([_], [problem]) => Err(Failure::new(
            problem.reason.clone(),
            "try it again when Zotero has finished syncing; if that does not help, let Zotero check its database",
        )),
        _ => Ok(sorted),
    }
}

fn read_libraries(paths: &[PathBuf], named: &[PathBuf], linked_files: Option<&Path>) -> Sorted {
    let mut sorted = Sorted::default();
    for path in paths {
        let anywhere = named.contains(path);
        let linked = zotero::Linked { folder: linked_files, anywhere };
        let read = match zotero::find(path) {
            Ok(Some(database)) => zotero::read(&database, &linked),
            // What was named as a library is none that is read as files, even if its database was there a moment ago.
            Ok(None) if anywhere => zotero::read(path, &linked),
            Ok(None) => {
                sorted.paths.push(path.clone());
                continue;
            }
            Err(error) => Err(error),
        };
        match read {
            Ok(zotero::Library { name, references }) => {
                sorted.catalogues.push(Catalogue { name, references });
            }
            Err(error) => {
                let (path, reason) = (clean(&path.display().to_string()), error.to_string());
                sorted.problems.push(Problem { path, reason });
            }
        }
    }
    sorted
}
