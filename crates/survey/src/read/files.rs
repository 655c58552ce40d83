//! Which of the given files belong together, and which reader each file goes to.

use std::collections::HashSet;

use super::codebook::{self, Entry};
use super::manifest;
use super::raw::Raw;
use super::{File, ReadError, stem};
use crate::study::Kind;

/// A study to read.
pub(super) struct Plan<'a> {
    pub(super) data: &'a File,
    pub(super) codebook: Option<&'a File>,
    /// The name of `survey.toml`, and its entry for the study.
    pub(super) wishes: Option<(String, manifest::Entry)>,
}

/// The extensions of data files, codebooks and `survey.toml`.
///
/// Other files may have some of these too; a file that belongs to no study is skipped.
pub const ENDINGS: [&str; 14] = [
    "sav", "zsav", "csv", "tsv", "xlsx", "xlsm", "parquet", "sss", "xml", "asc", "dat", "txt",
    "json", "toml",
];

/// The kind of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Spss,
    Csv,
    Xlsx,
    Parquet,
    TripleS,
    /// The data that a Triple-S file describes.
    TripleSData,
    Codebook,
    Other,
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_lowercase())
}

fn part(name: &str) -> Part {
    let small = name.to_lowercase();
    if small.ends_with(".codebook.csv") || small.ends_with(".codebook.json") {
        return Part::Codebook;
    }
    match ending(name).as_str() {
        "sav" | "zsav" => Part::Spss,
        "csv" | "tsv" => Part::Csv,
        "xlsx" | "xlsm" => Part::Xlsx,
        "parquet" => Part::Parquet,
        "sss" | "xml" => Part::TripleS,
        "asc" | "dat" => Part::TripleSData,
        "json" => Part::Codebook,
        _ => Part::Other,
    }
}

/// Returns the studies to read, in their order.
pub(super) fn plans(files: &[File]) -> Result<Vec<Plan<'_>>, ReadError> {
    let manifest = files.iter().find(|file| base(&file.name).eq_ignore_ascii_case("survey.toml"));
    let Some(manifest) = manifest else { return by_stem(files) };
    let described = manifest::read(&manifest.name, &manifest.bytes)?;
    let folder = manifest.name.len() - base(&manifest.name).len();
    let folder = manifest.name.get(..folder).unwrap_or_default();
    let given = |name: &str| {
        let beside = format!("{folder}{}", name.trim_start_matches("./"));
        let found = files.iter().find(|file| file.name == beside);
        found
            .or_else(|| files.iter().find(|file| file.name == name))
            .ok_or_else(|| ReadError::NotGiven { file: name.to_owned(), by: manifest.name.clone() })
    };
    described
        .study
        .into_iter()
        .map(|entry| {
            let data = given(&entry.file)?;
            let codebook = match &entry.codebook {
                Some(name) => Some(given(name)?),
                None => codebook_of(data, files),
            };
            Ok(Plan { data, codebook, wishes: Some((manifest.name.clone(), entry)) })
        })
        .collect()
}

fn by_stem(files: &[File]) -> Result<Vec<Plan<'_>>, ReadError> {
    let described: HashSet<&str> = files
        .iter()
        .filter(|file| part(&file.name) == Part::TripleS)
        .map(|file| without_ending(&file.name))
        .collect();
    let named: Vec<String> = files
        .iter()
        .filter(|file| part(&file.name) == Part::TripleS)
        .flat_map(super::triple_s::named)
        .collect();
    let plans: Vec<Plan<'_>> = files
        .iter()
        .filter(|file| !named.iter().any(|name| name.eq_ignore_ascii_case(&file.name)))
        .filter(|file| match part(&file.name) {
            Part::Spss | Part::Xlsx | Part::Parquet | Part::TripleS => true,
            Part::Csv => !described.contains(without_ending(&file.name)),
            Part::TripleSData | Part::Codebook | Part::Other => false,
        })
        .map(|data| Plan { data, codebook: codebook_of(data, files), wishes: None })
        .collect();
    let lone = files.iter().find(|file| {
        part(&file.name) == Part::TripleSData && !described.contains(without_ending(&file.name))
    });
    if let Some(lone) = lone {
        return Err(ReadError::NotGiven {
            file: format!("{}.sss", without_ending(&lone.name)),
            by: lone.name.clone(),
        });
    }
    let portable = files.iter().find(|file| ending(&file.name) == "por");
    if let Some(portable) = portable.filter(|_| plans.is_empty()) {
        return Err(ReadError::Unsupported {
            file: portable.name.clone(),
            problem: "it is an SPSS portable file".to_owned(),
            remedy: "open it in SPSS or PSPP and save it as .sav",
        });
    }
    if plans.is_empty() {
        return Err(ReadError::NoData);
    }
    Ok(plans)
}

