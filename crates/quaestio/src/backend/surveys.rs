//! Surveys that are stored for users of the server.

use std::path::Path;

use app::{Refusal, Survey, SurveyFile, SurveyState, SurveyStudy};
use run::files::{FileRef, FileSet, StoredFiles};
use survey::study::Study;

use super::refusal::refused;
use crate::failure::Failure;
use crate::surveys::{self, MOST_FILES, check_label};

/// Returns the surveys of a user.
pub(super) async fn all(store: &dyn StoredFiles, user: &str) -> Result<Vec<Survey>, Refusal> {
    let sets = store.sets(user).await?;
    Ok(sets.into_iter().map(|FileSet { name, files }| told(name, &files)).collect())
}

/// Returns a survey and what it holds; `None` if there is none of that name.
pub(super) async fn one(
    store: &dyn StoredFiles,
    user: &str,
    name: &str,
) -> Result<Option<SurveyState>, Refusal> {
    match store.set(user, name).await? {
        Some(files) => state(store, user, name, &files).await.map(Some),
        None => Ok(None),
    }
}

/// Adds a file to a survey.
pub(super) async fn keep(
    store: &dyn StoredFiles,
    user: &str,
    survey: &str,
    (name, bytes): (&str, Vec<u8>),
) -> Result<SurveyState, Refusal> {
    let file = store.put(user, name, bytes).await?;
    loop {
        let read = store.set(user, survey).await?;
        let files = add(survey, read.clone().unwrap_or_default(), &file)?;
        if store.exchange(user, survey, read.as_deref(), &files).await? {
            return state(store, user, survey, &files).await;
        }
    }
}

/// Returns the files of a survey with one more, which takes the place of another of its name.
fn add(survey: &str, mut files: Vec<FileRef>, file: &FileRef) -> Result<Vec<FileRef>, Refusal> {
    files.retain(|known| known.name != file.name);
    if files.len() >= MOST_FILES {
        return Err(refused(Failure::usage(
            format!("the survey '{survey}' already has {MOST_FILES} files, the most allowed"),
            "start another survey",
        )));
    }
    files.push(file.clone());
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// Reads an uploaded file of at most `file_bytes` bytes.
pub(super) async fn uploaded(file: &Path, name: &str, file_bytes: u64) -> Result<Vec<u8>, Refusal> {
    check_label(name).map_err(refused)?;
    let bytes = tokio::fs::read(file).await.map_err(|error| {
        refused(Failure::new(format!("could not read the upload: {error}"), ""))
    })?;
    if bytes.len() as u64 > file_bytes {
        return Err(refused(Failure::usage(
            format!("the file is larger than {file_bytes} bytes"),
            "raise the setting survey.file_bytes",
        )));
    }
    Ok(bytes)
}

fn told(name: String, files: &[FileRef]) -> Survey {
    let file = |file: &FileRef| SurveyFile {
        name: file.name.clone(),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
    };
    Survey { name, files: files.iter().map(file).collect() }
}

/// Reads a survey. If it cannot be read yet, that is reported in the state and is not an error.
async fn state(
    store: &dyn StoredFiles,
    user: &str,
    name: &str,
    files: &[FileRef],
) -> Result<SurveyState, Refusal> {
    let read = surveys::read(store, user, files).await.map_err(refused)?;
    let summarize = move || match survey::read::read_project(&read) {
        Ok(project) => (project.studies.iter().map(study).collect(), None),
        Err(error) => (vec![], Some(run::grounding::clean(&error.to_string()))),
    };
    let broken_off = |_| refused(Failure::new("reading the survey was interrupted", ""));
    let (studies, problem) = tokio::task::spawn_blocking(summarize).await.map_err(broken_off)?;
    Ok(SurveyState { survey: told(name.to_owned(), files), studies, problem })
}

fn study(study: &Study) -> SurveyStudy {
    let segments = study.segments.iter().filter_map(|place| study.questions.get(*place));
    let weight = study.weight.and_then(|place| study.columns.get(place));
    SurveyStudy {
        id: study.id.clone(),
        title: study.title.clone(),
        respondents: study.respondents as u64,
        questions: study.questions.len() as u64,
        weight: weight.map(|column| column.name.clone()),
        segments: segments.map(|question| question.id.clone()).collect(),
        notes: study.notes.clone(),
    }
}
