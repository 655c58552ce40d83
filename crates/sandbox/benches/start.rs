//! What the sandbox costs: the start of an interpreter in it, beside the same interpreter's as anybody starts it.
//!
//! `cargo bench -p sandbox --bench start --profile dev` runs both in turn and prints the ratio of their medians, and whether it is below two, as is wanted. `PYTHON` names the
//! interpreter. The profile that tests have is enough, since hardly any of the time is ours.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it is for")]

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use run::sandbox::{End, Limits, Program, Sandbox, Trial};
use sandbox::{Confined, Settings, State};

/// How often each is started, and how often before anything counts.
const TIMES: usize = 100;
const WARM_UP: usize = 5;
/// What the sandbox is to stay below, as a multiple.
const WANTED: f64 = 2.0;
const NOTHING: &str = "pass";

type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == sandbox::COMMAND) {
        return sandbox::serve();
    }
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("what the sandbox costs could not be measured: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what both take.
fn compare() -> Result<(), Failed> {
    let name = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // A script that looks for the interpreter is no part of its start.
    let asked = Command::new(&name).args(["-c", "import sys; print(sys.executable)"]).output()?;
    let path = String::from_utf8(asked.stdout)?.trim().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let confined = Confined::new(Settings { interpreter: path.clone(), ..Settings::default() });
    let state = runtime.block_on(confined.state())?;
    println!("sandbox: {state}");
    if let State::Unavailable { .. } = state {
        println!("what it costs: N/A");
        return Ok(());
    }
    let program = Program { source: NOTHING.to_owned(), limits: Limits::default() };
    let bare = || -> Result<Duration, Failed> {
        let mut command = Command::new(&path);
        let began = Instant::now();
        let output = command.args(["-c", NOTHING]).stdin(Stdio::null()).output()?;
        let took = began.elapsed();
        output.status.success().then_some(took).ok_or_else(|| format!("{path} failed").into())
    };
    let held = || -> Result<Duration, Failed> {
        let began = Instant::now();
        let trial = runtime.block_on(confined.execute(&program))?;
        let took = began.elapsed();
        match trial {
            Trial::Executed(execution) if execution.end == End::Exited { code: 0 } => Ok(took),
            other => Err(format!("it was not executed to its end: {other:?}").into()),
        }
    };
    let (mut alone, mut within) = (Vec::new(), Vec::new());
    for turn in 0..WARM_UP + TIMES {
        // In turn, so that a busy moment falls on both; and neither always first.
        let (one, other) = if turn % 2 == 0 {
            let one = bare()?;
            (one, held()?)
        } else {
            let other = held()?;
            (bare()?, other)
        };
        if turn >= WARM_UP {
            alone.push(one);
            within.push(other);
        }
    }
    let (alone, within) = (median(&mut alone), median(&mut within));
    let ratio = within.as_secs_f64() / alone.as_secs_f64();
    println!(
        "medians of {TIMES} starts in turn: {path} {:.1} ms, in the sandbox {:.1} ms: {ratio:.2} times; wanted: less than {WANTED}: {}",
        alone.as_secs_f64() * 1e3,
        within.as_secs_f64() * 1e3,
        if ratio < WANTED { "reached" } else { "NOT reached" }
    );
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