fn codebook_of<'a>(data: &File, files: &'a [File]) -> Option<&'a File> {
    if part(&data.name) == Part::TripleS {
        return None;
    }
    let stem = without_ending(&data.name);
    [".codebook.csv", ".codebook.json", ".json"].iter().find_map(|ending| {
        let name = format!("{stem}{ending}");
        files.iter().find(|file| file.name.eq_ignore_ascii_case(&name))
    })
}

/// Returns the data file that belongs to a Triple-S description.
pub(super) fn triple_s_data<'a>(description: &str, files: &'a [File]) -> Option<&'a File> {
    let stem = without_ending(description);
    ["asc", "dat", "csv", "txt"].iter().find_map(|ending| {
        let name = format!("{stem}.{ending}");
        files.iter().find(|file| file.name.eq_ignore_ascii_case(&name))
    })
}

fn base(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn without_ending(name: &str) -> &str {
    let folder = name.len() - base(name).len();
    name.get(..folder + stem(name).len()).unwrap_or(name)
}

/// Reads a study's file; a hierarchical one gives several.
pub(super) fn raws(plan: &Plan<'_>, files: &[File]) -> Result<Vec<Raw>, ReadError> {
    let (file, bytes) = (plan.data.name.as_str(), plan.data.bytes.as_slice());
    if bytes.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    let kind = part(file);
    signed(file, bytes, kind)?;
    let (entries, codebook) = match plan.codebook {
        Some(codebook) => (described(codebook)?, codebook.name.clone()),
        None if kind == Part::Xlsx => {
            (super::xlsx::codebook(file, bytes)?, format!("the sheet codebook of {file}"))
        }
        None => (Vec::new(), String::new()),
    };
    let as_texts: HashSet<String> = entries
        .iter()
        .filter(|entry| {
            matches!(entry.kind, Some(Kind::Open))
                || (entry.kind == Some(Kind::Multi) && entry.set.is_none())
        })
        .map(|entry| entry.variable.clone())
        .collect();
    let mut raws = match kind {
        Part::Spss => vec![spss(file, bytes)?],
        Part::Xlsx => vec![super::xlsx::read(file, bytes, &as_texts)?],
        Part::Parquet => vec![super::parquet::read(file, bytes)?],
        Part::TripleS => super::triple_s::read(file, bytes, files)?,
        Part::Csv | Part::TripleSData | Part::Codebook | Part::Other => {
            vec![super::csv::read(file, bytes, &as_texts)?]
        }
    };
    if !entries.is_empty() {
        for raw in &mut raws {
            super::describe::describe(raw, &entries, &codebook);
        }
    }
    Ok(raws)
}

fn described(codebook: &File) -> Result<Vec<Entry>, ReadError> {
    if codebook.bytes.is_empty() {
        return Err(ReadError::Empty { file: codebook.name.clone() });
    }
    match ending(&codebook.name).as_str() {
        "json" => super::quantipy::read_entries(&codebook.name, &codebook.bytes),
        "xlsx" => super::xlsx::codebook(&codebook.name, &codebook.bytes),
        _ => codebook::read_entries(
            &codebook.name,
            &super::csv::table(&codebook.name, &codebook.bytes)?,
        ),
    }
}

#[cfg(feature = "spss")]
fn spss(file: &str, bytes: &[u8]) -> Result<Raw, ReadError> {
    super::spss::read(file, bytes)
}

#[cfg(not(feature = "spss"))]
fn spss(file: &str, _bytes: &[u8]) -> Result<Raw, ReadError> {
    Err(ReadError::Unsupported {
        file: file.to_owned(),
        problem: "this program was built without support for SPSS files".to_owned(),
        remedy: "build it with the feature spss, or export the data as CSV with a codebook",
    })
}

/// Fails if a file begins like another format.
fn signed(file: &str, bytes: &[u8], part: Part) -> Result<(), ReadError> {
    let found = match bytes {
        [b'$', b'F', b'L', b'2' | b'3', ..] => Some((Part::Spss, "an SPSS file")),
        [b'P', b'K', 3, 4, ..] => Some((Part::Xlsx, "an Excel file, or another ZIP archive")),
        [b'P', b'A', b'R', b'1', ..] => Some((Part::Parquet, "a Parquet file")),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => {
            Some((Part::Other, "an old or locked Excel file; save it as .xlsx without a password"))
        }
        _ => None,
    };
    let expected = match part {
        Part::Spss => "an SPSS file",
        Part::Xlsx => "an Excel file",
        Part::Parquet => "a Parquet file",
        Part::TripleS => "a Triple-S description",
        _ => "CSV",
    };
    let binary = matches!(part, Part::Spss | Part::Xlsx | Part::Parquet);
    let found = match found {
        Some((actual, _)) if actual == part => return Ok(()),
        Some((_, what)) => format!("it begins like {what}"),
        None if binary => "it does not begin like one".to_owned(),
        None => return Ok(()),
    };
    Err(ReadError::OtherFormat { file: file.to_owned(), expected, found })
}
