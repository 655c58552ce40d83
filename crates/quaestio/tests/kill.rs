//! Kills the process with SIGKILL at every event boundary of a run, and sees it finish after a resume.
//!
//! The test runs itself as the process that dies: a run over real documents with a real model client and
//! a real database (a SQLite file, or PostgreSQL where the tests run over one), whose log kills the process
//! just before, or just after, the entry with a given number is stored. The program's own `runs resume`
//! then goes on.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on fails")]

// proves: C1

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Arc;

use conformance::server::Database;
use fakes::{FakeModel, Judgement, Say, Seen, is_reader, readings, statements};
use futures::executor::block_on;
use serde_json::{Value, json};

use methods::ask::deep::{DeepRules, ReportRules};
use methods::ask::{Options, Rules, SearchRules, Strategy, Wishes};
use models::{ChatModel, Connection};
use postgres::Postgres;
use run::database::Storage;
use run::entry::Entry;
use run::ledger::Unsupported;
use run::library::{Library, Retrieval};
use run::listener::NoopListener;
use run::log::{Log, Wait, pass_appends};
use run::model::{Model, Models};
use run::settings::ModelChoice;
use run::work::{self, NewStart};
use run::world::{Clock, Reach, World};
use run::{Event, Settings};
use store::Store;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::unconstrained;

const QUESTION: &str = "When was the handle of the Broad Street pump removed?";
const RUN: &str = "doomed";

/// When the process dies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// The entry is on its way and never arrives.
    Before,
    /// The entry is on disk and nothing after it was done.
    After,
}

fn die() -> ! {
    let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
    loop {
        std::thread::park();
    }
}

/// Returns a log that kills its process at one entry.
fn make_deadly(log: Arc<dyn Log>, at: u64, moment: Moment) -> Arc<dyn Log> {
    pass_appends(log, move |log, mut append| {
        if !append.entries.iter().any(|entry| entry.seq == at) {
            return log.append(append);
        }
        // Of several entries in one append, those up to the moment of death arrive.
        let last = if moment == Moment::After { at } else { at - 1 };
        append.entries.retain(|entry| entry.seq <= last);
        append.wait = Wait::Durable;
        if append.entries.is_empty() {
            // What was queued before is on its way to the disk; it gets there. Nothing else is done here meanwhile, so there is no budget to keep to.
            let before = last.saturating_sub(1);
            let page = || unconstrained(log.page(&append.user, &append.run, before, 1));
            while !block_on(page()).is_ok_and(|entries| !entries.is_empty()) {
                std::thread::yield_now();
            }
        } else {
            let _ = block_on(log.append(append));
        }
        die()
    })
}

struct Now;

impl Clock for Now {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

/// What a run is kept in, as one process sees it.
struct Kept {
    log: Arc<dyn Log>,
    library: Arc<dyn Library>,
    storage: Arc<dyn Storage>,
}

impl Kept {
    /// Opens the database at this address, or the one in the folder.
    async fn open(data: &Path, database: Option<&str>) -> Kept {
        match database {
            Some(url) => Kept::of(Postgres::open(url).await.unwrap()),
            None => Kept::of(Store::open(data).unwrap()),
        }
    }

