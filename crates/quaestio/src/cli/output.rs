//! How and where a result is given.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Format;
use crate::export::ExportFormat;
use crate::failure::Failure;
use crate::target::Target;

/// Whether a command prints text for a person or JSON for a program.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Json {
    /// Print JSON; short for --format json.
    #[arg(long = "json", conflicts_with = "print_as")]
    is_wanted: bool,
    /// What to print.
    #[arg(long = "format", id = "print_as", value_name = "FORMAT", value_enum, default_value_t)]
    format: PrintFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum PrintFormat {
    #[default]
    Text,
    Json,
}

impl Json {
    pub(crate) fn is_wanted(self) -> bool {
        self.is_wanted || self.format == PrintFormat::Json
    }
}

/// Where a result is given.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputPath {
    /// Write the result to this file, or in every format to this folder, instead of printing it.
    ///
    /// The extension says the format of a file: report.md, report.html, result.json, references.bib and so on; one that is unknown is an
    /// error before anything is begun. A folder is one that there is, or whose path ends with / or has no extension. It gets report.*,
    /// result.json, of a result that cites works references.*, and of a brief tables.xlsx; files of these names are replaced. Nothing is
    /// then printed on standard output, and what was written is told on standard error. - is standard output. Nothing is written of a run
    /// that waits for a person or was cancelled: `quaestio runs export RUN --output …` writes what it has.
    #[arg(long, short, value_name = "FILE|FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

/// How and where a result is given.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// How it is printed, md if nothing is said; with --output, the format of a file whose name does not say it.
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) place: OutputPath,
}

impl OutputPath {
    /// Returns where a result is written; `None` if it is printed.
    ///
    /// # Errors
    ///
    /// If the path does not say a format, or says another one.
    pub(crate) fn target(&self, format: Option<ExportFormat>) -> Result<Option<Target>, Failure> {
        let path = self.output.as_deref().filter(|path| !is_standard_output(path));
        path.map(|path| Target::read(path, format)).transpose()
    }

    /// Returns whether standard output is named.
    pub(crate) fn is_standard_output(&self) -> bool {
        self.output.as_deref().is_some_and(is_standard_output)
    }
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}
