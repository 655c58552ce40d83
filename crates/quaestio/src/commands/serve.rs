//! `quaestio serve`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use run::Methods;
use server::{Bound, ServeError, Served, Tokens};

use super::{INTERRUPTED, with_judges};
use crate::Face;
use crate::backend::Program;
use crate::cli::{Common, ServeArgs};
use crate::config::{Config, Layers};
use crate::failure::{Exit, Failure};
use crate::progress::Sink;
use crate::tokens::{metrics_tokens, tokens};
use crate::wire;

pub(super) async fn serve(
    args: &ServeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let config = build_config(&layers, args.listen)?;
    let (configured, known, drain) = (layers.config.clone(), config.tokens.clone(), config.drain);
    let database = wire::open(&layers.config).await?;
    let program =
        Arc::new(Program::new(layers, database.clone(), methods.clone(), face.err.clone())?);
    let bound = Bound::bind(config).await.map_err(|error| refused(&error))?;
    let served = Served {
        backend: Arc::<Program>::clone(&program),
        witness: program,
        log: Arc::clone(&database.log),
        library: Arc::clone(&database.library),
        methods: with_judges(&methods),
        owner: database.storage.owner().to_owned(),
    };
    face.out.line(&format!("listening at http://{}", bound.address()));
    if let Some(address) = bound.metrics_address() {
        face.out.line(&format!("metrics at http://{address}/metrics"));
    }
    if !common.quiet {
        face.err.line(
            "open it in a browser; Ctrl-C stops the server, and runs go on when it starts again",
        );
    }
    let says = (!common.quiet).then(|| face.err.clone());
    let serving = bound.serve(served, asked_to_stop(drain, says));
    tokio::select! {
        ended = serving => ended.map_err(|error| refused(&error))?,
        never = read_tokens_again(&configured, &known, &face.err) => match never {},
    }
    Ok(Exit::Done)
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
                        "warning: with tokens or without them is decided when the server starts; nothing was changed",
                    ),
                    Ok(read) => {
                        known.replace(&read);
                        err.line("the tokens were read again");
                    }
                    Err(failure) => err.line(&format!(
                        "warning: {}; those that were read before stand",
                        run::grounding::clean(&failure.what)
                    )),
                }
            }
        }
    }
    std::future::pending().await
}

fn build_config(layers: &Layers, listen: Option<SocketAddr>) -> Result<server::Config, Failure> {
    let config = &layers.config;
    let server = &config.server;
    let listen = match listen {
        Some(listen) => listen,
        None => server.listen.parse().map_err(|_| {
            Failure::usage("server.listen is no address", "write for example 127.0.0.1:8400")
        })?,
    };
    Ok(server::Config {
        listen,
        hosts: server.hosts.clone(),
        user: config.user.clone(),
        tokens: tokens(config)?,
        max_connections: server.max_connections as usize,
        max_running: server.max_running as usize,
        max_queued: server.max_queued,
        requests_per_second: NonZeroU32::new(server.requests_per_second).unwrap_or(NonZeroU32::MIN),
        upload_bytes: server.upload_bytes.min(config.corpus.file_bytes),
        question_chars: server.question_chars,
        uploads: wire::data_folder(config)?.join("uploads"),
        keep_ended: (server.keep_days > 0)
            .then(|| Duration::from_hours(24 * u64::from(server.keep_days))),
        metrics_listen: server.metrics_listen.parse().ok(),
        metrics_tokens: metrics_tokens()?,
        drain: Duration::from_secs(server.drain_seconds),
    })
}

fn refused(error: &ServeError) -> Failure {
    let hint = match error {
        ServeError::Open { .. } => {
            "name users and their tokens in server.tokens or QUAESTIO_TOKENS, or listen at 127.0.0.1"
        }
        ServeError::OpenMetrics { .. } => {
            "give them a token in QUAESTIO_METRICS_TOKEN, or let server.metrics_listen be an address at 127.0.0.1"
        }
        ServeError::Address { .. } => {
            "choose another address with --listen, or server.metrics_listen"
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
        err.line(&format!("calls under way may end, for up to {seconds} s; Ctrl-C stops at once"));
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
