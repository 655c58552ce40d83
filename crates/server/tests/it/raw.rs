//! HTTP as bytes, for what no client would send.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::patience::within;

/// The head of an answer, in lower case, and its body.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Raw {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends lines as the head of a request, and a body; returns the answer.
pub(crate) async fn ask(address: SocketAddr, lines: &[&str], body: &[u8]) -> Raw {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut request = lines.join("\r\n").into_bytes();
    request.extend_from_slice(b"\r\n\r\n");
    request.extend_from_slice(body);
    // The answer may come before everything was sent.
    let _ = stream.write_all(&request).await;
    read(&mut stream, !lines[0].starts_with("HEAD ")).await
}

/// Reads an answer up to its end; of one that has no end, the beginning.
pub(crate) async fn read(stream: &mut TcpStream, with_body: bool) -> Raw {
    within("an answer is there", read_on(stream, with_body)).await
}

async fn read_on(stream: &mut TcpStream, with_body: bool) -> Raw {
    let mut bytes = Vec::new();
    loop {
        if let Some(raw) = parse(&bytes, with_body) {
            return raw;
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            return parse(&bytes, with_body).unwrap_or_else(|| panic!("half an answer: '{shown}'"));
        }
    }
}

fn parse(bytes: &[u8], with_body: bool) -> Option<Raw> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let raw = Raw { status, body: bytes[end + 4..].to_vec(), head };
    let wanted = match raw.header("content-length") {
        Some(length) if with_body => length.parse().ok()?,
        // A stream: its first bytes will do.
        _ if raw.header("transfer-encoding").is_some() => 1,
        _ => 0,
    };
    (raw.body.len() >= wanted).then_some(raw)
}
