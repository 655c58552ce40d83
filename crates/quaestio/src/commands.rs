//! The commands: each reads its arguments, calls an operation and prints the result.

mod ask;
mod beforehand;
mod brief;
mod bundles;
mod check;
mod collect;
mod contexts;
mod corpus;
mod db;
mod debate;
mod delivery;
mod diff;
pub(crate) mod embedders;
mod ending;
mod eval;
mod fetched;
mod gates;
mod git;
mod health;
mod hypothesize;
mod init;
mod manual;
mod market;
mod method;
pub(crate) mod models;
mod prompts;
mod results;
mod runs;
mod search;
mod serve;
mod settings;
mod start;
mod survey;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use ::sources::Csl;
use app::Worker;
use run::database::Database;
use run::entry::Entry;
use run::listener::{Listener, NoopListener};
use run::log::Status;
use run::settings::ModelChoice;
use run::world::World;
use run::{Method, Methods};

use crate::cli::{Cli, Command, Common, RunsCommand, StrategyArg};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::telling::Telling;
use crate::wire::Tools;
use crate::{Face, doctor, reference, wire};

pub(crate) use start::{id_of_evaluation, new_id};

/// The collection that is used if none is named.
pub(crate) const DEFAULT_COLLECTION: &str = "default";

/// The exit code of a program that was ended by an interrupt.
const INTERRUPTED: i32 = 130;

/// The name that the log gives to a person who interrupts the program.
const PERSON: &str = "the person at the terminal";

/// The state that most commands work with.
struct CliContext<'a> {
    face: &'a Face,
    common: &'a Common,
    config: Config,
    database: Database,
    /// Holds the runs that this process works on.
    worker: Arc<Worker>,
    methods: Methods,
    tools: Tools,
    /// Writes references in the configured style.
    bibliography: Csl,
    shows: Shows,
    /// The files and folders that were read for the run alone.
    docs: Vec<PathBuf>,
}

/// What a run writes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Its result, at the end.
    Result,
    /// A debate as it happens; its result is then not printed at the end.
    Telling,
    /// A JSON object for each sentence that was checked.
    Sentences,
}

pub(crate) async fn run(cli: Cli, methods: Methods, face: &Face) -> Result<Exit, Failure> {
    let Cli { common, command } = cli;
    let context = async |config: Config| -> Result<CliContext<'_>, Failure> {
        let database = wire::open(&config).await?;
        CliContext::of(face, &common, config, database, methods.clone())
    };
    let looking = async |config: Config| -> Result<CliContext<'_>, Failure> {
        let database = wire::open_to_look(&config).await?;
        CliContext::of(face, &common, config, database, methods.clone())
    };
    let plain = || wire::configure(&common).map(|layers| layers.config);
    match command {
        Command::Ask(args) => ask::ask(args.strategy, &args.asked, &common, methods, face).await,
        Command::Deep(args) => {
            ask::ask(Some(StrategyArg::Deep), &args, &common, methods, face).await
        }
        Command::Hypothesize(args) => hypothesize::hypothesize(&args, &common, methods, face).await,
        Command::Market(args) => market::market(&args, &common, methods, face).await,
        Command::Debate(args) => debate::debate(&args, &common, methods, face).await,
        Command::Survey(command) => survey::survey(*command, &plain()?, &common, face).await,
        Command::Brief(args) => brief::brief(&args, &common, methods, face).await,
        Command::Check(args) => check::check(&args, &common, methods, face).await,
        Command::Validate(args) => results::validate(&args, &methods, face),
        Command::Render(args) => results::render(&args, &methods, face, common.quiet),
        Command::Verify(args) => bundles::verify(&args, &methods, face).await,
        Command::Replay(args) => bundles::replay(&args, &methods, face, common.quiet).await,
        Command::Attach(args) => bundles::attach(&args, &methods, face, common.quiet).await,
        Command::Method(args) => Box::pin(method::method(&args, &common, methods, face)).await,
        Command::Eval(args) => Box::pin(eval::eval(*args, &common, methods, face)).await,
        Command::Search(args) => stoppable(search::search(&args, &common, face)).await,
        Command::Ingest(args) => {
            let context = context(plain()?).await?;
            Box::pin(corpus::ingest(&context, &args)).await
        }
        Command::Collections(command) => {
            corpus::collections(&looking(plain()?).await?, command).await
        }
        Command::Documents(command) => corpus::documents(&looking(plain()?).await?, command).await,
        // Files need no data folder.
        Command::Runs(RunsCommand::Diff { from, to, json }) if diff::are_files(&from, &to) => {
            diff::compare_files(face, &from, &to, json.is_wanted())
        }
        Command::Runs(command) => runs::runs(&looking(plain()?).await?, command).await,
        Command::Contexts(command) => contexts::contexts(&looking(plain()?).await?, command).await,
        Command::Db(command) => stoppable(db::db(&command, &common, face)).await,
        Command::Models(command) => models::models(&common, command, face).await,
        Command::Embedders(command) => embedders::embedders(&common, command, face).await,
        Command::Init(args) => Box::pin(init::init(&args, &common, methods, face)).await,
        Command::Prompts(command) => prompts::prompts(&common, &command, face),
        Command::Config(command) => settings::config(&command, &common, face),
        Command::Serve(args) => Box::pin(serve::serve(&args, &common, methods, face)).await,
        Command::Worker(args) => Box::pin(serve::work(&args, &common, methods, face)).await,
        Command::Mcp => Box::pin(serve::attend(&common, methods, face)).await,
        Command::Doctor(args) => doctor::doctor(&common, args.format, face).await,
        Command::Health { address } => health::ask(address, face),
        // Needs no runtime, so it was handled before one was built.
        Command::ReadFiles => Ok(Exit::Done),
        Command::Reference { folder } => reference::reference(&folder, &methods, face),
        Command::Completions { shell } => Ok(manual::complete(shell, &methods, face)),
        Command::Man { folder: None } => manual::print_page(&methods, face),
        Command::Man { folder: Some(folder) } => manual::write_pages(&methods, &folder),
    }
}

