//! A run's result as a file: its report, its envelope, the works it cites, or the banner tables of a brief.

use clap::ValueEnum;
use papers::Paper;
use run::Methods;
use run::entry::Entry;
use run::files::Files;
use run::views;
use sources::Csl;

use crate::cli::{ExportFormat, Format};
use crate::failure::Failure;
use crate::output::render;
use crate::tables;

/// Every format, in the order in which they are offered.
pub(crate) const FORMATS: [ExportFormat; 7] = [
    ExportFormat::Md,
    ExportFormat::Html,
    ExportFormat::Json,
    ExportFormat::Bibtex,
    ExportFormat::Ris,
    ExportFormat::CslJson,
    ExportFormat::Xlsx,
];

impl ExportFormat {
    /// Returns the format of that name.
    pub(crate) fn named(name: &str) -> Option<ExportFormat> {
        FORMATS.into_iter().find(|format| format.name() == name)
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            ExportFormat::Md => "Markdown",
            ExportFormat::Json => "JSON, with everything",
            ExportFormat::Html => "Web page",
            ExportFormat::Bibtex => "Cited works as BibTeX",
            ExportFormat::Ris => "Cited works as RIS",
            ExportFormat::CslJson => "Cited works as CSL-JSON",
            ExportFormat::Xlsx => "Banner tables as a workbook",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            ExportFormat::Md => "text/markdown; charset=utf-8",
            ExportFormat::Json => "application/json",
            ExportFormat::Html => "text/html; charset=utf-8",
            ExportFormat::Bibtex => "application/x-bibtex; charset=utf-8",
            ExportFormat::Ris => "application/x-research-info-systems; charset=utf-8",
            ExportFormat::CslJson => "application/vnd.citationstyles.csl+json",
            ExportFormat::Xlsx => {
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            }
        }
    }

    /// Returns the extension of such a file, without the dot.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            ExportFormat::Md => "md",
            ExportFormat::Json => "json",
            ExportFormat::Html => "html",
            ExportFormat::Bibtex => "bib",
            ExportFormat::Ris => "ris",
            ExportFormat::CslJson => "csl.json",
            ExportFormat::Xlsx => "xlsx",
        }
    }

    /// Returns the methods whose runs have it; empty if all do.
    pub(crate) fn methods(self) -> &'static [&'static str] {
        match self {
            ExportFormat::Xlsx => &[tables::BRIEF],
            _ => &[],
        }
    }
}

/// What the result of a run is written with.
pub(crate) struct Exporter<'a> {
    pub(crate) methods: &'a Methods,
    pub(crate) bibliography: &'a Csl,
    pub(crate) files: &'a dyn Files,
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
    ) -> Result<Vec<u8>, Failure> {
        let Exporter { methods, bibliography, files } = *self;
        let cited = || -> Vec<Paper> {
            let references = views::references(entries, bibliography).into_iter();
            references.map(|reference| reference.work).collect()
        };
        let whole = |format| render(methods, &views::envelope(run, entries, bibliography), format);
        let text = match format {
            ExportFormat::Md => whole(Format::Md),
            ExportFormat::Json => whole(Format::Json),
            ExportFormat::Html => whole(Format::Html),
            ExportFormat::Bibtex => sources::bibtex(&cited()),
            ExportFormat::Ris => sources::ris(&cited()),
            ExportFormat::CslJson => sources::csl_json(&cited()),
            ExportFormat::Xlsx => return tables::build_workbook(files, run, entries).await,
        };
        Ok(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F6
    #[test]
    fn every_format_of_the_command_line_is_offered_and_found_by_its_name() {
        assert_eq!(ExportFormat::value_variants().len(), FORMATS.len());
        for format in ExportFormat::value_variants() {
            assert_eq!(ExportFormat::named(&format.name()), Some(*format));
        }
        assert_eq!(ExportFormat::named("csl-json"), Some(ExportFormat::CslJson));
        for name in ["", "pdf", "MD", "../md"] {
            assert_eq!(ExportFormat::named(name), None);
        }
    }
}
