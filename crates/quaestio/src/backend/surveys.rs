//! Surveys that are stored for users of the server.

use std::path::Path;

use app::{Refusal, Survey, SurveyFile, SurveyState, SurveyStudy};
use run::files::FileRef;
use survey::study::Study;

use super::refusal::refused;
use crate::failure::Failure;
use crate::file_store::{FileStore, Set};
use crate::surveys::{self, MOST_FILES, check_label};

/// Returns the surveys of a user.
pub(super) fn all(file_store: &FileStore, user: &str) -> Result<Vec<Survey>, Refusal> {
    let sets = file_store.sets(user).map_err(refused)?;
    Ok(sets.into_iter().map(|Set { name, files }| told(name, &files)).collect())
}

/// Returns a survey and what it holds; `None` if there is none of that name.
pub(super) fn one(
    file_store: &FileStore,
    user: &str,
    name: &str,
) -> Result<Option<SurveyState>, Refusal> {
    let files = file_store.set(user, name).map_err(refused)?;
    files.map(|files| state(file_store, user, name, &files)).transpose()
}

/// Adds a file to a survey. The caller ensures that no other call runs meanwhile.
pub(super) fn keep(
    file_store: &FileStore,
    user: &str,
    survey: &str,
    (name, bytes): (&str, &[u8]),
) -> Result<SurveyState, Refusal> {
    let mut files = file_store.set(user, survey).map_err(refused)?.unwrap_or_default();
    files.retain(|file| file.name != name);
    if files.len() >= MOST_FILES {
        return Err(refused(Failure::usage(
            format!("the survey '{survey}' has {MOST_FILES} files, and no more are allowed"),
            "begin another survey",
        )));
    }
    files.push(file_store.put(user, name, bytes).map_err(refused)?);
    files.sort_by(|one, other| one.name.cmp(&other.name));
    file_store.name(user, survey, files.clone()).map_err(refused)?;
    state(file_store, user, survey, &files)
}

/// Reads an uploaded file of at most `file_bytes` bytes.
pub(super) fn uploaded(file: &Path, name: &str, file_bytes: u64) -> Result<Vec<u8>, Refusal> {
    check_label(name).map_err(refused)?;
    let bytes = std::fs::read(file).map_err(|error| {
        refused(Failure::new(format!("the upload could not be read: {error}"), ""))
    })?;
    if bytes.len() as u64 > file_bytes {
        return Err(refused(Failure::usage(
            format!("the file has more than {file_bytes} bytes"),
            "survey.file_bytes of the configuration is the limit",
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
fn state(
    file_store: &FileStore,
    user: &str,
    name: &str,
    files: &[FileRef],
) -> Result<SurveyState, Refusal> {
    let read = surveys::read(file_store, user, files).map_err(refused)?;
    let (studies, problem) = match survey::read::read_project(&read) {
        Ok(project) => (project.studies.iter().map(study).collect(), None),
        Err(error) => (vec![], Some(run::grounding::clean(&error.to_string()))),
    };
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
