//! Banner tables of a large survey, against pandas and statsmodels: `cargo bench -p survey --no-default-features --bench banner`.
//!
//! 30 questions by 12 segments of three banner questions, weighted and tested, over 1,000,000 respondents. `QUAESTIO_REFERENCE_PYTHON` names an
//! interpreter that has pandas, statsmodels and scipy; without it there is nothing to compare with, and the bench says so and fails.
//! Both make the same data by the same formula, and it fails where a number or letter of the two does not agree. Speed and memory are reported beside what
//! is wanted of them, 20 times the speed and less than 1.5 times the memory of the data, and fail nothing. Peak memory is that of the process, its data
//! and program included.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench, which prints what it measured and has nothing to go on with"
)]

mod memory;

use std::process::{Command, ExitCode};
use std::time::Instant;

use memory::peak_bytes;
use serde::Deserialize;
use survey::figure::{Condition, Measure, Rules, Spec, Weighting};
use survey::project::Project;
use survey::study::{
    Answer, Column, Data, Format, Given, Kind, NO_VALUE, Origin, Question, Study, Top, Value,
};
use survey::table::{RowKind, Table, banners};

const RESPONDENTS: usize = 1_000_000;
const QUESTIONS: usize = 30;
const BANNER: [usize; 3] = [2, 6, 4];
const TIMES_FASTER: f64 = 20.0;
const TIMES_THE_MEMORY: f64 = 1.5;
const ROUNDS: usize = 5;

#[derive(Deserialize)]
struct Reference {
    seconds: f64,
    peak_kib: f64,
    tables: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    base: Vec<f64>,
    weighted: Vec<f64>,
    effective: Vec<f64>,
    rows: Vec<Vec<f64>>,
    letters: Vec<Vec<String>>,
    deviation: Vec<f64>,
}

