//! The command line of what is done with a result that is a file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Json;
use crate::export::ExportFormat;
use crate::pdf::PaperSize;

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// The result as JSON, as `--format json` or `quaestio runs export` prints it; - reads it from standard input.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The result as JSON, as `--format json` or `quaestio runs export` prints it; - reads it from standard input.
    pub(crate) file: PathBuf,
    /// md if nothing is said, or what the file of --output is by its extension.
    #[arg(long, value_enum)]
    pub(crate) format: Option<RenderFormat>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The paper of a PDF.
    #[arg(long, value_enum, default_value = "a4")]
    pub(crate) paper: PaperSize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Md,
    Json,
    /// Of `check`: a JSON object a line, one for each sentence.
    Jsonl,
    Html,
    /// A Word document.
    Docx,
    /// The report to print or to send on.
    Pdf,
    Text,
    /// The works that are cited.
    Bibtex,
    /// The works that are cited.
    Ris,
    /// The works that are cited.
    CslJson,
}

impl From<RenderFormat> for ExportFormat {
    fn from(format: RenderFormat) -> ExportFormat {
        match format {
            RenderFormat::Md => ExportFormat::Md,
            RenderFormat::Json => ExportFormat::Json,
            RenderFormat::Jsonl => ExportFormat::Jsonl,
            RenderFormat::Html => ExportFormat::Html,
            RenderFormat::Docx => ExportFormat::Docx,
            RenderFormat::Pdf => ExportFormat::Pdf,
            RenderFormat::Text => ExportFormat::Text,
            RenderFormat::Bibtex => ExportFormat::Bibtex,
            RenderFormat::Ris => ExportFormat::Ris,
            RenderFormat::CslJson => ExportFormat::CslJson,
        }
    }
}
