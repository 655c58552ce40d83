//! Measures what the engine adds on top of its model calls: a workload of twelve calls per run.
//!
//! Worker and critic explore four times, synthesizer and critic refine twice. It runs against any server that answers the marks
//! `<<stage:round>>` at the end of a request with a scripted reply, with the latency in the path (`/l20/v1/`). It prints one JSON object:
//! times, CPU and memory of this process, and the server's counts. `embed`, `rank`, `search` and `large` measure other parts.

mod answers;
mod ask;
mod brief;
mod claims;
mod embed;
mod follow;
mod large;
mod machine;
#[cfg(unix)]
mod outages;
mod rank;
mod relevance;
mod scaling;
mod search;
mod sentences;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use models::{ChatModel, Connection, Secret};
use postgres::Postgres;
use run::budget::Budget;
use run::listener::NoopListener;
use run::log::Log;
use run::model::{Model, Models};
use run::prompt::Prompts;
use run::settings::ModelChoice;
use run::work::{self, NewStart};
use run::world::{Clock, Reach, World};
use run::{Method, Settings};
use store::Store;

#[derive(Parser)]
enum Task {
    /// What the engine adds on top of its model calls.
    Brief(Args),
    /// What ingesting and searching documents takes.
    Ask(ask::Args),
    /// What a server takes to stream one run to many.
    Follow(follow::Args),
    /// How fast a local embedder is.
    Embed(embed::Args),
    /// How near questions come to a collection that answers them, and to one that does not.
    Relevance(relevance::Args),
    /// How well answers are chosen without a model.
    Answers(answers::Args),
    /// What `quaestio check` makes of claims whose labels are known.
    Claims(claims::Args),
    /// What `quaestio brief` makes of sentences about a survey of which is known whether they are true.
    Sentences(sentences::Args),
    /// Whether runs over PostgreSQL outlive dead and paused workers, restarts of the database, and broken connections.
    #[cfg(unix)]
    Outages(outages::Args),
    /// Where many workers over one PostgreSQL saturate first, by simulation.
    Scaling(scaling::Args),
    /// What searching a large collection over PostgreSQL takes, in the database and in memory.
    Large(large::Args),
    /// How well the store ranks.
    Rank(rank::Args),
    /// How fast the store ranks.
    Search(search::Args),
}

