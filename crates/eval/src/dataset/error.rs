//! Errors of reading a dataset.

use thiserror::Error;

use super::Split;

/// Why a file or folder is not a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DatasetError {
    #[error(
        "{file} cannot be read: {reason}; name a file of questions or a folder in BEIR's layout"
    )]
    Unreadable { file: String, reason: String },
    #[error("{file} is larger than {limit_mib} MiB; split it")]
    TooLarge { file: String, limit_mib: u64 },
    #[error("{file} has more than {limit} lines that hold something; split it")]
    TooMany { file: String, limit: usize },
    #[error("{file}, line {line}: {fault}")]
    Line { file: String, line: usize, fault: Fault },
    #[error(
        "{file} holds no question; write one JSON object a line, each with at least {{\"question\": \"…\"}}"
    )]
    Empty { file: String },
    #[error(
        "{folder} has no {missing}; a folder in BEIR's layout holds corpus.jsonl, queries.jsonl and \
         qrels/train.tsv or qrels/test.tsv (for questions without a corpus, name the file itself)"
    )]
    NotBeir { folder: String, missing: String },
    #[error(
        "{folder} is no test collection and holds none; a folder in BEIR's layout holds corpus.jsonl, queries.jsonl and qrels/"
    )]
    NoFolder { folder: String },
    #[error(
        "no query of {folder} has a relevant document in {read}; look at its qrels, or choose another split"
    )]
    Unjudged { folder: String, read: String },
    #[error("{file} is one file and has no split '{split}'; leave the split out")]
    NoParts { file: String, split: Split },
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("it is longer than {limit_kib} KiB; shorten it")]
    TooLong { limit_kib: usize },
    #[error("it is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    #[error(
        "it is not JSON ({reason}); write every question as one JSON object on a line of its own"
    )]
    NotJson { reason: String },
    #[error(
        "it holds {found} and not an object; write one JSON object a line, without a list around them"
    )]
    NotAnObject { found: &'static str },
    #[error("`{key}` is missing or empty; give it a text")]
    Missing { key: &'static str },
    #[error("`{key}` is {found}; give it {wanted}")]
    WrongType { key: String, found: &'static str, wanted: &'static str },
    #[error("the id '{id}' was given on line {first} already; every id may stand once")]
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
        "the score '{score}' is no whole number; write 0 for not relevant and 1 or more for relevant"
    )]
    Score { score: String },
}
