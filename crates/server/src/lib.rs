//! The HTTP API of Quaestio, its live stream and its page.
//!
//! A face: it translates and decides nothing. What it works with comes from the program behind it, through [`House`] and the ports of a
//! run; what is done with a run is done by [`run::work`], as for every other face.

mod accept;
mod api;
mod app;
mod feed;
mod guard;
mod house;
mod intake;
mod limits;
mod metrics;
mod page;
mod problem;
mod users;
mod workers;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use run::Methods;
use run::library::Library;
use run::ports::{Log, Silence};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

pub use house::{
    Answered, BudgetChoice, Changes, Choices, Estimate, Export, Forked, FormatChoice, Heading,
    House, Limits, MethodChoice, ModelName, Prepared, Refusal, RefusalKind, Report, SourceChoice,
    StrategyChoice, Survey, SurveyFile, SurveyState, SurveyStudy, Taken,
};
pub use users::{TokenError, Tokens};

use app::App;
use feed::Feeds;
use intake::Intake;
use limits::{Limiter, Streams};
use metrics::Metrics;
use workers::{Means, Workers};

/// Documents that are held in memory at the same time: each is as large as an upload may be.
const DOCUMENTS: usize = 4;

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
}

/// What the server serves.
pub struct Served {
    pub house: Arc<dyn House>,
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
    #[error("{listen} cannot be listened at: {reason}")]
    Address { listen: SocketAddr, reason: String },
    #[error("{}", .0.what)]
    Refused(Refusal),
}

/// A server that has its address and answers nobody yet.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    config: Config,
}

impl Bound {
    /// Takes the address. One that other machines can reach is refused without tokens.
    pub async fn bind(config: Config) -> Result<Bound, ServeError> {
        let listen = config.listen;
        if config.tokens.is_empty() && !listen.ip().to_canonical().is_loopback() {
            return Err(ServeError::Open { listen });
        }
        accept::allow_many_files();
        let failed =
            |error: std::io::Error| ServeError::Address { listen, reason: error.to_string() };
        let listener = accept::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Bound { listener, address, config })
    }

    /// Returns the address that was taken.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done. Runs under way are let go of where they are: their log tells where to go on.
    pub async fn serve(
        self,
        served: Served,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Bound { listener, config, .. } = self;
        let intake = Intake::new(config.uploads.clone());
        intake.clean();
        let Served { house, log, library, methods, owner } = served;
        let desk = house.world(None, Arc::new(Silence)).map_err(ServeError::Refused)?;
        let (close, closing) = watch::channel(false);
        let metrics = Arc::new(Metrics::new());
        let feeds = Arc::new(Feeds::new(Arc::clone(&log), closing.clone()));
        let workers = Arc::new(Workers::new(Means {
            house: Arc::clone(&house),
            log: Arc::clone(&log),
            methods: methods.clone(),
            feeds: Arc::clone(&feeds),
            metrics: Arc::clone(&metrics),
            desk: desk.clone(),
            owner: owner.clone(),
            most: config.max_running,
        }));
        let openapi = serde_json::to_vec(&api::openapi(&methods)).unwrap_or_default().into();
        let limiter = Limiter::new(config.requests_per_second);
        let most = config.max_connections;
        let streams = Streams::among(most, !config.tokens.is_empty());
        let app = Arc::new(App {
            config,
            house,
            log,
            library,
            methods,
            desk,
            owner,
            intake,
            feeds,
            workers: Arc::clone(&workers),
            limiter,
            streams: Arc::new(streams),
            documents: Semaphore::new(DOCUMENTS),
            metrics: Arc::clone(&metrics),
            openapi,
        });
        let router = api::router(app);
        let accepting = accept::accept(listener, router, most, metrics, closing);
        let mut accepting = std::pin::pin!(accepting);
        tokio::select! {
            () = &mut accepting => return Ok(()),
            () = workers.serve() => {}
            () = stop => {}
        }
        // Nobody is waiting for this if nobody is connected.
        let _ = close.send(true);
        accepting.await;
        Ok(())
    }
}
