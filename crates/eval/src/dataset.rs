//! Questions with what is known of their answers.
//!
//! A dataset is a file with one JSON object per line, or a folder in BEIR's layout with its own documents (Thakur et al., "BEIR: a
//! heterogeneous benchmark for zero-shot evaluation of information retrieval models", NeurIPS 2021).
//!
//! ```text
//! {"id": "a02", "question": "How many deaths does the table add up to?", "answer": "616", "relevant": "history/outbreak.md"}
//! ```

mod beir;
mod error;
mod lines;
mod questions;

use std::collections::BTreeMap;
use std::path::Path;

use run::entry::Hash;
use serde::{Deserialize, Serialize};

pub use beir::{Split, folders};
pub use error::{DatasetError, Fault};

/// A set of questions, and the documents that come with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The name of its file or folder, without an extension.
    pub name: String,
    /// The digest of its cases and documents: the same content has the same digest, whatever its path.
    pub digest: Hash,
    /// The cases in the order of the file; ids are unique.
    pub cases: Vec<Case>,
    /// The corpus of a folder in BEIR's layout; empty for a file of questions.
    pub documents: Vec<Document>,
    /// Notes for the reader of the report on input that was not taken literally.
    pub notes: Vec<String>,
}

/// A question with what is known of its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    pub id: String,
    pub question: String,
    /// Reference answers, each of which is right; empty if none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Strings that a right answer contains, all of them; empty if none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<String>,
    /// The relevant documents, as paths below the ingested folder or as source URIs, each with its grade (from 1 on); empty if none is
    /// known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relevant: BTreeMap<String, u32>,
    /// Whether the documents answer it at all; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answerable: Option<bool>,
    /// What a judge should look for in this case, in addition to the common rubric.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rubric: String,
}

/// A document of a corpus in BEIR's layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub id: String,
    pub title: String,
    pub text: String,
}

/// Reads a file of questions, or a folder in BEIR's layout with the judgements of `split`.
///
/// A line of a file is an object with `question` and any of `id`, `answer`, `relevant` (also as `relevant_documents` or `source`),
/// `expects`, `answerable` (also as `kind`) and `rubric`. Blank lines, a byte order mark and both kinds of line endings are accepted.
///
/// # Errors
/// If the input is not a dataset; the error names file, line and remedy.
pub fn read(path: &Path, split: Split) -> Result<Dataset, DatasetError> {
    if path.is_dir() {
        return beir::read(path, split);
    }
    let file = path.display().to_string();
    if split != Split::All {
        return Err(DatasetError::NoParts { file, split });
    }
    let bytes = lines::bytes(path, questions::LARGEST_FILE)?;
    let (cases, notes) = questions::parse(&file, &bytes)?;
    Ok(Dataset::of(name(path), cases, Vec::new(), notes))
}

impl Dataset {
    /// Builds a dataset. Its digest covers cases and documents, whatever their order.
    pub fn of(
        name: String,
        cases: Vec<Case>,
        documents: Vec<Document>,
        notes: Vec<String>,
    ) -> Dataset {
        let digest = compute_digest(&cases, &documents);
        Dataset { name, digest, cases, documents, notes }
    }
}

/// Returns the name of a file without its extension, or of a folder.
fn name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
    name.map_or_else(|| "dataset".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn compute_digest(cases: &[Case], documents: &[Document]) -> Hash {
    let all = |mut digests: Vec<[u8; 32]>| {
        digests.sort_unstable();
        Hash::of(&digests.concat())
    };
    let cases = all(cases.iter().map(|case| Hash::of_json(case).0).collect());
    let documents = all(documents.iter().map(|document| Hash::of_json(document).0).collect());
    Hash::of_parts(&[&cases.0, &documents.0])
}

#[cfg(test)]
mod tests;
