//! The files of a survey, collected from paths.
//!
//! A folder yields its files of known extensions, including those of its subfolders, but nothing that a link leads out to. A file yields
//! itself and the codebook that belongs to it; a `survey.toml` yields its folder.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use run::files::{FileRef, Files, StoredFiles};
use run::grounding::clean;
use survey::read::ENDINGS;

use crate::failure::Failure;
use crate::names::check_name;

/// The file that describes the studies of a folder.
const DESCRIPTION: &str = "survey.toml";
/// By the extension of a data file: the extensions of files with the same stem that may belong to it.
const COMPANIONS: [(&[&str], &[&str]); 3] = [
    (&["csv", "tsv", "parquet", "xlsx", "xlsm"], &["codebook.csv", "codebook.json", "json"]),
    (&["sss", "xml"], &["asc", "dat", "csv", "txt"]),
    (&["asc", "dat"], &["sss", "xml"]),
];
/// Files of one survey, at most.
pub(crate) const MOST_FILES: usize = 1_000;
/// Bytes of a file's name, at most.
const LONGEST_NAME: usize = 200;
/// Nested folders, at most.
const DEEPEST: usize = 6;

/// Returns the files that some paths mean, each once: in the order of the paths, and within a folder by name.
///
/// Unless something else says otherwise, studies were done in this order.
///
/// # Errors
///
/// If a path cannot be read, a file is larger than `file_bytes`, two files would have the same name, or nothing is found.
pub(crate) fn collect(
    paths: &[PathBuf],
    file_bytes: u64,
) -> Result<Vec<survey::read::File>, Failure> {
    let mut found: Vec<Named> = Vec::new();
    for path in paths {
        let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let is_description = path.file_name().is_some_and(|name| name == DESCRIPTION);
        let mut listed = if about.is_dir() {
            folder(path)?
        } else if is_description {
            folder(
                path.parent()
                    .filter(|above| !above.as_os_str().is_empty())
                    .unwrap_or(Path::new(".")),
            )?
        } else {
            beside(path)
        };
        if about.is_dir() && listed.is_empty() {
            return Err(Failure::new(
                format!("{} contains no survey data", shown(path)),
                format!("data files and codebooks end in {}", ENDINGS.join(", ")),
            ));
        }
        listed.sort();
        for (name, path) in listed {
            let same = |one: &Path, other: &Path| matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other);
            match found.iter().find(|(known, _)| *known == name) {
                Some((_, known)) if !same(known, &path) => {
                    return Err(Failure::usage(
                        format!(
                            "{} and {} are both called {}",
                            shown(known),
                            shown(&path),
                            clean(&name)
                        ),
                        "give the folder above them, or rename one",
                    ));
                }
                Some(_) => {}
                None => found.push((name, path)),
            };
        }
    }
    if found.len() > MOST_FILES {
        return Err(Failure::usage(
            format!("these are {} files; a survey may have at most {MOST_FILES}", found.len()),
            "name the files you need",
        ));
    }
    let read = |(name, path): (String, PathBuf)| {
        let bytes = bounded(&path, file_bytes)?;
        Ok(survey::read::File { name, bytes })
    };
    found.into_iter().map(read).collect()
}

/// A survey that has been stored.
pub(crate) struct Kept {
    pub(crate) files: usize,
    pub(crate) studies: usize,
    /// Whether it replaced another one of the same name.
    pub(crate) replaced: bool,
}

/// Stores the files that some paths mean under a name.
///
/// # Errors
///
/// If they cannot be collected, or are not survey data: better refused now than in a run.
pub(crate) async fn keep(
    store: &dyn StoredFiles,
    user: &str,
    name: &str,
    paths: &[PathBuf],
    file_bytes: u64,
) -> Result<Kept, Failure> {
    check_name("survey", name)?;
    let files = collect(paths, file_bytes)?;
    let project = survey::read::read_project(&files).map_err(|error| unread(&error))?;
    let mut kept = Vec::with_capacity(files.len());
    for survey::read::File { name, bytes } in files {
        kept.push(store.put(user, &name, bytes).await?);
    }
    let replaced = loop {
        let read = store.set(user, name).await?;
        if store.exchange(user, name, read.as_deref(), &kept).await? {
            break read.is_some();
        }
    };
    Ok(Kept { files: kept.len(), studies: project.studies.len(), replaced })
}

