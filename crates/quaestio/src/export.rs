//! A run's result as a file: its report, its data, the works that it cites.
//!
//! A new format is a variant of [`ExportFormat`], a row of [`ExportFormat::spec`], and an arm in [`Exporter::make`]. The command line,
//! the folders that `--output` writes, the HTTP API and the page take it from there.

use bundle::Extent;
use clap::ValueEnum;
use papers::Paper;
use run::Methods;
use run::entry::Entry;
use run::files::Files;
use run::library::Library;
use run::views;
use sources::Csl;

use crate::cli::Format;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, render};
use crate::pdf::{self, PaperSize};
use crate::{bundles, tables};

/// The formats, in the order in which they are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Md,
    Html,
    /// A Word document.
    Docx,
    /// The report to print or to send on.
    Pdf,
    Text,
    Json,
    /// The sentences that `check` checked, a JSON object a line.
    Jsonl,
    /// The banner tables of a brief.
    Xlsx,
    /// One file that proves itself: report, log, sources and prompts, for `quaestio verify`.
    Bundle,
    /// The works that are cited.
    Bibtex,
    /// The works that are cited.
    Ris,
    /// The works that are cited.
    CslJson,
}

/// What a format is to its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Report,
    Data,
    References,
    Proof,
}

/// What is fixed about a format.
pub(crate) struct FormatSpec {
    pub(crate) group: Group,
    /// Its name in a menu.
    pub(crate) title: &'static str,
    pub(crate) media_type: &'static str,
    /// The ends of its files' names, without the dot: the one that they get, then others by which it is known.
    pub(crate) extensions: &'static [&'static str],
    /// The name of its file in a folder of everything, without the extension; `None` if it is not written there.
    pub(crate) stem: Option<&'static str>,
    /// Whether it can be printed at a terminal.
    pub(crate) is_text: bool,
    /// The methods whose runs have it; empty if all do.
    pub(crate) methods: &'static [&'static str],
}

impl Group {
    /// Returns its name in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Group::Report => "report",
            Group::Data => "data",
            Group::References => "references",
            Group::Proof => "proof",
        }
    }
}

/// The row of a report; each format changes what is different about it.
const REPORT: FormatSpec = FormatSpec {
    group: Group::Report,
    title: "",
    media_type: "",
    extensions: &[],
    stem: Some("report"),
    is_text: true,
    methods: &[],
};

/// The row of a list of references.
const REFERENCES: FormatSpec =
    FormatSpec { group: Group::References, stem: Some("references"), ..REPORT };

/// The row of data.
const DATA: FormatSpec = FormatSpec { group: Group::Data, stem: Some("result"), ..REPORT };

impl ExportFormat {
    /// Returns what is fixed about the format.
    pub(crate) fn spec(self) -> FormatSpec {
        match self {
            ExportFormat::Md => FormatSpec {
                title: "Markdown",
                media_type: "text/markdown; charset=utf-8",
                extensions: &["md", "markdown"],
                ..REPORT
            },
            ExportFormat::Html => FormatSpec {
                title: "Web page",
                media_type: "text/html; charset=utf-8",
                extensions: &["html", "htm"],
                ..REPORT
            },
            ExportFormat::Docx => FormatSpec {
                title: "Word document",
                media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                extensions: &["docx"],
                is_text: false,
                ..REPORT
            },
            ExportFormat::Pdf => FormatSpec {
                title: "PDF",
                media_type: "application/pdf",
                extensions: &["pdf"],
                is_text: false,
                ..REPORT
            },
            ExportFormat::Text => FormatSpec {
                title: "Plain text",
                media_type: "text/plain; charset=utf-8",
                extensions: &["txt", "text"],
                stem: None,
                ..REPORT
            },
            ExportFormat::Json => FormatSpec {
                title: "Full result (JSON)",
                media_type: "application/json",
                extensions: &["json"],
                ..DATA
            },
            ExportFormat::Jsonl => FormatSpec {
                title: "Checked sentences (JSON lines)",
                media_type: "application/jsonl",
                extensions: &["jsonl", "ndjson"],
                stem: Some("sentences"),
                methods: &["check"],
                ..DATA
            },
            ExportFormat::Xlsx => FormatSpec {
                title: "Banner tables (Excel)",
                media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                extensions: &["xlsx"],
                stem: Some("tables"),
                is_text: false,
                methods: &[tables::BRIEF],
                ..DATA
            },
            ExportFormat::Bundle => FormatSpec {
                group: Group::Proof,
                title: "Verifiable bundle (.zip)",
                media_type: "application/zip",
                extensions: &["quaestio.zip", "zip"],
                stem: None,
                is_text: false,
                ..REPORT
            },
            ExportFormat::Bibtex => FormatSpec {
                title: "BibTeX",
                media_type: "application/x-bibtex; charset=utf-8",
                extensions: &["bib", "bibtex"],
                ..REFERENCES
            },
            ExportFormat::Ris => FormatSpec {
                title: "RIS",
                media_type: "application/x-research-info-systems; charset=utf-8",
                extensions: &["ris"],
                ..REFERENCES
            },
            ExportFormat::CslJson => FormatSpec {
                title: "CSL-JSON",
                media_type: "application/vnd.citationstyles.csl+json",
                extensions: &["csl.json"],
                ..REFERENCES
            },
        }
    }

