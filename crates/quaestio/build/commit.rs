//! The commit that sources are from: from the file that `cargo package` adds, or from the clone that they lie in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Digits of a commit that are shown.
const DIGITS: usize = 12;

/// A commit, and what changes when another one takes its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) commit: String,
    pub(crate) files: Vec<PathBuf>,
}

/// Returns the first digits of a commit, or nothing if this is none.
pub(crate) fn shorten(commit: &str) -> Option<String> {
    let commit = commit.trim();
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| commit.chars().take(DIGITS).collect())
}

/// Finds the commit of a package in the folder `manifest`.
pub(crate) fn find(manifest: &Path) -> Option<Found> {
    packaged(manifest).or_else(|| cloned(manifest))
}

fn packaged(manifest: &Path) -> Option<Found> {
    let file = manifest.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(&file).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    let commit = shorten(after.split('"').nth(1)?)?;
    Some(Found { commit, files: vec![file] })
}

fn cloned(manifest: &Path) -> Option<Found> {
    let root = manifest.parent()?.parent()?.canonicalize().ok()?;
    let git = |args: &[&str]| {
        let told = Command::new("git").arg("-C").arg(&root).arg("rev-parse").args(args).output();
        let told = told.ok().filter(|told| told.status.success())?;
        Some(String::from_utf8(told.stdout).ok()?.trim().to_owned())
    };
    // Sources without a history may lie in a clone of something else.
    let top = PathBuf::from(git(&["--show-toplevel"])?).canonicalize().ok()?;
    if top != root {
        return None;
    }
    let commit = shorten(&git(&["HEAD"])?)?;
    let files = ["HEAD", "logs/HEAD"].iter().filter_map(|name| git(&["--git-path", name]));
    let files = files.map(|file| root.join(file)).filter(|file| file.exists()).collect();
    Some(Found { commit, files })
}
