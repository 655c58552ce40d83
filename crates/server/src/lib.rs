//! The HTTP API of Quaestio, its live stream and its page.
//!
//! A face: it translates and decides nothing. What it works with comes from the program behind it, through [`Backend`] and the ports of a
//! run; what is done with a run is done by [`run::work`], as for every other face.
//!
//! # How it is made
//!
//! `crates/server` is a face: it translates requests, and what it does with a run is done by `run::work`, as for the
//! command line. It knows ports and methods and no adapter; whatever takes configuration (what an order is started with,
//! an upload, a rendering, an export) it asks of [`Backend`], one trait, which the program implements
//! (`quaestio/src/backend.rs`) with the functions that its commands use.
//!
//! - **A run that is ordered is a row in the queue.** A [`Queue`] takes up what `Log::unfinished` names, whoever put it
//!   there: a new order, an answered gate, a run whose process died. So starting, answering, recovering after a crash and
//!   sharing a folder with other processes are one mechanism. A run that cannot go on here (its model is not configured,
//!   a method unknown) rests, and its state says why.
//! - **The log is the stream.** `Feed` reads a followed run's log once for all its followers and keeps what it read last,
//!   as it is sent, up to 2 MiB; whoever is further behind reads the log themselves. An entry is sent when it is on disk,
//!   never before, so the ids that a client has seen hold after a crash. It does not matter which process works on the
//!   run. A worker's listener only says that it is worth looking, and hands over the words of drafts, which are kept
//!   once, up to a bound; a follower gets the part it lacks in one piece. So a slow reader costs its socket and a few
//!   numbers: 1,000 followers, 100 of them not reading, took 31 MiB (`quaestio-bench follow`).
//! - **A debate as plain text** is a fold over the same pieces (`methods::debate::TextStream`): one for each reader, which
//!   knows the beginning of a line and nothing more. Only the program begins a line with `[[STATUS]]`, `===`, a milestone
//!   or a marker; what models and papers write is escaped where it looks like that, in drafts piece by piece. When
//!   nothing happens, a status line says so, but never within a line of content.
//! - **Before a handler** every request passes `guard`: Host and Origin must be ours to the letter, then who sent it,
//!   then how often. What belongs to somebody else is not found.
//! - **The page** is files in the program: HTML, CSS and ES modules without a build step or a library, under a policy
//!   that allows our own scripts and this server and nothing else. Reports come as HTML made by the renderer of the
//!   command line (`render/report.rs`), in which nothing of a document or a model is active; everything else enters the
//!   page as text.

mod accept;
mod api;
mod feed;
mod guard;
mod host;
mod intake;
mod limits;
mod measured;
mod metrics;
mod page;
mod problem;
mod removal;
mod state;
mod users;
mod witness;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::app::{Backend, Queue, QueueParts, Refusal, Worker};
use run::Methods;
use run::library::Library;
use run::listener::NoopListener;
use run::log::Log;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

pub use users::{TokenError, Tokens};
pub use witness::{Answered, Happened, Witness};

use feed::Feeds;
use host::{Requests, ServerHost};
use intake::Intake;
use limits::{Limiter, Streams};
use metrics::Metrics;
use state::App;

/// Documents that are held in memory at the same time: each is as large as an upload may be.
const DOCUMENTS: usize = 4;

/// Connections of monitors at an address of their own.
const MONITORS: usize = 16;

/// How the server is set up.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    /// Names under which the page may be reached besides the address that is listened at, with or without a port.
    pub hosts: Vec<String>,
    /// Whose runs these are where there are no tokens.
    pub user: String,
    pub tokens: Tokens,
    /// Connections that are open at the same time.
    pub max_connections: usize,
    /// Runs that are worked on at the same time.
    pub max_running: usize,
    /// Runs that may wait to be worked on.
    pub max_queued: u32,
    /// Changing requests of one user a second.
    pub requests_per_second: NonZeroU32,
    pub upload_bytes: u64,
    pub question_chars: u64,
    /// The folder through which uploads pass; processes may share it.
    pub uploads: PathBuf,
    /// How long runs that have ended are kept; none where they are kept until somebody removes them.
    pub keep_ended: Option<Duration>,
    /// Where metrics are served, and nothing else; none: at `listen`, to whoever may use the API.
    pub metrics_listen: Option<SocketAddr>,
    /// Who may see the metrics. Empty: at an address of their own everybody who reaches it, else whoever may use the API.
    pub metrics_tokens: Tokens,
    /// How long steps under way may go on when the server is asked to stop.
    pub drain: Duration,
}