    fn of(kept: impl Log + Library + Storage + 'static) -> Kept {
        let kept = Arc::new(kept);
        Kept { log: kept.clone(), library: kept.clone(), storage: kept }
    }
}

/// The process that dies: works on the run as the program would.
fn work_until_killed(data: &Path, database: Option<&str>, base_url: &str, at: u64, moment: Moment) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let kept = Kept::open(data, database).await;
        let model: Arc<dyn Model> = Arc::new(
            ChatModel::new(Connection::new("fake/model", Some(base_url), None).unwrap()).unwrap(),
        );
        let options = Options {
            strategy: Strategy::Rag,
            company: String::new(),
            sources: vec![],
            own_documents: true,
            collection: "cholera".into(),
            filter: std::collections::BTreeMap::new(),
            wishes: Wishes::default(),
            earlier: None,
            rules: Rules {
                retrieval: Retrieval::Auto,
                nearness_threshold: 0.35,
                near_enough: 0.45,
                top_k: 3,
                score_threshold: 0.2,
                coverage_threshold: 0.5,
                context_tokens: 3_000,
                extractive_sentences: 4,
                extractive_coverage: 0.35,
                extractive_sureness: 0.5,
                search: SearchRules::default(),
                deep: DeepRules::default(),
                report: ReportRules::default(),
                unsupported: Unsupported::Cut,
            },
        };
        let name = "fake/model".to_owned();
        let settings = Settings {
            workflow: None,
            history: None,
            options: serde_json::to_value(options).unwrap(),
            budget: run::budget::Budget::default(),
            models: Some(ModelChoice {
                base_url: Some(base_url.to_owned()),
                ..ModelChoice::of(&name)
            }),
        };
        let new = NewStart {
            run: RUN.into(),
            user: "local".into(),
            question: QUESTION.into(),
            settings,
            owner: Some(kept.storage.owner().to_owned()),
            key: None,
            at_most: None,
        };
        let world = World {
            log: make_deadly(kept.log, at, moment),
            clock: Arc::new(Now),
            models: Some(Models::new(Arc::clone(&model), model)),
            library: Some(kept.library),
            embedder: None,
            sources: None,
            intake: None,
            contexts: None,
            bibliography: None,
            sandbox: None,
            files: None,
            prompts: Arc::default(),
            listener: Arc::new(NoopListener),
            reach: Reach::Live,
            stream: true,
            call_deadline: run::CALL_DEADLINE,
            pause: run::world::Pause::default(),
        };
        let (_cancel, cancelled) = watch::channel(None);
        work::start_and_work(&world, methods::all().find("ask").unwrap(), new, cancelled)
            .await
            .unwrap();
    });
}

/// Calls of a whole run: a writer, two readers at the same time, the writer once more, and a reader of what it mended.
const CALLS: usize = 5;
/// Calls that are made at the same time, at most.
const AT_ONCE: usize = 2;

/// A model whose answer takes two calls to read and has a sentence that does not hold. Its reader lets all the others pass.
fn model(seen: &Seen) -> Say {
    /// More than one call of a reader takes.
    const SENTENCES: usize = 18;
    if is_reader(seen) {
        return Say::json(&readings(seen, |_| Judgement::Supported));
    }
    let prompt = seen.prompt();
    let mut told = statements(&prompt);
    told.retain(|statement| statement.text.ends_with('.'));
    if prompt.contains("Sentences of your answer that do not hold") {
        return Say::text(format!("1. It is told that {} [{}]", told[0].text, told[0].address));
    }
    let mut prose = String::new();
    for (index, statement) in told.iter().cycle().take(SENTENCES).enumerate() {
        let begins = if index < told.len() { "As it is told, " } else { "As is told, " };
        prose.push_str(&format!("- {begins}{} [{}]\n", statement.text, statement.address));
    }
    Say::text(format!("{prose}- Queen Victoria had it removed. [{}]\n", told[0].address))
}

/// Set where every trial has a PostgreSQL database in the place of the one in its folder.
const OVER_POSTGRES: &str = "QUAESTIO_TEST_OVER_POSTGRES";

/// What a trial has for itself.
struct Home {
    runtime: Runtime,
    folder: TempDir,
    database: Option<Database>,
}

impl Home {
    fn make() -> Home {
        let runtime = Runtime::new().unwrap();
        let wanted = std::env::var_os(OVER_POSTGRES);
        let database = wanted.map(|_| runtime.block_on(Database::make()));
        Home { runtime, folder: tempfile::tempdir().unwrap(), database }
    }

    fn url(&self) -> Option<&str> {
        self.database.as_ref().map(|database| database.url.as_str())
    }