/// Returns a read error of survey data as a failure.
pub(crate) fn unread(error: &survey::read::ReadError) -> Failure {
    // The message says what to do.
    Failure::new(error.to_string(), "")
}

/// Checks the name of a user's file: its extension decides what it may be, and people are shown it.
pub(crate) fn check_label(name: &str) -> Result<(), Failure> {
    let is_plain = clean(name) == name && !name.chars().any(char::is_control);
    let is_short = (1..=LONGEST_NAME).contains(&name.len());
    if is_plain && is_short && !name.starts_with('/') && !name.contains("..") && is_known(name) {
        return Ok(());
    }
    let shown: String = clean(name).chars().take(64).collect();
    Err(Failure::usage(
        format!("'{shown}' is not a valid name for a survey file"),
        format!(
            "use up to {LONGEST_NAME} characters; data files and codebooks end in {}, and a description is called {DESCRIPTION}",
            ENDINGS.join(", ")
        ),
    ))
}

/// Returns the bytes of stored files.
pub(crate) async fn read(
    store: &dyn Files,
    user: &str,
    files: &[FileRef],
) -> Result<Vec<survey::read::File>, Failure> {
    let mut read = Vec::with_capacity(files.len());
    for file in files {
        let bytes = store.read(user, file).await?;
        read.push(survey::read::File { name: file.name.clone(), bytes });
    }
    Ok(read)
}

/// Returns the files of the survey stored under a name.
pub(crate) async fn kept(
    store: &dyn StoredFiles,
    user: &str,
    name: &str,
) -> Result<Vec<survey::read::File>, Failure> {
    check_name("survey", name)?;
    let files = store.set(user, name).await?.ok_or_else(|| no_such(name))?;
    read(store, user, &files).await
}

/// Returns the failure for a survey that is not stored.
pub(crate) fn no_such(name: &str) -> Failure {
    Failure::new(
        format!("there is no survey '{}'", clean(name)),
        "list the surveys with `quaestio survey list`, or add one with `quaestio survey add NAME PATH`",
    )
}

/// A file and its name in the survey.
type Named = (String, PathBuf);

/// Returns the files of a folder, named by their paths in it.
fn folder(root: &Path) -> Result<Vec<Named>, Failure> {
    let inside = root.canonicalize().map_err(|error| unreadable(root, &error))?;
    let mut files = Vec::new();
    let mut open = vec![(root.to_owned(), String::new(), 0)];
    while let Some((at, prefix, depth)) = open.pop() {
        for entry in fs::read_dir(&at).map_err(|error| unreadable(&at, &error))? {
            let path = entry.map_err(|error| unreadable(&at, &error))?.path();
            // A description could not name a file whose name is not Unicode.
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            // A link may lead out of the folder, whose content is untrusted.
            let is_inside = path.canonicalize().is_ok_and(|real| real.starts_with(&inside));
            if name.starts_with(['.', '~']) || !is_inside {
                continue;
            }
            let named = format!("{prefix}{name}");
            let is_link = path.is_symlink();
            if path.is_dir() && !is_link && depth < DEEPEST {
                open.push((path, format!("{named}/"), depth + 1));
            } else if path.is_file() && is_known(name) {
                files.push((named, path));
            }
            if files.len() > MOST_FILES {
                return Err(Failure::usage(
                    format!("{} contains more than {MOST_FILES} survey files", shown(root)),
                    "name the files or the folder you need",
                ));
            }
        }
    }
    Ok(files)
}

fn is_known(name: &str) -> bool {
    match name.rsplit_once('.') {
        // The description is the only TOML file of a survey.
        Some((_, "toml")) => name == DESCRIPTION,
        Some((_, ending)) => ENDINGS.contains(&ending.to_ascii_lowercase().as_str()),
        None => false,
    }
}

