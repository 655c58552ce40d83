//! The adapter: has a warden run each program, with the walls that this system was found to support.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use run::error::PortError;
use run::sandbox::{Checks, End, Execution, Limits, Program, Sandbox, Trial};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::{OnceCell, Semaphore};

use crate::interpreter::{self, Interpreter, Missing};
use crate::protocol::{Answer, Request, Wall, framed};

/// The service name in errors.
const SERVICE: &str = "the sandbox";
/// How much longer than the program's time limit a warden may take, to put up the walls and to inspect what was left.
const GRACE: Duration = Duration::from_secs(20);
/// The maximum length of code, in bytes.
const LONGEST: usize = 1 << 20;
/// The most bytes of JSON for each byte of output, and for the rest of an answer.
const JSON_FOR_TEXT: u64 = 6;
const REST: u64 = 4 << 20;
/// The sets of walls that may hold code, best first; seccomp and rlimits are always used.
const LADDER: [&[Wall]; 3] =
    [&[Wall::Namespaces, Wall::Landlock], &[Wall::Namespaces], &[Wall::Landlock]];
const PROBE: &str = include_str!("probe.py");
/// The probe's output if no wall gave way.
const HELD: &str = "everything held\n";

/// Why code is not executed on other systems.
pub(crate) const ELSEWHERE: &str =
    "code runs only on Linux (x86_64 and aarch64), where the kernel can isolate it";

/// How code is executed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name or path of the interpreter.
    pub interpreter: String,
    /// The program whose first argument leads to [`serve`](crate::serve); `None` means this one.
    pub program: Option<PathBuf>,
    /// How many programs run concurrently.
    pub at_once: usize,
    /// Walls that are not used even if the kernel offers them, to test what the others hold.
    pub without: Vec<Wall>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { interpreter: "python3".into(), program: None, at_once: 2, without: Vec::new() }
    }
}

/// What this system offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Code can be executed.
    Ready {
        /// Such as `Python 3.13.1`.
        interpreter: String,
        /// The layers that hold it.
        layers: Vec<String>,
    },
    /// Code cannot be executed.
    Unavailable { reason: String },
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Ready { interpreter, layers } => {
                write!(f, "{} ({interpreter})", layers.join(" "))
            }
            State::Unavailable { reason } => write!(f, "N/A, nothing is executed: {reason}"),
        }
    }
}

/// What was found out about this system.
#[derive(Debug)]
struct Found {
    state: State,
    how: Option<(Interpreter, &'static [Wall])>,
}

/// Runs programs in a sandbox, or not at all.
///
/// Before the first program, it finds the interpreter and tests the sandbox: code that tries to get out must fail. The result is kept only
/// in this value, so one of these should serve a whole process.
#[derive(Debug)]
pub struct Confined {
    settings: Settings,
    found: OnceCell<Found>,
    free: Semaphore,
}

impl Confined {
    /// Returns the adapter without starting anything.
    pub fn new(settings: Settings) -> Confined {
        let free = Semaphore::new(settings.at_once.max(1));
        Confined { settings, found: OnceCell::new(), free }
    }

    /// Returns what holds code here, or why none is executed. The first call runs the self-test.
    ///
    /// # Errors
    /// If a warden could not be started or did not answer, or the self-test did not end in time; the next call tries again.
    pub async fn state(&self) -> Result<State, PortError> {
        Ok(self.found().await?.state.clone())
    }

    async fn found(&self) -> Result<&Found, PortError> {
        self.found.get_or_try_init(|| self.find()).await
    }

    async fn find(&self) -> Result<Found, PortError> {
        let nothing = |reason: String| Found { state: State::Unavailable { reason }, how: None };
        if cfg!(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))
        {
            return Ok(nothing(ELSEWHERE.into()));
        }
        let interpreter = match interpreter::find(&self.settings.interpreter).await {
            Ok(interpreter) => interpreter,
            Err(Missing::Slow(seconds)) => return Err(late(seconds)),
            Err(Missing::Never(reason)) => return Ok(nothing(reason)),
        };
        let probe = Program { source: self.probe(&interpreter)?, limits: Limits::default() };
        let mut reasons: Vec<String> = Vec::new();
        for walls in LADDER {
            if walls.iter().any(|wall| self.settings.without.contains(wall)) {
                continue;
            }
            match self.ask(&probe, &interpreter, walls).await? {
                Answer::Refused { reason } => {
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
                Answer::Executed(execution) => {
                    if let Some(wrong) = gave_way(&execution)? {
                        // If a wall does not hold, that is no reason to rely on fewer walls.
                        return Ok(nothing(format!("the sandbox's self-test failed: {wrong}")));
                    }
                    let layers = execution.layers.clone();
                    let state = State::Ready { interpreter: interpreter.title.clone(), layers };
                    return Ok(Found { state, how: Some((interpreter, walls)) });
                }
            }
        }
        if reasons.is_empty() {
            reasons.push("no wall may be put up".into());
        }
        Ok(nothing(format!(
            "this system cannot isolate code, so none is run: {}",
            reasons.join("; ")
        )))
    }

