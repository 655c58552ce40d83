//! Errors of reading a dataset.

use thiserror::Error;

use super::Split;

/// Why a file or folder is not a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DatasetError {
    #[error(
        "could not read {file}: {reason}. Name a file of questions, or a folder in BEIR's layout"
    )]
    Unreadable { file: String, reason: String },
    #[error("{file} is larger than {limit_mib} MiB; split it")]
    TooLarge { file: String, limit_mib: u64 },
    #[error("{file} has more than {limit} non-empty lines; split it")]
    TooMany { file: String, limit: usize },
    #[error("{file}, line {line}: {fault}")]
    Line { file: String, line: usize, fault: Fault },
    #[error(
        "{file} contains no question. Write one JSON object per line, each with at least {{\"question\": \"…\"}}"
    )]
    Empty { file: String },
    #[error(
        "{folder} has no {missing}. A folder in BEIR's layout contains corpus.jsonl, queries.jsonl and qrels/train.tsv or \
         qrels/test.tsv. For questions without a corpus, name the file itself"
    )]
    NotBeir { folder: String, missing: String },
    #[error(
        "{folder} contains no test collection. A folder in BEIR's layout contains corpus.jsonl, queries.jsonl and qrels/"
    )]
    NoFolder { folder: String },
    #[error(
        "no query in {folder} has a relevant document in {read}. Check its qrels, or choose another split"
    )]
    Unjudged { folder: String, read: String },
    #[error("{file} is a single file and has no split '{split}'; leave the split out")]
    NoParts { file: String, split: Split },
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("it is longer than {limit_kib} KiB; shorten it")]
    TooLong { limit_kib: usize },
    #[error("it is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    #[error("it is not JSON ({reason}); write each question as one JSON object on its own line")]
    NotJson { reason: String },
    #[error(
        "it contains {found}, not an object; write one JSON object per line, without a list around them"
    )]
    NotAnObject { found: &'static str },
    #[error("`{key}` is missing or empty; give it a text")]
    Missing { key: &'static str },
    #[error("`{key}` is {found}; give it {wanted}")]
    WrongType { key: String, found: &'static str, wanted: &'static str },
    #[error("the id '{id}' is already used on line {first}; use each id once")]
    Duplicate { id: String, first: usize },
    #[error("the id is longer than {limit} characters; shorten it")]
    LongId { limit: usize },
    #[error(
        "`kind` is '{kind}'; write answered, half or unanswered, or `answerable`: true or false"
    )]
    Kind { kind: String },
    #[error(
        "it has {columns} columns; write query-id, corpus-id and score with a tab between them"
    )]
    Columns { columns: usize },
    #[error(
        "the score '{score}' is not a whole number; write 0 for not relevant and 1 or more for relevant"
    )]
    Score { score: String },
}