/// Returns a file and the files next to it that belong to it.
fn beside(path: &Path) -> Vec<Named> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut files: Vec<Named> =
        name(path).map(|name| (name, path.to_owned())).into_iter().collect();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    for (data, companions) in COMPANIONS {
        if !ending.as_deref().is_some_and(|ending| data.contains(&ending)) {
            continue;
        }
        for companion in companions {
            let companion = path.with_extension(companion);
            if companion.is_file() {
                files.extend(name(&companion).map(|name| (name, companion)));
            }
        }
    }
    files
}

/// Reads a file of at most `file_bytes` bytes.
fn bounded(path: &Path, file_bytes: u64) -> Result<Vec<u8>, Failure> {
    let file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    let about = file.metadata().map_err(|error| unreadable(path, &error))?;
    if about.is_dir() {
        return Err(unreadable(path, &io::Error::other("it is a folder")));
    }
    // A pipe reports no size, so the bytes that are read count.
    let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(file_bytes)).unwrap_or(0));
    file.take(file_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > file_bytes {
        return Err(Failure::new(
            format!("{} is larger than {file_bytes} bytes", shown(path)),
            "if you trust the file, raise survey.file_bytes",
        ));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(
        format!("could not read {}: {error}", shown(path)),
        "check the path and its permissions",
    )
}

fn shown(path: &Path) -> String {
    clean(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[PathBuf]) -> Vec<String> {
        collect(paths, 1_000).unwrap().into_iter().map(|file| file.name).collect()
    }

    /// Writes empty files below a temporary folder.
    fn with(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        root
    }

    // proves: B9
    #[test]
    fn a_folder_gives_what_may_be_survey_data_and_nothing_else() {
        let root = with(&[
            "survey.toml",
            "other.toml",
            "wave1.csv",
            "wave1.codebook.csv",
            "wave2.SAV",
            "make.py",
            "README.md",
            "old/wave0.sav",
            ".hidden/x.csv",
            "~$open.xlsx",
            ".x.csv",
            "wave3.xlsm",
            "wave4.sss",
            "wave4.txt",
        ]);
        let all = [
            "old/wave0.sav",
            "survey.toml",
            "wave1.codebook.csv",
            "wave1.csv",
            "wave2.SAV",
            "wave3.xlsm",
            "wave4.sss",
            "wave4.txt",
        ];
        assert_eq!(names(&[root.path().to_owned()]), all);
        assert_eq!(names(&[root.path().join("survey.toml")]), all);
        let one = names(&[root.path().join("wave1.csv")]);
        assert_eq!(one, ["wave1.codebook.csv", "wave1.csv"]);
        // Paths keep the order in which they are given.
        let later_first = [root.path().join("wave2.SAV"), root.path().join("wave1.csv")];
        assert_eq!(names(&later_first), ["wave2.SAV", "wave1.codebook.csv", "wave1.csv"]);
        // The same file twice is one.
        let twice = [root.path().join("wave1.csv"), root.path().join("wave1.codebook.csv")];
        assert_eq!(names(&twice), one);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out_of_a_folder() {
        let (root, outside) = (with(&["a.csv"]), with(&["secret.csv", "b/c.csv"]));
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(outside.path().join(to), root.path().join(name)).unwrap();
        };
        link("secret.csv", "b.csv");
        link("b", "c");
        std::os::unix::fs::symlink(root.path(), root.path().join("again")).unwrap();
        assert_eq!(names(&[root.path().to_owned()]), ["a.csv"]);
    }

    #[test]
    fn what_cannot_be_collected_is_named() {
        let (root, other) = (with(&["a.csv", "b/a.csv", "c/notes.md"]), with(&["a.csv"]));
        let told = |paths: &[PathBuf], most: u64| collect(paths, most).unwrap_err();
        let at = |path: &str| root.path().join(path);
        for (error, what, code) in [
            (told(&[at("none.csv")], 9), "could not read", 2),
            (told(&[at("c")], 9), "contains no survey data", 1),
            (told(&[at("a.csv"), other.path().join("a.csv")], 9), "are both called a.csv", 2),
            (told(&[at("a.csv")], 0), "is larger than 0 bytes", 1),
        ] {
            assert!(error.what.contains(what), "{error}");
            assert_eq!(error.exit.code(), code, "{error}");
        }
    }
}
