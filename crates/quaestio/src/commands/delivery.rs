//! What becomes of a run's result: it is printed, or written where `--output` says.

use bundle::Extent;
use run::entry::Entry;
use run::log::Status;

use super::CliContext;
use super::runs::started;
use crate::cli::{CheckFormat, Format, OutputArgs, OutputPath};
use crate::export::{ExportFormat, Exporter};
use crate::failure::{Exit, Failure};
use crate::pdf::PaperSize;
use crate::target::{Saved, Target};
use crate::wire;

/// What becomes of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Delivery {
    /// Without a format it is shown on a terminal, and printed as Markdown elsewhere.
    Print(Option<Format>),
    Save(Target),
}

impl Delivery {
    pub(super) fn of(args: &OutputArgs) -> Result<Delivery, Failure> {
        let target = args.place.target(args.format.map(ExportFormat::from))?;
        Ok(target.map_or(Delivery::Print(args.format), Delivery::Save))
    }

    /// Checks, before a run of that method begins, that its result can be written.
    pub(super) fn check(&self, method: &str) -> Result<(), Failure> {
        match self {
            Delivery::Print(_) => Ok(()),
            Delivery::Save(target) => target.check(method),
        }
    }

    /// Returns the format of what else is printed, such as an estimate.
    pub(super) fn print_format(&self) -> Format {
        match self {
            Delivery::Print(format) => format.unwrap_or(Format::Md),
            Delivery::Save(Target::File { format: ExportFormat::Json, .. }) => Format::Json,
            Delivery::Save(_) => Format::Md,
        }
    }
}

impl CliContext<'_> {
    /// Writes the result of a run that has one.
    pub(super) async fn save(
        &self,
        run: &str,
        entries: &[Entry],
        status: Status,
        target: &Target,
    ) -> Result<(), Failure> {
        if !matches!(status, Status::Completed | Status::Partial) {
            let (is, path) = (status.name(), target.path().display());
            self.note(&run::grounding::clean(&format!(
                "nothing is written, because run {run} is {is}; for what it has: quaestio runs export {run} --output {path}"
            )));
            return Ok(());
        }
        let exporter = self.exporter();
        let saved = target.write(&exporter, run, entries).await?;
        self.note_saved(target, &saved);
        Ok(())
    }

    /// Tells what was written, and what a reader must know about it.
    pub(super) fn note_saved(&self, target: &Target, saved: &Saved) {
        self.note(&run::grounding::clean(&target.describe(saved)));
        for remark in &saved.remarks {
            self.note(&run::grounding::clean(&format!("note: {remark}")));
        }
    }

    /// Returns what results are written with.
    pub(super) fn exporter(&self) -> Exporter<'_> {
        Exporter {
            methods: &self.methods,
            bibliography: &self.bibliography,
            files: &*self.database.files,
            library: &*self.database.library,
            config: &self.config,
            extent: Extent::Sources,
            paper: PaperSize::default(),
        }
    }
}

/// Returns what becomes of the result of a run, once it is checked that it can be written.
pub(super) async fn read_delivery(
    context: &CliContext<'_>,
    run: &str,
    output: &OutputArgs,
) -> Result<Delivery, Failure> {
    let delivery = Delivery::of(output)?;
    let summary = context.database.log.summary(&context.config.user, run).await?;
    delivery.check(&summary.method)?;
    Ok(delivery)
}

/// Prints the result of a run as it is now, or writes it.
pub(super) async fn export(
    context: &CliContext<'_>,
    run: &str,
    format: Option<ExportFormat>,
    style: Option<&str>,
    extent: Extent,
    paper: PaperSize,
    place: &OutputPath,
) -> Result<Exit, Failure> {
    let entries = context.entries(run).await?;
    let styled = style.map(wire::bibliography).transpose()?;
    let bibliography = styled.as_ref().unwrap_or(&context.bibliography);
    let exporter = Exporter { bibliography, extent, paper, ..context.exporter() };
    if let Some(target) = place.target(format)? {
        target.check(started(run, &entries)?.method)?;
        let saved = target.write(&exporter, run, &entries).await?;
        context.note_saved(&target, &saved);
        return Ok(Exit::Done);
    }
    let format = format.unwrap_or(ExportFormat::Json);
    let is_printable = format.spec().is_text || place.is_standard_output();
    if format.is_of(started(run, &entries)?.method) && !is_printable {
        return Err(no_text(format));
    }
    let exported = exporter.export(run, &entries, format).await?;
    context.face.out.deliver_bytes(&exported.bytes);
    for remark in &exported.remarks {
        context.note(&run::grounding::clean(&format!("note: {remark}")));
    }
    Ok(Exit::Done)
}

/// Returns why a format is not printed.
pub(super) fn no_text(format: ExportFormat) -> Failure {
    Failure::usage(
        format!("{} is not text and cannot be printed", format.name()),
        format!("write it to a file, for example --output result.{}", format.extension()),
    )
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> ExportFormat {
        match format {
            Format::Md => ExportFormat::Md,
            Format::Json => ExportFormat::Json,
            Format::Html => ExportFormat::Html,
            Format::Text => ExportFormat::Text,
        }
    }
}

impl From<CheckFormat> for ExportFormat {
    fn from(format: CheckFormat) -> ExportFormat {
        match format {
            CheckFormat::Md => ExportFormat::Md,
            CheckFormat::Json => ExportFormat::Json,
            CheckFormat::Jsonl => ExportFormat::Jsonl,
            CheckFormat::Html => ExportFormat::Html,
            CheckFormat::Text => ExportFormat::Text,
        }
    }
}