fn main() -> ExitCode {
    // Tests build benches and start them without this.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let Some(python) = std::env::var_os("QUAESTIO_REFERENCE_PYTHON") else {
        println!("set QUAESTIO_REFERENCE_PYTHON to a Python that has pandas and statsmodels");
        return ExitCode::FAILURE;
    };
    let (project, bytes) = made();
    let questions: Vec<usize> = (BANNER.len()..BANNER.len() + QUESTIONS).collect();
    let (mut seconds, mut tables) = (vec![], vec![]);
    forget_peak();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        tables = banners(&project, 0, &questions, &[0, 1, 2], Weighting::Study, &Rules::default())
            .unwrap();
        seconds.push(start.elapsed().as_secs_f64());
    }
    let peak = peak_bytes();
    seconds.sort_by(f64::total_cmp);
    let seconds = seconds[ROUNDS / 2];

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/reference/banner.py");
    let output = Command::new(python)
        .arg(script)
        .args([RESPONDENTS, QUESTIONS].map(|number| number.to_string()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reference: Reference = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(tables.len(), reference.tables.len());
    let farthest = tables
        .iter()
        .zip(&reference.tables)
        .map(|(table, expected)| farthest(table, expected))
        .fold(0.0, f64::max);

    let (faster, memory) = (reference.seconds / seconds, peak / bytes);
    println!(
        "{QUESTIONS} questions by {} columns, {RESPONDENTS} respondents: {:.1} ms, pandas and statsmodels {:.1} ms: {faster:.1} times faster",
        BANNER.iter().sum::<usize>(),
        seconds * 1e3,
        reference.seconds * 1e3,
    );
    println!(
        "peak memory {:.1} MB for {:.1} MB of data: {memory:.2} times (Python: {:.0} MB)",
        peak / 1e6,
        bytes / 1e6,
        reference.peak_kib * 1024.0 / 1e6
    );
    println!("{}", alone(&project));
    println!(
        "all letters agree, numbers to {farthest:.1e} of themselves (at most 1e-9 is agreement)"
    );
    let is_enough = faster >= TIMES_FASTER && memory < TIMES_THE_MEMORY;
    println!(
        "wanted: {TIMES_FASTER} times faster, under {TIMES_THE_MEMORY} times the memory: {}",
        if is_enough { "reached" } else { "NOT reached" }
    );
    if farthest <= 1e-9 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tells what one figure of a segment and one comparison take, as whoever checks a text pays for each.
fn alone(project: &Project) -> String {
    let of = |answer: usize| Spec {
        study: 0,
        question: BANNER.len(),
        measure: Measure::Share(vec![3, 4]),
        segment: vec![Condition { question: 1, answers: vec![answer] }],
        weighting: Weighting::Study,
    };
    let (start, rules) = (Instant::now(), Rules::default());
    project.figure(&of(0), &rules).unwrap();
    let (figure, start) = (start.elapsed(), Instant::now());
    project.compare(&of(0), &of(1), &rules).unwrap();
    let compared = start.elapsed();
    format!("one figure of a segment {figure:.1?}, one comparison of two segments {compared:.1?}")
}

/// Holds a table against the reference; returns the largest relative difference of its numbers.
fn farthest(table: &Table, expected: &Expected) -> f64 {
    let mut far = 0.0_f64;
    let mut near = |one: f64, other: f64| far = far.max((one - other).abs() / other.abs());
    for (number, heading) in table.columns.iter().enumerate() {
        near(heading.base.unweighted as f64, expected.base[number]);
        near(heading.base.weighted, expected.weighted[number]);
        near(heading.base.effective, expected.effective[number]);
    }
    let of = |kinds: &[RowKind]| -> Vec<_> {
        table.rows.iter().filter(|row| kinds.contains(&row.kind)).collect()
    };
    let rows = of(&[RowKind::Answer, RowKind::Boxed, RowKind::Mean]);
    assert_eq!(rows.len(), expected.rows.len());
    for ((row, values), letters) in rows.iter().zip(&expected.rows).zip(&expected.letters) {
        for ((cell, value), letters) in row.cells.iter().zip(values).zip(letters) {
            near(cell.value.unwrap(), *value);
            assert_eq!(cell.letters, *letters, "{} {}", table.question, row.label);
        }
    }
    for (cell, value) in of(&[RowKind::Sd])[0].cells.iter().zip(&expected.deviation) {
        near(cell.value.unwrap(), *value);
    }
    far
}

/// A number from 0 to 1 for a respondent and a column, by splitmix64.
fn chance(row: usize, column: u64) -> f64 {
    let mut x = (row as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(column.wrapping_mul(0xD1B5_4A32_D192_ED03));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    (x >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

fn segment(row: usize, number: usize) -> usize {
    (chance(row, 1 + number as u64) * BANNER[number] as f64) as usize
}

/// Returns the study and the bytes that its data take.
fn made() -> (Project, f64) {
    let weight: Vec<f64> = (0..RESPONDENTS).map(|row| 0.5 + chance(row, 0)).collect();
    let mut columns = vec![column("weight", Data::Numbers(weight))];
    let mut questions = vec![];
    let few = |points: usize, index: Vec<u8>| Data::Few {
        values: (1..=points).map(|value| value as f64).collect(),
        index,
    };
    for (number, points) in BANNER.into_iter().enumerate() {
        let index = (0..RESPONDENTS).map(|row| segment(row, number) as u8).collect();
        questions.push(question(&format!("b{number}"), Kind::Single, columns.len(), points));
        columns.push(column(&format!("b{number}"), few(points, index)));
    }
    for number in 0..QUESTIONS {
        let points = 5 + number % 3;
        let index = (0..RESPONDENTS)
            .map(|row| {
                if chance(row, 101 + 2 * number as u64) < 0.03 {
                    return NO_VALUE;
                }
                let shift = 0.002 * (number % 5) as f64 * segment(row, number % 3) as f64;
                let at = (chance(row, 100 + 2 * number as u64) * 0.98 + shift).min(0.999_999);
                (at * points as f64) as u8
            })
            .collect();
        questions.push(question(&format!("q{number}"), Kind::Scale, columns.len(), points));
        columns.push(column(&format!("q{number}"), few(points, index)));
    }
    let bytes = RESPONDENTS * (8 + BANNER.len() + QUESTIONS);
    let study = Study {
        id: "W1".to_owned(),
        title: String::new(),
        origin: Origin { file: String::new(), format: Format::Csv, sha256: String::new() },
        respondents: RESPONDENTS,
        columns,
        questions,
        weight: Some(0),
        segments: vec![0, 1, 2],
        notes: vec![],
    };
    (Project { studies: vec![study], ..Project::default() }, bytes as f64)
}

fn column(name: &str, data: Data) -> Column {
    Column {
        name: name.to_owned(),
        label: String::new(),
        data,
        codes: vec![],
        missing: vec![],
        format: String::new(),
    }
}

fn question(id: &str, kind: Kind, column: usize, points: usize) -> Question {
    let answers = (1..=points).map(|value| Answer {
        code: value.to_string(),
        label: value.to_string(),
        score: Some(value as f64),
        given: Given::Is(Value::Number(value as f64)),
    });
    Question {
        id: id.to_owned(),
        text: String::new(),
        kind,
        columns: vec![column],
        answers: answers.collect(),
        nets: vec![],
        grid: None,
        top: Top::Highest,
    }
}

/// Lets the peak begin anew, where the kernel can (Linux).
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
