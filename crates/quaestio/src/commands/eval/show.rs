//! Finished evaluations: listed, shown, compared.

use std::path::Path;

use eval::compare::ComparedReports;
use eval::report::Report;

use super::super::runs::save_file;
use super::folder::{self, Folder, REPORT};
use crate::Face;
use crate::cli::{Format, Printed};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::listing::{self, Listing};
use crate::output;
use crate::wire;

pub(super) fn list(config: &Config, json: bool, face: &Face) -> Result<Exit, Failure> {
    let all = folder::all(&wire::data_folder(config)?);
    if json {
        face.out.line(&output::json(&all));
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        face.err.line("no evaluations yet; start one with `quaestio eval DATASET`");
    }
    let mut table = Listing::new(["Evaluation", "Status", "Started", "Cases#", "Dataset", "Arms"]);
    for one in all {
        table.row([
            one.id,
            one.state.name().to_owned(),
            listing::time(one.created_at),
            one.dataset.cases.to_string(),
            one.dataset.name,
            one.arms.join(", "),
        ]);
    }
    table.write(&face.out);
    Ok(Exit::Done)
}

pub(super) fn show(
    config: &Config,
    name: &str,
    printed: &Printed,
    face: &Face,
) -> Result<Exit, Failure> {
    let report = stored(config, name)?;
    print(&report, printed, face)?;
    Ok(Exit::Done)
}

/// Returns the report of an evaluation, named by its id, as `last`, or by the path of its file.
fn stored(config: &Config, name: &str) -> Result<Report, Failure> {
    /// Enough for a report with thousands of cases and their answers.
    const MOST_BYTES: u64 = 1 << 30;
    let unreadable = |what: String| {
        Failure::usage(what, "give the id of an evaluation, `last`, or the path of a report.json")
    };
    let path = Path::new(name);
    let text = if path.is_file() {
        super::super::collect::bounded(path, MOST_BYTES)
            .map_err(|why| unreadable(format!("{name}: {why}")))?
    } else {
        if name.contains(['/', '\\', '.']) {
            return Err(unreadable(format!("there is no file {name}")));
        }
        let folder = Folder::named(&wire::data_folder(config)?, name)?;
        String::from_utf8_lossy(&folder.read(REPORT)?).into_owned()
    };
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        unreadable(format!("{name} is not the report of an evaluation: {error}"))
    })?;
    if report.version > eval::report::VERSION {
        return Err(unreadable(format!(
            "{name} was written by a later version of Quaestio (format {}); update Quaestio",
            report.version
        )));
    }
    Ok(report)
}

/// Returns a report in the wanted format, ending with a newline.
pub(super) fn rendered(report: &Report, format: Format) -> String {
    match format {
        Format::Json => format!("{}\n", output::json(report)),
        Format::Md => output::evaluation::markdown(report),
        Format::Html => output::evaluation::page(report),
        Format::Text => output::evaluation::plain_text(report),
    }
}

/// Prints a report, or writes it to the file that the user named.
pub(super) fn print(report: &Report, printed: &Printed, face: &Face) -> Result<(), Failure> {
    put(&rendered(report, printed.format), printed, face)
}

pub(super) fn put(page: &str, printed: &Printed, face: &Face) -> Result<(), Failure> {
    match &printed.output {
        Some(path) => save_file(path, page.as_bytes()),
        None => {
            face.out.put(page);
            Ok(())
        }
    }
}

pub(super) fn compare(
    config: &Config,
    (a, b): (&str, &str),
    arms: &[String],
    printed: &Printed,
    face: &Face,
) -> Result<Exit, Failure> {
    let (one, other) = (stored(config, a)?, stored(config, b)?);
    let named = match arms {
        [] => None,
        [both] => Some((both.as_str(), both.as_str())),
        [first, second, ..] => Some((first.as_str(), second.as_str())),
    };
    let compared = eval::compare::compare(&one, &other, named).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "list datasets and arms with `quaestio eval list`, and name one arm of each with --arms A,B",
        )
    })?;
    put(&side_by_side(&compared, printed.format), printed, face)?;
    Ok(Exit::Done)
}

fn side_by_side(compared: &ComparedReports, format: Format) -> String {
    match format {
        Format::Json => format!("{}\n", output::json(compared)),
        Format::Md => output::evaluation::comparison_markdown(compared),
        Format::Html => output::evaluation::comparison_page(compared),
        Format::Text => output::evaluation::comparison_plain_text(compared),
    }
}
