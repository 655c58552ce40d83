//! Streams one run to many subscribers: whether each sees every entry, when, and what that costs the server.
//!
//! The run is worked on here, in a different process from the server, so the server learns of its entries from the shared log. Some
//! subscribers stop reading after a while, some leave midway.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

use run::error::PortError;
use run::work::{self, NewStart};
use run::world::World;
use run::{Deliverable, Method, Outcome, Run, Settings};
use store::Store;

use crate::SystemClock;
use crate::machine::status_kb_of;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program whose `serve` is measured.
    #[arg(long)]
    program: PathBuf,
    /// An empty folder.
    #[arg(long)]
    data_dir: PathBuf,
    #[arg(long, default_value_t = 1000)]
    followers: usize,
    /// Among them such as stop reading.
    #[arg(long, default_value_t = 100)]
    slow: usize,
    /// Among them such as leave in the middle.
    #[arg(long, default_value_t = 100)]
    vanishing: usize,
    /// Steps of the run: three entries each, one of them of the size of a retrieval.
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Milliseconds that a step takes.
    #[arg(long, default_value_t = 50)]
    pause: u64,
}

const RUN: &str = "followed";
const USER: &str = "local";
/// The number of bytes a step returns.
const VALUE: usize = 8_000;
/// The receive buffer of a subscriber, in bytes.
const NARROW: u32 = 4_096;

/// A server process that is killed on drop.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn steps(run: &Run) -> run::Result<Deliverable> {
    let (count, pause): (u32, u64) = run.options()?;
    for number in 1..=count {
        let value: String = run
            .step("step", &number, async || {
                tokio::time::sleep(Duration::from_millis(pause)).await;
                Ok::<_, PortError>("x".repeat(VALUE))
            })
            .await?;
        run.say(format!("{number}: {} bytes", value.len()));
    }
    Ok(Deliverable { outcome: Outcome::Answered, fields: Default::default(), ledger: vec![] })
}

/// The behaviour of a subscriber.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Reads,
    StopsReading,
    Leaves,
}

/// The entries that a subscriber saw: their numbers and their delays.
#[derive(Default)]
struct Seen {
    numbers: Vec<u64>,
    delays_ms: Vec<f64>,
}

pub(crate) async fn measure(args: Args) -> Result<(), Failure> {
    let store = Store::open(&args.data_dir)?;
    let mut child = Command::new(&args.program)
        .args(["serve", "--no-model", "--quiet", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(&args.data_dir)
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().ok_or("the server says nothing")?;
    let served = Served(child);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line)?;
    let address = line.trim().rsplit('/').next().unwrap_or_default().to_owned();
    let process = served.0.id().to_string();

    let world = World::of(Arc::new(store.clone()), Arc::new(SystemClock));
    let method = Method::new("steps", 1, |run| Box::pin(steps(run)));
    let budget = run::budget::Budget::default();
    let new = NewStart {
        run: RUN.into(),
        user: USER.into(),
        question: "Follow me".into(),
        settings: Settings {
            options: json!([args.steps, args.pause]),
            budget,
            models: None,
            workflow: None,
            history: None,
        },
        owner: Some(store.owner().to_owned()),
        key: None,
        at_most: None,
    };
    let (_cancel, cancelled) = watch::channel(None);
    let working =
        tokio::spawn(async move { work::start_and_work(&world, &method, new, cancelled).await });

    let before_kb = status_kb_of(&process, "VmRSS:");
    let together = Arc::new(Barrier::new(args.followers));
    let mut followers: JoinSet<Result<(Habit, Seen), Failure>> = JoinSet::new();
    let began = Instant::now();
    for number in 0..args.followers {
        let habit = match number {
            number if number < args.slow => Habit::StopsReading,
            number if number < args.slow + args.vanishing => Habit::Leaves,
            _ => Habit::Reads,
        };
        followers.spawn(follow(address.clone(), habit, Arc::clone(&together)));
    }
    let mut peak_kb = before_kb;
    let (mut lost, mut complete, mut delays) = (0, 0, Vec::new());
    let mut slow = Vec::new();
    let mut watch = tokio::time::interval(Duration::from_millis(100));
    loop {
        tokio::select! {
            ended = followers.join_next() => match ended {
                None => break,
                Some(ended) => {
                    let (habit, seen) = ended??;
                    match habit {
                        Habit::Reads => {
                            let last = seen.numbers.last().copied().unwrap_or_default();
                            let whole = seen.numbers.iter().copied().eq(1..=last) && last as u32 > 3 * args.steps;
                            complete += u32::from(whole);
                            lost += u32::from(!whole);
                            delays.extend(seen.delays_ms);
                        }
                        habit => slow.push((habit, seen.numbers.len())),
                    }
                }
            },
            _ = watch.tick() => peak_kb = peak_kb.max(status_kb_of(&process, "VmRSS:")),
        }
    }
    working.await??;
    delays.sort_by(f64::total_cmp);
    let at = |share: f64| delays.get((delays.len() as f64 * share) as usize).copied();
    let figures = BTreeMap::from([
        ("followers", json!(args.followers)),
        ("stopped_reading", json!(args.slow)),
        ("left", json!(args.vanishing)),
        ("saw_every_entry_once", json!(complete)),
        ("did_not", json!(lost)),
        ("entries_delivered", json!(delays.len())),
        ("seconds", json!(began.elapsed().as_secs_f64())),
        ("delay_ms_median", json!(at(0.5))),
        ("delay_ms_p99", json!(at(0.99))),
        ("server_rss_before_kb", json!(before_kb)),
        ("server_rss_peak_kb", json!(peak_kb)),
        ("server_rss_peak_of_all_kb", json!(status_kb_of(&process, "VmHWM:"))),
    ]);
    println(&serde_json::to_string_pretty(&figures)?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the figures are the program's result")]
fn println(text: &str) {
    println!("{text}");
}

async fn follow(
    address: String,
    habit: Habit,
    together: Arc<Barrier>,
) -> Result<(Habit, Seen), Failure> {
    let socket = tokio::net::TcpSocket::new_v4()?;
    if habit != Habit::Reads {
        socket.set_recv_buffer_size(NARROW)?;
    }
    let mut stream: TcpStream = socket.connect(address.parse()?).await?;
    together.wait().await;
    let request = format!("GET /api/runs/{RUN}/events HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut seen = Seen::default();
    if habit == Habit::StopsReading {
        let mut some = vec![0; 2_000];
        stream.read_exact(&mut some).await?;
        // Keeps the connection open until the others are done, without reading.
        tokio::time::sleep(Duration::from_secs(5)).await;
        return Ok((habit, seen));
    }
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(number) = line.strip_prefix("id: ") {
            seen.numbers.push(number.parse()?);
            if habit == Habit::Leaves && seen.numbers.len() > 20 {
                return Ok((habit, seen));
            }
        }
        if let Some(data) = line.strip_prefix("data: ").filter(|data| data.contains("\"hash\"")) {
            let at = data.split("\"at\":\"").nth(1).and_then(|rest| rest.split('"').next());
            let at: Timestamp = at.ok_or("an entry without its time")?.parse()?;
            seen.delays_ms.push(Timestamp::now().duration_since(at).as_secs_f64() * 1e3);
        }
        if line.starts_with("event: end") {
            break;
        }
    }
    Ok((habit, seen))
}
