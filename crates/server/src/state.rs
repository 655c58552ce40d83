//! What every handler works with.

use std::sync::Arc;

use ::app::{Backend, Queue, Worker};
use run::Methods;
use run::library::Library;
use run::log::{Log, Status};
use run::world::World;
use tokio::sync::Semaphore;

use crate::Config;
use crate::api::{Standing, Uploads};
use crate::feed::Feeds;
use crate::host::ServerHost;
use crate::intake::Intake;
use crate::limits::{Limiter, Streams};
use crate::metrics::Metrics;

pub(crate) type Shared = Arc<App>;

pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) methods: Methods,
    pub(crate) intake: Intake,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) host: Arc<ServerHost>,
    pub(crate) worker: Arc<Worker>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) standing: Standing,
    pub(crate) uploads: Uploads,
    pub(crate) limiter: Limiter,
    pub(crate) streams: Arc<Streams>,
    /// Documents that are held in memory at the same time.
    pub(crate) documents: Semaphore,
    pub(crate) metrics: Arc<Metrics>,
    /// Where metrics are served, and nothing else, if not beside everything else.
    pub(crate) metrics_port: Option<u16>,
    /// The OpenAPI document.
    pub(crate) openapi: bytes::Bytes,
}

impl App {
    /// Returns what is needed to write into a log without working on its run.
    pub(crate) fn world(&self) -> &World {
        self.worker.world()
    }

    /// Has a run gone on with at which a person has said something.
    pub(crate) fn heard(&self, user: &str, run: &str) {
        self.host.requests.note(user, run);
        self.queue.wake_for(user, run);
    }

    /// Notes that a run was ended by a request.
    pub(crate) async fn ended(&self, user: &str, run: &str, status: Status) {
        use ::app::Host as _;
        self.host.ended(user, run, status).await;
    }
}