/// Works until done or interrupted. What was stored before the interrupt stays.
async fn stoppable(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    tokio::select! {
        done = work => done,
        Ok(()) = tokio::signal::ctrl_c() => Ok(Exit::Cancelled),
    }
}

/// Returns the methods whose runs can be worked on: those that can be ordered, and the judges of evaluations.
fn with_judges(methods: &Methods) -> Methods {
    let judges = [::eval::judge::method(), ::eval::report_judge::method()];
    Methods::new(methods.iter().copied().chain(judges))
}

impl<'a> CliContext<'a> {
    fn of(
        face: &'a Face,
        common: &'a Common,
        config: Config,
        database: Database,
        methods: Methods,
    ) -> Result<CliContext<'a>, Failure> {
        let bibliography = wire::bibliography(&config.bibliography.style)?;
        let tools = Tools::of(&config, Arc::clone(&database.memory))?;
        let worker = Worker::new(wire::log_world(&database), database.storage.owner());
        let shows = Shows::Result;
        Ok(CliContext {
            face,
            common,
            config,
            database,
            worker,
            methods,
            tools,
            bibliography,
            shows,
            docs: vec![],
        })
    }
}

impl CliContext<'_> {
    /// Returns a world for runs that use the models of `choice`; its listener reports progress here.
    fn world(&self, choice: Option<&ModelChoice>) -> Result<World, Failure> {
        let listener: Arc<dyn Listener> = if self.common.quiet {
            Arc::new(NoopListener)
        } else if self.shows == Shows::Telling {
            Arc::new(Telling::new(self.face.out.clone(), self.face.err.clone()))
        } else {
            Arc::new(Progress::new(self.face.err.clone(), self.face.terminal))
        };
        wire::world(&self.database, &self.config, &self.tools, choice, listener)
    }

    /// Returns the method of that name, including the judges of evaluations.
    fn method(&self, name: &str) -> Result<Method, Failure> {
        with_judges(&self.methods).find(name).copied().ok_or_else(|| {
            Failure::new(
                format!("this version of Quaestio has no method '{name}'"),
                "use the version of Quaestio that started the run",
            )
        })
    }

    async fn entries(&self, run: &str) -> Result<Vec<Entry>, Failure> {
        Ok(self.database.log.entries(&self.config.user, run, 0).await?)
    }

    /// Waits for work on a run while listening for interrupts: the first asks the run to stop, the second ends the program.
    async fn attend(
        &self,
        run: &str,
        work: impl Future<Output = run::Result<Status>>,
    ) -> Result<Status, Failure> {
        let mut work = std::pin::pin!(work);
        let mut tending = std::pin::pin!(self.worker.tend());
        let mut interrupted = false;
        loop {
            tokio::select! {
                biased;
                ended = &mut work => return Ok(ended?),
                Ok(()) = tokio::signal::ctrl_c() => {
                    if std::mem::replace(&mut interrupted, true) {
                        // A second interrupt means: do not wait for a clean stop.
                        std::process::exit(INTERRUPTED);
                    }
                    if !self.worker.stop(&self.config.user, run, PERSON) {
                        let hint = format!("follow it with `quaestio runs events {run} --follow`, or stop it with `quaestio runs cancel {run}`");
                        return Err(Failure::new(format!("run {run} continues in another process"), hint));
                    }
                }
                never = &mut tending => match never {},
            }
        }
    }

    fn note(&self, text: &str) {
        if !self.common.quiet {
            self.face.err.line(text);
        }
    }
}
