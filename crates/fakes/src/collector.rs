//! A server that keeps what is posted to it, in the place of a collector of telemetry.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A request as the server got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Counted from 1.
    pub number: usize,
    pub path: String,
    /// The raw header lines.
    pub headers: String,
    pub body: Vec<u8>,
}

impl Received {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(':'));
        let mut named = lines.filter(|(known, _)| known.trim().eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.trim())
    }
}

/// An answer of the server.
#[derive(Debug, Clone)]
pub enum Answer {
    Whole {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    },
    /// None, until the client gives up.
    Never,
}

impl Answer {
    /// An answer without a body: everything was taken.
    pub fn ok() -> Answer {
        Answer::status(200)
    }

    pub fn status(status: u16) -> Answer {
        Answer::Whole { status, headers: vec![], body: vec![] }
    }
}

type Script = dyn Fn(&Received) -> Answer + Send + Sync;

/// A collector on its own port. It stops accepting connections when the test process ends.
#[derive(Clone)]
pub struct FakeCollector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl FakeCollector {
    /// Starts a server that answers by `script`.
    pub fn start(script: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> FakeCollector {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let address = listener.local_addr().expect("a bound listener has an address");
        let received = Arc::default();
        let server = FakeCollector { address, received: Arc::clone(&received) };
        let script: Arc<Script> = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (received, script) = (Arc::clone(&received), Arc::clone(&script));
                thread::spawn(move || {
                    // Some tests are about clients that disconnect midway.
                    let _ = serve(stream, &received, &*script);
                });
            }
        });
        server
    }

    /// Returns its address, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn received(&self) -> Vec<Received> {
        keep(&self.received).clone()
    }

    /// Waits until `enough` of what was received, for at most ten seconds; returns whether it held.
    pub fn wait(&self, enough: impl Fn(&[Received]) -> bool) -> bool {
        for _ in 0..1_000 {
            if enough(&self.received()) {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }
}

fn keep(received: &Mutex<Vec<Received>>) -> MutexGuard<'_, Vec<Received>> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    stream: TcpStream,
    received: &Mutex<Vec<Received>>,
    script: &Script,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let path = first.split_whitespace().nth(1).unwrap_or_default().to_owned();
        let mut headers = String::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            headers.push_str(&line);
        }
        let request = Received { number: 0, path, headers, body: vec![] };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or_default()];
        reader.read_exact(&mut body)?;
        let request = {
            let mut received = keep(received);
            let request = Received { number: received.len() + 1, body, ..request };
            received.push(request.clone());
            request
        };
        match script(&request) {
            Answer::Whole { status, headers, body } => {
                let mut head =
                    format!("HTTP/1.1 {status} As Told\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                writer.write_all(format!("{head}\r\n").as_bytes())?;
                writer.write_all(&body)?;
                writer.flush()?;
            }
            Answer::Never => {
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest)?;
                return Ok(());
            }
        }
    }
}
