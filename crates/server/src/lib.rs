//! The HTTP API of Quaestio, its live stream and its page.
//!
//! A face: it translates and decides nothing. The program behind it provides everything through [`Backend`] and the ports of a run;
//! [`run::work`] performs the actions on a run, as for every other face.
//!
//! # Design
//!
//! `crates/server` is a face: it translates requests, and leaves the actions on a run to `run::work`, as the command line does. It knows
//! ports and methods and no adapter; for whatever takes configuration (the settings of an order, an upload, a rendering, an export) it asks
//! [`Backend`], one trait, which the program implements (`quaestio/src/backend.rs`) with the functions behind its commands.
//!
//! - **An ordered run is a row in the queue.** A [`Queue`] takes up what `Log::unfinished` names, whatever put it there: a new order, an
//!   answered gate, a run whose process died. Starting, answering, crash recovery and sharing a folder with other processes are therefore
//!   one mechanism. A run that cannot continue here (its model is not configured, its method is unknown) rests, and its state says why.
//! - **The log is the stream.** `Feed` reads a followed run's log once for all its subscribers and keeps the last entries in their sent
//!   form, up to 2 MiB; a subscriber that is further behind reads the log separately. An entry is sent once it is on disk, never before, so
//!   the ids a client has seen stay valid after a crash. It does not matter which process works on the run. A worker's listener only
//!   announces entries and passes on the words of drafts, which are kept once, up to a bound; a subscriber gets its missing part in one
//!   piece. So a slow subscriber costs its socket and a few numbers: 1,000 subscribers, 100 of them not reading, took 31 MiB
//!   (`quaestio-bench follow`).
//! - **A debate as plain text** is a fold over the same pieces (`methods::debate::TextStream`): one per reader, which holds only the
//!   beginning of a line. Only the program begins a line with `[[STATUS]]`, `===`, a milestone or a marker; such beginnings in the text of
//!   models and papers are escaped, in drafts piece by piece. When nothing happens, a status line says so, but never within a line of
//!   content.
//! - **OpenAI's protocol** is another translation of the same runs (`openai.rs`): what a chat front end sends is an order or an answer, and
//!   what it gets is the report of a run that has ended, or what the run asks.
//! - **A shared run** is read by a link and without an account (`api/shares.rs`): the one run, its result, and the quotes that it cites.
//! - **Daily quotas** of a user are checked against what is stored, just before a run is stored or an upload is read, so they hold over
//!   restarts and for all servers of a database. What runs already is never stopped by one.
//! - **Before a handler**, every request passes `guard`: Host and Origin must match exactly, then come the sender and the rate. Other
//!   users' data is reported as not found.
//! - **The page** consists of files in the program: HTML, CSS and ES modules without a build step or a library, under a policy that allows
//!   only our own scripts and this server. Reports come as HTML from the command line's renderer (`render/report.rs`), with no active
//!   content from documents or models; everything else enters the page as text.

mod accept;
mod api;
mod desk;
mod examples;
mod exports;
mod feed;
mod found;
mod guard;
mod host;
mod intake;
mod limits;
mod mcp;
mod measured;
mod metrics;
mod openai;
mod page;
mod problem;
mod progress;
mod quotas;
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
use futures::StreamExt;
use run::Methods;
use run::history::History;
use run::library::Library;
use run::listener::NoopListener;
use run::log::{Log, Status};
use run::news::NewsEvent;
use run::usage::UsageStore;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

pub use exports::MetricsSink;
pub use mcp::Pipes;
pub use quotas::Quotas;
pub use users::{TokenError, Tokens};
pub use witness::{Answered, Happened, Witness};

use feed::Feeds;
use host::{Requests, ServerHost};
use intake::Intake;
use limits::{Limiter, Streams};
use metrics::Metrics;
use quotas::QuotaGuard;
use state::App;

/// The most documents held in memory at a time: each may be as large as an upload.
const DOCUMENTS: usize = 4;

/// The most connections at the metrics' own address.
const MONITORS: usize = 16;

