//! What every handler works with.

use std::sync::Arc;

use run::Methods;
use run::library::Library;
use run::ports::{Log, World};
use tokio::sync::Semaphore;

use crate::api::{Standing, Uploads};
use crate::feed::Feeds;
use crate::intake::Intake;
use crate::limits::{Limiter, Streams};
use crate::metrics::Metrics;
use crate::workers::Workers;
use crate::{Config, House};

pub(crate) type Shared = Arc<App>;

pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) house: Arc<dyn House>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) methods: Methods,
    /// What is needed to write into a log without working on its run.
    pub(crate) desk: World,
    pub(crate) owner: String,
    pub(crate) intake: Intake,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) workers: Arc<Workers>,
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
