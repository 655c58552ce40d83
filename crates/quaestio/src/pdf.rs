//! A report as PDF, where the program was built with what sets it: the feature `pdf`.

use clap::ValueEnum;
use jiff::Timestamp;
use render::Document;
use run::Methods;
use serde_json::Value;

use crate::export::Exported;
use crate::failure::Failure;

/// The sizes of paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaperSize {
    #[default]
    A4,
    Letter,
}

/// A report that is to be set.
#[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "who sets no PDF reads none of it"))]
pub(crate) struct Order {
    title: String,
    report: Document,
    /// When its run ended; `None` where that is not known.
    ended_at: Option<Timestamp>,
    paper: PaperSize,
}

impl Order {
    pub(crate) fn of(
        methods: &Methods,
        envelope: &Value,
        ended_at: Option<Timestamp>,
        paper: PaperSize,
    ) -> Order {
        let title = methods::report::title(envelope);
        Order { title, report: methods::report::build(methods, envelope), ended_at, paper }
    }
}

/// Returns a report as PDF, and what a person who passes it on should know.
///
/// It takes a second for a hundred pages, on the thread that calls it.
#[cfg(feature = "pdf")]
pub(crate) fn write(order: Order) -> Result<Exported, Failure> {
    use jiff::tz::TimeZone;

    let Order { title, report, ended_at, paper } = order;
    let date = ended_at.map(|ended_at| ended_at.to_zoned(TimeZone::UTC).date());
    let date = date.and_then(|date| {
        let (month, day) = (u8::try_from(date.month()).ok()?, u8::try_from(date.day()).ok()?);
        Some(typeset::Date { year: date.year().into(), month, day })
    });
    let paper = match paper {
        PaperSize::A4 => typeset::PaperSize::A4,
        PaperSize::Letter => typeset::PaperSize::Letter,
    };
    let settings = typeset::Settings { title, date, paper, ..typeset::Settings::default() };
    match typeset::write(&report, &settings) {
        Ok(pdf) => Ok(Exported { bytes: pdf.bytes, remarks: pdf.warnings }),
        Err(error) => Err(Failure::new(error.to_string(), "use --format docx or --format html")),
    }
}

/// Returns why there is no PDF.
#[cfg(not(feature = "pdf"))]
pub(crate) fn write(order: Order) -> Result<Exported, Failure> {
    let Order { title: _, report: _, ended_at: _, paper: _ } = order;
    Err(Failure::usage(
        "this build of Quaestio cannot write PDF",
        "use --format docx, or build with `cargo build --release --features pdf`",
    ))
}
