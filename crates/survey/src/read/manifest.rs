//! `survey.toml`: which files are studies, and what their questions are if the data does not say it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ReadError;
use crate::study::{Kind, Top, Value};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    #[serde(default)]
    pub(super) study: Vec<Entry>,
}

/// A study.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) file: String,
    pub(super) codebook: Option<String>,
    pub(super) weight: Option<String>,
    pub(super) segments: Option<Vec<String>>,
    #[serde(default)]
    pub(super) questions: BTreeMap<String, Override>,
    #[serde(default)]
    pub(super) multi: Vec<Multi>,
    #[serde(default)]
    pub(super) grid: Vec<GridOf>,
}

/// What a question is, regardless of the data.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    pub(super) text: Option<String>,
    pub(super) kind: Option<Kind>,
    pub(super) top: Option<Top>,
    #[serde(default)]
    pub(super) nets: Vec<NetOf>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetOf {
    pub(super) label: String,
    /// The codes of its answers.
    pub(super) answers: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Multi {
    pub(super) id: String,
    #[serde(default)]
    pub(super) text: String,
    pub(super) columns: Vec<String>,
    pub(super) counted: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridOf {
    pub(super) id: String,
    #[serde(default)]
    pub(super) text: String,
    pub(super) columns: Vec<String>,
}

/// Reads `survey.toml`.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Manifest, ReadError> {
    let (text, _) = super::text::decode(file, bytes, None)?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
        let problem = error.message().replace('\n', " ");
        ReadError::setting(
            file,
            format!("line {line}"),
            problem,
            "see docs/survey-files.md for what is allowed there",
        )
    })?;
    if manifest.study.is_empty() {
        let remedy = "add [[study]] with id and file for each, or remove survey.toml";
        return Err(ReadError::setting(file, "the file", "it lists no study", remedy));
    }
    for entry in &manifest.study {
        let fine = !entry.id.is_empty()
            && entry
                .id
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'));
        if !fine {
            let problem = format!("{:?} is not a valid id", entry.id);
            let remedy = "use letters, digits, _, - and . only";
            return Err(ReadError::setting(
                file,
                format!("the study of {}", entry.file),
                problem,
                remedy,
            ));
        }
    }
    Ok(manifest)
}
