//! `quaestio runs diff`: what is different between two results, each of a run or in a file.

use std::path::Path;

use methods::difference::{self, Side};
use methods::validation;
use run::Entry;
use run::views;
use serde_json::Value;

use super::CliContext;
use super::results::{no_result, read_object};
use super::runs::named;
use crate::Face;
use crate::failure::{Exit, Failure};
use crate::output;

/// A result that was read; only a run has entries.
struct Read {
    result: Value,
    entries: Vec<Entry>,
}

/// Returns whether both names mean files.
pub(super) fn are_files(from: &str, to: &str) -> bool {
    is_file(from) && is_file(to)
}

/// Returns whether a name means a file: there is one, or it can be no run.
fn is_file(name: &str) -> bool {
    let is_path = name.contains(std::path::is_separator) || name.ends_with(".json");
    name == "-" || is_path || (name != "last" && Path::new(name).is_file())
}

/// Prints what is different between two results, of which one at least is of a run.
pub(super) async fn compare(
    context: &CliContext<'_>,
    from: &str,
    to: &str,
    json: bool,
) -> Result<Exit, Failure> {
    let (from, to) = (read(context, from).await?, read(context, to).await?);
    Ok(print(context.face, &from, &to, json))
}

/// Prints what is different between the results of two files.
pub(super) fn compare_files(
    face: &Face,
    from: &str,
    to: &str,
    json: bool,
) -> Result<Exit, Failure> {
    if from == "-" && to == "-" {
        return Err(Failure::usage(
            "only one of the results can come from standard input",
            "give a file or a run for the other",
        ));
    }
    Ok(print(face, &read_file(Path::new(from))?, &read_file(Path::new(to))?, json))
}

async fn read(context: &CliContext<'_>, name: &str) -> Result<Read, Failure> {
    if is_file(name) {
        return read_file(Path::new(name));
    }
    let run = named(context, name).await?;
    let entries = context.entries(&run).await?;
    let result = views::envelope(&run, &entries, &context.bibliography);
    Ok(Read { result, entries })
}

fn read_file(path: &Path) -> Result<Read, Failure> {
    let result = read_object(path)?;
    match validation::check_shape(&result).first() {
        Some(first) => Err(no_result(path, first)),
        None => Ok(Read { result, entries: Vec::new() }),
    }
}

impl Read {
    fn side(&self) -> Side<'_> {
        match self.entries.is_empty() {
            true => Side::of_file(&self.result),
            false => Side::of_run(&self.result, &self.entries),
        }
    }
}

fn print(face: &Face, from: &Read, to: &Read, json: bool) -> Exit {
    let difference = difference::compare(&from.side(), &to.side());
    if json {
        face.out.line(&output::json(&difference));
    } else {
        face.out.put(&difference::describe(&difference));
    }
    Exit::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: M11
    #[test]
    fn what_can_be_no_run_is_a_file() {
        for file in ["-", "a.json", "./last", "folder/a", "nowhere.json"] {
            assert!(is_file(file), "{file}");
        }
        for run in ["last", "20260102-abcdefgh", "2026"] {
            assert!(!is_file(run), "{run}");
        }
    }
}
