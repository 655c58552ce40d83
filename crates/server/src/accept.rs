//! Accepts connections: up to a limit, without slow headers and without dead peers.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

use crate::guard::Ends;
use crate::metrics::Metrics;

/// How long a request's headers may take.
const HEADERS: Duration = Duration::from_secs(10);
/// How long sent data may stay unacknowledged before the peer counts as gone.
#[cfg(target_os = "linux")]
const UNCONFIRMED: Duration = Duration::from_secs(60);
/// The keep-alive interval of a silent connection.
const ALIVE: Duration = Duration::from_secs(30);
/// How long open requests may take to finish when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long to wait when no connection can be accepted.
const BREATH: Duration = Duration::from_millis(50);

/// Accepts connections until `closing` turns true, then lets open requests finish.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    most: usize,
    metrics: Arc<Metrics>,
    mut closing: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(most));
    let graceful = hyper_util::server::graceful::GracefulShutdown::new();
    loop {
        // Without room, clients wait in the system's queue.
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await;
            listener.accept().await.map(|(stream, remote)| (stream, remote, place))
        };
        let accepted = tokio::select! {
            _ = closing.wait_for(|closing| *closing) => break,
            accepted = next => accepted,
        };
        let Ok((stream, remote, place)) = accepted else {
            // Descriptors may have run out; some will be freed.
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let Ok(local) = stream.local_addr() else { continue };
        tune(&stream);
        let router = router.clone();
        let ends = Ends { local, remote };
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(ends));
            router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .max_headers(64)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            metrics.connections.inc();
            // Broken connections are the client's concern.
            let _ = connection.await;
            metrics.connections.dec();
            drop(place);
        });
    }
    drop(listener);
    let mut farewell = pin!(tokio::time::sleep(FAREWELL));
    tokio::select! {
        () = graceful.shutdown() => {}
        () = &mut farewell => {}
    }
}

/// Makes the system detect a client that has vanished.
fn tune(stream: &TcpStream) {
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(ALIVE).with_interval(ALIVE);
    // The socket works even if it cannot be tuned.
    let _ = socket.set_tcp_keepalive(&keepalive);
    let _ = socket.set_tcp_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(UNCONFIRMED));
}

/// Binds the address to listen at.
pub(crate) async fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// Raises the limit on open files to the system's maximum: each connection is one.
pub(crate) fn allow_many_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // If that is refused, fewer connections fit.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
