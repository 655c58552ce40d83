//! The engine as a library: open a data folder, order research, follow it, and get its result typed.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::Worker;
use corpus::IngestError;
use methods::order::Order;
use run::budget::dollars;
use run::database::Database;
use run::entry::{Entry, Event, Outcome};
use run::ledger::{Citation, Claim};
use run::listener::{Listener, Signal};
use run::log::Status;
use run::plan::Plan;
use run::views::Labels;
use run::work::{self, Seen};
use run::{Methods, views};
use serde_json::Value;
use sources::Csl;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::catalogues::{self, Sorted};
use crate::cli::{Format, READER_COMMAND};
use crate::commands::new_id;
use crate::config::{Files, Layers};
use crate::failure::Failure;
use crate::names::check_name;
use crate::submission::{Draft, Origin, Submitter, find_method};
use crate::wire::{self, Tools};
use crate::{output, serve_reader};

/// Whether this program passes on the calls that it makes to itself.
static SERVES_HELPERS: AtomicBool = AtomicBool::new(false);

/// Does the work of a helper process, if this process was started as one, and returns how it ended.
///
/// Files that must be unpacked are read, and proposed code is executed, in processes of this very program, under limits of their own. So
/// a program that uses [`Engine`] calls this at the beginning of its `main`, before it starts a thread, and ends if there is a result.
pub fn serve_helper() -> Option<ExitCode> {
    SERVES_HELPERS.store(true, Ordering::Relaxed);
    let first = std::env::args_os().nth(1)?;
    if first == sandbox::COMMAND {
        return Some(sandbox::serve());
    }
    (first == READER_COMMAND).then(|| ExitCode::from(serve_reader().code()))
}

/// Research over one data folder or database, for one user.
///
/// What it starts are runs as those of the program: durable, within their budgets, visible to every process over the same data.
pub struct Engine {
    layers: Layers,
    database: Database,
    tools: Tools,
    methods: Methods,
    bibliography: Csl,
    worker: Arc<Worker>,
    tending: JoinHandle<()>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.tending.abort();
    }
}

impl Engine {
    /// Opens the engine with the methods that ship, configured as the program is (its files, the environment), with `settings` on top: keys
    /// as `quaestio config show` lists them, such as `data_dir` and `models.main`.
    ///
    /// # Errors
    ///
    /// If a setting is wrong, the data cannot be opened, or [`serve_helper`] was not called.
    pub async fn open<'a>(
        settings: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Engine, Failure> {
        Engine::with_methods(methods::all(), settings).await
    }

    /// Opens the engine with methods of your own, as [`Engine::open`] does.
    pub async fn with_methods<'a>(
        methods: Methods,
        settings: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Engine, Failure> {
        if !SERVES_HELPERS.load(Ordering::Relaxed) {
            return Err(Failure::usage(
                "this program does not start its helpers",
                "call `quaestio::serve_helper()` at the start of your main function",
            ));
        }
        let settings = settings.into_iter().map(|(key, value)| {
            let unusable = |error| Failure::usage(format!("the setting {key}: {error}"), "");
            Ok((key, figment2::value::Value::serialize(value).map_err(unusable)?))
        });
        let settings = settings.collect::<Result<Vec<_>, Failure>>()?;
        let layers = Layers::read(&Files::usual(None), false, settings)?;
        let database = wire::open(&layers.config).await?;
        let tools = Tools::of(&layers.config, Arc::clone(&database.memory))?;
        let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
        let worker = Worker::new(wire::log_world(&database), database.storage.owner());
        let tended = Arc::clone(&worker);
        let tending = tokio::spawn(async move { match tended.tend().await {} });
        Ok(Engine { layers, database, tools, methods, bibliography, worker, tending })
    }

    fn user(&self) -> &str {
        &self.layers.config.user
    }

