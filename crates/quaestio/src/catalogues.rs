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

/// Reads the Zotero libraries among `paths`. `linked_files`: Zotero's folder for linked files whose paths are relative.
///
/// # Errors
///
/// If the only path is a library that cannot be read.
pub(crate) async fn sort(
    paths: &[PathBuf],
    linked_files: Option<&Path>,
) -> Result<Sorted, Failure> {
    let (given, linked) = (paths.to_vec(), linked_files.map(Path::to_owned));
    let read = tokio::task::spawn_blocking(move || read_libraries(&given, linked.as_deref()));
    let sorted = read.await.map_err(|error| Failure::new(error.to_string(), "try it again"))?;
    match (paths, sorted.problems.as_slice()) {
        ([_], [problem]) => Err(Failure::new(
            problem.reason.clone(),
            "if Zotero is running, close it; else let it check its database",
        )),
        _ => Ok(sorted),
    }
}

fn read_libraries(paths: &[PathBuf], linked_files: Option<&Path>) -> Sorted {
    let mut sorted = Sorted::default();
    for path in paths {
        let Some(database) = zotero::find(path) else {
            sorted.paths.push(path.clone());
            continue;
        };
        match zotero::read(&database, linked_files) {
            Ok(zotero::Library { name, references, unresolved }) => {
                let problem = |(path, reason)| Problem { path, reason };
                let problems = unresolved.into_iter().map(problem).collect();
                sorted.catalogues.push(Catalogue { name, references, problems });
            }
            Err(error) => {
                let (path, reason) = (clean(&path.display().to_string()), error.to_string());
                sorted.problems.push(Problem { path, reason });
            }
        }
    }
    sorted
}
