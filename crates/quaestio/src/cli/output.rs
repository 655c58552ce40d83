//! How and where a result is given.

use std::path::{Path, PathBuf};

use clap::Args;

use super::TextOrJson;
use super::{Format, heading};
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
    format: TextOrJson,
}

impl Json {
    pub(crate) fn is_wanted(self) -> bool {
        self.is_wanted || self.format == TextOrJson::Json
    }
}

/// Where a result is given.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputPath {
    /// Write the result to this file, or in every format to this folder.
    ///
    /// The ending of a file sets its format: report.md, report.html, report.docx, report.pdf, result.json or references.bib. A path
    /// without an ending is a folder. A folder receives the report in every format, result.json, and references.* or tables.xlsx where
    /// the result has them. Files with these names are replaced. Use - for standard output.
    ///
    /// A run that waits for you or was cancelled writes nothing. Use `quaestio runs export RUN --output FILE` to write what it has.
    #[arg(long, short, value_name = "FILE|FOLDER", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
}

/// How and where a result is given.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// Output format [default: md, or the ending of the --output file].
    #[arg(long, value_enum, help_heading = heading::OUTPUT)]
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
