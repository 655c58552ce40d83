//! Whoever is killed, nothing is left running.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use run::sandbox::{Limits, Program, Sandbox};
use sandbox::Wall;

use super::{Case, Rung, build_confined, runtime};

const ENDLESS: &str = "open('left', 'w').write('x')\nwhile True:\n    pass";

/// Executes code until it is killed, or until somebody speaks to it: then it drops what it waits for.
pub(crate) fn parent() -> ExitCode {
    let without: &[Wall] = match std::env::args().nth(2).as_deref() {
        Some("landlock") => &[Wall::Namespaces],
        _ => &[],
    };
    let limits = Limits { seconds: 60, ..Limits::default() };
    let program = Program { source: ENDLESS.to_owned(), limits };
    runtime().block_on(async {
        let confined = build_confined(without);
        let spoken = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
        tokio::select! {
            trial = confined.execute(&program) => {
                println!("{trial:?}");
                return;
            }
            _ = spoken => println!("dropped"),
        }
        // Stays, so that it is not its own end that ends what it started.
        let forever =
            tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
        let _ = forever.await;
    });
    ExitCode::SUCCESS
}

// proves: D4
pub(crate) fn cases(rung: &Rung) -> Vec<Case<'_>> {
    vec![
        (
            "a_warden_that_is_killed_takes_the_code_along".into(),
            Box::new(|| {
                with_parent(rung, |parent, warden, _| {
                    kill(warden);
                    let told = parent.wait_with_output_of();
                    assert!(told.contains("Unreachable"), "{told}");
                });
            }),
        ),
        (
            "what_nobody_waits_for_ends".into(),
            Box::new(|| {
                with_parent(rung, |parent, _, _| parent.speak());
            }),
        ),
        (
            "a_parent_that_is_killed_takes_everything_along".into(),
            Box::new(|| {
                with_parent(rung, |parent, _, _| kill(parent.0.id()));
            }),
        ),
        (
            "a_scratch_folder_that_a_killed_warden_left_goes_with_the_next".into(),
            Box::new(|| left(rung)),
        ),
    ]
}

struct Parent(Child);

impl Parent {
    fn start(rung: &Rung, folder: &Path) -> Parent {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args(["parent", rung.name]).env("TMPDIR", folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Parent(command.spawn().unwrap())
    }

    fn speak(&mut self) {
        use std::io::Write;
        self.0.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    fn wait_with_output_of(&mut self) -> String {
        use std::io::{BufRead, BufReader};
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Parent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does something to a parent whose code runs, and sees that warden and code are gone afterwards and have left nothing.
fn with_parent(rung: &Rung, deed: fn(&mut Parent, u32, u32)) {
    if matches!(rung.state, sandbox::State::Unavailable { .. }) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut parent = Parent::start(rung, folder.path());
    let (warden, code) = until(|| running(parent.0.id()));
    deed(&mut parent, warden, code);
    until(|| (!lives(warden) && !lives(code)).then_some(()));
}

fn left(rung: &Rung) {
    if rung.has_namespaces() || matches!(rung.state, sandbox::State::Unavailable { .. }) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut parent = Parent::start(rung, folder.path());
    let (warden, code) = until(|| running(parent.0.id()));
    kill(warden);
    parent.wait_with_output_of();
    until(|| (!lives(warden) && !lives(code)).then_some(()));
    let count = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(count(), 1);
    // The next one begins with its self-test.
    let mut next = Parent::start(rung, folder.path());
    let (warden, code) = until(|| running(next.0.id()));
    next.speak();
    until(|| (!lives(warden) && !lives(code)).then_some(()));
    assert_eq!(until(|| (count() == 0).then_some(0)), 0);
}

/// Returns the warden of a parent and the code that it watches, once the code is past the self-test.
fn running(parent: u32) -> Option<(u32, u32)> {
    let (warden, code) = processes().into_iter().find_map(|(warden, above)| {
        let is_warden = above == parent
            && names(warden).is_some_and(|it| it.to_string_lossy().contains(sandbox::COMMAND));
        is_warden
            .then(|| processes().into_iter().find(|(_, above)| *above == warden))
            .flatten()
            .map(|(code, _)| (warden, code))
    })?;
    // Only this code turns without end; the self-test is over before that.
    let busy =
        ticks(code)? > 30 && names(code).is_some_and(|it| it.to_string_lossy().contains("python"));
    busy.then_some((warden, code))
}

fn names(process: u32) -> Option<OsString> {
    let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
    Some(String::from_utf8_lossy(&line).into_owned().into())
}

/// Returns every process with the one above it.
fn processes() -> Vec<(u32, u32)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|process| Some((process, field(process, 1)?.parse().ok()?))).collect()
}

/// Returns a field of a process, counted after its name: its state, the process above it.
fn field(process: u32, index: usize) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_whitespace().nth(index).map(str::to_owned)
}

fn ticks(process: u32) -> Option<u64> {
    field(process, 11)?.parse().ok()
}

fn lives(process: u32) -> bool {
    field(process, 0).is_some_and(|state| state != "Z" && state != "X")
}

fn kill(process: u32) {
    let ended = Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
    assert!(ended.success());
}

/// Looks until something is there.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(40);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it never came");
        std::thread::yield_now();
    }
}