    /// Returns code that tries to get out, aimed at existing paths.
    fn probe(&self, interpreter: &Interpreter) -> Result<String, PortError> {
        let mut readable =
            vec!["/etc/passwd".into(), "/etc/hostname".into(), "/proc/self/status".into()];
        readable.extend(self.program().ok());
        let home = std::env::var_os("HOME").map_or_else(|| "/root".into(), PathBuf::from);
        let folders =
            [home.clone(), "/".into(), "/etc".into(), "/proc".into(), std::env::temp_dir()];
        let listed: Vec<PathBuf> =
            folders.iter().flat_map(|folder| seen_outside(folder, interpreter)).collect();
        let name = format!("quaestio-probe-{}", std::process::id());
        let writable: Vec<PathBuf> =
            [home, std::env::temp_dir(), "/dev/shm".into(), "/var/tmp".into()]
                .into_iter()
                .map(|folder| folder.join(&name))
                .collect();
        let failed = |error: serde_json::Error| failed(error.to_string());
        let list = |paths: &[PathBuf]| {
            let texts: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            serde_json::to_string(&texts)
        };
        Ok(format!(
            "READABLE = {}\nLISTED = {}\nWRITABLE = {}\nEMPTY = {}\n{PROBE}",
            list(&readable).map_err(failed)?,
            list(&listed).map_err(failed)?,
            list(&writable).map_err(failed)?,
            list(&empty_files(interpreter)).map_err(failed)?,
        ))
    }

    fn program(&self) -> std::io::Result<PathBuf> {
        self.settings.program.clone().map_or_else(std::env::current_exe, std::path::absolute)
    }

    /// Has a warden execute a program. If the future is dropped, the lifeline closes, and the warden ends the program and then itself.
    async fn ask(
        &self,
        program: &Program,
        interpreter: &Interpreter,
        walls: &[Wall],
    ) -> Result<Answer, PortError> {
        let broken = |error: std::io::Error| failed(error.to_string());
        let request = Request {
            program: program.clone(),
            interpreter: interpreter.clone(),
            walls: walls.to_vec(),
            temporary: std::env::temp_dir(),
        };
        let request = framed(&request).map_err(broken)?;
        let mut command = Command::new(self.program().map_err(broken)?);
        command.arg(crate::COMMAND).env_clear().current_dir(std::path::MAIN_SEPARATOR_STR);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut warden = command.spawn().map_err(broken)?;
        let (Some(mut lifeline), Some(mut from)) = (warden.stdin.take(), warden.stdout.take())
        else {
            return Err(failed("it has no pipes".into()));
        };
        let limits = &program.limits;
        let most = limits.output_kib.saturating_mul(2 << 10).saturating_mul(JSON_FOR_TEXT);
        let most = most.saturating_add(REST);
        let patience = Duration::from_secs(limits.seconds).saturating_add(GRACE);
        let answered = tokio::time::timeout(patience, async {
            lifeline.write_all(&request).await?;
            let mut answer = Vec::new();
            (&mut from).take(most.saturating_add(1)).read_to_end(&mut answer).await?;
            std::io::Result::Ok(answer)
        })
        .await;
        let answer = match answered {
            Ok(answer) => answer.map_err(broken)?,
            Err(_) => {
                let _ = warden.kill().await;
                let seconds = patience.as_secs();
                return Err(late(seconds));
            }
        };
        if answer.len() as u64 > most {
            let _ = warden.kill().await;
            return Err(malformed("more than it may"));
        }
        drop(lifeline);
        let status = warden.wait().await.map_err(broken)?;
        if answer.is_empty() {
            return Err(failed(format!("the process that runs the code ended with {status}")));
        }
        crate::protocol::take(&mut answer.as_slice(), most)
            .map_err(|_| malformed("what is no answer"))
    }
}

/// Returns some empty files of the interpreter, such as the `__init__.py` of many packages.
fn empty_files(interpreter: &Interpreter) -> Vec<PathBuf> {
    let packages = interpreter.standard.iter().flat_map(|folder| {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    });
    let inner = packages.map(|package| package.join("__init__.py"));
    let is_empty = |path: &PathBuf| {
        std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0)
    };
    inner.filter(is_empty).take(3).collect()
}

