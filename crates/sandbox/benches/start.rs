//! What the sandbox adds to the start of an interpreter: `cargo bench -p sandbox`.

use std::process::{Command, Stdio};

use divan::Bencher;
use run::sandbox::{Limits, Program, Sandbox};
use sandbox::{Confined, Settings};

fn main() -> std::process::ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == sandbox::COMMAND) {
        return sandbox::serve();
    }
    divan::main();
    std::process::ExitCode::SUCCESS
}

/// The interpreter that `PYTHON` names.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Python alone, as the sandbox would have found it.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn bare(bencher: Bencher) {
    alone(bencher, &[]);
}

fn alone(bencher: Bencher, arguments: &[&str]) {
    let asked = Command::new(python()).args(["-c", "import sys; print(sys.executable)"]).output();
    let Ok(asked) = asked else { return };
    let path = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    bencher.bench(|| {
        let mut command = Command::new(&path);
        command.args(arguments).args(["-c", "x = 1\nassert x + x == 2"]).stdin(Stdio::null());
        command.output().map(|output| output.status.success())
    });
}

/// The same without installed packages, which is how the sandbox starts it.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn bare_without_packages(bencher: Bencher) {
    alone(bencher, &["-I", "-S"]);
}

/// The same code in the sandbox, from the request to the trial.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn confined(bencher: Bencher) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return;
    };
    let confined = Confined::new(Settings { interpreter: python(), ..Settings::default() });
    let program =
        Program { source: "x = 1\nassert x + x == 2".to_owned(), limits: Limits::default() };
    let execute = || runtime.block_on(confined.execute(&program)).is_ok_and(|it| it.passed());
    if !execute() {
        return;
    }
    bencher.bench(execute);
}
