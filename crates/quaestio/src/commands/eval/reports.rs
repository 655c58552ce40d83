//! Reports of other programs: `--report NAME=FOLDER`, with a Markdown file for each case.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use eval::dataset::Case;
use eval::observation::{self, FOREIGN};
use eval::runner::ForeignArm;
use eval::{judge, report_judge};
use methods::check::{Marked, marked};
use run::entry::Hash;

use super::super::collect::bounded;
use crate::cli::ReportArg;
use crate::failure::Failure;
use crate::names::check_name;

/// Bytes of a report, at most.
const LARGEST: u64 = 1 << 20;
const LAYOUT: &str =
    "put one Markdown file per case into the folder, named after the case id, such as a01.md";

/// Reads the reports for these cases; also returns notes for the user. `taken` are the names of the other arms.
pub(super) fn read(
    orders: &[ReportArg],
    cases: &[Case],
    taken: &[&str],
) -> Result<(Vec<ForeignArm>, Vec<String>), Failure> {
    let mut names: BTreeSet<&str> =
        taken.iter().copied().chain([judge::NAME, report_judge::NAME]).collect();
    let (mut arms, mut notes) = (Vec::new(), Vec::new());
    for ReportArg { name, folder } in orders {
        check_name("arm", name)?;
        if !names.insert(name) {
            return Err(Failure::usage(
                format!("the name '{name}' is taken by another arm"),
                "choose another name: --report NAME=FOLDER",
            ));
        }
        let mut files = find_markdown_files(folder)?;
        let (arm, read) = build_arm(name, folder, &files, cases)?;
        files.retain(|id, _| !read.contains(id));
        if let Some(id) = files.keys().next() {
            let number = files.len();
            let folder = folder.display();
            notes
                .push(format!("{folder}: files of no case are ignored: {number}, such as {id}.md"));
        }
        arms.push(arm);
    }
    Ok((arms, notes))
}

/// Returns the Markdown files of a folder by their names without extension.
fn find_markdown_files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("could not read the folder {}: {error}", folder.display()), LAYOUT)
    };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_markdown = path.extension().is_some_and(|ending| ending == "md");
        if let Some(name) = path.file_stem().filter(|_| is_markdown && path.is_file()) {
            files.insert(name.to_string_lossy().into_owned(), path);
        }
    }
    Ok(files)
}

/// Builds an arm from the files; also returns the ids of the cases that have one.
fn build_arm(
    name: &str,
    folder: &Path,
    files: &BTreeMap<String, PathBuf>,
    cases: &[Case],
) -> Result<(ForeignArm, BTreeSet<String>), Failure> {
    let mut reports = BTreeMap::new();
    let mut digests = BTreeMap::new();
    for Case { id, .. } in cases {
        let Some(path) = files.get(id) else { continue };
        let text = bounded(path, LARGEST).map_err(|why| {
            let what = format!("could not read the report {}: {why}", path.display());
            Failure::usage(what, "write reports as Markdown in UTF-8")
        })?;
        digests.insert(id.clone(), Hash::of(text.as_bytes()));
        let Marked { text, sources } = marked(&text);
        reports.insert(id.clone(), observation::of_report(id, name, &text, &sources));
    }
    if reports.is_empty() {
        return Err(Failure::usage(
            format!("{} contains no report of a case in this evaluation", folder.display()),
            LAYOUT,
        ));
    }
    let decides = Hash::of_json(&(FOREIGN, 1, &digests));
    let read = digests.into_keys().collect();
    Ok((ForeignArm { name: name.to_owned(), decides, reports }, read))
}