#[derive(clap::Args)]
struct Args {
    #[arg(long, default_value = "http://127.0.0.1:8099")]
    base_url: String,
    /// Milliseconds to a reply, or any other profile that the server knows.
    #[arg(long, default_value = "0")]
    latency: String,
    #[arg(long, default_value_t = 1)]
    runs: usize,
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    #[arg(long, default_value_t = 0)]
    warmup: usize,
    /// Names the data folder: this path with the ending `.data`. It is made, and removed at the end.
    #[arg(long)]
    db: Option<PathBuf>,
    /// A PostgreSQL database in place of a folder of its own; what was there before stays there.
    #[arg(long, conflicts_with = "db")]
    database: Option<String>,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Prints the memory after start and ends.
    #[arg(long)]
    idle: bool,
    /// Accepted for the drivers' sake: the output is always JSON.
    #[arg(long)]
    json: bool,
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[expect(clippy::print_stdout, reason = "a program whose output is its result")]
fn main() -> Result<(), Failure> {
    let args = match Task::parse() {
        Task::Brief(args) => args,
        Task::Ask(args) => {
            println!("{}", runtime(args.threads)?.block_on(ask::measure(&args))?);
            return Ok(());
        }
        Task::Follow(args) => return runtime(2)?.block_on(follow::measure(args)),
        Task::Embed(args) => {
            println!("{}", embed::measure(&args)?);
            return Ok(());
        }
        Task::Claims(args) => {
            println!("{}", claims::check(&args)?);
            return Ok(());
        }
        Task::Sentences(args) => {
            println!("{}", sentences::check(&args)?);
            return Ok(());
        }
        #[cfg(unix)]
        Task::Outages(args) => {
            let tried = outages::measure(&args)?;
            println!("{}", tried.report);
            return if tried.broken.is_empty() {
                Ok(())
            } else {
                Err(tried.broken.join("; ").into())
            };
        }
        Task::Scaling(args) => {
            let simulated = scaling::measure(&args)?;
            println!("{}", simulated.report);
            return if simulated.broken.is_empty() {
                Ok(())
            } else {
                Err(simulated.broken.join("; ").into())
            };
        }
        Task::Large(args) => {
            println!("{}", runtime(args.threads)?.block_on(large::measure(&args))?);
            return Ok(());
        }
        Task::Rank(args) => return rank::rank(&args),
        Task::Answers(args) => return runtime(1)?.block_on(answers::measure(&args)),
        Task::Relevance(args) => return runtime(1)?.block_on(relevance::measure(&args)),
        Task::Search(args) => return search::search(&args),
    };
    println!("{}", runtime(args.threads)?.block_on(measure(&args))?);
    Ok(())
}

fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    let threads = threads.max(1);
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

/// Returns the id of a run: a database may hold those of earlier measurements.
fn name_run(kind: &str, index: usize) -> String {
    static SINCE: std::sync::OnceLock<i64> = std::sync::OnceLock::new();
    let since = SINCE.get_or_init(|| Timestamp::now().as_microsecond());
    format!("{kind}-{since}-{index}")
}

/// Returns the data folder that `db` names, which must not exist yet.
fn data_folder(db: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    let scratch = std::env::temp_dir().join(format!("quaestio-bench-{}", std::process::id()));
    let folder = db.map_or(scratch, |db| db.with_extension("data"));
    if folder.exists() {
        return Err(format!("{} is there already; name another --db", folder.display()).into());
    }
    Ok(folder)
}

struct Engine {
    world: World,
    method: Method,
    settings: Settings,
    owner: String,
}

impl Engine {
    async fn perform(&self, run: String) -> Result<(), Failure> {
        let new = NewStart {
            run: run.clone(),
            user: "bench".into(),
            question: brief::QUESTION.into(),
            settings: self.settings.clone(),
            owner: Some(self.owner.clone()),
            key: None,
            at_most: None,
        };
        let (_cancel, cancelled) = watch::channel(None);
        work::start_and_work(&self.world, &self.method, new, cancelled).await?;
        Ok(())
    }
}

async fn measure(args: &Args) -> Result<Value, Failure> {
    let place = Place::open(args).await?;
    let base_url = format!("{}/l{}/v1/", args.base_url, args.latency);
    let mut connection =
        Connection::new("fake/fake", Some(&base_url), Some(Secret::from("sk-fake".to_owned())))?;
    connection.idle_timeout = Duration::from_secs(30);
    let model: Arc<dyn Model> = Arc::new(ChatModel::new(connection)?);
    let name = model.id().to_owned();
    let world = World {
        log: Arc::clone(&place.log),
        clock: Arc::new(SystemClock),
        models: Some(Models::new(Arc::clone(&model), model)),
        library: None,
        embedder: None,
        sources: None,
        intake: None,
        bibliography: None,
        sandbox: None,
        files: None,
        contexts: None,
        prompts: Arc::new(Prompts::default()),
        listener: Arc::new(NoopListener),
        reach: Reach::Live,
        stream: false,
        call_deadline: run::CALL_DEADLINE,
        pause: run::world::Pause::default(),
    };
    let settings = Settings {
        options: Value::Null,
        workflow: None,
        history: None,
        budget: Budget { max_steps: Some(100), ..Budget::default() },
        models: Some(ModelChoice { base_url: Some(base_url), ..ModelChoice::of(&name) }),
    };
    let method = Method::new("brief-workload", 1, |run| Box::pin(brief::perform(run)));
    let engine = Arc::new(Engine { world, method, settings, owner: place.owner.clone() });
    let ready = machine::since_spawn();
    if args.idle {
        return Ok(json!({ "rss_idle_kb": machine::status_kb("VmRSS:"), "ready_s": ready }));
    }
    for index in 0..args.warmup {
        engine.perform(name_run("warm", index)).await?;
    }
    let before = stats(&args.base_url).await?;
    let rss_idle = machine::status_kb("VmRSS:");
    let (cpu, began) = (machine::cpu_seconds(), Instant::now());
    let times = all(args, &engine).await?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), machine::cpu_seconds() - cpu);
    let after = stats(&args.base_url).await?;
    drop(engine);
    let variant = place.variant;
    if let Place { folder: Some(folder), log, .. } = place {
        drop(log);
        std::fs::remove_dir_all(&folder)?;
    }
    let mut told = report(args, &times, wall, cpu, ready, rss_idle, (&before, &after));
    told["variant"] = variant.into();
    Ok(told)
}

