//! The survey data of a run: read when the first step needs it, and processed off the thread that drives the run.

use std::sync::{Arc, Mutex, PoisonError};

use futures::channel::oneshot;

use run::error::PortError;
use run::files::{FileRef, UsersFiles};
use survey::figure::Rules;
use survey::project::Project;

/// The data behind a brief. A replay never opens it.
pub(super) struct Data {
    files: UsersFiles,
    refs: Vec<FileRef>,
    rules: Rules,
    project: Mutex<Option<Arc<Project>>>,
}

impl Data {
    pub(super) fn of(files: UsersFiles, refs: &[FileRef], rules: Rules) -> Data {
        Data { files, refs: refs.to_vec(), rules, project: Mutex::default() }
    }

    /// Runs `work` on the data.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Project, &Rules) -> T + Send + 'static,
    ) -> Result<T, PortError> {
        let (project, rules) = (self.project().await?, self.rules);
        off_thread(move || work(&project, &rules)).await
    }

    async fn project(&self) -> Result<Arc<Project>, PortError> {
        let known = self.project.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let mut files = Vec::new();
        for file in &self.refs {
            files.push((file.name.clone(), self.files.read(file).await?));
        }
        let read = off_thread(move || read_project(files)).await?;
        let project = Arc::new(read.map_err(|what| PortError::Invalid { what })?);
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&project));
        Ok(project)
    }
}

/// Runs slow work on a separate thread; dropping the future abandons its result.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PortError> {
    let (done, result) = oneshot::channel();
    let begun = std::thread::Builder::new().name("survey".into()).spawn(move || {
        // The caller may have dropped the future.
        let _ = done.send(work());
    });
    let failed = |what: &str| PortError::Invalid { what: what.to_owned() };
    begun.map_err(|error| failed(&format!("could not start a thread: {error}")))?;
    result.await.map_err(|_| failed("the analysis failed unexpectedly"))
}

/// Reads files, each with its name, as the studies of a project.
#[cfg(feature = "surveys")]
fn read_project(files: Vec<(String, Vec<u8>)>) -> Result<Project, String> {
    use survey::read::{File, read_project};
    let files = files.into_iter().map(|(name, bytes)| File { name, bytes });
    let files: Vec<File> = files.collect();
    read_project(&files).map_err(|error| error.to_string())
}

#[cfg(not(feature = "surveys"))]
fn read_project(_files: Vec<(String, Vec<u8>)>) -> Result<Project, String> {
    Err("this program was built without reading survey files".to_owned())
}
