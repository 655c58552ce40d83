//! Real survey files, read from the folder named by `QUAESTIO_TEST_DATA`, which must be there.
//!
//! SPSS files are compared with what `pyreadstat` reads, without an exception, run by the Python that `QUAESTIO_REFERENCE_PYTHON` names; it must have
//! the packages of `tests/reference/requirements.txt`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use survey::read::{File, read_project};
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

fn read_study(paths: &[&str]) -> Study {
    let files: Vec<File> = paths.iter().map(|path| file(path)).collect();
    let mut read = read_project(&files).unwrap_or_else(|error| panic!("{paths:?}: {error}"));
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
        let read = read_project(&[File { name: name.clone(), bytes }]);
        match read {
            Ok(read) => {
                let differences = list_differences(&read.studies[0], &reference);
                wrong.extend(differences.into_iter().map(|one| format!("{name}: {one}")));
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn list_differences(study: &Study, reference: &Reference) -> Vec<String> {
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

/// Returns how many answered with each answer of a question, in the order of its answers.
fn counts(study: &Study, id: &str) -> Vec<(String, usize)> {
    let question =
        &study.questions[study.question(id).unwrap_or_else(|| panic!("there is no {id}"))];
    let gave = |given: &Given, row: usize| match given {
        Given::Counted { column, value: Value::Number(value) } => {
            study.columns[*column].answer(row) == Some(*value)
        }
        Given::Is(Value::Number(value)) => {
            question.columns.iter().any(|place| study.columns[*place].answer(row) == Some(*value))
        }
        Given::Is(Value::Text(value)) => question
            .columns
            .iter()
            .any(|place| study.columns[*place].data.text(row) == Some(value.as_str())),
        Given::Counted { .. } => false,
    };
    let count = |answer: &survey::study::Answer| {
        let count = (0..study.respondents).filter(|row| gave(&answer.given, *row)).count();
        (answer.label.clone(), count)
    };
    question.answers.iter().map(count).collect()
}

/// Returns how many have a value in any column of a question.
fn base(study: &Study, id: &str) -> usize {
    let question =
        &study.questions[study.question(id).unwrap_or_else(|| panic!("there is no {id}"))];
    let has = |column: &Column, row: usize| {
        column.answer(row).is_some() || column.data.text(row).is_some()
    };
    let answered =
        |row: &usize| question.columns.iter().any(|place| has(&study.columns[*place], *row));
    (0..study.respondents).filter(answered).count()
}

// proves: B9
#[test]
fn the_example_data_of_quantipy_counts_as_its_own_tables_do() {
    let study = read_study(&["quantipy/example_data_A.csv", "quantipy/example_data_A.json"]);
    assert_eq!(study.respondents, 8255);
    assert_eq!(counts(&study, "gender"), [("Male".to_owned(), 3952), ("Female".to_owned(), 4303)]);
    // Quantipy's tables of the same data, in basic.xlsx beside it.
    let tables = [
        ("q2", 2999, vec![1127, 1366, 1721, 649, 458, 428, 492, 53]),
        ("q3", 8255, vec![5754, 4801, 7214, 576, 190, 159, 1674, 251, 232]),
        ("q8", 2367, vec![949, 216, 595, 970, 1235, 283, 49]),
        ("q9", 8255, vec![3000, 1603, 861, 2177, 367, 1358, 2883]),
        ("q5_1", 8255, vec![363, 700, 2598, 124, 2472, 200, 1798]),
    ];
    for (id, expected_base, expected) in tables {
        let found: Vec<usize> = counts(&study, id).into_iter().map(|(_, count)| count).collect();
        assert_eq!((base(&study, id), found), (expected_base, expected), "{id}");
    }
    let kinds = |id: &str| study.questions[study.question(id).expect(id)].kind;
    assert_eq!(
        ["q2", "q5_1", "q14r01c01", "age", "q8a", "q6_1"].map(kinds),
        [Kind::Multi, Kind::Scale, Kind::Scale, Kind::Numeric, Kind::Open, Kind::Single]
    );
    let surfing = &study.questions[study.question("q5_1").expect("q5_1")];
    let scores: Vec<Option<f64>> = surfing.answers.iter().map(|answer| answer.score).collect();
    assert_eq!(scores, [Some(1.0), Some(2.0), Some(3.0), Some(4.0), Some(5.0), None, None]);
    assert_eq!(surfing.grid.as_ref().map(|grid| grid.id.as_str()), Some("q5"));
    let segments: Vec<&str> =
        study.segments.iter().map(|place| study.questions[*place].id.as_str()).collect();
    assert_eq!(segments, ["gender", "locality", "Wave"]);
    let weight = &study.columns[study.weight.expect("a weight")];
    let sum: f64 = (0..study.respondents).filter_map(|row| weight.answer(row)).sum();
    assert_eq!(weight.name, "weight_a");
    assert!((sum - 8255.000000000611).abs() < 1e-6, "{sum}");
}

// proves: B9
#[test]
fn real_sheets_give_the_numbers_that_stand_in_them() {
    let basic = read_study(&["quantipy/basic.xlsx"]);
    let total = &basic.columns[basic.column("Total").expect("Total")];
    let found: Vec<f64> = (0..basic.respondents).filter_map(|row| total.answer(row)).collect();
    assert_eq!(found, [2999.0, 1127.0, 1366.0, 1721.0, 649.0, 458.0, 428.0, 492.0, 53.0]);
    let complex = read_study(&["quantipy/complex_0.xlsx"]);
    let total = &complex.columns[complex.column("Total").expect("Total")];
    assert!((0..complex.respondents).any(|row| total.data.number(row) == Some(8255.000000000711)
        || total.data.text(row) == Some("8255.000000000711")));
}

// proves: B9
#[test]
fn the_samples_of_triple_s_are_read_as_the_standard_says() {
    let first = read_study(&["triple_s/sample-1.sss", "triple_s/sample-1.asc"]);
    assert_eq!(
        (first.respondents, first.title.as_str()),
        (3, "Historic House Exit Survey First Wave")
    );
    let table =
        |id: &str| counts(&first, id).into_iter().map(|(_, count)| count).collect::<Vec<_>>();
    assert_eq!(table("Q1"), [0, 2, 1]);
    assert_eq!(table("Q2"), [2, 1, 1, 1, 0, 2]);
    assert_eq!(table("Q4"), [1, 1, 0, 1, 0, 2]);
    let column = |name: &str| &first.columns[first.column(name).expect(name)];
    let numbers = |name: &str| (0..3).map(|row| column(name).answer(row)).collect::<Vec<_>>();
    // 999 is "not stated".
    assert_eq!(numbers("Q5"), [Some(12.0), None, Some(58.0)]);
    assert_eq!(numbers("Q6"), [Some(1.0), Some(1.0), Some(0.0)]);
    assert_eq!(numbers("Q99"), [Some(1.4), Some(0.9), Some(0.7)]);
    assert_eq!(column("Q3").data.text(2), Some("\"Marco's\" Restaurant"));
    assert_eq!(first.weight.map(|place| first.columns[place].name.as_str()), Some("Q99"));
    let third = read_study(&["triple_s/sample-3.sss", "triple_s/sample-3.dat"]);
    assert_eq!((third.respondents, third.columns.len()), (98, 200));
    assert_eq!(base(&third, "G"), 2);
    assert_eq!(base(&third, "ldd"), 13);
    let several = counts(&third, "M");
    assert_eq!(
        (base(&third, "M"), several.first().map(|one| one.1), several.get(3).map(|one| one.1)),
        (16, Some(3), Some(1))
    );
}