/// Returns some entries of a folder, without those on the path to what the interpreter needs.
fn seen_outside(folder: &Path, interpreter: &Interpreter) -> Vec<PathBuf> {
    let needed = interpreter.folders.iter().chain([&interpreter.executable]);
    let needed: Vec<&PathBuf> = needed.collect();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_way = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        needed.iter().any(|one| one.starts_with(path)) || name == "dev" || name == "scratch"
    };
    paths.filter(|path| !is_way(path)).take(20).collect()
}

/// Returns what the probe reached, or `None` if the walls held.
///
/// # Errors
/// If its time was up: that says nothing about the walls, and the next call tries again.
fn gave_way(execution: &Execution) -> Result<Option<String>, PortError> {
    if execution.end == End::TimedOut {
        return Err(late(Limits::default().seconds));
    }
    let held = execution.end == End::Exited { code: 0 }
        && execution.stdout == HELD
        && execution.checks == Checks { found: 1, held: 1, failed: 0 };
    if held {
        return Ok(None);
    }
    let last = |text: &str| text.trim().lines().last().map(str::to_owned);
    let told = last(&execution.stderr).or_else(|| last(&execution.stdout)).unwrap_or_default();
    Ok(Some(format!("{told} ({:?})", execution.end)))
}

fn failed(reason: String) -> PortError {
    PortError::Unreachable { service: SERVICE.into(), reason }
}

fn late(seconds: u64) -> PortError {
    PortError::TimedOut { service: SERVICE.into(), seconds, setting: "" }
}

fn malformed(what: &str) -> PortError {
    PortError::Malformed { service: SERVICE.into(), what: what.into() }
}

#[async_trait]
impl Sandbox for Confined {
    async fn execute(&self, program: &Program) -> Result<Trial, PortError> {
        let length = program.source.len();
        if length > LONGEST {
            let reason = format!("the code has {length} bytes; the limit is {LONGEST}");
            return Ok(Trial::NotExecuted { reason });
        }
        let found = self.found().await?;
        let (interpreter, walls) = match (&found.how, &found.state) {
            (Some((interpreter, walls)), _) => (interpreter, walls),
            (None, State::Unavailable { reason }) => {
                return Ok(Trial::NotExecuted { reason: reason.clone() });
            }
            (None, State::Ready { .. }) => {
                return Err(failed("its interpreter disappeared".into()));
            }
        };
        let _turn = self.free.acquire().await.map_err(|error| failed(error.to_string()))?;
        Ok(match self.ask(program, interpreter, walls).await? {
            Answer::Executed(execution) => Trial::Executed(*execution),
            Answer::Refused { reason } => Trial::NotExecuted { reason },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probed(end: End, stdout: &str, checks: Checks) -> Execution {
        Execution {
            end,
            stdout: stdout.into(),
            stderr: String::new(),
            duration_ms: 1,
            files: vec![],
            checks,
            interpreter: "Python 3".into(),
            layers: vec![],
        }
    }

    // proves: D4
    #[test]
    fn a_self_test_that_timed_out_is_neither_held_nor_failed() {
        let checks = Checks { found: 1, held: 1, failed: 0 };
        let exited = End::Exited { code: 0 };
        assert_eq!(gave_way(&probed(exited, HELD, checks)).unwrap(), None);
        for checks in [checks, Checks { found: 1, held: 0, failed: 0 }] {
            let late = gave_way(&probed(End::TimedOut, HELD, checks));
            assert!(matches!(late, Err(PortError::TimedOut { .. })), "{late:?}");
        }
        let reached = [
            probed(End::Exited { code: 1 }, HELD, checks),
            probed(exited, "", checks),
            probed(exited, HELD, Checks { found: 1, held: 0, failed: 1 }),
            probed(End::Killed { signal: 9 }, HELD, checks),
        ];
        for execution in reached {
            assert!(gave_way(&execution).unwrap().is_some(), "{execution:?}");
        }
    }

    // proves: D4
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[tokio::test]
    async fn what_could_not_be_found_out_is_asked_again_and_nothing_is_executed_meanwhile() {
        // A warden that ends without an answer, as if its interpreter did not start in time.
        let settings = Settings { program: Some("/bin/true".into()), ..Settings::default() };
        let mut confined = Confined::new(settings);
        let program = Program { source: "x = 1\nassert x".into(), limits: Limits::default() };
        assert!(confined.state().await.is_err());
        assert!(confined.execute(&program).await.is_err());
        // The error is not cached for the life of the process.
        confined.settings.interpreter = "no-such-python".into();
        assert!(matches!(confined.state().await.unwrap(), State::Unavailable { .. }));
        assert!(matches!(confined.execute(&program).await.unwrap(), Trial::NotExecuted { .. }));
    }
}