    /// Reads files, folders and Zotero libraries into a collection, which is made if it is not there. Files that a library links from
    /// outside of its folder are not read.
    ///
    /// # Errors
    ///
    /// If a path cannot be read or the collection was made otherwise. A file that cannot be read is a problem of the report.
    pub async fn ingest<P: AsRef<Path>>(
        &self,
        collection: &str,
        paths: &[P],
    ) -> Result<corpus::Report, Failure> {
        check_name("collection", collection)?;
        let embedder = match &self.tools.embedder {
            Some(embedders) => Some(embedders.open().await?),
            None => None,
        };
        let config = &self.layers.config.corpus;
        let embedding = embedder.as_ref().map(|embedder| embedder.embedding().clone());
        let paths: Vec<_> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        let Sorted { paths, catalogues, problems } = catalogues::sort(&paths, &[], None).await?;
        let order = corpus::Order {
            user: self.user(),
            collection,
            paths: &paths,
            catalogues: &catalogues,
            manifest: config.manifest(embedding),
            limits: config.limits(),
            reader: Arc::clone(&self.tools.reader),
            metadata: Default::default(),
            prune: false,
            keep_originals: config.keep_originals,
        };
        let library = &*self.database.library;
        let ingested = corpus::ingest(library, embedder.as_deref(), &order, |_| {}).await;
        let mut report = ingested.map_err(|error| match error {
            IngestError::Walk(error) => {
                Failure::usage(error.to_string(), "check the path and its permissions")
            }
            IngestError::Port(error) => Failure::from(error),
        })?;
        report.problems.extend(problems);
        Ok(report)
    }

    /// Starts a run. It is worked on by a task of this process from now on.
    ///
    /// # Errors
    ///
    /// If the order cannot be carried out as it is.
    pub async fn start(&self, order: &Order) -> Result<Research, Failure> {
        let submitter = Submitter {
            layers: &self.layers,
            database: &self.database,
            methods: &self.methods,
            user: self.user(),
            origin: Origin::Library,
        };
        let draft = Draft::of(&submitter, order).await?;
        draft.check(&self.tools).await?;
        let config = draft.config().clone();
        let new = draft.start(new_id(), &self.database, &self.tools, self.user()).await?;
        let run = new.run.clone();
        let method = *find_method(&self.methods, &order.method)?;
        let (hearer, signals) = Hearer::make();
        let choice = new.settings.models.as_ref();
        let world = wire::world(&self.database, &config, &self.tools, choice, hearer)?;
        let worker = Arc::clone(&self.worker);
        let work = tokio::spawn(async move { worker.start(&world, &method, new).await });
        Ok(Research { run, signals, work })
    }

    /// Goes on with a run that waits in the queue: one that was answered, or whose process is gone.
    ///
    /// # Errors
    ///
    /// If there is no such run, or its method or its model is not known here.
    pub async fn resume(&self, run: &str) -> Result<Research, Failure> {
        let entries = self.database.log.entries(self.user(), run, 0).await?;
        let start = views::start(&entries)
            .ok_or_else(|| Failure::new(format!("the log of run {run} has no start"), ""))?;
        let method = *find_method(&self.methods, start.method)?;
        let (hearer, signals) = Hearer::make();
        let (config, choice) = (&self.layers.config, start.settings.models.as_ref());
        let world = wire::world(&self.database, config, &self.tools, choice, hearer)?;
        let (worker, user, id) = (Arc::clone(&self.worker), self.user().to_owned(), run.to_owned());
        let work =
            tokio::spawn(
                async move { worker.see_through(&world, &method, (&user, &id), |_| {}).await },
            );
        Ok(Research { run: run.to_owned(), signals, work })
    }

    /// Answers what a run asks; `gate` names the question, where there are several. The run then waits to be resumed.
    ///
    /// # Errors
    ///
    /// If nothing is asked, or somebody has answered before.
    pub async fn answer(&self, run: &str, gate: Option<&str>, answer: &str) -> Result<(), Failure> {
        work::answer(self.worker.world(), self.user(), run, gate, answer, self.user()).await?;
        Ok(())
    }

    /// Approves the plan at a gate as it was seen there. The run then waits to be resumed.
    ///
    /// # Errors
    ///
    /// If the gate has no plan, or the plan was changed since.
    pub async fn approve(&self, run: &str, gate: &Gate) -> Result<(), Failure> {
        let seen = gate.plan.as_ref().map(|proposed| proposed.seen);
        work::approve(self.worker.world(), self.user(), run, Some(&gate.name), seen, self.user())
            .await?;
        Ok(())
    }

    /// Asks a run to stop. What it gathered stays.
    ///
    /// # Errors
    ///
    /// If there is no such run.
    pub async fn cancel(&self, run: &str) -> Result<(), Failure> {
        let user = self.user();
        if !self.worker.stop(user, run, user) {
            work::stop(self.worker.world(), user, run, self.worker.owner(), user).await?;
        }
        Ok(())
    }

