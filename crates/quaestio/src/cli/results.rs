//! The command line of what is done with a result that is a file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Json;
use crate::export::ExportFormat;
use crate::pdf::PaperSize;

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// The result as JSON, from `--format json` or `quaestio runs export`; - reads standard input.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The result as JSON, from `--format json` or `quaestio runs export`; - reads standard input.
    pub(crate) file: PathBuf,
    /// Output format [default: md, or the ending of the --output file].
    #[arg(long, value_enum)]
    pub(crate) format: Option<RenderFormat>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Paper size of a PDF.
    #[arg(long, value_enum, default_value = "a4")]
    pub(crate) paper: PaperSize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    /// Markdown.
    Md,
    Json,
    /// One JSON object per sentence; for results of `check`.
    Jsonl,
    Html,
    /// A Word document.
    Docx,
    /// A report to print or send.
    Pdf,
    /// Plain text.
    Text,
    /// The cited works.
    Bibtex,
    /// The cited works.
    Ris,
    /// The cited works.
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
