//! Questions with what is known of their answers.

use std::collections::BTreeMap;

use run::entry::Hash;
use serde::{Deserialize, Serialize};

/// A set of questions, and the documents that come with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The name of its file or folder, without an ending.
    pub name: String,
    /// Of its cases and documents: the same content has the same digest, wherever it lies.
    pub digest: Hash,
    /// In the order of the file, every id once.
    pub cases: Vec<Case>,
    /// The corpus of a folder in BEIR's layout; empty for a file of questions.
    pub documents: Vec<Document>,
    /// What was treated otherwise than it stands there, to be told to whoever reads the report.
    pub notes: Vec<String>,
}

/// A question with what is known of its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    pub id: String,
    pub question: String,
    /// Reference answers, each of which is right; empty where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Strings that a right answer contains, all of them; empty where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<String>,
    /// The documents that bear on it, as paths below the ingested folder or as source URIs, each with its grade (from 1 on); empty
    /// where none is known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relevant: BTreeMap<String, u32>,
    /// Whether the documents answer it at all; none where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answerable: Option<bool>,
    /// What a judge is told to look for in this case, beside the rubric of all.
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