    /// Returns how a run stands, with its result if it has ended.
    ///
    /// # Errors
    ///
    /// If there is no such run.
    pub async fn report(&self, run: &str) -> Result<Report, Failure> {
        let summary = self.database.log.summary(self.user(), run).await?;
        let entries = self.database.log.entries(self.user(), run, 0).await?;
        let envelope = views::envelope(run, &entries, &self.bibliography);
        let claims = views::ledger(&entries).to_vec();
        Ok(Report {
            run: run.to_owned(),
            status: summary.status,
            outcome: views::outcome(&entries),
            markdown: output::render(&self.methods, &envelope, Format::Md),
            citations: views::citations(&claims).into_iter().cloned().collect(),
            labels: views::labels(&entries),
            gates: views::open_gates(&entries).iter().map(Gate::of).collect(),
            tokens: summary.tokens,
            cost_usd: dollars(summary.cost_usd_micros),
            claims,
            envelope,
        })
    }
}

/// A run that a task of this process works on. Dropping it leaves the task at work.
pub struct Research {
    run: String,
    signals: mpsc::UnboundedReceiver<Heard>,
    work: JoinHandle<run::Result<Status>>,
}

/// What is heard of a run while it is worked on.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// An entry of its log, in order.
    Entry(Box<Entry>),
    /// Words of a draft, as its step writes them. Nothing of them has been checked.
    Words { step: String, text: String },
}

impl Heard {
    /// Returns the event, if it is an entry.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Heard::Entry(entry) => Some(&entry.event),
            Heard::Words { .. } => None,
        }
    }
}

impl Research {
    /// Returns the id of the run.
    pub fn id(&self) -> &str {
        &self.run
    }

    /// Returns what is heard next; `None` when the run has ended or waits for a person.
    pub async fn next(&mut self) -> Option<Heard> {
        self.signals.recv().await
    }

    /// Waits until the run has ended or waits for a person, and returns which.
    ///
    /// # Errors
    ///
    /// If the log could not be written, or the method panicked.
    pub async fn rest(self) -> Result<Status, Failure> {
        let Research { run, signals, work } = self;
        // Nobody listens any more.
        drop(signals);
        match work.await {
            Ok(status) => Ok(status?),
            Err(error) => {
                Err(Failure::new(format!("run {run} was interrupted: {error}"), "resume it"))
            }
        }
    }
}

struct Hearer(mpsc::UnboundedSender<Heard>);

impl Hearer {
    fn make() -> (Arc<Hearer>, mpsc::UnboundedReceiver<Heard>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Arc::new(Hearer(sender)), receiver)
    }
}

impl Listener for Hearer {
    fn hear(&self, _: &str, signal: Signal<'_>) {
        let heard = match signal {
            Signal::Entry(entry) => Heard::Entry(Box::new(entry.clone())),
            Signal::Words { step, text } => {
                Heard::Words { step: step.to_owned(), text: text.to_owned() }
            }
        };
        // Whoever dropped the run does not want to hear of it.
        let _ = self.0.send(heard);
    }
}

/// How a run stands.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    pub run: String,
    pub status: Status,
    /// `None` before the end.
    pub outcome: Option<Outcome>,
    /// The report as the program prints it.
    pub markdown: String,
    /// Every sentence that was written, with its verdict; empty before the end.
    pub claims: Vec<Claim>,
    /// What the report cites, in the order of their numbers.
    pub citations: Vec<Citation>,
    /// What the report shows for the number of each, such as `7a`.
    pub labels: Labels,
    /// What a person is asked.
    pub gates: Vec<Gate>,
    pub tokens: u64,
    pub cost_usd: f64,
    /// Everything, as `--format json` prints it.
    pub envelope: Value,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gate {
    pub name: String,
    pub question: String,
    /// Why the question is asked.
    pub context: String,
    /// The plan to approve; `None` for a question.
    pub plan: Option<Proposed>,
}

/// A plan, and what of it is approved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Proposed {
    pub plan: Plan,
    seen: Seen,
}

impl Gate {
    fn of(gate: &views::Gate<'_>) -> Gate {
        Gate {
            name: gate.name.to_owned(),
            question: gate.ask.question.clone(),
            context: gate.ask.context.clone(),
            plan: gate.plan.map(|proposal| Proposed {
                plan: proposal.plan.clone(),
                seen: Seen { revision: proposal.revision, plan_hash: proposal.plan_hash },
            }),
        }
    }
}
