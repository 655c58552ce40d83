//! Grounded research: ask a hard question, get an answer you can check.
//!
//! [`Engine`] is the engine for a program of your own: open a data folder, order research, follow it, and read its result.
//!
//! ```
//! use quaestio::{Engine, Event, Order, Status};
//! use serde_json::json;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // At the beginning of `main`: files are read and code is executed in processes of this program.
//! if let Some(ended) = quaestio::serve_helper() {
//!     # let _ = ended;
//!     // return ended;
//! }
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().to_string_lossy().into_owned();
//! # let documents = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cholera");
//! let engine = Engine::open([("data_dir", json!(folder)), ("models.main", json!(""))]).await?;
//! engine.ingest("cholera", &[documents]).await?;
//!
//! let order = Order {
//!     method: "ask".into(),
//!     question: "When was the handle of the Broad Street pump removed?".into(),
//!     collection: Some("cholera".into()),
//!     ..Order::default()
//! };
//! let mut research = engine.start(&order).await?;
//! let run = research.id().to_owned();
//! while let Some(heard) = research.next().await {
//!     if let Some(Event::Called { step, .. }) = heard.event() {
//!         println!("{step}");
//!     }
//! }
//! assert_eq!(research.rest().await?, Status::Completed);
//!
//! let report = engine.report(&run).await?;
//! assert!(report.markdown.contains("8 September 1854"));
//! assert!(report.claims.iter().any(|claim| claim.verdict.holds()));
//! assert_eq!(report.citations[0].number, Some(1));
//! # Ok(())
//! # }
//! ```
//!
//! A run that asks something rests as [`Status::Waiting`]; [`Report::gates`] says what it asks, [`Engine::answer`] and
//! [`Engine::approve`] answer it, and [`Engine::resume`] goes on.
//!
//! Another program can also run the commands of the command line, with more methods:
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
mod bundles;
mod calibrations;
mod catalogues;
mod cli;
mod commands;
mod config;
mod doctor;
mod engine;
mod env_file;
mod export;
mod failure;
mod forking;
mod listing;
mod logs;
mod names;
mod output;
mod pdf;
mod places;
mod progress;
mod reading;
mod reference;
mod saving;
mod sink;
mod steps;
mod submission;
mod surveys;
mod tables;
mod target;
mod telling;
mod tokens;
mod wire;

use std::ffi::OsString;
use std::io::IsTerminal as _;

use run::Methods;

pub use engine::{Engine, Gate, Heard, Proposed, Report, Research, serve_helper};
pub use failure::{Exit, Failure};
pub use methods::order::{Caps, Order};

pub use run::ledger::{Citation, Claim, Verdict};
pub use run::log::Status;
pub use run::views::Labels;
pub use run::{Event, Outcome};
pub use sink::Sink;

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

impl Face {
    /// Returns the streams of this process. They are styled where a terminal and the environment want it.
    pub fn of_process() -> Face {
        let (out, err) = Sink::of_process();
        let terminal = std::io::stdin().is_terminal() && err.is_terminal();
        Face { out, err, terminal }
    }

    fn coloured(&self, choice: cli::ColorArg) -> Face {
        let (out, err) = (self.out.clone().coloured(choice), self.err.clone().coloured(choice));
        Face { out, err, terminal: self.terminal }
    }
}

/// Reads files for the process that started this one, until it is gone.
fn serve_reader() -> Exit {
    // The parent process has the limits in its configuration, and sends them with each file.
    let all = u64::MAX;
    let any =
        corpus::Limits { file_bytes: all, text_bytes: all, time_seconds: all, memory_bytes: all };
    corpus::worker::serve(&any).map_or(Exit::Failed, |()| Exit::Done)
}

/// Runs one command.
pub fn main<A: Into<OsString> + Clone>(
    args: impl IntoIterator<Item = A>,
    methods: Methods,
    face: &Face,
) -> Exit {
    let given = cli::settings_last(args.into_iter().map(Into::into).collect());
    let colour = cli::ColorArg::wanted(&given);
    let cli = match cli::parse(given.clone(), &methods) {
        Ok(cli) => cli,
        Err(told) => {
            let face = &face.coloured(colour);
            // Help and version are results; anything else is a usage error.
            let face = &logs::face(face, None);
            let sink = if told.use_stderr() { &face.err } else { &face.out };
            let text = match sink.is_styled() {
                true => told.render().ansi().to_string(),
                false => told.to_string(),
            };
            if told.use_stderr() {
                face.err.put(&text);
                return Exit::Usage;
            }
            face.out.put(&text);
            return Exit::Done;
        }
    };
    if matches!(cli.command, cli::Command::ReadFiles) {
        return serve_reader();
    }
    let face = &logs::face(&face.coloured(cli.common.color), Some(&cli.common));
    if !cli.common.env_files.is_empty() {
        return env_file::restart(&given, cli.common.quiet, face).unwrap_or_else(|failure| {
            face.err.line(&run::grounding::clean(&failure.to_string()));
            failure.exit
        });
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if !matches!(cli.command, cli::Command::Serve(_) | cli::Command::Worker(_) | cli::Command::Mcp)
    {
        // A single run waits more than it works.
        runtime.worker_threads(2);
    }
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            face.err.line(&format!("error: could not start: {error}"));
            return Exit::Failed;
        }
    };
    let ended = runtime.block_on(Box::pin(wire::telemetry::sending(
        face.err.clone(),
        Box::pin(commands::run(cli, methods, face)),
    )));
    // A thread may still be waiting for a line that is never typed.
    runtime.shutdown_background();
    match ended {
        Ok(_) if face.out.failed() => {
            face.err.line("error: could not write the result to standard output\n  help: print it again with `quaestio runs export last`");
            Exit::Failed
        }
        Ok(exit) => exit,
        Err(failure) => {
            face.err.line(&run::grounding::clean(&failure.to_string()));
            failure.exit
        }
    }
}