    /// Returns the format of that name.
    pub(crate) fn named(name: &str) -> Option<ExportFormat> {
        Self::value_variants().iter().copied().find(|format| format.name() == name)
    }

    /// Returns the format of a file of that name; `None` if its extension is none that is known.
    pub(crate) fn of_file(name: &str) -> Option<ExportFormat> {
        let name = name.to_lowercase();
        let end_of = |extension: &str| {
            let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
            (!stem.is_empty()).then_some(extension.len())
        };
        let matched = Self::value_variants().iter().filter_map(|&format| {
            let ends = format.spec().extensions.iter().filter_map(|extension| end_of(extension));
            Some((ends.max()?, format))
        });
        // A file of CSL-JSON ends like one of JSON as well.
        matched.max_by_key(|(length, _)| *length).map(|(_, format)| format)
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the extension that its files get, without the dot.
    pub(crate) fn extension(self) -> &'static str {
        self.spec().extensions.first().copied().unwrap_or_default()
    }

    /// Returns whether this program was built with what makes it.
    pub(crate) fn is_built(self) -> bool {
        self != ExportFormat::Pdf || cfg!(feature = "pdf")
    }

    /// Returns whether runs of that method have it.
    pub(crate) fn is_of(self, method: &str) -> bool {
        let methods = self.spec().methods;
        methods.is_empty() || methods.contains(&method)
    }

    /// Returns the names of all formats, in order.
    pub(crate) fn names() -> String {
        let names: Vec<String> =
            Self::value_variants().iter().map(|format| format.name()).collect();
        names.join(", ")
    }
}

/// What the result of a run is written with.
pub(crate) struct Exporter<'a> {
    pub(crate) methods: &'a Methods,
    pub(crate) bibliography: &'a Csl,
    pub(crate) files: &'a dyn Files,
    pub(crate) library: &'a dyn Library,
    pub(crate) config: &'a Config,
    /// How much of its sources a bundle gets.
    pub(crate) extent: Extent,
    /// Of a PDF.
    pub(crate) paper: PaperSize,
}

/// A result as a file.
pub(crate) struct Exported {
    pub(crate) bytes: Vec<u8>,
    /// What a reader must know about it.
    pub(crate) remarks: Vec<String>,
}

impl From<Vec<u8>> for Exported {
    fn from(bytes: Vec<u8>) -> Exported {
        Exported { bytes, remarks: vec![] }
    }
}

