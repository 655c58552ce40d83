//! What `--output` names: a file, whose extension says its format, or a folder, which gets all that belongs together.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use run::entry::Entry;

use crate::export::{ExportFormat, Exported, Exporter};
use crate::failure::Failure;
use crate::saving;

/// Where a result is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    File { path: PathBuf, format: ExportFormat },
    Folder(PathBuf),
}

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    /// The names of the files, in order.
    pub(crate) names: Vec<String>,
    /// What a reader must know about them, such as why one is missing.
    pub(crate) remarks: Vec<String>,
}

impl Target {
    /// Reads a path. A folder is one that there is, or whose path ends with a separator or has no extension; with a format, a path
    /// without extension is a file.
    ///
    /// # Errors
    ///
    /// If the extension is none that is known, or that of another format.
    pub(crate) fn read(path: &Path, format: Option<ExportFormat>) -> Result<Target, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_folder = path.is_dir() || ends_with_separator(path.as_os_str());
        let is_bare = path.extension().is_none();
        let named = ExportFormat::of_file(&name);
        match (format, named) {
            (Some(format), _) if is_folder => Err(wrong(
                path,
                &format!("a folder receives every format, but --format is {}", format.name()),
                "leave out --format, or name a file",
            )),
            (None, _) if is_folder || is_bare => Ok(Target::Folder(path.to_owned())),
            (Some(format), Some(named)) if format != named => Err(wrong(
                path,
                &format!("its ending is {}, but --format is {}", named.name(), format.name()),
                "leave out --format, or change the file's ending",
            )),
            (Some(format), _) | (None, Some(format)) => {
                Ok(Target::File { path: path.to_owned(), format })
            }
            (None, None) => Err(wrong(
                path,
                "its ending is not a known format",
                &format!("use one of {}; a folder's name ends with /", list_extensions()),
            )),
        }
    }

    /// Checks that runs of a method have the format, and that the place can be written. Writes nothing.
    pub(crate) fn check(&self, method: &str) -> Result<(), Failure> {
        let writable = match self {
            Target::File { path, format } => {
                if !format.is_of(method) {
                    let what = format!("a result of {method} has no format {}", format.name());
                    let extensions = list_extensions_of(method);
                    return Err(wrong(path, &what, &format!("use one of {extensions}")));
                }
                saving::check_file(path)
            }
            Target::Folder(path) => saving::check_folder(path),
        };
        writable.map_err(|why| wrong(self.path(), &why, "choose another file or folder"))
    }

    /// Writes the result of a run.
    pub(crate) async fn write(
        &self,
        exporter: &Exporter<'_>,
        run: &str,
        entries: &[Entry],
    ) -> Result<Saved, Failure> {
        match self {
            Target::File { path, format } => {
                let Exported { bytes, remarks } = exporter.export(run, entries, *format).await?;
                saving::save(path, &bytes).map_err(|error| not_written(path, &error, run))?;
                Ok(Saved { names: vec![shown(path)], remarks })
            }
            Target::Folder(folder) => write_folder(folder, exporter, run, entries).await,
        }
    }

    /// Returns what was written, in one line.
    pub(crate) fn describe(&self, saved: &Saved) -> String {
        let names = saved.names.join(", ");
        match self {
            Target::File { .. } => format!("written: {names}"),
            Target::Folder(folder) => format!("written to {}: {names}", shown(folder)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Target::File { path, .. } | Target::Folder(path) => path,
        }
    }
}

/// Writes every format that a run has into a folder. One that cannot be made is remarked on, and the others are written.
async fn write_folder(
    folder: &Path,
    exporter: &Exporter<'_>,
    run: &str,
    entries: &[Entry],
) -> Result<Saved, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| not_written(folder, &error, run))?;
    let mut saved = Saved::default();
    let mut left = Vec::new();
    for &format in ExportFormat::value_variants() {
        let Some(stem) = format.spec().stem else { continue };
        let name = format!("{stem}.{}", format.extension());
        let path = folder.join(&name);
        if !exporter.has(entries, format) {
            if path.exists() {
                left.push(name);
            }
            continue;
        }
        match exporter.export(run, entries, format).await {
            Ok(Exported { bytes, remarks }) => {
                saving::save(&path, &bytes).map_err(|error| not_written(&path, &error, run))?;
                saved.remarks.extend(remarks.iter().map(|remark| format!("{name}: {remark}")));
                saved.names.push(name);
            }
            Err(failure) => saved.remarks.push(format!("no {name}: {}", failure.what)),
        }
    }
    if !left.is_empty() {
        saved.remarks.push(format!("not of this run, and left as found: {}", left.join(", ")));
    }
    Ok(saved)
}

fn ends_with_separator(path: &OsStr) -> bool {
    path.to_string_lossy().ends_with(std::path::is_separator)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn wrong(path: &Path, why: &str, hint: &str) -> Failure {
    let what = format!("cannot write {}: {why}", shown(path));
    Failure::usage(run::grounding::clean(&what), hint)
}

fn not_written(path: &Path, error: &std::io::Error, run: &str) -> Failure {
    let what = format!("could not write {}: {error}", shown(path));
    let hint =
        format!("the result is stored; write it with `quaestio runs export {run} --output PATH`");
    Failure::new(run::grounding::clean(&what), hint)
}

fn list_extensions() -> String {
    list(ExportFormat::value_variants().iter())
}

fn list_extensions_of(method: &str) -> String {
    list(ExportFormat::value_variants().iter().filter(|format| format.is_of(method)))
}

fn list<'a>(formats: impl Iterator<Item = &'a ExportFormat>) -> String {
    let extensions: Vec<String> =
        formats.map(|format| format!(".{}", format.extension())).collect();
    extensions.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F6
    #[test]
    fn a_path_says_whether_it_is_a_file_and_of_which_format() {
        let existing = tempfile::tempdir().unwrap();
        let dotted = existing.path().join("of.may");
        std::fs::create_dir(&dotted).unwrap();
        let file = |path: &str, format| Target::File { path: path.into(), format };
        let read = |path: &str| Target::read(Path::new(path), None).unwrap();
        assert_eq!(read("a/report.HTML"), file("a/report.HTML", ExportFormat::Html));
        assert_eq!(read("works.csl.json"), file("works.csl.json", ExportFormat::CslJson));
        for folder in ["out", "out/", "of.may/", ".", "..", "/", dotted.to_str().unwrap()] {
            assert_eq!(read(folder), Target::Folder(folder.into()), "{folder}");
        }
        let json = Some(ExportFormat::Json);
        let told = |path: &str| Target::read(Path::new(path), json);
        assert_eq!(told("out").unwrap(), file("out", ExportFormat::Json));
        assert_eq!(told("out.data").unwrap(), file("out.data", ExportFormat::Json));
        assert_eq!(told("out.json").unwrap(), file("out.json", ExportFormat::Json));
        for (path, why) in [
            ("out.md", "its ending is md, but --format is json"),
            ("out/", "a folder receives every format"),
            (dotted.to_str().unwrap(), "a folder receives every format"),
        ] {
            let failure = told(path).unwrap_err();
            assert!(failure.what.contains(why), "{failure}");
        }
        for path in ["report.zzz", "report.v2", "a.b/c.d", "report.md\u{1b}[2J"] {
            let failure = Target::read(Path::new(path), None).unwrap_err();
            assert!(failure.what.ends_with("its ending is not a known format"), "{failure}");
            assert!(failure.hint.contains(".csl.json") && !failure.what.contains('\u{1b}'));
        }
    }
}
