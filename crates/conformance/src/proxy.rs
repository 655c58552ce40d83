//! A network that breaks: a proxy before the server that cuts connections when a test wants it.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;

/// When to cut the connection that commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The server never hears of the commit.
    Before,
    /// At the moment when the server hears of it.
    During,
    /// The commit is done, and the answer is lost.
    After,
}

/// A proxy on a port of its own.
pub struct Proxy {
    /// The address of the database through this proxy.
    pub url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What to do with the next commits.
    cuts: Mutex<VecDeque<Cut>>,
    /// Both ends of each connection.
    connections: Mutex<Vec<Weak<TcpStream>>>,
    is_closed: AtomicBool,
}

impl Proxy {
    /// Starts a proxy before the server of this address, which ends with `@host:port/database`.
    pub fn start(url: &str) -> Proxy {
        let (login, place) = url.rsplit_once('@').unwrap();
        let (server, database) = place.split_once('/').unwrap();
        let server =
            if server.contains(':') { server.to_owned() } else { format!("{server}:5432") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{login}@{}/{database}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                if accepting.is_closed.load(Ordering::SeqCst) {
                    return;
                }
                // A server that is down is one that refuses.
                if let Ok(server) = TcpStream::connect(&server) {
                    accepting.join(client, server);
                }
            }
        });
        Proxy { url, shared }
    }

    /// Cuts the connections of the next commits.
    pub fn cut_commits(&self, cuts: &[Cut]) {
        self.shared.cuts.lock().unwrap().extend(cuts);
    }

    /// Returns how many cuts are still to come.
    pub fn cuts_to_come(&self) -> usize {
        self.shared.cuts.lock().unwrap().len()
    }

    /// Cuts every connection.
    pub fn cut_all(&self) {
        for connection in self.shared.connections.lock().unwrap().drain(..) {
            if let Some(open) = connection.upgrade() {
                let _ = open.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::SeqCst);
        self.cut_all();
        let (_, place) = self.url.rsplit_once('@').unwrap();
        let _ = TcpStream::connect(place.split_once('/').unwrap().0);
    }
}

impl Shared {
    /// Passes on what either end says, on threads of their own.
    fn join(self: &Arc<Shared>, client: TcpStream, server: TcpStream) {
        let (client, server) = (Arc::new(client), Arc::new(server));
        {
            let mut connections = self.connections.lock().unwrap();
            connections.retain(|connection| connection.strong_count() > 0);
            for end in [&client, &server] {
                // An end that is gone already shows below.
                let _ = end.set_nodelay(true);
                connections.push(Arc::downgrade(end));
            }
        }
        let is_muted = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(self);
        let (from, to) = (Arc::clone(&client), Arc::clone(&server));
        let mute = Arc::clone(&is_muted);
        thread::spawn(move || {
            pass_on(&from, &to, |said| match shared.next_cut(said) {
                None => Next::Pass,
                Some(cut) => {
                    // The answer may be faster than the cut.
                    mute.store(true, Ordering::SeqCst);
                    match cut {
                        Cut::Before => Next::Cut,
                        Cut::During => Next::PassAndCut,
                        Cut::After => Next::Pass,
                    }
                }
            });
        });
        thread::spawn(move || {
            pass_on(&server, &client, |_| match is_muted.load(Ordering::SeqCst) {
                true => Next::Cut,
                false => Next::Pass,
            });
        });
    }

    /// Returns what to do about a commit; `None` for everything else.
    fn next_cut(&self, said: &[u8]) -> Option<Cut> {
        said.ends_with(b"COMMIT\0").then(|| self.cuts.lock().unwrap().pop_front()).flatten()
    }
}

enum Next {
    Pass,
    Cut,
    PassAndCut,
}

fn pass_on(mut from: &TcpStream, mut to: &TcpStream, decide: impl Fn(&[u8]) -> Next) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let next = decide(&buffer[..length]);
        let passed = match next {
            Next::Cut => false,
            Next::Pass | Next::PassAndCut => to.write_all(&buffer[..length]).is_ok(),
        };
        if !passed || matches!(next, Next::PassAndCut) {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
