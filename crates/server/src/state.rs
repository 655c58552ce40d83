//! The state shared by all handlers.

use std::sync::Arc;

use ::app::{Backend, Queue, Worker};
use run::Methods;
use run::history::History;
use run::library::Library;
use run::log::{Log, Status};
use run::world::World;
use tokio::sync::Semaphore;

use crate::Config;
use crate::api::{Standing, Uploads};
use crate::exports::MetricsSink;
use crate::feed::Feeds;
use crate::host::ServerHost;
use crate::intake::Intake;
use crate::limits::{Limiter, Streams};
use crate::mcp::{Sessions, Tools};
use crate::metrics::Metrics;
use crate::quotas::QuotaGuard;

pub(crate) type Shared = Arc<App>;

pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) history: Arc<dyn History>,
    pub(crate) methods: Methods,
    pub(crate) intake: Intake,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) host: Arc<ServerHost>,
    pub(crate) worker: Arc<Worker>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) standing: Standing,
    pub(crate) uploads: Uploads,
    pub(crate) limiter: Limiter,
    pub(crate) quotas: QuotaGuard,
    pub(crate) streams: Arc<Streams>,
    /// The sessions of clients of the Model Context Protocol.
    pub(crate) mcp: Sessions,
    /// Their tools.
    pub(crate) tools: Tools,
    /// Limits the documents held in memory at a time.
    pub(crate) documents: Semaphore,
    pub(crate) metrics: Arc<Metrics>,
    /// Who takes the metrics at an interval.
    pub(crate) exports: Option<Arc<dyn MetricsSink>>,
    /// The port that serves only metrics, if they have their own.
    pub(crate) metrics_port: Option<u16>,
    /// The OpenAPI document.
    pub(crate) openapi: bytes::Bytes,
}

impl App {
    /// Returns the world for writing into a log without working on its run.
    pub(crate) fn world(&self) -> &World {
        self.worker.world()
    }

    /// Resumes a run after a person's input, and tells whoever follows it.
    pub(crate) fn heard(&self, user: &str, run: &str) {
        self.host.requests.note(user, run);
        self.queue.wake_for(user, run);
        self.feeds.tell(user, run);
    }

    /// Records that a request ended a run.
    pub(crate) async fn ended(&self, user: &str, run: &str, status: Status) {
        use ::app::Host as _;
        self.host.ended(user, run, status).await;
    }
}
