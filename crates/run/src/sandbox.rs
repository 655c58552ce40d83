//! The port of a sandbox, which runs proposed code where it can do no harm.
//!
//! The result is evidence, no more: the code's output is untrusted text, and [`Trial::passed`] decides whether it counts as a success,
//! not the output itself.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::PortError;
use crate::run::{Result, Run};

/// The only language that is executed.
pub const LANGUAGE: &str = "python";

/// Code to run, and its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Python source, as one file.
    pub source: String,
    pub limits: Limits,
}

/// How far a program may go; whatever goes beyond is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock time; of the processor no more than that either.
    pub seconds: u64,
    /// Address space.
    pub memory_mib: u64,
    /// Standard output and standard error, each.
    pub output_kib: u64,
    /// Everything in the scratch folder together, and each file of it.
    pub scratch_mib: u64,
    /// Files and folders in the scratch folder.
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { seconds: 20, memory_mib: 1_024, output_kib: 1_024, scratch_mib: 16, files: 256 }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Trial {
    Executed(Execution),
    /// Nothing was run: there is no sandbox here, or the code is in no language that is executed.
    NotExecuted {
        reason: String,
    },
}

/// An execution and everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    pub end: End,
    /// What it printed, as UTF-8 with replacement characters, cut at the limit.
    pub stdout: String,
    pub stderr: String,
    pub duration_ms: u64,
    /// What it left in its scratch folder, by path.
    pub files: Vec<Left>,
    pub checks: Checks,
    /// The interpreter, such as `Python 3.13.1`.
    pub interpreter: String,
    /// What held it, such as `namespaces`, `landlock`, `seccomp`, `rlimits`.
    pub layers: Vec<String>,
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum End {
    /// By itself; 0 is success. An exception that nothing caught is 1.
    Exited { code: i32 },
    /// By a signal.
    Killed { signal: i32 },
    /// Its time was up.
    TimedOut,
    /// It printed more than it may.
    TooMuchOutput,
    /// It stored more than it may.
    TooMuchStored,
}

/// A file that an execution left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Below the scratch folder.
    pub path: String,
    pub bytes: u64,
    /// SHA-256, as hexadecimal digits; empty for what is not read: links of either kind, pipes, what is too large.
    pub sha256: String,
}

/// The checks that a program makes of itself: assertions that depend on something. Each is counted once, wherever it stands in the source.
///
/// Self-reported: they are counted in the interpreter that executes the program, and one that reaches into it can forge them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checks {
    /// In its source.
    pub found: u32,
    /// That were reached and held, every time.
    pub held: u32,
    /// That were reached and did not hold, once or more, whatever the program made of it. What fails because it is expected to
    /// (`assertRaises`, `raises`) is not among them.
    #[serde(default)]
    pub failed: u32,
}

impl Trial {
    pub fn execution(&self) -> Option<&Execution> {
        match self {
            Trial::Executed(execution) => Some(execution),
            Trial::NotExecuted { .. } => None,
        }
    }

    /// Returns whether the code ran to its end and reports that at least one check of its own was reached and held, and none failed.
    pub fn passed(&self) -> bool {
        self.execution().is_some_and(|one| one.checks.held > 0) && !self.failed()
    }

    /// Returns whether the code was run and did not end well, or one of its own checks failed.
    pub fn failed(&self) -> bool {
        self.execution()
            .is_some_and(|one| one.end != End::Exited { code: 0 } || one.checks.failed > 0)
    }
}

/// Runs programs where they can reach nothing but their own scratch folder.
///
/// Every adapter fails closed: if it cannot confine a program, it does not run it and gives the reason in [`Trial::NotExecuted`]. When
/// the future is dropped, the program and all its child processes are killed.
#[async_trait]
pub trait Sandbox: Send + Sync {
    async fn execute(&self, program: &Program) -> std::result::Result<Trial, PortError>;
}

impl Run {
    /// Runs proposed code; without a sandbox nothing is run, and the trial says so.
    pub async fn execute(&self, program: &Program) -> Result<Trial> {
        self.step("execute", program, async || match &self.shared.world.sandbox {
            Some(sandbox) => sandbox.execute(program).await,
            None => Ok(Trial::NotExecuted {
                reason: "the sandbox is switched off (`sandbox.enabled`)".into(),
            }),
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(code: i32, checks: Checks) -> Trial {
        Trial::Executed(Execution {
            end: End::Exited { code },
            stdout: String::new(),
            stderr: String::new(),
            duration_ms: 1,
            files: vec![],
            checks,
            interpreter: "Python 3".into(),
            layers: vec![],
        })
    }

    // proves: D4
    #[test]
    fn a_good_end_with_a_check_that_failed_is_no_success() {
        let both = trial(0, Checks { found: 2, held: 1, failed: 1 });
        assert!(!both.passed() && both.failed());
        let held = trial(0, Checks { found: 2, held: 1, failed: 0 });
        assert!(held.passed() && !held.failed());
        let none = trial(0, Checks { found: 2, held: 0, failed: 0 });
        assert!(!none.passed() && !none.failed());
        let ended = trial(1, Checks { found: 2, held: 1, failed: 0 });
        assert!(!ended.passed() && ended.failed());
    }

    #[test]
    fn checks_of_an_older_log_have_none_that_failed() {
        let read: Checks = serde_json::from_str(r#"{"found":2,"held":1}"#).unwrap();
        assert_eq!(read, Checks { found: 2, held: 1, failed: 0 });
    }
}
