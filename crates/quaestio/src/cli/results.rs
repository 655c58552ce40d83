//! The command line of what is done with a result that is a file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// The result as JSON, as `--format json` or `quaestio runs export` prints it; - reads it from standard input.
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The result as JSON, as `--format json` or `quaestio runs export` prints it; - reads it from standard input.
    pub(crate) file: PathBuf,
    #[arg(long, value_enum, default_value = "md")]
    pub(crate) format: RenderFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Md,
    Json,
    /// Of `check`: a JSON object a line, one for each sentence.
    Jsonl,
    Html,
    Text,
    /// The works that are cited.
    Bibtex,
    /// The works that are cited.
    Ris,
    /// The works that are cited.
    CslJson,
}