impl Exporter<'_> {
    /// Returns the result of a run in a format.
    ///
    /// # Errors
    ///
    /// If the run has no such file.
    pub(crate) async fn export(
        &self,
        run: &str,
        entries: &[Entry],
        format: ExportFormat,
    ) -> Result<Exported, Failure> {
        let method = views::start(entries).map_or("", |start| start.method);
        if !format.is_of(method) {
            return Err(missing(run, method, format));
        }
        self.make(run, entries, format).await
    }

    /// Sets the report, off the threads that serve.
    async fn set_pdf(&self, run: &str, entries: &[Entry]) -> Result<Exported, Failure> {
        let envelope = views::envelope(run, entries, self.bibliography);
        let ended_at = entries.last().map(|last| last.at);
        let order = pdf::Order::of(self.methods, &envelope, ended_at, self.paper);
        let set = tokio::task::spawn_blocking(move || pdf::write(order)).await;
        set.unwrap_or_else(|error| {
            Err(Failure::new(format!("could not make the PDF: {error}"), "choose another --format"))
        })
    }

    /// Returns whether a folder of the run's result has a file of the format: its method has it, and references are of cited works.
    pub(crate) fn has(&self, entries: &[Entry], format: ExportFormat) -> bool {
        let method = views::start(entries).map_or("", |start| start.method);
        let cites = || !views::references(entries, self.bibliography).is_empty();
        format.is_built()
            && format.is_of(method)
            && (format.spec().group != Group::References || cites())
    }

    /// Makes the file of a format that the run's method has.
    async fn make(
        &self,
        run: &str,
        entries: &[Entry],
        format: ExportFormat,
    ) -> Result<Exported, Failure> {
        let Exporter { methods, bibliography, files, extent, .. } = *self;
        let cited = || -> Vec<Paper> {
            let references = views::references(entries, bibliography).into_iter();
            references.map(|reference| reference.work).collect()
        };
        let envelope = || views::envelope(run, entries, bibliography);
        let whole = |format| render(methods, &envelope(), format);
        let text = match format {
            ExportFormat::Md => whole(Format::Md),
            ExportFormat::Html => whole(Format::Html),
            ExportFormat::Docx => {
                let ended_at = entries.last().map(|last| last.at);
                return Ok(output::word_document(methods, &envelope(), ended_at)?.into());
            }
            ExportFormat::Pdf => return self.set_pdf(run, entries).await,
            ExportFormat::Text => output::file_text(methods, &envelope()),
            ExportFormat::Json => whole(Format::Json),
            ExportFormat::Jsonl => output::sentences(&envelope()),
            ExportFormat::Xlsx => {
                return Ok(tables::build_workbook(files, run, entries).await?.into());
            }
            ExportFormat::Bundle => {
                return Ok(bundles::pack(self, run, entries, extent).await?.into());
            }
            ExportFormat::Bibtex => sources::bibtex(&cited()),
            ExportFormat::Ris => sources::ris(&cited()),
            ExportFormat::CslJson => sources::csl_json(&cited()),
        };
        Ok(text.into_bytes().into())
    }
}

fn missing(run: &str, method: &str, format: ExportFormat) -> Failure {
    let (name, of) = (format.name(), format.spec().methods.join(", "));
    Failure::usage(
        format!("the format {name} is only for runs of {of}, and run {run} is of {method}"),
        "choose another --format, such as json",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    // proves: F6
    #[test]
    fn every_format_is_found_by_its_name_and_by_the_files_that_are_named_for_it() {
        let mut names = BTreeSet::new();
        for format in ExportFormat::value_variants() {
            let spec = format.spec();
            assert_eq!(ExportFormat::named(&format.name()), Some(*format));
            assert!(!spec.title.is_empty() && !spec.media_type.is_empty(), "{format:?}");
            for extension in spec.extensions {
                let name = format!("Report of May.{}", extension.to_uppercase());
                assert_eq!(ExportFormat::of_file(&name), Some(*format), "{name}");
            }
            let stem = spec.stem.map(|stem| format!("{stem}.{}", format.extension()));
            assert!(stem.is_none_or(|name| names.insert(name)), "{format:?}");
        }
        for name in ["", "docs", "MD", "../md"] {
            assert_eq!(ExportFormat::named(name), None);
        }
        for name in ["", "report", ".md", ".csl.json", "report.", "report.md.", "report.mdx"] {
            let found = ExportFormat::of_file(name);
            assert!(found.is_none() || name == ".csl.json", "{name}: {found:?}");
        }
        assert_eq!(ExportFormat::of_file("a.csl.json"), Some(ExportFormat::CslJson));
        assert_eq!(ExportFormat::of_file("csl.json"), Some(ExportFormat::Json));
    }
}
