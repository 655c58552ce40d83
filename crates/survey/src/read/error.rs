//! What can be wrong with the files of a project.

use thiserror::Error;

/// Why files could not be read as a project: what is wrong, where, and what to do.
///
/// Messages are fragments that follow "could not read the survey: ".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error(
        "there is no data file among them. Give a .sav, .zsav, .csv, .xlsx or .parquet file, or a Triple-S pair (.sss and \
         .asc)"
    )]
    NoData,
    #[error("{file} is empty; export it again")]
    Empty { file: String },
    #[error(
        "{file} is not {expected}, although its name says so: {found}. Rename it to match its format, or export it again"
    )]
    OtherFormat { file: String, expected: &'static str, found: String },
    #[error("{file} is damaged or incomplete: {problem}. Export or copy it again")]
    Damaged { file: String, problem: String },
    #[error("could not read {file}: {problem}; {remedy}")]
    Unsupported { file: String, problem: String, remedy: &'static str },
    #[error(
        "{file} unpacks to more than {limit} {what}, far more than {bytes} bytes can contain. Export it again, or split it"
    )]
    TooLarge { file: String, what: &'static str, limit: u64, bytes: u64 },
    /// A wrong entry of `survey.toml` or of a codebook.
    #[error("{file}, {place}: {problem}; {remedy}")]
    Setting { file: String, place: String, problem: String, remedy: String },
    #[error("{file} is missing, and {by} needs it. Add it to the files")]
    NotGiven { file: String, by: String },
    #[error(
        "two studies have the id {id} ({first} and {second}). Give them different ids in survey.toml"
    )]
    SameId { id: String, first: String, second: String },
}

impl ReadError {
    pub(super) fn damaged(file: &str, problem: impl Into<String>) -> ReadError {
        ReadError::Damaged { file: file.to_owned(), problem: problem.into() }
    }

    pub(super) fn setting(
        file: &str,
        place: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        ReadError::Setting {
            file: file.to_owned(),
            place: place.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

/// Returns how many cells a file may expand to.
///
/// Packed real data holds well under a hundred cells per byte; a file that claims more was made to fill memory.
pub(super) fn cells_allowed(bytes: usize) -> u64 {
    (1 << 26) + 64 * bytes as u64
}

/// How many columns a file may have: a survey of ten thousand questions has fewer.
pub(super) const MOST_COLUMNS: usize = 100_000;

/// Fails if `rows` times `columns` is more than the file can honestly hold, or if `columns` is more than any survey has.
pub(super) fn check_cells(
    file: &str,
    rows: usize,
    columns: usize,
    bytes: usize,
) -> Result<(), ReadError> {
    if columns > MOST_COLUMNS {
        return Err(ReadError::TooLarge {
            file: file.to_owned(),
            what: "columns",
            limit: MOST_COLUMNS as u64,
            bytes: bytes as u64,
        });
    }
    let limit = cells_allowed(bytes);
    if (rows as u64).saturating_mul(columns as u64) > limit {
        return Err(ReadError::TooLarge {
            file: file.to_owned(),
            what: "values",
            limit,
            bytes: bytes as u64,
        });
    }
    Ok(())
}
