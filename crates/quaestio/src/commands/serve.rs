//! `quaestio serve`, `quaestio worker` and `quaestio mcp`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use run::Methods;
use server::{Bound, Pipes, ServeError, Served, Tokens};

use super::{INTERRUPTED, with_judges};
use crate::Face;
use crate::backend::Program;
use crate::cli::{Common, ServeArgs, WorkerArgs};
use crate::config::{Config, Layers};
use crate::failure::{Exit, Failure};
use crate::sink::Sink;
use crate::tokens::{metrics_tokens, tokens};
use crate::wire;

/// How long calls may take to end when the client of `quaestio mcp` is gone: it ends us soon after.
const DRAIN: Duration = Duration::from_secs(1);

pub(super) async fn serve(
    args: &ServeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let listen = args.listen.map_or_else(|| configured_address(&layers.config), Ok)?;
    let sharing = layers.config.server.sharing.is_on(listen);
    let config = server::Config { listen: Some(listen), sharing, ..build_config(&layers)? };
    operate(layers, config, None, common, methods, face).await
}

/// Works on queued runs of all users, and takes no requests but a monitor's.
pub(super) async fn work(
    args: &WorkerArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let config = build_config(&layers)?;
    let max_running = args.runs.map_or(config.max_running, NonZeroUsize::get);
    let metrics_listen = args.metrics.or(config.metrics_listen);
    let config = server::Config { listen: None, max_running, metrics_listen, ..config };
    operate(layers, config, None, common, methods, face).await
}

/// Serves a client of the Model Context Protocol at standard input and output until it is gone, and works on runs meanwhile.
pub(super) async fn attend(
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let config = build_config(&layers)?;
    let drain = config.drain.min(DRAIN);
    let config = server::Config { metrics_listen: None, drain, ..config };
    let client =
        Pipes { reader: Box::new(tokio::io::stdin()), writer: Box::new(tokio::io::stdout()) };
    operate(layers, config, Some(client), common, methods, face).await
}

/// Serves or works until the program is asked to stop.
async fn operate(
    layers: Layers,
    config: server::Config,
    client: Option<Pipes>,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let (configured, known, drain) = (layers.config.clone(), config.tokens.clone(), config.drain);
    let database = wire::open(&layers.config).await?;
    let program =
        Arc::new(Program::new(layers, database.clone(), methods.clone(), face.err.clone())?);
    let mut bound = Bound::bind(config).await.map_err(|error| refused(&error))?;
    if let Some(sink) = wire::telemetry::metrics_sink(&configured, database.storage.owner())? {
        bound = bound.exporting(sink);
    }
    let served = Served {
        backend: Arc::<Program>::clone(&program),
        witness: program,
        log: Arc::clone(&database.log),
        library: Arc::clone(&database.library),
        usage: Arc::clone(&database.usage),
        history: Arc::clone(&database.history),
        methods: with_judges(&methods),
        owner: database.storage.owner().to_owned(),
        client,
    };
    // Standard output is the client's, if there is one.
    if served.client.is_none() {
        announce(&bound, database.storage.owner(), common, face);
    }
    let says = (!common.quiet).then(|| face.err.clone());
    let serving = Box::pin(bound.serve(served, asked_to_stop(drain, says)));
    tokio::select! {
        ended = serving => ended.map_err(|error| refused(&error))?,
        never = read_tokens_again(&configured, &known, &face.err) => match never {},
    }
    // Traces are read from the database.
    wire::telemetry::settle().await;
    database.storage.close().await;
    Ok(Exit::Done)
}

/// Says where the server listens, and how to stop it.
fn announce(bound: &Bound, owner: &str, common: &Common, face: &Face) {
    match bound.address() {
        Some(address) => face.out.line(&format!("listening at http://{address}")),
        None => face.out.line(&format!("working on runs as {owner}")),
    }
    if let Some(address) = bound.metrics_address() {
        face.out.line(&format!("metrics at http://{address}/metrics"));
    }
    if !common.quiet {
        face.err.line(match bound.address() {
            Some(_) => {
                "open it in a browser; Ctrl-C stops the server, and its runs resume at the next start"
            }
            None => "Ctrl-C stops the worker; another worker resumes its runs",
        });
    }
}

/// Reads the tokens again on every SIGHUP. If they cannot be read, nothing changes.
async fn read_tokens_again(config: &Config, known: &Tokens, err: &Sink) -> Infallible {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut asked) = signal(SignalKind::hangup()) {
            while asked.recv().await.is_some() {
                match tokens(config) {
                    // An empty list, perhaps a slip, would let everyone in.
                    Ok(read) if read.is_empty() != known.is_empty() => err.line(
                        "warning: nothing was changed: restart the server to switch tokens on or off",
                    ),
                    Ok(read) => {
                        known.replace(&read);
                        err.line("the tokens were read again");
                    }
                    Err(failure) => err.line(&format!(
                        "warning: {}; the earlier tokens stay in use",
                        run::grounding::clean(&failure.what)
                    )),
                }
            }
        }
    }
    std::future::pending().await
}

fn configured_address(config: &Config) -> Result<SocketAddr, Failure> {
    config.server.listen.parse().map_err(|_| {
        Failure::usage(
            "server.listen is not an address",
            "write an address and a port, such as 127.0.0.1:8400",
        )
    })
}

/// Builds what the configuration says of a server, without its address.
fn build_config(layers: &Layers) -> Result<server::Config, Failure> {
    let config = &layers.config;
    let server = &config.server;
    Ok(server::Config {
        listen: None,
        hosts: server.hosts.clone(),
        user: config.user.clone(),
        tokens: tokens(config)?,
        max_connections: server.max_connections as usize,
        max_running: server.max_running as usize,
        max_queued: server.max_queued,
        quotas: config.quotas.quotas(),
        requests_per_second: NonZeroU32::new(server.requests_per_second).unwrap_or(NonZeroU32::MIN),
        upload_bytes: server.upload_bytes.min(config.corpus.file_bytes),
        question_chars: server.question_chars,
        uploads: wire::data_folder(config)?.join("uploads"),
        keep_ended: (server.keep_days > 0)
            .then(|| Duration::from_hours(24 * u64::from(server.keep_days))),
        metrics_listen: server.metrics_listen.parse().ok(),
        metrics_tokens: metrics_tokens()?,
        sharing: false,
        drain: Duration::from_secs(server.drain_seconds),
    })
}

fn refused(error: &ServeError) -> Failure {
    let hint = match error {
        ServeError::Open { .. } => {
            "set tokens in server.tokens or QUAESTIO_TOKENS, or listen on 127.0.0.1"
        }
        ServeError::OpenMetrics { .. } => {
            "set a token in QUAESTIO_METRICS_TOKEN, or set server.metrics_listen to an address on 127.0.0.1"
        }
        ServeError::Address { .. } => {
            "choose another with --listen or, for metrics, server.metrics_listen"
        }
        ServeError::Refused(refusal) => refusal.hint.as_str(),
    };
    Failure::usage(error.to_string(), hint)
}

/// Waits for a request to stop the server. A second request ends the program at once.
async fn asked_to_stop(drain: Duration, says: Option<Sink>) {
    interrupted().await;
    if let Some(err) = says.filter(|_| !drain.is_zero()) {
        let seconds = drain.as_secs();
        err.line(&format!(
            "waiting up to {seconds} s for calls in progress; press Ctrl-C again to stop at once"
        ));
    }
    tokio::spawn(async {
        interrupted().await;
        std::process::exit(INTERRUPTED);
    });
}

/// Waits for an interrupt or SIGTERM.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // If interrupts cannot be caught, they end the program by themselves.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
