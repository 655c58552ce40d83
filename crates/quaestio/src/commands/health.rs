//! Whether a server or a worker is ready, for containers that have no other client of HTTP.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::Face;
use crate::failure::{Exit, Failure};

/// The time for each of connecting, asking and hearing the answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// What is read of an answer: its status is all that counts.
const MOST_BYTES: u64 = 1024;

/// Asks at the address for monitors.
pub(super) fn ask(address: SocketAddr, face: &Face) -> Result<Exit, Failure> {
    let refuse = |why: &str| Failure::new(format!("{address} is not ready: {why}"), "");
    let answer = fetch(address).map_err(|error| refuse(&error.to_string()))?;
    let status = answer.lines().next().unwrap_or_default();
    match status.split(' ').nth(1) {
        Some("200") => {
            face.out.line("ready");
            Ok(Exit::Done)
        }
        Some(_) => Err(refuse(status)),
        None => Err(refuse("the answer is not HTTP")),
    }
}

fn fetch(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /health/ready HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
