//! The program behind `quaestio`: command line, configuration, and the one place where ports meet adapters.
//!
//! Another program can run the same commands with more methods:
//!
//! ```no_run
//! use quaestio::{Face, Sink};
//!
//! let face = Face { out: Sink::new(std::io::stdout()), err: Sink::new(std::io::stderr()), terminal: false };
//! let exit = quaestio::main(["quaestio", "runs", "list"], methods::all(), &face);
//! std::process::exit(exit.code().into());
//! ```

mod artifacts;
mod backend;
mod calibrations;
mod cli;
mod commands;
mod config;
mod doctor;
mod export;
mod failure;
mod forking;
mod logs;
mod names;
mod output;
mod progress;
mod submission;
mod surveys;
mod tables;
mod telling;
mod tokens;
mod wire;

use std::ffi::OsString;

use run::Methods;

pub use failure::Exit;
pub use progress::Sink;

/// A command's surroundings: where it writes, and whether it may ask.
#[derive(Clone)]
pub struct Face {
    /// Results, and nothing else.
    pub out: Sink,
    /// Everything else.
    pub err: Sink,
    /// Whether there is a person at the terminal to ask.
    pub terminal: bool,
}

/// Runs one command.
pub fn main<A: Into<OsString> + Clone>(
    args: impl IntoIterator<Item = A>,
    methods: Methods,
    face: &Face,
) -> Exit {
    let args = cli::settings_last(args.into_iter().map(Into::into).collect());
    let cli = match cli::parse(args, &methods) {
        Ok(cli) => cli,
        Err(told) => {
            // Help and version are results; anything else is a usage error.
            let face = &logs::face(face, None);
            let text =
                if face.terminal { told.render().ansi().to_string() } else { told.to_string() };
            if told.use_stderr() {
                face.err.put(&text);
                return Exit::Usage;
            }
            face.out.put(&text);
            return Exit::Done;
        }
    };
    if matches!(cli.command, cli::Command::ReadFiles) {
        // The parent process has the limits in its configuration, and sends them with each file.
        let all = u64::MAX;
        let any = corpus::Limits {
            file_bytes: all,
            text_bytes: all,
            time_seconds: all,
            memory_bytes: all,
        };
        let served = corpus::worker::serve(&any);
        return served.map_or(Exit::Failed, |()| Exit::Done);
    }
    let face = &logs::face(face, Some(&cli.common));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if !matches!(
        cli.command,
        cli::Command::Serve(_) | cli::Command::Worker(_) | cli::Command::Mcp
    ) {
        // A single run waits more than it works.
        runtime.worker_threads(2);
    }
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            face.err.line(&format!("error: the runtime cannot start: {error}"));
            return Exit::Failed;
        }
    };
    let ended = runtime.block_on(Box::pin(commands::run(cli, methods, face)));
    // A thread may still be waiting for a line that is never typed.
    runtime.shutdown_background();
    match ended {
        Ok(_) if face.out.failed() => {
            face.err.line("error: the result could not be written to standard output; `quaestio runs export last` prints it again");
            Exit::Failed
        }
        Ok(exit) => exit,
        Err(failure) => {
            face.err.line(&run::grounding::clean(&failure.to_string()));
            failure.exit
        }
    }
}
