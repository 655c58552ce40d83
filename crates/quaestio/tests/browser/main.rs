//! The page as a person meets it: a real browser, the real server, real documents, a fake model server.
//!
//! The scenes stand in `scenes/*.mjs` and drive Chromium, many of them Firefox too; they begin with what a person does and end with what they see.
//! What they act upon stands here, the stage: servers that are this very program run once more, stopped, killed and
//! started again on the same port and folder, and a fake model server. A scene asks the stage in lines of JSON.
//!
//! A name of a scene as argument runs that scene alone: `cargo test … --test browser -- gate`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

mod program;
mod stage;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use quaestio::{Face, Sink};

use stage::{PROGRAM, Stage};

fn main() -> ExitCode {
    // Also what reads files for a server is this program, with a command and without the variable.
    if std::env::var_os(PROGRAM).is_some()
        || std::env::args().nth(1).as_deref() == Some("read-files")
    {
        let face = Face {
            out: Sink::new(std::io::stdout()),
            err: Sink::new(std::io::stderr()),
            terminal: false,
        };
        return quaestio::main(std::env::args_os(), program::methods(), &face).code().into();
    }
    let began = Instant::now();
    let scenes = here();
    let browsers = match find_browsers(&scenes) {
        Ok(browsers) => browsers,
        Err(missing) => {
            eprintln!("the browser test cannot run: {missing}");
            return ExitCode::FAILURE;
        }
    };
    let mut node = Command::new("node")
        .arg("main.mjs")
        .args(std::env::args().skip(1).filter(|argument| !argument.starts_with('-')))
        .current_dir(&scenes)
        .envs(browsers)
        .env("EXAMPLES", scenes.join("../../../../examples"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = node.stdin.take().unwrap();
    let mut stage = Stage::default();
    for line in BufReader::new(node.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Ok(asked) = serde_json::from_str(&line) else {
            println!("{line}");
            continue;
        };
        let answer = stage.act(&asked);
        writeln!(answers, "{answer}").unwrap();
    }
    drop(answers);
    let passed = node.wait().unwrap().success();
    println!("the page in a browser: {:.0} s", began.elapsed().as_secs_f64());
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the folder of the scenes.
fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").canonicalize().unwrap()
}

/// Returns where the browsers are, by the variables that name them, or what is missing and how to get it.
fn find_browsers(scenes: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let node = Command::new("node").arg("--version").output();
    let version = node.map_err(|_| "there is no `node`; on Debian: apt-get install nodejs npm")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|one| one.parse().ok());
    if major.is_none_or(|major: u32| major < 18) {
        return Err(format!("node is {version}, and 18 or later is needed"));
    }
    for package in ["playwright-core", "axe-core"] {
        if !scenes.join("node_modules").join(package).is_dir() {
            let scenes = scenes.display();
            return Err(format!("{package} is not installed; run `npm ci` in {scenes}"));
        }
    }
    let browsers = [("CHROMIUM", "chromium"), ("FIREFOX", "firefox-esr")];
    let found = browsers.into_iter().map(|(variable, package)| {
        let path = std::env::var_os(variable).map(PathBuf::from);
        let path = path.unwrap_or_else(|| Path::new("/usr/bin").join(package));
        match path.is_file() {
            true => Ok((variable, path)),
            false => Err(format!(
                "there is no browser at {}; on Debian: apt-get install {package}, elsewhere name it in {variable}",
                path.display()
            )),
        }
    });
    found.collect()
}