/// What the server serves.
pub struct Served {
    pub backend: Arc<dyn Backend>,
    pub witness: Arc<dyn Witness>,
    pub log: Arc<dyn Log>,
    pub library: Arc<dyn Library>,
    pub methods: Methods,
    /// The name under which this process holds runs.
    pub owner: String,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{listen} can be reached from other machines, and no tokens are configured")]
    Open { listen: SocketAddr },
    #[error("{listen} can be reached from other machines, and the metrics have no token")]
    OpenMetrics { listen: SocketAddr },
    #[error("{listen} cannot be listened at: {reason}")]
    Address { listen: SocketAddr, reason: String },
    #[error("{}", .0.what)]
    Refused(Refusal),
}

/// Takes an address.
async fn listen_at(listen: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let failed = |error: std::io::Error| ServeError::Address { listen, reason: error.to_string() };
    let listener = accept::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// A server that has its address and answers nobody yet.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    /// For the metrics alone.
    metrics: Option<TcpListener>,
    config: Config,
}

impl Bound {
    /// Takes the address. One that other machines can reach is refused without tokens.
    pub async fn bind(config: Config) -> Result<Bound, ServeError> {
        let listen = config.listen;
        let is_open = |listen: SocketAddr, tokens: &Tokens| {
            tokens.is_empty() && !listen.ip().to_canonical().is_loopback()
        };
        if is_open(listen, &config.tokens) {
            return Err(ServeError::Open { listen });
        }
        accept::allow_many_files();
        let (listener, address) = listen_at(listen).await?;
        let metrics = match config.metrics_listen {
            Some(listen) if is_open(listen, &config.metrics_tokens) => {
                return Err(ServeError::OpenMetrics { listen });
            }
            Some(listen) => Some(listen_at(listen).await?.0),
            None => None,
        };
        Ok(Bound { listener, address, metrics, config })
    }

    /// Returns the address that was taken for the metrics alone.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    /// Returns the address that was taken.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done. Then runs begin no step any more and go back into the queue as soon as their steps under way have ended; those that
    /// take longer than `config.drain` are let go of where they are: their log tells where to go on.
    pub async fn serve(
        self,
        served: Served,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let metrics_port = self.metrics_address().map(|address| address.port());
        let Bound { listener, metrics: monitors, config, .. } = self;
        let intake = Intake::new(config.uploads.clone());
        intake.clean();
        let Served { backend, witness, log, library, methods, owner } = served;
        let world = backend.world(None, Arc::new(NoopListener)).map_err(ServeError::Refused)?;
        let (close, closing) = watch::channel(false);
        let metrics = Arc::new(Metrics::new());
        let feeds = Arc::new(Feeds::new(Arc::clone(&log), closing.clone()));
        let host = Arc::new(ServerHost {
            backend: Arc::clone(&backend),
            witness,
            log: Arc::clone(&log),
            feeds: Arc::clone(&feeds),
            metrics: Arc::clone(&metrics),
            requests: Requests::default(),
        });
        let worker = Worker::new(world, owner);
        let queue = Queue::new(QueueParts {
            host: Arc::<ServerHost>::clone(&host),
            worker: Arc::clone(&worker),
            methods: methods.clone(),
            most: config.max_running,
        });
        // Where the choices cannot be told just now, the description is as good without them.
        let choices = backend.choices(&config.user).await.ok();
        let openapi = api::openapi(&methods, choices.as_ref());
        let openapi = serde_json::to_vec(&openapi).unwrap_or_default().into();
        let limiter = Limiter::new(config.requests_per_second);
        let (most, drain) = (config.max_connections, config.drain);
        let streams = Streams::among(most, !config.tokens.is_empty());
        let app = Arc::new(App {
            config,
            backend,
            log,
            library,
            methods,
            intake,
            feeds,
            host,
            worker,
            queue: Arc::clone(&queue),
            standing: api::Standing::default(),
            uploads: api::Uploads::default(),
            limiter,
            streams: Arc::new(streams),
            documents: Semaphore::new(DOCUMENTS),
            metrics: Arc::clone(&metrics),
            metrics_port,
            openapi,
        });
        let router = api::router(Arc::clone(&app));
        let monitored = async {
            if let Some(listener) = monitors {
                let (router, metrics, closing) =
                    (router.clone(), Arc::clone(&metrics), closing.clone());
                accept::accept(listener, router, MONITORS, metrics, closing).await;
            }
        };
        let accepting =
            accept::accept(listener, router.clone(), most, Arc::clone(&metrics), closing.clone());
        let mut accepting = std::pin::pin!(async { tokio::join!(accepting, monitored) });
        let drained = async {
            stop.await;
            queue.drain();
            tokio::time::sleep(drain).await;
        };
        tokio::select! {
            _ = &mut accepting => return Ok(()),
            () = Arc::clone(&queue).serve() => {}
            () = removal::serve(app) => {}
            () = drained => {}
        }
        // Nobody is waiting for this if nobody is connected.
        let _ = close.send(true);
        accepting.await;
        Ok(())
    }
}