/// The configuration of the server.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address of API and page; `None` serves neither and only works on runs.
    pub listen: Option<SocketAddr>,
    /// Names for the page in addition to the listen address, with or without a port.
    pub hosts: Vec<String>,
    /// The owner of all runs if there are no tokens.
    pub user: String,
    pub tokens: Tokens,
    /// The most open connections.
    pub max_connections: usize,
    /// The most runs worked on at a time; with 0, other processes work on them.
    pub max_running: usize,
    /// The most waiting runs of a user.
    pub max_queued: u32,
    /// The most that a user may use in a day.
    pub quotas: Quotas,
    /// The most changing requests of one user per second.
    pub requests_per_second: NonZeroU32,
    pub upload_bytes: u64,
    pub question_chars: u64,
    /// The folder through which uploads pass; processes may share it.
    pub uploads: PathBuf,
    /// How long ended runs are kept; `None` keeps them until they are removed.
    pub keep_ended: Option<Duration>,
    /// The address that serves only metrics and health; `None` serves them at `listen`, metrics to API users.
    pub metrics_listen: Option<SocketAddr>,
    /// Who may see the metrics. If empty: at their own address everyone who reaches it, otherwise API users.
    pub metrics_tokens: Tokens,
    /// Whether runs can be shared by links that need no account.
    pub sharing: bool,
    /// How long running steps may continue when the server is asked to stop.
    pub drain: Duration,
}

/// The parts that the server works with.
pub struct Served {
    pub backend: Arc<dyn Backend>,
    pub witness: Arc<dyn Witness>,
    pub log: Arc<dyn Log>,
    pub library: Arc<dyn Library>,
    pub usage: Arc<dyn UsageStore>,
    pub history: Arc<dyn History>,
    pub methods: Methods,
    /// The name under which this process claims runs.
    pub owner: String,
    /// A client of the Model Context Protocol, which is served as the configured user; the server stops when it is gone.
    pub client: Option<Pipes>,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{listen} can be reached from other machines, but no user tokens are configured")]
    Open { listen: SocketAddr },
    #[error("{listen} can be reached from other machines, but no metrics token is configured")]
    OpenMetrics { listen: SocketAddr },
    #[error("could not listen at {listen}: {reason}")]
    Address { listen: SocketAddr, reason: String },
    #[error("{}", .0.what)]
    Refused(Refusal),
}

/// Returns the OpenAPI document of a server with these methods, as far as it is the same for every configuration.
pub fn describe(methods: &Methods) -> serde_json::Value {
    api::openapi(methods, None)
}

/// Binds an address.
async fn listen_at(listen: SocketAddr) -> Result<TcpListener, ServeError> {
    let failed = |error: std::io::Error| ServeError::Address { listen, reason: error.to_string() };
    accept::bind(listen).await.map_err(failed)
}

/// A server that has bound its address and does not answer yet.
pub struct Bound {
    /// The listener for everything but metrics.
    listener: Option<TcpListener>,
    /// The listener for metrics only.
    metrics: Option<TcpListener>,
    exports: Option<Arc<dyn MetricsSink>>,
    config: Config,
}

impl Bound {
    /// Binds the addresses. Without tokens, an address that other machines can reach is refused.
    pub async fn bind(config: Config) -> Result<Bound, ServeError> {
        let is_open = |listen: SocketAddr, tokens: &Tokens| {
            tokens.is_empty() && !listen.ip().to_canonical().is_loopback()
        };
        if let Some(listen) = config.listen.filter(|listen| is_open(*listen, &config.tokens)) {
            return Err(ServeError::Open { listen });
        }
        accept::allow_many_files();
        let listener = match config.listen {
            Some(listen) => Some(listen_at(listen).await?),
            None => None,
        };
        let metrics = match config.metrics_listen {
            Some(listen) if is_open(listen, &config.metrics_tokens) => {
                return Err(ServeError::OpenMetrics { listen });
            }
            Some(listen) => Some(listen_at(listen).await?),
            None => None,
        };
        Ok(Bound { listener, metrics, exports: None, config })
    }

