//! A server that follows a script to the byte, so that it can be wrong in every way of real ones.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// The number of the request, from 1.
    pub(crate) number: usize,
    pub(crate) at: Instant,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The raw header lines.
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// The server's reaction to a request.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    /// A complete answer.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// These bytes, including the head, and then the end of the connection.
    Raw(Vec<u8>),
    /// These bytes, and then the connection is reset.
    Reset(Vec<u8>),
    /// These bytes, and then nothing for as long as the client waits.
    Stall(Vec<u8>),
    /// This head, and then this piece repeatedly, with a pause before each.
    Pieces { head: &'static str, piece: Vec<u8>, pause: Duration },
}

impl Say {
    pub(crate) fn json(body: &str) -> Say {
        Say::status(200, &[("content-type", "application/json; charset=utf-8")], body)
    }

    pub(crate) fn html(body: &str) -> Say {
        Say::status(200, &[("content-type", "text/html; charset=utf-8")], body)
    }

    pub(crate) fn status(status: u16, headers: &[(&'static str, &str)], body: &str) -> Say {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Say::Whole { status, headers, body: body.into() }
    }

    pub(crate) fn redirect(status: u16, location: &str) -> Say {
        Say::status(status, &[("location", location)], "moved")
    }

    pub(crate) fn raw(bytes: &str) -> Say {
        Say::Raw(bytes.into())
    }
}

#[derive(Default)]
struct Book {
    seen: Vec<Seen>,
    connections: usize,
}

/// A server on its own port, which runs as long as the tests.
pub(crate) struct Server {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl Server {
    pub(crate) fn start(script: impl Fn(&Seen) -> Say + Send + Sync + 'static) -> Server {
        Server::start_at("127.0.0.1:0", script).unwrap()
    }

    /// Starts a server at an address; fails if it is in use.
    pub(crate) fn start_at(
        address: &str,
        script: impl Fn(&Seen) -> Say + Send + Sync + 'static,
    ) -> std::io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let book = Arc::new(Mutex::new(Book::default()));
        let server = Server { address, book: Arc::clone(&book) };
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                book.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
                let (book, script) = (Arc::clone(&book), Arc::clone(&script));
                thread::spawn(move || {
                    // Some tests are about clients that disconnect midway.
                    let _ = serve(stream, &book, &*script);
                });
            }
        });
        Ok(server)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner).seen.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.book.lock().unwrap_or_else(PoisonError::into_inner).connections
    }
}

fn serve(
    stream: TcpStream,
    book: &Mutex<Book>,
    script: &dyn Fn(&Seen) -> Say,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some(seen) = read(&mut reader, book)? {
        match script(&seen) {
            Say::Whole { status, headers, body } => {
                let headers: String =
                    headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                let length = body.len();
                // 304 has no body.
                let length = if status == 304 {
                    String::new()
                } else {
                    format!("content-length: {length}\r\n")
                };
                writer.write_all(
                    format!("HTTP/1.1 {status} X\r\n{length}{headers}\r\n").as_bytes(),
                )?;
                if status != 304 {
                    writer.write_all(&body)?;
                }
            }
            Say::Raw(bytes) => return writer.write_all(&bytes),
            Say::Reset(bytes) => {
                writer.write_all(&bytes)?;
                return socket2::SockRef::from(&writer).set_linger(Some(Duration::ZERO));
            }
            Say::Stall(bytes) => {
                writer.write_all(&bytes)?;
                // Wait until the client is gone.
                let _ = reader.read(&mut [0; 1]);
                return Ok(());
            }
            Say::Pieces { head, piece, pause } => {
                writer.write_all(head.as_bytes())?;
                loop {
                    thread::sleep(pause);
                    writer.write_all(&piece)?;
                }
            }
        }
    }
    Ok(())
}

fn read(reader: &mut BufReader<TcpStream>, book: &Mutex<Book>) -> std::io::Result<Option<Seen>> {
    let (mut first, mut headers, mut length) = (String::new(), String::new(), 0);
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        headers.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = first.split_whitespace().map(str::to_owned);
    let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = Seen {
        number: book.seen.len() + 1,
        at: Instant::now(),
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    book.seen.push(seen.clone());
    Ok(Some(seen))
}
