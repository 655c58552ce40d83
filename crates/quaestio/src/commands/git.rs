//! The files of a Git repository as of a commit, for `ingest git:PATH@REVISION`.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use run::grounding::clean;
use tempfile::TempDir;

use crate::failure::Failure;

/// How a target that is a repository begins.
const SCHEME: &str = "git:";

/// The files of a repository as of a commit, in a folder that goes with this value.
#[derive(Debug)]
pub(super) struct Checkout {
    folder: TempDir,
    /// The repository as it was named.
    pub(super) repository: String,
    /// The full name of the commit.
    pub(super) commit: String,
}

/// A repository and a revision of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Revision {
    path: PathBuf,
    name: String,
}

impl Revision {
    /// Reads `git:PATH@REVISION`, or `git:PATH` for what is checked out; `None` for other targets.
    pub(super) fn of(target: &str) -> Option<Revision> {
        let rest = target.strip_prefix(SCHEME)?;
        // A folder may have an @ in its name.
        let (path, name) = match rest.rsplit_once('@') {
            Some((path, name)) if !Path::new(rest).exists() && !name.contains("..") => (path, name),
            _ => (rest, "HEAD"),
        };
        Some(Revision { path: from_home(path), name: name.to_owned() })
    }

    /// Writes the files of the revision into a folder of their own.
    ///
    /// Nothing in the repository changes, and no filter or hook of it runs: the contents are taken as they are stored. Links and
    /// submodules are left out.
    ///
    /// # Errors
    ///
    /// If there is no `git`, no repository, or no such revision.
    pub(super) fn check_out(&self) -> Result<Checkout, Failure> {
        let repository = clean(&self.path.display().to_string());
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::new(
                format!("could not make a temporary folder: {error}"),
                "check the free space, or set TMPDIR",
            )
        })?;
        let unreadable = |why: String| {
            Failure::usage(
                clean(&format!("could not read the Git repository {repository}: {why}")),
                "give git:PATH, where PATH is a folder of a repository, and install `git`",
            )
        };
        self.ask(&["rev-parse", "--git-dir"]).map_err(unreadable)?;
        let revision = format!("{}^{{commit}}", self.name);
        let asked = ["rev-parse", "--verify", "--end-of-options", &revision];
        let commit = self.ask(&asked).map_err(|_| {
            Failure::usage(
                format!("{repository} has no revision '{}'", clean(&self.name)),
                "give a commit, a branch or a tag, for example git:PATH@v1.0",
            )
        })?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let listed = self.ask(&["ls-tree", "-r", "-z", &commit]).map_err(unreadable)?;
        let blobs = read_blobs(&listed);
        self.write(&blobs, folder.path()).map_err(unreadable)?;
        Ok(Checkout { folder, repository, commit })
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args(["-c", "core.fsmonitor=false"]).args(args);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").stderr(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// Runs git and returns what it printed, or why it failed.
    fn ask(&self, args: &[&str]) -> Result<Vec<u8>, String> {
        let said = self.command(args).stdin(Stdio::null()).output();
        let said = said.map_err(|error| format!("git could not be run: {error}"))?;
        if said.status.success() {
            return Ok(said.stdout);
        }
        let error = String::from_utf8_lossy(&said.stderr);
        Err(error.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
    }

    /// Writes blobs below `folder`, as git stores them.
    fn write(&self, blobs: &[(String, PathBuf)], folder: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("git has no pipes".to_owned());
        };
        let ids: String = blobs.iter().map(|(id, _)| format!("{id}\n")).collect();
        // Git answers while it is being asked, and both pipes are short.
        let asking = std::thread::spawn(move || to.write_all(ids.as_bytes()));
        let mut from = BufReader::new(from);
        for (_, path) in blobs {
            let mut header = String::new();
            from.read_line(&mut header).map_err(failed)?;
            let size = header.trim().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
            let size = size.ok_or_else(|| format!("git says '{}'", header.trim()))?;
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            let mut file = File::create(&path).map_err(failed)?;
            let written =
                std::io::copy(&mut from.by_ref().take(size), &mut file).map_err(failed)?;
            let mut end = [0];
            from.read_exact(&mut end).map_err(failed)?;
            if written != size {
                return Err("git ended early".to_owned());
            }
        }
        drop(from);
        let _ = asking.join();
        child.wait().map_err(failed)?;
        Ok(())
    }
}

impl Checkout {
    /// Returns the folder with the files.
    pub(super) fn tree(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns a path whose `~/` is the home folder: behind `git:` no shell resolves it.
pub(super) fn from_home(path: &str) -> PathBuf {
    let home = std::env::home_dir().filter(|_| path == "~" || path.starts_with("~/"));
    match home {
        Some(home) => home.join(path.trim_start_matches(['~', '/'])),
        None => PathBuf::from(path),
    }
}

/// Returns the id and the path of each file in what `git ls-tree -r -z` printed; no path leads out of the tree.
fn read_blobs(listed: &[u8]) -> Vec<(String, PathBuf)> {
    let listed = String::from_utf8_lossy(listed);
    let entries = listed.split('\0').filter_map(|entry| {
        let (about, path) = entry.split_once('\t')?;
        let mut about = about.split(' ');
        let is_file = matches!(about.next()?, "100644" | "100755" | "100664");
        let id = about.nth(1)?;
        let path = PathBuf::from(path);
        let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
        (is_file && is_within).then(|| (id.to_owned(), path))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_names_a_repository_and_perhaps_a_revision() {
        let read =
            |target: &str| Revision::of(target).map(|it| (it.path.display().to_string(), it.name));
        let own = |path: &str, name: &str| Some((path.to_owned(), name.to_owned()));
        assert_eq!(read("git:notes"), own("notes", "HEAD"));
        assert_eq!(read("git:/a/b@v1.0"), own("/a/b", "v1.0"));
        assert_eq!(read("git:."), own(".", "HEAD"));
        assert_eq!(read("notes"), None);
        let listed = b"100644 blob aa\tdocs/a.md\x00120000 blob bb\tlink\x00160000 commit cc\tsub\x00100755 blob dd\t../out\0";
        assert_eq!(read_blobs(listed), [("aa".to_owned(), PathBuf::from("docs/a.md"))]);
    }
}