/// Where the runs of a measurement are kept.
struct Place {
    log: Arc<dyn Log>,
    owner: String,
    variant: &'static str,
    /// To be removed at the end.
    folder: Option<PathBuf>,
}

impl Place {
    async fn open(args: &Args) -> Result<Place, Failure> {
        if let Some(url) = &args.database {
            let database = Postgres::open(url).await?;
            let owner = database.owner().to_owned();
            let log = Arc::new(database);
            return Ok(Place { log, owner, variant: "postgresql", folder: None });
        }
        let folder = data_folder(args.db.as_ref())?;
        let store = Store::open(&folder)?;
        let owner = store.owner().to_owned();
        let variant = "sqlite synchronous=FULL";
        Ok(Place { log: Arc::new(store), owner, variant, folder: Some(folder) })
    }
}

async fn all(args: &Args, engine: &Arc<Engine>) -> Result<Vec<f64>, Failure> {
    let gate = Arc::new(Semaphore::new(args.concurrency.max(1)));
    let mut runs: JoinSet<Result<f64, Failure>> = JoinSet::new();
    for index in 0..args.runs {
        let permit = Arc::clone(&gate).acquire_owned().await?;
        let engine = Arc::clone(engine);
        runs.spawn(async move {
            let began = Instant::now();
            engine.perform(name_run("run", index)).await?;
            drop(permit);
            Ok(began.elapsed().as_secs_f64())
        });
    }
    let mut times = Vec::with_capacity(args.runs);
    while let Some(done) = runs.join_next().await {
        times.push(done??);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Asks the server for its counters over a plain socket: a second HTTP client would add to the start-up time.
async fn stats(base_url: &str) -> Result<Value, Failure> {
    let host = base_url.strip_prefix("http://").ok_or("the base URL must begin with http://")?;
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /stats HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("the server's counters have no body")?;
    Ok(serde_json::from_str(body)?)
}

fn report(
    args: &Args,
    times: &[f64],
    wall: f64,
    cpu: f64,
    ready: Option<f64>,
    rss_idle: u64,
    (before, after): (&Value, &Value),
) -> Value {
    let runs = times.len() as f64;
    let at = |share: f64| times.get(((runs - 1.0) * share).round() as usize);
    let delta = |key: &str| after[key].as_u64().unwrap_or(0) - before[key].as_u64().unwrap_or(0);
    let calls = delta("chat");
    json!({
        "peer": "quaestio",
        "latency_ms": args.latency.parse::<f64>().unwrap_or(0.0),
        "runs": times.len(), "concurrency": args.concurrency,
        "wall_s": wall, "runs_per_s": runs / wall,
        "run_mean_s": times.iter().sum::<f64>() / runs,
        "run_p50_s": at(0.5), "run_p99_s": at(0.99), "run_min_s": at(0.0),
        "cpu_s_per_run": cpu / runs, "ready_s": ready,
        "rss_idle_kb": rss_idle, "rss_peak_kb": machine::status_kb("VmHWM:"),
        "calls": calls, "service_s_per_call": delta("service_us") as f64 / 1e6 / calls.max(1) as f64,
        "unmatched": delta("unmatched"),
    })
}
