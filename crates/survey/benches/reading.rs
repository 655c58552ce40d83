//! A large survey read as a project, against pandas: `cargo bench -p survey --no-default-features --bench reading`.
//!
//! 300 questions of 1,000,000 respondents with a weight, as CSV. `QUAESTIO_REFERENCE_PYTHON` names an interpreter that has pandas;
//! without it there is nothing to compare with, and the bench says so and fails. Both read the same file; how many answered each
//! question, and what their answers add up to, must agree. Peak memory is that of the process, the file's bytes and the program
//! included.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench, which prints what it measured and has nothing to go on with"
)]

mod memory;

use std::fmt::Write as _;
use std::process::{Command, ExitCode};
use std::time::Instant;

use memory::peak_bytes;
use serde::Deserialize;
use survey::project::Project;
use survey::read::{File, read_project};

const RESPONDENTS: usize = 1_000_000;
const QUESTIONS: usize = 300;

#[derive(Deserialize)]
struct Reference {
    seconds: f64,
    peak_kib: f64,
    /// How many numbers a column has, and their sum.
    columns: Vec<(u64, f64)>,
}

fn main() -> ExitCode {
    // Tests build benches and start them without this.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let Some(python) = std::env::var_os("QUAESTIO_REFERENCE_PYTHON") else {
        println!("set QUAESTIO_REFERENCE_PYTHON to a Python that has pandas");
        return ExitCode::FAILURE;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave1.csv");
    std::fs::write(&path, made()).unwrap();

    let start = Instant::now();
    let bytes = std::fs::read(&path).unwrap();
    let file_bytes = bytes.len() as f64;
    let files = [File { name: "wave1.csv".to_owned(), bytes }];
    let read = read_project(&files).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_bytes();
    drop(files);

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/reference/reading.py");
    let output = Command::new(python).arg(script).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reference: Reference = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(columns(&read), reference.columns);

    println!(
        "{QUESTIONS} questions, {RESPONDENTS} respondents, {:.0} MB of CSV: {seconds:.1} s, pandas {:.1} s: {:.1} times faster",
        file_bytes / 1e6,
        reference.seconds,
        reference.seconds / seconds,
    );
    println!(
        "peak memory {:.0} MB, {:.2} times the file; pandas {:.0} MB",
        peak / 1e6,
        peak / file_bytes,
        reference.peak_kib * 1024.0 / 1e6,
    );
    ExitCode::SUCCESS
}

/// Returns a header and a line for each respondent: an id, a weight, and answers from 1 to 7, some of them absent.
fn made() -> String {
    let mut text = String::with_capacity(RESPONDENTS * (2 * QUESTIONS + 16));
    text.push_str("id,weight");
    for question in 0..QUESTIONS {
        write!(text, ",q{question}").unwrap();
    }
    text.push('\n');
    let mut state = 1_u64;
    for row in 0..RESPONDENTS {
        // Sixteenths are the same in every arithmetic, so that sums can be compared to the last digit.
        write!(text, "{row},{}", 0.5 + (row % 16) as f64 / 16.0).unwrap();
        for question in 0..QUESTIONS {
            // Knuth's generator, of which the high bits are good.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let drawn = state >> 40;
            text.push(',');
            if !drawn.is_multiple_of(32) {
                let points = 5 + question as u64 % 3;
                text.push(char::from(b'1' + (drawn / 32 % points) as u8));
            }
        }
        text.push('\n');
    }
    text
}

/// Returns of each column how many respondents have a number, and their sum.
fn columns(project: &Project) -> Vec<(u64, f64)> {
    let study = project.studies.first().unwrap();
    let of = |column: &survey::study::Column| {
        let numbers = (0..study.respondents).filter_map(|row| column.data.number(row));
        numbers.fold((0, 0.0), |(count, sum), number| (count + 1, sum + number))
    };
    study.columns.iter().map(of).collect()
}