    fn program(&self, args: &[&str]) -> Output {
        let data = self.folder.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_quaestio"));
        command.args(args).env_clear().env("HOME", data).env("QUAESTIO_DATA_DIR", data);
        if let Some(url) = self.url() {
            command.env("QUAESTIO_DATABASE", url);
        }
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Returns the log of the run as it is stored.
    fn entries(&self) -> Vec<Entry> {
        self.runtime.block_on(async {
            let kept = Kept::open(self.folder.path(), self.url()).await;
            let entries = kept.log.entries("local", RUN, 0).await.unwrap_or_default();
            kept.storage.close().await;
            entries
        })
    }

    /// Lets the time pass that the lease of a dead process lasts, where only time tells that it is dead.
    fn end_leases(&self) {
        let Some(url) = self.url() else { return };
        self.runtime.block_on(async {
            let ended = "UPDATE owners SET lease_until = clock_timestamp()";
            conformance::server::connect(url).await.batch_execute(ended).await.unwrap();
        });
    }
}

/// What a run delivered, without what differs from run to run.
fn delivered(output: &Output) -> Value {
    let result: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    json!([result["status"], result["deliverable"], result["citations"], result["grounding"]])
}

/// One trial: the number of entries in the log at the end, and what was delivered.
fn trial(at: u64, moment: Moment) -> (u64, Value) {
    let server = FakeModel::start(model);
    let home = Home::make();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cholera");
    let ingest = ["ingest", docs.to_str().unwrap(), "--collection", "cholera"];
    assert!(home.program(&ingest).status.success());

    let mut child = Command::new(std::env::current_exe().unwrap());
    child.env("KILL_DATA", home.folder.path()).env("KILL_BASE_URL", server.base_url());
    child.env("KILL_AT", at.to_string()).env("KILL_MOMENT", format!("{moment:?}"));
    if let Some(url) = home.url() {
        child.env("KILL_DATABASE", url);
    }
    let status = child.status().unwrap();
    let killed = std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);

    let calls_before = server.seen().len();
    let stored = home.entries();
    home.end_leases();
    let returned = stored
        .iter()
        .filter(|entry| {
            matches!(&entry.event, Event::Returned { origin: run::entry::Origin::Model, .. })
        })
        .count();
    assert!(calls_before - returned <= AT_ONCE, "no more calls are in flight");
    if killed {
        let expected = if moment == Moment::After { at } else { at - 1 };
        assert_eq!(
            stored.len() as u64,
            expected,
            "no acknowledged entry is lost, and none came after death"
        );
    }
    let finished = matches!(stored.last(), Some(Entry { event: Event::Finished { .. }, .. }));
    let output = if finished {
        home.program(&["runs", "export", RUN])
    } else {
        home.program(&["runs", "resume", RUN, "--format", "json"])
    };
    let result = delivered(&output);
    let made = server.seen().len();
    assert_eq!(made, CALLS + calls_before - returned, "no completed call is made again");
    assert!(
        home.program(&["runs", "replay", RUN]).status.success(),
        "the log replays to the same bytes"
    );
    (if killed { 0 } else { stored.len() as u64 }, result)
}

fn main() -> ExitCode {
    let variable = |name: &str| std::env::var(name).ok();
    if let (Some(data), Some(base_url), Some(at)) =
        (variable("KILL_DATA"), variable("KILL_BASE_URL"), variable("KILL_AT"))
    {
        let moment = if variable("KILL_MOMENT").as_deref() == Some("After") {
            Moment::After
        } else {
            Moment::Before
        };
        let database = variable("KILL_DATABASE");
        let at = at.parse().unwrap();
        work_until_killed(Path::new(&data), database.as_deref(), &base_url, at, moment);
        return ExitCode::SUCCESS;
    }
    let (entries, whole) = trial(u64::MAX, Moment::After);
    assert!(entries > 8, "the run that is cut has {entries} entries");
    let mut trials = 0;
    for at in 1..=entries {
        for moment in [Moment::Before, Moment::After] {
            if (at, moment) == (1, Moment::Before) {
                continue; // Nothing was acknowledged: there is no such run.
            }
            let (_, result) = trial(at, moment);
            assert_eq!(result, whole, "killed {moment:?} entry {at}");
            trials += 1;
        }
    }
    println!(
        "killed {trials} times at {entries} boundaries: every run ended with the same deliverable"
    );
    println!("{} passed, 0 failed", trials + 1);
    ExitCode::SUCCESS
}
