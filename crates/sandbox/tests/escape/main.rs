//! Code wants out. This program is also the warden, and a parent to be killed: its first argument says so.
//!
//! Every case runs in both rungs of the ladder, behind namespaces and behind Landlock alone. Where this kernel has no such wall the case asserts that
//! nothing was executed. `which` as the argument prints what holds code here.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test, whose harness is its own")]

mod attacks;
mod checks;
mod limits;
mod processes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

use run::sandbox::{Execution, Limits, Program, Sandbox, Trial};
use sandbox::{Confined, Settings, State, Wall};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    match argument.as_str() {
        sandbox::COMMAND => return sandbox::serve(),
        "parent" => return processes::parent(),
        "which" => {
            println!("sandbox: {}", runtime().block_on(build_confined(&[]).state()).unwrap());
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let rungs = [("namespaces", &[][..]), ("landlock", &[Wall::Namespaces][..])];
    let rungs: Vec<Rung> =
        rungs.into_iter().map(|(name, without)| Rung::new(name, without)).collect();
    for rung in &rungs {
        println!("sandbox without {:?}: {}", rung.without, rung.state);
    }
    let mut cases: Vec<(String, Box<dyn Fn() + Send + '_>)> = Vec::new();
    for rung in &rungs {
        let all = [
            attacks::cases(rung),
            limits::cases(rung),
            checks::cases(rung),
            processes::cases(rung),
        ];
        for (name, case) in all.into_iter().flatten() {
            cases.push((format!("{}::{name}", rung.name), case));
        }
    }
    cases.retain(|(name, _)| argument.starts_with('-') || name.contains(&argument));
    cases.reverse();
    let (left, failed) = (Mutex::new(cases), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((name, case)) = left.lock().unwrap().pop() else { break };
                    let fine = catch_unwind(AssertUnwindSafe(case)).is_ok();
                    println!("test {name} ... {}", if fine { "ok" } else { "FAILED" });
                    if !fine {
                        failed.lock().unwrap().push(name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("failed: {failed:?}");
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Case<'a> = (String, Box<dyn Fn() + Send + 'a>);

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn build_confined(without: &[Wall]) -> Confined {
    Confined::new(Settings { without: without.to_vec(), ..Settings::default() })
}

/// What stands, and a sandbox with it.
struct Rung {
    name: &'static str,
    without: &'static [Wall],
    confined: Confined,
    state: State,
}

impl Rung {
    fn new(name: &'static str, without: &'static [Wall]) -> Rung {
        let confined = build_confined(without);
        let state = runtime().block_on(confined.state()).unwrap();
        Rung { name, without, confined, state }
    }

    /// Tells whether code has the world to itself.
    fn has_namespaces(&self) -> bool {
        matches!(&self.state, State::Ready { layers, .. } if layers[0] == "namespaces")
    }

    /// Executes code; none where this system can hold none, and then it did not run.
    fn run_within(&self, source: &str, limits: Limits) -> Option<Execution> {
        let program = Program { source: source.to_owned(), limits };
        let trial = runtime().block_on(self.confined.execute(&program)).unwrap();
        match (trial, &self.state) {
            (Trial::Executed(execution), State::Ready { .. }) => Some(execution),
            (Trial::NotExecuted { reason }, State::Unavailable { .. }) => {
                assert!(!reason.is_empty());
                None
            }
            (trial, state) => panic!("{state}: {trial:?}"),
        }
    }

    fn run(&self, source: &str) -> Option<Execution> {
        self.run_within(source, Limits::default())
    }
}

/// Runs code as anybody would, and returns what it printed.
fn outside(source: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command.args(["-B", "-c", source]).current_dir(folder.path()).stdin(Stdio::null());
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}
