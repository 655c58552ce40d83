//! A server that is a program: a line on its standard input or output is a message.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use run::error::PortError;
use transport::Secret;

use super::link::Allowance;

/// How long a program may take to end by itself after its input has ended.
const PARTING: Duration = Duration::from_millis(500);

/// The bytes for which there is room before a read.
const PIECE: usize = 16 * 1024;

/// A running program. Dropping it ends it, with all that it started.
pub(super) struct Program {
    allowance: Allowance,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// What was read and not yet returned.
    read: Vec<u8>,
    /// The bytes at the beginning of `read` that were searched for the end of a line.
    searched: usize,
    group: Group,
    child: Child,
}

/// A process group, which is killed when this is dropped.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0.take() {
            // It fails if everything in it has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Program {
    /// Starts the program in a process group of its own.
    pub(super) fn start(
        command: &str,
        args: &[String],
        variables: &[(String, Option<Secret>)],
        allowance: Allowance,
    ) -> Result<Program, PortError> {
        let not_started = |reason: String| {
            allowance.unreachable(format!("could not start the program {command}: {reason}"))
        };
        let mut program = Command::new(command);
        program.args(args).env_clear();
        for name in ["PATH", "HOME"] {
            if let Some(value) = std::env::var_os(name) {
                program.env(name, value);
            }
        }
        let given = variables.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        program.envs(given.map(|(name, value)| (name, value.reveal())));
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        program.process_group(0).kill_on_drop(true);
        let mut child = program.spawn().map_err(|error| not_started(error.to_string()))?;
        let group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(not_started("it has no standard input and output".into()));
        };
        let (input, read) = (Some(input), Vec::new());
        Ok(Program { allowance, input, output, read, searched: 0, group, child })
    }

    pub(super) async fn send(&mut self, message: &Value) -> Result<(), PortError> {
        let line = format!("{message}\n");
        let sent = match &mut self.input {
            Some(input) => match input.write_all(line.as_bytes()).await {
                Ok(()) => input.flush().await,
                failed => failed,
            },
            None => Ok(()),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await),
        }
    }

    /// Returns the next line that may be a message. Some programs write to their output what belongs elsewhere.
    pub(super) async fn receive(&mut self) -> Result<Vec<u8>, PortError> {
        loop {
            let rest = self.read.get(self.searched..).unwrap_or_default();
            if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let after = self.read.split_off(self.searched + end + 1);
                let line = std::mem::replace(&mut self.read, after);
                self.searched = 0;
                if line.trim_ascii_start().starts_with(b"{") {
                    return Ok(line);
                }
                continue;
            }
            self.searched = self.read.len();
            self.read.reserve(PIECE);
            let read = self.output.read_buf(&mut self.read).await.unwrap_or(0);
            if read == 0 {
                return Err(self.ended().await);
            }
            self.allowance.take(read)?;
        }
    }

    /// Returns the error for a program that ended before it answered.
    async fn ended(&mut self) -> PortError {
        let status = timeout(PARTING, self.child.wait()).await;
        let how = match status {
            Ok(Ok(status)) => status.to_string(),
            _ => "it closed its output".into(),
        };
        self.allowance.unreachable(format!("the program ended before it answered ({how})"))
    }

    /// Ends its input, waits a moment, and ends what still runs.
    pub(super) async fn close(mut self) {
        drop(self.input.take());
        // The program has ended when its output has. It is not waited for, so that the number of its group stays its own.
        let over = async {
            self.read.clear();
            while let Ok(read @ 1..) = self.output.read_buf(&mut self.read).await
                && self.allowance.take(read).is_ok()
            {
                self.read.clear();
            }
        };
        let _ = timeout(PARTING, over).await;
        drop(self.group);
        let _ = timeout(PARTING, self.child.wait()).await;
    }
}
