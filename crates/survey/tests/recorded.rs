//! Real survey files, read from the folder named by `QUAESTIO_TEST_DATA`, which must be there.
//!
//! SPSS files are compared with what `pyreadstat` reads, run by the Python that `QUAESTIO_REFERENCE_PYTHON` names; it must have
//! the packages of `tests/reference/requirements.txt`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use survey::read::{File, project};
use survey::study::{Column, Given, Kind, Missing, Study, Value};

/// Returns the folder of survey data.
fn folder() -> PathBuf {
    let data = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names a folder");
    Path::new(&data).join("survey")
}

/// Returns a file by its path in the folder, called by its name alone.
fn file(path: &str) -> File {
    let bytes =
        std::fs::read(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    File { name: path.rsplit('/').next().unwrap_or(path).to_owned(), bytes }
}

fn study(paths: &[&str]) -> Study {
    let files: Vec<File> = paths.iter().map(|path| file(path)).collect();
    let mut read = project(&files).unwrap_or_else(|error| panic!("{paths:?}: {error}"));
    assert_eq!(read.studies.len(), 1, "{paths:?}");
    read.studies.remove(0)
}

/// What the script prints of a file.
#[derive(Deserialize)]
struct Reference {
    path: String,
    rows: Option<usize>,
    columns: Vec<ReferenceColumn>,
    sets: Vec<ReferenceSet>,
}

#[derive(Deserialize)]
struct ReferenceColumn {
    name: String,
    label: String,
    format: String,
    values: Vec<serde_json::Value>,
    labels: Vec<(Value, String)>,
    missing: Vec<(Value, Value)>,
}

#[derive(Deserialize)]
struct ReferenceSet {
    id: String,
    text: String,
    columns: Vec<String>,
    dichotomy: bool,
    counted: Option<Value>,
}

/// Returns what pyreadstat reads.
fn references(paths: &[PathBuf]) -> Vec<Reference> {
    let python = std::env::var("QUAESTIO_REFERENCE_PYTHON").expect(
        "QUAESTIO_REFERENCE_PYTHON names a Python with the packages of tests/reference/requirements.txt",
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/sav.py");
    let output = Command::new(&python).arg(script).args(paths).output();
    let output = output.unwrap_or_else(|error| panic!("{python} cannot be run: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{python} has no pyreadstat, or it failed: {errors}");
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}

fn spss_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            spss_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "sav" || ending == "zsav") {
            found.push(path);
        }
    }
}

/// Where a file is read otherwise on purpose, and why. Nothing else may differ.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

// proves: B9
#[test]
fn every_real_spss_file_is_read_as_pyreadstat_reads_it() {
    let mut paths = Vec::new();
    spss_files(&folder(), &mut paths);
    paths.sort();
    assert!(paths.len() >= 20, "only {} SPSS files are there", paths.len());
    let mut wrong = Vec::new();
    for reference in references(&paths) {
        let bytes = std::fs::read(&reference.path).expect("the file can be read");
        let name = Path::new(&reference.path).file_name().and_then(|name| name.to_str());
        let name = name.expect("a file has a name").to_owned();
        let read = project(&[File { name: name.clone(), bytes }]);
        match read {
            Ok(read) => {
                let differences = differences(&read.studies[0], &reference);
                wrong.extend(differences.into_iter().map(|one| format!("{name}: {one}")));
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    wrong.retain(|one| {
        !EXCEPTIONS.iter().any(|(file, what, _)| one.starts_with(&format!("{file}: {what}")))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(study: &Study, reference: &Reference) -> Vec<String> {
    let mut wrong = Vec::new();
    let names: Vec<&str> = study.columns.iter().map(|column| column.name.as_str()).collect();
    let expected: Vec<&str> = reference.columns.iter().map(|column| column.name.as_str()).collect();
    if names != expected {
        return vec![format!("columns {names:?}, not {expected:?}")];
    }
    if reference.rows.is_some_and(|rows| rows != study.respondents) {
        wrong.push(format!("{} respondents, not {:?}", study.respondents, reference.rows));
    }
    for (column, expected) in study.columns.iter().zip(&reference.columns) {
        let mut unlike = |what: &str, ours: String, theirs: String| {
            if ours != theirs {
                wrong.push(format!("{what} of {}: {ours}, not {theirs}", column.name));
            }
        };
        unlike("label", column.label.clone(), expected.label.clone());
        unlike("format", column.format.clone(), expected.format.clone());
        let mut codes: Vec<String> =
            column.codes.iter().map(|code| format!("{:?}={}", code.value, code.label)).collect();
        let mut theirs: Vec<String> =
            expected.labels.iter().map(|(value, label)| format!("{value:?}={label}")).collect();
        codes.sort();
        theirs.sort();
        unlike("labels", format!("{codes:?}"), format!("{theirs:?}"));
        unlike("missing values", missing(&column.missing), missing(&spans(&expected.missing)));
        unlike(
            "number of values",
            column.data.len().to_string(),
            expected.values.len().to_string(),
        );
        let differs =
            expected.values.iter().enumerate().find(|(row, value)| !same(column, *row, value));
        if let Some((row, value)) = differs {
            let ours = (column.data.number(row), column.data.text(row));
            unlike(&format!("value {row}"), format!("{ours:?}"), value.to_string());
        }
    }
    for set in &reference.sets {
        let question = study.questions.iter().find(|question| question.id == set.id);
        let Some(question) = question.filter(|question| question.kind == Kind::Multi) else {
            wrong.push(format!("there is no set {}", set.id));
            continue;
        };
        let columns: Vec<&str> =
            question.columns.iter().map(|place| study.columns[*place].name.as_str()).collect();
        if columns != set.columns || (!set.text.is_empty() && question.text != set.text) {
            wrong.push(format!("set {}: {columns:?} {:?}", set.id, question.text));
        }
        for answer in &question.answers {
            let right = match &answer.given {
                Given::Is(_) => !set.dichotomy,
                Given::Counted { value, .. } => {
                    set.dichotomy && Some(value) == set.counted.as_ref()
                }
            };
            if !right {
                wrong.push(format!("set {}: {answer:?}", set.id));
            }
        }
    }
    let known: Vec<&str> = reference.sets.iter().map(|set| set.id.as_str()).collect();
    for question in study.questions.iter().filter(|question| question.kind == Kind::Multi) {
        if !known.contains(&question.id.as_str()) {
            wrong.push(format!("a set {} that the file does not declare", question.id));
        }
    }
    wrong
}

/// Numbers to the bit, but for the sign of zero; texts to the letter.
fn same(column: &Column, row: usize, value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => column.data.number(row).is_none(),
        serde_json::Value::String(text) => column.data.text(row).unwrap_or_default() == text,
        number => column.data.number(row) == number.as_f64(),
    }
}

fn spans(missing: &[(Value, Value)]) -> Vec<Missing> {
    let span = |(low, high): &(Value, Value)| match (low, high) {
        (Value::Number(low), Value::Number(high)) if low != high => Missing::Range(*low, *high),
        _ => Missing::Value(low.clone()),
    };
    missing.iter().map(span).collect()
}

fn missing(all: &[Missing]) -> String {
    format!("{all:?}")
}