    /// Lets `sink` have the metrics at its interval, and once more at the end.
    #[must_use]
    pub fn exporting(self, sink: Arc<dyn MetricsSink>) -> Bound {
        Bound { exports: Some(sink), ..self }
    }

    /// Returns the bound address for metrics only.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    /// Returns the bound address of API and page.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.as_ref()?.local_addr().ok()
    }

    /// Serves until `stop` is done. Then runs begin no more steps and return to the queue once their running steps have ended; those that
    /// take longer than `config.drain` are abandoned, and can be resumed from their log.
    pub async fn serve(
        self,
        served: Served,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let metrics_port = self.metrics_address().map(|address| address.port());
        let Bound { listener, metrics: monitors, exports, config } = self;
        let intake = Intake::new(config.uploads.clone());
        intake.clean();
        let Served { backend, witness, log, library, usage, history, methods, owner, client } =
            served;
        let world = backend.world(None, Arc::new(NoopListener)).map_err(ServeError::Refused)?;
        let (close, closing) = watch::channel(false);
        let metrics = Arc::new(Metrics::new());
        let feeds = Arc::new(Feeds::new(Arc::clone(&log), closing.clone()));
        let host = Arc::new(ServerHost {
            backend: Arc::clone(&backend),
            witness,
            log: Arc::clone(&log),
            history: Arc::clone(&history),
            feeds: Arc::clone(&feeds),
            metrics: Arc::clone(&metrics),
            requests: Requests::default(),
        });
        let clock = Arc::clone(&world.clock);
        let quotas = QuotaGuard::new(config.quotas, usage, clock, Arc::clone(&metrics));
        let worker = Worker::new(world, owner);
        let queue = Queue::new(QueueParts {
            host: Arc::<ServerHost>::clone(&host),
            worker: Arc::clone(&worker),
            methods: methods.clone(),
            most: config.max_running,
        });
        // Without the choices, the description is still valid.
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
            history,
            methods,
            intake,
            feeds,
            host,
            worker,
            queue: Arc::clone(&queue),
            standing: api::Standing::default(),
            uploads: api::Uploads::default(),
            limiter,
            quotas,
            streams: Arc::new(streams),
            mcp: mcp::Sessions::default(),
            tools: mcp::Tools::default(),
            documents: Semaphore::new(DOCUMENTS),
            metrics: Arc::clone(&metrics),
            exports,
            metrics_port,
            openapi,
        });
        let router = api::router(Arc::clone(&app));
        let accept = async |listener: Option<TcpListener>, most: usize| {
            let mut closing = closing.clone();
            match listener {
                Some(listener) => {
                    let metrics = Arc::clone(&metrics);
                    accept::accept(listener, router.clone(), most, metrics, closing).await;
                }
                // The sender lives as long as the server.
                None => drop(closing.wait_for(|closing| *closing).await),
            }
        };
        let accepting = async { tokio::join!(accept(listener, most), accept(monitors, MONITORS)) };
        let mut accepting = std::pin::pin!(accepting);
        let hearing = async {
            let mut news = app.log.news();
            while let Some(news) = news.next().await {
                if news.event == NewsEvent::Changed(Status::Queued) {
                    app.queue.wake();
                }
                app.feeds.hear(news);
            }
            std::future::pending::<()>().await;
        };
        let attending = async {
            match client {
                Some(client) => Box::pin(mcp::serve_stdio(Arc::clone(&app), client)).await,
                None => std::future::pending().await,
            }
        };
        let drained = async {
            tokio::select! {
                () = stop => {}
                () = attending => {}
            }
            queue.drain();
            tokio::time::sleep(drain).await;
        };
        tokio::select! {
            _ = &mut accepting => return Ok(()),
            () = Arc::clone(&queue).serve() => {}
            () = removal::serve(Arc::clone(&app)) => {}
            () = found::serve(Arc::clone(&app)) => {}
            () = exports::serve(Arc::clone(&app)) => {}
            () = hearing => {}
            () = drained => {}
        }
        // It does not matter if no receiver is left.
        let _ = close.send(true);
        tokio::join!(accepting, exports::finish(&app));
        Ok(())
    }
}
